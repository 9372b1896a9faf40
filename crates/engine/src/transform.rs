//! Transforms: what a session is to do, with its keys.

use std::fmt;
use std::marker::PhantomData;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::algorithm::{
    AeadAlgorithm, Algorithm, ChainOrder, Checksum, CipherAlgorithm, Compression, CompressionAlgorithm,
    Direction, HashAlgorithm, MacAlgorithm,
};

/// An algorithm, a direction, the keys and the length of the tag, or how to compress: what a session is
/// opened for.
///
/// Made by typed builders, so that a cipher cannot be told to verify, nor a hash to take a key:
///
/// ```
/// use broadloom_engine::{AeadAlgorithm, AesSize, HashAlgorithm, MacAlgorithm, Transform};
///
/// let digest = Transform::hash(HashAlgorithm::Sha256);
/// let verify = Transform::mac(MacAlgorithm::Hmac(HashAlgorithm::Sha1), b"key").tag_len(12).verify()?;
/// let seal = Transform::aead(AeadAlgorithm::AesGcm(AesSize::Aes128), &[7; 16]).seal()?;
/// # Ok::<(), broadloom_engine::TransformError>(())
/// ```
///
/// ```compile_fail
/// use broadloom_engine::{CipherAlgorithm, Transform};
/// Transform::cipher(CipherAlgorithm::TripleDesCbc, &[7; 24]).verify();
/// ```
///
/// The keys are wiped when it is dropped.
#[derive(Clone)]
pub struct Transform {
    algorithm: Algorithm,
    direction: Direction,
    key: Zeroizing<Vec<u8>>,
    mac_key: Zeroizing<Vec<u8>>,
    tag_len: usize,
    compression: Compression,
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(compression) = self.compression() {
            return write!(f, "{} {}, {compression:?}", self.algorithm, self.direction);
        }
        write!(f, "{} {}, {} bytes of tag", self.algorithm, self.direction, self.tag_len)
    }
}

/// A transform that still lacks its direction.
pub struct Builder<Kind> {
    algorithm: Algorithm,
    key: Zeroizing<Vec<u8>>,
    mac_key: Zeroizing<Vec<u8>>,
    tag_len: usize,
    compression: Compression,
    allows_weak_keys: bool,
    kind: PhantomData<Kind>,
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
}

impl Transform {
    /// A digest.
    pub fn hash(algorithm: HashAlgorithm) -> Transform {
        Transform {
            algorithm: Algorithm::Hash(algorithm),
            direction: Direction::Digest,
            key: Zeroizing::default(),
            mac_key: Zeroizing::default(),
            tag_len: algorithm.digest_len(),
            compression: Compression::default(),
        }
    }

    /// A compression: each job's data on their own, with no state from one to the next.
    ///
    /// # Errors
    /// A window that the algorithm does not have. Whether there is such a level, and the rest, is for a
    /// provider to say, when a session is opened.
    pub fn compress(
        algorithm: CompressionAlgorithm,
        compression: Compression,
    ) -> Result<Transform, TransformError> {
        if !Compression::WINDOWS.contains(&compression.window) {
            return Err(TransformError::Window { algorithm, window: compression.window });
        }
        let mut builder = Builder::<()>::new(Algorithm::Compression(algorithm), &[], &[]);
        builder.compression = compression;
        builder.finish(Direction::Compress)
    }

    /// A decompression, with a checksum of what comes out.
    ///
    /// # Errors
    /// None as yet; as [`compress`](Transform::compress).
    pub fn decompress(
        algorithm: CompressionAlgorithm,
        checksum: Checksum,
    ) -> Result<Transform, TransformError> {
        let mut builder = Builder::<()>::new(Algorithm::Compression(algorithm), &[], &[]);
        builder.compression.checksum = checksum;
        builder.finish(Direction::Decompress)
    }

    /// A message authentication code; [`generate`](Builder::generate) or [`verify`](Builder::verify)
    /// makes it a transform.
    pub fn mac(algorithm: MacAlgorithm, key: &[u8]) -> Builder<kind::Mac> {
        Builder::new(Algorithm::Mac(algorithm), key, &[])
    }

    /// A cipher; [`encrypt`](Builder::encrypt) or [`decrypt`](Builder::decrypt) makes it a transform.
    pub fn cipher(algorithm: CipherAlgorithm, key: &[u8]) -> Builder<kind::Cipher> {
        Builder::new(Algorithm::Cipher(algorithm), key, &[])
    }

    /// Authenticated encryption; [`seal`](Builder::seal) or [`open`](Builder::open) makes it a transform.
    pub fn aead(algorithm: AeadAlgorithm, key: &[u8]) -> Builder<kind::Aead> {
        Builder::new(Algorithm::Aead(algorithm), key, &[])
    }

    /// A cipher whose ciphertext is authenticated, as in IPsec ESP. Decrypting, the tag is checked first,
    /// and nothing is deciphered where it is wrong.
    pub fn cipher_then_mac(
        cipher: CipherAlgorithm,
        cipher_key: &[u8],
        mac: MacAlgorithm,
        mac_key: &[u8],
    ) -> Builder<kind::Chain> {
        let algorithm = Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac);
        Builder::new(algorithm, cipher_key, mac_key)
    }

    /// A cipher over an authenticated plaintext, as in TLS 1.2. Decrypting, a plaintext whose tag is
    /// wrong is wiped.
    pub fn mac_then_cipher(
        mac: MacAlgorithm,
        mac_key: &[u8],
        cipher: CipherAlgorithm,
        cipher_key: &[u8],
    ) -> Builder<kind::Chain> {
        let algorithm = Algorithm::Chain(cipher, mac, ChainOrder::MacThenCipher);
        Builder::new(algorithm, cipher_key, mac_key)
    }

    /// The transform of an algorithm and a direction that are known only at run time. `key` is that of
    /// the cipher in a chain, and `mac_key` that of its MAC; elsewhere `mac_key` is empty, and for a hash
    /// both are. A compression is as [`Compression::default`] says.
    ///
    /// # Errors
    /// As those of the typed builders, and [`TransformError::Direction`].
    pub fn new(
        algorithm: Algorithm,
        direction: Direction,
        key: &[u8],
        mac_key: &[u8],
    ) -> Result<Transform, TransformError> {
        Builder::<()>::new(algorithm, key, mac_key).finish(direction)
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The key: the cipher's in a chain; empty for a hash.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The key of a chain's MAC; else empty.
    pub fn mac_key(&self) -> &[u8] {
        &self.mac_key
    }

    /// Bytes of the digest or tag; 0 for a cipher.
    pub fn tag_len(&self) -> usize {
        self.tag_len
    }

    /// How to compress; of a decompression, the checksum alone counts. `None` for anything else.
    pub fn compression(&self) -> Option<Compression> {
        matches!(self.algorithm, Algorithm::Compression(_)).then_some(self.compression)
    }

    /// The two halves of a chain, each a transform of its own: the cipher and the MAC.
    pub fn halves(&self) -> Option<(Transform, Transform)> {
        let Algorithm::Chain(cipher, mac, _) = self.algorithm else { return None };
        let cipher = Transform {
            algorithm: Algorithm::Cipher(cipher),
            direction: self.direction,
            key: self.key.clone(),
            mac_key: Zeroizing::default(),
            tag_len: 0,
            compression: self.compression,
        };
        let encrypts = self.direction == Direction::Encrypt;
        let mac = Transform {
            algorithm: Algorithm::Mac(mac),
            direction: if encrypts { Direction::Generate } else { Direction::Verify },
            key: self.mac_key.clone(),
            mac_key: Zeroizing::default(),
            tag_len: self.tag_len,
            compression: self.compression,
        };
        Some((cipher, mac))
    }
}

impl<Kind> Builder<Kind> {
    fn new(algorithm: Algorithm, key: &[u8], mac_key: &[u8]) -> Self {
        Builder {
            algorithm,
            key: Zeroizing::new(key.to_vec()),
            mac_key: Zeroizing::new(mac_key.to_vec()),
            tag_len: algorithm.tag_len(),
            compression: Compression::default(),
            allows_weak_keys: false,
            kind: PhantomData,
        }
    }

    fn finish(self, direction: Direction) -> Result<Transform, TransformError> {
        let Builder { algorithm, key, mac_key, tag_len, compression, allows_weak_keys, .. } = self;
        if !algorithm.directions().contains(&direction) {
            return Err(TransformError::Direction { algorithm, direction });
        }
        let check_key = |part: &'static str, len: usize, valid: (usize, usize)| {
            let (shortest, longest) = valid;
            if (shortest..=longest).contains(&len) {
                return Ok(());
            }
            Err(TransformError::KeyLength { algorithm, part, len, valid: shortest })
        };
        let exactly = |len: usize| (len, len);
        let of_mac = |mac: MacAlgorithm| (*mac.key_lens().start(), *mac.key_lens().end());
        let of_cipher = |cipher: CipherAlgorithm| (*cipher.key_lens().start(), *cipher.key_lens().end());
        match algorithm {
            Algorithm::Hash(_) | Algorithm::Compression(_) => {
                check_key("key", key.len(), exactly(0))?;
                check_key("MAC key", mac_key.len(), exactly(0))?;
            }
            Algorithm::Mac(mac) => {
                check_key("key", key.len(), of_mac(mac))?;
                check_key("MAC key", mac_key.len(), exactly(0))?;
            }
            Algorithm::Cipher(cipher) => {
                check_key("key", key.len(), of_cipher(cipher))?;
                check_key("MAC key", mac_key.len(), exactly(0))?;
            }
            Algorithm::Aead(aead) => {
                check_key("key", key.len(), exactly(aead.key_len()))?;
                check_key("MAC key", mac_key.len(), exactly(0))?;
            }
            Algorithm::Chain(cipher, mac, _) => {
                check_key("cipher key", key.len(), of_cipher(cipher))?;
                check_key("MAC key", mac_key.len(), of_mac(mac))?;
                if *mac.nonce_lens().end() > 0 {
                    return Err(TransformError::MacInChain { mac });
                }
            }
        }
        if let Some(cipher) = algorithm.cipher() {
            check_halves(cipher, &key, allows_weak_keys)?;
        }
        let tag_fits = match algorithm {
            Algorithm::Hash(hash) => tag_len == hash.digest_len(),
            Algorithm::Cipher(_) | Algorithm::Compression(_) => tag_len == 0,
            Algorithm::Mac(mac) | Algorithm::Chain(_, mac, _) => mac.tag_lens().contains(&tag_len),
            Algorithm::Aead(aead) => aead.takes_tag_len(tag_len),
        };
        if !tag_fits {
            return Err(TransformError::TagLength { algorithm, len: tag_len });
        }
        Ok(Transform { algorithm, direction, key, mac_key, tag_len, compression })
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

tag_len!(Mac, Aead, Chain);

/// What has a cipher can have a weak key.
macro_rules! weak_keys {
    ($($kind:ident),*) => { $(
        impl Builder<kind::$kind> {
            /// Takes keys for triple DES of which two neighbours are equal, so that no more is done than
            /// DES. They are refused otherwise (SP 800-67, 3.3.2); what was made with one has to be read
            /// all the same.
            pub fn allow_weak_keys(mut self) -> Self {
                self.allows_weak_keys = true;
                self
            }
        }
    )* };
}

weak_keys!(Cipher, Chain);

/// Refuses keys made of parts that have to differ and do not. In constant time.
fn check_halves(cipher: CipherAlgorithm, key: &[u8], weak: bool) -> Result<(), TransformError> {
    match cipher {
        CipherAlgorithm::AesXts(size) => {
            let (data, tweak) = key.split_at(size.key_len() / 2);
            if bool::from(data.ct_eq(tweak)) {
                return Err(TransformError::EqualHalves { cipher });
            }
        }
        CipherAlgorithm::TripleDesCbc
        | CipherAlgorithm::TripleDesCtr
        | CipherAlgorithm::TripleDesEcb
            if !weak =>
        {
            // The lowest bit of each byte is parity, and no part of the key.
            let differ = |one: usize, other: usize| {
                let part = |number: usize| key[8 * number..][..8].iter();
                part(one).zip(part(other)).fold(0, |sum, (one, other)| sum | (one ^ other)) & 0xfe
            };
            let [first, second] = [differ(0, 1), differ(1, 2)].map(|difference| difference.ct_eq(&0));
            if bool::from(first) {
                return Err(TransformError::WeakKey { cipher, equal: (1, 2) });
            }
            if bool::from(second) {
                return Err(TransformError::WeakKey { cipher, equal: (2, 3) });
            }
        }
        _ => {}
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
            /// The length of a key or of the tag does not fit the algorithm; parts of the key are equal
            /// that must not be; or a chain has a MAC that takes a nonce of its own.
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

/// A transform that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A key of a length that the algorithm does not have.
    #[error("a {part} of {len} bytes does not fit {algorithm}, which takes {valid}")]
    KeyLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// Which key.
        part: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The length that would fit.
        valid: usize,
    },
    /// A tag of a length that the algorithm does not have.
    #[error("{algorithm} has no tags of {len} bytes; valid: {}", valid_tags(*algorithm))]
    TagLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// The length asked for, in bytes.
        len: usize,
    },
    /// A key for XTS of which both halves are the same (FIPS 140-3 IG C.I forbids it).
    #[error("the halves of a key for {cipher} must differ, and these are equal")]
    EqualHalves {
        /// The algorithm.
        cipher: CipherAlgorithm,
    },
    /// A key for triple DES of which two neighbours are the same, so that they undo each other.
    #[error(
        "K{} and K{} of a key for {cipher} are equal, which leaves DES; three that differ are right, and \
         allow_weak_keys takes these",
        equal.0, equal.1
    )]
    WeakKey {
        /// The algorithm.
        cipher: CipherAlgorithm,
        /// Which of the three keys.
        equal: (u8, u8),
    },
    /// A direction that the algorithm does not have.
    #[error("{algorithm} has no direction {direction}; valid: {}", valid_directions(*algorithm))]
    Direction {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction asked for.
        direction: Direction,
    },
    /// A chain with a MAC that takes a nonce, of which a job has only one.
    #[error("{mac} takes a nonce of its own and cannot be half of a chain; HMAC and CMAC can")]
    MacInChain {
        /// The MAC.
        mac: MacAlgorithm,
    },
    /// A window that the algorithm does not have.
    #[error("{algorithm} has no window of 2^{window} bytes; valid: 8 to 15")]
    Window {
        /// The algorithm.
        algorithm: CompressionAlgorithm,
        /// The logarithm of the window asked for.
        window: u8,
    },
}

fn valid_directions(algorithm: Algorithm) -> String {
    algorithm.directions().iter().map(|direction| direction.name()).collect::<Vec<_>>().join(", ")
}

fn valid_tags(algorithm: Algorithm) -> String {
    match algorithm {
        Algorithm::Aead(aead) => {
            let lens = (0..=16).filter(|len| aead.takes_tag_len(*len));
            lens.map(|len| len.to_string()).collect::<Vec<_>>().join(", ")
        }
        Algorithm::Mac(mac) | Algorithm::Chain(_, mac, _) => {
            format!("{} to {}", mac.tag_lens().start(), mac.tag_lens().end())
        }
        Algorithm::Hash(_) | Algorithm::Cipher(_) | Algorithm::Compression(_) => {
            algorithm.tag_len().to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{AesSize, XtsSize};

    const CBC: CipherAlgorithm = CipherAlgorithm::AesCbc(AesSize::Aes128);
    const HMAC: MacAlgorithm = MacAlgorithm::Hmac(HashAlgorithm::Sha1);

    #[test]
    fn impossible_transforms_name_what_is_wrong() {
        let short = Transform::cipher(CBC, &[0; 15]).encrypt().unwrap_err();
        assert_eq!(short.to_string(), "a key of 15 bytes does not fit aes-128-cbc, which takes 16");
        let tag = Transform::mac(HMAC, b"key").tag_len(21).generate().unwrap_err();
        assert_eq!(tag.to_string(), "hmac-sha1 has no tags of 21 bytes; valid: 4 to 20");
        let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
        let tag = Transform::aead(gcm, &[0; 16]).tag_len(5).open().unwrap_err();
        assert_eq!(
            tag.to_string(),
            "aes-128-gcm has no tags of 5 bytes; valid: 4, 8, 12, 13, 14, 15, 16"
        );
        let gmac = MacAlgorithm::AesGmac(AesSize::Aes128);
        let xts = CipherAlgorithm::AesXts(XtsSize::Aes128);
        let halves = Transform::cipher(xts, &[7; 32]).encrypt().unwrap_err();
        assert_eq!(halves, TransformError::EqualHalves { cipher: xts });
        let chain = Transform::cipher_then_mac(CBC, &[0; 16], gmac, &[0; 16]).encrypt().unwrap_err();
        assert_eq!(chain, TransformError::MacInChain { mac: gmac });
        let direction = Transform::new(Algorithm::Cipher(CBC), Direction::Seal, &[0; 16], &[]);
        assert_eq!(
            direction.unwrap_err().to_string(),
            "aes-128-cbc has no direction seal; valid: encrypt, decrypt"
        );
        let window = Compression { window: 16, ..Compression::default() };
        let window = Transform::compress(CompressionAlgorithm::Deflate, window).unwrap_err();
        assert_eq!(window.to_string(), "deflate has no window of 2^16 bytes; valid: 8 to 15");
    }

    #[test]
    fn a_chain_falls_into_its_halves() {
        let chain = Transform::mac_then_cipher(HMAC, b"mac key", CBC, &[9; 16]).tag_len(12);
        let chain = chain.decrypt().expect("it fits");
        let (cipher, mac) = chain.halves().expect("it is a chain");
        assert_eq!(
            (cipher.algorithm(), cipher.direction(), cipher.key(), cipher.tag_len()),
            (Algorithm::Cipher(CBC), Direction::Decrypt, [9; 16].as_slice(), 0)
        );
        assert_eq!(
            (mac.algorithm(), mac.direction(), mac.key(), mac.tag_len()),
            (Algorithm::Mac(HMAC), Direction::Verify, b"mac key".as_slice(), 12)
        );
    }

    #[test]
    fn keys_are_not_shown() {
        let transform = Transform::mac(HMAC, b"sesame").generate().expect("it fits");
        assert_eq!(format!("{transform:?}"), "hmac-sha1 generate, 20 bytes of tag");
    }

    #[test]
    fn weak_keys_of_triple_des_are_refused_unless_asked_for() {
        let cipher = CipherAlgorithm::TripleDesCbc;
        let key = |parts: [u8; 3]| parts.map(|part| [part; 8]).concat();
        // The lowest bits are parity: 2 and 3 are the same key.
        for (parts, equal) in [([2, 2, 8], (1, 2)), ([2, 3, 8], (1, 2)), ([4, 8, 9], (2, 3))] {
            let error = Transform::cipher(cipher, &key(parts)).encrypt().unwrap_err();
            assert_eq!(error, TransformError::WeakKey { cipher, equal });
            let direction = Direction::Decrypt;
            let error = Transform::new(Algorithm::Cipher(cipher), direction, &key(parts), &[]);
            assert_eq!(error.unwrap_err(), TransformError::WeakKey { cipher, equal });
            assert!(Transform::cipher(cipher, &key(parts)).allow_weak_keys().encrypt().is_ok());
            let chain = Transform::cipher_then_mac(cipher, &key(parts), HMAC, b"key");
            assert!(chain.allow_weak_keys().decrypt().is_ok());
        }
        // Two keys, the first of them used twice.
        assert!(Transform::cipher(cipher, &key([2, 4, 2])).encrypt().is_ok());
    }
}
