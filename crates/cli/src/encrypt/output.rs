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
use crate::files::{Failure, Worker, refuse_terminal_input, sync_names, write_back};

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
    let is_synced = worker.manner.synchronous || named.replaces();
    let code = |to: Output<'_>| worker.coder.code(&input, to, &());
    let coded = match &named {
        Named::Beside(target, place) if is_synced => {
            let file = target.file();
            write_back::during(file, place, &mut || code(Output::File(file)))?
        }
        Named::Beside(target, _) => code(Output::File(target.file()))?,
        Named::Straight(file) => code(Output::Stdout(file))?,
    };
    let asked_for = match &named {
        Named::Beside(target, place) if worker.manner.synchronous => {
            target.file().sync_all().map_err(failed)?;
            Some((target.file().try_clone().map_err(failed)?, place.clone()))
        }
        _ => None,
    };
    // All bytes are written: what is left is the place.
    named.finish(|_| Ok(())).map_err(failed)?;
    if let Some((file, place)) = &asked_for {
        sync_names(&[(place, file)]).map_err(failed)?;
    }
    worker.tell(file.unwrap_or(Path::new("stdin")), &coded, b"");
    Ok(())
}

fn not_written(path: &Path, text: &str) -> Failure {
    Failure::Error(format!("{}: {text}", shown(path)))
}
