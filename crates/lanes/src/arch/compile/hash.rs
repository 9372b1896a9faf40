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
        /// Returns the kernel of `A` on this instruction set.
        pub(crate) const fn $kernel<A: $crate::kernels::hash::algorithm::Hash<Word = $word>>()
        -> $crate::kernels::hash::kernel::HashKernel<$word> {
            use $crate::vector::{Pair, Vector};
            if A::WAITS {
                $crate::kernels::hash::kernel::HashKernel {
                    name: $name,
                    lanes: <Pair<$v>>::LANES,
                    run: $run::<Pair<$v>, A::Core>,
                    finish: $finish::<Pair<$v>, A>,
                    pads: <$padding>::IN_REGISTERS,
                }
            } else {
                $crate::kernels::hash::kernel::HashKernel {
                    name: $name,
                    lanes: <$v>::LANES,
                    run: $run::<$v, A::Core>,
                    finish: $finish::<$v, A>,
                    pads: <$padding>::IN_REGISTERS,
                }
            }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn $advance<V, C>(task: &$crate::kernels::hash::kernel::Task<$word>)
        where
            V: $crate::vector::Vector<Word = $word>,
            C: $crate::kernels::hash::compression::Compression<Word = $word>,
            $padding: $crate::kernels::hash::kernel::Padding<V>,
        {
            $crate::arch::compile::align_frame!();
            // SAFETY: the task fulfils the contract of `advance`, and this function enables the
            // instructions of `V`.
            unsafe { $crate::kernels::hash::kernel::advance::<V, C, $padding>(task) }
        }

        unsafe fn $run<V, C>(states: *const *mut $word, data: *const *const u8, blocks: usize)
        where
            V: $crate::vector::Vector<Word = $word>,
            C: $crate::kernels::hash::compression::Compression<Word = $word>,
            $padding: $crate::kernels::hash::kernel::Padding<V>,
        {
            // SAFETY: the arguments fulfil the contract of `WideRun` for the lanes of `V`.
            unsafe {
                $advance::<V, C>(&$crate::kernels::hash::kernel::Task::run(states, data, blocks))
            }
        }

        unsafe fn $finish<V, A>(
            messages: &$crate::kernels::hash::kernel::Messages<$word>,
            first: usize,
            shape: $crate::kernels::hash::kernel::Shape,
        ) where
            V: $crate::vector::Vector<Word = $word>,
            A: $crate::kernels::hash::algorithm::Hash<Word = $word>,
            $padding: $crate::kernels::hash::kernel::Padding<V>,
        {
            let task = $crate::kernels::hash::kernel::Task::finish::<A>(messages, first, shape);
            // SAFETY: the arguments fulfil the contract of `WideFinish` for the lanes of `V`.
            unsafe { $advance::<V, A::Core>(&task) }
        }
    };
}
pub(in crate::arch) use wide_kernels;
