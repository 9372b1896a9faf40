//! The first stage of messages: their whole blocks, in lanes that are refilled as they empty.

use super::Hash;
use super::lanes::{HashLanes, HashTask};
use crate::manager::{Lanes, Source};
use crate::vector::MAX_LANES;

/// The lanes of the first stage. Lanes `0..active` are in use.
pub(super) struct Whole<W> {
    pub active: usize,
    pub states: [*mut W; MAX_LANES],
    pub data: [*const u8; MAX_LANES],
    /// Whole blocks left.
    pub left: [usize; MAX_LANES],
    /// The fewest of them, of lanes in use. Kept along: looking for it would read several of them
    /// in one load just after they were written one by one, and wait for the stores.
    pub fewest: usize,
    pub slots: [u8; MAX_LANES],
    /// Calls of `run` that found some in use, since they last moved.
    pub idle: u32,
}

impl<W> Whole<W> {
    /// With no lane in use; this is the state that such lanes have.
    pub fn new(spare: *mut W) -> Self {
        Whole {
            active: 0,
            states: [spare; MAX_LANES],
            data: [core::ptr::null(); MAX_LANES],
            left: [0; MAX_LANES],
            fewest: usize::MAX,
            slots: [0; MAX_LANES],
            idle: 0,
        }
    }
}

impl<A: Hash> HashLanes<A> {
    /// Runs the lanes in use until the first is empty; where they are few, until all are.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good.
    #[inline(always)]
    pub(super) unsafe fn step(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
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
        for lane in active..self.kernels.room(active) {
            whole.data[lane] = whole.data[0];
        }
        // SAFETY: the kernels are for this CPU; every lane points to a state of its own, or to the
        // spare one, and to at least `fewest` blocks.
        unsafe { self.kernels.run(&whole.states, &whole.data, active, fewest) };
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

    /// Runs all lanes in use to their ends with the single-buffer kernel, the longest two together
    /// where it takes two.
    ///
    /// # Safety
    /// The tasks on the lanes are good.
    unsafe fn step_few(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single;
        while let Some(a) = self.longest(None) {
            let whole = &self.whole;
            // SAFETY: the kernel is for this CPU; the lanes point to states of their own and to at
            // least the blocks that they have left.
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
}
