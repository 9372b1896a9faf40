//! CBC written once over an instruction set's AES round.
//!
//! A round has a latency of a few cycles, and a new round can start in each cycle. So a core
//! interleaves several independent blocks: blocks of other lanes to encrypt, the next blocks of the
//! same buffer to decrypt. Every number of blocks has its own copy of the code with all rounds
//! unrolled, and the blocks stay in registers from the first round to the last.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use super::cbc::{CbcLaneSet, MAX_LANES};
use super::key::{AesKey, Block};
use super::register::{Aes, Decrypt, round_key, unroll};

/// Encrypts `blocks` blocks in each of `N` lanes from `first` on, every lane with its own key. The
/// lanes' pointers stay.
///
/// # Safety
///
/// - The contracts of [`CbcKernel`](super::cbc::CbcKernel) and [`Aes`], for lanes `first..first +
///   N`.
/// - The keys have `ROUNDS` rounds.
#[inline(always)]
pub(crate) unsafe fn encrypt_own<A: Aes, const ROUNDS: usize, const N: usize>(
    set: &mut CbcLaneSet,
    first: usize,
    blocks: usize,
) {
    // SAFETY: by the contract of `CbcKernel` these lanes have valid keys and buffers of `blocks`
    // blocks, of which the body touches block `at / 16`, and `first + N` is at most the length of
    // the set's arrays; the keys have `ROUNDS + 1` round keys; by the contract of `Aes` the
    // instructions are enabled.
    unsafe {
        let states = set.state.as_mut_ptr().add(first);
        let mut state = [A::load(states.cast()); N];
        for lane in 1..N {
            state[lane] = A::load(states.add(lane).cast());
        }
        let keys = lanes::<_, N>(&set.key, first);
        let (src, dst) = (lanes::<_, N>(&set.src, first), lanes::<_, N>(&set.dst, first));
        for block in 0..blocks {
            let at = block * 16;
            for lane in 0..N {
                let input = A::load(src[lane].add(at)).xor(round_key(keys[lane], 0));
                state[lane] = state[lane].encrypt_step(0, ROUNDS, input.pin()).pin();
            }
            unroll!(STEP in 1..=ROUNDS {
                step_own(&mut state, keys.as_ptr(), STEP, STEP, ROUNDS);
            });
            for lane in 0..N {
                state[lane].store(dst[lane].add(at));
            }
        }
        for lane in 0..N {
            state[lane].store(states.add(lane).cast());
        }
    }
}

/// Encrypts as [`encrypt_own`] does, for lanes that all have the key of the first: a round key is
/// loaded once for all.
///
/// # Safety
///
/// The conditions of [`encrypt_own`].
#[inline(always)]
pub(crate) unsafe fn encrypt_shared<A: Aes, const ROUNDS: usize, const N: usize>(
    set: &mut CbcLaneSet,
    first: usize,
    blocks: usize,
) {
    // SAFETY: the reason of `encrypt_own` holds here, too; the one key is that of lane `first`.
    unsafe {
        let states = set.state.as_mut_ptr().add(first);
        let mut state = [A::load(states.cast()); N];
        for lane in 1..N {
            state[lane] = A::load(states.add(lane).cast());
        }
        let key = set.key[first];
        let (src, dst) = (lanes::<_, N>(&set.src, first), lanes::<_, N>(&set.dst, first));
        for block in 0..blocks {
            let at = block * 16;
            let first: A = round_key(key, 0);
            for lane in 0..N {
                let input = A::load(src[lane].add(at)).xor(first);
                state[lane] = state[lane].encrypt_step(0, ROUNDS, input.pin()).pin();
            }
            unroll!(STEP in 1..=ROUNDS {
                step_shared(&mut state, key, STEP, ROUNDS);
            });
            for lane in 0..N {
                state[lane].store(dst[lane].add(at));
            }
        }
        for lane in 0..N {
            state[lane].store(states.add(lane).cast());
        }
    }
}

/// Takes `N` blocks, each with its own key, through step `step` with round key `at`.
///
/// # Safety
///
/// - The instructions are enabled (the contract of [`Aes`]).
/// - `keys` is readable for `N` pointers to valid keys, which have round key `at`.
#[inline(always)]
pub(crate) unsafe fn step_own<A: Aes, const N: usize>(
    x: &mut [A; N],
    keys: *const *const AesKey,
    step: usize,
    at: usize,
    rounds: usize,
) {
    for i in 0..N {
        // SAFETY: `i < N`, so the key is one of those that this function's contract calls valid,
        // and it has round key `at`; the instructions are enabled.
        unsafe { x[i] = x[i].encrypt_step(step, rounds, round_key(*keys.add(i), at)).pin() };
    }
}

/// Takes `N` blocks that have one key through a step.
///
/// # Safety
///
/// The conditions of [`step_own`], for one key and round key `step`.
#[inline(always)]
unsafe fn step_shared<A: Aes, const N: usize>(
    x: &mut [A; N],
    key: *const AesKey,
    step: usize,
    rounds: usize,
) {
    // SAFETY: by this function's contract the key is valid and has round key `step`, and the
    // instructions are enabled.
    unsafe {
        let key = round_key(key, step);
        for i in 0..N {
            x[i] = x[i].encrypt_step(step, rounds, key).pin();
        }
    }
}

/// Takes `N` blocks through a step of the inverse cipher. The last step also adds the blocks of
/// `chain`.
///
/// # Safety
///
/// The conditions of [`step_own`], for one key and round key `step` of the inverse cipher.
#[inline(always)]
unsafe fn step_back<A: Decrypt, const N: usize>(
    x: &mut [A; N],
    chain: &[A; N],
    key: *const AesKey,
    step: usize,
    rounds: usize,
) {
    // SAFETY: by this function's contract the key is valid and has round key `step`, and the
    // instructions are enabled.
    unsafe {
        let key: A = inverse_round_key(key, step);
        for i in 0..N {
            let key = if step == rounds { key.xor(chain[i]) } else { key };
            x[i] = x[i].decrypt_step(step, rounds, key).pin();
        }
    }
}

/// Copies the values of `N` lanes from `first` on.
///
/// # Safety
///
/// `first + N` is at most [`MAX_LANES`].
#[inline(always)]
pub(crate) unsafe fn lanes<T: Copy, const N: usize>(all: &[T; MAX_LANES], first: usize) -> [T; N] {
    // SAFETY: `first + N` is at most the length of the array, by this function's contract, and an
    // array of `N` values is aligned as one value.
    unsafe { *all.as_ptr().add(first).cast() }
}

/// Decrypts `N` blocks of one buffer together. `previous` is the ciphertext block before them; the
/// result is the last of them.
///
/// # Safety
///
/// - The contracts of [`CbcKernel`](super::cbc::CbcKernel) and [`Aes`], for `N` blocks.
/// - The key has `ROUNDS` rounds.
#[inline(always)]
unsafe fn decrypt_group<A: Decrypt, const ROUNDS: usize, const N: usize>(
    key: *const AesKey,
    previous: A,
    src: *const u8,
    dst: *mut u8,
) -> A {
    // SAFETY: by the contract of `CbcKernel` there are `N` blocks at `src` and at `dst`, which are
    // equal or apart; all blocks are read before any is written. The key has `ROUNDS + 1` round
    // keys, and the instructions are enabled.
    unsafe {
        let first: A = inverse_round_key(key, 0);
        let mut x = [first; N];
        for i in 0..N {
            x[i] = A::load(src.add(16 * i)).decrypt_step(0, ROUNDS, first).pin();
        }
        let mut chain = [previous; N];
        for i in 1..N {
            chain[i] = A::load(src.add(16 * (i - 1)));
        }
        let last = A::load(src.add(16 * (N - 1)));
        unroll!(STEP in 1..=ROUNDS {
            step_back(&mut x, &chain, key, STEP, ROUNDS);
        });
        for i in 0..N {
            x[i].store(dst.add(16 * i));
        }
        last
    }
}

/// Decrypts `blocks` blocks of one buffer, eight together and then the rest together.
///
/// # Safety
///
/// The conditions of [`decrypt_group`], for `blocks` blocks.
#[inline(always)]
pub(crate) unsafe fn decrypt<A: Decrypt, const ROUNDS: usize>(
    key: *const AesKey,
    iv: &Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    let whole = blocks - blocks % 8;
    // SAFETY: `src` and `dst` are valid for `blocks` blocks by this function's contract. The groups
    // lie within these and meet end to end, so that each gets the blocks that it decrypts.
    unsafe {
        let mut previous = A::load(iv.as_ptr());
        let mut at = 0;
        while at < whole * 16 {
            previous = decrypt_group::<A, ROUNDS, 8>(key, previous, src.add(at), dst.add(at));
            at += 128;
        }
        let (src, dst) = (src.add(at), dst.add(at));
        match blocks - whole {
            1 => decrypt_group::<A, ROUNDS, 1>(key, previous, src, dst),
            2 => decrypt_group::<A, ROUNDS, 2>(key, previous, src, dst),
            3 => decrypt_group::<A, ROUNDS, 3>(key, previous, src, dst),
            4 => decrypt_group::<A, ROUNDS, 4>(key, previous, src, dst),
            5 => decrypt_group::<A, ROUNDS, 5>(key, previous, src, dst),
            6 => decrypt_group::<A, ROUNDS, 6>(key, previous, src, dst),
            7 => decrypt_group::<A, ROUNDS, 7>(key, previous, src, dst),
            _ => previous,
        };
    }
}

/// Loads a round key of the equivalent inverse cipher.
///
/// # Safety
///
/// The conditions of [`round_key`].
#[inline(always)]
unsafe fn inverse_round_key<A: Decrypt>(key: *const AesKey, step: usize) -> A {
    // SAFETY: the key is valid and has round key `step`, by this function's contract; round keys
    // are aligned to 16 bytes.
    unsafe { A::round_key((*key).decryption()[step].as_ptr()) }
}

/// The signature of [`encrypt_own`] and [`encrypt_shared`] once their parameters are fixed.
pub(crate) type Encrypt = unsafe fn(set: &mut CbcLaneSet, first: usize, blocks: usize);

/// The copies of an encryption for one number of rounds: `[lanes - 1]`.
pub(crate) type ByLanes = [Encrypt; LANES];

/// Lanes of these kernels: as many as hide the latency of a round, with one block in a register.
pub(crate) const LANES: usize = 8;
