//! The map itself, with hashes for jobs: no format, no compression.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use broadloom_engine::{
    Algorithm, AnyQueue, Bytes, Data, Handle, HashAlgorithm, Job, JobError, Operation, Provider,
    ProviderError, ProviderSession, Queue, Session, Transform, allowed_cores,
};

use super::{ChunkJob, Plan, Poll, Sink, Source, ThreadError, cut, segments, stream};

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
    fn batch(&self) -> usize {
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

/// What may go wrong here.
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
    fn operation(&mut self) -> &mut Operation<'a> {
        self.0.operation()
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

impl<'a> Source<Hash<'a>> for Numbers {
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

impl<'a> Sink<Hash<'a>> for Seen {
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

/// Runs a stream, and says what came and how it ended.
fn stream_of(
    plan: &Plan<'_>,
    batch: usize,
    source: Numbers,
    mut sink: Seen,
) -> (Vec<u64>, Result<(), Error>) {
    let session = session(batch);
    let outcome = stream(plan, &|| new_job(&session), source, &mut sink);
    (sink.numbers, outcome)
}

#[test]
fn results_come_in_order_whatever_the_service_times() {
    for (threads, outstanding, batch) in
        [(1, 1, 1), (1, 5, 4), (2, 1, 1), (2, 3, 2), (3, 8, 8), (7, 2, 1)]
    {
        for count in [0, 1, 2, 3, 250] {
            let plan = plan(threads, outstanding);
            let (numbers, outcome) = stream_of(&plan, batch, Numbers::up_to(count), seen());
            outcome.expect("nothing fails");
            assert!(numbers.into_iter().eq(0..count), "{plan:?}, {count}");
        }
        let session = session(batch);
        let shares = (0..threads as u64)
            .map(|share| (Numbers { next: 40 * share, ..Numbers::up_to(40 * (share + 1)) }, seen()));
        let plan = plan(threads, outstanding);
        let sinks =
            segments(&plan, &|| new_job(&session), shares.collect()).map_err(|error: Error| error);
        let numbers = sinks.expect("nothing fails").into_iter().flat_map(|sink| sink.numbers);
        assert!(numbers.eq(0..40 * threads as u64), "{plan:?}");
    }
}

#[test]
fn pinned_threads_do_the_same_and_leave_the_caller_where_it_is() {
    let allowed = allowed_cores().expect("Linux says it");
    let plan = Plan { cores: Some(&allowed), ..plan(3, 2) };
    let (numbers, outcome) = stream_of(&plan, 1, Numbers::up_to(50), seen());
    outcome.expect("nothing fails");
    assert!(numbers.into_iter().eq(0..50));
    let session = session(1);
    let whole = vec![(Numbers::up_to(20), seen())];
    let sinks = segments(&plan, &|| new_job(&session), whole).map_err(|error: Error| error);
    assert!(sinks.expect("nothing fails")[0].numbers.iter().copied().eq(0..20));
    assert_eq!(allowed_cores().expect("Linux says it"), allowed);
}

#[test]
fn a_core_that_is_not_there_is_an_error() {
    let plan = Plan { cores: Some(&[usize::MAX]), ..plan(2, 2) };
    let (_, outcome) = stream_of(&plan, 1, Numbers::up_to(9), seen());
    assert!(matches!(outcome, Err(Error::Thread(ThreadError::Pin(_)))), "{outcome:?}");
    let session = session(1);
    let sinks = segments(&plan, &|| new_job(&session), vec![(Numbers::up_to(9), seen())]);
    assert!(matches!(sinks.map(drop), Err(Error::Thread(ThreadError::Pin(_)))));
}

#[test]
fn what_comes_before_a_failing_read_is_written() {
    for (threads, outstanding) in [(1, 3), (2, 2)] {
        for count in [0, 1, 2, 31] {
            let source = Numbers { fails: true, ..Numbers::up_to(count) };
            let (numbers, outcome) = stream_of(&plan(threads, outstanding), 1, source, seen());
            assert!(matches!(outcome, Err(Error::Read)), "{outcome:?}");
            assert!(numbers.into_iter().eq(0..count));
        }
    }
}

#[test]
fn a_failing_write_ends_an_input_without_end() {
    for threads in [1, 4] {
        let sink = Seen { room: 20, ..seen() };
        let (numbers, outcome) = stream_of(&plan(threads, 2), 1, Numbers::up_to(u64::MAX), sink);
        assert!(matches!(outcome, Err(Error::Write)), "{outcome:?}");
        assert!(numbers.into_iter().eq(0..20));
    }
}

#[test]
fn of_several_failing_jobs_the_first_in_the_input_is_told() {
    for threads in [1, 4] {
        let source =
            Numbers { marks: &[(17, FAIL), (18, FAIL), (30, FAIL)], ..Numbers::up_to(u64::MAX) };
        let (numbers, outcome) = stream_of(&plan(threads, 4), 1, source, seen());
        assert!(matches!(outcome, Err(Error::Job(17))), "{outcome:?}");
        assert!(numbers.into_iter().eq(0..17));
    }
    let session = session(1);
    // The second segment fails at once, and the first at its end; the third has none.
    let shares = [
        Numbers { marks: &[(39, FAIL)], ..Numbers::up_to(40) },
        Numbers { next: 100, marks: &[(100, FAIL)], ..Numbers::up_to(200) },
        Numbers { next: 200, ..Numbers::up_to(u64::MAX) },
    ];
    let shares = Vec::from(shares.map(|source| (source, seen())));
    let outcome = segments(&plan(3, 2), &|| new_job(&session), shares).map(drop);
    assert!(matches!(outcome, Err(Error::Job(39))), "{outcome:?}");
}

#[test]
fn a_panicking_provider_ends_everything_with_its_panic() {
    for threads in [1, 3] {
        let run = || {
            let source = Numbers { marks: &[(11, PANIC)], ..Numbers::up_to(u64::MAX) };
            stream_of(&plan(threads, 4), 1, source, seen())
        };
        let panic = std::panic::catch_unwind(run).expect_err("it panics");
        assert_eq!(panic.downcast_ref(), Some(&"the toy panics"));
    }
    let panic = std::panic::catch_unwind(|| {
        let session = session(1);
        let source = Numbers { next: 9, marks: &[(9, PANIC)], ..Numbers::up_to(u64::MAX) };
        let shares = vec![(Numbers::up_to(9), seen()), (source, seen())];
        segments(&plan(2, 4), &|| new_job(&session), shares).map(drop)
    });
    assert_eq!(panic.expect_err("it panics").downcast_ref(), Some(&"the toy panics"));
}

#[test]
fn no_more_jobs_are_made_than_the_window_has() {
    for (threads, window) in [(1, 8), (3, 24)] {
        let made = AtomicUsize::new(0);
        let session = session(1);
        let make = || {
            made.fetch_add(1, Ordering::Relaxed);
            new_job(&session)
        };
        stream(&plan(threads, 4), &make, Numbers::up_to(500), &mut seen()).expect("nothing fails");
        // Two more to find out whether threads are worth it.
        let made = made.into_inner();
        assert!(made <= window + 2, "{made} for {threads} threads");
    }
}

#[test]
fn segments_are_of_near_equal_size_and_of_whole_chunks() {
    assert_eq!(cut(0, 65536, 4), []);
    assert_eq!(cut(1, 65536, 4), vec![(0..1)]);
    assert_eq!(cut(10 * 1024, 1024, 4), [0..2048, 2048..5120, 5120..7168, 7168..10240]);
    assert_eq!(cut(10 * 1024 + 1, 1024, 2), [0..5120, 5120..10241]);
    // A single chunk for each thread, but not a small one.
    let mega = 1 << 20;
    assert_eq!(cut(4 * mega + 2, 1 << 30, 2), [0..2 * mega + 1, 2 * mega + 1..4 * mega + 2]);
    assert_eq!(cut(100_000, 1 << 30, 16), [0..65536, 65536..100_000]);
}
