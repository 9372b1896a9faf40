//! The scheduler of CFB buffers: that of CBC for whole blocks, and counter mode for the rest.

use super::job::Cfb;
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
pub struct CfbTask {
    /// The whole blocks.
    pub(super) whole: CbcTask,
    /// Bytes behind them.
    pub(super) part: usize,
}

/// The scheduler of CFB buffers onto the lanes of its kernel.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{AesKey, CfbJob, CfbLanes, Cpu, Planner};
///
/// let mut planner: Planner<CfbLanes> = Planner::new(&Cpu::detect());
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [CfbJob::encrypt(&key, [1; 16], vec![0; 40], ())];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct CfbLanes {
    whole: CbcLanes,
    ctr: &'static CtrKernel,
    tasks: [CfbTask; GATHERED],
    ids: [u32; GATHERED],
}

// SAFETY: `tasks` holds pointers only during a call.
unsafe impl Send for CfbLanes {}

impl Lanes for CfbLanes {
    type Task = CfbTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        let (src, dst) = (core::ptr::null(), core::ptr::null_mut());
        let (key, direction) = (core::ptr::null(), Direction::Encrypt);
        let none = CfbTask {
            whole: CbcTask { key, iv: BlockWords::ZERO, src, dst, blocks: 0, direction },
            part: 0,
        };
        let whole = CbcLanes::with(select::cfb(cpu));
        CfbLanes { whole, ctr: select::ctr(cpu), tasks: [none; _], ids: [0; _] }
    }

    fn lanes(&self) -> usize {
        self.whole.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.whole.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<CfbTask>, _: Goal) {
        let CfbLanes { whole, ctr, tasks, ids } = self;
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
                // In place, the ciphertext is there only until the whole blocks are decrypted.
                if place.whole.direction == Direction::Decrypt {
                    // SAFETY: the caller vouches for the task; the kernel is for this CPU.
                    unsafe { place.end(ctr, place.whole.src) };
                }
                count += 1;
            }
            let tasks = &tasks[..count];
            // SAFETY: the caller vouches for the tasks until they are done, and all of them are.
            unsafe { whole.run(&mut Gathered(tasks.iter().map(|task| &task.whole)), Goal::All) };
            for (task, id) in tasks.iter().zip(&*ids) {
                if task.whole.direction == Direction::Encrypt {
                    // SAFETY: as above.
                    unsafe { task.end(ctr, task.whole.dst.cast_const()) };
                }
                source.done(*id);
            }
            if count < GATHERED {
                return;
            }
        }
    }
}

impl CfbTask {
    /// Ciphers the part behind the whole blocks, if there is one: as a counter block is, the block
    /// before it is ciphered and added. Their ciphertext is at `ciphertext`.
    ///
    /// # Safety
    /// The task is good, and the kernel for this CPU.
    #[inline(always)]
    unsafe fn end(&self, kernel: &CtrKernel, ciphertext: *const u8) {
        let CfbTask { whole: CbcTask { key, ref iv, src, dst, blocks, .. }, part } = *self;
        if part == 0 {
            return;
        }
        // SAFETY: the caller's.
        unsafe {
            let before: Block = match blocks {
                0 => *iv.block(),
                _ => ciphertext.cast::<Block>().add(blocks - 1).read(),
            };
            (kernel.cipher)(&*key, &before, src.add(16 * blocks), dst.add(16 * blocks), part);
        }
    }
}

/// The whole blocks of tasks, as CBC's scheduler takes them. It need not report them: all are done
/// when it returns. It lends them: a kernel that loads the IV of a copy waits until the copy is in
/// the cache, and with it for all that is stored before, so that no two buffers overlap.
pub(in crate::aes) struct Gathered<I>(pub I);

impl<'t, I: Iterator<Item = &'t CbcTask>> Source<CbcTask> for Gathered<I> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &CbcTask) -> R) -> Option<R> {
        Some(take(0, self.0.next()?))
    }

    #[inline(always)]
    fn done(&mut self, _: u32) {}
}

impl<'a> Loan<'a, CfbLanes> {
    /// Encrypts a buffer of any length with AES in CFB mode, with segments of 128 bits (SP
    /// 800-38A, section 6.3); the last may be shorter.
    ///
    /// For each message under one key, the IV must be unpredictable (SP 800-38A, appendix C). Two
    /// messages under one IV reveal the difference of their first segments, and how far the texts
    /// are equal.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, CfbLanes, Cpu, Loan, Planner};
    ///
    /// let key = AesKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let ivs = [[3; 16], [4; 16]];
    /// let mut planner = Planner::<CfbLanes>::new(&Cpu::detect());
    /// let all = packets.iter_mut().zip(&ivs);
    /// planner.process_each(all.map(|(packet, iv)| Loan::cfb_encrypt(&key, iv, packet)));
    /// assert_ne!(packets[0], [1; 20]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    #[inline(always)]
    pub fn cfb_encrypt(key: &'a AesKey, iv: &[u8; 16], buffer: impl Into<Buffers<'a>>) -> Self {
        Cfb::new(Direction::Encrypt, key, iv).lend(buffer.into().span())
    }

    /// Decrypts a buffer.
    #[inline(always)]
    pub fn cfb_decrypt(key: &'a AesKey, iv: &[u8; 16], buffer: impl Into<Buffers<'a>>) -> Self {
        Cfb::new(Direction::Decrypt, key, iv).lend(buffer.into().span())
    }
}
