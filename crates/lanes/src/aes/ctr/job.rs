//! Counter-mode buffers, and their tasks.

use super::lanes::{COST, CounterError, CtrLanes, CtrTask};
use crate::buffer::Buffers;
use crate::buffer::{CipherBuffer, Span};
use crate::job::{Cipher, CipherJob};
use crate::kernels::aes::key::{AesKey, Block, BlockWords};
use crate::manager::Loan;

/// Counter mode under a key, from a counter block on.
#[derive(Clone, Copy)]
pub struct Ctr<'a> {
    key: &'a AesKey,
    counter: BlockWords,
}

impl<'a> Ctr<'a> {
    /// Makes the mode with a counter of 128 bits.
    #[inline(always)]
    pub(crate) fn new(key: &'a AesKey, counter: &Block) -> Self {
        Ctr { key, counter: BlockWords::of(counter) }
    }

    /// Makes the mode with a counter of 32 bits, for a text of so many bytes.
    #[inline(always)]
    pub(super) fn of_32_bits(
        key: &'a AesKey,
        counter: &Block,
        len: usize,
    ) -> Result<Self, CounterError> {
        CounterError::check(counter, len)?;
        Ok(Ctr::new(key, counter))
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Ctr<'_> {
    type Lanes = CtrLanes;

    #[inline(always)]
    fn task(&self, text: Span) -> CtrTask {
        CtrTask { key: self.key, counter: self.counter, text }
    }

    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        COST
    }
}

/// A buffer to be encrypted or decrypted with AES in counter mode (SP 800-38A, section 6.5), which
/// are the same.
///
/// No counter block may be used twice under one key: two such ciphertexts reveal the difference of
/// their plaintexts.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, CtrJob, InOrder};
///
/// let key = AesKey::new(&[7; 16])?;
/// let mut manager = InOrder::new(&Cpu::detect(), 32);
/// for n in 0..10 {
///     manager.submit(CtrJob::ctr(&key, [n; 16], vec![0; 20], n));
/// }
/// while let Some(job) = manager.flush() {
///     let (packet, _) = job.into_parts();
///     assert_ne!(packet, [0; 20]);
/// }
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub type CtrJob<'a, B, T = ()> = CipherJob<Ctr<'a>, B, T>;

impl<'a, B: CipherBuffer, T> CtrJob<'a, B, T> {
    /// Ciphers a buffer. `counter` is the first counter block; all its 128 bits count, modulo
    /// 2^128.
    pub fn ctr(key: &'a AesKey, counter: [u8; 16], buffer: B, user: T) -> Self {
        Self::cipher(Ctr::new(key, &counter), buffer, user)
    }

    /// Makes such a job with a counter of 32 bits, the last of the block, and a nonce of 96 bits
    /// before it, as for IPsec (RFC 3686).
    ///
    /// # Errors
    /// [`CounterError`] if the counter would pass zero, and so repeat.
    pub fn ctr32(
        key: &'a AesKey,
        counter: [u8; 16],
        buffer: B,
        user: T,
    ) -> Result<Self, CounterError> {
        Ok(Self::cipher(Ctr::of_32_bits(key, &counter, buffer.length())?, buffer, user))
    }
}

impl<'a> Loan<'a, CtrLanes> {
    /// Encrypts or decrypts a buffer with AES in counter mode (SP 800-38A, section 6.5),
    /// which are the same. `counter` is the first counter block; all its 128 bits count, modulo
    /// 2^128.
    ///
    /// No counter block may be used twice under one key: two such ciphertexts reveal the difference
    /// of their plaintexts.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, Cpu, Loan, Planner};
    ///
    /// let key = AesKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// planner.process_each(packets.iter_mut().zip(0..).map(|(packet, n)| {
    ///     Loan::ctr(&key, &[n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], packet)
    /// }));
    /// assert_ne!(packets[0], [1; 20]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    #[inline(always)]
    pub fn ctr(key: &'a AesKey, counter: &[u8; 16], buffer: impl Into<Buffers<'a>>) -> Self {
        Ctr::new(key, counter).lend(buffer.into().span())
    }

    /// Does what [`ctr`](Loan::ctr) does, with a counter of 32 bits, the last of the block, and a
    /// nonce of 96 bits before it, as for IPsec (RFC 3686).
    ///
    /// # Errors
    /// [`CounterError`] if the counter would pass zero, and so repeat; nothing is written.
    #[inline(always)]
    pub fn ctr32(
        key: &'a AesKey,
        counter: &[u8; 16],
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, CounterError> {
        let text = buffer.into().span();
        Ok(Ctr::of_32_bits(key, counter, text.len)?.lend(text))
    }
}
