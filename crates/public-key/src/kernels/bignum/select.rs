//! Reading a table without telling which entry was read.

use broadloom_lanes::inside::each;

use super::kernel::{ENTRIES, Radix};

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

    /// `true` if there are registers for the chunks of two entries, so that a table is read once
    /// for both.
    const BOTH: bool;

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
    [out, other]: [*mut u64; 2],
    table: *const u64,
    [indices, others]: [*const u64; 2],
    limbs: usize,
) {
    // SAFETY: the pointers are valid as `Select` documents, which is all that `scan` asks for.
    unsafe {
        if L::BOTH {
            scan::<L, 2>([out, other], table, [indices, others], limbs);
        } else {
            scan::<L, 1>([out], table, [indices], limbs);
            scan::<L, 1>([other], table, [others], limbs);
        }
    }
}

/// Reads the table once, and writes one or two entries of each lane.
///
/// # Safety
/// The conditions of [`select`], for so many entries.
#[inline(always)]
unsafe fn scan<L: SelectLanes, const ENTRY: usize>(
    outs: [*mut u64; ENTRY],
    table: *const u64,
    indices: [*const u64; ENTRY],
    limbs: usize,
) {
    let words = L::RADIX.entry(limbs);
    // SAFETY: `table` is readable for its entries, `indices` for a word of every lane, and `outs`
    // writable for the limbs, by the contract of `Select`. The last chunk ends with the last word,
    // because no entry has fewer words than a chunk.
    unsafe {
        let one = L::splat(1);
        for chunk in (0..words).step_by(L::CHUNK) {
            let first = chunk.min(words - L::CHUNK);
            let (mut sums, mut entry) = ([[L::splat(0); 13]; ENTRY], L::splat(0));
            for at in 0..ENTRIES {
                let mut masks = [entry; ENTRY];
                each!(const J in 2 => {
                    if const { J < ENTRY } {
                        masks[J] = entry.equal(L::load(indices[J]));
                    }
                });
                let from = table.add((at * words + first) * L::LANES);
                each!(const I in 13 => {
                    if const { I < L::CHUNK } {
                        let word = L::load(from.add(I * L::LANES));
                        each!(const J in 2 => {
                            if const { J < ENTRY } {
                                sums[J][I] = sums[J][I].or_masked(masks[J], word);
                            }
                        });
                    }
                });
                entry = entry.add(one);
            }
            each!(const J in 2 => {
                if const { J < ENTRY } {
                    write(&sums[J], outs[J], (first, words), limbs);
                }
            });
        }
    }
}

/// Writes the words of an entry, from the word `first` on, to a number.
///
/// # Safety
/// - The CPU has the instruction set of the lanes.
/// - `out` is writable for the limbs of every lane, and an entry has the words.
#[inline(always)]
unsafe fn write<L: SelectLanes>(
    sums: &[L; 13],
    out: *mut u64,
    (first, words): (usize, usize),
    limbs: usize,
) {
    // SAFETY: the words are below those of an entry, so that their limbs are limbs of the number,
    // for which `out` is writable, by this function's contract.
    unsafe {
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
