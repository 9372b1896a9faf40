//! The parameter sets (FIPS 204, section 4).

use core::fmt;

use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::round::Gamma2;

/// A parameter set of ML-DSA (FIPS 204, table 1).
///
/// ```
/// use broadloom_public_key::MlDsaSet;
///
/// let set = MlDsaSet::MlDsa65;
/// assert_eq!(set.name(), "ml-dsa-65");
/// assert_eq!((set.public_key_len(), set.signature_len()), (1952, 3309));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum MlDsaSet {
    MlDsa44,
    MlDsa65,
    MlDsa87,
}

/// Bytes of a seed.
pub(super) const LEN: usize = 32;

/// Bytes of the digests of keys and of messages (tr and mu).
pub(super) const DIGEST: usize = 64;

/// Where a private key has its secret vectors: behind two seeds and a digest.
pub(super) const SECRETS: usize = 2 * LEN + DIGEST;

/// The most bytes of a public key.
pub(super) const MAX_PUBLIC: usize = MlDsaSet::MlDsa87.public_key_len();

/// The most bytes of a private key.
pub(super) const MAX_PRIVATE: usize = MlDsaSet::MlDsa87.private_key_len();

/// The most bytes of a challenge's seed.
pub(super) const MAX_CHALLENGE: usize = MlDsaSet::MlDsa87.challenge_len();

/// The most bytes of the higher parts of a commitment.
pub(super) const MAX_COMMITMENT: usize = MlDsaSet::MlDsa87.commitment_len();

/// The most numbers of a challenge that are not zero.
pub(super) const MAX_TAU: usize = MlDsaSet::MlDsa87.tau();

/// The most hints of a signature.
pub(super) const MAX_OMEGA: usize = MlDsaSet::MlDsa44.omega();

impl MlDsaSet {
    /// All of them.
    pub const ALL: [MlDsaSet; 3] = [MlDsaSet::MlDsa44, MlDsaSet::MlDsa65, MlDsaSet::MlDsa87];

    /// The bytes of the seed of a key, in every set.
    pub const SEED_LEN: usize = LEN;

    /// The bytes of the randomness of a signature, in every set.
    pub const RANDOMNESS_LEN: usize = LEN;

    /// Returns the name on command lines and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            MlDsaSet::MlDsa44 => "ml-dsa-44",
            MlDsaSet::MlDsa65 => "ml-dsa-65",
            MlDsaSet::MlDsa87 => "ml-dsa-87",
        }
    }

    /// Rows of the matrix (k).
    pub(super) const fn k(self) -> usize {
        match self {
            MlDsaSet::MlDsa44 => 4,
            MlDsaSet::MlDsa65 => 6,
            MlDsaSet::MlDsa87 => 8,
        }
    }

    /// Columns of the matrix (l).
    pub(super) const fn l(self) -> usize {
        match self {
            MlDsaSet::MlDsa44 => 4,
            MlDsaSet::MlDsa65 => 5,
            MlDsaSet::MlDsa87 => 7,
        }
    }

    /// The largest amount of secret numbers (eta).
    pub(super) const fn eta(self) -> u32 {
        match self {
            MlDsaSet::MlDsa44 | MlDsaSet::MlDsa87 => 2,
            MlDsaSet::MlDsa65 => 4,
        }
    }

    /// How secret numbers are packed.
    pub(super) const fn secret_packing(self) -> Packing {
        match self {
            MlDsaSet::MlDsa44 | MlDsaSet::MlDsa87 => Packing::Eta2,
            MlDsaSet::MlDsa65 => Packing::Eta4,
        }
    }

    /// How masks and responses are packed: their bound is gamma1.
    pub(super) const fn response_packing(self) -> Packing {
        match self {
            MlDsaSet::MlDsa44 => Packing::Gamma17,
            MlDsaSet::MlDsa65 | MlDsaSet::MlDsa87 => Packing::Gamma19,
        }
    }

    /// How the higher parts of commitments are packed.
    pub(super) const fn commitment_packing(self) -> Packing {
        match self {
            MlDsaSet::MlDsa44 => Packing::High43,
            MlDsaSet::MlDsa65 | MlDsaSet::MlDsa87 => Packing::High15,
        }
    }

    /// The bound of masks (gamma1).
    pub(super) const fn gamma1(self) -> u32 {
        match self {
            MlDsaSet::MlDsa44 => 1 << 17,
            MlDsaSet::MlDsa65 | MlDsaSet::MlDsa87 => 1 << 19,
        }
    }

    /// The range of lower parts (gamma2).
    pub(super) const fn gamma2(self) -> Gamma2 {
        match self {
            MlDsaSet::MlDsa44 => Gamma2::Part88,
            MlDsaSet::MlDsa65 | MlDsaSet::MlDsa87 => Gamma2::Part32,
        }
    }

    /// Numbers of a challenge that are not zero (tau).
    pub(super) const fn tau(self) -> usize {
        match self {
            MlDsaSet::MlDsa44 => 39,
            MlDsaSet::MlDsa65 => 49,
            MlDsaSet::MlDsa87 => 60,
        }
    }

    /// The largest amount of a challenge times secrets (beta).
    pub(super) const fn beta(self) -> u32 {
        self.tau() as u32 * self.eta()
    }

    /// The most hints of a signature (omega).
    pub(super) const fn omega(self) -> usize {
        match self {
            MlDsaSet::MlDsa44 => 80,
            MlDsaSet::MlDsa65 => 55,
            MlDsaSet::MlDsa87 => 75,
        }
    }

    /// Bytes of a challenge's seed: a quarter of lambda.
    pub(super) const fn challenge_len(self) -> usize {
        match self {
            MlDsaSet::MlDsa44 => 32,
            MlDsaSet::MlDsa65 => 48,
            MlDsaSet::MlDsa87 => 64,
        }
    }

    /// Bytes of the higher parts of a commitment.
    pub(super) const fn commitment_len(self) -> usize {
        self.k() * self.commitment_packing().bytes()
    }

    /// Where a signature has its hints.
    pub(super) const fn hints_at(self) -> usize {
        self.challenge_len() + self.l() * self.response_packing().bytes()
    }

    /// Returns the bytes of a public key.
    pub const fn public_key_len(self) -> usize {
        LEN + self.k() * Packing::T1.bytes()
    }

    /// Returns the bytes of a private key.
    pub const fn private_key_len(self) -> usize {
        let secrets = (self.k() + self.l()) * self.secret_packing().bytes();
        SECRETS + secrets + self.k() * Packing::T0.bytes()
    }

    /// Returns the bytes of a signature.
    pub const fn signature_len(self) -> usize {
        self.hints_at() + self.omega() + self.k()
    }

    /// Returns the permutations of Keccak that a verification takes, about.
    pub(super) const fn cost(self) -> usize {
        self.k() * self.l() * 5 + self.public_key_len() / 136 + 10
    }

    /// Returns the permutations of Keccak that a signature takes, about, with arithmetic that takes
    /// as long as four of them for each.
    pub(super) const fn sign_cost(self) -> usize {
        self.cost() + 5 * 4 * 5 * self.l()
    }
}

impl fmt::Display for MlDsaSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
