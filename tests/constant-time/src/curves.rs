//! Elliptic curves: private keys, nonces and the numbers of commitments are secret.

use broadloom_lanes::{
    Cpu, CurveLanes, CurveOutcome, Ed25519PrivateKey, Loan, P256PrivateKey, Planner, X25519Key,
};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{disclose, made_from_secrets, public, secret_array};

pub fn check(checks: &mut Checks) {
    checks.kernel("curves x25519", |cpu| [1, 5, 8].iter().all(|count| x25519(cpu, *count)));
    checks.kernel("curves ed25519", |cpu| [1, 5, 8].iter().all(|count| ed25519(cpu, *count)));
    checks.kernel("curves p256 sign", |cpu| [1, 5, 8].iter().all(|count| p256_sign(cpu, *count)));
    checks.kernel("curves p256 agree", |cpu| [1, 5, 8].iter().all(|count| p256_agree(cpu, *count)));
}

/// A secret scalar of P-256: below the order, as its first byte is zero.
fn scalar(seed: usize) -> P256PrivateKey {
    let mut bytes = secret_array::<32>(seed);
    bytes[0] = 0;
    P256PrivateKey::new(&bytes).expect("it is below the order")
}

/// Signatures. Says whether secrets reached all of them.
fn p256_sign(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut buffers: Vec<Vec<u8>> = (0..count).map(|i| public(i, 64)).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(|i| (scalar(i), scalar(i + 10))).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(all.map(|(((key, nonce), buffer), outcome)| {
            Loan::p256_sign(key, nonce, buffer, outcome).expect("64 bytes")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "good nonces");
    buffers.iter_mut().all(|buffer| made_from_secrets(buffer))
}

/// The base point of P-256, as the other side's.
const BASE: &str = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
                    4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

/// Shared secrets. Says whether private keys reached all of them.
fn p256_agree(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let byte = |at| u8::from_str_radix(&BASE[at..at + 2], 16).expect("hexadecimal digits");
    let base: Vec<u8> = (0..BASE.len()).step_by(2).map(byte).collect();
    let mut buffers = vec![base; count];
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(scalar).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(all.map(|((key, buffer), outcome)| {
            Loan::p256_agree(key, buffer, outcome).expect("64 bytes")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "points on the curve");
    buffers.iter_mut().all(|buffer| made_from_secrets(&mut buffer[..32]))
}

/// Shared secrets. Says whether private keys reached all of them.
fn x25519(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut points: Vec<Vec<u8>> = (0..count).map(|i| public(i, 32)).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(|i| X25519Key::new(&secret_array(i + 3))).collect();
        let all = keys.iter().zip(&mut points).zip(&mut outcomes);
        planner.process_each(
            all.map(|((key, point), outcome)| Loan::x25519(key, point, outcome).expect("32 bytes")),
        );
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "no point of small order");
    points.iter_mut().all(|point| made_from_secrets(point))
}

/// Keys, commitments and responses. Says whether secrets reached all of them.
fn ed25519(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<CurveLanes>::new(cpu);
    let mut buffers: Vec<Vec<u8>> =
        (0..count).map(|i| secret_array::<64>(2 * i + 1).to_vec()).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    let mut responses = Vec::new();
    watch(|| {
        let keys: Vec<_> =
            (0..count).map(|i| Ed25519PrivateKey::new(&secret_array(i + 5))).collect();
        planner.process_each(
            buffers
                .iter_mut()
                .zip(&mut outcomes)
                .map(|(buffer, outcome)| Loan::ed25519_commit(buffer, outcome).expect("64 bytes")),
        );
        responses = keys
            .iter()
            .zip(&buffers)
            .map(|(key, buffer)| {
                let number = buffer[32..].try_into().expect("32 bytes");
                let mut public = *key.public();
                disclose(&mut public);
                key.respond(number, &[public[0]; 64])
            })
            .collect();
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "there is always one");
    let all = buffers.iter_mut().map(Vec::as_mut_slice);
    all.chain(responses.iter_mut().map(|response| &mut response[..])).all(made_from_secrets)
}
