//! The SHA extensions of x86-64.
//!
//! On AMD Zen 3 a `sha256rnds2` waits four cycles for the one before it and one can start every
//! cycle, a `sha1rnds4` six and every two: four buffers fill what one leaves idle.

use core::arch::x86_64::*;

use crate::arch::compile::interleaved::{Buffers, interleaved_kernels, wide_kernel};
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::finish::outer_padding;
use crate::kernels::hash::sha256::K;
use crate::vector::each;

interleaved_kernels! {
    /// SHA-1 for few buffers.
    SHA1,
    /// SHA-1 for many buffers.
    wide_sha1 of 4,
    Sha1Buffer of u32, "sha-ni", "sha,sse4.1,ssse3",
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
}

interleaved_kernels! {
    /// SHA-224 and SHA-256 for few buffers.
    SHA256,
    /// SHA-224 and SHA-256 for many buffers.
    wide_sha256 of 4,
    Sha256Buffer of u32, "sha-ni", "sha,sse4.1,ssse3",
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
}

wide_kernel! {
    /// SHA-224 and SHA-256 for many buffers, with the registers and encodings of AVX-512: no
    /// copies, and nothing spilled. (SHA-1 takes 6 % more with them.)
    wide_sha256_avx512 of 4,
    Sha256Buffer of u32, "sha-ni", "sha,avx512f,avx512bw,avx512dq,avx512vl"
}

/// A buffer that takes a block from registers, and writes its digest from registers.
pub(in crate::arch) trait ShaBuffer: Buffers<Word = u32> {
    /// Takes a block: 64 bytes, in the order of the message.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    unsafe fn begin_block(&mut self, block: [__m128i; 4]);

    /// Takes the buffer through all rounds of the block that it has begun.
    ///
    /// # Safety
    /// The CPU has the SHA instructions, SSSE3 and SSE4.1.
    unsafe fn finish_block(&mut self);

    /// Writes the digest of `A` that the state stands for.
    ///
    /// # Safety
    /// - The CPU has SSSE3 and SSE4.1.
    /// - `to` is writable for a digest, at any alignment.
    unsafe fn write_digest<A: Hash<Word = u32>>(&self, to: *mut u8);
}

/// Loads a block.
///
/// # Safety
/// `data` is readable for 64 bytes, at any alignment.
#[inline(always)]
unsafe fn load_block(data: *const u8) -> [__m128i; 4] {
    // SAFETY: `data` is readable for 64 bytes, by this function's contract; x86-64 has SSE2.
    unsafe { each!(i in 4 => _mm_loadu_si128(data.cast::<__m128i>().add(i))) }
}

/// Returns the words beside the digest in the block of HMAC's outer hash.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn padding<A: Hash<Word = u32>>() -> [__m128i; 4] {
    let words = outer_padding::<A>();
    // SAFETY: `words` has sixteen words, four for each register; x86-64 has SSE2.
    unsafe { each!(i in 4 => _mm_loadu_si128(words.as_ptr().add(4 * i).cast())) }
}

/// One buffer of SHA-1.
pub(in crate::arch) struct Sha1Buffer {
    abcd: __m128i,
    e: __m128i,
    /// The state that the block started from.
    abcd_start: __m128i,
    e_start: __m128i,
    words: [__m128i; 4],
}

impl Buffers for Sha1Buffer {
    type Word = u32;
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(states: *const *mut u32) -> Self {
        // SAFETY: `states` is readable for a pointer, which is readable for eight words, by the
        // contract of `load`; the CPU has the SHA instructions.
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
        // SAFETY: `states` is readable for a pointer, which is writable for eight words, by the
        // contract of `store`; the CPU has SSE4.1.
        unsafe {
            let state = *states;
            _mm_storeu_si128(state.cast(), _mm_shuffle_epi32::<0x1b>(self.abcd));
            *state.add(4) = _mm_extract_epi32::<3>(self.e).cast_unsigned();
        }
    }

    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: `data` is readable for a pointer, which is readable for a block from `offset`, by
        // the contract of `begin`, by which the CPU has SSSE3.
        unsafe { self.begin_block(load_block((*data).add(offset))) }
    }

    #[inline(always)]
    unsafe fn begin_outer<A: Hash<Word = u32>>(&mut self, outer: *const *mut u32) {
        // SAFETY: `outer` is readable for a pointer, which is readable for eight words, by the
        // contract of `begin_outer`.
        unsafe {
            let zero = _mm_setzero_si128();
            let digest = [self.abcd, self.e, zero, zero];
            *self = Self::load(outer);
            // As in the state, the first word is the highest.
            let padding = padding::<A>();
            self.words = each!(i in 4 => {
                _mm_or_si128(digest[i], _mm_shuffle_epi32::<0x1b>(padding[i]))
            });
        }
        (self.abcd_start, self.e_start) = (self.abcd, self.e);
    }

    /// Does the rounds of a group. Between groups, `e` is what *a* was before the last one:
    /// rotated, it is the next group's *e*.
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        let w = &mut self.words;
        // SAFETY: the CPU has the SHA instructions, by the contract of `group`.
        unsafe {
            if G >= 4 {
                let mixed =
                    _mm_xor_si128(_mm_sha1msg1_epu32(w[G % 4], w[(G + 1) % 4]), w[(G + 2) % 4]);
                w[G % 4] = _mm_sha1msg2_epu32(mixed, w[(G + 3) % 4]);
            }
            let e = if G == 0 {
                _mm_add_epi32(self.e, w[0])
            } else {
                _mm_sha1nexte_epu32(self.e, w[G % 4])
            };
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
        // SAFETY: the CPU has the SHA instructions, by the contract of `end`.
        unsafe {
            self.e = _mm_sha1nexte_epu32(self.e, self.e_start);
            self.abcd = _mm_add_epi32(self.abcd, self.abcd_start);
        }
    }
}

impl Sha1Buffer {
    /// Reverses 16 bytes: big-endian words become integers, the first word the highest.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    #[inline(always)]
    unsafe fn reversed(bytes: __m128i) -> __m128i {
        // SAFETY: the CPU has SSSE3, by this function's contract.
        unsafe { _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f)) }
    }
}

impl ShaBuffer for Sha1Buffer {
    #[inline(always)]
    unsafe fn begin_block(&mut self, block: [__m128i; 4]) {
        // SAFETY: the CPU has SSSE3, by the contract of `begin_block`.
        self.words = unsafe { each!(i in 4 => Self::reversed(block[i])) };
        (self.abcd_start, self.e_start) = (self.abcd, self.e);
    }

    #[inline(always)]
    unsafe fn finish_block(&mut self) {
        // SAFETY: the CPU has the instructions, by the contract of `finish_block`.
        unsafe { Sha1Buffer::rounds(self) }
    }

    #[inline(always)]
    unsafe fn write_digest<A: Hash<Word = u32>>(&self, to: *mut u8) {
        // SAFETY: `to` is writable for 20 bytes and the CPU has SSSE3 and SSE4.1, by the contract
        // of `write_digest`.
        unsafe {
            _mm_storeu_si128(to.cast(), Self::reversed(self.abcd));
            let last = _mm_extract_epi32::<3>(self.e).to_be();
            to.add(16).cast::<i32>().write_unaligned(last);
        }
    }
}

/// The state of SHA-224 or SHA-256, in the form that the rounds take.
#[derive(Clone, Copy)]
pub struct Sha256State {
    pub(in crate::arch) abef: __m128i,
    pub(in crate::arch) cdgh: __m128i,
}

impl Sha256State {
    /// Loads a state from memory.
    ///
    /// # Safety
    /// - The CPU has SSE4.1.
    /// - `state` is readable for eight words, at any alignment.
    #[inline(always)]
    pub unsafe fn load(state: *const u32) -> Self {
        // SAFETY: `state` is readable for eight words and the CPU has SSE4.1, by this function's
        // contract.
        unsafe {
            let badc = _mm_shuffle_epi32::<0xb1>(_mm_loadu_si128(state.cast()));
            let hgfe = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.add(4).cast()));
            Sha256State {
                abef: _mm_alignr_epi8::<8>(badc, hgfe),
                cdgh: _mm_blend_epi16::<0xf0>(hgfe, badc),
            }
        }
    }

    /// Stores the state.
    ///
    /// # Safety
    /// - The CPU has SSE4.1.
    /// - `state` is writable for eight words, at any alignment.
    #[inline(always)]
    pub(in crate::arch) unsafe fn store(&self, state: *mut u32) {
        // SAFETY: `state` is writable for eight words and the CPU has SSE4.1, by this function's
        // contract.
        unsafe {
            let [abcd, efgh] = self.in_order();
            _mm_storeu_si128(state.cast(), abcd);
            _mm_storeu_si128(state.add(4).cast(), efgh);
        }
    }

    /// Returns the state as *abcd* and *efgh*, the first word lowest.
    ///
    /// # Safety
    /// The CPU has SSE4.1.
    #[inline(always)]
    pub unsafe fn in_order(&self) -> [__m128i; 2] {
        // SAFETY: the CPU has SSE4.1, by this function's contract.
        unsafe {
            let feba = _mm_shuffle_epi32::<0x1b>(self.abef);
            let dchg = _mm_shuffle_epi32::<0xb1>(self.cdgh);
            [_mm_blend_epi16::<0xf0>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba)]
        }
    }

    /// Returns the words of the block of HMAC's outer hash, of which this is the inner digest.
    ///
    /// # Safety
    /// The CPU has SSE4.1.
    #[inline(always)]
    pub(in crate::arch) unsafe fn outer_block<A: Hash<Word = u32>>(&self) -> [__m128i; 4] {
        // SAFETY: the CPU has SSE4.1, by this function's contract.
        unsafe {
            let zero = _mm_setzero_si128();
            let [abcd, efgh] = self.in_order();
            // A digest of SHA-224 lacks the last word.
            let efgh = if A::DIGEST_LEN == 28 { _mm_blend_epi16::<0xc0>(efgh, zero) } else { efgh };
            let digest = [abcd, efgh, zero, zero];
            let padding = padding::<A>();
            each!(i in 4 => _mm_or_si128(digest[i], padding[i]))
        }
    }

    /// Adds the state that a block started from.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(in crate::arch) unsafe fn add(&mut self, start: &Self) {
        // SAFETY: x86-64 has SSE2.
        unsafe {
            self.abef = _mm_add_epi32(self.abef, start.abef);
            self.cdgh = _mm_add_epi32(self.cdgh, start.cdgh);
        }
    }
}

/// One buffer of SHA-224 or SHA-256.
pub struct Sha256Buffer {
    /// The state.
    pub state: Sha256State,
    /// The state that the block started from.
    pub start: Sha256State,
    /// The words of the block.
    pub words: [__m128i; 4],
}

impl Buffers for Sha256Buffer {
    type Word = u32;
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(states: *const *mut u32) -> Self {
        // SAFETY: `states` is readable for a pointer, which is readable for eight words, by the
        // contract of `load`; the CPU has SSE4.1.
        unsafe {
            let state = Sha256State::load(*states);
            Sha256Buffer { state, start: state, words: [_mm_setzero_si128(); 4] }
        }
    }

    #[inline(always)]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: `states` is readable for a pointer, which is writable for eight words, by the
        // contract of `store`; the CPU has SSE4.1.
        unsafe { self.state.store(*states) }
    }

    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: `data` is readable for a pointer, which is readable for a block from `offset`, by
        // the contract of `begin`, by which the CPU has SSSE3.
        unsafe { self.begin_block(load_block((*data).add(offset))) }
    }

    #[inline(always)]
    unsafe fn begin_outer<A: Hash<Word = u32>>(&mut self, outer: *const *mut u32) {
        // SAFETY: `outer` is readable for a pointer, which is readable for eight words, by the
        // contract of `begin_outer`.
        unsafe {
            self.words = self.state.outer_block::<A>();
            self.state = Sha256State::load(*outer);
        }
        self.start = self.state;
    }

    /// Does the rounds of a group. Two rounds turn *cdgh* into the new *abef*, and the old *abef*
    /// is the new *cdgh*.
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        let (state, w) = (&mut self.state, &mut self.words);
        // SAFETY: the CPU has the SHA instructions, by the contract of `group`; K has 64 words, and
        // 4G + 3 < 64.
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
            state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, wk);
            let wk = _mm_shuffle_epi32::<0x0e>(wk);
            state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, wk);
        }
    }

    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: x86-64 has SSE2.
        unsafe { self.state.add(&self.start) }
    }
}

impl Sha256Buffer {
    /// Turns four big-endian words into integers, or back.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    #[inline(always)]
    unsafe fn swapped(words: __m128i) -> __m128i {
        // SAFETY: the CPU has SSSE3, by this function's contract.
        unsafe { _mm_shuffle_epi8(words, _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203)) }
    }
}

impl ShaBuffer for Sha256Buffer {
    #[inline(always)]
    unsafe fn begin_block(&mut self, block: [__m128i; 4]) {
        // SAFETY: the CPU has SSSE3, by the contract of `begin_block`.
        self.words = unsafe { each!(i in 4 => Self::swapped(block[i])) };
        self.start = self.state;
    }

    #[inline(always)]
    unsafe fn finish_block(&mut self) {
        // SAFETY: the CPU has the instructions, by the contract of `finish_block`.
        unsafe { Sha256Buffer::rounds(self) }
    }

    #[inline(always)]
    unsafe fn write_digest<A: Hash<Word = u32>>(&self, to: *mut u8) {
        // SAFETY: `to` is writable for a digest, of 28 or 32 bytes, and the CPU has SSSE3 and
        // SSE4.1, by the contract of `write_digest`.
        unsafe {
            let [abcd, efgh] = self.state.in_order();
            let efgh = Self::swapped(efgh);
            _mm_storeu_si128(to.cast(), Self::swapped(abcd));
            if A::DIGEST_LEN == 28 {
                _mm_storel_epi64(to.add(16).cast(), efgh);
                to.add(24).cast::<i32>().write_unaligned(_mm_extract_epi32::<2>(efgh));
            } else {
                _mm_storeu_si128(to.add(16).cast(), efgh);
            }
        }
    }
}
