//! Snapshots of a program that does not exist, as they would be at any second of its life: what
//! tests, the example and the check of the page are fed with.

#![allow(dead_code, reason = "each program uses some of these")]

use std::collections::BTreeMap;

use broadloom_metrics::change::Work;
use broadloom_metrics::{Bucket, Histogram, Key, Queue, QueueKind, Series, SizeClass, Snapshot};

/// The process that all snapshots are of.
pub const PID: u32 = 4321;

/// Seconds since 1970 at which the program began.
pub const START: f64 = 1_790_000_000.0;

/// What a series is: algorithm, direction, provider, kernel, queue, longest length, label,
/// operations a second.
type Row =
    (&'static str, &'static str, &'static str, &'static str, &'static str, u64, &'static str, f64);

const ROWS: [Row; 12] = [
    ("aes-128-gcm", "encrypt", "native", "avx512", "worker-0", 1 << 10, "tunnel-a", 90e3),
    ("aes-128-gcm", "encrypt", "native", "avx512", "worker-1", 1 << 10, "tunnel-a", 70e3),
    ("aes-128-gcm", "decrypt", "native", "avx512", "worker-1", 1 << 10, "tunnel-b", 52e3),
    ("aes-256-gcm", "decrypt", "openssl", "", "worker-0", 1 << 10, "tunnel-b", 11e3),
    ("chacha20-poly1305", "encrypt", "native", "avx512", "worker-0", 1 << 10, "", 23e3),
    ("hmac-sha1", "generate", "native", "avx512", "queue-pair-0", 64, "ledger", 400e3),
    ("hmac-sha1", "verify", "native", "avx512", "queue-pair-0", 64, "ledger", 35e3),
    ("sha256", "hash", "native", "sha-ni", "queue-pair-1", 1 << 20, "", 600.0),
    ("sha256", "hash", "native", "sha-ni", "queue-pair-1", u64::MAX, "", 12.0),
    ("deflate", "compress", "libdeflate", "", "worker-1", 1 << 20, "archive", 210.0),
    ("deflate", "decompress", "isal", "", "worker-1", 1 << 20, "archive", 800.0),
    ("ecdsa-p256", "sign", "native", "avx512", "queue-pair-1", 64, "<b>&\"api\"", 5e3),
];

/// Name, kind and core of each queue, and the median of the seconds that a batch takes there.
const QUEUES: [(&str, QueueKind, Option<u32>, f64); 5] = [
    ("worker-0", QueueKind::Worker, Some(0), 40e-6),
    ("worker-1", QueueKind::Worker, Some(1), 90e-6),
    ("queue-pair-0", QueueKind::QueuePair, Some(2), 15e-6),
    ("queue-pair-1", QueueKind::QueuePair, Some(3), 900e-6),
    ("ended", QueueKind::Ended, None, 10e-6),
];

/// The snapshot of this second.
pub fn at(second: f64) -> Snapshot {
    let series = ROWS.iter().enumerate().map(|(number, row)| series(number, row, second));
    let queues =
        QUEUES.iter().enumerate().map(|(number, &queue)| self::queue(number, queue, second));
    Snapshot {
        program: "gateway".to_owned(),
        pid: PID,
        time: START + second,
        uptime: second,
        series: series.collect(),
        queues: queues.collect(),
    }
}

/// The sums over all series at this second.
pub fn work_at(second: f64) -> Work {
    let mut work = Work::default();
    at(second).series.iter().for_each(|series| work.add(series));
    work
}

/// Moves the counters of a queue to the one that stands for all ended queues.
pub fn end_queue(snapshot: &mut Snapshot, name: &str) {
    let at = snapshot.queues.iter().position(|queue| queue.name == name).expect("it exists");
    let queue = snapshot.queues.remove(at);
    let ended = snapshot.queues.last_mut().expect("one stands for ended queues");
    for (cause, count) in queue.batches {
        *ended.batches.entry(cause).or_default() += count;
    }
    ended.lanes_used += queue.lanes_used;
    ended.lanes_offered += queue.lanes_offered;
    ended.batch_size.merge(&queue.batch_size);
    ended.wait_seconds.merge(&queue.wait_seconds);
    ended.work_seconds.merge(&queue.work_seconds);
    for series in &mut snapshot.series {
        if series.key.queue == name {
            series.key.queue = "ended".to_owned();
        }
    }
}

/// What something that happens `rate` times a second, in waves, has come to.
fn count(rate: f64, phase: usize, second: f64) -> u64 {
    let wave = 3.0 * (1.0 - (second / 8.0 + phase as f64).cos());
    (rate * (second + wave)) as u64
}

fn series(number: usize, row: &Row, second: f64) -> Series {
    let &(algorithm, direction, provider, kernel, queue, size, label, rate) = row;
    let operations = count(rate, number, second);
    let length = if size == u64::MAX { 3 << 20 } else { size - size / 8 };
    let some = |name: &str, count: u64| BTreeMap::from([(name.to_owned(), count)]);
    let errors = match direction {
        "decrypt" | "verify" => some("tag-mismatch", operations / 5000),
        "decompress" => some("damaged-data", operations / 100),
        _ => BTreeMap::new(),
    };
    let fallbacks = match provider {
        "isal" => some("unsupported", operations / 50),
        _ => BTreeMap::new(),
    };
    let key = Key {
        algorithm: algorithm.to_owned(),
        direction: direction.to_owned(),
        provider: provider.to_owned(),
        kernel: kernel.to_owned(),
        queue: queue.to_owned(),
        size: SizeClass(size),
        label: label.to_owned(),
    };
    Series { key, operations, bytes: operations * length, errors, fallbacks }
}

fn queue(number: usize, queue: (&str, QueueKind, Option<u32>, f64), second: f64) -> Queue {
    let (name, kind, core, median) = queue;
    let ended = kind == QueueKind::Ended;
    let rate = if ended { 0.0 } else { 2000.0 };
    let batches = count(rate, number, second);
    let causes = [("batch", 6), ("flush", 3), ("deadline", 1)];
    let causes = causes.map(|(name, tenths)| (name.to_owned(), batches * tenths / 10));
    Queue {
        name: name.to_owned(),
        kind,
        core,
        waiting: if ended { 0 } else { (second as u64 * 37 + number as u64 * 11) % 180 },
        batches: causes.into_iter().filter(|(_, count)| *count > 0).collect(),
        lanes_used: batches * (40 + 5 * number as u64),
        lanes_offered: batches * 64,
        session_bytes: if ended { 0 } else { 4096 * (number as u64 + 1) },
        batch_size: histogram(batches, 32.0),
        wait_seconds: histogram(batches, median / 2.0),
        work_seconds: histogram(batches, median),
    }
}

/// A histogram of `count` values with this median.
fn histogram(count: u64, median: f64) -> Histogram {
    let shape = [(0.5, 20), (0.75, 20), (1.0, 30), (1.25, 15), (1.5, 8), (2.0, 4), (6.0, 3)];
    let buckets = shape.map(|(of_median, percent)| Bucket {
        upper: median * of_median,
        count: count * percent / 100,
    });
    let buckets: Vec<Bucket> = buckets.into_iter().filter(|bucket| bucket.count > 0).collect();
    Histogram {
        count: buckets.iter().map(|bucket| bucket.count).sum(),
        sum: buckets.iter().map(|bucket| bucket.upper * bucket.count as f64).sum(),
        buckets,
    }
}
