//! The alignment of stack frames.

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
#[doc(hidden)]
#[macro_export]
macro_rules! align_frame {
    () => {
        /// A local of this type aligns its function's frame to a cache line.
        #[repr(align(64))]
        struct Anchor {
            _line: [u8; 64],
        }
        let anchor = core::mem::MaybeUninit::<Anchor>::uninit();
        core::hint::black_box(&raw const anchor);
    };
    (aligned) => {
        $crate::align_frame!();
    };
    (natural) => {};
}
pub use align_frame;
