//! The MAC of a record whose padding is secret, checked in constant time.
//!
//! With a MAC under the padding (RFC 5246, 6.2.3.2), whoever can tell a wrong padding from a wrong
//! MAC, by an error or by the time, reads plaintext (Vaudenay 2002; AlFardan and Paterson's *Lucky
//! Thirteen*, 2013). So nothing here depends on the padding but the last answer, yes or no: the
//! padding is compared over the 256 bytes that it may have; HMAC's inner hash is computed over as
//! many blocks as the longest content needs, and the state after the block that is really the last
//! one is kept by masks; the MAC is gathered by masks from all the places where it may be. No
//! branch and no index depends on the padding or on the content.

use sha1::block_api::compress as compress_sha1;
use sha2::block_api::{compress256, compress512};
use subtle::ConstantTimeLess;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
use zeroize::{Zeroize, Zeroizing};

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::public;

/// The most bytes of padding, with the byte that says how long it is.
const MAX_PADDING: usize = 256;

/// Bytes that the MAC covers before the content: number, type, version, length.
const HEADER: usize = 13;

/// The longest block of a hash, in bytes.
const MAX_BLOCK: usize = 128;

/// The longest digest, in bytes.
const MAX_DIGEST: usize = 48;

/// A hash of Merkle and Damgård, block by block.
trait BlockHash: Clone + Zeroize {
    /// Bytes of a block.
    const BLOCK: usize;
    /// Bytes of the digest.
    const DIGEST: usize;
    /// Bytes of the field at the end of the last block that says how long the message is.
    const LENGTH: usize;

    fn initial() -> Self;
    fn compress(&mut self, block: &[u8]);
    /// Becomes `other` if `choice` says so.
    fn assign(&mut self, other: &Self, choice: Choice);
    fn digest(&self) -> Zeroizing<[u8; MAX_DIGEST]>;
}

macro_rules! block_hash {
    ($name:ident, $word:ty, $words:literal, $block:literal, $digest:literal, $compress:ident,
        $initial:expr) => {
        #[derive(Clone)]
        struct $name([$word; $words]);

        impl Zeroize for $name {
            fn zeroize(&mut self) {
                self.0.zeroize();
            }
        }

        impl BlockHash for $name {
            const BLOCK: usize = $block;
            const DIGEST: usize = $digest;
            const LENGTH: usize = $block / 8;

            fn initial() -> Self {
                $name($initial)
            }

            fn compress(&mut self, block: &[u8]) {
                let block: &[u8; $block] = block.try_into().expect("one block");
                $compress(&mut self.0, std::slice::from_ref(block));
            }

            fn assign(&mut self, other: &Self, choice: Choice) {
                for (word, other) in self.0.iter_mut().zip(&other.0) {
                    word.conditional_assign(other, choice);
                }
            }

            fn digest(&self) -> Zeroizing<[u8; MAX_DIGEST]> {
                let mut digest = Zeroizing::new([0; MAX_DIGEST]);
                let bytes = self.0.iter().flat_map(|word| word.to_be_bytes());
                digest[..$digest].iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
                digest
            }
        }
    };
}

block_hash!(
    Sha1,
    u32,
    5,
    64,
    20,
    compress_sha1,
    [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0,]
);
block_hash!(
    Sha256,
    u32,
    8,
    64,
    32,
    compress256,
    [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ]
);
block_hash!(
    Sha384,
    u64,
    8,
    128,
    48,
    compress512,
    [
        0xcbbb_9d5d_c105_9ed8,
        0x629a_292a_367c_d507,
        0x9159_015a_3070_dd17,
        0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31,
        0x8eb4_4a87_6858_1511,
        0xdb0c_2e0d_64f9_8fa7,
        0x47b5_481d_befa_4fa4,
    ]
);

/// HMAC's states after the block of the key.
struct Hmac<H: BlockHash> {
    inner: H,
    outer: H,
}

impl<H: BlockHash> Drop for Hmac<H> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

/// Returns a mask of all bits or none.
fn mask(choice: Choice) -> u8 {
    u8::conditional_select(&0, &0xff, choice)
}

impl<H: BlockHash> Hmac<H> {
    /// Takes a key of at most one block.
    fn new(key: &[u8]) -> Self {
        let state = |pad: u8| {
            let mut block = Zeroizing::new([pad; MAX_BLOCK]);
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            let mut state = H::initial();
            state.compress(&block[..H::BLOCK]);
            state
        };
        Hmac { inner: state(0x36), outer: state(0x5c) }
    }

    /// Returns the MAC of a header and the first `len` bytes of `text`, which is between `min` and
    /// `max`. `len` and the header's last two bytes are secret; `min` and `max` are not.
    fn tag(
        &self,
        header: &[u8; HEADER],
        text: &[u8],
        (min, max): (usize, usize),
        len: u32,
    ) -> Zeroizing<[u8; MAX_DIGEST]> {
        let byte = |at: usize| match at.checked_sub(HEADER) {
            None => header[at],
            Some(at) => text.get(at).copied().unwrap_or(0),
        };
        let total = HEADER as u32 + len;
        let bits = (8 * (H::BLOCK as u64 + u64::from(total))).to_be_bytes();
        let last = (total + H::LENGTH as u32) / H::BLOCK as u32;
        // Blocks of content alone, whatever the length is.
        let whole = (HEADER + min) / H::BLOCK;
        let mut state = self.inner.clone();
        let mut block = Zeroizing::new([0; MAX_BLOCK]);
        for number in 0..whole {
            for (at, to) in block[..H::BLOCK].iter_mut().enumerate() {
                *to = byte(number * H::BLOCK + at);
            }
            state.compress(&block[..H::BLOCK]);
        }
        let mut inner = state.clone();
        for number in whole..=(HEADER + max + H::LENGTH) / H::BLOCK {
            let is_last = (number as u32).ct_eq(&last);
            for (at, to) in block[..H::BLOCK].iter_mut().enumerate() {
                let position = number * H::BLOCK + at;
                let is_text = (position as u32).ct_lt(&total);
                let is_end = (position as u32).ct_eq(&total);
                *to = byte(position) & mask(is_text) | 0x80 & mask(is_end);
                if let Some(at) = at.checked_sub(H::BLOCK - bits.len()) {
                    *to |= bits[at] & mask(is_last);
                }
            }
            state.compress(&block[..H::BLOCK]);
            inner.assign(&state, is_last);
        }
        state.zeroize();
        let digest = inner.digest();
        inner.zeroize();
        let mut block = [0; MAX_BLOCK];
        block[..H::DIGEST].copy_from_slice(&digest[..H::DIGEST]);
        block[H::DIGEST] = 0x80;
        let bits = (8 * (H::BLOCK + H::DIGEST) as u64).to_be_bytes();
        block[H::BLOCK - bits.len()..H::BLOCK].copy_from_slice(&bits);
        let mut outer = self.outer.clone();
        outer.compress(&block[..H::BLOCK]);
        outer.digest()
    }

    /// Checks padding and MAC at the end of `text`, and returns the bytes of content before them;
    /// `None` if either is wrong.
    fn content_len(&self, header: &[u8; HEADER - 2], text: &[u8]) -> Option<usize> {
        let last = text.len().checked_sub(1)?;
        // The length of the content if there is no padding but the byte that says so.
        let max = last.checked_sub(H::DIGEST)?;
        let min = max.saturating_sub(MAX_PADDING - 1);
        let claimed = text[last];
        let mut is_good = !u32::from(claimed).ct_gt(&(max as u32));
        for (back, byte) in text.iter().rev().take(MAX_PADDING).enumerate() {
            let is_outside = (back as u32).ct_gt(&claimed.into());
            is_good &= is_outside | byte.ct_eq(&claimed);
        }
        // The MAC is computed as if there were no padding if the padding is wrong.
        let padding = u32::conditional_select(&0, &claimed.into(), is_good);
        let len = max as u32 - padding;
        let mut whole = [0; HEADER];
        whole[..HEADER - 2].copy_from_slice(header);
        whole[HEADER - 2..].copy_from_slice(&(len as u16).to_be_bytes());
        let computed = self.tag(&whole, text, (min, max), len);
        let mut found = Zeroizing::new([0; MAX_DIGEST]);
        for at in min..=max {
            let is_here = mask((at as u32).ct_eq(&len));
            let found = found[..H::DIGEST].iter_mut();
            found.zip(&text[at..]).for_each(|(to, byte)| *to |= byte & is_here);
        }
        is_good &= found[..H::DIGEST].ct_eq(&computed[..H::DIGEST]);
        public(is_good).then_some(len as usize)
    }
}

/// The MAC of records under their padding.
pub(crate) struct PaddedMac(Kind);

enum Kind {
    Sha1(Hmac<Sha1>),
    Sha256(Hmac<Sha256>),
    Sha384(Hmac<Sha384>),
}

impl PaddedMac {
    /// Takes a key, which is as long as the digest.
    pub(super) fn new(hash: HashAlgorithm, key: &[u8]) -> Self {
        PaddedMac(match hash {
            HashAlgorithm::Sha1 => Kind::Sha1(Hmac::new(key)),
            HashAlgorithm::Sha384 => Kind::Sha384(Hmac::new(key)),
            _ => Kind::Sha256(Hmac::new(key)),
        })
    }

    /// Checks padding and MAC at the end of a decrypted record, and returns the bytes of content
    /// before them; `None` if either is wrong. `header` is what the MAC covers before the length of
    /// the content: number, type and version.
    pub(super) fn content_len(&self, header: &[u8; HEADER - 2], text: &[u8]) -> Option<usize> {
        match &self.0 {
            Kind::Sha1(hmac) => hmac.content_len(header, text),
            Kind::Sha256(hmac) => hmac.content_len(header, text),
            Kind::Sha384(hmac) => hmac.content_len(header, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use hmac::{KeyInit, Mac};

    use super::*;

    const KEY: [u8; 48] = [0x5a; 48];
    const HEADS: [u8; 11] = [0, 0, 0, 0, 0, 0, 0, 9, 23, 3, 3];

    /// Returns HMAC of RustCrypto.
    fn reference(hash: HashAlgorithm, text: &[u8]) -> Vec<u8> {
        let header = [&HEADS[..], &(text.len() as u16).to_be_bytes()].concat();
        macro_rules! tag {
            ($hash:ty) => {{
                let key = &KEY[..hash.digest_len()];
                let mut mac = hmac::Hmac::<$hash>::new_from_slice(key).expect("any key fits");
                mac.update(&header);
                mac.update(text);
                mac.finalize().into_bytes().to_vec()
            }};
        }
        match hash {
            HashAlgorithm::Sha1 => tag!(sha1::Sha1),
            HashAlgorithm::Sha256 => tag!(sha2::Sha256),
            _ => tag!(sha2::Sha384),
        }
    }

    fn padded(hash: HashAlgorithm, len: usize, padding: usize) -> Vec<u8> {
        let mut text: Vec<u8> = (0..len).map(|at| (at * 7 + at / 256) as u8).collect();
        text.extend(reference(hash, &text));
        text.extend(vec![padding as u8; padding + 1]);
        text
    }

    const HASHES: [HashAlgorithm; 3] =
        [HashAlgorithm::Sha1, HashAlgorithm::Sha256, HashAlgorithm::Sha384];

    #[test]
    fn every_padding_behind_every_length_is_found() {
        for hash in HASHES {
            let mac = PaddedMac::new(hash, &KEY[..hash.digest_len()]);
            for padding in 0..256 {
                for len in (0..300).step_by(if padding % 16 == 3 { 1 } else { 37 }) {
                    let text = padded(hash, len, padding);
                    assert_eq!(mac.content_len(&HEADS, &text), Some(len), "{hash}, {padding}");
                }
            }
            let text = padded(hash, 16_384, 255);
            assert_eq!(mac.content_len(&HEADS, &text), Some(16_384));
        }
    }

    #[test]
    fn every_wrong_byte_is_found() {
        for hash in HASHES {
            let mac = PaddedMac::new(hash, &KEY[..hash.digest_len()]);
            for (len, padding) in [(0, 0), (0, 255), (50, 11), (100, 200), (300, 255)] {
                let text = padded(hash, len, padding);
                for at in 0..text.len() {
                    for bit in [1, 0x80] {
                        let mut wrong = text.clone();
                        wrong[at] ^= bit;
                        assert_eq!(mac.content_len(&HEADS, &wrong), None, "{hash}, {len}, {at}");
                    }
                }
                let mut other = HEADS;
                other[7] ^= 1;
                assert_eq!(mac.content_len(&other, &text), None, "{hash}: another number");
            }
        }
    }

    #[test]
    fn a_padding_longer_than_the_record_is_refused() {
        for hash in HASHES {
            let mac = PaddedMac::new(hash, &KEY[..hash.digest_len()]);
            for len in 0..300 {
                for byte in [0, 1, 15, 100, 255] {
                    assert_eq!(mac.content_len(&HEADS, &vec![byte; len]), None);
                }
            }
        }
    }
}
