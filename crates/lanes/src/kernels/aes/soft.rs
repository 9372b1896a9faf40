//! AES on plain integers in constant time: four blocks at once, bit by bit.
//!
//! Four blocks become eight words. `x[k]` holds bit `k` of each of the 64 bytes: the byte in row
//! `r` and column `c` (FIPS 197, 3.4) of block `b` is at bit `16 r + 4 c + b`. So ShiftRows rotates
//! 16-bit fields, MixColumns rotates whole words, and SubBytes is a circuit. Round keys are sliced
//! the same way, one key for each block, so that four lanes may have four keys.

mod sbox;

use core::borrow::Borrow;

use super::cbc::{CbcKernel, CbcLaneSet, Narrow};
use super::key::{AesKey, Block, CipherKey, MAX_ROUNDS};
use zeroize::Zeroizing;

/// The blocks (or lanes) worked on at once.
pub(crate) const WIDTH: usize = 4;

/// Constant-time AES on plain integers, for any CPU.
pub(crate) static SOFT: CbcKernel =
    CbcKernel { name: "bitsliced", lanes: WIDTH, narrow: Narrow::NEVER, encrypt, decrypt };

/// Four blocks, sliced.
type Sliced = [u64; 8];

/// The sliced round keys of four lanes, wiped when dropped.
type SlicedKeys = Zeroizing<[Sliced; MAX_ROUNDS + 1]>;

/// Does what [`CbcKernel::encrypt`] does, with its contract.
unsafe fn encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    assert!((1..=WIDTH).contains(&n), "1 to {WIDTH} lanes, not {n}");
    if blocks == 0 {
        return;
    }
    let keys: [&AesKey; WIDTH] = core::array::from_fn(|lane| {
        // SAFETY: lanes `0..n` have valid keys, by the contract of `CbcKernel`; a lane beyond them
        // borrows the first's.
        unsafe { &*set.key[if lane < n { lane } else { 0 }] }
    });
    let cipher = SlicedCipher::of_lanes(keys);

    let mut state = [[0; 16]; WIDTH];
    state[..n].copy_from_slice(&set.state[..n]);
    for block in 0..blocks {
        let at = block * 16;
        for (lane, state) in state.iter_mut().enumerate().take(n) {
            // SAFETY: every lane's `src` is readable for `blocks` blocks, by the contract of
            // `CbcKernel`.
            let input = unsafe { set.src[lane].add(at).cast::<Block>().read() };
            xor(state, &input);
        }
        cipher.encrypt(&mut state);
        for (lane, state) in state.iter().enumerate().take(n) {
            // SAFETY: every lane's `dst` is writable for `blocks` blocks, by the contract of
            // `CbcKernel`.
            unsafe { set.dst[lane].add(at).cast::<Block>().write(*state) };
        }
    }
    set.state[..n].copy_from_slice(&state[..n]);
}

/// Does what [`CbcKernel::decrypt`] does, with its contract.
unsafe fn decrypt(key: &AesKey, iv: &Block, src: *const u8, dst: *mut u8, blocks: usize) {
    let cipher = SlicedInverse::new(key);
    let mut previous = *iv;
    let mut done = 0;
    while done < blocks {
        let count = WIDTH.min(blocks - done);
        let mut input = [[0; 16]; WIDTH];
        for (i, block) in input.iter_mut().enumerate().take(count) {
            // SAFETY: `done + i < blocks`, and `src` is readable for `blocks` blocks, by the
            // contract of `CbcKernel`.
            *block = unsafe { src.add((done + i) * 16).cast::<Block>().read() };
        }
        let mut output = input;
        cipher.decrypt(&mut output);
        for (i, block) in output.iter_mut().enumerate().take(count) {
            xor(block, if i == 0 { &previous } else { &input[i - 1] });
            // SAFETY: `done + i < blocks`, and `dst` is writable for `blocks` blocks, by the
            // contract of `CbcKernel`.
            unsafe { dst.add((done + i) * 16).cast::<Block>().write(*block) };
        }
        previous = input[count - 1];
        done += count;
    }
}

/// A key, or four, made ready for four blocks at a time, wiped when dropped.
pub(crate) struct SlicedCipher {
    keys: SlicedKeys,
    rounds: usize,
}

impl SlicedCipher {
    pub(crate) fn new(key: &impl Borrow<CipherKey>) -> Self {
        SlicedCipher::of_lanes([key; WIDTH])
    }

    /// Takes one key for each block; all have the same number of rounds.
    pub(crate) fn of_lanes(keys: [&impl Borrow<CipherKey>; WIDTH]) -> Self {
        let keys: [&CipherKey; WIDTH] = keys.map(Borrow::borrow);
        let rounds = keys[0].rounds();
        SlicedCipher { keys: slice_keys(keys.map(CipherKey::encryption), rounds), rounds }
    }

    /// Encrypts each block.
    pub(crate) fn encrypt(&self, blocks: &mut [Block; WIDTH]) {
        let mut x = slice(blocks);
        encrypt_sliced(&mut x, &self.keys, self.rounds);
        *blocks = unslice(x);
    }
}

/// A key made ready for the inverse cipher, four blocks at a time, wiped when dropped.
pub(crate) struct SlicedInverse {
    keys: SlicedKeys,
    rounds: usize,
}

impl SlicedInverse {
    pub(crate) fn new(key: &AesKey) -> Self {
        let rounds = key.rounds();
        SlicedInverse { keys: slice_keys([key.decryption(); WIDTH], rounds), rounds }
    }

    /// Decrypts each block.
    pub(crate) fn decrypt(&self, blocks: &mut [Block; WIDTH]) {
        let mut x = slice(blocks);
        decrypt_sliced(&mut x, &self.keys, self.rounds);
        *blocks = unslice(x);
    }
}

/// Applies SubWord (FIPS 197, 5.2): the S-box on each byte of a word of the key expansion.
pub(crate) fn sub_word(word: u32) -> u32 {
    let mut x = [0; 8];
    for (k, slice) in x.iter_mut().enumerate() {
        *slice = u64::from(word >> k & 0x0101_0101);
    }
    sbox::sub(&mut x);
    let mut out = 0;
    for (k, slice) in x.iter().enumerate() {
        out |= (*slice as u32 & 0x0101_0101) << k;
    }
    out
}

fn encrypt_sliced(x: &mut Sliced, keys: &SlicedKeys, rounds: usize) {
    add(x, &keys[0]);
    for key in &keys[1..rounds] {
        sbox::sub(x);
        shift_rows(x);
        mix_columns(x);
        add(x, key);
    }
    sbox::sub(x);
    shift_rows(x);
    add(x, &keys[rounds]);
}

/// Applies the equivalent inverse cipher (FIPS 197, 5.3.5).
fn decrypt_sliced(x: &mut Sliced, keys: &SlicedKeys, rounds: usize) {
    add(x, &keys[0]);
    for key in &keys[1..rounds] {
        sbox::inv_sub(x);
        inv_shift_rows(x);
        inv_mix_columns(x);
        add(x, key);
    }
    sbox::inv_sub(x);
    inv_shift_rows(x);
    add(x, &keys[rounds]);
}

fn slice_keys(keys: [&[Block; MAX_ROUNDS + 1]; WIDTH], rounds: usize) -> SlicedKeys {
    let mut sliced = Zeroizing::new([[0; 8]; MAX_ROUNDS + 1]);
    for (round, out) in sliced.iter_mut().enumerate().take(rounds + 1) {
        *out = slice(&keys.map(|key| key[round]));
    }
    sliced
}

pub(crate) fn xor(a: &mut Block, b: &Block) {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
}

#[inline(always)]
fn add(x: &mut Sliced, key: &Sliced) {
    for (x, key) in x.iter_mut().zip(key) {
        *x ^= key;
    }
}

/// Puts four blocks into bit order.
///
/// Word `4 (c mod 2) + b` first gathers columns `c` and `c + 2` of block `b`, row by row, a byte of
/// one and a byte of the other; then the eight words are transposed as 8 × 8 bits in each byte.
fn slice(blocks: &[Block; WIDTH]) -> Sliced {
    let mut x = [0; 8];
    for (b, block) in blocks.iter().enumerate() {
        let columns = u128::from_le_bytes(*block);
        for half in 0..2 {
            let near = columns >> (32 * half);
            x[4 * half + b] = spread(near as u32) | spread((near >> 64) as u32) << 8;
        }
    }
    transpose(&mut x);
    x
}

/// Returns the inverse of [`slice`].
fn unslice(mut x: Sliced) -> [Block; WIDTH] {
    transpose(&mut x);
    core::array::from_fn(|b| {
        let mut columns = 0;
        for half in 0..2 {
            let word = x[4 * half + b];
            let pair = u128::from(gather(word)) | u128::from(gather(word >> 8)) << 64;
            columns |= pair << (32 * half);
        }
        columns.to_le_bytes()
    })
}

/// Moves the four bytes of a word to the even bytes of a longer one.
#[inline(always)]
fn spread(word: u32) -> u64 {
    let x = u64::from(word);
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    (x | x << 8) & 0x00ff_00ff_00ff_00ff
}

/// Returns the inverse of [`spread`]; odd bytes are dropped.
#[inline(always)]
fn gather(x: u64) -> u32 {
    let x = x & 0x00ff_00ff_00ff_00ff;
    let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

/// Swaps bit `i` of each byte of word `j` with bit `j` of the same byte of word `i`.
#[inline(always)]
fn transpose(x: &mut Sliced) {
    for (distance, mask) in
        [(1, 0x5555_5555_5555_5555), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)]
    {
        for i in (0..8).filter(|i| i & distance == 0) {
            let swapped = (x[i] >> distance ^ x[i + distance]) & mask;
            x[i + distance] ^= swapped;
            x[i] ^= swapped << distance;
        }
    }
}

#[inline(always)]
fn shift_rows(x: &mut Sliced) {
    for x in x {
        *x = rotate_row(rotate_row(rotate_row(*x, 1, 1), 2, 2), 3, 3);
    }
}

#[inline(always)]
fn inv_shift_rows(x: &mut Sliced) {
    for x in x {
        *x = rotate_row(rotate_row(rotate_row(*x, 1, 3), 2, 2), 3, 1);
    }
}

/// Rotates one row of every block by some columns: a 16-bit field, by four bits a column.
#[inline(always)]
fn rotate_row(x: u64, row: u32, columns: u32) -> u64 {
    let field = 0xffff << (16 * row);
    let wrapped = field & field << (16 - 4 * columns);
    (x & !field) | (x >> (4 * columns) & field & !wrapped) | (x << (16 - 4 * columns) & wrapped)
}

#[inline(always)]
fn mix_columns(x: &mut Sliced) {
    let below = x.map(|x| x.rotate_right(16));
    let sum: Sliced = core::array::from_fn(|k| x[k] ^ below[k]);
    let doubled = double(&sum);
    *x = core::array::from_fn(|k| doubled[k] ^ below[k] ^ sum[k].rotate_right(32));
}

/// Applies InvMixColumns, which is MixColumns after `a(r) + 4 (a(r) + a(r + 2))`.
#[inline(always)]
fn inv_mix_columns(x: &mut Sliced) {
    let sum = x.map(|x| x ^ x.rotate_right(32));
    add(x, &double(&double(&sum)));
    mix_columns(x);
}

/// Times 2 in the AES field, on every byte.
#[inline(always)]
fn double(x: &Sliced) -> Sliced {
    let [x0, x1, x2, x3, x4, x5, x6, x7] = *x;
    [x7, x0 ^ x7, x1, x2 ^ x7, x3 ^ x7, x4, x5, x6]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The substitutions against their definition, on all 256 bytes.
    #[test]
    fn s_boxes_are_those_of_the_standard() {
        let times = |a: u8, b: u8| {
            (0..8).fold(0, |sum, bit| {
                let shifted = (0..bit).fold(a, |a, _| a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 });
                sum ^ if b >> bit & 1 == 1 { shifted } else { 0 }
            })
        };
        for byte in 0..=255_u8 {
            let inverse = (0..=255_u8).find(|&i| times(byte, i) == 1).unwrap_or(0);
            let expected = (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn));
            let spread: Sliced = core::array::from_fn(|k| u64::from(byte >> k & 1) << 17);

            let mut x = spread;
            sbox::sub(&mut x);
            let got = (0..8).fold(0, |sum, k| sum | ((x[k] >> 17 & 1) as u8) << k);
            assert_eq!(got, expected, "S-box of {byte:#04x}");

            sbox::inv_sub(&mut x);
            assert_eq!(x.map(|x| x >> 17 & 1), spread.map(|x| x >> 17), "inverse");
        }
    }

    #[test]
    fn slicing_puts_every_bit_where_the_layout_says_and_back() {
        for (block, column, row, bit) in
            (0..4 * 16 * 8).map(|i| (i >> 7, i >> 5 & 3, i >> 3 & 3, i & 7))
        {
            let mut blocks = [[0; 16]; WIDTH];
            blocks[block][4 * column + row] = 1 << bit;
            let sliced = slice(&blocks);
            let mut expected = [0; 8];
            expected[bit] = 1 << (16 * row + 4 * column + block);
            assert_eq!(sliced, expected);
            assert_eq!(unslice(sliced), blocks);
        }
    }
}
