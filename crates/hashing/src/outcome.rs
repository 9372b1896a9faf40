//! What comes of requests.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use crate::digest::Digest;
use crate::task::Task;

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
