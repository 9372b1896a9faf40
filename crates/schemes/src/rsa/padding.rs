//! The paddings of RSA (RFC 8017).
//!
//! What is removed with a private key is checked without a branch or an index that depends on it,
//! and ends in one error.

use broadloom_engine::{HashAlgorithm, JobError};
use broadloom_lanes::public;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, Zeroizing};

use super::MAX_LEN;
use crate::hasher::Hasher;
use crate::random;

/// Returns what stands before a digest in a signature by PKCS #1 v1.5: `DigestInfo` in DER (RFC
/// 8017, 9.2).
fn digest_info(hash: HashAlgorithm) -> Vec<u8> {
    // The last number of the hash's object identifier below 2.16.840.1.101.3.4.2.
    let last = match hash {
        HashAlgorithm::Sha256 => 1,
        HashAlgorithm::Sha384 => 2,
        HashAlgorithm::Sha512 => 3,
        HashAlgorithm::Sha224 => 4,
        HashAlgorithm::Sha3_224 => 7,
        HashAlgorithm::Sha3_256 => 8,
        HashAlgorithm::Sha3_384 => 9,
        HashAlgorithm::Sha3_512 => 10,
        _ => 0,
    };
    let len = hash.digest_len() as u8;
    let identifier: &[u8] = match hash {
        HashAlgorithm::Sha1 => &[0x06, 5, 0x2b, 0x0e, 0x03, 0x02, 0x1a],
        _ => &[0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last],
    };
    let inner = identifier.len() as u8 + 2;
    let mut info = vec![0x30, inner + 4 + len, 0x30, inner];
    info.extend_from_slice(identifier);
    info.extend_from_slice(&[0x05, 0, 0x04, len]);
    info
}

/// EMSA-PKCS1-v1_5 (RFC 8017, 9.2).
pub(super) fn sign_pkcs1(
    hash: HashAlgorithm,
    digest: &[u8],
    number: &mut [u8],
) -> Result<(), JobError> {
    let info = digest_info(hash);
    let len = number.len();
    let end = info.len() + digest.len();
    if len < end + 11 {
        return Err(JobError::NotDone);
    }
    number.fill(0xff);
    (number[0], number[1], number[len - end - 1]) = (0, 1, 0);
    number[len - end..len - digest.len()].copy_from_slice(&info);
    number[len - digest.len()..].copy_from_slice(digest);
    Ok(())
}

/// The digest that ends a number by PSS: of eight zeros, the message's digest, and the salt.
fn pss_digest(
    hash: HashAlgorithm,
    digest: &[u8],
    salt: &[u8],
    hasher: &mut Hasher,
) -> [u8; broadloom_engine::MAX_TAG] {
    hasher.digest(hash, &[&[0; 8], digest, salt].concat())
}

/// EMSA-PSS-ENCODE (RFC 8017, 9.1.1) with a random salt, for moduli of a multiple of eight bits.
pub(super) fn sign_pss(
    hash: HashAlgorithm,
    digest: &[u8],
    salt_len: usize,
    hasher: &mut Hasher,
    number: &mut [u8],
) -> Result<(), JobError> {
    let (len, hash_len) = (number.len(), hash.digest_len());
    let block_len = len - hash_len - 1;
    let salt_at = block_len - salt_len;
    number.fill(0);
    random::fill(&mut number[salt_at..block_len])?;
    let end = pss_digest(hash, digest, &number[salt_at..block_len], hasher);
    number[salt_at - 1] = 1;
    number[block_len..len - 1].copy_from_slice(&end[..hash_len]);
    number[len - 1] = 0xbc;
    hasher.mask(hash, &end[..hash_len], &mut number[..block_len]);
    number[0] &= 0x7f;
    Ok(())
}

/// EMSA-PSS-VERIFY (RFC 8017, 9.1.2), of a salt of this length, or of any.
pub(super) fn verify_pss(
    hash: HashAlgorithm,
    digest: &[u8],
    salt_len: Option<usize>,
    hasher: &mut Hasher,
    number: &[u8],
) -> bool {
    let (len, hash_len) = (number.len(), hash.digest_len());
    let block_len = len - hash_len - 1;
    if number[len - 1] != 0xbc || number[0] & 0x80 != 0 {
        return false;
    }
    let mut room = [0; MAX_LEN];
    let block = &mut room[..block_len];
    block.copy_from_slice(&number[..block_len]);
    let end = &number[block_len..len - 1];
    hasher.mask(hash, end, block);
    block[0] &= 0x7f;
    // Zeros, a one, and the salt. All of it comes of a signature, which is public.
    let Some(one) = block.iter().position(|byte| *byte != 0) else { return false };
    let salt = &block[one + 1..];
    let is_framed = block[one] == 1 && salt_len.is_none_or(|len| len == salt.len());
    is_framed && pss_digest(hash, digest, salt, hasher)[..hash_len] == *end
}

/// EME-OAEP encoding (RFC 8017, 7.1.1) with an empty label.
pub(super) fn encrypt_oaep(
    hash: HashAlgorithm,
    message: &[u8],
    hasher: &mut Hasher,
    number: &mut [u8],
) -> Result<(), JobError> {
    let (len, hash_len) = (number.len(), hash.digest_len());
    let max = len - 2 * hash_len - 2;
    if message.len() > max {
        return Err(JobError::InputLength { len: message.len(), min: 0, max });
    }
    number.fill(0);
    let label = hasher.digest(hash, b"");
    let (seed, block) = number[1..].split_at_mut(hash_len);
    random::fill(seed)?;
    block[..hash_len].copy_from_slice(&label[..hash_len]);
    let at = block.len() - message.len();
    block[at - 1] = 1;
    block[at..].copy_from_slice(message);
    hasher.mask(hash, seed, block);
    hasher.mask(hash, block, seed);
    Ok(())
}

/// EME-OAEP decoding (RFC 8017, 7.1.2) with an empty label. Returns the length of the message.
pub(super) fn decrypt_oaep(
    hash: HashAlgorithm,
    number: &[u8],
    hasher: &mut Hasher,
    output: &mut [u8],
) -> Result<usize, JobError> {
    let hash_len = hash.digest_len();
    let mut frame = Zeroizing::new(number.to_vec());
    let (first, rest) = frame.split_at_mut(1);
    let (seed, block) = rest.split_at_mut(hash_len);
    hasher.mask(hash, block, seed);
    hasher.mask(hash, seed, block);
    let label = hasher.digest(hash, b"");
    let (own_label, padded) = block.split_at(hash_len);
    // The first byte that is not zero has to be one, and the message follows.
    let (mut searching, mut at) = (Choice::from(1), 0u32);
    let mut is_right = first[0].ct_eq(&0) & own_label.ct_eq(&label[..hash_len]);
    for (index, byte) in padded.iter().enumerate() {
        let (is_zero, is_one) = (byte.ct_eq(&0), byte.ct_eq(&1));
        at.conditional_assign(&(index as u32 + 1), searching & is_one);
        is_right &= !searching | is_zero | is_one;
        searching &= is_zero;
    }
    if !public(is_right & !searching) {
        return Err(JobError::Decryption);
    }
    let message = &padded[at as usize..];
    output[..message.len()].copy_from_slice(message);
    Ok(message.len())
}

/// EME-PKCS1-v1_5 encoding (RFC 8017, 7.2.1).
pub(super) fn encrypt_pkcs1(message: &[u8], number: &mut [u8]) -> Result<(), JobError> {
    let len = number.len();
    if message.len() > len - 11 {
        return Err(JobError::InputLength { len: message.len(), min: 0, max: len - 11 });
    }
    let at = len - message.len();
    number[0] = 0;
    number[1] = 2;
    let random = &mut number[2..at - 1];
    random::fill(random)?;
    for byte in random {
        while *byte == 0 {
            let mut again = [0];
            random::fill(&mut again)?;
            *byte = again[0];
        }
    }
    number[at - 1] = 0;
    number[at..].copy_from_slice(message);
    Ok(())
}

/// Moves bytes from an offset to the beginning, in time and memory accesses that depend on neither:
/// a shift by each power of two that the offset has.
pub(super) fn move_to_front(bytes: &mut [u8], offset: u32) {
    for power in 0..usize::BITS {
        let distance = 1usize << power;
        if distance >= bytes.len() {
            break;
        }
        let moves = Choice::from((offset >> power) as u8 & 1);
        for index in 0..bytes.len() - distance {
            let other = bytes[index + distance];
            bytes[index].conditional_assign(&other, moves);
        }
    }
}

/// Wipes what is behind the message.
pub(super) fn wipe_rest(output: &mut [u8], len: usize) {
    output[len..].zeroize();
}
