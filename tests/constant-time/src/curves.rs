//! Elliptic curves: private keys and the numbers of commitments are secret.

use broadloom_lanes::{Cpu, CurveLanes, CurveOutcome, Ed25519PrivateKey, Loan, Planner, X25519Key};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{disclose, made_from_secrets, public, secret_array};

pub fn check(checks: &mut Checks) {
    checks.kernel("curves x25519", |cpu| [1, 5, 8].iter().all(|count| x25519(cpu, *count)));
    checks.kernel("curves ed25519", |cpu| [1, 5, 8].iter().all(|count| ed25519(cpu, *count)));
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
