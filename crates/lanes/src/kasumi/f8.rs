//! F8: a key stream (TS 35.201, 3).

use zeroize::Zeroize;

use super::bits::add_bits;
use super::key::{KasumiError, KasumiKey};
use super::lanes::{Chain, KasumiLanes, KasumiTask, ModeTask, Stretch};
use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::job::{Cipher, CipherJob};
use crate::manager::Loan;

/// The modifier of the key for the block that the key stream starts from.
pub(super) const MODIFIER: u64 = 0x5555_5555_5555_5555;

/// Which way a message goes: the `DIRECTION` of TS 35.201.
///
/// ```
/// use broadloom_lanes::LinkDirection;
///
/// assert_eq!((LinkDirection::Uplink as u8, LinkDirection::Downlink as u8), (0, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkDirection {
    /// From the mobile to the network: 0.
    Uplink = 0,
    /// From the network to the mobile: 1.
    Downlink = 1,
}

/// The block that the keystream starts from, before it is encrypted.
#[inline(always)]
pub(super) fn start(count: u32, bearer: u8, direction: LinkDirection) -> u64 {
    u64::from(count) << 32 | u64::from(bearer) << 27 | (direction as u64) << 26
}

/// A buffer to encrypt or decrypt.
#[derive(Clone, Copy)]
pub(in crate::kasumi) struct F8Task {
    /// `COUNT`, `BEARER`, `DIRECTION`, and what follows: zeros, in the standard.
    start: u64,
    src: *const u8,
    dst: *mut u8,
    bits: usize,
}

/// A keystream under way.
#[derive(Clone, Copy)]
pub(in crate::kasumi) struct F8 {
    /// The start, encrypted.
    salt: u64,
    /// The number of the block under way.
    number: u64,
    src: *const u8,
    dst: *mut u8,
    /// Whether the block under way is the start.
    starts: bool,
    bits: usize,
}

impl Chain for F8 {
    type Task = F8Task;
    const IDLE: Self = F8 {
        salt: 0,
        number: 0,
        src: core::ptr::null(),
        dst: core::ptr::null_mut(),
        starts: false,
        bits: 0,
    };

    #[inline(always)]
    unsafe fn begin(task: &F8Task) -> (Self, Stretch) {
        let F8Task { start, src, dst, bits } = *task;
        let chain = F8 { salt: 0, number: 0, src, dst, starts: true, bits };
        (chain, Stretch { block: start, modifier: MODIFIER, more: 0 })
    }

    #[inline(always)]
    unsafe fn advance(&mut self, block: u64) -> u64 {
        // SAFETY: there are blocks after this one, so all of it is within the buffers.
        unsafe {
            let (src, dst) = (self.src.cast::<u64>(), self.dst.cast::<u64>());
            dst.write_unaligned(src.read_unaligned() ^ block.to_be());
            (self.src, self.dst) = (src.add(1).cast(), dst.add(1).cast());
        }
        self.number += 1;
        self.salt ^ self.number ^ block
    }

    #[inline(always)]
    unsafe fn turn(&mut self, block: u64) -> Option<Stretch> {
        if self.starts {
            self.starts = false;
            self.salt = block;
            let more = self.bits.div_ceil(64).checked_sub(1)?;
            return Some(Stretch { block, modifier: 0, more });
        }
        let bits = (self.bits - 1) % 64 + 1;
        // SAFETY: the buffers' last bits are left, and there is one at least.
        unsafe { add_bits(block, self.src, self.dst, bits) };
        None
    }

    fn wipe(&mut self) {
        self.salt.zeroize();
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

/// F8 under a key, of so many bits.
#[derive(Clone, Copy)]
pub struct F8Mode<'a> {
    key: &'a KasumiKey,
    start: u64,
    bits: usize,
}

impl<'a> F8Mode<'a> {
    /// For a buffer of so many bytes.
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
