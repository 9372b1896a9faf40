//! ChaCha20 texts and ChaCha20-Poly1305 messages, and their tasks.

use super::lanes::{
    ChaChaLanes, ChaChaPolyLanes, ChaChaPolyTask, ChaChaTask, XChaChaPolyLanes, XChaChaPolyTask,
};
use crate::aes::CounterError;
use crate::buffer::Buffers;
use crate::buffer::{CipherBuffer, Input, Span};
use crate::job::{Aead, AeadJob, Cipher, CipherJob, Parts};
use crate::kernels::chacha::key::ChaChaKey;
use crate::kernels::chacha::text::{BLOCK, ChaChaMessage, ChaChaText, XChaChaMessage};
use crate::manager::Loan;

/// Blocks that there are counters for.
const COUNTERS: u64 = 1 << 32;

/// ChaCha20 under a key, from a counter on.
#[derive(Clone, Copy)]
pub struct ChaCha<'a> {
    key: &'a ChaChaKey,
    /// The last row of the state.
    row: [u32; 4],
}

impl<'a> ChaCha<'a> {
    /// Makes the mode for a text of so many bytes.
    #[inline(always)]
    pub(super) fn new(
        key: &'a ChaChaKey,
        counter: u32,
        nonce: &[u8; 12],
        len: usize,
    ) -> Result<Self, CounterError> {
        let blocks = len.div_ceil(BLOCK) as u64;
        if blocks > COUNTERS - u64::from(counter) {
            return Err(CounterError { first: counter, blocks });
        }
        let (words, _) = nonce.as_chunks::<4>();
        let word = |i: usize| u32::from_le_bytes(words[i]);
        Ok(ChaCha { key, row: [counter, word(0), word(1), word(2)] })
    }

    #[inline(always)]
    fn text(&self, Span { src, dst, len }: Span) -> ChaChaText {
        ChaChaText { key: self.key, row: self.row, src, dst, len }
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for ChaCha<'_> {
    type Lanes = ChaChaLanes;

    #[inline(always)]
    fn task(&self, text: Span) -> ChaChaTask {
        ChaChaTask(self.text(text))
    }

    /// Returns 0: all cost the same, as no order has fewer steps.
    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        1
    }
}

/// A buffer to be encrypted or decrypted with ChaCha20 (RFC 8439, section 2.4), which are the same.
///
/// No counter may be used twice under one key and nonce: two such ciphertexts reveal the difference
/// of their plaintexts.
///
/// ```
/// use broadloom_lanes::{ChaChaJob, ChaChaKey, ChaChaLanes, CounterError, Cpu, Planner};
///
/// let key = ChaChaKey::new(&[7; 32]);
/// let mut jobs = [ChaChaJob::chacha20(&key, 1, &[2; 12], vec![0; 100], ())?];
/// Planner::<ChaChaLanes>::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([0; 100].as_slice()));
/// # Ok::<(), CounterError>(())
/// ```
pub type ChaChaJob<'a, B, T = ()> = CipherJob<ChaCha<'a>, B, T>;

impl<'a, B: CipherBuffer, T> ChaChaJob<'a, B, T> {
    /// Ciphers a buffer. `counter` is the number of the first block, of 64 bytes.
    ///
    /// # Errors
    /// [`CounterError`] if the counter would pass its last value, and so repeat.
    pub fn chacha20(
        key: &'a ChaChaKey,
        counter: u32,
        nonce: &[u8; 12],
        buffer: B,
        user: T,
    ) -> Result<Self, CounterError> {
        Ok(Self::cipher(ChaCha::new(key, counter, nonce, buffer.length())?, buffer, user))
    }
}

/// ChaCha20-Poly1305 under a key, one way, for a nonce.
#[derive(Clone, Copy)]
pub struct ChaChaPoly<'a> {
    cipher: ChaCha<'a>,
    seals: bool,
}

impl<'a> ChaChaPoly<'a> {
    /// Makes the mode for a text of so many bytes: 2^32 - 1 blocks at most (RFC 8439, 2.8), since
    /// the first counter makes the key of the tag.
    #[inline(always)]
    pub(super) fn new(
        seals: bool,
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        len: usize,
    ) -> Result<Self, CounterError> {
        Ok(ChaChaPoly { cipher: ChaCha::new(key, 1, nonce, len)?, seals })
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the parts.
unsafe impl Aead for ChaChaPoly<'_> {
    type Lanes = ChaChaPolyLanes;

    #[inline(always)]
    fn task(&self, parts: &Parts) -> ChaChaPolyTask {
        let Parts { associated, text, tag } = *parts;
        ChaChaPolyTask(ChaChaMessage {
            text: self.cipher.text(text),
            associated,
            tag,
            seals: self.seals,
        })
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

/// A message to be sealed or opened with ChaCha20-Poly1305 (RFC 8439, section 2.8), whose tags have
/// 16 bytes. A text has at most 2^38 - 64 bytes.
///
/// No nonce may be used twice under one key: two such messages reveal the difference of their
/// plaintexts, and an attacker can forge messages under that nonce.
///
/// ```
/// use broadloom_lanes::{ChaChaKey, ChaChaPolyJob, CounterError, Cpu, Planner, TagError};
///
/// let key = ChaChaKey::new(&[7; 32]);
/// let packet = b"a packet".to_vec();
/// let forged = ChaChaPolyJob::open(&key, &[1; 12], b"header", packet, &[0; 16], ())?;
/// let mut jobs = [forged];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_eq!(jobs[0].output(), Some(Err(TagError)));
/// # Ok::<(), CounterError>(())
/// ```
pub type ChaChaPolyJob<'a, A, B, T = ()> = AeadJob<ChaChaPoly<'a>, A, B, T>;

impl<'a, A: Input, B: CipherBuffer, T> ChaChaPolyJob<'a, A, B, T> {
    /// Encrypts a text, and makes its tag.
    ///
    /// # Errors
    /// [`CounterError`] if the text is longer than 2^38 - 64 bytes: there are no counters for more.
    pub fn seal(
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: A,
        buffer: B,
        user: T,
    ) -> Result<Self, CounterError> {
        let mode = ChaChaPoly::new(true, key, nonce, buffer.length())?;
        Ok(Self::aead(mode, associated, buffer, &[], user))
    }

    /// Decrypts a text, if the tag is right.
    ///
    /// # Errors
    /// [`CounterError`] as for [`seal`](Self::seal). Of a wrong tag the [`output`](Self::output)
    /// tells.
    pub fn open(
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: A,
        buffer: B,
        tag: &[u8; 16],
        user: T,
    ) -> Result<Self, CounterError> {
        let mode = ChaChaPoly::new(false, key, nonce, buffer.length())?;
        Ok(Self::aead(mode, associated, buffer, tag, user))
    }
}

/// XChaCha20-Poly1305 under a key, one way, for a nonce.
#[derive(Clone, Copy)]
pub struct XChaChaPoly<'a> {
    /// With the key that another is derived from, and the nonce that goes with that one.
    inner: ChaChaPoly<'a>,
    /// The part of the nonce that derives the key.
    row: [u32; 4],
}

impl<'a> XChaChaPoly<'a> {
    /// Makes the mode for a text of so many bytes, as [`ChaChaPoly`]. Of the nonce, 16 bytes go
    /// into the key, and 8 behind four zeros into the nonce (draft-irtf-cfrg-xchacha-03, 2.3).
    #[inline(always)]
    pub(super) fn new(
        seals: bool,
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        len: usize,
    ) -> Result<Self, CounterError> {
        let (words, _) = nonce.as_chunks::<4>();
        let row = [words[0], words[1], words[2], words[3]].map(u32::from_le_bytes);
        let mut rest = [0; 12];
        rest[4..].copy_from_slice(&nonce[16..]);
        Ok(XChaChaPoly { inner: ChaChaPoly::new(seals, key, &rest, len)?, row })
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the parts.
unsafe impl Aead for XChaChaPoly<'_> {
    type Lanes = XChaChaPolyLanes;

    #[inline(always)]
    fn task(&self, parts: &Parts) -> XChaChaPolyTask {
        let ChaChaPolyTask(message) = self.inner.task(parts);
        XChaChaPolyTask(XChaChaMessage { row: self.row, message })
    }

    /// Returns 0: all cost the same, as no order has fewer steps.
    #[inline(always)]
    fn cost(&self, _: usize, _: usize) -> usize {
        1
    }

    #[inline(always)]
    fn seals(&self) -> bool {
        self.inner.seals
    }
}

/// A message to be sealed or opened with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), whose
/// nonces have 24 bytes and whose tags 16. A text has at most 2^38 - 64 bytes.
///
/// No nonce may be used twice under one key; they are long enough to be drawn at random.
///
/// ```
/// use broadloom_lanes::{ChaChaKey, CounterError, Cpu, Planner, XChaChaPolyJob};
///
/// let key = ChaChaKey::new(&[7; 32]);
/// let mut jobs = [XChaChaPolyJob::seal(&key, &[1; 24], b"header", b"a packet".to_vec(), ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert!(jobs[0].output().is_some_and(|sealed| sealed.is_ok()));
/// # Ok::<(), CounterError>(())
/// ```
pub type XChaChaPolyJob<'a, A, B, T = ()> = AeadJob<XChaChaPoly<'a>, A, B, T>;

impl<'a, A: Input, B: CipherBuffer, T> XChaChaPolyJob<'a, A, B, T> {
    /// Encrypts a text, and makes its tag.
    ///
    /// # Errors
    /// [`CounterError`] if the text is longer than 2^38 - 64 bytes: there are no counters for more.
    pub fn seal(
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: A,
        buffer: B,
        user: T,
    ) -> Result<Self, CounterError> {
        let mode = XChaChaPoly::new(true, key, nonce, buffer.length())?;
        Ok(Self::aead(mode, associated, buffer, &[], user))
    }

    /// Decrypts a text, if the tag is right.
    ///
    /// # Errors
    /// [`CounterError`] as for [`seal`](Self::seal). Of a wrong tag the [`output`](Self::output)
    /// tells.
    pub fn open(
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: A,
        buffer: B,
        tag: &[u8; 16],
        user: T,
    ) -> Result<Self, CounterError> {
        let mode = XChaChaPoly::new(false, key, nonce, buffer.length())?;
        Ok(Self::aead(mode, associated, buffer, tag, user))
    }
}

impl<'a> Loan<'a, ChaChaLanes> {
    /// Encrypts or decrypts a buffer with ChaCha20 (RFC 8439, section 2.4), which are the
    /// same. `counter` is the number of the first block, of 64 bytes.
    ///
    /// No counter may be used twice under one key and nonce: two such ciphertexts reveal the
    /// difference of their plaintexts.
    ///
    /// ```
    /// use broadloom_lanes::{ChaChaKey, ChaChaPolyLanes, Cpu, Loan, Planner};
    ///
    /// let key = ChaChaKey::new(&[7; 32]);
    /// let mut packets = [[1u8; 20], [1; 20]];
    /// let nonces = [[0; 12], [1; 12]];
    /// let loans = packets.iter_mut().zip(&nonces);
    /// let loans: Result<Vec<_>, _> =
    ///     loans.map(|(packet, nonce)| Loan::chacha20(&key, 1, nonce, packet)).collect();
    /// Planner::new(&Cpu::detect()).process_each(loans?);
    /// assert_ne!(packets[0], packets[1]);
    /// # Ok::<(), broadloom_lanes::CounterError>(())
    /// ```
    ///
    /// # Errors
    /// [`CounterError`] if the counter would pass its last value, and so repeat; nothing is
    /// written.
    #[inline(always)]
    pub fn chacha20(
        key: &'a ChaChaKey,
        counter: u32,
        nonce: &[u8; 12],
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, CounterError> {
        Self::text(key, counter, nonce, buffer.into().span())
    }

    #[inline(always)]
    fn text(
        key: &'a ChaChaKey,
        counter: u32,
        nonce: &[u8; 12],
        text: Span,
    ) -> Result<Self, CounterError> {
        Ok(ChaCha::new(key, counter, nonce, text.len)?.lend(text))
    }
}

impl<'a> Loan<'a, ChaChaPolyLanes> {
    /// Encrypts a text with ChaCha20-Poly1305 (RFC 8439, section 2.8), and writes the tag.
    ///
    /// No nonce may be used twice under one key: two such messages reveal the difference of their
    /// plaintexts, and an attacker can forge messages under that nonce.
    ///
    /// ```
    /// use broadloom_lanes::{ChaChaKey, ChaChaPolyLanes, Cpu, Loan, Planner};
    ///
    /// let key = ChaChaKey::new(&[7; 32]);
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 16]; 2];
    /// let nonces = [[0; 12], [1; 12]];
    /// let all = packets.iter_mut().zip(&mut tags).zip(&nonces);
    /// Planner::new(&Cpu::detect()).process_each(
    ///     all.map(|((packet, tag), nonce)| {
    ///         Loan::<ChaChaPolyLanes>::seal(&key, nonce, b"header", packet, tag)
    ///     }),
    /// );
    /// assert_ne!(tags[0], tags[1]);
    /// ```
    ///
    /// # Panics
    /// If the text is longer than 2^38 - 64 bytes.
    #[inline(always)]
    pub fn seal(
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
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
    /// As [`seal`](Loan::<ChaChaPolyLanes>::seal).
    #[inline(always)]
    pub fn open(
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a ChaChaKey,
        nonce: &[u8; 12],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8; 16],
    ) -> Self {
        match ChaChaPoly::new(seals, key, nonce, text.len) {
            Ok(mode) => mode.lend(&Parts::new(associated, text, tag)),
            Err(error) => panic!("{error}"),
        }
    }
}

impl<'a> Loan<'a, XChaChaPolyLanes> {
    /// Encrypts a text with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), and writes
    /// the tag.
    ///
    /// A nonce has 24 bytes, so that it may be drawn at random. No nonce may be used twice under
    /// one key: two such messages reveal the difference of their plaintexts, and an attacker can
    /// forge messages under that nonce.
    ///
    /// ```
    /// use broadloom_lanes::{ChaChaKey, Cpu, Loan, Planner, XChaChaPolyLanes};
    ///
    /// let key = ChaChaKey::new(&[7; 32]);
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 16]; 2];
    /// let nonces = [[0; 24], [1; 24]];
    /// let all = packets.iter_mut().zip(&mut tags).zip(&nonces);
    /// Planner::new(&Cpu::detect()).process_each(
    ///     all.map(|((packet, tag), nonce)| {
    ///         Loan::<XChaChaPolyLanes>::seal(&key, nonce, b"header", packet, tag)
    ///     }),
    /// );
    /// assert_ne!(tags[0], tags[1]);
    /// ```
    ///
    /// # Panics
    /// If the text is longer than 2^38 - 64 bytes.
    #[inline(always)]
    pub fn seal(
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
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
    /// As [`seal`](Loan::<XChaChaPolyLanes>::seal).
    #[inline(always)]
    pub fn open(
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a ChaChaKey,
        nonce: &[u8; 24],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8; 16],
    ) -> Self {
        match XChaChaPoly::new(seals, key, nonce, text.len) {
            Ok(mode) => mode.lend(&Parts::new(associated, text, tag)),
            Err(error) => panic!("{error}"),
        }
    }
}
