//! SHA-384 and SHA-512 for one buffer on x86-64: the rounds on integers, and beside them the
//! message schedule of two blocks on vectors of 256 bits.
//!
//! A block depends on the block before it, but its message schedule does not. Half of a vector
//! holds two words of one block, the other half the same words of the next block. So one vector
//! instruction extends both blocks, and the rounds of the second block only read sums from memory.
//!
//! The rounds wait for integer instructions: 23 in a round, on the four ports of AMD Zen 3 and 4.
//! The vector instructions take other ports. A round is a piece of assembly, because the compiler
//! reorders sums: it adds the round constant last, on the critical path from one *e* to the next,
//! which costs a third of the speed.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use crate::kernels::hash::compression::rounds;
use crate::kernels::hash::kernel::SingleKernel;
use crate::kernels::hash::sha512::K;
use crate::vector::each;

/// SHA-384 and SHA-512 for few buffers, on AVX2.
pub(crate) const AVX2: SingleKernel<u64> =
    SingleKernel { name: "integers, avx2", one: single_avx2, two: None };

/// SHA-384 and SHA-512 for few buffers, on AVX-512.
pub(crate) const AVX512: SingleKernel<u64> =
    SingleKernel { name: "integers, avx512", one: single_avx512, two: None };

/// Bytes in a block.
const BLOCK: usize = 128;

/// Rows of two words in the message schedule of a block.
const ROWS: usize = 40;

/// Two words of one block and the same two words of the next block, for each row.
#[repr(C, align(64))]
struct Rows([[u64; 4]; ROWS]);

/// The round constants, for both blocks.
static CONSTANTS: Rows = {
    let mut rows = [[0; 4]; ROWS];
    let mut i = 0;
    while i < ROWS {
        rows[i] = [K[2 * i], K[2 * i + 1], K[2 * i], K[2 * i + 1]];
        i += 1;
    }
    Rows(rows)
};

#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn single_avx2(state: *mut u64, data: *const u8, blocks: usize) {
    // SAFETY: the arguments fulfil the contract of `SingleRun`, and this function enables the
    // instruction sets.
    unsafe { run::<Avx2>(state, data, blocks) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn single_avx512(state: *mut u64, data: *const u8, blocks: usize) {
    // SAFETY: the arguments fulfil the contract of `SingleRun`, and this function enables the
    // instruction sets.
    unsafe { run::<Avx512>(state, data, blocks) }
}

/// The two functions that extend a message (FIPS 180-4, equations 4.12 and 4.13).
trait Extend {
    /// Returns sigma 0 of four words.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn sigma0(words: __m256i) -> __m256i;

    /// Returns sigma 1 of four words.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn sigma1(words: __m256i) -> __m256i;
}

/// Extends by AVX2, which has no rotation.
struct Avx2;

impl Extend for Avx2 {
    #[inline(always)]
    unsafe fn sigma0(x: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX2, by the contract of `sigma0`.
        unsafe {
            let bytes = _mm256_set_epi64x(
                0x080f0e0d0c0b0a09,
                0x0007060504030201,
                0x080f0e0d0c0b0a09,
                0x0007060504030201,
            );
            let by_1 = _mm256_or_si256(_mm256_srli_epi64::<1>(x), _mm256_slli_epi64::<63>(x));
            let by_8 = _mm256_shuffle_epi8(x, bytes);
            _mm256_xor_si256(_mm256_xor_si256(by_1, by_8), _mm256_srli_epi64::<7>(x))
        }
    }

    #[inline(always)]
    unsafe fn sigma1(x: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX2, by the contract of `sigma1`.
        unsafe {
            let by_19 = _mm256_or_si256(_mm256_srli_epi64::<19>(x), _mm256_slli_epi64::<45>(x));
            let by_61 = _mm256_or_si256(_mm256_srli_epi64::<61>(x), _mm256_slli_epi64::<3>(x));
            _mm256_xor_si256(_mm256_xor_si256(by_19, by_61), _mm256_srli_epi64::<6>(x))
        }
    }
}

/// Extends by AVX-512, which has rotations and functions of three inputs.
struct Avx512;

impl Extend for Avx512 {
    #[inline(always)]
    unsafe fn sigma0(x: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX-512 F and VL, by the contract of `sigma0`.
        unsafe {
            let (by_1, by_8) = (_mm256_ror_epi64::<1>(x), _mm256_ror_epi64::<8>(x));
            _mm256_ternarylogic_epi64::<0x96>(by_1, by_8, _mm256_srli_epi64::<7>(x))
        }
    }

    #[inline(always)]
    unsafe fn sigma1(x: __m256i) -> __m256i {
        // SAFETY: the CPU has AVX-512 F and VL, by the contract of `sigma1`.
        unsafe {
            let (by_19, by_61) = (_mm256_ror_epi64::<19>(x), _mm256_ror_epi64::<61>(x));
            _mm256_ternarylogic_epi64::<0x96>(by_19, by_61, _mm256_srli_epi64::<6>(x))
        }
    }
}

/// Absorbs blocks, for both kernels.
///
/// # Safety
/// - The contract of [`SingleRun`](crate::kernels::hash::kernel::SingleRun).
/// - The CPU has BMI1, BMI2, AVX2, and the instruction set of `E`.
#[inline(always)]
unsafe fn run<E: Extend>(state: *mut u64, data: *const u8, blocks: usize) {
    let mut sums = MaybeUninit::<Rows>::uninit();
    let sums = sums.as_mut_ptr().cast::<[u64; 4]>();
    // SAFETY: `state` is readable for eight words, by the contract of `SingleRun`.
    let mut chain = unsafe { *state.cast::<[u64; 8]>() };
    let mut done = 0;
    while done < blocks {
        let both = blocks - done > 1;
        // SAFETY: `data` is readable for `blocks` blocks and the CPU has the instruction sets, by
        // this function's contract; a last block without a next one is read twice. Each row of
        // `sums` is written before it is read: rows 0 to 7 by `store`, and row `8 + i` by the round
        // that extends the message to it.
        unsafe {
            let first = data.add(BLOCK * done);
            let second = if both { first.add(BLOCK) } else { first };
            let mut words = load(first, second);
            each!(i in 8 => store(sums, i, words[i]));
            let mut working = Working::new(&chain);
            for group in 0..4 {
                let sums = sums.add(8 * group);
                rounds!(extending_round::<E>(&mut working, &mut words, sums, 8 * group), 16);
            }
            rounds!(plain_round::<First>(&mut working, sums.add(32)), 16);
            working.add_to(&mut chain);
            if both {
                let mut working = Working::new(&chain);
                for group in 0..5 {
                    rounds!(plain_round::<Second>(&mut working, sums.add(8 * group)), 16);
                }
                working.add_to(&mut chain);
            }
        }
        done += 2;
    }
    // SAFETY: `state` is writable for eight words, by the contract of `SingleRun`.
    unsafe { *state.cast::<[u64; 8]>() = chain };
}

/// Loads the words of two blocks, a row in each vector.
///
/// # Safety
/// - The CPU has AVX2.
/// - `first` and `second` are readable for a block each, at any alignment.
#[inline(always)]
unsafe fn load(first: *const u8, second: *const u8) -> [__m256i; 8] {
    // SAFETY: both blocks are readable and the CPU has AVX2, by this function's contract.
    unsafe {
        let swap = _mm256_set_epi64x(
            0x08090a0b0c0d0e0f,
            0x0001020304050607,
            0x08090a0b0c0d0e0f,
            0x0001020304050607,
        );
        each!(i in 8 => {
            let low = _mm_loadu_si128(first.add(16 * i).cast());
            let high = _mm_loadu_si128(second.add(16 * i).cast());
            _mm256_shuffle_epi8(_mm256_set_m128i(high, low), swap)
        })
    }
}

/// Writes a row of words with the round constants added.
///
/// # Safety
/// - The CPU has AVX2.
/// - `row` is below [`ROWS`], and `sums` is writable for [`ROWS`] rows, aligned as [`Rows`] is.
#[inline(always)]
unsafe fn store(sums: *mut [u64; 4], row: usize, words: __m256i) {
    // SAFETY: `row` is a row of both tables, by this function's contract, and rows are aligned as
    // vectors are.
    unsafe {
        let constants = _mm256_load_si256(CONSTANTS.0.as_ptr().add(row).cast());
        _mm256_store_si256(sums.add(row).cast(), _mm256_add_epi64(words, constants));
    }
}

/// Computes round `t` of sixteen of the first block. Before each second round it makes the row that
/// is eight rows further.
///
/// # Safety
/// - The CPU has BMI1, BMI2, AVX2 and the instruction set of `E`.
/// - `sums` points to row `row` of [`ROWS`], at least sixteen rows are left there, and the first
///   eight of these have been written.
#[inline(always)]
unsafe fn extending_round<E: Extend>(
    working: &mut Working,
    words: &mut [__m256i; 8],
    sums: *mut [u64; 4],
    row: usize,
    t: usize,
) {
    // SAFETY: the CPU has the instruction sets, by this function's contract. Row `row + 8 + i` is
    // one of the sixteen rows from `sums` on, and `plain_round` reads one of the first eight.
    unsafe {
        if t.is_multiple_of(2) {
            let i = t / 2;
            let before_15 = _mm256_alignr_epi8::<8>(words[(i + 1) % 8], words[i]);
            let before_7 = _mm256_alignr_epi8::<8>(words[(i + 5) % 8], words[(i + 4) % 8]);
            let sigmas = _mm256_add_epi64(E::sigma0(before_15), E::sigma1(words[(i + 7) % 8]));
            words[i] = _mm256_add_epi64(_mm256_add_epi64(words[i], before_7), sigmas);
            store(sums.sub(row), row + 8 + i, words[i]);
        }
        plain_round::<First>(working, sums, t);
    }
}

/// The place of one of two blocks.
trait Half {
    /// The place of its words in a row.
    const OFFSET: usize;
}

/// The first block.
struct First;
impl Half for First {
    const OFFSET: usize = 0;
}

/// The second block.
struct Second;
impl Half for Second {
    const OFFSET: usize = 2;
}

/// Computes round `t` of sixteen, whose sums begin at `sums`.
///
/// # Safety
/// - The CPU has BMI1 and BMI2.
/// - Eight rows have been written at `sums`.
#[inline(always)]
unsafe fn plain_round<H: Half>(working: &mut Working, sums: *const [u64; 4], t: usize) {
    // SAFETY: `t / 2` is below 8, so that the row has been written, and a row has four words; the
    // CPU has BMI1 and BMI2, by this function's contract.
    unsafe {
        let sum = sums.add(t / 2).cast::<u64>().add(H::OFFSET + t % 2).read();
        working.round(sum, t);
    }
}

/// The working variables of a block.
struct Working {
    /// The variables *a* to *h*. They stay where they are; their names move on by one each round.
    names: [u64; 8],
    /// The exclusive or of *b* and *c*, which is that of *a* and *b* of the round before.
    difference: u64,
}

impl Working {
    #[inline(always)]
    fn new(chain: &[u64; 8]) -> Self {
        Working { names: *chain, difference: chain[1] ^ chain[2] }
    }

    #[inline(always)]
    fn add_to(&self, chain: &mut [u64; 8]) {
        *chain = each!(i in 8 => chain[i].wrapping_add(self.names[i]));
    }

    /// Does round `t` of sixteen, with the sum of its word and its constant.
    ///
    /// The choice of *f* and *g* by *e* is two terms without a common bit, which are added one by
    /// one. The majority of *a*, *b* and *c* is *b* where *a* and *b*, or *b* and *c*, are equal.
    ///
    /// # Safety
    /// The CPU has BMI1 and BMI2.
    #[inline(always)]
    unsafe fn round(&mut self, sum: u64, t: usize) {
        let [a, b, _, d, e, f, g, h] = each!(i in 8 => (16 - t + i) % 8);
        let s = &mut self.names;
        s[h] = s[h].wrapping_add(sum);
        let next_difference;
        // SAFETY: the CPU has ANDN (BMI1) and RORX (BMI2), by this function's contract. Only the
        // named registers and the flags change; neither memory nor the stack is touched.
        unsafe {
            // Changes: the registers of its operands and flags. No memory, no stack.
            asm!(
                "andn {u}, {e}, {g}",
                "add {h}, {u}",
                "mov {u}, {f}",
                "and {u}, {e}",
                "add {h}, {u}",
                "rorx {t}, {e}, 14",
                "rorx {ab}, {e}, 18",
                "xor {t}, {ab}",
                "rorx {ab}, {e}, 41",
                "xor {t}, {ab}",
                "add {d}, {h}",
                "add {d}, {t}",
                "add {h}, {t}",
                "mov {ab}, {a}",
                "xor {ab}, {b}",
                "and {bc}, {ab}",
                "xor {bc}, {b}",
                "add {h}, {bc}",
                "rorx {t}, {a}, 28",
                "rorx {u}, {a}, 34",
                "xor {t}, {u}",
                "rorx {u}, {a}, 39",
                "xor {t}, {u}",
                "add {h}, {t}",
                a = in(reg) s[a],
                b = in(reg) s[b],
                d = inout(reg) s[d],
                e = in(reg) s[e],
                f = in(reg) s[f],
                g = in(reg) s[g],
                h = inout(reg) s[h],
                bc = inout(reg) self.difference => _,
                ab = out(reg) next_difference,
                t = out(reg) _,
                u = out(reg) _,
                options(pure, nomem, nostack),
            );
        }
        self.difference = next_difference;
    }
}
