//! Keccak in 128-bit registers: two lanes.

use core::arch::x86_64::*;

use super::vectors::{U64x2, transpose2};
use crate::arch::compile::keccak_kernel;
use crate::kernels::sponge::keccak::Steps;
use crate::vector::each;

/// Shifts, and logic functions of two inputs. Uses SSE4.1.
pub struct KeccakSteps;

// SAFETY: SSE4.1 instructions only; every method is `inline(always)`.
unsafe impl Steps for KeccakSteps {
    type V = U64x2;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x2; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has SSE4.1, and `lanes` is readable for
        // two pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let quarters = each!(q in 4 => transpose2(each!(l in 2 =>
                _mm_loadu_si128((*lanes.add(l)).add(offset + 16 * q).cast()))));
            each!(i in 8 => U64x2(quarters[i / 2][i % 2]))
        }
    }
    #[inline(always)]
    fn chi(a: U64x2, b: U64x2, c: U64x2) -> U64x2 {
        // SAFETY: `a` is proof of SSE4.1 (see Vector).
        U64x2(unsafe { _mm_xor_si128(a.0, _mm_andnot_si128(b.0, c.0)) })
    }
}

keccak_kernel!(
    /// Two lanes.
    KECCAK, "sse4", KeccakSteps, "sse4.1"
);
