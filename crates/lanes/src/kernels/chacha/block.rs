//! The block function (RFC 8439, 2.3), a block in each lane.

use core::marker::PhantomData;

use super::text::{BLOCK, ChaChaText};
use crate::vector::{MAX_LANES, Vector, each};

/// The most blocks that are made at once.
pub(crate) const MAX_BLOCKS: usize = 32;

const _: () = assert!(MAX_BLOCKS <= MAX_LANES);

/// The inputs of blocks, and the blocks.
#[repr(C, align(64))]
pub(crate) struct Blocks {
    /// The block of every lane.
    pub stream: [[u32; 16]; MAX_BLOCKS],
    /// The increment of the counter.
    pub number: [u32; MAX_BLOCKS],
    /// The key: eight words.
    pub key: [*const u32; MAX_BLOCKS],
    /// The last row of the state: four words.
    pub row: [*const u32; MAX_BLOCKS],
}

impl Blocks {
    pub const fn new() -> Self {
        Blocks {
            stream: [[0; 16]; MAX_BLOCKS],
            number: [0; MAX_BLOCKS],
            key: [core::ptr::null(); MAX_BLOCKS],
            row: [core::ptr::null(); MAX_BLOCKS],
        }
    }

    /// Has the lanes from `active` to `lanes` read what the first one reads.
    #[inline(always)]
    pub fn idle(&mut self, active: usize, lanes: usize) {
        for lane in active..lanes {
            self.key[lane] = self.key[0];
            self.row[lane] = self.row[0];
        }
    }

    /// Makes the block of every lane of `V`.
    ///
    /// # Safety
    /// - The CPU has V's instructions.
    /// - In each of V's lanes, `key` is readable for eight words and `row` for four, both aligned
    ///   for a word.
    #[inline(always)]
    pub unsafe fn make<V: Vector<Word = u32>>(&mut self) {
        // SAFETY: V has at most MAX_BLOCKS lanes, by the types of the kernels' tables, so the
        // arrays have an entry for each, and `stream` sixteen words; the pointers in the lanes are
        // readable, by this function's contract.
        unsafe {
            let key = V::gather(self.key.as_ptr());
            let row = V::gather_four(self.row.as_ptr());
            let counter = row[0].add(V::load(self.number.as_ptr()));
            let words = block([
                constants(),
                [key[0], key[1], key[2], key[3]],
                [key[4], key[5], key[6], key[7]],
                [counter, row[1], row[2], row[3]],
            ]);
            V::store_blocks(&words, self.stream.as_mut_ptr().cast());
        }
    }

    /// Computes HChaCha20's state in every lane of `V`, from which the derived key is taken: the
    /// state after the rounds, without adding the initial state (draft-irtf-cfrg-xchacha-03, 2.2).
    ///
    /// # Safety
    /// The conditions of [`make`](Blocks::make).
    #[inline(always)]
    pub unsafe fn make_unadded<V: Vector<Word = u32>>(&mut self) {
        // SAFETY: the reason of `make` holds here, too.
        unsafe {
            let key = V::gather(self.key.as_ptr());
            let row = V::gather_four(self.row.as_ptr());
            let state = rounds([
                constants(),
                [key[0], key[1], key[2], key[3]],
                [key[4], key[5], key[6], key[7]],
                [row[0], row[1], row[2], row[3]],
            ]);
            V::store_blocks(
                &each!(i in 16 => state[i / 4][i % 4]),
                self.stream.as_mut_ptr().cast(),
            );
        }
    }
}

/// The way in which consecutive blocks of one text are made.
///
/// # Safety
/// The method uses only instructions that the implementor names.
pub(crate) unsafe trait Consecutive {
    /// Blocks of several texts are made in its lanes, and as many blocks of one.
    type Vector: Vector<Word = u32>;

    /// The most blocks of any texts that [`make_few`](Consecutive::make_few) makes; 0 if all lanes
    /// of the vector are as fast for few blocks as anything else.
    const FEW: usize = 0;

    /// Makes the blocks of the first `count` lanes.
    ///
    /// # Safety
    /// - The CPU has the instructions.
    /// - `count` is at least 1 and at most [`FEW`](Consecutive::FEW).
    /// - In each of these lanes, `key` is readable for eight words and `row` for four, both aligned
    ///   for a word.
    #[inline(always)]
    unsafe fn make_few(blocks: &mut Blocks, count: usize) {
        let _ = (blocks, count);
    }

    /// Makes as many blocks of one text as the vector has lanes, from block `number` on, and adds
    /// them to the text. Afterwards the contents of `room` are secret.
    ///
    /// # Safety
    /// - The CPU has the instructions.
    /// - The text's key is valid, and the text has these blocks, all whole: `src` is readable and
    ///   `dst` writable for them, and they are equal or apart.
    unsafe fn add_to_one(text: &ChaChaText, number: usize, room: &mut Blocks);
}

/// A block in each lane of one vector.
pub(crate) struct Whole<V>(PhantomData<V>);

/// The increments of the counter in the lanes.
pub(crate) static NUMBERS: [u32; MAX_BLOCKS] = {
    let mut numbers = [0; MAX_BLOCKS];
    let mut i = 0;
    while i < MAX_BLOCKS {
        numbers[i] = i as u32;
        i += 1;
    }
    numbers
};

// SAFETY: only V's instructions are used.
unsafe impl<V: Vector<Word = u32>> Consecutive for Whole<V> {
    type Vector = V;

    #[inline(always)]
    unsafe fn add_to_one(text: &ChaChaText, number: usize, room: &mut Blocks) {
        // SAFETY: the text has whole blocks from `number` on for all lanes, by this function's
        // contract; `NUMBERS` has a word, and `room` sixteen words, for each of the vector's lanes,
        // of which there are at most MAX_BLOCKS.
        unsafe {
            let words = block(rows_of_one(text, number, V::load(NUMBERS.as_ptr())));
            let start = number * BLOCK;
            let (src, dst) = (text.src.add(start), text.dst.add(start));
            V::add_blocks(&words, room.stream.as_mut_ptr().cast(), src, dst);
        }
    }
}

/// Returns the rows of the states of a text's blocks, with the counters from block `number` on,
/// each further by `numbers`.
///
/// # Safety
/// - The CPU has V's instructions.
/// - The text's key is valid.
#[inline(always)]
pub(crate) unsafe fn rows_of_one<V: Vector<Word = u32>>(
    text: &ChaChaText,
    number: usize,
    numbers: V,
) -> [[V; 4]; 4] {
    let ChaChaText { key, row, .. } = text;
    // SAFETY: the key is valid, by this function's contract, and a key is eight words.
    unsafe {
        let key = key.cast::<u32>();
        let counter = V::splat(row[0].wrapping_add(number as u32)).add(numbers);
        [
            constants(),
            each!(i in 4 => V::splat(*key.add(i))),
            each!(i in 4 => V::splat(*key.add(4 + i))),
            [counter, V::splat(row[1]), V::splat(row[2]), V::splat(row[3])],
        ]
    }
}

/// Returns the first row of every state.
///
/// # Safety
/// The CPU has V's instructions.
#[inline(always)]
unsafe fn constants<V: Vector<Word = u32>>() -> [V; 4] {
    // SAFETY: the CPU has V's instructions, by this function's contract.
    unsafe { each!(i in 4 => V::splat(CONSTANTS[i])) }
}

/// Returns the blocks of the rows of states, word by word.
#[inline(always)]
fn block<V: Vector<Word = u32>>(rows: [[V; 4]; 4]) -> [V; 16] {
    let state = rounds(rows);
    each!(i in 16 => state[i / 4][i % 4].add(rows[i / 4][i % 4]))
}

/// Takes states through the 20 rounds.
#[inline(always)]
fn rounds<V: Vector<Word = u32>>(mut state: [[V; 4]; 4]) -> [[V; 4]; 4] {
    for _ in 0..10 {
        state = quarters(state);
        let [a, [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]] = state;
        let [a, [b1, b2, b3, b0], [c2, c3, c0, c1], [d3, d0, d1, d2]] =
            quarters([a, [b1, b2, b3, b0], [c2, c3, c0, c1], [d3, d0, d1, d2]]);
        state = [a, [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]];
    }
    state
}

/// "expand 32-byte k".
pub(crate) static CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Does four quarter rounds (RFC 8439, 2.1), one on each column of the rows.
#[inline(always)]
fn quarters<V: Vector<Word = u32>>([a, b, c, d]: [[V; 4]; 4]) -> [[V; 4]; 4] {
    let a = each!(i in 4 => a[i].add(b[i]));
    let d = each!(i in 4 => d[i].xor(a[i]).rotate_right::<16>());
    let c = each!(i in 4 => c[i].add(d[i]));
    let b = each!(i in 4 => b[i].xor(c[i]).rotate_right::<20>());
    let a = each!(i in 4 => a[i].add(b[i]));
    let d = each!(i in 4 => d[i].xor(a[i]).rotate_right::<24>());
    let c = each!(i in 4 => c[i].add(d[i]));
    let b = each!(i in 4 => b[i].xor(c[i]).rotate_right::<25>());
    [a, b, c, d]
}
