//! Where the password comes from: an option, the environment as restic has it, the terminal.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use broadloom_program::message::reason;
use broadloom_program::quote::shown;
use zeroize::Zeroizing;

use super::args::CommonArgs;
use crate::prompt::{self, LONGEST, said};

/// The password, for a new repository asked twice where it is asked.
///
/// # Errors
/// What is wrong, in words.
pub fn password(args: &CommonArgs, new: bool) -> io::Result<Zeroizing<Vec<u8>>> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let password = if let Some(path) = &args.password_file {
        from_file(path.clone())?
    } else if let Some(command) = &args.password_command {
        from_command(command.clone())?
    } else if let Some(path) = set("RESTIC_PASSWORD_FILE") {
        from_file(path.into())?
    } else if let Some(command) = set("RESTIC_PASSWORD_COMMAND") {
        from_command(command)?
    } else if let Some(password) = set("RESTIC_PASSWORD") {
        Zeroizing::new(password.into_vec())
    } else {
        prompt::ask("Password of the repository: ", new, "--password-file, --password-command")?
    };
    if password.is_empty() { Err(said("it is empty")) } else { Ok(password) }
}

fn from_file(path: PathBuf) -> io::Result<Zeroizing<Vec<u8>>> {
    let text = File::open(&path).and_then(trimmed);
    text.map_err(|error| said(format!("{}: {}", shown(&path), reason(&error))))
}

fn from_command(command: OsString) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut shell = Command::new("sh");
    let child = shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = child.spawn()?;
    let text = child.stdout.take().map(trimmed);
    let status = child.wait()?;
    match status.success() {
        true => text.unwrap_or_else(|| Err(said("the command has no output"))),
        false => Err(said(format!("the command failed: {status}"))),
    }
}

/// All that is read, without the white space around it, as restic takes it.
fn trimmed(input: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    // Room for all of it at once: a vector that grew would leave copies behind.
    let mut text = Zeroizing::new(Vec::with_capacity(LONGEST + 2));
    input.take(LONGEST as u64 + 1).read_to_end(&mut text)?;
    if text.len() > LONGEST {
        return Err(said("it is longer than 4096 bytes"));
    }
    Ok(Zeroizing::new(text.trim_ascii().to_vec()))
}
