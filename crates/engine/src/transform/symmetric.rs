//! Transforms of hashes, MACs, ciphers, authenticated encryption, chains and compressions.

use zeroize::Zeroizing;

use super::builder::{Builder, kind};
use super::{Transform, TransformError};
use crate::algorithm::{
    AeadAlgorithm, Algorithm, ChainOrder, Checksum, CipherAlgorithm, Compression,
    CompressionAlgorithm, Direction, HashAlgorithm, MacAlgorithm,
};

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
            label: String::new(),
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
}
