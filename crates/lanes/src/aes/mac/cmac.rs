//! AES-CMAC (SP 800-38B, RFC 4493).

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::lanes::{Cmac, CmacJob, CmacLanes, MacKey};
use crate::aes::key::Expansion;
use crate::buffer::Input;
use crate::cpu::Cpu;
use crate::job::Mac;
use crate::kernels::aes::key::{AesKey, KeyLengthError};
use crate::kernels::aes::soft::{SlicedCipher, WIDTH};
use crate::manager::Loan;

/// An AES-128, AES-192 or AES-256 key for CMAC (SP 800-38B), expanded: AES's round keys, and the
/// two subkeys.
///
/// Expanding takes constant time for a given key length, on every CPU. All of it is wiped when the
/// key is dropped.
///
/// ```
/// use broadloom_lanes::{CmacKey, Cpu, Loan, Planner};
///
/// let key = CmacKey::new(&[7; 16])?;
/// let messages = ["one", "and another"];
/// let mut tags = [[0; 16]; 2];
/// let mut planner = Planner::new(&Cpu::detect());
/// let all = messages.iter().zip(&mut tags);
/// planner.process_each(all.map(|(message, tag)| Loan::cmac(&key, message.as_bytes(), tag)));
/// assert_ne!(tags[0], tags[1]);
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub struct CmacKey(MacKey);

impl CmacKey {
    /// Expands a key of 16, 24 or 32 bytes, with the best instructions that the machine has.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::expanded(key, Expansion::detect())
    }

    /// Expands a key of 16, 24 or 32 bytes, with the instructions that `cpu` may use and no others.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn with_cpu(key: &[u8], cpu: &Cpu) -> Result<Self, KeyLengthError> {
        Self::expanded(key, Expansion::of(cpu))
    }

    fn expanded(key: &[u8], by: Expansion) -> Result<Self, KeyLengthError> {
        let aes = AesKey::expanded(key, by.sub_word())?;
        let mut blocks = [[0; 16]; WIDTH];
        SlicedCipher::new(&aes).encrypt(&mut blocks);
        let mut first = double(u128::from_be_bytes(blocks[0]));
        let mut second = double(first);
        let subkeys = [first.swap_bytes(), second.swap_bytes()];
        first.zeroize();
        second.zeroize();
        blocks.zeroize();
        Ok(CmacKey(MacKey { aes, subkeys }))
    }

    /// Returns the length of the key in bits: 128, 192 or 256.
    pub fn bits(&self) -> usize {
        self.0.aes.bits()
    }
}

/// Times `x` (SP 800-38B, 6.1).
fn double(block: u128) -> u128 {
    (block << 1) ^ ((block >> 127) * 0x87)
}

impl ZeroizeOnDrop for CmacKey {}

impl fmt::Debug for CmacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CmacKey").field("bits", &self.bits()).finish_non_exhaustive()
    }
}

impl<'a> Loan<'a, CmacLanes> {
    /// Makes a loan for the AES-CMAC of data (SP 800-38B), the whole of it; a shorter one is the
    /// start of it.
    #[inline(always)]
    pub fn cmac(key: &'a CmacKey, data: &'a [u8], tag: &'a mut [u8; 16]) -> Self {
        Cmac(&key.0).lend(data, tag)
    }
}

impl<'a, D: Input, T> CmacJob<'a, D, T> {
    /// Authenticates data with AES-CMAC (SP 800-38B, RFC 4493).
    pub fn cmac(key: &'a CmacKey, data: D, user: T) -> Self {
        Self::mac(Cmac(&key.0), data, user)
    }
}
