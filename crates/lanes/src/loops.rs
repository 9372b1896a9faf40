//! The loops that calibrate a core: what they are, and macros that write their assembly. `arch` has
//! the loops of each instruction set, and [`probe`](crate::probe) says which of them can run.

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
    /// Returns the bits of a register.
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
    /// Returns the registers worked on.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the class of operation.
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
pub(crate) const OPERATIONS: u64 = 48;

/// Probes, and the features that the CPU and its system must offer for them.
pub(crate) type Needs = (Features, &'static [Probe]);

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
