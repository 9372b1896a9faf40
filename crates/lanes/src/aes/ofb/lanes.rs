//! The scheduler of OFB buffers: that of CBC for whole blocks, and counter mode for the rest.

use zeroize::Zeroize;

use super::job::Ofb;
use crate::aes::cfb::Gathered;
use crate::aes::ctr::CtrKernel;
use crate::aes::key::{AesKey, Block, BlockWords};
use crate::aes::lanes::{CbcLanes, CbcTask, Direction};
use crate::aes::select;
use crate::buffer::Buffers;
use crate::cpu::Cpu;
use crate::job::Cipher;
use crate::manager::{Goal, Lanes, Loan, Occupancy, Source};

/// Buffers that are handed to CBC's scheduler in one call.
const GATHERED: usize = 64;

/// One buffer, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct OfbTask {
    /// The whole blocks.
    pub(super) whole: CbcTask,
    /// Bytes behind them.
    pub(super) part: usize,
    /// A copy of the last whole block, if there are bytes behind it.
    pub(super) last: u128,
}

/// The scheduler of OFB buffers onto the lanes of its kernel.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, OfbJob, OfbLanes, Planner};
///
/// let mut planner: Planner<OfbLanes> = Planner::new(&Cpu::detect());
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [OfbJob::ofb(&key, [1; 16], vec![0; 40], ())];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct OfbLanes {
    whole: CbcLanes,
    ctr: &'static CtrKernel,
    tasks: [OfbTask; GATHERED],
    ids: [u32; GATHERED],
}

// SAFETY: `tasks` holds pointers only during a call.
unsafe impl Send for OfbLanes {}

impl Lanes for OfbLanes {
    type Task = OfbTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        let (src, dst) = (core::ptr::null(), core::ptr::null_mut());
        let (key, direction) = (core::ptr::null(), Direction::Encrypt);
        let whole = CbcTask { key, iv: BlockWords::ZERO, src, dst, blocks: 0, direction };
        let none = OfbTask { whole, part: 0, last: 0 };
        let whole = CbcLanes::with(select::ofb(cpu));
        OfbLanes { whole, ctr: select::ctr(cpu), tasks: [none; _], ids: [0; _] }
    }

    fn lanes(&self) -> usize {
        self.whole.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.whole.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<OfbTask>, _: Goal) {
        let OfbLanes { whole, ctr, tasks, ids } = self;
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
                // SAFETY: the caller vouches for the task.
                unsafe { place.keep_last() };
                count += 1;
            }
            let tasks = &mut tasks[..count];
            // SAFETY: the caller vouches for the tasks until they are done, and all of them are.
            unsafe { whole.run(&mut Gathered(tasks.iter().map(|task| &task.whole)), Goal::All) };
            for (task, id) in tasks.iter_mut().zip(&*ids) {
                // SAFETY: as above; the kernel is for this CPU.
                unsafe { task.end(ctr) };
                source.done(*id);
            }
            if count < GATHERED {
                return;
            }
        }
    }
}

impl OfbTask {
    /// Keeps a copy of the last whole block: in place, the block is soon overwritten.
    ///
    /// # Safety
    /// The task is good.
    #[inline(always)]
    unsafe fn keep_last(&mut self) {
        let CbcTask { src, blocks, .. } = self.whole;
        if self.part > 0 && blocks > 0 {
            // SAFETY: the caller's.
            self.last = unsafe { src.cast::<u128>().add(blocks - 1).read_unaligned() };
        }
    }

    /// Ciphers the part behind the whole blocks, if there is one: as a counter block is, the block
    /// of key stream before it is ciphered and added. That block is what the last whole block was
    /// changed by.
    ///
    /// # Safety
    /// The task is good, its whole blocks are ciphered, and the kernel is for this CPU.
    #[inline(always)]
    unsafe fn end(&mut self, kernel: &CtrKernel) {
        let OfbTask { whole: CbcTask { key, ref iv, src, dst, blocks, .. }, part, ref mut last } =
            *self;
        if part == 0 {
            return;
        }
        // SAFETY: the caller's.
        unsafe {
            let mut before: Block = match blocks {
                0 => *iv.block(),
                _ => (dst.cast::<u128>().add(blocks - 1).read_unaligned() ^ *last).to_ne_bytes(),
            };
            (kernel.cipher)(&*key, &before, src.add(16 * blocks), dst.add(16 * blocks), part);
            before.zeroize();
        }
        last.zeroize();
    }
}

impl<'a> Loan<'a, OfbLanes> {
    /// Encrypts or decrypts a buffer of any length with AES in OFB mode (SP 800-38A,
    /// section 6.4), which are the same; the last block may be shorter.
    ///
    /// No IV may be used twice under one key: two such ciphertexts reveal the difference of their
    /// plaintexts.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, Cpu, Loan, OfbLanes, Planner};
    ///
    /// let key = AesKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let ivs = [[3; 16], [4; 16]];
    /// let mut planner = Planner::<OfbLanes>::new(&Cpu::detect());
    /// let loans = packets.iter_mut().zip(&ivs).map(|(packet, iv)| Loan::ofb(&key, iv, packet));
    /// planner.process_each(loans);
    /// assert_ne!(packets[0], [1; 20]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    #[inline(always)]
    pub fn ofb(key: &'a AesKey, iv: &[u8; 16], buffer: impl Into<Buffers<'a>>) -> Self {
        Ofb::new(key, iv).lend(buffer.into().span())
    }
}
