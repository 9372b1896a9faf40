//! Vectors of one lane: plain integers, on any machine.

use crate::vector::{Vector, Word, each};

/// One lane in a plain integer. Uses no instruction beyond the target's baseline.
#[derive(Clone, Copy)]
pub struct Plain<W>(W);

impl<W: Copy> Plain<W> {
    /// Makes one lane with this word.
    #[inline(always)]
    pub fn of(word: W) -> Self {
        Plain(word)
    }

    /// Returns the word of the one lane.
    #[inline(always)]
    pub fn word(self) -> W {
        self.0
    }
}

macro_rules! plain_vector {
    ($word:ty) => {
        // SAFETY: baseline instructions only; every method is `inline(always)`.
        unsafe impl Vector for Plain<$word> {
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                Self(word)
            }
            #[inline(always)]
            unsafe fn load(words: *const $word) -> Self {
                // SAFETY: `words` is readable for one word (`LANES` is 1) by the contract of
                // `Vector::load`.
                Self(unsafe { words.read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, words: *mut $word) {
                // SAFETY: `words` is writable for one word (`LANES` is 1) by the contract of
                // `Vector::store`.
                unsafe { words.write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn load_block<const BIG_ENDIAN: bool>(
                lanes: *const *const u8,
                offset: usize,
            ) -> [Self; 16] {
                // SAFETY: by the contract of `Vector::load_block`, `lanes` is readable for one
                // pointer, which is readable for sixteen words from `offset`; the reads need no
                // alignment.
                unsafe {
                    let words = (*lanes).add(offset).cast::<$word>();
                    each!(i in 16 => {
                        Self(words.add(i).read_unaligned().ordered(BIG_ENDIAN))
                    })
                }
            }
            #[inline(always)]
            unsafe fn gather(lanes: *const *const $word) -> [Self; 8] {
                // SAFETY: by the contract of `Vector::gather`, `lanes` is readable for one pointer,
                // which is readable for eight words.
                unsafe { each!(i in 8 => Self(*(*lanes).add(i))) }
            }
            #[inline(always)]
            unsafe fn scatter(words: &[Self; 8], lanes: *const *mut $word) {
                // SAFETY: by the contract of `Vector::scatter`, `lanes` is readable for one
                // pointer, which is writable for eight words.
                unsafe { (*lanes).cast::<[$word; 8]>().write(each!(i in 8 => words[i].0)) }
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self(self.0.wrapping_add(o.0))
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                Self(self.0 ^ o.0)
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                Self(self.0 & o.0)
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                Self(self.0 | o.0)
            }
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
            #[inline(always)]
            fn rotate_right<const N: i32>(self) -> Self {
                Self(self.0.rotate_right(N as u32))
            }
            #[inline(always)]
            fn shift_right<const N: i32>(self) -> Self {
                Self(self.0 >> N)
            }
        }
    };
}

plain_vector!(u32);
plain_vector!(u64);
