//! ML-KEM: keys, ciphertexts and secrets of another implementation, and what must be refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Job, JobError, Kem, MlKemPrivateKey, MlKemSet, PrivateKey, Session, Transform,
};
use sha3::{Digest, Sha3_256};

use super::kem::{self, KemCase, opens, outputs, results, wrong_lengths};
use crate::reference::ml_kem as other;

/// What the other implementation makes of random bytes.
fn case(set: MlKemSet, number: usize) -> KemCase {
    let mut rng = fastrand::Rng::with_seed(1000 * set as u64 + number as u64);
    let mut random = |len| -> Vec<u8> { (0..len).map(|_| rng.u8(..)).collect() };
    let (seed, message) = (random(MlKemSet::SEED_LEN), random(MlKemSet::RANDOMNESS_LEN));
    let wrong_byte = 29 * number % set.ciphertext_len();
    KemCase::new(Kem::MlKem(set), seed, &message, 8 * wrong_byte + number % 8)
}

/// The private key of a case in each of its encodings.
fn keys(set: MlKemSet, case: &KemCase) -> [MlKemPrivateKey; 3] {
    [
        MlKemPrivateKey::from_seed(set, &case.seed),
        MlKemPrivateKey::from_expanded(set, case.private()),
        MlKemPrivateKey::from_both(set, &case.seed, case.private()),
    ]
    .map(|key| key.expect("it has the lengths of its set"))
}

/// The sets that a provider has.
pub(super) fn sets(provider: &Arc<dyn Provider>) -> Vec<MlKemSet> {
    let has = |set: &MlKemSet| kem::has(provider, Kem::MlKem(*set));
    MlKemSet::ALL.into_iter().filter(has).collect()
}

/// The sessions that generate keys and that encapsulate.
pub(super) fn keyless(provider: &Arc<dyn Provider>, set: MlKemSet) -> [Session; 2] {
    kem::keyless(provider, Kem::MlKem(set))
}

/// The transform that decapsulates.
fn decapsulation(key: MlKemPrivateKey) -> Transform {
    Transform::decapsulate(&PrivateKey::MlKem(key)).expect("it decapsulates")
}

/// The session that decapsulates; `None` if the provider refuses the key.
pub(super) fn decapsulating(provider: &Arc<dyn Provider>, key: MlKemPrivateKey) -> Option<Session> {
    Session::open(Arc::clone(provider), &decapsulation(key)).ok()
}

/// Keys of seeds, ciphertexts and secrets of messages, and secrets of right and wrong ciphertexts
/// are those of another implementation: alone, and those of all directions, sets and keys in one
/// call. Keys are given as seeds, expanded, and as both.
pub fn ml_kem(provider: &Arc<dyn Provider>) {
    kem::known(provider, &sets(provider), Kem::MlKem, case, |set, case| {
        keys(set, case).map(decapsulation).into()
    });
}

/// Without randomness in the data, the provider draws it: keys differ from each other, and so do
/// ciphertexts under one key, and another implementation finds the same secrets.
pub fn fresh_ml_kem(provider: &Arc<dyn Provider>) {
    for set in sets(provider) {
        let [generate, encapsulate] = keyless(provider, set);
        let differ = |all: &[Vec<u8>]| {
            let distinct: BTreeSet<_> = all.iter().collect();
            assert_eq!(distinct.len(), all.len(), "{}: fresh randomness", set.name());
        };
        let keys = outputs(&generate, &[]);
        differ(&keys);
        // Neither half of the seed is that of another key: the vector follows from d, and z is the
        // end of the key.
        differ(&keys.iter().map(|key| key[..384].to_vec()).collect::<Vec<_>>());
        differ(&keys.iter().map(|key| key[key.len() - 32..].to_vec()).collect::<Vec<_>>());
        let sent = outputs(&encapsulate, set.public_of(&keys[0]));
        differ(&sent);
        opens(Kem::MlKem(set), &keys[0], &sent);
    }
}

/// Replaces a number of twelve bits of an encapsulation key.
fn set_number(public: &mut [u8], place: usize, number: u16) {
    let [low, high] = number.to_le_bytes();
    let pair = &mut public[place / 2 * 3..][..3];
    if place.is_multiple_of(2) {
        pair[0] = low;
        pair[1] = pair[1] & 0xf0 | high;
    } else {
        pair[1] = pair[1] & 0x0f | low << 4;
        pair[2] = low >> 4 | high << 4;
    }
}

/// Data of a wrong length, encapsulation keys with numbers that are not below 3329, and private
/// keys whose parts do not belong together are refused, and the jobs beside them are not.
pub fn wrong_ml_kem(provider: &Arc<dyn Provider>) {
    for set in sets(provider) {
        let case = case(set, 1);
        let private = case.private();
        let [generate, encapsulate] = keyless(provider, set);
        let [seed, expanded, _] = keys(set, &case);
        let decapsulate = decapsulating(provider, expanded).expect("the key is valid");
        let (ciphertext, secret) = case.parts();
        let key_len = set.public_key_len();
        let long = vec![0; set.private_key_len() + 64];
        let numbers = (key_len - 32) / 3 * 2;
        let with = |place, number| {
            let mut request = case.request.clone();
            set_number(&mut request, place, number);
            request
        };
        let places = [0, 1, 255, 256, numbers / 2, numbers - 2, numbers - 1];
        let high = places.map(|place| [3329, 3330, 4095].map(|number| with(place, number)));
        let most = places.map(|place| with(place, 3328));
        let sessions = [&generate, &encapsulate, &decapsulate];
        let (mut jobs, mut expected) = wrong_lengths(Kem::MlKem(set), sessions, &long);
        jobs.insert(0, Job::new(&encapsulate, &*case.request));
        expected.insert(0, Ok(case.sent.clone()));
        jobs.push(Job::new(&decapsulate, ciphertext));
        expected.push(Ok(secret.to_vec()));

        for (high, most) in high.iter().zip(&most) {
            for high in high {
                jobs.push(Job::new(&encapsulate, &**high));
                expected.push(Err(JobError::PublicKey));
            }
            let (key, message) = most.split_at(key_len);
            jobs.push(Job::new(&encapsulate, &**most));
            expected.push(Ok(other::encapsulate(set, key, message).expect("3328 is valid")));
        }
        for (at, (result, expected)) in results(jobs).into_iter().zip(expected).enumerate() {
            assert_eq!(result, expected, "{}, job {at}", set.name());
        }

        let digest_at = private.len() - 64;
        let refuses = |key: &[u8]| {
            let key = MlKemPrivateKey::from_expanded(set, key).expect("its length");
            decapsulating(provider, key).is_none()
        };
        let changed = |at: usize| {
            let mut changed = private.to_vec();
            changed[at] ^= 0x10;
            changed
        };
        for at in [digest_at, digest_at + 31, digest_at - 1, digest_at - key_len] {
            assert!(refuses(&changed(at)), "{}: the digest is another", set.name());
        }
        // Nothing can be said of the vector and of z.
        assert!(!refuses(&changed(0)) && !refuses(&changed(digest_at + 32)), "{}", set.name());
        let mut high = private.to_vec();
        let public = &mut high[digest_at - key_len..digest_at];
        set_number(public, 5, 3329);
        let digest = Sha3_256::digest(&*public);
        high[digest_at..][..32].copy_from_slice(&digest);
        assert!(refuses(&high), "{}: a number is not below 3329", set.name());
        let seed = seed.seed().expect("it was made of one");
        for at in [0, digest_at + 32] {
            let key = MlKemPrivateKey::from_both(set, seed, &changed(at)).expect("its lengths");
            assert!(decapsulating(provider, key).is_none(), "{}: another seed", set.name());
        }
    }
}
