//! What queues did before counting began is no part of what is counted.
//!
//! A program of its own: counting begins once in a process.
#![cfg(not(loom))]

use broadloom_engine::metrics::{self, QueueTotals};
use broadloom_engine::{
    HashAlgorithm, Job, MacAlgorithm, Processor, QueueConfig, QueuePair, Registry, Snapshot,
    Transform,
};

/// Operations of a queue, and jobs in its batches.
fn counted(queue: &QueueTotals) -> (u64, u64) {
    (queue.series.iter().map(|totals| totals.operations).sum(), queue.batch_size.sum())
}

#[test]
fn what_was_done_before_is_not_counted() {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    let transform = Transform::mac(mac, b"key").generate().expect("it fits");
    let session = registry.open(&transform).expect("the native provider has it");
    let jobs = |count| (0..count).map(|_| Job::new(&session, vec![7; 64])).collect::<Vec<_>>();
    let mut processor = Processor::new();
    let mut pair =
        QueuePair::new(QueueConfig { batch: Some(16), max_wait: None, ..QueueConfig::default() });
    let statistics = pair.statistics();
    processor.process_many(&mut jobs(100));
    pair.enqueue(&mut jobs(20));
    pair.enqueue(&mut jobs(10));
    pair.flush();
    pair.dequeue(&mut Vec::new(), usize::MAX);
    // These are held when counting begins.
    pair.enqueue(&mut jobs(3));

    // The first call begins to count.
    let queues = metrics::read();
    assert!(!queues.is_empty(), "a queue pair is listed from its beginning");
    for queue in &queues {
        assert_eq!(counted(queue), (0, 0), "{queue:?}");
        assert_eq!(queue.statistics, Snapshot::default(), "{}", queue.name);
    }
    let before = statistics.snapshot();
    assert_eq!((before.accepted, before.completed, before.batches, before.flushes), (33, 30, 1, 1));

    pair.flush();
    processor.process_many(&mut jobs(40));
    let queues = metrics::read();
    let of_kind = |kind| queues.iter().find(|queue| queue.kind == kind).expect("it is listed");
    let queue = of_kind(metrics::QueueKind::QueuePair);
    let own = queue.statistics;
    assert_eq!(counted(queue), (3, 3));
    assert_eq!((own.accepted, own.completed, own.batches, own.flushes), (3, 3, 0, 1));
    let now = statistics.snapshot();
    assert_eq!((now.accepted, now.completed, now.batches, now.flushes), (33, 33, 1, 2));
    assert_eq!(own.occupancy.used, now.occupancy.used - before.occupancy.used);
    assert_eq!(own.occupancy.offered, now.occupancy.offered - before.occupancy.offered);
    let queue = of_kind(metrics::QueueKind::Processor);
    let own = queue.statistics;
    assert_eq!(counted(queue), (40, 40));
    assert_eq!((own.accepted, own.completed, own.batches), (40, 40, 1));
    // 40 jobs of as many blocks each, and not the 100 before them.
    assert!(own.occupancy.used > 0 && own.occupancy.used < 100 * 3, "{:?}", own.occupancy);
}
