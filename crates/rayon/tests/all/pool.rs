//! Many jobs within a call, on a rayon pool.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Buffers, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, CipherAlgorithm, Direction, Job, JobError, Outcome, Processor, Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;
use broadloom_rayon::PoolProcessor;

use crate::common::{self, CIPHER, PANIC, cipher};
use crate::pool;

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

/// Every cipher that is cut, with lengths around those at which it is, and counters that wrap or
/// carry within the text: the result is that of one job, in place and apart.
#[test]
fn one_text_in_parts_comes_to_what_one_job_comes_to() {
    let part = PoolProcessor::LEAST_PART;
    let pool = pool(3);
    let mut processor = PoolProcessor::new();
    let native: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()));
    let is_cut = |cipher: &CipherAlgorithm| {
        use CipherAlgorithm::{AesCbc, AesCfb, AesCtr, AesCtr32, AesEcb, ChaCha20};
        matches!(cipher, AesCbc(_) | AesCfb(_) | AesCtr(_) | AesCtr32(_) | AesEcb(_) | ChaCha20)
    };
    for cipher in CipherAlgorithm::all().filter(is_cut) {
        let key: Vec<u8> = (0..cipher.key_len()).map(|at| (at * 7 + 1) as u8).collect();
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let transform = Transform::new(Algorithm::Cipher(cipher), direction, &key, &[]).build();
            let transform = transform.expect("the key fits");
            let session = Session::open(Arc::clone(&native), &transform).expect("native has it");
            let lens = [0, 1, 16, 2 * part - 1, 2 * part, 2 * part + 1, 3 * part + 16];
            for len in lens {
                let text: Vec<u8> = (0..len).map(|at| (at * 5 + at / 251) as u8).collect();
                for nonce in nonces(cipher) {
                    let mut expected = text.clone();
                    let mut job = [Job::new(&session, &mut expected).nonce(&nonce)];
                    Processor::new().process_many(&mut job);
                    let outcome = job[0].status().expect("it is complete");
                    drop(job);
                    let mut own = text.clone();
                    let done = processor.process_one(&pool, &session, &nonce, &mut own);
                    assert_eq!(done, outcome, "{cipher} {direction}, {len} bytes");
                    assert!(own == expected, "{cipher} {direction}, {len} bytes");
                    let mut other = vec![0xa5; len];
                    let apart = Buffers::Apart(&text, &mut other);
                    let done = processor.process_one(&pool, &session, &nonce, apart);
                    assert_eq!(done, outcome, "{cipher} {direction}, {len} bytes");
                    assert!(done.is_err() || other == expected, "{cipher} {direction}, {len}");
                }
            }
        }
    }
}

/// Nonces whose counters are low, carry into all of their bytes, and pass zero within a text.
fn nonces(cipher: CipherAlgorithm) -> Vec<Vec<u8>> {
    let algorithm = Algorithm::Cipher(cipher);
    let len = algorithm.nonce_lens().max();
    let byte = |at: usize, byte: u8| byte & algorithm.nonce_mask(at);
    let mut nonces = vec![(0..len).map(|at| byte(at, at as u8)).collect::<Vec<u8>>()];
    nonces.push((0..len).map(|at| byte(at, 0xff)).collect());
    if cipher == CipherAlgorithm::ChaCha20 || matches!(cipher, CipherAlgorithm::AesCtr32(_)) {
        nonces.push(vec![7; 12]);
        // Blocks of a part and some more are left in both.
        let mut high = vec![0xff; len];
        high[1] = 0xef;
        high[14] = 0x9f;
        nonces.push(high);
    }
    nonces
}

/// A text that a provider fails at in one of its parts is wiped in all of them.
#[test]
fn no_part_of_a_text_stays_where_another_failed() {
    let broken: Arc<dyn Provider> = Arc::new(BrokenAt(0xbd));
    let transform = Transform::cipher(CIPHER, &[1; 16]).encrypt().expect("the key fits");
    let session = Session::open(broken, &transform).expect("it has any cipher");
    let mut text = vec![7; 4 * PoolProcessor::LEAST_PART];
    text[3 * PoolProcessor::LEAST_PART] = 0xbd;
    let done = PoolProcessor::new().process_one(&pool(4), &session, &[0; 16], &mut text);
    assert_eq!(done, Err(JobError::Provider { code: 3 }));
    assert!(text.iter().all(|byte| *byte == 0));
}

#[test]
#[should_panic(expected = "sha1 is no cipher")]
fn what_is_no_cipher_is_refused() {
    let session = common::hash(&Arc::default());
    let _ = PoolProcessor::new().process_one(&pool(2), &session, &[], &mut [0; 100]);
}

/// A provider whose cipher fails at a text that begins with a byte, and does nothing to others.
pub(crate) struct BrokenAt(pub u8);

impl Provider for BrokenAt {
    fn name(&self) -> &str {
        "broken"
    }

    fn description(&self) -> String {
        "for a test".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::Cipher(_))
    }

    fn open_session(&self, _: &Transform) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(BrokenSession))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(BrokenQueue(self.0)))
    }
}

struct BrokenSession;

impl ProviderSession for BrokenSession {
    fn kernel(&self) -> String {
        "none".to_owned()
    }
}

struct BrokenQueue(u8);

impl Queue for BrokenQueue {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            let parts = operation.parts::<BrokenSession>().expect("its own session");
            let fails = parts.text.input().first() == Some(&self.0);
            operation.complete(if fails { Err(JobError::Provider { code: 3 }) } else { Ok(()) });
        }
    }
}
