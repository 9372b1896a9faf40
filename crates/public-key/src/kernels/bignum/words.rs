//! Montgomery multiplication on integers: one number, in limbs of 64 bits.
//!
//! Its numbers are below the modulus.

use broadloom_lanes::Vector;
use broadloom_lanes::inside::{Plain, each};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

use super::kernel::{Modulo, Radix};
use super::number::WORDS;
use super::select::SelectLanes;

/// Limbs go in groups of so many.
const GROUP: usize = 8;

/// Returns the sum of a limb, a product and what is carried: the lower half, and what is carried
/// on.
#[inline(always)]
fn plus_product(sum: u64, x: u64, y: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(x) * u128::from(y) + u128::from(sum) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

/// Does the work of every [`Multiply`](super::kernel::Multiply) and
/// [`Square`](super::kernel::Square) on integers.
///
/// # Safety
/// The contract of [`Multiply`](super::kernel::Multiply) for one lane.
#[inline(always)]
pub(crate) unsafe fn multiply(out: *mut u64, a: *const u64, b: *const u64, modulo: &Modulo) {
    let limbs = modulo.limbs;
    let mut sums = [0_u64; 2 * WORDS];
    assert!(limbs <= WORDS && limbs.is_multiple_of(GROUP), "{limbs} limbs");
    // SAFETY: `a`, `b` and the modulus are readable for `limbs` limbs, and the inverse for one, by
    // the contract of `Multiply`; nothing writes to them as long as the slices are used.
    let (a, b, n, inverse) = unsafe {
        use core::slice::from_raw_parts as slice;
        (slice(a, limbs), slice(b, limbs), slice(modulo.modulus, limbs), *modulo.inverse)
    };
    let mut over = 0;
    for (i, x) in a.iter().enumerate() {
        let (window, above) = sums[i..].split_at_mut(limbs);
        let quotient = window[0].wrapping_add(x.wrapping_mul(b[0])).wrapping_mul(inverse);
        let (mut product, mut multiple) = (0, 0);
        let groups = window.as_chunks_mut::<GROUP>().0.iter_mut();
        let groups = groups.zip(b.as_chunks::<GROUP>().0).zip(n.as_chunks::<GROUP>().0);
        for ((sums, b), n) in groups {
            // The lowest limb of all becomes zero.
            each!(j in 8 => {
                let sum;
                (sum, product) = plus_product(sums[j], *x, b[j], product);
                (sums[j], multiple) = plus_product(sum, quotient, n[j], multiple);
            });
        }
        let top = u128::from(over) + u128::from(product) + u128::from(multiple);
        (above[0], over) = (top as u64, (top >> 64) as u64);
    }
    let result = &sums[limbs..2 * limbs];
    // SAFETY: `out` is writable for `limbs` limbs, by the contract of `Multiply`; the factors,
    // which `out` may be one of, are not read any more.
    let out = unsafe { core::slice::from_raw_parts_mut(out, limbs) };
    let mut borrow = 0;
    for ((out, limb), n) in out.iter_mut().zip(result).zip(n) {
        let (difference, first) = limb.overflowing_sub(*n);
        let (difference, second) = difference.overflowing_sub(borrow);
        (*out, borrow) = (difference, u64::from(first | second));
    }
    // If more was borrowed than there is, the sum was below the modulus.
    let below = !over.ct_eq(&borrow);
    for (out, limb) in out.iter_mut().zip(result) {
        out.conditional_assign(limb, below);
    }
    sums.zeroize();
}

// SAFETY: baseline instructions only; every method is `inline(always)`.
unsafe impl SelectLanes for Plain<u64> {
    const LANES: usize = 1;
    const RADIX: Radix = Radix::Bits64;
    const CHUNK: usize = GROUP;
    const BOTH: bool = false;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        Plain::of(word)
    }
    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: `from` is readable for one word (`LANES` is 1), by the contract of
        // `SelectLanes::load`.
        unsafe { Vector::load(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: `to` is writable for one word (`LANES` is 1), by the contract of
        // `SelectLanes::store`.
        unsafe { Vector::store(self, to) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Vector::add(self, other)
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        let equal = self.word().ct_eq(&other.word());
        Plain::of(u64::conditional_select(&0, &u64::MAX, equal))
    }
    #[inline(always)]
    fn or_masked(self, mask: Self, other: Self) -> Self {
        self.or(mask.and(other))
    }
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Plain::of(self.word() | other.word() << 32)
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        (Plain::of(self.word() & u64::from(u32::MAX)), Plain::of(self.word() >> 32))
    }
}
