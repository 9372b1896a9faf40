//! What a client notes of a pass: how long each operation took, and whether its bytes were right.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::data::Data;
use super::side::Trouble;
use super::topic::PIECE;

/// The notes of one client in one pass.
#[derive(Debug)]
pub(super) struct Meter {
    /// Nanoseconds of each operation, where it has a time of its own.
    pub times: Vec<u64>,
    /// Operations.
    pub operations: usize,
    /// Bytes that they moved.
    pub bytes: u64,
    last: Instant,
    thorough: bool,
}

impl Meter {
    /// Begins a pass.
    pub fn new() -> Meter {
        Meter { times: Vec::new(), operations: 0, bytes: 0, last: Instant::now(), thorough: false }
    }

    /// Begins a pass in which every byte that is read is compared.
    pub fn thorough() -> Meter {
        Meter { thorough: true, ..Meter::new() }
    }

    /// An operation ends, and the next one begins.
    pub fn done(&mut self, bytes: usize) {
        let now = Instant::now();
        self.times.push((now - self.last).as_nanos() as u64);
        self.last = now;
        self.operations += 1;
        self.bytes += bytes as u64;
    }

    /// Operations ended together, none with a time of its own.
    pub fn count(&mut self, operations: usize, bytes: usize) {
        self.operations += operations;
        self.bytes += (operations * bytes) as u64;
    }

    /// Looks at bytes that were read: at all of them, or at a stamp in each 8 KiB.
    ///
    /// # Errors
    /// They are not what was written.
    pub fn check(&self, data: &Data, offset: u64, bytes: &[u8]) -> Result<(), Trouble> {
        let right = match self.thorough {
            true => data.is(offset, bytes),
            false => data.has_stamps(offset, bytes),
        };
        let len = bytes.len();
        if right {
            Ok(())
        } else {
            Err(format!("the {len} bytes from {offset} on are not those that were written").into())
        }
    }
}

/// Takes a set that is read, and ends an operation with each piece.
pub(super) struct Taker<'m> {
    pub meter: &'m mut Meter,
    pub data: &'m Data,
    pub offset: u64,
}

impl Write for Taker<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.meter.check(self.data, self.offset, bytes).map_err(io::Error::other)?;
        let piece = PIECE as u64;
        let before = self.offset / piece;
        self.offset += bytes.len() as u64;
        for _ in before..self.offset / piece {
            self.meter.done(PIECE);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives a set that is to be written, and ends an operation with each piece.
pub(super) struct Giver {
    meter: Arc<Mutex<Meter>>,
    data: Data,
    offset: u64,
    len: u64,
    taken: u64,
}

impl Giver {
    /// Gives so many bytes.
    pub fn new(meter: Arc<Mutex<Meter>>, data: Data, len: u64) -> Giver {
        Giver { meter, data, offset: 0, len, taken: 0 }
    }
}

impl Read for Giver {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = PIECE as u64;
        // Who asks for more has taken what was handed over before.
        if self.offset / piece > self.taken {
            self.taken += 1;
            self.meter.lock().unwrap_or_else(PoisonError::into_inner).done(PIECE);
        }
        let left = (self.len - self.offset).min(piece - self.offset % piece);
        let len = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.data.fill(self.offset, &mut buffer[..len]);
        self.offset += len as u64;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_operations_both_ways() {
        let (data, len) = (Data::new(1), 2 * PIECE + 5);
        let meter = Arc::new(Mutex::new(Meter::new()));
        let mut text = Vec::new();
        let mut giver = Giver::new(Arc::clone(&meter), data.clone(), 2 * PIECE as u64);
        giver.read_to_end(&mut text).unwrap();
        // An end that is asked for twice counts once.
        assert_eq!(giver.read(&mut [0; 9]).unwrap(), 0);
        let given = meter.lock().unwrap();
        assert_eq!((given.operations, given.times.len(), given.bytes), (2, 2, 2 * PIECE as u64));
        text.resize(len, 0);
        data.fill(2 * PIECE as u64, &mut text[2 * PIECE..]);
        let mut meter = Meter::thorough();
        let mut taker = Taker { meter: &mut meter, data: &data, offset: 0 };
        for part in text.chunks(300_000) {
            taker.write_all(part).unwrap();
        }
        assert_eq!((taker.offset, meter.operations), (len as u64, 2));
        let mut taker = Taker { meter: &mut meter, data: &data.other(2), offset: 0 };
        assert!(taker.write_all(&text).is_err());
    }
}
