//! Whatever goes wrong, every job comes back once, and nothing wrong is taken for right.

use std::collections::HashSet;
use std::time::Duration;

use broadloom_emulated::{Emulated, Statistics};
use broadloom_engine::{
    Bytes, Compression, Data, DeviceFault, Job, JobError, Order, QueueConfig, QueuePair, Session,
};

use crate::common::{self, *};

/// Jobs of four kinds, and what is right.
struct FaultyBurst {
    hmac: Session,
    encrypt: Session,
    compress: Session,
    sign: Session,
    texts: Vec<Vec<u8>>,
    macs: Vec<Vec<u8>>,
    ciphertexts: Vec<Vec<u8>>,
    signatures: Vec<Vec<u8>>,
}

const NONCE: [u8; 16] = [3; 16];

impl FaultyBurst {
    fn new(device: &Emulated, seed: u64, count: usize) -> Self {
        let mut random = Random(seed);
        let texts: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let len = 16 * random.below(40);
                random.text(len)
            })
            .collect();
        let (hmac, encrypt, sign) = (direct(&hmac()), direct(&encrypt()), direct(&sign()));
        let mut macs: Vec<_> = texts.iter().map(|text| Job::new(&hmac, text.as_slice())).collect();
        let mut processor = broadloom_engine::Processor::new();
        processor.process_many(&mut macs);
        let macs = macs.into_iter().map(|job| job.tag().expect("it is made").to_vec()).collect();
        let ciphers = texts.iter().map(|text| Job::new(&encrypt, text.clone()).nonce(&NONCE));
        let mut ciphers: Vec<_> = ciphers.collect();
        processor.process_many(&mut ciphers);
        let ciphertexts =
            ciphers.iter().map(|job| job.output().expect("it is made").to_vec()).collect();
        let mut signed: Vec<_> =
            texts.iter().map(|text| Job::new(&sign, text.as_slice())).collect();
        processor.process_many(&mut signed);
        let signatures = signed.iter_mut().map(Job::take_output).collect();
        drop(signed);
        FaultyBurst {
            hmac: open(device, &common::hmac()),
            encrypt: open(device, &common::encrypt()),
            compress: open(device, &common::compress(Compression::default())),
            sign: open(device, &common::sign()),
            texts,
            macs,
            ciphertexts,
            signatures,
        }
    }

    /// Job number `number`; in place of what is borrowed, what is owned and can be handed over.
    fn job(&self, number: usize, owned: bool) -> Job<'_, usize> {
        let text = &self.texts[number];
        let job = match (number % 4, owned) {
            (0, false) => Job::new(&self.hmac, text.as_slice()),
            (0, true) => {
                let (a, b) = text.split_at(text.len() / 3);
                let pieces = vec![Bytes::from(a.to_vec()), Bytes::from(b.to_vec())];
                Job::new(&self.hmac, Data::gather(pieces))
            }
            (1, false) => {
                Job::new(&self.encrypt, (text.as_slice(), vec![0; text.len()])).nonce(&NONCE)
            }
            (1, true) => Job::new(&self.encrypt, text.clone()).nonce(&NONCE),
            (2, false) => Job::new(&self.compress, text.as_slice()),
            (2, true) => Job::new(&self.compress, Bytes::from(text.clone())),
            (_, false) => Job::new(&self.sign, text.as_slice()),
            (_, true) => Job::new(&self.sign, Bytes::from(text.clone())),
        };
        job.user(number)
    }

    fn assert_right(&self, job: &Job<'_, usize>, context: &str) {
        let number = *job.user_value();
        match number % 4 {
            0 => assert_eq!(job.tag(), Some(self.macs[number].as_slice()), "{context}"),
            1 => assert_eq!(job.output(), Some(self.ciphertexts[number].as_slice()), "{context}"),
            2 => {
                let output = job.output().expect("it is made");
                assert_eq!(inflate(output), self.texts[number], "{context}");
            }
            _ => assert_eq!(job.output(), Some(self.signatures[number].as_slice()), "{context}"),
        }
    }

    /// What was given in place, and failed, is as it was.
    fn assert_untouched(&self, job: &Job<'_, usize>, context: &str) {
        if let (1, Data::InPlace(buffer)) = (job.user_value() % 4, job.data()) {
            assert_eq!(buffer.as_slice(), self.texts[*job.user_value()], "{context}");
        }
    }
}

/// How a run went.
#[derive(Default)]
struct Tally {
    right: usize,
    failed: Vec<JobError>,
}

/// Puts `count` jobs through a queue pair, and asserts that each comes back once, right or failed.
fn run(device: &Emulated, seed: u64, count: usize, owned: bool, context: &str) -> Tally {
    let work = FaultyBurst::new(device, seed, count);
    let config = QueueConfig { capacity: 16, order: Order::Any, ..QueueConfig::default() };
    let mut queue = QueuePair::new(config);
    let mut waiting: Vec<_> = (0..count).map(|number| work.job(number, owned)).collect();
    let mut seen = vec![false; count];
    let mut tally = Tally::default();
    let mut back = Vec::new();
    let mut left = count;
    while left > 0 {
        queue.enqueue(&mut waiting);
        queue.dequeue(&mut back, usize::MAX);
        if back.is_empty() {
            queue.wait(Duration::from_millis(1));
        }
        for job in back.drain(..) {
            left -= 1;
            assert!(!std::mem::replace(&mut seen[*job.user_value()], true), "{context}: once");
            match job.status().expect("it is complete") {
                Ok(()) => {
                    work.assert_right(&job, context);
                    tally.right += 1;
                }
                Err(error) => {
                    work.assert_untouched(&job, context);
                    tally.failed.push(error);
                }
            }
        }
    }
    assert_eq!(queue.in_flight(), 0);
    tally
}

/// One kind of fault alone, in many runs, each with a seed of its own.
fn alone(faults: &str, seeds: u64) -> (Vec<Tally>, Statistics) {
    let mut last = Statistics::default();
    let tallies = (0..seeds).map(|seed| {
        let memory = if seed % 2 == 0 { "copy" } else { "gather" };
        let number = seed.to_string();
        let options =
            [("faults", faults), ("seed", &number), ("timeout", "2ms"), ("memory", memory)];
        let device = instant(&options);
        let tally =
            run(&device, seed, 40, seed % 2 == 1, &format!("{faults}, seed {seed}, {memory}"));
        add(&mut last, &device.statistics());
        tally
    });
    (tallies.collect(), last)
}

fn add(sum: &mut Statistics, one: &Statistics) {
    sum.stale += one.stale;
    sum.faults.full_rings += one.faults.full_rings;
    sum.faults.lost_responses += one.faults.lost_responses;
    sum.faults.corrupted_outputs += one.faults.corrupted_outputs;
    sum.faults.resets += one.faults.resets;
    sum.faults.removals += one.faults.removals;
}

fn all_failed_with(tallies: &[Tally], fault: DeviceFault) -> usize {
    let failed: Vec<_> = tallies.iter().flat_map(|tally| &tally.failed).collect();
    assert!(failed.iter().all(|error| **error == JobError::Device(fault)), "{failed:?}");
    failed.len()
}

#[test]
fn a_full_ring_only_delays() {
    let (tallies, statistics) = alone("full-ring:0.3", 100);
    assert!(tallies.iter().all(|tally| tally.right == 40));
    assert!(statistics.faults.full_rings > 100);
}

#[test]
fn lost_responses_time_out_and_late_ones_are_ignored() {
    let (tallies, statistics) = alone("lost-response:0.05", 100);
    let failed = all_failed_with(&tallies, DeviceFault::Timeout);
    assert_eq!(failed as u64, statistics.faults.lost_responses);
    assert!(failed > 100);
}

#[test]
fn damaged_output_is_never_taken_for_right() {
    let (tallies, statistics) = alone("corrupted-output:0.2", 100);
    let failed = all_failed_with(&tallies, DeviceFault::Corrupted);
    assert_eq!(failed as u64, statistics.faults.corrupted_outputs);
    assert!(failed > 400);
}

#[test]
fn a_reset_fails_what_is_outstanding_and_no_more() {
    let (tallies, statistics) = alone("reset:0.02", 200);
    let failed = all_failed_with(&tallies, DeviceFault::Reset);
    assert!(statistics.faults.resets > 50 && failed as u64 >= statistics.faults.resets);
    assert!(tallies.iter().any(|tally| tally.right > 0 && !tally.failed.is_empty()));
}

#[test]
fn a_device_that_is_gone_fails_everything_at_once() {
    let (tallies, statistics) = alone("removal:0.05", 100);
    let failed = all_failed_with(&tallies, DeviceFault::Removed);
    assert!(statistics.faults.removals > 50 && failed > 1000);
}

#[test]
fn a_slow_engine_is_slow_and_right() {
    let options = [
        ("faults", "slow-engine:0.3"),
        ("compression-request-time", "10us"),
        ("symmetric-request-time", "10us"),
        ("byte-time", "0ns"),
        ("doorbell", "0ns"),
    ];
    let device = device(&options);
    let tally = run(&device, 9, 200, false, "slow engines");
    assert_eq!(tally.right, 200);
    assert!(device.statistics().faults.slow_engines > 20);
}

/// Many runs with everything at once, in all ways of delivery. Most of their time is spent
/// in waiting, so several go on at a time.
#[test]
fn everything_at_once() {
    const THREADS: u64 = 4;
    let kinds = std::thread::scope(|scope| {
        let failed = |first| {
            let seeds = (first..2_500).step_by(THREADS as usize);
            seeds.flat_map(everything_with).collect::<HashSet<String>>()
        };
        let threads: Vec<_> =
            (0..THREADS).map(|first| scope.spawn(move || failed(first))).collect();
        let all = threads.into_iter().map(|thread| thread.join().expect("every run passes"));
        all.reduce(|all, more| &all | &more).expect("there are threads")
    });
    assert_eq!(kinds.len(), 4, "timeouts, damage, resets, removals, and nothing else: {kinds:?}");
}

/// A run, and what its jobs failed with.
fn everything_with(seed: u64) -> Vec<String> {
    let faults = "full-ring:0.1,slow-engine:0.05,lost-response:0.01,corrupted-output:0.05,\
                  reset:0.01,removal:0.002";
    let number = seed.to_string();
    let mut options =
        vec![("faults", faults), ("seed", &number), ("timeout", "200us"), ("ring", "8")];
    options.push(("memory", if seed.is_multiple_of(2) { "copy" } else { "gather" }));
    match seed % 5 {
        0 => options.push(("responses", "interrupt")),
        1 => options.extend([("poller", "thread"), ("poll-interval", "5us")]),
        2 => options.push(("wait", "20us")),
        _ => {}
    }
    let device = instant(&options);
    let tally = run(&device, seed, 24, seed % 4 > 1, &format!("seed {seed}"));
    tally.failed.iter().map(ToString::to_string).collect()
}

/// The plan of what goes wrong depends on the seed alone.
#[test]
fn a_seed_gives_the_same_faults_again() {
    let once = || {
        let options = [("faults", "corrupted-output:0.2,full-ring:0.1"), ("seed", "77")];
        let device = instant(&options);
        let work = FaultyBurst::new(&device, 1, 60);
        let mut processor = broadloom_engine::Processor::new();
        let mut jobs: Vec<_> = (0..60).map(|number| work.job(number, false)).collect();
        processor.process_many(&mut jobs);
        jobs.iter().map(|job| job.status()).collect::<Vec<_>>()
    };
    let first = once();
    assert!(first.iter().any(|status| *status != Some(Ok(()))));
    assert_eq!(first, once());
}

/// What a device fails at, software does again where it may, and the output is right.
#[test]
fn software_takes_over_where_it_is_allowed_to() {
    let faults = "lost-response:0.05,corrupted-output:0.1,reset:0.02,removal:0.005";
    for seed in 0..200u64 {
        let number = seed.to_string();
        let memory = if seed % 2 == 0 { "copy" } else { "gather" };
        let options =
            [("faults", faults), ("seed", &number), ("timeout", "1ms"), ("memory", memory)];
        let device = instant(&options);
        let mut work = FaultyBurst::new(&device, seed, 30);
        let falling =
            |device: Session, other: Session| device.falling_back_to(other).expect("it fits");
        work.hmac = falling(work.hmac, direct(&hmac()));
        work.encrypt = falling(work.encrypt, direct(&encrypt()));
        work.compress = falling(work.compress, direct(&compress(Compression::default())));
        work.sign = falling(work.sign, direct(&sign()));
        let mut jobs: Vec<_> = (0..30).map(|number| work.job(number, seed % 4 > 1)).collect();
        let outcome = broadloom_engine::Processor::new().process_many(&mut jobs);
        assert_eq!(outcome.failed, 0, "seed {seed}");
        jobs.iter().for_each(|job| work.assert_right(job, &format!("seed {seed}, {memory}")));
    }
}
