//! Messages of one shape that go through all stages in one call of the kernel. The shape is the
//! number of whole blocks, the number of blocks in the padded end, and whether there is an outer
//! hash.
//!
//! The kernel reads initial states where they are, and each state is written once. A group begins
//! when all lanes are empty. A task of another shape ends it before it is full: then all its tasks
//! get lanes, which are refilled as they empty.

use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::kernel::{HashKernel, Messages, Shape};
use super::lanes::{End, HashLanes, HashTask, Taken};
use super::tail::Tail;
use super::{Hash, State, write_digest};
use crate::manager::{Lanes, Source};
use crate::slab::Slab;
use crate::vector::{MAX_LANES, Word};

/// The messages that wait for others of their shape: `0..count`.
pub(super) struct Group<W> {
    shape: Shape,
    pub count: usize,
    messages: Messages<W>,
    ids: [u32; MAX_LANES],
    lens: [usize; MAX_LANES],
    totals: [u64; MAX_LANES],
    /// Where the digests go.
    to: [*mut u8; MAX_LANES],
    /// The padded ends, for kernels that do not make them, and the states in the end.
    tails: Slab<Tail>,
    states: Slab<State<W>>,
    /// A task that is not of the others' shape.
    other: MaybeUninit<(u32, HashTask<W>)>,
    /// Calls of `run` that found some, since a group last went.
    pub idle: u32,
}

impl<W: Word> Group<W> {
    /// None, and room for so many; some state for lanes to point to.
    pub fn new(lanes: usize, state: *mut W) -> Self {
        let (mut tails, mut states) = (Slab::new(lanes), Slab::new(lanes));
        let mut messages = Messages::new(state);
        for lane in 0..lanes {
            tails.put(lane, Tail::EMPTY);
            states.put(lane, [W::default(); 8]);
            messages.state[lane] = states.slot(lane).cast();
        }
        Group {
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
            idle: 0,
        }
    }

    /// Adds a task to fewer tasks than there are lanes, and says whether the group is complete, or
    /// no group.
    ///
    /// # Safety
    /// The task is good.
    #[inline(always)]
    pub unsafe fn push<A: Hash<Word = W>>(
        &mut self,
        id: u32,
        task: &HashTask<W>,
        kernel: &HashKernel<W>,
    ) -> Taken {
        let shape = task.shape::<A>();
        if self.count == 0 {
            self.shape = shape.unwrap_or(self.shape);
        }
        if shape != Some(self.shape) {
            self.other.write((id, *task));
            return Taken::Mix;
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
            // SAFETY: the task is valid, so its data are readable; the room for its end exists.
            unsafe {
                let tail = self.tails.get(lane);
                tail.build::<A>(data, len, total);
                messages.tail[lane] = tail.blocks();
            }
        }
        messages.data[lane] = data;
        messages.start[lane] = start.cast();
        let (outer, to) = match end {
            End::Hmac { outer, tag } => (outer, tag),
            End::Digest(to) => (start, to),
            End::State(to) => (start, to.cast()),
        };
        messages.outer[lane] = outer.cast();
        self.to[lane] = to;
        self.ids[lane] = id;
        self.lens[lane] = len;
        self.totals[lane] = total;
        if self.count == kernel.lanes { Taken::Group } else { Taken::Waits }
    }

    /// The task in a place, and its number.
    fn task(&self, place: usize) -> (u32, HashTask<W>) {
        let (len, outer, tag) =
            (self.lens[place], self.messages.outer[place].cast(), self.to[place]);
        let task = HashTask {
            data: self.messages.data[place],
            len,
            start: self.messages.start[place].cast(),
            before: self.totals[place] - len as u64,
            end: if self.shape.hmac { End::Hmac { outer, tag } } else { End::Digest(tag) },
        };
        (self.ids[place], task)
    }

    /// Wipes what secrets may have gone through.
    ///
    /// # Safety
    /// No task runs any more.
    pub unsafe fn wipe(&mut self, lanes: usize) {
        for lane in 0..lanes {
            // SAFETY: all were filled when this was made.
            unsafe {
                self.tails.get(lane).zeroize();
                self.states.get(lane).zeroize();
            }
        }
    }
}

impl<A: Hash> HashLanes<A> {
    /// Takes the messages of the group from their start to their end; where they are few, they get
    /// lanes.
    ///
    /// # Safety
    /// All lanes are empty; the group's tasks are good.
    pub(super) unsafe fn finish_group(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let count = self.group.count;
        if count <= self.kernels.few {
            // SAFETY: the caller's.
            return unsafe { self.disband(source) };
        }
        let lanes = self.lanes();
        let group = &mut self.group;
        self.occupancy.count(count, lanes, group.shape.steps());
        (group.count, group.idle) = (0, 0);
        if self.kernels.wide.pads && !self.kernels.pads(count) {
            for lane in 0..count {
                // SAFETY: the task is valid, so its data are readable; the room for its end exists.
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
        // SAFETY: the kernels are for this CPU; every lane starts from a valid state and ends in
        // one of the group's, and its data has as many blocks as the shape says.
        unsafe { self.kernels.finish(&group.messages, count, group.shape) };
        for lane in 0..count {
            // SAFETY: the state was filled when this was made; the task is good, and its digest
            // goes there.
            unsafe { write_digest::<A>(group.states.get(lane), group.to[lane]) };
            source.done(group.ids[lane]);
        }
        self.completed += count;
    }

    /// Gives each task of the group a lane.
    ///
    /// # Safety
    /// All lanes are empty; the group's tasks are good.
    unsafe fn disband(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let count = core::mem::take(&mut self.group.count);
        self.group.idle = 0;
        for place in 0..count {
            let (id, task) = self.group.task(place);
            // SAFETY: there are fewer tasks than lanes, and they are good.
            unsafe { self.place(id, &task, source) };
        }
    }

    /// Gives each task of the group a lane, and also the task with another shape.
    ///
    /// # Safety
    /// All lanes are empty; the group's tasks are good; `push` has just found one of another shape.
    pub(super) unsafe fn mix(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        // SAFETY: the caller's: it was written; with the group's there are as many as lanes at
        // most.
        unsafe {
            self.disband(source);
            let (id, task) = self.group.other.assume_init();
            self.place(id, &task, source);
        }
    }

    /// Gives a task a lane, or lets it wait for its end if it needs none.
    ///
    /// # Safety
    /// The task is good; a lane is free.
    unsafe fn place(
        &mut self,
        id: u32,
        task: &HashTask<A::Word>,
        source: &mut impl Source<HashTask<A::Word>>,
    ) {
        // SAFETY: the caller's.
        unsafe {
            if let Some(index) = self.fill(id, task) {
                self.absorbed(index, source);
            }
        }
    }
}
