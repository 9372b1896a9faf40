//! The map itself, with hashes as jobs: no format, no compression.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use broadloom_engine::provider::{
    AnyQueue, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Bytes, Contents, Data, Handle, HashAlgorithm, Job, JobError, Session, Transform,
    allowed_cores,
};

use super::{ChunkJob, ChunkSink, ChunkSource, Plan, Poll, ThreadError, stream, whole};

const HASH: HashAlgorithm = HashAlgorithm::Sha1;
/// Chunks with this number fail.
const FAIL: u64 = 1 << 40;
/// The provider panics over chunks with this number.
const PANIC: u64 = 1 << 41;

/// A provider whose digest repeats the chunk's first eight bytes, and which takes its time.
struct Slow {
    /// Jobs worth waiting for.
    batch: usize,
}

struct SlowQueue {
    batch: usize,
    state: u64,
}

struct Key;

impl Provider for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn description(&self) -> String {
        "for tests".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Hash(HASH)
    }

    fn open_session(&self, _: &Transform) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(Key))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(SlowQueue { batch: self.batch, state: 1 }))
    }
}

impl ProviderSession for Key {
    fn kernel(&self) -> String {
        "bytes".to_owned()
    }
}

impl Queue for SlowQueue {
    fn batch(&mut self, _: u8) -> usize {
        self.batch
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            let parts = operation.parts::<Key>().expect("its own");
            let text = parts.text.into_input();
            let number = u64::from_le_bytes(text[..8].try_into().expect("eight"));
            parts.tag[..8].copy_from_slice(&text[..8]);
            assert!(number & PANIC == 0, "the toy panics");
            self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(number | 1);
            std::thread::sleep(Duration::from_micros((self.state >> 33) % 300));
            operation.complete(if number & FAIL == 0 { Ok(()) } else { Err(JobError::NotDone) });
        }
    }
}

/// The error type of these tests.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Thread(#[from] ThreadError),
    #[error("read")]
    Read,
    #[error("write")]
    Write,
    #[error("{0}")]
    Job(u64),
}

struct Hash<'a>(Job<'a>, u64);

impl<'a> Handle<'a> for Hash<'a> {
    fn contents(&mut self) -> &mut Contents<'a> {
        self.0.contents()
    }
}

impl<'a> ChunkJob<'a> for Hash<'a> {}

/// Chunks with numbers from one to another, each with a mark where there is one, and then an end.
struct Numbers {
    next: u64,
    end: u64,
    marks: &'static [(u64, u64)],
    fails: bool,
}

impl Numbers {
    fn up_to(end: u64) -> Numbers {
        Numbers { next: 0, end, marks: &[], fails: false }
    }
}

impl<'a> ChunkSource<Hash<'a>> for Numbers {
    type Error = Error;

    fn fill(&mut self, job: &mut Hash<'a>) -> Result<bool, Error> {
        if self.next == self.end {
            return if self.fails { Err(Error::Read) } else { Ok(false) };
        }
        let mark = self.marks.iter().find(|mark| mark.0 == self.next).map_or(0, |mark| mark.1);
        let Data::Read(Bytes::Owned(mut bytes)) = job.0.set_data(Bytes::EMPTY) else {
            unreachable!("they are made so");
        };
        bytes.clear();
        bytes.extend_from_slice(&(self.next | mark).to_le_bytes());
        job.0.set_data(Bytes::Owned(bytes));
        job.1 = self.next;
        self.next += 1;
        Ok(true)
    }
}

/// The numbers that came, in the order in which they came.
struct Seen {
    numbers: Vec<u64>,
    room: usize,
}

impl<'a> ChunkSink<Hash<'a>> for Seen {
    type Error = Error;

    fn take(&mut self, job: &mut Hash<'a>) -> Result<(), Error> {
        let tag = job.0.tag().ok_or(Error::Job(job.1))?;
        assert_eq!(tag[..8], job.1.to_le_bytes());
        if self.numbers.len() == self.room {
            return Err(Error::Write);
        }
        self.numbers.push(job.1);
        Ok(())
    }
}

fn session(batch: usize) -> Session {
    Session::open(Arc::new(Slow { batch }), &Transform::hash(HASH)).expect("it can")
}

fn new_job(session: &Session) -> Hash<'_> {
    Hash(Job::new(session, Bytes::Owned(Vec::new())), 0)
}

fn seen() -> Seen {
    Seen { numbers: Vec::new(), room: usize::MAX }
}

fn plan(threads: usize, outstanding: usize) -> Plan<'static> {
    Plan { threads, outstanding, cores: None, poll: Poll::Yield }
}

/// Which of the two functions.
#[derive(Debug, Clone, Copy)]
enum Way {
    Stream,
    Whole,
}

const BOTH: [Way; 2] = [Way::Stream, Way::Whole];

/// Takes a source to a sink, and says what came and how it ended.
fn run(
    way: Way,
    plan: &Plan<'_>,
    batch: usize,
    source: Numbers,
    mut sink: Seen,
) -> (Vec<u64>, Result<(), Error>) {
    let session = session(batch);
    let make = || new_job(&session);
    let outcome = match way {
        Way::Stream => stream(plan, &make, source, &mut sink),
        Way::Whole => whole(plan, &make, source, &mut sink),
    };
    (sink.numbers, outcome)
}

#[test]
fn results_come_in_order_whatever_the_service_times() {
    for way in BOTH {
        for (threads, outstanding, batch) in
            [(1, 1, 1), (1, 5, 4), (2, 1, 1), (2, 3, 2), (3, 8, 8), (7, 2, 1)]
        {
            for count in [0, 1, 2, 3, 250] {
                let plan = plan(threads, outstanding);
                let (numbers, outcome) = run(way, &plan, batch, Numbers::up_to(count), seen());
                outcome.expect("nothing fails");
                assert!(numbers.into_iter().eq(0..count), "{way:?}, {plan:?}, {count}");
            }
        }
    }
}

#[test]
fn pinned_threads_do_the_same_and_leave_the_caller_where_it_is() {
    let allowed = allowed_cores().expect("Linux says it");
    for way in BOTH {
        for threads in [1, 3] {
            let plan = Plan { cores: Some(&allowed), ..plan(threads, 2) };
            let (numbers, outcome) = run(way, &plan, 1, Numbers::up_to(50), seen());
            outcome.expect("nothing fails");
            assert!(numbers.into_iter().eq(0..50));
        }
    }
    assert_eq!(allowed_cores().expect("Linux says it"), allowed);
}

#[test]
fn a_core_that_is_not_there_is_an_error() {
    for way in BOTH {
        let plan = Plan { cores: Some(&[usize::MAX]), ..plan(2, 2) };
        let (_, outcome) = run(way, &plan, 1, Numbers::up_to(9), seen());
        assert!(matches!(outcome, Err(Error::Thread(ThreadError::Pin(_)))), "{outcome:?}");
    }
}

#[test]
fn what_comes_before_a_failing_read_is_written() {
    for way in BOTH {
        for (threads, outstanding) in [(1, 3), (2, 2), (3, 1)] {
            for count in [0, 1, 2, 31] {
                let source = Numbers { fails: true, ..Numbers::up_to(count) };
                let (numbers, outcome) = run(way, &plan(threads, outstanding), 1, source, seen());
                assert!(matches!(outcome, Err(Error::Read)), "{outcome:?}");
                assert!(numbers.into_iter().eq(0..count));
            }
        }
    }
}

#[test]
fn a_failing_write_ends_an_input_without_end() {
    for way in BOTH {
        for threads in [1, 4] {
            let sink = Seen { room: 20, ..seen() };
            let (numbers, outcome) = run(way, &plan(threads, 2), 1, Numbers::up_to(u64::MAX), sink);
            assert!(matches!(outcome, Err(Error::Write)), "{outcome:?}");
            assert!(numbers.into_iter().eq(0..20));
        }
    }
}

#[test]
fn of_several_failing_jobs_the_first_in_the_input_is_told() {
    for way in BOTH {
        for threads in [1, 4] {
            let source = Numbers {
                marks: &[(17, FAIL), (18, FAIL), (30, FAIL)],
                ..Numbers::up_to(u64::MAX)
            };
            let (numbers, outcome) = run(way, &plan(threads, 4), 1, source, seen());
            assert!(matches!(outcome, Err(Error::Job(17))), "{outcome:?}");
            assert!(numbers.into_iter().eq(0..17));
        }
    }
}

#[test]
fn a_panicking_provider_ends_everything_with_its_panic() {
    for way in BOTH {
        for threads in [1, 3] {
            let run = || {
                let source = Numbers { marks: &[(11, PANIC)], ..Numbers::up_to(u64::MAX) };
                run(way, &plan(threads, 4), 1, source, seen())
            };
            let panic = std::panic::catch_unwind(run).expect_err("it panics");
            assert_eq!(panic.downcast_ref(), Some(&"the toy panics"));
        }
    }
}

/// A source or a sink that panics at a chunk.
struct Panics<T>(T, u64);

impl<'a> ChunkSource<Hash<'a>> for Panics<Numbers> {
    type Error = Error;

    fn fill(&mut self, job: &mut Hash<'a>) -> Result<bool, Error> {
        assert_ne!(self.0.next, self.1, "the source panics");
        self.0.fill(job)
    }
}

impl<'a> ChunkSink<Hash<'a>> for Panics<Seen> {
    type Error = Error;

    fn take(&mut self, job: &mut Hash<'a>) -> Result<(), Error> {
        assert_ne!(job.1, self.1, "the sink panics");
        self.0.take(job)
    }
}

#[test]
fn a_source_or_a_sink_that_panics_ends_everything() {
    for threads in [1, 3] {
        for (source_at, sink_at) in [(23, u64::MAX), (u64::MAX, 23)] {
            let run = || {
                let session = session(1);
                let source = Panics(Numbers::up_to(u64::MAX), source_at);
                whole(
                    &plan(threads, 2),
                    &|| new_job(&session),
                    source,
                    &mut Panics(seen(), sink_at),
                )
            };
            assert!(std::panic::catch_unwind(run).is_err(), "{threads} threads");
        }
    }
}

#[test]
fn no_more_jobs_are_made_than_the_window_has() {
    for way in BOTH {
        for (threads, window) in [(1, 8), (3, 24)] {
            let made = AtomicUsize::new(0);
            let session = session(1);
            let make = || {
                made.fetch_add(1, Ordering::Relaxed);
                new_job(&session)
            };
            let (plan, source) = (plan(threads, 4), Numbers::up_to(500));
            let outcome = match way {
                Way::Stream => stream(&plan, &make, source, &mut seen()),
                Way::Whole => whole(&plan, &make, source, &mut seen()),
            };
            outcome.expect("nothing fails");
            // Two more to find out whether threads are worth it.
            let made = made.into_inner();
            assert!(made <= window + 2, "{made} for {threads} threads");
        }
    }
}
