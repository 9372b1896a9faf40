//! The scheduler of buffers onto the lanes of a kernel.
//!
//! CBC encryption is a chain, so a buffer gets one lane. In all other modes the blocks of a buffer
//! are independent: the buffer is cut into runs of a few blocks, as long as possible with all lanes
//! full, because a new run means a new key in the lane. A lane that runs empty gets the next run or
//! buffer.

use crate::des::buffers::LONGEST_RUN;
use crate::des::line::DesLine;
use alloc::boxed::Box;
use alloc::vec;

use super::buffers::{DesBuffers, DesTask};
use super::keys::LaneKeys;
use super::mode::{AHEAD, Runs};
use crate::cpu::Cpu;
use crate::kernels::des::DesKernel;
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// The scheduler of DES and triple DES: lanes with as many passes in the same direction run
/// together.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{Cpu, DesJob, DesKey, DesLanes, Planner};
///
/// let mut planner: Planner<DesLanes> = Planner::new(&Cpu::detect());
/// let key = DesKey::new(b"three keys of 8 bytes   ").expect("24 bytes");
/// let mut jobs = [DesJob::cbc_encrypt(&key, [1; 8], vec![0; 32], ()).expect("whole blocks")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct DesLanes {
    kernels: &'static [DesKernel],
    /// By the number of passes and the direction.
    classes: [DesClass; 4],
    occupancy: Occupancy,
}

/// The lanes of one kind. Lanes `0..active` are in use.
struct DesClass {
    passes: usize,
    decrypt: bool,
    /// Of the widest kernel.
    width: usize,
    active: usize,
    runs: Runs,
    /// Blocks that are left of the lanes' runs.
    left: Box<[usize]>,
    /// The buffers that the runs belong to.
    numbers: Box<[u16]>,
    /// Lanes in use whose runs are over, in ascending order: the first `ends`.
    ended: Box<[u16]>,
    ends: usize,
    keys: LaneKeys,
    blocks: Box<[DesLine]>,
    buffers: DesBuffers,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for DesLanes {}

impl Lanes for DesLanes {
    type Task = DesTask;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.kernels().des;
        let width = widest(kernels).lanes;
        let classes = [(1, false), (1, true), (3, false), (3, true)];
        let classes = classes.map(|(passes, decrypt)| DesClass::new(passes, decrypt, width));
        DesLanes { kernels, classes, occupancy: Occupancy::default() }
    }

    fn lanes(&self) -> usize {
        widest(self.kernels).lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    /// Completes all tasks, so that between calls lanes are empty, and hold no keys.
    unsafe fn run(&mut self, source: &mut impl Source<DesTask>) {
        let DesLanes { kernels, classes, occupancy } = self;
        // SAFETY: every task that the source gives is good until it is reported done, by this
        // function's contract, and the kernels are for this CPU.
        unsafe {
            loop {
                let taken = source.next(|id, task| match task.is_empty() {
                    true => Err(id),
                    false => {
                        let class = (task.passes() - 1) | usize::from(task.decrypts());
                        classes[class].buffers.add(id, task);
                        Ok(class)
                    }
                });
                match taken {
                    None => break,
                    Some(Err(empty)) => source.done(empty),
                    Some(Ok(class)) => {
                        while classes[class].buffers.are_many() {
                            classes[class].steps(kernels, occupancy, source);
                        }
                    }
                }
            }
            for class in classes {
                while class.fill() {
                    class.steps(kernels, occupancy, source);
                }
                class.wipe();
            }
        }
    }
}

fn widest(kernels: &'static [DesKernel]) -> &'static DesKernel {
    kernels.last().expect("there is a kernel for every CPU")
}

impl DesClass {
    fn new(passes: usize, decrypt: bool, width: usize) -> Self {
        DesClass {
            passes,
            decrypt,
            width,
            active: 0,
            runs: Runs::new(width),
            left: vec![0; width].into(),
            numbers: vec![0; width].into(),
            ended: vec![0; width].into(),
            ends: 0,
            keys: LaneKeys::new(passes, width),
            blocks: DesLine::boxed(width),
            buffers: DesBuffers::new(width),
        }
    }

    /// Gives waiting buffers the lanes that are free, and runs the lanes in use until the first is
    /// at the end of its run.
    ///
    /// # Safety
    /// - A lane is in use or a buffer waits, and the tasks are good, as [`Lanes::Task`] defines it.
    /// - The kernels are for this CPU.
    unsafe fn steps(
        &mut self,
        kernels: &'static [DesKernel],
        occupancy: &mut Occupancy,
        source: &mut impl Source<DesTask>,
    ) {
        // SAFETY: the tasks are good and the kernels are for this CPU, by this function's contract;
        // the runs of the lanes in use have at least `fewest` blocks left.
        unsafe {
            self.fill();
            let active = self.active;
            let kernel = kernels.iter().find(|kernel| active <= kernel.lanes);
            let kernel = kernel.unwrap_or(widest(kernels));
            let fewest =
                self.left[..active].iter().fold(usize::MAX, |fewest, left| fewest.min(*left));
            occupancy.count(active, self.width, fewest);
            let slices = self.keys.slices(kernel, active);
            let blocks = self.blocks.as_mut_ptr().cast::<u64>();
            for first in (0..fewest).step_by(AHEAD) {
                let count = AHEAD.min(fewest - first);
                let ahead = self.runs.read_ahead(first, count, active);
                for number in 0..count {
                    let input = core::slice::from_raw_parts_mut(blocks, active);
                    match ahead {
                        true => self.runs.input_ahead(number, input),
                        false => self.runs.input(first + number, input),
                    }
                    (kernel.cipher)(slices, self.passes, self.decrypt, blocks);
                    let output = core::slice::from_raw_parts(blocks, active);
                    match ahead {
                        true => self.runs.output_ahead(number, output),
                        false => self.runs.output(first + number, output),
                    }
                }
                if ahead {
                    self.runs.write_behind(first, count, active);
                }
            }
            for lane in 0..active {
                self.runs.advance(lane, fewest);
                self.left[lane] -= fewest;
                if self.left[lane] == 0 {
                    self.ended[self.ends] = lane as u16;
                    self.ends += 1;
                    self.buffers.end(self.numbers[lane], source);
                }
            }
        }
    }

    /// Gives lanes to the buffers that wait, as long as there are both, and frees the other lanes
    /// whose runs are over. Returns `true` if a lane is in use.
    ///
    /// # Safety
    /// The tasks of the buffers that wait are good, as [`Lanes::Task`] defines it.
    #[inline(always)]
    unsafe fn fill(&mut self) -> bool {
        // How long runs should be for what waits to fill all lanes.
        let longest = self.buffers.backlog().div_ceil(self.width).clamp(1, LONGEST_RUN);
        let mut refilled = 0;
        while let Some(first) = self.buffers.first()
            && (refilled < self.ends || self.active < self.width)
        {
            // SAFETY: the task is good, by this function's contract, so that its key is alive.
            let words = unsafe { first.words(self.decrypt) };
            let (mut rest, mut runs) = (first.rest(), 0);
            while !rest.is_empty() && (refilled < self.ends || self.active < self.width) {
                let lane = match refilled < self.ends {
                    true => usize::from(self.ended[refilled]),
                    false => self.active,
                };
                refilled += usize::from(lane != self.active);
                self.active += usize::from(lane == self.active);
                runs += 1;
                // SAFETY: the task is good, by this function's contract, and the rest is not empty.
                let run = unsafe { rest.cut(longest) };
                self.runs.put(lane, &run);
                self.left[lane] = run.blocks;
                self.numbers[lane] = first.number;
                self.keys.put(lane, first.key(), &words);
            }
            self.buffers.went_on(rest, runs);
        }
        // The last first: what moves to their places is in use.
        while self.ends > refilled {
            self.ends -= 1;
            self.vacate(self.ended[self.ends].into());
        }
        self.ends = 0;
        self.active > 0
    }

    /// Wipes keys and blocks of the lanes that were in use. None is any more.
    fn wipe(&mut self) {
        let lanes = self.keys.forget();
        DesLine::wipe(&mut self.blocks[..lanes / 8]);
    }

    /// Frees a lane; the last lane in use moves to its place.
    #[inline(always)]
    fn vacate(&mut self, lane: usize) {
        self.active -= 1;
        let last = self.active;
        if lane != last {
            self.runs.copy(last, lane);
            self.left[lane] = self.left[last];
            self.numbers[lane] = self.numbers[last];
            self.keys.copy(last, lane);
        }
    }
}

impl Drop for DesLanes {
    fn drop(&mut self) {
        self.classes.iter_mut().for_each(|class| DesLine::wipe(&mut class.blocks));
    }
}
