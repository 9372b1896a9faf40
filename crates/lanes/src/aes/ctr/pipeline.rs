//! Counter mode written once over the registers of an instruction set.

#![expect(clippy::needless_range_loop, reason = "a register is an index into places of the text")]

use super::STREAMED;
use crate::aes::key::AesKey;
use crate::aes::register::{Wide, encrypt};

/// Ciphers `len` bytes with the [counters](Wide::counters), and one block `extra` besides if
/// `EXTRA`: what becomes of that is returned in the first place.
///
/// `TOGETHER` registers make a group, 4 or 8: enough to have a new round begin in every cycle.
///
/// # Safety
/// The contracts of [`CtrKernel`](super::CtrKernel) and of [`Wide`].
#[inline(always)]
pub(crate) unsafe fn cipher<W: Wide, const EXTRA: bool, const TOGETHER: usize>(
    key: *const AesKey,
    mut counters: W,
    extra: W,
    src: *const u8,
    dst: *mut u8,
    len: usize,
) -> W {
    const { assert!(TOGETHER == 4 || TOGETHER == 8) };
    let (width, group) = (W::BLOCKS * 16, TOGETHER * W::BLOCKS * 16);
    // SAFETY: the caller's; groups and what is left after them are within `len`.
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

/// Writes the key stream of the [counters](Wide::counters).
///
/// # Safety
/// The contracts of [`CtrKernel`](super::CtrKernel) and of [`Wide`].
#[inline(always)]
pub(crate) unsafe fn stream<W: Wide, const TOGETHER: usize>(
    key: *const AesKey,
    mut counters: W,
    dst: *mut u8,
    len: usize,
) {
    let width = 16 * W::BLOCKS;
    const { assert!(STREAMED.is_multiple_of(16 * W::BLOCKS * TOGETHER)) };
    // SAFETY: the caller's; whole groups.
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

/// The next counters as blocks.
///
/// # Safety
/// The contract of [`Wide`].
#[inline(always)]
pub(crate) unsafe fn take<W: Wide, const N: usize>(counters: &mut W) -> [W; N] {
    // SAFETY: the caller's.
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
/// The contract of [`Wide`]; so many registers can be read and written.
#[inline(always)]
pub(crate) unsafe fn add<W: Wide, const N: usize>(x: &[W; N], src: *const u8, dst: *mut u8) {
    for i in 0..N {
        let at = i * W::BLOCKS * 16;
        // SAFETY: the caller's.
        unsafe { x[i].xor(W::load(src.add(at))).store(dst.add(at)) };
    }
}

/// The rest of a buffer: at most a group.
struct Rest<W> {
    key: *const AesKey,
    counters: W,
    extra: W,
    src: *const u8,
    dst: *mut u8,
    len: usize,
}

impl<W: Wide> Rest<W> {
    /// Ciphers all whole registers of it. Returns the key stream after them, and the extra block.
    ///
    /// `N` is the number of registers that it takes, the extra block's included.
    ///
    /// # Safety
    /// As [`cipher`].
    #[inline(always)]
    unsafe fn cipher<const EXTRA: bool, const N: usize>(mut self) -> (W, W) {
        let width = W::BLOCKS * 16;
        // The extra block comes after the blocks of the text, in the last register.
        let place = self.len.div_ceil(16) % W::BLOCKS;
        // SAFETY: the caller's; register `i` has the bytes from `i * width` on, if there are any.
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
