//! How a public-key algorithm makes a number of a message.

use crate::algorithm::{HashAlgorithm, PublicKeyAlgorithm};

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
    prehashed: bool,
    hedged: bool,
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
    /// With this hash, and PKCS #1 v1.5 for RSA. Ed25519 and SLH-DSA have hashes of their own and
    /// ignore this.
    pub const fn new(hash: HashAlgorithm) -> Scheme {
        Scheme { hash, padding: Padding::Pkcs1v15, prehashed: false, hedged: false }
    }

    /// The bare operation of RSA.
    pub const fn bare() -> Scheme {
        Scheme::new(HashAlgorithm::Sha256).padding(Padding::None)
    }

    /// With another padding.
    pub const fn padding(self, padding: Padding) -> Scheme {
        Scheme { padding, ..self }
    }

    /// The data are digests of messages, which the caller has hashed.
    pub const fn prehashed(self) -> Scheme {
        Scheme { prehashed: true, ..self }
    }

    /// Signatures of SLH-DSA and ECDSA with fresh randomness, so that a message has another
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

    /// Whether the data are digests.
    pub const fn is_prehashed(&self) -> bool {
        self.prehashed
    }

    /// Whether signatures are made with fresh randomness.
    pub const fn is_hedged(&self) -> bool {
        self.hedged
    }

    /// Why an algorithm cannot have this scheme in a direction that needs a signature, if so, or
    /// else encryption; `None` if it can.
    pub(crate) fn fault(self, algorithm: PublicKeyAlgorithm, signs: bool) -> Option<&'static str> {
        let hash_len = self.hash.digest_len();
        let hash_fits = !self.hash.is_extendable();
        match (algorithm, self.padding) {
            (PublicKeyAlgorithm::SlhDsa(_), _) if self.prehashed => {
                Some("SLH-DSA hashes messages itself and takes no digests")
            }
            (PublicKeyAlgorithm::SlhDsa(_), _) => None,
            _ if self.hedged && !matches!(algorithm, PublicKeyAlgorithm::Ecdsa(_)) => {
                Some("only signatures of SLH-DSA and ECDSA can be hedged")
            }
            (PublicKeyAlgorithm::Ed25519, _) if self.prehashed => {
                Some("Ed25519 hashes messages itself and takes no digests")
            }
            (PublicKeyAlgorithm::Ed25519 | PublicKeyAlgorithm::X25519, _) => None,
            (PublicKeyAlgorithm::Ecdh(_), _) => None,
            _ if !hash_fits => Some("a hash with output of one length is needed"),
            (PublicKeyAlgorithm::Ecdsa(_), _) => None,
            (PublicKeyAlgorithm::Rsa(size), Padding::Pss { salt_len }) => {
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
