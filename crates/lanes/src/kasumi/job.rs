//! Jobs and loans of F8 and F9.

use super::f8::{F8Task, LinkDirection, start};
use super::f9::F9Task;
use super::key::{KasumiError, KasumiKey};
use super::lanes::{KasumiLanes, KasumiTask, ModeTask};
use crate::buffer::{Buffers, CipherBuffer, Input, Span};
use crate::job::{Cipher, CipherJob, Mac, MacJob};
use crate::manager::Loan;

/// F8 under a key, of so many bits.
#[derive(Clone, Copy)]
pub struct F8Mode<'a> {
    key: &'a KasumiKey,
    start: u64,
    bits: usize,
}

impl<'a> F8Mode<'a> {
    /// Makes the mode for a buffer of so many bytes.
    #[inline(always)]
    fn new(
        key: &'a KasumiKey,
        (count, bearer, direction): (u32, u8, LinkDirection),
        bits: usize,
        len: usize,
    ) -> Result<Self, KasumiError> {
        KasumiError::check_bits(bits, len)?;
        KasumiError::check_bearer(bearer)?;
        Ok(F8Mode { key, start: start(count, bearer, direction), bits })
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for F8Mode<'_> {
    type Lanes = KasumiLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, .. }: Span) -> KasumiTask {
        let F8Mode { key, start, bits } = *self;
        KasumiTask { key, mode: ModeTask::F8(F8Task { start, src, dst, bits }) }
    }

    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        self.bits.div_ceil(64) + 1
    }
}

/// A buffer whose first bits are to be encrypted or decrypted with F8 (UEA1, TS 35.201); both are
/// the same operation. Bits are counted from the highest bit of the first byte. Bits after the last
/// one stay unchanged.
///
/// No two messages may have the same key, `count`, `bearer` (0 to 31) and `direction`: two such
/// ciphertexts reveal the difference of their plaintexts.
///
/// ```
/// use broadloom_lanes::{Cpu, F8Job, KasumiError, KasumiKey, LinkDirection::Uplink, Planner};
///
/// let key = KasumiKey::new(&[7; 16]);
/// let mut jobs = [F8Job::f8(&key, 1, 5, Uplink, vec![0xff; 20], 157, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// let frame = jobs[0].output().expect("complete");
/// assert_eq!(frame[19] & 0b111, 0b111);
/// # Ok::<(), KasumiError>(())
/// ```
pub type F8Job<'a, B, T = ()> = CipherJob<F8Mode<'a>, B, T>;

impl<'a, B: CipherBuffer, T> F8Job<'a, B, T> {
    /// Ciphers the first `bits` bits of a buffer.
    ///
    /// # Errors
    /// [`KasumiError`] if the bearer is greater than 31, or the buffer has fewer bits.
    pub fn f8(
        key: &'a KasumiKey,
        count: u32,
        bearer: u8,
        direction: LinkDirection,
        buffer: B,
        bits: usize,
        user: T,
    ) -> Result<Self, KasumiError> {
        let mode = F8Mode::new(key, (count, bearer, direction), bits, buffer.length())?;
        Ok(Self::cipher(mode, buffer, user))
    }
}

impl<'a> Loan<'a, KasumiLanes> {
    /// Encrypts or decrypts the first `bits` bits of a buffer with F8 (UEA1, TS 35.201);
    /// both are the same operation. Bits are counted from the highest bit of the first byte. Bits
    /// after the last one stay unchanged.
    ///
    /// No two messages may have the same key, `count`, `bearer` (0 to 31) and `direction`: two such
    /// ciphertexts reveal the difference of their plaintexts. The standard's messages have at most
    /// 20,000 bits; here they may be longer.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, KasumiKey, LinkDirection, Loan, Planner};
    ///
    /// let key = KasumiKey::new(&[7; 16]);
    /// let mut frames = [[0xff_u8; 20]; 3];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let loans = frames.iter_mut().zip(0..).map(|(frame, count)| {
    ///     Loan::f8(&key, count, 5, LinkDirection::Uplink, frame, 157)
    /// });
    /// planner.process_each(loans.collect::<Result<Vec<_>, _>>()?);
    /// assert_ne!(frames[0], frames[1]);
    /// assert!(frames.iter().all(|frame| frame[19] & 0b111 == 0b111));
    /// # Ok::<(), broadloom_lanes::KasumiError>(())
    /// ```
    ///
    /// # Errors
    /// [`KasumiError`] if the bearer is greater than 31, or the buffer has fewer bits.
    #[inline(always)]
    pub fn f8(
        key: &'a KasumiKey,
        count: u32,
        bearer: u8,
        direction: LinkDirection,
        buffer: impl Into<Buffers<'a>>,
        bits: usize,
    ) -> Result<Self, KasumiError> {
        Self::keystream(key, (count, bearer, direction), buffer.into().span(), bits)
    }

    /// Encrypts or decrypts as [`f8`](Loan::f8) does, with the whole block that the key stream
    /// starts from: `COUNT`, `BEARER`, `DIRECTION` and 26 bits that the standard leaves zero.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, KasumiKey, LinkDirection, Loan, Planner};
    ///
    /// let key = KasumiKey::new(&[7; 16]);
    /// let mut frames = [[0xff_u8; 20]; 3];
    /// let [one, same, other] = &mut frames;
    /// Planner::new(&Cpu::detect()).process_each([
    ///     Loan::f8(&key, 9, 5, LinkDirection::Downlink, one, 160)?,
    ///     Loan::f8_from(&key, 9 << 32 | 5 << 27 | 1 << 26, same, 160)?,
    ///     Loan::f8_from(&key, 9 << 32 | 5 << 27 | 1 << 26 | 1, other, 160)?,
    /// ]);
    /// assert_eq!(frames[0], frames[1]);
    /// assert_ne!(frames[0], frames[2]);
    /// # Ok::<(), broadloom_lanes::KasumiError>(())
    /// ```
    ///
    /// # Errors
    /// [`KasumiError`] if the buffer has fewer bits.
    #[inline(always)]
    pub fn f8_from(
        key: &'a KasumiKey,
        start: u64,
        buffer: impl Into<Buffers<'a>>,
        bits: usize,
    ) -> Result<Self, KasumiError> {
        let text = buffer.into().span();
        KasumiError::check_bits(bits, text.len)?;
        Ok(F8Mode { key, start, bits }.lend(text))
    }

    #[inline(always)]
    fn keystream(
        key: &'a KasumiKey,
        (count, bearer, direction): (u32, u8, LinkDirection),
        text: Span,
        bits: usize,
    ) -> Result<Self, KasumiError> {
        Ok(F8Mode::new(key, (count, bearer, direction), bits, text.len)?.lend(text))
    }
}

/// F9 under a key, of so many bits.
#[derive(Clone, Copy)]
pub struct F9Mode<'a> {
    key: &'a KasumiKey,
    start: u64,
    direction: LinkDirection,
    bits: usize,
}

impl<'a> F9Mode<'a> {
    /// Makes the mode for data of so many bytes.
    #[inline(always)]
    fn new(
        key: &'a KasumiKey,
        (count, fresh, direction): (u32, u32, LinkDirection),
        bits: usize,
        len: usize,
    ) -> Result<Self, KasumiError> {
        KasumiError::check_bits(bits, len)?;
        Ok(F9Mode { key, start: u64::from(count) << 32 | u64::from(fresh), direction, bits })
    }
}

// SAFETY: the key is borrowed as long as the mode lives, and tasks point to nothing else but data
// and tag.
unsafe impl Mac for F9Mode<'_> {
    type Lanes = KasumiLanes;
    type Tag = [u8; 4];

    #[inline(always)]
    fn task(&self, (data, _): (*const u8, usize), tag: *mut [u8; 4]) -> KasumiTask {
        let F9Mode { key, start, direction, bits } = *self;
        KasumiTask { key, mode: ModeTask::F9(F9Task { start, data, bits, direction, tag }) }
    }

    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        (self.bits + 2).div_ceil(64) + 2
    }
}

/// Data whose first bits are to be authenticated with F9 (UIA1, TS 35.201). Bits are counted from
/// the highest of the first byte; those after the last are of no account.
///
/// The tag, `MAC-I`, has 32 bits: one in four thousand million guesses is right. A receiver must
/// accept no pair of `count` and `fresh` twice under one key, or messages can be replayed.
///
/// ```
/// use broadloom_lanes::{Cpu, F9Job, KasumiError, KasumiKey, LinkDirection::Uplink, Planner};
///
/// let key = KasumiKey::new(&[7; 16]);
/// let one = F9Job::f9(&key, 1, 2, Uplink, b"one", 24, ())?;
/// let mut jobs = [one, F9Job::f9(&key, 1, 2, Uplink, b"two", 24, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), jobs[1].output());
/// # Ok::<(), KasumiError>(())
/// ```
pub type F9Job<'a, D, T = ()> = MacJob<F9Mode<'a>, D, T>;

impl<'a, D: Input, T> F9Job<'a, D, T> {
    /// Authenticates the first `bits` bits of data.
    ///
    /// # Errors
    /// [`KasumiError`] if the data have fewer bits.
    pub fn f9(
        key: &'a KasumiKey,
        count: u32,
        fresh: u32,
        direction: LinkDirection,
        data: D,
        bits: usize,
        user: T,
    ) -> Result<Self, KasumiError> {
        let mode = F9Mode::new(key, (count, fresh, direction), bits, data.bytes().len())?;
        Ok(Self::mac(mode, data, user))
    }
}

impl<'a> Loan<'a, KasumiLanes> {
    /// Makes a loan for the F9 message authentication code (UIA1, TS 35.201) of the first `bits`
    /// bits of data, `MAC-I`. Bits are counted from the highest of the first byte; those after the
    /// last are of no account.
    ///
    /// The tag has 32 bits: one in four thousand million guesses is right. A receiver must accept
    /// no pair of `count` and `fresh` twice under one key, or messages can be replayed. The
    /// standard's messages have 20,000 bits at most; here they may be longer.
    ///
    /// # Errors
    /// [`KasumiError`] if the data have fewer bits.
    #[inline(always)]
    pub fn f9(
        key: &'a KasumiKey,
        count: u32,
        fresh: u32,
        direction: LinkDirection,
        data: &'a [u8],
        bits: usize,
        tag: &'a mut [u8; 4],
    ) -> Result<Self, KasumiError> {
        Ok(F9Mode::new(key, (count, fresh, direction), bits, data.len())?.lend(data, tag))
    }
}
