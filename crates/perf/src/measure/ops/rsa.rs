//! RSA: products of limbs, in vectors of 28 bits a limb or in integers of 64.

use broadloom_engine::RsaSize;
use broadloom_lanes::probe::Unit;

use super::{KernelOps, OpCounts};

/// Bits of an exponent that a window takes at once.
const WINDOW: usize = 5;

/// Squarings, and one multiplication, that the public exponent 65537 takes.
const PUBLIC_SQUARINGS: usize = 16;

/// The operation with the private key: powers modulo both primes, side by side, each with a fixed
/// window, and the check with the public exponent 65537.
pub fn rsa_private(size: RsaSize, unit: Unit) -> KernelOps {
    let bits = size.modulus_len() * 8;
    let half = Modulus::new(bits / 2, unit);
    let windows = (bits / 2).div_ceil(WINDOW) + (1 << WINDOW);
    let powers = bits / 2 * half.squaring() + windows * half.multiplication();
    // A lane checks a whole number, and two lanes make it.
    let pairs = if half.lanes == 1 { 2 * powers } else { powers };
    let check = public(bits, unit) * half.lanes.div_ceil(2) / half.lanes;
    kernel(unit, half.lanes.div_ceil(2), pairs + check)
}

/// The operation with the public key and the exponent 65537.
pub fn rsa_public(size: RsaSize, unit: Unit) -> KernelOps {
    let bits = size.modulus_len() * 8;
    kernel(unit, Modulus::new(bits, unit).lanes, public(bits, unit))
}

fn public(bits: usize, unit: Unit) -> usize {
    let modulus = Modulus::new(bits, unit);
    PUBLIC_SQUARINGS * modulus.squaring() + modulus.multiplication()
}

/// So many products, each added to a sum: of 128 bits, in integers, by two additions.
fn kernel(unit: Unit, lanes: usize, products: usize) -> KernelOps {
    let multiply = products as u32;
    let add = if unit == Unit::Scalar { 2 * multiply } else { multiply };
    KernelOps { unit, word: 64, lanes, counts: OpCounts { multiply, add, ..OpCounts::default() } }
}

/// Numbers of so many limbs, in so many lanes.
struct Modulus {
    limbs: usize,
    lanes: usize,
}

impl Modulus {
    fn new(bits: usize, unit: Unit) -> Modulus {
        match unit {
            Unit::Scalar => Modulus { limbs: bits.div_ceil(64), lanes: 1 },
            _ => Modulus { limbs: bits.div_ceil(28), lanes: unit.bits() / 64 },
        }
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
    use super::*;

    #[test]
    fn products_are_those_of_the_schoolbook() {
        // 1024 squarings and 237 multiplications of 37 limbs, in two pairs of lanes.
        let private = rsa_private(RsaSize::Rsa2048, Unit::Vec256);
        let powers = 1024 * (703 + 1369) + 237 * 2738;
        let check = 16 * (74 * 75 / 2 + 5476) + 10_952;
        assert_eq!((private.lanes, private.counts.multiply), (2, powers + check / 2));
        let integers = rsa_private(RsaSize::Rsa2048, Unit::Scalar);
        let powers = 1024 * (136 + 256) + 237 * 512;
        let check = 16 * (528 + 1024) + 2048;
        assert_eq!((integers.lanes, integers.counts.multiply), (1, 2 * powers + check));
        let public = rsa_public(RsaSize::Rsa2048, Unit::Vec256);
        assert_eq!((public.lanes, public.counts.multiply), (4, 16 * (2775 + 5476) + 10_952));
    }
}
