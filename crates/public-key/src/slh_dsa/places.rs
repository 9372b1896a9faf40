//! Which leaves a message's digest chooses, and the digits of a one-time signature.

use super::message::MAX_DIGEST;
use super::params::{LAST, MAX_CHAINS, MAX_FORS, MAX_LAYERS, SlhDsaParams};

/// The leaves that a message's digest chooses (FIPS 205, algorithm 19). All of this is public: it
/// follows from the signature and the message.
///
/// ```
/// use broadloom_public_key::{SlhDsaPlaces, SlhDsaSet};
///
/// let params = SlhDsaSet::Sha2_128s.params();
/// let mut digest = [0; 30];
/// digest[..2].copy_from_slice(&[0x12, 0x34]);
/// digest[29] = 7;
/// let places = SlhDsaPlaces::new(&params, &digest);
/// assert_eq!((places.fors[0], places.layers[0]), (0x123, (0, 7)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SlhDsaPlaces {
    /// A leaf for each tree of FORS, and zeros where the set has fewer trees than others.
    pub fors: [u32; MAX_FORS],
    /// For each layer of the hypertree, the lowest first: the tree, and the leaf in it. Zeros where
    /// the set has fewer layers than others.
    pub layers: [(u64, u32); MAX_LAYERS],
}

impl SlhDsaPlaces {
    pub(super) const NONE: SlhDsaPlaces =
        SlhDsaPlaces { fors: [0; MAX_FORS], layers: [(0, 0); MAX_LAYERS] };

    /// Takes a digest apart.
    ///
    /// # Panics
    /// If the digest is shorter than [`digest_len`](SlhDsaParams::digest_len).
    pub fn new(params: &SlhDsaParams, digest: &[u8]) -> SlhDsaPlaces {
        let mut places = SlhDsaPlaces::NONE;
        let (fors, rest) = digest.split_at(params.fors_digest_len());
        let (tree, leaf) = rest.split_at(params.tree_bits().div_ceil(8));
        let mut bits = fors.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        for leaf in &mut places.fors[..params.k] {
            *leaf = bits.by_ref().take(params.a).fold(0, |leaf, bit| 2 * leaf + u32::from(bit));
        }
        let number = |bytes: &[u8], bits: usize| {
            let number = bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
            number & (u64::MAX >> (64 - bits))
        };
        let mut tree = number(tree, params.tree_bits());
        let mut leaf = number(leaf, params.height);
        for layer in &mut places.layers[..params.d] {
            *layer = (tree, leaf as u32);
            leaf = tree & ((1 << params.height) - 1);
            tree >>= params.height;
        }
        places
    }
}

const _: () = assert!(MAX_DIGEST == 49, "the digest of the largest set");

/// Returns how far each chain goes in a one-time signature of a node: its digits of four bits, and
/// those of the checksum (FIPS 205, algorithm 7).
pub(super) fn digits(params: &SlhDsaParams, node: &[u8]) -> [u8; MAX_CHAINS] {
    let mut digits = [0; MAX_CHAINS];
    let len = 2 * params.n;
    for (pair, byte) in digits.chunks_exact_mut(2).zip(&node[..params.n]) {
        pair.copy_from_slice(&[byte >> 4, byte & 15]);
    }
    let sum: usize = digits[..len].iter().map(|digit| LAST - usize::from(*digit)).sum();
    for (digit, shift) in digits[len..].iter_mut().zip([8, 4, 0]) {
        *digit = (sum >> shift & 15) as u8;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::super::params::SlhDsaSet;
    use super::*;

    #[test]
    fn a_digest_is_taken_apart_from_its_highest_bits() {
        let params = SlhDsaSet::Sha2_128s.params();
        // 14 numbers of 12 bits in 21 bytes, 54 bits in 7 bytes, and 9 in 2.
        let mut digest = [0xff; 30];
        digest[..3].copy_from_slice(&[0x12, 0x34, 0x56]);
        digest[21..28].copy_from_slice(&[0xc0, 0, 0, 0, 0, 0, 9]);
        digest[28..].copy_from_slice(&[0xfe, 7]);
        let places = SlhDsaPlaces::new(&params, &digest);
        assert_eq!(places.fors[..3], [0x123, 0x456, 0xfff]);
        assert!(places.fors[13] != 0 && places.fors[14..] == [0; MAX_FORS - 14]);
        assert_eq!(places.layers[0], (9, 7));
        // All 64 bits of a tree's number.
        let params = SlhDsaSet::Sha2_256f.params();
        let places = SlhDsaPlaces::new(&params, &[0xff; 49]);
        assert_eq!(places.layers[0], (u64::MAX, 15));
    }
}
