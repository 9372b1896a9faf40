//! Sessions on binary curves: a key, and what goes through the lanes with it.

use broadloom_engine::provider::{
    AnyKey, Asymmetric, ProviderError, ProviderSession, PublicKeyParts,
};
use broadloom_engine::{
    Curve, Direction, HashAlgorithm, JobError, MAX_TAG, PrivateKey, PublicKey, Scheme, Transform,
};
use broadloom_lanes::{BinaryCurve, BinaryPrivateKey, BinaryPublicKey, Cpu, CurveOutcome};
use zeroize::Zeroizing;

use super::{Binary, LEN, der, nonce};
use crate::hasher::{HASHES, Hasher};
use crate::kind::{Opened, laned, refused};
use crate::kinds::Numbered;

/// A session on a binary curve.
pub(crate) struct BinarySession {
    pub key: Key,
    curve: Curve,
    /// The private key of what signs, of which nonces are made.
    secret: Zeroizing<[u8; LEN]>,
    scheme: Scheme,
    kernel: String,
}

/// The key, and with it what is done.
pub(crate) enum Key {
    Sign(BinaryPrivateKey),
    Verify(BinaryPublicKey),
    Agree(BinaryPrivateKey),
}

/// A curve, as the lanes have it.
pub(crate) fn curve(curve: Curve) -> Option<BinaryCurve> {
    match curve {
        Curve::K283 => Some(BinaryCurve::K283),
        Curve::B283 => Some(BinaryCurve::B283),
        _ => None,
    }
}

/// Opens a session on a binary curve.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let other = || ProviderError::new("the key is none on K-283 or B-283");
    let Some(Asymmetric { key, scheme, .. }) = transform.asymmetric() else { return Err(other()) };
    let agrees = transform.direction() == Direction::Agree;
    if !agrees && !HASHES.contains(&scheme.hash()) {
        let hash = scheme.hash();
        return Err(ProviderError::new(format!("native has no ECDSA with {hash}")));
    }
    let mut secret = Zeroizing::new([0; LEN]);
    let (curve, key) = match key {
        AnyKey::Private(PrivateKey::Ec(key)) => {
            let lanes = self::curve(key.curve()).ok_or_else(other)?;
            secret.copy_from_slice(key.scalar());
            let own = BinaryPrivateKey::new(lanes, &secret).map_err(refused)?;
            (key.curve(), if agrees { Key::Agree(own) } else { Key::Sign(own) })
        }
        AnyKey::Public(PublicKey::Ec(key)) => {
            let lanes = self::curve(key.curve()).ok_or_else(other)?;
            let point = key.point()[1..].try_into().map_err(|_| other())?;
            (key.curve(), Key::Verify(BinaryPublicKey::new(lanes, point).map_err(refused)?))
        }
        _ => return Err(other()),
    };
    let kernel = laned(cpu, "binary curves");
    Ok(Box::new(BinarySession { key, curve, secret, scheme: *scheme, kernel }))
}

impl BinarySession {
    /// The hash of the messages, if they are to be hashed here.
    pub fn hashes(&self) -> Option<HashAlgorithm> {
        let hashes = !matches!(self.key, Key::Agree(_)) && !self.scheme.is_prehashed();
        hashes.then(|| self.scheme.hash())
    }

    /// The digest of a message, of which `digest` is what was hashed here.
    fn digest<'d>(&self, input: &'d [u8], digest: &'d [u8; MAX_TAG]) -> Result<&'d [u8], JobError> {
        let len = self.scheme.hash().digest_len();
        match self.scheme.is_prehashed() {
            false => Ok(&digest[..len]),
            true if input.len() == len => Ok(input),
            true => Err(JobError::InputLength { len: input.len(), min: len, max: len }),
        }
    }

    /// Prepares what goes through the lanes.
    pub fn prepare(
        &self,
        parts: &PublicKeyParts<'_, Self>,
        digest: &[u8; MAX_TAG],
        buffer: &mut [u8; 3 * LEN],
    ) -> Result<(), JobError> {
        match self.key {
            Key::Agree(_) => {
                let (len, wanted) = (parts.input.len(), self.curve.point_len());
                if len != wanted {
                    return Err(JobError::InputLength { len, min: wanted, max: wanted });
                }
                if parts.input[0] != 4 {
                    return Err(JobError::PublicKey);
                }
                buffer[..2 * LEN].copy_from_slice(&parts.input[1..]);
            }
            Key::Sign(_) | Key::Verify(_) => {
                let digest = self.digest(parts.input, digest)?;
                buffer[..LEN].copy_from_slice(&nonce::number(self.curve, digest));
                if let Key::Verify(_) = self.key {
                    let numbers = der::decode(parts.signature);
                    let [r, s] = numbers.ok_or(JobError::SignatureMismatch)?;
                    buffer[LEN..2 * LEN].copy_from_slice(&r);
                    buffer[2 * LEN..].copy_from_slice(&s);
                }
            }
        }
        Ok(())
    }

    /// The nonce of what signs.
    pub fn nonce(
        &self,
        input: &[u8],
        digest: &[u8; MAX_TAG],
        hasher: &mut Hasher,
    ) -> Option<BinaryPrivateKey> {
        let Key::Sign(key) = &self.key else { return None };
        let hash = self.scheme.hash();
        let digest = self.digest(input, digest).ok()?;
        let nonce = nonce::derive(self.curve, &self.secret, (hash, digest), hasher);
        BinaryPrivateKey::new(key.curve(), &nonce).ok()
    }

    /// Makes the output of what came back from the lanes. Returns its length.
    pub fn result(
        &self,
        outcome: CurveOutcome,
        buffer: &[u8; 3 * LEN],
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        let (numbers, _) = buffer.as_chunks::<LEN>();
        match self.key {
            Key::Agree(_) => {
                outcome.check().map_err(|_| JobError::PublicKey)?;
                output[..LEN].copy_from_slice(&numbers[0]);
                Ok(LEN)
            }
            Key::Sign(_) => {
                outcome.check().map_err(|_| JobError::NotDone)?;
                Ok(der::encode([&numbers[0], &numbers[1]], output))
            }
            Key::Verify(_) => outcome.check().map(|()| 0).map_err(|_| JobError::SignatureMismatch),
        }
    }
}

impl ProviderSession for BinarySession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn class(&self) -> u8 {
        Binary::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        match self.key {
            Key::Agree(_) => LEN,
            Key::Sign(_) => der::MOST,
            Key::Verify(_) => 0,
        }
    }
}
