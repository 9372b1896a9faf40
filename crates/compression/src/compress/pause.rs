//! Pauses of an input that is compressed as it comes.

use std::error::Error;
use std::{fmt, io};

/// A pause of an input: the error that a reader gives to have everything before the pause written.
///
/// [`compress_stream`](crate::Compressor::compress_stream) then compresses the data that it has
/// read so far, although they do not fill a chunk, writes them, flushes the writer, and reads on.
/// Whoever decompresses what was written gets all data before the pause.
///
/// ```
/// use std::io::{self, Read};
///
/// use broadloom_compression::Pause;
///
/// /// Requests that somebody answers, one after the other.
/// struct Requests {
///     next: &'static [u8],
///     is_answered: bool,
/// }
///
/// impl Read for Requests {
///     fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
///         if self.next.is_empty() && !std::mem::replace(&mut self.is_answered, true) {
///             return Err(Pause.into());
///         }
///         self.next.read(buffer)
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause;

impl Pause {
    /// Returns `true` if an error stands for a pause.
    pub(super) fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Pause>())
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the input pauses")
    }
}

impl Error for Pause {}

impl From<Pause> for io::Error {
    fn from(pause: Pause) -> io::Error {
        io::Error::other(pause)
    }
}
