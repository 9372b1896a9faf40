//! Uniform numbers from a stream of bytes (FIPS 203, algorithm 7). The stream is public.

use super::ring::{N, Q};

/// Bytes of the stream that are looked at first: three blocks of SHAKE128, which suffice for all
/// but one polynomial in a hundred.
pub(crate) const FIRST: usize = 504;

/// Bytes behind those of the stream that may be read.
pub(crate) const SLACK: usize = 8;

/// Room for numbers: as many as the bytes have, and more that a kernel may write.
pub(crate) const ROOM: usize = N + FIRST / 3 * 2 + 16;

/// Appends the numbers below 3329 of each twelve bits to the `have` numbers at `numbers`, without
/// vectors, and returns how many there are then: the contract of
/// [`Sample`](super::kernel::Sample).
///
/// # Safety
/// The contract of [`Sample`](super::kernel::Sample).
pub(crate) unsafe fn plain(
    bytes: *const u8,
    len: usize,
    numbers: *mut i16,
    mut have: usize,
) -> usize {
    // SAFETY: `len` bytes are readable, and there is room for two numbers of every three of them
    // and one more, by this function's contract.
    unsafe {
        let mut put = |number: i16| {
            *numbers.add(have) = number.to_le();
            have += usize::from(number < Q);
        };
        for at in (0..len).step_by(3) {
            let [a, b, c] = *bytes.add(at).cast::<[u8; 3]>();
            put(i16::from_le_bytes([a, b & 15]));
            put((i16::from(c) << 4) + i16::from(b >> 4));
        }
        have
    }
}

/// How many numbers each set of eight has.
#[allow(dead_code, reason = "not every architecture has a kernel of sets")]
pub(crate) static COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut set = 0;
    while set < 256 {
        counts[set] = (set as u8).count_ones() as u8;
        set += 1;
    }
    counts
};

/// For each set of eight numbers, the shuffle of bytes that puts them together.
#[allow(dead_code, reason = "not every architecture has such a shuffle")]
pub(crate) static TOGETHER: [[u8; 16]; 256] = {
    let mut all = [[0x80; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut i, mut to) = (0, 0);
        while i < 8 {
            if set >> i & 1 == 1 {
                all[set][to] = 2 * i;
                all[set][to + 1] = 2 * i + 1;
                to += 2;
            }
            i += 1;
        }
        set += 1;
    }
    all
};
