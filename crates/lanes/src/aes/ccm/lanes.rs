//! The scheduler of CCM messages, and the loans for it.

use super::job::Ccm;
use super::{CcmError, blocks};
use crate::aes::bytes::load_bytes;
use crate::aes::ctr::CtrKernel;
use crate::aes::ctr::lanes::cipher;
use crate::aes::key::{AesKey, Block};
use crate::aes::mac::chains::{ChainTask, Chains, Course};
use crate::aes::select;
use crate::buffer::{Buffers, Span};
use crate::cpu::Cpu;
use crate::job::{Aead, Parts};
use crate::manager::{Goal, Lanes, Loan, Occupancy, Source};

/// One message, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
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
    /// Plaintext to ciphertext, not back.
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
pub struct CcmLanes(Chains<CcmTask>);

impl Lanes for CcmLanes {
    type Task = CcmTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        CcmLanes(Chains::new(cpu, select::ctr(cpu)))
    }

    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<CcmTask>, _: Goal) {
        // SAFETY: the caller's.
        unsafe { self.0.run(source) }
    }
}

impl CcmTask {
    /// # Safety
    /// The task is good, and the kernel for this CPU.
    #[inline(always)]
    unsafe fn cipher(&self, kernel: &CtrKernel) {
        let CcmTask { key, ref counters, text, .. } = *self;
        // SAFETY: the caller's.
        unsafe { cipher(kernel, &*key, &counters[1], text) }
    }
}

impl ChainTask for CcmTask {
    type Beside = &'static CtrKernel;

    #[inline(always)]
    fn key(&self) -> *const AesKey {
        self.key
    }

    #[inline(always)]
    unsafe fn begin(&self, kernel: &'static CtrKernel, chain: &mut Course<'_, Self>) {
        let &CcmTask { associated: (associated, count), text, tag: (_, tag), seals, .. } = self;
        let Span { src, dst, len } = text;
        // SAFETY: the caller's: both texts and the associated data are as long as they say. What is
        // opened is plaintext once it is ciphered.
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
        // SAFETY: the caller's; the state has more bytes than the tag.
        unsafe {
            (kernel.cipher)(&*key, &counters[0], state.as_ptr(), tag, tag_len);
            if self.seals {
                self.cipher(kernel);
            }
        }
    }
}

/// Has a chain go on over bytes, with zeros up to a whole block behind them.
///
/// # Safety
/// The bytes are readable, and stay so until the chain ends.
#[inline(always)]
unsafe fn padded(chain: &mut Course<'_, CcmTask>, from: *const u8, len: usize) {
    let part = len % 16;
    chain.text(from, len / 16);
    if part > 0 {
        // SAFETY: the caller's; the last bytes.
        chain.block(unsafe { load_bytes(from.add(len - part), part) });
    }
}

impl<'a> Loan<'a, CcmLanes> {
    /// Encrypts a text with AES-CCM (SP 800-38C, RFC 3610), and writes its tag, whose
    /// length counts: 4 to 16 bytes, an even number. The nonce has 7 to 13 bytes; what it leaves of
    /// 15 bytes says how long the text may be, so that with 13 bytes of nonce it has at most
    /// 65,535.
    ///
    /// No nonce may be used twice under one key: two such messages reveal the difference of their
    /// plaintexts. No key may be used for more than 2^61 blocks.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, CcmError, CcmLanes, Cpu, Loan, Planner};
    ///
    /// let key = AesKey::new(&[7; 16]).expect("16 bytes");
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 8]; 2];
    /// let mut planner = Planner::<CcmLanes>::new(&Cpu::detect());
    /// let all = packets.iter_mut().zip(&mut tags).zip(0u8..);
    /// let loans: Result<Vec<_>, CcmError> = all
    ///     .map(|((packet, tag), n)| {
    ///         Loan::<CcmLanes>::seal(&key, &[n; 13], b"header", packet, tag)
    ///     })
    ///     .collect();
    /// planner.process_each(loans?);
    /// assert_ne!(tags[0], tags[1]);
    /// # Ok::<(), CcmError>(())
    /// ```
    ///
    /// # Errors
    /// [`CcmError`] for a nonce, a tag or a text of a length that will not do; nothing is written.
    #[inline(always)]
    pub fn seal(
        key: &'a AesKey,
        nonce: &[u8],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8],
    ) -> Result<Self, CcmError> {
        Self::message(true, key, nonce, associated, text.into().span(), tag)
    }

    /// Decrypts a text, and writes the tag that the text should have, with the length of
    /// the received tag. The caller compares both tags in constant time, and wipes the text unless
    /// they are equal.
    ///
    /// # Errors
    /// As [`seal`](Self::seal).
    #[inline(always)]
    pub fn open(
        key: &'a AesKey,
        nonce: &[u8],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8],
    ) -> Result<Self, CcmError> {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a AesKey,
        nonce: &[u8],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8],
    ) -> Result<Self, CcmError> {
        let mode = Ccm::new(seals, key, nonce, tag.len(), text.len)?;
        Ok(mode.lend(&Parts::new(associated, text, tag)))
    }
}
