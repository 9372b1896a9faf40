//! ML-KEM by examples of NIST's validation program.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{JobError, MlKemPrivateKey, MlKemSet};
use sha2::{Digest, Sha256};

use super::ml_kem::{decapsulating, keyless, sets};
use super::output;
use crate::vectors::{Record, records};

/// Bytes that a field must have.
pub(super) fn field(record: &Record<'_>, name: &str) -> Vec<u8> {
    let value = record.get(name).unwrap_or_else(|| panic!("{}: no {name}", record.name()));
    record.bytes_of(value)
}

/// Keys of seeds, ciphertexts and secrets are those of NIST's examples, and keys that they call
/// invalid are refused.
pub fn acvp_ml_kem(provider: &Arc<dyn Provider>) {
    let text = include_str!("../../../vectors/ml-kem.txt");
    let records = records("ml-kem.txt", text);
    for set in sets(provider) {
        let of_set = records.iter().filter(|record| record.get("set") == Some(set.name()));
        let kinds: Vec<_> = of_set.map(|record| example(provider, set, record)).collect();
        for kind in ["keyGen", "encapsulation", "decapsulation"] {
            assert!(kinds.contains(&kind), "{} has examples of {kind}", set.name());
        }
        let checks = kinds.iter().filter(|kind| kind.ends_with("KeyCheck")).count();
        assert_eq!((checks, kinds.len()), (3, 12), "{}", set.name());
    }
}

/// Tests an example. Returns the kind of its group.
fn example<'t>(provider: &Arc<dyn Provider>, set: MlKemSet, record: &Record<'t>) -> &'t str {
    let [generate, encapsulate] = keyless(provider, set);
    let name = format!("{}, {}", record.name(), set.name());
    let kind = record.get("source").and_then(|source| source.strip_prefix("ACVP "));
    let kind = kind.unwrap_or_else(|| panic!("{name}: the source is ACVP"));
    let bytes = |name| field(record, name);
    let private = || MlKemPrivateKey::from_expanded(set, &bytes("private")).expect("its length");
    let digest = |made: &[u8]| Sha256::digest(made).to_vec();
    match kind {
        "keyGen" => {
            let made = output(&generate, &bytes("seed")).expect("a seed");
            assert_eq!(digest(&made), bytes("private-digest"), "{name}");
        }
        "encapsulation" => {
            let request = [bytes("public"), bytes("randomness")].concat();
            let sent = output(&encapsulate, &request).expect("a key");
            let (ciphertext, secret) = sent.split_at(set.ciphertext_len());
            assert_eq!(digest(ciphertext), bytes("ciphertext-digest"), "{name}");
            assert_eq!(secret, bytes("secret"), "{name}");
        }
        "decapsulation" => {
            let session = decapsulating(provider, private()).expect("a key");
            assert_eq!(output(&session, &bytes("ciphertext")), Ok(bytes("secret")), "{name}");
        }
        "encapsulationKeyCheck" => {
            let sent = output(&encapsulate, &bytes("public"));
            assert_eq!(sent, Err(JobError::PublicKey), "{name}");
        }
        "decapsulationKeyCheck" => {
            assert!(decapsulating(provider, private()).is_none(), "{name}");
        }
        other => panic!("{name}: {other} is no kind of group"),
    }
    kind
}
