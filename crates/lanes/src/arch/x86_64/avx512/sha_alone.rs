//! SHA-1, SHA-224 and SHA-256 of one message in one go: the SHA instructions, with the padding in a
//! register of AVX-512.
//!
//! A scheduler of lanes writes the padded end of a message to memory in pieces: the rest of the
//! message, zeros, a mark, the length. The loads of the rounds each span several of these pieces,
//! so that they wait until all stores before them have reached the cache, those of the message
//! before this one, too. For a message of a block or two that wait is longer than the rounds. Here
//! a masked load brings the rest into a register, where it is padded, and the state stays in
//! registers to the end. Then nothing waits, and consecutive messages overlap.

use core::arch::x86_64::*;

use super::vectors::padded;
use crate::arch::x86_64::common::sha::{Sha1Buffer, Sha256Buffer, ShaBuffer};
use crate::kernels::hash::algorithm::Hash;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Bytes of a block that the length leaves for the end of the message.
const ROOM: usize = BLOCK - 8;

/// Takes one message to its end by SHA-1, with the contract of
/// [`LoneRun`](crate::kernels::hash::kernel::LoneRun).
#[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
pub(in crate::arch) unsafe fn sha1<A: Hash<Word = u32>>(
    start: *const u32,
    data: *const u8,
    len: usize,
    total: u64,
    outer: *const u32,
    to: *mut u8,
) {
    // SAFETY: the arguments fulfil the contract of `LoneRun`, and this function enables the
    // instructions.
    unsafe { whole::<Sha1Buffer, A>(start, data, len, total, outer, to) }
}

/// Takes one message to its end by SHA-224 or SHA-256, with the contract of
/// [`LoneRun`](crate::kernels::hash::kernel::LoneRun).
#[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
pub(in crate::arch) unsafe fn sha256<A: Hash<Word = u32>>(
    start: *const u32,
    data: *const u8,
    len: usize,
    total: u64,
    outer: *const u32,
    to: *mut u8,
) {
    // SAFETY: the arguments fulfil the contract of `LoneRun`, and this function enables the
    // instructions.
    unsafe { whole::<Sha256Buffer, A>(start, data, len, total, outer, to) }
}

/// Is the body of both kernels.
///
/// # Safety
/// - The contract of [`LoneRun`](crate::kernels::hash::kernel::LoneRun).
/// - The CPU has the SHA instructions, AVX-512 F, BW and DQ, and BMI2.
#[inline(always)]
unsafe fn whole<B: ShaBuffer, A: Hash<Word = u32>>(
    start: *const u32,
    data: *const u8,
    len: usize,
    total: u64,
    outer: *const u32,
    to: *mut u8,
) {
    let (blocks, rest) = (len / BLOCK, len % BLOCK);
    let states = [start, outer].map(<*const u32>::cast_mut);
    // SAFETY: `start` and `outer` are readable for a state, `data` for `blocks` blocks and `rest`
    // bytes, and `to` is writable for a digest, by the contract of `LoneRun`; the CPU has the
    // instructions, by this function's contract. `load` and `begin_outer` only read the states
    // behind the pointers that are cast to mutable ones.
    unsafe {
        let end = padded(data.add(BLOCK * blocks), rest as u32);
        let bits = (total << 3).to_be().cast_signed();
        let length = _mm512_maskz_set1_epi64(0x80, bits);
        let mut buffer = B::load(&raw const states[0]);
        for block in 0..blocks {
            buffer.begin(&raw const data, BLOCK * block);
            buffer.finish_block();
        }
        let last = if rest < ROOM {
            _mm512_or_si512(end, length)
        } else {
            buffer.begin_block(quarters(end));
            buffer.finish_block();
            length
        };
        buffer.begin_block(quarters(last));
        buffer.finish_block();
        if !outer.is_null() {
            buffer.begin_outer::<A>(&raw const states[1]);
            buffer.finish_block();
        }
        buffer.write_digest::<A>(to);
    }
}

/// Returns the quarters of a block.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn quarters(block: __m512i) -> [__m128i; 4] {
    // SAFETY: the CPU has AVX-512 F, by this function's contract.
    unsafe {
        [
            _mm512_castsi512_si128(block),
            _mm512_extracti32x4_epi32::<1>(block),
            _mm512_extracti32x4_epi32::<2>(block),
            _mm512_extracti32x4_epi32::<3>(block),
        ]
    }
}
