//! Rabin fingerprints of a window that slides over data, as restic's chunker has them.
//!
//! The fingerprint of a window of 64 bytes is the remainder of its bits, as a polynomial over the
//! field of two elements, modulo a polynomial of degree 53. A chunk may end where the lowest bits
//! of the fingerprint are zero. [`RabinSearch`] finds the first such window. How it does so, by
//! tables and in lanes, is in `kernels/rabin`.

#[cfg(test)]
mod tests;

use core::fmt;

use crate::cpu::{Cpu, Isa};
use crate::info::KernelInfo;

use crate::kernels::rabin::constants::Constants;
use crate::kernels::rabin::kernel::{PORTABLE, RabinKernel};
use crate::kernels::rabin::tables::Tables;
use crate::kernels::rabin::{DEGREE, WINDOW};

/// Bytes of a stripe at most, so that all stripes of a call stay in the nearest caches; no multiple
/// of a page, at which all stripes would compete for the same lines of the cache.
const STRIPE: usize = (4 << 10) + RabinSearch::WINDOW;

impl RabinSearch {
    /// Returns the kernel of the search on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernel = cpu.pick(&cpu.kernels().rabin);
        let reason = match cpu.isa() {
            _ if kernel.name != PORTABLE.name => {
                "carry-less products, eight bytes of a stripe a step"
            }
            Isa::Portable => "no vectors that this program knows, or none allowed",
            _ => "no instruction for carry-less products",
        };
        KernelInfo {
            algorithm: "rabin fingerprints",
            kernel: kernel.name,
            lanes: kernel.stripes,
            single: PORTABLE.name,
            few: 0,
            reason,
        }
    }
}

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
    kernel: &'static RabinKernel,
    constants: Constants,
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
                write!(
                    f,
                    "{bits} bits of a fingerprint: use {} to {}",
                    Constants::FEWEST_BITS,
                    DEGREE - 1
                )
            }
        }
    }
}

impl core::error::Error for RabinError {}

impl RabinSearch {
    /// Bytes in the window.
    pub const WINDOW: usize = WINDOW;

    /// Makes a search for fingerprints modulo `polynomial` whose lowest `bits` bits are zero. Bit
    /// `i` of the polynomial is the coefficient of the power `i`.
    ///
    /// # Errors
    /// If the degree of the polynomial is not 53, or `bits` is not in 8 to 52.
    pub fn new(cpu: &Cpu, polynomial: u64, bits: u32) -> Result<Self, RabinError> {
        if polynomial >> DEGREE != 1 {
            return Err(RabinError::Degree(polynomial));
        }
        if !(Constants::FEWEST_BITS..DEGREE).contains(&bits) {
            return Err(RabinError::Bits(bits));
        }
        Ok(RabinSearch {
            kernel: cpu.pick(&cpu.kernels().rabin),
            constants: Constants::new(polynomial, bits),
            tables: Tables::new(polynomial, bits),
        })
    }

    /// Returns the end of the first window in `data` whose fingerprint ends in zeros.
    pub fn first(&self, data: &[u8]) -> Option<usize> {
        if self.tables.ends_chunk(data.first_chunk()?) {
            return Some(Self::WINDOW);
        }
        // Stripes of one step would take as long for the windows before them.
        let (stripes, least) = (self.kernel.stripes, 2 * Self::WINDOW);
        if data.len() < Self::WINDOW + stripes * least {
            return self.tables.first(data);
        }
        let mut searched = Self::WINDOW;
        while searched < data.len() {
            let len = (data.len() - searched) / stripes / Self::WINDOW * Self::WINDOW;
            let len = len.clamp(least, STRIPE);
            // The last stripes end with the data, and begin in what was searched before.
            let start = searched.min(data.len() - stripes * len);
            let first = data[start..][..stripes * len].as_ptr();
            // SAFETY: the CPU has the kernel's instruction set; the bytes of the stripes are in
            // `data`, and a window before them.
            let found = unsafe { (self.kernel.find)(&self.constants, &self.tables, first, len) };
            if let Some(at) = found {
                return Some(start + at + 1);
            }
            searched = start + stripes * len;
        }
        None
    }
}

impl fmt::Debug for RabinSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabinSearch").field("kernel", &self.kernel.name).finish_non_exhaustive()
    }
}
