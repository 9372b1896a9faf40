//! DES and triple DES on bitsliced blocks (FIPS 46-3, SP 800-67), over the registers of an
//! instruction set.
//!
//! Permutations are wiring: they only rename registers. The rest of a round is the addition of the
//! key and the S-boxes.
//!
//! The slices of a key are its 28 bits of C and its 28 bits of D, each twice in a row. So a
//! rotation of the key schedule is an offset, and everything else about round keys is constant.

use super::sboxes::substitute;
use crate::bits::{Bits, transpose};
use crate::vector::each;

/// Registers of one key's slices: C twice, D twice.
pub(crate) const SLICES: usize = 4 * HALF;

/// Bits of C and of D.
const HALF: usize = 28;

/// How far C and D are rotated to the left in each round, from the start.
const ROTATIONS: [usize; 16] = [1, 2, 4, 6, 8, 10, 12, 14, 15, 17, 19, 21, 23, 25, 27, 28];

/// The permutation IP, by the standard's numbers.
const INITIAL: [u8; 64] = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        // Rows of the standard's table begin at 58, 60, 62, 64, 57, 59, 61, 63 and go down by 8.
        let row = i / 8;
        let first = if row < 4 { 58 + 2 * row } else { 49 + 2 * row };
        places[i] = (first - 8 * (i % 8)) as u8;
        i += 1;
    }
    places
};

/// The permutation P, by the standard's numbers.
const PERMUTATION: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19,
    13, 30, 6, 22, 11, 4, 25,
];

/// Where P takes each bit, from 0.
const DESTINATION: [usize; 32] = {
    let mut places = [0; 32];
    let mut i = 0;
    while i < 32 {
        places[PERMUTATION[i] as usize - 1] = i;
        i += 1;
    }
    places
};

/// Permuted choice 1, by the standard's numbers: bits of the key in C, then in D.
const CHOICE_1: [u8; 2 * HALF] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60,
    52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29,
    21, 13, 5, 28, 20, 12, 4,
];

/// Permuted choice 2, by the standard's numbers.
const CHOICE_2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52,
    31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

/// Returns the register, after transposition of eight bytes in memory order, of a bit by the
/// standard's number: the standard counts from 1 and from the most significant bit of the first
/// byte.
const fn register(number: u8) -> usize {
    let place = number as usize - 1;
    8 * (place / 8) + 7 - place % 8
}

/// Slices 64-bit keys, one of each lane, which lie side by side.
///
/// # Safety
/// - The CPU has the instruction set of `B`.
/// - `words` is readable for `LANES` words.
/// - `slices` is writable for [`SLICES`] registers.
#[inline(always)]
pub(crate) unsafe fn slice_keys<B: Bits>(words: *const u64, slices: *mut u64) {
    // SAFETY: `words` and `slices` are valid and the CPU has the instruction set, by this
    // function's contract; slices below twice `HALF`, and their second places, are among the SLICES
    // registers.
    unsafe {
        let rows = transposed::<B>(words);
        for i in 0..HALF {
            put_slice(slices, i, rows[register(CHOICE_1[i])]);
            put_slice(slices, 2 * HALF + i, rows[register(CHOICE_1[HALF + i])]);
        }
    }
}

/// Slices one key for all lanes.
///
/// # Safety
/// The conditions of [`slice_keys`], without `words`.
#[inline(always)]
pub(crate) unsafe fn slice_key<B: Bits>(word: u64, slices: *mut u64) {
    let all = |number| 0u64.wrapping_sub(word >> register(number) & 1);
    // SAFETY: `slices` is writable and the CPU has the instruction set, by this function's
    // contract.
    unsafe {
        for i in 0..HALF {
            put_slice(slices, i, B::splat(all(CHOICE_1[i])));
            put_slice(slices, 2 * HALF + i, B::splat(all(CHOICE_1[HALF + i])));
        }
    }
}

/// Writes a slice to both its places.
///
/// # Safety
/// The conditions of [`slice_keys`] for `slices`; `at + HALF` is below [`SLICES`].
#[inline(always)]
unsafe fn put_slice<B: Bits>(slices: *mut u64, at: usize, slice: B) {
    // SAFETY: both places are among the registers that `slices` is writable for, by this function's
    // contract.
    unsafe {
        slice.store(slices.add(at * B::LANES / 64));
        slice.store(slices.add((at + HALF) * B::LANES / 64));
    }
}

/// Ciphers the blocks of all lanes, which lie side by side. One pass is DES, three are triple DES.
/// `slices` has the slices of the passes' keys, one after the other. Every other pass goes in the
/// other direction.
///
/// # Safety
/// - The CPU has the instruction set of `B`.
/// - `blocks` is readable and writable for `LANES` words.
/// - `slices` is readable for [`SLICES`] registers a pass.
#[inline(always)]
pub(crate) unsafe fn cipher<B: Bits>(
    slices: *const u64,
    passes: usize,
    decrypt: bool,
    blocks: *mut u64,
) {
    // SAFETY: `blocks` and `slices` are valid and the CPU has the instruction set, by this
    // function's contract. The halves have 32 registers each, and rotations stay within C and D,
    // each of which is there twice.
    unsafe {
        let mut rows = transposed::<B>(blocks);
        let mut halves = [[rows[0]; 32]; 2];
        for i in 0..32 {
            halves[0][i] = rows[register(INITIAL[i])];
            halves[1][i] = rows[register(INITIAL[32 + i])];
        }
        let [mut left, mut right] = halves.each_mut().map(|half| half.as_mut_ptr());
        for pass in 0..passes {
            let reverse = decrypt ^ (pass % 2 == 1);
            let key = slices.add(pass * SLICES * (B::LANES / 64));
            for round in (0..16).step_by(2) {
                let key = |round| {
                    let rotation = ROTATIONS[if reverse { 15 - round } else { round }];
                    key.add(rotation * (B::LANES / 64))
                };
                even_round(left, right, key(round));
                odd_round(right, left, key(round + 1));
            }
            // The last round of DES does not exchange the halves. Between passes, IP undoes its
            // inverse.
            core::mem::swap(&mut left, &mut right);
        }
        for i in 0..32 {
            rows[register(INITIAL[i])] = left.add(i).read();
            rows[register(INITIAL[32 + i])] = right.add(i).read();
        }
        transpose(&mut rows);
        for (i, row) in rows.iter().enumerate() {
            row.store(blocks.add(i * (B::LANES / 64)));
        }
    }
}

/// Loads the words of all lanes, transposed.
///
/// # Safety
/// - The CPU has the instruction set of `B`.
/// - `words` is readable for `LANES` words.
#[inline(always)]
unsafe fn transposed<B: Bits>(words: *const u64) -> [B; 64] {
    // SAFETY: `words` is readable for `LANES` words, which are 64 registers, and the CPU has the
    // instruction set, by this function's contract.
    unsafe {
        let mut rows = [B::load(words); 64];
        for (i, row) in rows.iter_mut().enumerate().skip(1) {
            *row = B::load(words.add(i * (B::LANES / 64)));
        }
        transpose(&mut rows);
        rows
    }
}

/// Adds the result of the round function for the right half and a key to the left half.
///
/// An S-box needs the outputs of six others in the round before. The two orders, one for every
/// other round, leave at least two boxes between each box and the last of those six; no two orders
/// leave more.
///
/// # Safety
/// - `left` and `right` have 32 registers each.
/// - `key` has the slices of C and D from those of this round on.
#[inline(always)]
unsafe fn even_round<B: Bits>(left: *mut B, right: *const B, key: *const u64) {
    // SAFETY: the halves and the key are as this function's contract says.
    unsafe {
        through_box::<B, 4>(left, right, key);
        through_box::<B, 6>(left, right, key);
        through_box::<B, 7>(left, right, key);
        through_box::<B, 0>(left, right, key);
        through_box::<B, 2>(left, right, key);
        through_box::<B, 1>(left, right, key);
        through_box::<B, 3>(left, right, key);
        through_box::<B, 5>(left, right, key);
    }
}

/// Does the same in the other order.
///
/// # Safety
/// The conditions of [`even_round`].
#[inline(always)]
unsafe fn odd_round<B: Bits>(left: *mut B, right: *const B, key: *const u64) {
    // SAFETY: the halves and the key are as this function's contract says.
    unsafe {
        through_box::<B, 3>(left, right, key);
        through_box::<B, 5>(left, right, key);
        through_box::<B, 7>(left, right, key);
        through_box::<B, 1>(left, right, key);
        through_box::<B, 0>(left, right, key);
        through_box::<B, 2>(left, right, key);
        through_box::<B, 4>(left, right, key);
        through_box::<B, 6>(left, right, key);
    }
}

/// Takes one S-box's part: six bits of E and of the round key, and the four places that P gives the
/// output.
///
/// # Safety
/// The conditions of [`even_round`].
#[inline(always)]
unsafe fn through_box<B: Bits, const BOX: usize>(left: *mut B, right: *const B, key: *const u64) {
    // SAFETY: the halves and the key are as this function's contract says, and every index is
    // within its half.
    unsafe {
        let output = substitute::<B, BOX>([
            input::<B, BOX, 0>(right, key),
            input::<B, BOX, 1>(right, key),
            input::<B, BOX, 2>(right, key),
            input::<B, BOX, 3>(right, key),
            input::<B, BOX, 4>(right, key),
            input::<B, BOX, 5>(right, key),
        ]);
        each!(i in 4 => {
            let to = left.add(DESTINATION[4 * BOX + i]);
            to.write(to.read().xor(output[i]));
        });
    }
}

/// Returns one bit of E and of the round key, added.
///
/// # Safety
/// The conditions of [`even_round`].
#[inline(always)]
unsafe fn input<B: Bits, const BOX: usize, const BIT: usize>(
    right: *const B,
    key: *const u64,
) -> B {
    let chosen = const { CHOICE_2[6 * BOX + BIT] as usize - 1 };
    let slice = if chosen < HALF { chosen } else { chosen + HALF };
    // SAFETY: the half and the key are as this function's contract says: the rows of E overlap by
    // two bits and lie within the half, and slices from 28 on belong to D.
    unsafe {
        let key = B::load(key.add(slice * (B::LANES / 64)));
        right.add((4 * BOX + BIT + 31) % 32).read().xor(key)
    }
}
