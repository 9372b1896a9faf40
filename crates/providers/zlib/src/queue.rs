//! Queues: the streams of one thread.

use broadloom_engine::JobError;
use broadloom_engine::provider::{CompressionParts, Operation, Progress, Queue};

use crate::codec::{CodecError, Deflater, Inflater, Library, Shape};
use crate::session::{ZlibSession, ZlibWork};

pub(crate) struct ZlibQueue {
    library: Library,
    /// A stream for each shape that was used; few enough to search.
    deflaters: Vec<Deflater>,
    inflater: Option<Inflater>,
}

impl ZlibQueue {
    pub(crate) fn new(library: Library) -> ZlibQueue {
        ZlibQueue { library, deflaters: Vec::new(), inflater: None }
    }

    fn work(&mut self, parts: CompressionParts<'_, ZlibSession>) -> Result<Progress, CodecError> {
        let CompressionParts { session, input, output } = parts;
        match session.work {
            ZlibWork::Compress { shape, closes } => {
                let produced = self.deflater(shape)?.compress(input, output, closes)?;
                Ok(Progress { consumed: input.len(), produced, ..Progress::default() })
            }
            ZlibWork::Decompress => {
                let inflated = self.inflater()?.decompress(input, output)?;
                let (consumed, produced) = (inflated.consumed, inflated.produced);
                Ok(Progress { consumed, produced, ..Progress::default() })
            }
        }
    }

    fn deflater(&mut self, shape: Shape) -> Result<&mut Deflater, CodecError> {
        let known = self.deflaters.iter().position(|deflater| deflater.shape() == shape);
        let index = match known {
            Some(index) => index,
            None => {
                self.deflaters.push(Deflater::new(&self.library, shape)?);
                self.deflaters.len() - 1
            }
        };
        Ok(&mut self.deflaters[index])
    }

    fn inflater(&mut self) -> Result<&mut Inflater, CodecError> {
        let made = match self.inflater.take() {
            Some(made) => made,
            None => Inflater::new(&self.library)?,
        };
        Ok(self.inflater.insert(made))
    }
}

impl Queue for ZlibQueue {
    /// One after the other: waiting for more would gain nothing.
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            // Whatever is of another provider is left, and so fails.
            operation.attempt(|parts| match self.work(parts) {
                Ok(progress) => Ok(progress),
                Err(CodecError::Full) => Ok(Progress::FULL),
                Err(CodecError::Malformed) => Err(JobError::Malformed),
                Err(CodecError::Truncated) => Err(JobError::Truncated),
                Err(CodecError::Code(code)) => Err(JobError::Provider { code: code.into() }),
            });
        }
    }
}
