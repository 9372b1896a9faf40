//! F8: a key stream (TS 35.201, 3).

use zeroize::Zeroize;

use super::bits::add_bits;
use super::chain::{KasumiChain, Stretch};

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

/// Returns the block that the keystream starts from, before it is encrypted.
#[inline(always)]
pub(super) fn start(count: u32, bearer: u8, direction: LinkDirection) -> u64 {
    u64::from(count) << 32 | u64::from(bearer) << 27 | (direction as u64) << 26
}

/// A buffer to encrypt or decrypt.
#[derive(Clone, Copy)]
pub(in crate::kasumi) struct F8Task {
    /// `COUNT`, `BEARER`, `DIRECTION`, and what follows: zeros, in the standard.
    pub(super) start: u64,
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) bits: usize,
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
    /// `true` if the block under way is the start.
    starts: bool,
    bits: usize,
}

impl KasumiChain for F8 {
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
