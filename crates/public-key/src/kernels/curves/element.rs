//! Numbers modulo a prime, one of each lane, in limbs.

use core::marker::PhantomData;

use broadloom_lanes::inside::each;

use super::columns::{Columns, MAX_LANES};
use super::words::Words;

/// A prime, and the way in which numbers modulo it are multiplied.
pub trait Prime: Copy + 'static {
    /// Returns the bits of each limb if there are `limbs` of them.
    fn bits(limbs: usize) -> u32;
}

/// The most limbs that a number has.
pub(crate) const MAX_LIMBS: usize = 22;

/// A number modulo a prime, of every lane, in `N` limbs, about twice as many if the factors of
/// products have 32 bits. Limbs may be somewhat longer than they need be.
#[derive(Clone, Copy)]
pub(crate) struct Element<P, W, const N: usize>(pub [W; N], PhantomData<P>);

/// The products of an instruction set: those of the prime, compiled once.
///
/// # Safety
/// An implementor uses no other instructions than its words.
pub(crate) unsafe trait Multiply: Copy {
    /// Returns the product.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn product(a: &Self, b: &Self) -> Self;

    /// Returns the square.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn squared(a: &Self) -> Self;
}

impl<P: Prime, W: Words, const N: usize> Element<P, W, N> {
    #[inline(always)]
    pub fn of(limbs: [W; N]) -> Self {
        Element(limbs, PhantomData)
    }

    /// Makes the number of `K` words in each lane, the lowest first. The number has no more bits
    /// than all limbs together.
    #[inline(always)]
    pub fn from_words<const K: usize>(words: &[W; K]) -> Self {
        let bits = P::bits(N) as usize;
        let limb = words[0].splat((1 << bits) - 1);
        let mut limbs = [words[0]; N];
        each!(const I in 22 => {
            if const { I < N } {
                let (at, shift) = (bits * I / 64, (bits * I % 64) as u32);
                let low = words[at].shift_right(shift);
                let both = match at + 1 < K && shift as usize + bits > 64 {
                    true => low.or(words[(at + 1) % K].shift_left(64 - shift)),
                    false => low,
                };
                limbs[I] = both.and(limb);
            }
        });
        Element::of(limbs)
    }

    /// Makes the same number in all lanes.
    #[inline(always)]
    pub fn splat<const K: usize>(proof: W, words: [u64; K]) -> Self {
        let mut all = [proof; K];
        each!(const I in 22 => {
            if const { I < K } {
                all[I] = proof.splat(words[I]);
            }
        });
        Element::from_words(&all)
    }

    /// Loads the numbers of all lanes from columns.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    pub unsafe fn load(columns: &Columns<4>) -> Self {
        // SAFETY: the CPU has the instruction set, by this function's contract; a column has
        // MAX_LANES words, at least as many as there are lanes.
        let words = unsafe { each!(i in 4 => W::load(columns.0[i].as_ptr())) };
        Element::from_words(&words)
    }

    /// Returns `self` in lanes where the mask is zero, and `other` where it is all ones.
    #[inline(always)]
    pub fn replaced(&self, mask: W, other: &Self) -> Self {
        let mut limbs = self.0;
        each!(const I in 22 => {
            if const { I < N } {
                limbs[I] = mask.select(other.0[I], self.0[I]);
            }
        });
        Element::of(limbs)
    }

    /// Returns the number of each lane, as the sum of its limbs: `K` words, the lowest first, and
    /// the word above them.
    pub fn to_wide<const K: usize>(self) -> [([u64; K], u64); MAX_LANES] {
        let mut limbs = [[0; MAX_LANES]; N];
        for (limb, words) in self.0.iter().zip(&mut limbs) {
            // SAFETY: a row has MAX_LANES words, at least as many as there are lanes.
            unsafe { limb.store(words.as_mut_ptr()) };
        }
        let bits = P::bits(N) as usize;
        core::array::from_fn(|lane| {
            let (mut number, mut above) = ([0_u64; K], 0);
            for (i, limb) in limbs.iter().enumerate() {
                let mut carry = u128::from(limb[lane]) << (bits * i % 64);
                for word in &mut number[bits * i / 64..] {
                    carry += u128::from(*word);
                    *word = carry as u64;
                    carry >>= 64;
                }
                above += carry as u64;
            }
            (number, above)
        })
    }
}

impl<P: Prime, W: Words, const N: usize> Element<P, W, N>
where
    Self: Multiply,
{
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        // SAFETY: a value of `W` is proof that the CPU has its instruction set.
        unsafe { Self::product(self, other) }
    }

    #[inline(always)]
    pub fn square(&self) -> Self {
        // SAFETY: a value of `W` is proof that the CPU has its instruction set.
        unsafe { Self::squared(self) }
    }

    /// Returns the number, squared `times` times.
    #[inline(always)]
    pub fn square_times(&self, times: usize) -> Self {
        (0..times).fold(*self, |number, _| number.square())
    }
}
