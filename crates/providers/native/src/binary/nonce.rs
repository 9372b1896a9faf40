//! Nonces of ECDSA that are made of the key and the message (RFC 6979).

use broadloom_engine::{Curve, HashAlgorithm, MAX_TAG};
use broadloom_lanes::{BinaryCurve, BinaryPrivateKey};
use zeroize::Zeroizing;

use super::LEN;
use crate::hasher::Hasher;

/// The number of a digest (RFC 6979, 2.3.2): its first bits, as many as the order has.
pub(super) fn number(curve: Curve, digest: &[u8]) -> [u8; LEN] {
    let bits = order_bits(curve);
    let mut number = [0; LEN];
    let taken = digest.len().min(LEN);
    number[LEN - taken..].copy_from_slice(&digest[..taken]);
    let excess = (8 * digest.len()).saturating_sub(bits).min(8 * LEN - bits);
    if taken == LEN {
        let mut above = 0;
        for byte in &mut number {
            let low = *byte << (8 - excess);
            *byte = *byte >> excess | above;
            above = low;
        }
    }
    number
}

/// Bits of the order of the base point.
fn order_bits(curve: Curve) -> usize {
    8 * LEN - curve.order()[0].leading_zeros() as usize
}

/// A number less the order, if it is not below it, as that of a digest may be.
fn reduced(curve: Curve, number: [u8; LEN]) -> [u8; LEN] {
    let mut less = number;
    let mut borrow = 0;
    for (digit, order) in less.iter_mut().zip(curve.order()).rev() {
        let difference = i16::from(*digit) - i16::from(*order) - borrow;
        (*digit, borrow) = (difference as u8, i16::from(difference < 0));
    }
    if borrow == 0 { less } else { number }
}

/// The nonce for a key and a digest (RFC 6979, 3.2).
pub(super) fn derive(
    (curve, lanes): (Curve, BinaryCurve),
    secret: &[u8; LEN],
    (hash, digest): (HashAlgorithm, &[u8]),
    hasher: &mut Hasher,
) -> BinaryPrivateKey {
    let message = reduced(curve, number(curve, digest));
    let mut generator = Generator::new(hash);
    generator.update(hasher, &[&[0], secret, &message]);
    generator.update(hasher, &[&[1], secret, &message]);
    loop {
        let mut bits = Zeroizing::new([0; LEN + MAX_TAG]);
        let mut count = 0;
        while count < LEN {
            let drawn = generator.draw(hasher);
            bits[count..][..drawn.len()].copy_from_slice(drawn);
            count += drawn.len();
        }
        let scalar = Zeroizing::new(number(curve, &bits[..count]));
        if let Ok(nonce) = BinaryPrivateKey::new(lanes, &scalar) {
            return nonce;
        }
        generator.update(hasher, &[&[0]]);
    }
}

/// The generator of the standard: HMAC_DRBG, without what it does not need here.
struct Generator {
    hash: HashAlgorithm,
    key: Zeroizing<[u8; MAX_TAG]>,
    value: Zeroizing<[u8; MAX_TAG]>,
}

impl Generator {
    fn new(hash: HashAlgorithm) -> Self {
        let (key, value) = (Zeroizing::new([0; MAX_TAG]), Zeroizing::new([1; MAX_TAG]));
        Generator { hash, key, value }
    }

    /// Makes the next value of the one before, and gives it.
    fn draw(&mut self, hasher: &mut Hasher) -> &[u8] {
        let len = self.hash.digest_len();
        *self.value = hmac(hasher, self.hash, &self.key[..len], &[&self.value[..len]]);
        &self.value[..len]
    }

    /// Makes another key of the value and these bytes, and draws.
    fn update(&mut self, hasher: &mut Hasher, bytes: &[&[u8]]) {
        let len = self.hash.digest_len();
        let parts = [&[&self.value[..len]], bytes].concat();
        *self.key = hmac(hasher, self.hash, &self.key[..len], &parts);
        self.draw(hasher);
    }
}

/// HMAC (RFC 2104) of a message in parts, with a key no longer than a digest.
fn hmac(
    hasher: &mut Hasher,
    hash: HashAlgorithm,
    key: &[u8],
    parts: &[&[u8]],
) -> [u8; MAX_TAG] {
    let padded = |with: u8| {
        let mut block = Zeroizing::new(vec![with; hash.block_len()]);
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let len: usize = parts.iter().map(|part| part.len()).sum();
    // Vectors that never grow, so that no copy of the secret stays behind.
    let mut message = Zeroizing::new(Vec::with_capacity(hash.block_len() + len));
    message.extend_from_slice(&padded(0x36));
    parts.iter().for_each(|part| message.extend_from_slice(part));
    let digest = Zeroizing::new(hasher.digest(hash, &message));
    let mut outer = Zeroizing::new(Vec::with_capacity(hash.block_len() + MAX_TAG));
    outer.extend_from_slice(&padded(0x5c));
    outer.extend_from_slice(&digest[..hash.digest_len()]);
    hasher.digest(hash, &outer)
}

#[cfg(test)]
mod tests {
    use broadloom_lanes::Cpu;

    use super::*;

    fn hex(digits: &str) -> Vec<u8> {
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
        (0..digits.len()).step_by(2).map(byte).collect()
    }
}
