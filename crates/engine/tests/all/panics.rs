//! A provider that panics costs the jobs that it was working on, and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use broadloom_engine::{Data, Job, JobError, Processor, QueueConfig, QueuePair};

use crate::common::{self, PANIC, Toy, cipher, hash, job};

fn panics(what: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(what)).is_err(), "it should have panicked");
}

fn bytes<'x, T>(job: &'x Job<'_, T>) -> &'x [u8] {
    let Data::InPlace(buffer) = job.data() else { panic!("it was in place") };
    buffer.as_slice()
}

#[test]
fn jobs_under_a_panic_fail_and_are_wiped_and_no_job_is_processed_twice() {
    let session = cipher(&Arc::default(), 3);
    let mut pair =
        QueuePair::new(QueueConfig { batch: Some(1000), max_wait: None, ..Default::default() });
    // Two windows of 512: the panic is in the second.
    let mut jobs: Vec<_> = (0..700)
        .map(|number| if number == 600 { usize::from(PANIC) } else { number % 200 })
        .map(|number| job(&session, number))
        .collect();
    assert_eq!(pair.enqueue(&mut jobs), 700);
    panics(|| pair.flush());
    pair.flush();
    assert_eq!(pair.dequeue(&mut jobs, usize::MAX), 700);
    assert_eq!(pair.in_flight(), 0);
    for (place, job) in jobs.iter().enumerate() {
        let filled = |value: usize| vec![value as u8; *job.user_value() % 50 + 1];
        if place < 512 {
            assert_eq!(job.output(), Some(filled(*job.user_value() + 3).as_slice()), "added once");
        } else {
            assert_eq!(job.status(), Some(Err(JobError::Panicked)));
            assert_eq!(bytes(job), filled(0), "half-done output is wiped");
        }
    }
    let snapshot = pair.statistics().snapshot();
    assert_eq!((snapshot.accepted, snapshot.completed, snapshot.failed), (700, 700, 188));
}

#[test]
fn a_call_that_panicked_leaves_jobs_that_fail_until_they_have_other_data() {
    let session = cipher(&Arc::default(), 3);
    // A window of 512 with the panic in it, and one job more.
    let numbers = std::iter::once(usize::from(PANIC)).chain(0..512);
    let mut jobs: Vec<_> = numbers.map(|number| job(&session, number % 238)).collect();
    jobs[0].set_data(vec![PANIC; 9]);
    panics(|| {
        Processor::new().process_many(&mut jobs);
    });
    assert!(jobs.iter().all(|job| job.status().is_none()));
    let outcome = Processor::new().process_many(&mut jobs);
    assert_eq!((outcome.completed, outcome.failed), (513, 512));
    for job in &jobs[..512] {
        assert_eq!(job.status(), Some(Err(JobError::Panicked)));
        assert!(bytes(job).iter().all(|byte| *byte == 0), "half-done output is wiped");
    }
    assert!(jobs[512].succeeded(), "nothing of it was begun");
    jobs.iter_mut().for_each(|job| drop(job.set_data(vec![1; 9])));
    assert_eq!(Processor::new().process_many(&mut jobs).failed, 0);
    assert!(jobs.iter().all(|job| job.output() == Some(&[4; 9])));
}

#[test]
fn a_dropped_queue_pair_wipes_what_a_panic_left_half_done() {
    let session = cipher(&Arc::default(), 3);
    let (sender, returned) = std::sync::mpsc::channel();
    let mut pair = QueuePair::new(QueueConfig { batch: Some(100), ..Default::default() })
        .on_drop(move |job: Job<'static, ()>| sender.send(job).expect("the test listens"));
    let mut jobs = vec![Job::new(session, vec![PANIC; 40]).nonce(&[0; 16])];
    pair.enqueue(&mut jobs);
    panics(|| pair.flush());
    drop(pair);
    let jobs: Vec<_> = returned.iter().collect();
    let [job] = jobs.as_slice() else { panic!("one job was dropped, not {}", jobs.len()) };
    assert_eq!(job.status(), Some(Err(JobError::Cancelled)));
    assert_eq!(bytes(job), [0; 40]);
}

#[test]
fn a_burst_stays_whole_where_opening_a_queue_panics() {
    let toy = Arc::new(Toy::default());
    let (good, bad) = (hash(&Arc::default()), hash(&toy));
    let mut pair = QueuePair::new(QueueConfig::default());
    let session = |number| if number < 5 { &good } else { &bad };
    let mut jobs: Vec<_> = (0..10).map(|number| job(session(number), number)).collect();
    toy.queues_panic.store(true, Ordering::Relaxed);
    panics(|| {
        pair.enqueue(&mut jobs);
    });
    assert_eq!((jobs.len(), pair.in_flight()), (10, 0));
    toy.queues_panic.store(false, Ordering::Relaxed);
    assert_eq!(pair.enqueue(&mut jobs), 10);
    assert_eq!(pair.close().iter().filter(|job| common::is_summed(job)).count(), 10);
}
