//! An independent implementation, and all managers.

use std::string::ToString;
use std::vec::Vec;

use broadloom_lanes::{Cpu, InOrder, Job, OutOfOrder, Planner};
use slh_dsa::signature::Keypair;
use slh_dsa::{ParameterSet, SigningKey};

use super::{cpus, fast_sets, key, random, sets, sign, verify};
use crate::prehash::PreHash;
use crate::slh_dsa::{
    SlhDsaLanes, SlhDsaMessage, SlhDsaOutcome, SlhDsaPrivateKey, SlhDsaSet, SlhDsaSignJob,
    SlhDsaVerifyJob,
};

/// Returns the other implementation's signature, after it found the key to be right.
fn of<P: ParameterSet>(
    key: &[u8],
    message: &[u8],
    context: &[u8],
    random: Option<&[u8]>,
) -> Vec<u8> {
    let n = key.len() / 4;
    let other = SigningKey::<P>::slh_keygen_internal(&key[..n], &key[n..2 * n], &key[2 * n..3 * n]);
    assert_eq!(other.verifying_key().to_vec(), key[2 * n..], "the public key");
    other.try_sign_with_context(message, context, random).expect("it signs").to_vec()
}

fn signature(
    set: SlhDsaSet,
    key: &[u8],
    message: &[u8],
    context: &[u8],
    random: Option<&[u8]>,
) -> Vec<u8> {
    let of = match set {
        SlhDsaSet::Sha2_128s => of::<slh_dsa::Sha2_128s>,
        SlhDsaSet::Sha2_128f => of::<slh_dsa::Sha2_128f>,
        SlhDsaSet::Sha2_192s => of::<slh_dsa::Sha2_192s>,
        SlhDsaSet::Sha2_192f => of::<slh_dsa::Sha2_192f>,
        SlhDsaSet::Sha2_256s => of::<slh_dsa::Sha2_256s>,
        SlhDsaSet::Sha2_256f => of::<slh_dsa::Sha2_256f>,
        SlhDsaSet::Shake128s => of::<slh_dsa::Shake128s>,
        SlhDsaSet::Shake128f => of::<slh_dsa::Shake128f>,
        SlhDsaSet::Shake192s => of::<slh_dsa::Shake192s>,
        SlhDsaSet::Shake192f => of::<slh_dsa::Shake192f>,
        SlhDsaSet::Shake256s => of::<slh_dsa::Shake256s>,
        SlhDsaSet::Shake256f => of::<slh_dsa::Shake256f>,
    };
    of(key, message, context, random)
}

/// Returns the bytes of a key.
fn bytes(key: &SlhDsaPrivateKey) -> Vec<u8> {
    [key.seed(), key.prf_key(), key.public().bytes()].concat()
}

#[test]
fn every_set_signs_as_another_implementation_does() {
    let mut planner = Planner::new(&Cpu::detect());
    for (number, set) in sets().enumerate() {
        let key = key(set, number as u64);
        let message = SlhDsaMessage::new(b"Broadloom").context(b"context").expect("short");
        let expected = signature(set, &bytes(&key), b"Broadloom", b"context", None);
        assert!(sign(&mut planner, &key, message, None) == expected, "{set}");
        assert_eq!(verify(&mut planner, &[(key.public(), message, &expected)]), [true], "{set}");
    }
}

/// Returns the other implementation's signature of a message in pieces that nothing is put in front
/// of.
fn signed_internally(set: SlhDsaSet, key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    fn of<P: ParameterSet>(key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
        let key = SigningKey::<P>::try_from(key).expect("a key");
        key.slh_sign_internal(pieces, None).to_vec()
    }
    match set {
        SlhDsaSet::Sha2_128f => of::<slh_dsa::Sha2_128f>(key, pieces),
        SlhDsaSet::Sha2_192f => of::<slh_dsa::Sha2_192f>(key, pieces),
        SlhDsaSet::Shake128f => of::<slh_dsa::Shake128f>(key, pieces),
        _ => unreachable!("{set} is not tested here"),
    }
}

#[test]
fn digests_are_signed_as_the_standard_has_it() {
    // NIST's register of hashes.
    let last = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let mut planner = Planner::new(&Cpu::detect());
    let tested = [SlhDsaSet::Sha2_128f, SlhDsaSet::Sha2_192f, SlhDsaSet::Shake128f];
    for set in tested.into_iter().filter(|set| sets().any(|other| other == *set)) {
        let key = key(set, 5);
        let few = if super::is_brief() { 1 } else { 12 };
        for (hash, last) in PreHash::ALL.into_iter().zip(last).take(few) {
            let digest = random(&mut u64::from(last), hash.digest_len());
            // FIPS 205, algorithm 23, line 24.
            let identifier = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last];
            let pieces: [&[u8]; 4] = [&[1, 4], b"uses", &identifier, &digest];
            let message = SlhDsaMessage::hashed(hash, &digest).expect("its length");
            let message = message.context(b"uses").expect("short");
            let expected = signed_internally(set, &bytes(&key), &pieces);
            assert!(sign(&mut planner, &key, message, None) == expected, "{hash:?} {set}");
            let claim = (key.public(), message, &expected[..]);
            // The digest as a message of its own has another signature.
            let plain = SlhDsaMessage::new(&digest).context(b"uses").expect("short");
            let other = (key.public(), plain, &expected[..]);
            assert_eq!(verify(&mut planner, &[claim, other]), [true, false], "{hash:?} {set}");
        }
    }
    let error = SlhDsaMessage::hashed(PreHash::Sha384, &[0; 32]).unwrap_err().to_string();
    assert_eq!(error, "a digest of 32 bytes is none of sha384; valid: 48");
}

/// A message to be signed, and the signature.
struct Case {
    key: SlhDsaPrivateKey,
    message: Vec<u8>,
    context: Vec<u8>,
    random: Option<Vec<u8>>,
    signature: Vec<u8>,
}

impl Case {
    fn message(&self) -> SlhDsaMessage<'_> {
        SlhDsaMessage::new(&self.message).context(&self.context).expect("short")
    }
}

/// Messages whose lengths lie around those of blocks, under several keys of each set.
fn cases(sets: impl Iterator<Item = SlhDsaSet>) -> Vec<Case> {
    let mut seed = 9;
    let lens: Vec<_> =
        [0, 40, 87, 136, 1000].into_iter().zip([0, 1, 255].into_iter().cycle()).collect();
    let of_set = |(number, set): (usize, SlhDsaSet)| {
        let lens = if super::is_brief() { &lens[..2] } else { &lens };
        let mut seed = 77 + number as u64;
        let keys = [0, 1].map(|which| (number + 100 * which) as u64);
        lens.iter()
            .enumerate()
            .map(|(at, (len, context_len))| {
                let key = key(set, keys[at % 2]);
                let message = random(&mut seed, *len);
                let context = random(&mut seed, *context_len);
                let random = (at % 3 > 0).then(|| random(&mut seed, set.node_len()));
                let parts = bytes(&key);
                let signature = signature(set, &parts, &message, &context, random.as_deref());
                Case { key, message, context, random, signature }
            })
            .collect::<Vec<_>>()
    };
    let mut all: Vec<_> = sets.enumerate().flat_map(of_set).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, usize::from(random(&mut seed, 1)[0]) % (at + 1));
    }
    all
}

#[test]
fn any_mix_is_right_by_any_manager() {
    type Sign<'a> = SlhDsaSignJob<'a, Vec<u8>, usize>;
    fn drain<J: Job>(flush: impl FnMut() -> Option<J>, check: impl FnMut(J)) {
        core::iter::from_fn(flush).for_each(check);
    }
    let cases = cases(fast_sets());
    let sign = |at: usize| {
        let case = &cases[at];
        let room = std::vec![0xaa; case.signature.len()];
        Sign::sign(&case.key, case.message(), case.random.as_deref(), room, at).expect("as long")
    };
    for cpu in cpus() {
        let check = |job: Sign<'_>| {
            let (signature, at) = job.into_parts();
            let case = &cases[at];
            assert!(signature == case.signature, "{} on {}", case.key.set(), cpu.isa());
        };
        let mut jobs: Vec<_> = (0..cases.len()).map(sign).collect();
        Planner::new(&cpu).process_many(&mut jobs);
        jobs.into_iter().for_each(check);

        let verify = |at: usize| {
            let Case { key, signature, .. } = &cases[at];
            let job =
                SlhDsaVerifyJob::verify(key.public(), cases[at].message(), &signature[..], at);
            job.expect("as long")
        };
        let mut jobs: Vec<_> = (0..cases.len()).map(verify).collect();
        Planner::new(&cpu).process_many(&mut jobs);
        assert!(jobs.iter().all(|job| job.is_right() == Some(true)), "on {}", cpu.isa());

        let mut seen = 0;
        let mut back = |job: SlhDsaVerifyJob<'_, &[u8], usize>| {
            assert_eq!(job.is_right(), Some(true), "{} on {}", job.user(), cpu.isa());
            seen += 1;
        };
        let mut manager = OutOfOrder::new(&cpu, 20);
        (0..cases.len()).for_each(|at| manager.submit(verify(at)).into_iter().for_each(&mut back));
        drain(|| manager.flush(), &mut back);
        assert_eq!(seen, cases.len());
    }
    let cpu = Cpu::detect();
    let mut next = 0;
    let mut back = |job: Sign<'_>| {
        let (signature, at) = job.into_parts();
        assert!(at == next && signature == cases[at].signature, "job {at}");
        next += 1;
    };
    let mut manager = InOrder::new(&cpu, 5);
    (0..cases.len()).for_each(|at| manager.submit(sign(at)).into_iter().for_each(&mut back));
    drain(|| manager.flush(), &mut back);
    assert_eq!(next, cases.len());
}

#[test]
fn loans_give_the_same_answers() {
    let cases = cases(fast_sets().take(2));
    for cpu in cpus() {
        let mut planner = Planner::<SlhDsaLanes>::new(&cpu);
        let mut rooms: Vec<_> =
            cases.iter().map(|case| std::vec![0; case.signature.len()]).collect();
        let mut outcomes = std::vec![SlhDsaOutcome::default(); cases.len()];
        let mut keys: Vec<_> = cases.iter().map(|case| bytes(&case.key)).collect();
        for key in &mut keys {
            let seeds = 3 * key.len() / 4;
            key[seeds..].fill(0);
        }
        let all = cases.iter().zip(&mut rooms).zip(&mut outcomes).zip(&mut keys);
        planner.process_each(all.flat_map(|(((case, room), outcome), key)| {
            let random = case.random.as_deref();
            let sign = SlhDsaLanes::sign(&case.key, case.message(), random, room);
            let public = case.key.public();
            let verify = SlhDsaLanes::verify(public, case.message(), &case.signature, outcome);
            let key = SlhDsaLanes::from_seeds(public.set(), key);
            [sign.expect("as long"), verify.expect("as long"), key.expect("as long")]
        }));
        for (((case, room), outcome), key) in cases.iter().zip(&rooms).zip(&outcomes).zip(&keys) {
            let set = case.key.set();
            assert!(*room == case.signature && outcome.is_right(), "{set} on {}", cpu.isa());
            assert!(*key == bytes(&case.key), "{set} on {}", cpu.isa());
        }
    }
}
