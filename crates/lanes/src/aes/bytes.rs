//! Parts of a block, loaded and stored in few pieces.

/// Up to 15 bytes as the low ones of an integer, zeros above them.
///
/// # Safety
/// `from` is readable for `len` bytes, at most 15.
#[inline(always)]
pub(crate) unsafe fn load_bytes(from: *const u8, len: usize) -> u128 {
    // SAFETY: all reads are of bytes 0 to len - 1: two words, which overlap unless they meet, or up to
    // three bytes.
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
    // SAFETY: as in `load_bytes`.
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

/// Copies bytes, few of them without a call.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes, and they are apart.
#[inline(always)]
pub(in crate::aes) unsafe fn copy_bytes(mut from: *const u8, mut to: *mut u8, mut len: usize) {
    // SAFETY: the caller's: pieces that are within what is left, and one that ends where that does.
    unsafe {
        if len > 256 {
            return to.copy_from_nonoverlapping(from, len);
        }
        if len < 16 {
            return store_bytes(load_bytes(from, len), to, len);
        }
        macro_rules! piece {
            ($($bytes:literal)*) => { $(
                if len >= $bytes {
                    to.cast::<[u8; $bytes]>().write(from.cast::<[u8; $bytes]>().read());
                    (from, to, len) = (from.add($bytes), to.add($bytes), len - $bytes);
                }
            )* };
        }
        piece!(128 64 32 16);
        if len > 0 {
            let (from, to) = (from.add(len).sub(16), to.add(len).sub(16));
            to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read());
        }
    }
}

/// Adds (XOR) bytes to others.
///
/// # Safety
/// As [`copy_bytes`].
#[inline(always)]
pub(in crate::aes) unsafe fn add_bytes(from: *const u8, to: *mut u8, len: usize) {
    let part = len % 16;
    // SAFETY: the caller's.
    unsafe {
        for at in (0..len - part).step_by(16) {
            let (from, to) = (from.add(at).cast::<u128>(), to.add(at).cast::<u128>());
            to.write_unaligned(to.read_unaligned() ^ from.read_unaligned());
        }
        let (from, to) = (from.add(len - part), to.add(len - part));
        store_bytes(load_bytes(to, part) ^ load_bytes(from, part), to, part);
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
            // SAFETY: there are so many bytes.
            let value = unsafe { load_bytes(bytes.as_ptr(), len) };
            let mut expected = [0; 16];
            expected[..len].copy_from_slice(&bytes);
            assert_eq!(value.to_le_bytes(), expected);
            let mut stored = [0xee; 16];
            // SAFETY: there is room for 16.
            unsafe { store_bytes(u128::MAX ^ value, stored.as_mut_ptr(), len) };
            assert!(stored[..len].iter().zip(&bytes).all(|(stored, byte)| *stored == !byte));
            assert_eq!(stored[len..], [0xee; 16][len..]);
        }
    }

    #[test]
    fn bytes_are_copied_and_added_and_no_others_written_to() {
        let from: Vec<u8> = (0..600u32).map(|i| (i * 7 + 1) as u8).collect();
        for len in 0..=600 {
            let mut to = std::vec![0x55; 600];
            // SAFETY: there are so many bytes at both, apart from each other.
            unsafe { copy_bytes(from.as_ptr(), to.as_mut_ptr(), len) };
            assert_eq!((&to[..len], &to[len..]), (&from[..len], &std::vec![0x55; 600 - len][..]));
            // SAFETY: as above.
            unsafe { add_bytes(from.as_ptr(), to.as_mut_ptr(), len) };
            assert_eq!(
                (&to[..len], &to[len..]),
                (&std::vec![0; len][..], &std::vec![0x55; 600 - len][..])
            );
        }
    }
}
