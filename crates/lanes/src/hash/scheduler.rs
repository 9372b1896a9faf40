//! What the scheduler keeps: tasks, slots, and the lanes of each stage. `lanes.rs` says how
//! messages go through the stages.

use core::mem::MaybeUninit;
use core::ptr;

use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::compression::HashState;
use crate::kernels::hash::kernel::{Messages, Shape};
use crate::kernels::hash::select::HashChoice;
use crate::kernels::hash::tail::Tail;
use crate::occupancy::Occupancy;
use crate::slab::Slab;
use crate::vector::{MAX_LANES, Word};

/// The scheduler of one hash's messages onto the lanes of its kernel.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, HashLanes, Planner, Sha256};
///
/// let mut planner: Planner<HashLanes<Sha256>> = Planner::new(&Cpu::detect());
/// let mut jobs = [HashJob::digest(b"a message", ())];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct HashLanes<A: Hash> {
    pub(super) kernels: HashChoice<A::Word>,
    pub(super) whole: WholeBlocks<A::Word>,
    pub(super) ends: [Ends<A::Word>; LISTS],
    pub(super) group: HashGroup<A::Word>,
    pub(super) slots: Slab<HashSlot<A::Word>>,
    /// The padded ends, each under the number of its task's slot, unless the kernel makes them.
    /// They are built when the slot is filled: the kernel would have to wait for stores of other
    /// widths that were made just before it.
    pub(super) tails: Slab<Tail>,
    pub(super) free: Free,
    /// One slot that unused lanes read and write.
    pub(super) spare: Slab<HashState<A::Word>>,
    pub(super) occupancy: Occupancy,
    /// Lanes that a run fills at most.
    pub(super) most: usize,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler, or they point into the scheduler's own allocations.
unsafe impl<A: Hash> Send for HashLanes<A> {}

/// One message, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if until its completion:
///
/// - `data` is readable for `len` bytes;
/// - `start` is readable for a state, and `before` is a whole number of blocks;
/// - the pointers of `end` are writable for a state, a digest or a tag, and `outer` is readable for
///   a state.
#[derive(Clone, Copy)]
pub struct HashTask<W> {
    /// The bytes to absorb, and how many.
    pub(crate) data: *const u8,
    pub(crate) len: usize,
    /// The state to start from, and the bytes already in it: a whole number of blocks.
    pub(crate) start: *const HashState<W>,
    pub(crate) before: u64,
    pub(crate) end: HashEnd<W>,
}

/// The use of the state after the data are absorbed.
#[derive(Clone, Copy)]
pub(crate) enum HashEnd<W> {
    /// It is kept, for more data to come: `len` is a whole number of blocks.
    State(*mut HashState<W>),
    /// The message is complete: its digest.
    Digest(*mut u8),
    /// The message is complete, and is the inner one of an HMAC.
    Hmac { outer: *const HashState<W>, tag: *mut u8 },
}

impl<W> HashTask<W> {
    /// Returns the shape that it shares with messages that can accompany it through all stages.
    /// `None` if more data will come.
    #[inline(always)]
    pub(super) fn shape<A: Hash<Word = W>>(&self) -> Option<Shape> {
        let hmac = match self.end {
            HashEnd::State(_) => return None,
            HashEnd::Digest(_) => false,
            HashEnd::Hmac { .. } => true,
        };
        let tail = Tail::count::<A>(self.len % A::BLOCK_LEN);
        Some(Shape { blocks: self.len / A::BLOCK_LEN, tail, hmac })
    }
}

/// A task from the end of its wait for a lane to its completion, and its state.
pub(super) struct HashSlot<W> {
    pub id: u32,
    /// The list that its padded end will wait in, or `KEPT`.
    pub list: usize,
    /// Where the outer hash of an HMAC starts from.
    pub outer: *const HashState<W>,
    /// For a kernel that pads: the bytes behind the whole blocks, how many, and the length of the
    /// message.
    pub rest: *const u8,
    pub rest_len: u8,
    pub total: u64,
    /// Where the digest goes, or the state that is kept.
    pub to: *mut u8,
    pub state: HashState<W>,
}

impl<W: Word> HashSlot<W> {
    /// Makes a value that no task has.
    pub(super) fn new() -> Self {
        HashSlot {
            id: 0,
            list: KEPT,
            outer: ptr::null(),
            rest: ptr::null(),
            rest_len: 0,
            total: 0,
            to: ptr::null_mut(),
            state: [W::default(); 8],
        }
    }
}

/// The lists of padded ends: of one block and of two, for digests and for HMACs.
pub(super) const LISTS: usize = 4;

/// In place of a list: the message has no end yet, and its state is kept.
pub(super) const KEPT: usize = LISTS;

/// The most slots: every lane full, and all lists of padded ends almost full.
pub(super) const SLOTS: usize = (1 + LISTS) * MAX_LANES;

/// The slots that are free.
pub(super) struct Free {
    pub(super) slots: [u8; SLOTS],
    pub(super) len: usize,
}

/// The result of taking a task.
pub(super) enum HashTaken {
    /// The task waits, in a lane or in a group.
    Waits,
    /// The task has no whole block to absorb; this is its slot.
    Absorbed(u8),
    /// The task waits in a group, which is now complete.
    Group,
    /// The task has another shape than those that wait in the group, and is kept beside it.
    Mix,
}

/// The lanes of the first stage. Lanes `0..active` are in use.
pub(super) struct WholeBlocks<W> {
    pub active: usize,
    pub states: [*mut W; MAX_LANES],
    pub data: [*const u8; MAX_LANES],
    /// Whole blocks left.
    pub left: [usize; MAX_LANES],
    /// The fewest of them, of lanes in use. Kept along: looking for it would read several of them
    /// in one load just after they were written one by one, and wait for the stores.
    pub fewest: usize,
    pub slots: [u8; MAX_LANES],
}

/// The lanes of the second and third stage, for ends of one kind. Lanes `0..count` are in use.
pub(super) struct Ends<W> {
    pub(super) shape: Shape,
    pub count: usize,
    pub(super) messages: Messages<W>,
    pub(super) slots: [u8; MAX_LANES],
}

/// The messages that wait for others of their shape, in places `0..count`.
pub(super) struct HashGroup<W> {
    pub(super) shape: Shape,
    pub count: usize,
    pub(super) messages: Messages<W>,
    pub(super) ids: [u32; MAX_LANES],
    pub(super) lens: [usize; MAX_LANES],
    pub(super) totals: [u64; MAX_LANES],
    /// Where the digests go.
    pub(super) to: [*mut u8; MAX_LANES],
    /// The padded ends, for kernels that do not pad, and the states that the messages end with.
    pub(super) tails: Slab<Tail>,
    pub(super) states: Slab<HashState<W>>,
    /// A task whose shape differs from the shape of the others.
    pub(super) other: MaybeUninit<(u32, HashTask<W>)>,
}
