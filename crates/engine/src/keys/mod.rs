//! Keys of public-key algorithms.
//!
//! A key is checked once, when it is made, and then only read. It is also read from
//! PEM and DER, and made of the numbers of RSA that there are.

mod curve;
mod encoding;
mod error;
mod hybrid;
mod ml_dsa;
mod ml_kem;
mod numbers;
mod rsa;
mod seeded;
mod slh_dsa;

use std::fmt;

use crate::algorithm::{Curve, PublicKeyAlgorithm};

pub use curve::{EcPrivateKey, EcPublicKey, Secret};
pub use error::KeyError;
pub use hybrid::HybridPrivateKey;
pub use ml_dsa::{MlDsaPrivateKey, MlDsaPublicKey};
pub use ml_kem::{MlKemPrivateKey, MlKemPublicKey};
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
    /// For ML-DSA.
    MlDsa(MlDsaPrivateKey),
    /// For ML-KEM.
    MlKem(MlKemPrivateKey),
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
    /// For ML-DSA.
    MlDsa(MlDsaPublicKey),
    /// For ML-KEM; a job that encapsulates has it as its data.
    MlKem(MlKemPublicKey),
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of {}", self.kind())
    }
}

/// Names in words the algorithm of a key.
fn kind(rsa: Option<&RsaPublicKey>, curve: Option<Curve>, other: &str) -> String {
    match (rsa, curve) {
        (Some(key), _) => format!("RSA with {} bits", 8 * key.size().modulus_len()),
        (_, Some(curve)) => format!("the curve {}", curve.name()),
        _ => other.to_owned(),
    }
}

impl PrivateKey {
    /// Names in words the algorithm of the key.
    pub(crate) fn kind(&self) -> String {
        match self {
            PrivateKey::Rsa(key) => kind(Some(key.public()), None, ""),
            PrivateKey::Ec(key) => kind(None, Some(key.curve()), ""),
            PrivateKey::X25519(_) => kind(None, None, "X25519"),
            PrivateKey::Ed25519(_) => kind(None, None, "Ed25519"),
            PrivateKey::SlhDsa(key) => kind(None, None, key.set().name()),
            PrivateKey::MlDsa(key) => kind(None, None, key.set().name()),
            PrivateKey::MlKem(key) => kind(None, None, key.set().name()),
        }
    }

    /// The algorithm that signs with the key; `None` for X25519 and ML-KEM.
    pub fn signature_algorithm(&self) -> Option<PublicKeyAlgorithm> {
        match self {
            PrivateKey::Rsa(key) => Some(PublicKeyAlgorithm::Rsa(key.public().size())),
            PrivateKey::Ec(key) => Some(PublicKeyAlgorithm::Ecdsa(key.curve())),
            PrivateKey::Ed25519(_) => Some(PublicKeyAlgorithm::Ed25519),
            PrivateKey::SlhDsa(key) => Some(PublicKeyAlgorithm::SlhDsa(key.set())),
            PrivateKey::MlDsa(key) => Some(PublicKeyAlgorithm::MlDsa(key.set())),
            PrivateKey::X25519(_) | PrivateKey::MlKem(_) => None,
        }
    }

    /// The algorithm that agrees on secrets with the key; `None` for RSA, Ed25519, SLH-DSA, ML-DSA
    /// and ML-KEM.
    pub fn agreement_algorithm(&self) -> Option<PublicKeyAlgorithm> {
        match self {
            PrivateKey::Ec(key) => Some(PublicKeyAlgorithm::Ecdh(key.curve())),
            PrivateKey::X25519(_) => Some(PublicKeyAlgorithm::X25519),
            PrivateKey::Rsa(_)
            | PrivateKey::Ed25519(_)
            | PrivateKey::SlhDsa(_)
            | PrivateKey::MlDsa(_)
            | PrivateKey::MlKem(_) => None,
        }
    }

    /// Returns the algorithm that decapsulates secrets with the key; `None` for all but ML-KEM.
    pub fn encapsulation_algorithm(&self) -> Option<PublicKeyAlgorithm> {
        match self {
            PrivateKey::MlKem(key) => Some(PublicKeyAlgorithm::MlKem(key.set())),
            _ => None,
        }
    }

    /// Bytes that no other key has.
    pub(crate) fn secret(&self) -> &[u8] {
        match self {
            PrivateKey::Rsa(key) => key.d(),
            PrivateKey::Ec(key) => key.scalar(),
            PrivateKey::X25519(secret) | PrivateKey::Ed25519(secret) => secret.as_bytes(),
            PrivateKey::SlhDsa(key) => key.as_bytes(),
            PrivateKey::MlDsa(key) => key.as_bytes(),
            PrivateKey::MlKem(key) => key.as_bytes(),
        }
    }
}

impl PublicKey {
    /// Names in words the algorithm of the key.
    pub(crate) fn kind(&self) -> String {
        match self {
            PublicKey::Rsa(key) => kind(Some(key), None, ""),
            PublicKey::Ec(key) => kind(None, Some(key.curve()), ""),
            PublicKey::Ed25519(_) => kind(None, None, "Ed25519"),
            PublicKey::SlhDsa(key) => kind(None, None, key.set().name()),
            PublicKey::MlDsa(key) => kind(None, None, key.set().name()),
            PublicKey::MlKem(key) => kind(None, None, key.set().name()),
        }
    }

    /// The algorithm whose signatures the key verifies; of ML-KEM, which has none, the algorithm
    /// that encapsulates for the key.
    pub fn signature_algorithm(&self) -> PublicKeyAlgorithm {
        match self {
            PublicKey::Rsa(key) => PublicKeyAlgorithm::Rsa(key.size()),
            PublicKey::Ec(key) => PublicKeyAlgorithm::Ecdsa(key.curve()),
            PublicKey::Ed25519(_) => PublicKeyAlgorithm::Ed25519,
            PublicKey::SlhDsa(key) => PublicKeyAlgorithm::SlhDsa(key.set()),
            PublicKey::MlDsa(key) => PublicKeyAlgorithm::MlDsa(key.set()),
            PublicKey::MlKem(key) => PublicKeyAlgorithm::MlKem(key.set()),
        }
    }

    /// Bytes that no other key has.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            PublicKey::Rsa(key) => [key.modulus(), key.exponent()].concat(),
            PublicKey::Ec(key) => key.point().to_vec(),
            PublicKey::Ed25519(bytes) => bytes.to_vec(),
            PublicKey::SlhDsa(key) => key.as_bytes().to_vec(),
            PublicKey::MlDsa(key) => key.as_bytes().to_vec(),
            PublicKey::MlKem(key) => key.as_bytes().to_vec(),
        }
    }
}
