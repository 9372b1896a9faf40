//! What absorbs blocks: the kernels' contract, and their generic body.

use super::keccak::{KeccakState, Rows, Steps, WORDS, permute};
use crate::vector::{Vector, each};

/// The most lanes a kernel has.
pub const MAX_LANES: usize = 8;

/// Bytes of a block: what is left of the state's 200 bytes beside the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Rate {
    /// SHA3-512.
    Bytes72,
    /// SHA3-384.
    Bytes104,
    /// SHA3-256, SHAKE256, KMAC256.
    Bytes136,
    /// SHA3-224.
    Bytes144,
    /// SHAKE128, KMAC128.
    Bytes168,
}

/// The longest block.
pub const MAX_RATE: usize = Rate::Bytes168.bytes();

impl Rate {
    /// All of them, in order.
    pub const ALL: [Rate; 5] =
        [Rate::Bytes72, Rate::Bytes104, Rate::Bytes136, Rate::Bytes144, Rate::Bytes168];

    /// Returns the number of bytes.
    #[inline]
    pub const fn bytes(self) -> usize {
        match self {
            Rate::Bytes72 => 72,
            Rate::Bytes104 => 104,
            Rate::Bytes136 => 136,
            Rate::Bytes144 => 144,
            Rate::Bytes168 => 168,
        }
    }
}

/// Absorbs the next `blocks` blocks of every lane: adds a block to the state, permutes it, and so
/// on.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `states` is readable and writable for [`WORDS`] vectors: word `i` of every lane, then word `i
///   + 1`.
/// - `data` is readable for as many pointers as the kernel has lanes, and each of these for
///   `blocks` blocks, at any alignment.
pub type Absorb = unsafe fn(states: *mut u64, data: *const *const u8, rate: Rate, blocks: usize);

/// Writes the first `8 * eights` words of every lane's state to its row, little-endian.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `states` is readable for [`WORDS`] vectors, as [`Absorb`] has them, and `eights` is at most 3.
/// - `rows` is readable for as many pointers as the kernel has lanes, and each of these is writable
///   for these words and aligned for a word.
pub type Extract = unsafe fn(states: *const u64, eights: usize, rows: *const *mut u64);

/// Takes every lane's state on by `blocks` permutations, and writes the first 24 words after each
/// of them to the lane's row, little-endian: the first ones at its beginning, and the next ones a
/// block of the rate later, over what is behind the block.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `states` is readable and writable for [`WORDS`] vectors, as [`Absorb`] has them.
/// - `rows` is readable for as many pointers as the kernel has lanes, and each of these is writable
///   for 24 words from the beginning of each block on, and aligned for a word.
pub type Squeeze = unsafe fn(states: *mut u64, rate: Rate, blocks: usize, rows: *const *mut u64);

/// A kernel of one instruction set.
#[derive(Clone, Copy)]
pub struct KeccakKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Lanes it advances, at most [`MAX_LANES`].
    pub lanes: usize,
    /// Absorbs blocks.
    pub absorb: Absorb,
    /// Writes the beginnings of states.
    pub extract: Extract,
    /// Writes states, and permutes them.
    pub squeeze: Squeeze,
}

/// The kernels of one CPU.
#[derive(Clone, Copy)]
pub struct SpongeKernels {
    /// For many buffers.
    pub wide: KeccakKernel,
    /// For one, where that is faster than the wide kernel with one lane in use.
    pub single: KeccakKernel,
}

impl KeccakKernel {
    /// Absorbs whole blocks into one state, with a kernel of one lane.
    pub fn absorb_one(&self, state: &mut KeccakState, rate: Rate, data: &[u8]) {
        assert!(self.lanes == 1 && data.len().is_multiple_of(rate.bytes()), "whole blocks only");
        // SAFETY: a kernel is only taken from the table of a CPU that has its instructions, or is
        // portable; a state of one lane is 25 words, and the slice holds the blocks.
        unsafe {
            let blocks = data.len() / rate.bytes();
            (self.absorb)(state.as_mut_ptr(), &data.as_ptr(), rate, blocks);
        }
    }
}

/// Does the work of every [`Absorb`].
///
/// # Safety
/// - The contract of [`Absorb`], for the lanes of the steps.
/// - The CPU has the instruction set of the steps.
#[inline(always)]
pub unsafe fn absorb<S: Steps>(
    states: *mut u64,
    data: *const *const u8,
    rate: Rate,
    blocks: usize,
) {
    // SAFETY: `states` has 25 vectors and every lane `blocks` blocks, by this function's contract.
    unsafe {
        let lanes = S::V::LANES;
        const { assert!(S::V::LANES <= MAX_LANES) };
        let mut s: Rows<S::V> =
            each!(y in 5 => each!(x in 5 => S::V::load(states.add((5 * y + x) * lanes))));
        for block in 0..blocks {
            let offset = block * rate.bytes();
            add_next::<S>(&mut s, data, rate, offset);
            permute::<S>(&mut s);
        }
        each!(y in 5 => each!(x in 5 => s[y][x].store(states.add((5 * y + x) * lanes))));
    }
}

/// Does the work of every [`Extract`].
///
/// # Safety
/// - The contract of [`Extract`], for the lanes of the vector.
/// - The CPU has the instruction set of the vector.
#[inline(always)]
pub unsafe fn extract<V: Vector<Word = u64>>(
    states: *const u64,
    eights: usize,
    rows: *const *mut u64,
) {
    // SAFETY: `states` has 25 vectors, of which `8 * eights` are at most 24, and each row has room
    // for as many words, by this function's contract.
    unsafe {
        for eight in 0..eights {
            let words = each!(i in 8 => V::load(states.add((8 * eight + i) * V::LANES)));
            write_eight(&words, rows, 8 * eight);
        }
    }
}

/// Writes eight words of every lane to its row, behind `offset` words, little-endian.
///
/// # Safety
/// `rows` is readable for as many pointers as there are lanes, and each of these is writable for
/// eight words behind the offset and aligned for a word.
#[inline(always)]
unsafe fn write_eight<V: Vector<Word = u64>>(words: &[V; 8], rows: *const *mut u64, offset: usize) {
    // SAFETY: each row has room for the words, by this function's contract.
    unsafe {
        let mut to = [core::ptr::null_mut(); MAX_LANES];
        for (lane, to) in to.iter_mut().enumerate().take(V::LANES) {
            *to = (*rows.add(lane)).add(offset);
        }
        V::scatter(words, to.as_ptr());
        if cfg!(target_endian = "big") {
            for row in &to[..V::LANES] {
                each!(i in 8 => *row.add(i) = (*row.add(i)).to_le());
            }
        }
    }
}

/// Does the work of every [`Squeeze`], with what permutes the states.
///
/// # Safety
/// - The contract of [`Squeeze`], for the lanes of the steps.
/// - The CPU has the instruction set of the steps.
#[inline(always)]
pub unsafe fn squeeze<S: Steps>(
    states: *mut u64,
    rate: Rate,
    blocks: usize,
    rows: *const *mut u64,
    permute: impl Fn(&mut Rows<S::V>),
) {
    // SAFETY: `states` has 25 vectors, and every row 24 words from each block on, by this
    // function's contract.
    unsafe {
        let lanes = S::V::LANES;
        let mut s: Rows<S::V> =
            each!(y in 5 => each!(x in 5 => S::V::load(states.add((5 * y + x) * lanes))));
        for block in 0..blocks {
            permute(&mut s);
            let offset = block * rate.bytes() / 8;
            write_eight(&each!(i in 8 => s[i / 5][i % 5]), rows, offset);
            write_eight(&each!(i in 8 => s[(8 + i) / 5][(8 + i) % 5]), rows, offset + 8);
            write_eight(&each!(i in 8 => s[(16 + i) / 5][(16 + i) % 5]), rows, offset + 16);
        }
        each!(y in 5 => each!(x in 5 => s[y][x].store(states.add((5 * y + x) * lanes))));
    }
}

/// Adds the block at `offset` of every lane to the states.
///
/// # Safety
/// - The CPU has the instruction set of the steps.
/// - `data` is readable for as many pointers as there are lanes, and each of these for a block from
///   `offset` on.
#[inline(always)]
pub unsafe fn add_next<S: Steps>(
    s: &mut Rows<S::V>,
    data: *const *const u8,
    rate: Rate,
    offset: usize,
) {
    // SAFETY: every lane has a block at `offset`, by this function's contract, and each arm reads
    // the words of the rate's block.
    unsafe {
        match rate {
            Rate::Bytes72 => add_block::<9, S>(s, data, offset),
            Rate::Bytes104 => add_block::<13, S>(s, data, offset),
            Rate::Bytes136 => add_block::<17, S>(s, data, offset),
            Rate::Bytes144 => add_block::<18, S>(s, data, offset),
            Rate::Bytes168 => add_block::<21, S>(s, data, offset),
        }
    }
}

/// Adds a block of `COUNT` words of every lane to the states. The last eight words are read
/// together: some of them a second time, but no byte beyond the block.
///
/// # Safety
/// - The CPU has the instruction set of the steps.
/// - `data` is readable for as many pointers as there are lanes, and each of these for `COUNT`
///   words from `offset` on.
#[inline(always)]
unsafe fn add_block<const COUNT: usize, S: Steps>(
    s: &mut Rows<S::V>,
    data: *const *const u8,
    offset: usize,
) {
    const { assert!(8 < COUNT && COUNT <= 24 && COUNT < WORDS) };
    let whole = COUNT / 8 * 8;
    // SAFETY: every lane has `COUNT` words at `offset`, by this function's contract, and every read
    // ends within these.
    unsafe {
        let words = S::load_eight(data, offset);
        each!(i in 8 => add_word::<S>(s, i, words[i]));
        if whole == 16 {
            let words = S::load_eight(data, offset + 64);
            each!(i in 8 => add_word::<S>(s, 8 + i, words[i]));
        }
        let words = S::load_eight(data, offset + 8 * (COUNT - 8));
        each!(i in 8 => {
            if COUNT - 8 + i >= whole {
                add_word::<S>(s, COUNT - 8 + i, words[i]);
            }
        });
    }
}

#[inline(always)]
fn add_word<S: Steps>(s: &mut Rows<S::V>, at: usize, word: S::V) {
    s[at / 5][at % 5] = s[at / 5][at % 5].xor(word);
}
