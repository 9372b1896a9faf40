//! What processes jobs keeps the provider, and no session: keys go with the last clone of theirs.

use std::sync::{Arc, Weak};

use broadloom_engine::provider::{AnyQueue, Provider, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Job, Processor, QueueConfig, QueuePair, Session, Transform, Workers, WorkersConfig,
};

use crate::common::{HASH, Toy};

/// A provider all of whose sessions and queues are the toy's, and whose sessions are counted: each
/// of them holds the key.
struct Counted {
    toy: Toy,
    key: Arc<()>,
}

/// The toy's own session is inside, and is never asked for: these tests need no results.
struct Counting {
    inner: Box<dyn ProviderSession>,
    _key: Arc<()>,
}

impl ProviderSession for Counting {
    fn kernel(&self) -> String {
        self.inner.kernel()
    }
}

impl Provider for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn description(&self) -> String {
        self.toy.description()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.toy.supports(algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let inner = self.toy.open_session(transform)?;
        Ok(Box::new(Counting { inner, _key: Arc::clone(&self.key) }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        self.toy.open_queue()
    }
}

/// A session, and what its provider and its key each count for one in.
fn open() -> (Weak<()>, Session) {
    let key = Arc::new(());
    let count = Arc::downgrade(&key);
    let counted = Counted { toy: Toy::default(), key };
    let session = Session::open(Arc::new(counted), &Transform::hash(HASH)).expect("it can");
    (count, session)
}

/// That the provider is alive, and no key is.
fn check(count: &Weak<()>) {
    assert_eq!(count.strong_count(), 1, "2: a key outlives the session, 0: no provider is left");
}

#[test]
fn a_processor_keeps_the_provider_and_no_session() {
    let (count, session) = open();
    let mut processor = Processor::new();
    processor.process_many(&mut [Job::new(&session, b"text")]);
    assert_eq!(count.strong_count(), 2);
    drop(session);
    check(&count);
    drop(processor);
    assert_eq!(count.strong_count(), 0, "nobody needs the provider any more");
}

#[test]
fn a_queue_pair_keeps_the_provider_and_no_session() {
    let (count, session) = open();
    let mut pair = QueuePair::new(QueueConfig::default());
    pair.enqueue(&mut vec![Job::new(session.clone(), b"text")]);
    pair.flush();
    let mut complete = Vec::new();
    pair.dequeue(&mut complete, usize::MAX);
    assert_eq!(complete.len(), 1);
    drop((session, complete));
    check(&count);
    assert_eq!(pair.in_flight(), 0);
}

#[test]
fn workers_keep_the_provider_and_no_session() {
    let (count, session) = open();
    let workers = Workers::new(WorkersConfig { threads: 2, ..WorkersConfig::default() });
    let workers = workers.expect("threads start");
    let jobs = (0..64).map(|_| Job::new(session.clone(), b"text")).collect();
    assert_eq!(workers.process_many(jobs).len(), 64);
    drop(session);
    check(&count);
    assert_eq!(workers.shutdown().len(), 0);
    assert_eq!(count.strong_count(), 0, "nobody needs the provider any more");
}
