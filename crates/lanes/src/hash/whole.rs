//! The first stage of messages: their whole blocks, in lanes that are refilled as they empty.

use super::scheduler::{HashLanes, HashTask};
use crate::hash::scheduler::WholeBlocks;
use crate::kernels::hash::algorithm::Hash;
use crate::manager::{Lanes, Source};
use crate::vector::MAX_LANES;

impl<W> WholeBlocks<W> {
    /// Makes a set with no lane in use, whose lanes have this state.
    pub fn new(spare: *mut W) -> Self {
        WholeBlocks {
            active: 0,
            states: [spare; MAX_LANES],
            data: [core::ptr::null(); MAX_LANES],
            left: [0; MAX_LANES],
            fewest: usize::MAX,
            slots: [0; MAX_LANES],
        }
    }
}

impl<A: Hash> HashLanes<A> {
    /// Runs the lanes in use until the first is empty; where they are few, until all are.
    ///
    /// # Safety
    /// - At least one lane is in use.
    /// - The tasks on the lanes are good, as [`Lanes::Task`] defines it.
    #[inline(always)]
    pub(super) unsafe fn step(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let lanes = self.lanes();
        let whole = &mut self.whole;
        let active = whole.active;
        if active <= self.kernels.few {
            // SAFETY: the tasks on the lanes are good by this function's contract.
            return unsafe { self.step_few(source) };
        }
        let fewest = core::mem::replace(&mut whole.fewest, usize::MAX);
        self.occupancy.count(active, lanes, fewest);
        // An idle lane reads along with the first.
        for lane in active..self.kernels.room(active) {
            whole.data[lane] = whole.data[0];
        }
        // SAFETY: the kernels are for this CPU. A lane in use points to its slot's state, and its
        // task is good, so its data have at least `fewest` blocks left; every other lane up to
        // `room` points to the spare state and to the first lane's data.
        unsafe { self.kernels.run(&whole.states, &whole.data, active, fewest) };
        for lane in (0..active).rev() {
            // SAFETY: the lane is in use and its task is good, by this function's contract;
            // `fewest` is the smallest number of blocks that any lane had left. Lanes are freed
            // from the last to the first, so no lane moves before its turn.
            unsafe { self.advance(lane, fewest, source) };
        }
    }

    /// Moves a lane's data forward after the lane was run for `blocks` blocks, and frees the lane
    /// if these were its last.
    ///
    /// # Safety
    /// - The lane is in use, and its task is good.
    /// - The kernel has absorbed `blocks` blocks of it, and it had at least as many left.
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
            // SAFETY: the lane had `left + blocks` blocks at `data` before the run, so the new
            // pointer lies within the task's data.
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
        // SAFETY: the slot's task is good by this function's contract, and all of its whole blocks
        // are absorbed.
        unsafe { self.absorbed(index, source) };
    }

    /// Runs all lanes in use to their ends with the single-buffer kernel, the longest two together
    /// where it takes two.
    ///
    /// # Safety
    /// The tasks on the lanes are good, as [`Lanes::Task`] defines it.
    unsafe fn step_few(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single;
        while let Some(a) = self.longest(None) {
            let whole = &self.whole;
            // SAFETY: the kernel is for this CPU. Lanes `a` and `b` are different lanes in use, so
            // they point to different slots' states, and the data of their good tasks have the
            // blocks that `left` counts.
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

    /// Returns the lane in use with the most blocks left, but for one.
    fn longest(&self, except: Option<usize>) -> Option<usize> {
        let lanes = (0..self.whole.active).filter(|lane| Some(*lane) != except);
        lanes.max_by_key(|lane| self.whole.left[*lane])
    }
}
