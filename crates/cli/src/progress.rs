//! The progress bar of a long run on a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A run shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two drawings.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error, if that is a terminal and once the run has lasted a while.
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    patience: Duration,
    shown: bool,
}

impl Progress {
    /// Nothing shown yet. `total` tells how many bytes there will be, if that is known; it is asked
    /// only where a bar may be shown.
    pub fn new(total: impl FnOnce() -> Option<u64>) -> Self {
        let bar = io::stderr().is_terminal().then(|| hidden_bar(total()));
        Progress { bar, started: Instant::now(), patience: PATIENCE, shown: false }
    }

    /// One that shows nothing, ever.
    pub fn none() -> Self {
        Progress { bar: None, started: Instant::now(), patience: PATIENCE, shown: false }
    }

    /// The same, shown from the first bytes on.
    pub fn at_once(mut self) -> Self {
        self.patience = Duration::ZERO;
        self
    }

    /// Counts bytes that are done.
    pub fn advance(&mut self, bytes: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc(bytes);
        if !self.shown && self.started.elapsed() >= self.patience {
            self.shown = true;
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    }

    /// Takes the bar off the terminal for as long as something else is written there.
    pub fn hidden<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) if self.shown => bar.suspend(write),
            _ => write(),
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

fn hidden_bar(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{bar:30} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left",
        None => "{spinner} {binary_bytes}, {binary_bytes_per_sec}",
    };
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()).with_style(style)
}
