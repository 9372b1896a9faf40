//! Plain integers, on any machine: one lane (the fall-back single-buffer path), or a few lanes in an
//! array, which the compiler is free to turn into whatever vectors the target always has.

use core::array;

use crate::hash::{Hash, HashKernel, kernel};
use crate::vector::{Pair, Vector, Word};

/// `N` lanes in plain integers. Uses no instruction beyond the target's baseline.
#[derive(Clone, Copy)]
pub(crate) struct Plain<W, const N: usize>([W; N]);

macro_rules! plain_vector {
    ($word:ty) => {
        // SAFETY: baseline instructions only; every method is `inline(always)`.
        unsafe impl<const N: usize> Vector for Plain<$word, N> {
            type Word = $word;
            const LANES: usize = N;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                Self([word; N])
            }
            #[inline(always)]
            unsafe fn load(words: *const $word) -> Self {
                // SAFETY: the caller vouches for N words.
                Self(unsafe { words.cast::<[$word; N]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, words: *mut $word) {
                // SAFETY: the caller vouches for N words.
                unsafe { words.cast::<[$word; N]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn load_block<const BIG_ENDIAN: bool>(
                lanes: *const *const u8,
                offset: usize,
            ) -> [Self; 16] {
                array::from_fn(|i| {
                    Self(array::from_fn(|l| {
                        // SAFETY: the caller vouches for N pointers, and sixteen words behind each.
                        let word = unsafe {
                            (*lanes.add(l)).add(offset).cast::<$word>().add(i).read_unaligned()
                        };
                        word.ordered(BIG_ENDIAN)
                    }))
                })
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self(array::from_fn(|l| self.0[l].wrapping_add(o.0[l])))
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                Self(array::from_fn(|l| self.0[l] ^ o.0[l]))
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                Self(array::from_fn(|l| self.0[l] & o.0[l]))
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                Self(array::from_fn(|l| self.0[l] | o.0[l]))
            }
            #[inline(always)]
            fn and_not(self, o: Self) -> Self {
                Self(array::from_fn(|l| !self.0[l] & o.0[l]))
            }
            #[inline(always)]
            fn not(self) -> Self {
                Self(array::from_fn(|l| !self.0[l]))
            }
            #[inline(always)]
            fn rotate_right<const R: i32>(self) -> Self {
                Self(array::from_fn(|l| self.0[l].rotate_right(R as u32)))
            }
            #[inline(always)]
            fn shift_right<const R: i32>(self) -> Self {
                Self(array::from_fn(|l| self.0[l] >> R))
            }
        }
    };
}

plain_vector!(u32);
plain_vector!(u64);

crate::isa::wide_kernels!("portable", [], Plain<u32, 4>, Plain<u64, 2>);

/// One buffer, in plain integers.
///
/// # Safety
/// The contract of [`SingleRun`](crate::hash::SingleRun).
pub(crate) unsafe fn single<C>(state: *mut C::Word, data: *const u8, blocks: usize)
where
    C: crate::hash::Compression,
    Plain<C::Word, 1>: Vector<Word = C::Word>,
{
    // SAFETY: one lane is the layout of a single state; the caller vouches for the rest.
    unsafe { kernel::run::<Plain<C::Word, 1>, C>(state, &raw const data, blocks) }
}
