//! Blocks as SP 800-38C, appendix A, lays them out, as little-endian integers.

use super::CcmError;
use crate::kernels::aes::bytes::load_bytes;

/// Returns the counter block whose number is zero (A.3): the length of the length field less one,
/// and the nonce.
#[inline(always)]
pub(super) fn first_counter(nonce: &[u8]) -> Result<u128, CcmError> {
    let len = nonce.len();
    if !(7..=13).contains(&len) {
        return Err(CcmError::Nonce { len });
    }
    // SAFETY: the nonce has `len` bytes, fewer than 16.
    let nonce = unsafe { load_bytes(nonce.as_ptr(), len) };
    Ok(nonce << 8 | (14 - len) as u128)
}

/// Refuses a text that is longer than a length field of `15 - nonce` bytes can say.
#[inline(always)]
pub(super) fn check_text(nonce: usize, len: usize) -> Result<(), CcmError> {
    let max = u64::MAX >> (8 * nonce.saturating_sub(7));
    match len as u64 <= max {
        true => Ok(()),
        false => Err(CcmError::Text { len: len as u64, max }),
    }
}

/// Refuses a tag of a length that has no code.
#[inline(always)]
pub(super) fn check_tag(len: usize) -> Result<(), CcmError> {
    match (4..=16).contains(&len) && len.is_multiple_of(2) {
        true => Ok(()),
        false => Err(CcmError::Tag { len }),
    }
}

/// Returns the first block of the chain (A.2.1), for the first counter, the lengths of tag and
/// text, and whether there are associated data.
#[inline(always)]
pub(super) fn first(counter: u128, associated: bool, tag: usize, len: usize) -> u128 {
    let flags = u128::from(associated) << 6 | ((tag - 2) as u128 / 2) << 3;
    counter | flags | u128::from((len as u64).swap_bytes()) << 64
}

/// Returns how the length of associated data, which are not empty, is written before them (A.2.2);
/// and in how many bytes.
#[inline(always)]
pub(super) fn length(len: usize) -> (u128, usize) {
    let len = len as u64;
    match len {
        0..0xff00 => (u128::from((len as u16).swap_bytes()), 2),
        0xff00..=0xffff_ffff => (u128::from((len as u32).swap_bytes()) << 16 | 0xfeff, 6),
        _ => (u128::from(len.swap_bytes()) << 16 | 0xffff, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of SP 800-38C, A.2.2, and where one form ends and the next begins.
    #[test]
    fn lengths_of_associated_data_as_the_standard_writes_them() {
        let cases: &[(u64, &[u8])] = &[
            (1, &[0, 1]),
            (0xfeff, &[0xfe, 0xff]),
            (0xff00, &[0xff, 0xfe, 0, 0, 0xff, 0]),
            (65536, &[0xff, 0xfe, 0, 1, 0, 0]),
            (0xffff_ffff, &[0xff, 0xfe, 0xff, 0xff, 0xff, 0xff]),
            (1 << 32, &[0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]),
        ];
        for (len, bytes) in cases {
            let Ok(len) = usize::try_from(*len) else { continue };
            let (written, count) = length(len);
            assert_eq!(written.to_le_bytes()[..count], **bytes);
            assert_eq!(written >> (8 * count), 0);
        }
    }

    #[test]
    fn a_text_has_a_length_that_its_field_can_say() {
        for (nonce, max) in [(13, 0xffff), (12, 0xff_ffff), (11, 0xffff_ffff), (8, (1 << 56) - 1)] {
            assert_eq!(check_text(nonce, max), Ok(()));
            let (len, max) = (max as u64 + 1, max as u64);
            assert_eq!(check_text(nonce, max as usize + 1), Err(CcmError::Text { len, max }));
        }
        assert_eq!(check_text(7, usize::MAX), Ok(()));
    }
}
