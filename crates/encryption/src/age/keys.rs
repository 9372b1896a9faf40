//! Keys of age as texts: recipients (public) and identities (secret) of X25519.

use std::fmt;
use std::str::FromStr;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};
use zeroize::{Zeroize, Zeroizing};

use crate::error::EncryptionError;
use crate::random;

/// What the texts of recipients and of identities begin with, before the digit 1.
const RECIPIENT: &str = "age";
const IDENTITY: &str = "AGE-SECRET-KEY-";

/// More bytes than the text of any key has.
const MAX_TEXT: usize = 96;

/// Why a text is no key. It does not say the text, which may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// No recipient.
    #[error("is no recipient; valid: age1 and 58 lower-case letters and digits, with a checksum")]
    Recipient,
    /// An identity, where a recipient is wanted.
    #[error("is an identity, which is secret; valid: its recipient, which begins with age1")]
    SecretRecipient,
    /// A recipient of a type that is not known.
    #[error("is a recipient of another type than X25519; valid: age1 and 58 letters and digits")]
    OtherRecipient,
    /// No identity.
    #[error("is no identity; valid: AGE-SECRET-KEY-1 and 58 upper-case letters and digits")]
    Identity,
    /// A recipient, where an identity is wanted.
    #[error("is a recipient, which is public; valid: an identity, AGE-SECRET-KEY-1...")]
    PublicIdentity,
}

/// Why a file of keys is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// A line is no key.
    #[error("line {line} {error}")]
    Line {
        /// Its number, from 1 on.
        line: usize,
        /// Why.
        #[source]
        error: KeyError,
    },
    /// There is none.
    #[error("has no key; valid: one a line, and lines that begin with #")]
    Empty,
    /// The file is no text.
    #[error("is no text in UTF-8; valid: a key a line")]
    NoText,
}

/// For whom a file is encrypted: a public key of X25519.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient {
    pub(super) public: [u8; 32],
}

/// What decrypts a file: a secret key of X25519. Wiped when dropped.
#[derive(Clone)]
pub struct Identity {
    pub(super) secret: Zeroizing<[u8; 32]>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity of {}", self.recipient())
    }
}

impl Identity {
    /// A new one.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    pub fn generate() -> Result<Identity, EncryptionError> {
        let mut secret = Zeroizing::new([0; 32]);
        random::fill(&mut *secret)?;
        Ok(Identity { secret })
    }

    /// Its recipient.
    pub fn recipient(&self) -> Recipient {
        Recipient { public: x25519(*self.secret, X25519_BASEPOINT_BYTES) }
    }

    /// Its text, which is secret.
    pub fn to_text(&self) -> Zeroizing<String> {
        let mut lower = encode(IDENTITY, &*self.secret);
        lower.make_ascii_uppercase();
        Zeroizing::new(lower)
    }

    /// The identities of a file: one a line, beside empty lines and lines that begin with `#`.
    ///
    /// # Errors
    /// Which line is none, or that there is none.
    pub fn read_file(content: &[u8]) -> Result<Vec<Identity>, KeyFileError> {
        read_file(content)
    }
}

impl Recipient {
    /// The recipients of a file: one a line, beside empty lines and lines that begin with `#`.
    ///
    /// # Errors
    /// Which line is none, or that there is none.
    pub fn read_file(content: &[u8]) -> Result<Vec<Recipient>, KeyFileError> {
        read_file(content)
    }
}

fn read_file<K: FromStr<Err = KeyError>>(content: &[u8]) -> Result<Vec<K>, KeyFileError> {
    let text = str::from_utf8(content).map_err(|_| KeyFileError::NoText)?;
    let mut keys = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !line.is_empty() && !line.starts_with('#') {
            let key = line.parse();
            keys.push(key.map_err(|error| KeyFileError::Line { line: index + 1, error })?);
        }
    }
    if keys.is_empty() { Err(KeyFileError::Empty) } else { Ok(keys) }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&encode(RECIPIENT, &self.public))
    }
}

impl FromStr for Recipient {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        match decode(RECIPIENT, text) {
            Some(public) => Ok(Recipient { public: *public }),
            None if text.starts_with(IDENTITY) => Err(KeyError::SecretRecipient),
            None if text.starts_with("age1") && text.len() > 70 => Err(KeyError::OtherRecipient),
            None if text.starts_with("ssh-") => Err(KeyError::OtherRecipient),
            None => Err(KeyError::Recipient),
        }
    }
}

impl FromStr for Identity {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        match decode(IDENTITY, text) {
            Some(secret) => Ok(Identity { secret }),
            None if text.starts_with("age1") => Err(KeyError::PublicIdentity),
            None => Err(KeyError::Identity),
        }
    }
}

/// The Bech32 text of a key, in lower case.
fn encode(prefix: &str, key: &[u8]) -> String {
    let prefix = Hrp::parse(prefix).expect("the prefixes are right");
    // At once: what a text outgrows nobody wipes.
    let mut text = String::with_capacity(MAX_TEXT);
    let written = bech32::encode_lower_to_fmt::<Bech32, _>(&mut text, prefix, key);
    written.expect("a key fits into a text");
    text
}

/// The key that a Bech32 text of that prefix, in the prefix's case, stands for.
fn decode(prefix: &str, text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let rest = text.strip_prefix(prefix)?.strip_prefix('1')?;
    let lower = prefix == RECIPIENT;
    let other =
        |byte: u8| if lower { byte.is_ascii_uppercase() } else { byte.is_ascii_lowercase() };
    if rest.bytes().any(other) {
        return None;
    }
    let parsed = CheckedHrpstring::new::<Bech32>(text).ok()?;
    let mut key = Zeroizing::new([0; 32]);
    let mut bytes = parsed.byte_iter();
    for place in key.iter_mut() {
        *place = bytes.next()?;
    }
    // Bits behind the last byte have to be zero: then the text is the key's own.
    let mut own = encode(prefix, &*key);
    let canonical = bytes.next().is_none() && own.eq_ignore_ascii_case(text);
    own.zeroize();
    canonical.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_keys_are_read_as_they_were_written() {
        let identity = Identity::generate().expect("random bytes");
        let (secret, public) = (identity.to_text(), identity.recipient().to_string());
        assert!(secret.starts_with("AGE-SECRET-KEY-1") && public.starts_with("age1"));
        assert_eq!((secret.len(), public.len()), (74, 62));
        assert_eq!(secret.parse::<Identity>().expect("it is one").to_text(), secret);
        assert_eq!(public.parse::<Recipient>(), Ok(identity.recipient()));
        for wrong in [&public[..61], &public.to_uppercase(), &format!("{public}q"), "age1", ""] {
            assert_eq!(wrong.parse::<Recipient>(), Err(KeyError::Recipient), "{wrong}");
        }
        assert_eq!(secret.parse::<Recipient>(), Err(KeyError::SecretRecipient));
        assert_eq!(public.parse::<Identity>().err(), Some(KeyError::PublicIdentity));
        let lower = secret.to_lowercase();
        assert_eq!(lower.parse::<Identity>().err(), Some(KeyError::Identity));
        assert!(!format!("{identity:?}").contains("SECRET"));
    }

    #[test]
    fn files_of_keys_have_comments() {
        let identity = Identity::generate().expect("random bytes");
        let text = format!("# created\n\n{}\n", *identity.to_text());
        let read = Identity::read_file(text.as_bytes()).expect("it has one");
        assert_eq!(read[0].recipient(), identity.recipient());
        let error = Recipient::read_file(b"# none\n").expect_err("there is none");
        assert_eq!(error, KeyFileError::Empty);
        let error = Recipient::read_file(b"\nage1x\n").expect_err("it is none");
        assert!(error.to_string().starts_with("line 2 is no recipient"), "{error}");
    }
}
