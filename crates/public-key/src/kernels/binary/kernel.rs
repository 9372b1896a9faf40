//! What the kernels of an instruction set do.

use super::curve::Parameters;
use super::element::Column;
use super::points::{Points, Validity};
use crate::widths::Widths;

/// A kernel of one instruction set.
///
/// All functions are safe to call if the CPU has the instruction set. Lanes from [`lanes`] on are
/// neither read nor written.
///
/// [`lanes`]: Kernel::lanes
pub(crate) struct BinaryKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Points that it works on at once, at most [`MAX_LANES`](super::pairs::MAX_LANES).
    pub lanes: usize,
    /// [`multiply`](super::points::multiply).
    pub multiply: unsafe fn(&Parameters, scalars: &Column, points: &mut Points, with_y: bool),
    /// [`add`](super::points::add).
    pub add: unsafe fn(&Parameters, first: &mut Points, second: &Points),
    /// [`valid`](super::points::valid).
    pub valid: unsafe fn(&Parameters, points: &Points) -> Validity,
}

/// The kernels of binary curves on one CPU.
pub(crate) type BinaryKernels = Widths<BinaryKernel>;
