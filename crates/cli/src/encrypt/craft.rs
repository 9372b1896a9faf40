//! What encryption makes of files.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, pipe};
use std::num::NonZeroUsize;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use broadloom::encryption::age::{Decryptor, Encryptor};
use broadloom::encryption::openssl::OpenSsl;
use broadloom::encryption::{self, EncryptionError, Input, Report};

use super::args::Container;
use super::range::Wanted;
use crate::compress::Gzip;
use crate::files::opened::Opened;
use crate::files::sides::{Counted, Output, Places};
use crate::files::{Becomes, Coded, Craft, Failure, Hints, failure};

/// Files with fewer bytes are worked on side by side, each by one thread.
const DIVIDED: u64 = 1 << 20;

/// Encrypts or decrypts files.
#[derive(Clone)]
pub struct Encryption {
    pub how: How,
    pub threads: NonZeroUsize,
    /// Encrypted data are text.
    pub armor: bool,
    /// Compresses before.
    pub gzip: Option<Gzip>,
    /// The part of a file that is decrypted.
    pub range: Option<Wanted>,
}

/// What is done.
#[derive(Clone)]
pub enum How {
    /// Encrypts into the age format.
    Seal(Encryptor),
    /// Decrypts the age format.
    Open(Decryptor),
    /// Encrypts as openssl does.
    Encrypt(OpenSsl),
    /// Decrypts as openssl does.
    Decrypt(OpenSsl),
}

impl Encryption {
    fn container(&self) -> Container {
        match self.how {
            How::Seal(_) | How::Open(_) => Container::Age,
            How::Encrypt(_) | How::Decrypt(_) => Container::Openssl,
        }
    }

    fn run(
        &self,
        input: Input<'_>,
        output: encryption::Output<'_>,
    ) -> Result<Report, EncryptionError> {
        let threads = self.threads;
        match &self.how {
            How::Seal(age) => age.clone().threads(threads).encrypt(input, output),
            How::Open(age) => age.clone().threads(threads).decrypt(input, output),
            How::Encrypt(openssl) => openssl.clone().threads(threads).encrypt(input, output),
            How::Decrypt(openssl) => openssl.clone().threads(threads).decrypt(input, output),
        }
    }

    /// Decrypts a part of a file.
    fn run_range(
        &self,
        wanted: Wanted,
        input: &Counted<'_>,
        output: encryption::Output<'_>,
    ) -> Result<Report, Failure> {
        let (How::Open(age), Some(len)) = (&self.how, input.places()) else {
            let text = "--range needs a file, of which any byte can be read: this is none";
            return Err(Failure::Error(text.to_owned()));
        };
        let age = age.clone().threads(self.threads);
        let report = age.decrypt_range((input, len), |len| wanted.of(len), output);
        report.map_err(|error| failure(&error))
    }

    /// Compresses, and encrypts what comes of it at the same time.
    fn run_compressed(
        &self,
        gzip: &Gzip,
        input: Counted<'_>,
        output: encryption::Output<'_>,
    ) -> Result<Report, Failure> {
        let (reader, writer) = pipe()?;
        let complete = AtomicBool::new(false);
        let mut whole = Whole { reader, complete: &complete };
        let (compressed, encrypted) = thread::scope(|scope| {
            let complete = &complete;
            let compress = scope.spawn(move || {
                let coded = gzip.compress(input, &writer);
                complete.store(coded.is_ok(), Ordering::Release);
                coded
            });
            let encrypted = self.run(Input::Stream(&mut whole), output);
            // Else the other thread would wait for its bytes to be read.
            drop(whole);
            let compressed = compress.join();
            (compressed.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), encrypted)
        });
        match (compressed, encrypted) {
            // The cause of a reading that ended early is the other thread's error.
            (Err(error), Ok(_) | Err(EncryptionError::Read { .. })) => Err(error),
            (_, Err(error)) => Err(failure(&error)),
            (Ok(coded), Ok(mut report)) => {
                report.input = coded.input;
                Ok(report)
            }
        }
    }
}

/// What another thread writes, whose end is an error unless the thread says that it is complete.
struct Whole<'c> {
    reader: io::PipeReader,
    complete: &'c AtomicBool,
}

impl Read for Whole<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.reader.read(buffer)? {
            0 if !buffer.is_empty() && !self.complete.load(Ordering::Acquire) => {
                Err(io::Error::other("it could not be compressed to its end"))
            }
            len => Ok(len),
        }
    }
}

impl Craft for Encryption {
    type About = ();

    fn code(
        &self,
        mut input: Counted<'_>,
        output: Output<'_>,
        _about: &(),
    ) -> Result<Coded, Failure> {
        let (places, mut stream);
        let to = match output {
            Output::File(file) => {
                places = Places(file);
                encryption::Output::Places(&places)
            }
            _ => {
                stream = output;
                encryption::Output::Stream(&mut stream)
            }
        };
        let report = match (&self.gzip, self.range) {
            (Some(gzip), _) => self.run_compressed(gzip, input, to)?,
            (None, Some(wanted)) => self.run_range(wanted, &input, to)?,
            (None, None) => {
                let from = match input.places() {
                    Some(len) => Input::Places { bytes: &input, len },
                    None => Input::Stream(&mut input),
                };
                self.run(from, to).map_err(|error| failure(&error))?
            }
        };
        let (input, output) = (report.input, report.output);
        Ok(Coded { input, output, streams: output, ..Coded::default() })
    }

    fn codes(&self) -> bool {
        matches!(self.how, How::Seal(_) | How::Encrypt(_))
    }

    fn word(&self) -> &'static str {
        "encrypted"
    }

    fn is_text(&self) -> bool {
        self.armor
    }

    fn stands_alone(&self) -> Option<String> {
        let text = "standard output has an encrypted file already, behind which a second would not \
                    be found; valid: one file";
        Some(text.to_owned())
    }

    fn suffix(&self) -> &OsStr {
        OsStr::new(match self.container() {
            Container::Age => ".age",
            Container::Openssl => ".enc",
        })
    }

    fn suffix_of(&self, path: &Path) -> Option<OsString> {
        let (stem, suffix) = split(path, self.suffix())?;
        (!matches!(stem.last(), None | Some(b'/'))).then(|| suffix.to_owned())
    }

    fn about(&self, _path: &Path, _opened: &Opened) {}

    fn hints(&self) -> Hints {
        Hints { recursive: "--recursive", unknown_suffix: "-o names the new file" }
    }

    fn becomes(&self, path: &Path, _opened: &Opened) -> Result<Becomes<()>, Failure> {
        let target = match split(path, self.suffix()) {
            Some((stem, _)) if !self.codes() => OsString::from_vec(stem.to_owned()),
            _ => {
                let mut name = path.as_os_str().to_owned();
                name.push(if self.gzip.is_some() { ".gz" } else { "" });
                name.push(self.suffix());
                name
            }
        };
        Ok(Becomes { path: PathBuf::from(target), index: None, modified: None, about: () })
    }

    fn outcome(&self, coded: &Coded) -> String {
        format!("{} bytes to {}", coded.input, coded.output)
    }

    fn threads(&self) -> usize {
        self.threads.get()
    }

    fn with_one_thread(&self) -> Self {
        Encryption {
            threads: NonZeroUsize::MIN,
            gzip: self.gzip.as_ref().map(Gzip::with_one_thread),
            ..self.clone()
        }
    }

    fn divided(&self) -> u64 {
        DIVIDED
    }
}

/// Splits a name into the part before a suffix and the suffix, in whichever case the name has it.
fn split<'p>(path: &'p Path, suffix: &OsStr) -> Option<(&'p [u8], &'p OsStr)> {
    let name = path.as_os_str().as_bytes();
    let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
    end.eq_ignore_ascii_case(suffix.as_bytes()).then_some((stem, OsStr::from_bytes(end)))
}
