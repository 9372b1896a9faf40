//! Providers of ML-KEM with one defect each, and the topic that must notice.

use std::sync::Arc;

use broadloom_conformance::reference::ml_kem;
use broadloom_conformance::topics::public_key::{fresh_ml_kem, ml_kem as known, wrong_ml_kem};
use broadloom_engine::provider::{
    AnyKey, AnyQueue, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Direction, JobError, MlKemSet, PrivateKey, PublicKeyAlgorithm, Transform,
};

use crate::failing::fails;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Puts the secret before the ciphertext.
    SwapsOutput,
    /// Has one randomness for keys and messages that bring none.
    DrawsNothing,
    /// Draws a `z` that is the same for all keys.
    DrawsHalf,
    /// Heeds no randomness that it is given.
    DrawsAlways,
    /// Reduces numbers that are not below 3329.
    ReducesNumbers,
    /// Refuses 3328 with the numbers above.
    RefusesMost,
    /// Takes private keys with any digest.
    SkipsDigest,
    /// Does not look whether a seed is that of the key beside it.
    SkipsSeed,
    /// Fails a wrong ciphertext, which tells the sender that it is wrong.
    RejectsOpenly,
    /// Makes a secret of zeros of a wrong ciphertext.
    RejectsToZeros,
    /// Takes data of any length that is enough.
    TakesMore,
    /// Does the last of many with the key of the first.
    MixesKeys,
}

struct Defective(Defect);

struct Session {
    set: MlKemSet,
    direction: Direction,
    /// The expanded private key.
    key: Vec<u8>,
    defect: Defect,
}

struct Worker(Defect);

impl Provider for Defective {
    fn name(&self) -> &str {
        "defective"
    }

    fn description(&self) -> String {
        format!("{:?}", self.0)
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::MlKem(_)))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let Algorithm::PublicKey(PublicKeyAlgorithm::MlKem(set)) = transform.algorithm() else {
            return Err(ProviderError::new("it is ML-KEM alone"));
        };
        let key = match transform.asymmetric().map(|asymmetric| &asymmetric.key) {
            Some(AnyKey::Private(PrivateKey::MlKem(key))) => {
                let of_seed = key.seed().map(|seed| ml_kem::generate(set, seed));
                let both = key.expanded().zip(of_seed.as_deref());
                if both.is_some_and(|(one, other)| one != other && self.0 != Defect::SkipsSeed) {
                    return Err(ProviderError::new("the seed is another's"));
                }
                let mut key = of_seed.or(key.expanded().map(<[u8]>::to_vec)).expect("a key");
                let text = vec![0; set.ciphertext_len()];
                if ml_kem::decapsulate(set, &key, &text).is_none() {
                    if self.0 != Defect::SkipsDigest {
                        return Err(ProviderError::new("the key is not valid"));
                    }
                    key = ml_kem::generate(set, &[0; 64]);
                }
                key
            }
            _ => Vec::new(),
        };
        let (direction, defect) = (transform.direction(), self.0);
        Ok(Box::new(Session { set, direction, key, defect }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(Worker(self.0)))
    }
}

/// The numbers of an encapsulation key, each from 3329 on reduced.
fn reduced(public: &[u8]) -> Vec<u8> {
    let (numbers, seed) = public.split_at(public.len() - 32);
    let reduce = |number: u16| if number >= 3329 { number - 3329 } else { number };
    let mut made = Vec::new();
    for [a, b, c] in numbers.as_chunks::<3>().0 {
        let first = reduce(u16::from(*a) | u16::from(b & 15) << 8);
        let second = reduce(u16::from(b >> 4) | u16::from(*c) << 4);
        made.extend([first as u8, (first >> 8 | second << 4) as u8, (second >> 4) as u8]);
    }
    made.extend(seed);
    made
}

/// Returns `true` if a number of an encapsulation key is 3328.
fn has_most(public: &[u8]) -> bool {
    let triples = public[..public.len() - 32].as_chunks::<3>().0;
    let numbers = triples.iter().flat_map(|[a, b, c]| {
        [u16::from(*a) | u16::from(b & 15) << 8, u16::from(b >> 4) | u16::from(*c) << 4]
    });
    numbers.into_iter().any(|number| number == 3328)
}

impl Session {
    /// Takes the randomness at the end of the data, or draws it.
    fn random(&self, given: &[u8], len: usize) -> Vec<u8> {
        if given.len() >= len && self.defect != Defect::DrawsAlways {
            return given[..len].to_vec();
        }
        let mut drawn: Vec<u8> = (0..len).map(|_| fastrand::u8(..)).collect();
        match self.defect {
            Defect::DrawsNothing => drawn.fill(7),
            Defect::DrawsHalf => drawn[32.min(len)..].fill(7),
            _ => {}
        }
        drawn
    }

    fn compute(&self, input: &[u8]) -> Result<Vec<u8>, JobError> {
        let (set, len) = (self.set, input.len());
        let takes_more = self.defect == Defect::TakesMore;
        let either = |without: usize, random: usize| {
            let with = without + random;
            let fits = len == without || len == with || takes_more && len > with;
            if fits { Ok(()) } else { Err(JobError::EitherLength { len, without, with }) }
        };
        match self.direction {
            Direction::Generate => {
                either(0, 64)?;
                Ok(ml_kem::generate(set, &self.random(input, 64)))
            }
            Direction::Encapsulate => {
                either(set.public_key_len(), 32)?;
                let (public, given) = input.split_at(set.public_key_len());
                if self.defect == Defect::RefusesMost && has_most(public) {
                    return Err(JobError::PublicKey);
                }
                let public = match self.defect {
                    Defect::ReducesNumbers => reduced(public),
                    _ => public.to_vec(),
                };
                let sent = ml_kem::encapsulate(set, &public, &self.random(given, 32));
                let mut sent = sent.ok_or(JobError::PublicKey)?;
                if self.defect == Defect::SwapsOutput {
                    sent.rotate_right(32);
                }
                Ok(sent)
            }
            _ => {
                let valid = set.ciphertext_len();
                if len != valid && !(takes_more && len > valid) {
                    return Err(JobError::InputLength { len, min: valid, max: valid });
                }
                let input = &input[..valid];
                let secret = ml_kem::decapsulate(set, &self.key, input).ok_or(JobError::NotDone)?;
                // A key whose z is another makes another secret of a wrong ciphertext alone.
                let mut other = self.key.clone();
                *other.last_mut().expect("it has bytes") ^= 1;
                let is_wrong = ml_kem::decapsulate(set, &other, input).as_ref() != Some(&secret);
                match self.defect {
                    Defect::RejectsOpenly if is_wrong => Err(JobError::Decryption),
                    Defect::RejectsToZeros if is_wrong => Ok(vec![0; 32]),
                    _ => Ok(secret),
                }
            }
        }
    }
}

impl ProviderSession for Session {
    fn kernel(&self) -> String {
        "ml-kem".to_owned()
    }

    fn bound(&self, _: usize) -> usize {
        self.set.private_key_len()
    }
}

impl Queue for Worker {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let mut first = None;
        for operation in operations.iter_mut() {
            let made = operation.public_key::<Session>().map(|parts| {
                let own = parts.session;
                let mixes = self.0 == Defect::MixesKeys && own.direction == Direction::Decapsulate;
                let (set, key) = first.get_or_insert_with(|| (own.set, own.key.clone()));
                let made = match mixes && *set == own.set && !key.is_empty() {
                    true => {
                        let key = key.clone();
                        Session { set: *set, key, ..*own }.compute(parts.input)
                    }
                    false => own.compute(parts.input),
                };
                if own.direction == Direction::Decapsulate && key.is_empty() {
                    first = Some((own.set, own.key.clone()));
                }
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
fn defects_of_ml_kem_are_noticed() {
    assert!(notices(Defect::SwapsOutput, known));
    assert!(notices(Defect::SwapsOutput, fresh_ml_kem));
    assert!(notices(Defect::DrawsNothing, fresh_ml_kem));
    assert!(notices(Defect::DrawsHalf, fresh_ml_kem), "a z that others know rejects openly");
    assert!(notices(Defect::DrawsAlways, known));
    assert!(notices(Defect::ReducesNumbers, wrong_ml_kem));
    assert!(notices(Defect::RefusesMost, wrong_ml_kem));
    assert!(notices(Defect::SkipsDigest, wrong_ml_kem));
    assert!(notices(Defect::SkipsSeed, wrong_ml_kem));
    assert!(notices(Defect::RejectsOpenly, known));
    assert!(notices(Defect::RejectsToZeros, known));
    assert!(notices(Defect::TakesMore, wrong_ml_kem));
    assert!(notices(Defect::MixesKeys, known));
}

#[test]
fn ml_kem_without_a_defect_is_not_noticed() {
    for topic in [known, fresh_ml_kem, wrong_ml_kem] {
        assert!(!notices(Defect::None, topic));
    }
}
