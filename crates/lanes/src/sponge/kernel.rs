//! What absorbs blocks: the kernels' contract, and their generic body.

use super::keccak::{Rows, State, Steps, WORDS, permute};
use crate::vector::{Vector, each};

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 8;

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
pub(crate) const MAX_RATE: usize = Rate::Bytes168.bytes();

impl Rate {
    /// All of them, in order.
    pub(crate) const ALL: [Rate; 5] =
        [Rate::Bytes72, Rate::Bytes104, Rate::Bytes136, Rate::Bytes144, Rate::Bytes168];

    /// The number of bytes.
    pub(crate) const fn bytes(self) -> usize {
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
/// The CPU has the kernel's instruction set. `states` is readable and writable for [`WORDS`]
/// vectors: word `i` of every lane, then word `i + 1`. `data` is readable for as many pointers as
/// the kernel has lanes, each of them readable for `blocks` blocks, at any alignment.
pub(crate) type Absorb =
    unsafe fn(states: *mut u64, data: *const *const u8, rate: Rate, blocks: usize);

/// A kernel of one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct KeccakKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Lanes it advances, at most [`MAX_LANES`].
    pub lanes: usize,
    pub absorb: Absorb,
}

/// The kernels of one CPU.
#[derive(Clone, Copy)]
pub(crate) struct SpongeKernels {
    /// For many buffers.
    pub wide: KeccakKernel,
    /// For one, where that is faster than the wide kernel with one lane in use.
    pub single: KeccakKernel,
}

impl KeccakKernel {
    /// Absorbs whole blocks into one state, with a kernel of one lane.
    pub(crate) fn absorb_one(&self, state: &mut State, rate: Rate, data: &[u8]) {
        assert!(self.lanes == 1 && data.len().is_multiple_of(rate.bytes()), "whole blocks only");
        // SAFETY: a kernel is only taken from the table of a CPU that has its instructions, or is
        // portable; one lane is the layout of a state, and the slice holds the blocks.
        unsafe {
            let blocks = data.len() / rate.bytes();
            (self.absorb)(state.as_mut_ptr(), &data.as_ptr(), rate, blocks);
        }
    }
}

/// The body of every [`Absorb`].
///
/// # Safety
/// The contract of [`Absorb`], and the instruction set of the steps.
#[inline(always)]
pub(crate) unsafe fn absorb<S: Steps>(
    states: *mut u64,
    data: *const *const u8,
    rate: Rate,
    blocks: usize,
) {
    // SAFETY: the caller's; there are 25 vectors, and the blocks of every lane.
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

/// Adds the block at `offset` of every lane to the states.
///
/// # Safety
/// The instruction set of the steps; as many readable pointers as there are lanes, each readable
/// for the block.
#[inline(always)]
pub(crate) unsafe fn add_next<S: Steps>(
    s: &mut Rows<S::V>,
    data: *const *const u8,
    rate: Rate,
    offset: usize,
) {
    // SAFETY: the caller's.
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
/// The instruction set of the steps; as many readable pointers as there are lanes, each readable
/// for the block.
#[inline(always)]
unsafe fn add_block<const COUNT: usize, S: Steps>(
    s: &mut Rows<S::V>,
    data: *const *const u8,
    offset: usize,
) {
    const { assert!(8 < COUNT && COUNT <= 24 && COUNT < WORDS) };
    let whole = COUNT / 8 * 8;
    // SAFETY: the caller's; every read ends within the block.
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
