//! Transforms of public-key algorithms: their keys, schemes and contexts.

use zeroize::Zeroizing;

use super::{Transform, TransformError};
use crate::algorithm::{Algorithm, Compression, Direction, PublicKeyAlgorithm};
use crate::keys::{PrivateKey, PublicKey};
use crate::scheme::Scheme;

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

impl Transform {
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
}
