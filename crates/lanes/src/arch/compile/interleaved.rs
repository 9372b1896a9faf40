//! Kernels of instructions that hash one buffer, with several buffers interleaved: each rests while
//! it waits for itself, and the others fill the time.

use crate::hash::Hash;
use crate::vector::Word;

/// What the buffers of one algorithm hold in registers: one buffer's worth, or [`Both`] of two.
pub(in crate::arch) trait Buffers: Sized {
    /// What the algorithm computes with.
    type Word: Word;
    /// How many buffers.
    const COUNT: usize;

    /// Takes the states from memory, a pointer for each buffer.
    ///
    /// # Safety
    /// The CPU has the algorithm's instructions; as many pointers as buffers, each readable for
    /// eight words.
    unsafe fn load(states: *const *mut Self::Word) -> Self;

    /// Puts the states back.
    ///
    /// # Safety
    /// As for `load`, writable.
    unsafe fn store(self, states: *const *mut Self::Word);

    /// Takes the next block of each buffer.
    ///
    /// # Safety
    /// The CPU has the algorithm's instructions; as many pointers as buffers, each readable for a
    /// block from `offset`.
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize);

    /// The state is HMAC's inner digest: takes the padded digest as the next block, and the outer
    /// state to add it to.
    ///
    /// # Safety
    /// As for `load`, with the pointers at `outer`.
    unsafe fn begin_outer<A: Hash<Word = Self::Word>>(&mut self, outer: *const *mut Self::Word);

    /// The rounds of group `G`.
    ///
    /// # Safety
    /// The CPU has the algorithm's instructions, and the algorithm so many groups.
    unsafe fn group<const G: usize>(&mut self);

    /// Adds the result of the rounds to the state.
    ///
    /// # Safety
    /// The CPU has the algorithm's instructions.
    unsafe fn end(&mut self);
}

/// Two sets of buffers, whose instructions alternate.
pub(in crate::arch) struct Both<B>(B, B);

impl<B: Buffers> Buffers for Both<B> {
    type Word = B::Word;
    const COUNT: usize = 2 * B::COUNT;

    #[inline(always)]
    unsafe fn load(states: *const *mut B::Word) -> Self {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe { Both(B::load(states), B::load(states.add(B::COUNT))) }
    }
    #[inline(always)]
    unsafe fn store(self, states: *const *mut B::Word) {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe {
            self.0.store(states);
            self.1.store(states.add(B::COUNT));
        }
    }
    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe {
            self.0.begin(data, offset);
            self.1.begin(data.add(B::COUNT), offset);
        }
    }
    #[inline(always)]
    unsafe fn begin_outer<A: Hash<Word = B::Word>>(&mut self, outer: *const *mut B::Word) {
        // SAFETY: the caller vouches for the pointers of both.
        unsafe {
            self.0.begin_outer::<A>(outer);
            self.1.begin_outer::<A>(outer.add(B::COUNT));
        }
    }
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.0.group::<G>();
            self.1.group::<G>();
        }
    }
    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.0.end();
            self.1.end();
        }
    }
}

/// The kernels of one algorithm, from one buffer of it, the instructions it needs and the numbers
/// of its groups: `$single` for few buffers, and `$wide`, a function of the hash, for `$lanes`
/// interleaved.
macro_rules! interleaved_kernels {
    (
        $(#[$single_doc:meta])* $single:ident, $(#[$wide_doc:meta])* $wide:ident of $lanes:tt,
        $buffer:ident of $word:ty, $name:literal, $features:literal, $($group:literal)*
    ) => {
        $(#[$single_doc])*
        pub(crate) const $single: $crate::hash::SingleKernel<$word> = {
            #[target_feature(enable = $features)]
            unsafe fn one(state: *mut $word, data: *const u8, blocks: usize) {
                // SAFETY: the same contract.
                unsafe { $buffer::run::<$buffer>(&raw const state, &raw const data, blocks) }
            }

            #[target_feature(enable = $features)]
            unsafe fn two(states: [*mut $word; 2], data: [*const u8; 2], blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the same contract.
                unsafe {
                    $buffer::run::<$crate::arch::compile::interleaved::Both<$buffer>>(
                        states.as_ptr(), data.as_ptr(), blocks,
                    );
                }
            }

            $crate::hash::SingleKernel { name: $name, one, two: Some(two) }
        };

        $crate::arch::compile::interleaved::wide_kernel! {
            $(#[$wide_doc])* $wide of $lanes, $buffer of $word, $name, $features
        }

        impl $buffer {
            /// # Safety
            /// The algorithm's instructions; the contract of `SingleRun` for each buffer.
            #[inline(always)]
            unsafe fn run<B: $crate::arch::compile::interleaved::Buffers<Word = $word>>(
                states: *const *mut $word,
                data: *const *const u8,
                blocks: usize,
            ) {
                // SAFETY: the caller vouches for the instructions and for the buffers.
                unsafe {
                    let mut buffers = B::load(states);
                    for block in 0..blocks {
                        buffers.begin(data, 16 * size_of::<$word>() * block);
                        $buffer::rounds(&mut buffers);
                    }
                    buffers.store(states);
                }
            }

            /// All rounds of a block.
            ///
            /// # Safety
            /// The algorithm's instructions.
            #[inline(always)]
            unsafe fn rounds<B: $crate::arch::compile::interleaved::Buffers<Word = $word>>(
                buffers: &mut B,
            ) {
                // SAFETY: the caller's; these are the algorithm's groups.
                unsafe {
                    $( buffers.group::<$group>(); )*
                    buffers.end();
                }
            }
        }
    };
}
pub(in crate::arch) use interleaved_kernels;

/// The kernel for many buffers alone, for instructions of other encodings.
macro_rules! wide_kernel {
    (
        $(#[$wide_doc:meta])* $wide:ident of $lanes:tt,
        $buffer:ident of $word:ty, $name:literal, $features:literal
    ) => {
        $(#[$wide_doc])*
        pub(crate) const fn $wide<A: $crate::hash::Hash<Word = $word>>()
        -> $crate::hash::HashKernel<$word> {
            use $crate::hash::{Hash, HashKernel, Messages, Shape};
            use $crate::arch::compile::interleaved::{Both, Buffers, many};

            #[target_feature(enable = $features)]
            unsafe fn run(states: *const *mut $word, data: *const *const u8, blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the same contract.
                unsafe { $buffer::run::<many!($lanes $buffer)>(states, data, blocks) }
            }

            #[target_feature(enable = $features)]
            unsafe fn finish<A: Hash<Word = $word>>(
                messages: &Messages<$word>,
                first: usize,
                shape: Shape,
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the same contract; states are only read where a buffer is loaded.
                unsafe {
                    let mut buffers =
                        <many!($lanes $buffer)>::load(messages.start[first..].as_ptr().cast());
                    for step in 0..shape.steps() {
                        if step < shape.blocks {
                            buffers.begin(messages.data[first..].as_ptr(), A::BLOCK_LEN * step);
                        } else if step < shape.blocks + shape.tail {
                            let offset = A::BLOCK_LEN * (step - shape.blocks);
                            buffers.begin(messages.tail[first..].as_ptr(), offset);
                        } else {
                            buffers.begin_outer::<A>(messages.outer[first..].as_ptr().cast());
                        }
                        $buffer::rounds(&mut buffers);
                    }
                    buffers.store(messages.state[first..].as_ptr());
                }
            }

            HashKernel { name: $name, lanes: $lanes, run, finish: finish::<A>, pads: false }
        }
    };
}
pub(in crate::arch) use wide_kernel;

/// The type of so many buffers.
macro_rules! many {
    (2 $buffer:ident) => { Both<$buffer> };
    (4 $buffer:ident) => { Both<Both<$buffer>> };
}
pub(in crate::arch) use many;
