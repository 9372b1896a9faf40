//! AES blocks in vector registers: the only view that kernels have of an instruction set.

use core::borrow::Borrow;

use super::key::{AesKey, CipherKey, MAX_ROUNDS};

/// One block in a register, or several side by side, and the AES round on them.
///
/// # Safety
///
/// This is the contract of every method:
///
/// - The instructions of the implementation are enabled: the method is inlined into a function that
///   is compiled for them, and the CPU has them.
/// - A pointer is valid for the whole register, at any alignment, unless the method says otherwise.
///
/// A pointer to an [`AesKey`] is called valid if the key can be read and is not changed meanwhile.
pub(crate) trait Aes: Copy {
    unsafe fn load(from: *const u8) -> Self;

    /// Loads a round key into every place; `from` is valid for 16 bytes and a multiple of 16.
    unsafe fn round_key(from: *const u8) -> Self;

    unsafe fn store(self, to: *mut u8);
    unsafe fn xor(self, other: Self) -> Self;

    /// Returns the same value, which has to be in a register before the next one pinned: an empty
    /// inline assembly. Left alone, the compiler sees that fewer registers do if the blocks go one
    /// after another instead of side by side.
    unsafe fn pin(self) -> Self;

    /// Does step `step` of `0..=rounds` of the cipher. Each step adds `key` once: the first before
    /// anything else, the last after everything. So what is added with the first round key is added
    /// to the input, and what is added with the last to the output. Steps `0..rounds - 1` do not
    /// depend on the number of rounds.
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self;
}

/// The inverse cipher.
///
/// # Safety
///
/// The contract of [`Aes`].
pub(crate) trait Decrypt: Aes {
    /// Does [`Aes::encrypt_step`] of the equivalent inverse cipher.
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self;
}

/// Several blocks of one buffer in a register, and counter blocks.
///
/// # Safety
///
/// The contract of [`Aes`].
pub(crate) trait Wide: Aes {
    /// Blocks side by side.
    const BLOCKS: usize;

    /// Returns a register with no bit set.
    unsafe fn zero() -> Self;

    /// Makes a register with a block in the first place and zeros in the others: its bytes as a
    /// little-endian integer.
    unsafe fn from_number(number: u128) -> Self;

    /// Loads a block into the first place, and zeros into the others. `from` is valid for 16 bytes.
    unsafe fn load_one(from: *const u8) -> Self;

    /// Loads `len` bytes, fewer than a register's, and puts zeros behind them. `from` is valid for
    /// `len` bytes.
    unsafe fn load_part(from: *const u8, len: usize) -> Self;

    /// Stores the first place; `to` is valid for 16 bytes.
    unsafe fn store_one(self, to: *mut u8);

    /// Stores `len` bytes, fewer than a register's. `to` is valid for `len` bytes.
    unsafe fn store_part(self, to: *mut u8, len: usize);

    /// Returns counter blocks, one for each place, from the one in the first place of `self` on; in
    /// a form that [`count`](Wide::count) adds to.
    unsafe fn counters(self) -> Self;

    /// Adds to the last 32 bits of each counter, modulo 2^32.
    unsafe fn count(self, blocks: u32) -> Self;

    /// Counters as the blocks that are ciphered.
    unsafe fn counter_blocks(self) -> Self;

    /// Returns XTS's tweaks of the blocks behind these: each times `x` to the power
    /// [`BLOCKS`](Wide::BLOCKS), as little-endian integers (IEEE 1619, 5.2).
    unsafe fn next_tweaks(self) -> Self;

    /// Returns this register with the block in one place replaced by that in the first place of
    /// another register.
    unsafe fn with_block(self, place: usize, block: Self) -> Self;

    /// Returns the block in one place in the first place, and zeros in the others.
    unsafe fn block(self, place: usize) -> Self;

    /// Returns the predecessors of the blocks in `N` registers at `src`, which is readable for
    /// them. `before` is the predecessor of the first block, in the first place; afterwards it is
    /// the last block.
    #[inline(always)]
    unsafe fn predecessors<const N: usize>(before: &mut Self, src: *const u8) -> [Self; N] {
        let width = 16 * Self::BLOCKS;
        // SAFETY: all reads are from blocks of these `N` registers, which are readable by this
        // method's contract; the instructions are enabled.
        unsafe {
            let mut x = [*before; N];
            for place in 1..Self::BLOCKS {
                x[0] = x[0].with_block(place, Self::load_one(src.add(16 * (place - 1))));
            }
            for (i, x) in x.iter_mut().enumerate().skip(1) {
                *x = Self::load(src.add(width * i - 16));
            }
            *before = Self::load_one(src.add(width * N - 16));
            x
        }
    }

    /// Does the same for a part of a register, `len` bytes, behind which nothing comes.
    #[inline(always)]
    unsafe fn predecessors_of_part(before: Self, src: *const u8, len: usize) -> Self {
        let mut x = before;
        for place in 1..Self::BLOCKS {
            if 16 * place < len {
                // SAFETY: the block before the one at `place` lies within the `len` bytes that are
                // readable by this method's contract.
                x = unsafe { x.with_block(place, Self::load_one(src.add(16 * (place - 1)))) };
            }
        }
        x
    }
}

/// Registers that hold blocks of several lanes side by side.
///
/// # Safety
/// The contract of [`Aes`].
pub(crate) trait Lanewise: Aes {
    /// Lanes in a register.
    const LANES: usize;

    /// Loads a block of each lane, `at` bytes behind the lane's pointer. `from` is valid for as
    /// many pointers as there are lanes, and each of these for 16 bytes from `at` on, at any
    /// alignment.
    unsafe fn gather(from: *const *const u8, at: usize) -> Self;
}

/// Repeats a statement for every step from 1 on, each with its number as a constant.
macro_rules! unroll {
    ($step:ident in 1..=$last:ident $body:block) => {
        unroll!(@ $step, $last, $body, 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
    };
    (@ $step:ident, $last:ident, $body:block, $($number:literal)*) => {
        $({
            const $step: usize = $number;
            if const { $step <= $last } $body
        })*
    };
}
pub(crate) use unroll;

/// Runs a body at every step of the cipher, whatever the length of the key. `$STEP`, a constant, is
/// the number of the step under the longest keys ([`MAX_ROUNDS`]); `$at` is the number of its round
/// key. Steps 0 to 8 are the same for keys of all lengths.
macro_rules! every_step {
    (@ $STEP:ident, $at:ident, $body:block, $($step:literal = $place:expr),*) => {
        $({
            const $STEP: usize = $step;
            let $at: usize = $place;
            $body
        })*
    };
    ($rounds:expr, $STEP:ident, $at:ident => $body:block) => {
        let rounds: usize = $rounds;
        every_step!(
            @ $STEP, $at, $body,
            0 = 0, 1 = 1, 2 = 2, 3 = 3, 4 = 4, 5 = 5, 6 = 6, 7 = 7, 8 = 8
        );
        if rounds > 10 {
            every_step!(@ $STEP, $at, $body, 9 = 9, 10 = 10);
            if rounds > 12 {
                every_step!(@ $STEP, $at, $body, 11 = 11, 12 = 12);
            }
        }
        every_step!(@ $STEP, $at, $body, 13 = rounds - 1, 14 = rounds);
    };
}
pub(crate) use every_step;

/// Work between the rounds, on the ports that they leave free.
///
/// # Safety
/// The contract of [`Aes`], and what the value's constructor asks for.
pub(crate) trait Beside {
    /// Does what comes after step `step`, of steps 1 to 8.
    unsafe fn after(&mut self, step: usize);
}

/// No work between the rounds.
impl Beside for () {
    #[inline(always)]
    unsafe fn after(&mut self, _: usize) {}
}

/// Takes `N` registers side by side through all rounds of the cipher, for a key of any length, and
/// does something else between the rounds.
///
/// # Safety
/// - The instructions are enabled (the contract of [`Aes`]).
/// - The key is valid.
/// - `beside` is still fit for its steps, as its constructor says.
#[inline(always)]
pub(crate) unsafe fn encrypt<A: Aes, const N: usize>(
    key: *const impl Borrow<CipherKey>,
    x: &mut [A; N],
    beside: &mut impl Beside,
) {
    // SAFETY: these are the conditions of this function's own contract.
    unsafe { all_rounds::<A, Forward, _, N>(key, x, beside) }
}

/// The direction in which blocks go through the cipher.
///
/// # Safety
/// - The instructions are enabled (the contract of [`Aes`]).
/// - The key of [`key`](Way::key) is valid, and has the round key that is asked for.
pub(crate) trait Way<A, K = AesKey> {
    /// Does [`Aes::encrypt_step`], or [`Decrypt::decrypt_step`].
    unsafe fn step(x: A, step: usize, rounds: usize, key: A) -> A;

    /// Returns the round key of a step.
    unsafe fn key(key: *const K, step: usize) -> A;
}

/// Plaintext to ciphertext.
pub(crate) struct Forward;

/// Ciphertext to plaintext.
pub(crate) struct Backward;

impl<A: Aes, K: Borrow<CipherKey>> Way<A, K> for Forward {
    #[inline(always)]
    unsafe fn step(x: A, step: usize, rounds: usize, key: A) -> A {
        // SAFETY: the instructions are enabled, by the contract of `Way`.
        unsafe { x.encrypt_step(step, rounds, key) }
    }

    #[inline(always)]
    unsafe fn key(key: *const K, step: usize) -> A {
        // SAFETY: the key is valid and has this round key, and the instructions are enabled, by the
        // contract of `Way`.
        unsafe { round_key(key, step) }
    }
}

impl<A: Decrypt> Way<A> for Backward {
    #[inline(always)]
    unsafe fn step(x: A, step: usize, rounds: usize, key: A) -> A {
        // SAFETY: the instructions are enabled, by the contract of `Way`.
        unsafe { x.decrypt_step(step, rounds, key) }
    }

    #[inline(always)]
    unsafe fn key(key: *const AesKey, step: usize) -> A {
        // SAFETY: the key is valid and has this round key, by the contract of `Way`; round keys are
        // aligned to 16 bytes, and the reference ends before any store.
        unsafe { A::round_key((*key).decryption().as_ptr().add(step).cast()) }
    }
}

/// Does what [`encrypt`] does, in the direction `D`.
///
/// # Safety
/// The conditions of [`encrypt`].
#[inline(always)]
pub(crate) unsafe fn all_rounds<A: Aes, D: Way<A, K>, K: Borrow<CipherKey>, const N: usize>(
    key: *const K,
    x: &mut [A; N],
    beside: &mut impl Beside,
) {
    // SAFETY: the key is valid and the instructions are enabled, by this function's contract. A key
    // has 10 to 14 rounds, and `at` goes from 0 to their number, so the key has each round key.
    unsafe {
        every_step!((*key).borrow().rounds(), STEP, at => {
            step::<A, D, K, N>(x, STEP, D::key(key, at));
            if (1..=8).contains(&STEP) {
                beside.after(STEP);
            }
        });
    }
}

/// Takes `N` registers through one step, numbered as for the longest key.
///
/// # Safety
/// The conditions of [`encrypt`].
#[inline(always)]
unsafe fn step<A: Aes, D: Way<A, K>, K, const N: usize>(x: &mut [A; N], step: usize, key: A) {
    for x in x {
        // SAFETY: the instructions are enabled, by this function's contract.
        *x = unsafe { D::step(*x, step, MAX_ROUNDS, key).pin() };
    }
}

/// Loads a round key of the cipher where it is used. Keys are passed by pointer, not by reference,
/// because the compiler would load all round keys of a reference ahead and leave a copy on the
/// stack.
///
/// # Safety
/// - The key is valid, and has round key `step`.
/// - The instructions are enabled (the contract of [`Aes`]).
#[inline(always)]
pub(crate) unsafe fn round_key<A: Aes>(key: *const impl Borrow<CipherKey>, step: usize) -> A {
    // SAFETY: the key is valid and has this round key, by this function's contract; round keys are
    // aligned to 16 bytes, and the reference ends before any store.
    unsafe { A::round_key((*key).borrow().encryption().as_ptr().add(step).cast()) }
}
