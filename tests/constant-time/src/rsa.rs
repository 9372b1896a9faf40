//! RSA: the primes, the private exponent and the blind are secret.

use broadloom_lanes::{Cpu, Planner};
use broadloom_memcheck as memcheck;
use broadloom_public_key::{RsaBlinding, RsaLanes, RsaOutcome, RsaPrivateKey};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{made_from_secrets, run, secret};

/// Keys that the tests of lanes have.
const KEYS: &str = include_str!("../../../crates/public-key/src/rsa/tests/keys.txt");

pub fn check(checks: &mut Checks) {
    checks.kernel("rsa", |cpu| [1, 2, 5].iter().all(|count| private(cpu, &watch(key), *count)));
}

/// A key of 1024 bits, another one in every other run.
fn key() -> RsaPrivateKey {
    let name = ["openssl genrsa 1024", "ssh-keygen 1024"][run() % 2];
    let mut lines = KEYS.lines().skip_while(|line| line.strip_prefix("key: ") != Some(name));
    let mut number = |name: &str| -> Vec<u8> {
        let digits = lines.find_map(|line| line.strip_prefix(name)).expect("a number");
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
        (0..digits.len()).step_by(2).map(byte).collect()
    };
    let [e, n, mut d, mut p, mut q] = ["e: ", "n: ", "d: ", "p: ", "q: "].map(&mut number);
    [&mut p, &mut q, &mut d].into_iter().for_each(|secret| memcheck::undefine(secret));
    RsaPrivateKey::from_exponent(&n, &e, [&p, &q], &d).expect("a key of OpenSSL's")
}

/// Private operations. Says whether secrets reached all results.
fn private(cpu: &Cpu, key: &RsaPrivateKey, count: usize) -> bool {
    let mut planner = Planner::<RsaLanes>::new(cpu);
    let mut buffers: Vec<Vec<u8>> = (0..count).map(|i| vec![2 * i as u8 + 3; key.size()]).collect();
    let mut outcomes = vec![RsaOutcome::default(); count];
    watch(|| {
        let mut blinding = RsaBlinding::new(key, &secret(count, key.size())).expect("random bytes");
        let blinds: Vec<_> = (0..count).map(|_| blinding.next_blind()).collect();
        let all = blinds.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(all.map(|((blind, buffer), outcome)| {
            RsaLanes::private(key, blind, buffer, outcome).expect("small numbers")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "results are right");
    buffers.iter_mut().all(|buffer| made_from_secrets(buffer))
}
