//! Snapshots of this process.

use broadloom_engine::{Processor, QueueConfig, QueuePair};
use broadloom_metrics::{QueueKind, SizeClass, Snapshot};

use crate::common::{hash, labelled, session};

#[test]
fn a_snapshot_has_what_was_done_until_then() {
    let session = session("snapshot");
    let mut processor = Processor::new();
    hash(&mut processor, &session, &[10, 20, 100]);
    let snapshot = Snapshot::now();
    assert_eq!(snapshot.pid, std::process::id());
    assert!(!snapshot.program.is_empty() && !snapshot.program.contains('/'), "{snapshot:?}");
    assert!(snapshot.time > 1.7e9 && snapshot.uptime > 0.0);
    let series = labelled(&snapshot, "snapshot");
    let key = &series[0].key;
    assert_eq!((key.algorithm.as_str(), key.direction.as_str()), ("sha256", "digest"));
    assert_eq!(key.provider, "native");
    assert!(session.kernel().starts_with(&key.kernel) && !key.kernel.is_empty(), "{key:?}");
    let counted = series.iter().map(|one| (one.key.size, one.operations, one.bytes));
    let expected = [(SizeClass(64), 2, 30), (SizeClass(128), 1, 100)];
    assert_eq!(counted.collect::<Vec<_>>(), expected);
    let queue = snapshot.queues.iter().find(|queue| queue.name == key.queue).expect("it is there");
    assert_eq!(queue.kind, QueueKind::Processor);
    assert_eq!(queue.batches.get("batch"), Some(&1));
    assert!(queue.lanes_used > 0 && queue.lanes_used <= queue.lanes_offered, "{queue:?}");
    assert_eq!((queue.batch_size.count, queue.batch_size.sum), (1, 3.0));
    let work = &queue.work_seconds;
    assert!(work.count == 1 && work.sum > 0.0 && work.sum < 60.0, "{work:?}");
    assert!(work.buckets[0].upper >= work.sum && work.buckets[0].upper <= work.sum * 1.3 + 1e-8);
    assert!(queue.session_bytes > 0);
    drop(processor);
    let later = Snapshot::now();
    let series = labelled(&later, "snapshot");
    assert!(series.iter().all(|one| one.key.queue == "ended"), "{series:?}");
    assert_eq!(series.iter().map(|one| one.operations).sum::<u64>(), 3);
}

#[test]
fn every_queue_of_a_series_is_in_the_snapshot() {
    let session = session("queues");
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut jobs = vec![broadloom_engine::Job::new(&session, b"text")];
    pair.enqueue(&mut jobs);
    assert!(labelled(&Snapshot::now(), "queues").is_empty(), "nothing is complete yet");
    pair.flush();
    hash(&mut Processor::new(), &session, &[1]);
    let snapshot = Snapshot::now();
    let series = labelled(&snapshot, "queues");
    let kinds = series.iter().map(|one| {
        let queue = snapshot.queues.iter().find(|queue| queue.name == one.key.queue);
        queue.map(|queue| (queue.kind, queue.waiting))
    });
    let kinds: Vec<_> = kinds.collect();
    assert_eq!(kinds.len(), 2);
    assert!(kinds.contains(&Some((QueueKind::QueuePair, 1))), "{kinds:?}");
    assert!(kinds.contains(&Some((QueueKind::Ended, 0))), "{kinds:?}");
}
