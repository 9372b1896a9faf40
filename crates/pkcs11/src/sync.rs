//! What callers that meet share is built of these, so that loom can try all the ways in which they
//! may meet.

use std::time::Instant;

#[cfg(not(loom))]
pub use std::sync::{Arc, Condvar, Mutex, MutexGuard};

#[cfg(loom)]
pub use loom::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Locks. No code of others runs under these locks, so that no panic leaves a state in between.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The time.
#[cfg(not(loom))]
pub fn now() -> Instant {
    Instant::now()
}

/// The time, which stands still: a model has to go the same way each time.
#[cfg(loom)]
pub fn now() -> Instant {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    *START.get_or_init(Instant::now)
}
