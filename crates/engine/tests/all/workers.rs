//! Workers: what goes in comes out, once.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use broadloom_engine::{
    AffinityError, Job, JobError, Placement, QueueConfig, QueuePair, Session, Workers,
    WorkersConfig, WorkersError,
};

use crate::common::{PANIC, Toy, cipher, hash, is_summed, job};

/// Longer than any test takes: a wait that ends by it has failed.
const LONG: Duration = Duration::from_secs(60);

type TestJob = Box<Job<'static, usize>>;

fn workers(threads: usize, capacity: usize) -> Workers<TestJob> {
    let config = WorkersConfig { threads, capacity, ..Default::default() };
    Workers::new(config).expect("there are threads")
}

fn jobs(session: &Session, count: usize) -> Vec<TestJob> {
    // None of them panics.
    (0..count).map(|number| job(session, number * 256 + number % 200)).collect()
}

fn numbers(jobs: &[TestJob]) -> Vec<usize> {
    jobs.iter().map(|job| *job.user_value()).collect()
}

/// Returns `true` if these are `count` different jobs, each complete and right.
fn are_right(jobs: &[TestJob], count: usize) -> bool {
    jobs.len() == count
        && jobs.iter().all(|job| is_summed(job))
        && numbers(jobs).into_iter().collect::<HashSet<_>>().len() == count
}

#[test]
fn every_job_comes_back_once() {
    let session = hash(&Arc::default());
    let workers = workers(3, 64);
    let mut left = jobs(&session, 5000);
    let mut complete = Vec::new();
    while complete.len() < 5000 {
        workers.submit(&mut left);
        assert!(workers.in_flight() <= workers.capacity());
        assert!(workers.wait(LONG) > 0);
        workers.poll(&mut complete, 100);
    }
    assert!(are_right(&complete, 5000));
    assert_eq!((workers.in_flight(), workers.wait(LONG)), (0, 0));
    let counted = (0..3).map(|worker| workers.statistics(worker).snapshot());
    assert_eq!(counted.map(|snapshot| snapshot.completed).sum::<u64>(), 5000);
    assert_eq!(workers.shutdown().len(), 0);
}

#[test]
fn capacity_is_exact_and_counts_jobs_until_they_are_polled() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(2, 50);
    assert_eq!((workers.threads(), workers.capacity()), (2, 100));
    let mut left = jobs(&session, 250);
    toy.gate.shut();
    assert_eq!(workers.submit(&mut left), 100);
    assert_eq!(numbers(&left), numbers(&jobs(&session, 250)[100..]), "the rest is as it was");
    assert_eq!((workers.submit(&mut left), workers.in_flight()), (0, 100));
    assert_eq!(workers.poll(&mut Vec::new(), usize::MAX), 0);
    toy.gate.open();
    assert!(workers.wait(LONG) > 0);
    let mut complete = Vec::new();
    assert_eq!(workers.poll(&mut complete, 1), 1);
    assert_eq!(workers.in_flight(), 99);
    assert_eq!(workers.submit(&mut left), 1);
    complete.extend(workers.shutdown());
    assert!(are_right(&complete, 101));
}

#[test]
fn a_burst_is_dealt_out_to_all_workers() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(4, 1000);
    toy.gate.shut();
    workers.submit(&mut jobs(&session, 400));
    toy.gate.open();
    let statistics: Vec<_> = (0..4).map(|worker| workers.statistics(worker)).collect();
    assert!(are_right(&workers.shutdown(), 400));
    assert!(statistics.iter().all(|statistics| statistics.snapshot().completed == 100));
}

#[test]
fn few_jobs_that_fill_no_batch_complete_by_themselves() {
    let session = hash(&Arc::default());
    let config = WorkersConfig {
        threads: 1,
        batch: Some(1000),
        max_wait: None,
        patience: Duration::from_millis(1),
        ..Default::default()
    };
    let workers = Workers::new(config).expect("there are threads");
    workers.submit(&mut jobs(&session, 3));
    let mut complete = Vec::new();
    while complete.len() < 3 {
        assert!(workers.wait(LONG) > 0);
        workers.poll(&mut complete, usize::MAX);
    }
    assert!(are_right(&complete, 3));
}

#[test]
fn shutdown_completes_what_was_accepted_behind_a_full_inbox() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(2, 100);
    toy.gate.shut();
    workers.submit(&mut jobs(&session, 200));
    let opener = std::thread::spawn({
        let gate = Arc::clone(&toy.gate);
        move || gate.open()
    });
    assert!(are_right(&workers.shutdown(), 200));
    opener.join().expect("it opened");
}

#[test]
fn dropped_workers_complete_their_jobs_and_give_them_to_the_handler() {
    let session = hash(&Arc::default());
    let (sender, returned) = mpsc::channel();
    let workers = workers(2, 100).on_drop(move |job| sender.send(job).expect("the test listens"));
    workers.submit(&mut jobs(&session, 150));
    drop(workers);
    assert!(are_right(&returned.iter().collect::<Vec<_>>(), 150));
}

#[test]
fn jobs_under_a_panic_come_back_as_failed_and_the_worker_goes_on() {
    let session = hash(&Arc::default());
    let workers = workers(1, 1000);
    let mut burst = jobs(&session, 100);
    burst.insert(50, job(&session, usize::from(PANIC)));
    workers.submit(&mut burst);
    let mut complete = Vec::new();
    while complete.len() < 101 {
        assert!(workers.wait(LONG) > 0);
        workers.poll(&mut complete, usize::MAX);
    }
    let (failed, good): (Vec<_>, Vec<_>) =
        complete.into_iter().partition(|job| job.status() == Some(Err(JobError::Panicked)));
    assert!(failed.iter().any(|job| *job.user_value() == usize::from(PANIC)));
    assert!(are_right(&good, 101 - failed.len()));
    let snapshot = workers.statistics(0).snapshot();
    assert_eq!((snapshot.completed, snapshot.failed), (101, failed.len() as u64));
    workers.submit(&mut jobs(&session, 100));
    assert!(are_right(&workers.shutdown(), 100));
}

#[test]
fn jobs_for_which_opening_a_queue_panics_come_back_as_failed() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(2, 100);
    toy.queues_panic.store(true, std::sync::atomic::Ordering::Relaxed);
    workers.submit(&mut jobs(&session, 90));
    let complete = workers.shutdown();
    assert_eq!(complete.len(), 90);
    assert!(complete.iter().all(|job| job.status() == Some(Err(JobError::Panicked))));
}

#[test]
fn many_jobs_come_back_in_their_order() {
    let session = cipher(&Arc::default(), 5);
    let workers = workers(3, 100);
    for count in [0, 1, 31, 10_000] {
        let given = jobs(&session, count);
        let order = numbers(&given);
        let done = workers.process_many(given);
        assert_eq!(numbers(&done), order);
        for job in &done {
            let filled = *job.user_value() as u8 + 5;
            assert!(job.output().is_some_and(|output| output.iter().all(|byte| *byte == filled)));
        }
    }
    assert_eq!(workers.in_flight(), 0);
}

#[test]
fn a_panic_in_a_share_costs_a_window_of_it() {
    let session = hash(&Arc::default());
    let workers = workers(1, 2000);
    let mut given = jobs(&session, 1000);
    given[600] = job(&session, usize::from(PANIC));
    let done = workers.process_many(given);
    for (place, job) in done.iter().enumerate() {
        let expected = if (512..1000).contains(&place) { Err(JobError::Panicked) } else { Ok(()) };
        assert_eq!(job.status(), Some(expected), "{place}");
    }
    let snapshot = workers.statistics(0).snapshot();
    assert_eq!((snapshot.accepted, snapshot.completed, snapshot.failed), (1000, 1000, 488));
}

/// Its jobs were done by then: failed, they would come back with output that nobody wiped.
#[test]
fn a_provider_that_panics_when_it_is_asked_about_its_lanes_costs_no_job() {
    let toy = Arc::new(Toy::default());
    let session = cipher(&toy, 3);
    let workers = workers(1, 1000);
    toy.occupancy_panics.store(true, Ordering::Relaxed);
    let done = workers.process_many((0..700).map(|number| job(&session, number % 200)).collect());
    assert_eq!(done.len(), 700);
    for job in &done {
        let number = *job.user_value();
        let right = vec![number as u8 + 3; number % 50 + 1];
        assert_eq!((job.status(), job.output()), (Some(Ok(())), Some(&right[..])));
    }
    toy.occupancy_panics.store(false, Ordering::Relaxed);
    let done = workers.process_many(vec![job(&session, 7)]);
    assert!(done[0].succeeded(), "the worker goes on");
    let snapshot = workers.statistics(0).snapshot();
    assert_eq!((snapshot.accepted, snapshot.completed, snapshot.failed), (701, 701, 0));
}

#[test]
fn many_jobs_are_not_held_up_by_complete_ones_that_nobody_polls() {
    let session = hash(&Arc::default());
    let workers = workers(2, 10);
    assert_eq!(workers.submit(&mut jobs(&session, 20)), 20);
    assert_eq!(workers.process_many(jobs(&session, 500)).len(), 500);
    assert!(are_right(&workers.shutdown(), 20));
}

#[test]
fn what_waits_for_room_goes_before_what_is_submitted() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(1, 10);
    toy.gate.shut();
    let mut left = jobs(&session, 12);
    let last = left.split_off(10);
    assert_eq!(workers.submit(&mut left), 10);
    let waits: Vec<_> = last.into_iter().map(|job| workers.process(job)).collect();
    assert_eq!((workers.submit(&mut jobs(&session, 1)), workers.in_flight()), (0, 10));
    toy.gate.open();
    for completion in waits {
        let job = pollster::block_on(completion);
        assert!(is_summed(&job));
    }
    assert!(are_right(&workers.shutdown(), 10));
}

#[test]
fn the_largest_capacity_and_wait_are_no_bounds() {
    let session = hash(&Arc::default());
    let (capacity, max_wait) = (usize::MAX, Some(Duration::MAX));
    let config = WorkersConfig { threads: 2, capacity, max_wait, ..Default::default() };
    let workers = Workers::new(config).expect("there are threads");
    assert_eq!(workers.capacity(), usize::MAX);
    let mut left = jobs(&session, 5000);
    assert_eq!(workers.submit(&mut left), 5000);
    assert!(are_right(&workers.shutdown(), 5000));

    let mut queue = QueuePair::new(QueueConfig { capacity, max_wait, ..Default::default() });
    let mut left = jobs(&session, 5003);
    assert_eq!(queue.enqueue(&mut left), 5003);
    assert!(are_right(&queue.close(), 5003));
}

#[test]
fn several_threads_submit_and_poll() {
    let session = hash(&Arc::default());
    let workers = workers(2, 30);
    let (sender, complete) = mpsc::channel();
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (workers, session, sender) = (&workers, &session, sender.clone());
            scope.spawn(move || {
                let mut left = jobs(session, 2000).split_off(part * 1000);
                left.truncate(1000);
                let mut polled = Vec::new();
                while !left.is_empty() {
                    workers.submit(&mut left);
                    workers.wait(LONG);
                    workers.poll(&mut polled, 10);
                }
                polled.into_iter().for_each(|job| sender.send(job).expect("the test listens"));
            });
        }
    });
    drop(sender);
    let mut complete: Vec<_> = complete.iter().collect();
    complete.extend(workers.shutdown());
    assert!(are_right(&complete, 2000));
}

#[test]
#[cfg(target_os = "linux")]
fn workers_are_where_they_were_placed() {
    let allowed = broadloom_engine::allowed_cores().expect("Linux says it");
    let placement = Placement::Cores(vec![allowed[0]]);
    let config = WorkersConfig { threads: 2, placement, ..Default::default() };
    let workers = Workers::<TestJob>::new(config).expect("the core is allowed");
    assert_eq!((workers.core(0), workers.core(1)), (Some(allowed[0]), Some(allowed[0])));
}

#[test]
fn workers_that_cannot_be_are_refused_with_the_reason() {
    let refused = |config| match Workers::<TestJob>::new(config) {
        Ok(_) => panic!("it should be refused"),
        Err(error) => error,
    };
    let none = refused(WorkersConfig { threads: 0, ..Default::default() });
    assert_eq!(none.to_string(), "workers are at least 1 thread, not 0");
    let no_room = refused(WorkersConfig { capacity: 0, ..Default::default() });
    assert_eq!(no_room.to_string(), "a worker holds at least 1 job, not 0");
    let many = refused(WorkersConfig { threads: usize::MAX, ..Default::default() });
    let text = "workers are at most 4096 threads, not 18446744073709551615";
    assert_eq!(many.to_string(), text);
    let placement = Placement::Cores(vec![usize::MAX]);
    let nowhere = refused(WorkersConfig { placement, ..Default::default() });
    #[cfg(target_os = "linux")]
    assert!(matches!(nowhere, WorkersError::Affinity(AffinityError::NotAllowed { .. })));
    #[cfg(not(target_os = "linux"))]
    assert!(matches!(nowhere, WorkersError::Affinity(AffinityError::Unsupported)));
}
