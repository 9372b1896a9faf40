//! Why nothing was measured, or not all of it left behind.

use std::io;
use std::path::PathBuf;

use broadloom_perf::PerfError;
use broadloom_program::message::{is_broken_pipe, reason};
use broadloom_program::quote::shown;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// In measuring.
    #[error(transparent)]
    Perf(#[from] PerfError),
    /// With a file.
    #[error("cannot write {}: {}", shown(path), reason(error))]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// With standard output, where a file was to go there.
    #[error("cannot write to standard output: {}", reason(.0))]
    StandardOutput(#[source] io::Error),
    /// Two files are to go to one place.
    #[error("{} is to be written twice: every file needs a name of its own", shown(path))]
    Twice {
        /// The place.
        path: PathBuf,
    },
    /// A file that is read is to be written over.
    #[error(
        "{} is the file {}, which is read: valid is another to be written",
        shown(path),
        shown(input)
    )]
    Input {
        /// What is to be written.
        path: PathBuf,
        /// What is read.
        input: PathBuf,
    },
    /// The counters cannot be offered.
    #[error("{0}")]
    Metrics(String),
    /// Without signals nothing is removed that should be.
    #[error("signals cannot be watched: {0}")]
    Signals(io::Error),
}

impl Failure {
    /// Returns `true` if the command line is wrong.
    pub fn is_usage(&self) -> bool {
        match self {
            Failure::Perf(error) => error.is_usage(),
            Failure::Twice { .. } | Failure::Input { .. } => true,
            Failure::Write { .. }
            | Failure::StandardOutput(_)
            | Failure::Metrics(_)
            | Failure::Signals(_) => false,
        }
    }

    /// Returns `true` if the reader of standard output has left, which is not reported. A reader
    /// that leaves a named pipe is reported, because the user named the pipe.
    pub fn is_silent(&self) -> bool {
        matches!(self, Failure::Perf(_) | Failure::StandardOutput(_)) && is_broken_pipe(self)
    }
}
