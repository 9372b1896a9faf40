//! Uniform numbers from a stream of bytes (FIPS 204, algorithm 30). The stream is public.

use super::ring::{N, Q};

/// Bytes of the stream that are looked at first: five blocks of SHAKE128, which nearly always
/// suffice.
pub(crate) const FIRST: usize = 840;

/// Bytes behind those of the stream that may be read.
pub(crate) const SLACK: usize = 16;

/// Room for numbers: as many as the bytes have, and more that a kernel may write.
pub(crate) const ROOM: usize = N + FIRST / 3 + 16;

/// Appends the numbers below the modulus of each three bytes to the `have` numbers at `numbers`,
/// without vectors, and returns how many there are then: the contract of
/// [`Sample`](super::kernel::Sample).
///
/// # Safety
/// The contract of [`Sample`](super::kernel::Sample).
pub(crate) unsafe fn plain(
    bytes: *const u8,
    len: usize,
    numbers: *mut u32,
    mut have: usize,
) -> usize {
    // SAFETY: `len` bytes are readable, and there is room for a number of every three of them, by
    // this function's contract.
    unsafe {
        for at in (0..len).step_by(3) {
            let [a, b, c] = *bytes.add(at).cast::<[u8; 3]>();
            let number = u32::from_le_bytes([a, b, c & 0x7f, 0]);
            *numbers.add(have) = number;
            have += usize::from(number < Q);
        }
        have
    }
}
