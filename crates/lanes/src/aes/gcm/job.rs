//! GCM messages and GMAC data, and their tasks.

use super::GcmError;
use super::lanes::{GcmLanes, GcmTask};
use crate::buffer::Buffers;
use crate::buffer::{CipherBuffer, Input, Span};
use crate::job::{Aead, AeadJob, Mac, MacJob, Parts};
use crate::kernels::aes::gcm::key::GcmKey;
use crate::kernels::aes::gcm::{Message, halves};
use crate::manager::Loan;

/// The most bytes of a text under one nonce (SP 800-38D, 5.2.1.1): 2^32 - 2 blocks.
const MAX_LEN: u64 = (1 << 36) - 32;

/// GCM under a key, one way, for a nonce.
#[derive(Clone, Copy)]
pub struct Gcm<'a, N> {
    key: &'a GcmKey,
    nonce: N,
    seals: bool,
}

impl<'a, N: Input> Gcm<'a, N> {
    /// Makes the mode for a text of so many bytes.
    #[inline(always)]
    pub(super) fn new(
        seals: bool,
        key: &'a GcmKey,
        nonce: N,
        len: usize,
    ) -> Result<Self, GcmError> {
        if nonce.bytes().is_empty() {
            return Err(GcmError::Nonce);
        }
        if len as u64 > MAX_LEN {
            return Err(GcmError::Text { len: len as u64, max: MAX_LEN });
        }
        Ok(Gcm { key, nonce, seals })
    }
}

// SAFETY: the key is borrowed, and the nonce stays in place as long as the mode does (Input's
// contract).
unsafe impl<N: Input> Aead for Gcm<'_, N> {
    type Lanes = GcmLanes;

    #[inline(always)]
    fn task(&self, parts: &Parts) -> GcmTask {
        let Parts { associated, text: Span { src, dst, len }, tag } = *parts;
        let (key, seals, nonce) = (self.key, self.seals, self.nonce.bytes());
        let (counter, nonce) = match nonce.len() {
            12 => (first_counter(nonce), (core::ptr::null(), 0)),
            len => ([0; 2], (nonce.as_ptr(), len)),
        };
        GcmTask(Message { key, counter, associated, src, dst, len, tag, seals, nonce })
    }

    /// Returns 0: all cost the same, as no order has fewer steps.
    #[inline(always)]
    fn cost(&self, _: usize, _: usize) -> usize {
        1
    }

    #[inline(always)]
    fn seals(&self) -> bool {
        self.seals
    }
}

/// Returns the first counter block for a nonce of 12 bytes.
#[inline(always)]
fn first_counter(nonce: &[u8]) -> [u64; 2] {
    let low = nonce.first_chunk().map_or(0, |low| u64::from_le_bytes(*low));
    let high = nonce.last_chunk().map_or(0, |high| u32::from_le_bytes(*high));
    halves(1 << 120 | u128::from(high) << 64 | u128::from(low))
}

/// A message to be sealed or opened with AES-GCM (SP 800-38D).
///
/// `N` is the nonce and `A` the associated data ([`Input`]). The nonce may have any length except
/// 0; nonces of 12 bytes are fastest. A text has at most 2^36 - 32 bytes.
///
/// No nonce may be used twice under one key: two such messages reveal the difference of their
/// plaintexts, and an attacker can forge tags from then on.
///
/// ```
/// use broadloom_lanes::{Cpu, GcmError, GcmJob, GcmKey, Planner, TagError};
///
/// let key = GcmKey::new(&[7; 16]).expect("16 bytes");
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut sealed = [1, 2].map(|n| {
///     GcmJob::seal(&key, [n; 12], b"header", b"a packet".to_vec(), n).expect("a nonce")
/// });
/// planner.process_many(&mut sealed);
///
/// // The second one comes with the tag of the first.
/// let tag = sealed[0].tag().expect("complete").to_vec();
/// let mut opened = sealed.map(|job| {
///     let (packet, header, n) = job.into_parts();
///     GcmJob::open(&key, [n; 12], header, packet, &tag, n).expect("a nonce and a tag")
/// });
/// planner.process_many(&mut opened);
/// assert_eq!(opened[0].output(), Some(Ok(b"a packet".as_slice())));
/// assert_eq!(opened[1].output(), Some(Err(TagError)));
/// let [_, forged] = opened;
/// assert_eq!(forged.into_parts().0, [0; 8]);
/// ```
pub type GcmJob<'a, N, A, B, T = ()> = AeadJob<Gcm<'a, N>, A, B, T>;

impl<'a, N: Input, A: Input, B: CipherBuffer, T> GcmJob<'a, N, A, B, T> {
    /// Encrypts a text, and makes the whole tag, of 16 bytes; a shorter one is the start of it.
    ///
    /// # Errors
    /// [`GcmError`] if the nonce is empty, or the text longer than 2^36 - 32 bytes.
    pub fn seal(
        key: &'a GcmKey,
        nonce: N,
        associated: A,
        buffer: B,
        user: T,
    ) -> Result<Self, GcmError> {
        let mode = Gcm::new(true, key, nonce, buffer.length())?;
        Ok(Self::aead(mode, associated, buffer, &[], user))
    }

    /// Decrypts a text, if the tag, of 16 bytes, is right.
    ///
    /// # Errors
    /// [`GcmError`] as for [`seal`](Self::seal), and for a tag of another length. The
    /// [`output`](Self::output) reports a wrong tag.
    pub fn open(
        key: &'a GcmKey,
        nonce: N,
        associated: A,
        buffer: B,
        tag: &[u8],
        user: T,
    ) -> Result<Self, GcmError> {
        Self::open_truncated(key, nonce, associated, buffer, tag, 16, user)
    }

    /// Decrypts a text, if the tag, of `tag_len` bytes, is right.
    ///
    /// `tag_len` is 4, 8 or 12 to 16. It is what both sides agreed on, never the length of what was
    /// received: a tag of 4 bytes is forged in 2^32 attempts. Tags of 4 and of 8 bytes are for what
    /// SP 800-38D, appendix C, allows them for.
    ///
    /// # Errors
    /// [`GcmError`] as for [`open`](Self::open), and for another `tag_len`.
    pub fn open_truncated(
        key: &'a GcmKey,
        nonce: N,
        associated: A,
        buffer: B,
        tag: &[u8],
        tag_len: usize,
        user: T,
    ) -> Result<Self, GcmError> {
        let mode = Gcm::new(false, key, nonce, buffer.length())?;
        if !matches!(tag_len, 4 | 8 | 12..=16) {
            return Err(GcmError::Tag { len: tag_len });
        }
        if tag.len() != tag_len {
            return Err(GcmError::Received { len: tag.len(), expected: tag_len });
        }
        Ok(Self::aead(mode, associated, buffer, tag, user))
    }
}

/// GMAC under a key, for a nonce.
#[derive(Clone, Copy)]
pub struct Gmac<'a, N>(Gcm<'a, N>);

impl<'a, N: Input> Gmac<'a, N> {
    #[inline(always)]
    pub(super) fn new(key: &'a GcmKey, nonce: N) -> Result<Self, GcmError> {
        Ok(Gmac(Gcm::new(true, key, nonce, 0)?))
    }
}

// SAFETY: as for GCM, whose associated data these are.
unsafe impl<N: Input> Mac for Gmac<'_, N> {
    type Lanes = GcmLanes;
    type Tag = [u8; 16];

    #[inline(always)]
    fn task(&self, data: (*const u8, usize), tag: *mut [u8; 16]) -> GcmTask {
        self.0.task(&Parts { associated: data, text: Span::in_place(&mut []), tag: tag.cast() })
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        self.0.cost(len, 0)
    }
}

/// Data to be authenticated with AES-GMAC (SP 800-38D, section 3).
///
/// No nonce may be used twice under one key, by GMAC or by GCM: with two such tags, an attacker can
/// forge others from then on.
///
/// ```
/// use broadloom_lanes::{Cpu, GcmError, GcmKey, GmacJob, Planner};
///
/// let key = GcmKey::new(&[7; 16]).expect("16 bytes");
/// let one = GmacJob::gmac(&key, [1; 12], b"one", ())?;
/// let mut jobs = [one, GmacJob::gmac(&key, [2; 12], b"two", ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), jobs[1].output());
/// # Ok::<(), GcmError>(())
/// ```
pub type GmacJob<'a, N, D, T = ()> = MacJob<Gmac<'a, N>, D, T>;

impl<'a, N: Input, D: Input, T> GmacJob<'a, N, D, T> {
    /// Authenticates data; the tag has 16 bytes, and a shorter one is the start of it.
    ///
    /// # Errors
    /// [`GcmError`] if the nonce is empty.
    pub fn gmac(key: &'a GcmKey, nonce: N, data: D, user: T) -> Result<Self, GcmError> {
        Ok(Self::mac(Gmac::new(key, nonce)?, data, user))
    }
}

impl<'a> Loan<'a, GcmLanes> {
    /// Encrypts a text with AES-GCM (SP 800-38D), and writes the whole tag; a shorter one
    /// is the start of it. Nonces of 12 bytes are the fastest; any other length except 0 is valid.
    ///
    /// No nonce may be used twice under one key: two such messages reveal the difference of their
    /// plaintexts, and an attacker can forge tags from then on.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, GcmKey, GcmLanes, Loan, Planner};
    ///
    /// let key = GcmKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 16]; 2];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let nonces = [[0; 12], [1; 12]];
    /// let all = packets.iter_mut().zip(&mut tags).zip(&nonces);
    /// planner.process_each(all.map(|((packet, tag), nonce)| {
    ///     Loan::<GcmLanes>::seal(&key, nonce, b"header", packet, tag)
    /// }));
    /// assert_ne!(tags[0], tags[1]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    ///
    /// # Panics
    /// If the nonce is empty, or the text longer than 2^36 - 32 bytes.
    #[inline(always)]
    pub fn seal(
        key: &'a GcmKey,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(true, key, nonce, associated, text.into().span(), tag)
    }

    /// Decrypts a text, and writes the tag that it should have. Nobody has compared it
    /// yet: the caller does, in constant time, and wipes the text unless it is the tag that came
    /// with it.
    ///
    /// # Panics
    /// As [`seal`](Loan::seal).
    #[inline(always)]
    pub fn open(
        key: &'a GcmKey,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    /// Makes a loan for the whole GMAC of data, which stay unchanged (SP 800-38D, section 3). The
    /// rules for nonces are those of [`seal`](Loan::seal).
    ///
    /// # Panics
    /// If the nonce is empty.
    #[inline(always)]
    pub fn gmac(key: &'a GcmKey, nonce: &'a [u8], data: &'a [u8], tag: &'a mut [u8; 16]) -> Self {
        match Gmac::new(key, nonce) {
            Ok(mode) => mode.lend(data, tag),
            Err(error) => panic!("{error}"),
        }
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a GcmKey,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8; 16],
    ) -> Self {
        match Gcm::new(seals, key, nonce, text.len) {
            Ok(mode) => mode.lend(&Parts::new(associated, text, tag)),
            Err(error) => panic!("{error}"),
        }
    }
}
