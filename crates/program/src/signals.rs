//! Signals that end the program: what is half done is removed before they do.

use std::fs;
use std::io;
use std::thread;

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGPIPE, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::target;

/// The signals that end a program and come from outside: from people, timers and limits.
const ENDING: [i32; 10] =
    [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGXCPU, SIGVTALRM, SIGPROF];

/// From now on every signal that ends the program first removes all [temporary
/// files](target::Target). Signals that were ignored at the start (as under `nohup`) stay ignored.
/// SIGXFSZ does nothing, so that writing beyond the limit of a file's size is an ordinary error.
///
/// # Errors
/// If the system does not let it, or gives no thread.
pub fn watch() -> io::Result<()> {
    watch_and(|| {})
}

/// As [`watch`]; `before` is called before a signal ends the program.
///
/// # Errors
/// As [`watch`].
pub fn watch_and(before: impl Fn() + Send + 'static) -> io::Result<()> {
    let ignored = ignored();
    let watched = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(watched.chain([SIGXFSZ]))?;
    let wait = move || {
        if let Some(signal) = signals.forever().find(|&signal| signal != SIGXFSZ) {
            target::remove_pending();
            before();
            // It ends the program; where it cannot, the program must not go on with its files gone.
            let _ = emulate_default_handler(signal);
            std::process::abort();
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// Ends the program as SIGPIPE ends a program that does not handle the signal: what a shell
/// expects of a writer whose reader has left. Rust's start-up code has the process ignore SIGPIPE,
/// so that the writer sees an error and its temporary files are removed first.
pub fn die_of_broken_pipe() -> ! {
    target::remove_pending();
    let _ = emulate_default_handler(SIGPIPE);
    // The signal is blocked: the exit status is the one by which a shell tells of the signal.
    std::process::exit(128 + SIGPIPE)
}

/// The signals that the process ignores, a bit each from SIGHUP, which is 1; none where the system
/// does not tell.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
