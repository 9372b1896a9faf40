//! AVX2: eight 32-bit lanes, or four 64-bit lanes.

use core::arch::asm;
use core::arch::x86_64::*;

use crate::arch::compile::wide_kernels;
use crate::kernels::hash::compression::Compression;
use crate::kernels::hash::kernel::SingleKernel;
use crate::kernels::hash::kernel::{self, Built};
use crate::plain::Plain;
use crate::vector::{Vector, each};

/// Eight 32-bit lanes in one 256-bit register. Uses AVX2.
#[derive(Clone, Copy)]
pub struct U32x8(pub __m256i);

/// Four 64-bit lanes in one 256-bit register. Uses AVX2.
#[derive(Clone, Copy)]
pub struct U64x4(pub(crate) __m256i);

macro_rules! bitwise {
    () => {
        #[inline(always)]
        fn xor(self, o: Self) -> Self {
            // SAFETY: `self` is proof of AVX2 (see Vector).
            Self(unsafe { _mm256_xor_si256(self.0, o.0) })
        }
        #[inline(always)]
        fn and(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_and_si256(self.0, o.0) })
        }
        #[inline(always)]
        fn or(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_or_si256(self.0, o.0) })
        }
        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi8(-1)) })
        }
    };
}

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Vector for U32x8 {
    type Word = u32;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has AVX2, by the contract of `splat`.
        Self(unsafe { _mm256_set1_epi32(word as i32) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: the CPU has AVX2 and `words` is readable for eight words, by the contract of
        // `load`.
        Self(unsafe { _mm256_loadu_si256(words.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: `words` is writable for eight words, by the contract of `store`.
        unsafe { _mm256_storeu_si256(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has AVX2, and `lanes` is readable for
        // eight pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let low = transpose8(each!(l in 8 =>
                words::<BIG_ENDIAN>((*lanes.add(l)).add(offset))));
            let high = transpose8(each!(l in 8 =>
                    words::<BIG_ENDIAN>((*lanes.add(l)).add(offset + 32))));
            each!(i in 16 => Self(if i < 8 { low[i] } else { high[i - 8] }))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u32) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has AVX2, and `lanes` is readable for eight
        // pointers, each of which is readable for eight words.
        unsafe {
            let rows = each!(l in 8 => _mm256_loadu_si256((*lanes.add(l)).cast()));
            let columns = transpose8(rows);
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn gather_four(lanes: *const *const u32) -> [Self; 4] {
        // SAFETY: by the contract of `gather_four`, the CPU has AVX2, and `lanes` is readable for
        // eight pointers, each of which is readable for four words.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*lanes.add(l)).cast());
            let [r0, r1, r2, r3] = each!(l in 4 => _mm256_set_m128i(row(l + 4), row(l)));
            let (a, b) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
            let (c, d) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
            [
                Self(_mm256_unpacklo_epi64(a, c)),
                Self(_mm256_unpackhi_epi64(a, c)),
                Self(_mm256_unpacklo_epi64(b, d)),
                Self(_mm256_unpackhi_epi64(b, d)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u32) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for eight pointers, each of
        // which is writable for eight words.
        unsafe {
            let rows = transpose8(each!(i in 8 => words[i].0));
            each!(l in 8 => _mm256_storeu_si256((*lanes.add(l)).cast(), rows[l]));
        }
    }
    #[inline(always)]
    unsafe fn store_blocks(words: &[Self; 16], blocks: *mut u32) {
        // SAFETY: `blocks` is writable for 64 bytes for each of eight lanes, by the contract of
        // `store_blocks`.
        unsafe {
            each!(half in 2 => {
                let rows = transpose8(each!(i in 8 => words[8 * half + i].0));
                each!(l in 8 => _mm256_storeu_si256(blocks.add(16 * l + 8 * half).cast(), rows[l]));
            });
        }
    }
    #[inline(always)]
    unsafe fn add_blocks(words: &[Self; 16], _: *mut u32, from: *const u8, to: *mut u8) {
        // SAFETY: by the contract of `add_blocks`, `from` is readable and `to` writable for 64
        // bytes for each of eight lanes; `words` is proof of AVX2.
        unsafe {
            each!(half in 2 => {
                let rows = transpose8(each!(i in 8 => words[8 * half + i].0));
                each!(l in 8 => {
                    let (from, to) = (from.add(64 * l + 32 * half), to.add(64 * l + 32 * half));
                    let text = _mm256_loadu_si256(from.cast());
                    _mm256_storeu_si256(to.cast(), _mm256_xor_si256(text, rows[l]));
                });
            });
        }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { _mm256_add_epi32(self.0, o.0) })
    }
    bitwise!();
    /// Rotates by a permutation if `N` is whole bytes, and otherwise by two shifts.
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        unsafe {
            if N % 8 == 0 {
                const { assert!(N > 0 && N < 32) }
                return Self(shuffle(self.0, &BYTES_RIGHT[N as usize / 8 - 1]));
            }
            let right = _mm256_srlv_epi32(self.0, _mm256_set1_epi32(N));
            let left = if N == 31 {
                _mm256_add_epi32(self.0, self.0)
            } else {
                _mm256_sllv_epi32(self.0, _mm256_set1_epi32(32 - N))
            };
            Self(_mm256_or_si256(right, left))
        }
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { _mm256_srli_epi32::<N>(self.0) })
    }
}

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Vector for U64x4 {
    type Word = u64;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the CPU has AVX2, by the contract of `splat`.
        Self(unsafe { _mm256_set1_epi64x(word as i64) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        // SAFETY: the CPU has AVX2 and `words` is readable for four words, by the contract of
        // `load`.
        Self(unsafe { _mm256_loadu_si256(words.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: `words` is writable for four words, by the contract of `store`.
        unsafe { _mm256_storeu_si256(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has AVX2, and `lanes` is readable for
        // four pointers, each of which is readable for 128 bytes from `offset`.
        unsafe {
            let quarters = each!(q in 4 =>
                transpose4(each!(l in 4 =>
                    double_words::<BIG_ENDIAN>((*lanes.add(l)).add(offset + 32 * q)))));
            each!(i in 16 => Self(quarters[i / 4][i % 4]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u64) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has AVX2, and `lanes` is readable for four
        // pointers, each of which is readable for eight words.
        unsafe {
            let low = transpose4(each!(l in 4 => _mm256_loadu_si256((*lanes.add(l)).cast())));
            let high =
                transpose4(each!(l in 4 => _mm256_loadu_si256((*lanes.add(l)).add(4).cast())));
            each!(i in 8 => Self(if i < 4 { low[i] } else { high[i - 4] }))
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u64) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for four pointers, each of
        // which is writable for eight words.
        unsafe {
            let low = transpose4(each!(i in 4 => words[i].0));
            let high = transpose4(each!(i in 4 => words[i + 4].0));
            each!(l in 4 => _mm256_storeu_si256((*lanes.add(l)).cast(), low[l]));
            each!(l in 4 => _mm256_storeu_si256((*lanes.add(l)).add(4).cast(), high[l]));
        }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { _mm256_add_epi64(self.0, o.0) })
    }
    bitwise!();
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        unsafe {
            let right = _mm256_srlv_epi64(self.0, _mm256_set1_epi64x(N as i64));
            let left = _mm256_sllv_epi64(self.0, _mm256_set1_epi64x(64 - N as i64));
            Self(_mm256_or_si256(right, left))
        }
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { _mm256_srli_epi64::<N>(self.0) })
    }
}

/// The permutations of bytes that rotate every word right by 8, 16 and 24 bits.
static BYTES_RIGHT: [[u8; 32]; 3] = {
    let mut tables = [[0; 32]; 3];
    let mut i = 0;
    while i < 96 {
        let (bytes, place) = (i / 32 + 1, i % 32);
        tables[i / 32][place] = (place % 16 / 4 * 4 + (place + bytes) % 4) as u8;
        i += 1;
    }
    tables
};

/// Does `_mm256_shuffle_epi8`, with the table hidden from the compiler. A compiler that knows the
/// table splits one shuffle into two: it shuffles the two halves of a word apart, or the operands
/// of an exclusive or instead of the result.
#[target_feature(enable = "avx2")]
#[inline]
fn shuffle(v: __m256i, table: &[u8; 32]) -> __m256i {
    let shuffled;
    // SAFETY: the instruction reads the table and nothing else.
    unsafe {
        // Changes: the register of `shuffled`. Reads 32 bytes of the table. No flags, no stack.
        asm!(
            "vpshufb {0}, {1}, [{2}]",
            lateout(ymm_reg) shuffled,
            in(ymm_reg) v,
            in(reg) table,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    shuffled
}

/// Loads eight 32-bit words in the machine's order.
///
/// # Safety
/// - The CPU has AVX2.
/// - `bytes` is readable for 32 bytes, at any alignment.
#[inline(always)]
unsafe fn words<const BIG_ENDIAN: bool>(bytes: *const u8) -> __m256i {
    // SAFETY: the CPU has AVX2 and `bytes` is readable for 32 bytes, by this function's contract.
    unsafe {
        let v = _mm256_loadu_si256(bytes.cast());
        if !BIG_ENDIAN {
            return v;
        }
        let swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
        _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(swap))
    }
}

/// Loads four 64-bit words in the machine's order.
///
/// # Safety
/// - The CPU has AVX2.
/// - `bytes` is readable for 32 bytes, at any alignment.
#[inline(always)]
unsafe fn double_words<const BIG_ENDIAN: bool>(bytes: *const u8) -> __m256i {
    // SAFETY: the CPU has AVX2 and `bytes` is readable for 32 bytes, by this function's contract.
    unsafe {
        let v = _mm256_loadu_si256(bytes.cast());
        if !BIG_ENDIAN {
            return v;
        }
        let swap = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
        _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(swap))
    }
}

/// Turns eight rows of eight 32-bit words into columns.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn transpose8(r: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: the CPU has AVX2, by this function's contract.
    unsafe {
        // Within each 128-bit half: four rows' words side by side.
        let a = each!(i in 8 => {
            let (x, y) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
            if i & 1 == 0 { _mm256_unpacklo_epi32(x, y) } else { _mm256_unpackhi_epi32(x, y) }
        });
        let b = each!(i in 8 => {
            let (x, y) = (a[i / 4 * 4 + i / 2 % 2], a[i / 4 * 4 + i / 2 % 2 + 2]);
            if i & 1 == 0 { _mm256_unpacklo_epi64(x, y) } else { _mm256_unpackhi_epi64(x, y) }
        });
        each!(i in 8 => {
            let (top, bottom) = (b[i % 4], b[i % 4 + 4]);
            if i < 4 {
                _mm256_permute2x128_si256::<0x20>(top, bottom)
            } else {
                _mm256_permute2x128_si256::<0x31>(top, bottom)
            }
        })
    }
}

/// Turns four rows of four 64-bit words into columns.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn transpose4(r: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: the CPU has AVX2, by this function's contract.
    unsafe {
        let a = _mm256_unpacklo_epi64(r[0], r[1]);
        let b = _mm256_unpackhi_epi64(r[0], r[1]);
        let c = _mm256_unpacklo_epi64(r[2], r[3]);
        let d = _mm256_unpackhi_epi64(r[2], r[3]);
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    }
}

wide_kernels!("avx2", Built, ["avx2,bmi1,bmi2"], U32x8, U64x4);

/// Returns the kernel for one buffer in plain integers, with BMI1 and BMI2.
pub(in crate::arch) const fn single<C: Compression>() -> SingleKernel<C::Word>
where
    Plain<C::Word>: Vector<Word = C::Word>,
{
    SingleKernel { name: "integers, bmi2", one: one::<C>, two: None }
}

/// Absorbs one buffer in plain integers, with BMI1 and BMI2: rotations and complements that keep
/// their operand.
///
/// # Safety
/// - The contract of [`SingleRun`](crate::kernels::hash::kernel::SingleRun).
/// - The CPU has BMI1 and BMI2.
#[target_feature(enable = "bmi1,bmi2")]
unsafe fn one<C>(state: *mut C::Word, data: *const u8, blocks: usize)
where
    C: Compression,
    Plain<C::Word>: Vector<Word = C::Word>,
{
    // SAFETY: a list of one lane is a pointer to one pointer; `state` and `data` fulfil the
    // contract of `SingleRun`, which is that of `WideRun` for one lane, and plain integers need no
    // instruction set.
    unsafe { kernel::run::<Plain<C::Word>, C>(&raw const state, &raw const data, blocks) }
}
