//! Several blocks of one text at once, on vectors of 64-bit words.
//!
//! Every lane takes each so-manieth block and multiplies its sum by that power of the key; at the end, by
//! powers that differ from lane to lane as the places of their last blocks do, and then all are added up.
//! Numbers are five limbs of 26 bits, of which products are sums of products of 32 bits.

use core::marker::PhantomData;

use super::{BLOCK, Number, Wide, times};
use crate::vector::{Vector, each};

/// Vectors of 64-bit words that multiply.
///
/// # Safety
/// As [`Vector`].
pub(in crate::chacha) unsafe trait Products: Vector<Word = u64> {
    /// From so many blocks on vectors pay.
    const WORTH: usize;

    /// In which lane each of consecutive blocks is, as [`blocks`](Products::blocks) puts them.
    const ORDER: [usize; MAX_LANES];

    /// The products of the lower halves.
    fn product(self, other: Self) -> Self;

    /// Shifts each lane left by `N` bits, zeros coming in.
    fn shift_left<const N: i32>(self) -> Self;

    /// The lower and the upper words of consecutive blocks.
    ///
    /// # Safety
    /// The CPU must have this vector's instruction set, and a block for each lane be readable.
    unsafe fn blocks(from: *const u8) -> [Self; 2];
}

/// The most lanes that there are.
pub(in crate::chacha) const MAX_LANES: usize = 8;

/// Vectors of `V`.
pub(in crate::chacha) struct Limbs<V>(PhantomData<V>);

/// Bits of a limb.
const LIMB: u64 = (1 << 26) - 1;

// SAFETY: V's instructions only.
unsafe impl<V: Products> Wide for Limbs<V> {
    const WORTH: usize = V::WORTH;

    #[inline(always)]
    unsafe fn absorb(sum: &mut Number, r: [u64; 2], from: *const u8, blocks: usize) -> usize {
        let steps = blocks / V::LANES;
        let mut power = (u128::from(r[0]) | u128::from(r[1]) << 64, 0);
        // By limb: of every lane, the power that it ends with, and what was absorbed before.
        let mut last = [[0; MAX_LANES]; 5];
        let mut before = [[0; MAX_LANES]; 5];
        for block in (0..V::LANES).rev() {
            let lane = V::ORDER[block];
            let limbs = split(power);
            each!(i in 5 => last[i][lane] = limbs[i]);
            if block > 0 {
                power = times(power, r);
            }
        }
        let limbs = split(*sum);
        each!(i in 5 => before[i][V::ORDER[0]] = limbs[i]);
        let power = split(power);
        // SAFETY: the caller's; there are as many words as lanes, and steps times lanes blocks.
        unsafe {
            let mut sums = each!(i in 5 => V::load(before[i].as_ptr()));
            let one = Factor::new(each!(i in 5 => V::splat(power[i])));
            let two = Factor::new(carried(one.products(one.limbs)));
            let mut at = from;
            // Two steps at once wait for each other half as often.
            for _ in 0..(steps - 1) / 2 {
                let first = two.products(plus_blocks(sums, at));
                at = at.add(BLOCK * V::LANES);
                let second = one.products(plus_blocks(each!(_i in 5 => V::splat(0)), at));
                at = at.add(BLOCK * V::LANES);
                sums = carried(each!(i in 5 => first[i].add(second[i])));
            }
            if steps.is_multiple_of(2) {
                sums = carried(one.products(plus_blocks(sums, at)));
                at = at.add(BLOCK * V::LANES);
            }
            let products =
                Factor::new(each!(i in 5 => V::load(last[i].as_ptr()))).products(plus_blocks(sums, at));
            let mut total = [[0; MAX_LANES]; 5];
            each!(i in 5 => products[i].store(total[i].as_mut_ptr()));
            *sum = join(total.map(|lanes| lanes.iter().sum()));
        }
        steps * V::LANES
    }
}

/// What numbers are multiplied with: its limbs, and five times those.
struct Factor<V> {
    limbs: [V; 5],
    fives: [V; 5],
}

impl<V: Products> Factor<V> {
    #[inline(always)]
    fn new(limbs: [V; 5]) -> Self {
        Factor { limbs, fives: each!(i in 5 => limbs[i].shift_left::<2>().add(limbs[i])) }
    }

    /// The product, its limbs not carried yet.
    #[inline(always)]
    fn products(&self, x: [V; 5]) -> [V; 5] {
        each!(i in 5 => {
            let low = x[0].product(self.factor(i, 0)).add(x[1].product(self.factor(i, 1)));
            let high = x[2].product(self.factor(i, 2)).add(x[3].product(self.factor(i, 3)));
            low.add(high).add(x[4].product(self.factor(i, 4)))
        })
    }

    /// What a limb is multiplied with for a limb of the product: 2^130 is 5.
    #[inline(always)]
    fn factor(&self, product: usize, limb: usize) -> V {
        if limb <= product { self.limbs[product - limb] } else { self.fives[5 + product - limb] }
    }
}

/// A number of hardly more than 26 bits in each limb, of one of up to 62.
///
/// # Safety
/// The CPU must have V's instruction set.
#[inline(always)]
unsafe fn carried<V: Products>([d0, d1, d2, d3, d4]: [V; 5]) -> [V; 5] {
    // SAFETY: the caller's.
    let limb = unsafe { V::splat(LIMB) };
    let (d0, d1) = carry(d0, d1, limb);
    let (d3, d4) = carry(d3, d4, limb);
    let over = d4.shift_right::<26>();
    let (d0, d4) = (d0.add(over).add(over.shift_left::<2>()), d4.and(limb));
    let (d1, d2) = carry(d1, d2, limb);
    let (d2, d3) = carry(d2, d3, limb);
    let (d0, d1) = carry(d0, d1, limb);
    let (d3, d4) = carry(d3, d4, limb);
    [d0, d1, d2, d3, d4]
}

/// A limb, and the next one with what is above 26 bits.
#[inline(always)]
fn carry<V: Products>(from: V, to: V, limb: V) -> (V, V) {
    (from.and(limb), to.add(from.shift_right::<26>()))
}

/// Sums, and a block added to each.
///
/// # Safety
/// The CPU must have V's instruction set, and a block for each lane be readable.
#[inline(always)]
unsafe fn plus_blocks<V: Products>(sums: [V; 5], from: *const u8) -> [V; 5] {
    // SAFETY: the caller's.
    unsafe {
        let [low, high] = V::blocks(from);
        let limb = V::splat(LIMB);
        let middle = low.shift_right::<52>().or(high.shift_left::<12>());
        // The bit above the block is bit 24 of the last limb.
        let last = high.shift_right::<40>().or(V::splat(1 << 24));
        [
            sums[0].add(low.and(limb)),
            sums[1].add(low.shift_right::<26>().and(limb)),
            sums[2].add(middle.and(limb)),
            sums[3].add(high.shift_right::<14>().and(limb)),
            sums[4].add(last),
        ]
    }
}

/// The limbs of a number; the last one may have 27 bits.
#[inline(always)]
fn split((low, high): Number) -> [u64; 5] {
    let limb = |i: u32| (low >> (26 * i)) as u64 & LIMB;
    // 24 bits are left for the last one.
    [limb(0), limb(1), limb(2), limb(3), limb(4) + (high << 24)]
}

/// The number of limbs that have not been carried, of up to 63 bits.
#[inline(always)]
fn join([d0, d1, d2, d3, d4]: [u64; 5]) -> Number {
    let carry = |from: u64, to: u64| (from & LIMB, to + (from >> 26));
    let (d0, d1) = carry(d0, d1);
    let (d1, d2) = carry(d1, d2);
    let (d2, d3) = carry(d2, d3);
    let (d3, d4) = carry(d3, d4);
    let d0 = u128::from(d0) + 5 * u128::from(d4 >> 26);
    let low = [d1, d2, d3].iter().rev().fold(0, |low, limb| (low | u128::from(*limb)) << 26) + d0;
    let (low, carry) = low.overflowing_add(u128::from(d4 & LIMB) << 104);
    (low, ((d4 & LIMB) >> 24) + u64::from(carry))
}
