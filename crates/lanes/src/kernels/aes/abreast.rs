//! Encryption by CBC, CFB and OFB with the blocks of several lanes in a register (VAES): two or
//! four.
//!
//! A round of sixteen lanes then takes as long as a round of eight lanes by AES-NI, if one load
//! brings the round keys of all lanes in a register: because all lanes have one key, or because
//! their keys were put side by side. Copying keys takes time, and the copies must be wiped. So it
//! pays only from some blocks on.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use core::mem::MaybeUninit;
use core::sync::atomic::{Ordering, compiler_fence};

use super::cbc::{CbcLaneSet, MAX_LANES, Narrow};
use super::key::{AesKey, Block, MAX_ROUNDS, share_a_key};
use super::register::{Lanewise, Wide, every_step, round_key};

/// The number of lanes up to which AES-NI is used.
const FEW: usize = 8;

/// Returns the numbers of lanes and blocks for which more lanes gain nothing.
pub(crate) const fn narrow<W: Abreast>() -> Narrow {
    Narrow { lanes: FEW, blocks: W::WORTH_IT }
}

/// The place at which the text is added to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// The text is added before the cipher (CBC).
    Before,
    /// The text is added behind the cipher, and the result goes into the next block (CFB).
    Behind,
    /// The text is added behind the cipher, and the next block does not depend on it (OFB).
    Aside,
}

impl Added {
    /// Returns `true` if the text is added to the key of this step.
    #[inline(always)]
    const fn at(self, step: usize) -> bool {
        match self {
            Added::Before => step == 0,
            Added::Behind => step == MAX_ROUNDS,
            Added::Aside => false,
        }
    }
}

/// The parts of a mode: what is added to a block, when, and the use of the result.
pub(crate) trait Course {
    /// Where the text is added.
    const ADDED: Added;

    /// `true` if every block is stored as it goes into the next, or only the last state is kept.
    const STORES: bool;
}

/// A mode with its kernel for few lanes.
pub(crate) trait Mode: Course {
    /// Encrypts the next blocks of lanes `first..first + n`, at most eight, by AES-NI.
    ///
    /// # Safety
    /// The conditions of [`encrypt`], for lanes `first..first + n`; `n` is 1 to 8.
    unsafe fn encrypt_by_ni(set: &mut CbcLaneSet, first: usize, n: usize, blocks: usize);
}

/// Registers with blocks of several lanes.
///
/// # Safety
/// The contract of [`Aes`](super::register::Aes).
pub(crate) trait Abreast: Lanewise + Wide {
    /// `true` if there are registers enough to keep the next blocks of the lanes in them, and the
    /// round keys of steps 1 to [`HELD`].
    const SPARE: bool;

    /// Blocks from which on it pays to put keys side by side, measured: to put them there, and to
    /// wipe them, takes as long as some blocks. With fewer, lanes go by AES-NI, eight at a time.
    const WORTH_IT: usize;

    /// Stores the block of each lane `at` bytes behind the lane's pointer. `to` is valid for as
    /// many pointers as there are lanes, and each of these is writable for 16 bytes from `at` on.
    unsafe fn scatter(self, to: *const *mut u8, at: usize);
}

/// Steps whose keys stay in registers.
const HELD: usize = 5;

/// Does what [`CbcKernel::encrypt`](super::cbc::CbcKernel) does, with its contract.
///
/// # Safety
/// The contracts of [`CbcKernel`](super::cbc::CbcKernel) and of [`Abreast`].
#[inline(always)]
pub(crate) unsafe fn encrypt<M: Mode, W: Abreast>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    assert!((1..=MAX_LANES).contains(&n), "1 to {MAX_LANES} lanes, not {n}");
    // SAFETY: lanes `0..n` are as the contract of `CbcKernel` asks, and `n` is in range. AES-NI
    // gets at most eight lanes at a time, all below `n`. Before `run`, `repeat` makes all lanes
    // from `n` on the same as lane `n - 1`, which is what `run` asks for.
    unsafe {
        let shares = share_a_key(&set.key[..n]);
        if n <= FEW {
            M::encrypt_by_ni(set, 0, n, blocks);
        } else if !shares && !pays::<W>(n, blocks) {
            M::encrypt_by_ni(set, 0, FEW, blocks);
            M::encrypt_by_ni(set, FEW, n - FEW, blocks);
        } else {
            set.repeat(n, MAX_LANES);
            let state = set.state.as_mut_ptr();
            let lanes = Places {
                key: set.key.as_ptr(),
                src: set.src.as_ptr(),
                dst: set.dst.as_ptr(),
                state,
            };
            run::<M, W>(&lanes, shares, n, blocks);
        }
    }
}

/// Returns `true` if it pays to put the keys of `n` lanes side by side.
#[inline(always)]
pub(crate) fn pays<W: Abreast>(n: usize, blocks: usize) -> bool {
    n > FEW && blocks >= W::WORTH_IT
}

/// Pointers to the parts of lanes: [`MAX_LANES`] of each.
pub(crate) struct Places {
    pub key: *const *const AesKey,
    pub src: *const *const u8,
    /// Not read if nothing is stored.
    pub dst: *const *mut u8,
    pub state: *mut Block,
}

/// Encrypts the next blocks of `n` lanes, with one key or with many. The lanes' pointers stay.
///
/// # Safety
/// - The contracts of [`CbcKernel`](super::cbc::CbcKernel) and [`Abreast`], for lanes `0..n`.
/// - Lanes from `n` on are the same as lane `n - 1`.
/// - `shares` is set only if all lanes have one key.
#[inline(always)]
pub(crate) unsafe fn run<C: Course, W: Abreast>(
    lanes: &Places,
    shares: bool,
    n: usize,
    blocks: usize,
) {
    const { assert!(W::LANES == 2 || W::LANES == 4) };
    // SAFETY: each arm has registers for `n` lanes at least and [`MAX_LANES`] at most, and all of
    // these lanes are as this function's contract says.
    unsafe {
        match (W::LANES, n) {
            (2, ..=12) => run_in::<C, W, 6>(lanes, shares, blocks),
            (2, _) => run_in::<C, W, 8>(lanes, shares, blocks),
            (_, ..=12) => run_in::<C, W, 3>(lanes, shares, blocks),
            _ => run_in::<C, W, 4>(lanes, shares, blocks),
        }
    }
}

/// Does what [`run`] does, in `N` registers.
///
/// # Safety
/// The conditions of [`run`], and `N` registers hold at most [`MAX_LANES`] lanes.
#[inline(always)]
unsafe fn run_in<C: Course, W: Abreast, const N: usize>(
    lanes: &Places,
    shares: bool,
    blocks: usize,
) {
    // SAFETY: all lanes of the registers have valid keys with one number of rounds, by this
    // function's contract: those from `n` on repeat lane `n - 1`. `Shared` is only used if the
    // first key is the key of all.
    unsafe {
        let first = *lanes.key;
        if shares {
            return rows::<C, W, _, N>(lanes, &mut Shared(first), blocks);
        }
        let mut keys = SideBySide::<W, N>::of(lanes.key);
        rows::<C, W, _, N>(lanes, &mut keys, blocks);
        keys.wipe((*first).rounds());
    }
}

/// Round keys for registers of several lanes.
///
/// # Safety
/// This is the contract of every method:
///
/// - The instructions of `W` are enabled (the contract of [`Abreast`]).
/// - The keys are valid, and have round key `at`; `register` is one of the registers in use.
/// - [`of`](Keys::of) gets a step whose keys [`keep`](Keys::keep) has kept.
trait Keys<W> {
    /// The values of a step.
    type Step: Copy;

    /// Returns the value of a register, on the first block.
    unsafe fn first(&mut self, at: usize, register: usize) -> W;

    /// Keeps what `first` returned, for the blocks after it.
    unsafe fn keep(&mut self, at: usize, register: usize, key: W);

    unsafe fn step(&self, at: usize) -> Self::Step;

    /// Returns the value of a register.
    unsafe fn of(step: Self::Step, register: usize) -> W;
}

/// One key for all lanes.
struct Shared(*const AesKey);

impl<W: Abreast> Keys<W> for Shared {
    type Step = W;

    #[inline(always)]
    unsafe fn first(&mut self, at: usize, _: usize) -> W {
        // SAFETY: the key is valid and has that round key, by the contract of `Keys`.
        unsafe { round_key(self.0, at) }
    }

    #[inline(always)]
    unsafe fn keep(&mut self, _: usize, _: usize, _: W) {}

    #[inline(always)]
    unsafe fn step(&self, at: usize) -> W {
        // SAFETY: the key is valid and has that round key, by the contract of `Keys`.
        unsafe { round_key(self.0, at) }
    }

    #[inline(always)]
    unsafe fn of(step: W, _: usize) -> W {
        step
    }
}

/// The round keys of several lanes side by side, by step and register, and the pointers to the
/// lanes' keys.
struct SideBySide<W, const N: usize> {
    keys: [[MaybeUninit<W>; N]; MAX_ROUNDS + 1],
    lanes: *const *const AesKey,
}

impl<W: Abreast, const N: usize> SideBySide<W, N> {
    #[inline(always)]
    fn of(lanes: *const *const AesKey) -> Self {
        SideBySide { keys: [const { [const { MaybeUninit::uninit() }; N] }; MAX_ROUNDS + 1], lanes }
    }

    /// Wipes the keys that were kept.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Abreast`]).
    #[inline(always)]
    unsafe fn wipe(&mut self, rounds: usize) {
        let (first, others) = self.keys[..=rounds].split_at_mut(1);
        let kept = if W::SPARE { &mut others[HELD..] } else { others };
        for key in first.as_flattened_mut().iter_mut().chain(kept.as_flattened_mut()) {
            // SAFETY: the place has room for a key, whether or not a key was put there; the
            // instructions are enabled.
            unsafe { key.as_mut_ptr().write_volatile(W::zero()) };
        }
        compiler_fence(Ordering::SeqCst);
    }
}

impl<W: Abreast, const N: usize> Keys<W> for SideBySide<W, N> {
    type Step = *const W;

    #[inline(always)]
    unsafe fn first(&mut self, at: usize, register: usize) -> W {
        // SAFETY: the lanes of that register have valid keys with round key `at`, by the contract
        // of `Keys`, and round keys lie at `AesKey::ENCRYPTION` within a key.
        unsafe {
            W::gather(self.lanes.add(W::LANES * register).cast(), AesKey::ENCRYPTION + 16 * at)
        }
    }

    #[inline(always)]
    unsafe fn keep(&mut self, at: usize, register: usize, key: W) {
        self.keys[at][register].write(key);
    }

    #[inline(always)]
    unsafe fn step(&self, at: usize) -> *const W {
        // SAFETY: `at` is at most the number of rounds, by the contract of `Keys`, so the row is
        // one of the array.
        unsafe { self.keys.as_ptr().add(at).cast() }
    }

    #[inline(always)]
    unsafe fn of(step: *const W, register: usize) -> W {
        // SAFETY: `register` is below `N`, and its key was kept in that row, by the contract of
        // `Keys`.
        unsafe { *step.add(register) }
    }
}

/// Encrypts `blocks` blocks in each lane of `N` registers. The lanes' pointers stay.
///
/// # Safety
/// - The contracts of [`CbcKernel`](super::cbc::CbcKernel), [`Keys`] and [`Abreast`], for all lanes
///   of `N` registers.
/// - Only the last lanes may be one and the same.
#[inline(always)]
unsafe fn rows<C: Course, W: Abreast, K: Keys<W>, const N: usize>(
    lanes: &Places,
    keys: &mut K,
    blocks: usize,
) {
    // SAFETY: by this function's contract the lanes have keys with one number of rounds, and
    // buffers of `blocks` blocks. The body touches one block of each lane at a time, and reads the
    // block of all lanes before it writes any of them, so lanes may be the same.
    unsafe {
        let rounds = (**lanes.key).rounds();
        let &Places { src, dst, state, .. } = lanes;
        // Block by block: the code that gave a lane its task has just stored them, and wider loads
        // would wait for these stores.
        let start = |i: usize| {
            let blocks: [*const u8; MAX_LANES] = core::array::from_fn(|lane| {
                state.wrapping_add(W::LANES * i + lane).cast_const().cast()
            });
            W::gather(blocks.as_ptr(), 0)
        };
        let mut x = [start(0); N];
        for i in 1..N {
            x[i] = start(i);
        }
        let mut held = [x; HELD];
        let mut next = x;
        for block in 0..blocks {
            let text = Text { src, rounds, block };
            if block == 0 {
                // On the way through the first rounds, keys are put side by side.
                every_step!(rounds, STEP, at => {
                    first_step::<C, W, K, N>(&mut x, keys, &mut held, src, STEP, at);
                });
            } else {
                every_step!(rounds, STEP, at => {
                    later_step::<C, W, K, N>(&mut x, keys, &held, &next, &text, STEP, at);
                });
            }
            if C::ADDED == Added::Aside {
                // All is read before any is written: the last lanes may be one and the same.
                if !W::SPARE || block == 0 {
                    for i in 0..N {
                        next[i] = text.of::<C, W, K>(keys, i);
                    }
                }
                for i in 0..N {
                    x[i].xor(next[i]).scatter(dst.add(W::LANES * i), 16 * block);
                }
            }
            if W::SPARE && block + 1 < blocks {
                let text = Text { block: block + 1, ..text };
                for i in 0..N {
                    next[i] = text.of::<C, W, K>(keys, i);
                }
            }
            if C::STORES {
                for i in 0..N {
                    x[i].scatter(dst.add(W::LANES * i), 16 * block);
                }
            }
        }
        for i in 0..N {
            x[i].store(state.add(W::LANES * i).cast());
        }
    }
}

/// The texts of all lanes, of which one block is next.
struct Text {
    src: *const *const u8,
    rounds: usize,
    block: usize,
}

impl Text {
    /// Returns the blocks of a register. The text is added to a key, and with the key to the block,
    /// so that it does not wait for the block before. It is loaded behind the rounds of the blocks
    /// before, so that it does not get in their way either.
    ///
    /// # Safety
    /// The contracts of [`Keys`] and [`Abreast`]; the lanes have block number `self.block`.
    #[inline(always)]
    unsafe fn of<C: Course, W: Abreast, K: Keys<W>>(&self, keys: &K, register: usize) -> W {
        // SAFETY: the lanes have that block and are as many as the registers hold, by this
        // function's contract; steps 0 and `rounds` are kept, not held.
        unsafe {
            let text = W::gather(self.src.add(W::LANES * register), 16 * self.block);
            match C::ADDED {
                Added::Before => text.xor(K::of(keys.step(0), register)).pin(),
                Added::Behind => text.xor(K::of(keys.step(self.rounds), register)).pin(),
                Added::Aside => text.pin(),
            }
        }
    }
}

/// Takes the first block through a step, and puts keys side by side on the way.
///
/// # Safety
/// The conditions of [`rows`]; `at` is at most the number of rounds.
#[inline(always)]
unsafe fn first_step<C: Course, W: Abreast, K: Keys<W>, const N: usize>(
    x: &mut [W; N],
    keys: &mut K,
    held: &mut [[W; N]; HELD],
    src: *const *const u8,
    step: usize,
    at: usize,
) {
    for i in 0..N {
        // SAFETY: register `i` and round key `at` exist, by this function's contract, and every
        // lane has a first block, because this function is only called for a block.
        unsafe {
            let mut key = keys.first(at, i).pin();
            match held.get_mut(step.wrapping_sub(1)) {
                Some(held) if W::SPARE => held[i] = key,
                _ => keys.keep(at, i, key),
            }
            if C::ADDED.at(step) {
                key = W::gather(src.add(W::LANES * i), 0).xor(key);
            }
            x[i] = x[i].encrypt_step(step, MAX_ROUNDS, key).pin();
        }
    }
}

/// Takes any block but the first through a step.
///
/// # Safety
/// The conditions of [`rows`]; `at` is at most the number of rounds, and `first_step` has kept or
/// held the keys of this step.
#[inline(always)]
unsafe fn later_step<C: Course, W: Abreast, K: Keys<W>, const N: usize>(
    x: &mut [W; N],
    keys: &K,
    held: &[[W; N]; HELD],
    next: &[W; N],
    text: &Text,
    step: usize,
    at: usize,
) {
    // SAFETY: register `i`, round key `at` and the next block of text exist, by this function's
    // contract; a step whose keys are held is not read from `keys`.
    unsafe {
        let row = keys.step(at);
        for i in 0..N {
            let key = if C::ADDED.at(step) {
                if W::SPARE { next[i] } else { text.of::<C, W, K>(keys, i) }
            } else if W::SPARE
                && let Some(keys) = held.get(step.wrapping_sub(1))
            {
                keys[i]
            } else {
                K::of(row, i)
            };
            x[i] = x[i].encrypt_step(step, MAX_ROUNDS, key).pin();
        }
    }
}
