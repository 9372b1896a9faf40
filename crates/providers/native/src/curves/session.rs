//! Sessions on elliptic curves: a key, and what goes through the lanes with it.

use broadloom_engine::provider::{
    AnyKey, Asymmetric, ProviderError, ProviderSession, PublicKeyParts,
};
use broadloom_engine::{
    HashAlgorithm, JobError, MAX_TAG, PrivateKey, PublicKey, Secret, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_public_key::{
    CurveLanes, CurveOutcome, Ed25519PrivateKey, Ed25519PublicKey, X25519Key,
};
use broadloom_schemes::Hasher;
use zeroize::Zeroize;

use super::{Curves, fill};
use crate::kind::{Opened, instruction_set, laned, refused};
use crate::kinds::Numbered;

/// A session on an elliptic curve.
pub(crate) struct CurveSession {
    pub key: Key,
    kernel: String,
}

/// The key, and with it what is done.
pub(crate) enum Key {
    Agree(X25519Key),
    Sign(Ed25519PrivateKey),
    Verify(Box<Ed25519PublicKey>),
}

/// Opens a session on an elliptic curve.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = match transform.asymmetric() {
        Some(Asymmetric { key: AnyKey::Private(PrivateKey::X25519(key)), .. }) => {
            Key::Agree(X25519Key::new(bytes(key)))
        }
        Some(Asymmetric { key: AnyKey::Private(PrivateKey::Ed25519(key)), .. }) => {
            let mut digest = Hasher::new(cpu).digest(HashAlgorithm::Sha512, key.as_bytes());
            let key = digest.first_chunk().map(Ed25519PrivateKey::new);
            digest.zeroize();
            Key::Sign(key.expect("a digest has 64 bytes"))
        }
        Some(Asymmetric { key: AnyKey::Public(PublicKey::Ed25519(key)), .. }) => {
            Key::Verify(Box::new(Ed25519PublicKey::new(key).map_err(refused)?))
        }
        _ => return Err(ProviderError::new("the key is none of X25519 or Ed25519")),
    };
    Ok(Box::new(CurveSession { key, kernel: laned(CurveLanes::kernel_info(cpu)) }))
}

/// The bytes of a key.
fn bytes(secret: &Secret) -> &[u8; 32] {
    secret.as_bytes().try_into().expect("a secret has 32 bytes")
}

impl CurveSession {
    /// Prepares what is hashed, and what goes through the lanes.
    pub fn prepare(
        &self,
        parts: &PublicKeyParts<'_, Self>,
        message: &mut Vec<u8>,
        buffer: &mut [u8; 128],
    ) -> Result<(), JobError> {
        let (input, signature) = (parts.input, parts.signature);
        match &self.key {
            Key::Agree(_) => match input.len() {
                32 => buffer[..32].copy_from_slice(input),
                len => return Err(JobError::InputLength { len, min: 32, max: 32 }),
            },
            Key::Sign(key) => {
                fill(message, &[key.prefix(), input]);
            }
            Key::Verify(_) if signature.len() != 64 => return Err(JobError::SignatureMismatch),
            Key::Verify(key) => {
                buffer[..64].copy_from_slice(signature);
                fill(message, &[&signature[..32], key.bytes(), input]);
            }
        }
        Ok(())
    }

    /// Puts a digest where the lanes want it.
    pub fn hashed(&self, digest: &[u8; MAX_TAG], buffer: &mut [u8; 128]) {
        match self.key {
            Key::Agree(_) => {}
            Key::Sign(_) => buffer[..64].copy_from_slice(&digest[..64]),
            Key::Verify(_) => buffer[64..].copy_from_slice(&digest[..64]),
        }
    }

    /// Makes the output of what came back from the lanes. Returns its length.
    pub fn result(
        &self,
        outcome: CurveOutcome,
        digest: &[u8; MAX_TAG],
        buffer: &[u8; 128],
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        let is_right = outcome.check();
        match &self.key {
            Key::Agree(_) => {
                is_right.map_err(|_| JobError::PublicKey)?;
                output[..32].copy_from_slice(&buffer[..32]);
                Ok(32)
            }
            Key::Sign(key) => {
                is_right.map_err(|_| JobError::NotDone)?;
                let (Some(digest), Ok(number)) = (digest.first_chunk(), buffer[32..64].try_into())
                else {
                    return Err(JobError::NotDone);
                };
                output[..32].copy_from_slice(&buffer[..32]);
                output[32..64].copy_from_slice(&key.respond(number, digest));
                Ok(64)
            }
            Key::Verify(_) => is_right.map(|()| 0).map_err(|_| JobError::SignatureMismatch),
        }
    }
}

impl ProviderSession for CurveSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        Curves::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        match self.key {
            Key::Agree(_) => 32,
            Key::Sign(_) => 64,
            Key::Verify(_) => 0,
        }
    }
}
