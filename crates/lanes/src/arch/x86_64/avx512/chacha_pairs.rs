//! Thirty-two blocks of ChaCha20 on two vectors, for CPUs that do an operation on 512 bits in one
//! step of two cycles (AMD Zen 5).
//!
//! Each operation of a quarter round waits for the one before. The four columns of sixteen states
//! leave half of the pipes idle meanwhile, and those of thirty-two keep them busy. The two vectors
//! fill all 32 registers.

use super::chacha_rows;
use super::vectors::U32x16;
use crate::kernels::chacha::block::{Blocks, Consecutive, Whole};
use crate::kernels::chacha::text::ChaChaText;
use crate::vector::{Pair, Vector};

/// Blocks on two vectors, on one if they are few, or in rows if they are very few. Uses AVX-512 F
/// and BW.
pub(crate) struct Pairs;

// SAFETY: AVX-512 F and BW instructions only.
unsafe impl Consecutive for Pairs {
    type Vector = Pair<U32x16>;
    const FEW: usize = U32x16::LANES;

    #[inline(always)]
    unsafe fn make_few(blocks: &mut Blocks, count: usize) {
        // SAFETY: the CPU has the instructions, and the first `count` lanes have a key and a row,
        // by the contract of `make_few`; the other lanes of a vector have those of the first.
        unsafe {
            if count <= chacha_rows::MOST {
                chacha_rows::make(blocks, count);
            } else {
                blocks.idle(count, U32x16::LANES);
                blocks.make::<U32x16>();
            }
        }
    }

    #[inline(always)]
    unsafe fn add_to_one(text: &ChaChaText, number: usize, room: &mut Blocks) {
        // SAFETY: this method has the contract of the called one, which uses the same vector.
        unsafe { Whole::<Self::Vector>::add_to_one(text, number, room) };
    }
}
