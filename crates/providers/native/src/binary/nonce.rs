//! Nonces of ECDSA that are made of the key and the message (RFC 6979).

use broadloom_engine::{Curve, HashAlgorithm, MAX_TAG};
use subtle::ConstantTimeEq;
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

/// A number less the order, and 1 where it is below the order, else 0.
fn less_order(curve: Curve, number: &[u8; LEN]) -> ([u8; LEN], u8) {
    let (mut less, mut borrow) = (*number, 0);
    for (digit, order) in less.iter_mut().zip(curve.order()).rev() {
        let difference = u16::from(*digit).wrapping_sub(u16::from(*order) + borrow);
        (*digit, borrow) = (difference as u8, difference >> 15);
    }
    (less, borrow as u8)
}

/// A number less the order, if it is not below it, as that of a digest may be.
fn reduced(curve: Curve, number: [u8; LEN]) -> [u8; LEN] {
    match less_order(curve, &number) {
        (less, 0) => less,
        _ => number,
    }
}

/// Whether a number is not zero, and below the order.
fn is_scalar(curve: Curve, number: &[u8; LEN]) -> bool {
    let (less, borrow) = less_order(curve, number);
    let is_scalar = borrow.ct_eq(&1) & !number.ct_eq(&[0; LEN]);
    drop(Zeroizing::new(less));
    broadloom_lanes::public(is_scalar)
}

/// The nonce for a key and a digest (RFC 6979, 3.2).
pub(super) fn derive(
    curve: Curve,
    secret: &[u8; LEN],
    (hash, digest): (HashAlgorithm, &[u8]),
    hasher: &mut Hasher,
) -> Zeroizing<[u8; LEN]> {
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
        if is_scalar(curve, &scalar) {
            return scalar;
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
fn hmac(hasher: &mut Hasher, hash: HashAlgorithm, key: &[u8], parts: &[&[u8]]) -> [u8; MAX_TAG] {
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

    /// The number as many bytes long as a scalar.
    fn scalar(digits: &str) -> [u8; LEN] {
        hex(&format!("{digits:0>72}")).try_into().expect("36 bytes")
    }

    /// The examples of RFC 6979, A.2.8, for the message `test`.
    #[test]
    fn nonces_are_those_of_the_standard() {
        let mut hasher = Hasher::new(&Cpu::detect());
        let secret =
            scalar("6a0777356e87b89ba1ed3a3d845357be332173c8f7a65bdc7db4fab3c4cc79acc8194e");
        for (hash, nonce) in [
            (
                HashAlgorithm::Sha1,
                "168b5f8c0881d4026c08ac5894a2239d219fa9f4da0600adaa56d5a1781af81f08a726e",
            ),
            (
                HashAlgorithm::Sha224,
                "45e13ea645ce01d9b25ea38c8a8a170e04c83bb7f231ee3152209fe10ec8b2e565536c",
            ),
            (
                HashAlgorithm::Sha256,
                "b585a7a68f51089691d6ede2b43fc4451f66c10e65f134b963d4cbd4eb844b0e1469a6",
            ),
            (
                HashAlgorithm::Sha384,
                "1e88738e14482a09ee16a73d490a7fe8739df500039538d5c4b6c8d6d7f208d6ca56760",
            ),
            (
                HashAlgorithm::Sha512,
                "e5f24a223bd459653f682763c3bb322d4ee75dd89c63d4dc61518d543e76585076bba",
            ),
        ] {
            let digest = hasher.digest(hash, b"test");
            let digest = &digest[..hash.digest_len()];
            let derived = derive(Curve::K283, &secret, (hash, digest), &mut hasher);
            assert_eq!(*derived, scalar(nonce), "{hash}");
        }
    }

    /// A digest longer than the order is cut, and one above the order is reduced.
    #[test]
    fn numbers_of_digests_have_as_many_bits_as_the_order() {
        let mut short = [0; LEN];
        short[16..].fill(0xff);
        assert_eq!(number(Curve::K283, &[0xff; 20]), short);
        let mut cut = [0xff; LEN];
        cut[0] = 1;
        assert_eq!(number(Curve::K283, &[0xff; 64]), cut);
        cut[0] = 3;
        assert_eq!(number(Curve::B283, &[0xff; 48]), cut);
        let order: [u8; LEN] = Curve::K283.order().try_into().expect("36 bytes");
        assert_eq!(reduced(Curve::K283, order), [0; LEN]);
        assert_eq!(reduced(Curve::K283, scalar("ff")), scalar("ff"));
    }
}
