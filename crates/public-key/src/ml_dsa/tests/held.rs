//! What stays of keys from one call to the next.

use super::*;

/// A key pair, and what a planner of its own makes with it.
struct Case {
    private: MlDsaPrivateKey,
    public: MlDsaPublicKey,
    message: Vec<u8>,
    signature: Vec<u8>,
}

/// Signs messages with one planner, and returns the signatures.
fn sign(planner: &mut Planner<MlDsaLanes>, cases: &[&Case]) -> Vec<Vec<u8>> {
    let mut jobs: Vec<_> = cases
        .iter()
        .map(|case| {
            let room = std::vec![0; case.private.set().signature_len()];
            let message = MlDsaMessage::new(&case.message);
            MlDsaSignJob::sign(&case.private, message, None, room, ()).expect("fits")
        })
        .collect();
    planner.process_many(&mut jobs);
    jobs.into_iter().map(|job| job.into_parts().0).collect()
}

/// Verifies the signatures of cases under the keys of others.
fn verify(planner: &mut Planner<MlDsaLanes>, cases: &[(&Case, &Case)]) -> Vec<Option<bool>> {
    let mut jobs: Vec<_> = cases
        .iter()
        .map(|(case, key)| {
            let message = MlDsaMessage::new(&case.message);
            MlDsaVerifyJob::verify(&key.public, message, &case.signature[..], ()).expect("fits")
        })
        .collect();
    planner.process_many(&mut jobs);
    jobs.iter().map(|job| job.is_right()).collect()
}

/// Returns cases of a set, in pairs that have the seed of the matrix in common and nothing else.
fn cases(cpu: &Cpu, set: MlDsaSet, count: usize) -> Vec<Case> {
    let seeds: Vec<_> = (0..count).map(|at| random(&mut (at as u64), 32)).collect();
    let keys = generate(cpu, set, seeds.iter().map(Vec::as_slice));
    let pairs = keys.iter().flat_map(|keys| {
        let mut other = keys.clone();
        // The seed of signatures, and the first number of the public vector.
        let public = set.private_key_len() + 32;
        other[32..64].fill(7);
        other[public] ^= 1;
        [keys.clone(), other]
    });
    let case = |(at, keys): (usize, Vec<u8>)| {
        let (private, public) = keys.split_at(set.private_key_len());
        let mut case = Case {
            private: MlDsaPrivateKey::new(set, private).expect("a key"),
            public: MlDsaPublicKey::new(set, public).expect("a key"),
            message: random(&mut (at as u64), at),
            signature: Vec::new(),
        };
        case.signature = sign(&mut Planner::new(cpu), &[&case]).remove(0);
        case
    };
    pairs.enumerate().map(case).collect()
}

#[test]
fn keys_that_stay_are_not_taken_for_others() {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        let count = if is_brief() { 2 } else { 14 };
        let sets = [MlDsaSet::MlDsa44, MlDsaSet::MlDsa87].map(|set| cases(&cpu, set, count));
        let mut seed = 5;
        for round in 0..if is_brief() { 2 } else { 40 } {
            let all: Vec<&Case> = sets.iter().flatten().collect();
            // Some rounds have more keys than there are slots, and some have few.
            let most = if round % 4 == 0 { all.len() } else { 3 };
            let drawn: Vec<&Case> = random(&mut seed, most)
                .into_iter()
                .map(|byte| all[usize::from(byte) % all.len()])
                .collect();
            let what = std::format!("round {round} on {}", cpu.isa());
            if round % 3 > 0 {
                let made = sign(&mut planner, &drawn);
                for (made, case) in made.iter().zip(&drawn) {
                    assert!(*made == case.signature, "{what}");
                }
            }
            // The second of a pair has a public key that is wrong.
            let own: Vec<_> = drawn.iter().map(|case| (*case, *case)).collect();
            let right = verify(&mut planner, &own);
            for (right, case) in right.iter().zip(&drawn) {
                let of = sets
                    .iter()
                    .find_map(|set| set.iter().position(|other| core::ptr::eq(other, *case)));
                assert_eq!(*right, of.map(|at| at % 2 == 0), "{what}");
            }
            if round % 5 == 4 {
                // Key generation needs the slots for itself.
                let set = MlDsaSet::MlDsa65;
                let mut jobs: Vec<_> = (0..3)
                    .map(|at| key_buffer(set, &[at; 32]))
                    .map(|buffer| MlDsaKeyJob::generate(set, buffer, ()).expect("fits"))
                    .collect();
                planner.process_many(&mut jobs);
                let expected = generate(&cpu, set, [&[0; 32][..], &[1; 32], &[2; 32]]);
                for (job, expected) in jobs.iter().zip(&expected) {
                    assert!(job.output() == Some(&expected[..]), "{what}");
                }
            }
        }
    }
}
