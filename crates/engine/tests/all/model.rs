//! Queue pairs against a plain model of one, on random sequences of calls.

use std::collections::VecDeque;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Doorbell, Job, JobError, Lengths, Order, QueueConfig, QueuePair, Session, Statistics, Transform,
};
use proptest::prelude::*;

use crate::toy::{CIPHER, HASH, MAC, Toy, sum};

const KEY: [u8; 16] = [0x33; 16];
const TEXT: [u8; 5] = [1, 2, 3, 4, 5];

/// What a job is for, and which jobs it shares lanes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Encrypt,
    Digest,
    /// Shares lanes with [`Kind::Digest`].
    Verify,
    /// At another provider.
    EncryptElsewhere,
    Chain,
    /// A job that is refused, with the session of [`Kind::Encrypt`].
    Bad,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Encrypt, Kind::Digest, Kind::Verify, Kind::EncryptElsewhere, Kind::Chain, Kind::Bad];

    fn lanes(self) -> usize {
        match self {
            Kind::Encrypt | Kind::Bad => 0,
            Kind::Digest | Kind::Verify => 1,
            Kind::EncryptElsewhere => 2,
            Kind::Chain => 3,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deadline {
    None,
    Past,
    Far,
}

#[derive(Debug, Clone)]
enum Call {
    Enqueue(Vec<(Kind, Deadline)>),
    Dequeue(usize),
    Ring,
    Flush,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let deadline =
        prop_oneof![6 => Just(Deadline::None), 1 => Just(Deadline::Past), 2 => Just(Deadline::Far)];
    let job = (prop::sample::select(Kind::ALL.as_slice()), deadline);
    let call = prop_oneof![
        4 => prop::collection::vec(job, 0..12).prop_map(Call::Enqueue),
        3 => prop_oneof![0..6usize, Just(usize::MAX)].prop_map(Call::Dequeue),
        1 => Just(Call::Ring),
        1 => Just(Call::Flush),
    ];
    prop::collection::vec(call, 0..24)
}

fn configs() -> impl Strategy<Value = QueueConfig> {
    let order = prop::sample::select(vec![Order::Any, Order::AsSubmitted]);
    let doorbell = prop::sample::select(vec![Doorbell::Immediate, Doorbell::Deferred]);
    let max_wait =
        prop::sample::select(vec![None, Some(Duration::ZERO), Some(Duration::from_secs(100_000))]);
    (1..20usize, order, doorbell, prop::option::of(0..9usize), max_wait).prop_map(
        |(capacity, order, doorbell, batch, max_wait)| QueueConfig {
            capacity,
            order,
            doorbell,
            batch,
            max_wait,
        },
    )
}

/// A job as the model sees it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    number: usize,
    kind: Kind,
    deadline: Deadline,
    seen: bool,
    complete: bool,
}

/// What a queue pair is to do: a list of jobs, and rules.
struct Model {
    config: QueueConfig,
    entries: VecDeque<Entry>,
    accepted: u64,
    completed: u64,
    failed: u64,
}

impl Model {
    fn batch(&self) -> usize {
        self.config.batch.unwrap_or(Toy::SOUND.batch).clamp(1, self.config.capacity)
    }

    /// The groups of jobs that wait for each other.
    fn groups(&self) -> impl Iterator<Item = impl Fn(&Entry) -> bool + use<>> + use<> {
        let any = self.config.order == Order::Any;
        (0..if any { 4 } else { 1 })
            .map(move |group| move |entry: &Entry| !any || entry.kind.lanes() == group)
    }

    fn complete(&mut self, which: impl Fn(&Entry) -> bool) {
        for entry in self.entries.iter_mut().filter(|entry| !entry.complete && which(entry)) {
            entry.complete = true;
            self.completed += 1;
            self.failed += u64::from(entry.kind == Kind::Bad);
        }
    }

    fn enqueue(&mut self, jobs: &[(Kind, Deadline)], first_number: usize) -> usize {
        let accepted = jobs.len().min(self.config.capacity - self.entries.len());
        for (index, (kind, deadline)) in jobs[..accepted].iter().enumerate() {
            let (kind, deadline) = (*kind, *deadline);
            let number = first_number + index;
            self.entries.push_back(Entry { number, kind, deadline, seen: false, complete: false });
        }
        self.accepted += accepted as u64;
        if self.config.doorbell == Doorbell::Immediate {
            self.ring();
        }
        accepted
    }

    fn ring(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.seen = true);
        for is_in in self.groups() {
            let waits = |entry: &&Entry| !entry.complete && is_in(entry);
            let waiting = self.entries.iter().filter(waits);
            let late = waiting.clone().any(|entry| entry.deadline == Deadline::Past);
            let impatient = self.config.max_wait == Some(Duration::ZERO);
            if late || impatient || waiting.count() >= self.batch() {
                self.complete(is_in);
            }
        }
    }

    fn flush(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.seen = true);
        self.complete(|_| true);
    }

    /// That these jobs may come back now, in this order; takes them out.
    fn dequeue(&mut self, given: &[usize], max: usize) {
        let complete = self.entries.iter().filter(|entry| entry.complete).count();
        assert_eq!(given.len(), complete.min(max), "jobs given back");
        for number in given {
            let at = self.entries.iter().position(|entry| entry.number == *number);
            let at = at.unwrap_or_else(|| panic!("job {number} was not there"));
            let entry = self.entries[at];
            assert!(entry.complete, "job {number} was not complete");
            let any = self.config.order == Order::Any;
            let mut before = self.entries.iter().take(at);
            let overtakes = before.any(|other| !any || other.kind.lanes() == entry.kind.lanes());
            assert!(!overtakes, "job {number} overtakes");
            self.entries.remove(at);
        }
    }
}

/// Sessions of every kind.
struct Sessions {
    encrypt: Session,
    digest: Session,
    verify: Session,
    elsewhere: Session,
    chain: Session,
}

impl Sessions {
    fn open() -> Self {
        let here: Arc<dyn Provider> = Arc::new(Toy::SOUND);
        let elsewhere = Arc::new(Toy::SOUND);
        let open = |transform: Result<Transform, _>| {
            Session::open(Arc::clone(&here), &transform.expect("it fits")).expect("it can")
        };
        let encrypt = Transform::cipher(CIPHER, &KEY).encrypt().expect("it fits");
        Sessions {
            digest: open(Ok(Transform::hash(HASH))),
            verify: open(Transform::mac(MAC, &KEY).verify()),
            chain: open(Transform::cipher_then_mac(CIPHER, &KEY, MAC, &KEY).encrypt()),
            elsewhere: Session::open(elsewhere, &encrypt).expect("it can"),
            encrypt: open(Ok(encrypt)),
        }
    }

    fn job(&self, number: usize, (kind, deadline): (Kind, Deadline)) -> Job<'_, (usize, Kind)> {
        let make = |session, nonce: &[u8]| Job::new(session, TEXT.to_vec()).nonce(nonce);
        let job = match kind {
            Kind::Encrypt => make(&self.encrypt, &[0; 16]),
            Kind::Digest => make(&self.digest, &[]),
            Kind::Verify => make(&self.verify, &[]).expect_tag(&sum(KEY[0], &TEXT)),
            Kind::EncryptElsewhere => make(&self.elsewhere, &[0; 16]),
            Kind::Chain => make(&self.chain, &[0; 16]),
            Kind::Bad => make(&self.encrypt, &[0; 3]),
        };
        let job = job.user((number, kind));
        match deadline {
            Deadline::None => job,
            Deadline::Past => job.by(Instant::now()),
            Deadline::Far => job.by(Instant::now() + Duration::from_secs(100_000)),
        }
    }
}

/// That a job was processed, once.
fn check(job: &Job<'_, (usize, Kind)>) {
    let encrypted = TEXT.map(|byte| byte ^ KEY[0]);
    let (number, kind) = *job.user_value();
    if kind == Kind::Bad {
        assert_eq!(
            job.status(),
            Some(Err(JobError::NonceLength { len: 3, valid: Lengths::exactly(16) }))
        );
        return;
    }
    assert_eq!(job.status(), Some(Ok(())), "job {number}");
    match kind {
        Kind::Digest => assert_eq!(job.tag(), Some(sum(0, &TEXT).as_slice())),
        Kind::Verify => assert_eq!(job.tag(), None),
        Kind::Chain => assert_eq!(job.tag(), Some(sum(KEY[0], &encrypted).as_slice())),
        _ => {}
    }
    if !matches!(kind, Kind::Digest | Kind::Verify) {
        assert_eq!(job.output(), Some(encrypted.as_slice()), "job {number}, once");
    }
}

fn agree<'a>(
    model: &Model,
    queue: &QueuePair<'a, Job<'a, (usize, Kind)>>,
    statistics: &Statistics,
) {
    assert_eq!(queue.in_flight(), model.entries.len());
    assert_eq!(queue.capacity(), model.config.capacity);
    let now = statistics.snapshot();
    let expected = (model.accepted, model.completed, model.failed);
    assert_eq!((now.accepted, now.completed, now.failed), expected);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn queue_pairs_do_what_the_model_does(
        config in configs(),
        calls in calls(),
        closes in any::<bool>(),
    ) {
        let sessions = Sessions::open();
        let (sender, dropped) = mpsc::channel();
        let mut queue =
            QueuePair::new(config).on_drop(move |job| sender.send(job).expect("it listens"));
        let statistics = queue.statistics();
        let entries = VecDeque::new();
        let mut model = Model { config, entries, accepted: 0, completed: 0, failed: 0 };
        let mut next = 0;
        for call in calls {
            match call {
                Call::Enqueue(kinds) => {
                    let jobs = kinds.iter().enumerate();
                    let jobs = jobs.map(|(i, kind)| sessions.job(next + i, *kind));
                    let mut jobs: Vec<_> = jobs.collect();
                    let accepted = queue.enqueue(&mut jobs);
                    prop_assert_eq!(accepted, model.enqueue(&kinds, next));
                    let left = jobs.iter().map(|job| job.user_value().0);
                    prop_assert!(left.eq(next + accepted..next + kinds.len()), "the rest stays");
                    prop_assert!(jobs.iter().all(|job| job.status().is_none()));
                    next += kinds.len();
                }
                Call::Dequeue(max) => {
                    let mut jobs = Vec::new();
                    prop_assert_eq!(queue.dequeue(&mut jobs, max), jobs.len());
                    jobs.iter().for_each(check);
                    let numbers: Vec<_> = jobs.iter().map(|job| job.user_value().0).collect();
                    model.dequeue(&numbers, max);
                }
                Call::Ring => {
                    queue.ring();
                    model.ring();
                }
                Call::Flush => {
                    queue.flush();
                    model.flush();
                }
            }
            agree(&model, &queue, &statistics);
        }
        if closes {
            let jobs = queue.close();
            model.flush();
            jobs.iter().for_each(check);
            let numbers: Vec<_> = jobs.iter().map(|job| job.user_value().0).collect();
            model.dequeue(&numbers, usize::MAX);
        } else {
            drop(queue);
            let mut jobs: Vec<_> = dropped.iter().collect();
            jobs.sort_by_key(|job| job.user_value().0);
            prop_assert_eq!(jobs.len(), model.entries.len());
            for (job, entry) in jobs.iter().zip(&model.entries) {
                prop_assert_eq!(job.user_value().0, entry.number);
                if entry.complete {
                    check(job);
                } else {
                    prop_assert_eq!(job.status(), Some(Err(JobError::Cancelled)));
                    prop_assert_eq!(job.data().output(), Some(TEXT.as_slice()));
                }
            }
            let cancelled = model.entries.iter().filter(|entry| !entry.complete).count() as u64;
            model.completed += cancelled;
            model.failed += cancelled;
            model.entries.clear();
        }
        prop_assert!(model.entries.is_empty());
        prop_assert_eq!(model.accepted, model.completed);
        let now = statistics.snapshot();
        let counted = (now.accepted, now.completed, now.failed);
        prop_assert_eq!(counted, (model.accepted, model.completed, model.failed));
    }
}

#[test]
fn jobs_of_one_class_do_not_keep_those_of_another_from_coming_back() {
    let sessions = Sessions::open();
    let mut queue =
        QueuePair::new(QueueConfig { capacity: 8, batch: Some(1), ..QueueConfig::default() });
    let mut jobs: Vec<_> =
        (0..7).map(|n| sessions.job(n, (Kind::Encrypt, Deadline::None))).collect();
    jobs.push(sessions.job(7, (Kind::Digest, Deadline::None)));
    queue.enqueue(&mut jobs);
    let mut done = Vec::new();
    // One comes back at a time, and its place is taken by another of the first class.
    for number in 8..16 {
        queue.dequeue(&mut done, 1);
        queue.enqueue(&mut vec![sessions.job(number, (Kind::Encrypt, Deadline::None))]);
    }
    assert!(done.iter().any(|job| job.user_value().1 == Kind::Digest), "the digest waits for ever");
}
