//! Queue pairs: how many jobs they hold, and in which order, when and how often jobs come back.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use broadloom_engine::provider::{AnyQueue, Provider};
use broadloom_engine::{Doorbell, Job, JobError, Order, QueueConfig, QueuePair};
use fastrand::Rng;

use super::mix::Mix;

/// Nothing but its own calls makes such a queue pair process jobs.
fn patient(capacity: usize) -> QueueConfig {
    QueueConfig { capacity, batch: Some(usize::MAX), max_wait: None, ..QueueConfig::default() }
}

/// Returns `true` if its work is done elsewhere: jobs then become complete by themselves.
fn is_device(provider: &Arc<dyn Provider>) -> bool {
    matches!(provider.open_queue(), Ok(AnyQueue::Device(_)))
}

/// Dequeues so many jobs; of a device they may have to be waited for.
fn dequeue_all<'a, T>(
    queue: &mut QueuePair<'a, Job<'a, T>>,
    done: &mut Vec<Job<'a, T>>,
    count: usize,
) {
    let mut given = queue.dequeue(done, usize::MAX);
    while given < count && queue.awaits_device() {
        queue.wait(Duration::from_millis(1));
        given += queue.dequeue(done, usize::MAX);
    }
    assert_eq!(given, count, "what was rung for, and nothing else");
}

/// A queue pair takes as many jobs as it has room for, in their order, and leaves the rest as it
/// was.
pub fn capacity(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 21, 3);
    for capacity in [1, 2, 7, 64, 300] {
        let mut queue = QueuePair::new(QueueConfig { batch: None, ..patient(capacity) });
        assert_eq!((queue.capacity(), queue.in_flight()), (capacity, 0));
        let (mut waiting, mut done) = (mix.jobs(), Vec::new());
        while done.len() < mix.len() {
            let (before, in_flight) = (waiting.len(), queue.in_flight());
            let next = waiting.first().map(|job| *job.user_value());
            let accepted = queue.enqueue(&mut waiting);
            assert_eq!(accepted, before.min(capacity - in_flight), "as many as there is room for");
            assert_eq!(waiting.len(), before - accepted);
            assert_eq!(queue.in_flight(), in_flight + accepted);
            let first_left = waiting.first().map(|job| *job.user_value());
            assert!(
                waiting.is_empty() || first_left == next.map(|next| next + accepted),
                "the first go"
            );
            assert_eq!(queue.enqueue(&mut Vec::new()), 0);
            queue.flush();
            let in_flight = queue.in_flight();
            let wanted = 1 + done.len() % 5;
            let given = queue.dequeue(&mut done, wanted);
            assert_eq!(given, wanted.min(in_flight), "after a flush all are complete");
            assert_eq!(queue.in_flight(), in_flight - given);
        }
        assert_eq!(queue.dequeue(&mut done, 1), 0);
        mix.check_all(&done, &format!("capacity {capacity}"));
    }
}

/// Mixed sessions in one queue pair, whose jobs come back in any order, or as they were submitted.
pub fn order(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 22, 6);
    for order in [Order::Any, Order::AsSubmitted] {
        for batch in [None, Some(1), Some(5), Some(64)] {
            let config = QueueConfig { order, batch, capacity: 100, ..QueueConfig::default() };
            let mut queue = QueuePair::new(config);
            let (mut waiting, mut done) = (mix.jobs(), Vec::new());
            let mut bursts = Rng::with_seed(23);
            while done.len() < mix.len() {
                let burst = waiting.len().min(bursts.usize(1..40));
                let mut burst: Vec<_> = waiting.drain(..burst).collect();
                queue.enqueue(&mut burst);
                burst.append(&mut waiting);
                waiting = burst;
                if waiting.is_empty() || queue.in_flight() == queue.capacity() {
                    queue.flush();
                }
                queue.dequeue(&mut done, bursts.usize(..50));
            }
            if order == Order::AsSubmitted {
                assert!(
                    done.iter().map(|job| *job.user_value()).eq(0..mix.len()),
                    "batch {batch:?}"
                );
            }
            mix.check_all(&done, &format!("{order:?}, batch {batch:?}"));
        }
    }
}

/// With a deferred doorbell nothing is seen before it rings.
pub fn doorbell(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 24, 1);
    let config = QueueConfig {
        doorbell: Doorbell::Deferred,
        batch: Some(1),
        max_wait: Some(Duration::ZERO),
        ..QueueConfig::default()
    };
    let mut queue = QueuePair::new(config);
    let (mut jobs, mut done) = (mix.jobs(), Vec::new());
    let late = jobs.split_off(mix.len() / 2);
    let rung = queue.enqueue(&mut jobs);
    assert_eq!((queue.dequeue(&mut done, usize::MAX), queue.in_flight()), (0, rung));
    assert_eq!(queue.statistics().snapshot().completed, 0, "the doorbell was not rung");
    queue.ring();
    let mut late = late;
    let unseen = queue.enqueue(&mut late);
    dequeue_all(&mut queue, &mut done, rung);
    assert_eq!(queue.in_flight(), unseen);
    queue.flush();
    queue.dequeue(&mut done, usize::MAX);
    mix.check_all(&done, "deferred doorbell");
}

/// Jobs wait for a batch no longer than they may: not at all where the wait is 0 or the deadline is
/// past; and else until the flush.
pub fn bounded_waits(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 25, 1);
    let eager = QueueConfig { max_wait: Some(Duration::ZERO), ..patient(1000) };
    let mut queue = QueuePair::new(eager);
    let (mut jobs, mut done) = (mix.jobs(), Vec::new());
    queue.enqueue(&mut jobs);
    dequeue_all(&mut queue, &mut done, mix.len());
    mix.check_all(&done, "no wait");

    let (past, far) = (Instant::now(), Instant::now() + Duration::from_secs(100_000));
    for order in [Order::Any, Order::AsSubmitted] {
        let mut queue = QueuePair::new(QueueConfig { order, ..patient(1000) });
        let mut done = Vec::new();
        let mut jobs: Vec<_> = mix.jobs().into_iter().map(|job| job.by(far)).collect();
        queue.enqueue(&mut jobs);
        let at_once = queue.dequeue(&mut done, usize::MAX);
        assert!(at_once == 0 || is_device(provider), "neither a batch nor a deadline");
        queue.flush();
        assert_eq!(queue.dequeue(&mut done, usize::MAX), mix.len() - at_once);
        mix.check_all(&done, "flushed");

        let mut done = Vec::new();
        let mut jobs: Vec<_> = mix.jobs().into_iter().map(|job| job.by(past)).collect();
        queue.enqueue(&mut jobs);
        dequeue_all(&mut queue, &mut done, mix.len());
        mix.check_all(&done, "late");
    }
}

/// Every job comes back once when a queue pair is closed; and when it is dropped, where those that
/// were not processed say so.
pub fn close_and_drop(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 26, 2);
    let half = mix.len() / 2;
    let mut queue = QueuePair::new(patient(1000));
    queue.enqueue(&mut mix.jobs());
    mix.check_all(&queue.close(), "closed");

    let (sender, dropped) = mpsc::channel();
    let handler = move |job| sender.send(job).expect("the receiver is there");
    let mut queue = QueuePair::new(patient(1000)).on_drop(handler);
    let statistics = queue.statistics();
    let mut jobs = mix.jobs();
    let mut late = jobs.split_off(half);
    queue.enqueue(&mut jobs);
    queue.flush();
    queue.enqueue(&mut late);
    drop(queue);
    let dropped: Vec<_> = dropped.try_iter().collect();
    let mut numbers: Vec<_> = dropped.iter().map(|job| *job.user_value()).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..mix.len()), "each job once");
    let mut cancelled = 0;
    for job in &dropped {
        let number = *job.user_value();
        let was_done = is_device(provider) && job.succeeded();
        if number < half || was_done {
            mix.messages[number].check(job, "complete when the queue pair was dropped");
        } else {
            assert_eq!(job.status(), Some(Err(JobError::Cancelled)), "job {number}");
            assert_eq!((job.tag(), job.output()), (None, None));
            cancelled += 1;
        }
    }
    let snapshot = statistics.snapshot();
    let expected = (mix.len() as u64, mix.len() as u64, cancelled);
    assert_eq!(
        (snapshot.accepted, snapshot.completed, snapshot.failed),
        expected,
        "cancelled jobs count"
    );
}

/// The counters agree with what was done, and can be read from another thread.
pub fn statistics(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 27, 4);
    let mut queue = QueuePair::new(QueueConfig { max_wait: None, ..QueueConfig::default() });
    let statistics = queue.statistics();
    let mut jobs = mix.jobs();
    let mut bad = 0;
    for job in jobs.iter_mut().step_by(3) {
        job.set_nonce(&[0; 70_000]);
        bad += 1;
    }
    let (mut accepted, mut done) = (0, Vec::new());
    while done.len() < mix.len() {
        accepted += queue.enqueue(&mut jobs) as u64;
        assert_eq!(statistics.snapshot().accepted, accepted);
        queue.flush();
        queue.dequeue(&mut done, usize::MAX);
        assert_eq!(statistics.snapshot().completed, accepted, "all were flushed");
    }
    let snapshot = std::thread::scope(|scope| scope.spawn(|| statistics.snapshot()).join());
    let snapshot = snapshot.expect("reading does not panic");
    let total = mix.len() as u64;
    assert_eq!((snapshot.accepted, snapshot.completed, snapshot.failed), (total, total, bad));
    let failed = done.iter().filter(|job| !job.succeeded()).count() as u64;
    assert_eq!(failed, bad, "as many as were counted");
    let ran = snapshot.batches + snapshot.flushes > 0 || is_device(provider);
    assert!(ran && snapshot.deadlines == 0, "{snapshot:?}");
    assert!(snapshot.occupancy.used <= snapshot.occupancy.offered, "{snapshot:?}");
}
