//! Batches, streams and waits: what a queue pair over the device promises beyond the conformance
//! suite.

use std::time::Duration;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Job, Processor, QueueConfig, QueuePair};
use broadloom_gpu::{Gpu, factory};

use crate::common::{digest, gpu, native, open, seal, sha256, text};

#[test]
fn batches_fill_several_streams_and_each_job_is_right() {
    let options = [("batch", "64K"), ("streams", "2"), ("patience", "1s")];
    let Some(gpu) = gpu("streams", &options) else { return };
    let session = open(&gpu, &sha256());
    let mut jobs: Vec<_> =
        (0..400).map(|at| Job::new(&session, text(at, 7 * (at % 300)))).collect();
    Processor::new().process_many(&mut jobs);
    for (at, job) in jobs.iter().enumerate() {
        assert_eq!(job.tag(), Some(digest(&text(at, 7 * (at % 300))).as_slice()), "job {at}");
    }
    let statistics = gpu.statistics();
    assert_eq!(statistics.jobs, 400);
    // They are more than five times 64 KiB.
    assert!(statistics.batches > 4 && statistics.batches < 40, "{statistics}");
    assert!(statistics.uploaded > 5 << 16 && statistics.downloaded == 400 * 64, "{statistics}");
    let occupancy = statistics.occupancy;
    assert!(occupancy.used > 0 && occupancy.used <= occupancy.offered, "{statistics}");
}

#[test]
fn a_job_that_is_larger_than_a_batch_gets_a_larger_stream() {
    let Some(gpu) = gpu("a large job", &[("batch", "64K")]) else { return };
    let (session, other) = (open(&gpu, &seal()), native(&seal()));
    let texts = [text(1, 300_000), text(2, 40), text(3, 200_001)];
    let mut jobs = texts.clone().map(|text| Job::new(&session, text).nonce(&[9; 12]));
    let mut right = texts.map(|text| Job::new(&other, text).nonce(&[9; 12]));
    Processor::new().process_many(&mut jobs);
    Processor::new().process_many(&mut right);
    for (job, right) in jobs.iter().zip(&right) {
        assert_eq!(job.status(), Some(Ok(())));
        assert!(job.data().output() == right.data().output() && job.tag() == right.tag());
    }
}

#[test]
fn with_patience_a_batch_goes_when_it_is_waited_for_and_without_at_the_doorbell() {
    for (patience, launched) in [("1000s", false), ("0ns", true)] {
        let Some(gpu) = gpu("patience", &[("patience", patience)]) else { return };
        let session = open(&gpu, &sha256());
        let mut pair = QueuePair::new(QueueConfig::default());
        let mut back = Vec::new();
        pair.enqueue(&mut vec![Job::new(&session, text(0, 10))]);
        let end = std::time::Instant::now() + Duration::from_secs(if launched { 60 } else { 0 });
        while back.is_empty() && std::time::Instant::now() < end {
            pair.dequeue(&mut back, usize::MAX);
        }
        assert_eq!(back.len(), usize::from(launched), "patience {patience}");
        pair.flush();
        pair.dequeue(&mut back, usize::MAX);
        assert_eq!(back[0].tag(), Some(digest(&text(0, 10)).as_slice()));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_is_readable_when_a_batch_has_landed() {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    // With this patience nothing would go without the sleeper.
    let Some(gpu) = gpu("the descriptor", &[("patience", "1000s")]) else { return };
    let session = open(&gpu, &sha256());
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut back = Vec::new();
    for round in 0..2 {
        pair.enqueue(&mut vec![Job::new(&session, text(round, 99))]);
        if round == 0 {
            pair.wait(Duration::ZERO);
        }
        let events = pair.device_events();
        let [event] = &events[..] else { panic!("one device, not {}", events.len()) };
        let minute = Timespec { tv_sec: 60, tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(event, PollFlags::IN)], Some(&minute));
        assert_eq!(ready, Ok(1), "round {round}");
        drop(events);
        pair.dequeue(&mut back, usize::MAX);
        assert_eq!(back.len(), round + 1);
    }
}

#[test]
fn a_device_says_what_it_is_and_what_bounds_it() {
    let Some(gpu) = gpu("limits", &[]) else { return };
    assert!(gpu.description().contains("OpenCL"), "{}", gpu.description());
    assert!(gpu.by_name_only());
    let limits = gpu.limits().expect("it can be measured");
    for limit in [limits.upload, limits.download, limits.operations, limits.products] {
        assert!(limit.is_finite() && limit > 1e6, "{limits:?}");
    }
    let index = Gpu::load(&[("device", "99")]).err().expect("there are not so many").to_string();
    assert!(index.contains("no device 99; devices are 0: "), "{index}");
    let name = Gpu::load(&[("device", "abacus")]).err().expect("there is none").to_string();
    assert!(name.contains("no device called \"abacus\""), "{name}");
}

#[test]
fn the_factory_describes_its_options() {
    let factory = factory();
    assert!(factory.is_by_name_only() && factory.name() == Gpu::NAME);
    let registry = broadloom_engine::Registry::new();
    let wrong = factory.open(&[("streams", "99")], &registry).err().expect("too many");
    assert_eq!(wrong.to_string(), "the gpu provider takes no streams=99: streams are 1 to 16");
}
