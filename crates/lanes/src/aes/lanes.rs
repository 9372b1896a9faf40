//! The scheduler of CBC tasks onto lanes.
//!
//! Encryption is a chain within a buffer, so each buffer gets a lane. Lanes with the same number of
//! rounds run together. Decryption is no chain: the kernel interleaves the blocks of one buffer,
//! and a task is complete as soon as it is taken.

use zeroize::Zeroize;

use super::AesKey;
use super::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
use super::key::{BlockWords, share_a_key};
use super::select;
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};

/// One buffer, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct CbcTask {
    pub(super) key: *const AesKey,
    pub(super) iv: BlockWords,
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

/// The fate of a task that was taken.
enum Taken {
    /// It is complete.
    Complete(u32),
    /// It has a lane, and others are free.
    Waits,
    /// It has a lane, the last of its class.
    Full,
}

/// After so many calls in which half-filled lanes did not move, they do: a steady stream of tasks
/// that need other lanes must not keep these waiting for ever.
const PATIENCE: u32 = 16;

/// The scheduler of CBC buffers onto the lanes of its kernel.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{AesKey, CbcJob, CbcLanes, Cpu, Planner};
///
/// let mut planner: Planner<CbcLanes> = Planner::new(&Cpu::detect());
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [CbcJob::encrypt(&key, [1; 16], vec![0; 32], ()).expect("whole blocks")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct CbcLanes {
    kernel: &'static CbcKernel,
    /// By the number of rounds: 10, 12, 14.
    classes: [Class; 3],
    occupancy: Occupancy,
}

/// The lanes whose keys have one number of rounds.
struct Class {
    set: CbcLaneSet,
    left: [usize; MAX_LANES],
    ids: [u32; MAX_LANES],
    filled: Filled,
    /// Calls of `run` that found some in use, since they last moved.
    idle: u32,
}

/// How far the lanes of a class are filled: what changes with every task, and so is kept in
/// registers meanwhile.
#[derive(Clone, Copy)]
struct Filled {
    /// Lanes `0..active` are in use.
    active: usize,
    /// The fewest and the most blocks that one of them has left.
    fewest: usize,
    most: usize,
}

impl Filled {
    /// No lane is in use.
    const NONE: Filled = Filled { active: 0, fewest: usize::MAX, most: 0 };

    /// A lane that is in use has so many blocks left.
    #[inline(always)]
    fn count(&mut self, blocks: usize) {
        self.fewest = self.fewest.min(blocks);
        self.most = self.most.max(blocks);
    }
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves with
// this.
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
        self.classes.iter_mut().for_each(|class| class.idle += u32::from(class.filled.active > 0));
        let (mut number, mut filled) = (0, self.classes[0].filled);
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                let taken = source.next(|id, task| {
                    if task.direction == Direction::Decrypt || task.blocks == 0 {
                        let CbcTask { key, iv, src, dst, blocks, .. } = task;
                        (kernel.decrypt)(&**key, iv.block(), *src, *dst, *blocks);
                        return Taken::Complete(id);
                    }
                    let class = ((*task.key).rounds() - 10) / 2;
                    if class != number {
                        self.classes[number].filled = filled;
                        (number, filled) = (class, self.classes[class].filled);
                    }
                    let class = &mut self.classes[class];
                    class.start(&mut filled, id, task);
                    match class.is_full(filled, kernel, goal) {
                        true => Taken::Full,
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
                    Taken::Full => {
                        let class = &mut self.classes[number];
                        completed += class.step(&mut filled, kernel, occupancy, source);
                    }
                }
            }
            self.classes[number].filled = filled;
            for class in &mut self.classes {
                let late = class.idle > PATIENCE;
                let mut filled = class.filled;
                while filled.active > 0 && (goal == Goal::All || late) {
                    completed += class.step(&mut filled, kernel, occupancy, source);
                }
                class.filled = filled;
            }
            if completed == 0
                && let Some(class) = self.classes.iter_mut().max_by_key(|class| class.filled.active)
                && class.filled.active > 0
            {
                let mut filled = class.filled;
                class.step(&mut filled, kernel, occupancy, source);
                class.filled = filled;
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
            ids: [0; MAX_LANES],
            filled: Filled::NONE,
            idle: 0,
        };
        CbcLanes { kernel, classes: [class(), class(), class()], occupancy: Occupancy::default() }
    }
}

impl Class {
    /// Gives a task the next lane.
    #[inline(always)]
    fn start(&mut self, filled: &mut Filled, id: u32, task: &CbcTask) {
        let lane = filled.active;
        filled.active += 1;
        filled.count(task.blocks);
        self.set.key[lane] = task.key;
        self.set.src[lane] = task.src;
        self.set.dst[lane] = task.dst;
        self.set.state[lane] = *task.iv.block();
        self.left[lane] = task.blocks;
        self.ids[lane] = id;
    }

    /// Whether its lanes are worth running, if more may still come.
    #[inline(always)]
    fn is_full(&self, filled: Filled, kernel: &CbcKernel, goal: Goal) -> bool {
        let narrow = &kernel.narrow;
        let blocks = match goal {
            Goal::All => narrow.blocks,
            Goal::One => narrow.blocks_of_stream,
        };
        let few = filled.active == narrow.lanes && filled.fewest < blocks;
        filled.active == kernel.lanes || few && !share_a_key(&self.set.key[..narrow.lanes])
    }

    /// Runs the lanes in use until the first is empty. Returns how many tasks are complete.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good, and the kernel is for this CPU.
    #[inline(always)]
    unsafe fn step(
        &mut self,
        filled: &mut Filled,
        kernel: &CbcKernel,
        occupancy: &mut Occupancy,
        source: &mut impl Source<CbcTask>,
    ) -> usize {
        self.idle = 0;
        let Filled { active, fewest, most } = core::mem::replace(filled, Filled::NONE);
        occupancy.count(active, kernel.lanes, fewest);
        // SAFETY: the caller's; every lane has at least `fewest` blocks left.
        unsafe { (kernel.encrypt)(&mut self.set, active, fewest) };
        if fewest == most {
            self.ids[..active].iter().for_each(|&id| source.done(id));
            return active;
        }
        // SAFETY: the lanes' tasks have these blocks.
        unsafe { self.set.advance(active, fewest) };
        filled.active = active;
        for lane in (0..active).rev() {
            self.left[lane] -= fewest;
            if self.left[lane] == 0 {
                source.done(self.ids[lane]);
                self.vacate(filled, lane);
            } else {
                filled.count(self.left[lane]);
            }
        }
        active - filled.active
    }

    /// Frees a lane; the last lane in use moves to its place.
    #[inline(always)]
    fn vacate(&mut self, filled: &mut Filled, lane: usize) {
        filled.active -= 1;
        let last = filled.active;
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
