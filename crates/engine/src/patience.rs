//! A lock that is not waited for without end.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

/// How often a lock is asked for before it is given up.
const ATTEMPTS: usize = 1000;

/// So many of the attempts follow each other at once. Between the others is a [`PAUSE`], in which
/// a thread that holds the lock and had to leave its core comes back to it.
const AT_ONCE: usize = 200;
const PAUSE: Duration = Duration::from_micros(100);

/// Locks, if the lock becomes free soon.
///
/// The locks that are taken this way are held for less than a microsecond. If a process forks while
/// one of its threads holds a lock, the lock is never released in the child. The child must not
/// wait for it, and does without what the lock guards.
pub(crate) fn lock_soon<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for attempt in 0..ATTEMPTS {
        if let Some(guard) = lock_now(mutex) {
            return Some(guard);
        }
        match attempt < AT_ONCE {
            true => thread::yield_now(),
            false => thread::sleep(PAUSE),
        }
    }
    None
}

/// Locks, if the lock is free.
pub(crate) fn lock_now<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_stays_taken_is_given_up() {
        let mutex = Mutex::new(7);
        let guard = lock_soon(&mutex).expect("it is free");
        assert!(lock_now(&mutex).is_none());
        assert!(lock_soon(&mutex).is_none());
        drop(guard);
        assert_eq!(lock_soon(&mutex).map(|guard| *guard), Some(7));
    }
}
