//! The crate `ml-kem`, and all managers.

use std::vec::Vec;

use broadloom_lanes::{Buffers, InOrder, OutOfOrder, OutOfPlace};
use ml_kem::kem::{Decapsulate, KeyExport};
use ml_kem::{DecapsulationKey, MlKem512, MlKem768, MlKem1024};

use super::*;

/// What the other implementation makes of a seed, of a message, and of a wrong ciphertext.
struct Case {
    set: MlKemSet,
    seed: Vec<u8>,
    key: Vec<u8>,
    message: Vec<u8>,
    /// A ciphertext and its secret.
    sent: Vec<u8>,
    wrong: Vec<u8>,
    /// The secret of the wrong ciphertext.
    rejection: Vec<u8>,
}

macro_rules! case {
    ($set:expr, $other:ty, $random:expr) => {{
        let set: MlKemSet = $set;
        let mut number = $random;
        let (seed, message) = (random(&mut number, 64), random(&mut number, 32));
        let other = <DecapsulationKey<$other>>::from_seed(seed[..].try_into().expect("64 bytes"));
        #[allow(deprecated, reason = "the encoding is the standard's")]
        let key = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&other).to_vec();
        let public = other.encapsulation_key();
        assert_eq!(public.to_bytes().len(), set.public_key_len());
        let (ciphertext, secret) =
            public.encapsulate_deterministic(&message[..].try_into().expect("32 bytes"));
        let mut wrong = ciphertext.clone();
        let place = random(&mut number, 2);
        let place = usize::from(u16::from_le_bytes([place[0], place[1]])) % wrong.len();
        wrong[place] ^= 1 << (number >> 60 & 7);
        let rejection = other.decapsulate(&wrong).to_vec();
        let sent = [&ciphertext[..], &secret[..]].concat();
        Case { set, seed, key, message, sent, wrong: wrong.to_vec(), rejection }
    }};
}

/// Cases of one set.
fn cases(set: MlKemSet, count: usize) -> Vec<Case> {
    let case = |number: usize| {
        let seed = 1000 * number as u64 + set as u64;
        match set {
            MlKemSet::MlKem512 => case!(set, MlKem512, seed),
            MlKemSet::MlKem768 => case!(set, MlKem768, seed),
            MlKemSet::MlKem1024 => case!(set, MlKem1024, seed),
        }
    };
    (0..count).map(case).collect()
}

impl Case {
    fn ciphertext(&self) -> &[u8] {
        &self.sent[..self.set.ciphertext_len()]
    }

    fn secret(&self) -> &[u8] {
        &self.sent[self.set.ciphertext_len()..]
    }

    fn private(&self) -> MlKemPrivateKey {
        MlKemPrivateKey::new(self.set, &self.key).expect("a key")
    }

    fn public(&self) -> MlKemPublicKey {
        MlKemPublicKey::new(self.set, self.private().public()).expect("a key")
    }
}

/// Checks that a decapsulation's output is a secret and zeros.
fn check_secret(output: &[u8], secret: &[u8], what: &str) {
    let (first, rest) = output.split_at(MlKemSet::SECRET_LEN);
    assert!(first == secret && rest.iter().all(|byte| *byte == 0), "{what}");
}

#[test]
fn any_number_of_operations_is_as_another_implementation_has_it() {
    let counts: &[usize] =
        if is_brief() { &[1, 9] } else { &[1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 70] };
    for set in MlKemSet::ALL {
        let all = cases(set, *counts.last().expect("there are some"));
        for (cpu, count) in cpus().iter().flat_map(|cpu| counts.iter().map(move |n| (cpu, *n))) {
            let what = std::format!("{count} of {set} on {}", cpu.isa());
            let cases = &all[..count];
            let keys: Vec<_> = cases.iter().map(|case| (case.public(), case.private())).collect();
            let generate = |case: &Case| {
                MlKemJob::generate(set, key_buffer(set, &case.seed), ()).expect("fits")
            };
            let made = process(cpu, cases.iter().map(generate).collect());
            assert!(made.iter().zip(cases).all(|(key, case)| *key == case.key), "keys: {what}");

            let jobs = cases.iter().zip(&keys).map(|(case, (public, _))| {
                let buffer = message_buffer(set, &case.message);
                MlKemJob::encapsulate(public, buffer, ()).expect("fits")
            });
            let made = process(cpu, jobs.collect());
            assert!(made.iter().zip(cases).all(|(sent, case)| *sent == case.sent), "sent: {what}");

            let jobs = cases.iter().zip(&keys).flat_map(|(case, (_, private))| {
                [case.ciphertext(), &case.wrong].map(|ciphertext| {
                    MlKemJob::decapsulate(private, ciphertext.to_vec(), ()).expect("fits")
                })
            });
            let made = process(cpu, jobs.collect());
            for (made, case) in made.chunks(2).zip(cases) {
                check_secret(&made[0], case.secret(), &what);
                check_secret(&made[1], &case.rejection, &what);
            }
        }
    }
}

#[test]
fn any_mix_is_right_by_any_manager() {
    let each = if is_brief() { 3 } else { 40 };
    let mut cases: Vec<_> = MlKemSet::ALL.into_iter().flat_map(|set| cases(set, each)).collect();
    let mut seed = 9;
    for at in (1..cases.len()).rev() {
        cases.swap(at, usize::from(random(&mut seed, 1)[0]) % (at + 1));
    }
    let keys: Vec<_> = cases.iter().map(|case| (case.public(), case.private())).collect();
    let job = |number: usize| {
        let (case, (public, private)) = (&cases[number / 3], &keys[number / 3]);
        let set = case.set;
        let job = match number % 3 {
            0 => MlKemJob::generate(set, key_buffer(set, &case.seed), number),
            1 => MlKemJob::encapsulate(public, message_buffer(set, &case.message), number),
            _ => MlKemJob::decapsulate(private, case.ciphertext().to_vec(), number),
        };
        job.expect("fits")
    };
    let check = |job: MlKemJob<'_, Vec<u8>, usize>| {
        assert!(job.is_complete());
        let (output, number) = job.into_parts();
        let case = &cases[number / 3];
        match number % 3 {
            0 => assert!(output == case.key, "key {number}"),
            1 => assert!(output == case.sent, "sent {number}"),
            _ => check_secret(&output, case.secret(), "received"),
        }
        number
    };
    for cpu in cpus() {
        let mut jobs: Vec<_> = (0..3 * cases.len()).map(job).collect();
        Planner::new(&cpu).process_many(&mut jobs);
        for job in jobs {
            check(job);
        }

        let mut seen = 0;
        let mut manager = OutOfOrder::new(&cpu, 70);
        for number in 0..3 * cases.len() {
            seen += usize::from(manager.submit(job(number)).map(check).is_some());
        }
        while let Some(job) = manager.flush() {
            check(job);
            seen += 1;
        }
        assert_eq!(seen, 3 * cases.len());

        let mut next = 0;
        let mut manager = InOrder::new(&cpu, 50);
        let mut back = |job| {
            assert_eq!(check(job), next);
            next += 1;
        };
        (0..3 * cases.len())
            .for_each(|number| manager.submit(job(number)).into_iter().for_each(&mut back));
        core::iter::from_fn(|| manager.flush()).for_each(&mut back);
        assert_eq!(next, 3 * cases.len());
    }
}

#[test]
fn buffers_may_be_apart_and_lent() {
    for cpu in cpus() {
        let mut planner = Planner::<MlKemLanes>::new(&cpu);
        for set in MlKemSet::ALL {
            let case = &cases(set, 1)[0];
            let (public, private) = (case.public(), case.private());
            let (seed, message) = (key_buffer(set, &case.seed), message_buffer(set, &case.message));
            let mut key = std::vec![1; seed.len()];
            let mut sent = std::vec![2; message.len()];
            let mut received = std::vec![3; case.ciphertext().len()];
            let loans = [
                MlKemLanes::generate(set, Buffers::Apart(&seed, &mut key)),
                MlKemLanes::encapsulate(&public, Buffers::Apart(&message, &mut sent)),
                MlKemLanes::decapsulate(&private, Buffers::Apart(case.ciphertext(), &mut received)),
            ];
            planner.process_each(loans.map(|loan| loan.expect("fits")));
            assert!(key == case.key && sent == case.sent, "{set} on {}", cpu.isa());
            check_secret(&received, case.secret(), set.name());

            let pair = OutOfPlace::new(case.ciphertext(), std::vec![4; received.len()]);
            let pair = pair.expect("as long");
            let mut jobs = [MlKemJob::decapsulate(&private, pair, ()).expect("fits")];
            Planner::new(&cpu).process_many(&mut jobs);
            check_secret(jobs[0].output().expect("complete"), case.secret(), set.name());
        }
    }
}
