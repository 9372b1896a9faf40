//! Kernels of instructions that hash one buffer, with several buffers interleaved: each rests while
//! it waits for itself, and the others fill the time.

use crate::kernels::hash::algorithm::Hash;
use crate::vector::Word;

/// The registers of one algorithm's buffers: those of one buffer, or `Both` of two.
pub trait Buffers: Sized {
    /// The integer that the algorithm computes with.
    type Word: Word;
    /// The number of buffers.
    const COUNT: usize;

    /// Loads the states from memory, a pointer for each buffer.
    ///
    /// # Safety
    /// - The CPU has the algorithm's instructions.
    /// - `states` is readable for [`COUNT`](Buffers::COUNT) pointers, and each of these for eight
    ///   words; they are aligned for a word.
    unsafe fn load(states: *const *mut Self::Word) -> Self;

    /// Stores the states.
    ///
    /// # Safety
    /// The conditions of [`load`](Buffers::load), with pointers that are writable for eight words.
    unsafe fn store(self, states: *const *mut Self::Word);

    /// Takes the next block of each buffer.
    ///
    /// # Safety
    /// - The CPU has the algorithm's instructions.
    /// - `data` is readable for [`COUNT`](Buffers::COUNT) pointers, and each of these for a block
    ///   from `offset` on, at any alignment.
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize);

    /// Takes the state, which is HMAC's inner digest, padded as the next block, and the outer state
    /// to add it to.
    ///
    /// # Safety
    /// The conditions of [`load`](Buffers::load), for `outer`.
    unsafe fn begin_outer<A: Hash<Word = Self::Word>>(&mut self, outer: *const *mut Self::Word);

    /// Takes the buffers through the rounds of group `G`.
    ///
    /// # Safety
    /// - The CPU has the algorithm's instructions.
    /// - The algorithm has a group `G`.
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
        // SAFETY: `states` fulfils the contract of `load` for `2 * B::COUNT` buffers; each half
        // gets its pointers.
        unsafe { Both(B::load(states), B::load(states.add(B::COUNT))) }
    }
    #[inline(always)]
    unsafe fn store(self, states: *const *mut B::Word) {
        // SAFETY: `states` fulfils the contract of `store` for `2 * B::COUNT` buffers; each half
        // gets its pointers.
        unsafe {
            self.0.store(states);
            self.1.store(states.add(B::COUNT));
        }
    }
    #[inline(always)]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: `data` fulfils the contract of `begin` for `2 * B::COUNT` buffers; each half gets
        // its pointers.
        unsafe {
            self.0.begin(data, offset);
            self.1.begin(data.add(B::COUNT), offset);
        }
    }
    #[inline(always)]
    unsafe fn begin_outer<A: Hash<Word = B::Word>>(&mut self, outer: *const *mut B::Word) {
        // SAFETY: `outer` fulfils the contract of `begin_outer` for `2 * B::COUNT` buffers; each
        // half gets its pointers.
        unsafe {
            self.0.begin_outer::<A>(outer);
            self.1.begin_outer::<A>(outer.add(B::COUNT));
        }
    }
    #[inline(always)]
    unsafe fn group<const G: usize>(&mut self) {
        // SAFETY: the CPU has the instructions, and the algorithm has a group `G`, by the contract
        // of `group`.
        unsafe {
            self.0.group::<G>();
            self.1.group::<G>();
        }
    }
    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the CPU has the instructions, by the contract of `end`.
        unsafe {
            self.0.end();
            self.1.end();
        }
    }
}

/// Makes the kernels of one algorithm from one buffer of it, the instructions that it needs and the
/// numbers of its groups: `$single` for few buffers, and `$wide`, a function of the hash, for
/// `$lanes` interleaved buffers.
macro_rules! interleaved_kernels {
    (
        $(#[$single_doc:meta])* $single:ident, $(#[$wide_doc:meta])* $wide:ident of $lanes:tt,
        $buffer:ident of $word:ty, $name:literal, $features:literal, $($group:literal)*
    ) => {
        $(#[$single_doc])*
        pub(crate) const $single: $crate::kernels::hash::kernel::SingleKernel<$word> = {
            #[target_feature(enable = $features)]
            unsafe fn one(state: *mut $word, data: *const u8, blocks: usize) {
                // SAFETY: the arguments fulfil the contract of `SingleRun`, and this function
                // enables the instructions.
                unsafe { $buffer::run::<$buffer>(&raw const state, &raw const data, blocks) }
            }

            #[target_feature(enable = $features)]
            unsafe fn two(states: [*mut $word; 2], data: [*const u8; 2], blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `DoubleRun`, and this function
                // enables the instructions.
                unsafe {
                    $buffer::run::<$crate::arch::compile::interleaved::Both<$buffer>>(
                        states.as_ptr(), data.as_ptr(), blocks,
                    );
                }
            }

            $crate::kernels::hash::kernel::SingleKernel { name: $name, one, two: Some(two) }
        };

        $crate::arch::compile::interleaved::wide_kernel! {
            $(#[$wide_doc])* $wide of $lanes, $buffer of $word, $name, $features
        }

        impl $buffer {
            /// Absorbs whole blocks.
            ///
            /// # Safety
            /// - The CPU has the algorithm's instructions.
            /// - The contract of `SingleRun` holds for the state and the data of each buffer of
            ///   `B`.
            #[inline(always)]
            unsafe fn run<B: $crate::arch::compile::interleaved::Buffers<Word = $word>>(
                states: *const *mut $word,
                data: *const *const u8,
                blocks: usize,
            ) {
                // SAFETY: the CPU has the instructions, and each buffer's state and data fulfil the
                // contract of `SingleRun` for `blocks` blocks, by this function's contract.
                unsafe {
                    let mut buffers = B::load(states);
                    for block in 0..blocks {
                        buffers.begin(data, 16 * size_of::<$word>() * block);
                        $buffer::rounds(&mut buffers);
                    }
                    buffers.store(states);
                }
            }

            /// Takes the buffers through all rounds of a block.
            ///
            /// # Safety
            /// The CPU has the algorithm's instructions.
            #[inline(always)]
            unsafe fn rounds<B: $crate::arch::compile::interleaved::Buffers<Word = $word>>(
                buffers: &mut B,
            ) {
                // SAFETY: the CPU has the instructions, by this function's contract, and these are
                // the algorithm's groups.
                unsafe {
                    $( buffers.group::<$group>(); )*
                    buffers.end();
                }
            }
        }
    };
}
pub(in crate::arch) use interleaved_kernels;

/// Makes only the kernel for many buffers, for instructions of other encodings.
macro_rules! wide_kernel {
    (
        $(#[$wide_doc:meta])* $wide:ident of $lanes:tt,
        $buffer:ident of $word:ty, $name:literal, $features:literal
    ) => {
        $(#[$wide_doc])*
        pub(crate) const fn $wide<A: $crate::kernels::hash::algorithm::Hash<Word = $word>>()
        -> $crate::kernels::hash::kernel::HashKernel<$word> {
            use $crate::kernels::hash::algorithm::Hash;
            use $crate::kernels::hash::kernel::{HashKernel, Messages, Shape};
            use $crate::arch::compile::interleaved::{Both, Buffers, many};

            #[target_feature(enable = $features)]
            unsafe fn run(states: *const *mut $word, data: *const *const u8, blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `WideRun` for `$lanes` lanes, and
                // this function enables the instructions.
                unsafe { $buffer::run::<many!($lanes $buffer)>(states, data, blocks) }
            }

            #[target_feature(enable = $features)]
            unsafe fn finish<A: Hash<Word = $word>>(
                messages: &Messages<$word>,
                first: usize,
                shape: Shape,
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `WideFinish` for `$lanes` lanes, and
                // this function enables the instructions. `load` and `begin_outer` only read the
                // states behind the pointers that are cast to mutable ones.
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

/// Names the type of that many buffers.
macro_rules! many {
    (2 $buffer:ident) => { Both<$buffer> };
    (4 $buffer:ident) => { Both<Both<$buffer>> };
}
pub(in crate::arch) use many;
