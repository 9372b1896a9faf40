//! Chains of SLH-DSA by the SHA instructions: four, interleaved.

use core::arch::x86_64::*;

use broadloom_lanes::inside::x86_64::{Buffers, Sha256Buffer, Sha256State};
use broadloom_lanes::inside::{align_frame, each};

use crate::kernels::slh_dsa::chain::ChainKernel;
use crate::kernels::slh_dsa::chain::{Chains, Run, Trace};

/// Four chains.
pub(crate) const CHAIN: ChainKernel<u32> = ChainKernel { name: "sha-ni", lanes: 4, run };

/// One chain.
struct ShaChain {
    buffer: Sha256Buffer,
    start: Sha256State,
    /// The first four words of the address, and the words behind them.
    address: __m128i,
    last: __m128i,
    /// The value, the mark that ends it, and zeros.
    value: [__m128i; 2],
}

/// The values that all messages of a length share.
struct Shape {
    /// The words of the value's second half, and the mark behind it if it is there.
    keep: __m128i,
    mark: __m128i,
    /// The words behind the second half: the mark if it is there, and zeros.
    after: __m128i,
    /// The length of the message, in the last word.
    bits: __m128i,
}

impl Shape {
    /// Makes the shape of values of `n` bytes.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    unsafe fn new(n: usize) -> Self {
        const MARK: i32 = i32::MIN;
        // The block of PK.seed, the address and the value.
        let bits = 8 * (64 + 22 + n) as i32;
        // SAFETY: x86-64 has SSE2.
        unsafe {
            let zero = _mm_setzero_si128();
            let (keep, mark, after) = match n {
                16 => (zero, _mm_set_epi32(0, 0, 0, MARK), zero),
                24 => (_mm_set_epi32(0, 0, -1, -1), _mm_set_epi32(0, MARK, 0, 0), zero),
                _ => (_mm_set1_epi32(-1), zero, _mm_set_epi32(0, 0, 0, MARK)),
            };
            Shape { keep, mark, after, bits: _mm_set_epi32(bits, 0, 0, 0) }
        }
    }
}

/// Loads four words of a lane, from as many columns.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn column<const N: usize>(columns: &[[u32; N]; 8], from: usize, lane: usize) -> __m128i {
    let words = each!(i in 4 => columns[from + i][lane]);
    // SAFETY: `words` has four words, and x86-64 has SSE2.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

/// Returns the four words in a register.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn words(register: __m128i) -> [u32; 4] {
    let mut words = [0; 4];
    // SAFETY: `words` has room for four words, and x86-64 has SSE2.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), register) };
    words
}

impl ShaChain {
    /// Loads the chain of a lane.
    ///
    /// # Safety
    /// The CPU has the SHA instructions and SSE4.1.
    #[inline(always)]
    unsafe fn load(chains: &Chains<u32>, lane: usize, shape: &Shape) -> Self {
        let state = each!(i in 8 => chains.start[i][lane]);
        let address = each!(i in 4 => chains.address[i][lane]);
        let [fourth, fifth] = [chains.address[4][lane], chains.address[5][lane]];
        // SAFETY: `state` has eight words and `address` has four; the CPU has SSE4.1, by this
        // function's contract.
        unsafe {
            let start = Sha256State::load(state.as_ptr());
            let zero = _mm_setzero_si128();
            let high = column(&chains.value, 4, lane);
            ShaChain {
                buffer: Sha256Buffer { state: start, start, words: [zero; 4] },
                start,
                address: _mm_loadu_si128(address.as_ptr().cast()),
                last: _mm_set_epi32(0, 0, fifth.cast_signed(), fourth.cast_signed()),
                value: [
                    column(&chains.value, 0, lane),
                    _mm_or_si128(_mm_and_si128(high, shape.keep), shape.mark),
                ],
            }
        }
    }

    /// Takes the address, the value and the padding as the next block: the value begins in the
    /// middle of the sixth word.
    ///
    /// # Safety
    /// The CPU has the SHA instructions and SSE4.1.
    #[inline(always)]
    unsafe fn begin(&mut self, secret: __m128i, shape: &Shape) {
        let [low, high] = self.value;
        // SAFETY: the CPU has SSE4.1, by this function's contract.
        unsafe {
            let second = _mm_or_si128(
                _mm_slli_epi32::<16>(_mm_slli_si128::<8>(low)),
                _mm_srli_epi32::<16>(_mm_slli_si128::<4>(low)),
            );
            let third = _mm_or_si128(
                _mm_slli_epi32::<16>(_mm_alignr_epi8::<8>(high, low)),
                _mm_srli_epi32::<16>(_mm_alignr_epi8::<12>(high, low)),
            );
            let fourth = _mm_or_si128(
                _mm_slli_epi32::<16>(_mm_alignr_epi8::<8>(shape.after, high)),
                _mm_srli_epi32::<16>(_mm_alignr_epi8::<12>(shape.after, high)),
            );
            self.buffer.words = [
                _mm_xor_si128(self.address, secret),
                _mm_or_si128(self.last, second),
                third,
                _mm_or_si128(fourth, shape.bits),
            ];
            self.buffer.state = self.start;
            self.buffer.start = self.start;
        }
    }

    /// Takes the digest as the value.
    ///
    /// # Safety
    /// The CPU has the SHA instructions and SSE4.1.
    #[inline(always)]
    unsafe fn end(&mut self, step: __m128i, shape: &Shape) {
        // SAFETY: the CPU has SSE4.1, by this function's contract.
        unsafe {
            self.buffer.end();
            let [low, high] = self.buffer.state.in_order();
            self.value = [low, _mm_or_si128(_mm_and_si128(high, shape.keep), shape.mark)];
            self.last = _mm_add_epi32(self.last, step);
        }
    }

    /// Returns the words of the value, and of what follows it.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    unsafe fn words(&self) -> [u32; 8] {
        // SAFETY: x86-64 has SSE2.
        let [low, high] = unsafe { [words(self.value[0]), words(self.value[1])] };
        each!(i in 8 => if i < 4 { low[i % 4] } else { high[i % 4] })
    }
}

/// All rounds of a block, the four chains in turn.
macro_rules! rounds {
    ($chains:ident, $($group:literal)*) => {
        $( each!(i in 4 => $chains[i].buffer.group::<$group>()); )*
    };
}

/// Runs four chains, with the contract of [`ChainRun`](crate::kernels::slh_dsa::chain::ChainRun).
#[target_feature(enable = "sha,sse4.1,ssse3")]
unsafe fn run(chains: &mut Chains<u32>, first: usize, run: Run, trace: Trace<u32>) {
    align_frame!();
    // SAFETY: the chains and the trace fulfil the contract of `ChainRun` for lanes `first..first +
    // 4`, and this function enables the instructions.
    unsafe {
        let shape = Shape::new(run.n);
        let mut four = each!(i in 4 => ShaChain::load(chains, first + i, &shape));
        let (zero, one) = (_mm_setzero_si128(), _mm_set_epi32(0, 0, 1 << 16, 0));
        let secret = _mm_set_epi32(0, i32::from(run.secret) << 16, 0, 0);
        for at in usize::from(run.secret == 0)..=run.steps {
            let (secret, step) = if at == 0 { (secret, zero) } else { (zero, one) };
            each!(i in 4 => four[i].begin(secret, &shape));
            rounds!(four, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            each!(i in 4 => four[i].end(step, &shape));
            if !trace.to.is_null() {
                let count = run.n / 4;
                for (lane, chain) in four.iter().enumerate() {
                    for (i, word) in chain.words().iter().enumerate().take(count) {
                        let place = (at * count + i) * trace.stride + first + lane;
                        *trace.to.add(place) = *word;
                    }
                }
            }
        }
        for (lane, chain) in four.iter().enumerate() {
            for (column, word) in chains.value.iter_mut().zip(chain.words()) {
                column[first + lane] = word;
            }
            chains.address[5][first + lane] = words(chain.last)[1];
        }
    }
}
