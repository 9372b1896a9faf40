//! The names that the command line and the JSON share.
//!
//! Every type here prints as its name and parses from it; a wrong name is an error that lists the
//! right ones.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::PerfError;

/// A hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HashName {
    /// MD5 (RFC 1321).
    Md5,
    /// SHA-1 (FIPS 180-4).
    Sha1,
    /// SHA-224 (FIPS 180-4).
    Sha224,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
}

impl HashName {
    /// All of them, in the order of their listing in help and errors.
    pub const ALL: [HashName; 6] = [
        HashName::Md5,
        HashName::Sha1,
        HashName::Sha224,
        HashName::Sha256,
        HashName::Sha384,
        HashName::Sha512,
    ];

    /// Bytes that one compression consumes.
    pub const fn block_len(self) -> usize {
        match self {
            HashName::Sha384 | HashName::Sha512 => 128,
            _ => 64,
        }
    }

    /// Bytes of a digest.
    pub const fn digest_len(self) -> usize {
        match self {
            HashName::Md5 => 16,
            HashName::Sha1 => 20,
            HashName::Sha224 => 28,
            HashName::Sha256 => 32,
            HashName::Sha384 => 48,
            HashName::Sha512 => 64,
        }
    }

    /// Compressions that a message of `len` bytes costs, its padding included.
    pub const fn blocks(self, len: usize) -> usize {
        let padding = 1 + self.block_len() / 8;
        (len + padding).div_ceil(self.block_len())
    }

    const fn name(self) -> &'static str {
        match self {
            HashName::Md5 => "md5",
            HashName::Sha1 => "sha1",
            HashName::Sha224 => "sha224",
            HashName::Sha256 => "sha256",
            HashName::Sha384 => "sha384",
            HashName::Sha512 => "sha512",
        }
    }
}

/// The length of an AES key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AesSize {
    /// 16 bytes, 10 rounds.
    Aes128,
    /// 24 bytes, 12 rounds.
    Aes192,
    /// 32 bytes, 14 rounds.
    Aes256,
}

impl AesSize {
    /// Bytes of the key.
    pub const fn key_len(self) -> usize {
        match self {
            AesSize::Aes128 => 16,
            AesSize::Aes192 => 24,
            AesSize::Aes256 => 32,
        }
    }

    /// Rounds of the cipher (FIPS 197).
    pub const fn rounds(self) -> usize {
        match self {
            AesSize::Aes128 => 10,
            AesSize::Aes192 => 12,
            AesSize::Aes256 => 14,
        }
    }
}

/// What is done to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// A plain digest.
    Digest(HashName),
    /// HMAC (RFC 2104) with a key whose inner and outer states are expanded once.
    Hmac(HashName),
    /// AES in CBC mode (SP 800-38A), without padding.
    AesCbc(AesSize),
}

impl Algorithm {
    /// Every algorithm that can be measured.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        HashName::ALL
            .into_iter()
            .map(Algorithm::Digest)
            .chain(HashName::ALL.into_iter().map(Algorithm::Hmac))
            .chain([AesSize::Aes128, AesSize::Aes192, AesSize::Aes256].map(Algorithm::AesCbc))
    }

    /// The directions that make sense for it, the usual one first.
    pub const fn directions(self) -> &'static [Direction] {
        match self {
            Algorithm::Digest(_) => &[Direction::Digest],
            Algorithm::Hmac(_) => &[Direction::Generate],
            Algorithm::AesCbc(_) => &[Direction::Encrypt, Direction::Decrypt],
        }
    }

    /// The order in which source 000 ran its kind: hashes out of order, AES in order.
    pub const fn usual_order(self) -> Order {
        match self {
            Algorithm::AesCbc(_) => Order::InOrder,
            _ => Order::OutOfOrder,
        }
    }

    /// The length that a buffer asked to be `len` bytes long really has: for AES-CBC the next
    /// multiple of 16, else `len`.
    pub const fn fit(self, len: usize) -> usize {
        match self {
            Algorithm::AesCbc(_) => len.next_multiple_of(16),
            _ => len,
        }
    }

    /// Bytes of output for a buffer of `len` bytes.
    pub const fn output_len(self, len: usize) -> usize {
        match self {
            Algorithm::Digest(hash) | Algorithm::Hmac(hash) => hash.digest_len(),
            Algorithm::AesCbc(_) => len,
        }
    }

    /// Bytes of a key: none for a digest, the digest's length for HMAC.
    pub const fn key_len(self) -> usize {
        match self {
            Algorithm::Digest(_) => 0,
            Algorithm::Hmac(hash) => hash.digest_len(),
            Algorithm::AesCbc(size) => size.key_len(),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Digest(hash) => f.write_str(hash.name()),
            Algorithm::Hmac(hash) => write!(f, "hmac-{}", hash.name()),
            Algorithm::AesCbc(size) => write!(f, "aes-{}-cbc", size.key_len() * 8),
        }
    }
}

/// What a transform does to its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// A hash of the buffer.
    Digest,
    /// A tag over the buffer.
    Generate,
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// The order in which a manager gives jobs back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// The order of submission.
    InOrder,
    /// The order in which they complete.
    OutOfOrder,
}

/// Where the buffers are when the clock starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cache {
    /// As the run before left them: in the nearest cache that holds them.
    Warm,
    /// In memory: every line of the input buffers was evicted. Keys and code stay warm.
    Cold,
}

/// How jobs are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// A whole burst at once, all of it complete at the end.
    Burst,
    /// One job a call, in a stream that never pauses; what is left is flushed at its end.
    Stream,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Buffers in a given time.
    Throughput,
    /// Time from handing a job over to having it back.
    Latency,
    /// Whether results are right; nothing is timed.
    Verify,
}

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// Broadloom's own lanes.
    Native,
    /// OpenSSL 3's libcrypto.
    OpenSsl,
    /// Intel's multi-buffer library for IPsec.
    IpsecMb,
}

/// A provider to measure against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Peer {
    /// OpenSSL 3's libcrypto.
    OpenSsl,
    /// Intel's multi-buffer library for IPsec.
    IpsecMb,
}

impl From<Peer> for Provider {
    fn from(peer: Peer) -> Provider {
        match peer {
            Peer::OpenSsl => Provider::OpenSsl,
            Peer::IpsecMb => Provider::IpsecMb,
        }
    }
}

/// Finds the value that prints as `name`, or lists them all in an error.
fn parse<T: fmt::Display>(
    what: &'static str,
    name: &str,
    all: impl IntoIterator<Item = T>,
) -> Result<T, PerfError> {
    let mut valid = Vec::new();
    for value in all {
        let text = value.to_string();
        if text == name {
            return Ok(value);
        }
        valid.push(text);
    }
    Err(PerfError::Name { what, name: name.to_owned(), valid: valid.join(", ") })
}

impl FromStr for Algorithm {
    type Err = PerfError;

    fn from_str(name: &str) -> Result<Self, PerfError> {
        parse("algorithm", name, Algorithm::all())
    }
}

/// Gives a plain enum its names, and what follows from them.
macro_rules! named {
    ($type:ident, $what:literal, { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in the order in which errors list them.
            pub const ALL: &[$type] = &[$($type::$variant),+];

            /// The name, as the command line and the JSON have it.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = PerfError;

            fn from_str(name: &str) -> Result<Self, PerfError> {
                parse($what, name, $type::ALL.iter().copied())
            }
        }
    };
}

named!(Direction, "direction", {
    Digest => "digest",
    Generate => "generate",
    Encrypt => "encrypt",
    Decrypt => "decrypt",
});
named!(Order, "order", { InOrder => "in-order", OutOfOrder => "out-of-order" });
named!(Cache, "cache state", { Warm => "warm", Cold => "cold" });
named!(Mode, "mode", { Burst => "burst", Stream => "stream" });
named!(Kind, "kind", { Throughput => "throughput", Latency => "latency", Verify => "verify" });
named!(Provider, "provider", {
    Native => "native",
    OpenSsl => "openssl",
    IpsecMb => "ipsec-mb",
});
named!(Peer, "peer", { OpenSsl => "openssl", IpsecMb => "ipsec-mb" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_parses_from_what_it_prints() {
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
        }
        assert_eq!("hmac-sha1".parse::<Algorithm>().unwrap(), Algorithm::Hmac(HashName::Sha1));
        assert_eq!("aes-192-cbc".parse::<Algorithm>().unwrap(), Algorithm::AesCbc(AesSize::Aes192));
    }

    #[test]
    fn a_wrong_peer_is_told_the_right_ones() {
        let error = "openssl3".parse::<Peer>().unwrap_err().to_string();
        assert!(error.contains("\"openssl3\""), "{error}");
        assert!(error.contains("openssl, ipsec-mb"), "{error}");
    }

    #[test]
    fn blocks_count_the_padding() {
        assert_eq!(HashName::Sha1.blocks(0), 1);
        assert_eq!(HashName::Sha1.blocks(55), 1);
        assert_eq!(HashName::Sha1.blocks(56), 2);
        assert_eq!(HashName::Sha512.blocks(111), 1);
        assert_eq!(HashName::Sha512.blocks(112), 2);
    }
}
