//! Messages of one shape (as many whole blocks, an end of as many blocks, and an outer hash or none) that go through all
//! stages in one call of the kernel: what they start from is read where it is, and their state is written out once.
//!
//! A group is begun when all lanes are empty. A task of another shape ends it before it is full: then all of it gets
//! lanes, which are refilled as they empty.

use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::kernel::{Messages, Shape};
use super::lanes::{End, HashLanes, HashTask, Taken};
use super::tail::Tail;
use super::{Hash, State, write_digest};
use crate::manager::{Lanes, Source};
use crate::slab::Slab;
use crate::vector::{MAX_LANES, Word};

/// The messages that wait for others of their shape: `0..count`.
pub(super) struct Group<W> {
    shape: Option<Shape>,
    pub count: usize,
    ids: [u32; MAX_LANES],
    tasks: [MaybeUninit<HashTask<W>>; MAX_LANES],
    messages: Messages<W>,
    /// The padded ends, and the states in the end.
    tails: Slab<Tail>,
    states: Slab<State<W>>,
    /// Calls of `run` that found some, since a group last went.
    pub idle: u32,
}

impl<W: Word> Group<W> {
    /// None, and room for so many; some state for lanes to point to.
    pub fn new(lanes: usize, state: *mut W) -> Self {
        let (mut tails, mut states) = (Slab::new(lanes), Slab::new(lanes));
        for lane in 0..lanes {
            tails.put(lane, Tail::EMPTY);
            states.put(lane, [W::default(); 8]);
        }
        Group {
            shape: None,
            count: 0,
            ids: [0; MAX_LANES],
            tasks: [const { MaybeUninit::uninit() }; MAX_LANES],
            messages: Messages::new(state),
            tails,
            states,
            idle: 0,
        }
    }

    /// Adds a task, of which there are fewer than lanes, and says whether the group is complete, or is none.
    #[inline(always)]
    pub fn push(&mut self, id: u32, task: &HashTask<W>, shape: Option<Shape>, lanes: usize) -> Taken {
        let place = self.count;
        self.ids[place] = id;
        self.tasks[place].write(*task);
        self.count += 1;
        if place == 0 {
            self.shape = shape;
        }
        match shape {
            _ if shape != self.shape => Taken::Mix,
            Some(_) if self.count == lanes => Taken::Group,
            _ => Taken::Waits,
        }
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
    /// Takes the messages of the group from their start to their end; where they are few, they get lanes.
    ///
    /// # Safety
    /// All lanes are empty; the group's tasks are good, and there is one.
    pub(super) unsafe fn finish_group(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let count = self.group.count;
        let Some(shape) = self.group.shape.filter(|_| count > self.kernels.few) else {
            // SAFETY: the caller's.
            return unsafe { self.disband(source) };
        };
        let lanes = self.lanes();
        self.occupancy.count(count, lanes, shape.steps());
        let group = &mut self.group;
        (group.count, group.idle) = (0, 0);
        let Messages { start, data, tail, outer, state } = &mut group.messages;
        for lane in 0..count {
            // SAFETY: that many tasks were written, and are good: their data is readable.
            unsafe {
                let task = group.tasks[lane].assume_init_ref();
                let tails = group.tails.get(lane);
                tails.build::<A>(task.data, task.len, task.before + task.len as u64);
                tail[lane] = tails.blocks();
                data[lane] = task.data;
                start[lane] = task.start.cast();
                state[lane] = group.states.slot(lane).cast();
                outer[lane] = match task.end {
                    End::Hmac { outer, .. } => outer.cast(),
                    _ => start[lane],
                };
            }
        }
        group.messages.repeat(count, self.kernels.room(count), self.spare.slot(0).cast());
        // SAFETY: the kernels are for this CPU; every lane starts from and ends in states that are there, and its data
        // has as many blocks as the shape says.
        unsafe { self.kernels.finish(&group.messages, count, shape) };
        for lane in 0..count {
            // SAFETY: the task is good; its digest goes where it says.
            unsafe {
                if let End::Digest(to) | End::Hmac { tag: to, .. } =
                    group.tasks[lane].assume_init_ref().end
                {
                    write_digest::<A>(group.states.get(lane), to);
                }
            }
            source.done(group.ids[lane]);
        }
        self.completed += count;
    }

    /// Gives each task of the group a lane.
    ///
    /// # Safety
    /// All lanes are empty; the group's tasks are good.
    pub(super) unsafe fn disband(&mut self, source: &mut impl Source<HashTask<A::Word>>) {
        let count = core::mem::take(&mut self.group.count);
        self.group.idle = 0;
        for place in 0..count {
            // SAFETY: that many tasks were written, no more than there are lanes, and are good.
            unsafe {
                let task = self.group.tasks[place].assume_init();
                if let Some(index) = self.fill(self.group.ids[place], &task) {
                    self.absorbed(index, source);
                }
            }
        }
    }
}
