//! The lanes of one block length.

use alloc::boxed::Box;
use core::ptr;

use zeroize::Zeroize;

use super::tail::{Encoded, Tail, ZEROS};
use super::task::{SpongeEnd, SpongeTask};
use crate::kernels::sponge::keccak::{KeccakState, WORDS};
use crate::kernels::sponge::kernel::{MAX_LANES, Rate, SpongeKernels};
use crate::manager::Source;
use crate::occupancy::Occupancy;
use crate::slab::Slab;

/// The bits that end a message of KMAC, and the first of the padding.
const CSHAKE: u8 = 0x04;

/// The states of all lanes: word `i` of each, then word `i + 1`. They stay there from call to call,
/// so that a kernel transposes nothing but the messages.
#[repr(C, align(64))]
struct States([u64; WORDS * MAX_LANES]);

/// Lanes that advance together, as their blocks are of one length.
pub(super) struct SpongeSet {
    rate: Rate,
    /// Lanes of the kernel.
    lanes: usize,
    states: Box<States>,
    tails: Slab<Tail>,
    slots: [SpongeSlot; MAX_LANES],
    /// What each lane absorbs next, and how many blocks of it.
    data: [*const u8; MAX_LANES],
    left: [usize; MAX_LANES],
    /// A bit for each lane in use.
    busy: u32,
}

/// A task on a lane.
#[derive(Clone, Copy)]
struct SpongeSlot {
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
    Keep(*mut KeccakState),
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
    Outer(*const KeccakState, u8),
}

/// What became of a task.
pub(super) enum SpongeTaken {
    /// It has a lane, and others are free.
    Waits,
    /// It has the last lane.
    Full,
    /// It is complete.
    Complete,
}

impl SpongeSet {
    pub fn new(rate: Rate, lanes: usize) -> Self {
        let mut tails = Slab::new(lanes);
        (0..lanes).for_each(|lane| tails.put(lane, Tail::EMPTY));
        let slot = SpongeSlot {
            id: 0,
            stage: Stage::Ended(Next::Squeeze),
            data: ptr::null(),
            blocks: 0,
            to: ptr::null_mut(),
            len: 0,
        };
        SpongeSet {
            rate,
            lanes,
            states: Box::new(States([0; _])),
            tails,
            slots: [slot; MAX_LANES],
            data: [ptr::null(); MAX_LANES],
            left: [0; MAX_LANES],
            busy: 0,
        }
    }

    /// Returns the lanes in use.
    pub fn active(&self) -> usize {
        self.busy.count_ones() as usize
    }

    /// Returns `true` if no lane is free.
    pub fn is_full(&self) -> bool {
        self.active() == self.lanes
    }

    /// Gives a task a lane.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it, until it is
    ///   reported done.
    /// - A lane is free.
    #[inline(always)]
    pub unsafe fn take(&mut self, id: u32, task: &SpongeTask) -> SpongeTaken {
        let lane = self.busy.trailing_ones() as usize;
        let blocks = task.len / self.rate.bytes();
        let rest = task.len % self.rate.bytes();
        // SAFETY: the task is good, by this function's contract, so that its start and its data are
        // readable, and the room for a state that is kept is writable; the lane's tail was filled
        // when the set was made.
        unsafe {
            let tail = self.tails.get(lane);
            let rest = (task.data.add(task.len - rest), rest);
            let (stage, to, len) = match task.end {
                SpongeEnd::State(state) if blocks == 0 && task.head.is_null() => {
                    *state = *task.start;
                    return SpongeTaken::Complete;
                }
                SpongeEnd::State(state) => (Stage::Keep(state), ptr::null_mut(), 0),
                SpongeEnd::Output { suffix, to, len } => {
                    let blocks = tail.build(self.rate, rest, &[], suffix);
                    (Stage::End(blocks, Next::Squeeze), to, len)
                }
                SpongeEnd::Hmac { suffix, outer, to, len } => {
                    let blocks = tail.build(self.rate, rest, &[], suffix);
                    (Stage::End(blocks, Next::Outer(outer, suffix)), to, len)
                }
                SpongeEnd::Kmac { bits, to, len } => {
                    let trailer = Encoded::new(bits);
                    let blocks = tail.build(self.rate, rest, trailer.right(), CSHAKE);
                    (Stage::End(blocks, Next::Squeeze), to, len)
                }
            };
            self.put(lane, task.start);
            self.slots[lane] = SpongeSlot { id, stage, data: task.data, blocks, to, len };
            (self.data[lane], self.left[lane]) = (task.head, 1);
            self.busy |= 1 << lane;
            if task.head.is_null() {
                self.turn(lane);
            }
        }
        if self.is_full() { SpongeTaken::Full } else { SpongeTaken::Waits }
    }

    /// Advances the lanes in use until one has absorbed all blocks that it was given.
    ///
    /// # Safety
    /// - At least one lane is in use, and the tasks on the lanes are good.
    /// - The kernels are for this CPU.
    pub unsafe fn step(
        &mut self,
        kernels: &SpongeKernels,
        source: &mut impl Source<SpongeTask>,
        occupancy: &mut Occupancy,
    ) {
        let first = self.busy.trailing_zeros() as usize;
        let alone = self.active() == 1 && self.lanes > 1;
        let fewest = match alone {
            true => self.left[first],
            false => in_use(self.busy).map(|lane| self.left[lane]).min().unwrap_or(0),
        };
        occupancy.count(self.active(), self.lanes, fewest);
        // SAFETY: the kernels are for this CPU, and every lane in use has at least `fewest` blocks;
        // every other lane reads along with the first one in use. The tasks are good, by this
        // function's contract.
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
            for lane in in_use(self.busy) {
                self.left[lane] -= fewest;
                if self.left[lane] > 0 {
                    self.data[lane] = self.data[lane].add(fewest * self.rate.bytes());
                } else if self.turn(lane) {
                    self.busy &= !(1 << lane);
                    source.done(self.slots[lane].id);
                }
            }
        }
    }

    /// Gives a lane that has absorbed its blocks the next ones. Returns `true` if its task is
    /// complete.
    ///
    /// # Safety
    /// The lane's task is good.
    #[inline(always)]
    unsafe fn turn(&mut self, lane: usize) -> bool {
        let SpongeSlot { stage, data, blocks, to, len, .. } = self.slots[lane];
        if blocks > 0 {
            self.slots[lane].blocks = 0;
            (self.data[lane], self.left[lane]) = (data, blocks);
            return false;
        }
        // SAFETY: the task is good, by this function's contract, so that its output is writable and
        // its outer state readable.
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
    /// `state` is readable.
    #[inline(always)]
    unsafe fn put(&mut self, lane: usize, state: *const KeccakState) {
        let words = self.states.0.chunks_exact_mut(self.lanes);
        for (i, words) in words.take(WORDS).enumerate() {
            // SAFETY: `state` is readable, by this function's contract.
            words[lane] = unsafe { (*state)[i] };
        }
    }

    /// Returns a lane's state.
    fn column(&self, lane: usize) -> KeccakState {
        core::array::from_fn(|i| self.states.0[i * self.lanes + lane])
    }

    /// Writes the first `len` bytes of a lane's state, which are no more than a block.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes.
    #[inline(always)]
    unsafe fn output(&self, lane: usize, to: *mut u8, len: usize) {
        let word = |i: usize| self.states.0[i * self.lanes + lane].to_le();
        // SAFETY: `to` is writable for `len` bytes, by this function's contract: whole words, and
        // the bytes behind them.
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

/// Returns the numbers of the bits that are set.
#[inline(always)]
fn in_use(mut lanes: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize);
        lanes &= lanes.wrapping_sub(1);
        lane
    })
}

impl Drop for SpongeSet {
    fn drop(&mut self) {
        self.states.0.zeroize();
        for lane in 0..self.lanes {
            // SAFETY: all slots were filled when the set was made, and no task runs any more.
            unsafe { self.tails.get(lane) }.zeroize();
        }
    }
}
