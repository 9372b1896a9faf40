//! `-o`: one input, to a file that the command line names.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::ExitCode;

use broadloom_program::identity::Identity;
use broadloom_program::message::reason;
use broadloom_program::output::Output as Named;
use broadloom_program::quote::shown;

use super::craft::Encryption;
use crate::files::sides::{self, Output};
use crate::files::{Failure, Worker, refuse_terminal_input};

/// Has the worker make `output` of a file, or of standard input.
pub fn run(mut worker: Worker<Encryption>, file: Option<&Path>, output: &Path) -> ExitCode {
    let file = file.filter(|&path| path != Path::new("-"));
    if let Err(failure) = make(&mut worker, file, output) {
        let name = file.map_or("stdin".to_owned(), shown);
        worker.failed(&name, failure);
    }
    worker.report.status()
}

fn make(
    worker: &mut Worker<Encryption>,
    file: Option<&Path>,
    output: &Path,
) -> Result<(), Failure> {
    let input = match file {
        Some(path) => File::open(path)?,
        None => {
            refuse_terminal_input(&worker.coder.craft, worker.manner.force)?;
            sides::stdin()?
        }
    };
    let metadata = input.metadata()?;
    if metadata.is_dir() {
        return Err(Failure::Error("is a directory".to_owned()));
    }
    if metadata.is_file() && Identity::of(&metadata).is_at(output) {
        return Err(not_written(output, "is the same file"));
    }
    if fs::metadata(output).is_ok_and(|there| there.is_dir()) {
        return Err(not_written(output, "is a directory"));
    }
    let failed = |error: io::Error| not_written(output, &reason(&error));
    let named = Named::create(output).map_err(failed)?;
    let to = match &named {
        Named::Beside(target, _) => Output::File(target.file()),
        Named::Straight(file) => Output::Stdout(file),
    };
    let coded = worker.coder.code(&input, to, &())?;
    // All bytes are written: what is left is the place.
    named.finish(|_| Ok(())).map_err(failed)?;
    worker.tell(file.unwrap_or(Path::new("stdin")), &coded, b"");
    Ok(())
}

fn not_written(path: &Path, text: &str) -> Failure {
    Failure::Error(format!("{}: {text}", shown(path)))
}
