//! The scheduler of F8 and F9 onto the lanes of bitsliced kernels.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use super::KasumiKey;
use super::chain::{KasumiChain, Stretch};
use super::f8::F8;
use super::f9::F9;
use crate::cpu::Cpu;
use crate::kernels::kasumi::{KasumiKernel, KasumiLine, ROWS};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;
use crate::wiped::clear_all;

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
    F8(<F8 as KasumiChain>::Task),
    F9(<F9 as KasumiChain>::Task),
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
    f8: KasumiSet<F8>,
    f9: KasumiSet<F9>,
    memory: KasumiMemory,
    kernels: &'static [&'static KasumiKernel],
    lanes: usize,
    occupancy: Occupancy,
}

/// The memory of the kernels.
struct KasumiMemory {
    schedule: Box<[KasumiLine]>,
    blocks: Box<[KasumiLine]>,
    /// The first and the last halves of keys.
    keys: [Box<[KasumiLine]>; 2],
    /// The lanes of the widest kernel that worked here since it was wiped.
    widest: usize,
}

/// The lanes of one mode. Lanes `0..active` are in use.
struct KasumiSet<C: KasumiChain> {
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

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for KasumiLanes {}

impl Lanes for KasumiLanes {
    type Task = KasumiTask;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.kernels().kasumi;
        let lanes = kernels[kernels.len() - 1].lanes;
        KasumiLanes {
            f8: KasumiSet::new(lanes),
            f9: KasumiSet::new(lanes),
            memory: KasumiMemory::new(lanes),
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
    /// the end. Keys are wiped before the call returns.
    unsafe fn run(&mut self, source: &mut impl Source<KasumiTask>) {
        let KasumiLanes { f8, f9, memory, kernels, lanes, occupancy } = self;
        let mut bench = Bench { memory, kernels, lanes: *lanes, occupancy };
        // SAFETY: the tasks are good until they are reported done, by this function's contract. A
        // full set is run before it gets another task, so that a lane is free; `stretch` runs a set
        // with a lane in use.
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
        memory.wipe();
    }
}

/// Where a set computes.
struct Bench<'a> {
    memory: &'a mut KasumiMemory,
    kernels: &'static [&'static KasumiKernel],
    lanes: usize,
    occupancy: &'a mut Occupancy,
}

impl<C: KasumiChain> KasumiSet<C> {
    fn new(lanes: usize) -> Self {
        let key = core::ptr::null();
        let lane = Lane { chain: C::IDLE, block: 0, modifier: 0, key, more: 0, id: 0 };
        KasumiSet { lanes: vec![lane; lanes].into(), active: 0 }
    }

    /// Gives a task the next lane.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - A lane is free.
    unsafe fn start(&mut self, id: u32, key: *const KasumiKey, task: &C::Task) {
        // SAFETY: the task is good until its chain has ended, by this function's contract.
        let (chain, Stretch { block, modifier, more }) = unsafe { C::begin(task) };
        self.lanes[self.active] = Lane { chain, block, modifier, key, more, id };
        self.active += 1;
    }

    /// Runs the lanes in use until the first of them is at the end of its stretch.
    ///
    /// # Safety
    /// At least one lane is in use, and the tasks on the lanes are good, as [`Lanes::Task`] defines
    /// it.
    unsafe fn stretch<T>(&mut self, bench: &mut Bench<'_>, source: &mut impl Source<T>) {
        let active = self.active;
        let enough = bench.kernels.iter().find(|kernel| active <= kernel.lanes);
        let kernel = enough.expect("the widest kernel has a lane for each");
        let lanes = &mut self.lanes[..active];
        let fewest = lanes.iter().map(|lane| lane.more).min().unwrap_or(0);
        bench.occupancy.count(active, bench.lanes, fewest + 1);
        // SAFETY: the tasks are good, by this function's contract, which includes their keys; the
        // kernel is for this CPU, and the memory is made for the most lanes that it can have. No
        // lane is advanced more often than its stretch has blocks.
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

    /// Takes a lane's block. The lane may be at the end of its stretch, or of its task.
    ///
    /// # Safety
    /// The lane is in use, and its task is good.
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
        // SAFETY: the task is good, by this function's contract; `more` counts the blocks that the
        // stretch still has.
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

impl KasumiMemory {
    fn new(lanes: usize) -> Self {
        let lines = |count: usize| vec![KasumiLine([0; 8]); count / 8].into_boxed_slice();
        KasumiMemory {
            schedule: lines(ROWS * lanes / 64),
            blocks: lines(lanes),
            keys: [lines(lanes), lines(lanes)],
            widest: 0,
        }
    }

    #[inline(always)]
    fn blocks(&mut self) -> &mut [u64] {
        elements(&mut self.blocks)
    }

    /// Makes the schedule of the lanes' present keys.
    ///
    /// # Safety
    /// - The lanes' keys are valid.
    /// - The kernel is for this CPU, and no wider than the memory.
    unsafe fn schedule<C>(&mut self, kernel: &KasumiKernel, lanes: &[Lane<C>]) {
        self.widest = self.widest.max(kernel.lanes);
        let [high, low] = self.keys.each_mut().map(|lines| elements(lines));
        for ((high, low), lane) in high.iter_mut().zip(low.iter_mut()).zip(lanes) {
            // SAFETY: the lane's key is valid, by this function's contract.
            let halves = unsafe { (*lane.key).halves() };
            [*high, *low] = halves.map(|half| half ^ lane.modifier);
        }
        // SAFETY: the kernel is for this CPU and the memory has room for its lanes, by this
        // function's contract; lanes that are not in use have keys, too, of any value.
        unsafe {
            let schedule = self.schedule.as_mut_ptr().cast();
            (kernel.schedule)(high.as_mut_ptr(), low.as_mut_ptr(), schedule);
        }
    }

    /// Wipes what kernels have left.
    fn wipe(&mut self) {
        let lanes = core::mem::take(&mut self.widest);
        clear_all(&mut elements(&mut self.schedule)[..ROWS * lanes / 64], 0);
        clear_all(&mut elements(&mut self.blocks)[..lanes], 0);
        self.keys.iter_mut().for_each(|lines| clear_all(&mut elements(lines)[..lanes], 0));
    }

    /// Encrypts the blocks.
    ///
    /// # Safety
    /// The schedule was made by this kernel.
    #[inline(always)]
    unsafe fn encrypt(&mut self, kernel: &KasumiKernel) {
        // SAFETY: the kernel made the schedule, by this function's contract, so it is for this CPU,
        // and the memory has room for its lanes.
        unsafe {
            (kernel.encrypt)(self.schedule.as_ptr().cast(), self.blocks.as_mut_ptr().cast());
        }
    }
}

/// Returns the elements of lines.
#[inline(always)]
fn elements(lines: &mut [KasumiLine]) -> &mut [u64] {
    // SAFETY: a line is eight elements and nothing else.
    unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), 8 * lines.len()) }
}

impl Drop for KasumiMemory {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl<C: KasumiChain> Drop for KasumiSet<C> {
    fn drop(&mut self) {
        for lane in &mut self.lanes {
            lane.block.zeroize();
            lane.chain.wipe();
        }
    }
}
