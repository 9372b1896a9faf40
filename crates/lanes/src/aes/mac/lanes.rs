//! The scheduler of CMAC and XCBC messages, whose last block gets a subkey.

use zeroize::Zeroize;

use super::chains::{MacChainTask, MacChains, MacCourse};
use crate::cpu::Cpu;
use crate::job::{Mac, MacJob};
use crate::kernels::aes::bytes::load_bytes;
use crate::kernels::aes::key::{AesKey, Block};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// The key of a chain, and the two subkeys; wiped when dropped.
pub(super) struct MacKey {
    pub aes: AesKey,
    /// The subkeys for a whole last block and for a padded one, as little-endian integers.
    pub subkeys: [u128; 2],
}

impl Drop for MacKey {
    fn drop(&mut self) {
        self.subkeys.zeroize();
    }
}

/// One message, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the key is readable, `data` is readable for
/// `len` bytes, and `tag` is writable for a block.
#[derive(Clone, Copy)]
pub struct CmacTask {
    key: *const MacKey,
    data: *const u8,
    len: usize,
    tag: *mut Block,
}

/// The scheduler of messages for CMAC and XCBC onto the lanes of their kernel.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{CmacJob, CmacKey, CmacLanes, Cpu, Planner};
///
/// let mut planner: Planner<CmacLanes> = Planner::new(&Cpu::detect());
/// let key = CmacKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [CmacJob::cmac(&key, b"a message", ())];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct CmacLanes(MacChains<CmacTask>);

impl Lanes for CmacLanes {
    type Task = CmacTask;

    fn new(cpu: &Cpu) -> Self {
        CmacLanes(MacChains::new(cpu, ()))
    }

    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }

    unsafe fn run(&mut self, source: &mut impl Source<CmacTask>) {
        // SAFETY: the tasks are good until they are reported done, by this function's contract.
        unsafe { self.0.run(source) }
    }
}

impl MacChainTask for CmacTask {
    type Beside = ();

    #[inline(always)]
    fn key(&self) -> *const AesKey {
        // SAFETY: a task's key is readable from the task's start to its end, and this only computes
        // an address within it.
        unsafe { &raw const (*self.key).aes }
    }

    /// Describes all whole blocks except the last, and then the last block, or the padded rest,
    /// with a subkey.
    #[inline(always)]
    unsafe fn begin(&self, (): (), chain: &mut MacCourse<'_, Self>) {
        let whole = whole_blocks(self.len);
        // SAFETY: the task is good by this function's contract, so that the key and `len` bytes at
        // `data` are readable; `last` lies within these bytes, or at their end if there are none.
        unsafe {
            let last = self.data.add(16 * whole);
            let [of_whole, of_padded] = (*self.key).subkeys;
            chain.text(self.data, whole);
            chain.block(match self.len - 16 * whole {
                16 => u128::from_le(last.cast::<u128>().read_unaligned()) ^ of_whole,
                len => load_bytes(last, len) ^ 0x80 << (8 * len) ^ of_padded,
            });
        }
    }

    #[inline(always)]
    unsafe fn end(&self, (): (), state: &Block) {
        // SAFETY: the task is good by this function's contract, so that the tag is writable.
        unsafe { self.tag.write(*state) }
    }
}

/// Returns the number of blocks before the last. An empty message has a last block, too.
#[inline(always)]
fn whole_blocks(len: usize) -> usize {
    len.saturating_sub(1) / 16
}

/// The chain of CMAC and XCBC under a key.
#[derive(Clone, Copy)]
pub struct Cmac<'a>(pub(super) &'a MacKey);

// SAFETY: the key is borrowed as long as the mode lives, and tasks point to nothing else but data
// and tag.
unsafe impl Mac for Cmac<'_> {
    type Lanes = CmacLanes;
    type Tag = Block;

    #[inline(always)]
    fn task(&self, (data, len): (*const u8, usize), tag: *mut Block) -> CmacTask {
        CmacTask { key: self.0, data, len, tag }
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        whole_blocks(len) + 1
    }
}

/// Data to be authenticated with AES-CMAC (SP 800-38B, RFC 4493) or AES-XCBC-MAC (RFC 3566), whose
/// tags have 16 bytes; a shorter one is the start of it. There is no nonce.
///
/// ```
/// use broadloom_lanes::{CmacJob, CmacKey, Cpu, OutOfOrder, XcbcKey};
///
/// let (cmac, xcbc) = (CmacKey::new(&[7; 16])?, XcbcKey::new(&[7; 16]));
/// let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
/// manager.submit(CmacJob::cmac(&cmac, b"message", 1));
/// manager.submit(CmacJob::xcbc(&xcbc, b"message", 2));
/// let tags = [manager.flush(), manager.flush()];
/// let tags = tags.map(|job| *job.expect("held").output().expect("complete"));
/// assert_ne!(tags[0], tags[1]);
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
pub type CmacJob<'a, D, T = ()> = MacJob<Cmac<'a>, D, T>;
