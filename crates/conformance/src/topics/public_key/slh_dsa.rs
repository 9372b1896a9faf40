//! SLH-DSA: keys and signatures of another implementation.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, HashAlgorithm, Job, JobError, PrivateKey, Processor, PublicKey, Scheme, Session,
    SlhDsaSet, Transform,
};
use sha2::{Digest, Sha256};

use super::{message, open, output, verified};
use crate::reference::ml_dsa::digest;

/// A key, and the digests of its signatures.
struct Vector {
    set: SlhDsaSet,
    private: PrivateKey,
    public: PublicKey,
    /// Of `MESSAGE` without a context, and under `CONTEXT`.
    digests: [Vec<u8>; 2],
    /// Of SHA-256 of `MESSAGE` under `CONTEXT` (HashSLH-DSA); empty of most sets.
    hashed: Vec<u8>,
}

const MESSAGE: &[u8] = b"Broadloom";
const CONTEXT: &[u8] = b"a context";

/// The vectors of the sets that a provider has.
fn vectors(provider: &Arc<dyn Provider>) -> Vec<Vector> {
    let records = include_str!("../../../vectors/slh-dsa.txt").split("\n\n").skip(1);
    let all = records.map(|record| {
        let find = |name: &str| {
            record.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        let field = |name: &str| find(name).expect("every vector has it");
        let from_hex = |digits: &str| -> Vec<u8> {
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
            (0..digits.len()).step_by(2).map(byte).collect()
        };
        let bytes = |name| from_hex(field(name));
        let private = bytes("private");
        let public = bytes("public");
        let set = SlhDsaSet::ALL.into_iter().find(|set| set.name() == field("set"));
        let vector = Vector {
            set: set.expect("a set"),
            private: PrivateKey::from_der(&private).expect("another implementation made it"),
            public: PublicKey::from_der(&public).expect("another implementation made it"),
            digests: [bytes("plain"), bytes("context")],
            hashed: find("hashed").map(from_hex).unwrap_or_default(),
        };
        assert_eq!(*vector.private.to_der(), private, "{}", vector.set.name());
        assert_eq!(vector.public.to_der(), public, "{}", vector.set.name());
        vector
    });
    let algorithm = |vector: &Vector| Algorithm::PublicKey(vector.public.signature_algorithm());
    all.filter(|vector| provider.supports(algorithm(vector))).collect()
}

impl Vector {
    /// The sessions that sign and verify, under a context.
    fn sessions(
        &self,
        provider: &Arc<dyn Provider>,
        scheme: Scheme,
        context: &[u8],
    ) -> [Session; 2] {
        let sign = Transform::sign(&self.private, scheme).expect("it signs");
        let verify = Transform::verify(&self.public, scheme).expect("it verifies");
        [sign, verify].map(|transform| open(provider, &transform.context(context).expect("short")))
    }
}

/// Deterministic signatures are those of another implementation: alone, and those of all sets with
/// and without a context in one call. Hedged ones differ each time and verify.
pub fn slh_dsa(provider: &Arc<dyn Provider>) {
    let vectors = vectors(provider);
    let sessions: Vec<_> = vectors
        .iter()
        .flat_map(|vector| {
            [&b""[..], CONTEXT].map(|context| vector.sessions(provider, Scheme::default(), context))
        })
        .collect();
    let digests: Vec<_> = vectors.iter().flat_map(|vector| &vector.digests).collect();
    let mut jobs: Vec<_> = sessions.iter().map(|[sign, _]| Job::new(sign, MESSAGE)).collect();
    Processor::new().process_many(&mut jobs);
    let signatures: Vec<Vec<u8>> = jobs.iter_mut().map(Job::take_output).collect();
    for (at, signature) in signatures.iter().enumerate() {
        let set = vectors[at / 2].set.name();
        assert_eq!(Sha256::digest(signature)[..], digests[at][..], "{set}");
    }
    let checks = sessions.iter().zip(&signatures);
    let mut checks: Vec<_> = checks
        .map(|([_, verify], signature)| Job::new(verify, MESSAGE).signature(signature.as_slice()))
        .collect();
    Processor::new().process_many(&mut checks);
    for (at, check) in checks.iter().enumerate() {
        assert_eq!(check.status(), Some(Ok(())), "{}", vectors[at / 2].set.name());
    }
    for (at, [sign, verify]) in sessions.iter().enumerate() {
        let vector = &vectors[at / 2];
        if !vector.set.name().ends_with("128f") {
            continue;
        }
        assert_eq!(output(sign, MESSAGE), Ok(signatures[at].clone()), "alone");
        let [hedged, _] =
            vector.sessions(provider, Scheme::default().hedged(), [&b""[..], CONTEXT][at % 2]);
        let [one, other] = [0, 1].map(|_| output(&hedged, MESSAGE).expect("it signs"));
        assert!(one != other && one != signatures[at], "fresh randomness");
        assert_eq!(verified(verify, MESSAGE, &one), Ok(()));
        assert_eq!(verified(verify, MESSAGE, &other), Ok(()));
    }
}

/// Signatures of digests (HashSLH-DSA) verify under their hash and context alone, and are none of
/// the message or of the digest as a message. A digest of another length than its hash's is
/// refused.
pub fn hashed_slh_dsa(provider: &Arc<dyn Provider>) {
    let hashes = [HashAlgorithm::Sha256, HashAlgorithm::Sha3_512, HashAlgorithm::Shake128];
    for vector in vectors(provider).iter().filter(|vector| vector.set.name().ends_with("128f")) {
        let name = vector.set.name();
        let [_, plain] = vector.sessions(provider, Scheme::default(), CONTEXT);
        let sessions =
            hashes.map(|hash| vector.sessions(provider, Scheme::new(hash).prehashed(), CONTEXT));
        for (hash, [sign, verify]) in hashes.into_iter().zip(&sessions) {
            let data = digest(hash, MESSAGE);
            let signature = output(sign, &data).expect("it signs");
            assert_eq!(signature.len(), vector.set.signature_len(), "{name}");
            assert_eq!(verified(verify, &data, &signature), Ok(()), "{name} {hash}");
            let scheme = Scheme::new(hash).prehashed();
            let [_, elsewhere] = vector.sessions(provider, scheme, b"");
            for (session, data) in [(&elsewhere, &data[..]), (&plain, &data), (&plain, MESSAGE)] {
                let other = verified(session, data, &signature);
                assert_eq!(other, Err(JobError::SignatureMismatch), "{name} {hash}");
            }
            let (len, valid) = (data.len() - 1, data.len());
            let refused = JobError::InputLength { len, min: valid, max: valid };
            assert_eq!(output(sign, &data[1..]), Err(refused), "{name} {hash}");
            assert_eq!(verified(verify, &data[1..], &signature), Err(refused), "{name} {hash}");
        }
        // SHAKE128 has digests of the same length as SHA-256.
        let [[sign, _], _, [_, elsewhere]] = &sessions;
        let data = digest(HashAlgorithm::Sha256, MESSAGE);
        let signature = output(sign, &data).expect("it signs");
        assert_eq!(Sha256::digest(&signature)[..], vector.hashed[..], "{name}");
        let other = verified(elsewhere, &data, &signature);
        assert_eq!(other, Err(JobError::SignatureMismatch), "{name}");
    }
}

/// A signature with a bit changed, cut short or lengthened, of another message or context, does not
/// verify, and those beside it do.
pub fn wrong_slh_dsa(provider: &Arc<dyn Provider>) {
    for vector in vectors(provider).iter().filter(|vector| vector.set.name().ends_with("128f")) {
        let [sign, verify] = vector.sessions(provider, Scheme::default(), b"");
        let [_, elsewhere] = vector.sessions(provider, Scheme::default(), CONTEXT);
        let data = message(100);
        let right = output(&sign, &data).expect("it signs");
        assert_eq!(right.len(), vector.set.signature_len());
        let mut wrong: Vec<Vec<u8>> = (0..right.len())
            .step_by(1 + right.len() / 40)
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
            jobs.push(Job::new(&verify, data.as_slice()).signature(wrong.as_slice()));
            jobs.push(Job::new(&verify, data.as_slice()).signature(right.as_slice()));
            jobs.push(Job::new(&elsewhere, data.as_slice()).signature(right.as_slice()));
            jobs.push(Job::new(&verify, MESSAGE).signature(right.as_slice()));
        }
        Processor::new().process_many(&mut jobs);
        for (at, job) in jobs.iter().enumerate() {
            let expected = if at % 4 == 1 { Ok(()) } else { Err(JobError::SignatureMismatch) };
            assert_eq!(job.status(), Some(expected), "{}, job {at}", vector.set.name());
        }
    }
}
