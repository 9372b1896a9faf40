//! The progress bar of a long run on a terminal.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{
    BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};

/// A run shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time between two drawings.
const TICK: Duration = Duration::from_millis(200);
/// Columns of the shortest bar that is worth a text beside it.
const LEAST_BAR: usize = 8;

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

    /// A display that never shows anything.
    pub fn none() -> Self {
        Progress { bar: None, started: Instant::now(), patience: PATIENCE, shown: false }
    }

    /// The same, shown from the first bytes on.
    pub fn at_once(mut self) -> Self {
        self.patience = Duration::ZERO;
        self
    }

    /// Tells how many bytes there will be, once that is known.
    pub fn set_total(&self, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_style(style(true));
        }
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

/// A bar on standard error that says which step of how many is at work, if that is a terminal. It
/// is there from the first step on, and is gone when this is dropped.
pub struct Steps {
    bar: Option<ProgressBar>,
}

impl Steps {
    /// Returns steps of which none is shown yet.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:20} {pos} of {len} done, now {wide_msg}")
            .expect("the template is well formed");
        let bar = || {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            bar.with_style(style)
        };
        Steps { bar: io::stderr().is_terminal().then(bar) }
    }

    /// Shows that a step begins, after `done` others of `total`.
    pub fn show(&mut self, done: usize, total: usize, what: &str) {
        let Some(bar) = &self.bar else { return };
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(what.to_owned());
        bar.tick();
    }

    /// Returns a writer that takes the bar off the terminal while it writes to `out`.
    pub fn above<W: Write>(&self, out: W) -> Above<W> {
        Above { bar: self.bar.clone(), out }
    }
}

/// A writer that takes a bar off the terminal while it writes.
pub struct Above<W> {
    bar: Option<ProgressBar>,
    out: W,
}

impl<W: Write> Above<W> {
    fn hidden<T>(&mut self, write: impl FnOnce(&mut W) -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(|| write(&mut self.out)),
            None => write(&mut self.out),
        }
    }
}

impl<W: Write> Write for Above<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hidden(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hidden(Write::flush)
    }
}

impl Default for Steps {
    fn default() -> Self {
        Steps::new()
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn hidden_bar(total: Option<u64>) -> ProgressBar {
    let style = style(total.is_some());
    ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()).with_style(style)
}

/// A bar where the total is known.
fn style(total: bool) -> ProgressStyle {
    let template = if total { "{wide_bar} {status}" } else { "{spinner} {status}" };
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    style.with_key("status", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let columns = usize::from(Term::stderr().size().1);
        let rate = state.per_sec() as u64;
        let status = status(columns, state.pos(), state.len(), rate, state.eta());
        // A bar without its text is no reason to end the run.
        let _ = out.write_str(&status);
    })
}

/// As much as can be said beside the bar on a line of so many columns.
fn status(columns: usize, done: u64, total: Option<u64>, rate: u64, left: Duration) -> String {
    let (done_bytes, rate) = (BinaryBytes(done), BinaryBytes(rate));
    let (texts, beside) = match total {
        Some(total) => {
            let percent = u128::from(done) * 100 / u128::from(total.max(1));
            let (total, left) = (BinaryBytes(total), HumanDuration(left));
            let texts = vec![
                format!("{done_bytes} of {total}, {rate}/s, {left:#} left"),
                format!("{done_bytes} of {total}, {left:#} left"),
                format!("{percent}%, {left:#} left"),
                format!("{percent}%"),
            ];
            (texts, LEAST_BAR + " ".len())
        }
        None => (vec![format!("{done_bytes}, {rate}/s"), done_bytes.to_string()], "- ".len()),
    };
    let fits = |text: &&String| text.chars().count() + beside <= columns;
    texts.iter().find(fits).or(texts.last()).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_line_has_room_for_what_stands_beside_the_bar() {
        let left = Duration::from_secs(59);
        let at = |columns| status(columns, GIB, Some(3 * GIB), 900 << 20, left);
        assert_eq!(at(80), "1.00 GiB of 3.00 GiB, 900.00 MiB/s, 59s left");
        assert_eq!(at(40), "1.00 GiB of 3.00 GiB, 59s left");
        assert_eq!(at(30), "33%, 59s left");
        assert_eq!(at(16), "33%");
        assert_eq!(status(40, GIB, None, 900 << 20, left), "1.00 GiB, 900.00 MiB/s");
        assert_eq!(status(12, GIB, None, 900 << 20, left), "1.00 GiB");
    }

    #[test]
    fn no_line_is_longer_than_the_terminal_is_wide() {
        for columns in 16..200 {
            for done in [0, 1, 1000, 1023 << 20, 1023 << 40, u64::MAX] {
                for left in [0, 59, 100_000, u64::MAX / 2].map(Duration::from_secs) {
                    let long = status(columns, done, Some(u64::MAX), done, left);
                    assert!(long.len() + LEAST_BAR < columns, "{columns}: {long:?}");
                    let short = status(columns, done, None, done, left);
                    assert!(short.len() + 2 <= columns, "{columns}: {short:?}");
                }
            }
        }
    }
}
