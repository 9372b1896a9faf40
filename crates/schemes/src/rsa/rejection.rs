//! Decryption by PKCS #1 v1.5 with implicit rejection (draft-irtf-cfrg-rsa-guidance, 7.2): a wrong
//! padding gives a message that only the key and the ciphertext determine, so that nobody who sees
//! what becomes of it learns whether the padding was right.

use broadloom_engine::{HashAlgorithm, MAX_TAG};
use broadloom_lanes::{HmacKey, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
use zeroize::Zeroizing;

use super::MAX_LEN;
use super::padding::{move_to_front, wipe_rest};
use crate::hasher::Hasher;

/// Lengths that are drawn, of which the last that fits counts.
const LENGTHS: usize = 128;

/// What messages in place of wrong ones are made with.
pub(super) struct Rejection {
    /// The digest of the private exponent.
    key: HmacKey<Sha256>,
}

impl Rejection {
    /// Derives it from a private exponent that is as long as the modulus.
    pub(super) fn new(exponent: &[u8], hasher: &mut Hasher) -> Rejection {
        let digest = Zeroizing::new(hasher.digest(HashAlgorithm::Sha256, exponent));
        Rejection { key: HmacKey::new(&digest[..32]) }
    }

    /// Removes the padding of a number, or puts a message in its place. Returns its length.
    pub(super) fn decrypt(
        &self,
        number: &[u8],
        ciphertext: &[u8],
        hasher: &mut Hasher,
        output: &mut [u8],
    ) -> usize {
        let len = number.len();
        let mut tag = Zeroizing::new([0; MAX_TAG]);
        hasher.hmac(&self.key, ciphertext, &mut tag);
        let key = HmacKey::new(&tag[..32]);
        let mut other = Zeroizing::new([0; MAX_LEN]);
        stream(&key, b"message", hasher, &mut other[..len]);
        let mut lengths = Zeroizing::new([0; 2 * LENGTHS]);
        stream(&key, b"length", hasher, &mut *lengths);
        let other_len = length(&lengths, len);

        let (is_right, at) = separator(number);
        let right_len = len as u32 - at;
        let own_len = u32::conditional_select(&other_len, &right_len, is_right);
        let offset = u32::conditional_select(&(len as u32 - other_len), &at, is_right);
        for (index, byte) in output[..len].iter_mut().enumerate() {
            *byte = u8::conditional_select(&other[index], &number[index], is_right);
        }
        move_to_front(&mut output[..len], offset);
        // From here on the length is the caller's to see.
        wipe_rest(output, own_len as usize);
        own_len as usize
    }
}

/// Whether the padding is right, and where the message begins.
fn separator(number: &[u8]) -> (Choice, u32) {
    let (mut searching, mut at) = (Choice::from(1), 0u32);
    for (index, byte) in number.iter().enumerate().skip(2) {
        let is_zero = byte.ct_eq(&0);
        at.conditional_assign(&(index as u32 + 1), searching & is_zero);
        searching &= !is_zero;
    }
    let is_framed = number[0].ct_eq(&0) & number[1].ct_eq(&2) & !searching;
    // Eight bytes of padding at least: the message does not begin before the twelfth byte.
    (is_framed & at.ct_gt(&10), at)
}

/// The last of the drawn lengths that a message can have, or none.
fn length(drawn: &[u8; 2 * LENGTHS], len: usize) -> u32 {
    let max = len as u32 - 11;
    let mask = u32::MAX >> max.leading_zeros();
    drawn.chunks_exact(2).fold(0, |last, pair| {
        let candidate = (u32::from(pair[0]) << 8 | u32::from(pair[1])) & mask;
        u32::conditional_select(&last, &candidate, !candidate.ct_gt(&max))
    })
}

/// IRPRF of the draft: HMACs of a counter, a label, and the length in bits.
fn stream(key: &HmacKey<Sha256>, label: &[u8], hasher: &mut Hasher, bytes: &mut [u8]) {
    let bits = (8 * bytes.len() as u16).to_be_bytes();
    for (counter, piece) in bytes.chunks_mut(32).enumerate() {
        let message = [&(counter as u16).to_be_bytes(), label, &bits].concat();
        let mut tag = Zeroizing::new([0; MAX_TAG]);
        hasher.hmac(key, &message, &mut tag);
        piece.copy_from_slice(&tag[..piece.len()]);
    }
}
