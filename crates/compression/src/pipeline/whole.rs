//! An input that is there as a whole: a segment for each thread.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::inline::inline;
use super::threads::{ThreadError, Threads, pin};
use super::{ChunkJob, Plan, Sink, Source};

/// No segment is cut shorter than this for want of chunks, in bytes.
const SHORTEST: usize = 64 << 10;

/// Cuts an input of `len` bytes into at most `threads` segments of near-equal length, each of whole chunks
/// but the last.
///
/// Where there are fewer chunks than threads, segments are shorter than a chunk, down to 64 KiB, so that a
/// chunk of any length keeps all threads busy, as with source 003's "a single chunk per thread".
pub(crate) fn cut(len: usize, chunk: usize, threads: usize) -> Vec<Range<usize>> {
    let unit = chunk.min(len.div_ceil(threads).max(SHORTEST));
    let units = len.div_ceil(unit);
    let count = threads.min(units);
    let ends = (0..=count).map(|index| (units * index / count.max(1) * unit).min(len));
    let ends: Vec<usize> = ends.collect();
    ends.windows(2).map(|ends| ends[0]..ends[1]).collect()
}

/// Takes each segment's chunks from its source to its sink, one thread for each, the calling thread among
/// them unless threads are pinned. The sinks come back in the order of the segments.
///
/// # Errors
/// Of the segments that failed, the first one's error. Those behind it stop soon after it failed, those
/// before it go on: which error it is does not depend on the threads' speed.
///
/// # Panics
/// If a provider panics.
pub(crate) fn segments<'a, J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    segments: Vec<(S, K)>,
) -> Result<Vec<K>, E>
where
    J: ChunkJob<'a>,
    S: Source<J, Error = E> + Send,
    K: Sink<J, Error = E> + Send,
    E: From<ThreadError> + Send,
{
    let failed = AtomicUsize::new(usize::MAX);
    let run = |index: usize, (source, mut sink): (S, K)| {
        let mut source = Until { source, index, failed: &failed };
        let outcome = match pin(plan.cores, index) {
            Ok(()) => inline(plan, make, &mut source, &mut sink),
            Err(error) => Err(error.into()),
        };
        if outcome.is_err() {
            failed.fetch_min(index, Ordering::Relaxed);
        }
        outcome.map(|()| sink)
    };
    std::thread::scope(|scope| {
        let mut segments = segments.into_iter().enumerate();
        let own = if plan.cores.is_none() { segments.next() } else { None };
        let mut threads = Threads::new(scope);
        let mut started = Ok(());
        for (index, segment) in segments {
            let run = &run;
            let body = move || run(index, segment);
            started = started.and_then(|()| threads.start(format!("segment {index}"), body));
        }
        if started.is_err() {
            failed.store(0, Ordering::Relaxed);
        }
        let own = own.map(|(index, segment)| run(index, segment));
        let others = threads.join();
        started?;
        own.into_iter().chain(others).collect()
    })
}

/// A source that ends when a segment before its own has failed.
struct Until<'f, S> {
    source: S,
    index: usize,
    failed: &'f AtomicUsize,
}

impl<J, S: Source<J>> Source<J> for Until<'_, S> {
    type Error = S::Error;

    fn fill(&mut self, job: &mut J) -> Result<bool, S::Error> {
        match self.failed.load(Ordering::Relaxed) < self.index {
            true => Ok(false),
            false => self.source.fill(job),
        }
    }
}
