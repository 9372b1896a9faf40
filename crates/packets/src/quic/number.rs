//! Packet numbers, whole and truncated (RFC 9000, 17.1 and appendix A).

/// The highest packet number.
pub const MAX_NUMBER: u64 = (1 << 62) - 1;

/// Returns with how many bytes, 1 to 4, a packet number must be encoded so that the receiver can
/// infer the whole number; `None` if 4 do not suffice, because too many packets are not
/// acknowledged (RFC 9000, A.2).
///
/// ```
/// use broadloom_packets::quic::number_len;
///
/// assert_eq!(number_len(0xac_5c02, Some(0xab_e8b3)), Some(2));
/// assert_eq!(number_len(0xac_e8fe, Some(0xab_e8b3)), Some(3));
/// assert_eq!(number_len(0, None), Some(1));
/// ```
pub fn number_len(number: u64, largest_acknowledged: Option<u64>) -> Option<usize> {
    let unacknowledged = match largest_acknowledged {
        Some(largest) => number.saturating_sub(largest).max(1),
        None => number.saturating_add(1),
    };
    // The base-2 logarithm, rounded up, and one bit more.
    let bits = u64::BITS - (unacknowledged - 1).leading_zeros() + 1;
    let len = bits.div_ceil(8) as usize;
    (len <= 4).then_some(len)
}

/// Returns the whole number of a packet from the lowest `bits` bits of it; `expected` is one more
/// than the highest number that was received (RFC 9000, A.3).
///
/// The number was under the header's mask, so no branch depends on it.
#[inline]
pub(super) fn whole_number(expected: u64, truncated: u64, bits: u32) -> u64 {
    let window = 1_u64 << bits;
    let half = window / 2;
    let candidate = (expected & !(window - 1)) | truncated;
    let is_low = (candidate + half <= expected) & (candidate < (1 << 62) - window);
    let is_high = (candidate > expected + half) & (candidate >= window);
    candidate + window * u64::from(is_low) - window * u64::from(is_high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The example of RFC 9000, A.3, and the ends of the range.
    #[test]
    fn numbers_are_inferred_as_the_standard_says() {
        assert_eq!(whole_number(0xa82f_30eb, 0x9b32, 16), 0xa82f_9b32);
        assert_eq!(whole_number(0, 0xff, 8), 0xff);
        assert_eq!(whole_number(0x100, 0xff, 8), 0xff);
        assert_eq!(whole_number(0xff, 0, 8), 0x100);
        assert_eq!(whole_number(1 << 62, 0xff, 8), MAX_NUMBER);
    }

    proptest! {
        /// A number that is encoded with as many bytes as `number_len` says is inferred again,
        /// whatever the receiver has got since the packet that it acknowledged.
        #[test]
        fn a_truncated_number_is_inferred(
            number in 0..=MAX_NUMBER,
            distance in 1_u64..1 << 31,
            received in 0_u64..1 << 31,
        ) {
            let acknowledged = number.checked_sub(distance);
            let len = number_len(number, acknowledged);
            prop_assume!(len.is_some());
            let bits = len.expect("it was checked") as u32 * 8;
            // The receiver has got something between the acknowledged packet and this one.
            let expected = acknowledged.map_or(0, |number| number + 1);
            let expected = expected + received % (number - expected + 1);
            let truncated = number & ((1 << bits) - 1);
            prop_assert_eq!(whole_number(expected, truncated, bits), number);
        }
    }
}
