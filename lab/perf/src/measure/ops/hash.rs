//! What hashes cost.

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::probe::Unit;

use super::{Counter, Function, KernelOps, OpCounts};

impl Counter {
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

    fn sm3(&mut self) {
        // The two halves of a round, and the sum of a word with the one four later.
        self.add(64 * 8);
        self.rotate(64 * 4);
        self.logic(64 * 2 + 8);
        self.function(Function::Parity, 16 * 2);
        self.function(Function::Majority, 48);
        self.function(Function::Choose, 48);
        // The permutation of a round's second half.
        self.rotate(64 * 2);
        self.function(Function::Parity, 64);
        // The message schedule: 52 words.
        self.rotate(52 * 4);
        self.function(Function::Parity, 52 * 3);
    }

    fn blake3(&mut self) {
        // Seven rounds of eight steps, each with two words of the block; two of its rotations move
        // whole bytes.
        self.add(56 * 6);
        self.logic(56 * 4 + 8);
        self.rotate(56 * 2);
        self.rotate_bytes(56 * 2);
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

/// A hash computed in the lanes of `unit`, or one buffer at a time where that is
/// [`Unit::Scalar`].
pub fn hash_in_lanes(hash: HashAlgorithm, unit: Unit) -> KernelOps {
    let mut counter = rounds(hash, unit);
    let KernelOps { word, .. } = hash_rounds(hash, unit);
    // The words of sixteen lanes of SHA-1 are brought there by integer instructions, which have
    // ports of their own.
    if (hash, unit) != (HashAlgorithm::Sha1, Unit::Vec512) {
        let big_endian = !matches!(hash, HashAlgorithm::Md5 | HashAlgorithm::Blake3);
        counter.load(unit, word, big_endian);
    }
    KernelOps { counts: counter.counts, ..hash_rounds(hash, unit) }
}

/// The same of blocks that are in the lanes already.
pub fn hash_rounds(hash: HashAlgorithm, unit: Unit) -> KernelOps {
    let word = if hash.block_len() == 128 { 64 } else { 32 };
    let lanes = if unit == Unit::Scalar { 1 } else { unit.bits() / word };
    KernelOps { unit, word, lanes, counts: rounds(hash, unit).counts }
}

fn rounds(hash: HashAlgorithm, unit: Unit) -> Counter {
    let mut counter = Counter::new(unit);
    match hash {
        HashAlgorithm::Md5 => counter.md5(),
        HashAlgorithm::Sha1 => counter.sha1(),
        HashAlgorithm::Sha224 | HashAlgorithm::Sha256 => counter.sha2(64),
        HashAlgorithm::Sha384 | HashAlgorithm::Sha512 => counter.sha2(80),
        HashAlgorithm::Sm3 => counter.sm3(),
        HashAlgorithm::Blake3 => counter.blake3(),
        other => unreachable!("the rounds of {other} are not counted"),
    }
    counter
}

/// A hash computed one buffer at a time by the CPU's own instructions for it, where it may have
/// any. Only rounds count: vectors may make the message schedule at the same time.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_in_sixteen_lanes_costs_what_a_count_by_hand_gives() {
        // 80 rounds of 4 additions, 2 rotations, 1 function; 64 schedule steps of 2 logic
        // operations and a rotation; 5 additions; nothing to transpose or for byte order.
        let kernel = hash_in_lanes(HashAlgorithm::Sha1, Unit::Vec512);
        assert_eq!(kernel.lanes, 16);
        assert_eq!(kernel.counts.add, 325);
        assert_eq!(kernel.counts.rotate, 224);
        assert_eq!(kernel.counts.ternary, 80 + 64);
        assert_eq!(kernel.counts.logic, 64);
        assert_eq!(kernel.counts.shuffle, 0);
        assert_eq!(kernel.counts.shift, 0);
    }

    #[test]
    fn other_lanes_are_filled_by_shuffles() {
        // 64 to transpose, in both; 16 for the byte order.
        assert_eq!(hash_in_lanes(HashAlgorithm::Sha256, Unit::Vec512).counts.shuffle, 64 + 16);
        assert_eq!(hash_in_lanes(HashAlgorithm::Md5, Unit::Vec512).counts.shuffle, 64);
    }

    #[test]
    fn without_rotations_and_ternary_logic_the_parts_take_more() {
        // On AArch64 a rotation is two instructions.
        if !broadloom_lanes::Isa::Avx2.is_native() {
            return;
        }
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
}
