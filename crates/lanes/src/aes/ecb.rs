//! AES in ECB mode (SP 800-38A, 6.1): the cipher itself, on each block.

use super::job::BLOCK;
use super::lanes::Direction;
use super::select;
use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::cpu::Cpu;
use crate::error::LengthError;
use crate::job::{Cipher, CipherJob};
use crate::kernels::aes::blocks::BlocksKernel;
use crate::kernels::aes::key::AesKey;
use crate::manager::{Lanes, Loan, Source};
use crate::occupancy::Occupancy;

/// One buffer, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the key is valid, `src` is readable and `dst`
/// writable for `blocks` blocks, and the two are equal or apart.
#[derive(Clone, Copy)]
pub struct EcbTask {
    key: *const AesKey,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
    direction: Direction,
}

/// The scheduler of ECB buffers: one after the other, each ciphered at once.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, EcbJob, EcbLanes, Planner};
///
/// let mut planner: Planner<EcbLanes> = Planner::new(&Cpu::detect());
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [EcbJob::encrypt(&key, vec![0; 32], ()).expect("whole blocks")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct EcbLanes {
    kernel: &'static BlocksKernel,
}

impl Lanes for EcbLanes {
    type Task = EcbTask;

    fn new(cpu: &Cpu) -> Self {
        EcbLanes { kernel: select::blocks(cpu) }
    }

    fn lanes(&self) -> usize {
        1
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }

    unsafe fn run(&mut self, source: &mut impl Source<EcbTask>) {
        let kernel = self.kernel;
        while let Some(id) = source.next(|id, task| {
            let &EcbTask { key, src, dst, blocks, direction } = task;
            let cipher = match direction {
                Direction::Encrypt => kernel.encrypt,
                Direction::Decrypt => kernel.decrypt,
            };
            // SAFETY: the task is good until it is complete, by the contract of `Lanes::run`, so
            // the key and the buffers are as the contract of `BlocksKernel` asks; the kernel is for
            // this CPU.
            unsafe { cipher(&*key, src, dst, blocks) };
            id
        }) {
            source.done(id);
        }
    }
}

/// The cipher by itself, on one block at a time and within the call.
///
/// It is for single blocks under many keys, such as the masks over the headers of packets, which no
/// scheduler has to gather: the rounds of one block overlap with what the caller does next.
///
/// ```
/// use broadloom_lanes::{AesKey, BlockCipher, Cpu};
///
/// // The example of FIPS 197, appendix B.
/// let key = AesKey::new(&0x2b7e1516_28aed2a6_abf71588_09cf4f3c_u128.to_be_bytes())?;
/// let mut block = 0x3243f6a8_885a308d_313198a2_e0370734_u128.to_be_bytes();
/// BlockCipher::new(&Cpu::detect()).encrypt(&key, &mut block);
/// assert_eq!(u128::from_be_bytes(block), 0x3925841d_02dc09fb_dc118597_196a0b32);
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
#[derive(Clone, Copy)]
pub struct BlockCipher(&'static BlocksKernel);

impl BlockCipher {
    /// Returns the cipher with the kernel for this CPU.
    pub fn new(cpu: &Cpu) -> Self {
        BlockCipher(select::blocks(cpu))
    }

    /// Encrypts a block in place.
    #[inline]
    pub fn encrypt(&self, key: &AesKey, block: &mut [u8; BLOCK]) {
        let place = block.as_mut_ptr();
        // SAFETY: the block is borrowed, readable and writable for 16 bytes; the kernel is for this
        // CPU, because `new` has chosen it.
        unsafe { (self.0.encrypt)(key, place, place, 1) };
    }
}

/// ECB under a key, one way.
#[derive(Clone, Copy)]
pub struct Ecb<'a> {
    key: &'a AesKey,
    direction: Direction,
}

impl<'a> Ecb<'a> {
    /// Makes the mode for a text of `len` bytes.
    #[inline(always)]
    fn new(direction: Direction, key: &'a AesKey, len: usize) -> Result<Self, LengthError> {
        LengthError::check(len, BLOCK)?;
        Ok(Ecb { key, direction })
    }
}

// SAFETY: the key is borrowed as long as the mode lives, and tasks point only to it and to the
// text.
unsafe impl Cipher for Ecb<'_> {
    type Lanes = EcbLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> EcbTask {
        let Ecb { key, direction } = *self;
        EcbTask { key, src, dst, blocks: len / BLOCK, direction }
    }

    /// Returns the same cost for all buffers, because no order of them has fewer steps.
    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        1
    }
}

/// A buffer of whole blocks, each of which AES encrypts or decrypts by itself (ECB, SP 800-38A,
/// section 6.1).
///
/// Equal blocks become equal blocks, which reveals the structure of a text. ECB is for single
/// blocks that are as good as random, and for building other modes, not for messages.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, EcbJob, LengthError, Planner};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [EcbJob::encrypt(&key, vec![1; 16], ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([1; 16].as_slice()));
/// # Ok::<(), LengthError>(())
/// ```
pub type EcbJob<'a, B, T = ()> = CipherJob<Ecb<'a>, B, T>;

impl<'a, B: CipherBuffer, T> EcbJob<'a, B, T> {
    /// Makes a job that encrypts each block of a buffer, which may be empty.
    ///
    /// # Errors
    /// [`LengthError`] if the length of the buffer is no multiple of 16 bytes.
    pub fn encrypt(key: &'a AesKey, buffer: B, user: T) -> Result<Self, LengthError> {
        Ok(Self::cipher(Ecb::new(Direction::Encrypt, key, buffer.length())?, buffer, user))
    }

    /// Makes a job that decrypts each block of a buffer, which may be empty.
    ///
    /// # Errors
    /// [`LengthError`] if the length of the buffer is no multiple of 16 bytes.
    pub fn decrypt(key: &'a AesKey, buffer: B, user: T) -> Result<Self, LengthError> {
        Ok(Self::cipher(Ecb::new(Direction::Decrypt, key, buffer.length())?, buffer, user))
    }
}

impl<'a> Loan<'a, EcbLanes> {
    /// Encrypts each block of a buffer with AES (ECB, SP 800-38A, section 6.1).
    ///
    /// Equal blocks become equal blocks, which shows what a text is like: this is for single blocks
    /// that are as good as random, and for building other modes, not for messages.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, Cpu, EcbLanes, LengthError, Loan, Planner};
    ///
    /// let key = AesKey::new(&[7; 16]).expect("16 bytes");
    /// let mut blocks = [[1u8; 16], [2; 16]];
    /// let mut planner = Planner::<EcbLanes>::new(&Cpu::detect());
    /// planner.process_each([Loan::ecb_encrypt(&key, blocks.as_flattened_mut())?]);
    /// assert_ne!(blocks[0], blocks[1]);
    /// # Ok::<(), LengthError>(())
    /// ```
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 16 bytes.
    #[inline(always)]
    pub fn ecb_encrypt(
        key: &'a AesKey,
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, LengthError> {
        Self::ecb(Direction::Encrypt, key, buffer.into().span())
    }

    /// Decrypts each block of a buffer.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 16 bytes.
    #[inline(always)]
    pub fn ecb_decrypt(
        key: &'a AesKey,
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, LengthError> {
        Self::ecb(Direction::Decrypt, key, buffer.into().span())
    }

    #[inline(always)]
    fn ecb(direction: Direction, key: &'a AesKey, text: Span) -> Result<Self, LengthError> {
        Ok(Ecb::new(direction, key, text.len)?.lend(text))
    }
}
