//! What a user hands in: buffers to be encrypted or decrypted.

use super::AesKey;
use super::lanes::{CbcLanes, CbcTask, Direction};
use crate::buffer::{CipherBuffer, Span};
use crate::error::LengthError;
use crate::manager::{Job, Loan, Ticket};

/// Bytes in an AES block.
pub(super) const BLOCK: usize = 16;

/// One buffer to be encrypted or decrypted with AES-CBC (SP 800-38A, section 6.2), of whole blocks.
///
/// `B` is the buffer, owned or borrowed, in place or apart ([`CipherBuffer`]); `T` is whatever the caller
/// wants to come back with it. There is no job without an IV:
///
/// ```compile_fail
/// # use broadloom_lanes::{AesKey, CbcJob};
/// # let key = AesKey::new(&[0; 16]).unwrap();
/// CbcJob::encrypt(&key, vec![0; 16], ());
/// ```
pub struct CbcJob<'a, B, T = ()> {
    key: &'a AesKey,
    iv: [u8; BLOCK],
    buffer: B,
    user: T,
    direction: Direction,
    ticket: Ticket,
}

impl<'a, B: CipherBuffer, T> CbcJob<'a, B, T> {
    fn new(
        direction: Direction,
        key: &'a AesKey,
        iv: [u8; BLOCK],
        buffer: B,
        user: T,
    ) -> Result<Self, LengthError> {
        LengthError::check(buffer.length(), BLOCK)?;
        Ok(CbcJob { key, iv, buffer, user, direction, ticket: Ticket::default() })
    }

    /// Encrypts a buffer of whole blocks; none is fine. For each message under one key, the IV must be
    /// one that nobody could foretell (SP 800-38A, appendix C).
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 16 bytes.
    pub fn encrypt(key: &'a AesKey, iv: [u8; BLOCK], buffer: B, user: T) -> Result<Self, LengthError> {
        Self::new(Direction::Encrypt, key, iv, buffer, user)
    }

    /// Decrypts a buffer of whole blocks; none is fine.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 16 bytes.
    pub fn decrypt(key: &'a AesKey, iv: [u8; BLOCK], buffer: B, user: T) -> Result<Self, LengthError> {
        Self::new(Direction::Decrypt, key, iv, buffer, user)
    }

    /// Sets the time by which the job should be complete, in ticks of the caller's choosing: a
    /// manager's `flush_expired` completes jobs whose time has come. Without it a job has all the time
    /// there is.
    pub fn by(mut self, ticks: u64) -> Self {
        self.ticket.deadline = ticks;
        self
    }

    /// The result; `None` until the job is complete.
    pub fn output(&self) -> Option<&[u8]> {
        self.ticket.complete.then(|| self.buffer.output())
    }

    /// Whether the job went through a manager to its end.
    pub fn is_complete(&self) -> bool {
        self.ticket.complete
    }

    /// The buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.buffer, self.user)
    }

    /// The caller's value.
    pub fn user(&self) -> &T {
        &self.user
    }
}

impl<'a> Loan<'a, CbcLanes> {
    /// Encrypts a buffer of whole blocks in place, as [`CbcJob::encrypt`] does.
    ///
    /// # Panics
    /// If the buffer is no multiple of 16 bytes.
    #[inline(always)]
    pub fn encrypt(key: &'a AesKey, iv: &[u8; BLOCK], buffer: &'a mut [u8]) -> Self {
        Self::blocks(Direction::Encrypt, key, iv, Span::in_place(buffer))
    }

    /// Decrypts a buffer of whole blocks in place.
    ///
    /// # Panics
    /// If the buffer is no multiple of 16 bytes.
    #[inline(always)]
    pub fn decrypt(key: &'a AesKey, iv: &[u8; BLOCK], buffer: &'a mut [u8]) -> Self {
        Self::blocks(Direction::Decrypt, key, iv, Span::in_place(buffer))
    }

    /// Encrypts whole blocks from one buffer to another.
    ///
    /// # Panics
    /// If the source is no multiple of 16 bytes, or the destination has another length.
    #[inline(always)]
    pub fn encrypt_to(key: &'a AesKey, iv: &[u8; BLOCK], src: &'a [u8], dst: &'a mut [u8]) -> Self {
        Self::blocks(Direction::Encrypt, key, iv, Span::apart(src, dst))
    }

    /// Decrypts whole blocks from one buffer to another.
    ///
    /// # Panics
    /// If the source is no multiple of 16 bytes, or the destination has another length.
    #[inline(always)]
    pub fn decrypt_to(key: &'a AesKey, iv: &[u8; BLOCK], src: &'a [u8], dst: &'a mut [u8]) -> Self {
        Self::blocks(Direction::Decrypt, key, iv, Span::apart(src, dst))
    }

    #[inline(always)]
    pub(crate) fn blocks(
        direction: Direction,
        key: &'a AesKey,
        iv: &[u8; BLOCK],
        Span { src, dst, len }: Span,
    ) -> Self {
        assert!(len.is_multiple_of(BLOCK), "{len} bytes are no whole blocks");
        let blocks = len / BLOCK;
        Loan::new(CbcTask { key, iv: *iv, src, dst, blocks, direction }, cost(direction, blocks))
    }
}

/// Steps that a buffer keeps a lane for: decryption takes none.
#[inline(always)]
fn cost(direction: Direction, blocks: usize) -> usize {
    match direction {
        Direction::Encrypt => blocks,
        Direction::Decrypt => 0,
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (CipherBuffer's contract);
// the key is borrowed for the job's life.
unsafe impl<B: CipherBuffer, T> Job for CbcJob<'_, B, T> {
    type Lanes = CbcLanes;

    #[inline(always)]
    fn task(&mut self) -> CbcTask {
        let Span { src, dst, len } = Span::of(&mut self.buffer);
        let (iv, direction) = (self.iv, self.direction);
        CbcTask { key: self.key, iv, src, dst, blocks: len / BLOCK, direction }
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        cost(self.direction, self.buffer.length() / BLOCK)
    }

    #[inline(always)]
    fn ticket(&mut self) -> &mut Ticket {
        &mut self.ticket
    }
}
