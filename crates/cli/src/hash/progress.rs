//! The progress bar of a long run on a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A run shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two drawings.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error, if that is a terminal and once the run has lasted a while.
pub struct Progress {
    /// Nothing is ever shown.
    off: bool,
    /// Bytes in all, if that is known.
    total: Option<u64>,
    started: Instant,
    done: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing shown yet. `total` tells how many bytes there will be, if that is known; it is asked
    /// only where a bar may be shown.
    pub fn new(total: impl FnOnce() -> Option<u64>) -> Self {
        let off = !io::stderr().is_terminal();
        let total = if off { None } else { total() };
        Progress { off, total, started: Instant::now(), done: 0, bar: None }
    }

    /// Counts bytes hashed.
    pub fn advance(&mut self, bytes: u64) {
        if self.off {
            return;
        }
        self.done += bytes;
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            self.bar = Some(new_bar(self.total));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    /// Takes the bar off the terminal for as long as something else is written there.
    pub fn hidden<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{bar:30} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "{spinner} {binary_bytes}, {binary_bytes_per_sec}"),
    };
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
    bar.enable_steady_tick(TICK);
    bar
}
