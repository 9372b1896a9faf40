//! The parameter sets (FIPS 205, section 11), and the leaves that a digest chooses.

use broadloom_engine::SlhDsaSet;

use crate::cl::GROUP;

/// The numbers of a set, under the standard's names.
#[derive(Clone, Copy)]
pub(super) struct Params {
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
    /// Whether the hash is SHAKE256, not SHA-2.
    pub is_shake: bool,
}

/// The most bytes of a node.
pub(super) const MAX_N: usize = 32;

/// The height of the trees of FORS that a work item makes.
pub(crate) const FORS_PART: usize = 3;

impl Params {
    pub fn new(set: SlhDsaSet) -> Params {
        use SlhDsaSet::*;
        let [n, d, height, a, k] = match set {
            Sha2_128s | Shake128s => [16, 7, 9, 12, 14],
            Sha2_128f | Shake128f => [16, 22, 3, 6, 33],
            Sha2_192s | Shake192s => [24, 7, 9, 14, 17],
            Sha2_192f | Shake192f => [24, 22, 3, 8, 33],
            Sha2_256s | Shake256s => [32, 8, 8, 14, 22],
            Sha2_256f | Shake256f => [32, 17, 4, 9, 35],
        };
        Params { n, d, height, a, k, is_shake: set >= Shake128s }
    }

    /// Chains of a one-time signature: a digit of 4 bits each, and three of the checksum.
    fn chains(&self) -> usize {
        2 * self.n + 3
    }

    /// Bytes of a signature.
    pub fn signature_len(&self) -> usize {
        let fors = self.k * (1 + self.a);
        self.n * (1 + fors + self.d * (self.chains() + self.height))
    }

    /// Bytes of a message's digest that choose leaves of FORS.
    fn fors_digest_len(&self) -> usize {
        (self.k * self.a).div_ceil(8)
    }

    /// Bits of the number of a tree of the lowest layer.
    fn tree_bits(&self) -> usize {
        self.height * (self.d - 1)
    }

    /// Bytes of a message's digest (m).
    pub fn digest_len(&self) -> usize {
        self.fors_digest_len() + self.tree_bits().div_ceil(8) + self.height.div_ceil(8)
    }

    /// Items of the kernels that sign, as far as these have several.
    pub fn items(&self) -> Items {
        Items {
            chains: (self.d << self.height) * self.chains(),
            leaves: self.d << self.height,
            fors: self.k << (self.a - FORS_PART),
            climb: (self.k + self.d) * GROUP,
            values: self.d * self.chains(),
        }
    }

    /// Bytes of a signature's intermediate results: see `tree_nodes` in `slh_dsa.cl`.
    pub fn sign_memory(&self) -> usize {
        let trees = (self.d << self.height) * (self.chains() + 2);
        let fors = 2 * (self.k << self.a);
        self.n * (trees + fors + self.k + 1)
    }

    /// The same of a verification: see `slh_dsa_verify`.
    pub fn verify_memory(&self) -> usize {
        self.n * (2 * GROUP + 1 + self.chains().max(self.k))
    }
}

/// How many items each kernel has.
pub(super) struct Items {
    pub chains: usize,
    pub leaves: usize,
    pub fors: usize,
    pub climb: usize,
    pub values: usize,
}

/// The leaves that a message's digest chooses (FIPS 205, algorithm 19). They are public, as they
/// follow from the signature and the message.
pub(super) struct Places {
    /// A leaf for each tree of FORS.
    pub fors: Vec<u32>,
    /// The tree of the lowest layer of the hypertree, and the leaf in it.
    pub tree: u64,
    pub leaf: u32,
}

impl Places {
    /// Takes a digest apart.
    pub fn new(params: &Params, digest: &[u8]) -> Places {
        let (fors, rest) = digest.split_at(params.fors_digest_len());
        let (tree, leaf) = rest.split_at(params.tree_bits().div_ceil(8));
        let mut bits = fors.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        let mut chosen =
            || bits.by_ref().take(params.a).fold(0, |leaf, bit| 2 * leaf + u32::from(bit));
        let number = |bytes: &[u8], bits: usize| {
            let number = bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
            number & (u64::MAX >> (64 - bits))
        };
        Places {
            fors: (0..params.k).map(|_| chosen()).collect(),
            tree: number(tree, params.tree_bits()),
            leaf: number(leaf, params.height) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_standard() {
        let digests = [30, 34, 39, 42, 47, 49];
        for (index, set) in SlhDsaSet::ALL.into_iter().enumerate() {
            let params = Params::new(set);
            assert_eq!(params.signature_len(), set.signature_len(), "{}", set.name());
            assert_eq!(params.digest_len(), digests[index % 6], "{}", set.name());
            assert_eq!(params.n, set.node_len(), "{}", set.name());
            assert_eq!(params.is_shake, set.name().contains("shake"), "{}", set.name());
            assert!(params.a > FORS_PART && params.n <= MAX_N, "{}", set.name());
        }
    }

    #[test]
    fn a_digest_is_taken_apart_from_its_highest_bits() {
        let params = Params::new(SlhDsaSet::Sha2_128s);
        // 14 numbers of 12 bits in 21 bytes, 54 bits in 7 bytes, and 9 in 2.
        let mut digest = [0xff; 30];
        digest[..3].copy_from_slice(&[0x12, 0x34, 0x56]);
        digest[21..28].copy_from_slice(&[0xc0, 0, 0, 0, 0, 0, 9]);
        digest[28..].copy_from_slice(&[0xfe, 7]);
        let places = Places::new(&params, &digest);
        assert_eq!(places.fors[..3], [0x123, 0x456, 0xfff]);
        assert_eq!((places.fors.len(), places.tree, places.leaf), (14, 9, 7));
        // All 64 bits of a tree's number.
        let params = Params::new(SlhDsaSet::Sha2_256f);
        let places = Places::new(&params, &[0xff; 49]);
        assert_eq!((places.tree, places.leaf), (u64::MAX, 15));
    }
}
