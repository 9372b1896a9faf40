//! How drivers and the device meet: raw requests, order, ways of delivery, doorbells, instances.

use std::time::{Duration, Instant};

use broadloom_emulated::{Emulated, Instance, Request};
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Bytes, Compression, Data, DeviceFault, HashAlgorithm, Job, JobError, Lengths, Order, Processor,
    QueueConfig, QueuePair, Session, Transform,
};
use broadloom_native::Native;

use crate::common::*;

fn sha1(text: &[u8]) -> Vec<u8> {
    let session = direct(&Transform::hash(HashAlgorithm::Sha1));
    let mut job = Job::new(&session, text);
    Processor::new().process_many(std::slice::from_mut(&mut job));
    job.tag().expect("it is made").to_vec()
}

/// Polls until so many responses have come.
fn poll(instance: &mut Instance, count: usize) -> Vec<(u64, Result<(), JobError>, Vec<u8>)> {
    let mut responses = Vec::new();
    while responses.len() < count {
        instance.wait(Duration::from_millis(10));
        instance.poll(usize::MAX, |response| {
            responses.push((response.user, response.status, response.tag.to_vec()));
        });
    }
    responses
}

#[test]
fn requests_wait_for_the_doorbell_and_responses_go_to_callbacks() {
    let device = instant(&[("ring", "8")]);
    let session = device.session(&Transform::hash(HashAlgorithm::Sha1)).expect("a backend can");
    assert_eq!(session.tag_len(), 20);
    let mut instance = device.instance().expect("there is one");
    let texts: Vec<Vec<u8>> = (0..9u8).map(|number| vec![number; 100]).collect();
    for (user, text) in texts.iter().take(8).enumerate() {
        assert!(instance.submit(user as u64, &Request::new(&session, text)));
    }
    assert!(!instance.submit(8, &Request::new(&session, &texts[8])), "the ring is full");
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(instance.poll(9, |_| panic!("the device knows of nothing")), 0);
    instance.doorbell();
    instance.doorbell();
    for (user, status, tag) in poll(&mut instance, 8) {
        assert_eq!((status, tag), (Ok(()), sha1(&texts[user as usize])));
    }
    assert_eq!((instance.outstanding(), device.statistics().doorbells), (0, 1));
    assert!(instance.submit(8, &Request::new(&session, &texts[8])));
    assert_eq!(instance.outstanding(), 1);
}

#[test]
fn at_most_so_many_responses_as_are_wanted() {
    let device = instant(&[]);
    let session = device.session(&Transform::hash(HashAlgorithm::Md5)).expect("a backend can");
    let mut instance = device.instance().expect("there is one");
    for user in 0..5 {
        assert!(instance.submit(user, &Request::new(&session, b"text")));
    }
    instance.doorbell();
    let mut users = Vec::new();
    while users.len() < 5 {
        instance.wait(Duration::from_millis(10));
        assert!(instance.poll(2, |response| users.push(response.user)) <= 2);
    }
    assert_eq!(users, [0, 1, 2, 3, 4]);
}

/// A device that has nothing to compute packets with.
fn chunks_only() -> Emulated {
    let lz4 = broadloom_lz4::Lz4::load(&[]).expect("it is built in");
    Emulated::new(&[("preset", "instant")], vec![std::sync::Arc::new(lz4)])
        .expect("the options are valid")
}

#[test]
fn raw_requests_that_cannot_be_are_refused_or_fail() {
    let device = instant(&[]);
    let verify =
        Transform::mac(broadloom_engine::MacAlgorithm::Hmac(HashAlgorithm::Sha1), b"k").verify();
    let refused = device.session(&verify.expect("it fits")).expect_err("drivers verify");
    assert_eq!(refused.reason, "the device makes MACs, and the driver compares them");
    let refused = chunks_only().session(&encrypt()).expect_err("no backend has it");
    assert_eq!(refused.reason, "no provider computes aes-128-cbc for the emulated device");
    let session = device.session(&encrypt()).expect("a backend can");
    let mut instance = device.instance().expect("there is one");
    let good = Request::new(&session, &[0; 32]).nonce(&[0; 16]);
    assert!(instance.submit(0, &good) && instance.submit(1, &good.nonce(&[0; 3])));
    assert!(instance.submit(2, &Request::new(&session, &[0; 31]).nonce(&[0; 16])));
    instance.doorbell();
    let statuses: Vec<_> =
        poll(&mut instance, 3).into_iter().map(|(_, status, _)| status).collect();
    let nonce = JobError::NonceLength { len: 3, valid: Lengths::exactly(16) };
    let length = JobError::DataLength { len: 31, granularity: 16 };
    assert_eq!(statuses, [Ok(()), Err(nonce), Err(length)]);
}

/// An engine whose time depends on the length alone: responses come by their times, jobs in the
/// order asked for.
#[test]
fn order_under_random_service_times() {
    let options = [
        ("engines", "4"),
        ("depth", "2"),
        ("request-time", "1us"),
        ("byte-time", "100ns"),
        ("doorbell", "0ns"),
    ];
    let device = device(&options);
    let session = open(&device, &hmac());
    let mut random = Random(3);
    let texts: Vec<Vec<u8>> = (0..300)
        .map(|_| {
            let len = random.below(2000);
            random.bytes(len)
        })
        .collect();
    for order in [Order::AsSubmitted, Order::Any] {
        let mut queue =
            QueuePair::new(QueueConfig { capacity: 40, order, ..QueueConfig::default() });
        let jobs = texts
            .iter()
            .enumerate()
            .map(|(number, text)| Job::new(&session, text.as_slice()).user(number));
        let (mut jobs, mut back): (Vec<_>, Vec<_>) = (jobs.collect(), Vec::new());
        while back.len() < texts.len() {
            queue.enqueue(&mut jobs);
            queue.wait(Duration::from_millis(1));
            queue.dequeue(&mut back, usize::MAX);
        }
        let numbers: Vec<usize> = back.iter().map(|job| *job.user_value()).collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..300));
        if order == Order::AsSubmitted {
            assert_eq!(numbers, sorted);
        }
        let direct = direct(&hmac());
        for job in &back {
            let mut right = Job::new(&direct, texts[*job.user_value()].as_slice());
            Processor::new().process_many(std::slice::from_mut(&mut right));
            assert_eq!(job.tag(), right.tag());
        }
    }
}

/// A response is there no earlier than the model says, whatever the way of delivery.
#[test]
fn no_response_before_its_time() {
    let deliveries: [&[(&str, &str)]; 4] = [
        &[("wait", "spin")],
        &[("wait", "1ms")],
        &[("poller", "thread")],
        &[("responses", "interrupt")],
    ];
    for delivery in deliveries {
        let timing =
            [("engines", "1"), ("depth", "1"), ("request-time", "5ms"), ("byte-time", "0ns")];
        let device = device(&[&timing, delivery].concat());
        let session = device.session(&hmac()).expect("a backend can");
        let mut instance = device.instance().expect("there is one");
        let start = Instant::now();
        for user in 0..3 {
            assert!(instance.submit(user, &Request::new(&session, b"text")));
        }
        instance.doorbell();
        for count in 1..=3u32 {
            let mut came = 0;
            while came == 0 {
                instance.wait(Duration::from_secs(10));
                came = instance.poll(1, |response| assert_eq!(response.user, u64::from(count) - 1));
            }
            assert!(start.elapsed() >= count * Duration::from_millis(5), "{delivery:?}");
        }
    }
}

/// While nothing is timed responses do not wait for the model, which would take an hour.
#[test]
fn preparing_is_not_timed() {
    let device = device(&[("request-time", "3600s"), ("doorbell", "3600s")]);
    let session = device.session(&hmac()).expect("a backend can");
    let mut instance = device.instance().expect("there is one");
    device.set_preparing(true);
    assert!(instance.submit(0, &Request::new(&session, b"text")));
    instance.doorbell();
    assert_eq!(poll(&mut instance, 1)[0].1, Ok(()));
    assert!(device.statistics().keeps_up());
}

#[test]
fn responses_that_were_not_computed_in_time_are_counted() {
    let device = device(&[("request-time", "0ns"), ("byte-time", "0ns"), ("way-byte-time", "0ns")]);
    let session = open(&device, &compress(Compression { level: 9, ..Compression::default() }));
    let text = Random(1).text(200_000);
    let mut job = Job::new(&session, text.as_slice());
    Processor::new().process_many(std::slice::from_mut(&mut job));
    assert!(job.succeeded());
    let statistics = device.statistics();
    assert_eq!((statistics.late, statistics.keeps_up()), (1, false));
    assert!(statistics.late_most > Duration::ZERO && statistics.late_total == statistics.late_most);
    let said = statistics.to_string();
    assert!(
        said.starts_with("this machine cannot keep up with the modelled device: 1 of 1"),
        "{said}"
    );
}

#[test]
fn instances_are_limited_and_come_back() {
    let device = instant(&[("instances", "2")]);
    let first = device.instance().expect("there are two");
    let _second = device.instance().expect("there are two");
    let error = device.instance().err().expect("there is no third");
    assert_eq!(error.reason, "all 2 instances of the device are in use");
    drop(first);
    assert!(device.instance().is_ok());
}

/// Each of several threads gets its own responses.
#[test]
fn threads_with_an_instance_each() {
    for silicon in ["1", "3"] {
        let device = instant(&[("silicon", silicon), ("ring", "16")]);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let device = &device;
                scope.spawn(move || {
                    let session = open(device, &hmac());
                    let direct = direct(&hmac());
                    let mut random = Random(thread);
                    for _ in 0..50 {
                        let texts: Vec<_> = (0..40)
                            .map(|_| {
                                let len = random.below(300);
                                random.bytes(len)
                            })
                            .collect();
                        let tags = [&session, &direct].map(|session| {
                            let jobs = texts.iter().map(|text| Job::new(session, text.as_slice()));
                            let mut jobs: Vec<_> = jobs.collect();
                            Processor::new().process_many(&mut jobs);
                            let tag = |job: &Job<'_>| job.tag().expect("it is made").to_vec();
                            jobs.iter().map(tag).collect::<Vec<_>>()
                        });
                        assert_eq!(tags[0], tags[1]);
                    }
                });
            }
        });
    }
}

/// What is owned is handed over and comes back, in place and apart, and what is borrowed is copied:
/// the same bytes in all cases.
#[test]
fn copied_or_handed_over_the_bytes_are_the_same() {
    let text = Random(6).bytes(4096);
    let outputs = ["copy", "gather"].map(|memory| {
        let device = instant(&[("memory", memory)]);
        let session = open(&device, &encrypt());
        let mut borrowed = text.clone();
        let mut halves = text.clone();
        let (front, back) = halves.split_at_mut(100);
        let mut jobs = vec![
            Job::new(&session, borrowed.as_mut_slice()),
            Job::new(&session, text.clone()),
            Job::new(&session, (text.as_slice(), vec![0; 4096])),
            Job::new(&session, (Bytes::from(text.clone()), vec![0; 4096])),
            Job::new(&session, Data::scattered(vec![front.into(), back.into()])),
        ];
        jobs.iter_mut().for_each(|job| job.set_nonce(&[1; 16]));
        let ranged = Job::new(&session, text.clone()).nonce(&[1; 16]).cipher_range(16..4096);
        let outcome = Processor::new().process_many(&mut jobs);
        assert_eq!(outcome.failed, 0);
        let mut ranged = [ranged];
        Processor::new().process_many(&mut ranged);
        assert_eq!(ranged[0].data().output().map(|all| &all[..16]), Some(&text[..16]));
        jobs.iter()
            .map(|job| job.data().output_pieces().flatten().copied().collect::<Vec<u8>>())
            .collect::<Vec<_>>()
    });
    assert!(outputs.iter().flatten().all(|output| *output == outputs[0][0]));
}

/// A MAC over a part of pieces is over that part.
#[test]
fn ranges_of_pieces() {
    let text = Random(6).bytes(300);
    for memory in ["copy", "gather"] {
        let device = instant(&[("memory", memory)]);
        let [mut ours, mut right] = [open(&device, &hmac()), direct(&hmac())].map(|session| {
            let pieces = text.chunks(70).map(|piece| Bytes::from(piece.to_vec())).collect();
            Job::new(session, Data::gather(pieces)).mac_range(10..200)
        });
        Processor::new().process_many(std::slice::from_mut(&mut ours));
        Processor::new().process_many(std::slice::from_mut(&mut right));
        assert_eq!((ours.status(), ours.tag()), (Some(Ok(())), right.tag()));
    }
}

/// A queue pair that is dropped gives every job back, with what was lent.
#[test]
fn a_drop_gives_back_what_was_lent() {
    let device = device(&[("request-time", "3600s"), ("memory", "gather")]);
    let session = open(&device, &encrypt());
    let (send, back) = std::sync::mpsc::channel();
    let mut queue = QueuePair::new(QueueConfig::default())
        .on_drop(move |job: Job<'_, usize>| send.send(job).expect("someone receives"));
    let job =
        |number: usize| Job::new(&session, vec![number as u8; 64]).nonce(&[0; 16]).user(number);
    let mut jobs: Vec<_> = (0..100).map(job).collect();
    assert_eq!(queue.enqueue(&mut jobs), 100);
    drop(queue);
    let back: Vec<_> = back.iter().collect();
    assert_eq!(back.len(), 100);
    for job in back {
        assert_eq!(job.status(), Some(Err(JobError::Cancelled)));
        assert_eq!(job.data().len(), 64);
    }
    // The slots are free again, and the device works on.
    let mut instance = device.instance().expect("there is one");
    device.set_preparing(true);
    let raw = device.session(&hmac()).expect("a backend can");
    assert!(instance.submit(1, &Request::new(&raw, b"text")));
    instance.doorbell();
    assert_eq!(poll(&mut instance, 1)[0].1, Ok(()));
}

/// The event is readable when a response is there, until nothing comes any more.
#[test]
fn the_event_follows_the_responses() {
    let readable = |instance: &Instance, timeout: i64| {
        let event = instance.event().expect("it interrupts");
        let mut events = [rustix::event::PollFd::new(&event, rustix::event::PollFlags::IN)];
        let timeout = rustix::event::Timespec { tv_sec: timeout, tv_nsec: 0 };
        rustix::event::poll(&mut events, Some(&timeout)).expect("it can be polled") == 1
    };
    for options in [
        &[("preset", "instant"), ("responses", "interrupt")][..],
        &[("responses", "interrupt"), ("request-time", "2ms")],
        &[("responses", "interrupt"), ("faults", "lost-response:1"), ("timeout", "2ms")],
    ] {
        let device = device(options);
        let session = device.session(&hmac()).expect("a backend can");
        let mut instance = device.instance().expect("there is one");
        assert!(!readable(&instance, 0));
        for _ in 0..20 {
            for user in 0..3 {
                assert!(instance.submit(user, &Request::new(&session, b"text")));
            }
            instance.doorbell();
            let mut came = 0;
            while came < 3 {
                assert!(readable(&instance, 60), "{options:?}");
                came += instance.poll(1, |_| {});
            }
            // An interrupt may come after its response was taken: one more poll takes it down.
            while readable(&instance, 0) {
                assert_eq!(instance.poll(1, |_| {}), 0);
            }
        }
        assert!(device.statistics().interrupts > 0);
    }
    assert!(instant(&[]).instance().expect("there is one").event().is_none());
}

/// A panic of a backend fails the requests that it had, and the device goes on.
#[test]
fn a_panic_of_a_backend_fails_requests_and_no_more() {
    let (device, session) = (panicking(), Transform::hash(HashAlgorithm::Sha1));
    let session = device.session(&session).expect("it says so");
    let mut instance = device.instance().expect("there is one");
    for text in [&b"panic"[..], b"text"].repeat(3) {
        assert!(instance.submit(7, &Request::new(&session, text)));
        instance.doorbell();
        let (_, status, tag) = poll(&mut instance, 1).remove(0);
        match text {
            b"panic" => assert_eq!(status, Err(JobError::Panicked)),
            _ => assert_eq!((status, tag), (Ok(()), sha1(text))),
        }
    }
}

/// A device whose backend panics over one text.
fn panicking() -> Emulated {
    use broadloom_engine::provider::{
        AnyQueue, Operation, ProviderError, ProviderSession, Queue, Text,
    };

    struct Panics(std::sync::Arc<dyn Provider>);
    struct PanicsQueue;
    struct PanicsSession(Session);

    impl ProviderSession for PanicsSession {
        fn kernel(&self) -> String {
            "panics".to_owned()
        }
    }

    impl Queue for PanicsQueue {
        fn batch(&mut self, _: u8) -> usize {
            1
        }
        fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
            for operation in operations {
                let parts = operation.parts::<PanicsSession>().expect("it is its own");
                let text = Text::into_input(parts.text);
                assert_ne!(text, b"panic", "as it was told");
                let mut job = Job::new(&parts.session.0, text);
                Processor::new().process_many(std::slice::from_mut(&mut job));
                parts.tag[..20].copy_from_slice(job.tag().expect("it is made"));
                drop(job);
                operation.complete(Ok(()));
            }
        }
    }

    impl Provider for Panics {
        fn name(&self) -> &str {
            "panics"
        }
        fn description(&self) -> String {
            String::new()
        }
        fn supports(&self, algorithm: broadloom_engine::Algorithm) -> bool {
            self.0.supports(algorithm)
        }
        fn open_session(
            &self,
            transform: &Transform,
        ) -> Result<Box<dyn ProviderSession>, ProviderError> {
            Ok(Box::new(PanicsSession(Session::open(self.0.clone(), transform)?)))
        }
        fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
            Ok(AnyQueue::local(PanicsQueue))
        }
    }

    let native = Native::new(broadloom_lanes::Cpu::detect());
    let backend: std::sync::Arc<dyn Provider> =
        std::sync::Arc::new(Panics(std::sync::Arc::new(native)));
    Emulated::new(&[("preset", "instant")], vec![backend]).expect("the options are valid")
}

/// The device's own threads tell what they have spent, whatever they are doing.
#[test]
fn the_silicons_time_is_its_own() {
    for responses in ["polling", "interrupt"] {
        let device = instant(&[("responses", responses), ("silicon", "2")]);
        let before = device.silicon_cpu_time();
        let session = open(&device, &compress(Compression { level: 9, ..Compression::default() }));
        let text = Random(1).text(500_000);
        let mut job = Job::new(&session, text.as_slice());
        Processor::new().process_many(std::slice::from_mut(&mut job));
        assert!(device.silicon_cpu_time() > before);
    }
}

#[test]
fn what_it_says_of_itself() {
    let said = device(&[("faults", "reset:0.5"), ("seed", "4")]).description();
    assert_eq!(
        said,
        "an emulation of an accelerator, preset 8955: 6 compression, 12 symmetric and 30 \
         public-key engines, faults (seed 4): reset 0.5; computed by native, libdeflate, zlib, lz4"
    );
    let device = instant(&[]);
    assert!(device.by_name_only());
    assert!(device.supports(broadloom_engine::Algorithm::Hash(HashAlgorithm::Sha1)));
    assert!(!chunks_only().supports(broadloom_engine::Algorithm::Hash(HashAlgorithm::Sha1)));
    assert_eq!(device.levels(broadloom_engine::CompressionAlgorithm::Deflate), Some(0..=12));
    assert!(open(&device, &hmac()).kernel().starts_with("emulated by native: "));
    let none = Emulated::new(&[], Vec::new()).expect("the options are valid");
    let refused = none.session(&hmac()).expect_err("nobody can");
    assert!(refused.reason.ends_with(" for the emulated device"), "{}", refused.reason);
}

/// After its removal a device takes everything and does nothing.
#[test]
fn a_device_that_is_gone_stays_gone() {
    let device = instant(&[("faults", "removal:1")]);
    let session = device.session(&hmac()).expect("a backend can");
    for _ in 0..2 {
        let mut instance = device.instance().expect("there is one");
        for _ in 0..3 {
            assert!(instance.submit(1, &Request::new(&session, b"text")));
            instance.doorbell();
            let removed = Err(JobError::Device(DeviceFault::Removed));
            assert_eq!(poll(&mut instance, 1)[0].1, removed);
        }
    }
}
