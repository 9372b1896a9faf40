//! Providers of the hybrids of ML-KEM with one defect each, and the topic that must notice.

use std::sync::Arc;

use broadloom_conformance::reference::{hybrid, ml_kem};
use broadloom_conformance::topics::public_key::{fresh_hybrids, hybrids as known, wrong_hybrids};
use broadloom_engine::provider::{
    AnyKey, AnyQueue, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Direction, HybridKem, HybridPrivateKey, JobError, PublicKeyAlgorithm, Transform,
};

use crate::failing::fails;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Puts the parts of a secret into the other order.
    SwapsSecret,
    /// Puts the parts of shares and keys into the other order.
    SwapsShares,
    /// Has the same private key of the curve in all keys and shares that it draws.
    DrawsOneScalar,
    /// Has one randomness of ML-KEM in all keys and ciphertexts that it draws.
    DrawsOneMessage,
    /// Heeds no randomness that it is given.
    DrawsAlways,
    /// Takes a point that is none for the base point.
    TakesAnyPoint,
    /// Fails a wrong ciphertext of ML-KEM.
    RejectsOpenly,
    /// Calls a scalar that is none a wrong public key.
    BlamesThePeer,
    /// Takes data that are longer.
    TakesMore,
    /// Does not check the digest in private keys.
    SkipsDigest,
}

struct Defective(Defect);

struct Session {
    kem: HybridKem,
    direction: Direction,
    /// The expanded private key.
    key: Vec<u8>,
    defect: Defect,
}

struct Worker;

/// The other hybrid, which has the other order.
fn swapped(kem: HybridKem) -> HybridKem {
    match kem {
        HybridKem::X25519MlKem768 => HybridKem::P256MlKem768,
        HybridKem::P256MlKem768 => HybridKem::X25519MlKem768,
    }
}

/// Puts the parts of these lengths into the other order.
fn swap(kem: HybridKem, bytes: &[u8], ml_kem: usize, curve: usize) -> Vec<u8> {
    let [ml_kem, curve] = hybrid::split(kem, bytes, ml_kem, curve).expect("both parts");
    hybrid::join(swapped(kem), ml_kem, curve)
}

fn expanded(key: &HybridPrivateKey) -> Vec<u8> {
    let own = key.ml_kem();
    let of_seed = || own.seed().map(|seed| ml_kem::generate(HybridKem::SET, seed));
    let ml_kem = own.expanded().map(<[u8]>::to_vec).or_else(of_seed).expect("a key");
    hybrid::join(key.kem(), &ml_kem, key.scalar())
}

impl Provider for Defective {
    fn name(&self) -> &str {
        "defective"
    }

    fn description(&self) -> String {
        format!("{:?}", self.0)
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::Hybrid(_)))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let Algorithm::PublicKey(PublicKeyAlgorithm::Hybrid(kem)) = transform.algorithm() else {
            return Err(ProviderError::new("it is the hybrids alone"));
        };
        let key = match transform.asymmetric().map(|asymmetric| &asymmetric.key) {
            Some(AnyKey::Hybrid(key)) => expanded(key),
            _ => Vec::new(),
        };
        if !key.is_empty() && self.0 != Defect::SkipsDigest {
            let [own, _] = hybrid::split(kem, &key, 2400, 32).expect("its length");
            ml_kem::decapsulate(HybridKem::SET, own, &[0; 1088])
                .ok_or_else(|| ProviderError::new("the key is not valid"))?;
        }
        let (direction, defect) = (transform.direction(), self.0);
        Ok(Box::new(Session { kem, direction, key, defect }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(Worker))
    }
}

impl Session {
    /// Takes the randomness at the end of the data, or draws it.
    fn random(&self, given: &[u8], ml_kem: usize) -> Vec<u8> {
        if given.len() >= ml_kem + 32 && self.defect != Defect::DrawsAlways {
            return given[..ml_kem + 32].to_vec();
        }
        let mut message: Vec<u8> = (0..ml_kem).map(|_| fastrand::u8(..)).collect();
        let mut scalar: Vec<u8> = (0..32).map(|_| fastrand::u8(..)).collect();
        scalar[0] = 0;
        match self.defect {
            Defect::DrawsOneMessage => message.fill(7),
            Defect::DrawsOneScalar => scalar[1..].fill(7),
            _ => {}
        }
        hybrid::join(self.kem, &message, &scalar)
    }

    /// Returns an error if data of a length are not taken.
    fn check(&self, len: usize, without: usize, random: usize) -> Result<(), JobError> {
        let with = without + random;
        let takes_more = self.defect == Defect::TakesMore && len > with;
        match len == without || len == with || takes_more {
            true => Ok(()),
            false if random == 0 => Err(JobError::InputLength { len, min: with, max: with }),
            false => Err(JobError::EitherLength { len, without, with }),
        }
    }

    /// Returns the error for randomness whose scalar is none.
    fn bad_scalar(&self) -> JobError {
        if self.defect == Defect::BlamesThePeer { JobError::PublicKey } else { JobError::Scalar }
    }

    /// Returns a share or a key with its point replaced if that is none and the defect is so.
    fn taken(&self, share: &[u8], ml_kem: usize) -> Vec<u8> {
        let seed = hybrid::join(self.kem, &[1; 64], &[1; 32]);
        let pair = hybrid::generate(self.kem, &seed).expect("a seed");
        let (_, public) = self.kem.keys_of(&pair);
        let point_len = self.kem.point_len();
        let [_, good] = hybrid::split(self.kem, public, 1184, point_len).expect("a key");
        let [own, _] = hybrid::split(self.kem, share, ml_kem, point_len).expect("its length");
        hybrid::join(self.kem, own, good)
    }

    fn compute(&self, input: &[u8]) -> Result<Vec<u8>, JobError> {
        let (kem, len) = (self.kem, input.len());
        let (key_len, text_len) = (kem.public_key_len(), kem.ciphertext_len());
        let swaps_shares = self.defect == Defect::SwapsShares;
        let mut made = match self.direction {
            Direction::Generate => {
                self.check(len, 0, 96)?;
                let seed = self.random(input, 64);
                let pair = hybrid::generate(kem, &seed).ok_or_else(|| self.bad_scalar())?;
                let (private, public) = kem.keys_of(&pair);
                return Ok(match swaps_shares {
                    true => [private, &swap(kem, public, 1184, kem.point_len())].concat(),
                    false => pair,
                });
            }
            Direction::Encapsulate => {
                self.check(len, key_len, 64)?;
                let (public, given) = input.split_at(key_len);
                let random = self.random(given, 32);
                let right = hybrid::encapsulate(kem, public, &random);
                let any_point = || {
                    let takes_any = self.defect == Defect::TakesAnyPoint;
                    let public = takes_any.then(|| self.taken(public, 1184))?;
                    hybrid::encapsulate(kem, &public, &random)
                };
                let good = [1; 64];
                let error = match hybrid::encapsulate(kem, public, &good).is_some() {
                    true => self.bad_scalar(),
                    false => JobError::PublicKey,
                };
                right.or_else(any_point).ok_or(error)?
            }
            _ => {
                self.check(len, text_len, 0)?;
                let input = &input[..text_len];
                let secret = hybrid::decapsulate(kem, &self.key, input);
                let any_point = || {
                    let takes_any = self.defect == Defect::TakesAnyPoint;
                    let input = takes_any.then(|| self.taken(input, 1088))?;
                    hybrid::decapsulate(kem, &self.key, &input)
                };
                let secret = secret.or_else(any_point).ok_or(JobError::PublicKey)?;
                // A key whose z is another makes another secret of a wrong ciphertext alone.
                let mut other = self.key.clone();
                let z = if kem == HybridKem::P256MlKem768 { 2431 } else { 2399 };
                other[z] ^= 1;
                let is_wrong = hybrid::decapsulate(kem, &other, input).is_some_and(|o| o != secret);
                if is_wrong && self.defect == Defect::RejectsOpenly {
                    return Err(JobError::Decryption);
                }
                secret
            }
        };
        let at = made.len() - 64;
        if self.defect == Defect::SwapsSecret {
            made[at..].rotate_left(32);
        }
        if swaps_shares && self.direction == Direction::Encapsulate {
            let share = swap(kem, &made[..at], 1088, kem.point_len());
            made[..at].copy_from_slice(&share);
        }
        Ok(made)
    }
}

impl ProviderSession for Session {
    fn kernel(&self) -> String {
        "hybrid".to_owned()
    }

    fn bound(&self, _: usize) -> usize {
        self.kem.pair_len()
    }
}

impl Queue for Worker {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations.iter_mut() {
            let made = operation.public_key::<Session>().map(|parts| {
                let made = parts.session.compute(parts.input)?;
                parts.output[..made.len()].copy_from_slice(&made);
                Ok(made.len())
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
fn defects_of_hybrids_are_noticed() {
    assert!(notices(Defect::SwapsSecret, known));
    assert!(notices(Defect::SwapsSecret, fresh_hybrids));
    assert!(notices(Defect::SwapsShares, known));
    assert!(notices(Defect::SwapsShares, fresh_hybrids));
    assert!(notices(Defect::DrawsOneScalar, fresh_hybrids));
    assert!(notices(Defect::DrawsOneMessage, fresh_hybrids));
    assert!(notices(Defect::DrawsAlways, known));
    assert!(notices(Defect::TakesAnyPoint, wrong_hybrids));
    assert!(notices(Defect::RejectsOpenly, known));
    assert!(notices(Defect::BlamesThePeer, wrong_hybrids));
    assert!(notices(Defect::TakesMore, wrong_hybrids));
    assert!(notices(Defect::SkipsDigest, wrong_hybrids));
}

#[test]
fn hybrids_without_a_defect_are_not_noticed() {
    for topic in [known, fresh_hybrids, wrong_hybrids] {
        assert!(!notices(Defect::None, topic));
    }
}
