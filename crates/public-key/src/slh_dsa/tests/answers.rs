//! NIST's vectors.

use broadloom_lanes::Planner;
use sha2::{Digest, Sha256};

use super::{cpus, sign, vectors, verify};
use crate::slh_dsa::{SlhDsaKeyJob, SlhDsaMessage, SlhDsaPrivateKey};

#[test]
fn keys_are_those_of_nist() {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for vector in vectors().iter().filter(|vector| vector.find("seeds").is_some()) {
            let mut bytes = vector.get("seeds").to_vec();
            bytes.resize(vector.set.private_key_len(), 0xff);
            let job = SlhDsaKeyJob::from_seeds(vector.set, bytes, ()).expect("as long as a key");
            let mut jobs = [job];
            planner.process_many(&mut jobs);
            let key = jobs[0].output().expect("complete");
            assert_eq!(key, vector.get("key"), "{} on {}", vector.set, cpu.isa());
        }
    }
}

#[test]
fn signatures_are_those_of_nist() {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for vector in vectors().iter().filter(|vector| vector.find("message").is_some()) {
            let key = SlhDsaPrivateKey::new(vector.set, vector.get("key")).expect("a key");
            let message = SlhDsaMessage::internal(vector.get("message"));
            let signature = sign(&mut planner, &key, message, vector.find("random"));
            let digest = Sha256::digest(&signature);
            assert_eq!(digest[..], *vector.get("signature"), "{} on {}", vector.set, cpu.isa());
            let claim = (key.public(), message, signature.as_slice());
            assert_eq!(verify(&mut planner, &[claim]), [true], "{} on {}", vector.set, cpu.isa());
        }
    }
}
