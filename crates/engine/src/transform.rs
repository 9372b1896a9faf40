//! Transforms: what a session is to do, with its keys.

use std::error::Error;
use std::fmt;

use broadloom_lanes::public;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::algorithm::{
    AeadAlgorithm, Algorithm, ChainOrder, Checksum, CipherAlgorithm, Compression,
    CompressionAlgorithm, Direction, HashAlgorithm, KeyParts, Lengths, MacAlgorithm,
    PublicKeyAlgorithm,
};
use crate::keys::{PrivateKey, PublicKey};
use crate::scheme::Scheme;

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
}

/// What a transform of a [public-key algorithm](PublicKeyAlgorithm) has in place of bytes of a key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Asymmetric {
    /// The key.
    pub key: AnyKey,
    /// The hash and the padding.
    pub scheme: Scheme,
    /// The context string that messages are signed under; empty for most.
    pub context: Vec<u8>,
}

/// A private or a public key.
#[derive(Debug, Clone)]
pub enum AnyKey {
    /// For signing, decrypting and agreeing.
    Private(PrivateKey),
    /// For verifying and encrypting.
    Public(PublicKey),
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(compression) = self.compression() {
            return write!(f, "{} {}, {compression:?}", self.algorithm, self.direction);
        }
        write!(f, "{} {}, {} bytes of tag", self.algorithm, self.direction, self.tag_len)
    }
}

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
    pub struct Any(pub(super) crate::algorithm::Direction);
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
            asymmetric: None,
        }
    }

    /// A compression: each job's data on their own, with no state from one to the next.
    ///
    /// # Errors
    /// A window that the algorithm does not have. Whether there is such a level, and the rest, is
    /// for a provider to say, when a session is opened.
    pub fn compress(
        algorithm: CompressionAlgorithm,
        compression: Compression,
    ) -> Result<Transform, TransformError> {
        let algorithm = Algorithm::Compression(algorithm);
        Transform::new(algorithm, Direction::Compress, &[], &[]).compression(compression).build()
    }

    /// A decompression, with a checksum of what comes out.
    ///
    /// # Errors
    /// None as yet; as [`compress`](Transform::compress).
    pub fn decompress(
        algorithm: CompressionAlgorithm,
        checksum: Checksum,
    ) -> Result<Transform, TransformError> {
        let algorithm = Algorithm::Compression(algorithm);
        let how = Compression { checksum, ..Compression::default() };
        Transform::new(algorithm, Direction::Decompress, &[], &[]).compression(how).build()
    }

    /// A message authentication code; [`generate`](Builder::generate) or
    /// [`verify`](Builder::verify) makes it a transform.
    pub fn mac(algorithm: MacAlgorithm, key: &[u8]) -> Builder<kind::Mac> {
        Builder::new(kind::Mac, Algorithm::Mac(algorithm), key, &[])
    }

    /// A cipher; [`encrypt`](Builder::encrypt) or [`decrypt`](Builder::decrypt) makes it a
    /// transform.
    pub fn cipher(algorithm: CipherAlgorithm, key: &[u8]) -> Builder<kind::Cipher> {
        Builder::new(kind::Cipher, Algorithm::Cipher(algorithm), key, &[])
    }

    /// Authenticated encryption; [`seal`](Builder::seal) or [`open`](Builder::open) makes it a
    /// transform.
    pub fn aead(algorithm: AeadAlgorithm, key: &[u8]) -> Builder<kind::Aead> {
        Builder::new(kind::Aead, Algorithm::Aead(algorithm), key, &[])
    }

    /// A cipher whose ciphertext is authenticated, as in IPsec ESP. Decrypting, the tag is checked
    /// first, and nothing is deciphered where it is wrong.
    pub fn cipher_then_mac(
        cipher: CipherAlgorithm,
        cipher_key: &[u8],
        mac: MacAlgorithm,
        mac_key: &[u8],
    ) -> Builder<kind::Chain> {
        let algorithm = Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac);
        Builder::new(kind::Chain, algorithm, cipher_key, mac_key)
    }

    /// A cipher over an authenticated plaintext, as in TLS 1.2. Decrypting, a plaintext whose tag
    /// is wrong is wiped.
    pub fn mac_then_cipher(
        mac: MacAlgorithm,
        mac_key: &[u8],
        cipher: CipherAlgorithm,
        cipher_key: &[u8],
    ) -> Builder<kind::Chain> {
        let algorithm = Algorithm::Chain(cipher, mac, ChainOrder::MacThenCipher);
        Builder::new(kind::Chain, algorithm, cipher_key, mac_key)
    }

    /// The transform of an algorithm and a direction that are known only at run time;
    /// [`build`](Builder::build) makes it, and before that the tag can be truncated, weak keys
    /// allowed, and a [`Compression`] described, as with the typed builders. `key` is that of the
    /// cipher in a chain, and `mac_key` that of its MAC; elsewhere `mac_key` is empty, and for a
    /// hash both are.
    ///
    /// ```
    /// use broadloom_engine::{Algorithm, Direction, Transform};
    ///
    /// let algorithm: Algorithm = "3des-cbc+hmac-sha1".parse()?;
    /// let transform = Transform::new(algorithm, Direction::Encrypt, &[7; 24], b"key")
    ///     .tag_len(12)
    ///     .allow_weak_keys()
    ///     .build()?;
    /// assert_eq!(transform.tag_len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(
        clippy::new_ret_no_self,
        reason = "what is known late is built as what is known early"
    )]
    pub fn new(
        algorithm: Algorithm,
        direction: Direction,
        key: &[u8],
        mac_key: &[u8],
    ) -> Builder<kind::Any> {
        Builder::new(kind::Any(direction), algorithm, key, mac_key)
    }

    /// Signatures with a private key of RSA, a curve, Ed25519 or SLH-DSA. A job's data are the
    /// message, and its output the signature: of ECDSA in DER (RFC 3279, 2.2.3), of RSA as long as
    /// the modulus, of Ed25519 64 bytes, of SLH-DSA as long as the
    /// [set](crate::SlhDsaSet::signature_len) says.
    ///
    /// # Errors
    /// A key that signs nothing, or a scheme that the key cannot have.
    pub fn sign(key: &PrivateKey, scheme: Scheme) -> Result<Transform, TransformError> {
        let algorithm = key.signature_algorithm();
        Transform::private(key, algorithm, Direction::Sign, scheme)
    }

    /// The check of signatures, which jobs are given by [`Job::signature`](crate::Job::signature),
    /// over messages, which are their data. There is no output.
    ///
    /// # Errors
    /// A scheme that the key cannot have.
    pub fn verify(key: &PublicKey, scheme: Scheme) -> Result<Transform, TransformError> {
        Transform::public(key, Direction::Verify, scheme)
    }

    /// Encryption with a public key of RSA, by OAEP or PKCS #1 v1.5.
    ///
    /// # Errors
    /// A key of anything else, or a scheme that does not encrypt.
    pub fn rsa_encrypt(key: &PublicKey, scheme: Scheme) -> Result<Transform, TransformError> {
        Transform::public(key, Direction::Encrypt, scheme)
    }

    /// Decryption with a private key of RSA. What OAEP finds wrong is
    /// [one error](crate::JobError::Decryption), whatever it was.
    ///
    /// # Errors
    /// As [`rsa_encrypt`](Transform::rsa_encrypt).
    pub fn rsa_decrypt(key: &PrivateKey, scheme: Scheme) -> Result<Transform, TransformError> {
        let algorithm = key.signature_algorithm();
        Transform::private(key, algorithm, Direction::Decrypt, scheme)
    }

    /// The bare private operation of RSA (RSADP and RSASP1 of RFC 8017), on numbers as long as the
    /// modulus.
    ///
    /// # Errors
    /// A key of anything else.
    pub fn rsa_private(key: &PrivateKey) -> Result<Transform, TransformError> {
        Transform::rsa_decrypt(key, Scheme::bare())
    }

    /// The bare public operation of RSA (RSAEP and RSAVP1 of RFC 8017), on numbers as long as the
    /// modulus.
    ///
    /// # Errors
    /// A key of anything else.
    pub fn rsa_public(key: &PublicKey) -> Result<Transform, TransformError> {
        Transform::rsa_encrypt(key, Scheme::bare())
    }

    /// Agreement on a secret with a private key of a curve or of X25519. A job's data are the other
    /// side's public key, and its output is the shared secret, which is to be hashed before use.
    ///
    /// # Errors
    /// A key of RSA, Ed25519 or SLH-DSA.
    pub fn agree(key: &PrivateKey) -> Result<Transform, TransformError> {
        let algorithm = key.agreement_algorithm();
        Transform::private(key, algorithm, Direction::Agree, Scheme::default())
    }

    fn private(
        key: &PrivateKey,
        algorithm: Option<PublicKeyAlgorithm>,
        direction: Direction,
        scheme: Scheme,
    ) -> Result<Transform, TransformError> {
        let wrong = || TransformError::KeyKind { key: key.kind(), direction };
        let algorithm = algorithm.ok_or_else(wrong)?;
        let secret = Zeroizing::new(key.secret().to_vec());
        Transform::asymmetric_of(algorithm, direction, AnyKey::Private(key.clone()), secret, scheme)
            .ok_or_else(wrong)?
    }

    fn public(
        key: &PublicKey,
        direction: Direction,
        scheme: Scheme,
    ) -> Result<Transform, TransformError> {
        let algorithm = key.signature_algorithm();
        let (bytes, any) = (Zeroizing::new(key.bytes()), AnyKey::Public(key.clone()));
        Transform::asymmetric_of(algorithm, direction, any, bytes, scheme)
            .ok_or_else(|| TransformError::KeyKind { key: key.kind(), direction })?
    }

    /// The transform of a key, whose bytes tell it from others; `None` where its algorithm lacks
    /// the direction.
    fn asymmetric_of(
        algorithm: PublicKeyAlgorithm,
        direction: Direction,
        key: AnyKey,
        bytes: Zeroizing<Vec<u8>>,
        scheme: Scheme,
    ) -> Option<Result<Transform, TransformError>> {
        let any = Algorithm::PublicKey(algorithm);
        if !any.directions().contains(&direction) {
            return None;
        }
        let signs = matches!(direction, Direction::Sign | Direction::Verify);
        if let Some(reason) = scheme.fault(algorithm, signs) {
            return Some(Err(TransformError::Scheme { algorithm, direction, reason }));
        }
        Some(Ok(Transform {
            algorithm: any,
            direction,
            key: bytes,
            mac_key: Zeroizing::default(),
            tag_len: 0,
            compression: Compression::default(),
            asymmetric: Some(Asymmetric { key, scheme, context: Vec::new() }),
        }))
    }

    /// Signs and verifies under a context string, which tells the uses of a key apart (FIPS 205,
    /// 10.2): a signature is right only under the context that it was made under.
    ///
    /// # Errors
    /// An algorithm without context strings (SLH-DSA has them), or more than 255 bytes.
    pub fn context(mut self, context: &[u8]) -> Result<Transform, TransformError> {
        let (algorithm, len) = (self.algorithm, context.len());
        let has_context = matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::SlhDsa(_)));
        match &mut self.asymmetric {
            Some(asymmetric) if has_context && len <= 255 => {
                asymmetric.context = context.to_vec();
                Ok(self)
            }
            _ => Err(TransformError::Context { algorithm, len, has_context }),
        }
    }

    /// The key and the scheme of a public-key algorithm; `None` for anything else.
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
            asymmetric: None,
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
        };
        Some((cipher, mac))
    }
}

impl<Kind> Builder<Kind> {
    fn new(kind: Kind, algorithm: Algorithm, key: &[u8], mac_key: &[u8]) -> Self {
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
        Ok(Transform { algorithm, direction, key, mac_key, tag_len, compression, asymmetric: None })
    }
}

impl Builder<kind::Any> {
    /// How to compress; of a decompression, the checksum alone counts. Whatever is no compression
    /// ignores this, as it has no use for a [`Compression`].
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

/// A transform that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformError {
    /// A key of a length that the algorithm does not have.
    KeyLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// Which key.
        part: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The lengths that would fit.
        valid: Lengths,
    },
    /// A tag of a length that the algorithm does not have.
    TagLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// The length asked for, in bytes.
        len: usize,
    },
    /// A key for XTS of which both halves are the same (FIPS 140-3 IG C.I forbids it).
    EqualHalves {
        /// The algorithm.
        cipher: CipherAlgorithm,
    },
    /// A key for triple DES of which two neighbours are the same, so that they undo each other.
    WeakKey {
        /// The algorithm.
        cipher: CipherAlgorithm,
        /// Which of the three keys.
        equal: (u8, u8),
    },
    /// A direction that the algorithm does not have.
    Direction {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction asked for.
        direction: Direction,
    },
    /// A chain with a MAC that takes a nonce, of which a job has only one.
    MacInChain {
        /// The MAC.
        mac: MacAlgorithm,
    },
    /// A window that the algorithm does not have.
    Window {
        /// The algorithm.
        algorithm: CompressionAlgorithm,
        /// The logarithm of the window asked for.
        window: u8,
    },
    /// A public-key algorithm without a key pair: [`Transform::sign`] and others take one.
    NoKeyPair {
        /// The algorithm.
        algorithm: PublicKeyAlgorithm,
    },
    /// A key of a kind that does not do this.
    KeyKind {
        /// What the key is of.
        key: String,
        /// The direction asked for.
        direction: Direction,
    },
    /// A context string that is too long, or for an algorithm that takes none.
    Context {
        /// The algorithm.
        algorithm: Algorithm,
        /// The length of the context string, in bytes.
        len: usize,
        /// Whether the algorithm takes one.
        has_context: bool,
    },
    /// A scheme that the algorithm cannot have.
    Scheme {
        /// The algorithm.
        algorithm: PublicKeyAlgorithm,
        /// The direction asked for.
        direction: Direction,
        /// Why, and what would be right.
        reason: &'static str,
    },
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformError::KeyLength { algorithm, part, len, valid } => {
                write!(f, "a {part} of {len} bytes does not fit {algorithm}, which takes {valid}")
            }
            TransformError::TagLength { algorithm, len } => {
                write!(f, "{algorithm} has no tags of {len} bytes; valid: {}", algorithm.tag_lens())
            }
            TransformError::EqualHalves { cipher } => {
                write!(f, "the halves of a key for {cipher} must differ, and these are equal")
            }
            TransformError::WeakKey { cipher, equal } => write!(
                f,
                "K{} and K{} of a key for {cipher} are equal, which leaves DES; three that differ \
                 are right, and allow_weak_keys takes these",
                equal.0, equal.1
            ),
            TransformError::Direction { algorithm, direction } => write!(
                f,
                "{algorithm} has no direction {direction}; valid: {}",
                valid_directions(*algorithm)
            ),
            TransformError::MacInChain { mac } => write!(
                f,
                "{mac} takes a nonce of its own and cannot be half of a chain; HMAC and CMAC can"
            ),
            TransformError::Window { algorithm, window } => {
                write!(f, "{algorithm} has no window of 2^{window} bytes; valid: 2^8 to 2^15")
            }
            TransformError::NoKeyPair { algorithm } => write!(
                f,
                "{algorithm} takes a private or a public key, not bytes: Transform::sign, verify, \
                 rsa_encrypt, rsa_decrypt and agree do"
            ),
            TransformError::KeyKind { key, direction } => {
                write!(f, "a key of {key} does not {direction}")
            }
            TransformError::Context { algorithm, has_context: false, .. } => {
                write!(f, "{algorithm} takes no context string; SLH-DSA does")
            }
            TransformError::Context { algorithm, len, .. } => write!(
                f,
                "a context string of {len} bytes does not fit {algorithm}, which takes up to 255"
            ),
            TransformError::Scheme { algorithm, direction, reason } => {
                write!(f, "{algorithm} {direction}: {reason}")
            }
        }
    }
}

impl Error for TransformError {}

fn valid_directions(algorithm: Algorithm) -> String {
    algorithm.directions().iter().map(|direction| direction.name()).collect::<Vec<_>>().join(", ")
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
