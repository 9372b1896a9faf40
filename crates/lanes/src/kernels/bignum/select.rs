//! Reading a table without telling which entry was read.

use super::kernel::{ENTRIES, Radix};
use crate::vector::each;

/// The same limb of every lane.
///
/// # Safety
/// An implementor uses no instruction outside the set that its documentation names, and marks every
/// method `#[inline(always)]`. A value is proof that the CPU has the instruction set.
pub(crate) unsafe trait SelectLanes: Copy {
    /// The number of lanes.
    const LANES: usize;

    /// How numbers stand in limbs.
    const RADIX: Radix;

    /// Words of an entry that are selected together: at most 13, and no entry has fewer.
    const CHUNK: usize;

    /// Sets all lanes to one word.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn splat(word: u64) -> Self;

    /// Loads a word for each lane.
    ///
    /// # Safety
    /// - The CPU has the instruction set.
    /// - `from` is readable for `LANES` words.
    unsafe fn load(from: *const u64) -> Self;

    /// Writes the word of each lane.
    ///
    /// # Safety
    /// `to` is writable for `LANES` words.
    unsafe fn store(self, to: *mut u64);

    /// Adds, modulo 2^64.
    fn add(self, other: Self) -> Self;

    /// Returns all ones in each lane whose words are equal, and zero in the others.
    fn equal(self, other: Self) -> Self;

    /// Returns `self | mask & other`.
    fn or_masked(self, mask: Self, other: Self) -> Self;

    /// Returns `self | other << 32`.
    fn join(self, other: Self) -> Self;

    /// Returns the lower and the upper 32 bits.
    fn split(self) -> (Self, Self);
}

/// Does the work of every [`Keep`](super::kernel::Keep).
///
/// # Safety
/// - The contract of [`Keep`](super::kernel::Keep), for the lanes of `L`.
/// - The CPU has the instruction set of the lanes.
#[inline(always)]
pub(crate) unsafe fn keep<L: SelectLanes>(entry: *mut u64, number: *const u64, limbs: usize) {
    let words = L::RADIX.entry(limbs);
    for at in 0..words {
        // SAFETY: `number` is readable for `limbs` limbs of every lane and `entry` writable for
        // `words`, by the contract of `Keep`; `at` and `at + words` are below these numbers.
        unsafe {
            let limb = |at: usize| L::load(number.add(at * L::LANES));
            let pair = at + words < limbs;
            let word = if pair { limb(at).join(limb(at + words)) } else { limb(at) };
            word.store(entry.add(at * L::LANES));
        }
    }
}

/// Does the work of every [`Select`](super::kernel::Select).
///
/// # Safety
/// - The contract of [`Select`](super::kernel::Select), for the lanes of `L`.
/// - The CPU has the instruction set of the lanes.
#[inline(always)]
pub(crate) unsafe fn select<L: SelectLanes>(
    out: *mut u64,
    table: *const u64,
    indices: *const u64,
    limbs: usize,
) {
    let words = L::RADIX.entry(limbs);
    // SAFETY: `table` is readable for its entries, `indices` for a word of every lane, and `out`
    // writable for the limbs, by the contract of `Select`. The last chunk ends with the last word,
    // because no entry has fewer words than a chunk.
    unsafe {
        let (indices, one) = (L::load(indices), L::splat(1));
        for chunk in (0..words).step_by(L::CHUNK) {
            let first = chunk.min(words - L::CHUNK);
            let (mut sums, mut entry) = ([L::splat(0); 13], L::splat(0));
            for at in 0..ENTRIES {
                let mask = entry.equal(indices);
                let from = table.add((at * words + first) * L::LANES);
                each!(const I in 13 => {
                    if const { I < L::CHUNK } {
                        sums[I] = sums[I].or_masked(mask, L::load(from.add(I * L::LANES)));
                    }
                });
                entry = entry.add(one);
            }
            each!(const I in 13 => {
                if const { I < L::CHUNK } {
                    let at = first + I;
                    if words == limbs {
                        sums[I].store(out.add(at * L::LANES));
                    } else {
                        let (low, high) = sums[I].split();
                        low.store(out.add(at * L::LANES));
                        if at + words < limbs {
                            high.store(out.add((at + words) * L::LANES));
                        }
                    }
                }
            });
        }
    }
}
