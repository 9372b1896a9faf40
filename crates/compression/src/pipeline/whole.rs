//! Input and output in memory: every thread reads, works and writes.

use broadloom_ordered::{Line, Next, Threads};

use super::drive::{Boxed, Side};
use super::peeked::Peeked;
use super::pool::Pool;
use super::threads::{ThreadError, pin, start};
use super::{ChunkSink, ChunkSource, ChunkWork, Plan};

/// Takes all chunks of a source to a sink, in order: each to whichever thread is free, the calling
/// thread among them unless threads are pinned. So neither may have to wait for anything.
///
/// A result is written by the thread that completes it, from a cache that it is still in, unless it
/// is not its turn, or another thread is writing: then by that one.
///
/// # Errors
/// The error of the source or of the sink, after everything before it in the input was written; or
/// the error of a thread.
///
/// # Panics
/// If a provider panics.
pub(crate) fn whole<J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    source: S,
    sink: &mut K,
) -> Result<(), E>
where
    J: ChunkWork,
    S: ChunkSource<J, Error = E> + Send,
    K: ChunkSink<J, Error = E> + Send,
    E: From<ThreadError> + Send,
{
    let mut source = Peeked::new(source);
    if source.is_for_one(plan, make) {
        return alone(plan, make, source, sink);
    }
    let pool = Pool::new(make, plan.jobs());
    let line = line(plan, &pool, source, sink);
    std::thread::scope(|scope| {
        let (line, pool) = (&line, &pool);
        let mut threads = Threads::new(scope);
        let callers = usize::from(plan.cores.is_none());
        for index in callers..plan.threads {
            let body = move || work(line, pool, plan, index);
            if let Err(error) = start(&mut threads, format!("worker {index}"), body) {
                line.fail(error.into());
            }
        }
        if callers > 0 {
            work(line, pool, plan, 0);
        }
        threads.join();
    });
    outcome(line)
}

/// Takes all chunks of a source to a sink, on the calling thread.
pub(super) fn alone<J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    source: S,
    sink: &mut K,
) -> Result<(), E>
where
    J: ChunkWork,
    S: ChunkSource<J, Error = E>,
    K: ChunkSink<J, Error = E>,
{
    let pool = Pool::new(make, plan.window());
    let line = line(&Plan { threads: 1, ..*plan }, &pool, source, sink);
    J::drive(plan, &mut (&line, &pool));
    outcome(line)
}

/// What threads share.
type ChunkLine<'l, J, S, K, E> = Line<Chunks<S, E>, Boxed<J>, Written<'l, J, K>>;

/// Chunks that any thread reads and writes, as many at a time as the plan has jobs.
fn line<'l, J, S, K, E>(
    plan: &Plan<'_>,
    pool: &'l Pool<'l, J>,
    source: S,
    sink: &'l mut K,
) -> ChunkLine<'l, J, S, K, E>
where
    K: ChunkSink<J, Error = E>,
{
    Line::new(Chunks { source, error: None }, Written { sink, pool }, plan.jobs() as u64)
}

/// A thread's part.
fn work<J, S, K, E>(
    line: &ChunkLine<'_, J, S, K, E>,
    pool: &Pool<'_, J>,
    plan: &Plan<'_>,
    index: usize,
) where
    J: ChunkWork,
    S: ChunkSource<J, Error = E>,
    K: ChunkSink<J, Error = E>,
    E: From<ThreadError>,
{
    let _guard = line.stop_in_panic();
    match pin(plan.cores, index) {
        Ok(()) => J::drive(plan, &mut (line, pool)),
        Err(error) => line.fail(error.into()),
    }
}

/// Returns the outcome after all threads have ended. An error of the source comes behind all
/// results.
fn outcome<J, S, K, E>(line: ChunkLine<'_, J, S, K, E>) -> Result<(), E>
where
    K: ChunkSink<J, Error = E>,
{
    let (chunks, _, error) = line.into_parts();
    error.or(chunks.error).map_or(Ok(()), Err)
}

/// A source, and the error with which it ended.
struct Chunks<S, E> {
    source: S,
    error: Option<E>,
}

impl<S, E> Chunks<S, E> {
    fn next<J>(&mut self, pool: &Pool<'_, J>) -> Option<Boxed<J>>
    where
        S: ChunkSource<J, Error = E>,
    {
        let mut job = pool.take();
        match self.source.fill(&mut job.job) {
            Ok(true) => return Some(job),
            Ok(false) => {}
            Err(error) => self.error = Some(error),
        }
        None
    }
}

/// A sink whose jobs go back to their pool.
struct Written<'l, J, K> {
    sink: &'l mut K,
    pool: &'l Pool<'l, J>,
}

impl<J, K: ChunkSink<J>> broadloom_ordered::Sink<Boxed<J>> for Written<'_, J, K> {
    type Error = K::Error;

    fn take(&mut self, mut job: Boxed<J>) -> Result<(), K::Error> {
        self.sink.take(&mut job.job)?;
        self.pool.put(job);
        Ok(())
    }
}

impl<J, S, K, E> Side<J> for (&ChunkLine<'_, J, S, K, E>, &Pool<'_, J>)
where
    S: ChunkSource<J, Error = E>,
    K: ChunkSink<J, Error = E>,
{
    fn next(&mut self, may_wait: bool) -> Next<Boxed<J>> {
        let (line, pool) = self;
        line.next(may_wait, |chunks| chunks.next(pool))
    }

    fn done(&mut self, job: Boxed<J>) {
        self.0.put([(job.turn, job)]);
    }
}
