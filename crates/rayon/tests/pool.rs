//! Many jobs within a call, on a rayon pool.

#[allow(dead_code, reason = "the tests of the engine use the rest")]
#[path = "../../engine/tests/all/common.rs"]
mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use broadloom_engine::{Job, Outcome};
use broadloom_rayon::PoolProcessor;
use rayon::{ThreadPool, ThreadPoolBuilder};

use common::{PANIC, cipher};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("there are threads")
}

#[test]
fn borrowed_jobs_are_processed_on_a_pool_of_any_size() {
    let session = cipher(&Arc::default(), 1);
    let mut processor = PoolProcessor::new();
    // A large job among many small ones, and too few to be worth a second thread.
    for count in [0, 1, 7, 5000] {
        for pool in [pool(1), pool(4)] {
            let mut packets: Vec<Vec<u8>> =
                (0..count).map(|number| vec![7; number % 100]).collect();
            packets.extend((count > 7).then(|| vec![7; 1 << 20]));
            let given = packets.len();
            let mut jobs: Vec<_> = packets
                .iter_mut()
                .map(|packet| Job::new(&session, packet.as_mut_slice()).nonce(&[0; 16]))
                .collect();
            let outcome = processor.process_many(&pool, &mut jobs);
            assert_eq!(outcome, Outcome { completed: given, failed: 0, fell_back: 0 });
            assert!(jobs.iter().all(Job::succeeded));
            drop(jobs);
            assert!(packets.iter().flatten().all(|byte| *byte == 8), "each byte once");
        }
    }
}

#[test]
fn failures_are_counted_whatever_thread_they_are_on() {
    let session = cipher(&Arc::default(), 1);
    let nonce = |number: usize| vec![0; if number.is_multiple_of(3) { 15 } else { 16 }];
    let mut jobs: Vec<_> = (0..3000)
        .map(|number| Job::new(&session, vec![0; 100]).nonce(&nonce(number)).user(number))
        .collect();
    let outcome = PoolProcessor::new().process_many(&pool(3), &mut jobs);
    assert_eq!(outcome, Outcome { completed: 3000, failed: 1000, fell_back: 0 });
    assert!(jobs.iter().all(|job| job.succeeded() != job.user_value().is_multiple_of(3)));
}

#[test]
fn a_provider_s_panic_reaches_the_caller_and_the_next_call_works() {
    let session = cipher(&Arc::default(), 1);
    let (pool, mut processor) = (pool(2), PoolProcessor::new());
    let job = |byte| Job::new(&session, vec![byte; 100]).nonce(&[0; 16]);
    let mut jobs: Vec<_> = (0..2000).map(|_| job(1)).collect();
    jobs[1999] = job(PANIC);
    let panicked = catch_unwind(AssertUnwindSafe(|| processor.process_many(&pool, &mut jobs)));
    assert!(panicked.is_err());
    let mut jobs: Vec<_> = (0..2000).map(|_| job(1)).collect();
    assert_eq!(processor.process_many(&pool, &mut jobs).failed, 0);
}
