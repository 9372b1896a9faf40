//! Who writes to the connections.

use std::io::Write;
use std::net::TcpStream;
use std::ops::Range;

use broadloom_packets::tls::{HEADER, MAX_CONTENT};

use super::failed;
use super::options::By;
use crate::error::PerfError;

/// Bytes that a record of TLS 1.3 has beside its header and its content: the content's type, and
/// the tag.
pub(super) const TAIL: usize = 17;

/// A side at work on the connections of a wire.
pub(super) trait Side {
    /// Returns which side it is.
    fn by(&self) -> By;

    /// Returns what it runs: a library's version, the calls.
    fn kernel(&self) -> String {
        String::new()
    }

    /// Returns how many writes it takes together at most.
    fn burst(&self, _write: usize) -> usize {
        1
    }

    /// Writes a text once to each of some connections.
    ///
    /// # Errors
    /// A connection or a library fails.
    fn write(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError>;

    /// Returns the text of all that arrived on a connection, which has [`CHECKED`] or less before
    /// it.
    ///
    /// # Errors
    /// What arrived is not what this side sends.
    fn text(&mut self, connection: usize, arrived: Vec<u8>) -> Result<Vec<u8>, PerfError>;
}

/// The connections whose receiving ends are kept, so that what arrives on them can be read.
pub(super) const CHECKED: usize = 16;

/// Returns how many bytes a write is on the wire.
pub(super) fn wire_len(by: By, write: usize) -> usize {
    match by {
        By::Plain => write,
        _ => write + write.div_ceil(MAX_CONTENT) * (HEADER + TAIL),
    }
}

/// Plaintext.
pub(super) struct Plain<'w>(pub &'w [TcpStream]);

impl Side for Plain<'_> {
    fn by(&self) -> By {
        By::Plain
    }

    fn write(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError> {
        for mut stream in &self.0[connections] {
            stream.write_all(text).map_err(failed)?;
        }
        Ok(())
    }

    fn text(&mut self, _: usize, arrived: Vec<u8>) -> Result<Vec<u8>, PerfError> {
        Ok(arrived)
    }
}
