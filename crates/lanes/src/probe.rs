//! Loops of one operation class each, which calibrate the throughput of a core.
//!
//! A limit in cycles is an operation count divided by a throughput, and throughputs differ between
//! machines and between minutes. The loops run only independent operations of one class, in inline
//! assembly, so that no compiler can fold them. They use no clock: a caller that has one times
//! [`Probe::run`] and divides.
//!
//! Twelve registers are written in turn (eight general ones). Where an instruction also reads the
//! register that it writes, there are as many chains, which covers the latency of every class at
//! its throughput. The initial contents of the registers do not matter: none of these operations
//! takes longer for some values than for others.

use crate::arch;
use crate::features::Features;

/// The registers that an operation works on.
///
/// ```
/// use broadloom_lanes::probe::{Unit, probes};
///
/// let vectors = probes().filter(|probe| probe.unit() != Unit::Scalar).count();
/// println!("{vectors} loops over vectors");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// General registers of 64 bits.
    Scalar,
    /// Vectors of 128 bits.
    Vec128,
    /// Vectors of 256 bits.
    Vec256,
    /// Vectors of 512 bits.
    Vec512,
}

impl Unit {
    /// Bits of a register.
    pub const fn bits(self) -> usize {
        match self {
            Unit::Scalar => 64,
            Unit::Vec128 => 128,
            Unit::Vec256 => 256,
            Unit::Vec512 => 512,
        }
    }
}

/// A class of operations that shares execution ports.
///
/// ```
/// use broadloom_lanes::probe::{Operation, probes};
///
/// let adds = probes().filter(|probe| probe.operation() == Operation::Add).count();
/// println!("{adds} widths of registers add");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Additions of 32-bit words (64-bit in [`Unit::Scalar`]).
    Add,
    /// Additions of 64-bit words.
    Add64,
    /// Exclusive or.
    Logic,
    /// Shifts of 32-bit words by a constant.
    Shift,
    /// Shifts of 64-bit words by a constant.
    Shift64,
    /// Rotations of 32-bit words by a constant (64-bit in [`Unit::Scalar`]).
    Rotate,
    /// Rotations of 64-bit words by a constant.
    Rotate64,
    /// A logic function of three inputs.
    Ternary,
    /// Moves of bytes or words within a register.
    Shuffle,
    /// Shifts and shuffles by turns.
    ShiftShuffle,
    /// Additions, logic and shifts (or rotations, where there are any) in the shares of a hash.
    Mixed,
    /// Products of 32-bit words, 64 bits each (the lower 64 bits of products of 64-bit words in
    /// [`Unit::Scalar`]).
    Multiply,
    /// The lower halves of products of 52-bit words, added to 64-bit words (IFMA).
    Fused,
    /// One AES round in each 128 bits of the register.
    Aes,
    /// A carry-less product of 64-bit words in each 128 bits of the register.
    CarryLess,
    /// Four SHA-1 rounds on one buffer.
    Sha1,
    /// SHA-256 rounds on one buffer: two on x86, four on AArch64.
    Sha256,
}

/// A loop of one class of operations that this CPU can run.
///
/// ```
/// use std::time::Instant;
///
/// for probe in broadloom_lanes::probe::probes() {
///     let start = Instant::now();
///     let operations = probe.run(100);
///     let time = start.elapsed();
///     println!("{:?} {:?}: {operations} in {time:?}", probe.unit(), probe.operation());
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    pub(crate) unit: Unit,
    pub(crate) operation: Operation,
    /// Runs the loop; needs what [`probes`] checked before it made this value.
    pub(crate) run: unsafe fn(u64),
}

impl Probe {
    /// The registers worked on.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// The class of operation.
    pub const fn operation(&self) -> Operation {
        self.operation
    }

    /// Executes the loop `iterations` times (at least once) and tells how many operations that was.
    pub fn run(&self, iterations: u64) -> u64 {
        let iterations = iterations.max(1);
        // SAFETY: a Probe is made only by `probes`, after the CPU and OS were seen to have the
        // instructions of this loop.
        unsafe { (self.run)(iterations) };
        iterations * OPERATIONS
    }
}

/// Operations in one pass of a loop: four times twelve instructions.
const OPERATIONS: u64 = 48;

/// Probes, and the features that the CPU and its system must offer for them.
pub(crate) type Needs = (Features, &'static [Probe]);

/// The probes that this CPU and its system can run.
pub fn probes() -> impl Iterator<Item = Probe> {
    let usable = Features::usable(&arch::detect());
    arch::probes()
        .iter()
        .filter(move |(needs, _)| usable.have(*needs))
        .flat_map(|(_, probes)| probes.iter().copied())
}

/// One line of assembly for each of twelve registers, 1 to 12 (SHA-256 rounds read register 0,
/// which is therefore never written): `op dst, src` where `$operands` makes the operands of a
/// register.
#[allow(unused_macros, reason = "not every architecture has loops")]
macro_rules! twelve {
    ($operands:ident, $($op:tt)+) => {
        concat!(
            $operands!("12", $($op)+), $operands!("1", $($op)+), $operands!("2", $($op)+),
            $operands!("3", $($op)+), $operands!("4", $($op)+), $operands!("5", $($op)+),
            $operands!("6", $($op)+), $operands!("7", $($op)+), $operands!("8", $($op)+),
            $operands!("9", $($op)+), $operands!("10", $($op)+), $operands!("11", $($op)+),
        )
    };
}

/// Twelve lines in which two kinds of operation alternate.
#[allow(unused_macros, reason = "not every architecture has loops")]
macro_rules! alternate {
    ($operands:ident, $a:tt, $b:tt) => {
        concat!(
            $operands!("12", $a),
            $operands!("1", $b),
            $operands!("2", $a),
            $operands!("3", $b),
            $operands!("4", $a),
            $operands!("5", $b),
            $operands!("6", $a),
            $operands!("7", $b),
            $operands!("8", $a),
            $operands!("9", $b),
            $operands!("10", $a),
            $operands!("11", $b),
        )
    };
}

/// Twelve lines with five additions, four of logic and three shifts.
#[allow(unused_macros, reason = "not every architecture has loops")]
macro_rules! blend {
    ($operands:ident, $add:tt, $logic:tt, $shift:tt) => {
        concat!(
            $operands!("12", $add),
            $operands!("1", $logic),
            $operands!("2", $shift),
            $operands!("3", $add),
            $operands!("4", $logic),
            $operands!("5", $add),
            $operands!("6", $shift),
            $operands!("7", $logic),
            $operands!("8", $add),
            $operands!("9", $shift),
            $operands!("10", $logic),
            $operands!("11", $add),
        )
    };
}

#[allow(unused_imports, reason = "not every architecture has loops")]
pub(crate) use {alternate, blend, twelve};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_counts_what_it_runs() {
        for probe in probes() {
            assert_eq!(probe.run(3), 3 * OPERATIONS, "{probe:?}");
            assert_eq!(probe.run(0), OPERATIONS, "{probe:?}");
        }
    }

    #[test]
    fn no_probe_is_listed_twice() {
        let all = || probes().map(|probe| (probe.unit(), probe.operation()));
        for (index, pair) in all().enumerate() {
            assert_eq!(all().position(|other| other == pair), Some(index), "{pair:?}");
        }
    }

    #[test]
    fn the_base_classes_are_always_there() {
        if arch::probes().is_empty() {
            return;
        }
        for wanted in [
            (Unit::Scalar, Operation::Mixed),
            (Unit::Vec128, Operation::Mixed),
            (Unit::Vec128, Operation::Shift64),
        ] {
            assert!(
                probes().any(|probe| (probe.unit(), probe.operation()) == wanted),
                "{wanted:?}"
            );
        }
    }
}
