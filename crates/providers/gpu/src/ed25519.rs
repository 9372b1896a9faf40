//! Ed25519: what the device is told of a key, of a message and of a signature.

use std::fmt::Write;

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, PublicKeyParts};
use broadloom_engine::{JobError, PrivateKey, PublicKey, Transform};
use broadloom_public_key::{Ed25519PrivateKey, Ed25519PublicKey, ed25519_base};
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, Zeroizing};

use crate::kernels::{KERNELS, KernelId};
use crate::lower::{ALIGNMENT, Entry, NONE, Room, TASK, aligned};
use crate::rsa::halves;
use crate::session::{GpuSession, SHA512, words_of_64};

/// Bytes of a block of SHA-512.
const BLOCK: usize = 128;

/// Words of its digest, of 64 bits.
const DIGEST: u32 = 8;

/// A key.
pub(crate) enum Ed25519 {
    Sign(Ed25519PrivateKey),
    Verify(Box<Ed25519PublicKey>),
}

impl Ed25519 {
    /// The session's own part, and what kernels read of the key: see `ed25519.cl`.
    ///
    /// # Errors
    /// The key is no point of the curve.
    pub fn open(transform: &Transform) -> Result<(Ed25519, Zeroizing<Vec<u32>>), ProviderError> {
        let state = words_of_64(&SHA512);
        // As long as it gets, so that no copy of it is left behind.
        let mut words = Zeroizing::new(Vec::with_capacity(state.len() + 8 * 30));
        words.extend(state);
        match transform.asymmetric() {
            Some(Asymmetric { key: AnyKey::Private(PrivateKey::Ed25519(secret)), .. }) => {
                let mut digest: [u8; 64] = Sha512::digest(secret.as_bytes()).into();
                let key = Ed25519PrivateKey::new(&digest);
                digest.zeroize();
                words.extend(halves(key.number()));
                Ok((Ed25519::Sign(key), words))
            }
            Some(Asymmetric { key: AnyKey::Public(PublicKey::Ed25519(bytes)), .. }) => {
                let key = Ed25519PublicKey::new(bytes)
                    .map_err(|error| ProviderError::new(error.to_string()))?;
                words.extend(key.negative_multiples().iter().flat_map(limbs_of_addend));
                Ok((Ed25519::Verify(Box::new(key)), words))
            }
            _ => Err(ProviderError::new("the key is none of Ed25519")),
        }
    }

    /// The most bytes of an output.
    pub fn bound(&self) -> usize {
        match self {
            Ed25519::Sign(_) => 64,
            Ed25519::Verify(_) => 0,
        }
    }

    /// Bytes of the input and of the output that a job takes at most.
    pub fn needs(&self, key: &[u32], message: &[u8]) -> usize {
        let padded = 64 + message.len() + BLOCK + BLOCK / 8 + ALIGNMENT;
        let hashed = match self {
            Ed25519::Sign(_) => 2 * padded,
            Ed25519::Verify(_) => padded,
        };
        aligned(4 * key.len()) + hashed + 4 * ALIGNMENT + 2 * 4 * TASK + KERNELS * ALIGNMENT
    }

    /// Turns an operation into tasks of kernels.
    ///
    /// # Errors
    /// The signature has another length than signatures have.
    pub fn lower(
        &self,
        room: &mut Room<'_>,
        parts: &PublicKeyParts<'_, GpuSession>,
        key: u32,
        entry: &mut Entry,
    ) -> Result<(), JobError> {
        match self {
            Ed25519::Sign(own) => {
                let (data, blocks) = room.put_padded(&[own.prefix(), parts.input], 0, BLOCK);
                let digest = room.make(64);
                room.task(KernelId::Sha512, &[data, blocks, key, digest, NONE, DIGEST]);
                // The device puts the first half of the signature where the zeros are.
                let pieces: [&[u8]; 3] = [&[0; 32], own.public(), parts.input];
                let (data, blocks) = room.put_padded(&pieces, 0, BLOCK);
                let out = room.make_text(64, entry);
                room.task(KernelId::Ed25519Sign, &[digest, data, blocks, key, out]);
            }
            Ed25519::Verify(own) => {
                let Some((first, second)) = parts.signature.split_at_checked(32) else {
                    return Err(JobError::SignatureMismatch);
                };
                if second.len() != 32 {
                    return Err(JobError::SignatureMismatch);
                }
                let pieces = [first, own.bytes(), parts.input];
                let (data, blocks) = room.put_padded(&pieces, 0, BLOCK);
                let digest = room.make(64);
                room.task(KernelId::Sha512, &[data, blocks, key, digest, NONE, DIGEST]);
                let second = room.put(&[second]);
                let out = room.make_text(4, entry);
                room.task(KernelId::Ed25519Verify, &[digest, data, second, out, key]);
            }
        }
        Ok(())
    }

    /// Makes the output of what the device has made. Returns the output's length.
    ///
    /// # Errors
    /// The signature is wrong.
    pub fn result(
        &self,
        parts: PublicKeyParts<'_, GpuSession>,
        made: &[u8],
    ) -> Result<usize, JobError> {
        match self {
            Ed25519::Sign(_) => {
                parts.output[..made.len()].copy_from_slice(made);
                Ok(made.len())
            }
            Ed25519::Verify(_) if made == 1_u32.to_ne_bytes() => Ok(0),
            Ed25519::Verify(_) => Err(JobError::SignatureMismatch),
        }
    }
}

/// A point that is added, in the limbs of the kernels: see `edwards.cl`.
fn limbs_of_addend(words: &[u64; 12]) -> [u32; 30] {
    let numbers: &[[u64; 4]] = words.as_chunks().0;
    std::array::from_fn(|at| {
        let (number, limb) = (&numbers[at / 10], at % 10);
        // Limbs have 26 and 25 bits in turn.
        let first = (51 * limb).div_ceil(2);
        let (word, shift) = (first / 64, first % 64);
        let above = number.get(word + 1).copied().unwrap_or_default();
        let bits = (u128::from(above) << 64 | u128::from(number[word])) >> shift;
        bits as u32 & ((1 << (26 - limb % 2)) - 1)
    })
}

/// The table of the base point's multiples, as the kernels have it.
pub(crate) fn base_table() -> String {
    let rows = ed25519_base();
    let mut text = format!("__constant u32 BASE[{}][8][30] = {{\n", rows.len());
    let addends = rows.iter().flatten().flat_map(limbs_of_addend);
    for limb in addends {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{limb},");
    }
    text + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_are_the_bits_of_their_words() {
        let words: [u64; 12] = std::array::from_fn(|at| match at % 4 {
            3 => 0x7edc_ba98_7654_3210 >> (at / 4),
            _ => 0x0123_4567_89ab_cdef_u64.wrapping_mul(at as u64 + 3),
        });
        for (number, limbs) in words.chunks(4).zip(limbs_of_addend(&words).chunks(10)) {
            for bit in 0..255 {
                let limb = bit * 2 / 51;
                let own = limbs[limb] >> (bit - (51 * limb).div_ceil(2)) & 1;
                assert_eq!(u64::from(own), number[bit / 64] >> (bit % 64) & 1, "bit {bit}");
            }
        }
    }
}
