//! How a public-key algorithm makes a number of a message.

use crate::algorithm::{Direction, HashAlgorithm, PublicKeyAlgorithm};

/// How a public-key algorithm makes a number of a message: the hash, and the padding of RSA.
///
/// ```
/// use broadloom_engine::{HashAlgorithm, Padding, Scheme};
///
/// let pss = Scheme::new(HashAlgorithm::Sha256).padding(Padding::Pss { salt_len: 32 });
/// let of_digests = Scheme::new(HashAlgorithm::Sha384).prehashed();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct Scheme {
    hash: HashAlgorithm,
    padding: Padding,
    given: Given,
    hedged: bool,
}

/// What the data of a job that signs or verifies are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Given {
    Message,
    Digest,
    /// Mu of ML-DSA.
    Mu,
}

/// The padding of RSA (RFC 8017); of anything else there is none to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Padding {
    /// PKCS #1 v1.5, for signatures and for encryption. Decryption rejects implicitly: of a wrong
    /// padding comes a message that is made of the ciphertext and the key, and no error, so that
    /// nobody learns which it was (draft-irtf-cfrg-rsa-guidance).
    Pkcs1v15,
    /// PSS, for signatures, with MGF1 over the same hash and a salt of so many bytes.
    Pss {
        /// Bytes of the salt; of those of the digest is usual.
        salt_len: usize,
    },
    /// PSS as above with a salt of any length, to verify alone: a signature does not say how long
    /// its salt is, and OpenSSL's command line makes it as long as the modulus has room for.
    PssAnySalt,
    /// OAEP, for encryption, with MGF1 over the same hash and an empty label.
    Oaep,
    /// None: the bare operation with the key, on a number as long as the modulus and less than it.
    None,
}

impl Default for Scheme {
    /// SHA-256, and PKCS #1 v1.5 for RSA.
    fn default() -> Self {
        Scheme::new(HashAlgorithm::Sha256)
    }
}

impl Scheme {
    /// With this hash, and PKCS #1 v1.5 for RSA. Ed25519 has a hash of its own and ignores this,
    /// and so do SLH-DSA and ML-DSA, unless the data are [digests](Scheme::prehashed).
    pub const fn new(hash: HashAlgorithm) -> Scheme {
        Scheme { hash, padding: Padding::Pkcs1v15, given: Given::Message, hedged: false }
    }

    /// The bare operation of RSA.
    pub const fn bare() -> Scheme {
        Scheme::new(HashAlgorithm::Sha256).padding(Padding::None)
    }

    /// With another padding.
    pub const fn padding(self, padding: Padding) -> Scheme {
        Scheme { padding, ..self }
    }

    /// The data are digests of messages, which the caller has hashed. Of ML-DSA and SLH-DSA, this
    /// is HashML-DSA (FIPS 204, 5.4) and HashSLH-DSA (FIPS 205, 10.2.2), whose signatures are
    /// others than those of the messages themselves; digests of SHAKE128 have 32 bytes then, and
    /// those of SHAKE256 have 64.
    pub const fn prehashed(self) -> Scheme {
        Scheme { given: Given::Digest, ..self }
    }

    /// The data are mu of ML-DSA, the 64 bytes that the caller has hashed of the public key, the
    /// context string and a message (FIPS 204, algorithm 7, line 6). The signatures are those of
    /// the message.
    ///
    /// ```
    /// use broadloom_engine::{MlDsaPrivateKey, MlDsaSet, PrivateKey, Scheme, Transform};
    ///
    /// let key = PrivateKey::MlDsa(MlDsaPrivateKey::from_seed(MlDsaSet::MlDsa44, &[7; 32])?);
    /// let of_mu = Transform::sign(&key, Scheme::default().external_mu().hedged())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn external_mu(self) -> Scheme {
        Scheme { given: Given::Mu, ..self }
    }

    /// Signatures of SLH-DSA, ML-DSA and ECDSA with fresh randomness, so that a message has another
    /// signature each time; they resist faults and observation better. Without, they are
    /// deterministic, where the provider makes such signatures. Whoever verifies need not know.
    pub const fn hedged(self) -> Scheme {
        Scheme { hedged: true, ..self }
    }

    /// The hash.
    pub const fn hash(&self) -> HashAlgorithm {
        self.hash
    }

    /// The padding.
    pub const fn of_rsa(&self) -> Padding {
        self.padding
    }

    /// Returns `true` if the data are digests.
    pub const fn is_prehashed(&self) -> bool {
        matches!(self.given, Given::Digest)
    }

    /// Returns `true` if the data are mu of ML-DSA.
    pub const fn is_external_mu(&self) -> bool {
        matches!(self.given, Given::Mu)
    }

    /// Returns `true` if signatures are made with fresh randomness.
    pub const fn is_hedged(&self) -> bool {
        self.hedged
    }

    /// Returns `true` if the hash is of SHA-2, SHA-3 or SHAKE.
    const fn is_of_nist(self) -> bool {
        use HashAlgorithm::{Blake3, Md5, Sha1, Sm3};
        !matches!(self.hash, Md5 | Sha1 | Sm3 | Blake3)
    }

    /// Why an algorithm cannot have this scheme in a direction; `None` if it can.
    pub(crate) fn fault(
        self,
        algorithm: PublicKeyAlgorithm,
        direction: Direction,
    ) -> Option<&'static str> {
        let signs = matches!(direction, Direction::Sign | Direction::Verify);
        let hash_len = self.hash.digest_len();
        let hash_fits = !self.hash.is_extendable();
        match (algorithm, self.padding) {
            (PublicKeyAlgorithm::MlDsa(_), _) if self.is_prehashed() && !self.is_of_nist() => {
                Some("HashML-DSA takes digests of SHA-2, SHA-3 and SHAKE")
            }
            (PublicKeyAlgorithm::SlhDsa(_), _) if self.is_prehashed() && !self.is_of_nist() => {
                Some("HashSLH-DSA takes digests of SHA-2, SHA-3 and SHAKE")
            }
            (PublicKeyAlgorithm::MlDsa(_), _) => None,
            _ if self.is_external_mu() => Some("only ML-DSA takes mu"),
            (PublicKeyAlgorithm::SlhDsa(_), _) => None,
            _ if self.hedged && !matches!(algorithm, PublicKeyAlgorithm::Ecdsa(_)) => {
                Some("only signatures of SLH-DSA, ML-DSA and ECDSA can be hedged")
            }
            (PublicKeyAlgorithm::Ed25519, _) if self.is_prehashed() => {
                Some("Ed25519 hashes messages itself and takes no digests")
            }
            (PublicKeyAlgorithm::Ed25519 | PublicKeyAlgorithm::X25519, _) => None,
            (PublicKeyAlgorithm::Ecdh(_) | PublicKeyAlgorithm::MlKem(_), _) => None,
            (PublicKeyAlgorithm::Hybrid(_), _) => None,
            _ if !hash_fits => Some("a hash with output of one length is needed"),
            (PublicKeyAlgorithm::Ecdsa(_), _) => None,
            (PublicKeyAlgorithm::Rsa(_), Padding::PssAnySalt) if direction == Direction::Sign => {
                Some("a signature is made with a salt of some length; any is for verification")
            }
            (PublicKeyAlgorithm::Rsa(size), Padding::Pss { .. } | Padding::PssAnySalt) => {
                let salt_len = match self.padding {
                    Padding::Pss { salt_len } => salt_len,
                    _ => 0,
                };
                let room = size.modulus_len().saturating_sub(hash_len + 2);
                let fits = salt_len <= room;
                match (signs, fits) {
                    (false, _) => Some("PSS is for signatures; OAEP and PKCS #1 v1.5 encrypt"),
                    (true, false) => Some("digest and salt of PSS do not fit into the modulus"),
                    (true, true) => None,
                }
            }
            (PublicKeyAlgorithm::Rsa(size), Padding::Oaep) => match signs {
                true => Some("OAEP is for encryption; PSS and PKCS #1 v1.5 sign"),
                false if size.modulus_len() < 2 * hash_len + 2 => {
                    Some("two digests of OAEP do not fit into the modulus")
                }
                false => None,
            },
            (PublicKeyAlgorithm::Rsa(_), Padding::None) if signs => {
                Some("a signature needs a padding: PSS or PKCS #1 v1.5")
            }
            (PublicKeyAlgorithm::Rsa(_), _) => None,
        }
    }
}
