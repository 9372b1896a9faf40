//! The scheduler of CBC tasks onto lanes.
//!
//! Encryption is a chain within a buffer, so each buffer gets a lane. Lanes with the same number of
//! rounds run together. Decryption is no chain: the kernel interleaves the blocks of one buffer,
//! and a task is complete as soon as it is taken.

use zeroize::Zeroize;

use super::select;
use crate::cpu::Cpu;
use crate::kernels::aes::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
use crate::kernels::aes::key::AesKey;
use crate::kernels::aes::key::{BlockWords, share_a_key};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// One buffer, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the key is valid, `src` is readable and `dst`
/// writable for `blocks` blocks, and the two are equal or apart.
#[derive(Clone, Copy)]
pub struct CbcTask {
    pub(super) key: *const AesKey,
    pub(super) iv: BlockWords,
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) blocks: usize,
    pub(super) direction: Direction,
}

/// The direction of a cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// The result of taking a task.
enum CbcTaken {
    /// The task is complete.
    Complete(u32),
    /// The task has a lane, and others are free.
    Waits,
    /// The task has a lane, the last of its class.
    Full,
}

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
    classes: [CbcClass; 3],
    occupancy: Occupancy,
}

/// The lanes whose keys have one number of rounds.
struct CbcClass {
    set: CbcLaneSet,
    left: [usize; MAX_LANES],
    ids: [u32; MAX_LANES],
    filled: Filled,
}

/// The filling of a class's lanes. It changes with every task, and is kept in registers meanwhile.
#[derive(Clone, Copy)]
struct Filled {
    /// Lanes `0..active` are in use.
    active: usize,
    /// The fewest and the most blocks that a lane in use has left.
    fewest: usize,
    most: usize,
}

impl Filled {
    /// No lane is in use.
    const NONE: Filled = Filled { active: 0, fewest: usize::MAX, most: 0 };

    /// Counts a lane in use that has `blocks` blocks left.
    #[inline(always)]
    fn count(&mut self, blocks: usize) {
        self.fewest = self.fewest.min(blocks);
        self.most = self.most.max(blocks);
    }
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for CbcLanes {}

impl Lanes for CbcLanes {
    type Task = CbcTask;

    fn new(cpu: &Cpu) -> Self {
        Self::with(select::cbc(cpu))
    }

    fn lanes(&self) -> usize {
        self.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<CbcTask>) {
        let (kernel, occupancy) = (self.kernel, &mut self.occupancy);
        let (mut number, mut filled) = (0, self.classes[0].filled);
        // SAFETY: every task that the source gives is good until it is reported done, by this
        // function's contract, and the kernel is for this CPU. A task that is decrypted is done
        // within the call; `step` runs a class with a lane in use.
        unsafe {
            loop {
                let taken = source.next(|id, task| {
                    if task.direction == Direction::Decrypt || task.blocks == 0 {
                        let CbcTask { key, iv, src, dst, blocks, .. } = task;
                        (kernel.decrypt)(&**key, iv.block(), *src, *dst, *blocks);
                        return CbcTaken::Complete(id);
                    }
                    let class = ((*task.key).rounds() - 10) / 2;
                    if class != number {
                        self.classes[number].filled = filled;
                        (number, filled) = (class, self.classes[class].filled);
                    }
                    let class = &mut self.classes[class];
                    class.start(&mut filled, id, task);
                    match class.is_full(filled, kernel) {
                        true => CbcTaken::Full,
                        false => CbcTaken::Waits,
                    }
                });
                let Some(taken) = taken else { break };
                match taken {
                    CbcTaken::Waits => {}
                    CbcTaken::Complete(id) => source.done(id),
                    CbcTaken::Full => {
                        let class = &mut self.classes[number];
                        class.step(&mut filled, kernel, occupancy, source);
                    }
                }
            }
            self.classes[number].filled = filled;
            for class in &mut self.classes {
                let mut filled = class.filled;
                while filled.active > 0 {
                    class.step(&mut filled, kernel, occupancy, source);
                }
                class.filled = filled;
            }
        }
    }

    /// Does the task at once. What is encrypted gets the first lane, and is done after one call of
    /// the kernel; what is decrypted needs no lane.
    #[inline(always)]
    unsafe fn run_one(&mut self, task: &CbcTask) -> bool {
        let CbcLanes { kernel, classes, occupancy } = self;
        let CbcTask { key, iv, src, dst, blocks, direction } = task;
        // SAFETY: the task is good by the contract of `run_one`, so that the first lane has a valid
        // key, and buffers of `blocks` blocks; the kernel is for this CPU.
        unsafe {
            if *direction == Direction::Decrypt || *blocks == 0 {
                (kernel.decrypt)(&**key, iv.block(), *src, *dst, *blocks);
            } else {
                let set = &mut classes[0].set;
                (set.key[0], set.src[0], set.dst[0]) = (*key, *src, *dst);
                set.state[0] = *iv.block();
                occupancy.count(1, kernel.lanes, *blocks);
                (kernel.encrypt)(set, 1, *blocks);
            }
        }
        true
    }

    /// Does a task that is decrypted: its blocks are company enough for each other.
    #[inline(always)]
    unsafe fn run_apart(&mut self, task: &CbcTask) -> bool {
        // SAFETY: the task is good, by the contract of `run_apart`.
        task.direction == Direction::Decrypt && unsafe { self.run_one(task) }
    }
}

impl CbcLanes {
    /// Makes a scheduler for a kernel.
    pub(super) fn with(kernel: &'static CbcKernel) -> Self {
        let class = || CbcClass {
            set: CbcLaneSet::new(),
            left: [0; MAX_LANES],
            ids: [0; MAX_LANES],
            filled: Filled::NONE,
        };
        CbcLanes { kernel, classes: [class(), class(), class()], occupancy: Occupancy::default() }
    }
}

impl CbcClass {
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

    /// Returns `true` if the lanes are worth running even if more tasks may still come.
    #[inline(always)]
    fn is_full(&self, filled: Filled, kernel: &CbcKernel) -> bool {
        let narrow = &kernel.narrow;
        let few = filled.active == narrow.lanes && filled.fewest < narrow.blocks;
        filled.active == kernel.lanes || few && !share_a_key(&self.set.key[..narrow.lanes])
    }

    /// Runs the lanes in use until the first is empty.
    ///
    /// # Safety
    /// - At least one lane is in use, and the tasks on the lanes are good, as [`Lanes::Task`]
    ///   defines it.
    /// - The kernel is for this CPU.
    #[inline(always)]
    unsafe fn step(
        &mut self,
        filled: &mut Filled,
        kernel: &CbcKernel,
        occupancy: &mut Occupancy,
        source: &mut impl Source<CbcTask>,
    ) {
        let Filled { active, fewest, most } = core::mem::replace(filled, Filled::NONE);
        occupancy.count(active, kernel.lanes, fewest);
        // SAFETY: lanes `0..active` have good tasks of one number of rounds with at least `fewest`
        // blocks left, by this function's contract.
        unsafe { (kernel.encrypt)(&mut self.set, active, fewest) };
        if fewest == most {
            self.ids[..active].iter().for_each(|&id| source.done(id));
            return;
        }
        // SAFETY: each of these tasks had at least `fewest` blocks left.
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
    }

    /// Frees a lane. The last lane in use moves to its place.
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
