//! A window that moves along an input while threads work on it.

use super::conveyor::Conveyor;
use super::drive::drive;
use super::inline::inline;
use super::peeked::Peeked;
use super::threads::{ThreadError, Threads, pin};
use super::{ChunkJob, Plan, Sink, Source};

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
pub(crate) fn stream<'a, J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    source: S,
    sink: &mut K,
) -> Result<(), E>
where
    J: ChunkJob<'a>,
    S: Source<J, Error = E> + Send,
    K: Sink<J, Error = E>,
    E: From<ThreadError> + Send,
{
    let mut source = Peeked::new(source);
    if source.is_for_one(plan, make) {
        return inline(plan, make, &mut source, sink);
    }
    let conveyor = Conveyor::new(plan.threads * plan.window());
    let written = std::thread::scope(|scope| {
        let conveyor = &conveyor;
        // Also where the sink panics.
        let stop = Stop { conveyor, always: true };
        let mut threads = Threads::new(scope);
        let mut started = threads.start("reader".to_owned(), || read(conveyor, make, source));
        for index in 0..plan.threads {
            let worker = move || work::<J, E>(conveyor, plan, index);
            started = started.and_then(|()| threads.start(format!("worker {index}"), worker));
        }
        if let Err(error) = started {
            conveyor.fail(error);
        }
        let written = write(conveyor, sink);
        drop(stop);
        threads.join();
        written
    });
    written.and(conveyor.outcome())
}

/// The writer's loop.
fn write<J, E, K: Sink<J, Error = E>>(conveyor: &Conveyor<J, E>, sink: &mut K) -> Result<(), E> {
    let mut written = None;
    while let Some(mut job) = conveyor.result(written.take()) {
        sink.take(&mut job.job)?;
        written = Some(job);
    }
    Ok(())
}

/// A worker's loop.
fn work<'a, J: ChunkJob<'a>, E>(conveyor: &Conveyor<J, E>, plan: &Plan<'_>, index: usize) {
    let _stop = Stop { conveyor, always: false };
    match pin(plan.cores, index) {
        Ok(()) => drive(plan, &mut &*conveyor).unwrap_or_else(|never| match never {}),
        Err(error) => conveyor.fail(error),
    }
}

/// The reader's loop.
fn read<J, S, E>(conveyor: &Conveyor<J, E>, make: &(dyn Fn() -> J + Sync), mut source: S)
where
    S: Source<J, Error = E>,
{
    let _stop = Stop { conveyor, always: false };
    while let Some(mut job) = conveyor.to_fill(make) {
        match source.fill(&mut job.job) {
            Ok(true) => conveyor.fill(job),
            Ok(false) => return conveyor.end(Ok(())),
            Err(error) => return conveyor.end(Err(error)),
        }
    }
}

/// Stops everybody when it goes out of scope: always, or in a panic.
struct Stop<'c, J, E> {
    conveyor: &'c Conveyor<J, E>,
    always: bool,
}

impl<J, E> Drop for Stop<'_, J, E> {
    fn drop(&mut self) {
        if self.always || std::thread::panicking() {
            self.conveyor.stop();
        }
    }
}
