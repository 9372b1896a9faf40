//! Jobs as futures, in executors of any kind.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use broadloom_engine::{Job, Workers, WorkersConfig};

use crate::common::{Toy, hash, is_summed, job};

type TestJob = Box<Job<'static, usize>>;

fn workers(threads: usize, capacity: usize) -> Workers<TestJob> {
    let config = WorkersConfig { threads, capacity, ..Default::default() };
    Workers::new(config).expect("there are threads")
}

#[tokio::test(flavor = "current_thread")]
async fn tasks_of_one_thread_get_their_jobs() {
    let session = hash(&Arc::default());
    let workers = Arc::new(workers(2, 8));
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let (workers, job) = (Arc::clone(&workers), job(&session, number));
            tokio::spawn(async move { workers.process(job).await })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        let job = task.await.expect("it ran");
        assert!(*job.user_value() == number && is_summed(&job));
    }
    assert_eq!(workers.in_flight(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_several_threads_get_their_bursts_in_order() {
    let session = hash(&Arc::default());
    let workers = Arc::new(workers(2, 64));
    let tasks: Vec<_> = [0, 1, 40, 1000]
        .map(|count| {
            let workers = Arc::clone(&workers);
            let jobs: Vec<_> = (0..count).map(|number| job(&session, number % 200)).collect();
            tokio::spawn(async move { (count, workers.process_burst(jobs).await) })
        })
        .into();
    for task in tasks {
        let (count, jobs) = task.await.expect("it ran");
        assert!(jobs.iter().all(|job| is_summed(job)));
        assert!(jobs.iter().map(|job| *job.user_value()).eq((0..count).map(|number| number % 200)));
    }
}

#[tokio::test]
async fn a_job_that_is_given_up_is_still_accounted_for() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(1, 1);
    toy.gate.shut();
    let first = workers.process(job(&session, 1));
    let second = workers.process(job(&session, 2));
    assert_eq!(workers.in_flight(), 1, "the second waits for room");
    let hurry = tokio::time::timeout(Duration::from_millis(5), first).await;
    assert!(hurry.is_err(), "the gate is shut");
    assert_eq!(workers.in_flight(), 1);
    toy.gate.open();
    let second = second.await;
    assert!(is_summed(&second));
    let counters = workers.statistics(0);
    drop(workers);
    assert_eq!(counters.snapshot().completed, 2);
}

#[test]
fn any_executor_will_do() {
    let session = hash(&Arc::default());
    let workers = workers(2, 1);
    let (one, burst) =
        (workers.process(job(&session, 7)), workers.process_burst(vec![job(&session, 8)]));
    let burst = pollster::block_on(burst);
    let one = pollster::block_on(one);
    assert!(is_summed(&one) && is_summed(&burst[0]));
}

#[test]
fn a_future_polled_after_it_was_ready_panics_and_is_dropped_under_it() {
    let session = hash(&Arc::default());
    let workers = workers(1, 8);
    let mut one = workers.process(job(&session, 7));
    let mut burst = workers.process_burst(vec![job(&session, 8)]);
    assert!(
        is_summed(&pollster::block_on(&mut one)) && is_summed(&pollster::block_on(&mut burst)[0])
    );
    // The panic passes through their owner; another one in their drop would end the program.
    assert!(catch_unwind(AssertUnwindSafe(|| pollster::block_on(one))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| pollster::block_on(burst))).is_err());
}

#[test]
fn futures_outlive_the_workers() {
    let toy = Arc::new(Toy::default());
    let session = hash(&toy);
    let workers = workers(1, 2);
    toy.gate.shut();
    let mut waiting: Vec<_> =
        (0..10).map(|number| workers.process(job(&session, number))).collect();
    let mut first = pin!(waiting.remove(0));
    assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    toy.gate.open();
    assert!(workers.shutdown().is_empty());
    let Poll::Ready(first) = first.poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("all was completed")
    };
    assert!(is_summed(&first));
    for completion in waiting {
        let job = pollster::block_on(completion);
        assert!(is_summed(&job));
    }
}
