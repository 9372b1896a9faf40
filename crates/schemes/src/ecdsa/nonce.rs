//! Nonces of ECDSA that are made of the key and the message (RFC 6979), many at a time: each step
//! hashes what all of them need.

use broadloom_engine::{Curve, HashAlgorithm, MAX_TAG};
use subtle::ConstantTimeEq;

use super::MAX_LEN;
use crate::hasher::Hasher;

/// Fresh random bytes of a nonce that is hedged.
pub const RANDOM: usize = 32;

/// The most bytes of what is hashed: a block, a value, a byte, and the seed.
const ROOM: usize = 144 + MAX_TAG + 1 + SEED;

/// The most bytes of a seed: the key, the number of the digest, and random bytes.
const SEED: usize = 2 * MAX_LEN + RANDOM;

/// Makes the number of a digest (RFC 6979, 2.3.2), which is as long as a coordinate: its first
/// bits, as many as the order has.
///
/// # Panics
/// If `number` is not as long as a coordinate.
pub fn number(curve: Curve, digest: &[u8], number: &mut [u8]) {
    let len = curve.coordinate_len();
    let bits = curve.order_bits();
    let taken = digest.len().min(len);
    number[..len - taken].fill(0);
    number[len - taken..].copy_from_slice(&digest[..taken]);
    let excess = (8 * digest.len()).saturating_sub(bits).min(8 * len - bits);
    if taken == len && excess > 0 {
        let mut above = 0;
        for byte in number {
            let low = *byte << (8 - excess);
            *byte = *byte >> excess | above;
            above = low;
        }
    }
}

/// Subtracts the order. Returns 1 if the number was below the order, else 0.
fn subtract_order(curve: Curve, number: &mut [u8]) -> u8 {
    let mut borrow = 0;
    for (digit, order) in number.iter_mut().zip(curve.order()).rev() {
        let difference = u16::from(*digit).wrapping_sub(u16::from(*order) + borrow);
        (*digit, borrow) = (difference as u8, difference >> 15);
    }
    borrow as u8
}

/// Brings a number, which is that of a digest, below the order.
fn reduce(curve: Curve, number: &mut [u8]) {
    let mut less = [0; MAX_LEN];
    let less = &mut less[..number.len()];
    less.copy_from_slice(number);
    if subtract_order(curve, less) == 0 {
        number.copy_from_slice(less);
    }
}

/// Returns `true` if a number is not zero, and below the order.
fn is_scalar(curve: Curve, number: &[u8]) -> bool {
    let mut less = [0; MAX_LEN];
    less[..number.len()].copy_from_slice(number);
    let is_below = subtract_order(curve, &mut less[..number.len()]).ct_eq(&1);
    zeroize::Zeroize::zeroize(&mut less);
    let sum = number.iter().fold(0, |sum, byte| sum | byte);
    broadloom_lanes::public(is_below & !sum.ct_eq(&0))
}

/// A nonce that is being made, by the generator of the standard: HMAC_DRBG, without what it does
/// not need here. Whoever has used the nonce [wipes](Draft::wipe) the draft.
pub struct Draft {
    curve: Curve,
    hash: HashAlgorithm,
    seed: [u8; SEED],
    seed_len: usize,
    key: [u8; MAX_TAG],
    value: [u8; MAX_TAG],
    /// What was drawn, and how much.
    bits: [u8; MAX_LEN + MAX_TAG],
    drawn: usize,
    /// What is hashed, and its digest.
    room: [u8; ROOM],
    room_len: usize,
    digest: [u8; MAX_TAG],
    /// The nonce, if it is there.
    nonce: Option<[u8; MAX_LEN]>,
}

impl Default for Draft {
    fn default() -> Self {
        Draft {
            curve: Curve::P256,
            hash: HashAlgorithm::Sha256,
            seed: [0; SEED],
            seed_len: 0,
            key: [0; MAX_TAG],
            value: [0; MAX_TAG],
            bits: [0; MAX_LEN + MAX_TAG],
            drawn: 0,
            room: [0; ROOM],
            room_len: 0,
            digest: [0; MAX_TAG],
            nonce: None,
        }
    }
}

/// A step of the generator.
#[derive(Clone, Copy)]
enum Step {
    /// Makes the next value of the one before.
    Draw,
    /// Makes another key of the value, this byte and the seed.
    Seed(u8),
    /// Makes another key of the value and a zero.
    Again,
}

impl Draft {
    /// Begins a nonce for a key, a digest, and random bytes if it is hedged.
    ///
    /// # Panics
    /// If the key is not as long as a coordinate of the curve.
    pub fn begin(
        &mut self,
        curve: Curve,
        secret: &[u8],
        (hash, digest): (HashAlgorithm, &[u8]),
        random: Option<&[u8; RANDOM]>,
    ) {
        let len = curve.coordinate_len();
        (self.curve, self.hash) = (curve, hash);
        self.seed[..len].copy_from_slice(secret);
        number(curve, digest, &mut self.seed[len..2 * len]);
        reduce(curve, &mut self.seed[len..2 * len]);
        self.seed_len = 2 * len;
        if let Some(random) = random {
            self.seed[2 * len..][..RANDOM].copy_from_slice(random);
            self.seed_len += RANDOM;
        }
        (self.key, self.value) = ([0; MAX_TAG], [1; MAX_TAG]);
        (self.drawn, self.nonce) = (0, None);
    }

    /// Returns the nonce, when it is made: as many bytes as a coordinate has.
    pub fn nonce(&self) -> Option<&[u8]> {
        self.nonce.as_ref().map(|nonce| &nonce[..self.curve.coordinate_len()])
    }

    /// Wipes everything. It stays in memory that is used again, so that this is done; `zeroize`
    /// would do it byte by byte.
    pub fn wipe(&mut self) {
        self.seed.fill(0);
        self.key.fill(0);
        self.value.fill(0);
        self.bits.fill(0);
        self.room.fill(0);
        self.digest.fill(0);
        if let Some(nonce) = &mut self.nonce {
            nonce.fill(0);
        }
        self.nonce = None;
    }

    /// Puts the key, padded with these bytes, where it is hashed.
    fn pad(&mut self, with: u8) {
        let block = self.hash.block_len();
        self.room[..block].fill(with);
        let len = self.hash.digest_len();
        self.room.iter_mut().zip(&self.key[..len]).for_each(|(byte, key)| *byte ^= key);
        self.room_len = block;
    }

    fn push(&mut self, bytes: &[u8]) {
        self.room[self.room_len..][..bytes.len()].copy_from_slice(bytes);
        self.room_len += bytes.len();
    }

    /// Prepares the inner hash of a step's HMAC (RFC 2104).
    fn prepare_inner(&mut self, step: Step) {
        self.pad(0x36);
        let (value, len) = (self.value, self.hash.digest_len());
        self.push(&value[..len]);
        match step {
            Step::Draw => {}
            Step::Seed(byte) => {
                let (seed, len) = (self.seed, self.seed_len);
                self.push(&[byte]);
                self.push(&seed[..len]);
            }
            Step::Again => self.push(&[0]),
        }
    }

    /// Prepares the outer hash.
    fn prepare_outer(&mut self) {
        self.pad(0x5c);
        let (digest, len) = (self.digest, self.hash.digest_len());
        self.push(&digest[..len]);
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Draw => self.value = self.digest,
            Step::Seed(_) | Step::Again => self.key = self.digest,
        }
    }

    /// Keeps the value, until there are as many bits as the nonce needs.
    fn keep(&mut self) {
        let len = self.hash.digest_len();
        self.bits[self.drawn..][..len].copy_from_slice(&self.value[..len]);
        self.drawn += len;
        let needed = self.curve.coordinate_len();
        if self.drawn >= needed {
            let mut nonce = [0; MAX_LEN];
            number(self.curve, &self.bits[..self.drawn], &mut nonce[..needed]);
            match is_scalar(self.curve, &nonce[..needed]) {
                true => self.nonce = Some(nonce),
                false => self.drawn = 0,
            }
        }
    }

    /// Returns `true` if what was drawn was no scalar, so that all begins anew.
    fn is_rejected(&self) -> bool {
        self.nonce.is_none() && self.drawn == 0
    }
}

/// Hashes what is prepared.
fn digest(hasher: &mut Hasher, hash: HashAlgorithm, drafts: &mut [&mut Draft]) {
    let all = drafts.iter_mut().map(|draft| &mut **draft);
    hasher.run(hash, all.map(|draft| (&draft.room[..draft.room_len], &mut draft.digest)));
}

/// Does a step for drafts of one hash.
fn step(hasher: &mut Hasher, hash: HashAlgorithm, drafts: &mut [&mut Draft], step: Step) {
    drafts.iter_mut().for_each(|draft| draft.prepare_inner(step));
    digest(hasher, hash, drafts);
    drafts.iter_mut().for_each(|draft| draft.prepare_outer());
    digest(hasher, hash, drafts);
    drafts.iter_mut().for_each(|draft| draft.take(step));
}

/// Makes nonces (RFC 6979, 3.2, and where they are hedged, 3.6) of what was begun with one hash.
///
/// # Panics
/// If the hash is none of [`HASHES`](crate::HASHES).
pub fn make(hasher: &mut Hasher, hash: HashAlgorithm, mut drafts: Vec<&mut Draft>) {
    for byte in [0, 1] {
        step(hasher, hash, &mut drafts, Step::Seed(byte));
        step(hasher, hash, &mut drafts, Step::Draw);
    }
    while !drafts.is_empty() {
        step(hasher, hash, &mut drafts, Step::Draw);
        drafts.iter_mut().for_each(|draft| draft.keep());
        drafts.retain(|draft| draft.nonce.is_none());
        let rejected = drafts.iter_mut().filter(|draft| draft.is_rejected());
        let mut rejected: Vec<_> = rejected.map(|draft| &mut **draft).collect();
        if !rejected.is_empty() {
            step(hasher, hash, &mut rejected, Step::Again);
            step(hasher, hash, &mut rejected, Step::Draw);
        }
    }
}

#[cfg(test)]
mod tests {
    use broadloom_lanes::Cpu;

    use super::*;

    fn hex(digits: &str) -> Vec<u8> {
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
        (0..digits.len()).step_by(2).map(byte).collect()
    }

    /// The number, as many bytes long as a coordinate.
    fn scalar(curve: Curve, digits: &str) -> Vec<u8> {
        hex(&format!("{digits:0>width$}", width = 2 * curve.coordinate_len()))
    }

    fn numbered(curve: Curve, digest: &[u8]) -> Vec<u8> {
        let mut room = vec![0xaa; curve.coordinate_len()];
        number(curve, digest, &mut room);
        room
    }

    /// Keys of RFC 6979, A.2.5 to A.2.7 and A.2.10, each with the message of the examples here.
    const KEYS: [(Curve, &str, &[u8]); 4] = [
        (
            Curve::P256,
            "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
            b"sample",
        ),
        (
            Curve::P384,
            "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8\
             96d5724e4c70a825f872c9ea60d2edf5",
            b"sample",
        ),
        (
            Curve::P521,
            "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75ca\
             a896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538",
            b"sample",
        ),
        (
            Curve::K283,
            "6a0777356e87b89ba1ed3a3d845357be332173c8f7a65bdc7db4fab3c4cc79acc8194e",
            b"test",
        ),
    ];

    /// The nonces of their examples.
    const NONCES: [(HashAlgorithm, [&str; 4]); 5] = [
        (
            HashAlgorithm::Sha1,
            [
                "882905f1227fd620fbf2abf21244f0ba83d0dc3a9103dbbee43a1fb858109db4",
                "4471ef7518bb2c7c20f62eae1c387ad0c5e8e470995db4acf694466e6ab09663\
                 0f29e5938d25106c3c340045a2db01a7",
                "0089c071b419e1c2820962321787258469511958e80582e95d8378e0c2ccdb3cb4\
                 2bede42f50e3fa3c71f5a76724281d31d9c89f0f91fc1be4918db1c03a5838d0f9",
                "168b5f8c0881d4026c08ac5894a2239d219fa9f4da0600adaa56d5a1781af81f08a726e",
            ],
        ),
        (
            HashAlgorithm::Sha224,
            [
                "103f90ee9dc52e5e7fb5132b7033c63066d194321491862059967c715985d473",
                "a4e4d2f0e729eb786b31fc20ad5d849e304450e0ae8e3e341134a5c1afa03cab\
                 8083ee4e3c45b06a5899ea56c51b5879",
                "0121415ec2cd7726330a61f7f3fa5de14be9436019c4db8cb4041f3b54cf31be04\
                 93ee3f427fb906393d895a19c9523f3a1d54bb8702bd4aa9c99dab2597b92113f3",
                "45e13ea645ce01d9b25ea38c8a8a170e04c83bb7f231ee3152209fe10ec8b2e565536c",
            ],
        ),
        (
            HashAlgorithm::Sha256,
            [
                "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60",
                "180ae9f9aec5438a44bc159a1fcb277c7be54fa20e7cf404b490650a8acc414e\
                 375572342863c899f9f2edf9747a9b60",
                "00edf38afcaaecab4383358b34d67c9f2216c8382aaea44a3dad5fdc9c32575761\
                 793fef24eb0fc276dfc4f6e3ec476752f043cf01415387470bcbd8678ed2c7e1a0",
                "b585a7a68f51089691d6ede2b43fc4451f66c10e65f134b963d4cbd4eb844b0e1469a6",
            ],
        ),
        (
            HashAlgorithm::Sha384,
            [
                "09f634b188cefd98e7ec88b1aa9852d734d0bc272f7d2a47decc6ebeb375aad4",
                "94ed910d1a099dad3254e9242ae85abde4ba15168eaf0ca87a555fd56d10fbca\
                 2907e3e83ba95368623b8c4686915cf9",
                "01546a108bc23a15d6f21872f7ded661fa8431ddbd922d0dcdb77cc878c8553ffa\
                 d064c95a920a750ac9137e527390d2d92f153e66196966ea554d9adfcb109c4211",
                "1e88738e14482a09ee16a73d490a7fe8739df500039538d5c4b6c8d6d7f208d6ca56760",
            ],
        ),
        (
            HashAlgorithm::Sha512,
            [
                "5fa81c63109badb88c1f367b47da606da28cad69aa22c4fe6ad7df73a7173aa5",
                "92fc3c7183a883e24216d1141f1a8976c5b0dd797dfa597e3d7b32198bd35331\
                 a4e966532593a52980d0e3aaa5e10ec3",
                "01dae2ea071f8110dc26882d4d5eae0621a3256fc8847fb9022e2b7d28e6f10198\
                 b1574fdd03a9053c08a1854a168aa5a57470ec97dd5ce090124ef52a2f7ecbffd3",
                "e5f24a223bd459653f682763c3bb322d4ee75dd89c63d4dc61518d543e76585076bba",
            ],
        ),
    ];

    /// Those of all curves are made together, and beside hedged ones.
    #[test]
    fn nonces_are_those_of_the_standard() {
        let mut hasher = Hasher::new(&Cpu::detect());
        for (hash, nonces) in NONCES {
            let mut drafts: [Draft; 8] = std::array::from_fn(|_| Draft::default());
            for (at, draft) in drafts.iter_mut().enumerate() {
                let (curve, key, message) = KEYS[at % 4];
                let digest = hasher.digest(hash, message);
                let digest = &digest[..hash.digest_len()];
                let random = (at >= 4).then_some(&[7; RANDOM]);
                draft.begin(curve, &scalar(curve, key), (hash, digest), random);
            }
            make(&mut hasher, hash, drafts.iter_mut().collect());
            for (at, draft) in drafts.iter_mut().enumerate() {
                let expected = scalar(KEYS[at % 4].0, nonces[at % 4]);
                assert_eq!(draft.nonce() == Some(&expected), at < 4, "{hash}, {at}");
                assert!(draft.nonce().is_some_and(|nonce| is_scalar(draft.curve, nonce)));
                draft.wipe();
                assert!(
                    draft.nonce().is_none() && draft.room == [0; ROOM] && draft.seed == [0; SEED]
                );
            }
        }
    }

    /// A digest longer than the order is cut, and one above the order is reduced.
    #[test]
    fn numbers_of_digests_have_as_many_bits_as_the_order() {
        let mut short = [0; 36];
        short[16..].fill(0xff);
        assert_eq!(numbered(Curve::K283, &[0xff; 20]), short);
        let mut cut = [0xff; 36];
        cut[0] = 1;
        assert_eq!(numbered(Curve::K283, &[0xff; 64]), cut);
        cut[0] = 3;
        assert_eq!(numbered(Curve::B283, &[0xff; 48]), cut);
        assert_eq!(numbered(Curve::P256, &[0xff; 64]), [0xff; 32]);
        assert_eq!(numbered(Curve::P384, &[0xff; 64]), [0xff; 48]);
        // No digest is as long as the order of P-521, but what is drawn for a nonce is longer.
        assert_eq!(numbered(Curve::P521, &[0xff; 64]), [&[0; 2][..], &[0xff; 64]].concat());
        assert_eq!(numbered(Curve::P521, &[0xff; 128]), [&[1][..], &[0xff; 65]].concat());
        assert_eq!(numbered(Curve::P256, &[7; 32]), [7; 32]);
        assert_eq!(numbered(Curve::P256, &[7; 20]), [&[0; 12][..], &[7; 20]].concat());
        for curve in Curve::ALL {
            let mut order = curve.order().to_vec();
            assert!(!is_scalar(curve, &order));
            reduce(curve, &mut order);
            assert!(order.iter().all(|byte| *byte == 0) && !is_scalar(curve, &order));
            let mut small = scalar(curve, "ff");
            reduce(curve, &mut small);
            assert!(small == scalar(curve, "ff") && is_scalar(curve, &small));
        }
    }

    /// What is no scalar is drawn again, after the key has changed.
    #[test]
    fn nonces_above_the_order_are_drawn_again() {
        let mut draft = Draft::default();
        draft.begin(Curve::P256, &[5; 32], (HashAlgorithm::Sha256, &[1; 32]), None);
        draft.value = [0xff; MAX_TAG];
        draft.keep();
        assert!(draft.is_rejected());
        draft.value = [0x7f; MAX_TAG];
        draft.keep();
        assert_eq!(draft.nonce(), Some(&[0x7f; 32][..]));
    }
}
