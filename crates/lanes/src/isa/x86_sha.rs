//! The SHA extensions of x86-64: one buffer, or two interleaved, each in registers of its own.
//!
//! A `sha256rnds2` waits four cycles for the one before it and can start every two, a `sha1rnds4` six
//! and every four (AMD Zen 3): a second buffer is nearly free.

use core::arch::x86_64::*;
use core::array;

use crate::hash::SingleKernel;
use crate::hash::sha256::K;

pub(crate) const SHA1: SingleKernel<u32> =
    SingleKernel { name: "sha", one: sha1_one, two: Some(sha1_two) };

pub(crate) const SHA256: SingleKernel<u32> =
    SingleKernel { name: "sha", one: sha256_one, two: Some(sha256_two) };

#[target_feature(enable = "sha,sse4.1,ssse3")]
unsafe fn sha1_one(state: *mut u32, data: *const u8, blocks: usize) {
    // SAFETY: the same contract.
    unsafe { sha1([state], [data], blocks) }
}

#[target_feature(enable = "sha,sse4.1,ssse3")]
unsafe fn sha1_two(state: [*mut u32; 2], data: [*const u8; 2], blocks: usize) {
    // SAFETY: the same contract.
    unsafe { sha1(state, data, blocks) }
}

#[target_feature(enable = "sha,sse4.1,ssse3")]
unsafe fn sha256_one(state: *mut u32, data: *const u8, blocks: usize) {
    // SAFETY: the same contract.
    unsafe { sha256([state], [data], blocks) }
}

#[target_feature(enable = "sha,sse4.1,ssse3")]
unsafe fn sha256_two(state: [*mut u32; 2], data: [*const u8; 2], blocks: usize) {
    // SAFETY: the same contract.
    unsafe { sha256(state, data, blocks) }
}

/// Runs a group of four rounds for each constant.
macro_rules! groups {
    ($f:ident::<$n:ident>$args:tt, $($g:literal)*) => { $( $f::<$g, $n> $args; )* };
}

/// What one buffer holds while its SHA-1 blocks are absorbed.
#[derive(Clone, Copy)]
struct Sha1Lane {
    abcd: __m128i,
    /// `abcd` before the last group: its *a*, rotated, is the next group's *e*.
    before: __m128i,
    words: [__m128i; 4],
}

/// # Safety
/// SHA, SSE4.1 and SSSE3; the contract of `SingleRun` for each of the N buffers.
#[inline(always)]
unsafe fn sha1<const N: usize>(state: [*mut u32; N], data: [*const u8; N], blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
        let mut abcd: [__m128i; N] =
            array::from_fn(|n| _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state[n].cast())));
        let mut e: [__m128i; N] =
            array::from_fn(|n| _mm_set_epi32((*state[n].add(4)).cast_signed(), 0, 0, 0));
        for block in 0..blocks {
            let mut lanes: [Sha1Lane; N] = array::from_fn(|n| {
                let at = data[n].add(64 * block).cast::<__m128i>();
                Sha1Lane {
                    abcd: abcd[n],
                    before: e[n],
                    words: array::from_fn(|i| _mm_shuffle_epi8(_mm_loadu_si128(at.add(i)), swap)),
                }
            });
            groups!(sha1_group::<N>(&mut lanes), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            for n in 0..N {
                e[n] = _mm_sha1nexte_epu32(lanes[n].before, e[n]);
                abcd[n] = _mm_add_epi32(abcd[n], lanes[n].abcd);
            }
        }
        for n in 0..N {
            _mm_storeu_si128(state[n].cast(), _mm_shuffle_epi32::<0x1b>(abcd[n]));
            *state[n].add(4) = _mm_extract_epi32::<3>(e[n]).cast_unsigned();
        }
    }
}

/// Rounds 4G to 4G + 3 of every buffer.
///
/// # Safety
/// SHA and SSE4.1.
#[inline(always)]
unsafe fn sha1_group<const G: usize, const N: usize>(lanes: &mut [Sha1Lane; N]) {
    for lane in lanes {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let w = &mut lane.words;
            if G >= 4 {
                let mixed = _mm_xor_si128(_mm_sha1msg1_epu32(w[G % 4], w[(G + 1) % 4]), w[(G + 2) % 4]);
                w[G % 4] = _mm_sha1msg2_epu32(mixed, w[(G + 3) % 4]);
            }
            let e = if G == 0 {
                _mm_add_epi32(lane.before, w[0])
            } else {
                _mm_sha1nexte_epu32(lane.before, w[G % 4])
            };
            lane.before = lane.abcd;
            lane.abcd = match G / 5 {
                0 => _mm_sha1rnds4_epu32::<0>(lane.abcd, e),
                1 => _mm_sha1rnds4_epu32::<1>(lane.abcd, e),
                2 => _mm_sha1rnds4_epu32::<2>(lane.abcd, e),
                _ => _mm_sha1rnds4_epu32::<3>(lane.abcd, e),
            };
        }
    }
}

/// What one buffer holds while its SHA-256 blocks are absorbed.
#[derive(Clone, Copy)]
struct Sha256Lane {
    abef: __m128i,
    cdgh: __m128i,
    words: [__m128i; 4],
}

/// # Safety
/// SHA, SSE4.1 and SSSE3; the contract of `SingleRun` for each of the N buffers.
#[inline(always)]
unsafe fn sha256<const N: usize>(state: [*mut u32; N], data: [*const u8; N], blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
        let mut abef = [_mm_setzero_si128(); N];
        let mut cdgh = [_mm_setzero_si128(); N];
        for n in 0..N {
            let badc = _mm_shuffle_epi32::<0xb1>(_mm_loadu_si128(state[n].cast()));
            let hgfe = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state[n].add(4).cast()));
            abef[n] = _mm_alignr_epi8::<8>(badc, hgfe);
            cdgh[n] = _mm_blend_epi16::<0xf0>(hgfe, badc);
        }
        for block in 0..blocks {
            let mut lanes: [Sha256Lane; N] = array::from_fn(|n| {
                let at = data[n].add(64 * block).cast::<__m128i>();
                Sha256Lane {
                    abef: abef[n],
                    cdgh: cdgh[n],
                    words: array::from_fn(|i| _mm_shuffle_epi8(_mm_loadu_si128(at.add(i)), swap)),
                }
            });
            groups!(sha256_group::<N>(&mut lanes), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            for n in 0..N {
                abef[n] = _mm_add_epi32(abef[n], lanes[n].abef);
                cdgh[n] = _mm_add_epi32(cdgh[n], lanes[n].cdgh);
            }
        }
        for n in 0..N {
            let feba = _mm_shuffle_epi32::<0x1b>(abef[n]);
            let dchg = _mm_shuffle_epi32::<0xb1>(cdgh[n]);
            _mm_storeu_si128(state[n].cast(), _mm_blend_epi16::<0xf0>(feba, dchg));
            _mm_storeu_si128(state[n].add(4).cast(), _mm_alignr_epi8::<8>(dchg, feba));
        }
    }
}

/// Rounds 4G to 4G + 3 of every buffer.
///
/// # Safety
/// SHA and SSSE3.
#[inline(always)]
unsafe fn sha256_group<const G: usize, const N: usize>(lanes: &mut [Sha256Lane; N]) {
    for lane in lanes {
        // SAFETY: the caller vouches for the instructions; K has 64 words, 4G + 3 < 64.
        unsafe {
            let w = &mut lane.words;
            if G >= 4 {
                let (w1, w2) = (w[(G + 3) % 4], w[(G + 2) % 4]);
                let mixed = _mm_add_epi32(
                    _mm_sha256msg1_epu32(w[G % 4], w[(G + 1) % 4]),
                    _mm_alignr_epi8::<4>(w1, w2),
                );
                w[G % 4] = _mm_sha256msg2_epu32(mixed, w1);
            }
            let k = _mm_loadu_si128(K.as_ptr().add(4 * G).cast());
            let wk = _mm_add_epi32(w[G % 4], k);
            lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, wk);
            lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, _mm_shuffle_epi32::<0x0e>(wk));
        }
    }
}
