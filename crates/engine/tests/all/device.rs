//! Queue pairs over a device: rings that are full, responses in any order, failures, fallbacks,
//! drops.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use broadloom_engine::provider::{
    AnyQueue, DeviceQueue, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Buffer, Bytes, Data, DeviceFault, Direction, Doorbell, Job, JobError, Order,
    Processor, QueueConfig, QueuePair, Session, Transform, Workers, WorkersConfig,
};
use proptest::prelude::*;

use crate::metrics::{queue, sizes};
use crate::toy::{CIPHER, HASH, Late, MAC, Toy, Whole, sum};

/// The toy behind a pair of rings.
#[derive(Debug, Clone, Copy)]
struct Gadget {
    ring: usize,
    /// Takes what is owned.
    borrows: bool,
    /// Of so many requests one fails; 0: none does.
    fails_every: u64,
    seed: u64,
}

impl Gadget {
    const SOUND: Gadget = Gadget { ring: 5, borrows: false, fails_every: 0, seed: 1 };

    fn open(self, transform: &Transform) -> Session {
        Session::open(Arc::new(self), transform).expect("it can")
    }
}

impl Provider for Gadget {
    fn name(&self) -> &str {
        "gadget"
    }

    fn description(&self) -> String {
        format!("{self:?}")
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        Toy::SOUND.supports(algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Toy::SOUND.open_session(transform)
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        let AnyQueue::Local(toy) = Toy::SOUND.open_queue()? else { panic!("the toy is local") };
        Ok(AnyQueue::device(Rings {
            gadget: *self,
            toy,
            random: self.seed,
            slots: Vec::new(),
            rung: 0,
        }))
    }
}

struct Rings {
    gadget: Gadget,
    toy: Box<dyn Queue>,
    random: u64,
    slots: Vec<Slot>,
    /// Requests that the device was told of, and did not respond to yet.
    rung: usize,
}

struct Slot {
    ticket: u64,
    lent: Option<Data<'static>>,
    responded: bool,
}

impl Rings {
    fn random(&mut self, below: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % below
    }

    fn take(&mut self, ticket: u64) -> Slot {
        let place =
            self.slots.iter().position(|slot| slot.ticket == ticket).expect("it was submitted");
        self.slots.remove(place)
    }
}

impl DeviceQueue for Rings {
    fn submit(&mut self, ticket: u64, operation: &mut Operation<'_>) -> bool {
        assert!(self.slots.iter().all(|slot| slot.ticket != ticket), "ticket {ticket} is in use");
        if self.slots.len() == self.gadget.ring {
            return false;
        }
        let lent = if self.gadget.borrows { operation.lend() } else { None };
        self.slots.push(Slot { ticket, lent, responded: false });
        true
    }

    fn doorbell(&mut self) {
        self.rung = self.slots.iter().filter(|slot| !slot.responded).count();
    }

    fn poll(&mut self) -> Option<u64> {
        if self.rung == 0 || self.random(3) == 0 {
            return None;
        }
        let waiting = self.slots.iter().filter(|slot| !slot.responded).count();
        let which = self.random(waiting);
        self.rung -= 1;
        let slot = self.slots.iter_mut().filter(|slot| !slot.responded).nth(which)?;
        slot.responded = true;
        Some(slot.ticket)
    }

    fn finish(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        let slot = self.take(ticket);
        if let Some(data) = slot.lent {
            operation.restore(data);
        }
        let every = self.gadget.fails_every;
        if every > 0 && self.random(every as usize) == 0 {
            operation.complete(Err(JobError::Device(DeviceFault::Timeout)));
        } else {
            self.toy.run(&mut [operation]);
        }
    }

    fn wait(&mut self, _: Duration) {}

    fn abandon(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        if let Some(data) = self.take(ticket).lent {
            operation.restore(data);
        }
    }
}

fn transforms() -> [Transform; 4] {
    let fits = "they fit";
    [
        Transform::hash(HASH),
        Transform::mac(MAC, &[3]).verify().expect(fits),
        Transform::cipher(CIPHER, &[0x55; 16]).encrypt().expect(fits),
        Transform::cipher_then_mac(CIPHER, &[0x55; 16], MAC, &[9]).encrypt().expect(fits),
    ]
}

/// A job of one of the transforms, over a text that is a number.
fn job<'a>(
    sessions: &'a [Session],
    kind: usize,
    number: u32,
    owned: bool,
) -> Job<'a, (usize, u32)> {
    let text = number.to_le_bytes().repeat(3);
    let session = &sessions[kind];
    let job = match (session.direction(), owned) {
        (Direction::Digest, false) => Job::new(
            session,
            Data::gather(vec![Bytes::from(text[..5].to_vec()), text[5..].to_vec().into()]),
        ),
        (Direction::Digest | Direction::Verify, _) => Job::new(session, Bytes::from(text.clone())),
        (_, false) => Job::new(session, (text.clone(), vec![0; text.len()])),
        (_, true) => Job::new(session, text.clone()),
    };
    let job =
        if session.direction() == Direction::Verify { job.expect_tag(&sum(3, &text)) } else { job };
    job.nonce(if kind >= 2 { &[0; 16] } else { &[] }).user((kind, number))
}

fn assert_right(job: &Job<'_, (usize, u32)>) {
    let (kind, number) = *job.user_value();
    let text = number.to_le_bytes().repeat(3);
    let ciphered: Vec<u8> = text.iter().map(|byte| byte ^ 0x55).collect();
    match kind {
        0 => assert_eq!(job.tag(), Some(sum(0, &text).as_slice())),
        1 => {}
        2 => assert_eq!(job.output(), Some(ciphered.as_slice())),
        _ => {
            assert_eq!(job.output(), Some(ciphered.as_slice()));
            assert_eq!(job.tag(), Some(sum(9, &ciphered).as_slice()));
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Enqueue { kinds: Vec<usize>, owned: bool },
    Dequeue(usize),
    Ring,
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (proptest::collection::vec(0usize..8, 0..9), any::<bool>())
            .prop_map(|(kinds, owned)| Step::Enqueue { kinds, owned }),
        3 => (0usize..9).prop_map(Step::Dequeue),
        1 => Just(Step::Ring),
        1 => Just(Step::Flush),
    ]
}

proptest! {
    /// Jobs of a device and of a local provider, in any sequence of calls: each comes back once,
    /// right or failed as the device fails, in order where that was asked for.
    #[test]
    fn every_job_comes_back_once(
        steps in proptest::collection::vec(step(), 1..40),
        ring in 1usize..7,
        seed: u64,
        borrows: bool,
        fails: bool,
        falls_back: bool,
        in_order: bool,
        deferred: bool,
        drops: bool,
    ) {
        let gadget = Gadget { ring, borrows, fails_every: if fails { 4 } else { 0 }, seed };
        let provider: Arc<dyn Provider> = Arc::new(gadget);
        let local = transforms().map(|transform| Toy::SOUND.open(&transform));
        let mut sessions: Vec<Session> = Vec::new();
        for (transform, other) in transforms().iter().zip(&local) {
            let session = Session::open(Arc::clone(&provider), transform).expect("it can");
            sessions.push(match falls_back {
                true => session.falling_back_to(other.clone()).expect("it does the same"),
                false => session,
            });
        }
        sessions.extend(local);
        let config = QueueConfig {
            capacity: 16,
            order: if in_order { Order::AsSubmitted } else { Order::Any },
            doorbell: if deferred { Doorbell::Deferred } else { Doorbell::Immediate },
            max_wait: None,
            ..QueueConfig::default()
        };
        let (give, returned) = std::sync::mpsc::channel();
        let mut accepted = 0u32;
        let mut back = Vec::new();
        {
            let mut pair = QueuePair::new(config);
            for step in steps {
                match step {
                    Step::Enqueue { kinds, owned } => {
                        let jobs = kinds.iter().enumerate();
                        let mut jobs: Vec<_> = jobs
                            .map(|(place, kind)| {
                                let number = accepted + place as u32;
                                let mut job = job(&sessions, kind % 4, number, owned);
                                job.set_session(&sessions[*kind]);
                                job
                            })
                            .collect();
                        let room = pair.capacity() - pair.in_flight();
                        let count = pair.enqueue(&mut jobs);
                        prop_assert_eq!(count, room.min(kinds.len()));
                        accepted += count as u32;
                    }
                    Step::Dequeue(most) => {
                        let count = pair.dequeue(&mut back, most);
                        prop_assert!(count <= most);
                    }
                    Step::Ring => pair.ring(),
                    Step::Flush => {
                        pair.flush();
                        prop_assert!(!pair.awaits_device());
                    }
                }
                prop_assert_eq!(pair.in_flight() + back.len(), accepted as usize);
            }
            if drops {
                let mut pair = pair.on_drop(move |job| give.send(job).expect("somebody listens"));
                pair.dequeue(&mut back, 2);
            } else {
                let statistics = pair.statistics();
                back.extend(pair.close());
                let counts = statistics.snapshot();
                let all = (accepted.into(), accepted.into());
                prop_assert_eq!((counts.accepted, counts.completed), all);
                let failed = back.iter().filter(|job| !job.succeeded()).count();
                prop_assert_eq!(counts.failed as usize, failed);
                let fell_back = back.iter().filter(|job| job.fell_back().is_some()).count();
                prop_assert_eq!(counts.fallbacks as usize, fell_back);
            }
        }
        let whole = back.len();
        back.extend(returned.try_iter());
        prop_assert_eq!(back.len(), accepted as usize);
        let mut seen = vec![false; accepted as usize];
        for (place, job) in back.iter().enumerate() {
            let number = job.user_value().1;
            prop_assert!(!std::mem::replace(&mut seen[number as usize], true));
            if in_order {
                prop_assert_eq!(number as usize, place);
            }
            match job.status() {
                Some(Ok(())) => assert_right(job),
                Some(Err(JobError::Cancelled)) => prop_assert!(drops && place >= whole),
                Some(Err(JobError::Device(DeviceFault::Timeout))) => {
                    prop_assert!(fails && !falls_back && job.session().provider() == "gadget");
                }
                other => prop_assert!(false, "{:?}", other),
            }
            prop_assert!(job.status() != Some(Ok(())) || job.fell_back().is_none() || falls_back);
            let bytes: usize = job.data().len();
            prop_assert_eq!(bytes, 12, "the data are back");
        }
    }

    /// The synchronous call waits for a device as it does for anything else.
    #[test]
    fn process_many_waits(
        kinds in proptest::collection::vec(0usize..4, 0..60),
        ring in 1usize..9,
        seed: u64,
    ) {
        let gadget = Gadget { ring, seed, ..Gadget::SOUND };
        let sessions = transforms().map(|transform| gadget.open(&transform));
        let numbered = kinds.iter().zip(0u32..);
        let jobs = numbered.map(|(kind, number)| job(&sessions, *kind, number, true));
        let mut jobs: Vec<_> = jobs.collect();
        let outcome = Processor::new().process_many(&mut jobs);
        prop_assert_eq!((outcome.completed, outcome.failed, outcome.fell_back), (jobs.len(), 0, 0));
        jobs.iter().for_each(assert_right);
    }
}

#[test]
fn a_fallback_does_the_same_or_is_refused() {
    let [hash, verify, ..] = transforms();
    let wrong = Gadget::SOUND.open(&hash).falling_back_to(Toy::SOUND.open(&verify));
    let reason = wrong.expect_err("a hash is no verification").reason;
    assert!(
        reason.contains("md5 digest at gadget cannot fall back to hmac-md5 verify at toy"),
        "{reason}"
    );
    let [one, other] =
        [b"one key", b"another"].map(|key| Transform::mac(MAC, key).verify().expect("it is good"));
    let reason = Gadget::SOUND
        .open(&one)
        .falling_back_to(Toy::SOUND.open(&other))
        .expect_err("its key is another");
    assert!(reason.reason.ends_with("it has another key"), "{reason:?}");
    Gadget::SOUND.open(&one).falling_back_to(Toy::SOUND.open(&one)).expect("its key is the same");
}

#[test]
fn a_job_used_again_has_not_fallen_back_before_it_does() {
    let [_, _, encrypt, _] = transforms();
    let other = Toy::SOUND.open(&encrypt);
    let gadget = Gadget { fails_every: 1, ..Gadget::SOUND };
    let failing = gadget.open(&encrypt).falling_back_to(other.clone()).expect("it does the same");
    let mut processor = Processor::new();
    let job = || Job::new(&failing, vec![0; 8]).nonce(&[0; 16]);
    let mut fallen = || {
        let mut job = job();
        processor.process_many(std::slice::from_mut(&mut job));
        assert_eq!(job.fell_back(), Some(JobError::Device(DeviceFault::Timeout)));
        job
    };
    let mut at_another = fallen();
    at_another.set_session(&other);
    assert_eq!(at_another.fell_back(), None);
    let mut refused = fallen();
    refused.set_nonce(&[]);
    let mut jobs = [at_another, refused, job()];
    let outcome = processor.process_many(&mut jobs);
    assert_eq!((outcome.completed, outcome.failed, outcome.fell_back), (3, 1, 1));
    assert!(matches!(jobs[1].status(), Some(Err(JobError::NonceLength { .. }))));
    assert_eq!(
        jobs.map(|job| job.fell_back()),
        [None, None, Some(JobError::Device(DeviceFault::Timeout))]
    );
}

/// A chain, of which 12 bytes are ciphered and authenticated and 4 are the tag's: the transform
/// that makes it, the one that undoes it, and what it makes of a text.
fn chains(text: &[u8; 12]) -> [(Transform, Transform, Vec<u8>); 2] {
    let fits = "they fit";
    let (cipher, mac) = ([0x55; 16], [9]);
    let esp = || Transform::cipher_then_mac(CIPHER, &cipher, MAC, &mac).tag_len(4);
    let tls = || Transform::mac_then_cipher(MAC, &mac, CIPHER, &cipher).tag_len(4);
    let ciphered = text.map(|byte| byte ^ 0x55);
    let made = |of: &[u8]| [&ciphered, &sum(9, of)[..4]].concat();
    [
        (esp().encrypt().expect(fits), esp().decrypt().expect(fits), made(&ciphered)),
        (tls().encrypt().expect(fits), tls().decrypt().expect(fits), made(text)),
    ]
}

/// One provider does a chain in halves and the other whole: what falls back is done once, all of
/// it, or has failed.
#[test]
fn a_chain_falls_back_from_halves_to_the_whole_and_from_the_whole_to_halves() {
    let text = *b"twelve bytes";
    let none = Toy { has_queues: false, ..Toy::SOUND };
    let (mut fallen, mut failed) = (0, 0);
    for seed in 0..100 {
        for (there, back, packet) in chains(&text) {
            let forged = [&packet[..12], &[0; 4]].concat();
            let plain = [&text[..], &[0; 4]].concat();
            let opened = [&text[..], &packet[12..]].concat();
            let cases = [
                (&there, plain, Ok(&packet)),
                (&back, packet.clone(), Ok(&opened)),
                (&back, forged, Err(JobError::TagMismatch)),
            ];
            for (transform, data, expected) in cases {
                let device = Gadget { fails_every: 2, seed, ..Gadget::SOUND };
                let whole = Whole { has_queues: true };
                let sessions = [
                    none.open(transform).falling_back_to(whole.open(transform)),
                    Whole { has_queues: false }
                        .open(transform)
                        .falling_back_to(Toy::SOUND.open(transform)),
                    device.open(transform).falling_back_to(whole.open(transform)),
                ];
                for session in sessions.map(|session| session.expect("it does the same")) {
                    let mut job = Job::new(&session, data.clone()).nonce(&[0; 16]);
                    job.set_cipher_range(Some(0..12));
                    job.set_mac_range(Some(0..12));
                    job.set_tag_at(Some(12));
                    Processor::new().process_many(std::slice::from_mut(&mut job));
                    fallen += usize::from(job.fell_back().is_some());
                    let context = format!("{session:?}, seed {seed}");
                    match job.status() {
                        Some(Ok(())) => {
                            let expected = expected.expect("it went well");
                            assert_eq!(job.data().output(), Some(expected.as_slice()), "{context}");
                            assert_eq!(job.output(), Some(&expected[..12]), "{context}")
                        }
                        Some(Err(JobError::Device(_))) => {
                            // It failed at the second half, which the other does not do alone.
                            failed += 1;
                            assert_eq!(
                                job.data().output().map(|data| &data[..12]),
                                Some(&[0; 12][..])
                            );
                        }
                        status => assert_eq!(status, Some(expected.map(|_| ())), "{context}"),
                    }
                }
            }
        }
    }
    assert!(fallen > 1200 && failed > 50, "{fallen} fell back, {failed} could not");
}

#[test]
fn jobs_that_came_before_there_was_a_device_go_to_it_beside_those_that_came_after() {
    let provider = Late::new(Gadget::SOUND);
    let open = |transform| Session::open(Arc::clone(&provider) as _, transform).expect("it can");
    let sessions = transforms().each_ref().map(open);
    let config =
        QueueConfig { doorbell: Doorbell::Deferred, max_wait: None, ..QueueConfig::default() };
    let mut queue = QueuePair::new(config);
    let mut enqueue = |kind, number| {
        let mut jobs = vec![job(&sessions, kind, number, true)];
        assert_eq!(queue.enqueue(&mut jobs), 1);
    };
    enqueue(2, 1);
    enqueue(0, 2);
    provider.opens.store(true, Ordering::Relaxed);
    enqueue(2, 3);
    let mut done = queue.close();
    done.sort_by_key(|job| job.user_value().1);
    assert_eq!(done.iter().map(|job| job.user_value().1).collect::<Vec<_>>(), [1, 2, 3]);
    for job in &done {
        assert_eq!(job.status(), Some(Ok(())));
        assert_right(job);
    }
}

#[test]
fn data_in_place_are_as_they_were_where_a_device_failed() {
    let gadget = Gadget { fails_every: 1, ..Gadget::SOUND };
    let session = gadget.open(&transforms()[2]);
    let mut packet = *b"plaintext";
    let mut job = Job::new(&session, Buffer::from(&mut packet)).nonce(&[0; 16]);
    Processor::new().process_many(std::slice::from_mut(&mut job));
    assert_eq!(job.status(), Some(Err(JobError::Device(DeviceFault::Timeout))));
    drop(job);
    assert_eq!(&packet, b"plaintext");
}

#[test]
fn jobs_of_a_device_are_counted_as_those_of_lanes_are() {
    let sound = Gadget { fails_every: 3, ..Gadget::SOUND };
    let [_, _, encrypt, _] = transforms();
    broadloom_engine::metrics::start();
    let transform = encrypt.label("device").expect("it fits");
    let session = sound.open(&transform);
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut jobs: Vec<_> = (0..30).map(|_| Job::new(&session, vec![0; 20])).collect();
    // One has no nonce, and never reaches the device.
    jobs[1..].iter_mut().for_each(|job| job.set_nonce(&[0; 16]));
    pair.enqueue(&mut jobs);
    pair.flush();
    pair.dequeue(&mut jobs, usize::MAX);
    let failed = jobs.iter().filter(|job| !job.succeeded()).count() as u64;
    assert!(failed > 1);
    let (_, series) = queue("device");
    assert_eq!(sizes(&series), [(64, 30, 600)]);
    let errors = [("device-timeout", failed - 1), ("nonce-length", 1)];
    assert_eq!(series[0].errors, BTreeMap::from(errors));

    let [_, _, encrypt, _] = transforms();
    broadloom_engine::metrics::start();
    let transform = encrypt.label("device, fallback").expect("it fits");
    let other = Toy::SOUND.open(&transform);
    let session = Gadget { fails_every: 1, ..Gadget::SOUND }.open(&transform);
    let session = session.falling_back_to(other).expect("they do the same");
    let mut jobs: Vec<_> =
        (0..8).map(|_| Job::new(&session, vec![0; 20]).nonce(&[0; 16])).collect();
    let mut pair = QueuePair::new(QueueConfig::default());
    pair.enqueue(&mut jobs);
    pair.flush();
    let (_, series) = queue("device, fallback");
    assert_eq!(sizes(&series), [(64, 8, 160)]);
    assert_eq!(series[0].fallbacks, BTreeMap::from([("device-timeout", 8)]));
}

#[test]
fn workers_wait_for_devices_and_mix_with_bursts() {
    let transforms = transforms();
    let provider: Arc<dyn Provider> = Arc::new(Gadget::SOUND);
    let session = Session::open(provider, &transforms[0]).expect("it can");
    let config = WorkersConfig { threads: 2, ..WorkersConfig::default() };
    let workers = Workers::new(config).expect("there are threads");
    let text = |number: u32| number.to_le_bytes().repeat(3);
    let make = |number: u32| Job::new(session.clone(), text(number)).user(number);
    let mut singles: Vec<_> = (0..300).map(make).collect();
    let mut back = Vec::new();
    while !singles.is_empty() {
        workers.submit(&mut singles);
        back.extend(workers.process_many((300..320).map(make).collect()));
        workers.poll(&mut back, usize::MAX);
    }
    back.extend(workers.shutdown());
    let mut numbers: Vec<_> =
        back.iter().map(|job| *job.user_value()).filter(|number| *number < 300).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..300).collect::<Vec<_>>());
    assert!(back.iter().all(|job| job.tag() == Some(&sum(0, &text(*job.user_value())))));
}
