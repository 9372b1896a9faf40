//! A source whose first chunks were read ahead, to decide whether threads are worth their cost.

use std::collections::VecDeque;

use super::{ChunkSource, Plan};

/// A source with some jobs filled ahead.
pub(super) struct Peeked<S, J, E> {
    first: VecDeque<J>,
    /// How it ended, where that has come up.
    end: Option<Result<(), E>>,
    source: S,
}

impl<J, E, S: ChunkSource<J, Error = E>> Peeked<S, J, E> {
    pub(super) fn new(source: S) -> Self {
        Peeked { first: VecDeque::with_capacity(2), end: None, source }
    }

    /// Returns `true` if the calling thread may as well do everything: there is to be no other, or
    /// no second chunk; and it needs not be pinned.
    pub(super) fn is_for_one(&mut self, plan: &Plan<'_>, make: &(dyn Fn() -> J + Sync)) -> bool {
        plan.cores.is_none() && !(plan.threads > 1 && self.has_two(make))
    }

    /// Returns `true` if there is a second chunk, or there may be one that is long in coming.
    fn has_two(&mut self, make: &(dyn Fn() -> J + Sync)) -> bool {
        self.peek(make) && (self.source.may_wait() || self.peek(make))
    }

    /// Fills a job ahead; `false` if there is nothing to fill it with.
    fn peek(&mut self, make: &(dyn Fn() -> J + Sync)) -> bool {
        let mut job = make();
        match self.source.fill(&mut job) {
            Ok(true) => {
                self.first.push_back(job);
                return true;
            }
            Ok(false) => self.end = Some(Ok(())),
            Err(error) => self.end = Some(Err(error)),
        }
        false
    }
}

impl<J, E, S: ChunkSource<J, Error = E>> ChunkSource<J> for Peeked<S, J, E> {
    type Error = E;

    fn fill(&mut self, job: &mut J) -> Result<bool, E> {
        if let Some(first) = self.first.pop_front() {
            *job = first;
            return Ok(true);
        }
        match self.end.take() {
            Some(end) => end.map(|()| false),
            None => self.source.fill(job),
        }
    }
}
