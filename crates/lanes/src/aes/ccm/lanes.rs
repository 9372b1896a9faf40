//! The scheduler of CCM messages, and the loans for it.

use super::blocks;
use crate::aes::ctr::lanes::cipher;
use crate::aes::mac::chains::{MacChainTask, MacChains, MacCourse};
use crate::aes::select;
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::kernels::aes::bytes::load_bytes;
use crate::kernels::aes::ctr::CtrKernel;
use crate::kernels::aes::key::{AesKey, Block};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// One message, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the key is valid, the associated data are
/// readable for their length, the text's `src` is readable and `dst` writable for `len` bytes,
/// which are equal or apart, and `tag` is writable for its length, 16 bytes at most.
#[derive(Clone, Copy)]
pub struct CcmTask {
    pub(super) key: *const AesKey,
    /// The counter block with number zero, and the counter block of the first block of text.
    /// Kernels load each in one piece, and the two stores that wrote it must have left the core by
    /// then. A block made right before the call would stall the load.
    pub(super) counters: [Block; 2],
    pub(super) associated: (*const u8, usize),
    pub(super) text: Span,
    pub(super) tag: (*mut u8, usize),
    /// `true` if plaintext becomes ciphertext; the other direction if it is not set.
    pub(super) seals: bool,
}

/// The scheduler of CCM messages onto the lanes of the kernel for chains.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{AesKey, CcmJob, CcmLanes, Cpu, Planner};
///
/// let mut planner: Planner<CcmLanes> = Planner::new(&Cpu::detect());
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let job = CcmJob::seal(&key, &[1; 12], b"header", vec![0; 40], 8, ());
/// let mut jobs = [job.expect("lengths that CCM takes")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct CcmLanes(MacChains<CcmTask>);

impl Lanes for CcmLanes {
    type Task = CcmTask;

    fn new(cpu: &Cpu) -> Self {
        CcmLanes(MacChains::new(cpu, select::ctr(cpu)))
    }

    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<CcmTask>) {
        // SAFETY: the tasks are good until they are reported done, by this function's contract.
        unsafe { self.0.run(source) }
    }
}

impl CcmTask {
    /// Ciphers the text.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, and the kernel is for this CPU.
    #[inline(always)]
    unsafe fn cipher(&self, kernel: &CtrKernel) {
        let CcmTask { key, ref counters, text, .. } = *self;
        // SAFETY: the task is good by this function's contract, so that the key is valid and the
        // text's buffers have `len` bytes.
        unsafe { cipher(kernel, &*key, &counters[1], text) }
    }
}

impl MacChainTask for CcmTask {
    type Beside = &'static CtrKernel;

    #[inline(always)]
    fn key(&self) -> *const AesKey {
        self.key
    }

    #[inline(always)]
    unsafe fn begin(&self, kernel: &'static CtrKernel, chain: &mut MacCourse<'_, Self>) {
        let &CcmTask { associated: (associated, count), text, tag: (_, tag), seals, .. } = self;
        let Span { src, dst, len } = text;
        // SAFETY: the task is good by this function's contract, so that the associated data and
        // both buffers of the text are readable for their lengths. They stay so until the chain
        // ends. A text that is opened is plaintext at `dst` after it is ciphered. The kernel, the
        // scheduler's context, is for this CPU.
        unsafe {
            chain.block(blocks::first(u128::from_le_bytes(self.counters[0]), count > 0, tag, len));
            if count > 0 {
                let (length, taken) = blocks::length(count);
                let beside = count.min(16 - taken);
                chain.block(length | load_bytes(associated, beside) << (8 * taken));
                padded(chain, associated.add(beside), count - beside);
            }
            if !seals {
                self.cipher(kernel);
            }
            padded(chain, if seals { src } else { dst.cast_const() }, len);
        }
    }

    #[inline(always)]
    unsafe fn end(&self, kernel: &'static CtrKernel, state: &Block) {
        let CcmTask { key, ref counters, tag: (tag, tag_len), .. } = *self;
        // SAFETY: the task is good by this function's contract, so that the key is valid and `tag`
        // is writable for `tag_len` bytes; the state has 16 bytes, as many as the longest tag. The
        // kernel is for this CPU.
        unsafe {
            (kernel.cipher)(&*key, &counters[0], state.as_ptr(), tag, tag_len);
            if self.seals {
                self.cipher(kernel);
            }
        }
    }
}

/// Continues a chain over bytes, with zeros behind them up to a whole block.
///
/// # Safety
/// The `len` bytes at `from` are readable, and stay so until the chain ends.
#[inline(always)]
unsafe fn padded(chain: &mut MacCourse<'_, CcmTask>, from: *const u8, len: usize) {
    let part = len % 16;
    chain.text(from, len / 16);
    if part > 0 {
        // SAFETY: the last `part` of the `len` bytes are readable, by this function's contract.
        chain.block(unsafe { load_bytes(from.add(len - part), part) });
    }
}
