//! The eight rounds, written once over the registers of an instruction set.

use super::sbox::{s7, s9};
use crate::bits::{Bits, transpose};
use crate::vector::each;

/// 16 bits of every lane, the lowest first.
type Word<B> = [B; 16];

/// The constants that turn the words of the key into their second form (TS 35.202, 4.6.1).
pub(crate) const CONSTANTS: [u16; 8] =
    [0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210];

/// The constants that [`s9`] and [`s7`] leave out, as FI would add them: the constant of each, and
/// the first one also to the second. Round keys of FI include them, which corrects FI's first half;
/// its second half lacks the same constants.
const LEFT_OUT: u16 = {
    let (of_s9, of_s7) = (167, 54);
    (of_s7 ^ (of_s9 & 0x7f)) << 9 | of_s9
};

/// A schedule in memory, after [`schedule`] made it.
struct Schedule<B> {
    rows: *const B,
}

impl<B: Bits> Schedule<B> {
    /// Returns a word of the key, rotated to the left.
    ///
    /// # Safety
    /// - The schedule has been made.
    /// - `rotation` is less than 16.
    #[inline(always)]
    unsafe fn word(&self, number: usize, rotation: usize) -> *const B {
        // SAFETY: each word is stored twice, so that 16 rows follow every rotation below 16.
        unsafe { self.rows.add(32 * (number % 8) + (16 - rotation) % 16) }
    }

    /// Returns the second form of a word, with [`LEFT_OUT`] added.
    ///
    /// # Safety
    /// The schedule has been made.
    #[inline(always)]
    unsafe fn inner(&self, number: usize) -> *const B {
        // SAFETY: the second forms come after the eight words, 16 rows each, and `number % 8` is
        // one of them.
        unsafe { self.rows.add(8 * 32 + 16 * (number % 8)) }
    }
}

/// Does what [`KasumiKernel::schedule`](super::KasumiKernel::schedule) does, with its contract.
#[inline(always)]
pub(crate) unsafe fn schedule<B: Bits>(high: *mut u64, low: *mut u64, schedule: *mut u64) {
    let schedule = schedule.cast::<B>();
    for (half, from) in [high, low].into_iter().enumerate() {
        // SAFETY: `high` and `low` are 64 rows of a half, and `schedule` has room for the
        // schedule's rows, by the contract of `KasumiKernel`.
        unsafe {
            let rows = &mut *from.cast::<[B; 64]>();
            transpose(rows);
            for place in 0..4 {
                let number = 4 * half + place;
                let constant = CONSTANTS[number] ^ LEFT_OUT;
                let words = schedule.add(32 * number);
                let inner = schedule.add(8 * 32 + 16 * number);
                for bit in 0..16 {
                    let row = rows[16 * (3 - place) + bit];
                    words.add(bit).write(row);
                    words.add(bit + 16).write(row);
                    inner.add(bit).write(if constant >> bit & 1 == 1 { row.not() } else { row });
                }
            }
        }
    }
}

/// Does what [`KasumiKernel::encrypt`](super::KasumiKernel::encrypt) does, with its contract.
#[inline(always)]
pub(crate) unsafe fn encrypt<B: Bits>(schedule: *const u64, blocks: *mut u64) {
    let schedule = Schedule { rows: schedule.cast::<B>() };
    // SAFETY: `blocks` is 64 rows, and the schedule was made, by the contract of `KasumiKernel`.
    unsafe {
        let rows = &mut *blocks.cast::<[B; 64]>();
        transpose(rows);
        let halves = &mut *blocks.cast::<[[Word<B>; 2]; 2]>();
        // The left half is the upper one.
        for round in 0..8 {
            let from = 1 - round % 2;
            let mut x = halves[from];
            if round % 2 == 0 {
                fl(&mut x, &schedule, round);
            }
            fo(&mut x, &schedule, round);
            if round % 2 == 1 {
                fl(&mut x, &schedule, round);
            }
            for (to, x) in halves[1 - from].as_flattened_mut().iter_mut().zip(x.as_flattened()) {
                *to = to.xor(*x);
            }
        }
        transpose(rows);
    }
}

/// Computes FL (TS 35.202, 4.3) of the right and the left half.
///
/// # Safety
/// The schedule has been made.
#[inline(always)]
unsafe fn fl<B: Bits>(x: &mut [Word<B>; 2], schedule: &Schedule<B>, round: usize) {
    // SAFETY: the schedule has been made, by this function's contract, and each of its words has 16
    // rows.
    unsafe {
        let (and, or) = (schedule.word(round, 1), schedule.inner(round + 2));
        let [mut right, mut left] = *x;
        right = each!(i in 16 => right[i].xor(left[(i + 15) % 16].and(*and.add((i + 15) % 16))));
        left = each!(i in 16 => {
            let (key, bit) = (*or.add((i + 15) % 16), right[(i + 15) % 16]);
            // The key without what is added to it.
            let either = match LEFT_OUT >> ((i + 15) % 16) & 1 {
                1 => key.and_not(bit).not(),
                _ => key.or(bit),
            };
            left[i].xor(either)
        });
        *x = [right, left];
    }
}

/// Computes FO (TS 35.202, 4.4) of the right and the left half.
///
/// # Safety
/// The schedule has been made.
#[inline(always)]
unsafe fn fo<B: Bits>(x: &mut [Word<B>; 2], schedule: &Schedule<B>, round: usize) {
    let outer = [(1, 5), (5, 8), (6, 13)];
    let inner = [4, 3, 7];
    for step in 0..3 {
        let (from, to) = ((step + 1) % 2, step % 2);
        let (number, rotation) = outer[step];
        // SAFETY: the schedule has been made, by this function's contract, and each of its words
        // has 16 rows.
        unsafe {
            let (outer, inner) =
                (schedule.word(round + number, rotation), schedule.inner(round + inner[step]));
            let left = x[from];
            let sum = fi(each!(i in 16 => left[i].xor(*outer.add(i))), inner);
            // The halves change places: what was the right one is the left one of the next step.
            x[from] = each!(i in 16 => sum[i].xor(x[to][i]));
        }
    }
    x.swap(0, 1);
}

/// Computes FI (TS 35.202, 4.5).
///
/// # Safety
/// `key` is readable for sixteen rows.
#[inline(always)]
unsafe fn fi<B: Bits>(x: Word<B>, key: *const B) -> Word<B> {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x;
    let seven = [a, b, c, d, e, f, g];
    let nine = add_seven(s9([h, i, j, k, l, m, n, o, p]), seven);
    let seven = add_low(s7(seven), nine);
    // SAFETY: `key` is readable for sixteen rows, by this function's contract: nine for the first
    // sum and seven for the second.
    let (nine, seven) = unsafe { (add_key(nine, key), add_key(seven, key.add(9))) };
    let nine = add_seven(s9(nine), seven);
    let seven = add_low(s7(seven), nine);
    let [a, b, c, d, e, f, g, h, i] = nine;
    let [j, k, l, m, n, o, p] = seven;
    let x = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p];
    each!(i in 16 => if LEFT_OUT >> i & 1 == 1 { x[i].not() } else { x[i] })
}

/// Adds seven bits to the lower ones of nine.
#[inline(always)]
fn add_seven<B: Bits>(mut nine: [B; 9], seven: [B; 7]) -> [B; 9] {
    for i in 0..7 {
        nine[i] = nine[i].xor(seven[i]);
    }
    nine
}

/// Returns the lower ones of nine bits added to seven.
#[inline(always)]
fn add_low<B: Bits>(mut seven: [B; 7], nine: [B; 9]) -> [B; 7] {
    for i in 0..7 {
        seven[i] = seven[i].xor(nine[i]);
    }
    seven
}

/// Adds rows of a key.
///
/// # Safety
/// `key` is readable for `N` rows.
#[inline(always)]
unsafe fn add_key<B: Bits, const N: usize>(mut x: [B; N], key: *const B) -> [B; N] {
    for (i, x) in x.iter_mut().enumerate() {
        // SAFETY: `i < N`, and `key` is readable for `N` rows, by this function's contract.
        *x = x.xor(unsafe { *key.add(i) });
    }
    x
}
