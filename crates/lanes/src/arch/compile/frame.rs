//! The alignment of stack frames.

use core::mem::MaybeUninit;

/// A local of this type aligns its function's frame to a cache line.
#[repr(align(64))]
pub(in crate::arch) struct Anchor {
    _line: [u8; 64],
}

impl Anchor {
    /// Makes a place that holds nothing.
    #[inline(always)]
    pub(in crate::arch) const fn new() -> MaybeUninit<Self> {
        MaybeUninit::uninit()
    }
}

/// Aligns the stack frame of the function to 64 bytes, for kernels whose registers spill.
///
/// The ABI aligns frames to 16 bytes only, so that spilled registers of 256 and 512 bits lie across
/// cache lines and pages in most of them: up to twice the time. LLVM aligns a frame as its locals
/// ask for, if the address of such a local escapes, and then aligns the places of spilled
/// registers, too.
///
/// A kernel whose registers do not spill, or are of 128 bits, has nothing that could lie across a
/// line: there the alignment would only cost instructions, and a store to the stack. Macros that
/// compile a kernel both with and without spills pass the word on: `aligned` or `natural`.
macro_rules! align_frame {
    () => {
        let anchor = $crate::arch::compile::Anchor::new();
        core::hint::black_box(&raw const anchor);
    };
    (aligned) => {
        $crate::arch::compile::align_frame!();
    };
    (natural) => {};
}
pub(in crate::arch) use align_frame;
