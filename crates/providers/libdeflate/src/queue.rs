//! Queues: the compressors of one thread.

use broadloom_engine::provider::{CompressionParts, Operation, Progress, Queue};
use broadloom_engine::{Ending, JobError};

use crate::ffi::{Compressor, Decompressor, InflateError, OutOfMemory};
use crate::reopen::{MARKER, NoFinalBlock, Reopener};
use crate::session::{LEVELS, LibdeflateSession, LibdeflateWork};

/// There was no memory for a compressor.
const OUT_OF_MEMORY: JobError = JobError::Provider { code: 1 };
/// The library made a stream without a final block.
const NO_FINAL_BLOCK: JobError = JobError::Provider { code: 2 };

pub(crate) struct LibdeflateQueue {
    /// A compressor for each level that was used.
    compressors: [Option<Compressor>; *LEVELS.end() as usize + 1],
    decompressor: Option<Decompressor>,
    reopener: Option<Reopener>,
}

impl LibdeflateQueue {
    pub(crate) fn new() -> LibdeflateQueue {
        LibdeflateQueue { compressors: Default::default(), decompressor: None, reopener: None }
    }

    fn work(
        &mut self,
        parts: CompressionParts<'_, LibdeflateSession>,
    ) -> Result<Progress, JobError> {
        let CompressionParts { session, input, output } = parts;
        match session.work {
            LibdeflateWork::Compress { level, ending } => {
                let slot = &mut self.compressors[usize::from(level)];
                let compressor = get(slot, || Compressor::new(level))?;
                let more = if ending == Ending::Open { MARKER } else { 0 };
                let room = output.len().saturating_sub(more);
                let Some(complete) = compressor.compress(input, &mut output[..room]) else {
                    return Ok(Progress::FULL);
                };
                let produced = match ending {
                    Ending::Final => complete,
                    Ending::Open => {
                        let reopener = self.reopener.get_or_insert_with(Reopener::new);
                        let opened = reopener.reopen(output, complete);
                        opened.map_err(|NoFinalBlock| NO_FINAL_BLOCK)?
                    }
                };
                let checksum = session.checksum(input);
                Ok(Progress { consumed: input.len(), produced, full: false, checksum })
            }
            LibdeflateWork::Decompress => {
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

/// The contents of the slot, made on first use.
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
