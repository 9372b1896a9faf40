//! Snapshots for tests: of this process, and made up.

use std::collections::BTreeMap;

use broadloom_engine::{HashAlgorithm, Job, Processor, Registry, Session, Transform};
use broadloom_metrics::{Bucket, Histogram, Key, Queue, QueueKind, Series, SizeClass, Snapshot};

/// A session of SHA-256 with a label.
pub fn session(label: &str) -> Session {
    broadloom_metrics::start();
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let transform = Transform::hash(HashAlgorithm::Sha256).label(label).expect("it fits");
    registry.open(&transform).expect("the native provider has it")
}

/// Hashes messages of these lengths in one batch.
pub fn hash(processor: &mut Processor, session: &Session, lens: &[usize]) {
    let mut jobs: Vec<_> = lens.iter().map(|len| Job::new(session, vec![7; *len])).collect();
    assert_eq!(processor.process_many(&mut jobs).failed, 0);
}

/// The series of a snapshot that have a label.
pub fn labelled<'s>(snapshot: &'s Snapshot, label: &str) -> Vec<&'s Series> {
    snapshot.series.iter().filter(|series| series.key.label == label).collect()
}

/// A snapshot with so many series, of which each has an error and a fallback, at ten queues.
pub fn large(series: usize) -> Snapshot {
    let count = |name: &str, count| BTreeMap::from([(name.to_owned(), count)]);
    let name = |number: usize| format!("queue-pair-{}", number % 10);
    let one = |number: usize| Series {
        key: Key {
            algorithm: "aes-128-gcm".to_owned(),
            direction: "open".to_owned(),
            provider: "native".to_owned(),
            kernel: "vaes-512".to_owned(),
            queue: name(number),
            size: SizeClass(if number.is_multiple_of(3) { u64::MAX } else { 64 << (number % 3) }),
            label: format!("tenant \"{number}\"\\\n"),
        },
        operations: 1_000_000 + number as u64,
        bytes: 64_000_000_000,
        errors: count("tag-mismatch", 3),
        fallbacks: count("no-queue", 4),
    };
    let queue = |number: usize| Queue {
        name: name(number),
        kind: QueueKind::QueuePair,
        core: (number > 0).then_some(number as u32),
        waiting: 17,
        batches: count("batch", 12),
        lanes_used: 900,
        lanes_offered: 1000,
        session_bytes: 4096,
        batch_size: histogram(&[(1.0, 2), (64.0, 9), (f64::MAX, 1)], 700.0),
        wait_seconds: Histogram::default(),
        work_seconds: histogram(&[(1024e-9, 5), (1280e-9, 1), (2048e-9, 3)], 12e-6),
    };
    Snapshot {
        program: "test".to_owned(),
        pid: 1,
        time: 1.5,
        uptime: 0.25,
        series: (0..series).map(one).collect(),
        queues: (0..10).map(queue).collect(),
    }
}

fn histogram(buckets: &[(f64, u64)], sum: f64) -> Histogram {
    Histogram {
        count: buckets.iter().map(|(_, count)| count).sum(),
        sum,
        buckets: buckets.iter().map(|&(upper, count)| Bucket { upper, count }).collect(),
    }
}
