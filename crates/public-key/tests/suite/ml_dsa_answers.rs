//! Hedged signatures of ML-DSA by examples of NIST's validation program, whose randomness the jobs
//! of the engine do not take.

use broadloom_lanes::Planner;
use broadloom_public_key::{
    MlDsaKeyJob, MlDsaMessage, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlDsaSignJob,
    MlDsaVerifyJob,
};
use sha3::{Digest, Sha3_256};

use crate::common::{hex, isas};

/// An example.
struct Example {
    name: String,
    set: MlDsaSet,
    seed: Vec<u8>,
    random: [u8; 32],
    /// Mu, or a context string and a message.
    signed: Vec<Vec<u8>>,
    digest: Vec<u8>,
}

impl Example {
    fn message(&self) -> MlDsaMessage<'_> {
        match &self.signed[..] {
            [mu] => MlDsaMessage::external(mu[..].try_into().expect("mu has 64 bytes")),
            [context, message] => {
                MlDsaMessage::new(message).context(context).expect("up to 255 bytes")
            }
            other => panic!("{}: {} values", self.name, other.len()),
        }
    }
}

/// Returns the bytes of a field; a hyphen stands for none.
fn bytes(field: &str) -> Vec<u8> {
    if field == "-" { Vec::new() } else { hex(field) }
}

fn examples() -> Vec<Example> {
    let lines = include_str!("ml_dsa_hedged.txt").lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<_> = lines.collect();
    let example = |[example, digest]: &[&str; 2]| {
        let fields: Vec<_> = example.split(' ').collect();
        let set = MlDsaSet::ALL.into_iter().find(|set| set.name() == fields[0]);
        Example {
            name: fields[..2].join(" "),
            set: set.expect("a set"),
            seed: bytes(fields[2]),
            random: bytes(fields[3]).try_into().expect("32 bytes"),
            signed: fields[4..].iter().map(|field| bytes(field)).collect(),
            digest: bytes(digest),
        }
    };
    lines.as_chunks::<2>().0.iter().map(example).collect()
}

#[test]
fn hedged_signatures_are_those_of_nist() {
    let examples = examples();
    assert_eq!(examples.len(), 12);
    for cpu in isas() {
        let job = |example: &Example| {
            let set = example.set;
            let mut room = vec![0; set.private_key_len() + set.public_key_len()];
            room[..32].copy_from_slice(&example.seed);
            MlDsaKeyJob::generate(set, room, ()).expect("it fits")
        };
        let mut jobs: Vec<_> = examples.iter().map(job).collect();
        Planner::new(&cpu).process_many(&mut jobs);
        let keys: Vec<_> = jobs.iter().map(|job| job.output().expect("complete")).collect();
        let keys = keys.iter().zip(&examples).map(|(keys, example)| {
            let (private, public) = keys.split_at(example.set.private_key_len());
            let private = MlDsaPrivateKey::new(example.set, private).expect("a key");
            (private, MlDsaPublicKey::new(example.set, public).expect("a key"))
        });
        let keys: Vec<_> = keys.collect();
        let mut jobs = Vec::new();
        for (example, (private, _)) in examples.iter().zip(&keys) {
            let room = vec![0; example.set.signature_len()];
            let random = Some(&example.random);
            let job = MlDsaSignJob::sign(private, example.message(), random, room, ());
            jobs.push(job.expect("it fits"));
        }
        Planner::new(&cpu).process_many(&mut jobs);
        let signatures = jobs.iter().map(|job| job.output().expect("complete").to_vec());
        let signatures: Vec<_> = signatures.collect();
        for (signature, example) in signatures.iter().zip(&examples) {
            let digest = Sha3_256::digest(signature).to_vec();
            assert_eq!(digest, example.digest, "{} on {}", example.name, cpu.isa());
        }
        let mut checks = Vec::new();
        for ((example, (_, public)), signature) in examples.iter().zip(&keys).zip(&signatures) {
            let signature = &signature[..];
            let check = MlDsaVerifyJob::verify(public, example.message(), signature, ());
            checks.push(check.expect("it fits"));
        }
        Planner::new(&cpu).process_many(&mut checks);
        assert!(checks.iter().all(|check| check.is_right() == Some(true)), "{}", cpu.isa());
    }
}
