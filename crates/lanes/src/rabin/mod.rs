//! Rabin fingerprints of a window that slides over data, as restic's chunker has them.
//!
//! The fingerprint of a window of 64 bytes is the remainder of its bits, as a polynomial over the
//! field of two elements, modulo a polynomial of degree 53. A chunk may end where the lowest bits
//! of the fingerprint are zero. [`RabinSearch`] finds the first such window.

mod tables;

use core::fmt;

use crate::cpu::Cpu;

use tables::Tables;

/// The degree of the polynomial.
pub(crate) const DEGREE: u32 = 53;

/// The fewest of the lowest bits that may be asked for.
const FEWEST_BITS: u32 = 8;

/// Finds windows whose fingerprint ends in zeros.
///
/// ```
/// use broadloom_lanes::{Cpu, RabinSearch};
///
/// let search = RabinSearch::new(&Cpu::detect(), 0x3d_a335_8b4d_c173, 10)?;
/// let data: Vec<u8> = (0..20_000u32).map(|i| (i * i >> 8) as u8).collect();
/// let end = search.first(&data).expect("one window in 1024 ends a chunk");
/// assert_eq!(search.first(&data[end - RabinSearch::WINDOW..]), Some(RabinSearch::WINDOW));
/// # Ok::<(), broadloom_lanes::RabinError>(())
/// ```
pub struct RabinSearch {
    tables: Tables,
}

/// Why a search is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RabinError {
    /// The polynomial has another degree than 53.
    Degree(u64),
    /// Fewer than 8 bits are asked for, or more than 52.
    Bits(u32),
}

impl fmt::Display for RabinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RabinError::Degree(polynomial) => {
                write!(f, "{polynomial:x} is no polynomial of degree {DEGREE}")
            }
            RabinError::Bits(bits) => {
                write!(f, "{bits} bits of a fingerprint: use {FEWEST_BITS} to {}", DEGREE - 1)
            }
        }
    }
}

impl core::error::Error for RabinError {}

impl RabinSearch {
    /// Bytes in the window.
    pub const WINDOW: usize = 64;

    /// A search for fingerprints modulo `polynomial` whose lowest `bits` bits are zero. Bit `i` of
    /// the polynomial is the coefficient of the power `i`.
    ///
    /// # Errors
    /// If the degree of the polynomial is not 53, or `bits` is not in 8 to 52.
    pub fn new(_cpu: &Cpu, polynomial: u64, bits: u32) -> Result<Self, RabinError> {
        if polynomial >> DEGREE != 1 {
            return Err(RabinError::Degree(polynomial));
        }
        if !(FEWEST_BITS..DEGREE).contains(&bits) {
            return Err(RabinError::Bits(bits));
        }
        Ok(RabinSearch { tables: Tables::new(polynomial, bits) })
    }

    /// The end of the first window in `data` whose fingerprint ends in zeros.
    pub fn first(&self, data: &[u8]) -> Option<usize> {
        self.tables.first(data)
    }
}

impl fmt::Debug for RabinSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabinSearch").finish_non_exhaustive()
    }
}
