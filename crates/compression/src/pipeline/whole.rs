//! Input and output in memory: every thread reads, works and writes.

use std::convert::Infallible;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::drive::{Belt, Next, drive};
use super::inline::inline;
use super::peeked::Peeked;
use super::threads::{ThreadError, Threads, pin};
use super::turns::Turns;
use super::{ChunkJob, Numbered, Plan, Sink, Source};

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
pub(crate) fn whole<'a, J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    source: S,
    sink: &mut K,
) -> Result<(), E>
where
    J: ChunkJob<'a>,
    S: Source<J, Error = E> + Send,
    K: Sink<J, Error = E> + Send,
    E: From<ThreadError> + Send,
{
    let mut source = Peeked::new(source);
    if source.is_for_one(plan, make) {
        return inline(plan, make, &mut source, sink);
    }
    let table = Table::new(make, source, sink, plan.jobs());
    std::thread::scope(|scope| {
        let table = &table;
        let mut threads = Threads::new(scope);
        let callers = usize::from(plan.cores.is_none());
        for index in callers..plan.threads {
            if let Err(error) =
                threads.start(format!("worker {index}"), move || work(table, plan, index))
            {
                table.fail(error.into());
            }
        }
        if callers > 0 {
            work(table, plan, 0);
        }
        threads.join();
    });
    table.outcome()
}

/// A thread's part.
fn work<'a, J, S, K, E>(table: &Table<'_, J, S, K, E>, plan: &Plan<'_>, index: usize)
where
    J: ChunkJob<'a>,
    S: Source<J, Error = E>,
    K: Sink<J, Error = E>,
    E: From<ThreadError>,
{
    let _stop = StopInPanic(table);
    match pin(plan.cores, index) {
        Ok(()) => drive(plan, &mut &*table).unwrap_or_else(|never| match never {}),
        Err(error) => table.fail(error.into()),
    }
}

/// The state that the threads share. No foreign code runs under its lock. A panic in a source or a
/// sink poisons the lock, which ends all threads.
struct Table<'t, J, S, K, E> {
    make: &'t (dyn Fn() -> J + Sync),
    source: Mutex<Chunks<S, E>>,
    /// For the one thread that [writes](State::is_writing).
    sink: Mutex<&'t mut K>,
    state: Mutex<State<J, E>>,
    /// There are jobs to fill, or no more are wanted.
    room: Condvar,
}

struct Chunks<S, E> {
    source: S,
    filled: u64,
    /// How the source ended.
    end: Option<Result<(), E>>,
}

struct State<J, E> {
    idle: Vec<Box<Numbered<J>>>,
    /// Jobs that may still be made.
    to_make: usize,
    turns: Turns<J>,
    /// A thread is writing result after result, as long as the next one is complete.
    is_writing: bool,
    /// Nothing more is to be done, and perhaps why.
    stopped: bool,
    failed: Option<E>,
}

impl<'t, J, S, K, E> Table<'t, J, S, K, E> {
    fn new(make: &'t (dyn Fn() -> J + Sync), source: S, sink: &'t mut K, window: usize) -> Self {
        Table {
            make,
            source: Mutex::new(Chunks { source, filled: 0, end: None }),
            sink: Mutex::new(sink),
            state: Mutex::new(State {
                idle: Vec::with_capacity(window),
                to_make: window,
                turns: Turns::new(window),
                is_writing: false,
                stopped: false,
                failed: None,
            }),
            room: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J, E>> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// A job that is to be filled; an end once everything was stopped.
    fn empty(&self, may_wait: bool) -> Next<J> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Next::End;
            }
            // The one used last: its buffers are in a near cache.
            if let Some(job) = state.idle.pop() {
                return Next::Job(job);
            }
            if state.to_make > 0 {
                state.to_make -= 1;
                drop(state);
                return Next::Job(Box::new(Numbered { number: 0, job: (self.make)() }));
            }
            if !may_wait {
                return Next::Later;
            }
            state = self.room.wait(state).expect("as in lock");
        }
    }

    fn put_back(&self, state: &mut State<J, E>, job: Box<Numbered<J>>) {
        state.idle.push(job);
        self.room.notify_one();
    }

    /// Stops everybody soon.
    fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
    }

    /// Stops everybody soon, and says why, unless something else was first.
    fn fail(&self, error: E) {
        self.lock().failed.get_or_insert(error);
        self.stop();
    }

    /// How it went, once everybody has stopped.
    fn outcome(self) -> Result<(), E> {
        let state = self.state.into_inner().expect("nothing panics while it holds the lock");
        let chunks = self.source.into_inner().expect("its panic would have gone on");
        match state.failed {
            Some(error) => Err(error),
            None => chunks.end.unwrap_or(Ok(())),
        }
    }
}

/// A thread's side. No error ends its loop by itself: those in flight come before it.
impl<J, S, K, E> Belt<J> for &Table<'_, J, S, K, E>
where
    S: Source<J, Error = E>,
    K: Sink<J, Error = E>,
{
    type Error = Infallible;

    fn next(&mut self, may_wait: bool) -> Result<Next<J>, Infallible> {
        let mut job = match self.empty(may_wait) {
            Next::Job(job) => job,
            other => return Ok(other),
        };
        let Ok(mut chunks) = self.source.lock() else { return Ok(Next::End) };
        if chunks.end.is_none() {
            match chunks.source.fill(&mut job.job) {
                Ok(true) => {
                    job.number = chunks.filled;
                    chunks.filled += 1;
                    return Ok(Next::Job(job));
                }
                Ok(false) => chunks.end = Some(Ok(())),
                Err(error) => chunks.end = Some(Err(error)),
            }
        }
        drop(chunks);
        // A thread that waits for a job has to find the end, too.
        self.put_back(&mut self.lock(), job);
        Ok(Next::End)
    }

    fn done(&mut self, job: Box<Numbered<J>>) -> Result<(), Infallible> {
        let mut state = self.lock();
        state.turns.put(job);
        if state.is_writing {
            return Ok(());
        }
        state.is_writing = true;
        while let Some(mut job) = if state.stopped { None } else { state.turns.take() } {
            drop(state);
            let Ok(mut sink) = self.sink.lock() else { return Ok(()) };
            let written = sink.take(&mut job.job);
            drop(sink);
            if let Err(error) = written {
                self.fail(error);
            }
            state = self.lock();
            self.put_back(&mut state, job);
        }
        state.is_writing = false;
        Ok(())
    }
}

/// Stops everybody when its thread panics.
struct StopInPanic<'t, 'm, J, S, K, E>(&'t Table<'m, J, S, K, E>);

impl<J, S, K, E> Drop for StopInPanic<'_, '_, J, S, K, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
