//! AES in CFB mode with segments of 128 bits (SP 800-38A, 6.3).
//!
//! Encryption is serial within a buffer, so each buffer gets a lane, as in CBC. Decryption takes
//! the blocks of one buffer side by side. The kernels are in `kernels/aes/cfb`.

use crate::aes::feedback::{Feedback, FeedbackLanes, FeedbackTask};
use crate::aes::lanes::{CbcTask, Direction};
use crate::aes::select;
use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::cpu::Cpu;
use crate::job::{Cipher, CipherJob};
use crate::kernels::aes::cbc::CbcKernel;
use crate::kernels::aes::ctr::CtrKernel;
use crate::kernels::aes::key::{AesKey, Block, BlockWords};
use crate::manager::Loan;

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
pub type CfbLanes = FeedbackLanes<CfbFeedback>;

/// CFB, for its scheduler.
pub struct CfbFeedback;

impl Feedback for CfbFeedback {
    type Kept = ();

    fn kernel(cpu: &Cpu) -> &'static CbcKernel {
        select::cfb(cpu)
    }

    #[inline(always)]
    unsafe fn before(task: &mut FeedbackTask<()>, kernel: &CtrKernel) {
        // In place, the ciphertext is there only until the whole blocks are decrypted.
        if task.whole.direction == Direction::Decrypt {
            // SAFETY: the task is good, its ciphertext is still at `src`, and the kernel is for
            // this CPU, by this function's contract.
            unsafe { end(task, kernel, task.whole.src) };
        }
    }

    #[inline(always)]
    unsafe fn after(task: &mut FeedbackTask<()>, kernel: &CtrKernel) {
        if task.whole.direction == Direction::Encrypt {
            // SAFETY: the task is good, its ciphertext is at `dst` now, and the kernel is for this
            // CPU, by this function's contract.
            unsafe { end(task, kernel, task.whole.dst.cast_const()) };
        }
    }
}

/// Ciphers the part behind the whole blocks, if there is one, with the block of ciphertext before
/// it. The ciphertext of the whole blocks is at `ciphertext`.
///
/// # Safety
/// - The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
/// - `ciphertext` is readable for its whole blocks.
/// - The kernel is for this CPU.
#[inline(always)]
unsafe fn end(task: &FeedbackTask<()>, kernel: &CtrKernel, ciphertext: *const u8) {
    if task.part == 0 {
        return;
    }
    // SAFETY: the task is good, `ciphertext` has its whole blocks, and the kernel is for this CPU,
    // by this function's contract.
    unsafe {
        let before: Block = match task.whole.blocks {
            0 => *task.whole.iv.block(),
            blocks => ciphertext.cast::<Block>().add(blocks - 1).read(),
        };
        task.cipher_part(&before, kernel);
    }
}

/// CFB under a key, one way, from an IV on.
#[derive(Clone, Copy)]
pub struct Cfb<'a> {
    key: &'a AesKey,
    iv: BlockWords,
    direction: Direction,
}

impl<'a> Cfb<'a> {
    #[inline(always)]
    fn new(direction: Direction, key: &'a AesKey, iv: &Block) -> Self {
        Cfb { key, iv: BlockWords::of(iv), direction }
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Cfb<'_> {
    type Lanes = CfbLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> FeedbackTask<()> {
        let Cfb { key, iv, direction } = *self;
        FeedbackTask::new(CbcTask { key, iv, src, dst, blocks: len / 16, direction }, len % 16, ())
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        match self.direction {
            Direction::Encrypt => len / 16,
            Direction::Decrypt => 0,
        }
    }
}

/// A buffer of any length to be encrypted or decrypted with AES in CFB mode, with segments of 128
/// bits (SP 800-38A, section 6.3); the last may be shorter.
///
/// For each message under one key, the IV must be unpredictable (SP 800-38A, appendix C). Two
/// messages under one IV reveal the difference of their first segments, and how far the texts are
/// equal.
///
/// ```
/// use broadloom_lanes::{AesKey, CfbJob, CfbLanes, Cpu, Planner};
///
/// let key = AesKey::new(&[7; 32])?;
/// let mut jobs = [CfbJob::encrypt(&key, [1; 16], vec![0; 20], ())];
/// Planner::<CfbLanes>::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([0; 20].as_slice()));
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub type CfbJob<'a, B, T = ()> = CipherJob<Cfb<'a>, B, T>;

impl<'a, B: CipherBuffer, T> CfbJob<'a, B, T> {
    /// Encrypts a buffer.
    pub fn encrypt(key: &'a AesKey, iv: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Cfb::new(Direction::Encrypt, key, &iv), buffer, user)
    }

    /// Decrypts a buffer.
    pub fn decrypt(key: &'a AesKey, iv: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Cfb::new(Direction::Decrypt, key, &iv), buffer, user)
    }
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
