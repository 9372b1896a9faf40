//! RSA: products of limbs of 28 bits in vectors, of 52 where they are fused, of 64 in integers.

use broadloom_engine::RsaSize;

use super::KernelOps;
use super::limbs::Limbs;

/// Bits of an exponent that a window takes at once.
const WINDOW: usize = 5;

/// Squarings, and one multiplication, that the public exponent 65537 takes.
const PUBLIC_SQUARINGS: usize = 16;

/// The operation with the private key: powers modulo both primes, side by side, each with a fixed
/// window, and the check with the public exponent 65537.
pub fn rsa_private(size: RsaSize, limbs: Limbs) -> KernelOps {
    let bits = size.modulus_len() * 8;
    let (half, lanes) = (Modulus::new(bits / 2, limbs), limbs.lanes());
    let windows = (bits / 2).div_ceil(WINDOW) + (1 << WINDOW);
    let powers = bits / 2 * half.squaring() + windows * half.multiplication();
    // A lane checks a whole number, and two lanes make it.
    let pairs = if lanes == 1 { 2 * powers } else { powers };
    let check = public(bits, limbs) * lanes.div_ceil(2) / lanes;
    limbs.kernel(lanes.div_ceil(2), pairs + check)
}

/// The operation with the public key and the exponent 65537.
pub fn rsa_public(size: RsaSize, limbs: Limbs) -> KernelOps {
    limbs.kernel(limbs.lanes(), public(size.modulus_len() * 8, limbs))
}

fn public(bits: usize, limbs: Limbs) -> usize {
    let modulus = Modulus::new(bits, limbs);
    PUBLIC_SQUARINGS * modulus.squaring() + modulus.multiplication()
}

/// Numbers of so many limbs.
struct Modulus {
    limbs: usize,
}

impl Modulus {
    fn new(bits: usize, limbs: Limbs) -> Modulus {
        let limb = match limbs {
            Limbs::Integers => 64,
            Limbs::Vectors(_) => 28,
            Limbs::Fused => 52,
        };
        Modulus { limbs: bits.div_ceil(limb) }
    }

    /// Products of limbs in a product, and as many in its reduction (Montgomery).
    fn multiplication(&self) -> usize {
        2 * self.limbs * self.limbs
    }

    /// Products of limbs in a square, where each of two limbs is made once, and in its reduction.
    fn squaring(&self) -> usize {
        self.limbs * (self.limbs + 1) / 2 + self.limbs * self.limbs
    }
}

#[cfg(test)]
mod tests {
    use broadloom_lanes::probe::Unit;

    use super::*;

    #[test]
    fn products_are_those_of_the_schoolbook() {
        // 1024 squarings and 237 multiplications of 37 limbs, in two pairs of lanes.
        let private = rsa_private(RsaSize::Rsa2048, Limbs::Vectors(Unit::Vec256));
        let powers = 1024 * (703 + 1369) + 237 * 2738;
        let check = 16 * (74 * 75 / 2 + 5476) + 10_952;
        assert_eq!((private.lanes, private.counts.multiply), (2, powers + check / 2));
        let integers = rsa_private(RsaSize::Rsa2048, Limbs::Integers);
        let powers = 1024 * (136 + 256) + 237 * 512;
        let check = 16 * (528 + 1024) + 2048;
        assert_eq!((integers.lanes, integers.counts.multiply), (1, 2 * powers + check));
        let public = rsa_public(RsaSize::Rsa2048, Limbs::Vectors(Unit::Vec256));
        assert_eq!((public.lanes, public.counts.multiply), (4, 16 * (2775 + 5476) + 10_952));
        let fused = rsa_public(RsaSize::Rsa2048, Limbs::Fused);
        let products = 16 * (40 * 41 / 2 + 1600) + 3200;
        assert_eq!((fused.lanes, fused.counts.fused), (8, 2 * products));
    }
}
