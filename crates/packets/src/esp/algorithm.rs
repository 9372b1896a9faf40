//! The algorithms of ESP, and what each adds to a packet.

use std::fmt;
use std::str::FromStr;

use broadloom_engine::{AeadAlgorithm, AesSize, CipherAlgorithm, HashAlgorithm, MacAlgorithm};

use crate::error::FlowError;

/// A hash with which HMAC authenticates ESP, and the length to which the tag is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EspHash {
    /// HMAC-SHA1-96 (RFC 2404).
    Sha1,
    /// HMAC-SHA-256-128 (RFC 4868).
    Sha256,
    /// HMAC-SHA-384-192 (RFC 4868).
    Sha384,
    /// HMAC-SHA-512-256 (RFC 4868).
    Sha512,
}

impl EspHash {
    /// All of them.
    pub const ALL: [EspHash; 4] =
        [EspHash::Sha1, EspHash::Sha256, EspHash::Sha384, EspHash::Sha512];

    /// Returns the bytes of the key, which RFC 2404 and RFC 4868 fix.
    pub fn key_len(self) -> usize {
        self.algorithm().digest_len()
    }

    /// Returns the bytes of the truncated tag.
    pub fn tag_len(self) -> usize {
        match self {
            EspHash::Sha1 => 12,
            hash => hash.key_len() / 2,
        }
    }

    fn algorithm(self) -> HashAlgorithm {
        match self {
            EspHash::Sha1 => HashAlgorithm::Sha1,
            EspHash::Sha256 => HashAlgorithm::Sha256,
            EspHash::Sha384 => HashAlgorithm::Sha384,
            EspHash::Sha512 => HashAlgorithm::Sha512,
        }
    }

    pub(super) fn mac(self) -> MacAlgorithm {
        MacAlgorithm::Hmac(self.algorithm())
    }
}

/// An algorithm of ESP: how packets are encrypted and authenticated.
///
/// ```
/// use broadloom_engine::AesSize;
/// use broadloom_packets::esp::{EspAlgorithm, EspHash};
///
/// let algorithm: EspAlgorithm = "esp-aes-128-cbc-hmac-sha1".parse()?;
/// assert_eq!(algorithm, EspAlgorithm::AesCbc(AesSize::Aes128, EspHash::Sha1));
/// assert_eq!(EspAlgorithm::AesGcm(AesSize::Aes256).to_string(), "esp-aes-256-gcm");
/// # Ok::<(), broadloom_packets::FlowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EspAlgorithm {
    /// AES-GCM with a tag of 16 bytes (RFC 4106).
    AesGcm(AesSize),
    /// AES-GMAC: nothing is encrypted, all is authenticated (RFC 4543).
    AesGmac(AesSize),
    /// AES-CCM with a tag of 16 bytes (RFC 4309).
    AesCcm(AesSize),
    /// ChaCha20-Poly1305 (RFC 7634).
    ChaCha20Poly1305,
    /// AES-CBC (RFC 3602) with HMAC.
    AesCbc(AesSize, EspHash),
    /// AES-CTR (RFC 3686) with HMAC.
    AesCtr(AesSize, EspHash),
    /// HMAC alone: nothing is encrypted (RFC 2410).
    Null(EspHash),
}

impl EspAlgorithm {
    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = EspAlgorithm> {
        use EspAlgorithm::*;
        let sized = [AesGcm, AesGmac, AesCcm].into_iter();
        let sized = sized.flat_map(|algorithm| AesSize::ALL.map(algorithm));
        let chains = [AesCbc, AesCtr].into_iter().flat_map(|algorithm| {
            AesSize::ALL.into_iter().flat_map(move |size| {
                EspHash::ALL.into_iter().map(move |hash| algorithm(size, hash))
            })
        });
        sized.chain([ChaCha20Poly1305]).chain(chains).chain(EspHash::ALL.map(Null))
    }

    /// Returns the bytes of the key of the cipher or the AEAD; 0 if there is none.
    pub fn key_len(self) -> usize {
        match self {
            EspAlgorithm::AesGcm(size)
            | EspAlgorithm::AesGmac(size)
            | EspAlgorithm::AesCcm(size)
            | EspAlgorithm::AesCbc(size, _)
            | EspAlgorithm::AesCtr(size, _) => size.key_len(),
            EspAlgorithm::ChaCha20Poly1305 => 32,
            EspAlgorithm::Null(_) => 0,
        }
    }

    /// Returns the bytes of the salt, which key exchanges deliver behind the key; 0 if there is
    /// none. RFC 3686 calls it a nonce.
    pub fn salt_len(self) -> usize {
        match self {
            EspAlgorithm::AesGcm(_)
            | EspAlgorithm::AesGmac(_)
            | EspAlgorithm::ChaCha20Poly1305
            | EspAlgorithm::AesCtr(..) => 4,
            EspAlgorithm::AesCcm(_) => 3,
            EspAlgorithm::AesCbc(..) | EspAlgorithm::Null(_) => 0,
        }
    }

    /// Returns the bytes of the key of HMAC; 0 if the algorithm has none.
    pub fn integrity_key_len(self) -> usize {
        self.hash().map_or(0, EspHash::key_len)
    }

    /// Returns the bytes of the IV, which follows the ESP header in each packet.
    pub fn iv_len(self) -> usize {
        match self {
            EspAlgorithm::AesCbc(..) => 16,
            EspAlgorithm::Null(_) => 0,
            _ => 8,
        }
    }

    /// Returns the bytes of the tag, which RFC 4303 calls the integrity check value.
    pub fn tag_len(self) -> usize {
        self.hash().map_or(16, EspHash::tag_len)
    }

    /// Returns the number of bytes of which payload, padding and trailer are a multiple together.
    pub fn alignment(self) -> usize {
        match self {
            EspAlgorithm::AesCbc(..) => 16,
            _ => 4,
        }
    }

    pub(super) fn hash(self) -> Option<EspHash> {
        match self {
            EspAlgorithm::AesCbc(_, hash)
            | EspAlgorithm::AesCtr(_, hash)
            | EspAlgorithm::Null(hash) => Some(hash),
            _ => None,
        }
    }

    /// Returns the engine's AEAD; `None` if the algorithm is none.
    pub(super) fn aead(self) -> Option<AeadAlgorithm> {
        match self {
            EspAlgorithm::AesGcm(size) => Some(AeadAlgorithm::AesGcm(size)),
            EspAlgorithm::AesCcm(size) => Some(AeadAlgorithm::AesCcm(size)),
            EspAlgorithm::ChaCha20Poly1305 => Some(AeadAlgorithm::ChaCha20Poly1305),
            _ => None,
        }
    }

    /// Returns the engine's cipher of a chain; `None` if the algorithm is none.
    ///
    /// The cipher of AES-CTR counts with 128 bits, and RFC 3686 with 32, from 1 on. No packet has
    /// the 2^32 blocks after which the two would differ.
    pub(super) fn cipher(self) -> Option<CipherAlgorithm> {
        match self {
            EspAlgorithm::AesCbc(size, _) => Some(CipherAlgorithm::AesCbc(size)),
            EspAlgorithm::AesCtr(size, _) => Some(CipherAlgorithm::AesCtr(size)),
            _ => None,
        }
    }
}

impl fmt::Display for EspHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hmac-{}", self.algorithm())
    }
}

impl fmt::Display for EspAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.key_len() * 8;
        match self {
            EspAlgorithm::AesGcm(_) => write!(f, "esp-aes-{bits}-gcm"),
            EspAlgorithm::AesGmac(_) => write!(f, "esp-aes-{bits}-gmac"),
            EspAlgorithm::AesCcm(_) => write!(f, "esp-aes-{bits}-ccm"),
            EspAlgorithm::ChaCha20Poly1305 => f.write_str("esp-chacha20-poly1305"),
            EspAlgorithm::AesCbc(_, hash) => write!(f, "esp-aes-{bits}-cbc-{hash}"),
            EspAlgorithm::AesCtr(_, hash) => write!(f, "esp-aes-{bits}-ctr-{hash}"),
            EspAlgorithm::Null(hash) => write!(f, "esp-null-{hash}"),
        }
    }
}

impl FromStr for EspAlgorithm {
    type Err = FlowError;

    /// Finds an algorithm by its name.
    ///
    /// # Errors
    /// [`FlowError::Parameter`], with the names that there are.
    fn from_str(name: &str) -> Result<Self, FlowError> {
        EspAlgorithm::all().find(|algorithm| algorithm.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = EspAlgorithm::all().map(|known| known.to_string()).collect();
            FlowError::Parameter {
                what: "an algorithm of ESP",
                value: name.to_owned(),
                valid: names.join(", "),
            }
        })
    }
}
