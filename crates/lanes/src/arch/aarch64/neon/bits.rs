//! NEON: 128 lanes.

use core::arch::aarch64::*;

use crate::bits::Bits;

/// 128 lanes in one register. Uses NEON.
#[derive(Clone, Copy)]
pub(crate) struct Bits128(uint64x2_t);

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Bits for Bits128 {
    const LANES: usize = 128;

    #[inline(always)]
    unsafe fn splat(element: u64) -> Self {
        // SAFETY: the CPU has NEON, by the contract of `splat`.
        Self(unsafe { vdupq_n_u64(element) })
    }
    #[inline(always)]
    unsafe fn load(elements: *const u64) -> Self {
        // SAFETY: the CPU has NEON and `elements` is readable for a register's bytes, by the
        // contract of `load`.
        Self(unsafe { vreinterpretq_u64_u8(vld1q_u8(elements.cast())) })
    }
    #[inline(always)]
    unsafe fn store(self, elements: *mut u64) {
        // SAFETY: `elements` is writable for a register's bytes, by the contract of `store`.
        unsafe { vst1q_u8(elements.cast(), vreinterpretq_u8_u64(self.0)) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` is proof of NEON (see Bits).
        Self(unsafe { veorq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vorrq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vbicq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { veorq_u64(self.0, vdupq_n_u64(u64::MAX)) })
    }
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vshlq_n_u64::<N>(self.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vshrq_n_u64::<N>(self.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::tests::transposes_and_computes;
    use crate::cpu::{Cpu, Isa};

    #[target_feature(enable = "neon")]
    fn check() {
        // SAFETY: this function has the instruction set.
        unsafe { transposes_and_computes::<Bits128>() }
    }

    #[test]
    fn registers_transpose_and_compute() {
        if Cpu::with_isa(Isa::Neon).is_ok() {
            // SAFETY: the CPU has the instruction set.
            unsafe { check() }
        }
    }
}
