//! The scheduler of CBC tasks onto lanes.
//!
//! Encryption chains within a buffer, so each buffer gets a lane; lanes with the same number of rounds
//! run together. Decryption does not chain: the kernel pipelines the blocks of one buffer, and a task is
//! complete as soon as it is taken.

use zeroize::Zeroize;

use super::AesKey;
use super::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
use super::key::{Block, share_a_key};
use super::select;
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};

/// One buffer, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct CbcTask {
    pub(super) key: *const AesKey,
    pub(super) iv: Block,
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) blocks: usize,
    pub(super) direction: Direction,
}

/// Which way a cipher goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// What became of a task that was taken.
enum Taken {
    /// It is complete.
    Complete(u32),
    /// It has a lane, and others are free.
    Waits,
    /// It has a lane, the last of this class.
    Full(usize),
}

/// After so many calls in which half-filled lanes did not move, they do: a steady stream of tasks that
/// need other lanes must not keep these waiting for ever.
const PATIENCE: u32 = 16;

/// The scheduler of CBC buffers onto the lanes of its kernel.
pub struct CbcLanes {
    kernel: &'static CbcKernel,
    /// By the number of rounds: 10, 12, 14.
    classes: [Class; 3],
    occupancy: Occupancy,
}

/// The lanes whose keys have one number of rounds. Lanes `0..active` are in use.
struct Class {
    set: CbcLaneSet,
    left: [usize; MAX_LANES],
    /// The fewest of them, of lanes in use.
    fewest: usize,
    ids: [u32; MAX_LANES],
    active: usize,
    /// Calls of `run` that found some in use, since they last moved.
    idle: u32,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with this.
unsafe impl Send for CbcLanes {}

impl Lanes for CbcLanes {
    type Task = CbcTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        Self::with(select::cbc(cpu))
    }

    fn lanes(&self) -> usize {
        self.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<CbcTask>, goal: Goal) {
        let (kernel, occupancy) = (self.kernel, &mut self.occupancy);
        let mut completed = 0;
        self.classes.iter_mut().for_each(|class| class.idle += u32::from(class.active > 0));
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                let taken = source.next(|id, task| {
                    if task.direction == Direction::Decrypt || task.blocks == 0 {
                        let CbcTask { key, iv, src, dst, blocks, .. } = task;
                        (kernel.decrypt)(&**key, iv, *src, *dst, *blocks);
                        return Taken::Complete(id);
                    }
                    let class = ((*task.key).rounds() - 10) / 2;
                    self.classes[class].start(id, task);
                    match self.classes[class].is_full(kernel, goal) {
                        true => Taken::Full(class),
                        false => Taken::Waits,
                    }
                });
                let Some(taken) = taken else { break };
                match taken {
                    Taken::Waits => {}
                    Taken::Complete(id) => {
                        source.done(id);
                        completed += 1;
                    }
                    Taken::Full(class) => {
                        completed += self.classes[class].step(kernel, occupancy, source);
                    }
                }
            }
            for class in &mut self.classes {
                let late = class.idle > PATIENCE;
                while class.active > 0 && (goal == Goal::All || late) {
                    completed += class.step(kernel, occupancy, source);
                }
            }
            if completed == 0
                && let Some(class) = self.classes.iter_mut().max_by_key(|class| class.active)
                && class.active > 0
            {
                class.step(kernel, occupancy, source);
            }
        }
    }
}

impl CbcLanes {
    /// A scheduler for a kernel.
    pub(super) fn with(kernel: &'static CbcKernel) -> Self {
        let class = || Class {
            set: CbcLaneSet::new(),
            left: [0; MAX_LANES],
            fewest: usize::MAX,
            ids: [0; MAX_LANES],
            active: 0,
            idle: 0,
        };
        CbcLanes { kernel, classes: [class(), class(), class()], occupancy: Occupancy::default() }
    }
}

impl Class {
    /// Gives a task the next lane.
    #[inline(always)]
    fn start(&mut self, id: u32, task: &CbcTask) {
        let lane = self.active;
        self.active += 1;
        self.set.key[lane] = task.key;
        self.set.src[lane] = task.src;
        self.set.dst[lane] = task.dst;
        self.set.state[lane] = task.iv;
        self.left[lane] = task.blocks;
        self.fewest = self.fewest.min(task.blocks);
        self.ids[lane] = id;
    }

    /// Whether its lanes are worth running, if more may still come.
    #[inline(always)]
    fn is_full(&self, kernel: &CbcKernel, goal: Goal) -> bool {
        let narrow = &kernel.narrow;
        let blocks = match goal {
            Goal::All => narrow.blocks,
            Goal::One => narrow.blocks_of_stream,
        };
        let few = self.active == narrow.lanes && self.fewest < blocks;
        self.active == kernel.lanes || few && !share_a_key(&self.set.key[..narrow.lanes])
    }

    /// Runs the lanes in use until the first is empty. Returns how many tasks are complete.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good, and the kernel is for this CPU.
    #[inline(always)]
    unsafe fn step(
        &mut self,
        kernel: &CbcKernel,
        occupancy: &mut Occupancy,
        source: &mut impl Source<CbcTask>,
    ) -> usize {
        self.idle = 0;
        let active = self.active;
        let fewest = core::mem::replace(&mut self.fewest, usize::MAX);
        occupancy.count(active, kernel.lanes, fewest);
        // SAFETY: the caller's; every lane has at least `fewest` blocks left.
        unsafe { (kernel.encrypt)(&mut self.set, active, fewest) };
        for lane in (0..active).rev() {
            self.left[lane] -= fewest;
            if self.left[lane] == 0 {
                source.done(self.ids[lane]);
                self.vacate(lane);
            } else {
                self.fewest = self.fewest.min(self.left[lane]);
            }
        }
        active - self.active
    }

    /// Frees a lane; the last lane in use moves to its place.
    #[inline(always)]
    fn vacate(&mut self, lane: usize) {
        self.active -= 1;
        let last = self.active;
        if lane != last {
            self.set.key[lane] = self.set.key[last];
            self.set.src[lane] = self.set.src[last];
            self.set.dst[lane] = self.set.dst[last];
            self.set.state[lane] = self.set.state[last];
            self.left[lane] = self.left[last];
            self.ids[lane] = self.ids[last];
        }
    }
}

impl Drop for CbcLanes {
    fn drop(&mut self) {
        self.classes.iter_mut().for_each(|class| class.set.state.zeroize());
    }
}
