//! The parts that several instruction sets share: registers of 128 bits, and kernels that are
//! compiled for one feature alone.

pub(in crate::arch) mod aes;
pub(in crate::arch) mod clmul;
mod detect;
pub(in crate::arch) mod md5;
pub(in crate::arch) mod poly;
mod probe;
pub(in crate::arch) mod rabin;
pub(in crate::arch) mod rc4;
pub(crate) mod sha;
pub(in crate::arch) mod sha512;
#[cfg(all(test, unix))]
mod tests;

use crate::kernels::aes::gcm::key::Powers;
use crate::loops::Needs;
pub(crate) use detect::{FEATURES, detect};

/// Has the CPU bring a line of memory into its nearest cache while it continues.
#[inline(always)]
pub(crate) fn prefetch(line: *const u8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch has no effect except on caches, whatever the address is.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
}

/// Returns SubWord of the AES key expansion, if the CPU has AES instructions.
pub(crate) fn sub_word() -> Option<fn(u32) -> u32> {
    cpufeatures::new!(has_aes, "aes");
    // SAFETY: `has_aes` has found the CPU's AES instructions.
    has_aes::get().then_some(|word| unsafe { aes::sub_word(word) })
}

/// Returns the powers of a hash key, if the CPU has instructions for AES and for carry-less
/// products.
pub(crate) fn hash_expansion() -> Option<Powers> {
    cpufeatures::new!(has_both, "aes", "pclmulqdq");
    // SAFETY: `has_both` has found both kinds of instructions.
    has_both::get().then_some(|key, hash| unsafe { clmul::expand(key, hash) })
}

/// Loops of one operation each.
pub(crate) fn probes() -> &'static [Needs] {
    probe::TABLE
}
