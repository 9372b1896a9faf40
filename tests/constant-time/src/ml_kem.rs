//! ML-KEM: the seeds of a key, the message of an encapsulation, and the secret vector and `z` of a
//! decapsulation key are secret. The encapsulation key and the ciphertext are public, and so is the
//! seed of the matrix, though it is made of the seed of the key: numbers are sampled from it with
//! branches.

use broadloom_lanes::{Buffers, Cpu, Planner};
use broadloom_memcheck as memcheck;
use broadloom_public_key::{MlKemLanes, MlKemPrivateKey, MlKemPublicKey, MlKemSet};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{disclose, made_from_secrets, public, secret};

/// Operations in one call: for the kernels of few lanes and of many.
const COUNTS: [usize; 2] = [1, if cfg!(target_arch = "x86_64") { 33 } else { 9 }];

pub fn check(checks: &mut Checks) {
    for set in MlKemSet::ALL {
        // With other seeds, the matrix is another: only memcheck tells what may differ.
        if memcheck::errors().is_some() {
            checks.kernel(&format!("ml-kem generate {set}"), |cpu| generate(cpu, set));
        }
        checks.kernel(&format!("ml-kem encapsulate {set}"), |cpu| encapsulate(cpu, set));
        checks.kernel(&format!("ml-kem decapsulate {set}"), |cpu| decapsulate(cpu, set));
    }
}

/// Bytes of the secret vector of a decapsulation key.
fn vector_len(set: MlKemSet) -> usize {
    set.private_key_len() - set.public_key_len() - 64
}

/// Generates keys. Says whether secrets reached their vectors and `z`.
fn generate(cpu: &Cpu, set: MlKemSet) -> bool {
    let mut planner = Planner::<MlKemLanes>::new(cpu);
    let mut reached = true;
    for count in COUNTS {
        let key = |number| secret(number, set.private_key_len());
        let mut keys: Vec<_> = (0..count).map(key).collect();
        watch(|| {
            let loan = |key| MlKemLanes::generate(set, key).expect("a key's length");
            planner.process_each(keys.iter_mut().map(|key: &mut Vec<u8>| loan(key)));
        });
        for key in &mut keys {
            let (vector, rest) = key.split_at_mut(vector_len(set));
            reached &= made_from_secrets(vector);
            let z = rest.len() - 32;
            reached &= made_from_secrets(&mut rest[z..]);
            disclose(rest);
        }
    }
    reached
}

/// A key that is made of public bytes.
fn public_key(cpu: &Cpu, set: MlKemSet, number: usize) -> Vec<u8> {
    let mut key = public(number, set.private_key_len());
    let loan = MlKemLanes::generate(set, &mut key).expect("a key's length");
    Planner::<MlKemLanes>::new(cpu).process_each([loan]);
    key
}

/// Encapsulates secret messages. Says whether secrets reached the shared secrets.
fn encapsulate(cpu: &Cpu, set: MlKemSet) -> bool {
    let mut planner = Planner::<MlKemLanes>::new(cpu);
    let bytes = public_key(cpu, set, 1);
    let private = MlKemPrivateKey::new(set, &bytes).expect("a key");
    let key = MlKemPublicKey::new(set, private.public()).expect("a key");
    let mut reached = true;
    for count in COUNTS {
        let message = |number| secret(number, set.ciphertext_len() + MlKemSet::SECRET_LEN);
        let mut messages: Vec<_> = (0..count).map(message).collect();
        watch(|| {
            let loan = |bytes| MlKemLanes::encapsulate(&key, bytes).expect("good lengths");
            planner.process_each(messages.iter_mut().map(|bytes: &mut Vec<u8>| loan(bytes)));
        });
        for bytes in &mut messages {
            let (ciphertext, shared) = bytes.split_at_mut(set.ciphertext_len());
            reached &= made_from_secrets(ciphertext);
            reached &= made_from_secrets(shared);
        }
    }
    reached
}

/// Decapsulates public ciphertexts with secret keys. Says whether secrets reached the shared
/// secrets.
fn decapsulate(cpu: &Cpu, set: MlKemSet) -> bool {
    let mut planner = Planner::<MlKemLanes>::new(cpu);
    let mut bytes = public_key(cpu, set, 2);
    let z = bytes.len() - 32;
    bytes[..vector_len(set)].copy_from_slice(&secret(3, vector_len(set)));
    bytes[z..].copy_from_slice(&secret(4, 32));
    let key = MlKemPrivateKey::generated(set, &bytes).expect("a key's length");
    let mut reached = true;
    for count in COUNTS {
        let ciphertexts: Vec<_> = (0..count).map(|i| public(i, set.ciphertext_len())).collect();
        let mut outputs = vec![vec![0; set.ciphertext_len()]; count];
        watch(|| {
            let pairs = ciphertexts.iter().zip(&mut outputs);
            planner.process_each(pairs.map(|(ciphertext, output)| {
                let buffers = Buffers::Apart(ciphertext, output);
                MlKemLanes::decapsulate(&key, buffers).expect("good lengths")
            }));
        });
        for output in &mut outputs {
            reached &= made_from_secrets(&mut output[..MlKemSet::SECRET_LEN]);
        }
    }
    reached
}
