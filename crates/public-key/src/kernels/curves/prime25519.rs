//! Arithmetic modulo 2^255 - 19.
//!
//! Five limbs have 51 bits each, ten have 26. What is above all limbs is multiplied by what 2 to
//! their number of bits is modulo the prime, and added at the bottom. The limbs of a result may
//! have one bit more than that, by little.

#![expect(
    clippy::absurd_extreme_comparisons,
    reason = "every number of a loop that is written out is compared, the first one too"
)]

use broadloom_lanes::inside::each;

use super::columns::MAX_LANES;
use super::element::{Element, Multiply, Prime};
use super::scalar::{Modulus, Odd};
use super::words::Words;

/// The prime 2^255 - 19.
#[derive(Clone, Copy)]
pub(crate) struct Prime25519;

impl Odd<4> for Prime25519 {
    const WORDS: [u64; 4] = [u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1];
}

/// The prime, for numbers of one lane.
pub(crate) const PRIME: Modulus<Prime25519, 4> = Modulus::new();

impl Prime for Prime25519 {
    #[inline(always)]
    fn bits(limbs: usize) -> u32 {
        if limbs == 5 { 51 } else { 26 }
    }
}

/// Returns what 2 to the number of all bits is, modulo the prime.
#[inline(always)]
fn fold(limbs: usize) -> u64 {
    // Ten limbs have 260 bits.
    if limbs == 5 { 19 } else { 19 << 5 }
}

/// A number modulo 2^255 - 19.
pub(crate) type Fe<W, const N: usize> = Element<Prime25519, W, N>;

/// Is the body of every [`Multiply::product`].
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
    reduce(&sums)
}

/// Is the body of every [`Multiply::squared`].
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
    reduce(&sums)
}

/// Returns the number that the sums of all columns of a product are.
#[inline(always)]
fn reduce<W: Words, const N: usize>(sums: &[W::Sum; 20]) -> Fe<W, N> {
    let bits = Prime25519::bits(N);
    if N == 10 {
        return reduce_ten(sums);
    }
    let (first, mut above) = W::part(sums[0], bits);
    let limb = first.splat((1 << bits) - 1);
    let factor = first.splat(fold(N));
    let mut words = [first; 20];
    each!(const I in 10 => {
        if I > 0 && const { I < N } {
            let (low, up) = W::part(sums[I], bits);
            (words[I], above) = (low.add(above), up);
        }
    });
    each!(const I in 10 => {
        if const { I + 1 < N } {
            let (low, up) = W::part(sums[N + I], bits);
            (words[N + I], above) = (low.add(above), up);
        }
    });
    words[2 * N - 1] = above;
    if W::LOOSE {
        // What is to be multiplied must be no longer than a factor may be.
        let carries = words;
        words[N] = words[N].and(limb);
        each!(const I in 10 => {
            if I > 0 && const { I < N } {
                let top = I + 1 == N;
                let word = if top { words[N + I] } else { words[N + I].and(limb) };
                words[N + I] = word.add(carries[N + I - 1].shift_right(bits));
            }
        });
    }
    let mut folded = [first.sum(); 10];
    each!(const I in 10 => {
        if const { I < N } {
            folded[I] = W::plus_product(words[I].sum(), words[N + I], factor);
        }
    });
    narrow(&folded)
}

/// Does the same for ten limbs, of which the lower columns are carried once: two chains run side by
/// side, and each goes one limb further than the other one's start.
#[inline(always)]
fn reduce_ten<W: Words, const N: usize>(sums: &[W::Sum; 20]) -> Fe<W, N> {
    let bits = Prime25519::bits(N);
    let (first, mut above) = W::part(sums[N], bits);
    let factor = first.splat(fold(N));
    let mut folded = *sums;
    folded[0] = W::plus_product(sums[0], first, factor);
    each!(const I in 10 => {
        if I > 0 && const { I + 1 < N } {
            let (low, up) = W::part(sums[N + I], bits);
            folded[I] = W::plus_product(sums[I], low.add(above), factor);
            above = up;
        }
    });
    folded[N - 1] = W::plus_product(sums[N - 1], above, factor);
    let (mut words, mut ups) = ([first; N], [first.splat(0); 2]);
    each!(i in 5 => {
        let (low, up) = W::part(W::plus(folded[i], ups[0]), bits);
        (words[i], ups[0]) = (low, up);
        let (low, up) = W::part(W::plus(folded[i + 5], ups[1]), bits);
        (words[(i + 5) % N], ups[1]) = (low, up);
    });
    let (low, up) = W::part(W::plus(words[5 % N].sum(), ups[0]), bits);
    (words[5 % N], words[6 % N]) = (low, words[6 % N].add(up));
    let (low, up) = W::part(W::plus_product(words[0].sum(), ups[1], factor), bits);
    (words[0], words[1]) = (low, words[1].add(up));
    Fe::of(words)
}

/// Returns the number that sums of as many columns as there are limbs are, each of which is less
/// than 2^14 times a limb above it.
#[inline(always)]
fn narrow<W: Words, const N: usize>(sums: &[W::Sum; 10]) -> Fe<W, N> {
    let bits = Prime25519::bits(N);
    let (first, mut above) = W::part(sums[0], bits);
    let mut words = [first; N];
    each!(const I in 10 => {
        if I > 0 && const { I < N } {
            let (low, up) = W::part(sums[I], bits);
            (words[I], above) = (low.add(above), up);
        }
    });
    if W::LOOSE {
        return carried(words, above);
    }
    words[0] = words[0].add(above.small_product(above.splat(fold(N))));
    Fe::of(words)
}

/// Carries what is above each limb to the next one, and what is above all of them, with what is
/// given, to the first.
#[inline(always)]
fn carried<W: Words, const N: usize>(mut words: [W; N], above: W) -> Fe<W, N> {
    let bits = Prime25519::bits(N);
    let limb = above.splat((1 << bits) - 1);
    let top = above.add(words[N - 1].shift_right(bits));
    let carries = words;
    words[0] = words[0].and(limb).add(top.small_product(above.splat(fold(N))));
    each!(const I in 10 => {
        if I > 0 && const { I < N } {
            words[I] = words[I].and(limb).add(carries[I - 1].shift_right(bits));
        }
    });
    Fe::of(words)
}

impl<W: Words, const N: usize> Fe<W, N> {
    pub const ZERO: [u64; 4] = [0; 4];
    pub const ONE: [u64; 4] = [1, 0, 0, 0];

    /// Returns the sum. It is a factor of a product with a difference, a product or a sum of three
    /// products, or of a square.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        let mut words = self.0;
        each!(const I in 10 => {
            if const { I < N } {
                words[I] = words[I].add(other.0[I]);
            }
        });
        // There is room for sums of products of 32 bits, and in integers.
        if W::LOOSE { carried(words, self.0[0].splat(0)) } else { Fe::of(words) }
    }

    /// Returns the difference, which is a factor as a product is.
    #[inline(always)]
    pub fn minus(&self, other: &Self) -> Self {
        // A multiple of the prime with limbs that are not below those of any sum.
        let bits = Prime25519::bits(N);
        let high = self.0[0].splat((1 << (bits + 2)) - 4);
        let first = self.0[0].splat((1 << (bits + 2)) - 4 * fold(N));
        let mut words = self.0;
        each!(const I in 10 => {
            if const { I < N } {
                words[I] = words[I].add(if I == 0 { first } else { high }).sub(other.0[I]);
            }
        });
        carried(words, self.0[0].splat(0))
    }

    /// Returns the product with a number below 2^24.
    #[inline(always)]
    pub fn scaled(&self, factor: u64) -> Self {
        let factor = self.0[0].splat(factor);
        let zero = factor.splat(0);
        let mut sums = [zero.sum(); 10];
        each!(const I in 10 => {
            if const { I < N } {
                sums[I] = W::plus_product(sums[I], self.0[I], factor);
            }
        });
        let narrowed: Self = narrow(&sums);
        carried(narrowed.0, zero)
    }

    /// Returns the numbers of all lanes, in four words each, below the prime.
    pub fn to_words(self) -> [[u64; 4]; MAX_LANES] {
        self.to_wide().map(|([mut n0, mut n1, mut n2, mut n3], n4)| {
            // Twice, as the first time there may be a carry.
            let mut top = n4 << 1 | n3 >> 63;
            for _ in 0..2 {
                n3 &= u64::MAX >> 1;
                let mut carry = u128::from(top) * 19;
                for word in [&mut n0, &mut n1, &mut n2, &mut n3] {
                    carry += u128::from(*word);
                    *word = carry as u64;
                    carry >>= 64;
                }
                top = n3 >> 63;
            }
            PRIME.reduced([n0, n1, n2, n3])
        })
    }
}

impl<W: Words, const N: usize> Fe<W, N>
where
    Self: Multiply,
{
    /// Returns the number to the power 2^250 - 1, and to the power 11.
    #[inline(always)]
    fn powers(&self) -> (Self, Self) {
        let two = self.square();
        let nine = two.square_times(2).times(self);
        let eleven = nine.times(&two);
        let ones5 = eleven.square().times(&nine);
        let ones10 = ones5.square_times(5).times(&ones5);
        let ones20 = ones10.square_times(10).times(&ones10);
        let ones40 = ones20.square_times(20).times(&ones20);
        let ones50 = ones40.square_times(10).times(&ones10);
        let ones100 = ones50.square_times(50).times(&ones50);
        let ones200 = ones100.square_times(100).times(&ones100);
        (ones200.square_times(50).times(&ones50), eleven)
    }

    /// Returns the inverse; of zero, zero. By Fermat's theorem.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        let (ones250, eleven) = self.powers();
        ones250.square_times(5).times(&eleven)
    }

    /// Returns the number to the power (p - 5)/8, which square roots are made with.
    #[inline(always)]
    pub fn root_power(&self) -> Self {
        let (ones250, _) = self.powers();
        ones250.square_times(2).times(self)
    }
}
