//! The scheduler of hash tasks onto lanes.
//!
//! A kernel advances all lanes by the same number of blocks, so a lane is only used well as long as
//! its message lasts. Messages have any lengths. The scheduler therefore takes a message through
//! three stages, and fills the lanes of each stage on its own:
//!
//! 1. *Whole blocks* (`whole.rs`) are read where they are. A lane whose message runs out gets the
//!    next task, so the kernel runs for the fewest blocks that any lane has left.
//! 2. *The padded end* (`ends.rs`), one block or two, is built beside the message, or in registers
//!    by kernels with masked loads.
//! 3. *The outer hash* of an HMAC is one more block, made in registers from the inner state, in the
//!    same call of the kernel as the padded end.
//!
//! A message that reaches the second stage leaves its lane and waits in one of four lists: ends of
//! one block or of two, of digests or of HMACs. All messages of a list need the same number of
//! steps, so a full list goes through the rest side by side and no lane idles. In pseudo-code:
//!
//! ```text
//! run(source):
//!     loop
//!         while a lane of the first stage is free and the source has a task:
//!             all lanes empty?     add the task to the group (group.rs)
//!             no whole block?      put it into its list of ends
//!             otherwise            give it the free lane
//!             a list or the group is full?   take it to its end
//!         if all lanes are in use:
//!             run the kernel for min(left) blocks; messages that run out move to their lists
//!         else if the group has tasks:    take it to its end
//!         else if a lane is in use:       run the kernel for min(left) blocks
//!         else if a list has ends:        take it to its end
//!         else return
//! ```
//!
//! An example: a SHA-256 kernel of 16 lanes, and messages of 15 (8 times), 9 (8 times) and 1 (16
//! times) whole blocks, each with an end of one block. The kernel runs for 9 blocks; eight lanes
//! run out, and are refilled with short messages. It runs for 1 block; eight short messages run
//! out, the list of ends has 16 messages, and the kernel takes it to its end in 1 step. It runs for
//! 1 block with the other short messages, and for the 4 blocks that the long ones have left. Then
//! the list is full again, and takes 1 step. These are 6 calls of the kernel and 17 steps; 240 of
//! 272 lane steps do work. An end that stayed in its lane would stop the kernel for all lanes when
//! the lane moves on to it, and again after it, because its block lies elsewhere than the message.
//!
//! When no message is left to fill the lanes, the few that remain go through the kernel for few
//! buffers ([`Kernels::few`]). Consecutive messages of one shape need no scheduling at all: as many
//! as there are lanes go through all stages in one call ([`HashGroup`]).

use crate::hash::scheduler::Free;
use crate::hash::scheduler::HashEnd;
use crate::hash::scheduler::HashSlot;
use crate::hash::scheduler::HashTaken;
use crate::hash::scheduler::HashTask;
use crate::hash::scheduler::KEPT;
use crate::hash::scheduler::LISTS;
use crate::hash::scheduler::SLOTS;
use core::ptr;

use zeroize::Zeroize;

use super::scheduler::Ends;
use super::scheduler::HashGroup;
use super::scheduler::{HashLanes, WholeBlocks};
use crate::cpu::Cpu;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::tail::Tail;
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;
use crate::slab::Slab;

impl<A: Hash> Lanes for HashLanes<A> {
    type Task = HashTask<A::Word>;

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
            slots.put(index, HashSlot::new());
            tails.put(index, Tail::EMPTY);
            free.push(index as u8);
        }
        HashLanes {
            kernels,
            whole: WholeBlocks::new(state),
            ends: core::array::from_fn(|list| Ends::new(list, state)),
            group: HashGroup::new(lanes, state),
            slots,
            tails,
            free,
            spare,
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

    /// Chooses between half of the lanes and all of them. The longest message takes as many steps
    /// in half of the lanes as in all of them, and each step takes less time there. So all lanes
    /// are filled only if half of them cannot finish the other messages meanwhile.
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
    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>) {
        let lanes = self.most;
        // SAFETY: every task that the source gives is good until it is reported done, by this
        // function's contract. `take` is called with a free lane; `absorbed` gets the slot of a
        // task without whole blocks; `finish_group` and `mix` follow the result of `take` that says
        // so, and a group only forms while all lanes are empty; `step` runs with a lane in use.
        unsafe {
            loop {
                while self.whole.active < lanes {
                    match source.next(|id, task| self.take(id, task)) {
                        None => break,
                        Some(HashTaken::Waits) => {}
                        Some(HashTaken::Absorbed(index)) => self.absorbed(index, source),
                        Some(HashTaken::Group) => self.finish_group(source),
                        Some(HashTaken::Mix) => self.mix(source),
                    }
                }
                // A group that was disbanded may have more tasks than there are lanes.
                if self.whole.active >= lanes {
                    self.step(source);
                } else if self.group.count > 0 {
                    self.finish_group(source);
                } else if self.whole.active > 0 {
                    self.step(source);
                } else if let Some(list) = self.ends.iter().position(|ends| ends.count > 0) {
                    self.finish(list, source);
                } else {
                    return;
                }
            }
        }
    }

    /// Takes a message to its end in one call, where the CPU has a kernel for that. Nothing of it
    /// is copied, and no slot is needed.
    #[inline(always)]
    unsafe fn run_one(&mut self, task: &HashTask<A::Word>) -> bool {
        let (Some(alone), Some(shape)) = (self.kernels.alone, task.shape::<A>()) else {
            return false;
        };
        let HashTask { data, len, start, before, end } = *task;
        let (outer, to) = match end {
            HashEnd::Digest(to) => (ptr::null(), to),
            HashEnd::Hmac { outer, tag } => (outer, tag),
            HashEnd::State(_) => return false,
        };
        self.occupancy.count(1, self.kernels.wide.lanes, shape.steps());
        // SAFETY: the kernel is for this CPU. The task is good by the contract of `run_one`, so
        // that `start` and `outer` are readable for a state and `data` for `len` bytes, the
        // `before` bytes ahead of these are whole blocks, and `to` is writable for a digest.
        unsafe { alone(start.cast(), data, len, before + len as u64, outer.cast(), to) };
        true
    }
}

impl<A: Hash> HashLanes<A> {
    /// Takes a task into the group if all lanes are empty, and else gives it a lane.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - A lane is free.
    #[inline(always)]
    unsafe fn take(&mut self, id: u32, task: &HashTask<A::Word>) -> HashTaken {
        let kept = matches!(task.end, HashEnd::State(_));
        if self.whole.active == 0 && (!kept || self.group.count > 0) {
            // SAFETY: the task is good by this function's contract.
            return unsafe { self.group.push::<A>(id, task, &self.kernels.wide) };
        }
        // SAFETY: the task is good and a lane is free, by this function's contract.
        match unsafe { self.fill(id, task) } {
            Some(index) => HashTaken::Absorbed(index),
            None => HashTaken::Waits,
        }
    }

    /// Gives a task a slot, and a lane if it has a whole block. Returns the slot if the task has
    /// none.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - A lane is free.
    #[inline(always)]
    pub(super) unsafe fn fill(&mut self, id: u32, task: &HashTask<A::Word>) -> Option<u8> {
        let index = self.free.pop();
        let slot = self.slots.slot(index.into());
        let list = Tail::count::<A>(task.len % A::BLOCK_LEN) - 1;
        let (list, outer, to) = match task.end {
            HashEnd::Digest(digest) => (list, ptr::null(), digest),
            HashEnd::Hmac { outer, tag } => (2 + list, outer, tag),
            HashEnd::State(state) => (KEPT, ptr::null(), state.cast()),
        };
        // SAFETY: the slot exists, and no lane or list uses it, because it was free; the task is
        // good, so that `start` is readable for a state and `data` for `len` bytes, and the
        // `before` bytes ahead of these are whole blocks.
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
        // SAFETY: `slot` returned a pointer into the allocation.
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
        self.free.push(index);
        // SAFETY: every slot was filled when this was made, and the reference ends before the next
        // use of the slot.
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
        // SAFETY: every slot was filled when this was made, and no task runs any more; the group
        // was made for `lanes` lanes.
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
    use crate::kernels::hash::sha1::Sha1;
    use crate::kernels::hash::sha256::Sha256;
    use crate::kernels::hash::sha512::Sha512;

    /// Checks where a kernel for half of the lanes is: messages fill only these if the longest
    /// takes as many steps as all of them in half of the lanes.
    fn fills<A: Hash>() {
        let mut lanes = HashLanes::<A>::new(&Cpu::detect());
        let all = lanes.lanes();
        let half = lanes.kernels.half().unwrap_or(all);
        let task = |blocks: usize| HashTask {
            data: ptr::null(),
            len: blocks * A::BLOCK_LEN,
            start: ptr::null(),
            before: 0,
            end: HashEnd::Digest(ptr::null_mut()),
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
