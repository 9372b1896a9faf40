//! Which standard streams were closed when the program started.
//!
//! Before `main` runs, Rust's start-up code opens `/dev/null` in the place of every closed stream.
//! A later look cannot tell that `/dev/null` from one that the caller passed on: Python and
//! Node.js, for instance, open theirs for reading and writing as well. So a constructor looks
//! first.

use std::sync::atomic::{AtomicU8, Ordering};

use rustix::io::fcntl_getfd;
use rustix::stdio::{stderr, stdin, stdout};

/// A bit for each closed stream: 0 for standard input, 1 for standard output, 2 for standard error.
static CLOSED: AtomicU8 = AtomicU8::new(0);

// SAFETY: the linker places an array of pointers to `extern "C"` functions without arguments in
// this section, and the C library calls each of them once, before `main`. `note_closed` needs
// nothing of Rust's run time: it makes system calls and stores to an atomic integer.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static NOTE_CLOSED: extern "C" fn() = note_closed;

extern "C" fn note_closed() {
    for (bit, stream) in [stdin(), stdout(), stderr()].into_iter().enumerate() {
        if fcntl_getfd(stream).is_err() {
            CLOSED.fetch_or(1 << bit, Ordering::Relaxed);
        }
    }
}

/// Returns `true` if standard input was closed.
pub fn stdin_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed) & 1 != 0
}

/// Returns `true` if standard output was closed.
pub fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed) & 2 != 0
}
