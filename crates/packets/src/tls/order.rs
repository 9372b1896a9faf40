//! The order in which records of a stream are read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::PacketError;

/// The reading direction of a stream: which record is delivered next, and whether one was wrong.
#[derive(Debug)]
pub(super) struct ReadOrder {
    /// The number of the record that is delivered next.
    next: AtomicU64,
    ended: AtomicBool,
    /// One more than the number of a record that may be, or is, a key update; 0 if there is none.
    barrier: AtomicU64,
}

impl ReadOrder {
    /// Returns the order of a stream whose next record has the number `next`.
    pub(super) fn new(next: u64) -> Self {
        ReadOrder {
            next: AtomicU64::new(next),
            ended: AtomicBool::new(false),
            barrier: AtomicU64::new(0),
        }
    }

    /// Checks that one more record may be read.
    #[inline]
    pub(super) fn check(&self) -> Result<(), PacketError> {
        if self.ended.load(Ordering::Relaxed) {
            return Err(PacketError::Ended);
        }
        match self.barrier.load(Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(PacketError::Deferred),
        }
    }

    /// Lets no record pass after `number` until it was read.
    #[inline]
    pub(super) fn wait_for(&self, number: u64) {
        self.barrier.store(number + 1, Ordering::Relaxed);
    }

    /// Lets records pass again if they waited for `number`.
    #[inline]
    pub(super) fn pass(&self, number: u64) {
        if self.barrier.load(Ordering::Relaxed) == number + 1 {
            self.barrier.store(0, Ordering::Relaxed);
        }
    }

    /// Delivers record `number`, and goes on to the one after it. The direction ends if this record
    /// is not the next one.
    ///
    /// # Errors
    /// [`PacketError::Ended`].
    #[inline]
    pub(super) fn deliver(&self, number: u64) -> Result<(), PacketError> {
        let is_next = self.next.load(Ordering::Relaxed) == number;
        if self.ended.load(Ordering::Relaxed) || !is_next {
            return Err(self.end(PacketError::Ended));
        }
        self.next.store(number + 1, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the number of the last record that was delivered; `None` if there was none.
    pub(super) fn delivered(&self) -> Option<u64> {
        self.next.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Returns `true` if the last record that was delivered is what others wait for.
    pub(super) fn is_blocked(&self) -> bool {
        let barrier = self.barrier.load(Ordering::Relaxed);
        barrier != 0 && barrier == self.next.load(Ordering::Relaxed)
    }

    /// Ends the direction, and returns the error.
    #[cold]
    pub(super) fn end(&self, error: PacketError) -> PacketError {
        self.ended.store(true, Ordering::Relaxed);
        error
    }
}
