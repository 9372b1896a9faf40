//! A window that moves along an input while threads work on it.

use broadloom_ordered::{Belt, Threads};

use super::drive::Boxed;
use super::peeked::Peeked;
use super::pool::Pool;
use super::threads::{ThreadError, pin, start};
use super::whole::alone;
use super::{ChunkSink, ChunkSource, ChunkWork, Plan};

/// Takes all chunks of a source to a sink, in order.
///
/// One thread does all on the calling thread, where it needs not be pinned, and so does any number
/// where there is no second chunk. Else the source is read by a thread of its own, the chunks go to
/// whichever worker is free, and the calling thread has the sink.
///
/// # Errors
/// The error of the source or of the sink, after everything before it in the input was written; or
/// the error of a thread. After an error of the sink, all threads have stopped once the source's
/// call in progress returned.
///
/// # Panics
/// If a provider panics.
pub(crate) fn stream<J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    source: S,
    sink: &mut K,
) -> Result<(), E>
where
    J: ChunkWork,
    S: ChunkSource<J, Error = E> + Send,
    K: ChunkSink<J, Error = E>,
    E: From<ThreadError> + Send,
{
    let mut source = Peeked::new(source);
    if source.is_for_one(plan, make) {
        return alone(plan, make, source, sink);
    }
    let window = plan.jobs();
    let pool = Pool::new(make, window);
    // Threads switch less often where they wait for a quarter of the window.
    let belt = Belt::new(window as u64, window.div_ceil(4) as u64);
    std::thread::scope(|scope| {
        let (belt, pool) = (&belt, &pool);
        let _guard = belt.stop_in_panic();
        let mut threads = Threads::new(scope);
        let reader = move || read(belt, pool, source);
        let mut started = start(&mut threads, "reader".to_owned(), reader);
        for index in 0..plan.threads {
            let worker = move || work(belt, plan, index).map_err(E::from);
            let name = format!("worker {index}");
            started = started.and_then(|()| start(&mut threads, name, worker));
        }
        if started.is_err() {
            belt.stop();
        }
        let written = write(belt, pool, sink);
        belt.stop();
        let ended = threads.join();
        written?;
        started?;
        // The first is the reader, whose error comes behind all others.
        ended.into_iter().rev().collect()
    })
}

/// The writer's loop.
fn write<J, K: ChunkSink<J>>(
    belt: &Belt<Boxed<J>, Boxed<J>>,
    pool: &Pool<'_, J>,
    sink: &mut K,
) -> Result<(), K::Error> {
    while let Some(mut job) = belt.result(true) {
        sink.take(&mut job.job)?;
        pool.put(job);
    }
    Ok(())
}

/// A worker's loop.
fn work<J: ChunkWork>(
    mut belt: &Belt<Boxed<J>, Boxed<J>>,
    plan: &Plan<'_>,
    index: usize,
) -> Result<(), ThreadError> {
    let _guard = belt.stop_in_panic();
    match pin(plan.cores, index) {
        Ok(()) => J::drive(plan, &mut belt),
        Err(error) => {
            belt.stop();
            return Err(error);
        }
    }
    Ok(())
}

/// The reader's loop.
fn read<J, S: ChunkSource<J>>(
    belt: &Belt<Boxed<J>, Boxed<J>>,
    pool: &Pool<'_, J>,
    mut source: S,
) -> Result<(), S::Error> {
    let _guard = belt.stop_in_panic();
    while belt.wait_for_room() {
        let mut job = pool.take();
        match source.fill(&mut job.job) {
            Ok(true) => belt.give(job),
            ended => {
                belt.end();
                return ended.map(drop);
            }
        }
    }
    Ok(())
}
