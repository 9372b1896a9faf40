//! ML-DSA by examples of NIST's validation program.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    HashAlgorithm, JobError, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, Scheme,
};
use sha2::{Digest, Sha256};

use super::acvp::field;
use super::ml_dsa::{generating, sets, signing, verifying};
use super::{output, verified};
use crate::reference::ml_dsa::digest;
use crate::vectors::{Record, records};

/// The kinds of groups of examples.
const KINDS: [&str; 7] = [
    "keyGen",
    "sigGen",
    "sigGen preHash",
    "sigGen externalMu",
    "sigVer",
    "sigVer preHash",
    "sigVer externalMu",
];

/// Keys of seeds and deterministic signatures are those of NIST's examples, and those that they
/// call valid verify, and no others: of messages, of digests and of mu.
pub fn acvp_ml_dsa(provider: &Arc<dyn Provider>) {
    let text = include_str!("../../../vectors/ml-dsa.txt");
    let records = records("ml-dsa.txt", text);
    for set in sets(provider) {
        let of_set = records.iter().filter(|record| record.get("set") == Some(set.name()));
        let kinds: Vec<_> = of_set.map(|record| example(provider, set, record)).collect();
        for kind in KINDS {
            assert!(kinds.contains(&kind), "{} has examples of {kind}", set.name());
        }
    }
}

/// Tests an example. Returns the kind of its group.
fn example<'t>(provider: &Arc<dyn Provider>, set: MlDsaSet, record: &Record<'t>) -> &'t str {
    let name = format!("{}, {}", record.name(), set.name());
    let kind = record.get("source").and_then(|source| source.strip_prefix("ACVP "));
    let kind = kind.unwrap_or_else(|| panic!("{name}: the source is ACVP"));
    let bytes = |name| field(record, name);
    let sha256 = |made: &[u8]| Sha256::digest(made).to_vec();
    if kind == "keyGen" {
        let made = output(&generating(provider, set), &bytes("seed")).expect("a seed");
        assert_eq!(sha256(&made), bytes("keys-digest"), "{name}");
        return kind;
    }
    let (scheme, data) = if kind.ends_with("preHash") {
        let hash = record
            .get("hash")
            .and_then(|name| HashAlgorithm::all().find(|hash| hash.name() == name));
        let hash = hash.unwrap_or_else(|| panic!("{name}: a hash"));
        (Scheme::new(hash).prehashed(), digest(hash, &bytes("message")))
    } else if kind.ends_with("externalMu") {
        (Scheme::default().external_mu(), bytes("mu"))
    } else {
        (Scheme::default(), bytes("message"))
    };
    let context = record.bytes("context");
    if kind.starts_with("sigGen") {
        let key = MlDsaPrivateKey::from_seed(set, &bytes("seed")).expect("32 bytes");
        let session = signing(provider, key, scheme, &context).expect("the key is valid");
        let signature = output(&session, &data).expect("it signs");
        assert_eq!(sha256(&signature), bytes("signature-digest"), "{name}");
    } else {
        let key = MlDsaPublicKey::new(set, &bytes("public")).expect("its length");
        let session = verifying(provider, key, scheme, &context);
        let result = verified(&session, &data, &bytes("signature"));
        let expected = match record.get("result") {
            Some("valid") => Ok(()),
            _ => Err(JobError::SignatureMismatch),
        };
        assert_eq!(result, expected, "{name}");
    }
    kind
}
