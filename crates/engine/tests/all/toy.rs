//! A provider for tests, whose cipher is an exclusive or with one byte and whose hash and MAC are
//! sums; and which has the faults that it is told to have.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use broadloom_engine::provider::{
    AnyQueue, Buffers, Operation, Parts, Provider, ProviderError, ProviderSession, Queue, Text,
};
use broadloom_engine::{
    AesSize, Algorithm, ChainOrder, CipherAlgorithm, Direction, HashAlgorithm, JobError,
    MacAlgorithm, Session, Transform,
};

pub const CIPHER: CipherAlgorithm = CipherAlgorithm::AesCtr(AesSize::Aes128);
pub const HASH: HashAlgorithm = HashAlgorithm::Md5;
pub const MAC: MacAlgorithm = MacAlgorithm::Hmac(HASH);
/// The number with which [`Fault::Fails`] fails.
pub const CODE: i64 = -77;

/// What a queue does wrong with an operation whose first byte of text is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Says nothing of it.
    LeavesOpen,
    /// Does the work, and says nothing of it.
    WorksAndLeavesOpen,
    /// Says that it went well, and then that it failed.
    CompletesTwice,
    /// Says that it failed.
    Fails,
    /// Takes it for that of another provider.
    MistakesSession,
    /// Does nothing with it, as it is more than it can take.
    TakesLess,
}

/// The provider.
#[derive(Debug, Clone, Copy)]
pub struct Toy {
    pub name: &'static str,
    pub fault: Fault,
    pub batch: usize,
    pub has_queues: bool,
    /// The directions that it refuses to open sessions for.
    pub refuses: &'static [Direction],
}

impl Toy {
    pub const SOUND: Toy =
        Toy { name: "toy", fault: Fault::None, batch: 4, has_queues: true, refuses: &[] };

    pub fn with(fault: Fault) -> Self {
        Toy { fault, ..Toy::SOUND }
    }

    pub fn open(self, transform: &Transform) -> Session {
        Session::open(Arc::new(self), transform).expect("it can")
    }
}

/// The byte that text is combined with, and that sums start from.
struct Key {
    byte: u8,
    direction: Direction,
    class: u8,
}

struct OtherKey;

struct ToyQueue(Toy);

impl Provider for Toy {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> String {
        format!("{self:?}")
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        [Algorithm::Hash(HASH), Algorithm::Mac(MAC), Algorithm::Cipher(CIPHER)].contains(&algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        if !self.supports(algorithm) || self.refuses.contains(&direction) {
            return Err(ProviderError::new(format!("no {algorithm} {direction} here")));
        }
        let byte = transform.key().first().copied().unwrap_or_default();
        let class = u8::from(transform.tag_len() > 0);
        Ok(Box::new(Key { byte, direction, class }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        if !self.has_queues {
            return Err(ProviderError::new("no queue today"));
        }
        Ok(AnyQueue::local(ToyQueue(*self)))
    }
}

/// A provider that opens queues only while it may.
pub struct Late<P> {
    pub inner: P,
    pub opens: AtomicBool,
}

impl<P: Provider> Late<P> {
    /// One that does not yet.
    pub fn new(inner: P) -> Arc<Self> {
        Arc::new(Late { inner, opens: AtomicBool::new(false) })
    }
}

impl<P: Provider> Provider for Late<P> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn description(&self) -> String {
        self.inner.description()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.inner.supports(algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        self.inner.open_session(transform)
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        if !self.opens.load(Ordering::Relaxed) {
            return Err(ProviderError::new("no queue yet"));
        }
        self.inner.open_queue()
    }
}

impl ProviderSession for Key {
    fn kernel(&self) -> String {
        "bytes".to_owned()
    }

    fn instruction_set(&self) -> String {
        "bytes-of-the-toy".to_owned()
    }

    fn class(&self) -> u8 {
        self.class
    }
}

impl ProviderSession for OtherKey {
    fn kernel(&self) -> String {
        "none".to_owned()
    }
}

impl Queue for ToyQueue {
    fn batch(&mut self, _: u8) -> usize {
        self.0.batch
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            let parts = operation.parts::<Key>().expect("a session of its own");
            let odd = parts.text.input().first().is_some_and(|byte| byte % 2 == 1);
            let fault = if odd { self.0.fault } else { Fault::None };
            match fault {
                Fault::LeavesOpen => {}
                Fault::Fails => {
                    work(parts);
                    operation.complete(Err(JobError::Provider { code: CODE }));
                }
                Fault::TakesLess => {
                    operation.complete(Err(JobError::AssociatedTooLong { len: 47, max: 46 }));
                }
                Fault::MistakesSession => assert!(operation.parts::<OtherKey>().is_none()),
                Fault::WorksAndLeavesOpen => {
                    work(parts);
                }
                Fault::None | Fault::CompletesTwice => {
                    match work(parts) {
                        Some(sum) => operation.complete_with_mac(&sum),
                        None => operation.complete(Ok(())),
                    }
                    if fault == Fault::CompletesTwice {
                        operation.complete(Err(JobError::Provider { code: CODE }));
                    }
                }
            }
        }
    }
}

/// Does the work; a sum to be compared is returned.
fn work(parts: Parts<'_, Key>) -> Option<[u8; 16]> {
    let Key { byte, direction, .. } = *parts.session;
    let takes_nonce = matches!(direction, Direction::Encrypt | Direction::Decrypt);
    assert_eq!(parts.nonce.len(), if takes_nonce { 16 } else { 0 }, "a nonce for {direction}");
    match (direction, parts.text) {
        (Direction::Verify, text) => return Some(sum(byte, text.input())),
        (Direction::Digest | Direction::Generate, text) => {
            parts.tag[..16].copy_from_slice(&sum(byte, text.input()));
        }
        (_, Text::Write(Buffers::InPlace(bytes))) => bytes.iter_mut().for_each(|to| *to ^= byte),
        (_, Text::Write(Buffers::Apart(source, destination))) => {
            destination.iter_mut().zip(source).for_each(|(to, from)| *to = from ^ byte);
        }
        (_, Text::Read(_)) => unreachable!("the engine refuses it"),
    }
    None
}

/// A provider that does the toy's chains whole.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    pub has_queues: bool,
}

impl Whole {
    pub fn open(self, transform: &Transform) -> Session {
        Session::open(Arc::new(self), transform).expect("it can")
    }
}

/// The bytes of both keys, and whether the MAC comes first.
struct ChainKey {
    cipher: u8,
    mac: u8,
    mac_first: bool,
}

impl Provider for Whole {
    fn name(&self) -> &str {
        "whole"
    }

    fn description(&self) -> String {
        format!("{self:?}")
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        Toy::SOUND.supports(algorithm)
    }

    fn chains_whole(&self, chain: Algorithm) -> bool {
        matches!(chain, Algorithm::Chain(CIPHER, MAC, _))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let Algorithm::Chain(_, _, order) = transform.algorithm() else {
            return Err(ProviderError::new("nothing but chains here"));
        };
        let encrypts = transform.direction() == Direction::Encrypt;
        let mac_first = encrypts == (order == ChainOrder::MacThenCipher);
        Ok(Box::new(ChainKey {
            cipher: transform.key()[0],
            mac: transform.mac_key()[0],
            mac_first,
        }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        match self.has_queues {
            true => Ok(AnyQueue::local(WholeQueue)),
            false => Err(ProviderError::new("no queue today")),
        }
    }
}

impl ProviderSession for ChainKey {
    fn kernel(&self) -> String {
        "bytes".to_owned()
    }
}

struct WholeQueue;

impl Queue for WholeQueue {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            let Parts { session, text, layout, tag, tag_len, checks_tag, .. } =
                operation.parts::<ChainKey>().expect("a session of its own");
            let ChainKey { cipher, mac, mac_first } = *session;
            let Text::Write(Buffers::InPlace(bytes)) = text else {
                unreachable!("a chain is in place")
            };
            let cipher = |bytes: &mut [u8]| {
                bytes[layout.cipher.clone()].iter_mut().for_each(|byte| *byte ^= cipher);
            };
            if !mac_first {
                cipher(bytes);
            }
            let made = sum(mac, &bytes[layout.mac]);
            if !checks_tag {
                tag[..tag_len].copy_from_slice(&made[..tag_len]);
                bytes[layout.tag.clone()].copy_from_slice(&made[..layout.tag.len()]);
            }
            if mac_first {
                cipher(bytes);
            }
            match checks_tag {
                true => operation.complete_with_mac(&made),
                false => operation.complete(Ok(())),
            }
        }
    }
}

/// The toy's hash, for a key of 0, and its MAC.
pub fn sum(key: u8, text: &[u8]) -> [u8; 16] {
    let sum = text
        .iter()
        .fold(u128::from(key) + 1, |sum, byte| sum * 257 % (1 << 100) + u128::from(*byte));
    sum.to_le_bytes()
}
