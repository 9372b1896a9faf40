//! Where passphrases come from: the terminal, a file, a command.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom::encryption::age::{Ask, Passphrase};
use broadloom_program::message::reason;
use broadloom_program::quote::shown;
use zeroize::Zeroizing;

use super::args::CommonArgs;
use crate::prompt::{self, LONGEST, said};

/// Where a passphrase comes from.
#[derive(Clone)]
pub enum Origin {
    /// The terminal.
    Terminal,
    /// The first line of a file.
    File(PathBuf),
    /// The first line that a command prints.
    Command(OsString),
}

impl Origin {
    /// The one that a command line names, if it names one.
    pub fn of(args: &CommonArgs) -> Option<Origin> {
        match (&args.passphrase_file, &args.passphrase_command) {
            (Some(file), _) => Some(Origin::File(file.clone())),
            (None, Some(command)) => Some(Origin::Command(command.clone())),
            (None, None) => args.passphrase.then_some(Origin::Terminal),
        }
    }

    /// Reads it; on the terminal twice, where it is a new one.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn read(&self, new: bool) -> io::Result<Passphrase> {
        let line = match self {
            Origin::Terminal => {
                prompt::ask("Passphrase: ", new, "--passphrase-file, --passphrase-command")?
            }
            Origin::File(path) => {
                let line = File::open(path).and_then(first_line);
                line.map_err(|error| said(format!("{}: {}", shown(path), reason(&error))))?
            }
            Origin::Command(command) => from_command(command)?,
        };
        if line.is_empty() { Err(said("it is empty")) } else { Ok(Passphrase::new(&line[..])) }
    }

    /// Returns a function that asks for the passphrase when a file needs it, once for all files.
    pub fn ask(self) -> Ask {
        let known = Mutex::new(None);
        Arc::new(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.is_none() {
                *known = Some(self.read(false)?);
            }
            Ok(known.clone().expect("it was just read"))
        })
    }
}

/// The first line of what is read, without its end.
fn first_line(input: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    // Room for all of it at once: a vector that grew would leave copies behind.
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST + 2));
    input.take(LONGEST as u64 + 2).read_to_end(&mut line)?;
    if let Some(end) = line.iter().position(|&byte| byte == b'\n') {
        line.truncate(end);
        line.pop_if(|&mut byte| byte == b'\r');
    }
    match line.len() {
        0..=LONGEST => Ok(line),
        _ => Err(said("it is longer than 4096 bytes")),
    }
}

fn from_command(command: &OsString) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut shell = Command::new("sh");
    let child = shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = child.spawn()?;
    let line = child.stdout.take().map(first_line);
    let status = child.wait()?;
    match status.success() {
        true => line.unwrap_or_else(|| Err(said("the command has no output"))),
        false => Err(said(format!("the command failed: {status}"))),
    }
}
