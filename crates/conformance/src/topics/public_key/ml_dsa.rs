//! ML-DSA: keys and signatures of another implementation, and what must be refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, HashAlgorithm, Job, JobError, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, PrivateKey,
    Processor, PublicKey, PublicKeyAlgorithm, Scheme, Session, Transform,
};

use super::kem::results;
use super::{open, output, verified};
use crate::reference::ml_dsa as other;
use crate::reference::ml_dsa::Signed;

/// Operations of each set: more than there are lanes in any kernel.
const CASES: usize = 37;

/// What is signed of a case.
#[derive(Clone, Copy)]
enum Form {
    Message,
    Digest(HashAlgorithm),
    Mu,
}

/// What the other implementation makes of random bytes.
struct Case {
    set: MlDsaSet,
    seed: Vec<u8>,
    private: Vec<u8>,
    public: Vec<u8>,
    form: Form,
    context: Vec<u8>,
    /// The message, its digest, or mu.
    data: Vec<u8>,
    signature: Vec<u8>,
}

impl Case {
    fn new(set: MlDsaSet, number: usize) -> Case {
        let mut rng = fastrand::Rng::with_seed(1000 * set as u64 + number as u64);
        let mut random = |len| -> Vec<u8> { (0..len).map(|_| rng.u8(..)).collect() };
        let seed = random(MlDsaSet::SEED_LEN);
        let mut private = other::generate(set, &seed);
        let public = private.split_off(set.private_key_len());
        let hashes: Vec<_> = other::hashes().collect();
        let form = match number % 4 {
            0 | 1 => Form::Message,
            2 => Form::Digest(hashes[number / 4 % hashes.len()]),
            _ => Form::Mu,
        };
        let message = random(29 * number % 500);
        let (data, context_len) = match form {
            Form::Message => (message, [0, 255, 7][number % 3]),
            Form::Digest(hash) => (other::digest(hash, &message), 5 * number % 256),
            Form::Mu => (random(64), 0),
        };
        let context = random(context_len);
        let mut case = Case { set, seed, private, public, form, context, data, signature: vec![] };
        case.signature = other::sign(set, &case.private, case.signed(), [0; 32]);
        case
    }

    fn signed(&self) -> Signed<'_> {
        match self.form {
            Form::Message => Signed::Message(&self.data, &self.context),
            Form::Digest(hash) => Signed::Digest(hash, &self.data, &self.context),
            Form::Mu => Signed::Mu(&self.data),
        }
    }

    fn scheme(&self) -> Scheme {
        match self.form {
            Form::Message => Scheme::default(),
            Form::Digest(hash) => Scheme::new(hash).prehashed(),
            Form::Mu => Scheme::default().external_mu(),
        }
    }

    /// The private key in each of its encodings.
    fn keys(&self) -> [MlDsaPrivateKey; 3] {
        [
            MlDsaPrivateKey::from_seed(self.set, &self.seed),
            MlDsaPrivateKey::from_expanded(self.set, &self.private),
            MlDsaPrivateKey::from_both(self.set, &self.seed, &self.private),
        ]
        .map(|key| key.expect("it has the lengths of its set"))
    }

    /// The session that signs with one of the encodings.
    fn signing(&self, provider: &Arc<dyn Provider>, encoding: usize) -> Session {
        let key = self.keys()[encoding].clone();
        signing(provider, key, self.scheme(), &self.context).expect("the key is valid")
    }

    fn verifying(&self, provider: &Arc<dyn Provider>) -> Session {
        let key = MlDsaPublicKey::new(self.set, &self.public).expect("its length");
        verifying(provider, key, self.scheme(), &self.context)
    }
}

/// The sets that a provider has.
pub(super) fn sets(provider: &Arc<dyn Provider>) -> Vec<MlDsaSet> {
    let has =
        |set: &MlDsaSet| provider.supports(Algorithm::PublicKey(PublicKeyAlgorithm::MlDsa(*set)));
    MlDsaSet::ALL.into_iter().filter(has).collect()
}

/// The session that generates keys.
pub(super) fn generating(provider: &Arc<dyn Provider>, set: MlDsaSet) -> Session {
    let transform = Transform::generate_key(PublicKeyAlgorithm::MlDsa(set));
    open(provider, &transform.expect("ML-DSA has it"))
}

/// The transform under a context string, of which mu has none.
fn under(transform: Transform, context: &[u8]) -> Transform {
    match context {
        [] => transform,
        _ => transform.context(context).expect("it is short"),
    }
}

/// The session that signs; `None` if the provider refuses the key.
pub(super) fn signing(
    provider: &Arc<dyn Provider>,
    key: MlDsaPrivateKey,
    scheme: Scheme,
    context: &[u8],
) -> Option<Session> {
    let transform = Transform::sign(&PrivateKey::MlDsa(key), scheme).expect("it signs");
    Session::open(Arc::clone(provider), &under(transform, context)).ok()
}

/// The session that verifies.
pub(super) fn verifying(
    provider: &Arc<dyn Provider>,
    key: MlDsaPublicKey,
    scheme: Scheme,
    context: &[u8],
) -> Session {
    let transform = Transform::verify(&PublicKey::MlDsa(key), scheme).expect("it verifies");
    open(provider, &under(transform, context))
}

/// Keys of seeds and deterministic signatures are those of another implementation, and its
/// signatures verify: alone, and those of all directions, sets and keys in one call. Keys are given
/// as seeds, expanded, and as both; messages as they are, as digests, and as mu.
pub fn ml_dsa(provider: &Arc<dyn Provider>) {
    let sets = sets(provider);
    let generating: Vec<_> = sets.iter().map(|set| generating(provider, *set)).collect();
    let cases: Vec<_> = (0..CASES * sets.len())
        .map(|number| (number % sets.len(), Case::new(sets[number % sets.len()], number)))
        .collect();
    let sessions: Vec<_> = cases
        .iter()
        .enumerate()
        .map(|(at, (_, case))| {
            let encoding = at / sets.len() % 3;
            [case.signing(provider, encoding), case.verifying(provider)]
        })
        .collect();
    let (mut jobs, mut expected) = (Vec::new(), Vec::new());
    for ((set, case), [sign, verify]) in cases.iter().zip(&sessions) {
        jobs.push(Job::new(&generating[*set], &*case.seed));
        expected.push([&case.private[..], &case.public].concat());
        jobs.push(Job::new(sign, &*case.data));
        expected.push(case.signature.clone());
        jobs.push(Job::new(verify, &*case.data).signature(&*case.signature));
        expected.push(Vec::new());
    }
    for (at, (result, expected)) in results(jobs).into_iter().zip(expected).enumerate() {
        assert_eq!(result, Ok(expected), "job {at}");
    }
    for ((set, case), [sign, verify]) in cases.iter().zip(&sessions).take(4 * sets.len()) {
        let keys = [&case.private[..], &case.public].concat();
        assert_eq!(output(&generating[*set], &case.seed), Ok(keys), "alone");
        assert_eq!(output(sign, &case.data).as_deref(), Ok(&*case.signature), "alone");
        assert_eq!(verified(verify, &case.data, &case.signature), Ok(()), "alone");
    }
}

/// Returns the output of jobs that succeed, processed in one call.
fn outputs(jobs: Vec<Job<'_>>) -> Vec<Vec<u8>> {
    results(jobs).into_iter().map(|result| result.expect("it is complete")).collect()
}

/// Without a seed in the data, the provider draws it, and hedged signatures have fresh randomness:
/// keys differ from each other, and so do signatures of one message, which another implementation
/// verifies.
pub fn fresh_ml_dsa(provider: &Arc<dyn Provider>) {
    let differ = |what: &str, all: &[Vec<u8>]| {
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{what}: fresh randomness");
    };
    for set in sets(provider) {
        let generate = generating(provider, set);
        let keys = outputs((0..CASES).map(|_| Job::new(&generate, &[][..])).collect());
        differ(set.name(), &keys);
        // Neither the seed of signatures nor the secret vectors are those of another key.
        differ(set.name(), &keys.iter().map(|key| key[32..64].to_vec()).collect::<Vec<_>>());
        differ(set.name(), &keys.iter().map(|key| key[128..512].to_vec()).collect::<Vec<_>>());

        for form in 0..4 {
            let case = Case::new(set, form);
            let [key, ..] = case.keys();
            let hedged = signing(provider, key, case.scheme().hedged(), &case.context);
            let hedged = hedged.expect("the key is valid");
            let made = outputs((0..CASES).map(|_| Job::new(&hedged, &*case.data)).collect());
            differ(set.name(), &made);
            assert!(!made.contains(&case.signature), "{}: no randomness", set.name());
            let right = |made: &Vec<u8>| other::verify(set, &case.public, case.signed(), made);
            assert!(made.iter().all(right), "{}", set.name());
        }
    }
}

/// A signature with a bit changed, cut short or lengthened, of another message, context or form
/// does not verify, data of a wrong length and private keys whose parts are out of their range or
/// do not belong together are refused, and the jobs beside them are not.
pub fn wrong_ml_dsa(provider: &Arc<dyn Provider>) {
    for set in sets(provider) {
        let case = Case::new(set, 1);
        let verify = case.verifying(provider);
        let key = || MlDsaPublicKey::new(set, &case.public).expect("its length");
        let elsewhere = verifying(provider, key(), Scheme::default(), b"another context");
        let right = &case.signature;
        let mut wrong: Vec<Vec<u8>> = (0..right.len())
            .step_by(1 + right.len() / 60)
            .chain(right.len() - 90..right.len())
            .map(|at| {
                let mut signature = right.clone();
                signature[at] ^= 1 << (at % 8);
                signature
            })
            .collect();
        wrong.extend([right[1..].to_vec(), [right.as_slice(), &[0]].concat(), Vec::new()]);
        wrong.extend([vec![0; right.len()], vec![0xff; right.len()]]);
        let mut jobs = Vec::new();
        for wrong in &wrong {
            jobs.push(Job::new(&verify, &*case.data).signature(wrong.as_slice()));
            jobs.push(Job::new(&verify, &*case.data).signature(right.as_slice()));
            jobs.push(Job::new(&elsewhere, &*case.data).signature(right.as_slice()));
            jobs.push(Job::new(&verify, &b"another"[..]).signature(right.as_slice()));
        }
        Processor::new().process_many(&mut jobs);
        for (at, job) in jobs.iter().enumerate() {
            let expected = if at % 4 == 1 { Ok(()) } else { Err(JobError::SignatureMismatch) };
            assert_eq!(job.status(), Some(expected), "{}, job {at}", set.name());
        }
        wrong_forms(provider, set);
        wrong_lengths(provider, set);
        wrong_keys(provider, set);
    }
}

/// A signature of a message that is a digest, or mu, is none of the digest or of mu, and the other
/// way around; a digest of one hash is none of another.
fn wrong_forms(provider: &Arc<dyn Provider>, set: MlDsaSet) {
    let schemes = [
        Scheme::default(),
        Scheme::new(HashAlgorithm::Sha512).prehashed(),
        Scheme::new(HashAlgorithm::Sha3_512).prehashed(),
        Scheme::new(HashAlgorithm::Shake256).prehashed(),
        Scheme::default().external_mu(),
    ];
    let case = Case::new(set, 0);
    let data = [9; 64];
    let key = || MlDsaPublicKey::new(set, &case.public).expect("its length");
    let [seed, ..] = case.keys();
    for (at, scheme) in schemes.into_iter().enumerate() {
        let sign = signing(provider, seed.clone(), scheme, b"").expect("the key is valid");
        let signature = output(&sign, &data).expect("it signs");
        for (other, scheme) in schemes.into_iter().enumerate() {
            let verify = verifying(provider, key(), scheme, b"");
            let is_right = verified(&verify, &data, &signature).is_ok();
            assert_eq!(is_right, at == other, "{}: {at}, {other}", set.name());
        }
    }
}

/// Seeds, digests and mu of a wrong length are refused, beside jobs that are right.
fn wrong_lengths(provider: &Arc<dyn Provider>, set: MlDsaSet) {
    let case = Case::new(set, 0);
    let [seed, ..] = case.keys();
    let long = vec![0; 256];
    let generate = generating(provider, set);
    let digests = Scheme::new(HashAlgorithm::Sha384).prehashed();
    let of_digests = signing(provider, seed.clone(), digests, b"").expect("the key is valid");
    let of_mu = Scheme::default().external_mu();
    let of_mu = signing(provider, seed, of_mu, b"").expect("the key is valid");
    let sign = case.signing(provider, 0);
    let (mut jobs, mut expected) = (Vec::new(), Vec::new());
    for len in [1, 31, 33, 64] {
        jobs.push(Job::new(&generate, &long[..len]));
        expected.push(Err(JobError::EitherLength { len, without: 0, with: 32 }));
        jobs.push(Job::new(&generate, &*case.seed));
        expected.push(Ok([&case.private[..], &case.public].concat()));
    }
    for (session, valid) in [(&of_digests, 48), (&of_mu, 64)] {
        for len in [0, valid - 1, valid + 1, 128] {
            jobs.push(Job::new(session, &long[..len]));
            expected.push(Err(JobError::InputLength { len, min: valid, max: valid }));
            jobs.push(Job::new(&sign, &*case.data));
            expected.push(Ok(case.signature.clone()));
        }
    }
    for (at, (result, expected)) in results(jobs).into_iter().zip(expected).enumerate() {
        assert_eq!(result, expected, "{}, job {at}", set.name());
    }
}

/// Private keys with a number out of its range, or beside the seed of another key, are refused.
fn wrong_keys(provider: &Arc<dyn Provider>, set: MlDsaSet) {
    let case = Case::new(set, 0);
    let opens = |key: Result<MlDsaPrivateKey, _>| {
        signing(provider, key.expect("its lengths"), Scheme::default(), b"").is_some()
    };
    // Secret numbers have three bits, or four with the second set, and not all their values.
    let secrets_len = case.private.len() - 128 - 416 * (set.public_key_len() - 32) / 320;
    for at in [128, 128 + secrets_len / 2, 128 + secrets_len - 1] {
        let mut private = case.private.clone();
        private[at] = 0xff;
        assert!(!opens(MlDsaPrivateKey::from_expanded(set, &private)), "{}: {at}", set.name());
    }
    // Nothing can be said of the seeds, of the digest and of the lower half of the public vector.
    for at in [0, 32, 64, 127, 128 + secrets_len, case.private.len() - 1] {
        let mut private = case.private.clone();
        private[at] ^= 0x10;
        assert!(opens(MlDsaPrivateKey::from_expanded(set, &private)), "{}: {at}", set.name());
        let both = MlDsaPrivateKey::from_both(set, &case.seed, &private);
        assert!(!opens(both), "{}: another seed, {at}", set.name());
    }
}
