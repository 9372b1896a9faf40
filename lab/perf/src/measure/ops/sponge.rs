//! What sponges cost.

use broadloom_lanes::probe::Unit;

use super::{Counter, Function, KernelOps};

/// A block of so many bytes added to the state of Keccak-f\[1600\], and the 24 rounds of the
/// permutation, in the lanes of `unit`, or one buffer at a time where that is [`Unit::Scalar`].
pub fn keccak(block_len: usize, unit: Unit) -> KernelOps {
    let mut counter = Counter::new(unit);
    for _ in 0..24 {
        // Theta: the parity of five columns, twice three words; what each column is added to; and
        // every word.
        counter.function(Function::Parity, 10);
        counter.rotate_by_one(5);
        counter.logic(5 + 25);
        // Rho: all words but one.
        counter.rotate(24);
        // Chi: a function of three words, which costs as much as that of MD5.
        counter.function(Function::Md5Last, 25);
        // Iota.
        counter.logic(1);
    }
    let words = (block_len / 8) as u32;
    let mut load = Counter::new(unit);
    load.load(unit, 64, false);
    counter.counts.shuffle += load.counts.shuffle * words / 16;
    counter.logic(load.counts.logic * words / 16 + words);
    let lanes = if unit == Unit::Scalar { 1 } else { unit.bits() / 64 };
    KernelOps { unit, word: 64, lanes, counts: counter.counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_costs_what_a_count_by_hand_gives() {
        let kernel = keccak(136, Unit::Vec512);
        assert_eq!((kernel.lanes, kernel.counts.ternary), (8, 24 * 35));
        assert_eq!(kernel.counts.rotate, 24 * 29);
        // 31 a round, and 17 words of the block, which take 51 shuffles: three passes.
        assert_eq!((kernel.counts.logic, kernel.counts.shuffle), (24 * 31 + 17, 51));
        assert_eq!(
            (keccak(72, Unit::Scalar).lanes, keccak(72, Unit::Scalar).counts.shuffle),
            (1, 0)
        );
    }
}
