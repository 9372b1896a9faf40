//! Files of a directory, as they are.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use fastrand::Rng;

use super::files::{Small, drop_pages};
use super::{Client, Trouble};
use crate::experiments::storage::data::Data;
use crate::experiments::storage::meter::Meter;
use crate::experiments::storage::topic::{BLOCK, FILE, PIECE, Topic};

/// Pieces that a streaming write has at hand: it writes them again and again.
const PIECES: usize = 4;

struct Plain {
    data: Data,
    set: File,
    len: u64,
    /// Opened so that each write waits for the disk.
    synchronous: File,
    written: std::path::PathBuf,
    small: Small,
    buffer: Vec<u8>,
    random: Rng,
}

pub fn client(
    root: &Path,
    number: usize,
    data: Data,
    len: u64,
) -> Result<Box<dyn Client>, Trouble> {
    let directory = root.join(number.to_string());
    fs::create_dir(&directory)?;
    let path = directory.join("set");
    let mut set = OpenOptions::new().create_new(true).read(true).write(true).open(&path)?;
    let mut buffer = vec![0; PIECES * PIECE];
    for offset in (0..len).step_by(PIECE) {
        data.fill(offset, &mut buffer[..PIECE]);
        set.write_all(&buffer[..PIECE])?;
    }
    set.sync_all()?;
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::DSYNC.bits();
    let synchronous = options.write(true).custom_flags(flags.cast_signed()).open(&path)?;
    let random = Rng::with_seed(number as u64);
    let (written, small) = (directory.join("written"), Small::new(directory.join("small")));
    Ok(Box::new(Plain { data, set, len, synchronous, written, small, buffer, random }))
}

impl Plain {
    /// A random block.
    fn place(&mut self) -> u64 {
        self.random.u64(0..self.len / BLOCK as u64) * BLOCK as u64
    }
}

impl Client for Plain {
    fn prepare(&mut self, topic: Topic, operations: usize) -> Result<(), Trouble> {
        match topic {
            Topic::StreamingReadCold => drop_pages(&self.set)?,
            Topic::StreamingReadWarm | Topic::RandomRead => {
                let pieces = (self.len / PIECE as u64) as usize;
                self.run(Topic::StreamingReadWarm, pieces, Meter::new())?;
            }
            Topic::StreamingWrite => self.data.fill(0, &mut self.buffer),
            Topic::RandomWrite | Topic::SynchronousWrite => self.set.sync_all()?,
            Topic::Create => self.small.clear()?,
            Topic::Delete | Topic::Stat => {
                self.small.clear()?;
                (0..operations).try_for_each(|number| self.small.write(&self.data, number))?;
            }
        }
        Ok(())
    }

    fn run(&mut self, topic: Topic, operations: usize, meter: Meter) -> Result<Meter, Trouble> {
        let mut meter = meter;
        let mut written = match topic {
            Topic::StreamingWrite => Some(File::create(&self.written)?),
            _ => None,
        };
        for number in 0..operations {
            match topic {
                Topic::StreamingReadCold | Topic::StreamingReadWarm => {
                    let offset = (number * PIECE) as u64;
                    self.set.read_exact_at(&mut self.buffer[..PIECE], offset)?;
                    meter.check(&self.data, offset, &self.buffer[..PIECE])?;
                }
                Topic::StreamingWrite => {
                    let from = number % PIECES * PIECE;
                    let written = written.as_mut().expect("it was opened");
                    written.write_all(&self.buffer[from..from + PIECE])?;
                }
                Topic::RandomRead => {
                    let offset = self.place();
                    self.set.read_exact_at(&mut self.buffer[..BLOCK], offset)?;
                    meter.check(&self.data, offset, &self.buffer[..BLOCK])?;
                }
                Topic::RandomWrite | Topic::SynchronousWrite => {
                    let offset = self.place();
                    self.data.fill(offset, &mut self.buffer[..BLOCK]);
                    let file = match topic {
                        Topic::RandomWrite => &self.set,
                        _ => &self.synchronous,
                    };
                    file.write_all_at(&self.buffer[..BLOCK], offset)?;
                }
                Topic::Create => self.small.write(&self.data, number)?,
                Topic::Delete => fs::remove_file(self.small.path(number))?,
                Topic::Stat => {
                    let len = fs::metadata(self.small.path(number))?.len();
                    if len != FILE as u64 {
                        return Err(format!("a file of {FILE} bytes has {len}").into());
                    }
                }
            }
            meter.done(topic.bytes());
        }
        written.map_or(Ok(()), |file| file.sync_all())?;
        Ok(meter)
    }
}
