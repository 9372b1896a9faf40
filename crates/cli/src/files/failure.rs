//! Why a file is not done.

use std::io;
use std::path::Path;

use broadloom_program::message::{is_broken_pipe, reason};
use broadloom_program::quote::shown;

use super::inputs::Skip;

/// Why a file is not done.
pub enum Failure {
    /// It is passed over.
    Skip(Skip),
    /// It, or what it was to become, gave an error.
    Error(String),
    /// Who reads the output has left: nothing more is to be done.
    Gone,
}

impl From<Skip> for Failure {
    fn from(skip: Skip) -> Self {
        Failure::Skip(skip)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match is_broken_pipe(&error) {
            true => Failure::Gone,
            false => Failure::Error(reason(&error)),
        }
    }
}

/// Why a file is not done, by an error; [`Failure::Gone`] where the reader of the output has left.
pub fn failure(error: &(dyn std::error::Error + 'static)) -> Failure {
    match is_broken_pipe(error) {
        true => Failure::Gone,
        false => Failure::Error(error.to_string()),
    }
}

/// Makes a failure that says something about a file that is to be made.
pub fn says(path: &Path, text: &str) -> Failure {
    Failure::Error(format!("{} {text}", shown(path)))
}

/// The same of a file that could not be written.
pub fn not_written(path: &Path, error: &io::Error) -> Failure {
    says(path, &format!("cannot be written: {}", reason(error)))
}
