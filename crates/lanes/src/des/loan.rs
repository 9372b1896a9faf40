//! DES loans: buffers to encrypt or decrypt, borrowed for one call.

use super::job::Des;
use super::key::DesKey;
use super::lanes::DesLanes;
use super::mode::{BLOCK, DesMode};
use crate::buffer::{Buffers, Span};
use crate::error::LengthError;
use crate::job::Cipher;
use crate::manager::Loan;

/// Makes a constructor of a mode of whole blocks.
macro_rules! whole_blocks {
    ($(#[doc = $doc:literal])* $name:ident, $mode:expr $(, $iv:ident)?) => {
        $(#[doc = $doc])*
        ///
        /// # Errors
        /// [`LengthError`] if the buffer is no multiple of 8 bytes.
        #[inline(always)]
        pub fn $name(
            key: &'a DesKey,
            $($iv: &[u8; BLOCK],)?
            buffer: impl Into<Buffers<'a>>,
        ) -> Result<Self, LengthError> {
            let chain = 0 $(| u64::from_le_bytes(*$iv))?;
            Self::whole_blocks($mode, key, chain, buffer.into().span())
        }
    };
}

impl<'a> Loan<'a, DesLanes> {
    whole_blocks! {
        /// Encrypts a buffer of whole blocks with DES or triple DES, as the key is, in CBC
        /// (SP 800-38A, section 6.2); an empty one is valid. For each message under one key, the IV
        /// must be unpredictable (appendix C): two messages under one IV reveal equal beginnings.
        des_cbc_encrypt, DesMode::CbcEncrypt, iv
    }

    whole_blocks! {
        /// Decrypts a buffer of whole blocks with DES or triple DES, as the key is, in CBC
        /// (SP 800-38A, section 6.2); none is fine.
        des_cbc_decrypt, DesMode::CbcDecrypt, iv
    }

    whole_blocks! {
        /// Encrypts a buffer of whole blocks with DES or triple DES, as the key is, each
        /// block by itself (ECB; SP 800-38A, section 6.1). Equal blocks show: this is for building
        /// other modes.
        des_ecb_encrypt, DesMode::EcbEncrypt
    }

    whole_blocks! {
        /// Decrypts a buffer of whole blocks with DES or triple DES, as the key is, each
        /// block by itself (ECB; SP 800-38A, section 6.1).
        des_ecb_decrypt, DesMode::EcbDecrypt
    }

    /// Encrypts or decrypts a buffer with DES or triple DES, as the key is, in counter
    /// mode (SP 800-38A, section 6.5), which are the same. `counter` is the first counter block,
    /// big-endian; all its 64 bits count, modulo 2^64. The last block need not be whole.
    ///
    /// No counter block may be used twice under one key: two such ciphertexts reveal the difference
    /// of their plaintexts.
    #[inline(always)]
    pub fn des_ctr(key: &'a DesKey, counter: &[u8; BLOCK], buffer: impl Into<Buffers<'a>>) -> Self {
        Des::counting(key, counter).lend(buffer.into().span())
    }

    #[inline(always)]
    fn whole_blocks(
        mode: DesMode,
        key: &'a DesKey,
        chain: u64,
        text: Span,
    ) -> Result<Self, LengthError> {
        Ok(Des::of_blocks(mode, key, chain, text.len)?.lend(text))
    }
}
