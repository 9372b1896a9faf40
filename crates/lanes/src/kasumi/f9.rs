//! F9: a message authentication code (TS 35.201, 4).

use zeroize::Zeroize;

use super::bits::load_bits;
use super::chain::{KasumiChain, Stretch};
use super::f8::LinkDirection;

/// The modifier of the key for the last block.
const MODIFIER: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// A message to authenticate.
#[derive(Clone, Copy)]
pub(in crate::kasumi) struct F9Task {
    /// `COUNT` and `FRESH`.
    pub(super) start: u64,
    pub(super) data: *const u8,
    pub(super) bits: usize,
    pub(super) direction: LinkDirection,
    pub(super) tag: *mut [u8; 4],
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
    /// `true` if the block under way is the last, the sum's.
    ends: bool,
    tag: *mut [u8; 4],
}

impl KasumiChain for F9 {
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
        // SAFETY: the task is good, by the contract of `begin`, so that `data` is readable for the
        // bytes of `bits` bits; behind the whole blocks, the `rest` bits are left.
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
        // SAFETY: this is called once for each whole block of the message, by the contract of
        // `advance`, and these are readable because the task is good.
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
            // SAFETY: the task is good, by the contract of `turn`, so that the tag is writable.
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
