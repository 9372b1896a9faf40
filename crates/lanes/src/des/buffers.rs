//! Incomplete buffers: the parts that are not in lanes yet, in the order of arrival.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use super::key::DesKey;
use super::mode::{BLOCK, DesMode, DesRun, read};
use crate::bits::MAX_BIT_LANES;
use crate::buffer::Span;
use crate::manager::Source;
use crate::slab::Slab;

/// The most blocks of a run that could be shorter: enough for a change of keys to be cheap.
pub(super) const LONGEST_RUN: usize = 8;

/// One buffer, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct DesTask {
    key: *const DesKey,
    /// Its whole blocks.
    whole: DesRun,
    /// Bytes after those.
    tail: usize,
}

impl DesTask {
    /// Makes a run of a buffer, with what its first block is chained to ([`DesRun::chain`]). Only
    /// in counter mode need the last block not be whole.
    #[inline(always)]
    pub(super) fn new(mode: DesMode, key: *const DesKey, chain: u64, text: Span) -> Self {
        let Span { src, dst, len } = text;
        let whole = DesRun { mode, src, dst, blocks: len / BLOCK, chain };
        DesTask { key, whole, tail: len % BLOCK }
    }

    /// Returns `true` if there is nothing to do.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.whole.blocks + self.tail == 0
    }

    /// Returns the passes of the cipher: 1 or 3.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
    #[inline(always)]
    pub(super) unsafe fn passes(&self) -> usize {
        // SAFETY: the task is good, by this function's contract, so that its key is alive.
        unsafe { (*self.key).passes() }
    }

    /// Returns `true` if the cipher runs backwards.
    #[inline(always)]
    pub(super) fn decrypts(&self) -> bool {
        self.whole.mode.decrypts()
    }
}

/// The buffers of one class.
pub(super) struct DesBuffers {
    slots: Box<[DesSlot]>,
    /// By slot: a buffer's last bytes, with others to make a block, which a lane reads and writes.
    padded: Slab<[u8; BLOCK]>,
    /// Slots that are free: the first `free`.
    free_slots: Box<[u16]>,
    free: usize,
    /// Slots of buffers that are not all in lanes: a ring.
    waiting: Box<[u16]>,
    first: usize,
    waits: usize,
    /// Blocks of those; for a chain as many as the longest run has.
    backlog: usize,
    /// A backlog that keeps all lanes busy for some steps.
    much: usize,
}

// Slots, twice as many as lanes, are numbered by `u16`.
const _: () = assert!(2 * MAX_BIT_LANES <= 1 << u16::BITS);

/// A buffer, and where it stands.
#[derive(Clone, Copy)]
struct DesSlot {
    task: DesTask,
    rest: DesRest,
    id: u32,
    /// Lanes that have a run of it.
    in_lanes: usize,
}

/// The part of a buffer that is not in lanes yet.
#[derive(Clone, Copy)]
pub(super) struct DesRest {
    run: DesRun,
    /// The block that its last bytes are in, if they make none; else null.
    padded: *mut [u8; BLOCK],
}

/// The buffer that has waited longest.
pub(super) struct First {
    pub number: u16,
    key: *const DesKey,
    rest: DesRest,
}

impl DesBuffers {
    /// Makes an empty set for so many lanes.
    pub fn new(width: usize) -> Self {
        let task = DesTask::new(DesMode::EcbEncrypt, core::ptr::null(), 0, Span::in_place(&mut []));
        let rest = DesRest { run: task.whole, padded: core::ptr::null_mut() };
        let empty = DesSlot { task, rest, id: 0, in_lanes: 0 };
        let slots = 2 * width;
        let mut padded = Slab::new(slots);
        (0..slots).for_each(|slot| padded.put(slot, [0; BLOCK]));
        DesBuffers {
            slots: vec![empty; slots].into(),
            padded,
            free_slots: (0..slots as u16).collect(),
            free: slots,
            waiting: vec![0; slots].into(),
            first: 0,
            waits: 0,
            backlog: 0,
            much: width * LONGEST_RUN,
        }
    }

    /// Returns `true` if there is work for some steps, or no room for more.
    #[inline(always)]
    pub fn are_many(&self) -> bool {
        self.backlog >= self.much || self.free == 0
    }

    /// Returns how many blocks wait for lanes, about.
    #[inline(always)]
    pub fn backlog(&self) -> usize {
        self.backlog
    }

    /// Takes a task that is not empty.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it, until it is
    /// reported done.
    #[inline(always)]
    pub unsafe fn add(&mut self, id: u32, task: &DesTask) {
        self.free -= 1;
        let number = self.free_slots[self.free];
        let DesTask { whole, tail, .. } = *task;
        let mut padded = core::ptr::null_mut();
        if tail > 0 {
            padded = self.padded.slot(number.into());
            // SAFETY: the task is good, by this function's contract, so that the source has `tail`
            // bytes behind its whole blocks, less than a block of them; the slot has room for a
            // block.
            unsafe {
                whole.src.add(BLOCK * whole.blocks).copy_to_nonoverlapping(padded.cast(), tail)
            };
        }
        let rest = DesRest { run: whole, padded };
        self.slots[usize::from(number)] = DesSlot { task: *task, rest, id, in_lanes: 0 };
        self.backlog += rest.weight();
        let mut at = self.first + self.waits;
        if at >= self.waiting.len() {
            at -= self.waiting.len();
        }
        self.waiting[at] = number;
        self.waits += 1;
    }

    /// Returns the buffer that has waited longest.
    #[inline(always)]
    pub fn first(&self) -> Option<First> {
        if self.waits == 0 {
            return None;
        }
        let number = self.waiting[self.first];
        let DesSlot { task, rest, .. } = &self.slots[usize::from(number)];
        Some(First { number, key: task.key, rest: *rest })
    }

    /// Notes that so many lanes got runs of the first buffer, and what is left of it.
    #[inline(always)]
    pub fn went_on(&mut self, rest: DesRest, runs: usize) {
        let slot = &mut self.slots[usize::from(self.waiting[self.first])];
        self.backlog -= slot.rest.weight();
        self.backlog += rest.weight();
        slot.rest = rest;
        slot.in_lanes += runs;
        if rest.is_empty() {
            self.first += 1;
            if self.first == self.waiting.len() {
                self.first = 0;
            }
            self.waits -= 1;
        }
    }

    /// Notes that a run of a buffer is over, and reports the task if it was the last one.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
    #[inline(always)]
    pub unsafe fn end(&mut self, number: u16, source: &mut impl Source<DesTask>) {
        let slot = &mut self.slots[usize::from(number)];
        slot.in_lanes -= 1;
        if slot.in_lanes == 0 && slot.rest.is_empty() {
            let DesTask { whole, tail, .. } = slot.task;
            let padded = self.padded.slot(number.into());
            // SAFETY: the task is good, by this function's contract, so that the destination has
            // `tail` bytes behind its whole blocks, less than a block of them.
            unsafe {
                let to = whole.dst.add(BLOCK * whole.blocks);
                to.copy_from_nonoverlapping(padded.cast_const().cast(), tail);
            }
            source.done(slot.id);
            self.free_slots[self.free] = number;
            self.free += 1;
        }
    }
}

impl First {
    #[inline(always)]
    pub fn key(&self) -> *const DesKey {
        self.key
    }

    #[inline(always)]
    pub fn rest(&self) -> DesRest {
        self.rest
    }

    /// Returns the keys of the passes, as integers.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
    #[inline(always)]
    pub unsafe fn words(&self, decrypt: bool) -> [u64; 3] {
        // SAFETY: the task is good, by this function's contract, so that its key is alive.
        unsafe { (*self.key).words(decrypt) }
    }
}

impl DesRest {
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.run.blocks == 0 && self.padded.is_null()
    }

    /// Returns how much it counts in the backlog.
    #[inline(always)]
    fn weight(&self) -> usize {
        let blocks = self.run.blocks + usize::from(!self.padded.is_null());
        if self.run.mode.is_serial() { blocks.min(LONGEST_RUN) } else { blocks }
    }

    /// Takes off the next blocks: all of them if they chain, and otherwise at most `longest`; the
    /// padded block comes last, by itself.
    ///
    /// # Safety
    /// - The rest is not empty.
    /// - Its task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
    #[inline(always)]
    pub unsafe fn cut(&mut self, longest: usize) -> DesRun {
        let mut run = self.run;
        if run.blocks == 0 {
            (run.src, run.dst) = (self.padded.cast_const().cast(), self.padded.cast());
            run.blocks = 1;
            self.padded = core::ptr::null_mut();
            return run;
        }
        if !run.mode.is_serial() {
            run.blocks = run.blocks.min(longest);
        }
        let rest = &mut self.run;
        rest.blocks -= run.blocks;
        // SAFETY: the source is readable up to the end of the run, because the task is good by this
        // function's contract, and the run has at least one block.
        unsafe {
            rest.src = rest.src.add(BLOCK * run.blocks);
            rest.dst = rest.dst.add(BLOCK * run.blocks);
            match rest.mode {
                // Read now: in place, it will be gone when its turn comes.
                DesMode::CbcDecrypt => rest.chain = read(rest.src.sub(BLOCK)),
                DesMode::Counter => rest.chain = rest.chain.wrapping_add(run.blocks as u64),
                _ => {}
            }
        }
        run
    }
}

impl Drop for DesBuffers {
    fn drop(&mut self) {
        for (number, slot) in self.slots.iter_mut().enumerate() {
            slot.rest.run.chain.zeroize();
            slot.task.whole.chain.zeroize();
            // SAFETY: all slots are full, and no lane uses one any more.
            unsafe { (*self.padded.slot(number)).zeroize() };
        }
    }
}
