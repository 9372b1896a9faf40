//! F9: a message authentication code (TS 35.201, 4).

use zeroize::Zeroize;

use super::bits::load_bits;
use super::f8::LinkDirection;
use super::key::{KasumiError, KasumiKey};
use super::lanes::{Chain, KasumiLanes, KasumiTask, ModeTask, Stretch};
use crate::buffer::Input;
use crate::job::{Mac, MacJob};
use crate::manager::Loan;

/// The modifier of the key for the last block.
const MODIFIER: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// A message to authenticate.
#[derive(Clone, Copy)]
pub(in crate::kasumi) struct F9Task {
    /// `COUNT` and `FRESH`.
    start: u64,
    data: *const u8,
    bits: usize,
    direction: LinkDirection,
    tag: *mut [u8; 4],
}

/// A chain under way.
#[derive(Clone, Copy)]
pub(in crate::kasumi) struct F9 {
    /// The sum of all blocks of the chain so far.
    sum: u64,
    data: *const u8,
    /// The blocks behind the whole blocks of the message, in reverse order.
    padded: [u64; 2],
    /// How many of these blocks are left.
    left: usize,
    /// Whether the block under way is the last, the sum's.
    ends: bool,
    tag: *mut [u8; 4],
}

impl Chain for F9 {
    type Task = F9Task;
    const IDLE: Self = F9 {
        sum: 0,
        data: core::ptr::null(),
        padded: [0; 2],
        left: 0,
        ends: false,
        tag: core::ptr::null_mut(),
    };

    #[inline(always)]
    unsafe fn begin(task: &F9Task) -> (Self, Stretch) {
        let F9Task { start, data, bits, direction, tag } = *task;
        let (whole, rest) = (bits / 64, bits % 64);
        // SAFETY: the caller's; after the whole blocks, the rest of the bits is left.
        let rest_of_data = unsafe { load_bits(data.add(8 * whole), rest) };
        // The direction, a one, and zeros.
        let padding = (u128::from(direction == LinkDirection::Downlink) << 1 | 1) << (126 - rest);
        let both = u128::from(rest_of_data) << 64 | padding;
        let (first, second) = ((both >> 64) as u64, both as u64);
        let (padded, left) = if rest + 2 > 64 { ([second, first], 2) } else { ([first, 0], 1) };
        let chain = F9 { sum: 0, data, padded, left, ends: false, tag };
        (chain, Stretch { block: start, modifier: 0, more: whole })
    }

    #[inline(always)]
    unsafe fn advance(&mut self, block: u64) -> u64 {
        self.sum ^= block;
        // SAFETY: so many times as the message has whole blocks.
        let next = unsafe {
            let data = self.data.cast::<u64>();
            self.data = data.add(1).cast();
            u64::from_be(data.read_unaligned())
        };
        next ^ block
    }

    #[inline(always)]
    unsafe fn turn(&mut self, block: u64) -> Option<Stretch> {
        if self.ends {
            let [a, b, c, d, ..] = block.to_be_bytes();
            // SAFETY: the caller's.
            unsafe { self.tag.write([a, b, c, d]) };
            return None;
        }
        self.sum ^= block;
        if self.left > 0 {
            self.left -= 1;
            return Some(Stretch { block: block ^ self.padded[self.left], modifier: 0, more: 0 });
        }
        self.ends = true;
        Some(Stretch { block: self.sum, modifier: MODIFIER, more: 0 })
    }

    fn wipe(&mut self) {
        self.sum.zeroize();
        self.padded.zeroize();
    }
}

impl<'a> Loan<'a, KasumiLanes> {
    /// The F9 message authentication code (UIA1, TS 35.201) of the first `bits` bits of data,
    /// `MAC-I`. Bits are counted from the highest of the first byte; those after the last are of no
    /// account.
    ///
    /// The tag has 32 bits: one in four thousand million guesses is right. A receiver must accept
    /// no pair of `count` and `fresh` twice under one key, or messages can be replayed. The
    /// standard's messages have 20,000 bits at most; here they may be longer.
    ///
    /// # Errors
    /// [`KasumiError`] if the data have fewer bits.
    #[inline(always)]
    pub fn f9(
        key: &'a KasumiKey,
        count: u32,
        fresh: u32,
        direction: LinkDirection,
        data: &'a [u8],
        bits: usize,
        tag: &'a mut [u8; 4],
    ) -> Result<Self, KasumiError> {
        Ok(F9Mode::new(key, (count, fresh, direction), bits, data.len())?.lend(data, tag))
    }
}

/// F9 under a key, of so many bits.
#[derive(Clone, Copy)]
pub struct F9Mode<'a> {
    key: &'a KasumiKey,
    start: u64,
    direction: LinkDirection,
    bits: usize,
}

impl<'a> F9Mode<'a> {
    /// For data of so many bytes.
    #[inline(always)]
    fn new(
        key: &'a KasumiKey,
        (count, fresh, direction): (u32, u32, LinkDirection),
        bits: usize,
        len: usize,
    ) -> Result<Self, KasumiError> {
        KasumiError::check_bits(bits, len)?;
        Ok(F9Mode { key, start: u64::from(count) << 32 | u64::from(fresh), direction, bits })
    }
}

// SAFETY: the key is borrowed, and tasks point to nothing else but data and tag.
unsafe impl Mac for F9Mode<'_> {
    type Lanes = KasumiLanes;
    type Tag = [u8; 4];

    #[inline(always)]
    fn task(&self, (data, _): (*const u8, usize), tag: *mut [u8; 4]) -> KasumiTask {
        let F9Mode { key, start, direction, bits } = *self;
        KasumiTask { key, mode: ModeTask::F9(F9Task { start, data, bits, direction, tag }) }
    }

    #[inline(always)]
    fn cost(&self, _: usize) -> usize {
        (self.bits + 2).div_ceil(64) + 2
    }
}

/// Data whose first bits are to be authenticated with F9 (UIA1, TS 35.201). Bits are counted from
/// the highest of the first byte; those after the last are of no account.
///
/// The tag, `MAC-I`, has 32 bits: one in four thousand million guesses is right. A receiver must
/// accept no pair of `count` and `fresh` twice under one key, or messages can be replayed.
///
/// ```
/// use broadloom_lanes::{Cpu, F9Job, KasumiError, KasumiKey, LinkDirection::Uplink, Planner};
///
/// let key = KasumiKey::new(&[7; 16]);
/// let one = F9Job::f9(&key, 1, 2, Uplink, b"one", 24, ())?;
/// let mut jobs = [one, F9Job::f9(&key, 1, 2, Uplink, b"two", 24, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), jobs[1].output());
/// # Ok::<(), KasumiError>(())
/// ```
pub type F9Job<'a, D, T = ()> = MacJob<F9Mode<'a>, D, T>;

impl<'a, D: Input, T> F9Job<'a, D, T> {
    /// Authenticates the first `bits` bits of data.
    ///
    /// # Errors
    /// [`KasumiError`] if the data have fewer bits.
    pub fn f9(
        key: &'a KasumiKey,
        count: u32,
        fresh: u32,
        direction: LinkDirection,
        data: D,
        bits: usize,
        user: T,
    ) -> Result<Self, KasumiError> {
        let mode = F9Mode::new(key, (count, fresh, direction), bits, data.bytes().len())?;
        Ok(Self::mac(mode, data, user))
    }
}
