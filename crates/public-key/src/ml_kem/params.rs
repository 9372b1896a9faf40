//! The parameter sets (FIPS 203, section 8).

use core::fmt;

use crate::kernels::ml_kem::pack::Bits;

/// A parameter set of ML-KEM (FIPS 203, table 2).
///
/// ```
/// use broadloom_public_key::MlKemSet;
///
/// let set = MlKemSet::MlKem768;
/// assert_eq!(set.name(), "ml-kem-768");
/// assert_eq!((set.public_key_len(), set.ciphertext_len()), (1184, 1088));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum MlKemSet {
    MlKem512,
    MlKem768,
    MlKem1024,
}

/// Bytes of a shared secret, of a message, and of each half of a seed.
pub(super) const LEN: usize = 32;

/// Bytes of a packed polynomial of a key.
pub(super) const POLY: usize = Bits::Twelve.bytes();

/// The most bytes of an encapsulation key.
pub(super) const MAX_PUBLIC: usize = MlKemSet::MlKem1024.public_key_len();

/// The most bytes of a decapsulation key.
pub(super) const MAX_PRIVATE: usize = MlKemSet::MlKem1024.private_key_len();

/// The most bytes of a ciphertext.
pub(super) const MAX_CIPHERTEXT: usize = MlKemSet::MlKem1024.ciphertext_len();

impl MlKemSet {
    /// All of them, in the order of their object identifiers.
    pub const ALL: [MlKemSet; 3] = [MlKemSet::MlKem512, MlKemSet::MlKem768, MlKemSet::MlKem1024];

    /// The bytes of a shared secret, in every set.
    pub const SECRET_LEN: usize = LEN;

    /// The bytes of the randomness of an encapsulation, in every set.
    pub const RANDOMNESS_LEN: usize = LEN;

    /// The bytes of a seed, `d` and `z`, in every set.
    pub const SEED_LEN: usize = 2 * LEN;

    /// Returns the name on command lines and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            MlKemSet::MlKem512 => "ml-kem-512",
            MlKemSet::MlKem768 => "ml-kem-768",
            MlKemSet::MlKem1024 => "ml-kem-1024",
        }
    }

    /// Polynomials of a vector (k).
    pub(super) const fn k(self) -> usize {
        match self {
            MlKemSet::MlKem512 => 2,
            MlKemSet::MlKem768 => 3,
            MlKemSet::MlKem1024 => 4,
        }
    }

    /// The bound of the numbers of secrets (eta1); that of errors (eta2) is [`ETA2`].
    pub(super) const fn eta1(self) -> usize {
        match self {
            MlKemSet::MlKem512 => 3,
            MlKemSet::MlKem768 | MlKemSet::MlKem1024 => 2,
        }
    }

    /// Bits of the numbers of a ciphertext (du and dv).
    pub(super) const fn bits(self) -> [Bits; 2] {
        match self {
            MlKemSet::MlKem512 | MlKemSet::MlKem768 => [Bits::Ten, Bits::Four],
            MlKemSet::MlKem1024 => [Bits::Eleven, Bits::Five],
        }
    }

    /// Returns the bytes of an encapsulation key.
    pub const fn public_key_len(self) -> usize {
        self.k() * POLY + LEN
    }

    /// Returns the bytes of a decapsulation key: the secret vector, the encapsulation key, its
    /// SHA3-256 digest, and `z`.
    pub const fn private_key_len(self) -> usize {
        2 * self.k() * POLY + 3 * LEN
    }

    /// Returns the encapsulation key within a decapsulation key.
    ///
    /// ```
    /// use broadloom_public_key::MlKemSet;
    ///
    /// let set = MlKemSet::MlKem512;
    /// let generated = vec![0; set.private_key_len()];
    /// assert_eq!(set.public_of(&generated).len(), set.public_key_len());
    /// ```
    ///
    /// # Panics
    /// If there are fewer bytes than a [decapsulation key](MlKemSet::private_key_len) has.
    pub fn public_of(self, private: &[u8]) -> &[u8] {
        &private[self.k() * POLY..][..self.public_key_len()]
    }

    /// Returns the bytes of a ciphertext.
    pub const fn ciphertext_len(self) -> usize {
        let [u, v] = self.bits();
        self.k() * u.bytes() + v.bytes()
    }

    /// Returns the permutations of Keccak that an encapsulation takes, about.
    pub(super) const fn cost(self) -> usize {
        self.k() * self.k() * 3 + 2 * self.k() + self.public_key_len() / 136 + 3
    }
}

/// The bound of the numbers of errors.
pub(super) const ETA2: usize = 2;

impl fmt::Display for MlKemSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
