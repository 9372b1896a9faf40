//! AES in OFB mode (SP 800-38A, 6.4): a key stream whose blocks are each the encryption of the
//! block before.
//!
//! OFB is serial within a buffer, so each buffer gets a lane, as in CFB encryption. Both directions
//! are the same. The kernels are in `kernels/aes/ofb`.

use zeroize::Zeroize;

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
pub type OfbLanes = FeedbackLanes<OfbFeedback>;

/// OFB, for its scheduler. A task keeps its last whole block, if there are bytes behind it.
pub struct OfbFeedback;

impl Feedback for OfbFeedback {
    type Kept = u128;

    fn kernel(cpu: &Cpu) -> &'static CbcKernel {
        select::ofb(cpu)
    }

    /// Keeps a copy of the last whole block: in place, the block is soon overwritten.
    #[inline(always)]
    unsafe fn before(task: &mut FeedbackTask<u128>, _: &CtrKernel) {
        let CbcTask { src, blocks, .. } = task.whole;
        if task.part > 0 && blocks > 0 {
            // SAFETY: the task is good by this function's contract, so that `src` is readable for
            // `blocks` blocks.
            task.kept = unsafe { src.cast::<u128>().add(blocks - 1).read_unaligned() };
        }
    }

    /// Ciphers the part behind the whole blocks, if there is one, with the block of key stream
    /// before it, which is the exclusive or of the last whole block before and after ciphering.
    #[inline(always)]
    unsafe fn after(task: &mut FeedbackTask<u128>, kernel: &CtrKernel) {
        if task.part == 0 {
            return;
        }
        let CbcTask { ref iv, dst, blocks, .. } = task.whole;
        // SAFETY: the task is good, and the kernel is for this CPU, by this function's contract;
        // `dst` has the last whole block, which is ciphered.
        unsafe {
            let mut before: Block = match blocks {
                0 => *iv.block(),
                _ => {
                    let ciphered = dst.cast::<u128>().add(blocks - 1).read_unaligned();
                    (ciphered ^ task.kept).to_ne_bytes()
                }
            };
            task.cipher_part(&before, kernel);
            before.zeroize();
        }
        task.kept.zeroize();
    }
}

/// OFB under a key, from an IV on.
#[derive(Clone, Copy)]
pub struct Ofb<'a> {
    key: &'a AesKey,
    iv: BlockWords,
}

impl<'a> Ofb<'a> {
    #[inline(always)]
    fn new(key: &'a AesKey, iv: &Block) -> Self {
        Ofb { key, iv: BlockWords::of(iv) }
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Ofb<'_> {
    type Lanes = OfbLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> FeedbackTask<u128> {
        let Ofb { key, iv } = *self;
        let direction = Direction::Encrypt;
        FeedbackTask::new(CbcTask { key, iv, src, dst, blocks: len / 16, direction }, len % 16, 0)
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        len / 16
    }
}

/// A buffer of any length to be encrypted or decrypted with AES in OFB mode (SP 800-38A, section
/// 6.4), which are the same; the last block may be shorter.
///
/// No IV may be used twice under one key: two such ciphertexts reveal the difference of their
/// plaintexts.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, OfbJob, OfbLanes, Planner};
///
/// let key = AesKey::new(&[7; 32])?;
/// let mut jobs = [OfbJob::ofb(&key, [1; 16], vec![0; 20], ())];
/// Planner::<OfbLanes>::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([0; 20].as_slice()));
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub type OfbJob<'a, B, T = ()> = CipherJob<Ofb<'a>, B, T>;

impl<'a, B: CipherBuffer, T> OfbJob<'a, B, T> {
    /// Ciphers a buffer.
    pub fn ofb(key: &'a AesKey, iv: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Ofb::new(key, &iv), buffer, user)
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
