//! SLH-DSA: both seeds are secret. The randomizer and the roots of trees, which follow from them,
//! are public, as anybody computes them from a signature.

use broadloom_lanes::{Cpu, Planner};
use broadloom_memcheck as memcheck;
use broadloom_public_key::{SlhDsaLanes, SlhDsaMessage, SlhDsaPrivateKey, SlhDsaSet};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{made_from_secrets, public, secret};

/// A set of each hash for the nodes: SHA-256, SHA-512 and SHAKE256.
const SETS: [(&str, SlhDsaSet); 3] = [
    ("slh-dsa-sha2 128f", SlhDsaSet::Sha2_128f),
    ("slh-dsa-sha2 192f", SlhDsaSet::Sha2_192f),
    ("slh-dsa-shake 128f", SlhDsaSet::Shake128f),
];

pub fn check(checks: &mut Checks) {
    for (name, set) in SETS {
        checks.kernel(&format!("{name} key"), |cpu| complete(cpu, set));
        // With other secrets, other leaves sign: only memcheck tells what may differ.
        if memcheck::errors().is_some() {
            checks.kernel(&format!("{name} sign"), |cpu| sign(cpu, set));
        }
    }
}

/// The secret seeds of a key, and the public one.
fn seeds(set: SlhDsaSet) -> Vec<u8> {
    let n = set.node_len();
    [secret(1, 2 * n), public(2, 2 * n)].concat()
}

/// Completes a key. Says whether secrets reached the root.
fn complete(cpu: &Cpu, set: SlhDsaSet) -> bool {
    let mut planner = Planner::<SlhDsaLanes>::new(cpu);
    let mut key = seeds(set);
    watch(|| {
        planner.process_each([SlhDsaLanes::from_seeds(set, &mut key).expect("a key's length")])
    });
    made_from_secrets(&mut key[3 * set.node_len()..])
}

/// Signs. Says whether secrets reached all of the signature but the randomizer.
fn sign(cpu: &Cpu, set: SlhDsaSet) -> bool {
    let mut planner = Planner::<SlhDsaLanes>::new(cpu);
    let key = SlhDsaPrivateKey::new(set, &seeds(set)).expect("a key's length");
    let mut signature = vec![0; set.signature_len()];
    let text = public(3, 100);
    watch(|| {
        let message = SlhDsaMessage::new(&text);
        let loan = SlhDsaLanes::sign(&key, message, None, &mut signature);
        planner.process_each([loan.expect("a signature's length")]);
    });
    made_from_secrets(&mut signature[set.node_len()..])
}
