//! CBC's and CFB's encryption with the blocks of several lanes in a register (VAES): two, or four.
//!
//! A round of sixteen lanes then takes as long as one of eight does by AES-NI, if a round key is loaded for all
//! lanes of a register at once: where all lanes have one key, or where their keys were put side by side. That is
//! work, too, and the copies have to be wiped: it pays from some blocks on.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use core::mem::MaybeUninit;
use core::sync::atomic::{Ordering, compiler_fence};

use super::cbc::{CbcLaneSet, MAX_LANES, Narrow};
use super::key::{AesKey, MAX_ROUNDS, share_a_key};
use super::register::{Lanewise, Wide, every_step, round_key};

/// So many lanes go by AES-NI.
const FEW: usize = 8;

/// Blocks from which on it pays to put keys side by side: with two in a register, sixteen lanes take 40 cycles less for
/// each, and putting the keys there and wiping them some 180. With fewer, lanes go by AES-NI, eight at a time.
const WORTH_IT: usize = 5;

/// Then there is nothing to be gained.
pub(super) const NARROW: Narrow = Narrow { lanes: FEW, blocks: WORTH_IT, blocks_of_stream: 64 };

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

/// Registers with blocks of several lanes.
///
/// # Safety
/// As [`Aes`](super::register::Aes).
pub(super) trait Abreast: Lanewise + Wide {
    /// Whether there are registers enough to keep the next blocks of the lanes in them, and the round keys of steps 1 to
    /// [`HELD`].
    const SPARE: bool;

    /// Stores the block of each lane `at` bytes after where its pointer points to. `to` is valid for as many
    /// pointers as there are lanes.
    unsafe fn scatter(self, to: *const *mut u8, at: usize);
}

/// Steps of which the keys are kept in registers.
const HELD: usize = 5;

/// [`CbcKernel::encrypt`](super::cbc::CbcKernel), with its contract.
///
/// # Safety
/// That contract, and that of [`Abreast`].
#[inline(always)]
pub(super) unsafe fn encrypt<M: Mode, W: Abreast>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    const { assert!(W::LANES == 2 || W::LANES == 4) };
    assert!((1..=MAX_LANES).contains(&n), "1 to {MAX_LANES} lanes, not {n}");
    // SAFETY: the caller's; there are as many registers as there is a copy of the code for.
    unsafe {
        if n <= FEW {
            M::encrypt_by_ni(set, 0, n, blocks);
        } else if blocks < WORTH_IT && !share_a_key(&set.key[..n]) {
            M::encrypt_by_ni(set, 0, FEW, blocks);
            M::encrypt_by_ni(set, FEW, n - FEW, blocks);
        } else {
            match (W::LANES, n) {
                (2, ..=12) => run::<M, W, 6>(set, n, blocks),
                (2, _) => run::<M, W, 8>(set, n, blocks),
                (_, ..=12) => run::<M, W, 3>(set, n, blocks),
                _ => run::<M, W, 4>(set, n, blocks),
            }
        }
        set.advance(n, blocks);
    }
}

/// The lanes of `N` registers, with one key or with many.
///
/// # Safety
/// As [`encrypt`]; the lanes have room in the registers.
#[inline(always)]
unsafe fn run<M: Mode, W: Abreast, const N: usize>(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    let shares = share_a_key(&set.key[..n]);
    set.repeat(n, W::LANES * N);
    // SAFETY: the caller's; all lanes of the registers have keys of so many rounds.
    unsafe {
        if shares {
            return rows::<M, W, _, N>(set, &Shared(set.key[0]), blocks);
        }
        let rounds = (*set.key[0]).rounds();
        let mut keys = SideBySide::<W, N>::new();
        keys.fill(&set.key, rounds);
        rows::<M, W, _, N>(set, &keys, blocks);
        keys.wipe(rounds);
    }
}

/// Round keys for registers of several lanes.
///
/// # Safety
/// The methods may only be called where the instructions of `W` are enabled, and for round keys and registers that
/// there are.
trait Keys<W> {
    /// Whether each register has its own.
    const OWN: bool;

    /// Those of a step.
    type Step: Copy;

    unsafe fn step(&self, at: usize) -> Self::Step;

    /// That of a register.
    unsafe fn of(step: Self::Step, register: usize) -> W;
}

/// One key for all lanes.
struct Shared(*const AesKey);

impl<W: Abreast> Keys<W> for Shared {
    const OWN: bool = false;
    type Step = W;

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

/// The round keys of several lanes side by side, by step and register.
struct SideBySide<W, const N: usize>([[MaybeUninit<W>; N]; MAX_ROUNDS + 1]);

impl<W: Abreast, const N: usize> SideBySide<W, N> {
    #[inline(always)]
    fn new() -> Self {
        SideBySide([const { [const { MaybeUninit::uninit() }; N] }; MAX_ROUNDS + 1])
    }

    /// Puts the keys there.
    ///
    /// # Safety
    /// The contract of [`Abreast`]; the lanes of all registers have keys of so many rounds.
    #[inline(always)]
    unsafe fn fill(&mut self, keys: &[*const AesKey; MAX_LANES], rounds: usize) {
        // SAFETY: the caller's; lanes that no register has are not looked at.
        unsafe {
            let mut from = [core::ptr::null::<u8>(); MAX_LANES];
            for lane in 0..N * W::LANES {
                from[lane] = (*keys[lane]).encryption().as_ptr().cast();
            }
            for step in 0..=rounds {
                for i in 0..N {
                    self.0[step][i].write(W::gather(from.as_ptr().add(i * W::LANES), 16 * step));
                }
            }
        }
    }

    /// Wipes the keys.
    ///
    /// # Safety
    /// The contract of [`Abreast`].
    #[inline(always)]
    unsafe fn wipe(&mut self, rounds: usize) {
        for key in self.0[..=rounds].as_flattened_mut() {
            // SAFETY: there is room for a key, whether or not there is one.
            unsafe { key.as_mut_ptr().write_volatile(W::zero()) };
        }
        compiler_fence(Ordering::SeqCst);
    }
}

impl<W: Abreast, const N: usize> Keys<W> for SideBySide<W, N> {
    const OWN: bool = true;
    type Step = *const W;

    #[inline(always)]
    unsafe fn step(&self, at: usize) -> *const W {
        // SAFETY: there is that step, by the contract.
        unsafe { self.0.as_ptr().add(at).cast() }
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
/// The contracts of [`CbcKernel`](super::cbc::CbcKernel), [`Keys`] and [`Abreast`], but that the last lanes may be
/// one and the same.
#[inline(always)]
unsafe fn rows<M: Mode, W: Abreast, K: Keys<W>, const N: usize>(
    set: &mut CbcLaneSet,
    keys: &K,
    blocks: usize,
) {
    // SAFETY: the caller's promises: the lanes have keys with as many rounds, and buffers of `blocks` blocks, of
    // which one is touched at a time: in all lanes it is read before any is written to.
    unsafe {
        let rounds = (*set.key[0]).rounds();
        let (src, dst) = (set.src.as_ptr(), set.dst.as_ptr());
        let state = set.state.as_mut_ptr();
        let mut x = [W::load(state.cast()); N];
        for i in 1..N {
            x[i] = W::load(state.add(W::LANES * i).cast());
        }
        let mut held = [x; HELD];
        if const { K::OWN && W::SPARE } {
            for step in 0..HELD {
                let row = keys.step(1 + step);
                for i in 0..N {
                    held[step][i] = K::of(row, i).pin();
                }
            }
        }
        // The text is added to a key, and with it to the block: so it does not wait for the block before. Loaded behind
        // the rounds of the blocks before, it does not get in their way either.
        let added_to = if M::BEFORE { 0 } else { rounds };
        let text = |i: usize, block: usize| {
            let text = W::gather(src.add(W::LANES * i), 16 * block);
            text.xor(K::of(keys.step(added_to), i)).pin()
        };
        let mut next = x;
        if W::SPARE && blocks > 0 {
            for i in 0..N {
                next[i] = text(i, 0);
            }
        }
        for block in 0..blocks {
            every_step!(rounds, STEP, at => {
                let row = keys.step(at);
                for i in 0..N {
                    let key = if STEP == const { if M::BEFORE { 0 } else { MAX_ROUNDS } } {
                        if W::SPARE { next[i] } else { text(i, block) }
                    } else if 1 <= STEP && STEP <= HELD && const { K::OWN && W::SPARE } {
                        held[STEP - 1][i]
                    } else {
                        K::of(row, i)
                    };
                    x[i] = x[i].encrypt_step(STEP, MAX_ROUNDS, key).pin();
                }
            });
            if W::SPARE && block + 1 < blocks {
                for i in 0..N {
                    next[i] = text(i, block + 1);
                }
            }
            for i in 0..N {
                x[i].scatter(dst.add(W::LANES * i), 16 * block);
            }
        }
        for i in 0..N {
            x[i].store(state.add(W::LANES * i).cast());
        }
    }
}
