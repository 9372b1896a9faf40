//! Arithmetic modulo primes that are sums of few powers of two, such as that of P-256 (SP 800-186,
//! 3.2.1.3): 2^256 - 2^224 + 2^192 + 2^96 - 1.
//!
//! All limbs have equally many bits, and R is 2 to the number of bits of all of them, which is the
//! same however many there are: 260 for P-256, in 5 limbs of 52 bits or 10 of 26. A number stands
//! for its quotient by R (Montgomery). A quotient of one limb is found from the lowest limb of a
//! sum, and taken that often, the prime makes that limb zero. Where the prime is -1 modulo any
//! limb, the quotient is the lowest limb itself. Of the prime's other limbs most are zero, and cost
//! nothing.
//!
//! Some limbs of a prime are negative, as 2^96 and 2^128 are in the prime of P-384. No sum may be
//! negative. So instead of a quotient's product with such a limb, that of its complement, which is
//! the highest quotient less the quotient, is added. What is added too much is the highest quotient
//! times these limbs, for every quotient of a product, which is a constant. The sums start with
//! [`START`](Layout::START), which makes a multiple of the prime of it: less than 2^130 times R for
//! P-384.
//!
//! The lowest limb has no complement. Where it is negative and not -1, as in the prime of
//! secp256k1, quotients are multiplied with the prime's negative, of which the highest limb is the
//! negative one: what is added too much is then at most the prime's highest power times R.
//!
//! A *factor* is below the prime's highest power of two times 8, with limbs that are below 2^52
//! where products take no more bits than that, and below 2^32 else where these are 32. Two factors
//! may be multiplied if their values are at most 16 times the square of the prime: the product is
//! then at most twice the prime, or more by less than 2^34.

#![expect(
    clippy::absurd_extreme_comparisons,
    reason = "every number of a loop that is written out is compared, the first one too"
)]

use core::marker::PhantomData;

use broadloom_lanes::inside::each;

use super::columns::MAX_LANES;
use super::element::{Element, MAX_LIMBS, Multiply, Prime};
use super::scalar::{Modulus, Odd, small};
use super::words::Words;

/// A prime that is a sum of few powers of two.
pub trait Montgomery: Prime {
    /// The bits of all limbs together.
    const ALL_BITS: usize;

    /// The powers of two that the prime is the sum of, by their exponents, the highest first, each
    /// with its sign.
    const POWERS: &'static [(i64, usize)];
}

/// Columns of a product, at most.
const COLUMNS: usize = 2 * MAX_LIMBS;

/// What a prime is in `N` limbs.
struct Layout<P, const N: usize>(PhantomData<P>);

impl<P: Montgomery, const N: usize> Layout<P, N> {
    /// Bits of a limb.
    const BITS: usize = P::ALL_BITS / N;

    /// Bits of the highest limb that are below the prime's highest power.
    const HIGHEST: usize = P::POWERS[0].1 - Self::BITS * (N - 1);

    /// `true` if limbs have as many bits as the factors of 52 bits.
    const IS_FULL: bool = Self::BITS == 52;

    /// The limbs of the prime, of which some are negative.
    const LIMBS: [i64; N] = {
        assert!(N <= MAX_LIMBS && N * Self::BITS == P::ALL_BITS, "limbs of equally many bits");
        let (mut limbs, mut i) = ([0; N], 0);
        while i < P::POWERS.len() {
            let (sign, power) = P::POWERS[i];
            limbs[power / Self::BITS] += sign << (power % Self::BITS);
            i += 1;
        }
        // A limb that is negative borrows of the one above it, if that is positive.
        let mut at = N - 1;
        while at > 1 {
            if limbs[at] > 0 && limbs[at - 1] < 0 {
                limbs[at] -= 1;
                limbs[at - 1] += 1 << Self::BITS;
            }
            at -= 1;
        }
        limbs
    };

    /// What quotients are multiplied with: the limbs of the prime, or of its negative where the
    /// lowest limb has no complement.
    const FACTORS: [i64; N] = {
        let (mut factors, mut i) = (Self::LIMBS, 0);
        while i < N && Self::LIMBS[0] < -1 {
            factors[i] = -factors[i];
            i += 1;
        }
        factors
    };

    /// The inverse of minus the lowest factor, modulo a limb.
    const INVERSE: u64 = {
        let (lowest, mut inverse, mut i) = (Self::FACTORS[0] as u64, 1_u64, 0);
        // Every step doubles the bits that are right, of which the lowest one is.
        while i < 6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(lowest.wrapping_mul(inverse)));
            i += 1;
        }
        inverse.wrapping_neg() & ((1 << Self::BITS) - 1)
    };

    /// What sums start with: minus the negative factors, less that times R, modulo the prime.
    const START: [i64; N] = {
        let (mut negative, mut i) = ([0; N], 1);
        while i < N {
            negative[i] = if Self::FACTORS[i] < 0 { -Self::FACTORS[i] } else { 0 };
            i += 1;
        }
        let negative = Self::reduced(negative);
        let (mut power, mut i) = (negative, 0);
        while i < P::ALL_BITS {
            power = Self::reduced(Self::plus(power, power, 1));
            i += 1;
        }
        let start = Self::plus(negative, power, -1);
        if start[N - 1] < 0 { Self::plus(start, Self::LIMBS, 1) } else { start }
    };

    /// Returns the sum of `a` and `times` times `b`, with limbs that are not negative but for the
    /// highest.
    const fn plus(a: [i64; N], b: [i64; N], times: i64) -> [i64; N] {
        let (mut sum, mut carry, mut i) = ([0; N], 0, 0);
        while i < N {
            let limb = a[i] + times * b[i] + carry;
            let low = if i + 1 < N { limb & ((1 << Self::BITS) - 1) } else { limb };
            (sum[i], carry) = (low, limb >> Self::BITS);
            i += 1;
        }
        sum
    }

    /// Returns a number below twice the prime, modulo the prime.
    const fn reduced(number: [i64; N]) -> [i64; N] {
        let less = Self::plus(number, Self::LIMBS, -1);
        if less[N - 1] < 0 { number } else { less }
    }

    /// Returns what quotients are multiplied with at a place, or zero at the lowest place and at
    /// one that there is not.
    const fn factor(at: usize) -> i64 {
        if at == 0 || at >= N { 0 } else { Self::FACTORS[at] }
    }

    /// Returns the limb that sums start with at a place.
    const fn start(at: usize) -> u64 {
        if at < N { Self::START[at] as u64 } else { 0 }
    }

    /// Returns a limb of 32 times the prime, whose value is distributed so that no limb is below
    /// one of a number of at most 16 times the prime whose limbs have at most four bits too many;
    /// zero at a place that there is not.
    const fn multiple(at: usize) -> u64 {
        if at >= N {
            return 0;
        }
        // Each limb but the highest is lent 32 of the next one.
        let lent = if at + 1 == N { 0 } else { 32 << Self::BITS };
        let borrowed = if at == 0 { 0 } else { 32 };
        (32 * Self::LIMBS[at] + lent - borrowed) as u64
    }

    /// Returns the sign of a power that the prime is the sum of, if there is one at the place, and
    /// it is not the highest.
    const fn lower_sign(at: usize) -> i64 {
        if at == 0 || at >= P::POWERS.len() { 0 } else { P::POWERS[at].0 }
    }

    /// Returns the limb that a power belongs to, and its exponent within, if there is one.
    const fn place(at: usize) -> (usize, u32) {
        let power = if at < P::POWERS.len() { P::POWERS[at].1 } else { 0 };
        (power / Self::BITS, (power % Self::BITS) as u32)
    }
}

impl<P: Montgomery + Odd<K>, const K: usize> Modulus<P, K> {
    /// What stands for the quotient of the R of lanes by that of words: the R of lanes.
    const SHIFT: [u64; K] = {
        let (mut power, mut i) = (small(1), 0);
        while i < P::ALL_BITS {
            power = Modulus::<P, K>::new().twice(power);
            i += 1;
        }
        power
    };

    /// What stands in lanes for one.
    const LANES_ONE: [u64; K] = {
        let prime = Modulus::<P, K>::new();
        prime.in_lanes(prime.one())
    };

    /// What stands in lanes for their R.
    const LANES_SQUARE: [u64; K] = {
        let prime = Modulus::<P, K>::new();
        prime.in_lanes(prime.enter(Self::SHIFT))
    };

    /// Returns what stands for a number in lanes, of what stands for it here.
    pub(crate) const fn in_lanes(&self, number: [u64; K]) -> [u64; K] {
        self.multiply(number, Self::SHIFT)
    }
}

/// Is the body of every [`Multiply::product`].
#[inline(always)]
pub(crate) fn product<P: Montgomery, W: Words, const N: usize>(
    a: &Element<P, W, N>,
    b: &Element<P, W, N>,
) -> Element<P, W, N> {
    let (a, b) = (a.0, b.0);
    let mut sums = [a[0].splat(0).sum(); COLUMNS];
    each!(const I in 22 => {
        if const { I < N } {
            each!(const J in 22 => {
                if const { J < N } {
                    sums[I + J] = W::plus_product(sums[I + J], a[I], b[J]);
                }
            });
        }
    });
    reduce(sums)
}

/// Is the body of every [`Multiply::squared`].
#[inline(always)]
pub(crate) fn squared<P: Montgomery, W: Words, const N: usize>(
    a: &Element<P, W, N>,
) -> Element<P, W, N> {
    let a = a.0;
    let mut sums = [a[0].splat(0).sum(); COLUMNS];
    each!(const I in 22 => {
        if const { I < N } {
            each!(const J in 22 => {
                if const { I < J && J < N } {
                    sums[I + J] = W::plus_product(sums[I + J], a[I], a[J]);
                }
            });
        }
    });
    each!(const I in 22 => {
        if const { I < N } {
            if I > 0 {
                sums[2 * I - 1] = W::twice(sums[2 * I - 1]);
                if const { I + 1 < N } {
                    sums[2 * I] = W::twice(sums[2 * I]);
                }
            }
            sums[2 * I] = W::plus_product(sums[2 * I], a[I], a[I]);
        }
    });
    reduce(sums)
}

/// Returns the number that the sums of all columns of a product are, divided by R.
#[inline(always)]
fn reduce<P: Montgomery, W: Words, const N: usize>(
    mut sums: [W::Sum; COLUMNS],
) -> Element<P, W, N> {
    let bits = Layout::<P, N>::BITS as u32;
    let (proof, _) = W::part(sums[0], bits);
    let limb = proof.splat((1 << bits) - 1);
    each!(const I in 22 => {
        if const { Layout::<P, N>::start(I) != 0 } {
            sums[I] = W::plus(sums[I], proof.splat(const { Layout::<P, N>::start(I) }));
        }
    });
    each!(const I in 22 => {
        if const { I < N } {
            let (quotient, carry) = divide::<P, W, N>(sums[I], limb);
            sums[I + 1] = W::plus(sums[I + 1], carry);
            each!(const J in 22 => {
                if const { Layout::<P, N>::factor(J) > 0 } {
                    let factor = proof.splat(const { Layout::<P, N>::factor(J) as u64 });
                    sums[I + J] = W::plus_product(sums[I + J], quotient, factor);
                } else if const { Layout::<P, N>::factor(J) < 0 } {
                    let factor = proof.splat(const { -Layout::<P, N>::factor(J) as u64 });
                    sums[I + J] = W::plus_product(sums[I + J], limb.sub(quotient), factor);
                }
            });
        }
    });
    let (mut words, mut carry) = ([proof; N], proof.splat(0));
    each!(const I in 22 => {
        if const { I + 1 < N } {
            (words[I], carry) = lowest::<W>(W::plus(sums[N + I], carry), bits, limb);
        }
    });
    (words[N - 1], _) = lowest::<W>(W::plus(sums[2 * N - 1], carry), bits, limb);
    Element::of(words)
}

/// Returns how many times the prime makes the lowest limb of a sum zero, and what is then carried
/// to the next limb, but for the prime's other limbs.
#[inline(always)]
fn divide<P: Montgomery, W: Words, const N: usize>(sum: W::Sum, limb: W) -> (W, W) {
    let bits = Layout::<P, N>::BITS as u32;
    let (low, up) = lowest::<W>(sum, bits, limb);
    if const { Layout::<P, N>::FACTORS[0] == -1 } {
        return (low, up);
    }
    let inverse = limb.splat(Layout::<P, N>::INVERSE);
    let product = W::plus_product(limb.splat(0).sum(), low, inverse);
    let (quotient, _) = lowest::<W>(product, bits, limb);
    let factor = limb.splat(Layout::<P, N>::FACTORS[0] as u64);
    let (_, carry) = lowest::<W>(W::plus_product(sum, quotient, factor), bits, limb);
    (quotient, carry)
}

/// Returns the lowest limb of a sum, and what is carried to the next one.
#[inline(always)]
fn lowest<W: Words>(sum: W::Sum, bits: u32, limb: W) -> (W, W) {
    let (low, up) = W::part(sum, bits);
    if W::LOOSE { (low.and(limb), up.add(low.shift_right(bits))) } else { (low, up) }
}

impl<P: Montgomery, W: Words, const N: usize> Element<P, W, N> {
    /// Returns the sum, limb by limb, which is no factor; [`factor`](Element::factor) makes one of
    /// it.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        let mut words = self.0;
        each!(const I in 22 => {
            if const { I < N } {
                words[I] = words[I].add(other.0[I]);
            }
        });
        Element::of(words)
    }

    /// Returns a sum of at most six factors as one, with limbs as products need them.
    #[inline(always)]
    pub fn factor(&self) -> Self {
        if W::LOOSE && Layout::<P, N>::IS_FULL { exact(self.0) } else { *self }
    }

    /// Returns the difference of sums, of which `other` is at most 16 times the prime: a factor
    /// that is not larger than the highest power of the prime by much.
    #[inline(always)]
    pub fn minus(&self, other: &Self) -> Self {
        let mut words = self.0;
        each!(const I in 22 => {
            if const { I < N } {
                let multiple = words[I].splat(const { Layout::<P, N>::multiple(I) });
                words[I] = words[I].add(multiple).sub(other.0[I]);
            }
        });
        // What is above the prime's highest power counts as that power less the prime.
        let highest = Layout::<P, N>::HIGHEST as u32;
        let above = words[N - 1].shift_right(highest);
        words[N - 1] = words[N - 1].and(above.splat((1 << highest) - 1));
        each!(const I in 8 => {
            if const { Layout::<P, N>::lower_sign(I) < 0 } {
                let (at, by) = const { Layout::<P, N>::place(I) };
                words[at] = words[at].add(above.shift_left(by));
            } else if const { Layout::<P, N>::lower_sign(I) > 0 } {
                let (at, by) = const { Layout::<P, N>::place(I) };
                words[at] = words[at].sub(above.shift_left(by));
            }
        });
        if W::LOOSE && Layout::<P, N>::IS_FULL { exact(words) } else { carried(words) }
    }

    /// Returns what stands for a number of `K` words.
    #[inline(always)]
    pub fn entered<const K: usize>(words: &[W; K]) -> Self
    where
        P: Odd<K>,
        Self: Multiply,
    {
        let square = Element::splat(words[0], Modulus::<P, K>::LANES_SQUARE);
        Element::from_words(words).times(&square)
    }

    /// Returns what stands for one.
    #[inline(always)]
    pub fn one<const K: usize>(proof: W) -> Self
    where
        P: Odd<K>,
    {
        Element::splat(proof, Modulus::<P, K>::LANES_ONE)
    }

    /// Returns what stands for zero.
    #[inline(always)]
    pub fn zero(proof: W) -> Self {
        Element::of([proof.splat(0); N])
    }

    /// Returns the numbers that the lanes stand for, in `K` words each, below the prime.
    #[inline(always)]
    pub fn to_words<const K: usize>(self) -> [[u64; K]; MAX_LANES]
    where
        P: Odd<K>,
        Self: Multiply,
    {
        let one = Element::splat(self.0[0], small::<K>(1));
        // Not above the prime by much: a number below R, with fewer multiples of the prime than R,
        // and what the sums started with, divided by R.
        let reduced = |(number, above)| Modulus::<P, K>::new().reduced_from(number, above);
        self.times(&one).to_wide().map(reduced)
    }
}

/// Carries what is above each limb to the next one, one after the other.
#[inline(always)]
fn exact<P: Montgomery, W: Words, const N: usize>(mut words: [W; N]) -> Element<P, W, N> {
    let bits = Layout::<P, N>::BITS as u32;
    let limb = words[0].splat((1 << bits) - 1);
    each!(const I in 22 => {
        if I > 0 && const { I < N } {
            words[I] = words[I].add(words[I - 1].shift_right(bits));
            words[I - 1] = words[I - 1].and(limb);
        }
    });
    Element::of(words)
}

/// Carries what is above each limb to the next one, all at once.
#[inline(always)]
fn carried<P: Montgomery, W: Words, const N: usize>(mut words: [W; N]) -> Element<P, W, N> {
    let bits = Layout::<P, N>::BITS as u32;
    let limb = words[0].splat((1 << bits) - 1);
    let carries = words;
    each!(const I in 22 => {
        if const { I < N } {
            let own = if const { I + 1 < N } { words[I].and(limb) } else { words[I] };
            words[I] = if I > 0 { own.add(carries[I - 1].shift_right(bits)) } else { own };
        }
    });
    Element::of(words)
}
