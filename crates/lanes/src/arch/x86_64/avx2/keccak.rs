//! Keccak in 256-bit registers: four lanes.

use core::arch::x86_64::*;

use super::vectors::{U64x4, transpose4};
use crate::arch::compile::keccak_kernel;
use crate::arch::portable::Integers;
use crate::kernels::sponge::keccak::Steps;
use crate::vector::each;

/// Shifts, and logic functions of two inputs. Uses AVX2.
pub struct KeccakSteps;

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Steps for KeccakSteps {
    type V = U64x4;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x4; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has AVX2, and `lanes` is readable for
        // four pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let halves = each!(h in 2 => transpose4(each!(l in 4 =>
                _mm256_loadu_si256((*lanes.add(l)).add(offset + 32 * h).cast()))));
            each!(i in 8 => U64x4(halves[i / 4][i % 4]))
        }
    }
    #[inline(always)]
    fn chi(a: U64x4, b: U64x4, c: U64x4) -> U64x4 {
        // SAFETY: `a` is proof of AVX2 (see Vector).
        U64x4(unsafe { _mm256_xor_si256(a.0, _mm256_andnot_si256(b.0, c.0)) })
    }
}

keccak_kernel!(
    /// Four lanes.
    KECCAK, "avx2", KeccakSteps, "avx2,bmi1,bmi2"
);

keccak_kernel!(
    /// One lane: rotations and complements that keep their operand.
    KECCAK_ONE, "integers, bmi2", Integers, "bmi1,bmi2"
);
