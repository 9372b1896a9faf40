//! ML-DSA: the seed of a key, and the secret vectors, the lower half of the public vector and the
//! seed of signatures in a private key are secret. The public key and its digest are public, and so
//! is the seed of the matrix, though it is made of the seed of the key.
//!
//! Which candidates of secret numbers are too large, which attempts to sign are rejected, and the
//! challenges of all attempts are public: there are branches on them.

use broadloom_lanes::{Cpu, Planner};
use broadloom_memcheck as memcheck;
use broadloom_public_key::{MlDsaLanes, MlDsaMessage, MlDsaPrivateKey, MlDsaSet};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{disclose, made_from_secrets, public, secret, secret_array};

/// Operations in one call: for the kernels of few lanes and of many.
const COUNTS: [usize; 2] = [1, if cfg!(target_arch = "x86_64") { 17 } else { 5 }];

/// Where a private key has the digest of the public key, and its vectors behind that.
const DIGEST: usize = 64;
const VECTORS: usize = 128;

pub fn check(checks: &mut Checks) {
    // With other secrets, the matrix is another, and so are the attempts that are rejected: only
    // memcheck tells what may differ.
    if memcheck::errors().is_none() {
        return;
    }
    for set in MlDsaSet::ALL {
        checks.kernel(&format!("ml-dsa generate {set}"), |cpu| generate(cpu, set));
        checks.kernel(&format!("ml-dsa sign {set}"), |cpu| sign(cpu, set));
    }
}

/// Generates keys. Says whether secrets reached the secret parts of private keys.
fn generate(cpu: &Cpu, set: MlDsaSet) -> bool {
    let mut planner = Planner::<MlDsaLanes>::new(cpu);
    let mut reached = true;
    for count in COUNTS {
        let len = set.private_key_len() + set.public_key_len();
        let mut keys: Vec<_> = (0..count).map(|number| secret(number, len)).collect();
        watch(|| {
            let loan = |key| MlDsaLanes::generate(set, key).expect("both keys' length");
            planner.process_each(keys.iter_mut().map(|key: &mut Vec<u8>| loan(key)));
        });
        for key in &mut keys {
            let private = &mut key[..set.private_key_len()];
            reached &= made_from_secrets(&mut private[32..DIGEST]);
            reached &= made_from_secrets(&mut private[VECTORS..]);
            disclose(key);
        }
    }
    reached
}

/// A private key whose secret parts are made of public bytes, and are secret then.
fn private_key(cpu: &Cpu, set: MlDsaSet) -> MlDsaPrivateKey {
    let mut keys = public(1, set.private_key_len() + set.public_key_len());
    let loan = MlDsaLanes::generate(set, &mut keys).expect("both keys' length");
    Planner::<MlDsaLanes>::new(cpu).process_each([loan]);
    let private = &mut keys[..set.private_key_len()];
    memcheck::undefine(&mut private[32..DIGEST]);
    memcheck::undefine(&mut private[VECTORS..]);
    MlDsaPrivateKey::generated(set, private).expect("a key's length")
}

/// Signs. Says whether secrets reached the responses of signatures.
fn sign(cpu: &Cpu, set: MlDsaSet) -> bool {
    let mut planner = Planner::<MlDsaLanes>::new(cpu);
    let key = private_key(cpu, set);
    let (text, random) = (public(3, 100), secret_array(4));
    // The challenge's seed comes first, and the hints last.
    let responses = match set {
        MlDsaSet::MlDsa44 => 32..32 + 4 * 576,
        MlDsaSet::MlDsa65 => 48..48 + 5 * 640,
        MlDsaSet::MlDsa87 => 64..64 + 7 * 640,
    };
    let mut reached = true;
    for count in COUNTS {
        let mut signatures = vec![vec![0; set.signature_len()]; count];
        watch(|| {
            let message = MlDsaMessage::new(&text);
            planner.process_each(signatures.iter_mut().map(|signature| {
                let loan = MlDsaLanes::sign(&key, message, Some(&random), signature);
                loan.expect("a signature's length")
            }));
        });
        for signature in &mut signatures {
            reached &= made_from_secrets(&mut signature[responses.clone()]);
        }
    }
    reached
}
