//! Keys of public-key algorithms.
//!
//! A key is checked once, when it is made, and then only read. It is also read from
//! PEM and DER, and made of the numbers of RSA that there are.

mod curve;
mod encoding;
mod error;
mod numbers;
mod rsa;
mod slh_dsa;

use std::fmt;

use crate::algorithm::{Curve, PublicKeyAlgorithm};

pub use curve::{EcPrivateKey, EcPublicKey, Secret};
pub use error::KeyError;
pub use rsa::{RsaNumbers, RsaPrivateKey, RsaPublicKey};
pub use slh_dsa::{SlhDsaPrivateKey, SlhDsaPublicKey};

/// A private key. It is wiped when it is dropped.
///
/// [`PrivateKey::from_pem`] reads what `openssl genpkey` writes.
#[derive(Clone)]
#[non_exhaustive]
pub enum PrivateKey {
    /// For RSA.
    Rsa(RsaPrivateKey),
    /// For ECDSA and ECDH.
    Ec(EcPrivateKey),
    /// For X25519 (RFC 7748, 5): 32 bytes.
    X25519(Secret),
    /// For Ed25519 (RFC 8032, 5.1.5): 32 bytes.
    Ed25519(Secret),
    /// For SLH-DSA.
    SlhDsa(SlhDsaPrivateKey),
}

/// A public key.
///
/// [`PublicKey::from_pem`] reads what `openssl pkey -pubout` writes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// For RSA.
    Rsa(RsaPublicKey),
    /// For ECDSA; of ECDH it is a job's data.
    Ec(EcPublicKey),
    /// For Ed25519 (RFC 8032, 5.1.2): 32 bytes.
    Ed25519([u8; 32]),
    /// For SLH-DSA.
    SlhDsa(SlhDsaPublicKey),
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of {}", self.kind())
    }
}

/// What a key is of, in words.
fn kind(rsa: Option<&RsaPublicKey>, curve: Option<Curve>, other: &str) -> String {
    match (rsa, curve) {
        (Some(key), _) => format!("RSA with {} bits", 8 * key.size().modulus_len()),
        (_, Some(curve)) => format!("the curve {}", curve.name()),
        _ => other.to_owned(),
    }
}

impl PrivateKey {
    /// What the key is of, in words.
    pub(crate) fn kind(&self) -> String {
        match self {
            PrivateKey::Rsa(key) => kind(Some(key.public()), None, ""),
            PrivateKey::Ec(key) => kind(None, Some(key.curve()), ""),
            PrivateKey::X25519(_) => kind(None, None, "X25519"),
            PrivateKey::Ed25519(_) => kind(None, None, "Ed25519"),
            PrivateKey::SlhDsa(key) => kind(None, None, key.set().name()),
        }
    }

    /// The algorithm that signs with the key; `None` for X25519.
    pub fn signature_algorithm(&self) -> Option<PublicKeyAlgorithm> {
        match self {
            PrivateKey::Rsa(key) => Some(PublicKeyAlgorithm::Rsa(key.public().size())),
            PrivateKey::Ec(key) => Some(PublicKeyAlgorithm::Ecdsa(key.curve())),
            PrivateKey::Ed25519(_) => Some(PublicKeyAlgorithm::Ed25519),
            PrivateKey::SlhDsa(key) => Some(PublicKeyAlgorithm::SlhDsa(key.set())),
            PrivateKey::X25519(_) => None,
        }
    }

    /// The algorithm that agrees on secrets with the key; `None` for RSA, Ed25519 and SLH-DSA.
    pub fn agreement_algorithm(&self) -> Option<PublicKeyAlgorithm> {
        match self {
            PrivateKey::Ec(key) => Some(PublicKeyAlgorithm::Ecdh(key.curve())),
            PrivateKey::X25519(_) => Some(PublicKeyAlgorithm::X25519),
            PrivateKey::Rsa(_) | PrivateKey::Ed25519(_) | PrivateKey::SlhDsa(_) => None,
        }
    }

    /// Bytes that no other key has.
    pub(crate) fn secret(&self) -> &[u8] {
        match self {
            PrivateKey::Rsa(key) => key.d(),
            PrivateKey::Ec(key) => key.scalar(),
            PrivateKey::X25519(secret) | PrivateKey::Ed25519(secret) => secret.as_bytes(),
            PrivateKey::SlhDsa(key) => key.as_bytes(),
        }
    }
}

impl PublicKey {
    /// What the key is of, in words.
    pub(crate) fn kind(&self) -> String {
        match self {
            PublicKey::Rsa(key) => kind(Some(key), None, ""),
            PublicKey::Ec(key) => kind(None, Some(key.curve()), ""),
            PublicKey::Ed25519(_) => kind(None, None, "Ed25519"),
            PublicKey::SlhDsa(key) => kind(None, None, key.set().name()),
        }
    }

    /// The algorithm whose signatures the key verifies.
    pub fn signature_algorithm(&self) -> PublicKeyAlgorithm {
        match self {
            PublicKey::Rsa(key) => PublicKeyAlgorithm::Rsa(key.size()),
            PublicKey::Ec(key) => PublicKeyAlgorithm::Ecdsa(key.curve()),
            PublicKey::Ed25519(_) => PublicKeyAlgorithm::Ed25519,
            PublicKey::SlhDsa(key) => PublicKeyAlgorithm::SlhDsa(key.set()),
        }
    }

    /// Bytes that no other key has.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            PublicKey::Rsa(key) => [key.modulus(), key.exponent()].concat(),
            PublicKey::Ec(key) => key.point().to_vec(),
            PublicKey::Ed25519(bytes) => bytes.to_vec(),
            PublicKey::SlhDsa(key) => key.as_bytes().to_vec(),
        }
    }
}
