//! Sequence numbers of 32 and of 64 bits (RFC 4303, 2.2 and appendix A).

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::PacketError;

/// Returns the last number of a flow. An extended one ends two before 2^64, so that one more than a
/// number is always a number.
pub(super) fn last(extended: bool) -> u64 {
    if extended { u64::MAX - 1 } else { u32::MAX.into() }
}

/// The numbers that an outbound flow gives to its packets.
#[derive(Debug)]
pub(super) struct NextNumber {
    next: AtomicU64,
    last: u64,
    /// The limit of packets, if that ends the numbers before the protocol does.
    limit: Option<NonZeroU64>,
}

impl NextNumber {
    /// Returns the numbers from `first` on, of which at most `limit` are taken.
    pub(super) fn new(first: u64, extended: bool, limit: u64) -> Self {
        let (end, limited) = (last(extended), first.saturating_add(limit - 1));
        let limit = NonZeroU64::new(limit).filter(|_| limited < end);
        NextNumber { next: AtomicU64::new(first), last: end.min(limited), limit }
    }

    /// Returns the number that the next packet gets; `None` if there is none left.
    pub(super) fn peek(&self) -> Option<u64> {
        let next = self.next.load(Ordering::Relaxed);
        (next <= self.last).then_some(next)
    }

    /// Says which number comes next. Unless `may_repeat`, it must not be below the next number.
    ///
    /// # Errors
    /// The numbers from which the next one has to be.
    pub(super) fn set(&self, number: u64, may_repeat: bool) -> Result<(), RangeInclusive<u64>> {
        let set = |next: u64| {
            let first = if may_repeat { 1 } else { next };
            (first..=self.last).contains(&number).then_some(number)
        };
        match self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, set) {
            Ok(_) => Ok(()),
            Err(next) => Err(if may_repeat { 1 } else { next }..=self.last),
        }
    }

    /// Takes the next number, which no other packet gets.
    #[inline]
    pub(super) fn take(&self) -> Result<u64, PacketError> {
        let following = |next: u64| (next <= self.last).then(|| next + 1);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, following);
        taken.map_err(|_| match self.limit {
            None => PacketError::SequenceCycled,
            Some(packets) => PacketError::KeyUsedUp { packets: packets.get() },
        })
    }
}

/// Returns the whole number of a packet of which the low 32 bits were sent, from the highest number
/// that was received and the size of the replay window (RFC 4303, A2.1): the number with these low
/// bits that is within the window or, if there is none, the next one above it. `None` if the number
/// would be below 0.
#[inline]
pub(super) fn infer(low: u32, highest: u64, window: u32) -> Option<u64> {
    let (highest_low, highest_high) = (highest as u32, highest >> 32);
    let bottom = highest_low.wrapping_sub(window - 1);
    let is_above_bottom = low >= bottom;
    let high = match (highest_low >= window - 1, is_above_bottom) {
        // The window lies within one high half.
        (true, true) => highest_high,
        (true, false) => highest_high.checked_add(1).filter(|high| *high <= u32::MAX.into())?,
        // The window begins in the high half before.
        (false, true) => highest_high.checked_sub(1)?,
        (false, false) => highest_high,
    };
    Some(high << 32 | u64::from(low))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A number is inferred if it is in the window, or above it by less than 2^32 - window.
        #[test]
        fn the_high_half_is_that_of_the_nearest_number_from_the_window_on(
            highest in prop_oneof![0_u64..200_000, any::<u64>().prop_map(|any| any >> 1),
                (1_u64..1000).prop_map(|high| (high << 32) - 20)],
            window in 32_u32..65_537,
            above in any::<u32>(),
        ) {
            let bottom = highest.saturating_sub(u64::from(window) - 1);
            let number = bottom + u64::from(above);
            // Below number `window`, the low half may belong to a number below 0.
            prop_assume!(number < (1 << 32) - u64::from(window) || highest >= window.into());
            prop_assert_eq!(infer(number as u32, highest, window), Some(number));
        }
    }

    #[test]
    fn numbers_below_zero_and_above_64_bits_are_not_inferred() {
        assert_eq!(infer(u32::MAX, 5, 64), None);
        assert_eq!(infer(3, u64::MAX - 1, 64), None);
    }

    #[test]
    fn numbers_end() {
        let numbers = NextNumber::new(u64::from(u32::MAX) - 1, false, u64::MAX);
        let taken = [(); 4].map(|()| numbers.take());
        let cycled = Err(PacketError::SequenceCycled);
        assert_eq!(taken, [Ok(0xffff_fffe), Ok(0xffff_ffff), cycled, cycled]);
        let numbers = NextNumber::new(u64::from(u32::MAX), true, u64::MAX);
        assert_eq!([(); 2].map(|()| numbers.take()), [Ok(0xffff_ffff), Ok(0x1_0000_0000)]);
        let numbers = NextNumber::new(u64::MAX - 1, true, u64::MAX);
        assert_eq!([(); 2].map(|()| numbers.take()), [Ok(u64::MAX - 1), cycled]);
        assert_eq!(numbers.peek(), None);
    }

    #[test]
    fn a_limit_ends_the_numbers_unless_the_protocol_does_so_before() {
        let numbers = NextNumber::new(7, false, 2);
        let used_up = Err(PacketError::KeyUsedUp { packets: 2 });
        assert_eq!([(); 3].map(|()| numbers.take()), [Ok(7), Ok(8), used_up]);
        let last = u64::from(u32::MAX);
        let numbers = NextNumber::new(last, false, 2);
        assert_eq!(numbers.peek(), Some(last));
        let taken = [(); 2].map(|()| numbers.take());
        assert_eq!(taken, [Ok(last), Err(PacketError::SequenceCycled)]);
    }
}
