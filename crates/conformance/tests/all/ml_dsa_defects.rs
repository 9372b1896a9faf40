//! Providers of ML-DSA with one defect each, and the topic that must notice.

use std::sync::Arc;

use broadloom_conformance::reference::ml_dsa::{self, Signed};
use broadloom_conformance::topics::public_key::{
    acvp_ml_dsa, fresh_ml_dsa, ml_dsa as known, wrong_ml_dsa,
};
use broadloom_engine::provider::{
    AnyKey, AnyQueue, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Direction, JobError, MlDsaPrivateKey, MlDsaSet, PrivateKey, PublicKey,
    PublicKeyAlgorithm, Scheme, Transform,
};

use crate::failing::fails;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Puts the public key before the private key.
    SwapsKeys,
    /// Has one seed for keys that bring none.
    DrawsNothing,
    /// Heeds no seed that it is given.
    DrawsAlways,
    /// Signs without randomness even where it is asked to hedge.
    NeverHedges,
    /// Signs with randomness even where it is not asked to.
    AlwaysHedges,
    /// Signs under no context, and verifies so.
    SkipsContext,
    /// Signs digests as if they were messages.
    SignsDigests,
    /// Signs mu as if it were a message.
    HashesMu,
    /// Cuts what is behind a signature.
    CutsSignatures,
    /// Cuts what is behind a digest and behind mu.
    CutsDigests,
    /// Takes private keys with numbers out of their range.
    SkipsRange,
    /// Does not look whether a seed is that of the key beside it.
    SkipsSeed,
    /// Calls each signature right.
    VerifiesAll,
    /// Does the last of many with the key of the first.
    MixesKeys,
}

struct Defective(Defect);

#[derive(Clone)]
struct Session {
    set: MlDsaSet,
    direction: Direction,
    /// The expanded private key, or the public key.
    key: Vec<u8>,
    scheme: Scheme,
    context: Vec<u8>,
    defect: Defect,
}

struct Worker(Defect);

impl Defective {
    /// Returns the expanded key, checked.
    fn private(&self, key: &MlDsaPrivateKey) -> Result<Vec<u8>, ProviderError> {
        let set = key.set();
        let of_seed = key.seed().map(|seed| {
            let mut keys = ml_dsa::generate(set, seed);
            keys.truncate(set.private_key_len());
            keys
        });
        let both = key.expanded().zip(of_seed.as_deref());
        if both.is_some_and(|(one, other)| one != other && self.0 != Defect::SkipsSeed) {
            return Err(ProviderError::new("the seed is another's"));
        }
        let key = of_seed.or(key.expanded().map(<[u8]>::to_vec)).expect("a key");
        if !is_in_range(set, &key) && self.0 != Defect::SkipsRange {
            return Err(ProviderError::new("a number is out of its range"));
        }
        Ok(key)
    }
}

/// Returns `true` if each secret number of a private key is in its range.
fn is_in_range(set: MlDsaSet, key: &[u8]) -> bool {
    let end = key.len() - 416 * (set.public_key_len() - 32) / 320;
    let (bits, most) = if set == MlDsaSet::MlDsa65 { (4, 8) } else { (3, 4) };
    let secrets = &key[128..end];
    (0..8 * secrets.len() / bits).all(|number| {
        let bit = |at: usize| secrets[at / 8] >> (at % 8) & 1;
        let value = (0..bits).map(|place| bit(bits * number + place) << place).sum::<u8>();
        value <= most
    })
}

impl Provider for Defective {
    fn name(&self) -> &str {
        "defective"
    }

    fn description(&self) -> String {
        format!("{:?}", self.0)
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::MlDsa(_)))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let Algorithm::PublicKey(PublicKeyAlgorithm::MlDsa(set)) = transform.algorithm() else {
            return Err(ProviderError::new("it is ML-DSA alone"));
        };
        let (direction, defect) = (transform.direction(), self.0);
        let (mut scheme, mut context) = (Scheme::default(), Vec::new());
        let mut key = Vec::new();
        if let Some(asymmetric) = transform.asymmetric() {
            (scheme, context) = (asymmetric.scheme, asymmetric.context.clone());
            key = match &asymmetric.key {
                AnyKey::Private(PrivateKey::MlDsa(key)) => self.private(key)?,
                AnyKey::Public(PublicKey::MlDsa(key)) => key.as_bytes().to_vec(),
                _ => return Err(ProviderError::new("the key is none of ML-DSA")),
            };
        }
        if defect == Defect::SkipsContext {
            context.clear();
        }
        Ok(Box::new(Session { set, direction, key, scheme, context, defect }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(Worker(self.0)))
    }
}

impl Session {
    fn signed<'s>(&'s self, data: &'s [u8]) -> Result<Signed<'s>, JobError> {
        let len = data.len();
        let check = |valid: usize| match self.defect {
            Defect::CutsDigests if len > valid => Ok(&data[..valid]),
            _ if len == valid => Ok(data),
            _ => Err(JobError::InputLength { len, min: valid, max: valid }),
        };
        if self.scheme.is_external_mu() {
            let mu = check(64)?;
            return Ok(match self.defect {
                Defect::HashesMu => Signed::Message(mu, &[]),
                _ => Signed::Mu(mu),
            });
        }
        if self.scheme.is_prehashed() && self.defect != Defect::SignsDigests {
            let hash = self.scheme.hash();
            return Ok(Signed::Digest(hash, check(hash.digest_len())?, &self.context));
        }
        Ok(Signed::Message(data, &self.context))
    }

    fn sign(&self, data: &[u8]) -> Result<Vec<u8>, JobError> {
        let signed = self.signed(data)?;
        let hedges = match self.defect {
            Defect::NeverHedges => false,
            Defect::AlwaysHedges => true,
            _ => self.scheme.is_hedged(),
        };
        let random = std::array::from_fn(|_| if hedges { fastrand::u8(..) } else { 0 });
        Ok(ml_dsa::sign(self.set, &self.key, signed, random))
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<Vec<u8>, JobError> {
        let len = self.set.signature_len();
        let signature = match self.defect {
            Defect::CutsSignatures if signature.len() > len => &signature[..len],
            _ => signature,
        };
        let is_right = self.defect == Defect::VerifiesAll
            || ml_dsa::verify(self.set, &self.key, self.signed(data)?, signature);
        if is_right { Ok(Vec::new()) } else { Err(JobError::SignatureMismatch) }
    }

    fn generate(&self, seed: &[u8]) -> Result<Vec<u8>, JobError> {
        let len = seed.len();
        if len != 0 && len != 32 {
            return Err(JobError::EitherLength { len, without: 0, with: 32 });
        }
        let drawn: [u8; 32] = match self.defect {
            Defect::DrawsNothing => [7; 32],
            _ => std::array::from_fn(|_| fastrand::u8(..)),
        };
        let is_given = len == 32 && self.defect != Defect::DrawsAlways;
        let mut keys = ml_dsa::generate(self.set, if is_given { seed } else { &drawn });
        if self.defect == Defect::SwapsKeys {
            keys.rotate_left(self.set.private_key_len());
        }
        Ok(keys)
    }
}

impl ProviderSession for Session {
    fn kernel(&self) -> String {
        "ml-dsa".to_owned()
    }

    fn bound(&self, _: usize) -> usize {
        self.set.private_key_len() + self.set.public_key_len()
    }
}

impl Queue for Worker {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let mut first: Option<Session> = None;
        for operation in operations.iter_mut() {
            let made = operation.public_key::<Session>().map(|parts| {
                let mut own = parts.session.clone();
                if own.direction == Direction::Sign {
                    let first = first.get_or_insert_with(|| own.clone());
                    if self.0 == Defect::MixesKeys && first.set == own.set {
                        own.key = first.key.clone();
                    }
                }
                let made = match own.direction {
                    Direction::Generate => own.generate(parts.input),
                    Direction::Sign => own.sign(parts.input),
                    _ => own.verify(parts.input, parts.signature),
                };
                made.map(|made| {
                    parts.output[..made.len()].copy_from_slice(&made);
                    made.len()
                })
            });
            operation.complete_with_output(made.unwrap_or(Err(JobError::NotDone)));
        }
    }
}

fn notices(defect: Defect, topic: fn(&Arc<dyn Provider>)) -> bool {
    let provider: Arc<dyn Provider> = Arc::new(Defective(defect));
    fails(|| topic(&provider))
}

#[test]
fn defects_of_ml_dsa_are_noticed() {
    assert!(notices(Defect::SwapsKeys, known));
    assert!(notices(Defect::SwapsKeys, acvp_ml_dsa));
    assert!(notices(Defect::DrawsNothing, fresh_ml_dsa));
    assert!(notices(Defect::DrawsAlways, known));
    assert!(notices(Defect::NeverHedges, fresh_ml_dsa));
    assert!(notices(Defect::AlwaysHedges, known));
    assert!(notices(Defect::SkipsContext, known));
    assert!(notices(Defect::SkipsContext, acvp_ml_dsa));
    assert!(notices(Defect::SkipsContext, wrong_ml_dsa));
    assert!(notices(Defect::SignsDigests, known));
    assert!(notices(Defect::SignsDigests, acvp_ml_dsa));
    assert!(notices(Defect::SignsDigests, wrong_ml_dsa));
    assert!(notices(Defect::HashesMu, known));
    assert!(notices(Defect::HashesMu, acvp_ml_dsa));
    assert!(notices(Defect::CutsSignatures, wrong_ml_dsa));
    assert!(notices(Defect::CutsDigests, wrong_ml_dsa));
    assert!(notices(Defect::SkipsRange, wrong_ml_dsa));
    assert!(notices(Defect::SkipsSeed, wrong_ml_dsa));
    assert!(notices(Defect::VerifiesAll, wrong_ml_dsa));
    assert!(notices(Defect::VerifiesAll, acvp_ml_dsa));
    assert!(notices(Defect::MixesKeys, known));
}

#[test]
fn ml_dsa_without_a_defect_is_not_noticed() {
    for topic in [known, fresh_ml_dsa, wrong_ml_dsa, acvp_ml_dsa] {
        assert!(!notices(Defect::None, topic));
    }
}
