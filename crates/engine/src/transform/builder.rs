//! The builders of transforms, and the rules of keys that are bytes.

use broadloom_lanes::public;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{Transform, TransformError};
use crate::algorithm::{Algorithm, CipherAlgorithm, Compression, Direction, KeyParts, Lengths};

/// A transform that is not complete: the last call says its direction.
#[must_use]
pub struct Builder<Kind> {
    algorithm: Algorithm,
    key: Zeroizing<Vec<u8>>,
    mac_key: Zeroizing<Vec<u8>>,
    tag_len: usize,
    compression: Compression,
    allows_weak_keys: bool,
    kind: Kind,
}

/// The kinds of [`Builder`].
pub mod kind {
    /// A message authentication code.
    pub struct Mac;
    /// A cipher.
    pub struct Cipher;
    /// Authenticated encryption.
    pub struct Aead;
    /// A cipher and a MAC.
    pub struct Chain;
    /// Any algorithm, in a direction that is known only at run time.
    pub struct Any(pub(in crate::transform) crate::algorithm::Direction);
}

impl<Kind> Builder<Kind> {
    pub(super) fn new(kind: Kind, algorithm: Algorithm, key: &[u8], mac_key: &[u8]) -> Self {
        Builder {
            algorithm,
            key: Zeroizing::new(key.to_vec()),
            mac_key: Zeroizing::new(mac_key.to_vec()),
            tag_len: algorithm.tag_len(),
            compression: Compression::default(),
            allows_weak_keys: false,
            kind,
        }
    }

    fn finish(self, direction: Direction) -> Result<Transform, TransformError> {
        let Builder { algorithm, key, mac_key, tag_len, compression, allows_weak_keys, .. } = self;
        if let Algorithm::PublicKey(algorithm) = algorithm {
            return Err(TransformError::NoKeyPair { algorithm });
        }
        if !algorithm.directions().contains(&direction) {
            return Err(TransformError::Direction { algorithm, direction });
        }
        let check_key = |part: &'static str, len: usize, valid: Lengths| match valid.contains(len) {
            true => Ok(()),
            false => Err(TransformError::KeyLength { algorithm, part, len, valid }),
        };
        let (part, valid_mac_key) = match algorithm {
            Algorithm::Chain(_, mac, _) => ("cipher key", mac.key_lens()),
            _ => ("key", Lengths::NONE),
        };
        check_key(part, key.len(), algorithm.key_lens())?;
        check_key("MAC key", mac_key.len(), valid_mac_key)?;
        if let Algorithm::Chain(_, mac, _) = algorithm
            && !mac.nonce_lens().is_none()
        {
            return Err(TransformError::MacInChain { mac });
        }
        let key = match algorithm.cipher() {
            Some(cipher) => with_third_key(cipher, key),
            None => key,
        };
        if let Some(cipher) = algorithm.cipher() {
            check_parts(cipher, &key, allows_weak_keys)?;
        }
        if !algorithm.tag_lens().contains(tag_len) {
            return Err(TransformError::TagLength { algorithm, len: tag_len });
        }
        if let Algorithm::Compression(algorithm) = algorithm
            && !Compression::WINDOWS.contains(&compression.window)
        {
            return Err(TransformError::Window { algorithm, window: compression.window });
        }
        Ok(Transform {
            algorithm,
            direction,
            key,
            mac_key,
            tag_len,
            compression,
            asymmetric: None,
            label: String::new(),
        })
    }
}

impl Builder<kind::Any> {
    /// Sets how to compress. Of a decompression, only the checksum counts. Transforms that are no
    /// compression ignore it.
    pub fn compression(mut self, how: Compression) -> Self {
        self.compression = how;
        self
    }

    /// The transform.
    ///
    /// # Errors
    /// As those of the typed builders, and [`TransformError::Direction`].
    pub fn build(self) -> Result<Transform, TransformError> {
        let kind::Any(direction) = self.kind;
        self.finish(direction)
    }
}

/// What has a tag can have a shorter one.
macro_rules! tag_len {
    ($($kind:ident),*) => { $(
        impl Builder<kind::$kind> {
            /// Truncates the tag to so many bytes; without it the tag is whole.
            pub fn tag_len(mut self, len: usize) -> Self {
                self.tag_len = len;
                self
            }
        }
    )* };
}

tag_len!(Mac, Aead, Chain, Any);

/// What has a cipher can have a weak key.
macro_rules! weak_keys {
    ($($kind:ident),*) => { $(
        impl Builder<kind::$kind> {
            /// Takes keys for triple DES of which two neighbours are equal, so that no more is done
            /// than DES. They are refused otherwise (SP 800-67, 3.3.2); what was made with one has
            /// to be read all the same.
            pub fn allow_weak_keys(mut self) -> Self {
                self.allows_weak_keys = true;
                self
            }
        }
    )* };
}

weak_keys!(Cipher, Chain, Any);

/// The key of triple DES with the first of two keys behind them, as the third (SP 800-67, 3.1); any
/// other as it is.
fn with_third_key(cipher: CipherAlgorithm, key: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
    let row = cipher.row();
    if row.key_parts != KeyParts::TripleDes || key.len() == row.key_len {
        return key;
    }
    // At once: what a vector outgrows nobody wipes.
    let mut whole = Zeroizing::new(Vec::with_capacity(row.key_len));
    whole.extend_from_slice(&key);
    whole.extend_from_slice(&key[..8]);
    whole
}

/// Refuses keys made of parts that have to differ and do not. In constant time.
fn check_parts(cipher: CipherAlgorithm, key: &[u8], weak: bool) -> Result<(), TransformError> {
    match cipher.row().key_parts {
        KeyParts::Halves => {
            let (data, tweak) = key.split_at(key.len() / 2);
            if public(data.ct_eq(tweak)) {
                return Err(TransformError::EqualHalves { cipher });
            }
        }
        KeyParts::TripleDes if !weak => {
            // The lowest bit of each byte is parity, and no part of the key.
            let differ = |one: usize, other: usize| {
                let part = |number: usize| key[8 * number..][..8].iter();
                part(one).zip(part(other)).fold(0, |sum, (one, other)| sum | (one ^ other)) & 0xfe
            };
            let [first, second] =
                [differ(0, 1), differ(1, 2)].map(|difference| difference.ct_eq(&0));
            if public(first) {
                return Err(TransformError::WeakKey { cipher, equal: (1, 2) });
            }
            if public(second) {
                return Err(TransformError::WeakKey { cipher, equal: (2, 3) });
            }
        }
        KeyParts::TripleDes | KeyParts::Any => {}
    }
    Ok(())
}

/// A direction that a kind of transform has.
macro_rules! direction {
    ($kind:ident, $name:ident, $direction:ident, $doc:literal) => {
        impl Builder<kind::$kind> {
            #[doc = $doc]
            ///
            /// # Errors
            /// The length of a key or of the tag does not fit the algorithm; parts of the key are
            /// equal that must not be; or a chain has a MAC that takes a nonce of its own.
            pub fn $name(self) -> Result<Transform, TransformError> {
                self.finish(Direction::$direction)
            }
        }
    };
}

direction!(Mac, generate, Generate, "The transform that makes tags.");
direction!(Mac, verify, Verify, "The transform that checks tags, in constant time.");
direction!(Cipher, encrypt, Encrypt, "The transform that encrypts.");
direction!(Cipher, decrypt, Decrypt, "The transform that decrypts.");
direction!(Aead, seal, Seal, "The transform that encrypts and makes tags.");
direction!(Aead, open, Open, "The transform that checks tags and decrypts.");
direction!(Chain, encrypt, Encrypt, "The transform that encrypts and makes tags.");
direction!(Chain, decrypt, Decrypt, "The transform that checks tags and decrypts.");
