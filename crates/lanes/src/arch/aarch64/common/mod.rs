//! What several instruction sets share.

mod detect;
mod probe;

use crate::kernels::aes::gcm::key::Powers;
use crate::loops::Needs;
pub(crate) use detect::{FEATURES, detect};

/// Would bring a line of memory into a cache: stable Rust has no such intrinsic for AArch64.
pub(crate) fn prefetch(_line: *const u8) {}

/// Returns `None` for SubWord of the AES key expansion: the bitsliced S-box is used.
pub(crate) fn sub_word() -> Option<fn(u32) -> u32> {
    None
}

/// Returns the powers of a hash key: integers are used.
pub(crate) fn hash_expansion() -> Option<Powers> {
    None
}

/// Loops of one operation each.
pub(crate) fn probes() -> &'static [Needs] {
    probe::TABLE
}
