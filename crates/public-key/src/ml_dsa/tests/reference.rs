//! The crate `ml-dsa`, and all managers.

use std::vec::Vec;

use broadloom_lanes::{Buffers, InOrder, OutOfOrder};
use ml_dsa::{ExpandedSigningKey, MlDsa44, MlDsa65, MlDsa87, Signature};

use super::*;
use crate::prehash::PreHash;

/// What the other implementation makes of a seed, a message, and randomness.
struct Case {
    set: MlDsaSet,
    seed: Vec<u8>,
    /// The private key, and the public key behind it.
    keys: Vec<u8>,
    context: Vec<u8>,
    text: Vec<u8>,
    random: Option<[u8; 32]>,
    signature: Vec<u8>,
}

macro_rules! case {
    ($set:expr, $other:ty, $number:expr) => {{
        let (set, number): (MlDsaSet, usize) = ($set, $number);
        let mut state = 1000 * number as u64 + set as u64;
        let seed = random(&mut state, 32);
        let other = <ExpandedSigningKey<$other>>::from_seed(seed[..].try_into().expect("32 bytes"));
        #[allow(deprecated, reason = "the encoding is the standard's")]
        let private = other.to_expanded().to_vec();
        let public = other.verifying_key().encode();
        // Messages of every length up to some blocks, and one that is long.
        let len = if number == 5 { 5000 } else { 23 * number % 700 };
        let (context, text) = (random(&mut state, number * 7 % 256), random(&mut state, len));
        let noise: Option<[u8; 32]> =
            (number % 3 != 0).then(|| random(&mut state, 32).try_into().expect("32 bytes"));
        let prefix = [0, context.len() as u8];
        let rnd = noise.unwrap_or([0; 32]).into();
        let signature = other.sign_internal(&[&prefix, &context, &text], &rnd).encode().to_vec();
        let keys = [&private[..], &public[..]].concat();
        Case { set, seed, keys, context, text, random: noise, signature }
    }};
}

/// Cases of one set.
fn cases(set: MlDsaSet, count: usize) -> Vec<Case> {
    let case = |number: usize| match set {
        MlDsaSet::MlDsa44 => case!(set, MlDsa44, number),
        MlDsaSet::MlDsa65 => case!(set, MlDsa65, number),
        MlDsaSet::MlDsa87 => case!(set, MlDsa87, number),
    };
    (0..count).map(case).collect()
}

impl Case {
    fn private(&self) -> MlDsaPrivateKey {
        let len = self.set.private_key_len();
        MlDsaPrivateKey::new(self.set, &self.keys[..len]).expect("a key")
    }

    fn public(&self) -> MlDsaPublicKey {
        let len = self.set.private_key_len();
        MlDsaPublicKey::new(self.set, &self.keys[len..]).expect("a key")
    }

    fn message(&self) -> MlDsaMessage<'_> {
        MlDsaMessage::new(&self.text).context(&self.context).expect("up to 255 bytes")
    }

    fn room(&self) -> Vec<u8> {
        std::vec![0xaa; self.set.signature_len()]
    }
}

#[test]
fn any_number_of_operations_is_as_another_implementation_has_it() {
    let counts: &[usize] = if is_brief() { &[1, 5] } else { &[1, 2, 3, 7, 8, 9, 16, 17, 70] };
    for set in MlDsaSet::ALL {
        let all = cases(set, *counts.last().expect("there are some"));
        for (cpu, count) in cpus().iter().flat_map(|cpu| counts.iter().map(move |n| (cpu, *n))) {
            let what = std::format!("{count} of {set} on {}", cpu.isa());
            let cases = &all[..count];
            let made = generate(cpu, set, cases.iter().map(|case| &case.seed[..]));
            assert!(made.iter().zip(cases).all(|(keys, case)| *keys == case.keys), "keys: {what}");

            let keys: Vec<_> = cases.iter().map(|case| (case.public(), case.private())).collect();
            let mut jobs = Vec::new();
            for (case, (_, private)) in cases.iter().zip(&keys) {
                let (message, room) = (case.message(), case.room());
                let job = MlDsaSignJob::sign(private, message, case.random.as_ref(), room, ());
                jobs.push(job.expect("fits"));
            }
            Planner::new(cpu).process_many(&mut jobs);
            let made = jobs.into_iter().map(|job| job.into_parts().0);
            assert!(made.zip(cases).all(|(made, case)| made == case.signature), "signed: {what}");

            let mut jobs = Vec::new();
            for (case, (public, _)) in cases.iter().zip(&keys) {
                let right = &case.signature;
                let job = MlDsaVerifyJob::verify(public, case.message(), right.clone(), true);
                jobs.push(job.expect("fits"));
                let mut wrong = right.clone();
                let at = jobs.len() * 997 % wrong.len();
                wrong[at] ^= 1 << (at % 8);
                let job = MlDsaVerifyJob::verify(public, case.message(), wrong, false);
                jobs.push(job.expect("fits"));
                let other = MlDsaMessage::new(b"another message");
                let job = MlDsaVerifyJob::verify(public, other, right.clone(), false);
                jobs.push(job.expect("fits"));
            }
            Planner::new(cpu).process_many(&mut jobs);
            assert!(jobs.iter().all(|job| job.is_right() == Some(*job.user())), "checked: {what}");
        }
    }
}

#[test]
fn operations_under_one_key_share_it_and_keys_take_turns() {
    let count = if is_brief() { 3 } else { 40 };
    for set in MlDsaSet::ALL {
        let cases = cases(set, count);
        let keys: Vec<_> = cases.iter().map(|case| (case.public(), case.private())).collect();
        // Half of the operations are under the first key, and the others under any.
        let mut seed = 6;
        let pick = |byte: u8| if byte & 1 == 0 { 0 } else { usize::from(byte >> 1) % count };
        let picks: Vec<_> = random(&mut seed, 4 * count).into_iter().map(pick).collect();
        for cpu in cpus() {
            let mut jobs = Vec::new();
            for number in &picks {
                let (case, key) = (&cases[*number], &keys[*number].1);
                let (message, room) = (case.message(), case.room());
                let job = MlDsaSignJob::sign(key, message, case.random.as_ref(), room, *number);
                jobs.push(job.expect("fits"));
            }
            Planner::new(&cpu).process_many(&mut jobs);
            for job in jobs {
                let (signature, number) = job.into_parts();
                let is_same = signature == cases[number].signature;
                assert!(is_same, "{set} on {}, {number}", cpu.isa());
            }

            let mut jobs = Vec::new();
            for number in &picks {
                let (case, key) = (&cases[*number], &keys[*number].0);
                let signature = case.signature.clone();
                let job = MlDsaVerifyJob::verify(key, case.message(), signature, true);
                jobs.push(job.expect("fits"));
                // The signature of another key.
                let (message, signature) = (case.message(), cases[1].signature.clone());
                let job = MlDsaVerifyJob::verify(key, message, signature, *number == 1);
                jobs.push(job.expect("fits"));
            }
            Planner::new(&cpu).process_many(&mut jobs);
            assert!(jobs.iter().all(|job| job.is_right() == Some(*job.user())), "{}", cpu.isa());
        }
    }
}

#[test]
fn any_mix_of_signatures_is_right_by_any_manager() {
    let each = if is_brief() { 2 } else { 30 };
    let mut cases: Vec<_> = MlDsaSet::ALL.into_iter().flat_map(|set| cases(set, each)).collect();
    let mut seed = 9;
    for at in (1..cases.len()).rev() {
        cases.swap(at, usize::from(random(&mut seed, 1)[0]) % (at + 1));
    }
    let keys: Vec<_> = cases.iter().map(Case::private).collect();
    let job = |number: usize| {
        let case = &cases[number];
        let random = case.random.as_ref();
        MlDsaSignJob::sign(&keys[number], case.message(), random, case.room(), number)
            .expect("fits")
    };
    let check = |job: MlDsaSignJob<'_, Vec<u8>, usize>| {
        assert!(job.is_complete());
        let (signature, number) = job.into_parts();
        assert!(signature == cases[number].signature, "{number}");
        number
    };
    for cpu in cpus() {
        let mut seen = 0;
        let mut manager = OutOfOrder::new(&cpu, 40);
        for number in 0..cases.len() {
            seen += usize::from(manager.submit(job(number)).map(check).is_some());
        }
        while let Some(job) = manager.flush() {
            check(job);
            seen += 1;
        }
        assert_eq!(seen, cases.len());

        let mut next = 0;
        let mut manager = InOrder::new(&cpu, 50);
        let mut back = |job| {
            assert_eq!(check(job), next);
            next += 1;
        };
        (0..cases.len())
            .for_each(|number| manager.submit(job(number)).into_iter().for_each(&mut back));
        core::iter::from_fn(|| manager.flush()).for_each(&mut back);
        assert_eq!(next, cases.len());
    }
}

#[test]
fn buffers_may_be_apart_and_operations_lent_together() {
    for cpu in cpus() {
        let mut planner = Planner::<MlDsaLanes>::new(&cpu);
        for set in MlDsaSet::ALL {
            let case = &cases(set, 2)[1];
            let (public, private) = (case.public(), case.private());
            let seed = key_buffer(set, &case.seed);
            let mut keys = std::vec![1; seed.len()];
            let mut signature = std::vec![2; set.signature_len()];
            let mut outcome = MlDsaOutcome::default();
            let random = case.random.as_ref();
            let loans = [
                MlDsaLanes::generate(set, Buffers::Apart(&seed, &mut keys)),
                MlDsaLanes::sign(&private, case.message(), random, &mut signature),
                MlDsaLanes::verify(&public, case.message(), &case.signature, &mut outcome),
            ];
            planner.process_each(loans.map(|loan| loan.expect("fits")));
            assert!(keys == case.keys && signature == case.signature, "{set} on {}", cpu.isa());
            assert!(outcome.is_right(), "{set} on {}", cpu.isa());
        }
    }
}

/// Signs a message with the other implementation, as its internal function does.
fn signed_internally(set: MlDsaSet, seed: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    macro_rules! sign {
        ($other:ty) => {{
            let key = <ExpandedSigningKey<$other>>::from_seed(seed.try_into().expect("32 bytes"));
            let signature: Signature<$other> = key.sign_internal(pieces, &[0; 32].into());
            signature.encode().to_vec()
        }};
    }
    match set {
        MlDsaSet::MlDsa44 => sign!(MlDsa44),
        MlDsaSet::MlDsa65 => sign!(MlDsa65),
        MlDsaSet::MlDsa87 => sign!(MlDsa87),
    }
}

#[test]
fn digests_and_representatives_are_signed_as_the_standard_has_it() {
    use sha3::digest::{ExtendableOutput, Update, XofReader};
    // FIPS 204, section 5.4.1, and NIST's register of hashes.
    let last = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    for set in MlDsaSet::ALL {
        let seed = random(&mut 77, 32);
        let keys = generate(&Cpu::detect(), set, [&seed[..]]).remove(0);
        let private = MlDsaPrivateKey::new(set, &keys[..set.private_key_len()]).expect("a key");
        let sign = |message: MlDsaMessage<'_>| {
            let room = std::vec![0; set.signature_len()];
            let mut jobs = [MlDsaSignJob::sign(&private, message, None, room, ()).expect("fits")];
            Planner::new(&Cpu::detect()).process_many(&mut jobs);
            jobs[0].output().expect("complete").to_vec()
        };
        let few = if is_brief() { 1 } else { 12 };
        for (hash, last) in PreHash::ALL.into_iter().zip(last).take(few) {
            let digest = random(&mut u64::from(last), hash.digest_len());
            let identifier = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last];
            let pieces: [&[u8]; 4] = [&[1, 4], b"uses", &identifier, &digest];
            let message = MlDsaMessage::hashed(hash, &digest).expect("its length");
            let message = message.context(b"uses").expect("short");
            assert!(sign(message) == signed_internally(set, &seed, &pieces), "{hash:?} {set}");
        }
        let text = b"a message";
        let mut mu = [0; 64];
        let mut shake = sha3::Shake256::default();
        shake.update(&keys[64..128]);
        shake.update(&[0, 0]);
        shake.update(text);
        shake.finalize_xof().read(&mut mu);
        assert!(sign(MlDsaMessage::external(&mu)) == sign(MlDsaMessage::new(text)), "{set}");
        let plain = signed_internally(set, &seed, &[text]);
        assert!(sign(MlDsaMessage::internal(text)) == plain, "{set}");
    }
}
