//! What the workers share: the source of requests, and the results put back into its order.

use std::io;

use broadloom_ordered::{Line, Next, Sink, StopInPanic};

use crate::source::{Item, Request, Source};
use crate::task::{Outcome, Task, Turn};

/// How many results may wait for an earlier one before no more is begun. Bounds the memory they
/// take.
const MAX_AHEAD: u64 = 2048;

/// The source and the task, shared by all workers.
pub struct Shared<T: Task> {
    line: Line<Box<dyn Source<T>>, Told<T>, Teller<T>>,
}

/// The task, as the line wants it.
struct Teller<T>(T);

enum Told<T: Task> {
    Outcome(Outcome<T>),
    Notice(T::Notice),
}

impl<T: Task> Sink<Told<T>> for Teller<T> {
    type Error = io::Error;

    fn take(&mut self, told: Told<T>) -> io::Result<()> {
        match told {
            Told::Outcome(outcome) => self.0.outcome(outcome),
            Told::Notice(notice) => self.0.notice(notice),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<T: Task> Shared<T> {
    /// Nothing asked for, nothing told.
    pub fn new(source: Box<dyn Source<T>>, task: T) -> Self {
        Shared { line: Line::new(source, Teller(task), MAX_AHEAD) }
    }

    /// The next request; [`Next::Later`] where too many results wait for an earlier one. A worker
    /// that holds unfinished files must not `wait`: the others may be waiting for those.
    pub fn next(&self, wait: bool) -> Next<Request<T>> {
        loop {
            match self.line.next(wait, |source| source.next()) {
                Next::Item(turn, Item::Hash(request)) => return Next::Item(turn, request),
                Next::Item(turn, Item::Notice(notice)) => {
                    self.line.put([(turn, Told::Notice(notice))]);
                }
                Next::Later => return Next::Later,
                Next::End => return Next::End,
            }
        }
    }

    /// Hands in results, of `bytes` bytes in all.
    pub fn finish(&self, outcomes: impl Iterator<Item = (Turn, Outcome<T>)>, bytes: u64) {
        if bytes > 0 {
            self.advance(bytes);
        }
        self.line.put(outcomes.map(|(turn, outcome)| (turn, Told::Outcome(outcome))));
    }

    /// Waits until everything before `turn` has been told. For workers that hold nothing else.
    pub fn wait_for(&self, turn: Turn) {
        self.line.in_turn(turn, |_| Ok(()));
    }

    /// Tells part of the results of the turn that was waited for; `finish` ends it.
    pub fn tell_part(&self, turn: Turn, outcome: Outcome<T>) {
        self.line.in_turn(turn, |Teller(task)| task.outcome(outcome).and_then(|()| task.flush()));
    }

    /// Counts bytes hashed of a request that has not ended.
    pub fn advance(&self, bytes: u64) {
        self.line.with_sink(|Teller(task)| task.advance(bytes));
    }

    /// Returns `true` if nothing more can be told, so that nothing more need be done.
    pub fn stopped(&self) -> bool {
        self.line.is_stopped()
    }

    /// Ends all workers when the one that has the guard panics.
    pub fn stop_in_panic(&self) -> StopInPanic<'_> {
        self.line.stop_in_panic()
    }

    /// The task, and why not everything could be told.
    pub fn into_task(self) -> (T, Option<io::Error>) {
        let (_, Teller(task), error) = self.line.into_parts();
        (task, error)
    }
}
