//! The command `man` of a program: manual pages, made of the same descriptions as the help.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;

use crate::message::{complain, reason};
use crate::output::Output;
use crate::quote::shown;
use crate::signals;

/// Write manual pages
///
/// Writes a page for the program and one for each of its commands to DIR, such as broadloom.1 and
/// broadloom-hash.1. A page that is there already is replaced when the new one is complete.
#[derive(Args)]
pub struct ManArgs {
    /// The directory for the pages; it is made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Writes the pages of `program`, and complains in its name where that fails.
pub fn run(args: &ManArgs, program: Command) -> ExitCode {
    let name = format!("{} man", program.get_name());
    match write_all(&args.directory, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err((path, error)) => {
            let text = format!("cannot write {}: {}", shown(&path), reason(&error));
            complain(&name, &text);
            ExitCode::FAILURE
        }
    }
}

/// Writes the pages of all commands, and names the path that cannot be written.
fn write_all(directory: &Path, program: Command) -> Result<(), (PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        |error| (path, error)
    };
    signals::watch().map_err(at(directory))?;
    fs::create_dir_all(directory).map_err(at(directory))?;
    for page in pages(program) {
        let path = directory.join(page.get_filename());
        Output::create(&path)
            .and_then(|file| file.finish(|mut out| page.render(&mut out)))
            .map_err(at(&path))?;
    }
    Ok(())
}

/// The page of a program, and a page for each of its commands.
fn pages(program: Command) -> Vec<Man> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut commands = vec![program];
    let mut next = 0;
    while let Some(command) = commands.get(next) {
        let below: Vec<Command> = command.get_subcommands().cloned().collect();
        commands.extend(below);
        next += 1;
    }
    commands.into_iter().map(Man::new).collect()
}
