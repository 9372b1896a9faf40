//! MD5 for one buffer on x86-64, on integers.
//!
//! Each step waits for the step before it, so the time of a block is the length of that chain: five
//! instructions a step in rounds 1 and 4, four in rounds 2 and 3. Two things keep the chain so
//! short. The function of round 2 is two terms without a common bit, and the term without *b* is
//! added early. And all else that a step adds is added before *b* is known; left alone, the
//! compiler adds the constant last.

use core::arch::asm;

use crate::kernels::hash::compression::rounds;
use crate::kernels::hash::kernel::SingleKernel;
use crate::kernels::hash::md5::K;
use crate::vector::each;

/// MD5 for few buffers.
pub(crate) const MD5: SingleKernel<u32> =
    SingleKernel { name: "integers, bmi2", one: single, two: None };

/// Hashes the blocks of one buffer.
///
/// # Safety
/// - The CPU has BMI1 and BMI2.
/// - The contract of [`SingleRun`](crate::kernels::hash::kernel::SingleRun).
#[target_feature(enable = "bmi1,bmi2")]
unsafe fn single(state: *mut u32, data: *const u8, blocks: usize) {
    // SAFETY: `state` is readable and writable for eight words and `data` readable for `blocks`
    // blocks, by the contract of `SingleRun`.
    unsafe {
        let mut chain = *state.cast::<[u32; 4]>();
        for block in 0..blocks {
            let words = data.add(64 * block).cast::<u32>();
            let mut s = chain;
            rounds!(step::<Round1>(&mut s, words), 16);
            rounds!(step::<Round2>(&mut s, words), 16);
            rounds!(step::<Round3>(&mut s, words), 16);
            rounds!(step::<Round4>(&mut s, words), 16);
            chain = each!(i in 4 => chain[i].wrapping_add(s[i]));
        }
        *state.cast::<[u32; 4]>() = chain;
    }
}

/// One of the four rounds of RFC 1321.
trait Round {
    /// The number of its first step.
    const FIRST: usize;
    /// Its step `t` takes word `(STRIDE * t + START) % 16`.
    const STRIDE: usize;
    const START: usize;
    /// How far its steps rotate, by turns.
    const ROTATIONS: [u32; 4];
    /// Adds its function of *b*, *c* and *d*, of which *b* is known last.
    fn add(sum: u32, b: u32, c: u32, d: u32) -> u32;
}

struct Round1;
impl Round for Round1 {
    const FIRST: usize = 0;
    const STRIDE: usize = 1;
    const START: usize = 0;
    const ROTATIONS: [u32; 4] = [7, 12, 17, 22];

    #[inline(always)]
    fn add(sum: u32, b: u32, c: u32, d: u32) -> u32 {
        fixed(sum.wrapping_add(d & !b)).wrapping_add(b & c)
    }
}

struct Round2;
impl Round for Round2 {
    const FIRST: usize = 16;
    const STRIDE: usize = 5;
    const START: usize = 1;
    const ROTATIONS: [u32; 4] = [5, 9, 14, 20];

    #[inline(always)]
    fn add(sum: u32, b: u32, c: u32, d: u32) -> u32 {
        fixed(sum.wrapping_add(c & !d)).wrapping_add(b & d)
    }
}

struct Round3;
impl Round for Round3 {
    const FIRST: usize = 32;
    const STRIDE: usize = 3;
    const START: usize = 5;
    const ROTATIONS: [u32; 4] = [4, 11, 16, 23];

    #[inline(always)]
    fn add(sum: u32, b: u32, c: u32, d: u32) -> u32 {
        sum.wrapping_add(b ^ fixed(c ^ d))
    }
}

struct Round4;
impl Round for Round4 {
    const FIRST: usize = 48;
    const STRIDE: usize = 7;
    const START: usize = 0;
    const ROTATIONS: [u32; 4] = [6, 10, 15, 21];

    #[inline(always)]
    fn add(sum: u32, b: u32, c: u32, d: u32) -> u32 {
        sum.wrapping_add(c ^ (b | !d))
    }
}

/// Does step `t` of a round. The four working variables stay where they are; their names move on by
/// one each step.
///
/// # Safety
/// `words` is readable for sixteen words, at any alignment.
#[inline(always)]
unsafe fn step<R: Round>(s: &mut [u32; 4], words: *const u32, t: usize) {
    let [a, b, c, d] = each!(i in 4 => (16 - t + i) % 4);
    // SAFETY: the index is below 16, and `words` is readable for sixteen words, by this function's
    // contract.
    let word = unsafe { words.add((R::STRIDE * t + R::START) % 16).read_unaligned() };
    let early = fixed(s[a].wrapping_add(word.to_le()).wrapping_add(K[R::FIRST + t]));
    let sum = R::add(early, s[b], s[c], s[d]);
    s[a] = s[b].wrapping_add(sum.rotate_left(R::ROTATIONS[t % 4]));
}

/// Returns the same value, which the compiler takes as it is: it moves nothing across.
#[inline(always)]
fn fixed(mut value: u32) -> u32 {
    // SAFETY: the template is a comment: no instruction, and no register, flag or memory changes.
    unsafe {
        // Changes: nothing; the compiler has to take `value` as changed.
        asm!("/* {0:e} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}
