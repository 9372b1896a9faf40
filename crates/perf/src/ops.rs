//! What each algorithm costs in operations, by the registers that do it.
//!
//! Counted from the algorithms, with the cheapest known way to do each step in registers: loads,
//! stores and loop control are left out, so that a kernel can come close to the limit that follows
//! and never beat it by more than the calibration's error.

use broadloom_engine::{AesSize, HashAlgorithm};
use broadloom_lanes::probe::Unit;

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
    /// AES rounds, each on the whole register.
    pub aes: u32,
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
            + self.aes
            + self.sha
    }
}

impl KernelOps {
    /// What a report calls it, such as `256-bit vectors`.
    pub fn name(&self) -> String {
        match (self.unit, self.counts) {
            (_, OpCounts { sha: 1.., .. }) => "SHA instructions".to_owned(),
            (unit, OpCounts { aes: 1.., .. }) => format!("{}-bit AES rounds", unit.bits()),
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

    /// Sixteen words a lane brought from buffers into lanes: the transpose, and the byte order.
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

    fn md5(&mut self) {
        self.add(64 * 4 + 4);
        self.rotate(64);
        self.function(Function::Choose, 32);
        self.function(Function::Parity, 16);
        self.function(Function::Md5Last, 16);
    }

    fn sha1(&mut self) {
        self.add(80 * 4 + 5);
        self.rotate(80 * 2);
        self.function(Function::Choose, 20);
        self.function(Function::Parity, 40);
        self.function(Function::Majority, 20);
        // The message schedule: an exclusive or of four words, rotated by one.
        self.function(Function::Parity, 64);
        self.logic(64);
        self.rotate_by_one(64);
    }

    /// SHA-256 and SHA-512, which differ in their rounds and in nothing counted here.
    fn sha2(&mut self, rounds: u32) {
        self.add(rounds * 7 + 8);
        self.rotate(rounds * 6);
        self.function(Function::Parity, rounds * 2);
        self.function(Function::Choose, rounds);
        self.function(Function::MajorityKept, rounds);
        let scheduled = rounds - 16;
        self.add(scheduled * 3);
        self.rotate(scheduled * 4);
        self.counts.shift += scheduled * 2;
        self.function(Function::Parity, scheduled * 2);
    }
}

fn abilities(unit: Unit) -> Abilities {
    match unit {
        Unit::Scalar => Abilities { rotate: Rotate::One, ternary: Ternary::None },
        Unit::Vec512 => Abilities { rotate: Rotate::One, ternary: Ternary::Any },
        _ if cfg!(target_arch = "aarch64") => {
            Abilities { rotate: Rotate::TwoShifts, ternary: Ternary::Select }
        }
        _ => Abilities { rotate: Rotate::ThreeOps, ternary: Ternary::None },
    }
}

/// A hash computed in the lanes of `unit`, or one buffer at a time where that is
/// [`Unit::Scalar`].
pub fn hash_in_lanes(hash: HashAlgorithm, unit: Unit) -> KernelOps {
    let word = if hash.block_len() == 128 { 64 } else { 32 };
    let mut counter = Counter { abilities: abilities(unit), counts: OpCounts::default() };
    match hash {
        HashAlgorithm::Md5 => counter.md5(),
        HashAlgorithm::Sha1 => counter.sha1(),
        HashAlgorithm::Sha224 | HashAlgorithm::Sha256 => counter.sha2(64),
        HashAlgorithm::Sha384 | HashAlgorithm::Sha512 => counter.sha2(80),
    }
    counter.load(unit, word, hash != HashAlgorithm::Md5);
    let lanes = if unit == Unit::Scalar { 1 } else { unit.bits() / word };
    KernelOps { unit, word, lanes, counts: counter.counts }
}

/// A hash computed one buffer at a time by the CPU's own instructions for it, where it may have
/// any.
pub fn hash_in_hardware(hash: HashAlgorithm) -> Option<KernelOps> {
    let sha = match hash {
        // Four rounds an instruction.
        HashAlgorithm::Sha1 => 20,
        // x86 does two rounds an instruction; AArch64 four, in a pair.
        HashAlgorithm::Sha224 | HashAlgorithm::Sha256 => 32,
        _ => return None,
    };
    let counts = OpCounts { sha, ..OpCounts::default() };
    Some(KernelOps { unit: Unit::Vec128, word: 32, lanes: 1, counts })
}

/// One 16-byte block of AES in each 128 bits of `unit`: its rounds, and the exclusive or that
/// chains it and whitens it.
///
/// # Panics
/// On [`Unit::Scalar`].
pub fn aes_cbc(size: AesSize, unit: Unit) -> KernelOps {
    assert_ne!(unit, Unit::Scalar, "AES rounds work on vectors");
    let counts = OpCounts { aes: size.rounds() as u32, logic: 2, ..OpCounts::default() };
    KernelOps { unit, word: 128, lanes: unit.bits() / 128, counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_in_sixteen_lanes_costs_what_a_count_by_hand_gives() {
        // 80 rounds of 4 additions, 2 rotations, 1 function; 64 schedule steps of 2 logic
        // operations and a rotation; 64 shuffles to transpose and 16 for byte order; 5 additions.
        let kernel = hash_in_lanes(HashAlgorithm::Sha1, Unit::Vec512);
        assert_eq!(kernel.lanes, 16);
        assert_eq!(kernel.counts.add, 325);
        assert_eq!(kernel.counts.rotate, 224);
        assert_eq!(kernel.counts.ternary, 80 + 64);
        assert_eq!(kernel.counts.logic, 64);
        assert_eq!(kernel.counts.shuffle, 80);
        assert_eq!(kernel.counts.shift, 0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn without_rotations_and_ternary_logic_the_parts_take_more() {
        let kernel = hash_in_lanes(HashAlgorithm::Sha256, Unit::Vec256);
        assert_eq!(kernel.lanes, 8);
        assert_eq!(kernel.counts.rotate + kernel.counts.ternary, 0);
        // 6 rotations a round and 4 a schedule step, two shifts each, and 2 plain shifts a step.
        assert_eq!(kernel.counts.shift, 64 * 12 + 48 * 8 + 48 * 2);
        assert_eq!(kernel.counts.shuffle, 32 + 16);
    }

    #[test]
    fn wide_words_halve_the_lanes() {
        assert_eq!(hash_in_lanes(HashAlgorithm::Sha512, Unit::Vec512).lanes, 8);
        assert_eq!(hash_in_lanes(HashAlgorithm::Sha384, Unit::Vec256).lanes, 4);
        assert_eq!(hash_in_lanes(HashAlgorithm::Sha512, Unit::Scalar).lanes, 1);
        assert_eq!(hash_in_lanes(HashAlgorithm::Sha512, Unit::Scalar).counts.shuffle, 0);
    }

    #[test]
    fn aes_counts_its_rounds() {
        let kernel = aes_cbc(AesSize::Aes256, Unit::Vec256);
        assert_eq!((kernel.lanes, kernel.counts.aes), (2, 14));
        assert_eq!(kernel.name(), "256-bit AES rounds");
    }
}
