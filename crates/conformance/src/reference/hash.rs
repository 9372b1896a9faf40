//! Hashes, HMAC, and KMAC.

use broadloom_engine::{HashAlgorithm, MacAlgorithm};
use hmac::digest::Digest;
use hmac::{KeyInit, Mac, SimpleHmac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use sm3::Sm3;

/// Calls a function for the type of a hash.
macro_rules! of_hash {
    ($algorithm:expr, $Hash:ident => $call:expr) => {{
        macro_rules! with {
            ($type:ty) => {{
                type $Hash = $type;
                $call
            }};
        }
        match $algorithm {
            HashAlgorithm::Md5 => with!(Md5),
            HashAlgorithm::Sha1 => with!(Sha1),
            HashAlgorithm::Sha224 => with!(Sha224),
            HashAlgorithm::Sha256 => with!(Sha256),
            HashAlgorithm::Sha384 => with!(Sha384),
            HashAlgorithm::Sha512 => with!(Sha512),
            HashAlgorithm::Sm3 => with!(Sm3),
            HashAlgorithm::Sha3_224 => with!(Sha3_224),
            HashAlgorithm::Sha3_256 => with!(Sha3_256),
            HashAlgorithm::Sha3_384 => with!(Sha3_384),
            HashAlgorithm::Sha3_512 => with!(Sha3_512),
            other => super::no_reference(other),
        }
    }};
}

/// The digest of the data; of SHAKE, so many bytes of output.
pub(super) fn digest(algorithm: HashAlgorithm, data: &[u8], len: usize) -> Vec<u8> {
    fn extended<H: Default + Update + ExtendableOutput>(data: &[u8], len: usize) -> Vec<u8> {
        let mut hasher = H::default();
        hasher.update(data);
        let mut digest = vec![0; len];
        hasher.finalize_xof().read(&mut digest);
        digest
    }
    match algorithm {
        HashAlgorithm::Shake128 => extended::<Shake128>(data, len),
        HashAlgorithm::Shake256 => extended::<Shake256>(data, len),
        HashAlgorithm::Blake3 => blake3(blake3::Hasher::new(), data, len),
        _ => of_hash!(algorithm, Hash => Hash::digest(data).to_vec()),
    }
}

/// The keyed hash of BLAKE3.
pub(super) fn blake3_keyed(key: &[u8], data: &[u8], len: usize) -> Vec<u8> {
    let key = key.try_into().expect("keys have 32 bytes");
    blake3(blake3::Hasher::new_keyed(key), data, len)
}

fn blake3(mut hasher: blake3::Hasher, data: &[u8], len: usize) -> Vec<u8> {
    let mut digest = vec![0; len];
    hasher.update(data).finalize_xof().fill(&mut digest);
    digest
}

/// KMAC (SP 800-185, 4) of the data without a customization string, with a tag of so many bytes,
/// fewer than a block.
pub(super) fn kmac(algorithm: MacAlgorithm, key: &[u8], data: &[u8], tag_len: usize) -> Vec<u8> {
    let block = if algorithm == MacAlgorithm::Kmac128 { 168 } else { 136 };
    let digits = |number: usize| {
        let bytes = number.to_be_bytes();
        let zeros = bytes.iter().take(7).take_while(|byte| **byte == 0).count();
        bytes[zeros..].to_vec()
    };
    let left = |number: usize| [vec![digits(number).len() as u8], digits(number)].concat();
    let string = |bytes: &[u8]| [left(8 * bytes.len()), bytes.to_vec()].concat();
    let pad = |strings: &[Vec<u8>]| {
        let mut padded = [left(block), strings.concat()].concat();
        padded.resize(padded.len().next_multiple_of(block), 0);
        padded
    };
    let (names, key) = (pad(&[string(b"KMAC"), string(b"")]), pad(&[string(key)]));
    let length = [digits(8 * tag_len), vec![digits(8 * tag_len).len() as u8]].concat();
    let mut message = [&names[..], &key, data, &length, &[4]].concat();
    message.resize(message.len().next_multiple_of(block), 0);
    message.last_mut().into_iter().for_each(|last| *last |= 0x80);

    let mut state = [0_u64; 25];
    for block in message.chunks(block) {
        for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *word ^= u64::from_le_bytes(bytes.try_into().expect("a block has whole words"));
        }
        keccak::Keccak::new().with_f1600(|permute| permute(&mut state));
    }
    state.iter().flat_map(|word| word.to_le_bytes()).take(tag_len).collect()
}

/// The HMAC of the data.
pub(super) fn hmac(algorithm: HashAlgorithm, key: &[u8], data: &[u8]) -> Vec<u8> {
    of_hash!(algorithm, Hash => {
        let mac = SimpleHmac::<Hash>::new_from_slice(key).expect("HMAC takes keys of any length");
        mac.chain_update(data).finalize().into_bytes().to_vec()
    })
}
