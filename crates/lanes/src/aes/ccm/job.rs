//! CCM messages, and their tasks.

use super::lanes::{CcmLanes, CcmTask};
use super::{CcmError, blocks};
use crate::buffer::Buffers;
use crate::buffer::Span;
use crate::buffer::{CipherBuffer, Input};
use crate::job::{Aead, AeadJob, Parts};
use crate::kernels::aes::key::{AesKey, Block};
use crate::manager::Loan;

/// CCM under a key, one way, for a nonce and tags of a length.
#[derive(Clone, Copy)]
pub struct Ccm<'a> {
    key: &'a AesKey,
    /// As a task has them.
    counters: [Block; 2],
    tag_len: usize,
    seals: bool,
}

impl<'a> Ccm<'a> {
    /// Makes the mode for a text of so many bytes.
    #[inline(always)]
    pub(super) fn new(
        seals: bool,
        key: &'a AesKey,
        nonce: &[u8],
        tag_len: usize,
        len: usize,
    ) -> Result<Self, CcmError> {
        let counter = blocks::first_counter(nonce)?;
        blocks::check_tag(tag_len)?;
        blocks::check_text(nonce.len(), len)?;
        let counters = [counter, counter | 1 << 120].map(u128::to_le_bytes);
        Ok(Ccm { key, counters, tag_len, seals })
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the parts.
unsafe impl Aead for Ccm<'_> {
    type Lanes = CcmLanes;

    #[inline(always)]
    fn task(&self, parts: &Parts) -> CcmTask {
        let Ccm { key, counters, tag_len, seals } = *self;
        let Parts { associated, text, tag } = *parts;
        CcmTask { key, counters, associated, text, tag: (tag, tag_len), seals }
    }

    #[inline(always)]
    fn cost(&self, associated: usize, text: usize) -> usize {
        2 + associated.div_ceil(16) + text.div_ceil(16)
    }

    #[inline(always)]
    fn seals(&self) -> bool {
        self.seals
    }

    #[inline(always)]
    fn written(&self) -> usize {
        self.tag_len
    }
}

/// A message to be sealed or opened with AES-CCM (SP 800-38C, RFC 3610).
///
/// The nonce has 7 to 13 bytes; what it leaves of 15 bytes says how long the text may be, so that
/// with 13 bytes of nonce it has at most 65,535. The tag has 4 to 16 bytes, an even number, and its
/// length counts: a shorter one is not the start of a longer one.
///
/// No nonce may be used twice under one key: two such messages reveal the difference of their
/// plaintexts. No key may be used for more than 2^61 blocks.
///
/// ```
/// use broadloom_lanes::{AesKey, CcmError, CcmJob, Cpu, Planner};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut sealed = [CcmJob::seal(&key, &[3; 13], b"header", b"a packet".to_vec(), 8, ())?];
/// planner.process_many(&mut sealed);
/// let [sealed] = sealed;
/// let tag = sealed.tag().expect("complete").to_vec();
/// let (packet, header, ()) = sealed.into_parts();
/// let mut opened = [CcmJob::open(&key, &[3; 13], header, packet, &tag, 8, ())?];
/// planner.process_many(&mut opened);
/// assert_eq!(opened[0].output(), Some(Ok(b"a packet".as_slice())));
/// # Ok::<(), CcmError>(())
/// ```
pub type CcmJob<'a, A, B, T = ()> = AeadJob<Ccm<'a>, A, B, T>;

impl<'a, A: Input, B: CipherBuffer, T> CcmJob<'a, A, B, T> {
    /// Encrypts a text, and makes a tag of `tag_len` bytes.
    ///
    /// # Errors
    /// [`CcmError`] for a nonce, a tag or a text of a length that will not do.
    pub fn seal(
        key: &'a AesKey,
        nonce: &[u8],
        associated: A,
        buffer: B,
        tag_len: usize,
        user: T,
    ) -> Result<Self, CcmError> {
        let mode = Ccm::new(true, key, nonce, tag_len, buffer.length())?;
        Ok(Self::aead(mode, associated, buffer, &[], user))
    }

    /// Decrypts a text, if the tag, of `tag_len` bytes, is right.
    ///
    /// `tag_len` is what both sides agreed on, never the length of what was received: a tag of 4
    /// bytes is forged in 2^32 attempts.
    ///
    /// # Errors
    /// [`CcmError`] for an invalid length of the nonce, the tag or the text, and for a tag without
    /// `tag_len` bytes. The [`output`](Self::output) reports a wrong tag.
    pub fn open(
        key: &'a AesKey,
        nonce: &[u8],
        associated: A,
        buffer: B,
        tag: &[u8],
        tag_len: usize,
        user: T,
    ) -> Result<Self, CcmError> {
        let mode = Ccm::new(false, key, nonce, tag_len, buffer.length())?;
        if tag.len() != tag_len {
            return Err(CcmError::Received { len: tag.len(), expected: tag_len });
        }
        Ok(Self::aead(mode, associated, buffer, tag, user))
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
