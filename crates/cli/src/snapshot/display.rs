//! Progress, as a bar or as JSON, and problems that do not end a command.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use broadloom_program::message::complain;
use broadloom_program::progress::Progress as Bar;
use broadloom_program::quote::shown;
use broadloom_program::streams::StandardOutput;
use broadloom_snapshot::backup::{Progress, Report};
use serde_json::json;

/// Time between two looks at the counts.
const TICK: Duration = Duration::from_millis(100);
/// Time between two lines of JSON.
const LINE: Duration = Duration::from_secs(1);

/// What a command shows while it works.
pub struct Display {
    program: &'static str,
    json: bool,
    quiet: bool,
    /// What the command does, as restic calls it.
    during: &'static str,
    bar: Mutex<Bar>,
    done: Mutex<bool>,
    ended: Condvar,
    began: Instant,
    /// The totals are known: no longer estimated.
    pub counted: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Display {
    pub fn new(program: &'static str, during: &'static str, json: bool, quiet: bool) -> Display {
        let bar = if json || quiet { Bar::none() } else { Bar::new(|| None) };
        Display {
            program,
            json,
            quiet,
            during,
            bar: Mutex::new(bar),
            done: Mutex::new(false),
            ended: Condvar::new(),
            began: Instant::now(),
            counted: AtomicBool::new(false),
        }
    }

    /// Returns `true` if anybody sees how far the work is.
    pub fn is_watched(&self) -> bool {
        !self.quiet && (self.json || io::stderr().is_terminal())
    }

    /// Does something, and shows how far it is.
    pub fn during<T: Send>(&self, progress: &Progress, work: impl FnOnce() -> T + Send) -> T {
        if !self.is_watched() {
            return work();
        }
        thread::scope(|scope| {
            scope.spawn(|| self.watch(progress));
            let end = End(self);
            let result = work();
            drop(end);
            result
        })
    }

    fn watch(&self, progress: &Progress) {
        let (mut shown, mut total) = (0, 0);
        let mut line = Instant::now();
        let mut done = lock(&self.done);
        while !*done {
            let waited = self.ended.wait_timeout(done, TICK);
            done = waited.unwrap_or_else(PoisonError::into_inner).0;
            let bytes = progress.bytes.load(Ordering::Relaxed);
            let all = progress.total_bytes.load(Ordering::Relaxed);
            if self.json {
                if line.elapsed() >= LINE && !*done {
                    line = Instant::now();
                    self.status(progress);
                }
                continue;
            }
            let mut bar = lock(&self.bar);
            if self.counted.load(Ordering::Relaxed) && all != total {
                bar.set_total(all);
                total = all;
            }
            bar.advance(bytes - shown);
            shown = bytes;
        }
    }

    fn status(&self, progress: &Progress) {
        let get = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
        let (done, total) = (get(&progress.bytes), get(&progress.total_bytes));
        let known = self.counted.load(Ordering::Relaxed) && total > 0;
        let percent = if known { (done as f64 / total as f64).min(1.0) } else { 0.0 };
        let line = json!({
            "message_type": "status",
            "seconds_elapsed": self.began.elapsed().as_secs(),
            "percent_done": percent,
            "total_files": get(&progress.total_files),
            "files_done": get(&progress.files),
            "total_bytes": total,
            "bytes_done": done,
        });
        // The summary says so if standard output is gone.
        let _ = StandardOutput.write_all(format!("{line}\n").as_bytes());
    }
}

/// Ends the watch, also after a panic.
struct End<'d>(&'d Display);

impl Drop for End<'_> {
    fn drop(&mut self) {
        *lock(&self.0.done) = true;
        self.0.ended.notify_all();
    }
}

impl Report for Display {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        let text = error.to_string();
        let text = match text.rfind(" (os error ") {
            Some(at) => &text[..at],
            None => &text,
        };
        if self.json {
            let line = json!({
                "message_type": "error",
                "error": { "message": text },
                "during": self.during,
                "item": path.to_string_lossy(),
            });
            let _ = writeln!(io::stderr(), "{line}");
            return;
        }
        lock(&self.bar).hidden(|| complain(self.program, &format!("{}: {text}", shown(path))));
    }

    fn warning(&self, text: &str) {
        lock(&self.bar).hidden(|| complain(self.program, text));
    }
}
