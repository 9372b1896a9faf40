//! The lanes of one block length.

use alloc::boxed::Box;
use core::ptr;

use zeroize::Zeroize;

use super::keccak::{State, WORDS};
use super::kernel::{MAX_LANES, Rate, SpongeKernels};
use super::lanes::{End, SpongeTask};
use super::tail::{Encoded, Tail, ZEROS};
use crate::manager::{Occupancy, Source};
use crate::slab::Slab;

/// The bits that end a message of KMAC, and the first of the padding.
const CSHAKE: u8 = 0x04;

/// The states of all lanes: word `i` of each, then word `i + 1`. They stay there from call to call,
/// so that a kernel transposes nothing but the messages.
#[repr(C, align(64))]
struct States([u64; WORDS * MAX_LANES]);

/// Lanes that advance together, as their blocks are of one length.
pub(super) struct Set {
    rate: Rate,
    /// Lanes of the kernel.
    lanes: usize,
    states: Box<States>,
    tails: Slab<Tail>,
    slots: [Slot; MAX_LANES],
    /// What each lane absorbs next, and how many blocks of it.
    data: [*const u8; MAX_LANES],
    left: [usize; MAX_LANES],
    /// A bit for each lane in use.
    busy: u32,
    /// Calls of `run` that found some in use, since they last moved.
    pub idle: u32,
}

/// A task on a lane.
#[derive(Clone, Copy)]
struct Slot {
    id: u32,
    stage: Stage,
    /// What comes after a block that is absorbed first: where, and how many blocks.
    data: *const u8,
    blocks: usize,
    /// Where the output goes, and how much of it there is still to be.
    to: *mut u8,
    len: usize,
}

/// What comes when a lane has absorbed what it was given.
#[derive(Clone, Copy)]
enum Stage {
    /// The state is kept: more data are to come.
    Keep(*mut State),
    /// The padded end, of so many blocks; then what else.
    End(usize, Next),
    /// What else.
    Ended(Next),
}

#[derive(Clone, Copy)]
enum Next {
    /// The output.
    Squeeze,
    /// HMAC's outer hash, from this state, of the digest.
    Outer(*const State, u8),
}

/// What became of a task.
pub(super) enum Taken {
    /// It has a lane, and others are free.
    Waits,
    /// It has the last lane.
    Full,
    /// It is complete.
    Complete,
}

impl Set {
    pub fn new(rate: Rate, lanes: usize) -> Self {
        let mut tails = Slab::new(lanes);
        (0..lanes).for_each(|lane| tails.put(lane, Tail::EMPTY));
        let slot = Slot {
            id: 0,
            stage: Stage::Ended(Next::Squeeze),
            data: ptr::null(),
            blocks: 0,
            to: ptr::null_mut(),
            len: 0,
        };
        Set {
            rate,
            lanes,
            states: Box::new(States([0; _])),
            tails,
            slots: [slot; MAX_LANES],
            data: [ptr::null(); MAX_LANES],
            left: [0; MAX_LANES],
            busy: 0,
            idle: 0,
        }
    }

    /// Lanes in use.
    pub fn active(&self) -> usize {
        self.busy.count_ones() as usize
    }

    /// Whether no lane is free.
    pub fn is_full(&self) -> bool {
        self.active() == self.lanes
    }

    /// Gives a task a lane.
    ///
    /// # Safety
    /// The task is good until it is complete; a lane is free.
    #[inline(always)]
    pub unsafe fn take(&mut self, id: u32, task: &SpongeTask) -> Taken {
        let lane = self.busy.trailing_ones() as usize;
        let blocks = task.len / self.rate.bytes();
        let rest = task.len % self.rate.bytes();
        // SAFETY: the task is good: its start and its data are readable, and room for the state is
        // writable.
        unsafe {
            let tail = self.tails.get(lane);
            let rest = (task.data.add(task.len - rest), rest);
            let (stage, to, len) = match task.end {
                End::State(state) if blocks == 0 && task.head.is_null() => {
                    *state = *task.start;
                    return Taken::Complete;
                }
                End::State(state) => (Stage::Keep(state), ptr::null_mut(), 0),
                End::Output { suffix, to, len } => {
                    let blocks = tail.build(self.rate, rest, &[], suffix);
                    (Stage::End(blocks, Next::Squeeze), to, len)
                }
                End::Hmac { suffix, outer, to, len } => {
                    let blocks = tail.build(self.rate, rest, &[], suffix);
                    (Stage::End(blocks, Next::Outer(outer, suffix)), to, len)
                }
                End::Kmac { bits, to, len } => {
                    let trailer = Encoded::new(bits);
                    let blocks = tail.build(self.rate, rest, trailer.right(), CSHAKE);
                    (Stage::End(blocks, Next::Squeeze), to, len)
                }
            };
            self.put(lane, task.start);
            self.slots[lane] = Slot { id, stage, data: task.data, blocks, to, len };
            (self.data[lane], self.left[lane]) = (task.head, 1);
            self.busy |= 1 << lane;
            if task.head.is_null() {
                self.turn(lane);
            }
        }
        if self.is_full() { Taken::Full } else { Taken::Waits }
    }

    /// Advances the lanes in use until one has absorbed what it was given. Says how many tasks are
    /// complete.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good. The kernels are for this CPU.
    pub unsafe fn step(
        &mut self,
        kernels: &SpongeKernels,
        source: &mut impl Source<SpongeTask>,
        occupancy: &mut Occupancy,
    ) -> usize {
        self.idle = 0;
        let first = self.busy.trailing_zeros() as usize;
        let alone = self.active() == 1 && self.lanes > 1;
        let fewest = match alone {
            true => self.left[first],
            false => in_use(self.busy).map(|lane| self.left[lane]).min().unwrap_or(0),
        };
        occupancy.count(self.active(), self.lanes, fewest);
        // SAFETY: the kernels are for this CPU, and every lane in use has at least so many blocks;
        // a lane that is not reads along with the first that is. The tasks are good.
        unsafe {
            if alone {
                let mut state = self.column(first);
                let kernel = &kernels.single;
                (kernel.absorb)(state.as_mut_ptr(), &self.data[first], self.rate, fewest);
                self.put(first, &state);
                state.zeroize();
            } else {
                for lane in in_use(!self.busy & ((1 << self.lanes) - 1)) {
                    self.data[lane] = self.data[first];
                }
                let states = self.states.0.as_mut_ptr();
                (kernels.wide.absorb)(states, self.data.as_ptr(), self.rate, fewest);
            }
            let mut completed = 0;
            for lane in in_use(self.busy) {
                self.left[lane] -= fewest;
                if self.left[lane] > 0 {
                    self.data[lane] = self.data[lane].add(fewest * self.rate.bytes());
                } else if self.turn(lane) {
                    self.busy &= !(1 << lane);
                    source.done(self.slots[lane].id);
                    completed += 1;
                }
            }
            completed
        }
    }

    /// A lane has absorbed what it was given: gives it what comes next, or says that its task is
    /// complete.
    ///
    /// # Safety
    /// The lane's task is good.
    #[inline(always)]
    unsafe fn turn(&mut self, lane: usize) -> bool {
        let Slot { stage, data, blocks, to, len, .. } = self.slots[lane];
        if blocks > 0 {
            self.slots[lane].blocks = 0;
            (self.data[lane], self.left[lane]) = (data, blocks);
            return false;
        }
        // SAFETY: the task is good: its output is writable, and the outer state readable.
        unsafe {
            match stage {
                Stage::Keep(state) => {
                    *state = self.column(lane);
                    true
                }
                Stage::End(blocks, next) => {
                    self.slots[lane].stage = Stage::Ended(next);
                    (self.data[lane], self.left[lane]) = (self.tails.slot(lane).cast(), blocks);
                    false
                }
                Stage::Ended(Next::Squeeze) => {
                    let now = len.min(self.rate.bytes());
                    self.output(lane, to, now);
                    if now == len {
                        return true;
                    }
                    (self.slots[lane].to, self.slots[lane].len) = (to.add(now), len - now);
                    (self.data[lane], self.left[lane]) = (ZEROS.as_ptr(), 1);
                    false
                }
                Stage::Ended(Next::Outer(outer, suffix)) => {
                    self.output(lane, to, len);
                    let tail = self.tails.get(lane);
                    let blocks = tail.build(self.rate, (to.cast_const(), len), &[], suffix);
                    self.put(lane, outer);
                    self.slots[lane].stage = Stage::Ended(Next::Squeeze);
                    (self.data[lane], self.left[lane]) = (self.tails.slot(lane).cast(), blocks);
                    false
                }
            }
        }
    }

    /// Sets a lane's state.
    ///
    /// # Safety
    /// The state is readable.
    #[inline(always)]
    unsafe fn put(&mut self, lane: usize, state: *const State) {
        let words = self.states.0.chunks_exact_mut(self.lanes);
        for (i, words) in words.take(WORDS).enumerate() {
            // SAFETY: the caller's.
            words[lane] = unsafe { (*state)[i] };
        }
    }

    /// A lane's state.
    fn column(&self, lane: usize) -> State {
        core::array::from_fn(|i| self.states.0[i * self.lanes + lane])
    }

    /// Writes the first `len` bytes of a lane's state, which are no more than a block.
    ///
    /// # Safety
    /// `to` is writable for so many bytes.
    #[inline(always)]
    unsafe fn output(&self, lane: usize, to: *mut u8, len: usize) {
        let word = |i: usize| self.states.0[i * self.lanes + lane].to_le();
        // SAFETY: the caller's.
        unsafe {
            for i in 0..len / 8 {
                to.cast::<u64>().add(i).write_unaligned(word(i));
            }
            if !len.is_multiple_of(8) {
                let (done, bytes) = (len / 8 * 8, word(len / 8).to_ne_bytes());
                to.add(done).copy_from_nonoverlapping(bytes.as_ptr(), len - done);
            }
        }
    }
}

/// The numbers of the bits that are set.
#[inline(always)]
fn in_use(mut lanes: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize);
        lanes &= lanes.wrapping_sub(1);
        lane
    })
}

impl Drop for Set {
    fn drop(&mut self) {
        self.states.0.zeroize();
        for lane in 0..self.lanes {
            // SAFETY: all were filled when this was made, and no task runs any more.
            unsafe { self.tails.get(lane) }.zeroize();
        }
    }
}
