//! What a compression, a decompression or a public-key algorithm makes, and how far it has come.

use crate::algorithm::{Algorithm, Checksum, Compression, CompressionAlgorithm, Direction};
use crate::job_error::JobError;
use crate::stored;
use crate::wipe::wipe;

/// What DEFLATE makes of a byte at most, more or less: RFC 1951 allows 258 bytes for two bits.
const MOST_PER_BYTE: u64 = 1032;
/// What a decompression without a better guess gets for a byte, on its first attempt.
const USUAL_PER_BYTE: usize = 4;
const LEAST_ROOM: usize = 512;
/// A compression gets no more room than so many times the worst case, the provider's or the
/// format's.
const WORST_CASES: usize = 4;
/// Bytes that a stream takes, more or less, beside its blocks.
const FRAME: usize = 64;

/// What a session does, as far as its jobs' output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Making {
    pub algorithm: Algorithm,
    pub direction: Direction,
    pub how: Compression,
}

/// The output of one job.
#[derive(Debug)]
pub(crate) struct Made {
    /// Memory, of which the first `len` bytes are made, and those up to `end` are room.
    buffer: Vec<u8>,
    len: usize,
    end: usize,
    consumed: usize,
    /// Of what was made, or consumed, so far.
    checksum: Option<u32>,
    attempts: u32,
    /// The last attempt ran out of room.
    full: bool,
    /// What was decrypted or agreed on, or a key, is in the buffer, unless it was taken.
    is_secret: bool,
    /// Room that the caller wants for the first attempt.
    pub wish: Option<usize>,
    /// The most that may come out.
    pub limit: u64,
}

impl Default for Made {
    fn default() -> Self {
        Made {
            buffer: Vec::new(),
            len: 0,
            end: 0,
            consumed: 0,
            checksum: None,
            attempts: 0,
            full: false,
            is_secret: false,
            wish: None,
            limit: u64::MAX,
        }
    }
}

/// What an attempt at compressing or decompressing came to. See
/// [`Operation::progress`](crate::provider::Operation::progress).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Bytes of input that were read: less than all where a DEFLATE stream ends before its input
    /// does.
    pub consumed: usize,
    /// Bytes of output that were made.
    pub produced: usize,
    /// The room was not enough. A compression has then kept whole blocks, none of them final, that
    /// end on a byte boundary, for the input consumed, and goes on with the rest; or nothing. A
    /// decompression has kept nothing.
    pub full: bool,
    /// The session's checksum of these uncompressed bytes, if it fell out; else the engine computes
    /// it.
    pub checksum: Option<u32>,
}

impl Progress {
    /// The room was not enough, and nothing was kept.
    pub const FULL: Progress = Progress { consumed: 0, produced: 0, full: true, checksum: None };
}

impl Made {
    /// The output so far.
    pub fn output(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    /// Takes the output away.
    pub fn take(&mut self) -> Vec<u8> {
        let mut output = std::mem::take(&mut self.buffer);
        let len = std::mem::take(&mut self.len);
        if self.is_secret {
            wipe(&mut output[len..]);
        }
        output.truncate(len);
        output
    }

    /// Gives it memory to use.
    pub fn set_buffer(&mut self, buffer: Vec<u8>) {
        self.wipe();
        self.buffer = buffer;
        self.len = 0;
    }

    pub fn consumed(&self) -> usize {
        self.consumed
    }

    pub fn checksum(&self) -> Option<u32> {
        self.checksum
    }

    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns how much is still to be consumed, and the room that it goes with.
    pub fn room(&mut self) -> (usize, &mut [u8]) {
        (self.consumed, &mut self.buffer[self.len..self.end])
    }

    /// Makes it ready for a first attempt at `input_len` bytes; `bound` is what the provider says.
    ///
    /// # Errors
    /// There may be no memory for the output.
    pub fn begin(
        &mut self,
        making: Making,
        input_len: usize,
        bound: impl FnOnce(usize) -> usize,
    ) -> Result<(), JobError> {
        self.wipe();
        self.is_secret = matches!(making.algorithm, Algorithm::PublicKey(_))
            && !matches!(
                making.direction,
                Direction::Sign | Direction::Verify | Direction::Encrypt
            );
        (self.len, self.consumed, self.attempts) = (0, 0, 1);
        (self.checksum, self.full) = (None, false);
        let room = match making.direction {
            // More is of no use, whatever the caller wants.
            Direction::Compress => bound(input_len).min(self.wish.unwrap_or(usize::MAX)),
            // The provider knows how much it makes.
            _ if matches!(making.algorithm, Algorithm::PublicKey(_)) => bound(input_len),
            _ => self.wish.unwrap_or(input_len.saturating_mul(USUAL_PER_BYTE).max(LEAST_ROOM)),
        };
        self.make_room(room.min(self.most(making, input_len)))
    }

    /// Returns `true` if the uncompressed bytes are needed to take in what an attempt came to.
    pub fn needs_text(&self, making: Making, progress: Progress) -> bool {
        making.how.checksum != Checksum::None && progress.checksum.is_none()
    }

    /// Takes in what an attempt came to. `input` may be empty where nobody
    /// [needs](Made::needs_text) it.
    pub fn advance(
        &mut self,
        making: Making,
        input: &[u8],
        input_len: usize,
        progress: Progress,
    ) -> Result<(), JobError> {
        let Progress { consumed, produced, full, checksum } = progress;
        let compresses = making.direction == Direction::Compress;
        let fits = consumed <= input_len - self.consumed && produced <= self.end - self.len;
        let keeps_nothing = (consumed, produced) == (0, 0);
        let is_whole = full || !compresses || consumed == input_len - self.consumed;
        if !fits || !is_whole || (full && !compresses && !keeps_nothing) {
            return Err(JobError::NotDone);
        }
        let kind = making.how.checksum;
        if kind != Checksum::None {
            let (len, text, at) = match compresses {
                true => (consumed, input, self.consumed),
                false => (produced, self.buffer.as_slice(), self.len),
            };
            let piece = || &text[at..][..len];
            self.checksum = kind.extended(self.checksum, checksum, len, piece);
        }
        self.consumed += consumed;
        self.len += produced;
        self.full = full;
        Ok(())
    }

    /// Whether there is still something to be done, for which there is now more room.
    ///
    /// # Errors
    /// There may be no more room, or no memory for it.
    pub fn goes_on(
        &mut self,
        making: Making,
        input_len: usize,
        bound: impl Fn(usize) -> usize,
    ) -> Result<bool, JobError> {
        if !std::mem::take(&mut self.full) {
            return Ok(false);
        }
        let twice = (self.end - self.len).saturating_mul(2);
        let (more, most) = match making.direction {
            Direction::Compress => {
                let worst = bound(input_len).max(stored::len(input_len).saturating_add(FRAME));
                let more = bound(input_len - self.consumed).max(twice);
                (more, worst.saturating_mul(WORST_CASES))
            }
            _ => (twice, self.most(making, input_len)),
        };
        // Wherever a provider's bound is too low, twice nothing would still be nothing.
        let more = more.max(LEAST_ROOM);
        if self.end >= most {
            return Err(match making.direction {
                Direction::Compress => JobError::NeverFits { len: input_len, room: self.end },
                _ if self.limit == most as u64 => JobError::OutputLimit { limit: self.limit },
                _ => JobError::Malformed,
            });
        }
        self.make_room(self.len.saturating_add(more).min(most))?;
        self.attempts += 1;
        Ok(true)
    }

    /// Returns `true` if stored blocks would have taken less.
    pub fn is_too_long(&self, making: Making, input_len: usize) -> bool {
        let what = (making.algorithm, making.direction);
        what == (Algorithm::Compression(CompressionAlgorithm::Deflate), Direction::Compress)
            && self.len > stored::len(input_len)
    }

    /// Makes the output of stored blocks.
    pub fn store(&mut self, making: Making, input: &[u8]) {
        stored::write(input, making.how.ending, &mut self.buffer);
        self.len = self.buffer.len();
    }

    /// Forgets what was made.
    pub fn discard(&mut self) {
        self.wipe();
        self.len = 0;
        self.checksum = None;
    }

    /// Wipes what is secret, if something is: also what is room, where a provider may have worked.
    fn wipe(&mut self) {
        if self.is_secret {
            wipe(&mut self.buffer);
        }
    }

    /// The most that may come out: what the caller says, and what the format allows.
    fn most(&self, making: Making, input_len: usize) -> usize {
        let most = match making.direction {
            Direction::Decompress => {
                (input_len as u64).saturating_add(1).saturating_mul(MOST_PER_BYTE).min(self.limit)
            }
            _ => u64::MAX,
        };
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// Provides memory up to `end`. Memory that was used before is not cleared again. The input
    /// decides how much it is, so that a lack of memory must not end the process.
    fn make_room(&mut self, end: usize) -> Result<(), JobError> {
        if let Some(missing) = end.checked_sub(self.buffer.len()) {
            let reserved = self.buffer.try_reserve_exact(missing);
            reserved.map_err(|_| JobError::OutOfMemory { len: end })?;
            self.buffer.resize(end, 0);
        }
        self.end = end;
        Ok(())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        self.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_there_is_no_memory_for_is_an_error() {
        let making = Making {
            algorithm: Algorithm::Compression(CompressionAlgorithm::Deflate),
            direction: Direction::Decompress,
            how: Compression::default(),
        };
        let mut made = Made::default();
        let len = usize::MAX / 2;
        let begun = made.begin(making, len, |_| unreachable!("it bounds compressions"));
        assert!(matches!(begun, Err(JobError::OutOfMemory { .. })), "{begun:?}");
        made.begin(making, 10, |_| unreachable!("as above")).expect("this is little");
        made.advance(making, &[], 10, Progress::FULL).expect("the room was too small");
        made.end = usize::MAX / 2;
        let more = made.goes_on(making, len, |_| unreachable!("as above"));
        assert!(matches!(more, Err(JobError::OutOfMemory { .. })), "{more:?}");
        assert_eq!(made.attempts(), 1);
    }
}
