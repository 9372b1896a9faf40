//! Verdicts as they are told: lines on standard output, messages on standard error.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use broadloom_hashing::task::{Found, Outcome, Task, Turn};
use broadloom_program::message::{complain, reason};
use broadloom_program::progress::Progress;
use broadloom_program::quote::quote;

use super::claim::{self, Claim, Verdict};
use super::signature::Refusal;
use crate::hash::line;
use crate::hash::report::{Verbosity, write_lines};

/// What the messages begin with.
pub const PROGRAM: &str = "broadloom verify-signatures";

/// Something that is known without a file's bytes.
pub enum Notice {
    /// A file has no signature that could be verified.
    Refused {
        /// The file.
        name: Arc<OsStr>,
        /// The signature file, as messages have it.
        signature: String,
        /// Why.
        refusal: Refusal,
        /// The file itself does not exist.
        is_missing: bool,
    },
    /// A list could not be opened.
    ListFailed {
        /// The list.
        name: Arc<OsStr>,
        /// Why.
        error: io::Error,
    },
    /// A line of a list is no signature line.
    Misformatted {
        /// The list.
        list: Arc<OsStr>,
        /// The line's number, from 1.
        line: u64,
    },
    /// A list, or the command line, has been read to its end.
    End {
        /// The list, if it is one.
        list: Option<Arc<OsStr>>,
        /// It could not be read further.
        read_error: bool,
    },
}

/// What to tell.
pub struct Options {
    /// How much to say.
    pub verbosity: Verbosity,
    /// Keys and trusted comments are told, too.
    pub details: bool,
    /// A line that is no signature line is a failure.
    pub strict: bool,
    /// Files that do not exist are passed over.
    pub ignore_missing: bool,
    /// Lines go to a terminal, which obeys control characters.
    pub terminal: bool,
}

/// Tells verdicts, in the order they are handed in.
pub struct Report {
    options: Options,
    progress: Progress,
    /// Lines not yet written.
    out: Vec<u8>,
    failed: bool,
    count: Count,
}

/// What was seen of the current list, or of the command line.
#[derive(Default)]
struct Count {
    signatures: u64,
    misformatted: u64,
    unreadable: u64,
    bad: u64,
    good: u64,
}

impl Report {
    /// Nothing told yet.
    pub fn new(options: Options, progress: Progress) -> Self {
        let (out, count) = (Vec::new(), Count::default());
        Report { options, progress, out, failed: false, count }
    }

    /// Returns `true` if anything could not be read, or did not verify.
    pub fn failed(&self) -> bool {
        self.failed
    }

    fn judged(&mut self, name: &OsStr, claim: &Claim) -> io::Result<()> {
        let signature = &claim.signature_name;
        match &claim.verdict {
            Some(Verdict::Good(key)) => {
                self.count.good += 1;
                if self.options.verbosity != Verbosity::Quiet {
                    self.verdict(name, "OK");
                }
                if self.options.details {
                    self.verdict(name, &format!("key: {}", claim.key_name(*key)));
                    if let Some(comment) = claim.comment() {
                        self.verdict(name, &format!("trusted comment: {}", harmless(comment)));
                    }
                }
                return Ok(());
            }
            Some(Verdict::BadComment) => {
                let text = "the signature of the trusted comment did NOT verify";
                self.message(format!("{signature}: {text}"))?;
            }
            Some(Verdict::Failed(error)) => {
                self.message(format!("{signature}: it could not be verified: {error}"))?;
            }
            Some(Verdict::OtherSalt(key)) => {
                let (key, len) = (claim.key_name(*key), claim.salt_len(*key));
                self.message(format!(
                    "{signature}: it is right for {key} but for its salt, which has not {len} \
                     bytes: --salt-length auto takes any, max those of openssl dgst -sign"
                ))?;
            }
            Some(Verdict::Bad) | None => {}
        }
        self.count.bad += 1;
        self.verdict(name, "FAILED");
        Ok(())
    }

    fn unreadable(&mut self, name: &OsStr, message: String) -> io::Result<()> {
        self.count.unreadable += 1;
        self.message(message)?;
        self.verdict(name, "FAILED open or read");
        Ok(())
    }

    /// Tells a verdict on a file, unless only the exit status is asked for.
    fn verdict(&mut self, name: &OsStr, verdict: &str) {
        if self.options.verbosity != Verbosity::Status {
            line::verdict(name.as_bytes(), verdict, self.options.terminal, &mut self.out);
        }
    }

    fn refused(&mut self, name: &OsStr, signature: &str, refusal: Refusal) -> io::Result<()> {
        match refusal {
            Refusal::Unreadable(error) => {
                self.unreadable(name, format!("{signature}: {}", reason(&error)))
            }
            Refusal::Wrong(reason) => {
                self.count.bad += 1;
                self.message(format!("{signature}: {reason}"))?;
                self.verdict(name, "FAILED");
                Ok(())
            }
        }
    }

    fn end(&mut self, list: Option<&OsStr>, read_error: bool) -> io::Result<()> {
        let count = std::mem::take(&mut self.count);
        let name = list.map_or(String::new(), |name| format!("{}: ", quote(name.as_bytes())));
        let mut messages = Vec::new();
        if read_error {
            messages.push(format!("{name}read error"));
        } else if count.signatures == 0 {
            messages.push(format!("{name}no properly formatted signature lines found"));
        } else if self.options.verbosity != Verbosity::Status {
            let mut warn = |count: u64, one: &str, more: &str| match count {
                0 => {}
                1 => messages.push(format!("WARNING: 1 {one}")),
                _ => messages.push(format!("WARNING: {count} {more}")),
            };
            warn(
                count.misformatted,
                "line is improperly formatted",
                "lines are improperly formatted",
            );
            match list {
                Some(_) => warn(
                    count.unreadable,
                    "listed file could not be read",
                    "listed files could not be read",
                ),
                None => {
                    warn(count.unreadable, "file could not be read", "files could not be read");
                }
            }
            warn(count.bad, "signature did NOT verify", "signatures did NOT verify");
            if self.options.ignore_missing && count.good == 0 {
                messages.push(format!("{name}no file was verified"));
            }
        }
        let good = !read_error
            && count.good > 0
            && count.bad == 0
            && count.unreadable == 0
            && !(self.options.strict && count.misformatted > 0);
        self.failed |= !good;
        messages.into_iter().try_for_each(|text| self.message(text))
    }

    /// Writes to standard error, after the lines that came before.
    fn message(&mut self, text: String) -> io::Result<()> {
        self.flush()?;
        self.progress.hidden(|| complain(PROGRAM, &text));
        Ok(())
    }
}

impl Task for Report {
    type Expected = Option<Box<Claim>>;
    type Notice = Notice;

    fn read_apart(name: &OsStr, claim: &mut Self::Expected) -> io::Result<(Found, u64)> {
        claim.as_mut().expect("a file to verify has a claim").read(name)
    }

    fn settle(outcomes: &mut [(Turn, Outcome<Self>)]) {
        claim::settle(outcomes);
    }

    fn outcome(&mut self, outcome: Outcome<Self>) -> io::Result<()> {
        let Outcome { name, expected, found } = outcome;
        let claim = expected.expect("a file to verify has a claim");
        self.count.signatures += 1;
        match found {
            Ok(_) => self.judged(&name, &claim),
            Err(error)
                if self.options.ignore_missing && error.kind() == io::ErrorKind::NotFound =>
            {
                Ok(())
            }
            Err(error) => {
                let text = format!("{}: {}", quote(name.as_bytes()), reason(&error));
                self.unreadable(&name, text)
            }
        }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Refused { name, signature, refusal, is_missing } => {
                self.count.signatures += 1;
                match is_missing && self.options.ignore_missing {
                    true => Ok(()),
                    false => self.refused(&name, &signature, refusal),
                }
            }
            Notice::ListFailed { name, error } => {
                self.failed = true;
                self.message(format!("{}: {}", quote(name.as_bytes()), reason(&error)))
            }
            Notice::Misformatted { list, line } => {
                self.count.misformatted += 1;
                match self.options.verbosity {
                    Verbosity::Warn => self.message(format!(
                        "{}: {line}: improperly formatted signature line",
                        quote(list.as_bytes())
                    )),
                    _ => Ok(()),
                }
            }
            Notice::End { list, read_error } => self.end(list.as_deref(), read_error),
        }
    }

    fn advance(&mut self, bytes: u64) {
        self.progress.advance(bytes);
    }

    fn flush(&mut self) -> io::Result<()> {
        write_lines(&mut self.out, &self.progress)
    }
}

/// A comment as it is, or quoted as a name would be where it has bytes that a terminal obeys.
fn harmless(comment: &[u8]) -> String {
    match std::str::from_utf8(comment) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => quote(comment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_no_control_characters() {
        assert_eq!(harmless(b"timestamp:1 file:a"), "timestamp:1 file:a");
        assert_eq!(harmless(b"a\x1b[2Jb"), "'a'$'\\033''[2Jb'");
        assert_eq!(harmless(b"\xff"), "''$'\\377'");
    }
}
