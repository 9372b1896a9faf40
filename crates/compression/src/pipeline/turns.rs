//! Results that wait for their turn.

use std::collections::VecDeque;

use super::Numbered;

/// Holds results that came before their turn. Its memory does not grow beyond the window.
pub(super) struct Turns<J> {
    /// Whose turn it is.
    next: u64,
    /// The results from `next` on, as far as they have come.
    held: VecDeque<Option<Box<Numbered<J>>>>,
    ready: usize,
}

impl<J> Turns<J> {
    /// Room for a window of so many.
    pub(super) fn new(window: usize) -> Self {
        Turns { next: 0, held: VecDeque::with_capacity(window), ready: 0 }
    }

    /// Takes a result, which comes once.
    pub(super) fn put(&mut self, job: Box<Numbered<J>>) {
        let place = (job.number - self.next) as usize;
        while self.held.len() <= place {
            self.held.push_back(None);
        }
        self.held[place] = Some(job);
        self.ready += 1;
    }

    /// Gives the next result in order, if it is complete.
    pub(super) fn take(&mut self) -> Option<Box<Numbered<J>>> {
        let job = self.held.front_mut()?.take()?;
        self.held.pop_front();
        self.next += 1;
        self.ready -= 1;
        Some(job)
    }

    /// Whose turn it is.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Whether the next result in order is complete.
    pub(super) fn has_next(&self) -> bool {
        matches!(self.held.front(), Some(Some(_)))
    }

    /// How many results are held.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }
}
