//! What ciphers cost as circuits: a register is one bit of every lane, and an operation a gate.
//!
//! The gates are those of the smallest circuits of two-input gates known to the lanes. Where there
//! are operations of three inputs, DES's S-boxes are counted in the lanes' circuits of these, and
//! of all else each stands for two gates.

use broadloom_lanes::probe::Unit;

use super::{KernelOps, OpCounts, Ternary, abilities};

/// Gates of DES's S-boxes, S1 to S8.
const DES_SBOXES: [u32; 8] = [60, 55, 55, 41, 58, 57, 53, 55];

/// The same of three-input gates.
const DES_SBOXES_OF_THREE: [u32; 8] = [27, 25, 25, 21, 27, 28, 29, 28];

/// Gates of KASUMI's S-boxes.
const S7: u32 = 94;
const S9: u32 = 86;

/// What goes with each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// Nothing.
    None,
    /// An exclusive or of blocks: with the one before, or of text and key stream.
    Once,
    /// Two of them.
    Twice,
}

/// One 8-byte block of DES, or of so many of them one after the other (three for 3DES), in each bit
/// of `unit`.
pub fn des(ciphers: u32, feedback: Feedback, unit: Unit) -> KernelOps {
    // The expanded half and the round key; what the S-boxes make of it, added to the other half.
    let sums = 48 + 32;
    let round = sums + DES_SBOXES.iter().sum::<u32>();
    let of_three = sums / 2 + DES_SBOXES_OF_THREE.iter().sum::<u32>();
    circuit([round, of_three].map(|gates| ciphers * 16 * gates), feedback, unit)
}

/// One 8-byte block of KASUMI in each bit of `unit`.
pub fn kasumi(feedback: Feedback, unit: Unit) -> KernelOps {
    let fi = 2 * (S9 + 7 + S7 + 7) + 16;
    let fo = 3 * (16 + fi + 16);
    let fl = 4 * 16;
    let gates = 8 * (fo + fl + 32);
    circuit([gates, gates / 2], feedback, unit)
}

/// A circuit of so many gates of two inputs, or so many of three.
fn circuit([gates, of_three]: [u32; 2], feedback: Feedback, unit: Unit) -> KernelOps {
    let sums = match feedback {
        Feedback::None => 0,
        Feedback::Once => 64,
        Feedback::Twice => 2 * 64,
    };
    let mut counts = match abilities(unit).ternary {
        Ternary::Any => OpCounts { ternary: of_three + sums / 2, ..OpCounts::default() },
        // A choice by bits is rare in these circuits.
        Ternary::Select | Ternary::None => OpCounts { logic: gates + sums, ..OpCounts::default() },
    };
    // Blocks into bits and back: twice six steps of 32 exchanges, by shifts and masks, or of whole
    // bytes by two shuffles where there are any.
    let shuffled = if unit == Unit::Scalar { 0 } else { 3 };
    counts.shuffle = 2 * shuffled * 32 * 2;
    counts.shift = 2 * (6 - shuffled) * 32 * 2;
    counts.logic += 2 * (6 - shuffled) * 32 * if counts.ternary > 0 { 3 } else { 4 };
    KernelOps { unit, word: 64, lanes: unit.bits(), counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_of_des_is_its_sboxes_and_two_sums() {
        let one = des(1, Feedback::None, Unit::Scalar);
        assert_eq!(one.lanes, 64);
        assert_eq!(
            (one.counts.logic, one.counts.shift),
            (16 * 514 + 2 * 6 * 32 * 4, 2 * 6 * 32 * 2)
        );
        let three = des(3, Feedback::Once, Unit::Vec256);
        assert_eq!(three.lanes, 256);
        assert_eq!(three.counts.shuffle, 384);
        if broadloom_lanes::Isa::Avx2.is_native() {
            assert_eq!(three.counts.logic, 48 * 514 + 64 + 2 * 3 * 32 * 4);
            let ternary = des(3, Feedback::Once, Unit::Vec512).counts.ternary;
            assert_eq!(ternary, 48 * (210 + 40) + 32);
        }
    }

    #[test]
    fn kasumi_has_about_ten_thousand_gates() {
        let counts = kasumi(Feedback::None, Unit::Scalar).counts;
        assert_eq!(counts.logic - 2 * 6 * 32 * 4, 11_232);
        let wide = kasumi(Feedback::None, Unit::Vec512).counts;
        assert_eq!(wide.ternary, 11_232 / 2);
    }
}
