//! AES-XCBC-MAC (RFC 3566).

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::lanes::{Cmac, CmacJob, CmacLanes, MacKey};
use crate::aes::key::Expansion;
use crate::buffer::Input;
use crate::cpu::Cpu;
use crate::job::Mac;
use crate::kernels::aes::key::AesKey;
use crate::kernels::aes::soft::{SlicedCipher, WIDTH};
use crate::manager::Loan;

/// An AES-128 key for XCBC-MAC (RFC 3566), expanded: the round keys of its chain, and the two
/// subkeys.
///
/// Expanding takes constant time. All of it is wiped when the key is dropped.
///
/// ```
/// use broadloom_lanes::{CmacLanes, Cpu, Loan, Planner, XcbcKey};
///
/// let key = XcbcKey::new(&[7; 16]);
/// let messages = ["one", "and another"];
/// let mut tags = [[0; 16]; 2];
/// let mut planner = Planner::<CmacLanes>::new(&Cpu::detect());
/// let all = messages.iter().zip(&mut tags);
/// planner.process_each(all.map(|(message, tag)| Loan::xcbc(&key, message.as_bytes(), tag)));
/// assert_ne!(tags[0][..12], tags[1][..12]);
/// ```
pub struct XcbcKey(MacKey);

impl XcbcKey {
    /// Expands a key, with the best instructions that the machine has.
    pub fn new(key: &[u8; 16]) -> Self {
        Self::expanded(key, Expansion::detect())
    }

    /// Expands a key, with the instructions that `cpu` may use and no others.
    pub fn with_cpu(key: &[u8; 16], cpu: &Cpu) -> Self {
        Self::expanded(key, Expansion::of(cpu))
    }

    fn expanded(key: &[u8; 16], by: Expansion) -> Self {
        let aes =
            |key: &[u8; 16]| AesKey::expanded(key, by.sub_word()).expect("16 bytes are a key");
        let mut blocks = [[0; 16]; WIDTH];
        for (block, number) in blocks.iter_mut().zip(1..=3) {
            block.fill(number);
        }
        SlicedCipher::new(&aes(key)).encrypt(&mut blocks);
        let subkeys = [u128::from_le_bytes(blocks[1]), u128::from_le_bytes(blocks[2])];
        let aes = aes(&blocks[0]);
        blocks.zeroize();
        XcbcKey(MacKey { aes, subkeys })
    }
}

impl ZeroizeOnDrop for XcbcKey {}

impl fmt::Debug for XcbcKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XcbcKey").finish_non_exhaustive()
    }
}

impl<'a> Loan<'a, CmacLanes> {
    /// Makes a loan for the AES-XCBC-MAC of data (RFC 3566), the whole of it; AES-XCBC-MAC-96 is
    /// the first 12 bytes.
    #[inline(always)]
    pub fn xcbc(key: &'a XcbcKey, data: &'a [u8], tag: &'a mut [u8; 16]) -> Self {
        Cmac(&key.0).lend(data, tag)
    }
}

impl<'a, D: Input, T> CmacJob<'a, D, T> {
    /// Authenticates data with AES-XCBC-MAC (RFC 3566); AES-XCBC-MAC-96 is the first 12 bytes.
    pub fn xcbc(key: &'a XcbcKey, data: D, user: T) -> Self {
        Self::mac(Cmac(&key.0), data, user)
    }
}
