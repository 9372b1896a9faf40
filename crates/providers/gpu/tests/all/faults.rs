//! A device that hangs, goes away or has no memory: every job ends once, by its fallback or with
//! the reason, and its data are as they were.

use std::sync::Arc;
use std::time::Duration;

use broadloom_engine::{DeviceFault, Job, JobError, Processor, QueueConfig, QueuePair, Session};
use broadloom_gpu::Gpu;

use crate::common::{digest, gpu, native, open, seal, sha256, text};

const JOBS: usize = 40;

/// The ends of jobs at a device: without a fallback, and then with one.
fn ends(gpu: &Gpu) -> (Vec<Result<(), JobError>>, Vec<Option<JobError>>) {
    let alone = open(gpu, &seal());
    let mut jobs: Vec<_> =
        (0..JOBS).map(|at| Job::new(&alone, text(at, 100 + at)).nonce(&[1; 12])).collect();
    Processor::new().process_many(&mut jobs);
    for (at, job) in jobs.iter().enumerate() {
        if job.status() != Some(Ok(())) {
            assert_eq!(job.data().output(), Some(text(at, 100 + at).as_slice()), "job {at}");
        }
    }
    let statuses = jobs.iter().map(|job| job.status().expect("it has ended")).collect();

    let backed = open(gpu, &sha256()).falling_back_to(native(&sha256())).expect("it is the same");
    let mut jobs: Vec<_> = (0..JOBS).map(|at| Job::new(&backed, text(at, 3 * at))).collect();
    Processor::new().process_many(&mut jobs);
    for (at, job) in jobs.iter().enumerate() {
        assert_eq!(job.tag(), Some(digest(&text(at, 3 * at)).as_slice()), "job {at}");
    }
    (statuses, jobs.iter().map(|job| job.fell_back()).collect())
}

fn all_failed_with(gpu: &Gpu, first: DeviceFault, later: DeviceFault) {
    let (statuses, fell_back) = ends(gpu);
    for status in statuses {
        assert_eq!(status, Err(JobError::Device(first)));
    }
    for reason in fell_back {
        assert_eq!(reason, Some(JobError::Device(later)));
    }
}

#[test]
fn a_device_without_memory_fails_its_batch_and_goes_on() {
    let Some(gpu) = gpu("out of memory", &[("faults", "out-of-memory=1")]) else { return };
    all_failed_with(&gpu, DeviceFault::OutOfMemory, DeviceFault::OutOfMemory);
    assert_eq!((gpu.statistics().batches, gpu.statistics().losses), (0, 0));
    assert!(gpu.statistics().out_of_memory >= 2, "{}", gpu.statistics());
    let error = JobError::Device(DeviceFault::OutOfMemory).to_string();
    assert!(error.ends_with("had no memory for the job"), "{error}");
}

#[test]
fn a_device_that_is_gone_is_asked_no_more() {
    let Some(gpu) = gpu("loss", &[("faults", "loss=1")]) else { return };
    all_failed_with(&gpu, DeviceFault::Removed, DeviceFault::Removed);
    assert_eq!(gpu.statistics().losses, 1);
}

#[test]
fn a_device_that_hangs_is_given_up_in_time_and_asked_no_more() {
    let options = [("faults", "hang=1"), ("timeout", "50ms")];
    let Some(gpu) = gpu("hang", &options) else { return };
    all_failed_with(&gpu, DeviceFault::Timeout, DeviceFault::Removed);
    assert_eq!((gpu.statistics().timeouts, gpu.statistics().batches), (1, 0));
}

#[test]
fn faults_now_and_then_leave_every_job_right_or_failed() {
    let options = [("faults", "out-of-memory=0.4"), ("seed", "5"), ("batch", "64K")];
    let Some(gpu) = gpu("faults now and then", &options) else { return };
    let session = open(&gpu, &sha256());
    let config = QueueConfig { capacity: 64, ..QueueConfig::default() };
    let mut pair = QueuePair::new(config);
    let (mut sent, mut back, mut failed) = (0, Vec::new(), 0);
    while sent < 600 || pair.in_flight() > 0 {
        let count = (600 - sent).min(64 - pair.in_flight());
        let mut jobs: Vec<_> = (sent..sent + count)
            .map(|number| Job::new(&session, text(number, 50 * (number % 64))).user(number))
            .collect();
        sent += pair.enqueue(&mut jobs);
        pair.wait(Duration::from_millis(1));
        pair.dequeue(&mut back, usize::MAX);
    }
    let mut numbers: Vec<_> = back.iter().map(|job| *job.user_value()).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..600), "each comes back once");
    for job in &back {
        let number = *job.user_value();
        match job.status() {
            Some(Ok(())) => {
                let right = digest(&text(number, 50 * (number % 64)));
                assert_eq!(job.tag(), Some(right.as_slice()), "job {number}");
            }
            status => {
                let memory = JobError::Device(DeviceFault::OutOfMemory);
                assert_eq!(status, Some(Err(memory)), "job {number}");
                failed += 1;
            }
        }
    }
    let statistics = gpu.statistics();
    assert!(failed > 0 && failed < 600, "{failed} failed");
    assert_eq!(statistics.jobs, 600 - failed);
}

#[test]
fn jobs_that_are_dropped_while_the_device_hangs_come_back_cancelled() {
    let options = [("faults", "hang=1"), ("timeout", "1000s")];
    let Some(gpu) = gpu("a drop", &options) else { return };
    let session = Session::open(Arc::new(gpu), &seal()).expect("it has kernels");
    let (give, returned) = std::sync::mpsc::channel();
    let mut pair = QueuePair::new(QueueConfig::default())
        .on_drop(move |job| give.send(job).expect("somebody listens"));
    let mut jobs: Vec<_> =
        (0..JOBS).map(|at| Job::new(session.clone(), text(at, 64)).nonce(&[2; 12])).collect();
    pair.enqueue(&mut jobs);
    pair.wait(Duration::from_millis(5));
    drop(pair);
    let returned: Vec<_> = returned.into_iter().collect();
    assert_eq!(returned.len(), JOBS);
    for (at, job) in returned.iter().enumerate() {
        assert_eq!(job.status(), Some(Err(JobError::Cancelled)), "job {at}");
    }
}
