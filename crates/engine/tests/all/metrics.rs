//! What is counted is exactly what was done, also while others read, and is not forgotten.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use broadloom_engine::metrics::{QueueKind, QueueTotals, SeriesTotals, read, start};
use broadloom_engine::{
    AeadAlgorithm, AesSize, Job, PlainJob, Processor, QueueConfig, QueuePair, Session, Transform,
    Workers, WorkersConfig,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

use crate::common::{self, PANIC};
use crate::toy::{CIPHER, HASH, MAC, Toy, sum};

/// The transforms that tests open, with labels of their own: tests of one program share the list
/// of queues. They count from then on.
fn digest(label: &str) -> Transform {
    start();
    Transform::hash(HASH).label(label).expect("it fits")
}

fn encrypt(label: &str) -> Transform {
    start();
    let transform = Transform::cipher(CIPHER, &[7; 16]).encrypt().expect("it fits");
    transform.label(label).expect("it fits")
}

/// The queues that have done something under a label, with what they did under it.
pub fn queues(label: &str) -> Vec<(QueueTotals, Vec<SeriesTotals>)> {
    let of_label = |queue: QueueTotals| {
        let own = queue.series.iter().filter(|totals| totals.series.label() == label);
        let own: Vec<_> = own.cloned().collect();
        (!own.is_empty()).then_some((queue, own))
    };
    read().into_iter().filter_map(of_label).collect()
}

/// The only queue that has done something under a label.
pub fn queue(label: &str) -> (QueueTotals, Vec<SeriesTotals>) {
    let mut queues = queues(label);
    assert_eq!(queues.len(), 1, "{queues:?}");
    queues.remove(0)
}

/// Operations and bytes of all queues under a label.
fn sums(label: &str) -> (u64, u64) {
    let series = queues(label).into_iter().flat_map(|(_, series)| series);
    series.fold((0, 0), |(operations, bytes), totals| {
        (operations + totals.operations, bytes + totals.bytes)
    })
}

/// Operations and bytes by the longest length of their class.
pub fn sizes(series: &[SeriesTotals]) -> Vec<(u64, u64, u64)> {
    series.iter().map(|totals| (totals.longest, totals.operations, totals.bytes)).collect()
}

fn digests<'a>(session: &'a Session, lens: impl IntoIterator<Item = usize>) -> Vec<Job<'a>> {
    lens.into_iter().map(|len| Job::new(session, vec![2; len])).collect()
}

#[test]
fn a_burst_is_counted_by_the_lengths_of_its_buffers() {
    let session = Toy::SOUND.open(&digest("burst"));
    let mut processor = Processor::new();
    let lens = [0, 1, 64, 65, 128, 129, 1 << 20, (1 << 20) + 1];
    processor.process_many(&mut digests(&session, lens));
    processor.process_many(&mut digests(&session, [64; 600]));
    processor.process_many(&mut digests(&session, []));
    let (queue, series) = queue("burst");
    assert_eq!(queue.kind, QueueKind::Processor);
    assert!(queue.name.starts_with("processor-"), "{}", queue.name);
    let expected = [
        (64, 603, 65 + 600 * 64),
        (128, 2, 65 + 128),
        (256, 1, 129),
        (1 << 20, 1, 1 << 20),
        (u64::MAX, 1, (1 << 20) + 1),
    ];
    assert_eq!(sizes(&series), expected);
    let first = &series[0].series;
    let names = [first.algorithm().as_str(), first.direction(), first.provider(), first.kernel()]
        .map(str::to_owned);
    assert_eq!(names, ["md5", "digest", "toy", "bytes-of-the-toy"]);
    let statistics = queue.statistics;
    assert_eq!((statistics.accepted, statistics.completed, statistics.failed), (608, 608, 0));
    assert_eq!((statistics.batches, statistics.flushes, statistics.deadlines), (2, 0, 0));
    let batches: Vec<_> = queue.batch_size.buckets().collect();
    assert_eq!((queue.batch_size.sum(), batches), (608, vec![(8, 1), (640, 1)]));
    assert!((1..=2).contains(&queue.work.count()), "the first batch is timed");
    assert_eq!((queue.wait.count(), queue.wait.sum()), (queue.work.count(), 0));
    assert_eq!(queue.core.is_some(), cfg!(target_os = "linux"));
}

/// At a provider that takes plain jobs and at one that does not, and with jobs that fail there and
/// before.
#[test]
fn plain_jobs_are_counted_as_jobs_are() {
    let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
    let native = Arc::new(Native::new(Cpu::detect()));
    for provider in ["toy", "native"] {
        let session = |kind: &str| {
            let label = format!("{provider}, {kind}");
            if provider == "toy" {
                return Toy::SOUND.open(&encrypt(&label));
            }
            let transform = Transform::aead(gcm, &[7; 16]).open().expect("it fits").label(&label);
            Session::open(native.clone(), &transform.expect("it fits")).expect("native has it")
        };
        let (by_jobs, by_plain) = (session("jobs"), session("plain"));
        let (nonce, tag_len) = ([9; 16], by_jobs.tag_len());
        let nonce_len = if tag_len == 0 { 16 } else { 12 };
        // Some nonces are missing, all of them in the second window.
        let lacks_nonce = |at: usize| at >= 512 && at.is_multiple_of(3);
        let nonce = |at: usize| &nonce[..if lacks_nonce(at) { 0 } else { nonce_len }];
        let texts = (0..600).map(|at| vec![3; [1, 64, 65, 4000][at % 4]]);
        let (mut first, mut second) =
            (texts.clone().collect::<Vec<_>>(), texts.collect::<Vec<_>>());
        let jobs = first.iter_mut().enumerate().map(|(at, text)| {
            let mut job = Job::new(&by_jobs, text);
            job.set_nonce(nonce(at));
            if tag_len > 0 {
                job.set_expected_tag(&[0; 16]);
            }
            job
        });
        // Both are there until all is read: what the queues that are no more did is one sum.
        let mut processors = [Processor::new(), Processor::new()];
        let outcome = processors[0].process_many(&mut jobs.collect::<Vec<_>>());
        let mut tags = vec![vec![0; tag_len]; 600];
        let plain = second
            .iter_mut()
            .zip(&mut tags)
            .enumerate()
            .map(|(at, (text, tag))| PlainJob::new(&by_plain, nonce(at), &[], text, tag));
        let plain = processors[1].process_plain(&mut plain.collect::<Vec<_>>());
        assert_eq!(plain, outcome, "{provider}");
        let counted = |kind: &str| {
            let (queue, series) = queue(&format!("{provider}, {kind}"));
            let errors = |totals: &SeriesTotals| totals.errors.clone().into_iter().collect();
            let errors: Vec<Vec<_>> = series.iter().map(errors).collect();
            let statistics = queue.statistics;
            let jobs = [statistics.accepted, statistics.completed, statistics.failed];
            (sizes(&series), errors, jobs, statistics.batches)
        };
        assert_eq!(counted("plain"), counted("jobs"), "{provider}");
        let missing = (0..600).filter(|at| lacks_nonce(*at)).count() as u64;
        let failed = if provider == "toy" { missing } else { 600 };
        assert_eq!(counted("plain").2, [600, 600, failed], "{provider}");
    }
}

#[test]
fn errors_are_counted_by_kind_and_length() {
    let transform = Transform::mac(MAC, &[3]).verify().expect("it fits");
    start();
    let verify = Toy::SOUND.open(&transform.label("errors").expect("it fits"));
    let cipher = Toy::SOUND.open(&encrypt("errors"));
    let tagged = |len: usize, key| {
        let text = vec![4; len];
        let tag = sum(key, &text);
        Job::new(&verify, text).expect_tag(&tag)
    };
    let mut jobs: Vec<_> = (0..20).map(|place| tagged(50, if place < 7 { 9 } else { 3 })).collect();
    jobs.push(tagged(100, 9));
    // Without a nonce, and with a tag that nobody checks.
    jobs.push(Job::new(&cipher, vec![0; 16]));
    jobs.push(Job::new(&cipher, vec![0; 16]).nonce(&[0; 16]).expect_tag(&[1; 4]));
    jobs.push(Job::new(&cipher, vec![0; 16]).nonce(&[0; 16]));
    let mut processor = Processor::new();
    assert_eq!(processor.process_many(&mut jobs).failed, 10);
    let (_, series) = queue("errors");
    let counted = |totals: &SeriesTotals| {
        let errors: Vec<_> = totals.errors.clone().into_iter().collect();
        (totals.series.direction().to_owned(), totals.longest, totals.operations, errors)
    };
    let mut counted: Vec<_> = series.iter().map(counted).collect();
    counted.sort();
    let expected = [
        ("encrypt", 64, 3, vec![("nonce-length", 1), ("not-taken", 1)]),
        ("verify", 64, 20, vec![("tag-mismatch", 7)]),
        ("verify", 128, 1, vec![("tag-mismatch", 1)]),
    ];
    assert_eq!(counted, expected.map(|(name, size, count, of)| (name.to_owned(), size, count, of)));
}

#[test]
fn fallbacks_are_counted_by_their_reason() {
    let none = Toy { has_queues: false, name: "idle", ..Toy::SOUND };
    let other = Toy::SOUND.open(&encrypt("fallbacks, other"));
    let session = none.open(&encrypt("fallbacks")).falling_back_to(other).expect("the same");
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut jobs = (0..5).map(|_| Job::new(&session, vec![0; 16]).nonce(&[0; 16])).collect();
    pair.enqueue(&mut jobs);
    pair.flush();
    let (queue, series) = queue("fallbacks");
    assert_eq!(sizes(&series), [(64, 5, 80)]);
    assert_eq!(series[0].series.provider(), "idle");
    assert_eq!(series[0].fallbacks, BTreeMap::from([("no-queue", 5)]));
    assert!(series[0].errors.is_empty());
    assert_eq!(queue.statistics.fallbacks, 5);
    assert!(queues("fallbacks, other").is_empty(), "nobody asked for the other");
}

#[test]
fn a_queue_pair_says_what_ended_its_batches_and_how_long_jobs_waited() {
    let session = Toy::SOUND.open(&digest("causes"));
    let config = QueueConfig { batch: Some(4), max_wait: None, ..QueueConfig::default() };
    let mut pair = QueuePair::new(config);
    // At once, and so without a wait.
    pair.enqueue(&mut digests(&session, [10; 9]));
    assert_eq!(queue("causes").0.wait.count(), 1);
    assert_eq!(queue("causes").0.wait.sum(), 0);
    pair.enqueue(&mut digests(&session, [10; 3]));
    pair.flush();
    let late = Job::new(&session, vec![2; 10]).by(std::time::Instant::now());
    pair.enqueue(&mut vec![late]);
    pair.enqueue(&mut digests(&session, [10; 1]));
    let (queue_now, series) = queue("causes");
    assert_eq!(sizes(&series), [(64, 13, 130)]);
    assert_eq!(queue_now.kind, QueueKind::QueuePair);
    let statistics = queue_now.statistics;
    assert_eq!((statistics.batches, statistics.flushes, statistics.deadlines), (1, 1, 1));
    let batches: Vec<_> = queue_now.batch_size.buckets().collect();
    assert_eq!(batches, [(1, 1), (3, 1), (10, 1)]);
    assert_eq!(queue_now.waiting, 14, "complete or not, they are still here");
    assert_eq!(pair.dequeue(&mut Vec::new(), 10), 10);
    assert_eq!(queue("causes").0.waiting, 4);
}

#[test]
fn a_job_that_waits_for_others_is_timed() {
    let session = Toy::SOUND.open(&digest("wait"));
    for max_wait in [None, Some(Duration::from_secs(3600))] {
        let mut pair =
            QueuePair::new(QueueConfig { batch: Some(2), max_wait, ..QueueConfig::default() });
        pair.enqueue(&mut digests(&session, [10]));
        thread::sleep(Duration::from_millis(2));
        pair.enqueue(&mut digests(&session, [10]));
        let name = |queue: &QueueTotals| queue.kind == QueueKind::QueuePair;
        let found = queues("wait").into_iter().find(|(queue, _)| name(queue));
        let (queue, _) = found.expect("it is listed");
        assert_eq!(queue.wait.count(), 1);
        assert!(queue.wait.sum() >= 2_000_000, "{} ns", queue.wait.sum());
    }
}

#[test]
fn what_was_dropped_is_not_forgotten() {
    let session = Toy::SOUND.open(&digest("dropped"));
    for _ in 0..3 {
        Processor::new().process_many(&mut digests(&session, [10, 100]));
    }
    let mut pair = QueuePair::new(QueueConfig { batch: Some(9), ..QueueConfig::default() });
    pair.enqueue(&mut digests(&session, [10]));
    drop(pair.close());
    let (queue, series) = queue("dropped");
    assert_eq!((queue.kind, queue.name.as_str()), (QueueKind::Ended, "ended"));
    assert_eq!(sizes(&series), [(64, 4, 40), (128, 3, 300)]);
    assert_eq!((queue.waiting, queue.core), (0, None));
    assert!(queue.statistics.batches >= 3 && queue.batch_size.count() >= 4);
}

#[test]
fn totals_never_shrink_while_queues_come_and_go() {
    let session = Toy::SOUND.open(&digest("shrink"));
    let ends = AtomicBool::new(false);
    let (threads, rounds) = (2, 2000);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut last = (0, 0);
            while !ends.load(Ordering::Relaxed) {
                let now = sums("shrink");
                assert!(now.0 >= last.0 && now.1 >= last.1, "{now:?} after {last:?}");
                assert!(now.0 <= threads * rounds * 3, "{now:?}: nothing is counted twice");
                last = now;
            }
        });
        let work = || {
            let mut kept = Processor::new();
            for _ in 0..rounds {
                kept.process_many(&mut digests(&session, [7]));
                Processor::new().process_many(&mut digests(&session, [7, 7]));
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| worker.join().expect("it works"));
        ends.store(true, Ordering::Relaxed);
        reader.join().expect("totals grow");
    });
    assert_eq!(sums("shrink"), (threads * rounds * 3, threads * rounds * 21));
}

#[test]
fn sessions_that_differ_in_the_key_alone_are_counted_together() {
    let sessions = [1, 2, 3].map(|key| {
        let transform = Transform::cipher(CIPHER, &[key; 16]).encrypt().expect("it fits");
        start();
        Toy::SOUND.open(&transform.label("keys").expect("it fits"))
    });
    let other = Toy::SOUND.open(&digest("keys"));
    let mut jobs: Vec<_> = (0..30)
        .map(|place| match place % 5 {
            0 => Job::new(&other, vec![2; 9]),
            _ => Job::new(&sessions[place % 3], vec![2; 10]).nonce(&[0; 16]),
        })
        .collect();
    let mut processor = Processor::new();
    processor.process_many(&mut jobs);
    let (_, mut series) = queue("keys");
    series.sort_by_key(|totals| totals.bytes);
    assert_eq!(sizes(&series), [(64, 6, 54), (64, 24, 240)]);
    let bytes = series[1].series.session_bytes();
    drop(jobs);
    drop(sessions);
    assert!(bytes > 0 && bytes % 3 == 0, "{bytes} bytes of three sessions");
    assert_eq!(series[1].series.session_bytes(), 0);
}

#[test]
fn workers_are_counted_each_and_a_panic_fails_what_it_hit() {
    let toy = Arc::new(common::Toy::default());
    start();
    let transform = Transform::hash(common::HASH).label("workers").expect("it fits");
    let session = Session::open(toy, &transform).expect("it can");
    let config = WorkersConfig { threads: 2, capacity: 1000, ..Default::default() };
    let workers: Workers<Box<Job<'static, usize>>> = Workers::new(config).expect("two threads");
    let job = |number: usize| common::job(&session, number);
    let mut given: Vec<_> = (0..2000).map(|place| job(place % 200)).collect();
    given[600] = job(usize::from(PANIC));
    let bytes: u64 = given.iter().map(|job| job.data().len() as u64).sum();
    let done = workers.process_many(given);
    let failed = done.iter().filter(|job| !job.succeeded()).count() as u64;
    let queues = queues("workers");
    let mut errors = BTreeMap::new();
    for (queue, series) in &queues {
        assert_eq!(queue.kind, QueueKind::Worker);
        assert!(queue.name.starts_with("worker-"), "{}", queue.name);
        for (kind, count) in series.iter().flat_map(|totals| &totals.errors) {
            *errors.entry(*kind).or_default() += count;
        }
    }
    assert!(failed > 0);
    assert_eq!(errors, BTreeMap::from([("panicked", failed)]));
    assert_eq!(sums("workers"), (2000, bytes));
}

/// The jobs were enqueued: a flush gives them back as failed.
#[test]
fn jobs_of_a_queue_pair_that_a_panic_hit_are_counted_once() {
    let toy = Arc::new(common::Toy::default());
    start();
    let transform = Transform::hash(common::HASH).label("panic").expect("it fits");
    let session = Session::open(toy, &transform).expect("it can");
    let config = WorkersConfig { threads: 1, capacity: 1000, ..Default::default() };
    let workers: Workers<Box<Job<'static, usize>>> = Workers::new(config).expect("a thread");
    let mut given: Vec<_> = (0..100).map(|number| common::job(&session, number)).collect();
    given[50] = common::job(&session, usize::from(PANIC));
    workers.submit(&mut given);
    let done = workers.shutdown();
    let failed = done.iter().filter(|job| !job.succeeded()).count() as u64;
    let (_, series) = queue("panic");
    let counted: u64 = series.iter().flat_map(|totals| totals.errors.get("panicked")).sum();
    assert_eq!((sums("panic").0, counted), (100, failed));
}
