//! Results as they are told: lines on standard output, messages on standard error, the exit status.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use broadloom_hashing::digest::Digest;
use broadloom_hashing::task::{Found, Outcome, Task};
use broadloom_program::message::{complain, reason};
use broadloom_program::progress::Progress;
use broadloom_program::quote::quote;
use broadloom_program::streams::StandardOutput;

use super::line::{self, LineFormat};

/// What the messages begin with.
pub const PROGRAM: &str = "broadloom hash";

/// Something that is known without hashing.
pub enum Notice {
    /// A file, directory or list could not be read.
    Failed {
        /// Its name.
        name: Arc<OsStr>,
        /// Why.
        error: io::Error,
    },
    /// A line of a list is no checksum line.
    Misformatted {
        /// The list.
        list: Arc<OsStr>,
        /// The line's number, from 1.
        line: u64,
    },
    /// A list has been read to its end.
    ListEnd {
        /// The list.
        name: Arc<OsStr>,
        /// It could not be read further.
        read_error: bool,
    },
}

/// How much to say when checking.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// OK for each file that matches.
    Normal,
    /// Nothing for those.
    Quiet,
    /// Nothing at all but what could not be read.
    Status,
    /// As normal, and a warning for each line that is no checksum line.
    Warn,
}

/// How to check.
pub struct CheckOptions {
    /// How much to say.
    pub verbosity: Verbosity,
    /// A line that is no checksum line is a failure.
    pub strict: bool,
    /// Files that do not exist are passed over.
    pub ignore_missing: bool,
    /// The algorithm's name, for messages.
    pub tag: String,
    /// Lines go to a terminal, which obeys control characters.
    pub terminal: bool,
}

/// What is done with results.
pub enum Mode {
    /// They are printed.
    Print(LineFormat),
    /// They are compared.
    Check(CheckOptions),
}

/// Tells results, in the order they are handed in.
pub struct Report {
    mode: Mode,
    progress: Progress,
    /// Lines not yet written.
    out: Vec<u8>,
    failed: bool,
    /// The last file that failed: later parts of it say nothing more.
    last_failed: Option<Arc<OsStr>>,
    list: ListCount,
}

/// What was seen of the current list.
#[derive(Default)]
struct ListCount {
    checksum_lines: u64,
    misformatted: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
}

impl Report {
    /// Nothing told yet.
    pub fn new(mode: Mode, progress: Progress) -> Self {
        Report {
            mode,
            progress,
            out: Vec::new(),
            failed: false,
            last_failed: None,
            list: ListCount::default(),
        }
    }

    /// Returns `true` if anything could not be read, or did not match.
    pub fn failed(&self) -> bool {
        self.failed
    }

    fn found(&mut self, name: &Arc<OsStr>, found: &Found) {
        let Mode::Print(format) = &self.mode else {
            unreachable!("a request without an expected digest while checking");
        };
        if self.last_failed.as_ref().is_some_and(|last| Arc::ptr_eq(last, name)) {
            return;
        }
        let (name, out) = (name.as_bytes(), &mut self.out);
        match found {
            Found::Digest(digest) => format.file(digest, name, out),
            Found::Chunks(chunks) => {
                for chunk in chunks {
                    format.chunk(&chunk.digest, chunk.offset, chunk.len, name, out);
                }
            }
            Found::Apart => unreachable!("files have a place in the lanes"),
        }
    }

    fn compared(&mut self, name: &OsStr, matches: bool) {
        self.list.checksum_lines += 1;
        if matches {
            self.list.matched += 1;
            if self.verbosity() != Verbosity::Quiet {
                self.verdict(name, "OK");
            }
        } else {
            self.list.mismatched += 1;
            self.verdict(name, "FAILED");
        }
    }

    /// Tells a verdict on a file of a list, unless only the exit status is asked for.
    fn verdict(&mut self, name: &OsStr, verdict: &str) {
        let Mode::Check(options) = &self.mode else {
            unreachable!("a verdict while printing");
        };
        if options.verbosity != Verbosity::Status {
            line::verdict(name.as_bytes(), verdict, options.terminal, &mut self.out);
        }
    }

    fn unreadable(&mut self, name: &OsStr, error: &io::Error) -> io::Result<()> {
        self.list.checksum_lines += 1;
        let ignore_missing =
            matches!(self.mode, Mode::Check(CheckOptions { ignore_missing: true, .. }));
        if ignore_missing && error.kind() == io::ErrorKind::NotFound {
            return Ok(());
        }
        self.list.unreadable += 1;
        self.file_message(name, error)?;
        self.verdict(name, "FAILED open or read");
        Ok(())
    }

    fn file_failed(&mut self, name: Arc<OsStr>, error: &io::Error) -> io::Result<()> {
        self.failed = true;
        if self.last_failed.as_ref().is_some_and(|last| Arc::ptr_eq(last, &name)) {
            return Ok(());
        }
        self.file_message(&name, error)?;
        self.last_failed = Some(name);
        Ok(())
    }

    fn list_end(&mut self, name: &OsStr, read_error: bool) -> io::Result<()> {
        let list = std::mem::take(&mut self.list);
        let Mode::Check(options) = &self.mode else {
            unreachable!("the end of a list while printing");
        };
        let name = quote(name.as_bytes());
        let mut messages = Vec::new();
        if read_error {
            messages.push(format!("{name}: read error"));
        } else if list.checksum_lines == 0 {
            messages.push(format!("{name}: no properly formatted checksum lines found"));
        } else if options.verbosity != Verbosity::Status {
            let mut warn = |count: u64, one: &str, more: &str| match count {
                0 => {}
                1 => messages.push(format!("WARNING: 1 {one}")),
                _ => messages.push(format!("WARNING: {count} {more}")),
            };
            warn(
                list.misformatted,
                "line is improperly formatted",
                "lines are improperly formatted",
            );
            warn(
                list.unreadable,
                "listed file could not be read",
                "listed files could not be read",
            );
            warn(
                list.mismatched,
                "computed checksum did NOT match",
                "computed checksums did NOT match",
            );
            if options.ignore_missing && list.matched == 0 {
                messages.push(format!("{name}: no file was verified"));
            }
        }
        let good = !read_error
            && list.matched > 0
            && list.mismatched == 0
            && list.unreadable == 0
            && !(options.strict && list.misformatted > 0);
        self.failed |= !good;
        messages.into_iter().try_for_each(|text| self.message(text))
    }

    fn verbosity(&self) -> Verbosity {
        match &self.mode {
            Mode::Check(options) => options.verbosity,
            Mode::Print(_) => Verbosity::Normal,
        }
    }

    fn file_message(&mut self, name: &OsStr, error: &io::Error) -> io::Result<()> {
        self.message(format!("{}: {}", quote(name.as_bytes()), reason(error)))
    }

    /// Writes to standard error, after the lines that came before.
    fn message(&mut self, text: String) -> io::Result<()> {
        self.flush()?;
        self.progress.hidden(|| message(text));
        Ok(())
    }
}

impl Task for Report {
    type Expected = Option<Digest>;
    type Notice = Notice;

    fn read_apart(_: &OsStr, _: &mut Option<Digest>) -> io::Result<(Found, u64)> {
        unreachable!("files have a place in the lanes");
    }

    fn outcome(&mut self, outcome: Outcome<Self>) -> io::Result<()> {
        let Outcome { name, expected, found } = outcome;
        match (found, expected) {
            (Ok(Found::Digest(digest)), Some(expected)) => {
                self.compared(&name, digest.matches(&expected));
            }
            (Ok(found), _) => self.found(&name, &found),
            (Err(error), Some(_)) => self.unreadable(&name, &error)?,
            (Err(error), None) => self.file_failed(name, &error)?,
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Failed { name, error } => self.file_failed(name, &error),
            Notice::Misformatted { list, line } => {
                self.list.misformatted += 1;
                match &self.mode {
                    Mode::Check(CheckOptions { verbosity: Verbosity::Warn, tag, .. }) => {
                        let text = format!(
                            "{}: {line}: improperly formatted {tag} checksum line",
                            quote(list.as_bytes()),
                        );
                        self.message(text)
                    }
                    _ => Ok(()),
                }
            }
            Notice::ListEnd { name, read_error } => self.list_end(&name, read_error),
        }
    }

    fn advance(&mut self, bytes: u64) {
        self.progress.advance(bytes);
    }

    fn flush(&mut self) -> io::Result<()> {
        write_lines(&mut self.out, &self.progress)
    }
}

/// Writes lines to standard output, and forgets them.
///
/// # Errors
/// They cannot be written.
pub fn write_lines(lines: &mut Vec<u8>, progress: &Progress) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let written = progress.hidden(|| StandardOutput.write_all(lines));
    lines.clear();
    written
}

/// Writes a message to standard error.
pub fn message(text: impl Display) {
    complain(PROGRAM, &text.to_string());
}
