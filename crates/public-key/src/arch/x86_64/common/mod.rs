//! The parts that several instruction sets share: registers of 128 bits, and kernels that are
//! compiled for one feature alone.

pub(in crate::arch) mod binary;
pub(in crate::arch) mod sha;

/// Returns the same pointer, from an empty piece of assembly, so that the compiler forgets what was
/// read there before.
#[inline(always)]
pub(in crate::arch) fn anew(words: *const u64) -> *const u64 {
    let mut same = words;
    // SAFETY: the template is a comment, so there is no instruction in it.
    unsafe {
        // Changes: nothing. No memory is written, no flags, no stack.
        core::arch::asm!("/* {0} */", inout(reg) same, options(readonly, nostack, preserves_flags));
    }
    same
}
