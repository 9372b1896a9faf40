//! The scheduler of hash tasks onto lanes.
//!
//! A message is absorbed in three stages, and each stage fills the lanes on its own:
//!
//! 1. its whole blocks, read where they are. Lanes are refilled as they empty, so the kernel runs for the
//!    fewest blocks that any lane has left;
//! 2. its padded end, one block or two, built beside it;
//! 3. for HMAC, the outer hash: one block, which is made in registers from the inner state, in the same call
//!    of the kernel.
//!
//! Messages that reach the second stage wait for each other until the lanes are full (those with one
//! padded block, and those with two, apart, and HMACs apart from digests), and go through the rest side by
//! side. So a mix of lengths costs idle lanes only when nothing is left to fill them; few buffers left go
//! through the single-buffer kernel instead.

use core::ptr;

use zeroize::Zeroize;

use super::select::Kernels;
use super::tail::Tail;
use super::{Hash, State, write_digest};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};
use crate::slab::Slab;
use crate::vector::MAX_LANES;

/// One message, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
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

/// What becomes of the state when the data is absorbed.
#[derive(Clone, Copy)]
pub(crate) enum End<W> {
    /// It is kept, for more data to come: `len` is a whole number of blocks.
    State(*mut State<W>),
    /// The message is complete: its digest.
    Digest(*mut u8),
    /// The message is complete, and is the inner one of an HMAC.
    Hmac { outer: *const State<W>, tag: *mut u8 },
}

/// A task from the end of its wait for a lane to its completion, and its state.
struct Slot<W> {
    id: u32,
    /// The list that its padded end will wait in, or `KEPT`.
    list: usize,
    /// Where the outer hash of an HMAC starts from.
    outer: *const State<W>,
    /// Where the digest goes, or the state that is kept.
    to: *mut u8,
    state: State<W>,
}

/// The lists of padded ends: of one block and of two, for digests and for HMACs.
const LISTS: usize = 4;

/// In place of a list: the message has no end yet, and its state is kept.
const KEPT: usize = LISTS;

/// The most slots: every lane full, and all lists of padded ends almost full.
const SLOTS: usize = (1 + LISTS) * MAX_LANES;

/// The slots that are free.
struct Free {
    slots: [u8; SLOTS],
    len: usize,
}

/// The lanes of the first stage. Lanes `0..active` are in use.
struct Whole<W> {
    active: usize,
    states: [*mut W; MAX_LANES],
    data: [*const u8; MAX_LANES],
    /// Whole blocks left.
    left: [usize; MAX_LANES],
    /// The fewest of them, of lanes in use. Kept along: looking for it would read several of them in one
    /// load just after they were written one by one, and wait for the stores.
    fewest: usize,
    slots: [u8; MAX_LANES],
    /// Calls of `run` that found some in use, since they last moved.
    idle: u32,
}

/// The lanes of the second and third stage, for ends of one kind. Lanes `0..count` are in use.
struct Ends<W> {
    /// Blocks of each, and whether an outer hash follows.
    blocks: usize,
    hmac: bool,
    count: usize,
    states: [*mut W; MAX_LANES],
    data: [*const u8; MAX_LANES],
    /// Where the outer hash of an HMAC starts from.
    outer: [*const W; MAX_LANES],
    slots: [u8; MAX_LANES],
    /// Calls of `run` that found some in use, since they last moved.
    idle: u32,
}

/// After so many calls in which half-filled lanes did not move, they do: a steady stream of messages
/// that need no lane (shorter than a block) must not keep a longer one waiting for ever.
const PATIENCE: u32 = 16;

/// The scheduler of one hash's messages onto the lanes of its kernel.
pub struct HashLanes<A: Hash> {
    kernels: Kernels<A::Word>,
    whole: Whole<A::Word>,
    ends: [Ends<A::Word>; LISTS],
    slots: Slab<Slot<A::Word>>,
    /// The padded ends, each under the number of its task's slot. They are built when the slot is filled: the kernel
    /// would have to wait for stores of other widths that were made just before it.
    tails: Slab<Tail>,
    free: Free,
    /// What lanes that are not in use read and write: one slot.
    spare: Slab<State<A::Word>>,
    /// Tasks completed in this call of `run`.
    completed: usize,
    occupancy: Occupancy,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with this,
// or go into allocations of its own.
unsafe impl<A: Hash> Send for HashLanes<A> {}

impl<A: Hash> Lanes for HashLanes<A> {
    type Task = HashTask<A::Word>;
    const SORT_STREAMS: bool = true;

    fn new(cpu: &Cpu) -> Self {
        let kernels = A::kernels(cpu);
        let lanes = kernels.wide.lanes;
        let zero = A::Word::default();
        let mut spare = Slab::new(1);
        spare.put(0, [zero; 8]);
        let state = spare.slot(0).cast::<A::Word>();
        let count = (1 + LISTS) * lanes;
        let (mut slots, mut tails) = (Slab::new(count), Slab::new(count));
        let mut free = Free { slots: [0; SLOTS], len: 0 };
        for index in 0..count {
            let (outer, to) = (ptr::null(), ptr::null_mut());
            slots.put(index, Slot { id: 0, list: KEPT, outer, to, state: [zero; 8] });
            tails.put(index, Tail::EMPTY);
            free.push(index as u8);
        }
        let ends = |list| Ends {
            blocks: 1 + list % 2,
            hmac: list >= 2,
            count: 0,
            states: [state; MAX_LANES],
            data: [ptr::null(); MAX_LANES],
            outer: [state; MAX_LANES],
            slots: [0; MAX_LANES],
            idle: 0,
        };
        HashLanes {
            kernels,
            whole: Whole {
                active: 0,
                states: [state; MAX_LANES],
                data: [ptr::null(); MAX_LANES],
                left: [0; MAX_LANES],
                fewest: usize::MAX,
                slots: [0; MAX_LANES],
                idle: 0,
            },
            ends: core::array::from_fn(ends),
            slots,
            tails,
            free,
            spare,
            completed: 0,
            occupancy: Occupancy::default(),
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    #[inline]
    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>, goal: Goal) {
        let lanes = self.lanes();
        self.completed = 0;
        self.whole.idle += u32::from(self.whole.active > 0);
        self.ends.iter_mut().for_each(|ends| ends.idle += u32::from(ends.count > 0));
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                while self.whole.active < lanes {
                    let Some(filled) = source.next(|id, task| self.fill(id, task)) else { break };
                    if let Some(index) = filled {
                        self.absorbed(index, source);
                    }
                }
                let late = |ends: &Ends<_>| ends.count > 0 && ends.idle > PATIENCE;
                if self.whole.active == lanes || self.whole.active > 0 && self.whole.idle > PATIENCE {
                    self.step(source);
                } else if let Some(list) = self.ends.iter().position(late) {
                    self.finish(list, source);
                } else if goal == Goal::One && self.completed > 0 {
                    return;
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

impl<A: Hash> HashLanes<A> {
    /// Gives a task a slot, and a lane if it has a whole block; if it has none, returns the slot.
    ///
    /// # Safety
    /// The task is good; a lane is free.
    #[inline(always)]
    unsafe fn fill(&mut self, id: u32, task: &HashTask<A::Word>) -> Option<u8> {
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
                self.tails.get(index.into()).build::<A>(task.data, task.len, total);
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

    /// Runs the lanes in use until the first is empty; where they are few, until all are.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good.
    #[inline(always)]
    unsafe fn step(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let lanes = self.lanes();
        let whole = &mut self.whole;
        whole.idle = 0;
        let active = whole.active;
        if active <= self.kernels.few {
            // SAFETY: the caller's.
            return unsafe { self.step_few(source) };
        }
        let fewest = core::mem::replace(&mut whole.fewest, usize::MAX);
        self.occupancy.count(active, lanes, fewest);
        // An idle lane reads along with the first.
        for lane in active..lanes {
            whole.data[lane] = whole.data[0];
        }
        // SAFETY: the kernel is for this CPU; every lane points to a state of its own, or to the spare
        // one, and to at least `fewest` blocks.
        unsafe { (self.kernels.wide.run)(whole.states.as_ptr(), whole.data.as_ptr(), fewest) };
        for lane in (0..active).rev() {
            // SAFETY: the lanes' tasks are good, and have `fewest` blocks left.
            unsafe { self.advance(lane, fewest, source) };
        }
    }

    /// A lane was run for some blocks: moves its data on, and frees it if that was all.
    ///
    /// # Safety
    /// The lane is in use; its task is good, and has that many blocks left.
    #[inline(always)]
    unsafe fn advance(
        &mut self,
        lane: usize,
        blocks: usize,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        let whole = &mut self.whole;
        whole.left[lane] -= blocks;
        if whole.left[lane] > 0 {
            whole.fewest = whole.fewest.min(whole.left[lane]);
            // SAFETY: within the task's data, or at its end.
            whole.data[lane] = unsafe { whole.data[lane].add(blocks * A::BLOCK_LEN) };
            return;
        }
        let index = whole.slots[lane];
        whole.active -= 1;
        let last = whole.active;
        if lane < last {
            // The last lane in use moves to the free one's place.
            whole.states[lane] = whole.states[last];
            whole.data[lane] = whole.data[last];
            whole.left[lane] = whole.left[last];
            whole.slots[lane] = whole.slots[last];
        }
        whole.states[last] = self.spare.slot(0).cast();
        // SAFETY: the slot's task is good.
        unsafe { self.absorbed(index, source) };
    }

    /// Runs all lanes in use to their ends with the single-buffer kernel, the longest two together where
    /// it takes two.
    ///
    /// # Safety
    /// The tasks on the lanes are good.
    unsafe fn step_few(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single;
        while let Some(a) = self.longest(None) {
            let whole = &self.whole;
            // SAFETY: the kernel is for this CPU; the lanes point to states of their own and to at least
            // the blocks that they have left.
            unsafe {
                match (single.two, self.longest(Some(a))) {
                    (Some(two), Some(b)) => {
                        let blocks = whole.left[a].min(whole.left[b]);
                        self.occupancy.count(2, self.kernels.wide.lanes, blocks);
                        let states = [whole.states[a], whole.states[b]];
                        two(states, [whole.data[a], whole.data[b]], blocks);
                        // The higher lane first: its place is taken by the last lane in use.
                        self.advance(a.max(b), blocks, source);
                        self.advance(a.min(b), blocks, source);
                    }
                    _ => {
                        let blocks = whole.left[a];
                        self.occupancy.count(1, self.kernels.wide.lanes, blocks);
                        (single.one)(whole.states[a], whole.data[a], blocks);
                        self.advance(a, blocks, source);
                    }
                }
            }
        }
        self.whole.fewest = usize::MAX;
    }

    /// The lane in use with the most blocks left, but for one.
    fn longest(&self, except: Option<usize>) -> Option<usize> {
        let lanes = (0..self.whole.active).filter(|lane| Some(*lane) != except);
        lanes.max_by_key(|lane| self.whole.left[*lane])
    }

    /// A slot's whole blocks are absorbed: its task is complete, or goes on to the second stage.
    ///
    /// # Safety
    /// Its task is good.
    #[inline(always)]
    unsafe fn absorbed(&mut self, index: u8, source: &mut impl Source<HashTask<A::Word>>) {
        // SAFETY: the slot is full; what points into it is not used meanwhile. The task is good.
        unsafe {
            let slot = self.slots.get(index.into());
            let list = slot.list;
            if list == KEPT {
                *slot.to.cast() = slot.state;
                return self.complete(index, source);
            }
            let ends = &mut self.ends[list];
            let lane = ends.count;
            ends.count += 1;
            ends.slots[lane] = index;
            ends.states[lane] = slot.state.as_mut_ptr();
            ends.outer[lane] = slot.outer.cast();
            ends.data[lane] = self.tails.get(index.into()).blocks();
            if ends.count == self.kernels.wide.lanes {
                self.finish(list, source);
            }
        }
    }

    /// The second and third stage of all ends in a list.
    ///
    /// # Safety
    /// Their tasks are good.
    unsafe fn finish(&mut self, list: usize, source: &mut impl Source<HashTask<A::Word>>) {
        let lanes = self.lanes();
        let ends = &mut self.ends[list];
        ends.idle = 0;
        let count = ends.count;
        self.occupancy.count(count, lanes, ends.blocks + usize::from(ends.hmac));
        if count <= self.kernels.few {
            // SAFETY: the caller's.
            return unsafe { self.finish_few(list, source) };
        }
        for lane in count..lanes {
            ends.data[lane] = ends.data[0];
            ends.states[lane] = self.spare.slot(0).cast();
            ends.outer[lane] = self.spare.slot(0).cast();
        }
        let (states, data) = (ends.states.as_ptr(), ends.data.as_ptr());
        // SAFETY: the kernel is for this CPU; every lane points to a state of its own, or to the spare one, and to a
        // tail of so many blocks; every outer state is that of a good task, or the spare one.
        unsafe {
            if ends.hmac {
                (self.kernels.wide.hmac)(states, data, ends.blocks, ends.outer.as_ptr());
            } else {
                (self.kernels.wide.run)(states, data, ends.blocks);
            }
        }
        ends.count = 0;
        for lane in 0..count {
            let index = self.ends[list].slots[lane];
            // SAFETY: the slot is full, and its task good.
            unsafe {
                let slot = self.slots.get(index.into());
                write_digest::<A>(&slot.state, slot.to);
            }
            self.complete(index, source);
        }
    }

    /// The second and third stage of the ends in a list, one by one.
    ///
    /// # Safety
    /// Their tasks are good.
    unsafe fn finish_few(&mut self, list: usize, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single.one;
        while self.ends[list].count > 0 {
            let ends = &mut self.ends[list];
            ends.count -= 1;
            let lane = ends.count;
            let index = ends.slots[lane];
            // SAFETY: the slot is full; the kernel is for this CPU; the task is good. The slot's tail has as many
            // blocks as its list says, and then one: a digest is shorter than a block by more than the padding.
            unsafe {
                let Slot { state, to, .. } = self.slots.get(index.into());
                single(state.as_mut_ptr(), ends.data[lane], ends.blocks);
                write_digest::<A>(state, *to);
                if ends.hmac {
                    let total = (A::BLOCK_LEN + A::DIGEST_LEN) as u64;
                    let tail = self.tails.get(index.into());
                    tail.build::<A>(*to, A::DIGEST_LEN, total);
                    *state = *ends.outer[lane].cast();
                    single(state.as_mut_ptr(), tail.blocks(), 1);
                    write_digest::<A>(state, *to);
                }
            }
            self.complete(index, source);
        }
    }

    /// Reports a slot's task and frees the slot.
    #[inline(always)]
    fn complete(&mut self, index: u8, source: &mut impl Source<HashTask<A::Word>>) {
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
        }
    }
}
