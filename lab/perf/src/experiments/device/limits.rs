//! The least time that copies and arithmetic take at a device.

use broadloom::gpu::Limits;
use broadloom_engine::{
    Algorithm, Family, HashAlgorithm, MacAlgorithm, PublicKeyAlgorithm, RsaSize,
};
use broadloom_lanes::probe::Unit;

use crate::measure::ops::{HashBlocks, hash_rounds, signature_blocks};

/// The measured limits of a device.
pub(super) struct Bounds {
    pub limits: Limits,
}

impl Bounds {
    /// The least seconds for buffers of a size, of which so many bytes are copied there and back,
    /// and what sets this limit.
    pub fn seconds(
        &self,
        algorithm: Algorithm,
        size: usize,
        buffers: f64,
        copied: (f64, f64),
    ) -> (f64, &'static str) {
        let there = copied.0 / self.limits.upload;
        let back = copied.1 / self.limits.download;
        let computed = match algorithm {
            Algorithm::PublicKey(PublicKeyAlgorithm::Rsa(size)) => {
                products(size) * buffers / self.limits.products
            }
            Algorithm::PublicKey(PublicKeyAlgorithm::Ed25519) => {
                ED25519_VERIFY * buffers / self.limits.products
            }
            _ => operations(algorithm, size).unwrap_or_default() * buffers / self.limits.operations,
        };
        // Copies one way, copies the other way and kernels overlap.
        let limits = [
            (there, "copies to the device"),
            (back, "copies from the device"),
            (computed, "the device's arithmetic"),
        ];
        limits.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are three")
    }
}

/// Operations on 32-bit words for a buffer of a hash or HMAC, or a signature of SLH-DSA: those of
/// 512-bit vectors, which have rotations and functions of three inputs, as GPUs have. None where
/// they are not counted.
fn operations(algorithm: Algorithm, size: usize) -> Option<f64> {
    if let Algorithm::PublicKey(PublicKeyAlgorithm::SlhDsa(set)) = algorithm {
        let HashBlocks { short, long } = signature_blocks(set);
        let blocks =
            short * of_block(HashAlgorithm::Sha256) + long * of_block(HashAlgorithm::Sha512);
        return set.name().contains("sha2").then_some(blocks);
    }
    let (hash, more) = match algorithm {
        Algorithm::Hash(hash) => (hash, 0),
        // The outer hash has a block; that of the key was done before.
        Algorithm::Mac(MacAlgorithm::Hmac(hash)) => (hash, 1),
        _ => return None,
    };
    if hash.family() != Family::MerkleDamgard || hash == HashAlgorithm::Md5 {
        return None;
    }
    let block = hash.block_len();
    let blocks = (size + 1 + block / 8).div_ceil(block) + more;
    Some(of_block(hash) * blocks as f64)
}

/// Operations on 32-bit words for a block.
fn of_block(hash: HashAlgorithm) -> f64 {
    // A word of 64 bits is two of 32.
    let words = if hash.block_len() == 128 { 2 } else { 1 };
    f64::from(hash_rounds(hash, Unit::Vec512).counts.total() * words)
}

/// Products of 32-bit words for a private operation of RSA: two powers modulo the primes, with
/// windows of four bits, by Montgomery multiplications of 2n² + n products. What joins the powers
/// and checks the result is not counted.
fn products(size: RsaSize) -> f64 {
    let words = (size.modulus_len() / 4 / 2) as f64;
    let bits = 32.0 * words;
    let multiplications = bits + bits / 4.0 + 14.0;
    2.0 * multiplications * (2.0 * words * words + words)
}

/// Products of 32-bit words for a verification of Ed25519, with ten limbs. The hash, and the little
/// that is computed modulo the order of the base point, are not counted.
const ED25519_VERIFY: f64 = {
    let (product, square) = (10 * 10, 10 * 11 / 2);
    // A doubling, and a sum; with T where a sum follows.
    let (doubling, sum, t) = (3 * product + 4 * square, 6 * product, product);
    // Digits of four bits: 63 times four doublings, and 64 times two sums.
    let point = 4 * 63 * doubling + 2 * 64 * sum + (63 + 64) * t;
    let encoding = 254 * square + (11 + 2) * product;
    (point + encoding) as f64
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_grow_with_blocks_and_words() {
        let of = |name: &str, size| operations(name.parse().unwrap(), size);
        let one = of("sha256", 55).unwrap();
        assert!((1000.0..4000.0).contains(&one), "{one}");
        assert_eq!(of("sha256", 56), Some(2.0 * one));
        assert_eq!(of("hmac-sha256", 55), Some(2.0 * one));
        assert!(of("sha512", 55).unwrap() > 2.0 * one);
        assert_eq!(of("aes-128-gcm", 55), None);
        assert_eq!(of("sha3-256", 55), None);
        // Whatever the message, which is hashed by the host.
        assert_eq!(of("slh-dsa-sha2-128f", 55), Some(106_786.0 * one));
        assert_eq!(of("slh-dsa-sha2-128f", 5000), of("slh-dsa-sha2-128f", 55));
        assert_eq!(of("slh-dsa-shake-128f", 55), None);
    }

    #[test]
    fn a_verification_has_the_products_of_the_kernel() {
        assert_eq!(ED25519_VERIFY, 100.0 * 1664.0 + 55.0 * 1262.0);
    }

    #[test]
    fn products_grow_with_the_cube_of_the_modulus() {
        assert_eq!(products(RsaSize::Rsa2048), 2.0 * 1294.0 * 2080.0);
        let ratio = products(RsaSize::Rsa4096) / products(RsaSize::Rsa2048);
        assert!((7.5..8.0).contains(&ratio), "{ratio}");
    }
}
