//! The compression function in lanes (the BLAKE3 paper, section 2.2).

use zeroize::Zeroize;

use crate::plain::Plain;
use crate::vector::{Vector, each};

/// Bytes of a block.
pub(crate) const BLOCK_LEN: usize = 64;

/// Bytes of a chunk.
pub(crate) const CHUNK_LEN: usize = 1024;

/// A chaining value.
pub(crate) type Value = [u32; 8];

/// The most lanes that a kernel has.
pub(crate) const MAX_LANES: usize = 16;

/// The words that the plain hash starts from: those of SHA-256.
pub(crate) const IV: Value = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// The flag of the first block of a chunk.
pub(crate) const CHUNK_START: u32 = 1;
/// The flag of the last block of a chunk.
pub(crate) const CHUNK_END: u32 = 2;
/// The flag of a parent.
pub(crate) const PARENT: u32 = 4;
/// The flag of the last block of the whole message.
pub(crate) const ROOT: u32 = 8;
/// The mode of the keyed hash.
pub(crate) const KEYED_HASH: u32 = 16;
/// The mode in which the context of a key derivation is hashed.
pub(crate) const DERIVE_KEY_CONTEXT: u32 = 32;
/// The mode in which key material is hashed.
pub(crate) const DERIVE_KEY_MATERIAL: u32 = 64;

/// The order in which each round takes the words of the block: that of the round before, permuted.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut rounds = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; 7];
    let mut round = 1;
    while round < 7 {
        let mut at = 0;
        while at < 16 {
            rounds[round][at] = rounds[round - 1][PERMUTATION[at]];
            at += 1;
        }
        round += 1;
    }
    rounds
};

/// Blocks that are compressed side by side: word by word, a column for each lane.
#[repr(C, align(64))]
pub(crate) struct Batch {
    /// The chaining values.
    pub values: [[u32; MAX_LANES]; 8],
    /// The number of the chunk in its message, low half first; zero for a parent.
    pub counter: [[u32; MAX_LANES]; 2],
    /// The flags of the first block of the call, of those in the middle, and of the last. A block
    /// that is both first and last has the flags of both.
    pub flags: [[u32; MAX_LANES]; 3],
    /// Bytes of the last block of the call; the others have 64.
    pub last_len: [u32; MAX_LANES],
    /// Where the blocks of each lane begin, one behind the other.
    pub data: [*const u8; MAX_LANES],
}

/// What inactive lanes read.
pub(crate) static ZEROS: [u8; CHUNK_LEN] = [0; CHUNK_LEN];

impl Batch {
    /// Returns a batch of zeros.
    pub(crate) fn new() -> Self {
        let zeros = [0; MAX_LANES];
        Batch {
            values: [zeros; 8],
            counter: [zeros; 2],
            flags: [zeros; 3],
            last_len: zeros,
            data: [ZEROS.as_ptr(); MAX_LANES],
        }
    }

    /// Puts a chaining value into a lane.
    pub(crate) fn put(&mut self, lane: usize, value: &Value) {
        self.values.iter_mut().zip(value).for_each(|(row, word)| row[lane] = *word);
    }

    /// Sets the number of a lane's chunk.
    pub(crate) fn count(&mut self, lane: usize, chunk: u64) {
        self.counter[0][lane] = chunk as u32;
        self.counter[1][lane] = (chunk >> 32) as u32;
    }
}

/// Compresses the next `blocks` blocks of all lanes of the kernel into their chaining values.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `data` of each of the kernel's lanes is readable for `blocks` blocks of 64 bytes, at any
///   alignment.
pub(crate) type Compress = unsafe fn(batch: &mut Batch, blocks: usize);

/// A kernel of one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Blake3Kernel {
    /// The instruction set.
    pub name: &'static str,
    /// The lanes that it advances, at most [`MAX_LANES`].
    pub lanes: usize,
    pub compress: Compress,
}

/// Does the work of every [`Compress`].
///
/// # Safety
/// - The contract of [`Compress`], for the lanes of `V`.
/// - The CPU has V's instruction set.
#[inline(always)]
pub(crate) unsafe fn compress<V: Vector<Word = u32>>(batch: &mut Batch, blocks: usize) {
    const { assert!(V::LANES <= MAX_LANES) };
    // SAFETY: the CPU has V's instruction set and the data of each lane are readable for `blocks`
    // blocks, by this function's contract; every row has a word for each lane.
    unsafe {
        let mut values: [V; 8] = each!(i in 8 => V::load(batch.values[i].as_ptr()));
        let counter = each!(i in 2 => V::load(batch.counter[i].as_ptr()));
        let [first, middle, last] = each!(i in 3 => V::load(batch.flags[i].as_ptr()));
        for block in 0..blocks {
            let words = V::load_block::<false>(batch.data.as_ptr(), BLOCK_LEN * block);
            let (flags, len) = match (block, block + 1 == blocks) {
                (0, true) => (first.or(last), V::load(batch.last_len.as_ptr())),
                (_, true) => (last, V::load(batch.last_len.as_ptr())),
                (0, false) => (first, V::splat(BLOCK_LEN as u32)),
                (_, false) => (middle, V::splat(BLOCK_LEN as u32)),
            };
            let state = mix(&values, &words, counter, len, flags);
            values = each!(i in 8 => state[i].xor(state[i + 8]));
        }
        each!(i in 8 => values[i].store(batch.values[i].as_mut_ptr()));
    }
}

/// Returns the state after the seven rounds of a block.
#[inline(always)]
fn mix<V: Vector<Word = u32>>(
    values: &[V; 8],
    words: &[V; 16],
    counter: [V; 2],
    len: V,
    flags: V,
) -> [V; 16] {
    // SAFETY: a value of V is proof that the CPU has its instruction set.
    let iv = each!(i in 4 => unsafe { V::splat(IV[i]) });
    let mut v = each!(i in 16 => match i {
        0..8 => values[i % 8],
        8..12 => iv[i % 4],
        12 => counter[0],
        13 => counter[1],
        14 => len,
        _ => flags,
    });
    for order in &SCHEDULE {
        round(&mut v, words, order);
    }
    v
}

/// Mixes the words of the block into the columns of the state, and into its diagonals.
#[inline(always)]
fn round<V: Vector<Word = u32>>(v: &mut [V; 16], words: &[V; 16], order: &[usize; 16]) {
    quarter(v, [0, 4, 8, 12], words[order[0]], words[order[1]]);
    quarter(v, [1, 5, 9, 13], words[order[2]], words[order[3]]);
    quarter(v, [2, 6, 10, 14], words[order[4]], words[order[5]]);
    quarter(v, [3, 7, 11, 15], words[order[6]], words[order[7]]);
    quarter(v, [0, 5, 10, 15], words[order[8]], words[order[9]]);
    quarter(v, [1, 6, 11, 12], words[order[10]], words[order[11]]);
    quarter(v, [2, 7, 8, 13], words[order[12]], words[order[13]]);
    quarter(v, [3, 4, 9, 14], words[order[14]], words[order[15]]);
}

/// Mixes two words into four of the state.
#[inline(always)]
fn quarter<V: Vector<Word = u32>>(v: &mut [V; 16], [a, b, c, d]: [usize; 4], x: V, y: V) {
    v[a] = v[a].add(v[b]).add(x);
    v[d] = v[d].xor(v[a]).rotate_right::<16>();
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate_right::<12>();
    v[a] = v[a].add(v[b]).add(y);
    v[d] = v[d].xor(v[a]).rotate_right::<8>();
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate_right::<7>();
}

/// The last block of a message, of which output of any length is made.
pub(crate) struct Root {
    pub value: Value,
    pub block: [u8; BLOCK_LEN],
    pub len: u32,
    pub flags: u32,
}

impl Root {
    /// Fills `output` with the output of the message (section 2.6): block after block, each with
    /// its number in place of the chunk's.
    pub fn extend(&self, output: &mut [u8]) {
        let words = self.block.as_chunks().0;
        let words = each!(i in 16 => Plain::of(u32::from_le_bytes(words[i])));
        let values = each!(i in 8 => Plain::of(self.value[i]));
        for (number, piece) in output.chunks_mut(BLOCK_LEN).enumerate() {
            let number = number as u64;
            let counter = [number as u32, (number >> 32) as u32].map(Plain::of);
            let (len, flags) = (Plain::of(self.len), Plain::of(self.flags | ROOT));
            let state = mix(&values, &words, counter, len, flags);
            let made = each!(i in 16 => match i {
                0..8 => state[i].xor(state[(i + 8) % 16]),
                _ => state[i].xor(values[i % 8]),
            });
            for (bytes, word) in piece.chunks_mut(4).zip(made) {
                bytes.copy_from_slice(&word.word().to_le_bytes()[..bytes.len()]);
            }
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        self.value.zeroize();
        self.block.zeroize();
    }
}
