//! AES-CMAC (SP 800-38B, RFC 4493).

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::chains::{Chain, ChainTask, Chains, Piece};
use crate::aes::bytes::load_bytes;
use crate::aes::key::{AesKey, KeyLengthError};
use crate::aes::soft::{SlicedCipher, WIDTH};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Loan, Occupancy, Source};

/// An AES-128, AES-192 or AES-256 key for CMAC (SP 800-38B), expanded: AES's round keys, and the two subkeys.
///
/// Expanding takes constant time for a given key length, on every CPU. All of it is wiped when the key is
/// dropped.
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
pub struct CmacKey {
    aes: AesKey,
    /// What is added to a last block that is whole, and to one that is padded; as little-endian integers.
    subkeys: [u128; 2],
}

impl CmacKey {
    /// Expands a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        let aes = AesKey::new(key)?;
        let mut blocks = [[0; 16]; WIDTH];
        SlicedCipher::new(&aes).encrypt(&mut blocks);
        let mut first = double(u128::from_be_bytes(blocks[0]));
        let mut second = double(first);
        let subkeys = [first.swap_bytes(), second.swap_bytes()];
        first.zeroize();
        second.zeroize();
        blocks.zeroize();
        Ok(CmacKey { aes, subkeys })
    }

    /// The length of the key in bits: 128, 192 or 256.
    pub fn bits(&self) -> usize {
        self.aes.bits()
    }
}

/// Times `x` (SP 800-38B, 6.1).
fn double(block: u128) -> u128 {
    (block << 1) ^ ((block >> 127) * 0x87)
}

impl Drop for CmacKey {
    fn drop(&mut self) {
        self.subkeys.zeroize();
    }
}

impl ZeroizeOnDrop for CmacKey {}

impl fmt::Debug for CmacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CmacKey").field("bits", &self.bits()).finish_non_exhaustive()
    }
}

/// One message, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct CmacTask {
    key: *const CmacKey,
    data: *const u8,
    len: usize,
    tag: *mut u8,
}

/// The scheduler of CMACs onto the lanes of its kernel.
pub struct CmacLanes(Chains);

impl Lanes for CmacLanes {
    type Task = CmacTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        CmacLanes(Chains::new(cpu))
    }

    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<CmacTask>, _: Goal) {
        // SAFETY: the caller's.
        unsafe { self.0.run(source) }
    }
}

impl ChainTask for CmacTask {
    #[inline(always)]
    fn key(&self) -> *const AesKey {
        // SAFETY: a task's key is valid.
        unsafe { &raw const (*self.key).aes }
    }

    /// All whole blocks but the last; and that or what is left, padded, with a subkey.
    #[inline(always)]
    unsafe fn describe(&self, chain: *mut Chain) {
        let whole = whole_blocks(self.len);
        let last_len = self.len - 16 * whole;
        // SAFETY: the caller's; the last block begins within the data, or at their end.
        unsafe {
            let last = self.data.add(16 * whole);
            let [of_whole, of_padded] = (*self.key).subkeys;
            let last = match last_len {
                16 => u128::from_le(last.cast::<u128>().read_unaligned()) ^ of_whole,
                len => load_bytes(last, len) ^ 0x80 << (8 * len) ^ of_padded,
            };
            (*chain).made[0] = last.to_le_bytes();
            let made = Piece { from: (&raw const (*chain).made).cast(), blocks: 1 };
            if whole > 0 {
                (*chain).pieces = [Piece { from: self.data, blocks: whole }, made];
                (*chain).count = 2;
            } else {
                (*chain).pieces[0] = made;
                (*chain).count = 1;
            }
            (*chain).tag = self.tag;
        }
    }
}

/// The blocks before the last: an empty message has one, too.
#[inline(always)]
fn whole_blocks(len: usize) -> usize {
    len.saturating_sub(1) / 16
}

impl<'a> Loan<'a, CmacLanes> {
    /// The AES-CMAC of data (SP 800-38B), the whole of it; a shorter one is the start of it.
    #[inline(always)]
    pub fn cmac(key: &'a CmacKey, data: &'a [u8], tag: &'a mut [u8; 16]) -> Self {
        let task = CmacTask { key, data: data.as_ptr(), len: data.len(), tag: tag.as_mut_ptr() };
        Loan::new(task, whole_blocks(data.len()) + 1)
    }
}
