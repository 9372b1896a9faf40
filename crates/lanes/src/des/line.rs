//! Words in cache lines.

use alloc::boxed::Box;
use alloc::vec;

use crate::wiped::clear_all;

/// Registers are loaded and stored within lines of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct DesLine([u64; 8]);

impl DesLine {
    /// Lines with so many words, all zero.
    pub fn boxed(words: usize) -> Box<[DesLine]> {
        vec![DesLine([0; 8]); words.div_ceil(8)].into()
    }

    /// Wipes them.
    pub fn wipe(lines: &mut [DesLine]) {
        clear_all(lines, DesLine([0; 8]));
    }
}
