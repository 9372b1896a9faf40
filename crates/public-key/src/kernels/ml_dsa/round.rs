//! Higher and lower parts of numbers, and hints (FIPS 204, section 7.4).

use super::numbers::Numbers;
use super::ring::{Constants, N, Q};

/// The range of the lower parts of commitments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gamma2 {
    /// An 88th of the modulus less one: higher parts are up to 43.
    Part88,
    /// A 32nd of the modulus less one: higher parts are up to 15.
    Part32,
}

impl Gamma2 {
    /// Returns the largest amount of lower parts.
    pub(crate) const fn value(self) -> u32 {
        match self {
            Gamma2::Part88 => (Q - 1) / 88,
            Gamma2::Part32 => (Q - 1) / 32,
        }
    }
}

/// Takes numbers apart by 2^13: the contract of [`Round`](super::kernel::Round).
///
/// # Safety
/// The contract of [`Round`](super::kernel::Round), for this vector.
#[inline(always)]
pub(crate) unsafe fn power2round<V: Numbers>(low: *mut u32, high: *mut u32) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let (c, half) = (Constants::<V>::new(), V::splat((1 << 12) - 1));
        for i in 0..N {
            let (to_low, to_high) = (low.add(i * V::LANES), high.add(i * V::LANES));
            let number = c.canonical(V::load(to_low));
            let upper = number.add(half).right(13);
            upper.store(to_high);
            number.sub(upper.left(13)).store(to_low);
        }
    }
}

/// Returns the higher and the lower part of a number.
#[inline(always)]
fn parts<V: Numbers>(c: &Constants<V>, number: V, gamma2: Gamma2) -> (V, V) {
    // SAFETY: `number` is proof of the instruction set.
    let splat = |word: u32| unsafe { V::splat(word) };
    let number = c.canonical(number);
    let rough = number.add(splat(127)).right(7);
    let high = match gamma2 {
        Gamma2::Part32 => {
            let high = rough.low(splat(1025)).add(splat(1 << 21)).right(22);
            high.and(splat(15))
        }
        Gamma2::Part88 => {
            let high = rough.low(splat(11275)).add(splat(1 << 23)).right(24);
            // 44 becomes zero.
            let is_over = splat(43).sub(high).right_signed(31);
            high.xor(is_over.and(high))
        }
    };
    let low = number.sub(high.low(splat(2 * gamma2.value())));
    let is_upper = splat((Q - 1) / 2).sub(low).right_signed(31);
    (high, low.sub(is_upper.and(c.q)))
}

/// Takes numbers apart: the contract of [`Decompose`](super::kernel::Decompose).
///
/// # Safety
/// The contract of [`Decompose`](super::kernel::Decompose), for this vector.
#[inline(always)]
pub(crate) unsafe fn decompose<V: Numbers>(low: *mut u32, high: *mut u32, gamma2: Gamma2) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        for i in 0..N {
            let (to_low, to_high) = (low.add(i * V::LANES), high.add(i * V::LANES));
            let (higher, lower) = parts(&c, V::load(to_low), gamma2);
            lower.store(to_low);
            higher.store(to_high);
        }
    }
}

/// Makes hints: the contract of [`MakeHints`](super::kernel::MakeHints).
///
/// # Safety
/// The contract of [`MakeHints`](super::kernel::MakeHints), for this vector.
#[inline(always)]
pub(crate) unsafe fn make_hints<V: Numbers>(
    low: *mut u32,
    high: *const u32,
    gamma2: Gamma2,
    counts: *mut u32,
) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let (bound, zero) = (V::splat(gamma2.value()), V::splat(0));
        let mut sum = V::load(counts);
        for i in 0..N {
            let place = low.add(i * V::LANES);
            let (lower, higher) = (V::load(place), V::load(high.add(i * V::LANES)));
            // The bound itself belongs to the range, its negative only if the higher part is zero.
            let is_above = bound.sub(lower).right(31);
            let is_below = lower.add(bound).right(31);
            let least = lower.add(bound);
            let is_least = least.or(zero.sub(least)).not().right(31);
            let is_positive = zero.sub(higher).right(31);
            let hint = is_above.or(is_below).or(is_least.and(is_positive));
            sum = sum.add(hint);
            hint.store(place);
        }
        sum.store(counts);
    }
}

/// Uses hints: the contract of [`UseHints`](super::kernel::UseHints).
///
/// # Safety
/// The contract of [`UseHints`](super::kernel::UseHints), for this vector.
#[inline(always)]
pub(crate) unsafe fn use_hints<V: Numbers>(poly: *mut u32, hints: *const u32, gamma2: Gamma2) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        let zero = V::splat(0);
        for i in 0..N {
            let place = poly.add(i * V::LANES);
            let hint = zero.sub(V::load(hints.add(i * V::LANES)));
            let (high, low) = parts(&c, V::load(place), gamma2);
            // One if the lower part is positive, else its negative.
            let is_positive = zero.sub(low).right_signed(31);
            let step = is_positive.not().sub(is_positive);
            let high = high.add(step.and(hint));
            let high = match gamma2 {
                Gamma2::Part32 => high.and(V::splat(15)),
                Gamma2::Part88 => {
                    let last = V::splat(44);
                    let high = high.add(high.right_signed(31).and(last));
                    high.sub(V::splat(43).sub(high).right_signed(31).and(last))
                }
            };
            high.store(place);
        }
    }
}
