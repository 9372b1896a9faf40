//! The second and third stage of messages: the padded end, and HMAC's outer hash.
//!
//! The kernels of AVX-512 pad messages in registers, by masked loads. For other kernels the padded
//! end is built in memory.

use super::scheduler::{HashLanes, HashSlot, HashTask, KEPT};
use super::write_digest;
use crate::hash::scheduler::Ends;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::kernel::{Messages, Shape};
use crate::manager::{Lanes, Source};
use crate::vector::{MAX_LANES, Word};

impl<W: Word> Ends<W> {
    /// Makes a list with no lane in use, whose lanes point to a spare `state`.
    pub fn new(list: usize, state: *mut W) -> Self {
        let shape = Shape { blocks: 0, tail: 1 + list % 2, hmac: list >= 2 };
        Ends { shape, count: 0, messages: Messages::new(state), slots: [0; MAX_LANES] }
    }
}

impl<A: Hash> HashLanes<A> {
    /// Completes the task of a slot whose whole blocks are absorbed, or passes it to the second
    /// stage.
    ///
    /// # Safety
    /// `index` names a full slot whose task is good, as [`Lanes::Task`] defines it, and has no
    /// whole block left to absorb.
    #[inline(always)]
    pub(super) unsafe fn absorbed(
        &mut self,
        index: u8,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        let slot = self.slots.slot(index.into());
        // SAFETY: the slot is full by this function's contract. No reference to it is made, so that
        // the pointer to its state, which waits in the list, stays valid until the kernel writes
        // through it. The task is good, so `to` of a task that keeps its state is writable for a
        // state. The tasks that wait in the list are good, as every task that was taken and is not
        // complete.
        unsafe {
            let list = (*slot).list;
            if list == KEPT {
                *(*slot).to.cast() = (*slot).state;
                return self.complete(index, source);
            }
            let ends = &mut self.ends[list];
            let lane = ends.count;
            ends.count += 1;
            ends.slots[lane] = index;
            let messages = &mut ends.messages;
            messages.state[lane] = (&raw mut (*slot).state).cast();
            messages.start[lane] = messages.state[lane];
            messages.outer[lane] = (*slot).outer.cast();
            if self.kernels.wide.pads {
                messages.pad::<A>(lane, (*slot).rest, (*slot).rest_len, (*slot).total);
            } else {
                messages.tail[lane] = self.tails.get(index.into()).blocks();
            }
            if ends.count == self.kernels.wide.lanes {
                self.finish(list, source);
            }
        }
    }

    /// Takes all ends in a list through the second and the third stage.
    ///
    /// # Safety
    /// The tasks whose ends wait in the list are good, as [`Lanes::Task`] defines it.
    pub(super) unsafe fn finish(
        &mut self,
        list: usize,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        let lanes = self.lanes();
        let ends = &mut self.ends[list];
        let count = ends.count;
        self.occupancy.count(count, lanes, ends.shape.steps());
        if self.kernels.wide.pads && !self.kernels.pads(count) {
            for lane in 0..count {
                let index = usize::from(ends.slots[lane]);
                // SAFETY: the slot is full, as every slot is that a lane points to. No reference to
                // it is made, because the list has a pointer to its state. Its task is good, so
                // that the `rest_len` bytes at `rest` are readable, and they are all that is left
                // of its `total` bytes besides whole blocks.
                unsafe {
                    let (slot, tail) = (self.slots.slot(index), self.tails.get(index));
                    tail.build::<A>((*slot).rest, (*slot).rest_len.into(), (*slot).total);
                    ends.messages.tail[lane] = tail.blocks();
                }
            }
        }
        if count <= self.kernels.few {
            // SAFETY: the tasks in the list are good by this function's contract.
            return unsafe { self.finish_few(list, source) };
        }
        let room = self.kernels.room(count);
        ends.messages.repeat(count, room);
        ends.messages.state[count..room].fill(self.spare.slot(0).cast());
        // SAFETY: the kernels are for this CPU. A lane in use starts from and ends in the state of
        // its slot, and points to a tail of as many blocks as the list's shape says (or to the rest
        // of its message, for a kernel that pads); its task is good, so `outer` is readable if the
        // list's messages are HMACs. Every other lane up to `room` reads what the first one reads,
        // and ends in the spare state.
        unsafe { self.kernels.finish(&ends.messages, count, ends.shape) };
        ends.count = 0;
        for lane in 0..count {
            let index = self.ends[list].slots[lane];
            // SAFETY: the slot is full, and its task is good, so that `to` is writable for a
            // digest.
            unsafe {
                let slot = self.slots.get(index.into());
                write_digest::<A>(&slot.state, slot.to);
            }
            self.complete(index, source);
        }
    }

    /// Takes the ends in a list through the second and the third stage one by one.
    ///
    /// # Safety
    /// The tasks whose ends wait in the list are good, as [`Lanes::Task`] defines it.
    unsafe fn finish_few(&mut self, list: usize, source: &mut impl Source<HashTask<A::Word>>) {
        let single = self.kernels.single.one;
        while self.ends[list].count > 0 {
            let ends = &mut self.ends[list];
            ends.count -= 1;
            let lane = ends.count;
            let index = ends.slots[lane];
            // SAFETY: the kernel is for this CPU. The slot is full, and its task is good: `to` is
            // writable for a digest, and `outer` is readable for a state if the list's messages are
            // HMACs. The slot's tail has as many blocks as the list's shape says; afterwards it
            // holds one, because a digest is shorter than a block by more than the padding.
            unsafe {
                let HashSlot { state, to, .. } = self.slots.get(index.into());
                single(state.as_mut_ptr(), ends.messages.tail[lane], ends.shape.tail);
                write_digest::<A>(state, *to);
                if ends.shape.hmac {
                    let total = (A::BLOCK_LEN + A::DIGEST_LEN) as u64;
                    let tail = self.tails.get(index.into());
                    tail.build::<A>(*to, A::DIGEST_LEN, total);
                    *state = *ends.messages.outer[lane].cast();
                    single(state.as_mut_ptr(), tail.blocks(), 1);
                    write_digest::<A>(state, *to);
                }
            }
            self.complete(index, source);
        }
    }
}
