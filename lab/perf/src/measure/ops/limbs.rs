//! Products of limbs, of which arithmetic on long numbers is made.

use broadloom_lanes::probe::Unit;

use super::{KernelOps, OpCounts};

/// What multiplies limbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limbs {
    /// Integers of 64 bits.
    Integers,
    /// Vectors of this kind, with products of 32-bit words.
    Vectors(Unit),
    /// Vectors of 512 bits with products of 52-bit words, whose halves are added (IFMA).
    Fused,
}

impl Limbs {
    /// All of them.
    pub const ALL: [Limbs; 4] =
        [Limbs::Integers, Limbs::Vectors(Unit::Vec256), Limbs::Vectors(Unit::Vec512), Limbs::Fused];

    /// The registers.
    pub fn unit(self) -> Unit {
        match self {
            Limbs::Integers => Unit::Scalar,
            Limbs::Vectors(unit) => unit,
            Limbs::Fused => Unit::Vec512,
        }
    }

    /// Numbers that are computed with side by side.
    pub fn lanes(self) -> usize {
        self.unit().bits() / 64
    }

    /// So many products for a block, each added to a sum: of 128 bits, in integers, by two
    /// additions; in halves, along with the product.
    pub fn kernel(self, lanes: usize, products: usize) -> KernelOps {
        let products = products as u32;
        let counts = match self {
            Limbs::Integers => {
                OpCounts { multiply: products, add: 2 * products, ..OpCounts::default() }
            }
            Limbs::Vectors(_) => {
                OpCounts { multiply: products, add: products, ..OpCounts::default() }
            }
            Limbs::Fused => OpCounts { fused: 2 * products, ..OpCounts::default() },
        };
        KernelOps { unit: self.unit(), word: 64, lanes, counts }
    }
}
