//! Traffic secrets, and the keys that are derived from them (RFC 9001, 5.1; RFC 8446, 7.1).

use arrayvec::ArrayVec;
use hkdf::Hkdf;
use sha2::{Sha256, Sha384};
use zeroize::Zeroizing;

use super::suite::{QuicSuite, QuicVersion};
use crate::error::FlowError;

/// The longest secret, in bytes: a digest of SHA-384.
const MAX_SECRET: usize = 48;

/// A traffic secret of a suite. Wiped when dropped.
#[derive(Clone)]
pub(super) struct Secret {
    bytes: Zeroizing<[u8; MAX_SECRET]>,
    suite: QuicSuite,
}

impl Secret {
    /// Returns the secret of these bytes.
    ///
    /// # Errors
    /// It is not as long as the suite's hash.
    pub(super) fn new(suite: QuicSuite, secret: &[u8]) -> Result<Self, FlowError> {
        if secret.len() != suite.secret_len() {
            return Err(FlowError::KeyLength {
                what: "a traffic secret",
                len: secret.len(),
                algorithm: suite.name().to_owned(),
                valid: format!("{} bytes", suite.secret_len()),
            });
        }
        let mut bytes = Zeroizing::new([0; MAX_SECRET]);
        bytes[..secret.len()].copy_from_slice(secret);
        Ok(Secret { bytes, suite })
    }

    /// Derives bytes for the purpose that a label names.
    pub(super) fn derive(&self, label: &str, out: &mut [u8]) {
        let secret = &self.bytes[..self.suite.secret_len()];
        let info = label_info(label, out.len());
        let expanded = match self.suite {
            QuicSuite::Aes256Gcm => {
                Hkdf::<Sha384>::from_prk(secret).map(|hkdf| hkdf.expand(&info, out))
            }
            _ => Hkdf::<Sha256>::from_prk(secret).map(|hkdf| hkdf.expand(&info, out)),
        };
        expanded.expect("a secret is a digest").expect("a key is no longer than 255 digests");
    }

    /// Derives the secret of the next generation of keys (RFC 9001, 6.1).
    pub(super) fn next(&self, version: QuicVersion) -> Secret {
        let mut bytes = Zeroizing::new([0; MAX_SECRET]);
        self.derive(version.labels().update, &mut bytes[..self.suite.secret_len()]);
        Secret { bytes, suite: self.suite }
    }
}

/// Returns what HKDF-Expand-Label gives to HKDF-Expand, with an empty context.
fn label_info(label: &str, len: usize) -> ArrayVec<u8, 32> {
    const PREFIX: &[u8] = b"tls13 ";
    let mut info = ArrayVec::new();
    info.extend((len as u16).to_be_bytes());
    info.push((PREFIX.len() + label.len()) as u8);
    info.extend(PREFIX.iter().chain(label.as_bytes()).copied());
    info.push(0);
    info
}

/// The traffic secrets of Initial packets. Wiped when dropped.
#[derive(Clone)]
pub struct InitialSecrets {
    /// Protects what the client sends.
    pub client: Zeroizing<[u8; 32]>,
    /// Protects what the server sends.
    pub server: Zeroizing<[u8; 32]>,
}

impl InitialSecrets {
    /// Derives the secrets from the Destination Connection ID of the client's first Initial packet
    /// (RFC 9001, 5.2).
    pub fn new(version: QuicVersion, connection_id: &[u8]) -> Self {
        let salt = version.initial_salt();
        let (_, hkdf) = Hkdf::<Sha256>::extract(Some(salt), connection_id);
        let derive = |label| {
            let mut secret = Zeroizing::new([0; 32]);
            let derived = hkdf.expand(&label_info(label, 32), &mut *secret);
            derived.expect("32 bytes can be derived");
            secret
        };
        InitialSecrets { client: derive("client in"), server: derive("server in") }
    }
}
