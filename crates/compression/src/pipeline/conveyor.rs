//! The meeting point of a stream's reader, its workers and its writer: a monitor.
//!
//! One lock is held for a moment per chunk. A chunk is about a hundred microseconds of work, so a
//! finer scheme would gain nothing. No foreign code runs under the lock.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::drive::{Belt, Next};
use super::turns::Turns;
use super::{Numbered, ThreadError};

pub(super) struct Conveyor<J, E> {
    state: Mutex<State<J, E>>,
    /// For workers: there is work, or an end of it.
    work: Condvar,
    /// For the reader: there are jobs to fill, or no more are wanted.
    room: Condvar,
    /// For the writer: there are results, or nothing comes any more.
    results: Condvar,
    window: usize,
}

struct State<J, E> {
    idle: Vec<Box<Numbered<J>>>,
    /// Jobs that may still be made.
    to_make: usize,
    /// Filled jobs, in order.
    waiting: VecDeque<Box<Numbered<J>>>,
    filled: u64,
    turns: Turns<J>,
    /// How the input ended.
    end: Option<Result<(), E>>,
    /// Nothing more is to be done, and perhaps why.
    stopped: bool,
    failed: Option<ThreadError>,
}

impl<J, E> Conveyor<J, E> {
    /// A conveyor on which so many jobs go round.
    pub(super) fn new(window: usize) -> Self {
        let state = State {
            idle: Vec::with_capacity(window),
            to_make: window,
            waiting: VecDeque::with_capacity(window),
            filled: 0,
            turns: Turns::new(window),
            end: None,
            stopped: false,
            failed: None,
        };
        Conveyor {
            state: Mutex::new(state),
            work: Condvar::new(),
            room: Condvar::new(),
            results: Condvar::new(),
            window,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J, E>> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// For the reader: a job to fill, made by `make` while there are fewer than the window; `None`
    /// when no more are wanted. A reader that has to wait waits until a quarter of the window is to
    /// be filled, so that threads switch less often.
    pub(super) fn to_fill(&self, make: &(dyn Fn() -> J + Sync)) -> Option<Box<Numbered<J>>> {
        let mut state = self.lock();
        if state.idle.is_empty() && state.to_make == 0 {
            let few = |state: &mut State<J, E>| {
                !state.stopped && state.idle.len() < self.window.div_ceil(4)
            };
            state = self.room.wait_while(state, few).expect("as in lock");
        }
        if state.stopped {
            return None;
        }
        if let Some(job) = state.idle.pop() {
            return Some(job);
        }
        state.to_make -= 1;
        drop(state);
        Some(Box::new(Numbered { number: 0, job: make() }))
    }

    /// For the reader: a job that is filled.
    pub(super) fn fill(&self, mut job: Box<Numbered<J>>) {
        let mut state = self.lock();
        job.number = state.filled;
        state.filled += 1;
        state.waiting.push_back(job);
        drop(state);
        self.work.notify_one();
    }

    /// For the reader: there is no more input, or no more can be read.
    pub(super) fn end(&self, how: Result<(), E>) {
        self.lock().end = Some(how);
        self.work.notify_all();
        self.results.notify_all();
    }

    /// For the writer: the next result in order, once it is complete; the job written before goes
    /// back. `None` when all are written, or when everything was stopped.
    pub(super) fn result(&self, written: Option<Box<Numbered<J>>>) -> Option<Box<Numbered<J>>> {
        let mut state = self.lock();
        if let Some(job) = written {
            state.idle.push(job);
            if state.idle.len() == self.window.div_ceil(4) {
                self.room.notify_one();
            }
        }
        if !state.turns.has_next() {
            let nothing = |state: &mut State<J, E>| {
                !state.stopped && !state.is_written() && !state.turns.has_next()
            };
            state = self.results.wait_while(state, nothing).expect("as in lock");
        }
        match state.stopped {
            true => None,
            false => state.turns.take(),
        }
    }

    /// Stops everybody soon.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.work.notify_all();
        self.room.notify_all();
        self.results.notify_all();
    }

    /// Stops everybody soon, because of a thread.
    pub(super) fn fail(&self, error: ThreadError) {
        self.lock().failed.get_or_insert(error);
        self.stop();
    }

    /// How it went, once everybody has stopped.
    pub(super) fn outcome(self) -> Result<(), E>
    where
        E: From<ThreadError>,
    {
        let state = self.state.into_inner().expect("nothing panics while it holds the lock");
        match (state.failed, state.end) {
            (Some(error), _) => Err(error.into()),
            (None, end) => end.unwrap_or(Ok(())),
        }
    }
}

impl<J, E> State<J, E> {
    /// Whether every chunk there is was written.
    fn is_written(&self) -> bool {
        self.end.is_some() && self.turns.next() == self.filled
    }
}

/// A worker's side. No error is its own: results carry theirs.
impl<J, E> Belt<J> for &Conveyor<J, E> {
    type Error = Infallible;

    fn next(&mut self, may_wait: bool) -> Result<Next<J>, Infallible> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Ok(Next::End);
            }
            if let Some(job) = state.waiting.pop_front() {
                return Ok(Next::Job(job));
            }
            match (&state.end, may_wait) {
                (Some(_), _) => return Ok(Next::End),
                (None, false) => return Ok(Next::Later),
                (None, true) => state = self.work.wait(state).expect("as in lock"),
            }
        }
    }

    /// Wakes the writer when a quarter of the window waits for it, or when there is nothing left to
    /// wait for.
    fn done(&mut self, job: Box<Numbered<J>>) -> Result<(), Infallible> {
        let mut state = self.lock();
        state.turns.put(job);
        let many = state.turns.ready() >= self.window.div_ceil(4);
        if state.turns.has_next() && (many || state.waiting.is_empty()) {
            drop(state);
            self.results.notify_one();
        }
        Ok(())
    }
}
