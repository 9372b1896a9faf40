//! libcrypto's asynchronous jobs: whether one runs, and how it gives way to others.
//!
//! A job is a fibre of libcrypto. `ASYNC_pause_job` goes back to whoever started it, and that
//! program calls again when the job's descriptor is readable. The descriptors of this provider are
//! always readable, so that the program resumes a job at its next turn. Meanwhile it has started
//! and resumed whatever else was ready. Nobody has to signal anything: neither a timer nor a call
//! of the system is needed for a request.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;

use rustix::event::{EventfdFlags, eventfd};

use crate::libcrypto::{WaitContext, functions};
use crate::pipe;

/// Its address tells this provider's descriptors from others in a wait context.
static KEY: u8 = 0;

thread_local! {
    /// The page of a stack on which no job ran when it was asked about.
    static OUTSIDE: Cell<usize> = const { Cell::new(0) };
}

/// Returns the page of the stack on which the caller runs.
#[inline(always)]
fn page() -> usize {
    let here = 0_u8;
    black_box(&raw const here).addr() >> 12
}

/// Returns `true` if it is known that no job runs on this thread: a job has a stack of its own, and
/// on the page of this stack none ran before. If a program frees a stack, and libcrypto gets the
/// memory for a job, that job's work is done at once, instead of beside the work of other jobs.
#[inline(always)]
fn is_surely_outside() -> bool {
    OUTSIDE.get() == page()
}

/// Returns `true` if an asynchronous job runs on this thread.
#[inline]
pub fn runs() -> bool {
    !is_surely_outside() && finds_job()
}

fn finds_job() -> bool {
    // SAFETY: the function has no conditions.
    let finds = !unsafe { (functions().ASYNC_get_current_job)() }.is_null();
    if !finds {
        OUTSIDE.set(page());
    }
    finds
}

/// Returns `true` if an asynchronous job runs on this thread, or a text of a pipeline.
pub fn is_inside() -> bool {
    pipe::is_inside() || runs()
}

/// Returns `true` if a job runs on this thread whose program waits for a descriptor, and not for a
/// callback, or a text of a pipeline.
pub fn can_wait() -> bool {
    if pipe::is_inside() {
        return true;
    }
    if !runs() {
        return false;
    }
    let functions = functions();
    let (mut callback, mut argument) = (ptr::null(), ptr::null_mut());
    // SAFETY: the job and its context are libcrypto's, and the places are ours.
    unsafe {
        let context = (functions.ASYNC_get_wait_ctx)((functions.ASYNC_get_current_job)());
        let has = (functions.ASYNC_WAIT_CTX_get_callback)(context, &mut callback, &mut argument);
        has != 1 || callback.is_null()
    }
}

/// Gives control back to whoever started the job that runs, for one turn of that program; or to the
/// other texts of a pipeline, for a turn of each.
///
/// Where the system has no more descriptors, the job goes on at once.
pub fn give_way() {
    if !pipe::give_way() && has_descriptor() {
        // SAFETY: a job runs. Where it must not pause, the call returns at once.
        unsafe { (functions().ASYNC_pause_job)() };
    }
}

/// Sees that the job that runs has a descriptor in its wait context.
///
/// It is made when a job first pauses: a program may take a descriptor in the wait context for the
/// sign of a pause.
fn has_descriptor() -> bool {
    let functions = functions();
    let key = (&raw const KEY).cast();
    let (mut fd, mut custom) = (-1, ptr::null_mut());
    // SAFETY: a job runs; it and its context are libcrypto's, and the places are ours.
    unsafe {
        let context = (functions.ASYNC_get_wait_ctx)((functions.ASYNC_get_current_job)());
        if (functions.ASYNC_WAIT_CTX_get_fd)(context, key, &mut fd, &mut custom) == 1 {
            return true;
        }
        let Ok(event) = eventfd(1, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC) else {
            return false;
        };
        // Programs keep tables by number: each wait context has a descriptor of its own.
        let fd = event.into_raw_fd();
        let set_fd = functions.ASYNC_WAIT_CTX_set_wait_fd;
        let set = set_fd(context, key, fd, ptr::null_mut(), Some(close));
        if set != 1 {
            close(context, key, fd, ptr::null_mut());
        }
        set == 1
    }
}

/// Closes the descriptor of a wait context that ends.
unsafe extern "C" fn close(_: *mut WaitContext, _: *const c_void, fd: c_int, _: *mut c_void) {
    // SAFETY: the descriptor was made for the wait context, which ends.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
}
