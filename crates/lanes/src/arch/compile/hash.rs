//! Compiles the kernels of hashes.

/// Compiles the generic kernels for one instruction set: `kernel32` and `kernel64` give the kernel
/// of any hash with 32-bit and with 64-bit words.
macro_rules! wide_kernels {
    ($name:literal, $padding:ty, $features:tt, $v32:ty, $v64:ty) => {
        $crate::arch::compile::wide_kernels!(
            @ $name, $padding, $features, kernel32, advance32, run32, finish32, u32, $v32
        );
        $crate::arch::compile::wide_kernels!(
            @ $name, $padding, $features, kernel64, advance64, run64, finish64, u64, $v64
        );
    };
    (
        @ $name:literal, $padding:ty, [$($features:literal)?],
        $kernel:ident, $advance:ident, $run:ident, $finish:ident, $word:ty, $v:ty
    ) => {
        /// The kernel of `A` on this instruction set.
        pub(crate) const fn $kernel<A: $crate::hash::Hash<Word = $word>>()
        -> $crate::hash::HashKernel<$word> {
            use $crate::vector::{Pair, Vector};
            if A::WAITS {
                $crate::hash::HashKernel {
                    name: $name,
                    lanes: <Pair<$v>>::LANES,
                    run: $run::<Pair<$v>, A::Core>,
                    finish: $finish::<Pair<$v>, A>,
                    pads: <$padding>::IN_REGISTERS,
                }
            } else {
                $crate::hash::HashKernel {
                    name: $name,
                    lanes: <$v>::LANES,
                    run: $run::<$v, A::Core>,
                    finish: $finish::<$v, A>,
                    pads: <$padding>::IN_REGISTERS,
                }
            }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn $advance<V, C>(task: &$crate::hash::kernel::Task<$word>)
        where
            V: $crate::vector::Vector<Word = $word>,
            C: $crate::hash::Compression<Word = $word>,
            $padding: $crate::hash::kernel::Padding<V>,
        {
            $crate::arch::compile::align_frame!();
            // SAFETY: the same contract; this function is compiled for V's instruction set.
            unsafe { $crate::hash::kernel::advance::<V, C, $padding>(task) }
        }

        unsafe fn $run<V, C>(states: *const *mut $word, data: *const *const u8, blocks: usize)
        where
            V: $crate::vector::Vector<Word = $word>,
            C: $crate::hash::Compression<Word = $word>,
            $padding: $crate::hash::kernel::Padding<V>,
        {
            // SAFETY: the same contract.
            unsafe { $advance::<V, C>(&$crate::hash::kernel::Task::run(states, data, blocks)) }
        }

        unsafe fn $finish<V, A>(
            messages: &$crate::hash::Messages<$word>,
            first: usize,
            shape: $crate::hash::Shape,
        ) where
            V: $crate::vector::Vector<Word = $word>,
            A: $crate::hash::Hash<Word = $word>,
            $padding: $crate::hash::kernel::Padding<V>,
        {
            let task = $crate::hash::kernel::Task::finish::<A>(messages, first, shape);
            // SAFETY: the same contract.
            unsafe { $advance::<V, A::Core>(&task) }
        }
    };
}
pub(in crate::arch) use wide_kernels;
