//! The crate ring.

use broadloom_engine::{AeadAlgorithm, AesSize, Algorithm, Direction, HashAlgorithm, MacAlgorithm};
use ring::aead::{self, Aad, LessSafeKey, Nonce, Tag, UnboundKey};
use ring::{digest, hmac};

use super::Absent;
use super::buffers::{Buffers, Message};
use super::one_by_one::{Key, OneByOne, in_place};
use crate::names::Peer;

/// The versions that the crate is asked for in.
pub const VERSION: &str = "0.17";

/// What the crate calls an algorithm.
enum Method {
    Digest(&'static digest::Algorithm),
    Hmac(hmac::Algorithm),
    Aead(&'static aead::Algorithm),
}

fn method(algorithm: Algorithm, direction: Direction) -> Option<Method> {
    Some(match algorithm {
        _ if direction == Direction::Verify => return None,
        Algorithm::Hash(HashAlgorithm::Sha1) => Method::Digest(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        Algorithm::Hash(HashAlgorithm::Sha256) => Method::Digest(&digest::SHA256),
        Algorithm::Hash(HashAlgorithm::Sha384) => Method::Digest(&digest::SHA384),
        Algorithm::Hash(HashAlgorithm::Sha512) => Method::Digest(&digest::SHA512),
        Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha1)) => {
            Method::Hmac(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY)
        }
        Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha256)) => {
            Method::Hmac(hmac::HMAC_SHA256)
        }
        Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha384)) => {
            Method::Hmac(hmac::HMAC_SHA384)
        }
        Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha512)) => {
            Method::Hmac(hmac::HMAC_SHA512)
        }
        Algorithm::Aead(AeadAlgorithm::AesGcm(AesSize::Aes128)) => Method::Aead(&aead::AES_128_GCM),
        Algorithm::Aead(AeadAlgorithm::AesGcm(AesSize::Aes256)) => Method::Aead(&aead::AES_256_GCM),
        Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => Method::Aead(&aead::CHACHA20_POLY1305),
        _ => return None,
    })
}

/// Why the crate is not measured at an algorithm in a direction; `None` if it is.
pub fn lacks(algorithm: Algorithm, direction: Direction) -> Option<String> {
    let lacking = format!("it is not measured at {algorithm} {direction}");
    method(algorithm, direction).is_none().then_some(lacking)
}

/// Sets the crate up for work on these buffers.
pub fn new(buffers: Buffers<'_>) -> Result<impl super::Bare + '_, Absent> {
    let algorithm = buffers.algorithm();
    OneByOne::new(Peer::Ring, VERSION, buffers, |key, direction| {
        let refused = || format!("it refuses a key of {} bytes", key.len());
        let lacking = || lacks(algorithm, direction).unwrap_or_default();
        Ok(match method(algorithm, direction).ok_or_else(lacking)? {
            Method::Digest(hash) => Ready::Digest(hash),
            Method::Hmac(hash) => Ready::Hmac(hmac::Key::new(hash, key)),
            Method::Aead(aead) => {
                let key = UnboundKey::new(aead, key).map_err(|_| refused())?;
                Ready::Aead(LessSafeKey::new(key))
            }
        })
    })
}

/// A key that is ready for use.
#[allow(clippy::large_enum_variant, reason = "keys are where a user of the crate has them")]
enum Ready {
    Digest(&'static digest::Algorithm),
    Hmac(hmac::Key),
    Aead(LessSafeKey),
}

impl Key for Ready {
    #[inline]
    fn process(&self, mut message: Message<'_>) -> Option<()> {
        match self {
            Ready::Digest(hash) => {
                message.output.copy_from_slice(digest::digest(hash, message.input).as_ref());
            }
            Ready::Hmac(key) => {
                message.output.copy_from_slice(hmac::sign(key, message.input).as_ref());
            }
            Ready::Aead(key) => {
                let nonce = Nonce::try_assume_unique_for_key(message.nonce).ok()?;
                let associated = Aad::from(message.associated);
                match message.expected.is_empty() {
                    true => {
                        let text = in_place(&mut message);
                        let tag = key.seal_in_place_separate_tag(nonce, associated, text).ok()?;
                        message.tag.copy_from_slice(tag.as_ref());
                    }
                    false => {
                        let tag = Tag::try_from(message.expected).ok()?;
                        let text = in_place(&mut message);
                        key.open_in_place_separate_tag(nonce, associated, tag, text, 0..).ok()?;
                    }
                }
            }
        }
        Some(())
    }
}
