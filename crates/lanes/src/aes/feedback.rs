//! The scheduler of feedback modes (CFB and OFB), whose buffers may end with a part of a block.
//!
//! The whole blocks of a buffer are a chain, which CBC's scheduler takes with the kernel of the
//! mode. The part behind them is ciphered as counter mode ciphers it: the block before it takes the
//! place of the counter block.

use crate::aes::lanes::{CbcLanes, CbcTask, Direction};
use crate::aes::select;
use crate::cpu::Cpu;
use crate::kernels::aes::cbc::CbcKernel;
use crate::kernels::aes::ctr::CtrKernel;
use crate::kernels::aes::key::{Block, BlockWords};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// Buffers that are handed to CBC's scheduler in one call.
const GATHERED: usize = 64;

/// One buffer, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the task of its whole blocks is good, and the
/// buffers go on for `part` bytes behind these.
#[derive(Clone, Copy)]
pub struct FeedbackTask<K> {
    /// The whole blocks.
    pub(super) whole: CbcTask,
    /// Bytes behind them.
    pub(super) part: usize,
    /// What the mode keeps of the text until the whole blocks are ciphered.
    pub(super) kept: K,
}

/// What a feedback mode does with the part of a block at the end of a buffer.
pub trait Feedback: Send + 'static {
    /// What a task keeps of the text until its whole blocks are ciphered.
    type Kept: Copy + Default;

    /// Returns the kernel of the mode for a CPU.
    fn kernel(cpu: &Cpu) -> &'static CbcKernel;

    /// Does what must be done before the whole blocks of a task are ciphered.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it, and none of it is ciphered.
    /// - The kernel is for this CPU.
    unsafe fn before(task: &mut FeedbackTask<Self::Kept>, kernel: &CtrKernel);

    /// Does what is left to do when the whole blocks of a task are ciphered.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it, and its whole blocks are ciphered.
    /// - [`before`](Feedback::before) was called for it.
    /// - The kernel is for this CPU.
    unsafe fn after(task: &mut FeedbackTask<Self::Kept>, kernel: &CtrKernel);
}

/// The scheduler of the buffers of a feedback mode onto the lanes of its kernel.
pub struct FeedbackLanes<M: Feedback> {
    whole: CbcLanes,
    ctr: &'static CtrKernel,
    tasks: [FeedbackTask<M::Kept>; GATHERED],
    ids: [u32; GATHERED],
}

// SAFETY: the pointers in `tasks` are only used during a call, which writes them first.
unsafe impl<M: Feedback> Send for FeedbackLanes<M> {}

impl<M: Feedback> Lanes for FeedbackLanes<M> {
    type Task = FeedbackTask<M::Kept>;

    fn new(cpu: &Cpu) -> Self {
        let (src, dst) = (core::ptr::null(), core::ptr::null_mut());
        let (key, direction) = (core::ptr::null(), Direction::Encrypt);
        let whole = CbcTask { key, iv: BlockWords::ZERO, src, dst, blocks: 0, direction };
        let none = FeedbackTask { whole, part: 0, kept: M::Kept::default() };
        FeedbackLanes {
            whole: CbcLanes::with(M::kernel(cpu)),
            ctr: select::ctr(cpu),
            tasks: [none; _],
            ids: [0; _],
        }
    }

    fn lanes(&self) -> usize {
        self.whole.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.whole.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>) {
        let FeedbackLanes { whole, ctr, tasks, ids } = self;
        loop {
            let mut count = 0;
            for (place, number) in tasks.iter_mut().zip(&mut *ids) {
                let taken = source.next(|id, task| {
                    *place = *task;
                    *number = id;
                });
                if taken.is_none() {
                    break;
                }
                // SAFETY: the task is good by the contract of `run`, nothing of it is ciphered yet,
                // and the kernel is for this CPU.
                unsafe { M::before(place, ctr) };
                count += 1;
            }
            let tasks = &mut tasks[..count];
            // SAFETY: the tasks were taken in this call and are good until they are reported done,
            // which happens after this; all of them are complete when `run` returns.
            unsafe { whole.run(&mut Gathered(tasks.iter().map(|task| &task.whole))) };
            for (task, id) in tasks.iter_mut().zip(&*ids) {
                // SAFETY: the task is good until it is reported done below, its whole blocks are
                // ciphered, `before` was called for it, and the kernel is for this CPU.
                unsafe { M::after(task, ctr) };
                source.done(*id);
            }
            if count < GATHERED {
                return;
            }
        }
    }
}

impl<K> FeedbackTask<K> {
    /// Makes a task of a text.
    #[inline(always)]
    pub(super) fn new(whole: CbcTask, part: usize, kept: K) -> Self {
        FeedbackTask { whole, part, kept }
    }

    /// Ciphers the part behind the whole blocks with the block before it.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - The kernel is for this CPU.
    #[inline(always)]
    pub(super) unsafe fn cipher_part(&self, before: &Block, kernel: &CtrKernel) {
        let CbcTask { key, src, dst, blocks, .. } = self.whole;
        // SAFETY: the task is good by this function's contract, so that the buffers have `part`
        // bytes behind `blocks` blocks and the key is valid.
        unsafe {
            (kernel.cipher)(&*key, before, src.add(16 * blocks), dst.add(16 * blocks), self.part);
        }
    }
}

/// The whole blocks of tasks, in the form that CBC's scheduler takes. The scheduler need not report
/// them, because all are done when it returns. The tasks are lent: a kernel that loads the IV of a
/// copy would wait until the copy is in the cache, and with it for everything stored before it, so
/// that no two buffers would overlap.
struct Gathered<I>(I);

impl<'t, I: Iterator<Item = &'t CbcTask>> Source<CbcTask> for Gathered<I> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &CbcTask) -> R) -> Option<R> {
        Some(take(0, self.0.next()?))
    }

    #[inline(always)]
    fn done(&mut self, _: u32) {}
}
