//! Keccak in 512-bit registers: the 25 words of eight states in 25 of the 32 registers.

use core::arch::x86_64::*;

use super::vectors::{U64x8, transpose8};
use crate::arch::compile::{keccak_chain_kernel, keccak_kernel};
use crate::sponge::Steps;
use crate::vector::each;

/// Rotations, and logic functions of three inputs. Uses AVX-512 F.
struct Ternary;

// SAFETY: AVX-512 F instructions only; every method is `inline(always)`.
unsafe impl Steps for Ternary {
    type V = U64x8;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x8; 8] {
        // SAFETY: the caller vouches for AVX-512, eight pointers, and 64 bytes behind each.
        unsafe {
            let rows = each!(l in 8 => _mm512_loadu_si512((*lanes.add(l)).add(offset).cast()));
            let columns = transpose8(rows);
            each!(i in 8 => U64x8(columns[i]))
        }
    }
    #[inline(always)]
    fn chi(a: U64x8, b: U64x8, c: U64x8) -> U64x8 {
        /// The table of `a ^ (!b & c)`.
        const CHI: i32 = 0xf0 ^ (!0xcc & 0xaa);
        // SAFETY: `a` is proof of AVX-512 (see Vector).
        U64x8(unsafe { _mm512_ternarylogic_epi64::<CHI>(a.0, b.0, c.0) })
    }
}

keccak_kernel!(
    /// Eight lanes.
    KECCAK, "avx512", Ternary, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

keccak_chain_kernel!(
    /// Eight chains.
    CHAIN, "avx512", Ternary, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);
