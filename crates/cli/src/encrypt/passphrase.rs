//! Where passphrases come from: the terminal, a file, a command.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom::encryption::age::{Ask, Passphrase};
use broadloom_cli::message::reason;
use broadloom_cli::quote::shown;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use zeroize::{Zeroize, Zeroizing};

use super::args::CommonArgs;

/// Longest passphrase that is read, in bytes.
const LONGEST: usize = 4096;

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
            Origin::Terminal => from_terminal(new)?,
            Origin::File(path) => {
                let line = File::open(path).and_then(first_line);
                line.map_err(|error| said(format!("{}: {}", shown(path), reason(&error))))?
            }
            Origin::Command(command) => from_command(command)?,
        };
        if line.is_empty() { Err(said("it is empty")) } else { Ok(Passphrase::new(&line[..])) }
    }

    /// What asks for it when a file needs it, once for all files.
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

fn said(text: impl Into<String>) -> io::Error {
    io::Error::other(text.into())
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

fn from_terminal(new: bool) -> io::Result<Zeroizing<Vec<u8>>> {
    let opened = File::options().read(true).write(true).open("/dev/tty");
    let terminal = opened.map_err(|error| {
        said(format!(
            "there is no terminal to ask for it ({}); valid: --passphrase-file, --passphrase-command",
            reason(&error)
        ))
    })?;
    let first = prompt(&terminal, "Passphrase: ")?;
    if new && *first != *prompt(&terminal, "The same again: ")? {
        return Err(said("it was not the same again"));
    }
    Ok(first)
}

/// Asks for a line, of which nothing is shown.
fn prompt(mut terminal: &File, text: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let before = tcgetattr(terminal)?;
    let mut silent = before.clone();
    // Signals too: one that ended the program would leave the terminal silent.
    silent.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
    tcsetattr(terminal, OptionalActions::Flush, &silent)?;
    let line = terminal.write_all(text.as_bytes()).and_then(|()| silent_line(terminal));
    tcsetattr(terminal, OptionalActions::Now, &before)?;
    terminal.write_all(b"\n")?;
    line
}

/// What keys stand for.
const INTERRUPT: u8 = 3;
const END: u8 = 4;
const BACKSPACE: [u8; 2] = [8, 127];
const KILL: u8 = 21;

fn silent_line(mut terminal: &File) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST));
    loop {
        let mut key = [0];
        let read = terminal.read(&mut key)?;
        let end = read == 0 || key[0] == b'\n' || key[0] == b'\r' || key[0] == END;
        if end {
            return Ok(line);
        } else if key[0] == INTERRUPT {
            return Err(said("interrupted"));
        } else if key[0] == KILL {
            line.zeroize();
        } else if BACKSPACE.contains(&key[0]) {
            // The whole of a character in UTF-8.
            while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
        } else if line.len() < LONGEST {
            line.push(key[0]);
        } else {
            return Err(said("it is longer than 4096 bytes"));
        }
    }
}
