//! CBC jobs and loans.

use super::lanes::{CbcLanes, CbcTask, Direction};
use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::error::LengthError;
use crate::job::{Cipher, CipherJob};
use crate::kernels::aes::key::AesKey;
use crate::kernels::aes::key::BlockWords;
use crate::manager::Loan;

/// Bytes in an AES block.
pub(super) const BLOCK: usize = 16;

/// One buffer to be encrypted or decrypted with AES-CBC (SP 800-38A, section 6.2), of whole blocks.
///
/// `B` is the buffer, owned or borrowed, in place or apart ([`CipherBuffer`]); `T` is whatever the
/// caller wants to come back with it. There is no job without an IV:
///
/// ```compile_fail
/// # use broadloom_lanes::{AesKey, CbcJob};
/// # let key = AesKey::new(&[0; 16]).unwrap();
/// CbcJob::encrypt(&key, vec![0; 16], ());
/// ```
pub type CbcJob<'a, B, T = ()> = CipherJob<Cbc<'a>, B, T>;

/// CBC under a key, one way, from an IV on.
#[derive(Clone, Copy)]
pub struct Cbc<'a> {
    key: &'a AesKey,
    iv: BlockWords,
    direction: Direction,
}

impl<'a> Cbc<'a> {
    /// Makes the mode for a buffer of so many bytes.
    #[inline(always)]
    pub(crate) fn new(
        direction: Direction,
        key: &'a AesKey,
        iv: &[u8; BLOCK],
        len: usize,
    ) -> Result<Self, LengthError> {
        LengthError::check(len, BLOCK)?;
        Ok(Cbc { key, iv: BlockWords::of(iv), direction })
    }
}

// SAFETY: the key is borrowed, and tasks point only to it and to the text.
unsafe impl Cipher for Cbc<'_> {
    type Lanes = CbcLanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> CbcTask {
        let Cbc { key, iv, direction } = *self;
        CbcTask { key, iv, src, dst, blocks: len / BLOCK, direction }
    }

    /// Returns the steps that a buffer keeps a lane for: decryption takes none.
    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        match self.direction {
            Direction::Encrypt => len / BLOCK,
            Direction::Decrypt => 0,
        }
    }
}

impl<'a, B: CipherBuffer, T> CbcJob<'a, B, T> {
    /// Encrypts a buffer of whole blocks; an empty one is valid. For each message under one key,
    /// the IV must be unpredictable (SP 800-38A, appendix C).
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 16 bytes.
    pub fn encrypt(
        key: &'a AesKey,
        iv: [u8; BLOCK],
        buffer: B,
        user: T,
    ) -> Result<Self, LengthError> {
        let mode = Cbc::new(Direction::Encrypt, key, &iv, buffer.length())?;
        Ok(Self::cipher(mode, buffer, user))
    }

    /// Decrypts a buffer of whole blocks; none is fine.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 16 bytes.
    pub fn decrypt(
        key: &'a AesKey,
        iv: [u8; BLOCK],
        buffer: B,
        user: T,
    ) -> Result<Self, LengthError> {
        let mode = Cbc::new(Direction::Decrypt, key, &iv, buffer.length())?;
        Ok(Self::cipher(mode, buffer, user))
    }
}

impl<'a> Loan<'a, CbcLanes> {
    /// Encrypts a buffer of whole blocks, as [`CbcJob::encrypt`] does.
    ///
    /// # Panics
    /// If the buffer is no multiple of 16 bytes.
    #[inline(always)]
    pub fn encrypt(key: &'a AesKey, iv: &[u8; BLOCK], buffer: impl Into<Buffers<'a>>) -> Self {
        Self::blocks(Direction::Encrypt, key, iv, buffer.into().span())
    }

    /// Decrypts a buffer of whole blocks.
    ///
    /// # Panics
    /// If the buffer is no multiple of 16 bytes.
    #[inline(always)]
    pub fn decrypt(key: &'a AesKey, iv: &[u8; BLOCK], buffer: impl Into<Buffers<'a>>) -> Self {
        Self::blocks(Direction::Decrypt, key, iv, buffer.into().span())
    }

    #[inline(always)]
    fn blocks(direction: Direction, key: &'a AesKey, iv: &[u8; BLOCK], text: Span) -> Self {
        match Cbc::new(direction, key, iv, text.len) {
            Ok(mode) => mode.lend(text),
            Err(_) => panic!("{} bytes are no whole blocks", text.len),
        }
    }
}
