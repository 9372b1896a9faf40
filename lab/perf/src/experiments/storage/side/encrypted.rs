//! Files of the age format in a directory, for one recipient.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom::Registry;
use broadloom::encryption::age::{Decryptor, Encryptor, Identity};
use broadloom::encryption::{Input, Output, ReadAt};
use fastrand::Rng;

use super::files::{Small, drop_pages};
use super::{Client, Trouble};
use crate::experiments::storage::data::Data;
use crate::experiments::storage::meter::{Giver, Meter, Taker};
use crate::experiments::storage::topic::{BLOCK, FILE, PIECE, Topic};

/// Both ways, with one key pair, on the calling thread.
#[derive(Clone)]
pub struct Codec {
    encryptor: Encryptor,
    decryptor: Decryptor,
}

impl Codec {
    pub fn new(registry: Arc<Registry>) -> Result<Codec, Trouble> {
        let identity = Identity::generate()?;
        let recipients = vec![identity.recipient()];
        Ok(Codec {
            encryptor: Encryptor::to_recipients(Arc::clone(&registry), recipients),
            decryptor: Decryptor::new(registry, vec![identity]),
        })
    }

    /// Writes a new file of some bytes.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<File, Trouble> {
        let mut file = File::create(path)?;
        self.encryptor.encrypt(Input::memory(&bytes), Output::Stream(&mut file))?;
        Ok(file)
    }
}

/// A file that is read by places.
struct Places(File);

impl ReadAt for Places {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
}

struct Encrypted {
    data: Data,
    set: Places,
    /// Bytes of the file of the set, and of its text.
    lens: (u64, u64),
    directory: PathBuf,
    small: Small,
    codec: Codec,
    random: Rng,
    /// Files that were synchronised.
    synchronised: usize,
}

pub fn client(
    root: &Path,
    number: usize,
    data: Data,
    len: u64,
    codec: Codec,
) -> Result<Box<dyn Client>, Trouble> {
    let directory = root.join(number.to_string());
    fs::create_dir(&directory)?;
    let path = directory.join("set.age");
    stream(&codec, &path, &data, len)?;
    let set = Places(File::open(&path)?);
    let lens = (set.0.metadata()?.len(), len);
    let (small, random) = (Small::new(directory.join("small")), Rng::with_seed(number as u64));
    Ok(Box::new(Encrypted { data, set, lens, directory, small, codec, random, synchronised: 0 }))
}

/// Writes a set.
fn stream(codec: &Codec, path: &Path, data: &Data, len: u64) -> Result<Meter, Trouble> {
    let meter = Arc::new(Mutex::new(Meter::new()));
    let mut giver = Giver::new(Arc::clone(&meter), data.clone(), len);
    let mut file = File::create(path)?;
    codec.encryptor.encrypt(Input::Stream(&mut giver), Output::Stream(&mut file))?;
    file.sync_all()?;
    drop(giver);
    let meter = Arc::into_inner(meter).expect("the giver is gone");
    Ok(meter.into_inner().unwrap_or_else(PoisonError::into_inner))
}

impl Encrypted {
    /// Reads the whole set.
    fn read(&self, meter: &mut Meter) -> Result<(), Trouble> {
        let input = Input::Places { bytes: &self.set, len: self.lens.0 };
        let mut taker = Taker { meter, data: &self.data, offset: 0 };
        self.codec.decryptor.decrypt(input, Output::Stream(&mut taker))?;
        Ok(())
    }

    fn operation(&mut self, topic: Topic, number: usize, meter: &Meter) -> Result<(), Trouble> {
        match topic {
            Topic::RandomRead => {
                let offset = self.random.u64(0..self.lens.1 / BLOCK as u64) * BLOCK as u64;
                let (range, mut text) = (offset..offset + BLOCK as u64, Vec::with_capacity(BLOCK));
                let output = Output::Stream(&mut text);
                self.codec.decryptor.decrypt_range(
                    (&self.set, self.lens.0),
                    move |_| range,
                    output,
                )?;
                if text.len() != BLOCK {
                    return Err(format!("{} bytes came of {BLOCK}", text.len()).into());
                }
                meter.check(&self.data, offset, &text)
            }
            Topic::SynchronousWrite => {
                let mut text = [0; BLOCK];
                self.data.fill((self.synchronised * BLOCK) as u64, &mut text);
                let path = self.directory.join(format!("synchronous{}.age", self.synchronised));
                self.synchronised += 1;
                Ok(self.codec.write(&path, &text)?.sync_all()?)
            }
            Topic::Create => {
                let path = self.small.path(number);
                let content = self.small.content(&self.data, number);
                self.codec.write(&path, content).map(drop)
            }
            Topic::Delete => Ok(fs::remove_file(self.small.path(number))?),
            Topic::Stat => {
                let len = fs::metadata(self.small.path(number))?.len();
                match len > FILE as u64 {
                    true => Ok(()),
                    false => Err(format!("an encrypted file of {FILE} bytes has {len}").into()),
                }
            }
            Topic::StreamingReadCold
            | Topic::StreamingReadWarm
            | Topic::StreamingWrite
            | Topic::RandomWrite => unreachable!("{topic} goes another way"),
        }
    }
}

impl Client for Encrypted {
    fn prepare(&mut self, topic: Topic, operations: usize) -> Result<(), Trouble> {
        match topic {
            Topic::StreamingReadCold => drop_pages(&self.set.0)?,
            Topic::StreamingReadWarm | Topic::RandomRead => self.read(&mut Meter::new())?,
            Topic::StreamingWrite | Topic::RandomWrite | Topic::SynchronousWrite => {}
            Topic::Create => self.small.clear()?,
            Topic::Delete | Topic::Stat => {
                self.small.clear()?;
                for number in 0..operations {
                    self.operation(Topic::Create, number, &Meter::new())?;
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, topic: Topic, operations: usize, meter: Meter) -> Result<Meter, Trouble> {
        let mut meter = meter;
        match topic {
            Topic::StreamingReadCold | Topic::StreamingReadWarm => self.read(&mut meter)?,
            Topic::StreamingWrite => {
                let len = (operations * PIECE) as u64;
                return stream(&self.codec, &self.directory.join("written.age"), &self.data, len);
            }
            _ => {
                for number in 0..operations {
                    self.operation(topic, number, &meter)?;
                    meter.done(topic.bytes());
                }
            }
        }
        Ok(meter)
    }
}
