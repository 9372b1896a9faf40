//! Arithmetic modulo the prime of P-256 (SP 800-186, 3.2.1.3): 2^256 - 2^224 + 2^192 + 2^96 - 1.
//!
//! Five limbs have 52 bits each, ten have 26: 260 bits in all, and R is 2^260. A number stands for
//! its quotient by R (Montgomery), so that the lowest limb of a sum is the next quotient: the prime
//! is -1 modulo any limb. The other limbs of the prime plus one are zeros and powers of two, but
//! for the highest.
//!
//! A *factor* is below 2^256 times 8, with limbs that are exact where products take no more than
//! 52 bits, and below 2^32 else. Two factors may be multiplied if their values are at most 16 times
//! the square of the prime: the product is then below twice the prime.

#![expect(
    clippy::absurd_extreme_comparisons,
    reason = "every number of a loop that is written out is compared, the first one too"
)]

use super::element::{Element, Multiply, Prime};
use super::kernel::MAX_LANES;
use super::scalar::{Modulus, Number};
use super::words::Words;
use crate::vector::each;

/// The prime of P-256.
#[derive(Clone, Copy)]
pub(crate) struct Prime256;

/// The prime, for numbers of one lane.
pub(crate) const PRIME: Modulus<{ u64::MAX }, { u64::MAX >> 32 }, 0, 0xffff_ffff_0000_0001> =
    Modulus::new();

/// What stands for 16 modulo [`PRIME`], whose R is 2^256.
const SIXTEEN: Number = PRIME.enter([16, 0, 0, 0]);

/// What stands for a number in lanes, of what stands for it modulo [`PRIME`].
pub(crate) const fn in_lanes(number: Number) -> Number {
    PRIME.multiply(number, SIXTEEN)
}

impl Prime for Prime256 {
    #[inline(always)]
    fn bits(limbs: usize) -> u32 {
        if limbs == 5 { 52 } else { 26 }
    }
}

/// The limb of the prime plus one at a place.
#[inline(always)]
const fn plus_one(limbs: usize, at: usize) -> u64 {
    match (limbs, at) {
        (5, 1) => 1 << 44,
        (5, 3) => 1 << 36,
        (5, 4) => (1 << 48) - (1 << 16),
        (10, 3) => 1 << 18,
        (10, 7) => 1 << 10,
        (10, 8) => (1 << 26) - (1 << 16),
        (10, 9) => (1 << 22) - 1,
        _ => 0,
    }
}

/// A limb of 32 times the prime, whose value is distributed so that no limb is below one of a
/// number of at most 16 times the prime whose limbs have at most four bits too many.
#[inline(always)]
const fn multiple(limbs: usize, at: usize) -> u64 {
    let bits = if limbs == 5 { 52 } else { 26 };
    // Each limb but the highest is lent 32 of the next one; the lowest is 32 less than it is here.
    let lent = if at + 1 == limbs { 0 } else { 32 << bits };
    32 * plus_one(limbs, at) + lent - 32
}

/// A number modulo the prime.
pub(crate) type Fe<W, const N: usize> = Element<Prime256, W, N>;

/// The body of every [`Multiply::product`].
#[inline(always)]
pub(crate) fn product<W: Words, const N: usize>(a: &Fe<W, N>, b: &Fe<W, N>) -> Fe<W, N> {
    let (a, b) = (a.0, b.0);
    let mut sums = [a[0].splat(0).sum(); 20];
    each!(const I in 10 => {
        if const { I < N } {
            each!(const J in 10 => {
                if const { J < N } {
                    sums[I + J] = W::plus_product(sums[I + J], a[I], b[J]);
                }
            });
        }
    });
    reduce(sums)
}

/// The body of every [`Multiply::squared`].
#[inline(always)]
pub(crate) fn squared<W: Words, const N: usize>(a: &Fe<W, N>) -> Fe<W, N> {
    let a = a.0;
    let mut sums = [a[0].splat(0).sum(); 20];
    each!(const I in 10 => {
        if const { I < N } {
            each!(const J in 10 => {
                if I < J && const { J < N } {
                    sums[I + J] = W::plus_product(sums[I + J], a[I], a[J]);
                }
            });
        }
    });
    each!(const I in 10 => {
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

/// The number that the sums of all columns of a product are, divided by R.
#[inline(always)]
fn reduce<W: Words, const N: usize>(mut sums: [W::Sum; 20]) -> Fe<W, N> {
    let bits = Prime256::bits(N);
    let (proof, _) = W::part(sums[0], bits);
    let limb = proof.splat((1 << bits) - 1);
    each!(const I in 10 => {
        if const { I < N } {
            let (quotient, carry) = lowest::<W>(sums[I], bits, limb);
            // The quotient times the prime plus one, less the quotient.
            sums[I + 1] = W::plus(sums[I + 1], carry);
            each!(const J in 10 => {
                if const { plus_one(N, J) != 0 } {
                    let factor = proof.splat(plus_one(N, J));
                    sums[I + J] = W::plus_product(sums[I + J], quotient, factor);
                }
            });
        }
    });
    let (mut words, mut carry) = ([proof; N], proof.splat(0));
    each!(const I in 10 => {
        if const { I + 1 < N } {
            (words[I], carry) = lowest::<W>(W::plus(sums[N + I], carry), bits, limb);
        }
    });
    (words[N - 1], _) = lowest::<W>(W::plus(sums[2 * N - 1], carry), bits, limb);
    Fe::of(words)
}

/// The lowest limb of a sum, and what is carried to the next one.
#[inline(always)]
fn lowest<W: Words>(sum: W::Sum, bits: u32, limb: W) -> (W, W) {
    let (low, up) = W::part(sum, bits);
    if W::LOOSE { (low.and(limb), up.add(low.shift_right(bits))) } else { (low, up) }
}

impl<W: Words, const N: usize> Fe<W, N> {
    /// The sum, limb by limb, which is no factor; [`factor`](Fe::factor) makes one of it.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        let mut words = self.0;
        each!(const I in 10 => {
            if const { I < N } {
                words[I] = words[I].add(other.0[I]);
            }
        });
        Fe::of(words)
    }

    /// A sum of at most eight factors as one, with limbs as products need them.
    #[inline(always)]
    pub fn factor(&self) -> Self {
        if W::LOOSE { exact(self.0) } else { *self }
    }

    /// The difference of sums, of which `other` is at most 16 times the prime: a factor that is
    /// not larger than 2^256 by much.
    #[inline(always)]
    pub fn minus(&self, other: &Self) -> Self {
        let mut words = self.0;
        each!(const I in 10 => {
            if const { I < N } {
                let multiple = words[I].splat(multiple(N, I));
                words[I] = words[I].add(multiple).sub(other.0[I]);
            }
        });
        // What is above 2^256 counts as 2^224 - 2^192 - 2^96 + 1.
        let bits = Prime256::bits(N);
        let highest = 256 - bits * (N as u32 - 1);
        let above = words[N - 1].shift_right(highest);
        let place = |power: u32| ((power / bits) as usize % N, power % bits);
        words[N - 1] = words[N - 1].and(above.splat((1 << highest) - 1));
        let ([at96, at192, at224], first) = ([place(96), place(192), place(224)], words[0]);
        words[0] = first.add(above);
        words[at96.0] = words[at96.0].sub(above.shift_left(at96.1));
        words[at192.0] = words[at192.0].sub(above.shift_left(at192.1));
        words[at224.0] = words[at224.0].add(above.shift_left(at224.1));
        if W::LOOSE { exact(words) } else { carried(words) }
    }

    /// What stands for a number of four words below 2^256.
    #[inline(always)]
    pub fn entered(words: &[W; 4]) -> Self
    where
        Self: Multiply,
    {
        const SQUARE: Number = in_lanes(PRIME.enter(SIXTEEN));
        Fe::from_words(words).times(&Fe::splat(words[0], SQUARE))
    }

    /// What stands for one.
    #[inline(always)]
    pub fn one(proof: W) -> Self {
        const ONE: Number = in_lanes(PRIME.one());
        Fe::splat(proof, ONE)
    }

    /// The numbers that the lanes stand for, in four words each, below the prime.
    #[inline(always)]
    pub fn to_words(self) -> [Number; MAX_LANES]
    where
        Self: Multiply,
    {
        let one = Fe::splat(self.0[0], [1, 0, 0, 0]);
        // At most the prime: a number below R, with fewer multiples of the prime than R, divided
        // by R.
        self.times(&one).to_wide().map(|[n0, n1, n2, n3, _]| PRIME.reduced([n0, n1, n2, n3]))
    }
}

/// Carries what is above each limb to the next one, one after the other.
#[inline(always)]
fn exact<W: Words, const N: usize>(mut words: [W; N]) -> Fe<W, N> {
    let bits = Prime256::bits(N);
    let limb = words[0].splat((1 << bits) - 1);
    each!(const I in 10 => {
        if I > 0 && const { I < N } {
            words[I] = words[I].add(words[I - 1].shift_right(bits));
            words[I - 1] = words[I - 1].and(limb);
        }
    });
    Fe::of(words)
}

/// Carries what is above each limb to the next one, all at once.
#[inline(always)]
fn carried<W: Words, const N: usize>(mut words: [W; N]) -> Fe<W, N> {
    let bits = Prime256::bits(N);
    let limb = words[0].splat((1 << bits) - 1);
    let carries = words;
    each!(const I in 10 => {
        if const { I < N } {
            let own = if const { I + 1 < N } { words[I].and(limb) } else { words[I] };
            words[I] = if I > 0 { own.add(carries[I - 1].shift_right(bits)) } else { own };
        }
    });
    Fe::of(words)
}
