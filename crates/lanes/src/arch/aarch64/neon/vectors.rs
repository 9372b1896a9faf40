//! NEON: four 32-bit lanes, or two 64-bit lanes.
//!
//! Only MD5 runs on two vectors interleaved ([`Pair`]). Its step is a chain of ten cycles (Arm's
//! optimisation guides for Neoverse N1, N2 and V1) with eight instructions to issue: one vector
//! would leave even a core with two vector pipes half idle. A SHA-1 round issues fourteen behind a
//! chain of six cycles, a round of SHA-256 or SHA-512 forty behind one of twelve: one vector keeps
//! two pipes busy, and the 42 or 48 registers of a pair would not fit in 32.

use core::arch::aarch64::*;
use core::arch::asm;

use crate::arch::compile::wide_kernels;
use crate::kernels::hash::kernel::Built;
use crate::vector::{Vector, each};

/// Four 32-bit lanes in one register. Uses NEON.
#[derive(Clone, Copy)]
pub struct U32x4(pub uint32x4_t);

/// Two 64-bit lanes in one register. Uses NEON.
#[derive(Clone, Copy)]
pub struct U64x2(pub(super) uint64x2_t);

macro_rules! lane_wise {
    (
        $add:ident, $xor:ident, $and:ident, $or:ident, $clear:ident, $not:ident, $select:ident,
        $shift:ident
    ) => {
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            // SAFETY: `self` is proof of NEON (see Vector).
            Self(unsafe { $add(self.0, o.0) })
        }
        #[inline(always)]
        fn xor(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $xor(self.0, o.0) })
        }
        #[inline(always)]
        fn and(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $and(self.0, o.0) })
        }
        #[inline(always)]
        fn or(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $or(self.0, o.0) })
        }
        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $not(self.0) })
        }
        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $shift::<N>(self.0) })
        }
        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $select(self.0, b.0, c.0) })
        }
        /// Returns the majority: where `self` and `b` differ, `c` decides.
        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            let mut differ = self.xor(b);
            // SAFETY: there is no instruction in it. It keeps the compiler from taking the two
            // instructions apart into four simpler ones.
            unsafe {
                // Changes: nothing; the template is a comment.
                asm!(
                    "/* {0:v} */",
                    inout(vreg) differ.0,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            differ.choose(c, b)
        }
    };
}

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Vector for U32x4 {
    type Word = u32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has NEON, by the contract of `splat`.
        Self(unsafe { vdupq_n_u32(word) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: the CPU has NEON and `words` is readable for four words, by the contract of
        // `load`.
        Self(unsafe { vld1q_u32(words) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: `words` is writable for four words, by the contract of `store`.
        unsafe { vst1q_u32(words, self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has NEON, and `lanes` is readable for
        // four pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let quarters = each!(q in 4 => transpose4(each!(l in 4 => {
                let bytes = vld1q_u8((*lanes.add(l)).add(offset + 16 * q));
                vreinterpretq_u32_u8(if BIG_ENDIAN { vrev32q_u8(bytes) } else { bytes })
            })));
            each!(i in 16 => Self(quarters[i / 4][i % 4]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u32) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has NEON, and `lanes` is readable for four
        // pointers, each of which is readable for eight words.
        unsafe {
            let low = transpose4(each!(l in 4 => vld1q_u32(*lanes.add(l))));
            let high = transpose4(each!(l in 4 => vld1q_u32((*lanes.add(l)).add(4))));
            each!(i in 8 => Self(if i < 4 { low[i] } else { high[i - 4] }))
        }
    }
    #[inline(always)]
    unsafe fn gather_four(lanes: *const *const u32) -> [Self; 4] {
        // SAFETY: by the contract of `gather_four`, the CPU has NEON, and `lanes` is readable for
        // four pointers, each of which is readable for four words.
        unsafe {
            let columns = transpose4(each!(l in 4 => vld1q_u32(*lanes.add(l))));
            each!(i in 4 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u32) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for four pointers, each of
        // which is writable for eight words.
        unsafe {
            let low = transpose4(each!(i in 4 => words[i].0));
            let high = transpose4(each!(i in 4 => words[i + 4].0));
            each!(l in 4 => vst1q_u32(*lanes.add(l), low[l]));
            each!(l in 4 => vst1q_u32((*lanes.add(l)).add(4), high[l]));
        }
    }
    lane_wise!(
        vaddq_u32,
        veorq_u32,
        vandq_u32,
        vorrq_u32,
        vbicq_u32,
        vmvnq_u32,
        vbslq_u32,
        vshrq_n_u32
    );
    /// Rotates. By half a word it is a permutation; otherwise a shift, and another that inserts.
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of NEON (see Vector).
        Self(unsafe {
            if N == 16 {
                vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0)))
            } else {
                let left = vshlq_u32(self.0, vdupq_n_s32(32 - N));
                vsriq_n_u32::<N>(left, self.0)
            }
        })
    }
}

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Vector for U64x2 {
    type Word = u64;
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the CPU has NEON, by the contract of `splat`.
        Self(unsafe { vdupq_n_u64(word) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        // SAFETY: the CPU has NEON and `words` is readable for two words, by the contract of
        // `load`.
        Self(unsafe { vld1q_u64(words) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: `words` is writable for two words, by the contract of `store`.
        unsafe { vst1q_u64(words, self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has NEON, and `lanes` is readable for
        // two pointers, each of which is readable for 128 bytes from `offset`.
        unsafe {
            let eighths = each!(e in 8 => transpose2(each!(l in 2 => {
                let bytes = vld1q_u8((*lanes.add(l)).add(offset + 16 * e));
                vreinterpretq_u64_u8(if BIG_ENDIAN { vrev64q_u8(bytes) } else { bytes })
            })));
            each!(i in 16 => Self(eighths[i / 2][i % 2]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u64) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has NEON, and `lanes` is readable for two
        // pointers, each of which is readable for eight words.
        unsafe {
            let pairs = each!(p in 4 =>
                transpose2(each!(l in 2 => vld1q_u64((*lanes.add(l)).add(2 * p)))));
            each!(i in 8 => Self(pairs[i / 2][i % 2]))
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u64) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for two pointers, each of which
        // is writable for eight words.
        unsafe {
            each!(p in 4 => {
                let pair = transpose2([words[2 * p].0, words[2 * p + 1].0]);
                each!(l in 2 => vst1q_u64((*lanes.add(l)).add(2 * p), pair[l]));
            });
        }
    }
    lane_wise!(
        vaddq_u64,
        veorq_u64,
        vandq_u64,
        vorrq_u64,
        vbicq_u64,
        not_u64,
        vbslq_u64,
        vshrq_n_u64
    );
    /// Rotates. By a byte it is a permutation; otherwise a shift, and another that inserts.
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of NEON (see Vector); the table has sixteen bytes.
        Self(unsafe {
            if N == 8 {
                let table = [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8];
                let bytes = vreinterpretq_u8_u64(self.0);
                vreinterpretq_u64_u8(vqtbl1q_u8(bytes, vld1q_u8(table.as_ptr())))
            } else {
                let left = vshlq_u64(self.0, vdupq_n_s64(64 - i64::from(N)));
                vsriq_n_u64::<N>(left, self.0)
            }
        })
    }
}

/// Returns the complement, for which NEON has no name at this width.
///
/// # Safety
/// NEON.
#[inline(always)]
unsafe fn not_u64(v: uint64x2_t) -> uint64x2_t {
    // SAFETY: the CPU has NEON, by this function's contract.
    unsafe { vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(v))) }
}

/// Turns four rows of four 32-bit words into columns.
///
/// # Safety
/// NEON.
#[inline(always)]
unsafe fn transpose4(r: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    // SAFETY: the CPU has NEON, by this function's contract.
    unsafe {
        let a = each!(i in 4 => {
            let (x, y) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
            vreinterpretq_u64_u32(if i % 2 == 0 { vtrn1q_u32(x, y) } else { vtrn2q_u32(x, y) })
        });
        each!(i in 4 => {
            let (x, y) = (a[i % 2], a[i % 2 + 2]);
            vreinterpretq_u32_u64(if i < 2 { vtrn1q_u64(x, y) } else { vtrn2q_u64(x, y) })
        })
    }
}

/// Turns two rows of two 64-bit words into columns.
///
/// # Safety
/// NEON.
#[inline(always)]
pub(super) unsafe fn transpose2([a, b]: [uint64x2_t; 2]) -> [uint64x2_t; 2] {
    // SAFETY: the CPU has NEON, by this function's contract.
    unsafe { [vtrn1q_u64(a, b), vtrn2q_u64(a, b)] }
}

wide_kernels!("neon", Built, ["neon"], U32x4, U64x2);
