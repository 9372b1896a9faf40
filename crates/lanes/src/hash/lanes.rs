//! The scheduler of hash tasks onto lanes.
//!
//! A message is absorbed in three stages, and each stage fills the lanes on its own:
//!
//! 1. its whole blocks, read where they are. Lanes are refilled as they empty, so the kernel runs for the
//!    fewest blocks that any lane has left;
//! 2. its padded end, one block or two, built beside it;
//! 3. for HMAC, the outer hash: one block, which is made in registers from the inner state.
//!
//! Messages that reach the second stage wait for each other until the lanes are full (those with one
//! padded block, and those with two, apart), and go through the rest side by side. So a mix of lengths
//! costs idle lanes only when nothing is left to fill them; few buffers left go through the
//! single-buffer kernel instead.

use alloc::boxed::Box;
use alloc::vec;

use core::ptr;

use zeroize::Zeroize;

use super::kernel::MAX_LANES;
use super::select::Kernels;
use super::tail::Tail;
use super::{Hash, State, write_digest};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Source};

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

/// A task from the end of its wait for a lane to its completion.
#[derive(Clone, Copy)]
struct Slot<W> {
    id: u32,
    task: HashTask<W>,
    /// Its state while it has no lane.
    state: State<W>,
}

/// A stack of slot numbers.
#[derive(Clone, Copy)]
struct Stack {
    slots: [u8; SLOTS],
    len: usize,
}

/// The most slots: every lane full, and two lists of padded ends almost full.
const SLOTS: usize = 4 * MAX_LANES;

impl Stack {
    const EMPTY: Stack = Stack { slots: [0; SLOTS], len: 0 };

    fn push(&mut self, slot: usize) {
        self.slots[self.len] = slot as u8;
        self.len += 1;
    }

    fn pop(&mut self) -> usize {
        self.len -= 1;
        usize::from(self.slots[self.len])
    }
}

/// After so many calls in which half-filled lanes did not move, they do: a steady stream of messages
/// that need no lane (shorter than a block) must not keep a longer one waiting for ever.
const PATIENCE: u32 = 16;

/// The scheduler of one hash's messages onto the lanes of its kernel.
pub struct HashLanes<A: Hash> {
    kernels: Kernels<A::Word>,
    /// State of the lanes of the first stage: rows of as many words as there are lanes.
    rows: Box<[A::Word]>,
    /// Lanes `0..active` are in use.
    active: usize,
    data: [*const u8; MAX_LANES],
    /// Whole blocks that each lane has left.
    left: [usize; MAX_LANES],
    /// Each lane's slot.
    slot: [u8; MAX_LANES],
    slots: Box<[Slot<A::Word>]>,
    free: Stack,
    /// Slots that wait for the second stage: those with one padded block, and those with two.
    ends: [Stack; 2],
    /// State of the lanes of the second and third stage, and where the third starts from.
    end_rows: Box<[A::Word]>,
    outer_rows: Box<[A::Word]>,
    tails: Box<[Tail]>,
    /// Calls of `run` since the lanes last moved, and since each list of ends did.
    lanes_idle: u32,
    ends_idle: [u32; 2],
    /// Tasks completed in this call of `run`.
    completed: usize,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with this.
unsafe impl<A: Hash> Send for HashLanes<A> {}

impl<A: Hash> Lanes for HashLanes<A> {
    type Task = HashTask<A::Word>;

    fn new(cpu: &Cpu) -> Self {
        let kernels = A::kernels(cpu);
        let lanes = kernels.wide.lanes;
        let nothing = HashTask {
            data: ptr::null(),
            len: 0,
            start: ptr::null(),
            before: 0,
            end: End::Digest(ptr::null_mut()),
        };
        let zero = A::Word::default();
        let empty = Slot { id: 0, task: nothing, state: [zero; 8] };
        let mut free = Stack::EMPTY;
        (0..4 * lanes).for_each(|slot| free.push(slot));
        HashLanes {
            kernels,
            rows: vec![zero; 8 * lanes].into(),
            active: 0,
            data: [ptr::null(); MAX_LANES],
            left: [0; MAX_LANES],
            slot: [0; MAX_LANES],
            slots: vec![empty; 4 * lanes].into(),
            free,
            ends: [Stack::EMPTY; 2],
            end_rows: vec![zero; 8 * lanes].into(),
            outer_rows: vec![zero; 8 * lanes].into(),
            tails: vec![Tail::EMPTY; lanes].into(),
            lanes_idle: 0,
            ends_idle: [0; 2],
            completed: 0,
        }
    }

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>, goal: Goal) {
        let lanes = self.lanes();
        self.completed = 0;
        self.lanes_idle += 1;
        self.ends_idle.iter_mut().for_each(|calls| *calls += 1);
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                let mut exhausted = false;
                while self.active < lanes && !exhausted {
                    match source.next() {
                        Some((id, task)) => self.start(id, task, source),
                        None => exhausted = true,
                    }
                }
                let waiting = (0..2).find(|list| self.ends[*list].len > 0);
                let late =
                    (0..2).find(|list| self.ends[*list].len > 0 && self.ends_idle[*list] > PATIENCE);
                if self.active == lanes || self.active > 0 && self.lanes_idle > PATIENCE {
                    self.step(source);
                } else if let Some(list) = late {
                    self.finish(list, source);
                } else if goal == Goal::One && self.completed > 0 {
                    return;
                } else if let (Some(list), true) = (waiting, goal == Goal::One || self.active == 0) {
                    self.finish(list, source);
                } else if self.active > 0 {
                    self.step(source);
                } else {
                    return;
                }
            }
        }
    }
}

impl<A: Hash> HashLanes<A> {
    /// Gives a task a slot and, if it has a whole block, a lane.
    ///
    /// # Safety
    /// The task is good; a lane is free.
    #[inline(always)]
    unsafe fn start(
        &mut self,
        id: u32,
        task: HashTask<A::Word>,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        let index = self.free.pop();
        // SAFETY: the task's start is readable.
        let state = unsafe { *task.start };
        self.slots[index] = Slot { id, task, state };
        let whole = task.len / A::BLOCK_LEN;
        if whole == 0 {
            // SAFETY: the slot was just filled with a good task.
            return unsafe { self.absorbed(index, source) };
        }
        let lane = self.active;
        self.active += 1;
        put_column::<A>(&mut self.rows, lane, &state);
        self.data[lane] = task.data;
        self.left[lane] = whole;
        self.slot[lane] = index as u8;
    }

    /// Runs the lanes in use until the first is empty; where they are few, until all are.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good.
    unsafe fn step(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        self.lanes_idle = 0;
        let (lanes, active) = (self.lanes(), self.active);
        if active <= self.kernels.few {
            // SAFETY: the caller's.
            return unsafe { self.step_few(source) };
        }
        let fewest = self.left[..active].iter().fold(usize::MAX, |a, b| a.min(*b));
        // An idle lane reads along with the first.
        for lane in active..lanes {
            self.data[lane] = self.data[0];
        }
        // SAFETY: the kernel is for this CPU; the rows are of its size; every lane points to at least
        // `fewest` blocks.
        unsafe { (self.kernels.wide.run)(self.rows.as_mut_ptr(), self.data.as_ptr(), fewest) };
        for lane in (0..active).rev() {
            self.left[lane] -= fewest;
            self.data[lane] = self.data[lane].wrapping_add(fewest * A::BLOCK_LEN);
            if self.left[lane] == 0 {
                let index = usize::from(self.slot[lane]);
                self.slots[index].state = column::<A>(&self.rows, lane);
                self.vacate(lane);
                // SAFETY: the slot's task is good.
                unsafe { self.absorbed(index, source) };
            }
        }
    }

    /// Runs all lanes in use to their ends with the single-buffer kernel, the longest two together where
    /// it takes two.
    ///
    /// # Safety
    /// The tasks on the lanes are good.
    unsafe fn step_few(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single;
        for lane in 0..self.active {
            self.slots[usize::from(self.slot[lane])].state = column::<A>(&self.rows, lane);
        }
        while self.active > 0 {
            let longest = self.longest(None);
            let second = single.two.and(self.longest(longest));
            let a = longest.unwrap_or(0);
            let b = second.unwrap_or(a);
            let blocks = self.left[a].min(self.left[b]);
            let [slot_a, slot_b] = [a, b].map(|lane| usize::from(self.slot[lane]));
            let slots = self.slots.as_mut_ptr();
            // SAFETY: the kernel is for this CPU; both slots exist; both lanes point to `blocks` blocks.
            unsafe {
                let state_a = (&raw mut (*slots.add(slot_a)).state).cast();
                let state_b = (&raw mut (*slots.add(slot_b)).state).cast();
                match single.two {
                    Some(two) if a != b => two([state_a, state_b], [self.data[a], self.data[b]], blocks),
                    _ => (single.one)(state_a, self.data[a], blocks),
                }
            }
            // The higher lane first: vacating moves the last lane in use.
            for lane in [a.max(b), a.min(b)].into_iter().take(if a == b { 1 } else { 2 }) {
                self.left[lane] -= blocks;
                self.data[lane] = self.data[lane].wrapping_add(blocks * A::BLOCK_LEN);
                if self.left[lane] == 0 {
                    let index = usize::from(self.slot[lane]);
                    self.vacate(lane);
                    // SAFETY: the slot's task is good.
                    unsafe { self.absorbed(index, source) };
                }
            }
        }
    }

    /// The lane in use with the most blocks left, but for one.
    fn longest(&self, except: Option<usize>) -> Option<usize> {
        (0..self.active).filter(|lane| Some(*lane) != except).max_by_key(|lane| self.left[*lane])
    }

    /// Frees a lane; the last lane in use moves to its place.
    #[inline(always)]
    fn vacate(&mut self, lane: usize) {
        self.active -= 1;
        let last = self.active;
        if lane != last {
            let state = column::<A>(&self.rows, last);
            put_column::<A>(&mut self.rows, lane, &state);
            self.data[lane] = self.data[last];
            self.left[lane] = self.left[last];
            self.slot[lane] = self.slot[last];
        }
    }

    /// A slot's whole blocks are absorbed: it is complete, or waits for the second stage.
    ///
    /// # Safety
    /// Its task is good.
    #[inline(always)]
    unsafe fn absorbed(&mut self, index: usize, source: &mut impl Source<HashTask<A::Word>>) {
        let slot = &self.slots[index];
        if let End::State(state) = slot.task.end {
            // SAFETY: the task is good.
            unsafe { *state = slot.state };
            return self.complete(index, source);
        }
        let list = Tail::count::<A>(slot.task.len % A::BLOCK_LEN) - 1;
        self.ends[list].push(index);
        if self.ends[list].len == self.lanes() {
            // SAFETY: the tasks of all slots in the list are good.
            unsafe { self.finish(list, source) }
        }
    }

    /// The second and third stage of all slots in a list.
    ///
    /// # Safety
    /// Their tasks are good.
    unsafe fn finish(&mut self, list: usize, source: &mut impl Source<HashTask<A::Word>>) {
        self.ends_idle[list] = 0;
        let (lanes, count) = (self.lanes(), self.ends[list].len);
        if count <= self.kernels.few {
            // SAFETY: the caller's.
            return unsafe { self.finish_few(list, source) };
        }
        let waiting = self.ends[list].slots;
        let slot_of = |lane: usize| usize::from(waiting[lane]);
        self.ends[list].len = 0;

        let mut data = [ptr::null(); MAX_LANES];
        let tails = self.tails.as_mut_ptr();
        let mut outer = false;
        for lane in 0..count {
            let slot = &self.slots[slot_of(lane)];
            let task = &slot.task;
            put_column::<A>(&mut self.end_rows, lane, &slot.state);
            // SAFETY: the task is good, and there are as many tails as lanes.
            unsafe {
                let total = task.before + task.len as u64;
                data[lane] = (*tails.add(lane)).build::<A>(task.data, task.len, total);
                if let End::Hmac { outer: start, .. } = task.end {
                    put_column::<A>(&mut self.outer_rows, lane, &*start);
                    outer = true;
                }
            }
        }
        let first = data[0];
        data[count..lanes].fill(first);
        // SAFETY: the kernel is for this CPU; the rows are of its size; every tail holds list + 1 blocks.
        unsafe { (self.kernels.wide.run)(self.end_rows.as_mut_ptr(), data.as_ptr(), list + 1) };
        for lane in 0..count {
            if let End::Digest(digest) = self.slots[slot_of(lane)].task.end {
                // SAFETY: the task is good.
                unsafe { write_digest::<A>(&column::<A>(&self.end_rows, lane), digest) };
            }
        }
        if outer {
            // SAFETY: the kernel is for this CPU; the rows are of its size.
            unsafe {
                (self.kernels.wide.outer)(self.end_rows.as_mut_ptr(), self.outer_rows.as_ptr());
            }
        }
        for lane in 0..count {
            if let End::Hmac { tag, .. } = self.slots[slot_of(lane)].task.end {
                // SAFETY: the task is good.
                unsafe { write_digest::<A>(&column::<A>(&self.end_rows, lane), tag) };
            }
            self.complete(slot_of(lane), source);
        }
    }

    /// The second and third stage of the slots in a list, one by one.
    ///
    /// # Safety
    /// Their tasks are good.
    unsafe fn finish_few(&mut self, list: usize, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single.one;
        while self.ends[list].len > 0 {
            let index = self.ends[list].pop();
            let Slot { task, state, .. } = &mut self.slots[index];
            let tail = &mut self.tails[0];
            // SAFETY: the kernel is for this CPU; the task is good; the tail holds list + 1 blocks, and
            // the outer tail one: a digest is shorter than a block by more than the padding.
            unsafe {
                let total = task.before + task.len as u64;
                let blocks = tail.build::<A>(task.data, task.len, total);
                single(state.as_mut_ptr(), blocks, list + 1);
                match task.end {
                    End::Hmac { outer, tag } => {
                        write_digest::<A>(state, tag);
                        let total = (A::BLOCK_LEN + A::DIGEST_LEN) as u64;
                        let blocks = tail.build::<A>(tag, A::DIGEST_LEN, total);
                        *state = *outer;
                        single(state.as_mut_ptr(), blocks, 1);
                        write_digest::<A>(state, tag);
                    }
                    End::Digest(digest) => write_digest::<A>(state, digest),
                    End::State(_) => unreachable!("kept states have no second stage"),
                }
            }
            self.complete(index, source);
        }
    }

    /// Reports a slot's task and frees the slot.
    #[inline(always)]
    fn complete(&mut self, index: usize, source: &mut impl Source<HashTask<A::Word>>) {
        self.completed += 1;
        self.free.push(index);
        source.done(self.slots[index].id);
    }
}

impl<A: Hash> Drop for HashLanes<A> {
    fn drop(&mut self) {
        self.rows.zeroize();
        self.end_rows.zeroize();
        self.outer_rows.zeroize();
        self.tails.zeroize();
        self.slots.iter_mut().for_each(|slot| slot.state.zeroize());
    }
}

/// Copies a state into a lane.
#[inline(always)]
fn put_column<A: Hash>(rows: &mut [A::Word], lane: usize, state: &State<A::Word>) {
    let lanes = rows.len() / 8;
    for (row, word) in rows.chunks_exact_mut(lanes).zip(state).take(A::STATE_WORDS) {
        row[lane] = *word;
    }
}

/// Copies a lane's state out.
#[inline(always)]
fn column<A: Hash>(rows: &[A::Word], lane: usize) -> State<A::Word> {
    let lanes = rows.len() / 8;
    let mut state = [A::Word::default(); 8];
    for (row, word) in rows.chunks_exact(lanes).zip(&mut state).take(A::STATE_WORDS) {
        *word = row[lane];
    }
    state
}
