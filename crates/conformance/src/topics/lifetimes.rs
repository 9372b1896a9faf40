//! Sessions, jobs and queues that outlive each other, are shared, or are used again.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Processor, QueueConfig, QueuePair};
use fastrand::Rng;

use super::mix::Mix;
use crate::case::Case;
use crate::keyed::{Keyed, varied};

/// Jobs that own their session outlive every other handle of it, in a queue pair and on another
/// thread.
pub fn owned_sessions(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(28);
    let keyed: Vec<_> = varied(provider)
        .into_iter()
        .map(|algorithm| Keyed::random(&mut rng, provider, algorithm))
        .collect();
    let cases: Vec<_> = keyed.iter().map(|keyed| Case::random(&mut rng, keyed, 120)).collect();
    let config = QueueConfig { batch: Some(usize::MAX), max_wait: None, ..QueueConfig::default() };
    let mut queue = QueuePair::new(config);
    let mut total = 0;
    for case in &cases {
        for session in case.keyed.open_all(provider) {
            let mut job = vec![case.owned_job(session.clone()).user(case)];
            drop(session);
            total += queue.enqueue(&mut job);
        }
    }
    // The queue pair with all that is in it goes to another thread, where it is closed.
    let done = std::thread::scope(|scope| scope.spawn(move || queue.close()).join());
    let done = done.expect("closing does not panic");
    assert_eq!(done.len(), total);
    done.iter().for_each(|job| job.user_value().check(job, "the session has no other handle"));
}

/// One job for message after message: other data, nonces, tags and sessions.
pub fn reused_jobs(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 29, 3);
    let mut processor = Processor::new();
    let Some(first) = mix.messages.first() else { return };
    let mut job = first.owned_job(&mix.sessions[0]);
    for (message, session) in mix.messages.iter().zip(&mix.sessions) {
        for how in ["a job used again", "a job used again with the same session"] {
            message.renew(&mut job, session.clone());
            assert_eq!(job.status(), None, "a job made ready for its next use is not complete");
            processor.process_many(std::slice::from_mut(&mut job));
            message.check(&job, how);
        }
    }
}

/// Many threads, each with a queue pair or a processor of its own, share sessions.
pub fn shared_session(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 30, 4);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let mix = &mix;
            scope.spawn(move || {
                let mut processor = Processor::new();
                let mut queue =
                    QueuePair::new(QueueConfig { capacity: 50, ..QueueConfig::default() });
                for _ in 0..3 {
                    let mut jobs = mix.jobs();
                    if thread % 2 == 0 {
                        processor.process_many(&mut jobs);
                        mix.check_all(&jobs, "a shared session, a processor for each thread");
                        continue;
                    }
                    let mut done = Vec::new();
                    while done.len() < mix.len() {
                        queue.enqueue(&mut jobs);
                        queue.flush();
                        queue.dequeue(&mut done, usize::MAX);
                    }
                    mix.check_all(&done, "a shared session, a queue pair for each thread");
                }
            });
        }
    });
}

/// Queue pairs and processors opened and dropped again and again, some with jobs in them, some on
/// other threads, while the sessions stay; what each left behind is of use to the next.
pub fn reopened_queues(provider: &Arc<dyn Provider>) {
    let mix = Mix::new(provider, 31, 1);
    let fresh = || {
        let mut queue = QueuePair::new(QueueConfig { capacity: 20, ..QueueConfig::default() });
        let mut jobs = mix.jobs();
        queue.enqueue(&mut jobs);
        queue.flush();
        let mut done = Vec::new();
        queue.dequeue(&mut done, 10);
        done.iter().for_each(|job| mix.messages[*job.user_value()].check(job, "a new queue pair"));
        // The rest is dropped with it.
    };
    // More at a time than any table of queues has room for without one being used again.
    for _ in 0..100 {
        fresh();
    }
    let mut held: Vec<_> = (0..40).map(|_| Processor::new()).collect();
    for turn in 0..3 {
        for processor in &mut held {
            let mut jobs = mix.jobs();
            processor.process_many(&mut jobs);
            mix.check_all(&jobs, "one of many processors");
        }
        held.drain(..13);
        held.extend((0..13 - turn).map(|_| Processor::new()));
    }
    for _ in 0..10 {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(fresh);
            }
        });
    }
}
