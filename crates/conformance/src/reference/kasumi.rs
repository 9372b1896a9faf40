//! KASUMI's modes F8 and F9 as in 3GPP TS 35.201.

mod block;

use block::kasumi;

/// The text with F8's key stream added to its first bits; the nonce is what the register `A` starts
/// with.
pub(super) fn f8(key: &[u8], nonce: &[u8], data: &[u8], bits: usize) -> Vec<u8> {
    let key: &[u8; 16] = key.try_into().expect("a key that fits");
    let start = u64::from_be_bytes(nonce.try_into().expect("a nonce that fits"));
    let salt = kasumi(&key.map(|byte| byte ^ 0x55), start);
    let mut stream = 0;
    let blocks = data.chunks(8).zip(0..).flat_map(|(block, number)| {
        stream = kasumi(key, salt ^ number ^ stream);
        let stream = stream.to_be_bytes();
        block.iter().zip(stream).map(|(byte, stream)| byte ^ stream).collect::<Vec<u8>>()
    });
    let mut output: Vec<u8> = blocks.collect();
    for (at, (byte, before)) in output.iter_mut().zip(data).enumerate() {
        let mask = first_bits(bits.saturating_sub(8 * at));
        *byte = *byte & mask | before & !mask;
    }
    output
}

/// The highest bits of a byte, so many of them.
fn first_bits(bits: usize) -> u8 {
    !0xffu8.checked_shr(bits as u32).unwrap_or(0)
}

/// The message authentication code of the first bits; the nonce is `COUNT`, `FRESH`, and the
/// `DIRECTION` in a byte.
pub(super) fn f9(key: &[u8], nonce: &[u8], data: &[u8], bits: usize) -> Vec<u8> {
    let key: &[u8; 16] = key.try_into().expect("a key that fits");
    let (direction, start) = nonce.split_last().expect("a nonce");
    let mut message = [start, data].concat();
    // Behind the bits of the message the direction, a one, and zeros.
    message.truncate(8 + bits.div_ceil(8));
    if let Some(last) = message.last_mut().filter(|_| !bits.is_multiple_of(8)) {
        *last &= first_bits(bits % 8);
    }
    message.resize((8 + (bits + 2).div_ceil(8)).next_multiple_of(8), 0);
    let mut put = |at: usize, bit: u8| message[8 + at / 8] |= bit << (7 - at % 8);
    put(bits, *direction);
    put(bits + 1, 1);
    let (mut a, mut b) = (0, 0);
    for block in message.chunks_exact(8) {
        a = kasumi(key, a ^ u64::from_be_bytes(block.try_into().expect("a block")));
        b ^= a;
    }
    let last = kasumi(&key.map(|byte| byte ^ 0xaa), b);
    last.to_be_bytes()[..4].to_vec()
}
