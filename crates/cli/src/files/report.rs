//! What is said of the work, and the exit status.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broadloom_program::message::complain;
use broadloom_program::progress::Progress;
use broadloom_program::quote::quote;
use broadloom_program::streams::StandardOutput;

use super::Verbosity;
use super::inputs::Skip;

/// Says things, and remembers whether one of them was an error.
pub struct Report {
    program: &'static str,
    verbosity: Verbosity,
    progress: Arc<Mutex<Progress>>,
    worst: Worst,
}

/// The worst that happened so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worst {
    Nothing,
    /// Something of which gzip warns.
    Warning,
    Error,
}

/// The exit status after a warning, gzip's.
const WARNED: u8 = 2;

impl Report {
    /// One that has said nothing yet.
    pub fn new(program: &'static str, verbosity: Verbosity, progress: Progress) -> Report {
        Report {
            program,
            verbosity,
            progress: Arc::new(Mutex::new(progress)),
            worst: Worst::Nothing,
        }
    }

    /// The bar, for who reads.
    pub fn progress(&self) -> Arc<Mutex<Progress>> {
        Arc::clone(&self.progress)
    }

    /// An error, of a file.
    pub fn error(&mut self, name: &str, text: &str) {
        self.worst = Worst::Error;
        self.message(&format!("{name}: {text}"));
    }

    /// A warning, of a file: it is not said where only errors are, and counts all the same.
    pub fn warn(&mut self, name: &str, text: &str) {
        self.worst = self.worst.max(Worst::Warning);
        self.note(name, text);
    }

    /// Something that has to be known, of a file.
    pub fn note(&self, name: &str, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.message(&format!("{name}: {text}"));
        }
    }

    /// Why a file is passed over.
    pub fn skip(&mut self, name: &str, skip: &Skip) {
        match skip {
            Skip::Error(text) => self.error(name, text),
            Skip::Warning(text) => self.warn(name, text),
            Skip::Note(text) => self.note(name, text),
            Skip::Silent => {}
        }
    }

    /// Reports what was done, if the user wants to hear all of it.
    pub fn done(&self, text: impl AsRef<[u8]>) {
        if self.verbosity == Verbosity::Verbose {
            // Nobody can be told if standard error is gone.
            let line = [text.as_ref(), b"\n"].concat();
            self.with_bar_hidden(|| drop(io::stderr().write_all(&line)));
        }
    }

    /// Asks something on standard error.
    pub fn ask(&self, text: &str) {
        // Who cannot be asked will not answer yes.
        self.with_bar_hidden(|| drop(io::stderr().write_all(text.as_bytes())));
    }

    /// Writes text to standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn print(&self, text: &[u8]) -> io::Result<()> {
        self.with_bar_hidden(|| StandardOutput.write_all(text))
    }

    /// The exit status of the whole.
    pub fn status(&self) -> ExitCode {
        match self.worst {
            Worst::Nothing => ExitCode::SUCCESS,
            Worst::Warning => ExitCode::from(WARNED),
            Worst::Error => ExitCode::FAILURE,
        }
    }

    fn message(&self, text: &str) {
        self.with_bar_hidden(|| complain(self.program, text));
    }

    fn with_bar_hidden<T>(&self, write: impl FnOnce() -> T) -> T {
        locked(&self.progress).hidden(write)
    }
}

/// The bar.
pub fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name as lines for programs have it: as it is. On a terminal, which would obey control
/// characters, as [messages](quote) have it where there are such.
pub fn plain<'p>(path: &'p Path, to: &impl IsTerminal) -> Cow<'p, [u8]> {
    let name = path.as_os_str().as_bytes();
    let harmless = path.to_str().is_some_and(|text| !text.contains(char::is_control));
    if harmless || !to.is_terminal() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(quote(name).into_bytes())
    }
}
