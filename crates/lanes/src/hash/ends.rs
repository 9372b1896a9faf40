//! The second and third stage of messages: the padded end, and HMAC's outer hash.
//!
//! The kernels of AVX-512 pad messages in registers, by masked loads. For other kernels the padded
//! end is built in memory.

use super::kernel::{Messages, Shape};
use super::lanes::{HashLanes, HashTask, KEPT, Slot};
use super::{Hash, write_digest};
use crate::manager::{Lanes, Source};
use crate::vector::{MAX_LANES, Word};

/// The lanes of the second and third stage, for ends of one kind. Lanes `0..count` are in use.
pub(super) struct Ends<W> {
    shape: Shape,
    pub count: usize,
    messages: Messages<W>,
    slots: [u8; MAX_LANES],
    /// Calls of `run` that found some in use, since they last moved.
    pub idle: u32,
}

impl<W: Word> Ends<W> {
    /// The messages of a list, with no lane in use; some state for lanes to point to.
    pub fn new(list: usize, state: *mut W) -> Self {
        let shape = Shape { blocks: 0, tail: 1 + list % 2, hmac: list >= 2 };
        Ends { shape, count: 0, messages: Messages::new(state), slots: [0; MAX_LANES], idle: 0 }
    }
}

impl<A: Hash> HashLanes<A> {
    /// A slot's whole blocks are absorbed: its task is complete, or goes on to the second stage.
    ///
    /// # Safety
    /// Its task is good.
    #[inline(always)]
    pub(super) unsafe fn absorbed(
        &mut self,
        index: u8,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
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
            let messages = &mut ends.messages;
            messages.state[lane] = slot.state.as_mut_ptr();
            messages.start[lane] = messages.state[lane];
            messages.outer[lane] = slot.outer.cast();
            if self.kernels.wide.pads {
                messages.pad::<A>(lane, slot.rest, slot.rest_len, slot.total);
            } else {
                messages.tail[lane] = self.tails.get(index.into()).blocks();
            }
            if ends.count == self.kernels.wide.lanes {
                self.finish(list, source);
            }
        }
    }

    /// The second and third stage of all ends in a list.
    ///
    /// # Safety
    /// Their tasks are good.
    pub(super) unsafe fn finish(
        &mut self,
        list: usize,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        let lanes = self.lanes();
        let ends = &mut self.ends[list];
        ends.idle = 0;
        let count = ends.count;
        self.occupancy.count(count, lanes, ends.shape.steps());
        if self.kernels.wide.pads && !self.kernels.pads(count) {
            for lane in 0..count {
                let index = usize::from(ends.slots[lane]);
                // SAFETY: the slot is full; what is left of the message is good, and the room for
                // its end the slot's.
                unsafe {
                    let (slot, tail) = (self.slots.get(index), self.tails.get(index));
                    tail.build::<A>(slot.rest, slot.rest_len.into(), slot.total);
                    ends.messages.tail[lane] = tail.blocks();
                }
            }
        }
        if count <= self.kernels.few {
            // SAFETY: the caller's.
            return unsafe { self.finish_few(list, source) };
        }
        let room = self.kernels.room(count);
        ends.messages.repeat(count, room);
        ends.messages.state[count..room].fill(self.spare.slot(0).cast());
        // SAFETY: the kernels are for this CPU; every lane points to a state of its own, or ends in
        // the spare one, and to a tail of so many blocks; every outer state belongs to a valid
        // task.
        unsafe { self.kernels.finish(&ends.messages, count, ends.shape) };
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
            // SAFETY: the slot is full; the kernel is for this CPU; the task is good. The slot's
            // tail has as many blocks as its list says, and then one: a digest is shorter than a
            // block by more than the padding.
            unsafe {
                let Slot { state, to, .. } = self.slots.get(index.into());
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
