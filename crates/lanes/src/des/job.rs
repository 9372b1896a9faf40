//! DES and triple DES buffers, and their tasks.

use super::buffers::DesTask;
use super::key::DesKey;
use super::lanes::DesLanes;
use super::mode::{BLOCK, DesMode};
use crate::buffer::{CipherBuffer, Span};
use crate::error::LengthError;
use crate::job::{Cipher, CipherJob};

/// A mode under a key, one way, from an IV or a counter on.
#[derive(Clone, Copy)]
pub struct Des<'a> {
    mode: DesMode,
    key: &'a DesKey,
    /// The value to which the first block is chained ([`Run::chain`](super::mode::Run)).
    chain: u64,
}

impl<'a> Des<'a> {
    /// Returns a mode of whole blocks, for a text of so many bytes.
    #[inline(always)]
    pub(super) fn of_blocks(
        mode: DesMode,
        key: &'a DesKey,
        chain: u64,
        len: usize,
    ) -> Result<Self, LengthError> {
        LengthError::check(len, BLOCK)?;
        Ok(Des { mode, key, chain })
    }

    /// Makes a run of counter mode, for any text.
    #[inline(always)]
    pub(super) fn counting(key: &'a DesKey, counter: &[u8; BLOCK]) -> Self {
        Des { mode: DesMode::Counter, key, chain: u64::from_be_bytes(*counter) }
    }
}

// SAFETY: the key is borrowed as long as the mode lives, and tasks point only to it and to the
// text.
unsafe impl Cipher for Des<'_> {
    type Lanes = DesLanes;

    #[inline(always)]
    fn task(&self, text: Span) -> DesTask {
        DesTask::new(self.mode, self.key, self.chain, text)
    }

    /// Buffers that are cut into parts fill the lanes that chains leave.
    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        if self.mode.is_serial() { len / BLOCK } else { 0 }
    }
}

/// A buffer to be encrypted or decrypted with DES or triple DES, as the key is.
///
/// ```
/// use broadloom_lanes::{Cpu, DesJob, DesKey, LengthError, Planner};
///
/// let key = DesKey::new(b"three keys of 8 bytes   ").expect("24 bytes");
/// let cbc = DesJob::cbc_encrypt(&key, [3; 8], vec![0; 32], ())?;
/// let mut jobs = [cbc, DesJob::ctr(&key, [4; 8], vec![0; 13], ())];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[1].output(), Some([0; 13].as_slice()));
/// # Ok::<(), LengthError>(())
/// ```
pub type DesJob<'a, B, T = ()> = CipherJob<Des<'a>, B, T>;

impl<'a, B: CipherBuffer, T> DesJob<'a, B, T> {
    /// Encrypts a buffer of whole blocks in CBC (SP 800-38A, section 6.2); an empty one is valid.
    /// For each message under one key, the IV must be unpredictable (appendix C): two messages
    /// under one IV reveal equal beginnings.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 8 bytes.
    pub fn cbc_encrypt(
        key: &'a DesKey,
        iv: [u8; 8],
        buffer: B,
        user: T,
    ) -> Result<Self, LengthError> {
        Self::blocks(DesMode::CbcEncrypt, key, u64::from_le_bytes(iv), buffer, user)
    }

    /// Decrypts a buffer of whole blocks in CBC; none is fine.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 8 bytes.
    pub fn cbc_decrypt(
        key: &'a DesKey,
        iv: [u8; 8],
        buffer: B,
        user: T,
    ) -> Result<Self, LengthError> {
        Self::blocks(DesMode::CbcDecrypt, key, u64::from_le_bytes(iv), buffer, user)
    }

    /// Encrypts each block of a buffer by itself (ECB, SP 800-38A, section 6.1); none is fine.
    /// Equal blocks show: this is for building other modes.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 8 bytes.
    pub fn ecb_encrypt(key: &'a DesKey, buffer: B, user: T) -> Result<Self, LengthError> {
        Self::blocks(DesMode::EcbEncrypt, key, 0, buffer, user)
    }

    /// Decrypts each block of a buffer by itself; none is fine.
    ///
    /// # Errors
    /// [`LengthError`] if the buffer is no multiple of 8 bytes.
    pub fn ecb_decrypt(key: &'a DesKey, buffer: B, user: T) -> Result<Self, LengthError> {
        Self::blocks(DesMode::EcbDecrypt, key, 0, buffer, user)
    }

    /// Encrypts or decrypts a buffer of any length in counter mode (SP 800-38A, section 6.5), which
    /// are the same. `counter` is the first counter block, big-endian; all its 64 bits count,
    /// modulo 2^64.
    ///
    /// No counter block may be used twice under one key: two such ciphertexts reveal the difference
    /// of their plaintexts.
    pub fn ctr(key: &'a DesKey, counter: [u8; 8], buffer: B, user: T) -> Self {
        Self::cipher(Des::counting(key, &counter), buffer, user)
    }

    fn blocks(
        mode: DesMode,
        key: &'a DesKey,
        chain: u64,
        buffer: B,
        user: T,
    ) -> Result<Self, LengthError> {
        Ok(Self::cipher(Des::of_blocks(mode, key, chain, buffer.length())?, buffer, user))
    }
}
