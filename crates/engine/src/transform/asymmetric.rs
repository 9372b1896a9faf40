//! Transforms of public-key algorithms.

use zeroize::Zeroizing;

use super::{AnyKey, Asymmetric, Transform, TransformError};
use crate::algorithm::{Algorithm, Compression, Direction, Kem, PublicKeyAlgorithm};
use crate::keys::{HybridPrivateKey, KeyError, MlKemPrivateKey, PrivateKey, PublicKey};
use crate::scheme::Scheme;

impl Transform {
    /// Signatures with a private key of RSA, a curve, Ed25519, SLH-DSA or ML-DSA. A job's data are
    /// the message, and its output the signature: of ECDSA in DER (RFC 3279, 2.2.3), of RSA as long
    /// as the modulus, of Ed25519 64 bytes, of SLH-DSA and ML-DSA as long as the set says
    /// ([`SlhDsaSet`](crate::SlhDsaSet::signature_len),
    /// [`MlDsaSet`](crate::MlDsaSet::signature_len)).
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
    /// A key of RSA, Ed25519, SLH-DSA, ML-DSA or ML-KEM.
    pub fn agree(key: &PrivateKey) -> Result<Transform, TransformError> {
        let algorithm = key.agreement_algorithm();
        Transform::private(key, algorithm, Direction::Agree, Scheme::default())
    }

    /// New keys of ML-KEM, of its hybrids and of ML-DSA. Of ML-KEM, a job's data are the seed, `d`
    /// and `z` (FIPS 203, algorithm 16), or empty: then the provider draws a seed at random. The
    /// output is the expanded decapsulation key, in which the [encapsulation
    /// key](crate::MlKemSet::public_of) is.
    ///
    /// The seed of ML-DSA has 32 bytes (FIPS 204, algorithm 6), and its output is the
    /// [private key](crate::MlDsaSet::private_key_len), and behind it the
    /// [public key](crate::MlDsaSet::public_key_len).
    ///
    /// A hybrid's seed has 96 bytes, and its output is the private key, and behind it the public
    /// key ([`HybridKem::keys_of`](crate::HybridKem::keys_of)).
    ///
    /// ```
    /// use broadloom_engine::{MlKemSet, PublicKeyAlgorithm, Transform};
    ///
    /// let algorithm = PublicKeyAlgorithm::MlKem(MlKemSet::MlKem768);
    /// let generate = Transform::generate_key(algorithm)?;
    /// let encapsulate = Transform::encapsulate(algorithm)?;
    /// assert!(Transform::generate_key(PublicKeyAlgorithm::Ed25519).is_err());
    /// # Ok::<(), broadloom_engine::TransformError>(())
    /// ```
    ///
    /// # Errors
    /// An algorithm that makes no keys: all but ML-KEM, the hybrids and ML-DSA.
    pub fn generate_key(algorithm: PublicKeyAlgorithm) -> Result<Transform, TransformError> {
        Transform::keyless(algorithm, Direction::Generate)
    }

    /// Encapsulation for the owners of public keys. The session has no key: a job's data are the
    /// encapsulation key, so that the jobs of one session go to as many peers as there are. Behind
    /// the key may stand the 32 random bytes `m` of FIPS 203, algorithm 17, which must be secret;
    /// without them, the provider draws them. The output is the ciphertext, and behind it the
    /// shared secret of 32 bytes.
    ///
    /// A job whose key has a number that is not below 3329 (FIPS 203, 7.2) fails with
    /// [`JobError::PublicKey`](crate::JobError::PublicKey).
    ///
    /// A hybrid's data are its public key, with or without 64 random bytes behind it, and its
    /// secret has 64 bytes. A point that is not on the curve, or of a small order, is an error of
    /// the same kind.
    ///
    /// # Errors
    /// An algorithm that does not encapsulate: all but ML-KEM and the hybrids.
    pub fn encapsulate(algorithm: PublicKeyAlgorithm) -> Result<Transform, TransformError> {
        Transform::keyless(algorithm, Direction::Encapsulate)
    }

    /// Decapsulation with a private key of ML-KEM. A job's data are the ciphertext, and its output
    /// is the shared secret of 32 bytes. Of a wrong ciphertext comes a secret that nobody else
    /// knows, and no error (implicit rejection).
    ///
    /// # Errors
    /// A key of anything else.
    pub fn decapsulate(key: &PrivateKey) -> Result<Transform, TransformError> {
        let algorithm = key.encapsulation_algorithm();
        Transform::private(key, algorithm, Direction::Decapsulate, Scheme::default())
    }

    /// Decapsulation with the private key of a hybrid. A job's data are the ciphertext, and its
    /// output is the shared secret of 64 bytes. Of a part of ML-KEM that is wrong comes a secret
    /// that nobody else knows, and no error; a point that is not on the curve, or of a small order,
    /// is [`JobError::PublicKey`](crate::JobError::PublicKey).
    pub fn decapsulate_hybrid(key: &HybridPrivateKey) -> Transform {
        let algorithm = Algorithm::PublicKey(PublicKeyAlgorithm::Hybrid(key.kem()));
        let asymmetric = Asymmetric {
            key: AnyKey::Hybrid(key.clone()),
            scheme: Scheme::default(),
            context: Vec::new(),
        };
        Transform::keyed(algorithm, Direction::Decapsulate, key.secret(), Some(asymmetric))
    }

    /// Decapsulation with a private key that is given as its bytes: as the
    /// [seed](Kem::seed_len), or [expanded](Kem::private_key_len). The length says which.
    ///
    /// # Errors
    /// Bytes of another length, or a private key of P-256 in them that is zero or not below the
    /// order.
    pub fn decapsulate_bytes(kem: Kem, key: &[u8]) -> Result<Transform, KeyError> {
        let is_seed = key.len() == kem.seed_len();
        Ok(match kem {
            Kem::MlKem(set) => {
                let key = match is_seed {
                    true => MlKemPrivateKey::from_seed(set, key),
                    false => MlKemPrivateKey::from_expanded(set, key),
                };
                let transform = Transform::decapsulate(&PrivateKey::MlKem(key?));
                transform.expect("a key of ML-KEM decapsulates")
            }
            Kem::Hybrid(kem) => {
                let key = match is_seed {
                    true => HybridPrivateKey::from_seed(kem, key),
                    false => HybridPrivateKey::from_expanded(kem, key),
                };
                Transform::decapsulate_hybrid(&key?)
            }
        })
    }

    /// The transform of an algorithm whose jobs bring their keys, or make them.
    fn keyless(
        algorithm: PublicKeyAlgorithm,
        direction: Direction,
    ) -> Result<Transform, TransformError> {
        let algorithm = Algorithm::PublicKey(algorithm);
        if !algorithm.directions().contains(&direction) {
            return Err(TransformError::Direction { algorithm, direction });
        }
        Ok(Transform::keyed(algorithm, direction, Zeroizing::default(), None))
    }

    /// The transform of a key, whose bytes tell it from others.
    fn keyed(
        algorithm: Algorithm,
        direction: Direction,
        key: Zeroizing<Vec<u8>>,
        asymmetric: Option<Asymmetric>,
    ) -> Transform {
        Transform {
            algorithm,
            direction,
            key,
            mac_key: Zeroizing::default(),
            tag_len: 0,
            compression: Compression::default(),
            asymmetric,
            label: String::new(),
        }
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
        if let Some(reason) = scheme.fault(algorithm, direction) {
            return Some(Err(TransformError::Scheme { algorithm, direction, reason }));
        }
        let asymmetric = Asymmetric { key, scheme, context: Vec::new() };
        Some(Ok(Transform::keyed(any, direction, bytes, Some(asymmetric))))
    }

    /// Signs and verifies under a context string, which tells the uses of a key apart (FIPS 205,
    /// 10.2, and FIPS 204, 5.2): a signature is right only under the context that it was made
    /// under.
    ///
    /// # Errors
    /// An algorithm without context strings (SLH-DSA and ML-DSA have them), or more than 255 bytes;
    /// [mu](Scheme::external_mu) as the data, in which a context string is already.
    pub fn context(mut self, context: &[u8]) -> Result<Transform, TransformError> {
        let (algorithm, len) = (self.algorithm, context.len());
        let has_context = matches!(
            algorithm,
            Algorithm::PublicKey(PublicKeyAlgorithm::SlhDsa(_) | PublicKeyAlgorithm::MlDsa(_))
        );
        if let (Some(asymmetric), Algorithm::PublicKey(algorithm)) = (&self.asymmetric, algorithm)
            && asymmetric.scheme.is_external_mu()
        {
            let (direction, reason) = (self.direction, "mu has its context string in it already");
            return Err(TransformError::Scheme { algorithm, direction, reason });
        }
        match &mut self.asymmetric {
            Some(asymmetric) if has_context && len <= 255 => {
                asymmetric.context = context.to_vec();
                Ok(self)
            }
            _ => Err(TransformError::Context { algorithm, len, has_context }),
        }
    }
}
