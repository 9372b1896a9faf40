//! Queues: the library's structures for one thread.
//!
//! Where it ran out of room, the library may report a match too far back. More room tells.

use broadloom_engine::JobError;
use broadloom_engine::provider::{CompressionParts, Operation, Progress, Queue};

use crate::ffi::{CodecError, Deflater, Inflater, Libisal, MAX_LEN};
use crate::session::{IsalSession, IsalWork};

pub(crate) struct IsalQueue {
    library: &'static Libisal,
    deflater: Option<Deflater>,
    inflater: Option<Inflater>,
}

impl IsalQueue {
    pub(crate) fn new(library: &'static Libisal) -> IsalQueue {
        IsalQueue { library, deflater: None, inflater: None }
    }

    fn work(&mut self, parts: CompressionParts<'_, IsalSession>) -> Result<Progress, CodecError> {
        let CompressionParts { session, input, output } = parts;
        let library = self.library;
        match session.work {
            IsalWork::Compress(how) => {
                let deflater = self.deflater.get_or_insert_with(|| Deflater::new(library));
                let produced = deflater.compress(how, input, output)?;
                let checksum = session.checksum(input);
                Ok(Progress { consumed: input.len(), produced, full: false, checksum })
            }
            IsalWork::Decompress => {
                let inflater = self.inflater.get_or_insert_with(|| Inflater::new(library));
                let inflated = inflater.decompress(input, output)?;
                let (consumed, produced) = (inflated.consumed, inflated.produced);
                let checksum = session.checksum(&output[..produced]);
                Ok(Progress { consumed, produced, full: false, checksum })
            }
        }
    }
}

impl Queue for IsalQueue {
    /// One after the other: waiting for more would gain nothing.
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            // Whatever is of another provider is left, and so fails.
            operation.attempt(|parts| {
                let len = parts.input.len();
                match self.work(parts) {
                    Ok(progress) => Ok(progress),
                    Err(CodecError::Full) => Ok(Progress::FULL),
                    Err(CodecError::Malformed) => Err(JobError::Malformed),
                    Err(CodecError::Truncated) => Err(JobError::Truncated),
                    Err(CodecError::TooLong) => Err(JobError::TooLong { len, max: MAX_LEN as u64 }),
                    Err(CodecError::Code(code)) => Err(JobError::Provider { code: code.into() }),
                }
            });
        }
    }
}
