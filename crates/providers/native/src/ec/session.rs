//! Sessions of ECDSA and ECDH: a key, and what goes through the lanes with it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use broadloom_engine::provider::{
    AnyKey, Asymmetric, ProviderError, ProviderSession, PublicKeyParts,
};
use broadloom_engine::{
    Curve, Direction, EcPrivateKey, EcPublicKey, HashAlgorithm, JobError, MAX_TAG, PrivateKey,
    PublicKey, Scheme, Transform,
};
use broadloom_lanes::{
    BinaryCurve, BinaryPrivateKey, BinaryPublicKey, Cpu, CurveOutcome, P256PrivateKey,
    P256PublicKey,
};
use zeroize::Zeroize;

use super::nonce::{self, Draft, RANDOM};
use super::{Ec, MAX_LEN, der};
use crate::hasher::{HASHES, digest_of};
use crate::kind::{Opened, laned, refused};
use crate::kinds::Numbered;
use crate::random;

/// A session of ECDSA or ECDH.
pub(crate) struct EcSession {
    pub key: Key,
    curve: Curve,
    /// The private key of what signs, of which nonces are made.
    secret: Option<EcPrivateKey>,
    scheme: Scheme,
    kernel: String,
}

/// The key, and with it what is done.
pub(crate) enum Key {
    Sign(Private),
    Verify(Public),
    Agree(Private),
}

/// A private key or a nonce, as the lanes have it.
pub(crate) enum Private {
    P256(P256PrivateKey),
    Binary(BinaryPrivateKey),
}

/// A public key, as the lanes have it.
pub(crate) enum Public {
    P256(Box<Verifier>),
    Binary(BinaryPublicKey),
}

/// A public key on P-256, which is prepared once that pays.
pub(crate) struct Verifier {
    key: P256PublicKey,
    /// Verifications so far, up to [`MANY`].
    uses: AtomicU32,
    prepared: OnceLock<P256PublicKey>,
}

/// A key is prepared for its verification of this number: so many are about what that costs.
const MANY: u32 = 8;

impl Verifier {
    fn new(key: P256PublicKey) -> Self {
        Verifier { key, uses: AtomicU32::new(0), prepared: OnceLock::new() }
    }

    /// The key for one more verification.
    pub fn key(&self) -> &P256PublicKey {
        if let Some(key) = self.prepared.get() {
            return key;
        }
        // One thread alone meets the number, and the others go on with what there is.
        if self.uses.load(Relaxed) < MANY && self.uses.fetch_add(1, Relaxed) + 1 == MANY {
            let mut key = self.key.clone();
            key.prepare();
            return self.prepared.get_or_init(|| key);
        }
        &self.key
    }
}

/// A binary curve, as the lanes have it.
fn binary(curve: Curve) -> Option<BinaryCurve> {
    match curve {
        Curve::P256 => None,
        Curve::K283 => Some(BinaryCurve::K283),
        Curve::B283 => Some(BinaryCurve::B283),
    }
}

/// As many bytes as the lanes take.
fn exactly<const LEN: usize>(bytes: &[u8]) -> Result<&[u8; LEN], ProviderError> {
    let len = bytes.len();
    bytes.try_into().map_err(|_| ProviderError::new(format!("{len} bytes of a key, not {LEN}")))
}

impl Private {
    fn new(curve: Curve, scalar: &[u8]) -> Result<Self, ProviderError> {
        Ok(match binary(curve) {
            None => Private::P256(P256PrivateKey::new(exactly(scalar)?).map_err(refused)?),
            Some(curve) => {
                let key = BinaryPrivateKey::new(curve, exactly(scalar)?);
                Private::Binary(key.map_err(refused)?)
            }
        })
    }
}

impl Public {
    fn new(key: &EcPublicKey) -> Result<Self, ProviderError> {
        let point = &key.point()[1..];
        Ok(match binary(key.curve()) {
            None => {
                let key = P256PublicKey::new(exactly(point)?);
                Public::P256(Box::new(Verifier::new(key.map_err(refused)?)))
            }
            Some(curve) => {
                let key = BinaryPublicKey::new(curve, exactly(point)?);
                Public::Binary(key.map_err(refused)?)
            }
        })
    }
}

impl Key {
    /// A nonce of these bytes, if this key signs.
    pub fn nonce(&self, bytes: &[u8]) -> Option<Private> {
        let curve = match self {
            Key::Sign(Private::P256(_)) => Curve::P256,
            Key::Sign(Private::Binary(key)) => match key.curve() {
                BinaryCurve::K283 => Curve::K283,
                BinaryCurve::B283 => Curve::B283,
            },
            Key::Verify(_) | Key::Agree(_) => return None,
        };
        Private::new(curve, bytes).ok()
    }
}

/// Opens a session of ECDSA or ECDH.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let other = || ProviderError::new("the key is none on P-256, K-283 or B-283");
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
    let kernel = laned(cpu, if curve == Curve::P256 { "curves" } else { "binary curves" });
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

    fn class(&self) -> u8 {
        Ec::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        let len = self.curve.coordinate_len();
        match self.key {
            Key::Agree(_) => len,
            Key::Sign(_) => der::most(len),
            Key::Verify(_) => 0,
        }
    }
}
