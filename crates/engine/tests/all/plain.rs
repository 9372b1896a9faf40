//! Plain jobs come to what jobs come to, at a provider that takes them and at one that does not.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Operation, PlainJobs, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    AesSize, Algorithm, ChainOrder, CipherAlgorithm, Direction, HashAlgorithm, Job, JobError,
    MacAlgorithm, PlainJob, Processor, Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

use crate::common::{CIPHER, PANIC, Toy, cipher};

/// Bytes of associated data.
const ASSOCIATED: [u8; 20] = [9; 20];

/// All ciphers, AEADs and MACs, and chains of one pass and of two.
fn algorithms() -> Vec<Algorithm> {
    let is_tried = |algorithm: &Algorithm| {
        matches!(algorithm, Algorithm::Cipher(_) | Algorithm::Aead(_) | Algorithm::Mac(_))
    };
    let chains = [
        (CipherAlgorithm::AesCbc(AesSize::Aes128), HashAlgorithm::Sha1),
        (CipherAlgorithm::AesCtr(AesSize::Aes256), HashAlgorithm::Sha256),
        (CipherAlgorithm::TripleDesCbc, HashAlgorithm::Sha1),
    ];
    let chains = chains.map(|(cipher, hash)| {
        Algorithm::Chain(cipher, MacAlgorithm::Hmac(hash), ChainOrder::CipherThenMac)
    });
    Algorithm::simple().filter(is_tried).chain(chains).collect()
}

fn session(algorithm: Algorithm, direction: Direction) -> Session {
    let bytes: Vec<u8> = (0..64).map(|at| (at * 7 + 1) as u8).collect();
    let (len, mac_len) = match algorithm {
        Algorithm::Mac(mac) => (mac.key_lens().max().min(32), 0),
        Algorithm::Aead(aead) => (aead.key_len(), 0),
        Algorithm::Cipher(cipher) => (cipher.key_len(), 0),
        Algorithm::Chain(cipher, mac, _) => (cipher.key_len(), mac.key_lens().max().min(32)),
        _ => unreachable!("{algorithm} is not tried"),
    };
    let transform = Transform::new(algorithm, direction, &bytes[..len], &bytes[..mac_len]);
    let native = Native::new(Cpu::detect());
    let transform = transform.build().expect("good keys");
    Session::open(Arc::new(native.with_legacy()), &transform).expect("native has it")
}

/// A text with what it is accompanied by, as it is before and after a job.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Case {
    nonce: Vec<u8>,
    associated: &'static [u8],
    text: Vec<u8>,
    tag: Vec<u8>,
    ranges: Option<[Range<usize>; 2]>,
}

impl Case {
    fn new(session: &Session, number: usize) -> Case {
        let algorithm = session.algorithm();
        let lens = algorithm.nonce_lens();
        let len = if lens.contains(12) { 12 } else { lens.max() };
        let nonce = (0..len).map(|at| (number * 3 + at) as u8 & algorithm.nonce_mask(at));
        let text = (0..[64, 16, 304, 1520][number % 4]).map(|at| (at * 5 + number) as u8);
        let is_aead = matches!(algorithm, Algorithm::Aead(_));
        Case {
            nonce: nonce.collect(),
            associated: if is_aead { &ASSOCIATED } else { &[] },
            text: text.collect(),
            tag: vec![0; session.tag_len()],
            ranges: None,
        }
    }

    fn plain<'a>(&'a mut self, session: &'a Session) -> PlainJob<'a> {
        let Case { nonce, associated, text, tag, ranges } = self;
        let mut job = PlainJob::new(session, nonce, associated, text, tag);
        if let Some([cipher, mac]) = ranges {
            job.set_ranges(cipher.clone(), mac.clone());
        }
        job
    }

    /// Has the same done by a job.
    fn process(&mut self, session: &Session) -> Result<(), JobError> {
        let mut job = Job::new(session, &mut self.text).nonce(&self.nonce);
        job.set_associated(self.associated);
        if let Some([cipher, mac]) = &self.ranges {
            job = job.cipher_range(cipher.clone()).mac_range(mac.clone());
        }
        if session.direction() != session.algorithm().directions()[0] {
            job.set_expected_tag(&self.tag);
        }
        let mut jobs = [job];
        Processor::new().process_many(&mut jobs);
        if let Some(tag) = jobs[0].tag() {
            self.tag.copy_from_slice(tag);
        }
        jobs[0].status().expect("it is complete")
    }
}

/// Has plain jobs of a session done in one call, and compares each with the job that it stands for.
fn compare(session: &Session, cases: &mut [Case]) -> Vec<Result<(), JobError>> {
    let mut expected = cases.to_vec();
    let mut jobs: Vec<_> = cases.iter_mut().map(|case| case.plain(session)).collect();
    Processor::new().process_plain(&mut jobs);
    let outcomes: Vec<_> = jobs.iter().map(|job| job.status().expect("it is complete")).collect();
    drop(jobs);
    for (number, (case, expected)) in cases.iter().zip(&mut expected).enumerate() {
        assert_eq!(outcomes[number], expected.process(session), "{session:?}, {number}");
        assert_eq!(case, expected, "{session:?}, {number}");
    }
    outcomes
}

#[test]
fn every_algorithm_there_and_back() {
    for algorithm in algorithms() {
        let [there, back] = *algorithm.directions() else { unreachable!("{algorithm}") };
        let (there, back) = (session(algorithm, there), session(algorithm, back));
        let mut cases: Vec<_> = (0..23).map(|number| Case::new(&there, number)).collect();
        for case in &mut cases {
            if matches!(algorithm, Algorithm::Chain(..)) {
                let len = case.text.len();
                case.ranges = Some([16.min(len)..len, 3..len]);
            }
        }
        let before = cases.clone();
        assert!(compare(&there, &mut cases).iter().all(Result::is_ok), "{algorithm}");
        // Every third tag is wrong, in another byte each.
        let has_tag = there.tag_len() > 0;
        for (number, case) in cases.iter_mut().enumerate().filter(|_| has_tag) {
            if number % 3 == 1 {
                let at = number % case.tag.len();
                case.tag[at] ^= 0x10;
            }
        }
        let outcomes = compare(&back, &mut cases);
        for (number, outcome) in outcomes.into_iter().enumerate() {
            let is_wrong = has_tag && number % 3 == 1;
            let expected = if is_wrong { Err(JobError::TagMismatch) } else { Ok(()) };
            assert_eq!(outcome, expected, "{algorithm}, {number}");
            if !is_wrong {
                assert_eq!(cases[number].text, before[number].text, "{algorithm}, {number}");
            }
        }
    }
}

/// What is wrong with a job is reported as the engine reports it of any, and does not disturb the
/// others of the call.
#[test]
fn wrong_jobs_among_good_ones() {
    let gcm = "aes-128-gcm".parse().expect("a name");
    let cbc = "aes-128-cbc+hmac-sha1".parse().expect("a name");
    let (seal, chain) = (session(gcm, Direction::Seal), session(cbc, Direction::Encrypt));
    let mut cases: Vec<_> = (0..5).map(|number| Case::new(&seal, number)).collect();
    cases[1].nonce.clear();
    cases[3].tag.push(0);
    let mut jobs: Vec<_> = cases.iter_mut().map(|case| case.plain(&seal)).collect();
    Processor::new().process_plain(&mut jobs);
    let outcomes: Vec<_> = jobs.iter().map(|job| job.status().expect("it is complete")).collect();
    assert!(matches!(outcomes[1], Err(JobError::NonceLength { len: 0, .. })), "{outcomes:?}");
    assert_eq!(outcomes[3], Err(JobError::TagLength { len: 17, valid: 16 }));
    assert!([0, 2, 4].iter().all(|good| outcomes[*good].is_ok()), "{outcomes:?}");
    for ranges in [[0..15, 0..64], [0..64, 0..65], [16..80, 0..64]] {
        let mut case = [Case { ranges: Some(ranges), ..Case::new(&chain, 0) }];
        assert!(compare(&chain, &mut case)[0].is_err(), "{case:?}");
    }
}

/// Only sessions that encrypt blocks by themselves do so without a job, and none that has another
/// session to fall back to.
#[test]
fn a_single_block_is_encrypted_as_by_a_job() {
    let (mut processor, mut done) = (Processor::new(), 0);
    let block: [u8; 16] = std::array::from_fn(|at| at as u8 * 11 + 3);
    for algorithm in algorithms() {
        for direction in algorithm.directions() {
            let session = session(algorithm, *direction);
            let is_ecb = matches!(algorithm, Algorithm::Cipher(CipherAlgorithm::AesEcb(_)));
            let (mut encrypted, mut text) = (block, block);
            let is_done = processor.encrypt_block(&session, &mut encrypted);
            assert_eq!(is_done, is_ecb && *direction == Direction::Encrypt, "{session:?}");
            if is_done {
                let mut jobs = [PlainJob::new(&session, &[], &[], &mut text, &mut [])];
                processor.process_plain(&mut jobs);
                assert!(jobs[0].succeeded());
                done += 1;
            }
            assert_eq!(encrypted, text, "{session:?}");
        }
    }
    assert_eq!(done, AesSize::ALL.len());
    let open = || {
        let ecb = Algorithm::Cipher(CipherAlgorithm::AesEcb(AesSize::Aes128));
        session(ecb, Direction::Encrypt)
    };
    let session = open().falling_back_to(open()).expect("both do the same");
    let mut text = block;
    assert!(!processor.encrypt_block(&session, &mut text));
    assert_eq!(text, block);
}

/// Sessions of several classes and of two providers, of which one takes no plain jobs.
#[test]
fn sessions_of_any_kind_in_one_call() {
    let key = Transform::cipher(CIPHER, &[7; 16]).encrypt().expect("a good key");
    let toy = Session::open(Arc::new(Toy::default()), &key).expect("the toy has it");
    let names = ["aes-128-gcm", "chacha20-poly1305", "aes-128-ccm", "aes-256-gcm"];
    let mut sessions: Vec<_> = names
        .map(|name| session(name.parse().expect("a name"), Direction::Seal))
        .into_iter()
        .collect();
    for count in [4, 5] {
        sessions.truncate(4);
        if count == 5 {
            sessions.push(toy.clone());
        }
        let mut cases: Vec<_> = (0..40).map(|at| Case::new(&sessions[at % count], at)).collect();
        let mut expected = cases.clone();
        let jobs = cases.iter_mut().enumerate();
        let mut jobs: Vec<_> = jobs.map(|(at, case)| case.plain(&sessions[at % count])).collect();
        Processor::new().process_plain(&mut jobs);
        assert!(jobs.iter().all(PlainJob::succeeded));
        drop(jobs);
        for (at, expected) in expected.iter_mut().enumerate() {
            expected.process(&sessions[at % count]).expect("the job is good");
        }
        assert_eq!(cases, expected, "{count} sessions");
    }
}

/// A panic costs the jobs of the window in which it was, whether they are plain at the provider or
/// not: they fail, what they were to write is wiped, and they are not processed again.
#[test]
fn a_panic_ends_the_jobs_of_its_window() {
    let session = cipher(&Arc::default(), 3);
    let byte = |at: usize| if at == 600 { PANIC } else { (at % 200) as u8 };
    let mut texts: Vec<_> = (0..1100).map(|at| vec![byte(at); 9]).collect();
    let texts_mut = texts.iter_mut();
    let mut jobs: Vec<_> =
        texts_mut.map(|text| PlainJob::new(&session, &[0; 16], &[], text, &mut [])).collect();
    let process = AssertUnwindSafe(|| Processor::new().process_plain(&mut jobs));
    assert!(catch_unwind(process).is_err(), "it should have panicked");
    let panicked = Some(Err(JobError::Panicked));
    for (place, job) in jobs.iter().enumerate() {
        let expected = [Some(Ok(())), panicked, None][place / 512];
        assert_eq!(job.status(), expected, "job {place}");
    }
    let outcome = Processor::new().process_plain(&mut jobs[512..]);
    assert_eq!((outcome.completed, outcome.failed), (588, 512));
    assert!(jobs[512..1024].iter().all(|job| job.status() == panicked));
    assert!(jobs[1024..].iter().all(PlainJob::succeeded));
    drop(jobs);
    for (place, text) in texts.iter().enumerate() {
        let expected = if place / 512 == 1 { 0 } else { byte(place) + 3 };
        assert_eq!(*text, [expected; 9], "job {place}");
    }
}

#[test]
fn a_panic_behind_plain_jobs_leaves_neither_texts_nor_tags() {
    let provider = Arc::new(Panicking(Native::new(Cpu::detect())));
    let gcm: Algorithm = "aes-128-gcm".parse().expect("a name");
    let transform = Transform::new(gcm, Direction::Seal, &[7; 16], &[]).build();
    let session = Session::open(provider, &transform.expect("a good key")).expect("it has it");
    let mut cases: Vec<_> = (0..10).map(|number| Case::new(&session, number)).collect();
    let mut jobs: Vec<_> = cases.iter_mut().map(|case| case.plain(&session)).collect();
    let process = AssertUnwindSafe(|| Processor::new().process_plain(&mut jobs));
    assert!(catch_unwind(process).is_err(), "it should have panicked");
    assert!(jobs.iter().all(|job| job.status() == Some(Err(JobError::Panicked))));
    drop(jobs);
    for Case { text, tag, .. } in cases {
        assert!(text.iter().chain(&tag).all(|byte| *byte == 0));
    }
}

/// The provider `native`, which panics when it has done all plain jobs of a call.
struct Panicking(Native);

struct PanickingQueue(Box<dyn Queue>);

impl Provider for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    fn description(&self) -> String {
        "for a test".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.0.supports(algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        self.0.open_session(transform)
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        match self.0.open_queue()? {
            AnyQueue::Local(queue) => Ok(AnyQueue::local(PanickingQueue(queue))),
            AnyQueue::Device(_) => unreachable!("native works within the call"),
        }
    }
}

impl Queue for PanickingQueue {
    fn batch(&mut self, class: u8) -> usize {
        self.0.batch(class)
    }

    fn run(&mut self, _: &mut [&mut Operation<'_>]) {
        unreachable!("the jobs are plain");
    }

    fn run_plain(&mut self, jobs: &mut PlainJobs<'_, '_>) -> bool {
        assert!(!self.0.run_plain(jobs), "the queue panics");
        false
    }
}
