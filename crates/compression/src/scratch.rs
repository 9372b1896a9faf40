//! What a thread keeps from one input to the next.

use broadloom_engine::Processor;

/// What a thread keeps from one short input to the next: what providers need to work, which takes
/// longer to make than a short input takes to compress, and memory.
///
/// ```
/// # use std::sync::Arc;
/// # use broadloom_engine::{Compression, CompressionAlgorithm, Session, Transform};
/// # use broadloom_libdeflate::Libdeflate;
/// use broadloom_compression::{Compressor, Format, Scratch, Settings};
///
/// # let how = Settings::compression_for(Format::Zlib, Compression::default());
/// # let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
/// # let session = Session::open(Arc::new(Libdeflate::load(&[])?), &transform)?;
/// let compressor = Compressor::new(session, Settings::new(Format::Zlib))?;
/// let mut scratch = Scratch::default();
/// for message in ["warp", "weft"] {
///     let mut file = Vec::new();
///     compressor.compress_with(&mut scratch, message.as_bytes(), &mut file)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Scratch {
    pub(crate) processor: Processor,
    memory: Vec<u8>,
}

/// The most memory that is kept, in bytes.
const KEPT: usize = 1 << 20;

impl Scratch {
    /// Takes the memory, for the output of a job.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.memory)
    }

    /// Keeps memory that a job no longer needs, unless it is much.
    pub(crate) fn keep(&mut self, memory: Vec<u8>) {
        if memory.capacity() <= KEPT {
            self.memory = memory;
        }
    }
}
