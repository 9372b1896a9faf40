//! KASUMI's modes F8 and F9 as 3GPP TS 35.201 puts them.

mod block;

use block::kasumi;

/// The text with F8's key stream added; the nonce is what the register `A` starts with.
pub(super) fn f8(key: &[u8], nonce: &[u8], data: &[u8]) -> Vec<u8> {
    let key: &[u8; 16] = key.try_into().expect("a key that fits");
    let start = u64::from_be_bytes(nonce.try_into().expect("a nonce that fits"));
    let salt = kasumi(&key.map(|byte| byte ^ 0x55), start);
    let mut stream = 0;
    let blocks = data.chunks(8).zip(0..).flat_map(|(block, number)| {
        stream = kasumi(key, salt ^ number ^ stream);
        let stream = stream.to_be_bytes();
        block.iter().zip(stream).map(|(byte, stream)| byte ^ stream).collect::<Vec<u8>>()
    });
    blocks.collect()
}

/// The message authentication code; the nonce is `COUNT`, `FRESH`, and the `DIRECTION` in a byte.
pub(super) fn f9(key: &[u8], nonce: &[u8], data: &[u8]) -> Vec<u8> {
    let key: &[u8; 16] = key.try_into().expect("a key that fits");
    let (direction, start) = nonce.split_last().expect("a nonce");
    // The direction, a one, and zeros.
    let mut message = [start, data, &[direction << 7 | 0x40]].concat();
    message.resize(message.len().next_multiple_of(8), 0);
    let (mut a, mut b) = (0, 0);
    for block in message.chunks_exact(8) {
        a = kasumi(key, a ^ u64::from_be_bytes(block.try_into().expect("a block")));
        b ^= a;
    }
    let last = kasumi(&key.map(|byte| byte ^ 0xaa), b);
    last.to_be_bytes()[..4].to_vec()
}
