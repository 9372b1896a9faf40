//! The SHA extensions of x86-64: one buffer, or several interleaved, each in registers of its own.
//!
//! On AMD Zen 3 a `sha256rnds2` waits four cycles for the one before it and one can start every cycle, a
//! `sha1rnds4` six and every two: four buffers fill what one leaves idle.

use core::arch::x86_64::*;

use crate::hash::sha256::K;
use crate::hash::{Hash, HashKernel, SingleKernel, kernel};
use crate::vector::each;

/// Buffers interleaved by the kernels for many.
const LANES: usize = 4;

/// SHA-1 for few buffers.
pub(crate) const SHA1: SingleKernel<u32> =
    SingleKernel { name: "sha-ni", one: sha1_one, two: Some(sha1_two) };

/// SHA-224 and SHA-256 for few buffers.
pub(crate) const SHA256: SingleKernel<u32> =
    SingleKernel { name: "sha-ni", one: sha256_one, two: Some(sha256_two) };

/// SHA-1 for many buffers.
pub(crate) fn wide_sha1<A: Hash<Word = u32>>() -> HashKernel<u32> {
    HashKernel { name: "sha-ni", lanes: LANES, run: sha1_wide, outer: sha1_outer::<A> }
}

/// SHA-224 and SHA-256 for many buffers.
pub(crate) fn wide_sha256<A: Hash<Word = u32>>() -> HashKernel<u32> {
    HashKernel { name: "sha-ni", lanes: LANES, run: sha256_wide, outer: sha256_outer::<A> }
}

/// What the buffers of one algorithm hold in registers: one buffer's worth, or [`Both`] of two.
trait Buffers: Sized {
    /// How many.
    const COUNT: usize;

    /// Takes the states from memory, a pointer for each buffer.
    ///
    /// # Safety
    /// SHA, SSE4.1 and SSSE3; as many pointers as buffers, each readable for eight words.
    unsafe fn load(states: *const *mut u32) -> Self;

    /// Puts the states back.
    ///
    /// # Safety
    /// As for `load`, writable.
    unsafe fn store(self, states: *const *mut u32);

    /// Takes the next block of each buffer.
    ///
    /// # Safety
    /// As many pointers as buffers, each readable for 64 bytes from `offset`.
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize);

    /// Rounds 4G to 4G + 3.
    ///
    /// # Safety
    /// SHA, SSE4.1 and SSSE3.
    unsafe fn group<const G: usize>(&mut self);

    /// Adds the result of the rounds to the state.
    ///
    /// # Safety
    /// SHA, SSE4.1 and SSSE3.
    unsafe fn end(&mut self);
}

/// Two sets of buffers, whose instructions alternate.
struct Both<B>(B, B);

impl<B: Buffers> Buffers for Both<B> {
    const COUNT: usize = 2 * B::COUNT;

    #[inline(always)]
    unsafe fn load(states: *const *mut u32) -> Self {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe { Both(B::load(states), B::load(states.add(B::COUNT))) }
    }
    #[inline(always)]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe {
            self.0.store(states);
            self.1.store(states.add(B::COUNT));
        }
    }
    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe {
            self.0.begin(data, offset);
            self.1.begin(data.add(B::COUNT), offset);
        }
    }
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.0.group::<G>();
            self.1.group::<G>();
        }
    }
    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.0.end();
            self.1.end();
        }
    }
}

/// The entry points of one algorithm: compiled for the SHA extensions, each with the contract of the
/// kernel type that it has.
macro_rules! entry_points {
    ($body:ident, $buffer:ty, $one:ident, $two:ident, $wide:ident, $outer:ident) => {
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn $one(state: *mut u32, data: *const u8, blocks: usize) {
            // SAFETY: the same contract.
            unsafe { $body::<$buffer>(&raw const state, &raw const data, blocks) }
        }

        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn $two(state: [*mut u32; 2], data: [*const u8; 2], blocks: usize) {
            // SAFETY: the same contract.
            unsafe { $body::<Both<$buffer>>(state.as_ptr(), data.as_ptr(), blocks) }
        }

        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn $wide(rows: *mut u32, data: *const *const u8, blocks: usize) {
            // SAFETY: the contract vouches for rows of LANES words and for as many pointers.
            unsafe {
                let mut states = kernel::columns(rows);
                let first = states.as_mut_ptr();
                let each = each!(n in 4 => first.add(n).cast());
                $body::<Both<Both<$buffer>>>(each.as_ptr(), data, blocks);
                kernel::put_columns(rows, &states);
            }
        }

        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn $outer<A: Hash<Word = u32>>(rows: *mut u32, outer: *const u32) {
            // SAFETY: the contract vouches for both rows; each block is 64 bytes.
            unsafe {
                let inner = kernel::columns(rows);
                let blocks = each!(n in 4 => kernel::outer_block::<A>(&inner[n]));
                let data = each!(n in 4 => blocks[n].as_ptr().cast::<u8>());
                let mut states = kernel::columns(outer);
                let first = states.as_mut_ptr();
                let each = each!(n in 4 => first.add(n).cast());
                $body::<Both<Both<$buffer>>>(each.as_ptr(), data.as_ptr(), 1);
                kernel::put_columns(rows, &states);
            }
        }
    };
}

entry_points!(sha1, Sha1Buffer, sha1_one, sha1_two, sha1_wide, sha1_outer);
entry_points!(sha256, Sha256Buffer, sha256_one, sha256_two, sha256_wide, sha256_outer);

/// Runs a group of four rounds for each constant.
macro_rules! groups {
    ($buffers:ident, $($g:literal)*) => { $( $buffers.group::<$g>(); )* };
}

/// # Safety
/// SHA, SSE4.1 and SSSE3; the contract of `SingleRun` for each buffer.
#[inline(always)]
unsafe fn sha1<B: Buffers>(states: *const *mut u32, data: *const *const u8, blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let mut buffers = B::load(states);
        for block in 0..blocks {
            buffers.begin(data, 64 * block);
            groups!(buffers, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            buffers.end();
        }
        buffers.store(states);
    }
}

/// # Safety
/// SHA, SSE4.1 and SSSE3; the contract of `SingleRun` for each buffer.
#[inline(always)]
unsafe fn sha256<B: Buffers>(states: *const *mut u32, data: *const *const u8, blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let mut buffers = B::load(states);
        for block in 0..blocks {
            buffers.begin(data, 64 * block);
            groups!(buffers, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            buffers.end();
        }
        buffers.store(states);
    }
}

/// Reads the four registers of a block, as big-endian words, in the order that `swap` gives them.
///
/// # Safety
/// SSSE3; 64 readable bytes.
#[inline(always)]
unsafe fn words(data: *const u8, swap: __m128i) -> [__m128i; 4] {
    // SAFETY: the caller vouches for both.
    unsafe { each!(i in 4 => _mm_shuffle_epi8(_mm_loadu_si128(data.cast::<__m128i>().add(i)), swap)) }
}

/// One buffer of SHA-1.
struct Sha1Buffer {
    abcd: __m128i,
    e: __m128i,
    /// The state that the block started from.
    abcd_start: __m128i,
    e_start: __m128i,
    words: [__m128i; 4],
}

impl Buffers for Sha1Buffer {
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(states: *const *mut u32) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let state = *states;
            let zero = _mm_setzero_si128();
            Sha1Buffer {
                abcd: _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.cast())),
                e: _mm_set_epi32((*state.add(4)).cast_signed(), 0, 0, 0),
                abcd_start: zero,
                e_start: zero,
                words: [zero; 4],
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: the caller's.
        unsafe {
            let state = *states;
            _mm_storeu_si128(state.cast(), _mm_shuffle_epi32::<0x1b>(self.abcd));
            *state.add(4) = _mm_extract_epi32::<3>(self.e).cast_unsigned();
        }
    }

    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: the caller's.
        unsafe {
            let swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
            self.words = words((*data).add(offset), swap);
        }
        (self.abcd_start, self.e_start) = (self.abcd, self.e);
    }

    /// Between groups, `e` is what *a* was before the last one: rotated, it is the next group's *e*.
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        let w = &mut self.words;
        // SAFETY: the caller's.
        unsafe {
            if G >= 4 {
                let mixed = _mm_xor_si128(_mm_sha1msg1_epu32(w[G % 4], w[(G + 1) % 4]), w[(G + 2) % 4]);
                w[G % 4] = _mm_sha1msg2_epu32(mixed, w[(G + 3) % 4]);
            }
            let e =
                if G == 0 { _mm_add_epi32(self.e, w[0]) } else { _mm_sha1nexte_epu32(self.e, w[G % 4]) };
            self.e = self.abcd;
            self.abcd = match G / 5 {
                0 => _mm_sha1rnds4_epu32::<0>(self.abcd, e),
                1 => _mm_sha1rnds4_epu32::<1>(self.abcd, e),
                2 => _mm_sha1rnds4_epu32::<2>(self.abcd, e),
                _ => _mm_sha1rnds4_epu32::<3>(self.abcd, e),
            };
        }
    }

    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.e = _mm_sha1nexte_epu32(self.e, self.e_start);
            self.abcd = _mm_add_epi32(self.abcd, self.abcd_start);
        }
    }
}

/// One buffer of SHA-224 or SHA-256.
struct Sha256Buffer {
    abef: __m128i,
    cdgh: __m128i,
    /// The state that the block started from.
    abef_start: __m128i,
    cdgh_start: __m128i,
    words: [__m128i; 4],
}

impl Buffers for Sha256Buffer {
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(states: *const *mut u32) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let state = *states;
            let badc = _mm_shuffle_epi32::<0xb1>(_mm_loadu_si128(state.cast()));
            let hgfe = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.add(4).cast()));
            let zero = _mm_setzero_si128();
            Sha256Buffer {
                abef: _mm_alignr_epi8::<8>(badc, hgfe),
                cdgh: _mm_blend_epi16::<0xf0>(hgfe, badc),
                abef_start: zero,
                cdgh_start: zero,
                words: [zero; 4],
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: the caller's.
        unsafe {
            let state = *states;
            let feba = _mm_shuffle_epi32::<0x1b>(self.abef);
            let dchg = _mm_shuffle_epi32::<0xb1>(self.cdgh);
            _mm_storeu_si128(state.cast(), _mm_blend_epi16::<0xf0>(feba, dchg));
            _mm_storeu_si128(state.add(4).cast(), _mm_alignr_epi8::<8>(dchg, feba));
        }
    }

    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: the caller's.
        unsafe {
            let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
            self.words = words((*data).add(offset), swap);
        }
        (self.abef_start, self.cdgh_start) = (self.abef, self.cdgh);
    }

    /// Two rounds turn *cdgh* into the new *abef*, and the old *abef* is the new *cdgh*.
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        let w = &mut self.words;
        // SAFETY: the caller's; K has 64 words, and 4G + 3 < 64.
        unsafe {
            if G >= 4 {
                let (last, before) = (w[(G + 3) % 4], w[(G + 2) % 4]);
                let mixed = _mm_add_epi32(
                    _mm_sha256msg1_epu32(w[G % 4], w[(G + 1) % 4]),
                    _mm_alignr_epi8::<4>(last, before),
                );
                w[G % 4] = _mm_sha256msg2_epu32(mixed, last);
            }
            let wk = _mm_add_epi32(w[G % 4], _mm_loadu_si128(K.as_ptr().add(4 * G).cast()));
            self.cdgh = _mm_sha256rnds2_epu32(self.cdgh, self.abef, wk);
            let wk = _mm_shuffle_epi32::<0x0e>(wk);
            self.abef = _mm_sha256rnds2_epu32(self.abef, self.cdgh, wk);
        }
    }

    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.abef = _mm_add_epi32(self.abef, self.abef_start);
            self.cdgh = _mm_add_epi32(self.cdgh, self.cdgh_start);
        }
    }
}
