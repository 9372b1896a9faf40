//! The scheduler of hash tasks onto lanes.
//!
//! A message is absorbed in three stages, and each stage fills the lanes on its own:
//!
//! 1. The whole blocks are read where they are. Lanes are refilled as they empty, so the kernel
//!    runs for the fewest blocks that any lane has left.
//! 2. The padded end, one block or two, is built beside the message.
//! 3. For HMAC, the block of the outer hash is made in registers from the inner state, in the same
//!    call of the kernel.
//!
//! Messages that reach the second stage wait until the lanes are full, in four lists: ends of one
//! block or two, of digests or of HMACs. They go through the rest side by side. So a mix of lengths
//! idles lanes only when no message is left to fill them; the few remaining buffers then go through
//! the kernel for few.
//!
//! Half-filled lanes that a stream of other jobs keeps passing by move after a bounded number of
//! calls: no message waits for ever.
//!
//! Consecutive messages of one shape need no scheduling: as many as there are lanes go through all
//! stages in one call.

use core::ptr;

use zeroize::Zeroize;

use super::ends::Ends;
use super::group::Group;
use super::kernel::Shape;
use super::select::Kernels;
use super::tail::Tail;
use super::whole::Whole;
use super::{Hash, State};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};
use crate::slab::Slab;
use crate::vector::{MAX_LANES, Word};

/// One message, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct HashTask<W> {
    /// The bytes to absorb, and how many.
    pub(crate) data: *const u8,
    pub(crate) len: usize,
    /// The state to start from, and the bytes already in it: a whole number of blocks.
    pub(crate) start: *const State<W>,
    pub(crate) before: u64,
    pub(crate) end: End<W>,
}

/// The use of the state after the data are absorbed.
#[derive(Clone, Copy)]
pub(crate) enum End<W> {
    /// It is kept, for more data to come: `len` is a whole number of blocks.
    State(*mut State<W>),
    /// The message is complete: its digest.
    Digest(*mut u8),
    /// The message is complete, and is the inner one of an HMAC.
    Hmac { outer: *const State<W>, tag: *mut u8 },
}

impl<W> HashTask<W> {
    /// The shape that it shares with messages that can accompany it through all stages. `None` if
    /// more data will come.
    #[inline(always)]
    pub(super) fn shape<A: Hash<Word = W>>(&self) -> Option<Shape> {
        let hmac = match self.end {
            End::State(_) => return None,
            End::Digest(_) => false,
            End::Hmac { .. } => true,
        };
        let tail = Tail::count::<A>(self.len % A::BLOCK_LEN);
        Some(Shape { blocks: self.len / A::BLOCK_LEN, tail, hmac })
    }
}

/// A task from the end of its wait for a lane to its completion, and its state.
pub(super) struct Slot<W> {
    pub id: u32,
    /// The list that its padded end will wait in, or `KEPT`.
    pub list: usize,
    /// Where the outer hash of an HMAC starts from.
    pub outer: *const State<W>,
    /// For a kernel that pads: the bytes behind the whole blocks, how many, and the length of the
    /// message.
    pub rest: *const u8,
    pub rest_len: u8,
    pub total: u64,
    /// Where the digest goes, or the state that is kept.
    pub to: *mut u8,
    pub state: State<W>,
}

impl<W: Word> Slot<W> {
    /// A value that no task has.
    fn new() -> Self {
        Slot {
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
const LISTS: usize = 4;

/// In place of a list: the message has no end yet, and its state is kept.
pub(super) const KEPT: usize = LISTS;

/// The most slots: every lane full, and all lists of padded ends almost full.
const SLOTS: usize = (1 + LISTS) * MAX_LANES;

/// The slots that are free.
struct Free {
    slots: [u8; SLOTS],
    len: usize,
}

/// After so many calls in which half-filled lanes did not move, they do: a steady stream of
/// messages that need no lane (shorter than a block) must not keep a longer one waiting for ever.
const PATIENCE: u32 = 16;

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
    pub(super) kernels: Kernels<A::Word>,
    pub(super) whole: Whole<A::Word>,
    pub(super) ends: [Ends<A::Word>; LISTS],
    pub(super) group: Group<A::Word>,
    pub(super) slots: Slab<Slot<A::Word>>,
    /// The padded ends, each under the number of its task's slot, unless the kernel makes them.
    /// They are built when the slot is filled: the kernel would have to wait for stores of other
    /// widths that were made just before it.
    pub(super) tails: Slab<Tail>,
    free: Free,
    /// One slot that unused lanes read and write.
    pub(super) spare: Slab<State<A::Word>>,
    /// Tasks completed in this call of `run`.
    pub(super) completed: usize,
    pub(super) occupancy: Occupancy,
    /// Lanes that a run with all its tasks known fills at most.
    most: usize,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves with
// this, or go into this value's own allocations.
unsafe impl<A: Hash> Send for HashLanes<A> {}

impl<A: Hash> Lanes for HashLanes<A> {
    type Task = HashTask<A::Word>;
    const SORT_STREAMS: bool = true;
    const TOGETHER: bool = true;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(A::kernels(&cpu.kernels().hashes));
        let lanes = kernels.wide.lanes;
        let zero = A::Word::default();
        let mut spare = Slab::new(1);
        spare.put(0, [zero; 8]);
        let state = spare.slot(0).cast::<A::Word>();
        let count = (1 + LISTS) * lanes;
        let (mut slots, mut tails) = (Slab::new(count), Slab::new(count));
        let mut free = Free { slots: [0; SLOTS], len: 0 };
        for index in 0..count {
            slots.put(index, Slot::new());
            tails.put(index, Tail::EMPTY);
            free.push(index as u8);
        }
        HashLanes {
            kernels,
            whole: Whole::new(state),
            ends: core::array::from_fn(|list| Ends::new(list, state)),
            group: Group::new(lanes, state),
            slots,
            tails,
            free,
            spare,
            completed: 0,
            occupancy: Occupancy::default(),
            most: lanes,
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    /// The longest message takes as many steps in half of the lanes as in all of them, and each
    /// step takes less time there. So all lanes are filled only if half of them cannot finish the
    /// other messages meanwhile.
    #[inline(always)]
    fn expect(&mut self, tasks: impl Iterator<Item = Self::Task>) {
        self.most = self.lanes();
        if let Some(half) = self.kernels.half() {
            let blocks = tasks.map(|task| task.len / A::BLOCK_LEN);
            let (all, longest) = blocks.fold((0_usize, 0), |(all, longest), blocks| {
                (all.saturating_add(blocks), blocks.max(longest))
            });
            if all <= half.saturating_mul(longest) {
                self.most = half;
            }
        }
    }

    #[inline]
    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>, goal: Goal) {
        let lanes = if goal == Goal::All { self.most } else { self.lanes() };
        self.completed = 0;
        self.whole.idle += u32::from(self.whole.active > 0);
        self.ends.iter_mut().for_each(|ends| ends.idle += u32::from(ends.count > 0));
        self.group.idle += u32::from(self.group.count > 0);
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                while self.whole.active < lanes {
                    match source.next(|id, task| self.take(id, task)) {
                        None => break,
                        Some(Taken::Waits) => {}
                        Some(Taken::Absorbed(index)) => self.absorbed(index, source),
                        Some(Taken::Group) => self.finish_group(source),
                        Some(Taken::Mix) => self.mix(source),
                    }
                }
                let late = |ends: &Ends<_>| ends.count > 0 && ends.idle > PATIENCE;
                // Of a group that was disbanded there may be more than lanes to fill.
                if self.whole.active >= lanes || self.whole.active > 0 && self.whole.idle > PATIENCE
                {
                    self.step(source);
                } else if let Some(list) = self.ends.iter().position(late) {
                    self.finish(list, source);
                } else if goal == Goal::One && self.completed > 0 && self.group.idle <= PATIENCE {
                    return;
                } else if self.group.count > 0 {
                    self.finish_group(source);
                } else if let (Some(list), true) = (
                    self.ends.iter().position(|ends| ends.count > 0),
                    goal == Goal::One || self.whole.active == 0,
                ) {
                    self.finish(list, source);
                } else if self.whole.active > 0 {
                    self.step(source);
                } else {
                    return;
                }
            }
        }
    }
}

/// The fate of a task that was taken.
pub(super) enum Taken {
    /// It waits, in a lane or in a group.
    Waits,
    /// Its slot, as it has no whole block to absorb.
    Absorbed(u8),
    /// It waits in a group, which is as large as it gets.
    Group,
    /// It has nothing in common with those that wait in a group, and waits beside it.
    Mix,
}

impl<A: Hash> HashLanes<A> {
    /// Takes a task into the group if all lanes are empty, and else gives it one.
    ///
    /// # Safety
    /// The task is good; a lane is free.
    #[inline(always)]
    unsafe fn take(&mut self, id: u32, task: &HashTask<A::Word>) -> Taken {
        let kept = matches!(task.end, End::State(_));
        if self.whole.active == 0 && (!kept || self.group.count > 0) {
            // SAFETY: the caller's.
            return unsafe { self.group.push::<A>(id, task, &self.kernels.wide) };
        }
        // SAFETY: the caller's.
        match unsafe { self.fill(id, task) } {
            Some(index) => Taken::Absorbed(index),
            None => Taken::Waits,
        }
    }

    /// Gives a task a slot, and a lane if it has a whole block; if it has none, returns the slot.
    ///
    /// # Safety
    /// The task is good; a lane is free.
    #[inline(always)]
    pub(super) unsafe fn fill(&mut self, id: u32, task: &HashTask<A::Word>) -> Option<u8> {
        let index = self.free.pop();
        let slot = self.slots.slot(index.into());
        let list = Tail::count::<A>(task.len % A::BLOCK_LEN) - 1;
        let (list, outer, to) = match task.end {
            End::Digest(digest) => (list, ptr::null(), digest),
            End::Hmac { outer, tag } => (2 + list, outer, tag),
            End::State(state) => (KEPT, ptr::null(), state.cast()),
        };
        // SAFETY: the slot exists and is free; the task's start is readable, and so is its data.
        unsafe {
            (&raw mut (*slot).id).write(id);
            (&raw mut (*slot).list).write(list);
            (&raw mut (*slot).outer).write(outer);
            (&raw mut (*slot).to).write(to);
            ptr::copy_nonoverlapping(task.start, &raw mut (*slot).state, 1);
            if list != KEPT {
                let total = task.before + task.len as u64;
                if self.kernels.wide.pads {
                    let rest = task.len % A::BLOCK_LEN;
                    (&raw mut (*slot).rest).write(task.data.add(task.len - rest));
                    (&raw mut (*slot).rest_len).write(rest as u8);
                    (&raw mut (*slot).total).write(total);
                } else {
                    self.tails.get(index.into()).build::<A>(task.data, task.len, total);
                }
            }
        }
        let blocks = task.len / A::BLOCK_LEN;
        if blocks == 0 {
            return Some(index);
        }
        let whole = &mut self.whole;
        let lane = whole.active;
        whole.active += 1;
        // SAFETY: the slot exists.
        whole.states[lane] = unsafe { &raw mut (*slot).state }.cast();
        whole.data[lane] = task.data;
        whole.left[lane] = blocks;
        whole.fewest = whole.fewest.min(blocks);
        whole.slots[lane] = index;
        None
    }

    /// Reports a slot's task and frees the slot.
    #[inline(always)]
    pub(super) fn complete(&mut self, index: u8, source: &mut impl Source<HashTask<A::Word>>) {
        self.completed += 1;
        self.free.push(index);
        // SAFETY: the slot is full, and nothing that points into it is used meanwhile.
        source.done(unsafe { self.slots.get(index.into()) }.id);
    }
}

impl Free {
    #[inline(always)]
    fn push(&mut self, slot: u8) {
        self.slots[self.len] = slot;
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> u8 {
        self.len -= 1;
        self.slots[self.len]
    }
}

impl<A: Hash> Drop for HashLanes<A> {
    fn drop(&mut self) {
        let lanes = self.lanes();
        // SAFETY: everything was filled when this was made, and no task runs any more.
        unsafe {
            for index in 0..(1 + LISTS) * lanes {
                self.slots.get(index).state.zeroize();
                self.tails.get(index).zeroize();
            }
            self.spare.get(0).zeroize();
            self.group.wipe(lanes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Sha1, Sha256, Sha512};

    /// Where a kernel for half of the lanes is, messages fill only these if the longest takes as
    /// many steps as all of them in half of the lanes.
    fn fills<A: Hash>() {
        let mut lanes = HashLanes::<A>::new(&Cpu::detect());
        let all = lanes.lanes();
        let half = lanes.kernels.half().unwrap_or(all);
        let task = |blocks: usize| HashTask {
            data: ptr::null(),
            len: blocks * A::BLOCK_LEN,
            start: ptr::null(),
            before: 0,
            end: End::Digest(ptr::null_mut()),
        };
        let long_and = |short: usize| [40, 40].into_iter().chain(core::iter::repeat_n(1, short));
        for (short, most) in [(0, half), (40 * half - 80, half), (40 * half - 79, all)] {
            lanes.expect(long_and(short).map(task));
            assert_eq!(lanes.most, most, "{short} short ones");
        }
        lanes.expect([7; 3].into_iter().chain([16; 100]).map(task));
        assert_eq!(lanes.most, all, "messages of one length");
        lanes.expect([0; 100].into_iter().map(task));
        assert_eq!(lanes.most, half, "none has a whole block");
    }

    #[test]
    fn half_of_the_lanes_are_filled_where_all_end_no_sooner() {
        fills::<Sha1>();
        fills::<Sha256>();
        fills::<Sha512>();
    }
}
