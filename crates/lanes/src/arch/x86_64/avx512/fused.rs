//! Three limbs of 44, 44 and 42 bits, with instructions that add products of 52 bits (AVX-512
//! IFMA).

use core::arch::x86_64::*;

use super::vectors::U64x8;
use crate::kernels::chacha::poly::wide::{Field, Words};
use crate::vector::{Vector, each};

/// Limbs in 512-bit vectors. Uses AVX-512 F and IFMA.
pub(crate) struct Fused;

/// Bits of the first limbs.
const LIMB: u64 = (1 << 44) - 1;

/// Bits of the last one.
const LAST: u64 = (1 << 42) - 1;

// SAFETY: AVX-512 F and IFMA instructions only; every method is `inline(always)`.
unsafe impl Field for Fused {
    type Vector = U64x8;
    type Limbs = [U64x8; 3];
    type Factor = Factor;
    type Sum = Sum;

    #[inline(always)]
    unsafe fn split([low, high, above]: [U64x8; 3]) -> [U64x8; 3] {
        // SAFETY: the CPU has the instructions, by the contract of `Field::split`.
        let limb = unsafe { U64x8::splat(LIMB) };
        [
            low.and(limb),
            low.shift_right::<44>().or(high.shift_left::<20>()).and(limb),
            high.shift_right::<24>().or(above.shift_left::<40>()),
        ]
    }

    #[inline(always)]
    unsafe fn join([d0, d1, d2]: [U64x8; 3]) -> [U64x8; 3] {
        // SAFETY: the CPU has the instructions, by the contract of `Field::join`.
        let limb = unsafe { U64x8::splat(LIMB) };
        let (d1, d2) = (d1.and(limb), d2.add(d1.shift_right::<44>()));
        [
            d0.or(d1.shift_left::<44>()),
            d1.shift_right::<20>().or(d2.shift_left::<24>()),
            d2.shift_right::<40>(),
        ]
    }

    #[inline(always)]
    unsafe fn plus(a: [U64x8; 3], b: [U64x8; 3]) -> [U64x8; 3] {
        each!(i in 3 => a[i].add(b[i]))
    }

    #[inline(always)]
    unsafe fn factor(limbs: [U64x8; 3]) -> Factor {
        // 2^132 is 20.
        let twenties = each!(i in 2 => {
            let limb = limbs[1 + i];
            limb.shift_left::<4>().add(limb.shift_left::<2>())
        });
        Factor { limbs, twenties }
    }

    #[inline(always)]
    unsafe fn zero() -> Sum {
        // SAFETY: the CPU has the instructions, by the contract of `Field::zero`.
        let zero = unsafe { U64x8::splat(0) };
        Sum { low: [zero; 3], high: [zero; 3] }
    }

    #[inline(always)]
    unsafe fn plus_product(sum: Sum, x: [U64x8; 3], factor: &Factor) -> Sum {
        let Factor { limbs: [r0, r1, r2], twenties: [s1, s2] } = *factor;
        // SAFETY: the CPU has the instructions, by the contract of `Field::plus_product`.
        unsafe {
            let sum = sum.plus(x[2], [s1, s2, r0]);
            let sum = sum.plus(x[1], [s2, r0, r1]);
            sum.plus(x[0], [r0, r1, r2])
        }
    }

    /// Limbs of a sum of lower halves have up to 56 bits, those of upper halves up to 46.
    #[inline(always)]
    unsafe fn carried(Sum { low: [d0, d1, d2], high: [e0, e1, e2] }: Sum) -> [U64x8; 3] {
        // SAFETY: the CPU has the instructions, by the contract of `Field::carried`.
        let (limb, last) = unsafe { (U64x8::splat(LIMB), U64x8::splat(LAST)) };
        let d1 = d1.add(e0.shift_left::<8>()).add(d0.shift_right::<44>());
        let d2 = d2.add(e1.shift_left::<8>()).add(d1.shift_right::<44>());
        let over = e2.shift_left::<10>().add(d2.shift_right::<42>());
        let d0 = d0.and(limb).add(over.shift_left::<2>()).add(over);
        let d1 = d1.and(limb).add(d0.shift_right::<44>());
        [d0.and(limb), d1, d2.and(last)]
    }
}

/// The limbs of a factor, and twenty times the last two.
#[derive(Clone, Copy)]
pub(crate) struct Factor {
    limbs: [U64x8; 3],
    twenties: [U64x8; 2],
}

/// Sums of the lower 52 bits of products, and of those above, by limb.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    low: [U64x8; 3],
    high: [U64x8; 3],
}

impl Sum {
    /// Adds the products of a limb with three others, one for each limb of the sum.
    ///
    /// # Safety
    /// The CPU has AVX-512 IFMA.
    #[inline(always)]
    unsafe fn plus(self, x: U64x8, by: [U64x8; 3]) -> Sum {
        // SAFETY: the CPU has AVX-512 IFMA, by this function's contract.
        unsafe {
            Sum {
                low: each!(i in 3 => U64x8(_mm512_madd52lo_epu64(self.low[i].0, x.0, by[i].0))),
                high: each!(i in 3 => U64x8(_mm512_madd52hi_epu64(self.high[i].0, x.0, by[i].0))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::cpu::{Cpu, Isa};
    use crate::kernels::chacha::poly::OneTimeKey;
    use crate::kernels::chacha::poly::tests::{check, tags};
    use crate::kernels::chacha::poly::wide::PolyLanes;

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    unsafe fn ours(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
        // SAFETY: the instructions are enabled here.
        unsafe { tags::<PolyLanes<Fused>>(key, text) }
    }

    #[test]
    fn tags_are_right_where_sums_are_largest_and_smallest() {
        let ifma = crate::features::Feature::Avx512ifma;
        if !Cpu::with_isa(Isa::Avx512).is_ok_and(|cpu| cpu.has(ifma)) {
            std::println!("poly1305 not run: avx512ifma needs avx512 and avx512ifma");
            return;
        }
        // SAFETY: this machine can run it.
        unsafe { check(ours) };
        std::println!("poly1305 tested: avx512ifma");
    }
}
