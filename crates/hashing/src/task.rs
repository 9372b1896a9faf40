//! What files are hashed for (to print digests, to compare them, or to verify signatures), and what
//! is told of each.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

pub use broadloom_ordered::Turn;

use crate::digest::Digest;

/// What a run hashes files for. It tells results in the order in which they were asked for.
pub trait Task: Send + Sized + 'static {
    /// What is known of a file before it is read.
    type Expected: Send + Default;
    /// Something to tell that comes of no file.
    type Notice: Send;

    /// Reads a file that has no place in the lanes, and says how many bytes it had.
    ///
    /// # Errors
    /// The file cannot be read.
    fn read_apart(name: &OsStr, expected: &mut Self::Expected) -> io::Result<(Found, u64)>;

    /// Looks at outcomes together, on the thread that hashed the files, before they are told.
    fn settle(_outcomes: &mut [(Turn, Outcome<Self>)]) {}

    /// Tells what came of a file.
    ///
    /// # Errors
    /// Standard output cannot be written.
    fn outcome(&mut self, outcome: Outcome<Self>) -> io::Result<()>;

    /// Tells a notice.
    ///
    /// # Errors
    /// Standard output cannot be written.
    fn notice(&mut self, notice: Self::Notice) -> io::Result<()>;

    /// Counts bytes hashed, for the progress bar.
    fn advance(&mut self, bytes: u64);

    /// Writes the lines told so far.
    ///
    /// # Errors
    /// Standard output cannot be written.
    fn flush(&mut self) -> io::Result<()>;
}

/// What came of a request.
pub struct Outcome<T: Task> {
    /// The file.
    pub name: Arc<OsStr>,
    /// What was known of it before it was read.
    pub expected: T::Expected,
    /// What was found.
    pub found: io::Result<Found>,
}

/// What was found in a file.
pub enum Found {
    /// The digest of all of it.
    Digest(Digest),
    /// The digests of chunks.
    Chunks(Vec<ChunkDigest>),
    /// The task read it itself, and kept what it needs.
    Apart,
}

/// The digest of a chunk.
pub struct ChunkDigest {
    /// Where it begins.
    pub offset: u64,
    /// Bytes in it.
    pub len: u64,
    /// Its digest.
    pub digest: Digest,
}
