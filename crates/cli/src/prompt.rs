//! Passphrases from the terminal.

use std::fs::File;
use std::io::{self, Read, Write};

use broadloom_program::message::reason;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use zeroize::{Zeroize, Zeroizing};

/// Longest passphrase that is read, in bytes.
pub const LONGEST: usize = 4096;

/// An error in words.
pub fn said(text: impl Into<String>) -> io::Error {
    io::Error::other(text.into())
}

/// Asks on the terminal, for a new passphrase twice. Without a terminal the error names what is
/// valid in its place.
///
/// # Errors
/// No terminal, another text the second time, an interrupt.
pub fn ask(text: &str, new: bool, valid: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let opened = File::options().read(true).write(true).open("/dev/tty");
    let terminal = opened.map_err(|error| {
        said(format!("there is no terminal to ask for it ({}); valid: {valid}", reason(&error)))
    })?;
    let first = prompt(&terminal, text)?;
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
