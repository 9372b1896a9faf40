//! A provider for tests: a cipher that adds the key's first byte to every byte, a digest that is a
//! sum, and, where a job's first byte is [`PANIC`], a panic in the middle of the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use broadloom_engine::provider::{
    AnyQueue, Buffers, Occupancy, Operation, Provider, ProviderError, ProviderSession, Queue, Text,
};
use broadloom_engine::{
    AesSize, Algorithm, CipherAlgorithm, Direction, HashAlgorithm, Job, JobError, Session,
    Transform,
};

/// The first byte of a job over which the provider panics.
pub const PANIC: u8 = 0xee;

pub const CIPHER: CipherAlgorithm = CipherAlgorithm::AesCtr(AesSize::Aes128);
pub const HASH: HashAlgorithm = HashAlgorithm::Sha1;

/// The provider. While its gate is shut, queues wait at it.
#[derive(Default)]
pub struct Toy {
    pub gate: Arc<Gate>,
    /// `true` if opening a queue panics.
    pub queues_panic: AtomicBool,
    /// Whether asking a queue how full its lanes were panics.
    pub occupancy_panics: Arc<AtomicBool>,
}

/// Holds threads up until it is opened.
#[derive(Default)]
pub struct Gate {
    shut: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub fn shut(&self) {
        *self.shut.lock().expect("whole") = true;
    }

    pub fn open(&self) {
        *self.shut.lock().expect("whole") = false;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let shut = self.shut.lock().expect("whole");
        drop(self.opened.wait_while(shut, |shut| *shut).expect("whole"));
    }
}

/// A session: the byte that is added.
struct Key(u8);

struct ToyQueue {
    gate: Arc<Gate>,
    occupancy_panics: Arc<AtomicBool>,
}

impl Provider for Toy {
    fn name(&self) -> &str {
        "toy"
    }

    fn description(&self) -> String {
        "for tests".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::Hash(HASH) | Algorithm::Cipher(CIPHER))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let key = transform.key().first().copied().unwrap_or_default();
        Ok(Box::new(match transform.direction() {
            Direction::Decrypt => Key(key.wrapping_neg()),
            _ => Key(key),
        }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        assert!(!self.queues_panic.load(Ordering::Relaxed), "the toy opens no queue");
        Ok(AnyQueue::local(ToyQueue {
            gate: Arc::clone(&self.gate),
            occupancy_panics: Arc::clone(&self.occupancy_panics),
        }))
    }
}

impl ProviderSession for Key {
    fn kernel(&self) -> String {
        "bytes".to_owned()
    }
}

impl Queue for ToyQueue {
    fn batch(&mut self, _: u8) -> usize {
        8
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.gate.pass();
        for operation in operations {
            let Some(parts) = operation.parts::<Key>() else {
                operation.complete(Err(JobError::Provider { code: -1 }));
                continue;
            };
            let panics = parts.text.input().first() == Some(&PANIC);
            match parts.text {
                text if parts.tag_len > 0 => {
                    let sum: u64 = text.input().iter().map(|byte| u64::from(*byte)).sum();
                    parts.tag[..8].copy_from_slice(&sum.to_le_bytes());
                }
                Text::Write(Buffers::InPlace(bytes)) => {
                    bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(parts.session.0));
                }
                Text::Write(Buffers::Apart(source, destination)) => {
                    for (to, from) in destination.iter_mut().zip(source) {
                        *to = from.wrapping_add(parts.session.0);
                    }
                }
                Text::Read(_) => unreachable!("the engine refuses it"),
            }
            assert!(!panics, "the toy panics");
            operation.complete(Ok(()));
        }
    }

    fn occupancy(&self) -> Option<Occupancy> {
        assert!(!self.occupancy_panics.load(Ordering::Relaxed), "the toy counts no lanes");
        None
    }
}

/// A session that sums bytes.
pub fn hash(toy: &Arc<Toy>) -> Session {
    let toy: Arc<dyn Provider> = Arc::clone(toy) as _;
    Session::open(toy, &Transform::hash(HASH)).expect("it can")
}

/// A session that adds `key` to bytes.
pub fn cipher(toy: &Arc<Toy>, key: u8) -> Session {
    let toy: Arc<dyn Provider> = Arc::clone(toy) as _;
    let transform = Transform::cipher(CIPHER, &[key; 16]).encrypt().expect("it fits");
    Session::open(toy, &transform).expect("it can")
}

/// A job of some bytes that are all `number`, or for a `number` of [`PANIC`] panic; it carries its
/// number.
pub fn job<'a>(session: &Session, number: usize) -> Box<Job<'a, usize>> {
    let job = Job::new(session.clone(), vec![number as u8; number % 50 + 1]);
    Box::new(if session.tag_len() == 0 { job.nonce(&[0; 16]) } else { job }.user(number))
}

/// Returns `true` if a job of [`job`] came back as it should from the [`hash`] session.
pub fn is_summed(job: &Job<'_, usize>) -> bool {
    let number = *job.user_value();
    let sum = (number as u8 as u64) * (number as u64 % 50 + 1);
    job.tag().is_some_and(|tag| tag[..8] == sum.to_le_bytes())
}
