//! F8 and F9 of TS 35.201 as it puts them, bit by bit, over the block cipher that the conformance
//! suite has.

#[path = "../../../../conformance/src/reference/kasumi/block.rs"]
mod block;

pub use block::kasumi;

use broadloom_lanes::LinkDirection;

/// The first bits of bytes, from the highest of the first.
fn bits_of(bytes: &[u8], bits: usize) -> Vec<bool> {
    (0..bits).map(|i| bytes[i / 8] >> (7 - i % 8) & 1 == 1).collect()
}

fn block_of(bits: &[bool]) -> u64 {
    assert_eq!(bits.len(), 64);
    bits.iter().fold(0, |block, bit| block << 1 | u64::from(*bit))
}

/// What becomes of a buffer whose first bits are encrypted or decrypted.
pub fn f8(
    key: &[u8; 16],
    (count, bearer, direction): (u32, u8, LinkDirection),
    text: &[u8],
    bits: usize,
) -> Vec<u8> {
    let direction = u64::from(direction == LinkDirection::Downlink);
    let start = u64::from(count) << 32 | u64::from(bearer) << 27 | direction << 26;
    let salt = kasumi(&key.map(|byte| byte ^ 0x55), start);
    let mut text = text.to_vec();
    let mut stream = 0;
    for i in 0..bits {
        if i % 64 == 0 {
            stream = kasumi(key, salt ^ (i / 64) as u64 ^ stream);
        }
        text[i / 8] ^= ((stream >> (63 - i % 64) & 1) as u8) << (7 - i % 8);
    }
    text
}

/// The message authentication code of the first bits of data.
pub fn f9(
    key: &[u8; 16],
    (count, fresh, direction): (u32, u32, LinkDirection),
    data: &[u8],
    bits: usize,
) -> [u8; 4] {
    let mut padded = bits_of(&[count.to_be_bytes(), fresh.to_be_bytes()].concat(), 64);
    padded.extend(bits_of(data, bits));
    padded.extend([direction == LinkDirection::Downlink, true]);
    padded.resize(padded.len().next_multiple_of(64), false);
    let (mut a, mut b) = (0, 0);
    for block in padded.chunks(64) {
        a = kasumi(key, a ^ block_of(block));
        b ^= a;
    }
    let last = kasumi(&key.map(|byte| byte ^ 0xaa), b);
    ((last >> 32) as u32).to_be_bytes()
}
