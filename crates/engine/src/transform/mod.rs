//! Transforms: what a session is to do, with its keys.

mod asymmetric;
mod builder;
mod error;
mod key_pair;
mod label;
mod symmetric;

use std::fmt;

use zeroize::Zeroizing;

use crate::algorithm::{Algorithm, Compression, Direction};

pub use builder::{Builder, kind};
pub use error::TransformError;
pub use key_pair::{AnyKey, Asymmetric};

/// An algorithm, a direction, the keys and the length of the tag, or how to compress: what a
/// session is opened for.
///
/// Made by typed builders, so that a cipher cannot be told to verify, nor a hash to take a key:
///
/// ```
/// use broadloom_engine::{AeadAlgorithm, AesSize, HashAlgorithm, MacAlgorithm, Transform};
///
/// let digest = Transform::hash(HashAlgorithm::Sha256);
/// let sha1 = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
/// let verify = Transform::mac(sha1, b"key").tag_len(12).verify()?;
/// let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
/// let seal = Transform::aead(gcm, &[7; 16]).seal()?;
/// assert_eq!(verify.algorithm().to_string(), "hmac-sha1");
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
#[must_use]
pub struct Transform {
    algorithm: Algorithm,
    direction: Direction,
    key: Zeroizing<Vec<u8>>,
    mac_key: Zeroizing<Vec<u8>>,
    tag_len: usize,
    compression: Compression,
    asymmetric: Option<Asymmetric>,
    label: String,
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(compression) = self.compression() {
            return write!(f, "{} {}, {compression:?}", self.algorithm, self.direction);
        }
        write!(f, "{} {}, {} bytes of tag", self.algorithm, self.direction, self.tag_len)
    }
}

impl Transform {
    /// The label that metrics give the operations of the session: the name of a tenant or a tunnel,
    /// say. At most 64 bytes, none of them a control character; an empty label is none. A label is
    /// shown to whoever reads the [metrics](crate::metrics), so it must not be a secret.
    ///
    /// A program has at most some hundred labels that are counted apart; the sessions of further
    /// ones are counted together, as `other`.
    ///
    /// ```
    /// use broadloom_engine::{HashAlgorithm, Transform};
    ///
    /// let transform = Transform::hash(HashAlgorithm::Sha256).label("tenant-a")?;
    /// assert_eq!(transform.session_label(), "tenant-a");
    /// # Ok::<(), broadloom_engine::TransformError>(())
    /// ```
    ///
    /// # Errors
    /// [`TransformError::Label`]: the label is too long, or has control characters.
    pub fn label(mut self, label: &str) -> Result<Transform, TransformError> {
        if !label::is_taken(label) {
            return Err(TransformError::Label { label: label.to_owned() });
        }
        self.label = label.to_owned();
        Ok(self)
    }

    /// Returns the [label](Transform::label) of the session; empty if it has none.
    pub fn session_label(&self) -> &str {
        &self.label
    }

    /// The key and the scheme of a public-key algorithm; `None` for anything else, and where each
    /// job [brings a key or makes one](Transform::encapsulate).
    pub fn asymmetric(&self) -> Option<&Asymmetric> {
        self.asymmetric.as_ref()
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The key: the cipher's in a chain; empty for a hash. Of triple DES it has 24 bytes, three
    /// keys, where two were given.
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

    /// Returns how to compress. Of a decompression, only the checksum counts. Returns `None` for
    /// anything else.
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
            asymmetric: None,
            label: self.label.clone(),
        };
        let encrypts = self.direction == Direction::Encrypt;
        let mac = Transform {
            algorithm: Algorithm::Mac(mac),
            direction: if encrypts { Direction::Generate } else { Direction::Verify },
            key: self.mac_key.clone(),
            mac_key: Zeroizing::default(),
            tag_len: self.tag_len,
            compression: self.compression,
            asymmetric: None,
            label: self.label.clone(),
        };
        Some((cipher, mac))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{
        AeadAlgorithm, AesSize, CipherAlgorithm, CompressionAlgorithm, HashAlgorithm, MacAlgorithm,
        XtsSize,
    };

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
        assert_eq!(tag.to_string(), "aes-128-gcm has no tags of 5 bytes; valid: 4, 8, 12 to 16");
        let gmac = MacAlgorithm::AesGmac(AesSize::Aes128);
        let xts = CipherAlgorithm::AesXts(XtsSize::Aes128);
        let halves = Transform::cipher(xts, &[7; 32]).encrypt().unwrap_err();
        assert_eq!(halves, TransformError::EqualHalves { cipher: xts });
        let chain =
            Transform::cipher_then_mac(CBC, &[0; 16], gmac, &[0; 16]).encrypt().unwrap_err();
        assert_eq!(chain, TransformError::MacInChain { mac: gmac });
        let direction = Transform::new(Algorithm::Cipher(CBC), Direction::Seal, &[0; 16], &[]);
        assert_eq!(
            direction.build().unwrap_err().to_string(),
            "aes-128-cbc has no direction seal; valid: encrypt, decrypt"
        );
        let window = Compression { window: 16, ..Compression::default() };
        let window = Transform::compress(CompressionAlgorithm::Deflate, window).unwrap_err();
        assert_eq!(window.to_string(), "deflate has no window of 2^16 bytes; valid: 2^8 to 2^15");
        let sha1 = Algorithm::Hash(HashAlgorithm::Sha1);
        let keyed = Transform::new(sha1, Direction::Digest, b"key", &[]).build().unwrap_err();
        assert_eq!(keyed.to_string(), "a key of 3 bytes does not fit sha1, which takes none");
        let rc4 = Transform::cipher(CipherAlgorithm::Rc4, &[1; 4]).encrypt().unwrap_err();
        assert_eq!(rc4.to_string(), "a key of 4 bytes does not fit rc4, which takes 5 to 256");
        let tagged = Transform::new(Algorithm::Cipher(CBC), Direction::Encrypt, &[0; 16], &[]);
        let tagged = tagged.tag_len(16).build().unwrap_err();
        assert_eq!(tagged.to_string(), "aes-128-cbc has no tags of 16 bytes; valid: none");
    }

    #[test]
    fn a_transform_for_what_is_known_at_run_time_is_as_a_typed_one() {
        let same = |any: Result<Transform, TransformError>, typed: Result<Transform, _>| {
            let of = |transform: &Transform| {
                let (key, mac_key) = (transform.key().to_vec(), transform.mac_key().to_vec());
                (format!("{transform:?}"), key, mac_key)
            };
            assert_eq!(any.as_ref().map(of), typed.as_ref().map(of));
        };
        let new = |algorithm: &str, direction, key: &[u8], mac_key: &[u8]| {
            Transform::new(algorithm.parse().expect("a name"), direction, key, mac_key)
        };
        let weak = [2; 24];
        let des = CipherAlgorithm::TripleDesCbc;
        let (making, checking) = (Direction::Generate, Direction::Verify);
        same(
            new("hmac-sha1", making, b"key", &[]).tag_len(12).build(),
            Transform::mac(HMAC, b"key").tag_len(12).generate(),
        );
        same(
            new("hmac-sha1", checking, b"key", &[]).tag_len(21).build(),
            Transform::mac(HMAC, b"key").tag_len(21).verify(),
        );
        same(
            new("3des-cbc", Direction::Decrypt, &weak, &[]).build(),
            Transform::cipher(des, &weak).decrypt(),
        );
        same(
            new("3des-cbc", Direction::Decrypt, &weak, &[]).allow_weak_keys().build(),
            Transform::cipher(des, &weak).allow_weak_keys().decrypt(),
        );
        let chain = new("3des-cbc+hmac-sha1", Direction::Encrypt, &weak, b"key");
        same(
            chain.tag_len(10).allow_weak_keys().build(),
            Transform::cipher_then_mac(des, &weak, HMAC, b"key")
                .tag_len(10)
                .allow_weak_keys()
                .encrypt(),
        );
        let how = Compression { level: 7, ..Compression::default() };
        same(
            new("deflate", Direction::Compress, &[], &[]).compression(how).build(),
            Transform::compress(CompressionAlgorithm::Deflate, how),
        );
    }

    #[test]
    fn labels_are_bounded_and_can_be_shown() {
        let label = |label: &str| Transform::hash(HashAlgorithm::Sha1).label(label);
        assert_eq!(label("größer").expect("it fits").session_label(), "größer");
        assert!(label(&"x".repeat(64)).is_ok());
        assert_eq!(
            label(&"x".repeat(65)).unwrap_err().to_string(),
            format!("the label \"{}\" has 65 bytes; a label has at most 64", "x".repeat(65))
        );
        assert_eq!(
            label("red\x1b[31m").unwrap_err().to_string(),
            "the label \"red\\u{1b}[31m\" has a control character; a label has none"
        );
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
            assert_eq!(error.build().unwrap_err(), TransformError::WeakKey { cipher, equal });
            assert!(Transform::cipher(cipher, &key(parts)).allow_weak_keys().encrypt().is_ok());
            let chain = Transform::cipher_then_mac(cipher, &key(parts), HMAC, b"key");
            assert!(chain.allow_weak_keys().decrypt().is_ok());
        }
        // Two keys, the first of them used twice.
        let three =
            Transform::cipher(cipher, &key([2, 4, 2])).encrypt().expect("it is as good as two");
        let two = [[2; 8], [4; 8]].concat();
        for name in ["3des-cbc", "3des-ctr", "3des-ecb", "3des-cbc+hmac-sha1"] {
            let algorithm: Algorithm = name.parse().expect("a name");
            let mac_key: &[u8] = if name.contains('+') { b"key" } else { &[] };
            let new = |key: &[u8]| Transform::new(algorithm, Direction::Encrypt, key, mac_key);
            assert_eq!(new(&two).build().expect("two keys").key(), three.key(), "{name}");
            let error = new(&[2; 16]).build().unwrap_err();
            let TransformError::WeakKey { equal: (1, 2), .. } = error else {
                panic!("{name}: {error}");
            };
            assert!(new(&[2; 16]).allow_weak_keys().build().is_ok());
        }
        let error = Transform::cipher(cipher, &[2; 17]).encrypt().unwrap_err();
        assert_eq!(
            error.to_string(),
            "a key of 17 bytes does not fit 3des-cbc, which takes 16 or 24"
        );
    }
}
