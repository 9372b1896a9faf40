//! Queues: the tables of one thread.

use broadloom_engine::JobError;
use broadloom_engine::provider::{CompressionParts, Operation, Progress, Queue};

use crate::codec::{self, Tables};
use crate::session::Lz4Session;

pub(crate) struct Lz4Queue {
    tables: Tables,
}

impl Lz4Queue {
    pub(crate) fn new() -> Lz4Queue {
        Lz4Queue { tables: Tables::new() }
    }

    fn work(&mut self, parts: CompressionParts<'_, Lz4Session>) -> Result<Progress, JobError> {
        let CompressionParts { session, input, output } = parts;
        let produced = match session.compresses {
            true => self.tables.compress(input, output)?,
            false => codec::decompress(input, output)?,
        };
        Ok(match produced {
            Some(produced) => Progress { consumed: input.len(), produced, ..Progress::default() },
            None => Progress::FULL,
        })
    }
}

impl Queue for Lz4Queue {
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
