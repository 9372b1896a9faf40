//! What each algorithm costs in operations, by the registers that do it.
//!
//! Counted from the algorithms, with the cheapest known way to do each step in registers: loads,
//! stores and loop control are left out, so that a kernel can come close to the limit that follows
//! and never beat it by more than the calibration's error.

mod aes;
mod chacha;
mod circuit;
mod curves;
mod hash;
mod limbs;
mod rsa;
mod slh_dsa;
mod sponge;

use broadloom_lanes::Isa;
use broadloom_lanes::probe::Unit;

pub use aes::{Mode, aes, ghash};
pub use chacha::{chacha20, poly1305, poly1305_in_lanes};
pub use circuit::{Feedback, des, kasumi};
pub use curves::{binary_curve, prime_curve};
pub use hash::{hash_in_hardware, hash_in_lanes, hash_rounds};
pub use limbs::Limbs;
pub use rsa::{rsa_private, rsa_public};
pub use slh_dsa::{HashBlocks, signature_blocks, verification_blocks};
pub use sponge::keccak;

/// Operations of one kernel on one block in each of its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpCounts {
    /// Additions.
    pub add: u32,
    /// Logic functions of two inputs.
    pub logic: u32,
    /// Shifts.
    pub shift: u32,
    /// Rotations.
    pub rotate: u32,
    /// Logic functions of three inputs.
    pub ternary: u32,
    /// Moves within a register: transpose and byte order.
    pub shuffle: u32,
    /// Products of words.
    pub multiply: u32,
    /// Halves of products of 52-bit words, added to words.
    pub fused: u32,
    /// AES rounds, each on the whole register.
    pub aes: u32,
    /// Carry-less products, each on the whole register.
    pub carry_less: u32,
    /// Instructions that do several rounds of a hash on one buffer.
    pub sha: u32,
}

impl OpCounts {
    /// All operations that compete for the same ports, whatever their class.
    pub fn total(&self) -> u32 {
        self.add
            + self.logic
            + self.shift
            + self.rotate
            + self.ternary
            + self.shuffle
            + self.multiply
            + self.fused
            + self.aes
            + self.carry_less
            + self.sha
    }
}

impl KernelOps {
    /// Returns the name in reports, such as `256-bit vectors`.
    pub fn name(&self) -> String {
        match (self.unit, self.counts) {
            (_, OpCounts { sha: 1.., .. }) => "SHA instructions".to_owned(),
            (unit, OpCounts { aes: 1.., .. }) => format!("{}-bit AES rounds", unit.bits()),
            (unit, OpCounts { carry_less: 1.., .. }) => {
                format!("{}-bit carry-less products", unit.bits())
            }
            (_, OpCounts { fused: 1.., .. }) => "fused products of 52 bits".to_owned(),
            (Unit::Scalar, _) => "integers".to_owned(),
            (unit, _) => format!("{}-bit vectors", unit.bits()),
        }
    }
}

/// A way to compute an algorithm, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelOps {
    /// The registers it works in.
    pub unit: Unit,
    /// Bits of a word.
    pub word: usize,
    /// Buffers advanced together.
    pub lanes: usize,
    /// Operations for one block of each of them.
    pub counts: OpCounts,
}

/// What a unit can do besides adding, two-input logic and shifting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Abilities {
    /// A rotation in one operation, where `None` takes two shifts and a merge.
    rotate: Rotate,
    /// How three-input functions are made.
    ternary: Ternary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rotate {
    /// One operation.
    One,
    /// A shift, and a shift that merges (NEON's SLI).
    TwoShifts,
    /// Two shifts and an exclusive or.
    ThreeOps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ternary {
    /// Any function in one operation.
    Any,
    /// A bitwise choice in one operation (NEON's BSL).
    Select,
    /// Two-input logic only.
    None,
}

/// The functions of three words that hashes are made of.
#[derive(Debug, Clone, Copy)]
enum Function {
    /// `x ? y : z`.
    Choose,
    /// The value that two of the three have.
    Majority,
    /// The same where `x ^ y` of the round before can be kept.
    MajorityKept,
    /// `x ^ y ^ z`.
    Parity,
    /// MD5's `y ^ (x | !z)`.
    Md5Last,
}

/// Adds up the operations of a kernel.
struct Counter {
    abilities: Abilities,
    counts: OpCounts,
}

impl Counter {
    fn new(unit: Unit) -> Counter {
        Counter { abilities: abilities(unit), counts: OpCounts::default() }
    }

    fn add(&mut self, times: u32) {
        self.counts.add += times;
    }

    fn logic(&mut self, times: u32) {
        self.counts.logic += times;
    }

    fn rotate(&mut self, times: u32) {
        match self.abilities.rotate {
            Rotate::One => self.counts.rotate += times,
            Rotate::TwoShifts => self.counts.shift += 2 * times,
            Rotate::ThreeOps => {
                self.counts.shift += 2 * times;
                self.counts.logic += times;
            }
        }
    }

    /// A rotation by one, where an addition can stand for the left shift.
    fn rotate_by_one(&mut self, times: u32) {
        match self.abilities.rotate {
            Rotate::ThreeOps => {
                self.counts.add += times;
                self.counts.shift += times;
                self.counts.logic += times;
            }
            _ => self.rotate(times),
        }
    }

    /// A rotation of 32-bit words by whole bytes, which a shuffle does where none rotates.
    fn rotate_bytes(&mut self, times: u32) {
        match self.abilities.rotate {
            Rotate::One => self.counts.rotate += times,
            Rotate::TwoShifts | Rotate::ThreeOps => self.counts.shuffle += times,
        }
    }

    fn function(&mut self, function: Function, times: u32) {
        match (self.abilities.ternary, function) {
            (Ternary::Any, _) => self.counts.ternary += times,
            (Ternary::Select, Function::Choose) => self.counts.ternary += times,
            (Ternary::Select, Function::Majority) => {
                self.counts.logic += times;
                self.counts.ternary += times;
            }
            (Ternary::Select, Function::MajorityKept) => {
                self.counts.logic += times;
                self.counts.ternary += times;
            }
            (_, Function::Parity | Function::Md5Last) => self.counts.logic += 2 * times,
            (Ternary::None, Function::Choose | Function::MajorityKept) => {
                self.counts.logic += 3 * times;
            }
            (Ternary::None, Function::Majority) => self.counts.logic += 4 * times,
        }
    }

    /// Sixteen words a lane brought from buffers into lanes, or back: the transpose, and the byte
    /// order.
    fn load(&mut self, unit: Unit, word: usize, big_endian: bool) {
        if unit == Unit::Scalar {
            // A load in either byte order is one instruction, and not of these ports.
            return;
        }
        let lanes = unit.bits() / word;
        // A square of `lanes` words a side takes log2(lanes) passes of `lanes` shuffles. Passes
        // that only move whole quarters of a 256-bit register are loads with an insertion, which
        // any port does.
        let passes = lanes.ilog2();
        let inserted = u32::from(unit == Unit::Vec256);
        self.counts.shuffle += 16 * (passes - inserted);
        self.counts.logic += 8 * inserted;
        if big_endian {
            self.counts.shuffle += 16;
        }
    }
}

fn abilities(unit: Unit) -> Abilities {
    match unit {
        Unit::Scalar => Abilities { rotate: Rotate::One, ternary: Ternary::None },
        Unit::Vec512 => Abilities { rotate: Rotate::One, ternary: Ternary::Any },
        _ if Isa::Neon.is_native() => {
            Abilities { rotate: Rotate::TwoShifts, ternary: Ternary::Select }
        }
        _ => Abilities { rotate: Rotate::ThreeOps, ternary: Ternary::None },
    }
}
