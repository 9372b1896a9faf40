//! Results that wait for their turn.

use std::collections::VecDeque;

use crate::Turn;

/// Holds results that came before their turn.
pub(crate) struct Held<R> {
    /// Whose turn it is.
    next: u64,
    /// The results from `next` on, as far as they have come.
    results: VecDeque<Option<R>>,
    ready: u64,
}

impl<R> Held<R> {
    pub(crate) fn new() -> Self {
        Held { next: 0, results: VecDeque::new(), ready: 0 }
    }

    /// Takes a result, which comes once.
    pub(crate) fn put(&mut self, Turn(number): Turn, result: R) {
        let place = (number - self.next) as usize;
        if self.results.len() <= place {
            self.results.resize_with(place + 1, || None);
        }
        let before = self.results[place].replace(result);
        debug_assert!(before.is_none(), "item {number} has two results");
        self.ready += 1;
    }

    /// Gives the next result in order, if it has come.
    pub(crate) fn take(&mut self) -> Option<R> {
        let result = self.results.front_mut()?.take()?;
        self.results.pop_front();
        self.next += 1;
        self.ready -= 1;
        Some(result)
    }

    /// Returns the number of results that were taken.
    pub(crate) fn taken(&self) -> u64 {
        self.next
    }

    /// Returns `true` if the next result in order has come.
    pub(crate) fn has_next(&self) -> bool {
        matches!(self.results.front(), Some(Some(_)))
    }

    /// Returns the number of results that have come and were not taken.
    pub(crate) fn ready(&self) -> u64 {
        self.ready
    }
}
