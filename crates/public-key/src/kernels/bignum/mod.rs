//! Arithmetic on large numbers, a number to each lane.
//!
//! Numbers stand in *limbs*, the lowest first: limb `i` of every lane, then limb `i + 1`. Products
//! are Montgomery's: what stands for a number x modulo m is x·R, where R is 2 to the number of bits
//! in all limbs, and a product of two such numbers comes divided by R. On vectors limbs have 28 or
//! 52 bits of a 64-bit word, so that sums of products need no carries until a column is complete;
//! on integers they have all 64.
//!
//! Nothing here branches on a number, or finds a place in memory by one.

#[allow(dead_code, reason = "not every architecture multiplies large numbers on vectors")]
pub(crate) mod columns;
mod kernel;
mod number;
pub(crate) mod select;
pub(crate) mod words;

use crate::widths::Widths;

pub(crate) use kernel::{BignumKernel, ENTRIES, MAX_LANES, Modulo, Radix, WINDOW};
pub(crate) use number::Number;

/// The kernels of RSA on one CPU.
pub(crate) type RsaKernels = Widths<BignumKernel>;
