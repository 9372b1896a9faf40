//! XTS data units, and their tasks.

use super::XtsKey;
use super::lanes::{COST, XtsLanes, XtsLengthError, XtsTask};
use crate::aes::lanes::Direction;
use crate::buffer::Buffers;
use crate::buffer::{CipherBuffer, Span};
use crate::job::{Cipher, CipherJob};
use crate::kernels::aes::key::{Block, BlockWords};
use crate::manager::Loan;

/// XTS under a key, one way, for a tweak.
#[derive(Clone, Copy)]
pub struct Xts<'a> {
    key: &'a XtsKey,
    tweak: BlockWords,
    direction: Direction,
}

impl<'a> Xts<'a> {
    /// Makes the mode for a data unit of so many bytes.
    #[inline(always)]
    pub(super) fn new(
        direction: Direction,
        key: &'a XtsKey,
        tweak: &Block,
        len: usize,
    ) -> Result<Self, XtsLengthError> {
        XtsLengthError::check(len)?;
        Ok(Xts { key, tweak: BlockWords::of(tweak), direction })
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Xts<'_> {
    type Lanes = XtsLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> XtsTask {
        let Xts { key, tweak, direction } = *self;
        XtsTask { key, tweak, src, dst, len, direction }
    }

    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        COST
    }
}

/// A data unit of 16 bytes to 16 MiB to be encrypted or decrypted with AES-XTS (SP 800-38E, IEEE
/// 1619).
///
/// The length need not be a multiple of 16 (ciphertext stealing). The tweak is the number of the
/// data unit, as a little-endian integer, or any other 16 bytes that belong to its place. The same
/// text at the same place becomes the same ciphertext, so that an observer of two versions learns
/// which blocks have changed. Nothing says whether a ciphertext was tampered with.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, XtsJob, XtsKey, XtsLengthError};
///
/// let key = XtsKey::new(b"one key for text, other to tweak").expect("different halves");
/// let sector = |number: u128| XtsJob::encrypt(&key, number.to_le_bytes(), vec![0; 512], ());
/// let mut jobs = [sector(0)?, sector(1)?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), jobs[1].output());
/// # Ok::<(), XtsLengthError>(())
/// ```
pub type XtsJob<'a, B, T = ()> = CipherJob<Xts<'a>, B, T>;

impl<'a, B: CipherBuffer, T> XtsJob<'a, B, T> {
    /// Encrypts a data unit.
    ///
    /// # Errors
    /// [`XtsLengthError`] if it does not have 16 bytes to 16 MiB.
    pub fn encrypt(
        key: &'a XtsKey,
        tweak: [u8; 16],
        buffer: B,
        user: T,
    ) -> Result<Self, XtsLengthError> {
        Self::unit(Direction::Encrypt, key, tweak, buffer, user)
    }

    /// Decrypts a data unit.
    ///
    /// # Errors
    /// [`XtsLengthError`] if it does not have 16 bytes to 16 MiB.
    pub fn decrypt(
        key: &'a XtsKey,
        tweak: [u8; 16],
        buffer: B,
        user: T,
    ) -> Result<Self, XtsLengthError> {
        Self::unit(Direction::Decrypt, key, tweak, buffer, user)
    }

    fn unit(
        direction: Direction,
        key: &'a XtsKey,
        tweak: Block,
        buffer: B,
        user: T,
    ) -> Result<Self, XtsLengthError> {
        Ok(Self::cipher(Xts::new(direction, key, &tweak, buffer.length())?, buffer, user))
    }
}

impl<'a> Loan<'a, XtsLanes> {
    /// Encrypts a data unit of 16 bytes to 16 MiB with AES-XTS (SP 800-38E, IEEE 1619). A
    /// length that is no multiple of 16 is fine: the last whole block lends what the part behind it
    /// lacks (ciphertext stealing).
    ///
    /// The tweak is the number of the data unit, as a little-endian integer, or any other 16 bytes
    /// that belong to its place. The same text at the same place becomes the same ciphertext, so
    /// that an observer of two versions learns which blocks have changed. Nothing says whether a
    /// ciphertext was tampered with. XTS is for storage, not for messages.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, Loan, Planner, XtsKey, XtsLanes, XtsLengthError};
    ///
    /// let key = XtsKey::new(b"one key for text, other to tweak").expect("different halves");
    /// let mut sectors = [[1u8; 512]; 2];
    /// let mut planner = Planner::<XtsLanes>::new(&Cpu::detect());
    /// let loans: Result<Vec<_>, XtsLengthError> = (0u128..)
    ///     .zip(&mut sectors)
    ///     .map(|(number, sector)| Loan::xts_encrypt(&key, &number.to_le_bytes(), sector))
    ///     .collect();
    /// planner.process_each(loans?);
    /// assert_ne!(sectors[0], sectors[1]);
    /// # Ok::<(), XtsLengthError>(())
    /// ```
    ///
    /// # Errors
    /// [`XtsLengthError`] if the data unit is shorter or longer.
    #[inline(always)]
    pub fn xts_encrypt(
        key: &'a XtsKey,
        tweak: &[u8; 16],
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, XtsLengthError> {
        Self::xts(Direction::Encrypt, key, tweak, buffer.into().span())
    }

    /// Decrypts a data unit.
    ///
    /// # Errors
    /// [`XtsLengthError`] if the data unit does not have 16 bytes to 16 MiB.
    #[inline(always)]
    pub fn xts_decrypt(
        key: &'a XtsKey,
        tweak: &[u8; 16],
        buffer: impl Into<Buffers<'a>>,
    ) -> Result<Self, XtsLengthError> {
        Self::xts(Direction::Decrypt, key, tweak, buffer.into().span())
    }

    #[inline(always)]
    fn xts(
        direction: Direction,
        key: &'a XtsKey,
        tweak: &[u8; 16],
        text: Span,
    ) -> Result<Self, XtsLengthError> {
        Ok(Xts::new(direction, key, tweak, text.len)?.lend(text))
    }
}
