//! Sessions of ECDSA and ECDH: a key, and what goes through the lanes with it.

use broadloom_engine::provider::{
    AnyKey, Asymmetric, ProviderError, ProviderSession, PublicKeyParts,
};
use broadloom_engine::{
    Curve, Direction, EcPrivateKey, HashAlgorithm, JobError, MAX_TAG, PrivateKey, PublicKey,
    Scheme, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_public_key::{BinaryCurveLanes, CurveLanes, CurveOutcome};
use broadloom_schemes::ecdsa::nonce::{self, Draft, RANDOM};
use broadloom_schemes::ecdsa::{MAX_LEN, der};
use broadloom_schemes::{HASHES, digest_of, random};
use zeroize::Zeroize;

use super::Ec;
use super::keys::{Key, Private, Public};
use crate::kind::{Opened, instruction_set, laned};
use crate::kinds::Numbered;

/// A session of ECDSA or ECDH.
pub(crate) struct EcSession {
    pub key: Key,
    pub curve: Curve,
    /// The private key of what signs, of which nonces are made.
    secret: Option<EcPrivateKey>,
    scheme: Scheme,
    kernel: String,
}

/// Opens a session of ECDSA or ECDH.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let other =
        || ProviderError::new("the key is none on P-256, P-384, P-521, secp256k1, K-283 or B-283");
    let Some(Asymmetric { key, scheme, .. }) = transform.asymmetric() else { return Err(other()) };
    let agrees = transform.direction() == Direction::Agree;
    if !agrees && !HASHES.contains(&scheme.hash()) {
        let hash = scheme.hash();
        return Err(ProviderError::new(format!("native has no ECDSA with {hash}")));
    }
    let (curve, key, secret) = match key {
        AnyKey::Private(PrivateKey::Ec(key)) => {
            let own = Private::new(key.curve(), key.scalar())?;
            let made = if agrees { Key::Agree(own) } else { Key::Sign(own) };
            (key.curve(), made, (!agrees).then(|| key.clone()))
        }
        AnyKey::Public(PublicKey::Ec(key)) => (key.curve(), Key::Verify(Public::new(key)?), None),
        _ => return Err(other()),
    };
    let kernel = laned(match curve {
        Curve::P256 | Curve::P384 | Curve::P521 | Curve::Secp256k1 => CurveLanes::kernel_info(cpu),
        Curve::K283 | Curve::B283 => BinaryCurveLanes::kernel_info(cpu),
    });
    Ok(Box::new(EcSession { key, curve, secret, scheme: *scheme, kernel }))
}

impl EcSession {
    /// The hash of the messages, if they are to be hashed here.
    pub fn hashes(&self) -> Option<HashAlgorithm> {
        let hashes = !matches!(self.key, Key::Agree(_)) && !self.scheme.is_prehashed();
        hashes.then(|| self.scheme.hash())
    }

    /// The hash that nonces are made with, if this signs.
    pub fn signs_with(&self) -> Option<HashAlgorithm> {
        matches!(self.key, Key::Sign(_)).then(|| self.scheme.hash())
    }

    /// A nonce of these bytes, if this signs.
    pub fn nonce(&self, bytes: &[u8]) -> Option<Private> {
        let signs = matches!(self.key, Key::Sign(_));
        signs.then(|| Private::new(self.curve, bytes).ok()).flatten()
    }

    /// Prepares what goes through the lanes.
    pub fn prepare(
        &self,
        parts: &PublicKeyParts<'_, Self>,
        digest: &[u8; MAX_TAG],
        buffer: &mut [u8; 3 * MAX_LEN],
    ) -> Result<(), JobError> {
        let len = self.curve.coordinate_len();
        match self.key {
            Key::Agree(_) => {
                let (given, wanted) = (parts.input.len(), self.curve.point_len());
                if given != wanted {
                    return Err(JobError::InputLength { len: given, min: wanted, max: wanted });
                }
                if parts.input[0] != 4 {
                    return Err(JobError::PublicKey);
                }
                buffer[..2 * len].copy_from_slice(&parts.input[1..]);
            }
            Key::Sign(_) | Key::Verify(_) => {
                let digest = digest_of(&self.scheme, parts.input, digest)?;
                nonce::number(self.curve, digest, &mut buffer[..len]);
                if let Key::Verify(_) = self.key {
                    let (r, s) = buffer[len..3 * len].split_at_mut(len);
                    der::decode(parts.signature, [r, s]).ok_or(JobError::SignatureMismatch)?;
                }
            }
        }
        Ok(())
    }

    /// Begins the nonce of what signs.
    pub fn begin(
        &self,
        input: &[u8],
        digest: &[u8; MAX_TAG],
        draft: &mut Draft,
    ) -> Result<(), JobError> {
        let Some(secret) = &self.secret else { return Ok(()) };
        let digest = (self.scheme.hash(), digest_of(&self.scheme, input, digest)?);
        let mut random = [0; RANDOM];
        if self.scheme.is_hedged() {
            random::fill(&mut random)?;
        }
        let hedge = self.scheme.is_hedged().then_some(&random);
        draft.begin(self.curve, secret.scalar(), digest, hedge);
        random.zeroize();
        Ok(())
    }

    /// Makes the output of what came back from the lanes. Returns its length.
    pub fn result(
        &self,
        outcome: CurveOutcome,
        buffer: &[u8; 3 * MAX_LEN],
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        let len = self.curve.coordinate_len();
        match self.key {
            Key::Agree(_) => {
                outcome.check().map_err(|_| JobError::PublicKey)?;
                output[..len].copy_from_slice(&buffer[..len]);
                Ok(len)
            }
            Key::Sign(_) => {
                outcome.check().map_err(|_| JobError::NotDone)?;
                Ok(der::encode([&buffer[..len], &buffer[len..2 * len]], output))
            }
            Key::Verify(_) => outcome.check().map(|()| 0).map_err(|_| JobError::SignatureMismatch),
        }
    }
}

impl ProviderSession for EcSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        Ec::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        match self.key {
            Key::Agree(_) => self.curve.coordinate_len(),
            Key::Sign(_) => der::most(self.curve.order_bits()),
            Key::Verify(_) => 0,
        }
    }
}
