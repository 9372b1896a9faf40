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

/// So many lanes go by AES-NI.
const FEW: usize = 8;

/// Where there is nothing to be gained by more lanes.
pub(crate) const fn narrow<W: Abreast>() -> Narrow {
    Narrow { lanes: FEW, blocks: W::WORTH_IT, blocks_of_stream: 64 }
}

/// Where the text is added to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// Before the cipher (CBC).
    Before,
    /// Behind the cipher, and the result goes into the next block (CFB).
    Behind,
    /// Behind the cipher, and the next block knows nothing of it (OFB).
    Aside,
}

impl Added {
    /// Whether the text is added to the key of this step.
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

    /// Whether every block is stored as it goes into the next, or only the last state is kept.
    const STORES: bool;
}

/// Which of two modes it is.
pub(crate) trait Mode: Course {
    /// Encrypts the next blocks of lanes `first..first + n`, at most eight, by AES-NI.
    ///
    /// # Safety
    /// As [`encrypt`], but that `n` is 1 to 8.
    unsafe fn encrypt_by_ni(set: &mut CbcLaneSet, first: usize, n: usize, blocks: usize);
}

/// Registers with blocks of several lanes.
///
/// # Safety
/// As [`Aes`](super::register::Aes).
pub(crate) trait Abreast: Lanewise + Wide {
    /// Whether there are registers enough to keep the next blocks of the lanes in them, and the
    /// round keys of steps 1 to [`HELD`].
    const SPARE: bool;

    /// Blocks from which on it pays to put keys side by side, measured: to put them there, and to
    /// wipe them, takes as long as some blocks. With fewer, lanes go by AES-NI, eight at a time.
    const WORTH_IT: usize;

    /// Stores the block of each lane `at` bytes after where its pointer points to. `to` is valid
    /// for as many pointers as there are lanes.
    unsafe fn scatter(self, to: *const *mut u8, at: usize);
}

/// Steps whose keys stay in registers.
const HELD: usize = 5;

/// [`CbcKernel::encrypt`](super::cbc::CbcKernel), with its contract.
///
/// # Safety
/// That contract, and the contract of [`Abreast`].
#[inline(always)]
pub(crate) unsafe fn encrypt<M: Mode, W: Abreast>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    assert!((1..=MAX_LANES).contains(&n), "1 to {MAX_LANES} lanes, not {n}");
    // SAFETY: the caller's; there are as many registers as there is a copy of the code for.
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

/// Whether it pays to put the keys of so many lanes side by side.
#[inline(always)]
pub(crate) fn pays<W: Abreast>(n: usize, blocks: usize) -> bool {
    n > FEW && blocks >= W::WORTH_IT
}

/// Where all that lanes have lies: [`MAX_LANES`] of each.
pub(crate) struct Places {
    pub key: *const *const AesKey,
    pub src: *const *const u8,
    /// Of no account where nothing is stored.
    pub dst: *const *mut u8,
    pub state: *mut Block,
}

/// The next blocks of `n` lanes, with one key or with many. The lanes' pointers stay.
///
/// # Safety
/// The contracts of [`CbcKernel`](super::cbc::CbcKernel) and [`Abreast`], but that lanes from `n`
/// on are the same as the one before them.
#[inline(always)]
pub(crate) unsafe fn run<C: Course, W: Abreast>(
    lanes: &Places,
    shares: bool,
    n: usize,
    blocks: usize,
) {
    const { assert!(W::LANES == 2 || W::LANES == 4) };
    // SAFETY: the caller's; there are as many registers as there is a copy of the code for.
    unsafe {
        match (W::LANES, n) {
            (2, ..=12) => run_in::<C, W, 6>(lanes, shares, blocks),
            (2, _) => run_in::<C, W, 8>(lanes, shares, blocks),
            (_, ..=12) => run_in::<C, W, 3>(lanes, shares, blocks),
            _ => run_in::<C, W, 4>(lanes, shares, blocks),
        }
    }
}

/// The same in `N` registers.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn run_in<C: Course, W: Abreast, const N: usize>(
    lanes: &Places,
    shares: bool,
    blocks: usize,
) {
    // SAFETY: the caller's; all lanes of the registers have keys of so many rounds.
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
/// The methods may only be called where the instructions of `W` are enabled, and for round keys and
/// registers that there are.
trait Keys<W> {
    /// The values of a step.
    type Step: Copy;

    /// The value of a register, on the first block.
    unsafe fn first(&mut self, at: usize, register: usize) -> W;

    /// Keeps what `first` gave for the blocks after it.
    unsafe fn keep(&mut self, at: usize, register: usize, key: W);

    unsafe fn step(&self, at: usize) -> Self::Step;

    /// The value of a register.
    unsafe fn of(step: Self::Step, register: usize) -> W;
}

/// One key for all lanes.
struct Shared(*const AesKey);

impl<W: Abreast> Keys<W> for Shared {
    type Step = W;

    #[inline(always)]
    unsafe fn first(&mut self, at: usize, _: usize) -> W {
        // SAFETY: the key has that round key, by the contract.
        unsafe { round_key(self.0, at) }
    }

    #[inline(always)]
    unsafe fn keep(&mut self, _: usize, _: usize, _: W) {}

    #[inline(always)]
    unsafe fn step(&self, at: usize) -> W {
        // SAFETY: the key has that round key, by the contract.
        unsafe { round_key(self.0, at) }
    }

    #[inline(always)]
    unsafe fn of(step: W, _: usize) -> W {
        step
    }
}

/// The round keys of several lanes side by side, by step and register; and where each lane's are.
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
    /// The contract of [`Abreast`].
    #[inline(always)]
    unsafe fn wipe(&mut self, rounds: usize) {
        let (first, others) = self.keys[..=rounds].split_at_mut(1);
        let kept = if W::SPARE { &mut others[HELD..] } else { others };
        for key in first.as_flattened_mut().iter_mut().chain(kept.as_flattened_mut()) {
            // SAFETY: there is room for a key, whether or not there is one.
            unsafe { key.as_mut_ptr().write_volatile(W::zero()) };
        }
        compiler_fence(Ordering::SeqCst);
    }
}

impl<W: Abreast, const N: usize> Keys<W> for SideBySide<W, N> {
    type Step = *const W;

    #[inline(always)]
    unsafe fn first(&mut self, at: usize, register: usize) -> W {
        // SAFETY: the lanes of that register have that round key.
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
        // SAFETY: there is that step, by the contract.
        unsafe { self.keys.as_ptr().add(at).cast() }
    }

    #[inline(always)]
    unsafe fn of(step: *const W, register: usize) -> W {
        // SAFETY: there is that register, and its key was put there.
        unsafe { *step.add(register) }
    }
}

/// Encrypts `blocks` blocks in each lane of `N` registers. The lanes' pointers stay.
///
/// # Safety
/// The contracts of [`CbcKernel`](super::cbc::CbcKernel), [`Keys`] and [`Abreast`], but that the
/// last lanes may be one and the same.
#[inline(always)]
unsafe fn rows<C: Course, W: Abreast, K: Keys<W>, const N: usize>(
    lanes: &Places,
    keys: &mut K,
    blocks: usize,
) {
    // SAFETY: the caller promises: the lanes have keys with as many rounds, and buffers of `blocks`
    // blocks, of which the body touches one at a time: it reads the block of all lanes before it
    // writes any of them.
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
    /// The blocks of a register. The text is added to a key, and with it to the block: so it does
    /// not wait for the block before. Loaded behind the rounds of the blocks before, it does not
    /// get in their way either.
    ///
    /// # Safety
    /// The contracts of [`Keys`] and [`Abreast`]; the lanes have that block.
    #[inline(always)]
    unsafe fn of<C: Course, W: Abreast, K: Keys<W>>(&self, keys: &K, register: usize) -> W {
        // SAFETY: the caller's.
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

/// A step of the first block, on which keys are put side by side.
///
/// # Safety
/// As [`rows`].
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
        // SAFETY: the caller's.
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

/// A step of any block but the first.
///
/// # Safety
/// As [`rows`].
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
    // SAFETY: the caller's.
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
