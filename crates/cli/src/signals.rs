//! Signals that end the program: what is half done is removed before they do.

use std::fs;
use std::io;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::target;

/// From now on SIGINT, SIGTERM and SIGHUP remove the [temporary files](target::Target) that there are, and
/// then end the program as they always do. Those that were ignored when it began (as `nohup` has it) still
/// are.
///
/// # Errors
/// If the system does not let it, or gives no thread.
pub fn watch() -> io::Result<()> {
    let ignored = ignored();
    let watched =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(watched)?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            target::remove_pending();
            // It ends the program; where it cannot, the program must not go on with its files gone.
            let _ = emulate_default_handler(signal);
            std::process::abort();
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// The signals that the process ignores, a bit each from SIGHUP, which is 1; none where the system does not
/// tell.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
