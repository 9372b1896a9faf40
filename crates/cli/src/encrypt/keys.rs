//! Keys from files, and `broadloom keygen`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use broadloom::Registry;
use broadloom::encryption::age::{Decryptor, Identity, Recipient};
use broadloom::encryption::{Input, Output};
use broadloom_program::message::{complain, printed_status, reason};
use broadloom_program::quote::shown;
use broadloom_program::signals;
use broadloom_program::streams::StandardOutput;
use broadloom_program::target::{Existing, Target};
use jiff::Timestamp;
use zeroize::Zeroizing;

use super::args::KeygenArgs;
use super::passphrase::Origin;

/// Most bytes of a file of keys.
const LONGEST: usize = 1 << 24;

/// The recipients of a file, one a line.
///
/// # Errors
/// What is wrong, in words.
pub fn recipients(path: &Path) -> Result<Vec<Recipient>, String> {
    let content = content(path)?;
    Recipient::read_file(&content).map_err(|error| format!("{}: {error}", shown(path)))
}

/// The identities of a file, one a line. Where the file is an age file itself, its passphrase is
/// asked for.
///
/// # Errors
/// What is wrong, in words.
pub fn identities(
    path: &Path,
    registry: &Arc<Registry>,
    origin: Origin,
) -> Result<Vec<Identity>, String> {
    let mut content = content(path)?;
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", shown(path));
    if content.starts_with(b"age-encryption.org/") || content.starts_with(b"-----BEGIN AGE") {
        let decryptor = Decryptor::new(Arc::clone(registry), Vec::new()).asking(origin.ask());
        let mut keys = Zeroizing::new(Vec::with_capacity(content.len()));
        let output = Output::Stream(&mut *keys);
        decryptor
            .decrypt(Input::Stream(&mut content.as_slice()), output)
            .map_err(|error| named(&error))?;
        content = keys;
    }
    Identity::read_file(&content).map_err(|error| named(&error))
}

/// The content of a file; `-`: of standard input. There is room for all of it at once, as growing
/// would leave copies of keys behind.
fn content(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let read = || {
        let standard = path == Path::new("-");
        let len = if standard { 0 } else { std::fs::metadata(path)?.len() };
        let room = usize::try_from(len).unwrap_or(LONGEST).clamp(1 << 16, LONGEST) + 1;
        let mut content = Zeroizing::new(Vec::with_capacity(room));
        let input: Box<dyn Read> = match standard {
            true => Box::new(io::stdin().lock()),
            false => Box::new(File::open(path)?),
        };
        input.take(room as u64).read_to_end(&mut content)?;
        match content.len() < room {
            true => Ok(content),
            false => Err(io::Error::other(format!("has more than {} bytes of keys", room - 1))),
        }
    };
    read().map_err(|error: io::Error| format!("{}: {}", shown(path), reason(&error)))
}

/// Runs `broadloom keygen`.
pub fn keygen(args: KeygenArgs) -> ExitCode {
    let program = "broadloom keygen";
    let made = match args.recipients {
        true => only_recipients(args.input),
        false => new_identity(),
    };
    let (text, recipient) = match made {
        Ok(made) => made,
        Err(error) => {
            complain(program, &error);
            return ExitCode::FAILURE;
        }
    };
    let Some(path) = args.output else {
        return printed_status(program, StandardOutput.write_all(text.as_bytes()));
    };
    match write(&path, text.as_bytes()) {
        Ok(()) => {
            if let Some(recipient) = recipient {
                // Nobody can be told if standard error is gone.
                let _ = writeln!(io::stderr(), "Public key: {recipient}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(program, &format!("{}: {}", shown(&path), reason(&error)));
            ExitCode::FAILURE
        }
    }
}

/// A file of a new identity, and its recipient.
fn new_identity() -> Result<(Zeroizing<String>, Option<Recipient>), String> {
    let identity = Identity::generate().map_err(|error| error.to_string())?;
    let (created, recipient) =
        (Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ"), identity.recipient());
    let secret = identity.to_text();
    let text = format!("# created: {created}\n# public key: {recipient}\n{}\n", *secret);
    Ok((Zeroizing::new(text), Some(recipient)))
}

/// The recipients of the identities in a file.
fn only_recipients(
    input: Option<PathBuf>,
) -> Result<(Zeroizing<String>, Option<Recipient>), String> {
    let path = input.unwrap_or_else(|| PathBuf::from("-"));
    let content = content(&path)?;
    let identities = Identity::read_file(&content);
    let identities = identities.map_err(|error| format!("{}: {error}", shown(&path)))?;
    let lines = identities.iter().map(|identity| format!("{}\n", identity.recipient()));
    Ok((Zeroizing::new(lines.collect()), None))
}

/// Writes a file that must not be there, for its owner alone.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    signals::watch()?;
    let target = Target::create(path)?;
    target.file().write_all(bytes)?;
    target.file().sync_all()?;
    target.place(path, Existing::Keep).map(drop)
}
