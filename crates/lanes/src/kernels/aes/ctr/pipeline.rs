//! Counter mode written once over the registers of an instruction set.

#![expect(clippy::needless_range_loop, reason = "a register is an index into places of the text")]

use core::borrow::Borrow;

use super::STREAMED;
use crate::kernels::aes::key::{AesKey, CipherKey};
use crate::kernels::aes::register::{Wide, encrypt};

/// Ciphers `len` bytes with the [counters](Wide::counters) and, if `EXTRA`, also one block `extra`,
/// whose ciphertext is returned in the first place.
///
/// `TOGETHER` registers make a group, 4 or 8: enough to begin a new round in every cycle.
///
/// # Safety
/// - The contract of [`CtrKernel`](super::CtrKernel) for the key, `src`, `dst` and `len`.
/// - The instructions are enabled (the contract of [`Wide`]).
#[inline(always)]
pub(crate) unsafe fn cipher<W: Wide, const EXTRA: bool, const TOGETHER: usize>(
    key: *const impl Borrow<CipherKey>,
    mut counters: W,
    extra: W,
    src: *const u8,
    dst: *mut u8,
    len: usize,
) -> W {
    const { assert!(TOGETHER == 4 || TOGETHER == 8) };
    let (width, group) = (W::BLOCKS * 16, TOGETHER * W::BLOCKS * 16);
    // SAFETY: `src` and `dst` are valid for `len` bytes and the key is valid, by this function's
    // contract. Each group begins at `at` and ends at or before `len`; what is left then is less
    // than a group, and the part at its end less than a register.
    unsafe {
        let mut at = 0;
        while len - at >= group {
            let mut x = take::<W, TOGETHER>(&mut counters);
            encrypt(key, &mut x, &mut ());
            add::<W, TOGETHER>(&x, src.add(at), dst.add(at));
            at += group;
        }
        let (src, dst, len) = (src.add(at), dst.add(at), len - at);
        let rest = Rest { key, counters, extra, src, dst, len };
        let blocks = len.div_ceil(16) + usize::from(EXTRA);
        let (stream, extra) = match blocks.div_ceil(W::BLOCKS) {
            0 => return extra,
            1 => rest.cipher::<EXTRA, 1>(),
            2 => rest.cipher::<EXTRA, 2>(),
            3 => rest.cipher::<EXTRA, 3>(),
            4 => rest.cipher::<EXTRA, 4>(),
            _ if const { TOGETHER == 4 } => rest.cipher::<EXTRA, 5>(),
            5 => rest.cipher::<EXTRA, 5>(),
            6 => rest.cipher::<EXTRA, 6>(),
            7 => rest.cipher::<EXTRA, 7>(),
            8 => rest.cipher::<EXTRA, 8>(),
            _ => rest.cipher::<EXTRA, 9>(),
        };
        let part = len % width;
        if part > 0 {
            let at = len - part;
            stream.xor(W::load_part(src.add(at), part)).store_part(dst.add(at), part);
        }
        extra
    }
}

/// Writes `len` bytes of the key stream of the [counters](Wide::counters).
///
/// # Safety
/// - The contract of [`CtrKernel`](super::CtrKernel) for the key, `dst` and `len`, which is a
///   multiple of [`STREAMED`].
/// - The instructions are enabled (the contract of [`Wide`]).
#[inline(always)]
pub(crate) unsafe fn stream<W: Wide, const TOGETHER: usize>(
    key: *const AesKey,
    mut counters: W,
    dst: *mut u8,
    len: usize,
) {
    let width = 16 * W::BLOCKS;
    const { assert!(STREAMED.is_multiple_of(16 * W::BLOCKS * TOGETHER)) };
    // SAFETY: `dst` is writable for `len` bytes by this function's contract, and `len` is a
    // multiple of the length of a group, so that every group lies within it.
    unsafe {
        for at in (0..len).step_by(width * TOGETHER) {
            let mut x = take::<W, TOGETHER>(&mut counters);
            encrypt(key, &mut x, &mut ());
            for i in 0..TOGETHER {
                x[i].store(dst.add(at + width * i));
            }
        }
    }
}

/// Returns the next counters as blocks.
///
/// # Safety
/// The instructions are enabled (the contract of [`Wide`]).
#[inline(always)]
pub(crate) unsafe fn take<W: Wide, const N: usize>(counters: &mut W) -> [W; N] {
    // SAFETY: the instructions are enabled by this function's contract.
    unsafe {
        let mut x = [*counters; N];
        for i in 0..N {
            x[i] = counters.count((i * W::BLOCKS) as u32).counter_blocks();
        }
        *counters = counters.count((N * W::BLOCKS) as u32);
        x
    }
}

/// Adds key stream to whole registers of text.
///
/// # Safety
/// - `src` is readable and `dst` writable for `N` registers, and they are equal or apart.
/// - The instructions are enabled (the contract of [`Wide`]).
#[inline(always)]
pub(crate) unsafe fn add<W: Wide, const N: usize>(x: &[W; N], src: *const u8, dst: *mut u8) {
    for i in 0..N {
        let at = i * W::BLOCKS * 16;
        // SAFETY: register `i` of `N` lies within what `src` and `dst` are valid for by this
        // function's contract.
        unsafe { x[i].xor(W::load(src.add(at))).store(dst.add(at)) };
    }
}

/// The rest of a buffer: at most a group.
struct Rest<W, K> {
    key: *const K,
    counters: W,
    extra: W,
    src: *const u8,
    dst: *mut u8,
    len: usize,
}

impl<W: Wide, K: Borrow<CipherKey>> Rest<W, K> {
    /// Ciphers all whole registers of the rest. Returns the key stream after them, and the extra
    /// block.
    ///
    /// `N` is the number of registers that the rest takes, including the register of the extra
    /// block.
    ///
    /// # Safety
    /// The conditions of [`cipher`], for the rest.
    #[inline(always)]
    unsafe fn cipher<const EXTRA: bool, const N: usize>(mut self) -> (W, W) {
        let width = W::BLOCKS * 16;
        // The extra block comes after the blocks of the text, in the last register.
        let place = self.len.div_ceil(16) % W::BLOCKS;
        // SAFETY: `src` and `dst` are valid for `len` bytes by this function's contract. All
        // registers before `surely` are full, because the extra block adds one register at most;
        // from there on a register is loaded and stored only if it ends at or before `len`.
        unsafe {
            let mut x = take::<W, N>(&mut self.counters);
            if EXTRA {
                x[N - 1] = x[N - 1].with_block(place, self.extra);
            }
            encrypt(self.key, &mut x, &mut ());
            let extra = if EXTRA { x[N - 1].block(place) } else { self.extra };
            // All registers are full except the last one or two: the very last may have no text.
            let surely = N - 1 - usize::from(EXTRA && N > 1);
            for i in 0..surely {
                x[i].xor(W::load(self.src.add(i * width))).store(self.dst.add(i * width));
            }
            let mut stream = x[surely];
            for i in surely..N {
                if (i + 1) * width <= self.len {
                    x[i].xor(W::load(self.src.add(i * width))).store(self.dst.add(i * width));
                    stream = x[N - 1];
                }
            }
            (stream, extra)
        }
    }
}
