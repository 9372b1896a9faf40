//! One file per instruction set. Each offers [`Vector`](crate::vector::Vector)s and the kernels
//! compiled for them; nothing outside this folder names an instruction.

#[cfg(all(test, target_arch = "x86_64"))]
mod against_portable;
#[cfg(target_arch = "aarch64")]
pub(crate) mod arm_sha;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod interleaved;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_sha;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_sha1x16;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_sha256x8;

/// Compiles the generic kernels for one instruction set: `kernel32` and `kernel64` give the kernel of
/// any hash with 32-bit and with 64-bit words.
macro_rules! wide_kernels {
    ($name:literal, $padding:ty, $features:tt, $v32:ty, $v64:ty) => {
        crate::isa::wide_kernels!(@ $name, $padding, $features, kernel32, run32, finish32, u32, $v32);
        crate::isa::wide_kernels!(@ $name, $padding, $features, kernel64, run64, finish64, u64, $v64);
    };
    (
        @ $name:literal, $padding:ty, [$($features:literal)?],
        $kernel:ident, $run:ident, $finish:ident, $word:ty, $v:ty
    ) => {
        /// The kernel of `A` on this instruction set.
        pub(crate) fn $kernel<A: Hash<Word = $word>>() -> HashKernel<$word> {
            if A::WAITS {
                HashKernel {
                    name: $name,
                    lanes: <Pair<$v>>::LANES,
                    run: $run::<Pair<$v>, A::Core>,
                    finish: $finish::<Pair<$v>, A>,
                    pads: <$padding>::IN_REGISTERS,
                }
            } else {
                HashKernel {
                    name: $name,
                    lanes: <$v>::LANES,
                    run: $run::<$v, A::Core>,
                    finish: $finish::<$v, A>,
                    pads: <$padding>::IN_REGISTERS,
                }
            }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn $run<V: Vector<Word = $word>, C: Compression<Word = $word>>(
            states: *const *mut $word,
            data: *const *const u8,
            blocks: usize,
        ) {
            // SAFETY: the same contract; this function is compiled for V's instruction set.
            unsafe { kernel::run::<V, C>(states, data, blocks) }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn $finish<V, A>(messages: &Messages<$word>, first: usize, shape: Shape)
        where
            V: Vector<Word = $word>,
            A: Hash<Word = $word>,
            $padding: Padding<V>,
        {
            // SAFETY: the same contract; this function is compiled for V's instruction set.
            unsafe { kernel::finish::<V, A, $padding>(messages, first, shape) }
        }
    };
}
pub(crate) use wide_kernels;
