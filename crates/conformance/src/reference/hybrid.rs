//! The hybrids of ML-KEM-768 and a curve (draft-ietf-tls-ecdhe-mlkem), put together of the crates
//! `ml-kem`, `x25519-dalek` and `p256`, one operation after another.

use broadloom_engine::{HybridKem, MlKemSet};
use p256::{PublicKey, Sec1Point, SecretKey, ecdh};

use super::ml_kem;

const SET: MlKemSet = MlKemSet::MlKem768;

/// Puts a part of ML-KEM and a part of the curve into the order of a hybrid.
pub fn join(kem: HybridKem, ml_kem: &[u8], curve: &[u8]) -> Vec<u8> {
    match kem {
        HybridKem::X25519MlKem768 => [ml_kem, curve].concat(),
        HybridKem::P256MlKem768 => [curve, ml_kem].concat(),
    }
}

/// Takes the parts of ML-KEM and of the curve apart; `None` if there are more or fewer bytes.
pub fn split(kem: HybridKem, bytes: &[u8], ml_kem: usize, curve: usize) -> Option<[&[u8]; 2]> {
    if bytes.len() != ml_kem + curve {
        return None;
    }
    Some(match kem {
        HybridKem::X25519MlKem768 => bytes.split_at(ml_kem).into(),
        HybridKem::P256MlKem768 => {
            let (curve, ml_kem) = bytes.split_at(curve);
            [ml_kem, curve]
        }
    })
}

/// Bytes of a public key of the curve.
fn point_len(kem: HybridKem) -> usize {
    match kem {
        HybridKem::X25519MlKem768 => 32,
        HybridKem::P256MlKem768 => 65,
    }
}

/// Returns the public key of a private key of the curve; `None` if that is no scalar.
fn public(kem: HybridKem, scalar: &[u8]) -> Option<Vec<u8>> {
    Some(match kem {
        HybridKem::X25519MlKem768 => {
            let base = x25519_dalek::X25519_BASEPOINT_BYTES;
            x25519_dalek::x25519(scalar.try_into().ok()?, base).to_vec()
        }
        HybridKem::P256MlKem768 => {
            let key = SecretKey::from_slice(scalar).ok()?;
            Sec1Point::from(key.public_key()).as_bytes().to_vec()
        }
    })
}

/// Returns the secret of a private key and the other side's point; `None` if either is not valid.
fn agree(kem: HybridKem, scalar: &[u8], point: &[u8]) -> Option<Vec<u8>> {
    match kem {
        HybridKem::X25519MlKem768 => {
            let (scalar, point) = (scalar.try_into().ok()?, point.try_into().ok()?);
            let secret = x25519_dalek::x25519(scalar, point);
            (secret != [0; 32]).then(|| secret.to_vec())
        }
        HybridKem::P256MlKem768 => {
            let key = SecretKey::from_slice(scalar).ok()?;
            let point = PublicKey::from_sec1_bytes(point).ok().filter(|_| point[0] == 4)?;
            let secret = ecdh::diffie_hellman(key.to_nonzero_scalar(), point.as_affine());
            Some(secret.raw_secret_bytes().to_vec())
        }
    }
}

/// Returns the private key of a seed, and behind it the public key; `None` if the seed has another
/// length or no scalar.
pub fn generate(kem: HybridKem, seed: &[u8]) -> Option<Vec<u8>> {
    let [seed, scalar] = split(kem, seed, 64, 32)?;
    let key = ml_kem::generate(SET, seed);
    let private = join(kem, &key, scalar);
    let public = join(kem, SET.public_of(&key), &public(kem, scalar)?);
    Some([private, public].concat())
}

/// Returns the ciphertext that 64 random bytes make for the owner of a public key, and the secret
/// behind it; `None` if the key or the randomness is not valid.
pub fn encapsulate(kem: HybridKem, to: &[u8], random: &[u8]) -> Option<Vec<u8>> {
    let [key, point] = split(kem, to, 1184, point_len(kem))?;
    let [message, scalar] = split(kem, random, 32, 32)?;
    let sent = ml_kem::encapsulate(SET, key, message)?;
    let (ciphertext, secret) = sent.split_at(SET.ciphertext_len());
    let ciphertext = join(kem, ciphertext, &public(kem, scalar)?);
    let secret = join(kem, secret, &agree(kem, scalar, point)?);
    Some([ciphertext, secret].concat())
}

/// Returns the secret of a ciphertext, by a private key; `None` if either is not valid.
pub fn decapsulate(kem: HybridKem, private: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    let [key, scalar] = split(kem, private, 2400, 32)?;
    let [text, point] = split(kem, ciphertext, 1088, point_len(kem))?;
    let secret = ml_kem::decapsulate(SET, key, text)?;
    Some(join(kem, &secret, &agree(kem, scalar, point)?))
}
