//! AVX-512: sixteen 32-bit lanes, or eight 64-bit lanes.

use core::arch::x86_64::*;

use crate::arch::compile::wide_kernels;
use crate::kernels::aes::register::Aes;
use crate::kernels::hash::kernel::InRegisters;
use crate::vector::{Pads, Vector, each};

/// Sixteen 32-bit lanes in one 512-bit register. Uses AVX-512 F and BW.
#[derive(Clone, Copy)]
pub struct U32x16(pub __m512i);

/// Eight 64-bit lanes in one 512-bit register. Uses AVX-512 F and BW.
#[derive(Clone, Copy)]
pub struct U64x8(pub(crate) __m512i);

/// The values of VPTERNLOG's three operands in the eight rows of its table: a function of these
/// three bytes is the table of that function.
const A: i32 = 0xf0;
const B: i32 = 0xcc;
const C: i32 = 0xaa;

macro_rules! ternary {
    ($name:ident = $table:expr) => {
        #[inline(always)]
        fn $name(self, b: Self, c: Self) -> Self {
            // SAFETY: `self` is proof of AVX-512 (see Vector).
            Self(unsafe { _mm512_ternarylogic_epi32::<{ $table & 0xff }>(self.0, b.0, c.0) })
        }
    };
}

macro_rules! bitwise {
    () => {
        #[inline(always)]
        fn xor(self, o: Self) -> Self {
            // SAFETY: `self` is proof of AVX-512 (see Vector).
            Self(unsafe { _mm512_xor_si512(self.0, o.0) })
        }
        #[inline(always)]
        fn and(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_and_si512(self.0, o.0) })
        }
        #[inline(always)]
        fn or(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_or_si512(self.0, o.0) })
        }
        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_ternarylogic_epi32::<{ !A & 0xff }>(self.0, self.0, self.0) })
        }
        #[inline(always)]
        fn settled(self) -> Self {
            // SAFETY: `self` is proof of AVX-512 (see Vector).
            Self(unsafe { Aes::pin(self.0) })
        }
        ternary!(xor3 = A ^ B ^ C);
        ternary!(choose = A & B | !A & C);
        ternary!(majority = A & B | A & C | B & C);
        ternary!(xor_or_not = A ^ (B | !C));
    };
}

// SAFETY: AVX-512 F and BW instructions only; every method is `inline(always)`.
unsafe impl Vector for U32x16 {
    type Word = u32;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has AVX-512, by the contract of `splat`.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: the CPU has AVX-512 and `words` is readable for sixteen words, by the contract of
        // `load`.
        Self(unsafe { _mm512_loadu_si512(words.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: `words` is writable for sixteen words, by the contract of `store`.
        unsafe { _mm512_storeu_si512(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has AVX-512, and `lanes` is readable for
        // sixteen pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let rows = each!(l in 16 => words::<BIG_ENDIAN>((*lanes.add(l)).add(offset)));
            let columns = transpose16(rows);
            each!(i in 16 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u32) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has AVX-512, and `lanes` is readable for
        // sixteen pointers, each of which is readable for eight words.
        unsafe {
            let rows = each!(l in 8 => {
                let low = _mm256_loadu_si256((*lanes.add(l)).cast());
                let high = _mm256_loadu_si256((*lanes.add(l + 8)).cast());
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            });
            let columns = transpose8_in_halves(rows);
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn gather_four(lanes: *const *const u32) -> [Self; 4] {
        // SAFETY: by the contract of `gather_four`, the CPU has AVX-512, and `lanes` is readable
        // for sixteen pointers, each of which is readable for four words.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*lanes.add(l)).cast());
            let [r0, r1, r2, r3] = each!(l in 4 => {
                let low = _mm256_set_m128i(row(l + 4), row(l));
                let high = _mm256_set_m128i(row(l + 12), row(l + 8));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            });
            let (a, b) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
            let (c, d) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
            [
                Self(_mm512_unpacklo_epi64(a, c)),
                Self(_mm512_unpackhi_epi64(a, c)),
                Self(_mm512_unpacklo_epi64(b, d)),
                Self(_mm512_unpackhi_epi64(b, d)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u32) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for sixteen pointers, each of
        // which is writable for eight words.
        unsafe {
            let rows = transpose8_in_halves(each!(i in 8 => words[i].0));
            each!(l in 8 => {
                let low = _mm512_castsi512_si256(rows[l]);
                let high = _mm512_extracti64x4_epi64::<1>(rows[l]);
                _mm256_storeu_si256((*lanes.add(l)).cast(), low);
                _mm256_storeu_si256((*lanes.add(l + 8)).cast(), high);
            });
        }
    }
    #[inline(always)]
    unsafe fn store_blocks(words: &[Self; 16], blocks: *mut u32) {
        // SAFETY: `blocks` is writable for 64 bytes for each of sixteen lanes, by the contract of
        // `store_blocks`.
        unsafe {
            let rows = transpose16(each!(i in 16 => words[i].0));
            each!(l in 16 => _mm512_storeu_si512(blocks.add(16 * l).cast(), rows[l]));
        }
    }
    #[inline(always)]
    unsafe fn add_blocks(words: &[Self; 16], _: *mut u32, from: *const u8, to: *mut u8) {
        // SAFETY: as above, at both places.
        unsafe {
            let rows = transpose16(each!(i in 16 => words[i].0));
            each!(l in 16 => {
                let text = _mm512_loadu_si512(from.add(64 * l).cast());
                _mm512_storeu_si512(to.add(64 * l).cast(), _mm512_xor_si512(text, rows[l]));
            });
        }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_add_epi32(self.0, o.0) })
    }
    bitwise!();
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_ror_epi32::<N>(self.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(N)) })
    }
}

// SAFETY: AVX-512 F and BW instructions only; every method is `inline(always)`.
unsafe impl Vector for U64x8 {
    type Word = u64;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the CPU has AVX-512, by the contract of `splat`.
        Self(unsafe { _mm512_set1_epi64(word.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        // SAFETY: the CPU has AVX-512 and `words` is readable for eight words, by the contract of
        // `load`.
        Self(unsafe { _mm512_loadu_si512(words.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: `words` is writable for eight words, by the contract of `store`.
        unsafe { _mm512_storeu_si512(words.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has AVX-512, and `lanes` is readable for
        // eight pointers, each of which is readable for 128 bytes from `offset`.
        unsafe {
            let halves = each!(h in 2 =>
                transpose8(each!(l in 8 =>
                    double_words::<BIG_ENDIAN>((*lanes.add(l)).add(offset + 64 * h)))));
            each!(i in 16 => Self(halves[i / 8][i % 8]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u64) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has AVX-512, and `lanes` is readable for
        // eight pointers, each of which is readable for eight words.
        unsafe {
            let rows = each!(l in 8 => _mm512_loadu_si512((*lanes.add(l)).cast()));
            let columns = transpose8(rows);
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u64) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for eight pointers, each of
        // which is writable for eight words.
        unsafe {
            let rows = transpose8(each!(i in 8 => words[i].0));
            each!(l in 8 => _mm512_storeu_si512((*lanes.add(l)).cast(), rows[l]));
        }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_add_epi64(self.0, o.0) })
    }
    bitwise!();
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_ror_epi64::<N>(self.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }
}

// SAFETY: AVX-512 F and BW and BMI2 instructions only; every method is `inline(always)`.
unsafe impl Pads for U32x16 {
    #[inline(always)]
    unsafe fn load_padded<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        lens: *const u8,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_padded`, the CPU has AVX-512, and there are sixteen
        // pointers and numbers; each pointer is readable for as many bytes as its number, which is
        // less than 64.
        unsafe {
            let rows = each!(l in 16 => {
                words_of::<BIG_ENDIAN>(padded((*lanes.add(l)).cast(), (*lens.add(l)).into()))
            });
            let columns = transpose16(rows);
            each!(i in 16 => Self(columns[i]))
        }
    }
}

// SAFETY: AVX-512 F and BW and BMI2 instructions only; every method is `inline(always)`.
unsafe impl Pads for U64x8 {
    #[inline(always)]
    unsafe fn load_padded<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        lens: *const u8,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_padded`, the CPU has AVX-512, and there are eight
        // pointers and numbers; each pointer is readable for as many bytes as its number, which is
        // less than 128. The bytes beyond the first half of a block begin 64 bytes on, if there are
        // any.
        unsafe {
            let halves = each!(h in 2 => transpose8(each!(l in 8 => {
                let (from, len) = (*lanes.add(l), u32::from(*lens.add(l)));
                let half = match (h, len) {
                    (0, _) => padded(from, len),
                    (_, ..64) => _mm512_setzero_si512(),
                    _ => padded(from.wrapping_add(64), len - 64),
                };
                double_words_of::<BIG_ENDIAN>(half)
            })));
            each!(i in 16 => Self(halves[i / 8][i % 8]))
        }
    }
}

/// Returns the first 64 of `len` bytes and a byte 0x80, with zeros after them. No other byte is
/// touched.
///
/// # Safety
/// - The CPU has AVX-512 F and BW, and BMI2.
/// - `bytes` is readable for `len` bytes, or for 64 if there are more.
#[inline(always)]
pub(super) unsafe fn padded(bytes: *const u8, len: u32) -> __m512i {
    /// A byte 0x80 with 64 zeros on either side.
    static END: [u8; 129] = {
        let mut end = [0; 129];
        end[64] = 0x80;
        end
    };
    // SAFETY: the CPU has the instructions and `bytes` is readable for the bytes of the mask, by
    // this function's contract; the mask leaves out all others, which are not read. At `at`, which
    // is 0 to 64, END has 64 bytes.
    unsafe {
        let at = 64 - len.min(64) as usize;
        let end = _mm512_loadu_si512(END.as_ptr().add(at).cast());
        _mm512_or_si512(_mm512_maskz_loadu_epi8(_bzhi_u64(u64::MAX, len), bytes.cast()), end)
    }
}

/// Loads sixteen 32-bit words in the machine's order.
///
/// # Safety
/// - The CPU has AVX-512 F and BW.
/// - `bytes` is readable for 64 bytes, at any alignment.
#[inline(always)]
unsafe fn words<const BIG_ENDIAN: bool>(bytes: *const u8) -> __m512i {
    // SAFETY: the CPU has AVX-512 and `bytes` is readable for 64 bytes, by this function's
    // contract.
    unsafe { words_of::<BIG_ENDIAN>(_mm512_loadu_si512(bytes.cast())) }
}

/// Returns the bytes of sixteen 32-bit words as words in the machine's order.
///
/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn words_of<const BIG_ENDIAN: bool>(v: __m512i) -> __m512i {
    // SAFETY: the CPU has AVX-512, by this function's contract.
    unsafe {
        if !BIG_ENDIAN {
            return v;
        }
        let swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
        _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(swap))
    }
}

/// Loads eight 64-bit words in the machine's order.
///
/// # Safety
/// - The CPU has AVX-512 F and BW.
/// - `bytes` is readable for 64 bytes, at any alignment.
#[inline(always)]
unsafe fn double_words<const BIG_ENDIAN: bool>(bytes: *const u8) -> __m512i {
    // SAFETY: the CPU has AVX-512 and `bytes` is readable for 64 bytes, by this function's
    // contract.
    unsafe { double_words_of::<BIG_ENDIAN>(_mm512_loadu_si512(bytes.cast())) }
}

/// Returns the bytes of eight 64-bit words as words in the machine's order.
///
/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn double_words_of<const BIG_ENDIAN: bool>(v: __m512i) -> __m512i {
    // SAFETY: the CPU has AVX-512, by this function's contract.
    unsafe {
        if !BIG_ENDIAN {
            return v;
        }
        let swap = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
        _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(swap))
    }
}

/// Turns sixteen rows of sixteen 32-bit words into columns.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn transpose16(r: [__m512i; 16]) -> [__m512i; 16] {
    // SAFETY: the CPU has AVX-512, by this function's contract.
    unsafe {
        // Quarter b of quads[g][k]: word 4b + k of the rows 4g to 4g + 3.
        let quads = each!(g in 4 => {
            let [r0, r1, r2, r3] = [r[4 * g], r[4 * g + 1], r[4 * g + 2], r[4 * g + 3]];
            let (a, b) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
            let (c, d) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
            [
                _mm512_unpacklo_epi64(a, c),
                _mm512_unpackhi_epi64(a, c),
                _mm512_unpacklo_epi64(b, d),
                _mm512_unpackhi_epi64(b, d),
            ]
        });
        let columns = each!(k in 4 => transpose_quarters(each!(g in 4 => quads[g][k])));
        each!(i in 16 => columns[i % 4][i / 4])
    }
}

/// Turns eight rows of eight 64-bit words into columns.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn transpose8(r: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: the CPU has AVX-512, by this function's contract.
    unsafe {
        // Quarter b of the g-th: word 2b (even) or 2b + 1 (odd) of the rows 2g and 2g + 1.
        let even = each!(g in 4 => _mm512_unpacklo_epi64(r[2 * g], r[2 * g + 1]));
        let odd = each!(g in 4 => _mm512_unpackhi_epi64(r[2 * g], r[2 * g + 1]));
        let columns = [transpose_quarters(even), transpose_quarters(odd)];
        each!(i in 8 => columns[i % 2][i / 2])
    }
}

/// Turns four rows of four 128-bit quarters into columns.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
pub(crate) unsafe fn transpose_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the CPU has AVX-512, by this function's contract.
    unsafe {
        /// Selects quarters 0 and 2 of each operand.
        const EVEN: i32 = 0b10_00_10_00;
        /// Selects quarters 1 and 3 of each operand.
        const ODD: i32 = 0b11_01_11_01;
        let (ab02, ab13) = (_mm512_shuffle_i32x4::<EVEN>(a, b), _mm512_shuffle_i32x4::<ODD>(a, b));
        let (cd02, cd13) = (_mm512_shuffle_i32x4::<EVEN>(c, d), _mm512_shuffle_i32x4::<ODD>(c, d));
        [
            _mm512_shuffle_i32x4::<EVEN>(ab02, cd02),
            _mm512_shuffle_i32x4::<EVEN>(ab13, cd13),
            _mm512_shuffle_i32x4::<ODD>(ab02, cd02),
            _mm512_shuffle_i32x4::<ODD>(ab13, cd13),
        ]
    }
}

/// Turns eight rows of eight 32-bit words in each half of the registers into columns, each half on
/// its own. Done twice, it changes nothing.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn transpose8_in_halves(r: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: the CPU has AVX-512, by this function's contract.
    unsafe {
        let a = each!(i in 8 => {
            let (x, y) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
            if i & 1 == 0 { _mm512_unpacklo_epi32(x, y) } else { _mm512_unpackhi_epi32(x, y) }
        });
        let b = each!(i in 8 => {
            let (x, y) = (a[i / 4 * 4 + i / 2 % 2], a[i / 4 * 4 + i / 2 % 2 + 2]);
            if i & 1 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) }
        });
        // Pairs of 64-bit words: the first quarter of each half of both, and the second.
        let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        each!(i in 8 => {
            let order = if i < 4 { first } else { second };
            _mm512_permutex2var_epi64(b[i % 4], order, b[i % 4 + 4])
        })
    }
}

/// Returns a mask of the first `len` bytes, at most 64.
///
/// # Safety
/// BMI2 is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn first(len: usize) -> __mmask64 {
    // SAFETY: BMI2 is enabled, by this function's contract.
    unsafe { _bzhi_u64(u64::MAX, len as u32) }
}

wide_kernels!(
    "avx512",
    InRegisters,
    ["avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"],
    U32x16,
    U64x8
);
