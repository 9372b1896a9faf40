//! The scheduler of buffers onto the lanes of a kernel.
//!
//! CBC encryption chains within a buffer, which gets one lane for the whole of it. In all other modes the
//! blocks of a buffer do not wait for each other: it is cut into runs of a few blocks, as long as they may
//! be with all lanes full, since a change of keys costs a fifth of a step. Lanes that empty get the next
//! run or buffer.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use super::cipher::SLICES;
use super::key::DesKey;
use super::mode::{BLOCK, Mode, Run, read};
use super::{DesKernel, select};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};

/// One buffer, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct DesTask {
    key: *const DesKey,
    /// All of it that is not in lanes yet.
    rest: Run,
}

impl DesTask {
    /// A buffer of `len` bytes, and what its first block is chained to ([`Run::chain`]).
    #[inline(always)]
    pub(super) fn new(
        mode: Mode,
        key: *const DesKey,
        chain: u64,
        src: *const u8,
        dst: *mut u8,
        len: usize,
    ) -> Self {
        let (left, tail) = (len.div_ceil(BLOCK), (len % BLOCK) as u8);
        DesTask { key, rest: Run { mode, tail, src, dst, left, chain } }
    }
}

/// The most blocks of a run that could be shorter: enough for a change of keys to be cheap.
const LONGEST_RUN: usize = 8;

/// The scheduler of DES and triple DES: lanes with as many passes in the same direction run together.
pub struct DesLanes {
    kernels: &'static [DesKernel],
    /// By the number of passes and the direction.
    classes: [Class; 4],
    occupancy: Occupancy,
}

/// The lanes of one kind. Lanes `0..active` are in use.
struct Class {
    passes: usize,
    decrypt: bool,
    /// Of the widest kernel.
    width: usize,
    active: usize,
    lanes: Box<[Lane]>,
    /// The lanes' keys as integers, pass by pass.
    words: Box<[u64]>,
    slices: Box<[Line]>,
    /// The kernel that the slices are for, by its lanes; 0 if they are not those of the lanes' keys.
    sliced: usize,
    blocks: Box<[Line]>,
    slots: Box<[Slot]>,
    /// Slots that are free: the first `free`.
    free_slots: Box<[u16]>,
    free: usize,
    /// Slots of buffers that are not all in lanes: a ring.
    waiting: Box<[u16]>,
    first_waiting: usize,
    waits: usize,
    /// Blocks of those, of chains as many as the longest run has.
    backlog: usize,
}

#[derive(Clone, Copy)]
struct Lane {
    run: Run,
    /// Whose words are in place: compared, never read. `null` if that cannot be told.
    key: *const DesKey,
    slot: u16,
}

/// A buffer that was taken and is not complete.
#[derive(Clone, Copy)]
struct Slot {
    task: DesTask,
    id: u32,
    /// Lanes that have a run of it.
    in_lanes: u16,
}

/// Registers are loaded and stored within lines of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with this.
unsafe impl Send for DesLanes {}

impl Lanes for DesLanes {
    type Task = DesTask;
    const SORT_STREAMS: bool = true;

    fn new(cpu: &Cpu) -> Self {
        let kernels = select::kernels(cpu);
        let width = widest(kernels).lanes;
        let classes = [(1, false), (1, true), (3, false), (3, true)];
        let classes = classes.map(|(passes, decrypt)| Class::new(passes, decrypt, width));
        DesLanes { kernels, classes, occupancy: Occupancy::default() }
    }

    fn lanes(&self) -> usize {
        widest(self.kernels).lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<DesTask>, _: Goal) {
        let DesLanes { kernels, classes, occupancy } = self;
        classes.iter_mut().for_each(Class::forget_keys);
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                let taken = source.next(|id, task| {
                    let passes = (*task.key).passes();
                    let class = (passes - 1) | usize::from(task.rest.mode.decrypts());
                    match task.rest.left {
                        0 => Err(id),
                        _ => Ok({
                            classes[class].add(id, task);
                            class
                        }),
                    }
                });
                match taken {
                    None => break,
                    Some(Err(empty)) => source.done(empty),
                    Some(Ok(class)) => {
                        while classes[class].is_full() {
                            classes[class].step(kernels, occupancy, source);
                        }
                    }
                }
            }
            for class in classes {
                while class.waits + class.active > 0 {
                    class.step(kernels, occupancy, source);
                }
            }
        }
    }
}

fn widest(kernels: &'static [DesKernel]) -> &'static DesKernel {
    kernels.last().expect("there is a kernel for every CPU")
}

impl Class {
    fn new(passes: usize, decrypt: bool, width: usize) -> Self {
        let mode = Mode::EcbEncrypt;
        let task = DesTask::new(mode, core::ptr::null(), 0, core::ptr::null(), core::ptr::null_mut(), 0);
        let lines = |words: usize| vec![Line([0; 8]); words.div_ceil(8)].into();
        let slots = 2 * width;
        Class {
            passes,
            decrypt,
            width,
            active: 0,
            lanes: vec![Lane { run: task.rest, key: core::ptr::null(), slot: 0 }; width].into(),
            words: vec![0; passes * width].into(),
            slices: lines(passes * SLICES * (width / 64)),
            sliced: 0,
            blocks: lines(width),
            slots: vec![Slot { task, id: 0, in_lanes: 0 }; slots].into(),
            free_slots: (0..slots as u16).collect(),
            free: slots,
            waiting: vec![0; slots].into(),
            first_waiting: 0,
            waits: 0,
            backlog: 0,
        }
    }

    /// Whether there is work for some steps, or no room for more.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.backlog >= self.width * LONGEST_RUN || self.free == 0
    }

    /// Takes a task, which has blocks.
    #[inline(always)]
    fn add(&mut self, id: u32, task: &DesTask) {
        self.free -= 1;
        let slot = self.free_slots[self.free];
        self.slots[usize::from(slot)] = Slot { task: *task, id, in_lanes: 0 };
        let mut at = self.first_waiting + self.waits;
        if at >= self.waiting.len() {
            at -= self.waiting.len();
        }
        self.waiting[at] = slot;
        self.waits += 1;
        self.backlog += weight(&task.rest);
    }

    /// Gives waiting buffers the lanes that are free, and ciphers a block of every lane in use.
    ///
    /// # Safety
    /// A lane is in use or a buffer waits; tasks are good, and the kernels for this CPU.
    unsafe fn step(
        &mut self,
        kernels: &'static [DesKernel],
        occupancy: &mut Occupancy,
        source: &mut impl Source<DesTask>,
    ) {
        // SAFETY: the caller's; in lanes in use there is a block left.
        unsafe {
            let longest = self.longest_run();
            while self.active < self.width && self.waits > 0 {
                self.active += 1;
                self.start(self.active - 1, longest);
            }
            let kernel = kernels.iter().find(|kernel| self.active <= kernel.lanes);
            let kernel = kernel.unwrap_or(widest(kernels));
            occupancy.count(self.active, self.width, 1);
            self.slice_keys(kernel);
            let blocks = self.blocks.as_mut_ptr().cast::<u64>();
            for (i, lane) in self.lanes[..self.active].iter().enumerate() {
                blocks.add(i).write(lane.run.input());
            }
            (kernel.cipher)(self.slices.as_ptr().cast(), self.passes, self.decrypt, blocks);
            let longest = self.longest_run();
            for i in (0..self.active).rev() {
                let lane = &mut self.lanes[i];
                lane.run.output(blocks.add(i).read());
                if lane.run.left == 0 {
                    self.end(i, source);
                    match self.waits {
                        0 => self.vacate(i),
                        _ => self.start(i, longest),
                    }
                }
            }
        }
    }

    /// How long runs should be that are cut now: what waits should fill all lanes.
    #[inline(always)]
    fn longest_run(&self) -> usize {
        self.backlog.div_ceil(self.width).clamp(1, LONGEST_RUN)
    }

    /// Gives a lane the next run of the first buffer that waits.
    ///
    /// # Safety
    /// A buffer waits, and its task is good; the lane has no run.
    #[inline(always)]
    unsafe fn start(&mut self, lane: usize, longest: usize) {
        let number = self.waiting[self.first_waiting];
        let slot = &mut self.slots[usize::from(number)];
        let DesTask { key, rest } = &mut slot.task;
        self.backlog -= weight(rest);
        // SAFETY: the caller's; blocks are left.
        let run = unsafe { cut(rest, longest) };
        slot.in_lanes += 1;
        match rest.left {
            0 => {
                self.first_waiting += 1;
                if self.first_waiting == self.waiting.len() {
                    self.first_waiting = 0;
                }
                self.waits -= 1;
            }
            _ => self.backlog += weight(rest),
        }
        let key = *key;
        if self.lanes[lane].key != key {
            for (pass, words) in self.words.chunks_mut(self.width).enumerate() {
                // SAFETY: a task's key is valid.
                words[lane] = unsafe { (*key).word(pass, self.decrypt) };
            }
            self.sliced = 0;
        }
        self.lanes[lane] = Lane { run, key, slot: number };
    }

    /// Notes that a lane's run is over, and so perhaps its task.
    #[inline(always)]
    fn end(&mut self, lane: usize, source: &mut impl Source<DesTask>) {
        let number = self.lanes[lane].slot;
        let slot = &mut self.slots[usize::from(number)];
        slot.in_lanes -= 1;
        if slot.in_lanes == 0 && slot.task.rest.left == 0 {
            source.done(slot.id);
            self.free_slots[self.free] = number;
            self.free += 1;
        }
    }

    /// Frees a lane; the last lane in use moves to its place.
    #[inline(always)]
    fn vacate(&mut self, lane: usize) {
        self.active -= 1;
        let last = self.active;
        if lane != last {
            if self.lanes[lane].key != self.lanes[last].key {
                self.words.chunks_mut(self.width).for_each(|words| words[lane] = words[last]);
                self.sliced = 0;
            }
            self.lanes[lane] = self.lanes[last];
        }
    }

    /// Slices the lanes' keys for a kernel, unless they are.
    ///
    /// # Safety
    /// A lane is in use, and the kernel for this CPU.
    #[inline(always)]
    unsafe fn slice_keys(&mut self, kernel: &DesKernel) {
        if self.sliced == kernel.lanes {
            return;
        }
        self.sliced = kernel.lanes;
        let first = self.lanes[0].key;
        let (used, idle) = self.lanes.split_at_mut(self.active);
        let shared = used.iter().all(|lane| lane.key == first);
        if shared {
            idle.iter_mut().for_each(|lane| lane.key = first);
            self.words.chunks_mut(self.width).for_each(|words| {
                let word = words[0];
                words[used.len()..].fill(word);
            });
        }
        for (pass, words) in self.words.chunks(self.width).enumerate() {
            // SAFETY: there are slices for every pass, and words for all lanes; the rest is the caller's.
            unsafe {
                let slices = self.slices.as_mut_ptr().cast::<u64>();
                let slices = slices.add(pass * SLICES * (kernel.lanes / 64));
                match shared {
                    true => (kernel.slice_key)(words[0], slices),
                    false => (kernel.slice_keys)(words.as_ptr(), slices),
                }
            }
        }
    }

    /// Forgets whose keys the lanes have: between calls, keys may go and others take their places.
    fn forget_keys(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.key = core::ptr::null());
    }
}

/// How much a buffer, or what is left of it, counts in the backlog.
#[inline(always)]
fn weight(rest: &Run) -> usize {
    if rest.mode.is_serial() { LONGEST_RUN } else { rest.left }
}

/// Takes the next blocks off a buffer: all of them where they chain, else as many as there should be.
///
/// # Safety
/// The source is readable, and there is a block.
#[inline(always)]
unsafe fn cut(rest: &mut Run, longest: usize) -> Run {
    let mut run = *rest;
    if !rest.mode.is_serial() && rest.left > longest {
        run.left = longest;
        run.tail = 0;
        // SAFETY: there are more blocks than that.
        unsafe {
            rest.src = rest.src.add(BLOCK * longest);
            rest.dst = rest.dst.add(BLOCK * longest);
            match rest.mode {
                // Read now: in place, it will be gone when its turn comes.
                Mode::CbcDecrypt => rest.chain = read(rest.src.sub(BLOCK)),
                Mode::Counter => rest.chain = rest.chain.wrapping_add(longest as u64),
                _ => {}
            }
        }
        rest.left -= longest;
    } else {
        rest.left = 0;
    }
    run
}

impl Drop for DesLanes {
    fn drop(&mut self) {
        for class in &mut self.classes {
            class.words.zeroize();
            class.slices.iter_mut().chain(&mut class.blocks).for_each(|line| line.0.zeroize());
            class.lanes.iter_mut().for_each(|lane| lane.run.chain.zeroize());
            class.slots.iter_mut().for_each(|slot| slot.task.rest.chain.zeroize());
        }
    }
}
