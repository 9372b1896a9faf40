//! The scheduler of F8 and F9 onto the lanes of bitsliced kernels.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use super::f8::F8;
use super::f9::F9;
use super::{KasumiKernel, KasumiKey, Line, ROWS};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};

/// One buffer, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct KasumiTask {
    pub(super) key: *const KasumiKey,
    pub(super) mode: ModeTask,
}

/// The use of a key.
#[derive(Clone, Copy)]
pub(super) enum ModeTask {
    F8(<F8 as Chain>::Task),
    F9(<F9 as Chain>::Task),
}

/// A mode: a chain of blocks, and what is done between two of them.
pub(super) trait Chain: Copy {
    type Task: Copy;
    /// A chain of no task.
    const IDLE: Self;

    /// Begins a task: the chain, and what it encrypts first.
    ///
    /// # Safety
    /// The task is good until the chain has ended.
    unsafe fn begin(task: &Self::Task) -> (Self, Stretch);

    /// Takes an encrypted block, and gives the one to encrypt after it: for all blocks of a stretch
    /// but its last one.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn advance(&mut self, block: u64) -> u64;

    /// Takes the last block of a stretch; gives the next stretch, unless the task is complete.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn turn(&mut self, block: u64) -> Option<Stretch>;

    /// Wipes what is secret.
    fn wipe(&mut self);
}

/// Blocks under one key.
pub(super) struct Stretch {
    /// The first block to encrypt.
    pub block: u64,
    /// The modifier of the key, for each half.
    pub modifier: u64,
    /// The blocks after the first.
    pub more: usize,
}

/// The scheduler of KASUMI buffers: as many lanes as the widest kernel has, for each mode.
///
/// The kernel is the one with the fewest lanes that are enough for the buffers under way. Its time
/// does not depend on how many lanes are in use: few buffers cost as much as 64 do.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{Cpu, F8Job, KasumiKey, KasumiLanes, LinkDirection, Planner};
///
/// let mut planner: Planner<KasumiLanes> = Planner::new(&Cpu::detect());
/// let key = KasumiKey::new(&[7; 16]);
/// let job = F8Job::f8(&key, 1, 5, LinkDirection::Uplink, vec![0; 20], 157, ());
/// let mut jobs = [job.expect("a bearer, and bits that are there")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct KasumiLanes {
    f8: Set<F8>,
    f9: Set<F9>,
    memory: Memory,
    kernels: &'static [&'static KasumiKernel],
    lanes: usize,
    occupancy: Occupancy,
}

/// The memory of the kernels.
struct Memory {
    schedule: Box<[Line]>,
    blocks: Box<[Line]>,
    /// The first and the last halves of keys.
    keys: [Box<[Line]>; 2],
}

/// The lanes of one mode. Lanes `0..active` are in use.
struct Set<C: Chain> {
    lanes: Box<[Lane<C>]>,
    active: usize,
}

#[derive(Clone, Copy)]
struct Lane<C> {
    chain: C,
    /// The next block to encrypt.
    block: u64,
    /// The modifier of both halves of the key.
    modifier: u64,
    key: *const KasumiKey,
    /// Blocks before the last of its stretch.
    more: usize,
    id: u32,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves with
// this.
unsafe impl Send for KasumiLanes {}

impl Lanes for KasumiLanes {
    type Task = KasumiTask;
    const SORT_STREAMS: bool = true;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.kernels().kasumi;
        let lanes = kernels[kernels.len() - 1].lanes;
        KasumiLanes {
            f8: Set::new(lanes),
            f9: Set::new(lanes),
            memory: Memory::new(lanes),
            kernels,
            lanes,
            occupancy: Occupancy::default(),
        }
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    /// Buffers of both modes may wait together; each mode runs whenever its lanes are full, and at
    /// the end.
    unsafe fn run(&mut self, source: &mut impl Source<KasumiTask>, _: Goal) {
        let KasumiLanes { f8, f9, memory, kernels, lanes, occupancy } = self;
        let mut bench = Bench { memory, kernels, lanes: *lanes, occupancy };
        // SAFETY: the caller vouches for the tasks until they are done.
        unsafe {
            loop {
                let taken = source.next(|id, task| match &task.mode {
                    ModeTask::F8(mode) => f8.start(id, task.key, mode),
                    ModeTask::F9(mode) => f9.start(id, task.key, mode),
                });
                if taken.is_none() {
                    break;
                }
                while f8.active == *lanes {
                    f8.stretch(&mut bench, source);
                }
                while f9.active == *lanes {
                    f9.stretch(&mut bench, source);
                }
            }
            while f8.active > 0 {
                f8.stretch(&mut bench, source);
            }
            while f9.active > 0 {
                f9.stretch(&mut bench, source);
            }
        }
    }
}

/// Where a set computes.
struct Bench<'a> {
    memory: &'a mut Memory,
    kernels: &'static [&'static KasumiKernel],
    lanes: usize,
    occupancy: &'a mut Occupancy,
}

impl<C: Chain> Set<C> {
    fn new(lanes: usize) -> Self {
        let key = core::ptr::null();
        let lane = Lane { chain: C::IDLE, block: 0, modifier: 0, key, more: 0, id: 0 };
        Set { lanes: vec![lane; lanes].into(), active: 0 }
    }

    /// Gives a task the next lane.
    ///
    /// # Safety
    /// The task is good, and a lane is free.
    unsafe fn start(&mut self, id: u32, key: *const KasumiKey, task: &C::Task) {
        // SAFETY: the caller's.
        let (chain, Stretch { block, modifier, more }) = unsafe { C::begin(task) };
        self.lanes[self.active] = Lane { chain, block, modifier, key, more, id };
        self.active += 1;
    }

    /// Runs the lanes in use until the first of them is at the end of its stretch.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good.
    unsafe fn stretch<T>(&mut self, bench: &mut Bench<'_>, source: &mut impl Source<T>) {
        let active = self.active;
        let enough = bench.kernels.iter().find(|kernel| active <= kernel.lanes);
        let kernel = enough.expect("the widest kernel has a lane for each");
        let lanes = &mut self.lanes[..active];
        let fewest = lanes.iter().map(|lane| lane.more).min().unwrap_or(0);
        bench.occupancy.count(active, bench.lanes, fewest + 1);
        // SAFETY: the tasks are good, which includes their keys; the kernel is for this CPU, and
        // the memory made for the most lanes it can have.
        unsafe {
            bench.memory.schedule(kernel, lanes);
            for (to, lane) in bench.memory.blocks().iter_mut().zip(lanes.iter()) {
                *to = lane.block;
            }
            for _ in 0..fewest {
                bench.memory.encrypt(kernel);
                for (block, lane) in bench.memory.blocks().iter_mut().zip(lanes.iter_mut()) {
                    *block = lane.chain.advance(*block);
                }
            }
            bench.memory.encrypt(kernel);
            for lane in (0..active).rev() {
                self.end_of_step(lane, fewest, bench.memory.blocks()[lane], source);
            }
        }
    }

    /// Takes a lane's block; the lane may be at the end of its stretch, or of its task.
    ///
    /// # Safety
    /// The lane is in use and its task good.
    #[inline(always)]
    unsafe fn end_of_step<T>(
        &mut self,
        lane: usize,
        blocks: usize,
        block: u64,
        source: &mut impl Source<T>,
    ) {
        let Lane { chain, block: next, modifier, more, id, .. } = &mut self.lanes[lane];
        *more -= blocks;
        // SAFETY: the caller's.
        unsafe {
            if *more > 0 {
                *more -= 1;
                *next = chain.advance(block);
            } else if let Some(stretch) = chain.turn(block) {
                (*next, *modifier, *more) = (stretch.block, stretch.modifier, stretch.more);
            } else {
                source.done(*id);
                self.active -= 1;
                self.lanes[lane] = self.lanes[self.active];
            }
        }
    }
}

impl Memory {
    fn new(lanes: usize) -> Self {
        let lines = |count: usize| vec![Line([0; 8]); count / 8].into_boxed_slice();
        Memory {
            schedule: lines(ROWS * lanes / 64),
            blocks: lines(lanes),
            keys: [lines(lanes), lines(lanes)],
        }
    }

    #[inline(always)]
    fn blocks(&mut self) -> &mut [u64] {
        elements(&mut self.blocks)
    }

    /// Makes the schedule of the lanes' present keys.
    ///
    /// # Safety
    /// The keys are good, the kernel for this CPU and no wider than the memory.
    unsafe fn schedule<C>(&mut self, kernel: &KasumiKernel, lanes: &[Lane<C>]) {
        let [high, low] = self.keys.each_mut().map(|lines| elements(lines));
        for ((high, low), lane) in high.iter_mut().zip(low.iter_mut()).zip(lanes) {
            // SAFETY: the caller's.
            let halves = unsafe { (*lane.key).halves() };
            [*high, *low] = halves.map(|half| half ^ lane.modifier);
        }
        // SAFETY: the caller's; lanes that are not in use have keys, too, whatever they are.
        unsafe {
            let schedule = self.schedule.as_mut_ptr().cast();
            (kernel.schedule)(high.as_mut_ptr(), low.as_mut_ptr(), schedule);
        }
    }

    /// Encrypts the blocks.
    ///
    /// # Safety
    /// The kernel made the schedule.
    #[inline(always)]
    unsafe fn encrypt(&mut self, kernel: &KasumiKernel) {
        // SAFETY: the caller's.
        unsafe {
            (kernel.encrypt)(self.schedule.as_ptr().cast(), self.blocks.as_mut_ptr().cast());
        }
    }
}

/// The elements of lines.
#[inline(always)]
fn elements(lines: &mut [Line]) -> &mut [u64] {
    // SAFETY: a line is eight elements and nothing else.
    unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), 8 * lines.len()) }
}

impl Drop for Memory {
    fn drop(&mut self) {
        elements(&mut self.schedule).zeroize();
        elements(&mut self.blocks).zeroize();
        self.keys.iter_mut().for_each(|lines| elements(lines).zeroize());
    }
}

impl<C: Chain> Drop for Set<C> {
    fn drop(&mut self) {
        for lane in &mut self.lanes {
            lane.block.zeroize();
            lane.chain.wipe();
        }
    }
}
