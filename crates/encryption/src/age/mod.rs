//! The age format (age-encryption.org/v1): recipients of X25519 and passphrases, a header, and a
//! payload in chunks that are encrypted independently.
//!
//! ```
//! # let mut registry = broadloom_engine::Registry::new();
//! # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
//! use broadloom_encryption::age::{Decryptor, Encryptor, Identity};
//! use broadloom_encryption::{Input, Output};
//! use std::sync::Arc;
//!
//! let registry = Arc::new(registry);
//! let identity = Identity::generate()?;
//! let encryptor = Encryptor::to_recipients(Arc::clone(&registry), vec![identity.recipient()]);
//! let mut file = Vec::new();
//! encryptor.encrypt(Input::memory(&&b"the warp, the weft"[..]), Output::Stream(&mut file))?;
//! assert!(file.starts_with(b"age-encryption.org/v1\n"));
//!
//! let decryptor = Decryptor::new(registry, vec![identity]);
//! let mut text = Vec::new();
//! decryptor.decrypt(Input::memory(&file.as_slice()), Output::Stream(&mut text))?;
//! assert_eq!(text, b"the warp, the weft");
//! # Ok::<(), broadloom_encryption::EncryptionError>(())
//! ```

pub(crate) mod armor;
pub(crate) mod damage;
pub(crate) mod header;
mod keys;
mod payload;
mod wrap;

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use broadloom_engine::Registry;
use hmac::Mac;

use crate::chunks::{GroupSink, GroupSource, Report, STRIDE, TAG, covering, read_error, run};
use crate::ends::{Appending, Input, Output, ReadAt, Sequence, read_full};
use crate::error::EncryptionError;
use crate::random;
use armor::{Armor, Dearmor};
use payload::{Open, Seal};
use wrap::{FileKey, Known};

pub(crate) use header::printable;

pub use armor::ArmorError;
pub use damage::PayloadError;
pub use header::{Header, HeaderError, MAX_HEADER, Parsed, Stanza};
pub use keys::{Identity, KeyError, KeyFileError, Recipient};
pub use wrap::{MOST_WORK, Passphrase, WORK_FACTOR};

/// Bytes of the payload's nonce, behind the header.
const NONCE: usize = 16;

/// What is read at first to find the header. Few are longer.
const FIRST: usize = 4096;

/// For whom a file is encrypted.
#[derive(Debug, Clone)]
enum To {
    Recipients(Vec<Recipient>),
    Passphrase(Passphrase, u8),
}

/// Gives a passphrase where a file needs one.
pub type Ask = Arc<dyn Fn() -> io::Result<Passphrase> + Send + Sync>;

/// Encrypts inputs of any size.
#[derive(Clone)]
pub struct Encryptor {
    registry: Arc<Registry>,
    to: To,
    armor: bool,
    threads: NonZeroUsize,
}

impl Encryptor {
    /// One for recipients, at least one, each of whom can decrypt.
    ///
    /// # Panics
    /// If there is no recipient.
    pub fn to_recipients(registry: Arc<Registry>, recipients: Vec<Recipient>) -> Encryptor {
        assert!(!recipients.is_empty(), "a file without recipients cannot be decrypted");
        Encryptor::new(registry, To::Recipients(recipients))
    }

    /// One for a passphrase, with the logarithm of the work to try one: [`WORK_FACTOR`] is usual.
    ///
    /// # Panics
    /// If the work factor is not 1 to [`MOST_WORK`].
    pub fn to_passphrase(
        registry: Arc<Registry>,
        passphrase: Passphrase,
        work_factor: u8,
    ) -> Encryptor {
        assert!((1..=MOST_WORK).contains(&work_factor), "a work factor of {work_factor}");
        Encryptor::new(registry, To::Passphrase(passphrase, work_factor))
    }

    fn new(registry: Arc<Registry>, to: To) -> Encryptor {
        Encryptor { registry, to, armor: false, threads: NonZeroUsize::MIN }
    }

    /// Writes ASCII armour.
    pub fn armor(mut self, armor: bool) -> Self {
        self.armor = armor;
        self
    }

    /// Works on so many threads. The output does not depend on their number.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Encrypts an input. The report counts the bytes in armour before they are armoured.
    ///
    /// # Errors
    /// The error that comes first in the input.
    ///
    /// # Panics
    /// If a provider, `input` or `output` panics.
    pub fn encrypt(&self, input: Input<'_>, output: Output<'_>) -> Result<Report, EncryptionError> {
        if !self.armor {
            return self.encrypt_binary(input, output);
        }
        let write = |error| EncryptionError::Write { offset: 0, error };
        let mut places;
        let stream: &mut (dyn Write + Send) = match output {
            Output::Stream(stream) => stream,
            Output::Places(output) => {
                places = Appending::new(output);
                &mut places
            }
        };
        let mut armor = Armor::new(stream).map_err(write)?;
        let report = self.encrypt_binary(input, Output::Stream(&mut armor))?;
        armor.finish().map_err(write)?;
        Ok(report)
    }

    fn encrypt_binary(
        &self,
        input: Input<'_>,
        mut output: Output<'_>,
    ) -> Result<Report, EncryptionError> {
        let key = wrap::file_key()?;
        let (mut head, mut nonce) = (self.header(&key)?, [0; NONCE]);
        random::fill(&mut nonce)?;
        head.extend_from_slice(&nonce);
        let written = match &mut output {
            Output::Stream(stream) => stream.write_all(&head),
            Output::Places(places) => places.write_all_at(&head, 0),
        };
        written.map_err(|error| EncryptionError::Write { offset: 0, error })?;
        let seal = Seal::new(&self.registry, &wrap::derive(&*key, &nonce, b"payload"))?;
        let source = match input {
            Input::Stream(stream) => GroupSource::stream(stream, 0),
            Input::Places { bytes, len } => GroupSource::places(bytes, 0..len, 0..u64::MAX),
        };
        let sink = GroupSink::new(output, head.len() as u64);
        let mut report = run(&seal, source, sink, self.threads.get())?;
        report.output += head.len() as u64;
        Ok(report)
    }

    fn header(&self, key: &FileKey) -> Result<Vec<u8>, EncryptionError> {
        let registry = &self.registry;
        let stanzas: Vec<Stanza> = match &self.to {
            To::Recipients(all) => all
                .iter()
                .map(|recipient| wrap::for_recipient(registry, recipient, key))
                .collect::<Result<_, _>>()?,
            To::Passphrase(passphrase, work) => {
                vec![wrap::for_passphrase(registry, (passphrase, *work), key)?]
            }
        };
        let mac = wrap::header_mac(key, &Header::authenticated(&stanzas));
        let header = Header { stanzas, mac: mac.finalize().into_bytes().into() }.to_bytes();
        if header.len() > MAX_HEADER { Err(HeaderError::Long.into()) } else { Ok(header) }
    }
}

/// Decrypts files of any size, armoured or not.
#[derive(Clone)]
pub struct Decryptor {
    registry: Arc<Registry>,
    identities: Vec<Identity>,
    ask: Option<Ask>,
    threads: NonZeroUsize,
}

impl Decryptor {
    /// One that tries these identities.
    pub fn new(registry: Arc<Registry>, identities: Vec<Identity>) -> Decryptor {
        Decryptor { registry, identities, ask: None, threads: NonZeroUsize::MIN }
    }

    /// Asks for the passphrase of a file that is for one.
    pub fn asking(mut self, ask: Ask) -> Self {
        self.ask = Some(ask);
        self
    }

    /// Works on so many threads. Neither the output nor the error depends on their number.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Decrypts an input. No byte is written of a chunk that does not authenticate.
    ///
    /// # Errors
    /// The error that comes first in the input. A stream got all chunks before it.
    ///
    /// # Panics
    /// If a provider, `input` or `output` panics.
    pub fn decrypt(&self, input: Input<'_>, output: Output<'_>) -> Result<Report, EncryptionError> {
        let threads = self.threads.get();
        let (bytes, len) = match input {
            Input::Stream(stream) => return self.decrypt_stream(stream, output),
            Input::Places { bytes, len } => (bytes, len),
        };
        let mut stream = Sequence::new(bytes, len);
        let start = first_bytes(&mut stream)?;
        if armor::begins(&start) == Some(true) {
            let mut whole = Sequence::new(bytes, len);
            return self.decrypt_stream(&mut whole, output);
        }
        let (open, _) = self.open(&mut stream, start)?;
        let source = GroupSource::places(bytes, open.start..len, 0..u64::MAX);
        let mut report = run(&open, source, GroupSink::new(output, 0), threads)?;
        report.input += open.start;
        Ok(report)
    }

    /// Decrypts a range of the plaintext; bytes behind its end are left out of the range. The
    /// chunks that have these bytes are read and authenticated, and the last chunk of the file, by
    /// which it is known to be whole. The input must not be armoured, for armour has no places.
    ///
    /// # Errors
    /// As [`decrypt`](Decryptor::decrypt), and where the range begins behind the end.
    ///
    /// # Panics
    /// As [`decrypt`](Decryptor::decrypt).
    pub fn decrypt_range(
        &self,
        (bytes, len): (&dyn ReadAt, u64),
        range: impl FnOnce(u64) -> Range<u64>,
        output: Output<'_>,
    ) -> Result<Report, EncryptionError> {
        let mut stream = Sequence::new(bytes, len);
        let start = first_bytes(&mut stream)?;
        if armor::begins(&start) == Some(true) {
            let cause = "armour has no places: valid for a range is a file without it";
            return Err(ArmorError { line: 1, cause }.into());
        }
        let (open, _) = self.open(&mut stream, start)?;
        let payload = open.start..len;
        let chunks = (payload.end - payload.start).div_ceil(STRIDE as u64).max(1);
        let last = GroupSource::places(bytes, payload.clone(), chunks - 1..chunks);
        let tail =
            run(&open, last, GroupSink::window(Output::Stream(&mut io::sink()), 0, 0..0), 1)?;
        let text = payload.end - payload.start - chunks * TAG as u64;
        let wanted = range(text);
        if wanted.start > text {
            return Err(EncryptionError::Range { start: wanted.start, len: text });
        }
        let wanted = wanted.start..wanted.end.clamp(wanted.start, text);
        let source = GroupSource::places(bytes, payload, covering(&wanted));
        let mut report =
            run(&open, source, GroupSink::window(output, 0, wanted), self.threads.get())?;
        report.input += open.start + tail.input;
        Ok(report)
    }

    fn decrypt_stream(
        &self,
        stream: &mut (dyn Read + Send),
        output: Output<'_>,
    ) -> Result<Report, EncryptionError> {
        let start = first_bytes(stream)?;
        if armor::begins(&start) == Some(true) {
            let mut bare = Dearmor::new(start.as_slice().chain(stream));
            let start = first_bytes(&mut bare)?;
            return self.decrypt_bare(&mut bare, start, output);
        }
        self.decrypt_bare(stream, start, output)
    }

    fn decrypt_bare(
        &self,
        stream: &mut (dyn Read + Send),
        start: Vec<u8>,
        output: Output<'_>,
    ) -> Result<Report, EncryptionError> {
        let (open, rest) = self.open(stream, start)?;
        let mut rest = rest.as_slice().chain(stream);
        let source = GroupSource::stream(&mut rest, open.start);
        let mut report = run(&open, source, GroupSink::new(output, 0), self.threads.get())?;
        report.input += open.start;
        Ok(report)
    }

    /// Reads the header, of which some bytes were read before, and finds its key. Gives what was
    /// read behind the payload's nonce.
    fn open(
        &self,
        stream: &mut dyn Read,
        mut bytes: Vec<u8>,
    ) -> Result<(Open, Vec<u8>), EncryptionError> {
        let parsed = loop {
            if let Some(parsed) = Header::parse(&bytes)? {
                break parsed;
            }
            if bytes.len() >= MAX_HEADER {
                return Err(HeaderError::Long.into());
            }
            let more = bytes.len().max(FIRST);
            if read_more(stream, &mut bytes, more)? < more && Header::parse(&bytes)?.is_none() {
                return Err(HeaderError::Truncated { offset: bytes.len() as u64 }.into());
            }
        };
        let key = self.file_key(&parsed.header)?;
        let mac = wrap::header_mac(&key, &bytes[..parsed.authenticated]);
        if mac.verify_slice(&parsed.header.mac).is_err() {
            return Err(EncryptionError::HeaderMac);
        }
        let start = parsed.len + NONCE;
        let missing = start.saturating_sub(bytes.len());
        read_more(stream, &mut bytes, missing)?;
        let Some(rest) = bytes.get(start..) else {
            return Err(HeaderError::Truncated { offset: bytes.len() as u64 }.into());
        };
        let nonce = &bytes[parsed.len..start];
        let key = wrap::derive(&*key, nonce, b"payload");
        Ok((Open::new(&self.registry, &key, start as u64)?, rest.to_vec()))
    }

    /// The file key, by the first stanza that an identity or the passphrase opens.
    fn file_key(&self, header: &Header) -> Result<FileKey, EncryptionError> {
        let known = wrap::known(&header.stanzas)?;
        for stanza in &known {
            for identity in &self.identities {
                if let Some(key) = stanza.unwrap_with(&self.registry, identity)? {
                    return Ok(key);
                }
            }
            if let (Some(ask), Known::Scrypt { .. }) = (&self.ask, stanza) {
                let passphrase = ask().map_err(EncryptionError::Passphrase)?;
                if let Some(key) = stanza.unwrap_with_passphrase(&self.registry, &passphrase)? {
                    return Ok(key);
                }
            }
        }
        let tried = match (self.identities.is_empty(), &self.ask) {
            (false, None) => "identity",
            (true, Some(_)) => "passphrase",
            _ => "identity and no passphrase",
        };
        Err(EncryptionError::NoMatch { tried, recipients: described(&header.stanzas, &known) })
    }
}

/// For whom a file is, in words.
fn described(stanzas: &[Stanza], known: &[Known]) -> String {
    let passphrase = known.iter().any(|one| matches!(one, Known::Scrypt { .. }));
    if passphrase {
        return "a passphrase".to_owned();
    }
    let keys = known.len();
    let others = stanzas.len() - keys;
    match others {
        0 => format!("{keys} other X25519 {}", if keys == 1 { "key" } else { "keys" }),
        _ => format!("{keys} other X25519 keys and {others} of types that are not known here"),
    }
}

fn first_bytes(stream: &mut dyn Read) -> Result<Vec<u8>, EncryptionError> {
    let mut bytes = Vec::new();
    read_more(stream, &mut bytes, FIRST)?;
    Ok(bytes)
}

/// Reads so many bytes more, if there are, and says how many.
fn read_more(
    stream: &mut dyn Read,
    bytes: &mut Vec<u8>,
    more: usize,
) -> Result<usize, EncryptionError> {
    let before = bytes.len();
    bytes.resize(before + more, 0);
    let read = read_full(stream, &mut bytes[before..]);
    bytes.truncate(before + *read.as_ref().unwrap_or(&0));
    read.map_err(|error| read_error(before as u64, error))
}
