//! libcrypto's asynchronous jobs: whether one runs, and how it waits.
//!
//! A job is a fibre of libcrypto. `ASYNC_pause_job` goes back to whoever started it, and that
//! program calls again when the job's descriptor is readable. The descriptor is a timer, one for
//! each wait context. It is set when a request begins to wait, and becomes readable after the
//! longest wait. A request that is complete earlier sets its timer to now. So no thread is needed
//! to wake up a program that sleeps.

use std::ffi::{c_int, c_void};
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::libcrypto::{WaitContext, functions};

/// Its address tells this provider's descriptors from others in a wait context.
static KEY: u8 = 0;

/// The timer of the job that runs on this thread.
#[derive(Debug, Clone, Copy)]
pub struct Timer(RawFd);

/// Whether an asynchronous job runs on this thread.
pub fn is_inside() -> bool {
    // SAFETY: the function has no conditions.
    !unsafe { (functions().ASYNC_get_current_job)() }.is_null()
}

/// Whether a job runs on this thread whose program waits for a descriptor, and not for a callback.
pub fn can_wait() -> bool {
    let functions = functions();
    let (mut callback, mut argument) = (ptr::null(), ptr::null_mut());
    // SAFETY: the job and its context are libcrypto's, and the places are ours.
    unsafe {
        let job = (functions.ASYNC_get_current_job)();
        if job.is_null() {
            return false;
        }
        let context = (functions.ASYNC_get_wait_ctx)(job);
        let has = (functions.ASYNC_WAIT_CTX_get_callback)(context, &mut callback, &mut argument);
        has != 1 || callback.is_null()
    }
}

impl Timer {
    /// The timer of the job that runs on this thread; `None` where the system has no more
    /// descriptors.
    ///
    /// It is made when a job first pauses: a program may take a descriptor in the wait context for
    /// the sign of a pause.
    pub fn of_current_job() -> Option<Timer> {
        let functions = functions();
        let key = (&raw const KEY).cast();
        let (mut fd, mut custom) = (-1, ptr::null_mut());
        // SAFETY: a job runs; it and its context are libcrypto's, and the places are ours.
        unsafe {
            let context = (functions.ASYNC_get_wait_ctx)((functions.ASYNC_get_current_job)());
            if (functions.ASYNC_WAIT_CTX_get_fd)(context, key, &mut fd, &mut custom) == 1 {
                return Some(Timer(fd));
            }
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags).ok()?.into_raw_fd();
            let set = (functions.ASYNC_WAIT_CTX_set_wait_fd)(
                context,
                key,
                timer,
                ptr::null_mut(),
                Some(close),
            );
            if set != 1 {
                close(context, key, timer, ptr::null_mut());
                return None;
            }
            Some(Timer(timer))
        }
    }

    /// Makes the descriptor readable once so much time has passed, and unreadable until then.
    pub fn set(self, wait: Duration) {
        // A value of zero would stop the timer.
        self.program(wait.max(Duration::from_nanos(1)));
    }

    /// Makes the descriptor unreadable.
    pub fn stop(self) {
        self.program(Duration::ZERO);
    }

    fn program(self, wait: Duration) {
        let it_value = Timespec {
            tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: wait.subsec_nanos().into(),
        };
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the descriptor is open as long as its wait context; a job that is abandoned may
        // have closed it, and the system then refuses.
        let fd = unsafe { BorrowedFd::borrow_raw(self.0) };
        let value = Itimerspec { it_interval, it_value };
        // An error leaves the timer as it was: at its first setting, and the job is resumed then.
        let _ = timerfd_settime(fd, TimerfdTimerFlags::empty(), &value);
    }
}

/// Gives control back to whoever started the job that runs.
pub fn pause() {
    // SAFETY: a job runs. Where it must not pause, the call returns at once.
    unsafe { (functions().ASYNC_pause_job)() };
}

/// Closes the timer of a wait context that ends.
unsafe extern "C" fn close(_: *mut WaitContext, _: *const c_void, fd: c_int, _: *mut c_void) {
    // SAFETY: the descriptor was made for the wait context, which ends.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
}
