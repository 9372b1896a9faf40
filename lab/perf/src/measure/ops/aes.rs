//! What AES costs where the CPU has its rounds, and GHASH where it has carry-less products.

use broadloom_engine::AesSize;
use broadloom_lanes::probe::Unit;

use super::{KernelOps, OpCounts};

/// What goes with each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Ecb,
    /// An exclusive or: with the block before, or with the key stream.
    Chained,
    /// A counter, and the exclusive or.
    Counter,
    /// A tweak, doubled for each block, which is added before and after.
    Tweaked,
}

/// One 16-byte block of AES in each 128 bits of `unit`: its rounds, the exclusive or that whitens
/// it, and what its mode has beside.
///
/// # Panics
/// On [`Unit::Scalar`].
pub fn aes(size: AesSize, mode: Mode, unit: Unit) -> KernelOps {
    let beside = match mode {
        Mode::Ecb => OpCounts::default(),
        Mode::Chained => OpCounts { logic: 1, ..OpCounts::default() },
        Mode::Counter => OpCounts { logic: 1, add: 1, ..OpCounts::default() },
        // Both halves shifted by an addition; the bit between them, and the polynomial if one fell
        // out, are masked with the signs that a shift spreads.
        Mode::Tweaked => {
            OpCounts { logic: 2 + 2, add: 1, shift: 1, shuffle: 1, ..OpCounts::default() }
        }
    };
    let counts = OpCounts { aes: size.rounds() as u32, logic: 1 + beside.logic, ..beside };
    in_blocks(counts, unit)
}

/// One 16-byte block of GHASH in each 128 bits of `unit`, of many that are added up before they are
/// reduced: the byte order, three products (of the halves, and of their sums), and four sums.
///
/// # Panics
/// As [`aes`].
pub fn ghash(unit: Unit) -> KernelOps {
    let counts = OpCounts { carry_less: 3, shuffle: 2, logic: 4, ..OpCounts::default() };
    in_blocks(counts, unit)
}

fn in_blocks(counts: OpCounts, unit: Unit) -> KernelOps {
    assert_ne!(unit, Unit::Scalar, "blocks are worked on in vectors");
    KernelOps { unit, word: 128, lanes: unit.bits() / 128, counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aes_counts_its_rounds() {
        let kernel = aes(AesSize::Aes256, Mode::Chained, Unit::Vec256);
        assert_eq!((kernel.lanes, kernel.counts.aes, kernel.counts.logic), (2, 14, 2));
        assert_eq!(kernel.name(), "256-bit AES rounds");
        let tweaked = aes(AesSize::Aes128, Mode::Tweaked, Unit::Vec128).counts;
        assert_eq!((tweaked.aes, tweaked.total()), (10, 18));
    }

    #[test]
    fn ghash_counts_its_products() {
        let kernel = ghash(Unit::Vec512);
        assert_eq!((kernel.lanes, kernel.counts.carry_less, kernel.counts.total()), (4, 3, 9));
        assert_eq!(kernel.name(), "512-bit carry-less products");
    }
}
