//! Queues: the compressors of one thread.

use broadloom_engine::{CompressionParts, JobError, Operation, Progress, Queue};

use crate::ffi::{Compressor, Decompressor, InflateError, OutOfMemory};
use crate::session::{LEVELS, LibdeflateSession, Work};

/// The only failure with a number: there was no memory for a compressor.
const OUT_OF_MEMORY: JobError = JobError::Provider { code: 1 };

pub(crate) struct LibdeflateQueue {
    /// One for each level that was asked for.
    compressors: [Option<Compressor>; *LEVELS.end() as usize + 1],
    decompressor: Option<Decompressor>,
}

impl LibdeflateQueue {
    pub(crate) fn new() -> LibdeflateQueue {
        LibdeflateQueue { compressors: Default::default(), decompressor: None }
    }

    fn work(&mut self, parts: CompressionParts<'_, LibdeflateSession>) -> Result<Progress, JobError> {
        let CompressionParts { session, input, output } = parts;
        match session.work {
            Work::Compress { level } => {
                let slot = &mut self.compressors[usize::from(level)];
                let compressor = get(slot, || Compressor::new(level))?;
                let Some(produced) = compressor.compress(input, output) else {
                    return Ok(Progress::FULL);
                };
                let checksum = session.checksum(input);
                Ok(Progress { consumed: input.len(), produced, full: false, checksum })
            }
            Work::Decompress => {
                let decompressor = get(&mut self.decompressor, Decompressor::new)?;
                match decompressor.decompress(input, output) {
                    Ok(inflated) => {
                        let (consumed, produced) = (inflated.consumed, inflated.produced);
                        let checksum = session.checksum(&output[..produced]);
                        Ok(Progress { consumed, produced, full: false, checksum })
                    }
                    Err(InflateError::Full) => Ok(Progress::FULL),
                    Err(InflateError::Malformed) => Err(JobError::Malformed),
                }
            }
        }
    }
}

/// What the slot holds, made when it is first needed.
fn get<T>(
    slot: &mut Option<T>,
    make: impl FnOnce() -> Result<T, OutOfMemory>,
) -> Result<&mut T, JobError> {
    let made = match slot.take() {
        Some(made) => made,
        None => make().map_err(|OutOfMemory| OUT_OF_MEMORY)?,
    };
    Ok(slot.insert(made))
}

impl Queue for LibdeflateQueue {
    /// One after the other: waiting for more would gain nothing.
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            // Whatever is of another provider is left, and so fails.
            operation.attempt(|parts| self.work(parts));
        }
    }
}
