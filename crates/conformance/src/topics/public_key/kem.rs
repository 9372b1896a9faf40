//! What is tested of ML-KEM and of its hybrids in the same way.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, Job, JobError, Kem, Processor, Session, Transform};

use super::{open, output};
use crate::reference::kem as other;

/// Operations of each algorithm: more than there are lanes in any kernel.
pub(super) const CASES: usize = 37;

/// What other implementations make of a seed and of the randomness of an encapsulation.
pub(super) struct KemCase {
    pub kem: Kem,
    pub seed: Vec<u8>,
    /// What a job that generates a key of the seed puts out.
    pub generated: Vec<u8>,
    /// The public key, with the randomness behind it.
    pub request: Vec<u8>,
    /// The ciphertext, with the secret behind it.
    pub sent: Vec<u8>,
    /// The ciphertext with a bit changed, and its secret.
    pub wrong: Vec<u8>,
    pub rejection: Vec<u8>,
}

impl KemCase {
    /// Makes a case, whose wrong ciphertext has this bit changed. The bit belongs to ML-KEM.
    pub fn new(kem: Kem, seed: Vec<u8>, randomness: &[u8], wrong_bit: usize) -> KemCase {
        let generated = other::generate(kem, &seed).expect("the seed is valid");
        let (private, public) = kem.keys_of(&generated);
        let request = [public, randomness].concat();
        let sent = other::encapsulate(kem, public, randomness).expect("the key is valid");
        let mut wrong = sent[..kem.ciphertext_len()].to_vec();
        wrong[wrong_bit / 8] ^= 1 << (wrong_bit % 8);
        let rejection = other::decapsulate(kem, private, &wrong).expect("the key is valid");
        KemCase { kem, seed, request, sent, wrong, rejection, generated }
    }

    /// The ciphertext and the secret.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        self.sent.split_at(self.kem.ciphertext_len())
    }

    /// The expanded private key.
    pub fn private(&self) -> &[u8] {
        self.kem.keys_of(&self.generated).0
    }
}

/// Returns `true` if a provider has the algorithm.
pub(super) fn has(provider: &Arc<dyn Provider>, kem: Kem) -> bool {
    provider.supports(Algorithm::PublicKey(kem.algorithm()))
}

/// The sessions that generate keys and that encapsulate.
pub(super) fn keyless(provider: &Arc<dyn Provider>, kem: Kem) -> [Session; 2] {
    [Transform::generate_key(kem.algorithm()), Transform::encapsulate(kem.algorithm())]
        .map(|transform| open(provider, &transform.expect("it has the direction")))
}

/// Returns what jobs came to in one call.
pub(super) fn results(mut jobs: Vec<Job<'_>>) -> Vec<Result<Vec<u8>, JobError>> {
    Processor::new().process_many(&mut jobs);
    let result =
        |job: &mut Job<'_>| job.status().expect("it is complete").map(|()| job.take_output());
    jobs.iter_mut().map(result).collect()
}

/// Returns the outputs of many jobs of a session with the same data, none of which fails.
pub(super) fn outputs(session: &Session, data: &[u8]) -> Vec<Vec<u8>> {
    let results = results((0..CASES).map(|_| Job::new(session, data)).collect());
    results.into_iter().map(|result| result.expect("it is complete")).collect()
}

/// Keys of seeds, ciphertexts and secrets of messages, and secrets of right and wrong ciphertexts
/// are those of other implementations: alone, and those of all directions, algorithms and keys in
/// one call. `keys` gives the transforms that decapsulate, one for each encoding of the key.
pub(super) fn known<K: Copy>(
    provider: &Arc<dyn Provider>,
    kems: &[K],
    kem: impl Fn(K) -> Kem,
    case: impl Fn(K, usize) -> KemCase,
    keys: impl Fn(K, &KemCase) -> Vec<Transform>,
) {
    let keyless: Vec<_> = kems.iter().map(|each| keyless(provider, kem(*each))).collect();
    let cases: Vec<_> = (0..CASES * kems.len())
        .map(|number| (number % kems.len(), case(kems[number % kems.len()], number)))
        .collect();
    let decapsulating: Vec<Vec<_>> = cases
        .iter()
        .map(|(at, case)| keys(kems[*at], case).iter().map(|key| open(provider, key)).collect())
        .collect();
    let (mut jobs, mut expected) = (Vec::new(), Vec::new());
    for ((at, case), decapsulating) in cases.iter().zip(&decapsulating) {
        let [generate, encapsulate] = &keyless[*at];
        let (ciphertext, secret) = case.parts();
        jobs.extend([Job::new(generate, &*case.seed), Job::new(encapsulate, &*case.request)]);
        expected.extend([&*case.generated, &*case.sent]);
        for session in decapsulating {
            jobs.extend([Job::new(session, ciphertext), Job::new(session, &*case.wrong)]);
            expected.extend([secret, &*case.rejection]);
        }
    }
    for (at, (result, expected)) in results(jobs).into_iter().zip(expected).enumerate() {
        assert_eq!(result.as_deref(), Ok(expected), "job {at}");
    }
    for ((at, case), decapsulating) in cases.iter().zip(&decapsulating).take(kems.len()) {
        let [generate, encapsulate] = &keyless[*at];
        assert_eq!(output(generate, &case.seed).as_deref(), Ok(&*case.generated), "alone");
        assert_eq!(output(encapsulate, &case.request).as_deref(), Ok(&*case.sent), "alone");
        let alone = output(&decapsulating[0], &case.wrong);
        assert_eq!(alone.as_deref(), Ok(&*case.rejection), "alone");
    }
}

/// Another implementation finds the secrets of ciphertexts.
pub(super) fn opens(kem: Kem, private: &[u8], sent: &[Vec<u8>]) {
    for sent in sent {
        let (ciphertext, secret) = sent.split_at(kem.ciphertext_len());
        let found = other::decapsulate(kem, private, ciphertext);
        assert_eq!(found.as_deref(), Some(secret), "{}", kem.name());
    }
}

/// Returns jobs whose data have a wrong length, each with its error. `long` has more bytes than
/// any of them.
pub(super) fn wrong_lengths<'j>(
    kem: Kem,
    [generate, encapsulate, decapsulate]: [&'j Session; 3],
    long: &'j [u8],
) -> (Vec<Job<'j>>, Vec<Result<Vec<u8>, JobError>>) {
    let (seed, random) = (kem.seed_len(), kem.randomness_len());
    let (key, text) = (kem.public_key_len(), kem.ciphertext_len());
    let (mut jobs, mut expected) = (Vec::new(), Vec::new());
    let mut add = |session, len, error| {
        jobs.push(Job::new(session, &long[..len]));
        expected.push(Err(error));
    };
    for len in [1, seed - 32, seed - 1, seed + 1, 2 * seed] {
        add(generate, len, JobError::EitherLength { len, without: 0, with: seed });
    }
    for len in [0, random, key - 1, key + 1, key + random - 1, key + random + 1] {
        let (without, with) = (key, key + random);
        add(encapsulate, len, JobError::EitherLength { len, without, with });
    }
    for len in [0, text - 1, text + 1] {
        add(decapsulate, len, JobError::InputLength { len, min: text, max: text });
    }
    (jobs, expected)
}
