//! Hashes and HMAC against the RustCrypto crates, through every manager and instruction set.

use broadloom_lanes::{
    Cpu, Hash, HashJob, HmacKey, InOrder, Md5, OutOfOrder, Planner, Sha1, Sha224, Sha256, Sha384,
    Sha512, Stream,
};
use hmac::{Mac, SimpleHmac};
use proptest::prelude::*;
use sha2::digest::Digest;

/// The independent implementation of a hash.
trait Reference: Hash {
    fn digest(data: &[u8]) -> Vec<u8>;
    fn hmac(key: &[u8], data: &[u8]) -> Vec<u8>;
}

macro_rules! reference {
    ($($hash:ty => $other:ty),* $(,)?) => { $(
        impl Reference for $hash {
            fn digest(data: &[u8]) -> Vec<u8> {
                <$other>::digest(data).to_vec()
            }
            fn hmac(key: &[u8], data: &[u8]) -> Vec<u8> {
                let mut mac = <SimpleHmac<$other> as hmac::KeyInit>::new_from_slice(key)
                    .expect("any length of key will do");
                mac.update(data);
                mac.finalize().into_bytes().to_vec()
            }
        }
    )* };
}

reference! {
    Md5 => md5::Md5,
    Sha1 => sha1::Sha1,
    Sha224 => sha2::Sha224,
    Sha256 => sha2::Sha256,
    Sha384 => sha2::Sha384,
    Sha512 => sha2::Sha512,
}

/// Calls a generic check with every hash.
macro_rules! every_hash {
    ($check:ident($($argument:expr),*)) => {
        $check::<Md5>($($argument),*);
        $check::<Sha1>($($argument),*);
        $check::<Sha224>($($argument),*);
        $check::<Sha256>($($argument),*);
        $check::<Sha384>($($argument),*);
        $check::<Sha512>($($argument),*);
    };
}

/// This machine with every instruction set it has, and with and without its hash instructions.
fn cpus() -> Vec<Cpu> {
    let with = Cpu::available().map(|isa| Cpu::with_isa(isa).expect("it is available"));
    with.flat_map(|cpu| {
        let features: Vec<_> = cpu.features().iter().filter(|f| f.usable).map(|f| f.name).collect();
        let hashes = features.into_iter().filter(|name| ["sha", "sha2", "sha512"].contains(name));
        let without: Vec<_> = hashes.map(|name| cpu.without(name).expect("no ISA needs it")).collect();
        core::iter::once(cpu).chain(without)
    })
    .collect()
}

/// Bytes that differ from place to place.
fn bytes(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (seed.wrapping_mul(167) ^ i.wrapping_mul(31) ^ (i >> 7)) as u8).collect()
}

#[test]
fn every_length_in_every_lane_position() {
    fn check<A: Reference>(cpu: &Cpu) {
        let mut planner = Planner::new(cpu);
        let lengths = 0..=4 * A::BLOCK_LEN + 1;
        for position in 0..planner.lanes() {
            for len in lengths.clone() {
                let messages: Vec<_> = (0..planner.lanes())
                    .map(|lane| {
                        let other = (len * 7 + lane * 61) % (4 * A::BLOCK_LEN + 2);
                        bytes(lane, if lane == position { len } else { other })
                    })
                    .collect();
                let mut jobs: Vec<_> =
                    messages.iter().map(|m| HashJob::<A, _>::digest(m.as_slice(), ())).collect();
                planner.process_many(&mut jobs);
                assert_eq!(
                    jobs[position].output().expect("complete").as_ref(),
                    A::digest(&messages[position]),
                    "{} {} length {len} lane {position}",
                    A::NAME,
                    cpu.isa(),
                );
            }
        }
    }
    for cpu in cpus() {
        every_hash!(check(&cpu));
    }
}

/// A mix of messages and keys.
fn mix() -> impl Strategy<Value = Vec<(Option<Vec<u8>>, Vec<u8>)>> {
    let length = prop_oneof![0..200usize, 0..2000usize, 60..70usize, Just(4096usize)];
    let message = (length, any::<u8>()).prop_map(|(len, seed)| bytes(seed.into(), len));
    let key = proptest::option::of((0..200usize, any::<u8>()).prop_map(|(l, s)| bytes(s.into(), l)));
    proptest::collection::vec((key, message), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn managers_agree_with_the_reference(mix in mix(), depth in 1..70usize) {
        fn check<A: Reference>(cpu: &Cpu, mix: &[(Option<Vec<u8>>, Vec<u8>)], depth: usize) {
            let keys: Vec<_> = mix.iter().map(|(key, _)| key.as_deref().map(HmacKey::<A>::new)).collect();
            let expected: Vec<_> = mix
                .iter()
                .map(|(key, message)| match key {
                    Some(key) => A::hmac(key, message),
                    None => A::digest(message),
                })
                .collect();
            let job = |i: usize| match &keys[i] {
                Some(key) => HashJob::hmac(key, mix[i].1.as_slice(), i),
                None => HashJob::<A, _, _>::digest(mix[i].1.as_slice(), i),
            };
            let right = |job: &HashJob<A, &[u8], usize>| {
                assert_eq!(job.output().expect("complete").as_ref(), expected[*job.user()]);
            };

            let mut jobs: Vec<_> = (0..mix.len()).map(job).collect();
            Planner::new(cpu).process_many(&mut jobs);
            jobs.iter().for_each(right);

            let mut manager = OutOfOrder::new(cpu, depth);
            let mut seen = vec![0; mix.len()];
            for i in 0..mix.len() {
                if let Some(job) = manager.submit(job(i)) {
                    right(&job);
                    seen[*job.user()] += 1;
                }
                assert!(manager.in_flight() < depth);
            }
            while let Some(job) = manager.flush() {
                right(&job);
                seen[*job.user()] += 1;
            }
            assert!(seen.iter().all(|times| *times == 1));

            let mut manager = InOrder::new(cpu, depth);
            let mut next = 0;
            for i in 0..mix.len() {
                if let Some(job) = manager.submit(job(i)) {
                    right(&job);
                    assert_eq!(*job.user(), next);
                    next += 1;
                }
                assert!(manager.in_flight() < depth);
            }
            while let Some(job) = manager.flush() {
                right(&job);
                assert_eq!(*job.user(), next);
                next += 1;
            }
            assert_eq!(next, mix.len());
        }
        for cpu in cpus() {
            every_hash!(check(&cpu, &mix, depth));
        }
    }

    #[test]
    fn streams_are_as_good_as_one_piece(
        lengths in proptest::collection::vec((0..9usize, 0..300usize), 1..40),
        keyed in any::<bool>(),
    ) {
        fn check<A: Reference>(cpu: &Cpu, lengths: &[(usize, usize)], keyed: bool) {
            let key = HmacKey::<A>::new(b"key");
            let mut planner = Planner::new(cpu);
            let messages: Vec<_> = lengths
                .iter()
                .enumerate()
                .map(|(i, (blocks, rest))| (bytes(i, blocks * A::BLOCK_LEN), bytes(i + 99, *rest)))
                .collect();
            let mut streams: Vec<Stream<A>> = messages
                .iter()
                .map(|_| if keyed { Stream::hmac(&key) } else { Stream::new() })
                .collect();
            let mut updates: Vec<_> = streams
                .iter_mut()
                .zip(&messages)
                .map(|(s, m)| HashJob::update(s, m.0.as_slice(), ()).expect("whole blocks"))
                .collect();
            planner.process_many(&mut updates);
            assert!(updates.iter().all(|job| job.is_complete() && job.output().is_none()));
            let mut ends: Vec<_> = streams
                .iter_mut()
                .zip(&messages)
                .map(|(s, m)| HashJob::finish(s, m.1.as_slice(), ()))
                .collect();
            planner.process_many(&mut ends);
            for (job, (start, end)) in ends.iter().zip(&messages) {
                let message = [start.as_slice(), end].concat();
                let expected = if keyed { A::hmac(b"key", &message) } else { A::digest(&message) };
                assert_eq!(job.output().expect("complete").as_ref(), expected);
            }
        }
        for cpu in cpus() {
            every_hash!(check(&cpu, &lengths, keyed));
        }
    }
}
