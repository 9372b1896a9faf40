//! The parameter sets (FIPS 205, section 11).

use core::fmt;

/// A parameter set of SLH-DSA (FIPS 205, table 2): the hash, the level of security in bits, and `s`
/// for small signatures or `f` for fast signing.
///
/// ```
/// use broadloom_public_key::SlhDsaSet;
///
/// let set = SlhDsaSet::Sha2_128f;
/// assert_eq!((set.name(), set.signature_len()), ("slh-dsa-sha2-128f", 17088));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum SlhDsaSet {
    Sha2_128s,
    Sha2_128f,
    Sha2_192s,
    Sha2_192f,
    Sha2_256s,
    Sha2_256f,
    Shake128s,
    Shake128f,
    Shake192s,
    Shake192f,
    Shake256s,
    Shake256f,
}

/// The numbers of a set, under the standard's names: for code that computes SLH-DSA elsewhere, on a
/// device for instance.
///
/// ```
/// use broadloom_public_key::SlhDsaSet;
///
/// let params = SlhDsaSet::Sha2_128f.params();
/// assert_eq!((params.n, params.d, params.k), (16, 22, 33));
/// assert_eq!(params.signature_len(), 17088);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlhDsaParams {
    /// Bytes of a node.
    pub n: usize,
    /// Layers of the hypertree.
    pub d: usize,
    /// The height of a tree of the hypertree (h').
    pub height: usize,
    /// The height of a tree of FORS.
    pub a: usize,
    /// Trees of FORS.
    pub k: usize,
    /// `true` if the hash is SHAKE256, not SHA-2.
    pub is_shake: bool,
}

/// The most bytes of a node.
pub(super) const MAX_N: usize = 32;

/// The most layers.
pub(super) const MAX_LAYERS: usize = 22;

/// The most trees of FORS.
pub(super) const MAX_FORS: usize = 35;

/// The most chains of a one-time signature.
pub(super) const MAX_CHAINS: usize = 2 * MAX_N + 3;

/// The last place in a chain: w - 1.
pub(super) const LAST: usize = 15;

impl SlhDsaSet {
    /// All of them, in the order of their object identifiers.
    pub const ALL: [SlhDsaSet; 12] = [
        SlhDsaSet::Sha2_128s,
        SlhDsaSet::Sha2_128f,
        SlhDsaSet::Sha2_192s,
        SlhDsaSet::Sha2_192f,
        SlhDsaSet::Sha2_256s,
        SlhDsaSet::Sha2_256f,
        SlhDsaSet::Shake128s,
        SlhDsaSet::Shake128f,
        SlhDsaSet::Shake192s,
        SlhDsaSet::Shake192f,
        SlhDsaSet::Shake256s,
        SlhDsaSet::Shake256f,
    ];

    /// Returns the name on command lines and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            SlhDsaSet::Sha2_128s => "slh-dsa-sha2-128s",
            SlhDsaSet::Sha2_128f => "slh-dsa-sha2-128f",
            SlhDsaSet::Sha2_192s => "slh-dsa-sha2-192s",
            SlhDsaSet::Sha2_192f => "slh-dsa-sha2-192f",
            SlhDsaSet::Sha2_256s => "slh-dsa-sha2-256s",
            SlhDsaSet::Sha2_256f => "slh-dsa-sha2-256f",
            SlhDsaSet::Shake128s => "slh-dsa-shake-128s",
            SlhDsaSet::Shake128f => "slh-dsa-shake-128f",
            SlhDsaSet::Shake192s => "slh-dsa-shake-192s",
            SlhDsaSet::Shake192f => "slh-dsa-shake-192f",
            SlhDsaSet::Shake256s => "slh-dsa-shake-256s",
            SlhDsaSet::Shake256f => "slh-dsa-shake-256f",
        }
    }

    /// Returns its numbers.
    pub const fn params(self) -> SlhDsaParams {
        use SlhDsaSet::*;
        let [n, d, height, a, k] = match self {
            Sha2_128s | Shake128s => [16, 7, 9, 12, 14],
            Sha2_128f | Shake128f => [16, 22, 3, 6, 33],
            Sha2_192s | Shake192s => [24, 7, 9, 14, 17],
            Sha2_192f | Shake192f => [24, 22, 3, 8, 33],
            Sha2_256s | Shake256s => [32, 8, 8, 14, 22],
            Sha2_256f | Shake256f => [32, 17, 4, 9, 35],
        };
        SlhDsaParams { n, d, height, a, k, is_shake: self as usize >= Shake128s as usize }
    }

    /// Returns the bytes of a node, of a seed, and of the randomness of a signature.
    pub const fn node_len(self) -> usize {
        self.params().n
    }

    /// Returns the bytes of a public key: PK.seed and PK.root.
    pub const fn public_key_len(self) -> usize {
        2 * self.params().n
    }

    /// Returns the bytes of a private key: SK.seed, SK.prf and the public key.
    pub const fn private_key_len(self) -> usize {
        4 * self.params().n
    }

    /// Returns the bytes of a signature.
    pub const fn signature_len(self) -> usize {
        self.params().signature_len()
    }
}

impl fmt::Display for SlhDsaSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl SlhDsaParams {
    /// Chains of a one-time signature: a digit of 4 bits each, and three of the checksum.
    pub const fn chains(&self) -> usize {
        2 * self.n + 3
    }

    /// Returns the bytes of one tree's part of a FORS signature: a secret and its path.
    pub(super) const fn fors_part(&self) -> usize {
        (1 + self.a) * self.n
    }

    /// Returns the bytes of a FORS signature.
    pub(super) const fn fors_len(&self) -> usize {
        self.k * self.fors_part()
    }

    /// Returns the bytes of one layer's signature: a one-time signature and a path.
    pub(super) const fn layer_len(&self) -> usize {
        (self.chains() + self.height) * self.n
    }

    /// Returns the bytes of a signature: the randomizer, FORS, and the layers.
    pub const fn signature_len(&self) -> usize {
        self.n + self.fors_len() + self.d * self.layer_len()
    }

    /// Returns the bytes of a message's digest that choose leaves of FORS.
    pub(super) const fn fors_digest_len(&self) -> usize {
        (self.k * self.a).div_ceil(8)
    }

    /// Returns the bits of the number of a tree of the lowest layer.
    pub(super) const fn tree_bits(&self) -> usize {
        self.height * (self.d - 1)
    }

    /// Returns the bytes of a message's digest (m).
    pub const fn digest_len(&self) -> usize {
        self.fors_digest_len() + self.tree_bits().div_ceil(8) + self.height.div_ceil(8)
    }

    /// Calls of hash functions that a signature takes, about.
    pub(super) const fn sign_cost(&self) -> usize {
        self.d * self.tree_cost() + self.k * (3 << self.a)
    }

    /// Returns the same of a tree of the hypertree.
    pub(super) const fn tree_cost(&self) -> usize {
        (self.chains() * (LAST + 1)) << self.height
    }

    /// Returns the same of a verification.
    pub(super) const fn verify_cost(&self) -> usize {
        self.d * self.chains() * LAST.div_ceil(2) + self.k * (1 + self.a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_standard() {
        let lens = [7856, 17088, 16224, 35664, 29792, 49856];
        let digests = [30, 34, 39, 42, 47, 49];
        for (index, set) in SlhDsaSet::ALL.into_iter().enumerate() {
            let (set_len, digest_len) = (set.signature_len(), set.params().digest_len());
            assert_eq!((set_len, digest_len), (lens[index % 6], digests[index % 6]), "{set}");
            assert_eq!(set.params().is_shake, set.name().contains("shake"));
            let params = set.params();
            assert!(params.n <= MAX_N && params.d <= MAX_LAYERS && params.k <= MAX_FORS);
        }
    }
}
