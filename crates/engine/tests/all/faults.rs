//! Whatever a provider does wrong, every job is complete exactly once, and says how it went.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Builder, Data, Direction, Job, JobError, Order, Processor, QueueConfig,
    QueuePair, Registry, Session, Transform, TransformError, kind,
};

use crate::toy::{CIPHER, CODE, Fault, HASH, Late, MAC, Toy, sum};

const KEY: [u8; 16] = [0x40; 16];

fn encrypt() -> Transform {
    Transform::cipher(CIPHER, &KEY).encrypt().expect("it fits")
}

fn chain(build: fn(Builder<kind::Chain>) -> Result<Transform, TransformError>) -> [Transform; 2] {
    let (a, b) = (
        Transform::cipher_then_mac(CIPHER, &KEY, MAC, &KEY),
        Transform::mac_then_cipher(MAC, &KEY, CIPHER, &KEY),
    );
    [a, b].map(|builder| build(builder).expect("it fits"))
}

/// A job of four bytes: an odd one, over which a faulty provider fails, or an even one.
fn job<'a>(session: &Session, odd: bool) -> Job<'a> {
    let nonce = vec![0; session.algorithm().nonce_lens().min()];
    Job::new(session.clone(), vec![4 + u8::from(odd), 6, 8, 10]).nonce(&nonce)
}

/// What a faulty provider's job ends with.
fn expected(fault: Fault) -> Result<(), JobError> {
    match fault {
        Fault::None => Ok(()),
        Fault::CompletesTwice | Fault::Fails => Err(JobError::Provider { code: CODE }),
        Fault::LeavesOpen | Fault::WorksAndLeavesOpen | Fault::MistakesSession => {
            Err(JobError::NotDone)
        }
        Fault::TakesLess => Err(JobError::AssociatedTooLong { len: 47, max: 46 }),
    }
}

const FAULTS: [Fault; 6] = [
    Fault::LeavesOpen,
    Fault::WorksAndLeavesOpen,
    Fault::CompletesTwice,
    Fault::Fails,
    Fault::MistakesSession,
    Fault::TakesLess,
];

#[test]
fn faulty_operations_fail_once_each_and_the_others_do_not() {
    for fault in FAULTS {
        let mut transforms = vec![Transform::hash(HASH), encrypt()];
        transforms.extend(chain(|builder| builder.encrypt()));
        let faulty: Arc<dyn Provider> = Arc::new(Toy::with(fault));
        let sound: Arc<dyn Provider> = Arc::new(Toy::SOUND);
        for order in [Order::Any, Order::AsSubmitted] {
            let mut queue = QueuePair::new(QueueConfig { order, ..QueueConfig::default() });
            let mut jobs = Vec::new();
            for number in 0..48 {
                let transform = &transforms[number % transforms.len()];
                // The sound provider does the odd ones well.
                let (provider, odd) = match number / 4 % 3 {
                    0 => (&sound, true),
                    1 => (&faulty, false),
                    _ => (&faulty, true),
                };
                let session = Session::open(Arc::clone(provider), transform).expect("it can");
                let expected = if number / 4 % 3 == 2 { expected(fault) } else { Ok(()) };
                jobs.push(job(&session, odd).user((number, expected)));
            }
            assert_eq!(queue.enqueue(&mut jobs), 48);
            let statistics = queue.statistics();
            let mut done = queue.close();
            let snapshot = statistics.snapshot();
            assert_eq!(
                (snapshot.accepted, snapshot.completed, snapshot.failed),
                (48, 48, 16),
                "{fault:?}"
            );
            done.sort_by_key(|job| job.user_value().0);
            for (number, job) in done.iter().enumerate() {
                let (own, expected) = *job.user_value();
                assert_eq!((number, job.status()), (own, Some(expected)), "{fault:?}, {order:?}");
                assert!(job.succeeded() || job.tag().is_none() && job.output().is_none());
            }
        }
    }
}

#[test]
fn what_failed_half_way_leaves_no_output() {
    for fault in [Fault::WorksAndLeavesOpen, Fault::CompletesTwice, Fault::Fails] {
        let decrypt = Transform::cipher(CIPHER, &KEY).decrypt().expect("it fits");
        let mut jobs = [job(&Toy::with(fault).open(&decrypt), true)];
        let outcome = Processor::new().process_many(&mut jobs);
        assert_eq!(outcome.failed, 1);
        assert_eq!(jobs[0].data().output(), Some([0; 4].as_slice()), "{fault:?}");
    }
}

/// Nothing was written: the caller has them still, and another provider may do the work.
#[test]
fn what_is_more_than_a_provider_takes_stays_as_it_was() {
    let session = Toy::with(Fault::TakesLess).open(&encrypt());
    let sound = Toy::SOUND.open(&encrypt());
    let mut here = vec![5, 6, 8, 10];
    let pieces = Data::scattered(vec![vec![5, 6].into(), vec![8, 10].into()]);
    for data in [Data::from(vec![5, 6, 8, 10]), Data::from(&mut here), pieces] {
        let mut jobs = [Job::new(&session, data).nonce(&[0; 16])];
        assert_eq!(Processor::new().process_many(&mut jobs).failed, 1);
        assert_eq!(jobs[0].status(), Some(expected(Fault::TakesLess)));
        let left = |job: &Job<'_>| job.data().output_pieces().flatten().copied().collect();
        let bytes: Vec<u8> = left(&jobs[0]);
        assert_eq!(bytes, [5, 6, 8, 10]);
        jobs[0].set_session(&sound);
        assert_eq!(Processor::new().process_many(&mut jobs).failed, 0);
        let bytes: Vec<u8> = left(&jobs[0]);
        assert_eq!(bytes, [5 ^ 0x40, 6 ^ 0x40, 8 ^ 0x40, 10 ^ 0x40]);
    }
    let falls_back = Toy::with(Fault::TakesLess).open(&encrypt());
    let session = falls_back.falling_back_to(sound).expect("they do the same");
    let mut jobs = [job(&session, true)];
    let outcome = Processor::new().process_many(&mut jobs);
    assert_eq!((outcome.failed, outcome.fell_back), (0, 1));
    assert_eq!(jobs[0].fell_back().map(Err), Some(expected(Fault::TakesLess)));
    assert_eq!(jobs[0].output(), Some([5 ^ 0x40, 6 ^ 0x40, 8 ^ 0x40, 10 ^ 0x40].as_slice()));
}

#[test]
fn a_chain_whose_first_half_fails_has_no_second() {
    for fault in FAULTS {
        let tag = [
            &sum(0x40, &[5, 6, 8, 10])[..],
            &sum(0x40, &[5 ^ 0x40, 6 ^ 0x40, 8 ^ 0x40, 10 ^ 0x40]),
        ];
        for (transform, tag) in chain(|builder| builder.decrypt()).iter().zip(tag) {
            let mut jobs = [job(&Toy::with(fault).open(transform), true).expect_tag(tag)];
            Processor::new().process_many(&mut jobs);
            assert_eq!(jobs[0].status(), Some(expected(fault)), "{fault:?}");
            let mut jobs = [job(&Toy::SOUND.open(transform), true).expect_tag(tag)];
            Processor::new().process_many(&mut jobs);
            assert!(
                jobs[0].succeeded(),
                "with a sound provider it goes well: {:?}",
                jobs[0].status()
            );
        }
    }
}

#[test]
fn without_a_queue_jobs_fail_and_their_data_stay() {
    let none = Toy { has_queues: false, ..Toy::SOUND };
    let session = none.open(&encrypt());
    let sound = Toy::SOUND.open(&encrypt());
    for mixed in [false, true] {
        let mut jobs: Vec<_> = (0..9).map(|_| job(&session, true).user(false)).collect();
        if mixed {
            jobs.push(job(&sound, true).user(true));
        }
        let mut queue = QueuePair::new(QueueConfig::default());
        queue.enqueue(&mut jobs);
        let done = queue.close();
        assert_eq!(done.len(), 9 + usize::from(mixed));
        for mut job in done {
            if *job.user_value() {
                assert!(job.succeeded());
                continue;
            }
            assert_eq!(job.status(), Some(Err(JobError::NoQueue)));
            assert_eq!(job.data().output(), Some([5, 6, 8, 10].as_slice()), "nobody touched them");
            // So another provider can have them.
            job.set_session(sound.clone());
            Processor::new().process_many(std::slice::from_mut(&mut job));
            assert_eq!(job.output(), Some([5 ^ 0x40, 6 ^ 0x40, 8 ^ 0x40, 10 ^ 0x40].as_slice()));
        }
    }
}

#[test]
fn a_queue_is_asked_for_again_until_there_is_one() {
    let provider = Late::new(Toy::SOUND);
    let session = Session::open(Arc::clone(&provider) as _, &encrypt()).expect("it can");
    let mut processor = Processor::new();
    let mut queue = QueuePair::new(QueueConfig::default());
    for expected in [Err(JobError::NoQueue), Ok(())] {
        provider.opens.store(expected.is_ok(), Ordering::Relaxed);
        let mut jobs = vec![job(&session, false)];
        processor.process_many(&mut jobs);
        assert_eq!(jobs[0].status(), Some(expected), "a processor's job");
        queue.enqueue(&mut jobs);
        queue.flush();
        queue.dequeue(&mut jobs, usize::MAX);
        assert_eq!(jobs[0].status(), Some(expected), "a queue pair's job");
    }
}

#[test]
fn without_a_queue_no_plaintext_reaches_the_destination() {
    let none = Toy { has_queues: false, ..Toy::SOUND };
    for transform in chain(|builder| builder.encrypt()) {
        let session = none.open(&transform);
        let pieces = || vec![vec![5, 6].into(), vec![8, 10].into()];
        let scattered = Data::scattered_to(pieces(), vec![vec![0x5a; 4].into()]);
        for data in [Data::from((vec![5, 6, 8, 10], vec![0x5a; 4])), scattered] {
            let mut jobs = [Job::new(&session, data).nonce(&[0; 16])];
            Processor::new().process_many(&mut jobs);
            assert_eq!(jobs[0].status(), Some(Err(JobError::NoQueue)));
            let left: Vec<u8> = jobs[0].data().output_pieces().flatten().copied().collect();
            assert_eq!(left, [0; 4]);
        }
    }
}

#[test]
fn sessions_that_are_refused_say_why_and_registries_fall_back() {
    let refuses = Toy { refuses: &[Direction::Encrypt, Direction::Generate], ..Toy::SOUND };
    let error = Session::open(Arc::new(refuses), &encrypt()).expect_err("it refuses");
    assert_eq!(error.reason, "no aes-128-ctr encrypt here");
    for transform in chain(|builder| builder.encrypt()) {
        assert!(Session::open(Arc::new(refuses), &transform).is_err(), "half of it is refused");
    }
    let mut registry = Registry::new();
    registry.add(Arc::new(refuses));
    registry.add(Arc::new(Toy { name: "another", ..Toy::SOUND }));
    let session = registry.open_or_fall_back("toy", &encrypt()).expect("the second can");
    assert_eq!(
        session.fallback().map(|fallback| &*fallback.reason),
        Some("no aes-128-ctr encrypt here")
    );
    assert_eq!(registry.fallbacks(), 1);
    let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
    let nobody = registry.open(&Transform::aead(gcm, &KEY).seal().expect("it fits"));
    let error = nobody.expect_err("neither has it").to_string();
    assert_eq!(error.matches("no aes-128-gcm seal here").count(), 2, "{error}");
}
