//! Loads and stores parts of a block in few pieces.

/// Returns up to 15 bytes as the low bytes of an integer, with zeros above them.
///
/// # Safety
/// `from` is readable for `len` bytes, at most 15.
#[inline(always)]
pub(crate) unsafe fn load_bytes(from: *const u8, len: usize) -> u128 {
    // SAFETY: `from` is readable for `len` bytes, by this function's contract, and all reads are of
    // these bytes: two words, which overlap unless they meet, or up to three bytes.
    unsafe {
        if len >= 8 {
            let low = from.cast::<u64>().read_unaligned().to_le();
            let high = from.add(len - 8).cast::<u64>().read_unaligned().to_le();
            u128::from(low) | u128::from(high) << (8 * (len - 8))
        } else if len >= 4 {
            let low = from.cast::<u32>().read_unaligned().to_le();
            let high = from.add(len - 4).cast::<u32>().read_unaligned().to_le();
            u128::from(u64::from(low) | u64::from(high) << (8 * (len - 4)))
        } else if len > 0 {
            let at = |place: usize| u32::from(*from.add(place)) << (8 * place);
            u128::from(at(0) | at(len / 2) | at(len - 1))
        } else {
            0
        }
    }
}

/// Stores the low bytes of an integer.
///
/// # Safety
/// `to` is writable for `len` bytes, at most 15.
#[inline(always)]
pub(crate) unsafe fn store_bytes(value: u128, to: *mut u8, len: usize) {
    // SAFETY: `to` is writable for `len` bytes, by this function's contract, and all writes are to
    // these bytes, in the pieces of `load_bytes`.
    unsafe {
        if len >= 8 {
            let high = (value >> (8 * (len - 8))) as u64;
            to.cast::<u64>().write_unaligned((value as u64).to_le());
            to.add(len - 8).cast::<u64>().write_unaligned(high.to_le());
        } else if len >= 4 {
            let high = (value as u64 >> (8 * (len - 4))) as u32;
            to.cast::<u32>().write_unaligned((value as u32).to_le());
            to.add(len - 4).cast::<u32>().write_unaligned(high.to_le());
        } else if len > 0 {
            let byte = |place: usize| (value as u32 >> (8 * place)) as u8;
            for place in [0, len / 2, len - 1] {
                *to.add(place) = byte(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn parts_are_loaded_and_stored_and_nothing_else() {
        for len in 0..=15 {
            let bytes: Vec<u8> = (1..=len as u8).collect();
            // SAFETY: `bytes` has `len` bytes.
            let value = unsafe { load_bytes(bytes.as_ptr(), len) };
            let mut expected = [0; 16];
            expected[..len].copy_from_slice(&bytes);
            assert_eq!(value.to_le_bytes(), expected);
            let mut stored = [0xee; 16];
            // SAFETY: `stored` has 16 bytes.
            unsafe { store_bytes(u128::MAX ^ value, stored.as_mut_ptr(), len) };
            assert!(stored[..len].iter().zip(&bytes).all(|(stored, byte)| *stored == !byte));
            assert_eq!(stored[len..], [0xee; 16][len..]);
        }
    }
}
