//! Binary curves: private keys and nonces are secret.

use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::{BinaryCurve, BinaryCurveLanes, BinaryPrivateKey, CurveOutcome};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{made_from_secrets, public, secret_array};

pub fn check(checks: &mut Checks) {
    checks.kernel("binary curves sign", |cpu| [1, 3, 8].iter().all(|count| sign(cpu, *count)));
    checks.kernel("binary curves agree", |cpu| [1, 3, 8].iter().all(|count| agree(cpu, *count)));
}

/// A secret scalar: below the order, as its first byte is zero.
fn scalar(seed: usize) -> BinaryPrivateKey {
    let mut bytes = secret_array::<36>(seed);
    bytes[0] = 0;
    let curve = BinaryCurve::ALL[seed % 2];
    BinaryPrivateKey::new(curve, &bytes).expect("it is below the order")
}

/// Signatures. Says whether secrets reached all of them.
fn sign(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<BinaryCurveLanes>::new(cpu);
    let mut buffers: Vec<Vec<u8>> = (0..count)
        .map(|i| {
            let mut buffer = public(i, 72);
            buffer[0] = 0;
            buffer
        })
        .collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(|i| (scalar(i), scalar(i + 10))).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(all.map(|(((key, nonce), buffer), outcome)| {
            BinaryCurveLanes::sign(key, nonce, buffer, outcome).expect("72 bytes")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "good nonces");
    buffers.iter_mut().all(|buffer| made_from_secrets(buffer))
}

/// The base points of both curves, as the other side's.
const POINTS: [&str; 2] = [
    "0503213f78ca44883f1a3b8162f188e553cd265f23c1567a16876913b0c2ac2458492836\
     01ccda380f1c9e318d90f95d07e5426fe87e45c0e8184698e45962364e34116177dd2259",
    "05f939258db7dd90e1934f8c70b0dfec2eed25b8557eac9c80e2e198f8cdbecd86b12053\
     03676854fe24141cb98fe6d4b20d02b4516ff702350eddb0826779c813f0df45be8112f4",
];

/// Shared secrets. Says whether private keys reached all of them.
fn agree(cpu: &Cpu, count: usize) -> bool {
    let mut planner = Planner::<BinaryCurveLanes>::new(cpu);
    let bytes = |digits: &str| -> Vec<u8> {
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
        (0..digits.len()).step_by(2).map(byte).collect()
    };
    let mut buffers: Vec<Vec<u8>> = (0..count).map(|i| bytes(POINTS[i % 2])).collect();
    let mut outcomes = vec![CurveOutcome::default(); count];
    watch(|| {
        let keys: Vec<_> = (0..count).map(scalar).collect();
        let all = keys.iter().zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(all.map(|((key, buffer), outcome)| {
            BinaryCurveLanes::agree(key, buffer, outcome).expect("72 bytes")
        }));
    });
    assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "points on the curves");
    buffers.iter_mut().all(|buffer| made_from_secrets(&mut buffer[..36]))
}
