//! Messages of one shape that go through all stages in one call of the kernel. The shape is the
//! number of whole blocks, the number of blocks in the padded end, and whether there is an outer
//! hash.
//!
//! Short messages, such as records of equal length, spend more time on scheduling than on hashing
//! if each of them gets a lane: its state is copied into a slot, loaded and stored once for the
//! whole blocks and once for the end, and its lane is refilled. A group needs none of this. The
//! kernel reads initial states where they are, keeps the lanes' states in registers through all
//! stages, and writes each state once:
//!
//! ```text
//! push(task):              # only while no lane of the first stage is in use
//!     group is empty:      the group's shape is the task's
//!     another shape:       Mix: each task of the group gets a lane, and so does this one
//!     otherwise:           note the task's pointers in the next place
//!     places are full:     Group: the group goes
//!
//! finish_group():          # when it is full, or no more tasks come
//!     few tasks:           each gets a lane, for the kernel for few buffers
//!     otherwise:           one call: whole blocks, padded end, outer hash; write the digests
//! ```
//!
//! For example, 16 HMACs of SHA-256 over 100 bytes each have one whole block, one block of padded
//! end, and the outer hash: three steps of a kernel of 16 lanes, in one call.
//!
//! After [`HashTaken::Mix`], the tasks are scheduled as `lanes.rs` describes, and lanes are
//! refilled as they empty.

use crate::hash::scheduler::HashGroup;
use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::scheduler::{HashEnd, HashLanes, HashTaken, HashTask};
use super::write_digest;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::kernel::{HashKernel, Messages, Shape};
use crate::kernels::hash::tail::Tail;
use crate::manager::{Lanes, Source};
use crate::slab::Slab;
use crate::vector::{MAX_LANES, Word};

impl<W: Word> HashGroup<W> {
    /// Makes an empty group with room for `lanes` messages; unused lanes read `state`.
    pub fn new(lanes: usize, state: *mut W) -> Self {
        let (mut tails, mut states) = (Slab::new(lanes), Slab::new(lanes));
        let mut messages = Messages::new(state);
        for lane in 0..lanes {
            tails.put(lane, Tail::EMPTY);
            states.put(lane, [W::default(); 8]);
            messages.state[lane] = states.slot(lane).cast();
        }
        HashGroup {
            shape: Shape { blocks: 0, tail: 0, hmac: false },
            count: 0,
            messages,
            ids: [0; MAX_LANES],
            lens: [0; MAX_LANES],
            totals: [0; MAX_LANES],
            to: [core::ptr::null_mut(); MAX_LANES],
            tails,
            states,
            other: MaybeUninit::uninit(),
        }
    }

    /// Adds a task to a group that has fewer tasks than there are lanes. Returns `Group` if the
    /// group is complete, and `Mix` if the task has another shape than the group, which then keeps
    /// it in `other`.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    #[inline(always)]
    pub unsafe fn push<A: Hash<Word = W>>(
        &mut self,
        id: u32,
        task: &HashTask<W>,
        kernel: &HashKernel<W>,
    ) -> HashTaken {
        let shape = task.shape::<A>();
        if self.count == 0 {
            self.shape = shape.unwrap_or(self.shape);
        }
        if shape != Some(self.shape) {
            self.other.write((id, *task));
            return HashTaken::Mix;
        }
        let lane = self.count;
        self.count += 1;
        let HashTask { data, len, start, before, end } = *task;
        let total = before + len as u64;
        let messages = &mut self.messages;
        if kernel.pads {
            let rest = len % A::BLOCK_LEN;
            messages.pad::<A>(lane, data.wrapping_add(len - rest), rest as u8, total);
        } else {
            // SAFETY: the task is good, so its `len` bytes at `data` are readable, and the `before`
            // bytes ahead of them are whole blocks; slot `lane` of `tails` was filled when the
            // group was made.
            unsafe {
                let tail = self.tails.get(lane);
                tail.build::<A>(data, len, total);
                messages.tail[lane] = tail.blocks();
            }
        }
        messages.data[lane] = data;
        messages.start[lane] = start.cast();
        let (outer, to) = match end {
            HashEnd::Hmac { outer, tag } => (outer, tag),
            HashEnd::Digest(to) => (start, to),
            HashEnd::State(to) => (start, to.cast()),
        };
        messages.outer[lane] = outer.cast();
        self.to[lane] = to;
        self.ids[lane] = id;
        self.lens[lane] = len;
        self.totals[lane] = total;
        if self.count == kernel.lanes { HashTaken::Group } else { HashTaken::Waits }
    }

    /// Returns the task in a place, and its number.
    fn task(&self, place: usize) -> (u32, HashTask<W>) {
        let (len, outer, tag) =
            (self.lens[place], self.messages.outer[place].cast(), self.to[place]);
        let task = HashTask {
            data: self.messages.data[place],
            len,
            start: self.messages.start[place].cast(),
            before: self.totals[place] - len as u64,
            end: if self.shape.hmac { HashEnd::Hmac { outer, tag } } else { HashEnd::Digest(tag) },
        };
        (self.ids[place], task)
    }

    /// Wipes the tails and states, through which secrets may have gone.
    ///
    /// # Safety
    /// No task runs any more, and the group was made for `lanes` lanes.
    pub unsafe fn wipe(&mut self, lanes: usize) {
        for lane in 0..lanes {
            // SAFETY: all slots were filled when the group was made, and no kernel uses pointers
            // into them any more.
            unsafe {
                self.tails.get(lane).zeroize();
                self.states.get(lane).zeroize();
            }
        }
    }
}

impl<A: Hash> HashLanes<A> {
    /// Takes the messages of the group from their start to their end. If they are few, they get
    /// lanes instead.
    ///
    /// # Safety
    /// - All lanes are empty.
    /// - The group's tasks are good, as [`Lanes::Task`] defines it.
    pub(super) unsafe fn finish_group(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let count = self.group.count;
        if count <= self.kernels.few {
            // SAFETY: these are the conditions of this function's own contract.
            return unsafe { self.disband(source) };
        }
        let lanes = self.lanes();
        let group = &mut self.group;
        self.occupancy.count(count, lanes, group.shape.steps());
        group.count = 0;
        if self.kernels.wide.pads && !self.kernels.pads(count) {
            for lane in 0..count {
                // SAFETY: the task is good, so its data are readable for `lens` bytes, and the
                // bytes ahead of them are whole blocks; slot `lane` of `tails` was filled when the
                // group was made.
                unsafe {
                    let tail = group.tails.get(lane);
                    tail.build::<A>(
                        group.messages.data[lane],
                        group.lens[lane],
                        group.totals[lane],
                    );
                    group.messages.tail[lane] = tail.blocks();
                }
            }
        }
        group.messages.repeat(count, self.kernels.room(count));
        // SAFETY: the kernels are for this CPU. The group's tasks are good, so each lane's `start`,
        // `data` and `outer` are readable as far as `shape` says; `tail` is the lane's own, or the
        // rest of its message; `state` is a slot of `states`, also in the lanes that only repeat
        // the first.
        unsafe { self.kernels.finish(&group.messages, count, group.shape) };
        for lane in 0..count {
            // SAFETY: the slot was filled when the group was made, and the kernel that wrote to it
            // has returned; the task is good, so that its `to` is writable for a digest.
            unsafe { write_digest::<A>(group.states.get(lane), group.to[lane]) };
            source.done(group.ids[lane]);
        }
    }

    /// Gives each task of the group a lane.
    ///
    /// # Safety
    /// - All lanes are empty.
    /// - The group's tasks are good, as [`Lanes::Task`] defines it.
    unsafe fn disband(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let count = core::mem::take(&mut self.group.count);
        for place in 0..count {
            let (id, task) = self.group.task(place);
            // SAFETY: the tasks are good by this function's contract; a group has at most as many
            // tasks as there are lanes, all of which were empty, so that a lane is free for each.
            unsafe { self.place(id, &task, source) };
        }
    }

    /// Gives each task of the group a lane, and also the task with another shape.
    ///
    /// # Safety
    /// - All lanes are empty.
    /// - The group's tasks and `other` are good, as [`Lanes::Task`] defines it.
    /// - The last call of `push` returned [`HashTaken::Mix`], so that `other` was written.
    pub(super) unsafe fn mix(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        // SAFETY: `other` was written by this function's contract. The group was not full when
        // `other` came, so that with it there are at most as many tasks as lanes.
        unsafe {
            self.disband(source);
            let (id, task) = self.group.other.assume_init();
            self.place(id, &task, source);
        }
    }

    /// Gives a task a lane, or lets it wait for its end if it needs none.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - A lane is free.
    unsafe fn place(
        &mut self,
        id: u32,
        task: &HashTask<A::Word>,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        // SAFETY: these are the conditions of `fill`, and `absorbed` gets the slot that `fill` has
        // just filled, whose task has no whole block.
        unsafe {
            if let Some(index) = self.fill(id, task) {
                self.absorbed(index, source);
            }
        }
    }
}
