//! What ChaCha20 and Poly1305 (RFC 8439) cost.

use broadloom_lanes::probe::Unit;

use super::{Counter, KernelOps, OpCounts};

/// One 64-byte block of ChaCha20 in each 32-bit lane of `unit`, or one block at a time on
/// [`Unit::Scalar`]: the rounds, the addition of the initial state, and the text.
pub fn chacha20(unit: Unit) -> KernelOps {
    let mut counter = Counter::new(unit);
    // Ten double rounds of eight quarter rounds, which rotate by 16, 12, 8 and 7.
    let quarters = 10 * 8;
    counter.add(quarters * 4 + 16);
    counter.logic(quarters * 4);
    counter.rotate_bytes(quarters * 2);
    counter.rotate(quarters * 2);
    if unit == Unit::Scalar {
        // Two words at a time.
        counter.logic(8);
        return KernelOps { unit, word: 32, lanes: 1, counts: counter.counts };
    }
    counter.load(unit, 32, false);
    counter.logic(16);
    KernelOps { unit, word: 32, lanes: unit.bits() / 32, counts: counter.counts }
}

/// One 16-byte block of Poly1305 on integers: a number of two words and some bits times one of two
/// words, whose upper products the key has ready divided by four, and the carry.
pub fn poly1305() -> KernelOps {
    let counts = OpCounts {
        multiply: 4 + 2,
        // The block; the sums of the products, most of them of two words; what is above 130 bits,
        // times five.
        add: 3 + 8 + 4,
        logic: 2,
        shift: 1,
        ..OpCounts::default()
    };
    KernelOps { unit: Unit::Scalar, word: 64, lanes: 1, counts }
}

/// One 16-byte block of Poly1305 in each 64-bit lane of `unit`, on five limbs of 26 bits.
///
/// # Panics
/// On [`Unit::Scalar`].
pub fn poly1305_in_lanes(unit: Unit) -> KernelOps {
    assert_ne!(unit, Unit::Scalar, "limbs are for vectors");
    let counts = OpCounts {
        multiply: 25,
        // The sums of the products; the block; a chain of six carries, of which one is times five.
        add: 20 + 5 + 6 + 1,
        // The block cut into limbs, and the bit above it; the carries.
        shift: 5 + 6 + 1,
        logic: 5 + 1 + 6,
        ..OpCounts::default()
    };
    KernelOps { unit, word: 64, lanes: unit.bits() / 64, counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_chacha20_costs_what_a_count_by_hand_gives() {
        let wide = chacha20(Unit::Vec512);
        assert_eq!((wide.lanes, wide.counts.add, wide.counts.rotate), (16, 336, 320));
        // 320 of the rounds, 16 of the text; four passes of 16 shuffles.
        assert_eq!((wide.counts.logic, wide.counts.shuffle), (336, 64));
        let one = chacha20(Unit::Scalar);
        assert_eq!((one.lanes, one.counts.total()), (1, 336 + 320 + 320 + 8));
    }

    #[test]
    fn half_of_the_rotations_are_shuffles_where_none_rotates() {
        // On AArch64 a rotation is two instructions.
        if !broadloom_lanes::Isa::Avx2.is_native() {
            return;
        }
        let counts = chacha20(Unit::Vec256).counts;
        assert_eq!((counts.rotate, counts.shift, counts.shuffle), (0, 320, 160 + 32));
        assert_eq!(counts.logic, 320 + 160 + 8 + 16);
    }

    #[test]
    fn poly1305_multiplies_every_limb_by_every_limb() {
        assert_eq!(poly1305_in_lanes(Unit::Vec256).counts.multiply, 5 * 5);
        assert_eq!(poly1305_in_lanes(Unit::Vec256).lanes, 4);
        assert_eq!((poly1305().counts.multiply, poly1305().name()), (6, "integers".to_owned()));
    }
}
