//! Uniform numbers from a stream of bytes: those of a matrix, whose stream is public (FIPS 204,
//! algorithm 30), and secret ones (algorithm 31), of which it is public which candidates are too
//! large: they say nothing of the others.

use broadloom_lanes::inside::publish;

use super::ring::{N, Q};

/// Bytes of the stream that are looked at first: five blocks of SHAKE128, which nearly always
/// suffice.
pub(crate) const FIRST: usize = 840;

/// Bytes behind those of the stream that may be read.
pub(crate) const SLACK: usize = 40;

/// Bytes of the stream of secret numbers that are looked at first: two blocks of SHAKE256.
const FIRST_OF_SECRETS: usize = 272;

/// Room for numbers: as many as the bytes of secret ones have, which are more than there can be of
/// others, and more that a kernel may write.
pub(crate) const ROOM: usize = 2 * FIRST_OF_SECRETS + 16;

const _: () = assert!(N + FIRST / 3 + 16 <= ROOM && N + FIRST_OF_SECRETS + 16 <= ROOM);

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

/// The remainders of half bytes modulo five, four bits each: of a product, the compiler makes
/// branches.
const REMAINDERS: u64 = 0x0432_1043_2104_3210;

/// Returns the number that a half byte stands for (FIPS 204, algorithm 15), if that is low enough.
const fn secret(eta: u32, half: u32) -> u32 {
    let remainder = (REMAINDERS >> (4 * half)) as u32 & 15;
    eta.wrapping_sub(if eta == 2 { remainder } else { half })
}

/// Returns the lowest half byte that stands for no number.
pub(crate) const fn limit(eta: u32) -> u32 {
    if eta == 2 { 15 } else { 9 }
}

/// The numbers that half bytes stand for, where `eta` is 2, and where it is 4.
#[allow(dead_code, reason = "not every architecture has such a table in a register")]
pub(crate) static SECRETS: [[u32; 16]; 2] = {
    let mut all = [[0; 16]; 2];
    let mut half = 0;
    while half < 16 {
        all[0][half as usize] = secret(2, half);
        all[1][half as usize] = secret(4, half);
        half += 1;
    }
    all
};

/// Appends secret numbers, without vectors: the contract of
/// [`SampleSecrets`](super::kernel::SampleSecrets).
///
/// # Safety
/// The contract of [`SampleSecrets`](super::kernel::SampleSecrets).
pub(crate) unsafe fn plain_secrets(
    (bytes, len): (*const u8, usize),
    eta: u32,
    numbers: *mut u32,
    mut have: usize,
) -> usize {
    // SAFETY: `len` bytes are readable, and there is room for two numbers of each of them, by this
    // function's contract.
    unsafe {
        for at in 0..len {
            let byte = u32::from(*bytes.add(at));
            for half in [byte & 15, byte >> 4] {
                let mut is_low = [(half.wrapping_sub(limit(eta)) >> 31) as u8];
                publish(&mut is_low);
                *numbers.add(have) = secret(eta, half);
                have += usize::from(is_low[0]);
            }
            if have >= N {
                break;
            }
        }
        have
    }
}
