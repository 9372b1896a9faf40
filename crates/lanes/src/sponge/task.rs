//! Messages, as the scheduler sees them.

use crate::kernels::sponge::keccak::KeccakState;
use crate::kernels::sponge::kernel::Rate;

/// One message, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct SpongeTask {
    pub(super) rate: Rate,
    /// A block to absorb first; null if there is none.
    pub(super) head: *const u8,
    /// The bytes to absorb, and how many.
    pub(super) data: *const u8,
    pub(super) len: usize,
    /// The state to start from, which has absorbed whole blocks.
    pub(super) start: *const KeccakState,
    pub(super) end: SpongeEnd,
}

/// What becomes of the state when the data are absorbed.
#[derive(Clone, Copy)]
pub(super) enum SpongeEnd {
    /// It is kept, for more data to come: what is behind the last whole block is left out.
    State(*mut KeccakState),
    /// The message is complete: its output.
    Output { suffix: u8, to: *mut u8, len: usize },
    /// The message is complete, and is the inner one of an HMAC: its tag, as long as the digest.
    Hmac { suffix: u8, outer: *const KeccakState, to: *mut u8, len: usize },
    /// The message is complete: KMAC of it. `bits` is the length that it is told, 0 for output of
    /// any length.
    Kmac { bits: u64, to: *mut u8, len: usize },
}
