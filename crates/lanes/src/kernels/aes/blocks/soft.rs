//! Modes of independent blocks in constant time on plain integers: four blocks of a buffer at once.

use zeroize::Zeroize;

use super::{BlocksKernel, next_tweak};
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::soft::{SlicedCipher, SlicedInverse, WIDTH, xor};

/// Constant-time AES on plain integers, for any CPU.
pub(crate) static SOFT: BlocksKernel =
    BlocksKernel { name: "bitsliced", encrypt, decrypt, xts_encrypt, xts_decrypt, cfb_decrypt };

type Blocks = [Block; WIDTH];

/// Does what [`BlocksKernel::encrypt`] does, with its contract.
unsafe fn encrypt(key: &AesKey, src: *const u8, dst: *mut u8, blocks: usize) {
    let cipher = SlicedCipher::new(key);
    // SAFETY: the arguments fulfil the contract of `BlocksKernel`.
    unsafe { process(src, dst, blocks, |x, _| cipher.encrypt(x)) }
}

/// Does what [`BlocksKernel::decrypt`] does, with its contract.
unsafe fn decrypt(key: &AesKey, src: *const u8, dst: *mut u8, blocks: usize) {
    let cipher = SlicedInverse::new(key);
    // SAFETY: the arguments fulfil the contract of `BlocksKernel`.
    unsafe { process(src, dst, blocks, |x, _| cipher.decrypt(x)) }
}

/// Does what [`BlocksKernel::xts_encrypt`] does, with its contract.
unsafe fn xts_encrypt(
    key: &AesKey,
    tweak: &mut Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    let cipher = SlicedCipher::new(key);
    // SAFETY: the arguments fulfil the contract of `BlocksKernel`.
    unsafe { process(src, dst, blocks, |x, count| tweaked(tweak, x, count, |x| cipher.encrypt(x))) }
}

/// Does what [`BlocksKernel::xts_decrypt`] does, with its contract.
unsafe fn xts_decrypt(
    key: &AesKey,
    tweak: &mut Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    let cipher = SlicedInverse::new(key);
    // SAFETY: the arguments fulfil the contract of `BlocksKernel`.
    unsafe { process(src, dst, blocks, |x, count| tweaked(tweak, x, count, |x| cipher.decrypt(x))) }
}

/// Ciphers between two additions of the tweaks, and moves the tweak on by `count` blocks.
fn tweaked(tweak: &mut Block, x: &mut Blocks, count: usize, cipher: impl FnOnce(&mut Blocks)) {
    let mut tweaks = [[0; 16]; WIDTH];
    for (block, place) in x.iter_mut().zip(&mut tweaks).take(count) {
        *place = *tweak;
        xor(block, place);
        *tweak = next_tweak(u128::from_le_bytes(*tweak)).to_le_bytes();
    }
    cipher(x);
    x.iter_mut().zip(&tweaks).for_each(|(block, tweak)| xor(block, tweak));
    tweaks.zeroize();
}

/// Does what [`BlocksKernel::cfb_decrypt`] does, with its contract.
unsafe fn cfb_decrypt(key: &AesKey, iv: &Block, src: *const u8, dst: *mut u8, blocks: usize) {
    let cipher = SlicedCipher::new(key);
    let mut previous = *iv;
    let decrypt = |x: &mut Blocks, count: usize| {
        let text = *x;
        *x = [previous, text[0], text[1], text[2]];
        previous = text[count - 1];
        cipher.encrypt(x);
        x.iter_mut().zip(&text).for_each(|(block, text)| xor(block, text));
    };
    // SAFETY: the arguments fulfil the contract of `BlocksKernel`.
    unsafe { process(src, dst, blocks, decrypt) }
}

/// Replaces every block by the result of `work`, which gets four blocks at a time, or as many as
/// are left.
///
/// # Safety
/// The contract of [`BlocksKernel`], for `src`, `dst` and `blocks`.
unsafe fn process(
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
    mut work: impl FnMut(&mut Blocks, usize),
) {
    for first in (0..blocks).step_by(WIDTH) {
        let count = WIDTH.min(blocks - first);
        let mut x = [[0; 16]; WIDTH];
        for (i, block) in x.iter_mut().enumerate().take(count) {
            // SAFETY: `first + i < blocks`, and `src` is readable for `blocks` blocks, by this
            // function's contract.
            *block = unsafe { src.cast::<Block>().add(first + i).read() };
        }
        work(&mut x, count);
        for (i, block) in x.iter().enumerate().take(count) {
            // SAFETY: `first + i < blocks`, and `dst` is writable for `blocks` blocks, by this
            // function's contract.
            unsafe { dst.cast::<Block>().add(first + i).write(*block) };
        }
        x.zeroize();
    }
}
