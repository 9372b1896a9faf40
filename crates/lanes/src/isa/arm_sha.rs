//! The SHA extensions of AArch64: one buffer, or two interleaved, each in registers of its own.
//!
//! Four rounds are one or two instructions of four cycles' latency, and every group waits for the one
//! before it; cores start one each cycle, so a second buffer is nearly free (Arm's optimisation guides
//! for Neoverse N1 and V1). Even one buffer is faster than four lanes of plain NEON, so where a CPU has
//! these instructions they serve any number of buffers.

mod sha1;
mod sha256;
mod sha512;

pub(crate) use sha1::SHA1;
pub(crate) use sha256::SHA256;
pub(crate) use sha512::SHA512;

/// The kernel made of `$body`, a function over any number of buffers.
macro_rules! single_kernel {
    ($name:ident: $word:ty, $text:literal, $body:ident, $features:literal) => {
        pub(crate) const $name: crate::hash::SingleKernel<$word> =
            crate::hash::SingleKernel { name: $text, one, two: Some(two) };

        #[target_feature(enable = $features)]
        unsafe fn one(state: *mut $word, data: *const u8, blocks: usize) {
            // SAFETY: the same contract.
            unsafe { $body([state], [data], blocks) }
        }

        #[target_feature(enable = $features)]
        unsafe fn two(state: [*mut $word; 2], data: [*const u8; 2], blocks: usize) {
            // SAFETY: the same contract.
            unsafe { $body(state, data, blocks) }
        }
    };
}
use single_kernel;

/// Runs a group of rounds for each constant.
macro_rules! groups {
    ($f:ident::<$n:ident>$args:tt, $($g:literal)*) => { $( $f::<$g, $n> $args; )* };
}
use groups;
