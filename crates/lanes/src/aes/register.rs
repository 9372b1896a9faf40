//! AES blocks in vector registers: the only view that kernels have of an instruction set.

use super::key::{AesKey, MAX_ROUNDS};

/// One block in a register, or several side by side, and the AES round on them.
///
/// # Safety
///
/// The methods may only be called where the instructions of the implementation are enabled: inlined
/// into a function that is compiled for them, on a CPU that has them. Pointers are valid for the
/// whole register at any alignment, unless a method says otherwise.
pub(crate) trait Aes: Copy {
    unsafe fn load(from: *const u8) -> Self;

    /// A round key, in every place; `from` is valid for 16 bytes and a multiple of 16.
    unsafe fn round_key(from: *const u8) -> Self;

    unsafe fn store(self, to: *mut u8);
    unsafe fn xor(self, other: Self) -> Self;

    /// The same value, which has to be in a register before the next one pinned: an empty inline
    /// assembly. Left alone, the compiler sees that fewer registers do if the blocks go one after
    /// another instead of side by side.
    unsafe fn pin(self) -> Self;

    /// Step `step` of `0..=rounds` of the cipher. Each step adds `key` once: the first before
    /// anything else, the last after everything. So what is added with the first round key is
    /// added to the input, and what is added with the last to the output. Steps `0..rounds - 1` do
    /// not depend on the number of rounds.
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self;
}

/// The inverse cipher.
///
/// # Safety
///
/// As [`Aes`].
pub(crate) trait Decrypt: Aes {
    /// [`Aes::encrypt_step`] of the equivalent inverse cipher.
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self;
}

/// Several blocks of one buffer in a register; and counter blocks.
///
/// # Safety
///
/// As [`Aes`].
pub(crate) trait Wide: Aes {
    /// Blocks side by side.
    const BLOCKS: usize;

    /// No bit set.
    unsafe fn zero() -> Self;

    /// A block in the first place, zeros in the others: its bytes as a little-endian integer.
    unsafe fn from_number(number: u128) -> Self;

    /// A block in the first place, zeros in the others. `from` is valid for 16 bytes.
    unsafe fn load_one(from: *const u8) -> Self;

    /// So many bytes, fewer than a register's, and zeros after them. `from` is valid for these.
    unsafe fn load_part(from: *const u8, len: usize) -> Self;

    /// Stores the first place; `to` is valid for 16 bytes.
    unsafe fn store_one(self, to: *mut u8);

    /// Stores so many bytes, fewer than a register's. `to` is valid for these.
    unsafe fn store_part(self, to: *mut u8, len: usize);

    /// Counter blocks, one for each place, from the one in the first place of `self` on; in a form
    /// that [`count`](Wide::count) adds to.
    unsafe fn counters(self) -> Self;

    /// Adds to the last 32 bits of each counter, modulo 2^32.
    unsafe fn count(self, blocks: u32) -> Self;

    /// Counters as the blocks that are ciphered.
    unsafe fn counter_blocks(self) -> Self;

    /// XTS's tweaks of the blocks behind these: each times `x` to the power
    /// [`BLOCKS`](Wide::BLOCKS), as little-endian integers (IEEE 1619, 5.2).
    unsafe fn next_tweaks(self) -> Self;

    /// With the block in one place replaced by that in the first place of another register.
    unsafe fn with_block(self, place: usize, block: Self) -> Self;

    /// The block in one place in the first place, and zeros in the others.
    unsafe fn block(self, place: usize) -> Self;
}

/// Registers that hold blocks of several lanes side by side.
///
/// # Safety
/// As [`Aes`].
pub(crate) trait Lanewise: Aes {
    /// Lanes in a register.
    const LANES: usize;

    /// A block of each lane, `at` bytes after where its pointer points to. `from` is valid for as
    /// many pointers as there are lanes.
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
/// As [`Aes`].
pub(crate) trait Beside {
    /// After step `step`, of steps 1 to 8.
    unsafe fn after(&mut self, step: usize);
}

/// Nothing.
impl Beside for () {
    #[inline(always)]
    unsafe fn after(&mut self, _: usize) {}
}

/// All rounds of the cipher on `N` registers side by side, whatever the length of the key, and
/// something else between them.
///
/// # Safety
/// The contract of [`Aes`]; the key is valid.
#[inline(always)]
pub(crate) unsafe fn encrypt<A: Aes, const N: usize>(
    key: *const AesKey,
    x: &mut [A; N],
    beside: &mut impl Beside,
) {
    // SAFETY: the caller's.
    unsafe { all_rounds::<A, Forward, N>(key, x, beside) }
}

/// Which way blocks go through the cipher.
///
/// # Safety
/// As [`Aes`]; keys are valid, and have the round keys that are asked for.
pub(crate) trait Way<A> {
    /// [`Aes::encrypt_step`], or [`Decrypt::decrypt_step`].
    unsafe fn step(x: A, step: usize, rounds: usize, key: A) -> A;

    /// The round key of a step.
    unsafe fn key(key: *const AesKey, step: usize) -> A;
}

/// Plaintext to ciphertext.
pub(crate) struct Forward;

/// Ciphertext to plaintext.
pub(crate) struct Backward;

impl<A: Aes> Way<A> for Forward {
    #[inline(always)]
    unsafe fn step(x: A, step: usize, rounds: usize, key: A) -> A {
        // SAFETY: the caller's.
        unsafe { x.encrypt_step(step, rounds, key) }
    }

    #[inline(always)]
    unsafe fn key(key: *const AesKey, step: usize) -> A {
        // SAFETY: the caller's.
        unsafe { round_key(key, step) }
    }
}

impl<A: Decrypt> Way<A> for Backward {
    #[inline(always)]
    unsafe fn step(x: A, step: usize, rounds: usize, key: A) -> A {
        // SAFETY: the caller's.
        unsafe { x.decrypt_step(step, rounds, key) }
    }

    #[inline(always)]
    unsafe fn key(key: *const AesKey, step: usize) -> A {
        // SAFETY: as in `round_key`.
        unsafe { A::round_key((*key).decryption().as_ptr().add(step).cast()) }
    }
}

/// [`encrypt`], or its inverse.
///
/// # Safety
/// As [`encrypt`].
#[inline(always)]
pub(crate) unsafe fn all_rounds<A: Aes, D: Way<A>, const N: usize>(
    key: *const AesKey,
    x: &mut [A; N],
    beside: &mut impl Beside,
) {
    // SAFETY: the caller's; 10 to 14 rounds.
    unsafe {
        every_step!((*key).rounds(), STEP, at => {
            step::<A, D, N>(x, STEP, D::key(key, at));
            if (1..=8).contains(&STEP) {
                beside.after(STEP);
            }
        });
    }
}

/// One step of `N` registers, of as many as the longest key has.
///
/// # Safety
/// As [`encrypt`].
#[inline(always)]
unsafe fn step<A: Aes, D: Way<A>, const N: usize>(x: &mut [A; N], step: usize, key: A) {
    for x in x {
        // SAFETY: the caller's.
        *x = unsafe { D::step(*x, step, MAX_ROUNDS, key).pin() };
    }
}

/// A round key of the cipher, loaded where it is used: keys are passed by pointer, not by
/// reference, lest the compiler load all of them ahead and leave a copy on the stack.
///
/// # Safety
/// The key is valid and has that round key; the contract of [`Aes`].
#[inline(always)]
pub(crate) unsafe fn round_key<A: Aes>(key: *const AesKey, step: usize) -> A {
    // SAFETY: the caller's promise; round keys are aligned. The reference ends before any store.
    unsafe { A::round_key((*key).encryption().as_ptr().add(step).cast()) }
}
