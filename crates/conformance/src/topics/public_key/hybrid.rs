//! The hybrids of ML-KEM and a curve: keys, ciphertexts and secrets that are put together of other
//! implementations, and what must be refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{HybridKem, HybridPrivateKey, Job, JobError, Kem, Session, Transform};

use super::kem::{self, KemCase, keyless, opens, outputs, results, wrong_lengths};
use crate::reference::hybrid as other;

/// What the other implementations make of random bytes.
fn case(kem: HybridKem, number: usize) -> KemCase {
    let mut rng = fastrand::Rng::with_seed(7000 * (1 + kem as u64) + number as u64);
    let mut random = |len| -> Vec<u8> { (0..len).map(|_| rng.u8(..)).collect() };
    // A scalar whose first byte is zero is below the order.
    let mut part = |len| other::join(kem, &random(len), &[&[0], &random(31)[..]].concat());
    let (seed, randomness) = (part(64), part(32));
    let first = if kem == HybridKem::P256MlKem768 { 65 } else { 0 };
    let wrong_byte = first + 29 * number % 1088;
    KemCase::new(Kem::Hybrid(kem), seed, &randomness, 8 * wrong_byte + number % 8)
}

/// The hybrids that a provider has.
fn kems(provider: &Arc<dyn Provider>) -> Vec<HybridKem> {
    let has = |kem: &HybridKem| kem::has(provider, Kem::Hybrid(*kem));
    HybridKem::ALL.into_iter().filter(has).collect()
}

/// The session that decapsulates; `None` if the provider refuses the key.
fn decapsulating(provider: &Arc<dyn Provider>, key: &HybridPrivateKey) -> Option<Session> {
    Session::open(Arc::clone(provider), &Transform::decapsulate_hybrid(key)).ok()
}

/// Keys of seeds, ciphertexts and secrets are those that are put together of other implementations:
/// alone, and those of all directions, hybrids and keys in one call. Keys are given as seeds and
/// expanded.
pub fn hybrids(provider: &Arc<dyn Provider>) {
    kem::known(provider, &kems(provider), Kem::Hybrid, case, |kem, case| {
        let seed = HybridPrivateKey::from_seed(kem, &case.seed);
        [seed, HybridPrivateKey::from_expanded(kem, case.private())]
            .map(|key| {
                Transform::decapsulate_hybrid(&key.expect("it has the lengths of its hybrid"))
            })
            .into()
    });
}

/// Without randomness in the data, the provider draws it: both parts of keys and of ciphertexts
/// differ from those of others, and other implementations find the same secrets.
pub fn fresh_hybrids(provider: &Arc<dyn Provider>) {
    for kem in kems(provider) {
        let [generate, encapsulate] = keyless(provider, Kem::Hybrid(kem));
        let differ = |all: &[Vec<u8>], ml_kem: usize, curve: usize| {
            let parts = all.iter().map(|bytes| {
                other::split(kem, &bytes[..ml_kem + curve], ml_kem, curve).expect("both parts")
            });
            let [first, second] = [0, 1].map(|at| parts.clone().map(move |parts| parts[at]));
            assert_eq!(first.collect::<BTreeSet<_>>().len(), all.len(), "{}", kem.name());
            assert_eq!(second.collect::<BTreeSet<_>>().len(), all.len(), "{}", kem.name());
        };
        let pairs = outputs(&generate, &[]);
        differ(&pairs, 2400, 32);
        let (private, public) = kem.keys_of(&pairs[0]);
        let sent = outputs(&encapsulate, public);
        differ(&sent, 1088, kem.point_len());
        opens(Kem::Hybrid(kem), private, &sent);
        for pair in &pairs {
            let (private, public) = kem.keys_of(pair);
            let randomness = [1; HybridKem::RANDOMNESS_LEN];
            let sent = other::encapsulate(kem, public, &randomness).expect("the key is valid");
            opens(Kem::Hybrid(kem), private, &[sent]);
        }
    }
}

/// Points that no honest side sends: not on the curve, in another form, or of a small order.
fn bad_points(kem: HybridKem, point: &[u8]) -> Vec<Vec<u8>> {
    match kem {
        HybridKem::X25519MlKem768 => {
            let one = [&[1][..], &[0; 31]].concat();
            vec![vec![0; 32], one]
        }
        HybridKem::P256MlKem768 => {
            let changed = |at: usize| {
                let mut point = point.to_vec();
                point[at] ^= 1;
                point
            };
            vec![changed(0), changed(1), changed(64), vec![0; 65], [&[4][..], &[0; 64]].concat()]
        }
    }
}

/// Data of a wrong length, points that are none, keys of ML-KEM with numbers that are not below
/// 3329 and scalars that are not below the order are refused, and the jobs beside them are not.
pub fn wrong_hybrids(provider: &Arc<dyn Provider>) {
    for kem in kems(provider) {
        let (case, key_len) = (case(kem, 1), kem.public_key_len());
        let [generate, encapsulate] = keyless(provider, Kem::Hybrid(kem));
        let key = HybridPrivateKey::from_expanded(kem, case.private()).expect("its length");
        let decapsulate = decapsulating(provider, &key).expect("the key is valid");
        let (ciphertext, secret) = case.parts();
        let long = vec![1; 4000];
        let (public, randomness) = case.request.split_at(key_len);
        let [ml_kem, point] = other::split(kem, public, 1184, kem.point_len()).expect("a key");
        let [text, own] = other::split(kem, ciphertext, 1088, kem.point_len()).expect("a share");
        let bad_keys: Vec<_> = bad_points(kem, point)
            .iter()
            .map(|bad| other::join(kem, ml_kem, bad))
            .chain([other::join(kem, &[0xff; 1184], point)])
            .flat_map(|key| [[&key, randomness].concat(), key])
            .collect();
        let bad_texts: Vec<_> =
            bad_points(kem, own).iter().map(|bad| other::join(kem, text, bad)).collect();
        let bad_scalars = [[0; 32], [0xff; 32]].map(|scalar| {
            let seed = other::join(kem, &[5; 64], &scalar);
            let request = [public, &other::join(kem, &[5; 32], &scalar)].concat();
            (seed, request)
        });

        let sessions = [&generate, &encapsulate, &decapsulate];
        let (mut jobs, mut expected) = wrong_lengths(Kem::Hybrid(kem), sessions, &long);
        jobs.insert(0, Job::new(&generate, &*case.seed));
        expected.insert(0, Ok(case.generated.clone()));
        for bad in &bad_keys {
            jobs.extend([Job::new(&encapsulate, &**bad), Job::new(&encapsulate, &*case.request)]);
            expected.extend([Err(JobError::PublicKey), Ok(case.sent.clone())]);
        }
        for bad in &bad_texts {
            jobs.extend([Job::new(&decapsulate, &**bad), Job::new(&decapsulate, ciphertext)]);
            expected.extend([Err(JobError::PublicKey), Ok(secret.to_vec())]);
        }
        for (seed, request) in &bad_scalars {
            jobs.extend([Job::new(&generate, &**seed), Job::new(&encapsulate, &**request)]);
            expected.push(other::generate(kem, seed).ok_or(JobError::Scalar));
            let sent = other::encapsulate(kem, public, &request[key_len..]);
            expected.push(sent.ok_or(JobError::Scalar));
        }
        for (at, (result, expected)) in results(jobs).into_iter().zip(expected).enumerate() {
            assert_eq!(result, expected, "{}, job {at}", kem.name());
        }

        let [ml_kem, scalar] = other::split(kem, case.private(), 2400, 32).expect("a key");
        // The digest of the encapsulation key is before the last 32 bytes.
        let mut damaged = ml_kem.to_vec();
        damaged[2400 - 64] ^= 1;
        let key = HybridPrivateKey::from_expanded(kem, &other::join(kem, &damaged, scalar));
        let opened = decapsulating(provider, &key.expect("its length"));
        assert!(opened.is_none(), "{}: another digest", kem.name());
    }
}
