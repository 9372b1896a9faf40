//! CBC's and CFB's encryption with the blocks of two lanes in a register (256-bit VAES).
//!
//! A round of sixteen lanes then takes as long as one of eight does by AES-NI, if a round key is loaded for both
//! lanes of a register at once: where all lanes have one key, or where the two keys were put side by side. That is
//! work, too, and the copies have to be wiped: it pays from some blocks on.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::cbc::{CbcLaneSet, MAX_LANES, Narrow};
use super::key::{AesKey, MAX_ROUNDS, share_a_key};
use super::register::{Aes, Lanewise, every_step, round_key};

/// The most registers.
const PAIRS: usize = MAX_LANES / 2;

/// Blocks from which on it pays to put keys side by side: sixteen lanes take 40 cycles less for each, and putting
/// the keys there and wiping them some 180. With fewer, lanes go by AES-NI, eight at a time.
const WORTH_IT: usize = 6;

/// Then there is nothing to be gained.
pub(super) const NARROW: Narrow = Narrow { lanes: PAIRS, blocks: WORTH_IT, blocks_of_stream: 64 };

/// What is added to a block, and when: which of two modes it is.
pub(super) trait Mode {
    /// Whether the text is added before the cipher (CBC), or behind it (CFB).
    const BEFORE: bool;

    /// Encrypts the next blocks of lanes `first..first + n`, at most eight, by AES-NI.
    ///
    /// # Safety
    /// As [`encrypt`], but that `n` is 1 to 8, and for that the lanes' pointers are to be moved on.
    unsafe fn encrypt_by_ni(set: &mut CbcLaneSet, first: usize, n: usize, blocks: usize);
}

/// [`CbcKernel::encrypt`](super::cbc::CbcKernel), with its contract.
#[inline(always)]
pub(super) unsafe fn encrypt<M: Mode>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    assert!((1..=MAX_LANES).contains(&n), "1 to {MAX_LANES} lanes, not {n}");
    // SAFETY: the contract: the CPU has AES-NI, AVX2 and VAES.
    unsafe {
        if n <= PAIRS {
            M::encrypt_by_ni(set, 0, n, blocks);
        } else if share_a_key(&set.key[..n]) {
            shared::<M>(set, n, blocks);
        } else if blocks >= WORTH_IT {
            own::<M>(set, n, blocks);
        } else {
            M::encrypt_by_ni(set, 0, PAIRS, blocks);
            M::encrypt_by_ni(set, PAIRS, n - PAIRS, blocks);
        }
        set.advance(n, blocks);
    }
}

/// Where all lanes have the key of the first.
///
/// # Safety
/// As [`encrypt`].
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn shared<M: Mode>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    let (keys, registers) = (Shared(set.key[0]), registers(n));
    set.repeat(n, 2 * registers);
    // SAFETY: the contract, and the instructions are enabled here.
    unsafe { run_in::<M, _>(set, &keys, registers, blocks) }
}

/// Where each lane has a key of its own.
///
/// # Safety
/// As [`encrypt`].
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn own<M: Mode>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    let registers = registers(n);
    set.repeat(n, 2 * registers);
    let mut keys = SideBySide([const { [const { MaybeUninit::uninit() }; PAIRS] }; MAX_ROUNDS + 1]);
    // SAFETY: the contract, and the instructions are enabled here; all lanes of these registers have keys of so
    // many rounds, whose round keys are all put there before they are read.
    unsafe {
        let rounds = (*set.key[0]).rounds();
        for (step, row) in keys.0[..=rounds].iter_mut().enumerate() {
            for pair in 0..registers {
                let low = round_key::<__m128i>(set.key[2 * pair], step);
                let high = round_key::<__m128i>(set.key[2 * pair + 1], step);
                row[pair].write(_mm256_set_m128i(high, low));
            }
        }
        run_in::<M, _>(set, &keys, registers, blocks);
        for row in &mut keys.0[..=rounds] {
            row[..registers].iter_mut().for_each(|key| key.assume_init_mut().zeroize());
        }
    }
}

/// As many registers as there is a copy of the code for.
fn registers(n: usize) -> usize {
    if n <= 12 { 6 } else { PAIRS }
}

/// Round keys for registers of two lanes.
///
/// # Safety
/// The methods may only be called where AVX2 is enabled, and for round keys and registers that there are.
trait Keys {
    /// Those of a step.
    type Step: Copy;

    unsafe fn step(&self, at: usize) -> Self::Step;

    /// That of a register.
    unsafe fn of(step: Self::Step, register: usize) -> __m256i;
}

/// One key for all lanes.
struct Shared(*const AesKey);

impl Keys for Shared {
    type Step = __m256i;

    #[inline(always)]
    unsafe fn step(&self, at: usize) -> __m256i {
        // SAFETY: the key has that round key, by the contract.
        unsafe { round_key(self.0, at) }
    }

    #[inline(always)]
    unsafe fn of(step: __m256i, _: usize) -> __m256i {
        step
    }
}

/// The round keys of two lanes side by side, by step and register.
struct SideBySide([[MaybeUninit<__m256i>; PAIRS]; MAX_ROUNDS + 1]);

impl Keys for SideBySide {
    type Step = *const __m256i;

    #[inline(always)]
    unsafe fn step(&self, at: usize) -> *const __m256i {
        // SAFETY: there is that step, by the contract.
        unsafe { self.0.as_ptr().add(at).cast() }
    }

    #[inline(always)]
    unsafe fn of(step: *const __m256i, register: usize) -> __m256i {
        // SAFETY: there is that register, and its key was put there.
        unsafe { *step.add(register) }
    }
}

/// [`run`], with as many registers.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn run_in<M: Mode, K: Keys>(set: &mut CbcLaneSet, keys: &K, registers: usize, blocks: usize) {
    // SAFETY: the caller's.
    unsafe {
        match registers {
            6 => run::<M, K, 6>(set, keys, blocks),
            _ => run::<M, K, PAIRS>(set, keys, blocks),
        }
    }
}

/// Encrypts `blocks` blocks in each lane of `N` registers. The lanes' pointers stay.
///
/// # Safety
/// The contracts of [`CbcKernel`](super::cbc::CbcKernel), [`Keys`] and [`Aes`], but that the last lanes may be
/// one and the same.
#[inline(always)]
unsafe fn run<M: Mode, K: Keys, const N: usize>(set: &mut CbcLaneSet, keys: &K, blocks: usize) {
    // SAFETY: the caller's promises: the lanes have keys with as many rounds, and buffers of `blocks` blocks, of
    // which one is touched at a time: in all lanes it is read before any is written to.
    unsafe {
        let rounds = (*set.key[0]).rounds();
        let (src, dst) = (set.src.as_ptr(), set.dst.as_ptr());
        let state = set.state.as_mut_ptr();
        let mut x = [__m256i::load(state.cast()); N];
        for i in 1..N {
            x[i] = __m256i::load(state.add(2 * i).cast());
        }
        for block in 0..blocks {
            let at = 16 * block;
            if M::BEFORE {
                for i in 0..N {
                    x[i] = x[i].xor(__m256i::gather(src.add(2 * i), at)).pin();
                }
            }
            every_step!(rounds, STEP, at => {
                let key = keys.step(at);
                for i in 0..N {
                    x[i] = x[i].encrypt_step(STEP, MAX_ROUNDS, K::of(key, i)).pin();
                }
            });
            if !M::BEFORE {
                for i in 0..N {
                    x[i] = x[i].xor(__m256i::gather(src.add(2 * i), at)).pin();
                }
            }
            for i in 0..N {
                _mm256_castsi256_si128(x[i]).store((*dst.add(2 * i)).add(at));
                _mm256_extracti128_si256::<1>(x[i]).store((*dst.add(2 * i + 1)).add(at));
            }
        }
        for i in 0..N {
            x[i].store(state.add(2 * i).cast());
        }
    }
}
