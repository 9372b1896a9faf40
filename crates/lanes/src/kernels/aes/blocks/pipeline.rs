//! Modes of independent blocks written once over the registers of an instruction set.

#![expect(clippy::needless_range_loop, reason = "a register is an index into places of the text")]

use core::marker::PhantomData;

use super::next_tweak;
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::register::{Decrypt, Forward, Way, Wide, all_rounds};

/// A mode: the cipher's input, and the use of its output.
///
/// # Safety The contract of [`Aes`](crate::kernels::aes::register::Aes): the instructions are
/// enabled. `src` is readable for the text that a method takes.
pub(crate) trait Mode<W: Wide> {
    type Way: Way<W>;

    /// Returns the cipher's input for the text in `N` registers at `src`, and the values kept
    /// beside it.
    unsafe fn take<const N: usize>(&mut self, src: *const u8) -> ([W; N], [W; N]);

    /// Does the same for the text in a part of a register, `len` bytes: whole blocks, and at least
    /// one.
    unsafe fn take_part(&mut self, src: *const u8, len: usize) -> (W, W);

    /// Combines the cipher's output with `text`, which was there before.
    unsafe fn mask(kept: W, text: W) -> W;
}

/// Sends blocks through a mode: in groups of `TOGETHER` registers, 4 or 8, and the rest in fewer.
///
/// # Safety
/// - The contract of [`BlocksKernel`](super::BlocksKernel), for `blocks` blocks; the key is valid.
/// - The instructions are enabled (the contract of [`Mode`]).
#[inline(always)]
pub(crate) unsafe fn process<W: Wide, M: Mode<W>, const TOGETHER: usize>(
    key: *const AesKey,
    mode: &mut M,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    const { assert!(TOGETHER == 4 || TOGETHER == 8) };
    let (mut at, len) = (0, 16 * blocks);
    let width = 16 * W::BLOCKS;
    // SAFETY: `src` and `dst` are valid for `len` bytes by this function's contract; each group
    // begins at `at` and ends at or before `len`, and what is left then is less than a register.
    unsafe {
        while len - at >= TOGETHER * width {
            group::<W, M, TOGETHER>(key, mode, src.add(at), dst.add(at));
            at += TOGETHER * width;
        }
        if const { TOGETHER > 4 } && len - at >= 4 * width {
            group::<W, M, 4>(key, mode, src.add(at), dst.add(at));
            at += 4 * width;
        }
        if len - at >= 2 * width {
            group::<W, M, 2>(key, mode, src.add(at), dst.add(at));
            at += 2 * width;
        }
        if len - at >= width {
            group::<W, M, 1>(key, mode, src.add(at), dst.add(at));
            at += width;
        }
        if W::BLOCKS > 1 && len > at {
            let (src, dst, len) = (src.add(at), dst.add(at), len - at);
            let (x, kept) = mode.take_part(src, len);
            let mut x = [x];
            all_rounds::<W, M::Way, _, 1>(key, &mut x, &mut ());
            x[0] = x[0].xor(M::mask(kept, load_part(src, len)));
            match W::BLOCKS {
                2 => x[0].store_one(dst),
                _ => x[0].store_part(dst, len),
            }
        }
    }
}

/// Loads a part of a register: some whole blocks, fewer than it has room for.
///
/// # Safety
/// `src` is readable for `len` bytes, at least a block; the instructions are enabled.
#[inline(always)]
unsafe fn load_part<W: Wide>(src: *const u8, len: usize) -> W {
    // SAFETY: `src` is readable for `len` bytes by this function's contract; a register of two
    // blocks has one block as its only part.
    unsafe {
        match W::BLOCKS {
            2 => W::load_one(src),
            _ => W::load_part(src, len),
        }
    }
}

/// Sends `N` whole registers through a mode.
///
/// # Safety
/// The conditions of [`process`], for the blocks of `N` registers.
#[inline(always)]
unsafe fn group<W: Wide, M: Mode<W>, const N: usize>(
    key: *const AesKey,
    mode: &mut M,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: `src` and `dst` are valid for `N` registers by this function's contract; each place
    // is read before it is written to.
    unsafe {
        let (mut x, kept) = mode.take::<N>(src);
        all_rounds::<W, M::Way, _, N>(key, &mut x, &mut ());
        for i in 0..N {
            let at = 16 * W::BLOCKS * i;
            x[i].xor(M::mask(kept[i], W::load(src.add(at)))).store(dst.add(at));
        }
    }
}

/// Loads the `N` registers at a place.
///
/// # Safety
/// `src` is readable for `N` registers; the instructions are enabled.
#[inline(always)]
unsafe fn load<W: Wide, const N: usize>(src: *const u8) -> [W; N] {
    // SAFETY: `src` is readable for `N` registers by this function's contract.
    unsafe {
        let mut x = [W::load(src); N];
        for i in 1..N {
            x[i] = W::load(src.add(16 * W::BLOCKS * i));
        }
        x
    }
}

/// ECB, either way.
pub(crate) struct Ecb<D>(pub PhantomData<D>);

impl<W: Wide, D: Way<W>> Mode<W> for Ecb<D> {
    type Way = D;

    #[inline(always)]
    unsafe fn take<const N: usize>(&mut self, src: *const u8) -> ([W; N], [W; N]) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        unsafe { (load(src), [W::zero(); N]) }
    }

    #[inline(always)]
    unsafe fn take_part(&mut self, src: *const u8, len: usize) -> (W, W) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        unsafe { (load_part(src, len), W::zero()) }
    }

    #[inline(always)]
    unsafe fn mask(kept: W, _: W) -> W {
        kept
    }
}

/// XTS, either way: the tweaks of the next blocks.
pub(crate) struct Xts<W, D>(W, PhantomData<D>);

impl<W: Wide, D> Xts<W, D> {
    /// Makes the mode from the first tweak.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Mode`]).
    #[inline(always)]
    unsafe fn new(tweak: &Block) -> Self {
        let mut next = u128::from_le_bytes(*tweak);
        // SAFETY: the instructions are enabled by this function's contract, and a tweak has 16
        // bytes.
        unsafe {
            let mut tweaks = W::load_one(tweak.as_ptr());
            for place in 1..W::BLOCKS {
                next = next_tweak(next);
                tweaks = tweaks.with_block(place, W::from_number(next));
            }
            Xts(tweaks, PhantomData)
        }
    }
}

impl<W: Wide, D: Way<W>> Mode<W> for Xts<W, D> {
    type Way = D;

    #[inline(always)]
    unsafe fn take<const N: usize>(&mut self, src: *const u8) -> ([W; N], [W; N]) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        unsafe {
            let mut x = load::<W, N>(src);
            let mut kept = x;
            for i in 0..N {
                kept[i] = self.0;
                x[i] = x[i].xor(self.0);
                self.0 = self.0.next_tweaks();
            }
            (x, kept)
        }
    }

    #[inline(always)]
    unsafe fn take_part(&mut self, src: *const u8, len: usize) -> (W, W) {
        // SAFETY: the text is readable for `len` bytes and the instructions are enabled, by the
        // contract of `Mode`. `len / 16` is less than the blocks of a register, so it is a place:
        // that of the first tweak which is not used here.
        unsafe {
            let kept = self.0;
            self.0 = kept.block(len / 16);
            (load_part::<W>(src, len).xor(kept), kept)
        }
    }

    #[inline(always)]
    unsafe fn mask(kept: W, _: W) -> W {
        kept
    }
}

/// CFB decryption: the ciphertext block before the next, in the first place.
pub(crate) struct Cfb<W>(pub W);

impl<W: Wide> Mode<W> for Cfb<W> {
    type Way = Forward;

    #[inline(always)]
    unsafe fn take<const N: usize>(&mut self, src: *const u8) -> ([W; N], [W; N]) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        let x = unsafe { W::predecessors(&mut self.0, src) };
        (x, x)
    }

    #[inline(always)]
    unsafe fn take_part(&mut self, src: *const u8, len: usize) -> (W, W) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        let x = unsafe { W::predecessors_of_part(self.0, src, len) };
        (x, x)
    }

    #[inline(always)]
    unsafe fn mask(_: W, text: W) -> W {
        text
    }
}

/// CBC decryption: the ciphertext block before the next, in the first place.
pub(crate) struct Cbc<W>(pub W);

impl<W: Decrypt + Wide> Mode<W> for Cbc<W> {
    type Way = crate::kernels::aes::register::Backward;

    #[inline(always)]
    unsafe fn take<const N: usize>(&mut self, src: *const u8) -> ([W; N], [W; N]) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        unsafe { (load(src), W::predecessors(&mut self.0, src)) }
    }

    #[inline(always)]
    unsafe fn take_part(&mut self, src: *const u8, len: usize) -> (W, W) {
        // SAFETY: the text is readable and the instructions are enabled, by the contract of `Mode`.
        unsafe { (load_part(src, len), W::predecessors_of_part(self.0, src, len)) }
    }

    #[inline(always)]
    unsafe fn mask(kept: W, _: W) -> W {
        kept
    }
}

/// Does what [`BlocksKernel::encrypt`](super::BlocksKernel) or its inverse does.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
pub(crate) unsafe fn ecb<W: Decrypt + Wide, D: Way<W>, const TOGETHER: usize>(
    key: &AesKey,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    // SAFETY: these are the conditions of this function's own contract.
    unsafe { process::<W, _, TOGETHER>(key, &mut Ecb::<D>(PhantomData), src, dst, blocks) }
}

/// Does what [`BlocksKernel::xts_encrypt`](super::BlocksKernel) or its inverse does.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
pub(crate) unsafe fn xts<W: Decrypt + Wide, D: Way<W>, const TOGETHER: usize>(
    key: &AesKey,
    tweak: &mut Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    // SAFETY: these are the conditions of this function's own contract; the tweak has 16 bytes.
    unsafe {
        let mut mode = Xts::<W, D>::new(tweak);
        process::<W, _, TOGETHER>(key, &mut mode, src, dst, blocks);
        mode.0.store_one(tweak.as_mut_ptr());
    }
}

/// Does what [`BlocksKernel::cfb_decrypt`](super::BlocksKernel) does.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
pub(crate) unsafe fn cfb<W: Wide, const TOGETHER: usize>(
    key: &AesKey,
    iv: &Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    // SAFETY: these are the conditions of this function's own contract; the IV has 16 bytes.
    unsafe { process::<W, _, TOGETHER>(key, &mut Cfb(W::load_one(iv.as_ptr())), src, dst, blocks) }
}

/// Does what [`CbcKernel::decrypt`](crate::kernels::aes::cbc::CbcKernel) does, in registers of
/// several blocks.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
pub(crate) unsafe fn cbc<W: Decrypt + Wide, const TOGETHER: usize>(
    key: &AesKey,
    iv: &Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    // SAFETY: these are the conditions of this function's own contract; the IV has 16 bytes.
    unsafe { process::<W, _, TOGETHER>(key, &mut Cbc(W::load_one(iv.as_ptr())), src, dst, blocks) }
}
