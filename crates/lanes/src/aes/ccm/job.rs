//! CCM messages, and their tasks.

use super::lanes::{CcmLanes, CcmTask};
use super::{CcmError, blocks};
use crate::aes::key::{AesKey, Block};
use crate::buffer::{CipherBuffer, Input};
use crate::job::{Aead, AeadJob, Parts};

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
    /// For a text of so many bytes.
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
