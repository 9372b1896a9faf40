//! Signals during a call without the GIL: Ctrl-C stops it between two pieces of work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often a call looks whether a signal came.
pub const INTERVAL: Duration = Duration::from_millis(50);

/// Whether a call on several threads is to stop, and why.
#[derive(Default)]
pub struct Stop {
    is_set: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Stop {
    /// Returns `true` if the call is to stop. `watch` is that of the thread that called, which
    /// looks for signals.
    pub fn is_due(&self, watch: Option<&mut Watch>) -> bool {
        if let Some(watch) = watch
            && let Err(error) = watch.look()
        {
            *self.error.lock().expect("storing does not panic") = Some(error);
            self.is_set.store(true, Ordering::Relaxed);
        }
        self.is_set.load(Ordering::Relaxed)
    }

    /// What the call gives.
    ///
    /// # Errors
    /// That of a signal's handler.
    pub fn end(self) -> PyResult<()> {
        self.error.into_inner().expect("storing does not panic").map_or(Ok(()), Err)
    }
}

/// The thread that called, and when it last looked for signals.
pub struct Watch {
    is_main: bool,
    last: Instant,
}

impl Watch {
    /// The calling thread, from now on.
    pub fn new() -> Watch {
        Watch { is_main: is_main_thread(), last: Instant::now() }
    }

    /// Looks for signals, if it is time to.
    ///
    /// # Errors
    /// That of a signal's handler: `KeyboardInterrupt`.
    fn look(&mut self) -> PyResult<()> {
        // Handlers run on the main thread alone. Another one could wait here for the GIL at the end
        // of the interpreter, which does not come back then.
        if !self.is_main || self.last.elapsed() < INTERVAL {
            return Ok(());
        }
        let seen = Python::attach(|py| py.check_signals());
        self.last = Instant::now();
        seen
    }
}

/// Returns `true` on the thread that has Python's signal handlers run.
#[cfg(target_os = "linux")]
pub fn is_main_thread() -> bool {
    // SAFETY: the call reads the number of this thread, and has no conditions.
    let thread = unsafe { libc::gettid() };
    u32::try_from(thread) == Ok(std::process::id())
}

/// Returns `false`: which thread is the main one is not known here, so that no call is stopped.
#[cfg(not(target_os = "linux"))]
pub fn is_main_thread() -> bool {
    false
}
