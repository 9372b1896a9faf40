//! In the steady state, neither jobs nor what is counted of them take memory.
//!
//! A program of its own: its allocator counts what the whole process has in use.
#![cfg(not(loom))]

use broadloom_engine::{
    HashAlgorithm, Job, MacAlgorithm, Processor, QueueConfig, QueuePair, Registry, Session,
    Transform, metrics,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes that a call has in use at any moment beyond those that were in use before.
fn allocated(call: impl FnOnce()) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    call();
    ALLOCATOR.peak_usage() - before
}

fn sessions(registry: &Registry) -> [Session; 3] {
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    let open = |transform: Transform, label: &str| {
        let transform = transform.label(label).expect("it fits");
        registry.open(&transform).expect("the native provider has it")
    };
    [
        open(Transform::mac(mac, b"one").generate().expect("it fits"), "one"),
        open(Transform::mac(mac, b"two").generate().expect("it fits"), "two"),
        open(Transform::mac(mac, b"two").verify().expect("it fits"), "two"),
    ]
}

#[test]
fn a_queue_pair_and_a_processor_take_no_memory_for_jobs() {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let sessions = sessions(&registry);
    let mut jobs: Vec<_> = (0..96usize)
        .map(|place| {
            let job = Job::new(&sessions[place % 3], vec![7; 1 << (place % 12)]);
            // These tags are wrong.
            if place % 3 == 2 { job.expect_tag(&[0; 20]) } else { job }
        })
        .collect();
    let mut complete = Vec::with_capacity(jobs.len());
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut processor = Processor::new();
    let mut rounds = |count: usize| {
        for _ in 0..count {
            assert_eq!(processor.process_many(&mut jobs).failed, 32);
            pair.enqueue(&mut jobs);
            pair.dequeue(&mut complete, usize::MAX);
            pair.flush();
            pair.dequeue(&mut complete, usize::MAX);
            std::mem::swap(&mut jobs, &mut complete);
        }
    };
    metrics::start();
    rounds(3);
    // The thread that has started this test may take memory once meanwhile, for its list of tests.
    let least = (0..3).map(|_| allocated(|| rounds(300))).min();
    assert_eq!(least, Some(0));
    let queues = metrics::read();
    let series = queues.iter().flat_map(|queue| &queue.series);
    let (operations, errors) = series.fold((0, 0), |(operations, errors), totals| {
        let own: u64 = totals.errors.values().sum();
        (operations + totals.operations, errors + own)
    });
    assert_eq!((operations, errors), (2 * 903 * 96, 2 * 903 * 32));
}
