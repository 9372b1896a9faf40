//! Hashes and HMAC against the RustCrypto crates, through every manager and instruction set.

use crate::common::{Reference, brief, bytes, every_hash, everywhere, hash_cpus, lengths};
use broadloom_lanes::{Cpu, HashJob, HmacKey, OutOfOrder, Planner, Stream};
use proptest::prelude::*;

#[test]
fn every_length_in_every_lane_position() {
    fn check<A: Reference>(cpu: &Cpu) {
        let mut planner = Planner::new(cpu);
        let lengths = lengths(A::BLOCK_LEN, 4 * A::BLOCK_LEN + 1);
        for position in 0..planner.lanes() {
            for &len in &lengths {
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
    for cpu in hash_cpus() {
        every_hash!(check(&cpu));
    }
}

/// Messages of one shape go side by side from start to end: alone, in any number, and where one
/// among them has another length, or is an HMAC or none where they are not.
#[test]
fn messages_of_one_shape_in_any_company() {
    fn check<A: Reference>(cpu: &Cpu) {
        let lanes = Planner::<broadloom_lanes::HashLanes<A>>::new(cpu).lanes();
        let key = HmacKey::<A>::new(b"key");
        let counts = [1, 2, 3, 4, 5, 8, 9, 12, 13, lanes - 1, lanes, lanes + 1, 2 * lanes + 3];
        // A padded end takes a second block from here on.
        let two_blocks = A::BLOCK_LEN - A::BLOCK_LEN / 8;
        let rests = [0..1, 0..two_blocks, two_blocks..A::BLOCK_LEN];
        for (case, count) in counts.into_iter().enumerate().skip(usize::from(brief()) * 9) {
            let (blocks, rests) = ([0, 1, 3][case / 3 % 3], &rests[case % 3]);
            for other in [None, Some(0), Some(count / 2), Some(count - 1)] {
                let message = |i: usize| {
                    let odd = usize::from(Some(i) == other && case % 2 == 0);
                    bytes(i, (blocks + odd) * A::BLOCK_LEN + rests.start + i * 5 % rests.len())
                };
                let keyed = |i: usize| (case % 4 < 2) != (Some(i) == other && case % 2 == 1);
                let messages: Vec<_> = (0..count).map(message).collect();
                let job = |i: usize| match keyed(i) {
                    true => HashJob::hmac(&key, messages[i].as_slice(), i),
                    false => HashJob::<A, _, _>::digest(messages[i].as_slice(), i),
                };
                everywhere(cpu, count, 2 * lanes, job, |job| {
                    let i = *job.user();
                    let expected = if keyed(i) {
                        A::hmac(b"key", &messages[i])
                    } else {
                        A::digest(&messages[i])
                    };
                    let output = job.output().expect("complete").as_ref();
                    assert_eq!(
                        output,
                        expected,
                        "{} {} {i} of {count}, odd {other:?}",
                        A::NAME,
                        cpu.isa()
                    );
                });
            }
        }
    }
    for cpu in hash_cpus() {
        every_hash!(check(&cpu));
    }
}

/// A mix of messages and keys.
fn mix() -> impl Strategy<Value = Vec<(Option<Vec<u8>>, Vec<u8>)>> {
    let length = prop_oneof![0..200usize, 0..2000usize, 60..70usize, Just(4096usize)];
    let message = (length, any::<u8>()).prop_map(|(len, seed)| bytes(seed.into(), len));
    let key =
        proptest::option::of((0..200usize, any::<u8>()).prop_map(|(l, s)| bytes(s.into(), l)));
    proptest::collection::vec((key, message), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn managers_agree_with_the_reference(mix in mix(), depth in 1..70usize) {
        fn check<A: Reference>(cpu: &Cpu, mix: &[(Option<Vec<u8>>, Vec<u8>)], depth: usize) {
            let keys: Vec<_> =
                mix.iter().map(|(key, _)| key.as_deref().map(HmacKey::<A>::new)).collect();
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
            everywhere(cpu, mix.len(), depth, job, |job| {
                assert_eq!(job.output().expect("complete").as_ref(), expected[*job.user()]);
            });
        }
        for cpu in hash_cpus() {
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
        for cpu in hash_cpus() {
            every_hash!(check(&cpu, &lengths, keyed));
        }
    }
}

/// A manager that ends may give an update back unfinished: the stream is then as it was, and the
/// same job can be processed later.
#[test]
fn an_update_that_was_given_back_is_absorbed_once() {
    fn check<A: Reference>(cpu: &Cpu) {
        let message = bytes(3, 8 * A::BLOCK_LEN);
        let (start, end) = message.split_at(4 * A::BLOCK_LEN);
        let mut stream = Stream::<A>::new();
        let mut other = Stream::<A>::new();
        let mut manager = OutOfOrder::new(cpu, 64);
        let update = |stream, data| HashJob::update(stream, data, ()).expect("whole blocks");
        assert!(manager.submit(update(&mut other, &start[..A::BLOCK_LEN])).is_none());
        assert!(manager.submit(update(&mut stream, start)).is_none());
        // The lanes take both; the shorter one completes first, or the longer one where they run
        // alone.
        let first = manager.flush().expect("it holds two");
        let mut rest: Vec<_> = manager.close().collect();
        assert!(first.is_complete() && rest.len() == 1);
        Planner::new(cpu).process_many(&mut rest);
        drop((first, rest));
        assert_eq!((other.len(), stream.len()), (A::BLOCK_LEN as u64, start.len() as u64));

        let mut last = [HashJob::finish(&mut stream, end, ())];
        Planner::new(cpu).process_many(&mut last);
        assert_eq!(last[0].output().expect("complete").as_ref(), A::digest(&message));
    }
    for cpu in hash_cpus() {
        every_hash!(check(&cpu));
    }
}
