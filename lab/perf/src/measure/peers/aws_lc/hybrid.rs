//! The hybrids of ML-KEM and a curve, which the crate leaves to its users: an encapsulation and an
//! agreement, as rustls puts them together.

use aws_lc_rs::agreement::{self, UnparsedPublicKey, X25519};
use aws_lc_rs::encoding::{AsBigEndian, Curve25519SeedBin, EcPrivateKeyBin};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::kem::{DecapsulationKey, EncapsulationKey, ML_KEM_768};
use aws_lc_rs::rand::SystemRandom;
use broadloom_engine::{Direction, HybridKem, Kem, MlKemSet};

use crate::measure::keys;
use crate::measure::peers::buffers::Message;

const SET: MlKemSet = HybridKem::SET;

/// What is done, with the keys for it.
pub enum Hybrid {
    Generate(HybridKem),
    Encapsulate(HybridKem, SystemRandom),
    Decapsulate(HybridKem, Box<(DecapsulationKey, agreement::PrivateKey)>),
}

/// What the crate calls the curve of a hybrid.
fn curve(kem: HybridKem) -> &'static agreement::Algorithm {
    match kem {
        HybridKem::X25519MlKem768 => &X25519,
        HybridKem::P256MlKem768 => &agreement::ECDH_P256,
    }
}

impl Hybrid {
    /// Prepares a direction, with the key for measuring.
    pub fn new(kem: HybridKem, direction: Direction) -> Result<Hybrid, Unspecified> {
        Ok(match direction {
            Direction::Generate => Hybrid::Generate(kem),
            Direction::Encapsulate => Hybrid::Encapsulate(kem, SystemRandom::new()),
            _ => {
                let (private, _) = keys::kem(Kem::Hybrid(kem));
                let (expanded, scalar) = kem.parts(&private, HybridKem::SCALAR_LEN);
                let ml_kem = DecapsulationKey::new(&ML_KEM_768, expanded);
                let own = agreement::PrivateKey::from_private_key(curve(kem), scalar);
                let keys = (ml_kem.map_err(|_| Unspecified)?, own.map_err(|_| Unspecified)?);
                Hybrid::Decapsulate(kem, Box::new(keys))
            }
        })
    }

    /// Writes the result for a message; `None` if the crate fails.
    pub fn process(&self, message: Message<'_>) -> Option<()> {
        let (input, output) = (message.input, message.output);
        match self {
            Hybrid::Generate(kem) => generate(*kem, output),
            Hybrid::Encapsulate(kem, random) => encapsulate(*kem, random, input, output),
            Hybrid::Decapsulate(kem, keys) => {
                let input = input.get(..kem.ciphertext_len())?;
                let (text, point) = kem.parts(input, kem.point_len());
                let (ml_kem, shared) = kem.parts_mut(&mut output[..HybridKem::SECRET_LEN], 32);
                ml_kem.copy_from_slice(keys.0.decapsulate(text.into()).ok()?.as_ref());
                let point = UnparsedPublicKey::new(curve(*kem), point);
                agreement::agree(&keys.1, point, Unspecified, |secret| {
                    shared.copy_from_slice(secret);
                    Ok(())
                })
                .ok()
            }
        }
    }
}

/// Generates a pair: the private key, and the public key behind it.
fn generate(kem: HybridKem, output: &mut [u8]) -> Option<()> {
    let key = DecapsulationKey::generate(&ML_KEM_768).ok()?.key_bytes().ok()?;
    let own = agreement::PrivateKey::generate(curve(kem)).ok()?;
    let pair = &mut output[..kem.pair_len()];
    let (private, public) = pair.split_at_mut(HybridKem::PRIVATE_KEY_LEN);
    let (ml_kem, scalar) = kem.parts_mut(private, HybridKem::SCALAR_LEN);
    ml_kem.copy_from_slice(key.as_ref());
    match kem {
        HybridKem::X25519MlKem768 => {
            let seed: Curve25519SeedBin<'_> = own.as_be_bytes().ok()?;
            scalar.copy_from_slice(seed.as_ref());
        }
        HybridKem::P256MlKem768 => {
            let bytes: EcPrivateKeyBin<'_> = own.as_be_bytes().ok()?;
            scalar.copy_from_slice(bytes.as_ref());
        }
    }
    let (share, point) = kem.parts_mut(public, kem.point_len());
    share.copy_from_slice(SET.public_of(key.as_ref()));
    point.copy_from_slice(own.compute_public_key().ok()?.as_ref());
    Some(())
}

/// Encapsulates for a public key: writes the ciphertext, and behind it the secret.
fn encapsulate(
    kem: HybridKem,
    random: &SystemRandom,
    input: &[u8],
    output: &mut [u8],
) -> Option<()> {
    let (key, point) = kem.parts(input, kem.point_len());
    let (text, secret) = EncapsulationKey::new(&ML_KEM_768, key).ok()?.encapsulate().ok()?;
    let own = agreement::EphemeralPrivateKey::generate(curve(kem), random).ok()?;
    let sent = &mut output[..kem.ciphertext_len() + HybridKem::SECRET_LEN];
    let (ciphertext, shared) = sent.split_at_mut(kem.ciphertext_len());
    let (ml_kem, share) = kem.parts_mut(ciphertext, kem.point_len());
    ml_kem.copy_from_slice(text.as_ref());
    share.copy_from_slice(own.compute_public_key().ok()?.as_ref());
    let (ml_kem, curve_secret) = kem.parts_mut(shared, 32);
    ml_kem.copy_from_slice(secret.as_ref());
    let point = UnparsedPublicKey::new(curve(kem), point);
    agreement::agree_ephemeral(own, point, Unspecified, |agreed| {
        curve_secret.copy_from_slice(agreed);
        Ok(())
    })
    .ok()
}
