//! Keccak in 128-bit registers: two lanes, with the SHA-3 instructions if the CPU has them.

use core::arch::aarch64::*;

use super::vectors::{U64x2, transpose2};
use crate::arch::compile::keccak_kernel;
use crate::kernels::sponge::keccak::Steps;
use crate::vector::each;

/// Loads eight words of two lanes.
///
/// # Safety
/// - The CPU has NEON.
/// - `lanes` is readable for two pointers, and each of these for 64 bytes from `offset` on.
#[inline(always)]
unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x2; 8] {
    // SAFETY: the CPU has NEON, and each of two pointers is readable for 64 bytes from `offset`, by
    // this function's contract.
    unsafe {
        let quarters = each!(q in 4 => transpose2(each!(l in 2 =>
            vreinterpretq_u64_u8(vld1q_u8((*lanes.add(l)).add(offset + 16 * q))))));
        each!(i in 8 => U64x2(quarters[i / 2][i % 2]))
    }
}

/// Shifts that insert, and logic functions of two inputs. Uses NEON.
pub struct KeccakSteps;

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Steps for KeccakSteps {
    type V = U64x2;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x2; 8] {
        // SAFETY: these are the conditions of `Steps::load_eight`, for two lanes.
        unsafe { load_eight(lanes, offset) }
    }
    #[inline(always)]
    fn chi(a: U64x2, b: U64x2, c: U64x2) -> U64x2 {
        // SAFETY: `a` is proof of NEON (see Vector).
        U64x2(unsafe { veorq_u64(a.0, vbicq_u64(c.0, b.0)) })
    }
}

/// An instruction for each step of a round. Uses NEON and the SHA-3 extension.
pub struct Sha3Steps;

// SAFETY: instructions of NEON and the SHA-3 extension only; every method is `inline(always)`.
unsafe impl Steps for Sha3Steps {
    type V = U64x2;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x2; 8] {
        // SAFETY: these are the conditions of `Steps::load_eight`, for two lanes.
        unsafe { load_eight(lanes, offset) }
    }
    #[inline(always)]
    fn parity([a, b, c, d, e]: [U64x2; 5]) -> U64x2 {
        // SAFETY: only kernels that are compiled for the SHA-3 extension use these steps, and they
        // are only chosen for CPUs that have it.
        U64x2(unsafe { veor3q_u64(veor3q_u64(a.0, b.0, c.0), d.0, e.0) })
    }
    #[inline(always)]
    fn add_rotated(a: U64x2, b: U64x2) -> U64x2 {
        // SAFETY: as above.
        U64x2(unsafe { vrax1q_u64(a.0, b.0) })
    }
    #[inline(always)]
    fn add_then_rotate<const RIGHT: i32>(a: U64x2, b: U64x2) -> U64x2 {
        // SAFETY: as above.
        U64x2(unsafe { vxarq_u64::<RIGHT>(a.0, b.0) })
    }
    #[inline(always)]
    fn chi(a: U64x2, b: U64x2, c: U64x2) -> U64x2 {
        // SAFETY: as above.
        U64x2(unsafe { vbcaxq_u64(a.0, c.0, b.0) })
    }
}

keccak_kernel!(
    /// Two lanes.
    KECCAK, "neon", KeccakSteps, "neon"
);

keccak_kernel!(
    /// Two lanes, with the SHA-3 instructions.
    KECCAK_SHA3, "armv8-sha3", Sha3Steps, "neon,sha3"
);
