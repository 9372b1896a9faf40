//! The topics of compression. Those that concern what a provider lacks are skipped.

mod bounds;
mod damage;
mod endings;
mod inputs;
mod lengths;
mod queues;
mod room;
mod streams;
mod support;

use broadloom_engine::{Job, Processor};

use crate::chunk::Chunk;

pub use bounds::{bounds, turns};
pub use damage::{damaged, truncated};
pub use endings::{endings, trailing_bytes, windows_and_codes};
pub use inputs::{own_output, pieces, reused_buffers};
pub use lengths::{checksums, every_length, long_chunks};
pub use queues::{beside_packets, many_ways};
pub use room::{bombs, limits, room};
pub use streams::{known_streams, unsound_streams};
pub(super) use support::missing;
pub use support::refusals;

/// The outputs of chunks, with their jobs, after all jobs succeeded.
fn packed<'c>(
    processor: &mut Processor,
    mut jobs: Vec<Job<'c, &'c Chunk>>,
    context: &str,
) -> Vec<(&'c Chunk, Vec<u8>)> {
    processor.process_many(&mut jobs);
    jobs.into_iter()
        .map(|mut job| {
            let chunk = *job.user_value();
            chunk.check(&job, context);
            (chunk, chunk.whole(&job.take_output()))
        })
        .collect()
}
