//! SHA-3, SHAKE, HMAC over SHA-3, and KMAC: the standards' examples, and the RustCrypto crates,
//! through every manager and instruction set.

mod reference;

use crate::allocations::allocations;
#[cfg(all(unix, not(miri)))]
use crate::common::guarded::{Guarded, Side};
use crate::common::{brief, bytes, everywhere, hex, lengths, sponge_cpus};
use broadloom_lanes::{
    Cpu, HmacSha3Key, KmacKey, Loan, Occupancy, OutOfOrder, Planner, Sha3, Sha3_224, Sha3_256,
    Sha3_384, Sha3_512, Sha3Job, Shake128, Shake256, SpongeLanes, SpongeStream, Xof, XofJob,
};
use proptest::prelude::*;
use reference::{Sha3Reference, XofReference, every_sha3, every_xof, kmac};

/// The selection of the CAVP's vectors that every provider is tested with.
const CAVP: &str = include_str!("../../../conformance/vectors/cavp/sponges.txt");

/// The same of SHAKE, with more output than providers make.
const LONG_OUTPUT: &str = include_str!("sponge/long_output.txt");

/// Messages of an algorithm with their output.
fn cavp(algorithm: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let field = |record: &str, name: &str| {
        let line = record.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    };
    let records = CAVP.split("\n\n").chain(LONG_OUTPUT.split("\n\n"));
    let records = records.filter(|record| field(record, "algorithm").as_deref() == Some(algorithm));
    let bytes = |record, name| hex(&field(record, name).expect("every record has it"));
    records.map(|record| (bytes(record, "text"), bytes(record, "tag"))).collect()
}

#[test]
fn digests_are_those_of_nist() {
    fn check<A: Sha3>() {
        let examples = cavp(A::NAME);
        assert_eq!(examples.len(), 4, "{}", A::NAME);
        for cpu in sponge_cpus() {
            let job = |i: usize| Sha3Job::<A, _, _>::digest(examples[i].0.as_slice(), i);
            for depth in [1, 3, 64] {
                everywhere(&cpu, examples.len(), depth, job, |job| {
                    let digest = job.output().expect("complete").as_ref();
                    assert_eq!(digest, examples[*job.user()].1, "{} {}", A::NAME, cpu.isa());
                });
            }
        }
    }
    every_sha3!(check());
}

#[test]
fn output_of_any_length_is_that_of_nist() {
    fn check<A: Xof>() {
        let examples = cavp(A::NAME);
        assert!(examples.len() >= 7, "{}", A::NAME);
        for cpu in sponge_cpus() {
            let job = |i: usize| {
                let (text, output) = &examples[i];
                XofJob::<A, _, _, _>::shake(text.as_slice(), vec![0; output.len()], i)
            };
            for depth in [1, 3, 64] {
                everywhere(&cpu, examples.len(), depth, job, |job| {
                    let output = job.output().expect("complete");
                    assert_eq!(output, examples[*job.user()].1, "{} {}", A::NAME, cpu.isa());
                });
            }
        }
    }
    every_xof!(check());
}

/// The Monte Carlo tests of SHA3VS: a thousand digests, each of the one before.
#[test]
fn a_thousand_digests_end_as_nist_says() {
    fn check<A: Sha3>(seed: &str, last: &str) {
        for cpu in sponge_cpus() {
            let mut planner = Planner::new(&cpu);
            let mut message = hex(seed);
            for _ in 0..1000 {
                let mut digest = vec![0; A::DIGEST_LEN];
                planner.process_each([Loan::<SpongeLanes>::sha3::<A>(&message, &mut digest)]);
                message = digest;
            }
            assert_eq!(message, hex(last), "{} {}", A::NAME, cpu.isa());
        }
    }
    check::<Sha3_224>(
        "3a9415d401aeb8567e6f0ecee311f4f716b39e86045c8a51383db2b6",
        "90080c037bda5fafcada98e8afda62b10ffb5781b97f6e7aa3ded6e6",
    );
    check::<Sha3_256>(
        "aa64f7245e2177c654eb4de360da8761a516fdc7578c3498c5e582e096b8730c",
        "225cbac2be6f329d94228c5360a1c177bc495a761c442a1771b1d18555c309a5",
    );
    check::<Sha3_384>(
        "7a00791f6f65c21f1c97c58fa3c0520cfc85cd7e3d398cf0\
         1950819fa717195065a363e77d07753647cb0c130e9972ad",
        "b2d4e10214bd7991e3a3e4772f5c7b390178e20c3ff88264\
         8a891e44b9d309d91bf5fab74c0bc155a7fac972a9b128a2",
    );
    check::<Sha3_512>(
        "764a5511f00dbb0eaef2eb27ad58d35f74f563b88f789ff53f6cf3a47060c75c\
         eb455444cd17b6d438c042e0483919d249f2fd372774647d2545cbfad20b4d31",
        "83dd81285c36d86dde72631a1a1e0d9c12b0e2842d499a63b00de87f11839565\
         b21d9416f154b72034b7fcd41d2f1d9eac184eec823547772826ed90c53d856e",
    );
}

/// NIST's samples of KMAC and KMACXOF: customization or none, the bytes of the message, KMAC,
/// KMACXOF.
#[test]
fn tags_of_kmac_are_those_of_nist() {
    type Sample = (bool, usize, &'static str, &'static str);
    fn check<A: Xof>(samples: &[Sample]) {
        let (key, message) = (bytes_from(0x40, 32), bytes_from(0, 200));
        for cpu in sponge_cpus() {
            let mut planner = Planner::new(&cpu);
            for (is_custom, len, plain, xof) in samples {
                let customization = if *is_custom { "My Tagged Application" } else { "" };
                let key = KmacKey::<A>::new(&key, customization.as_bytes());
                let mut outputs = [plain, xof].map(|tag| vec![0; tag.len() / 2]);
                let [first, second] = &mut outputs;
                planner.process_each([
                    Loan::<SpongeLanes>::kmac(&key, &message[..*len], first),
                    Loan::<SpongeLanes>::kmac_xof(&key, &message[..*len], second),
                ]);
                assert_eq!(outputs, [hex(plain), hex(xof)], "{} {}", A::KMAC_NAME, cpu.isa());
            }
        }
    }
    check::<Shake128>(&[
        (
            false,
            4,
            "E5780B0D3EA6F7D3A429C5706AA43A00FADBD7D49628839E3187243F456EE14E",
            "CD83740BBD92CCC8CF032B1481A0F4460E7CA9DD12B08A0C4031178BACD6EC35",
        ),
        (
            true,
            4,
            "3B1FBA963CD8B0B59E8C1A6D71888B7143651AF8BA0A7070C0979E2811324AA5",
            "31A44527B4ED9F5C6101D11DE6D26F0620AA5C341DEF41299657FE9DF1A3B16C",
        ),
        (
            true,
            200,
            "1F5B4E6CCA02209E0DCB5CA635B89A15E271ECC760071DFD805FAA38F9729230",
            "47026C7CD793084AA0283C253EF658490C0DB61438B8326FE9BDDF281B83AE0F",
        ),
    ]);
    check::<Shake256>(&[
        (
            true,
            4,
            "20C570C31346F703C9AC36C61C03CB64C3970D0CFC787E9B79599D273A68D2F7\
             F69D4CC3DE9D104A351689F27CF6F5951F0103F33F4F24871024D9C27773A8DD",
            "1755133F1534752AAD0748F2C706FB5C784512CAB835CD15676B16C0C6647FA9\
             6FAA7AF634A0BF8FF6DF39374FA00FAD9A39E322A7C92065A64EB1FB0801EB2B",
        ),
        (
            false,
            200,
            "75358CF39E41494E949707927CEE0AF20A3FF553904C86B08F21CC414BCFD691\
             589D27CF5E15369CBBFF8B9A4C2EB17800855D0235FF635DA82533EC6B759B69",
            "FF7B171F1E8A2B24683EED37830EE797538BA8DC563F6DA1E667391A75EDC02C\
             A633079F81CE12A25F45615EC89972031D18337331D24CEB8F8CA8E6A19FD98B",
        ),
        (
            true,
            200,
            "B58618F71F92E1D56C1B8C55DDD7CD188B97B4CA4D99831EB2699A837DA2E4D9\
             70FBACFDE50033AEA585F1A2708510C32D07880801BD182898FE476876FC8965",
            "D5BE731C954ED7732846BB59DBE3A8E30F83E77A4BFF4459F2F1C2B4ECEBB8CE\
             67BA01C62E8AB8578D2D499BD1BB276768781190020A306A97DE281DCC30305D",
        ),
    ]);
}

/// Bytes that count up.
fn bytes_from(first: u8, len: usize) -> Vec<u8> {
    (first..).take(len).collect()
}

#[test]
fn every_length_in_every_lane_position() {
    fn check<A: Sha3Reference>(cpu: &Cpu) {
        let mut planner = Planner::new(cpu);
        let key = HmacSha3Key::<A>::new(b"key");
        let lengths = lengths(A::BLOCK_LEN, 3 * A::BLOCK_LEN + 1);
        for position in 0..planner.lanes() {
            for &len in &lengths {
                let messages: Vec<_> = (0..planner.lanes())
                    .map(|lane| {
                        let other = (len * 7 + lane * 61) % (3 * A::BLOCK_LEN + 2);
                        bytes(lane, if lane == position { len } else { other })
                    })
                    .collect();
                let job = |(lane, message): (usize, &Vec<u8>)| match (lane + len) % 2 {
                    0 => Sha3Job::<A, _>::digest(message.clone(), ()),
                    _ => Sha3Job::hmac(&key, message.clone(), ()),
                };
                let mut jobs: Vec<_> = messages.iter().enumerate().map(job).collect();
                planner.process_many(&mut jobs);
                let message = &messages[position];
                let expected = match (position + len) % 2 {
                    0 => A::digest(message),
                    _ => A::hmac(b"key", message),
                };
                assert_eq!(
                    jobs[position].output().expect("complete").as_ref(),
                    expected,
                    "{} {} length {len} lane {position}",
                    A::NAME,
                    cpu.isa(),
                );
            }
        }
    }
    for cpu in sponge_cpus() {
        every_sha3!(check(&cpu));
    }
}

#[test]
fn every_length_of_output() {
    fn check<A: XofReference>(cpu: &Cpu) {
        let (key, data) = (bytes(1, 40), bytes(2, 300));
        let expanded = KmacKey::<A>::new(&key, b"custom");
        let lengths = (0..=3 * A::BLOCK_LEN + 1).step_by(if brief() { 29 } else { 1 });
        let all: Vec<_> = lengths.map(|len| (len, len * 13 % data.len())).collect();
        let job = |i: usize| {
            let (len, text) = all[i];
            let (text, output) = (&data[..text], vec![0; len]);
            match i % 3 {
                0 => XofJob::<A, _, _, _>::shake(text, output, i),
                1 => XofJob::kmac(&expanded, text, output, i),
                _ => XofJob::kmac_xof(&expanded, text, output, i),
            }
        };
        everywhere(cpu, all.len(), 20, job, |job| {
            let (len, text) = all[*job.user()];
            let text = &data[..text];
            let expected = match job.user() % 3 {
                0 => A::shake(text, len),
                kind => kmac::<A>(&key, b"custom", text, len, kind == 2),
            };
            assert_eq!(job.output(), Some(&expected[..]), "{} {} {len}", A::NAME, cpu.isa());
        });
    }
    for cpu in sponge_cpus() {
        every_xof!(check(&cpu));
    }
}

/// A key, a customization string, data, and the length of the output.
type Parts = (Vec<u8>, Vec<u8>, Vec<u8>, usize);

fn parts() -> impl Strategy<Value = Parts> {
    let some = |most: usize| (0..most, any::<u8>()).prop_map(|(len, seed)| bytes(seed.into(), len));
    (some(400), some(400), some(1000), 0..400usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if brief() { 2 } else { 24 }))]

    /// Messages of all algorithms and lengths share the lanes of one planner.
    #[test]
    fn a_mix_of_all_algorithms(mix in proptest::collection::vec((0..10usize, parts()), 1..90)) {
        for cpu in sponge_cpus() {
            let mut planner = Planner::new(&cpu);
            let macs: [Vec<_>; 2] = [
                mix.iter().map(|(_, (key, ..))| Mac::Small(HmacSha3Key::new(key))).collect(),
                mix.iter().map(|(_, (key, ..))| Mac::Large(HmacSha3Key::new(key))).collect(),
            ];
            let kmac128: Vec<_> =
                mix.iter().map(|(_, (key, s, ..))| KmacKey::<Shake128>::new(key, s)).collect();
            let kmac256: Vec<_> =
                mix.iter().map(|(_, (key, s, ..))| KmacKey::<Shake256>::new(key, s)).collect();
            let expected: Vec<_> =
                mix.iter().map(|(kind, parts)| reference(*kind, parts)).collect();
            let mut outputs: Vec<_> = expected.iter().map(|output| vec![0; output.len()]).collect();
            let all = mix.iter().zip(&mut outputs).enumerate();
            planner.process_each(all.map(|(i, ((kind, (_, _, data, _)), output))| match kind {
                0 => Loan::<SpongeLanes>::sha3::<Sha3_224>(data, output),
                1 => Loan::<SpongeLanes>::sha3::<Sha3_256>(data, output),
                2 => Loan::<SpongeLanes>::sha3::<Sha3_384>(data, output),
                3 => Loan::<SpongeLanes>::sha3::<Sha3_512>(data, output),
                4 => Loan::<SpongeLanes>::shake::<Shake128>(data, output),
                5 => Loan::<SpongeLanes>::shake::<Shake256>(data, output),
                6 => macs[0][i].lend(data, output),
                7 => macs[1][i].lend(data, output),
                8 => Loan::<SpongeLanes>::kmac(&kmac128[i], data, output),
                _ => Loan::<SpongeLanes>::kmac_xof(&kmac256[i], data, output),
            }));
            prop_assert_eq!(&outputs, &expected, "{}", cpu.isa());
        }
    }

    #[test]
    fn managers_agree_with_the_reference(
        mix in proptest::collection::vec(parts(), 0..80),
        depth in 1..70usize,
    ) {
        fn check<A: Sha3Reference>(cpu: &Cpu, mix: &[Parts], depth: usize) {
            let keys: Vec<_> = mix.iter().map(|(key, ..)| HmacSha3Key::<A>::new(key)).collect();
            let expected: Vec<_> = mix
                .iter()
                .enumerate()
                .map(|(i, (key, _, data, _))| match i % 2 {
                    0 => A::digest(data),
                    _ => A::hmac(key, data),
                })
                .collect();
            let job = |i: usize| match i % 2 {
                0 => Sha3Job::<A, _, _>::digest(mix[i].2.as_slice(), i),
                _ => Sha3Job::hmac(&keys[i], mix[i].2.as_slice(), i),
            };
            everywhere(cpu, mix.len(), depth, job, |job| {
                assert_eq!(job.output().expect("complete").as_ref(), expected[*job.user()]);
            });
        }
        for cpu in sponge_cpus() {
            every_sha3!(check(&cpu, &mix, depth));
        }
    }

    #[test]
    fn streams_are_as_good_as_one_piece(
        lengths in proptest::collection::vec((0..1000usize, 0..300usize), 1..40),
    ) {
        fn check<A: Sha3Reference>(cpu: &Cpu, lengths: &[(usize, usize)]) {
            let key = HmacSha3Key::<A>::new(b"key");
            let mut planner = Planner::new(cpu);
            let messages = pieces(lengths);
            let mut streams: Vec<SpongeStream<A>> = (0..messages.len())
                .map(|i| if i % 2 == 0 { SpongeStream::new() } else { SpongeStream::hmac(&key) })
                .collect();
            let update = |(stream, (start, _)): (_, &(Vec<u8>, Vec<u8>))| {
                Sha3Job::<A, _>::update(stream, start.clone(), ())
            };
            let mut updates: Vec<_> = streams.iter_mut().zip(&messages).map(update).collect();
            planner.process_many(&mut updates);
            assert!(updates.iter().all(|job| job.is_complete() && job.output().is_none()));
            drop(updates);
            let finish = |(stream, (_, end)): (_, &(Vec<u8>, Vec<u8>))| {
                Sha3Job::<A, _>::finish(stream, end.clone(), ())
            };
            let mut ends: Vec<_> = streams.iter_mut().zip(&messages).map(finish).collect();
            planner.process_many(&mut ends);
            for (i, (job, (start, end))) in ends.iter().zip(&messages).enumerate() {
                let message = [start.as_slice(), end].concat();
                let expected =
                    if i % 2 == 0 { A::digest(&message) } else { A::hmac(b"key", &message) };
                assert_eq!(job.output().expect("complete").as_ref(), expected);
            }
        }
        for cpu in sponge_cpus() {
            every_sha3!(check(&cpu, &lengths));
        }
    }

    #[test]
    fn streams_of_output_of_any_length(
        lengths in proptest::collection::vec((0..1000usize, 0..300usize), 1..40),
    ) {
        fn check<A: XofReference>(cpu: &Cpu, lengths: &[(usize, usize)]) {
            let key = KmacKey::<A>::new(b"key", b"custom");
            let mut planner = Planner::new(cpu);
            for (i, (start, end)) in pieces(lengths).iter().enumerate() {
                let mut stream = match i % 3 {
                    0 => SpongeStream::<A>::new(),
                    1 => SpongeStream::kmac(&key),
                    _ => SpongeStream::kmac_xof(&key),
                };
                let mut update = [XofJob::update(&mut stream, start.as_slice(), vec![7; 5], ())];
                planner.process_many(&mut update);
                assert_eq!(update[0].output(), None);
                let [update] = update;
                assert_eq!(update.into_parts().1, [7; 5]);
                assert_eq!(stream.len(), start.len() as u64);
                let len = 1 + end.len();
                let mut last = [XofJob::finish(&mut stream, end.as_slice(), vec![0; len], ())];
                planner.process_many(&mut last);
                let message = [start.as_slice(), end].concat();
                let expected = match i % 3 {
                    0 => A::shake(&message, len),
                    kind => kmac::<A>(b"key", b"custom", &message, len, kind == 2),
                };
                assert_eq!(last[0].output(), Some(&expected[..]));
            }
        }
        for cpu in sponge_cpus() {
            every_xof!(check(&cpu, &lengths));
        }
    }
}

/// Messages in two pieces.
fn pieces(lengths: &[(usize, usize)]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let pair = |(i, &(first, last))| (bytes(i, first), bytes(i + 99, last));
    lengths.iter().enumerate().map(pair).collect()
}

/// Pieces of all lengths about a block and two follow each other.
#[test]
fn streams_take_pieces_of_any_length() {
    fn check<A: Sha3Reference>(cpu: &Cpu) {
        let mut planner = Planner::new(cpu);
        let message = bytes(5, 4 * A::BLOCK_LEN + 7);
        let lengths = (0..=2 * A::BLOCK_LEN + 1).step_by(if brief() { 31 } else { 1 });
        for (first, second) in lengths.map(|len| (len, len * 7 % (A::BLOCK_LEN + 2))) {
            let mut stream = SpongeStream::<A>::new();
            for piece in [&message[..first], &message[first..first + second]] {
                planner.process_many(&mut [Sha3Job::update(&mut stream, piece, ())]);
            }
            assert_eq!(stream.len(), (first + second) as u64);
            let mut last = [Sha3Job::finish(&mut stream, &message[first + second..], ())];
            planner.process_many(&mut last);
            let digest = last[0].output().expect("complete").as_ref();
            assert_eq!(digest, A::digest(&message), "{} {first}, {second}", A::NAME);
        }
    }
    for cpu in sponge_cpus() {
        every_sha3!(check(&cpu));
    }
}

/// A key of HMAC over one of two hashes.
enum Mac {
    Small(HmacSha3Key<Sha3_224>),
    Large(HmacSha3Key<Sha3_512>),
}

impl Mac {
    fn lend<'a>(&'a self, data: &'a [u8], tag: &'a mut [u8]) -> Loan<'a, SpongeLanes> {
        match self {
            Mac::Small(key) => Loan::<SpongeLanes>::hmac_sha3(key, data, tag),
            Mac::Large(key) => Loan::<SpongeLanes>::hmac_sha3(key, data, tag),
        }
    }
}

fn reference(kind: usize, (key, customization, data, len): &Parts) -> Vec<u8> {
    match kind {
        0 => Sha3_224::digest(data),
        1 => Sha3_256::digest(data),
        2 => Sha3_384::digest(data),
        3 => Sha3_512::digest(data),
        4 => Shake128::shake(data, *len),
        5 => Shake256::shake(data, *len),
        6 => Sha3_224::hmac(key, data),
        7 => Sha3_512::hmac(key, data),
        8 => kmac::<Shake128>(key, customization, data, *len, false),
        _ => kmac::<Shake256>(key, customization, data, *len, true),
    }
}

/// A manager that ends may give an update back unfinished: the stream is then as it was, and the
/// same job can be processed later.
#[test]
fn an_update_that_was_given_back_is_absorbed_once() {
    fn check<A: Sha3Reference>(cpu: &Cpu) {
        let message = bytes(3, 8 * A::BLOCK_LEN);
        let (start, end) = message.split_at(4 * A::BLOCK_LEN);
        let mut stream = SpongeStream::<A>::new();
        let mut other = SpongeStream::<A>::new();
        let mut manager = OutOfOrder::new(cpu, 64);
        let update = |stream, data| Sha3Job::update(stream, data, ());
        assert!(manager.submit(update(&mut other, &start[..A::BLOCK_LEN])).is_none());
        assert!(manager.submit(update(&mut stream, start)).is_none());
        let first = manager.flush().expect("it holds two");
        let mut rest: Vec<_> = manager.close().collect();
        assert!(first.is_complete() && rest.len() == 1);
        Planner::new(cpu).process_many(&mut rest);
        drop((first, rest));
        assert_eq!((other.len(), stream.len()), (A::BLOCK_LEN as u64, start.len() as u64));

        let mut last = [Sha3Job::finish(&mut stream, end, ())];
        Planner::new(cpu).process_many(&mut last);
        assert_eq!(last[0].output().expect("complete").as_ref(), A::digest(&message));
    }
    for cpu in sponge_cpus() {
        every_sha3!(check(&cpu));
    }
}

/// More buffers than any kernel has lanes.
#[cfg(all(unix, not(miri)))]
const MANY: usize = 20;

#[cfg(all(unix, not(miri)))]
#[test]
fn sponges_touch_their_buffers_and_nothing_else() {
    fn check<A: Sha3Reference>(texts: &mut [Guarded], outputs: &mut [Guarded]) {
        let key = HmacSha3Key::<A>::new(b"key");
        let step = if brief() { 41 } else { 1 };
        for len in (0..=2 * A::BLOCK_LEN + 1).step_by(step).chain([4096, 8192]) {
            let data: Vec<_> = (0..MANY).map(|i| bytes(i, len)).collect();
            for (side, cpu) in sides_and_cpus() {
                for count in [1, 2, MANY] {
                    let places = texts.iter_mut().zip(outputs.iter_mut()).zip(&data).take(count);
                    let loans = places.map(|((text, tag), data)| {
                        let tag = tag.place(side, &vec![0; A::DIGEST_LEN]);
                        Loan::<SpongeLanes>::hmac_sha3(&key, text.place(side, data), tag)
                    });
                    Planner::new(&cpu).process_each(loans);
                    for (i, (tag, data)) in outputs.iter_mut().zip(&data).enumerate().take(count) {
                        let what = format!("{} {} {side:?} {len}, {i}", A::NAME, cpu.isa());
                        assert!(tag.bytes(side, A::DIGEST_LEN) == A::hmac(b"key", data), "{what}");
                    }
                }
            }
        }
    }
    fn check_xof<A: XofReference>(texts: &mut [Guarded], outputs: &mut [Guarded]) {
        let text = bytes(1, 3 * A::BLOCK_LEN);
        for len in (0..=2 * A::BLOCK_LEN + 1).step_by(if brief() { 67 } else { 1 }) {
            let data = &text[..len * 7 % text.len()];
            for (side, cpu) in sides_and_cpus() {
                let places = texts.iter_mut().zip(outputs.iter_mut());
                let loans = places.map(|(text, output)| {
                    let output = output.place(side, &vec![0; len]);
                    Loan::<SpongeLanes>::shake::<A>(text.place(side, data), output)
                });
                Planner::new(&cpu).process_each(loans);
                let expected = A::shake(data, len);
                let right = outputs.iter_mut().all(|output| output.bytes(side, len) == expected);
                assert!(right, "{} {} {side:?} {len}", A::NAME, cpu.isa());
            }
        }
    }
    let regions = || (0..MANY).map(|_| Guarded::new()).collect::<Vec<_>>();
    let (mut texts, mut outputs) = (regions(), regions());
    every_sha3!(check(&mut texts, &mut outputs));
    every_xof!(check_xof(&mut texts, &mut outputs));
}

#[cfg(all(unix, not(miri)))]
fn sides_and_cpus() -> impl Iterator<Item = (Side, Cpu)> {
    [Side::Start, Side::End]
        .into_iter()
        .flat_map(|side| sponge_cpus().into_iter().map(move |cpu| (side, cpu)))
}

#[test]
fn sponges_allocate_nothing() {
    let key = KmacKey::<Shake128>::new(b"key", b"");
    let data = bytes(1, 1000);
    for cpu in sponge_cpus() {
        let mut planner = Planner::new(&cpu);
        let mut outputs = vec![[0; 200]; 100];
        let count = allocations(|| {
            planner.process_each(outputs.iter_mut().enumerate().map(|(i, output)| {
                let data = &data[..i * 31 % data.len()];
                match i % 2 {
                    0 => Loan::<SpongeLanes>::kmac(&key, data, output),
                    _ => Loan::<SpongeLanes>::sha3::<Sha3_512>(data, output),
                }
            }));
        });
        assert_eq!(count, 0, "on {}", cpu.isa());
    }
}

#[test]
fn occupancy_counts_what_ran() {
    for cpu in sponge_cpus() {
        let mut planner = Planner::<SpongeLanes>::new(&cpu);
        assert_eq!(planner.occupancy(), Occupancy::default());
        let lanes = planner.lanes();
        // Two whole blocks and one of padding each, all lanes full.
        let messages = vec![[7; 272]; 4 * lanes];
        let mut digests = vec![[0; 32]; messages.len()];
        let all = messages.iter().zip(&mut digests);
        planner.process_each(
            all.map(|(message, digest)| Loan::<SpongeLanes>::sha3::<Sha3_256>(message, digest)),
        );
        let steps = 3 * messages.len() as u64;
        assert_eq!(planner.occupancy(), Occupancy { used: steps, offered: steps });
        let alone = Loan::<SpongeLanes>::sha3::<Sha3_256>(&messages[0], &mut digests[0]);
        planner.process_each([alone]);
        let offered = steps + 3 * lanes as u64;
        assert_eq!(planner.occupancy(), Occupancy { used: steps + 3, offered });
    }
}

/// What this prints is how CI knows that an emulated processor ran the kernels that it is there
/// for.
#[test]
fn the_sha3_extension_is_used_where_there_is_one() {
    for cpu in sponge_cpus() {
        let infos = broadloom_lanes::kernels(&cpu);
        let info = infos.iter().find(|info| info.algorithm == "sha3-256").expect("it is listed");
        println!("kernels on {}: sha3-256 {}, {} lanes", cpu.isa(), info.kernel, info.lanes);
        let has_extension =
            cpu.isa() == broadloom_lanes::Isa::Neon && cpu.has(broadloom_lanes::Feature::Sha512);
        assert_eq!(info.kernel == "armv8-sha3", has_extension, "{cpu:?}");
    }
}
