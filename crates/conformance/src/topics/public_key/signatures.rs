//! Signatures, by every scheme, right and wrong.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    HashAlgorithm, Job, JobError, Padding, PrivateKey, Processor, PublicKey, Scheme, Session,
    Transform,
};

use super::{Pair, message, open, output, rsa, signing, verified};

/// The schemes that a key can have.
fn schemes(pair: &Pair) -> Vec<Scheme> {
    let hashes = [HashAlgorithm::Sha256, HashAlgorithm::Sha384, HashAlgorithm::Sha512];
    match &pair.private {
        // The schemes are tried with one key: each takes as long for all.
        PrivateKey::Rsa(_) if pair.name != "rsa-2048" => {
            let scheme = Scheme::new(HashAlgorithm::Sha256);
            vec![scheme, scheme.padding(Padding::Pss { salt_len: 32 })]
        }
        PrivateKey::Rsa(_) => hashes
            .into_iter()
            .flat_map(|hash| {
                let scheme = Scheme::new(hash);
                let salts = [0, 8, hash.digest_len().min(40)];
                let pss = salts.map(|salt_len| scheme.padding(Padding::Pss { salt_len }));
                [scheme, pss[0], pss[1], pss[2]]
            })
            .collect(),
        PrivateKey::Ec(_) => hashes.into_iter().map(Scheme::new).collect(),
        _ => vec![Scheme::default()],
    }
}

/// The schemes by which a signature verifies that was made by `scheme`.
fn verifying(scheme: Scheme) -> Vec<Scheme> {
    match scheme.of_rsa() {
        Padding::Pss { .. } => vec![scheme, scheme.padding(Padding::PssAnySalt)],
        _ => vec![scheme],
    }
}

fn sessions(
    provider: &Arc<dyn Provider>,
    pair: &Pair,
    public: &PublicKey,
    scheme: Scheme,
) -> [Session; 2] {
    let sign = Transform::sign(&pair.private, scheme).expect("the scheme fits");
    let verify = Transform::verify(public, scheme).expect("the scheme fits");
    [open(provider, &sign), open(provider, &verify)]
}

/// What is signed verifies: every key and scheme, messages of many lengths, many at a time.
pub fn signatures(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for (pair, public) in signing(provider) {
        for scheme in schemes(&pair) {
            let sign = Transform::sign(&pair.private, scheme).expect("the scheme fits");
            let sign = open(provider, &sign);
            let messages = [0, 1, 31, 32, 64, 127, 1000].map(message);
            let mut jobs: Vec<_> =
                messages.iter().map(|message| Job::new(&sign, message.as_slice())).collect();
            processor.process_many(&mut jobs);
            let signatures: Vec<_> = jobs
                .iter_mut()
                .map(|job| {
                    assert!(job.succeeded(), "{}, {scheme:?}: {:?}", pair.name, job.status());
                    job.take_output()
                })
                .collect();
            let verify = verifying(scheme).into_iter().map(|scheme| {
                let verify = Transform::verify(&public, scheme).expect("the scheme fits");
                open(provider, &verify)
            });
            let verify: Vec<Session> = verify.collect();
            let mut checks: Vec<_> = verify
                .iter()
                .flat_map(|verify| messages.iter().zip(&signatures).map(move |pair| (verify, pair)))
                .map(|(verify, (message, signature))| {
                    Job::new(verify, message.as_slice()).signature(signature.as_slice())
                })
                .collect();
            processor.process_many(&mut checks);
            for check in &checks {
                assert_eq!(check.status(), Some(Ok(())), "{}, {scheme:?}", pair.name);
                assert_eq!(check.output(), Some([].as_slice()));
            }
        }
    }
}

/// What OpenSSL's command line signed verifies, and is signed again where there is no chance in it;
/// a digest stands for its message.
pub fn known_signatures(provider: &Arc<dyn Provider>) {
    let text = include_str!("../../../vectors/keys/rsa-2048.sha256.signature.txt");
    let digits: String = text.split_whitespace().collect();
    let known: Vec<u8> = (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits"))
        .collect();
    let digest = <sha2::Sha256 as sha2::Digest>::digest(b"Broadloom");
    for (pair, public) in signing(provider).into_iter().filter(|(pair, _)| pair.name == "rsa-2048")
    {
        for (scheme, data) in [
            (Scheme::default(), b"Broadloom".as_slice()),
            (Scheme::default().prehashed(), digest.as_slice()),
        ] {
            let [sign, verify] = sessions(provider, &pair, &public, scheme);
            assert_eq!(verified(&verify, data, &known), Ok(()));
            assert_eq!(output(&sign, data), Ok(known.clone()));
        }
        let [sign, verify] = sessions(provider, &pair, &public, Scheme::default().prehashed());
        let refused = JobError::InputLength { len: 9, min: 32, max: 32 };
        assert_eq!(output(&sign, b"Broadloom"), Err(refused));
        assert_eq!(verified(&verify, b"Broadloom", &known), Err(refused));
    }
}

/// Hedged signatures of one message differ each time, and verify, many at a time: those of ECDSA.
pub fn hedged_signatures(provider: &Arc<dyn Provider>) {
    let is_ec = |pair: &Pair| matches!(pair.private, PrivateKey::Ec(_));
    for (pair, public) in signing(provider).into_iter().filter(|(pair, _)| is_ec(pair)) {
        let [sign, verify] = sessions(provider, &pair, &public, Scheme::default().hedged());
        let data = message(50);
        let mut jobs: Vec<_> = (0..20).map(|_| Job::new(&sign, data.as_slice())).collect();
        Processor::new().process_many(&mut jobs);
        let mut signatures: Vec<_> = jobs.iter_mut().map(Job::take_output).collect();
        for signature in &signatures {
            assert_eq!(verified(&verify, &data, signature), Ok(()), "{}", pair.name);
        }
        signatures.sort();
        signatures.dedup();
        assert_eq!(signatures.len(), jobs.len(), "{}", pair.name);
    }
}

/// A signature with a bit changed anywhere, cut short or lengthened, of another message, or none at
/// all does not verify, and those beside it do.
pub fn wrong_signatures(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for (pair, public) in signing(provider) {
        let of_two = schemes(&pair).into_iter().take(2);
        let ways = of_two.flat_map(|scheme| {
            verifying(scheme).into_iter().map(move |verifying| (scheme, verifying))
        });
        for (scheme, verifying) in ways {
            let sign = Transform::sign(&pair.private, scheme).expect("the scheme fits");
            let verify = Transform::verify(&public, verifying).expect("the scheme fits");
            let [sign, verify] = [open(provider, &sign), open(provider, &verify)];
            let (data, other) = (message(100), message(99));
            let right = output(&sign, &data).expect("it can be signed");
            let flipped = (0..right.len()).step_by(7).map(|at| {
                let mut signature = right.clone();
                signature[at] ^= 1 << (at % 8);
                signature
            });
            let mut wrong: Vec<Vec<u8>> = flipped.collect();
            wrong.extend([right[1..].to_vec(), right[..right.len() - 1].to_vec(), Vec::new()]);
            wrong.extend([[right.as_slice(), &[0]].concat(), vec![0; right.len()]]);
            wrong.push(vec![0xff; right.len()]);
            let mut jobs: Vec<_> = wrong
                .iter()
                .flat_map(|wrong| {
                    [
                        Job::new(&verify, data.as_slice()).signature(wrong.as_slice()),
                        Job::new(&verify, data.as_slice()).signature(right.as_slice()),
                        Job::new(&verify, other.as_slice()).signature(right.as_slice()),
                    ]
                })
                .collect();
            processor.process_many(&mut jobs);
            let expected =
                [Err(JobError::SignatureMismatch), Ok(()), Err(JobError::SignatureMismatch)];
            for (index, job) in jobs.iter().enumerate() {
                let signature = &wrong[index / 3];
                assert_eq!(
                    job.status(),
                    Some(expected[index % 3]),
                    "{}, {verifying:?}, {signature:x?}",
                    pair.name
                );
            }
        }
    }
}

/// A signature of RSA without the zero that it begins with, or with one more, does not verify: it
/// is as long as the modulus (RFC 8017, 8.1.2 and 8.2.2).
pub fn wrong_signatures_of_equal_value(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for (pair, public) in rsa(provider).into_iter().take(1) {
        for scheme in schemes(&pair) {
            let [sign, verify] = sessions(provider, &pair, &public, scheme);
            // One signature in 256 begins with a zero.
            let (data, right) = (0_u64..)
                .find_map(|round| {
                    let messages: [_; 64] =
                        std::array::from_fn(|i| (64 * round + i as u64).to_le_bytes());
                    let mut jobs: Vec<_> =
                        messages.iter().map(|message| Job::new(&sign, message)).collect();
                    processor.process_many(&mut jobs);
                    let signatures = jobs.iter_mut().map(Job::take_output);
                    messages.into_iter().zip(signatures).find(|(_, made)| made.first() == Some(&0))
                })
                .expect("rounds do not end");
            assert_eq!(verified(&verify, &data, &right), Ok(()), "{}, {scheme:?}", pair.name);
            for wrong in [right[1..].to_vec(), [&[0], right.as_slice()].concat()] {
                assert_eq!(
                    verified(&verify, &data, &wrong),
                    Err(JobError::SignatureMismatch),
                    "{}, {scheme:?}, {} bytes: {wrong:x?}",
                    pair.name,
                    wrong.len()
                );
            }
        }
    }
}
