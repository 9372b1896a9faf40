//! How a queue counts: with plain stores to counters of its own, by runs of equal operations.
//!
//! No lock is waited for here: the rows of a queue are read without one, and a queue that is not
//! listed yet is listed when the list happens to be free.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::counters::Counters;
use super::queues::{self, QueueKind};
use super::row::Row;
use crate::job_error::JobError;
use crate::operation::Operation;
use crate::session::Session;

/// A batch that takes this long, in nanoseconds, is timed each time, and a shorter one so much less
/// often. Timing one takes some 100 ns.
const TIMED: u64 = 100_000;
/// Batches between two that are timed, at most.
const UNTIMED: u64 = 255;

/// When a batch began, if it is timed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Started(Option<Instant>);

impl Started {
    pub const UNTIMED: Started = Started(None);

    /// Returns `true` if the batch is timed.
    #[inline]
    pub fn is_timed(self) -> bool {
        self.0.is_some()
    }
}

/// When the first job of a batch came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// With the call that processes it.
    Now,
    /// In an earlier call, at this time.
    Then(Instant),
    /// In an earlier call, when the time was not taken.
    Unknown,
}

/// What is brought to its end and counted.
pub(crate) trait Counted {
    /// Returns the session that it is done for.
    fn session(&self) -> &Session;

    /// Returns the bytes of its data.
    fn bytes(&self) -> usize;

    /// Returns how it went, once it has ended.
    fn status(&self) -> Option<Result<(), JobError>>;

    /// Brings it to its end. Returns `true` if it has failed.
    fn finish(&mut self) -> bool;
}

impl Counted for &mut Operation<'_> {
    #[inline(always)]
    fn session(&self) -> &Session {
        (**self).session()
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        self.data.common_len()
    }

    fn status(&self) -> Option<Result<(), JobError>> {
        (**self).status()
    }

    #[inline(always)]
    fn finish(&mut self) -> bool {
        (**self).finish()
    }
}

/// Jobs in a row that are counted at once.
struct Run {
    /// The place of the first in its window.
    start: usize,
    series: u16,
    len: usize,
}

/// What counts for a queue, once counting has begun.
pub(crate) struct Counting {
    kind: QueueKind,
    counters: Arc<Counters>,
    pub(super) is_listed: bool,
    /// By the number of the series.
    rows: Vec<Option<Arc<Row>>>,
    /// Batches before the next one that is timed.
    untimed: u64,
}

impl Counting {
    pub fn new(kind: QueueKind, counters: Arc<Counters>, is_listed: bool) -> Counting {
        Counting { kind, counters, is_listed, rows: Vec::new(), untimed: 0 }
    }

    /// Begins a batch.
    #[inline]
    pub fn begin(&mut self) -> Started {
        match self.untimed.checked_sub(1) {
            Some(left) => {
                self.untimed = left;
                Started::UNTIMED
            }
            None => Started(Some(Instant::now())),
        }
    }

    /// Returns `true` if the next batch is timed.
    #[inline]
    pub fn times_next(&self) -> bool {
        self.untimed == 0
    }

    /// Ends a batch of so many jobs.
    #[inline]
    pub fn end(&mut self, jobs: usize, started: Started, since: Since) {
        self.counters.batch_size.record(jobs as u64);
        if let Started(Some(started)) = started {
            self.end_timed(started, since);
        }
    }

    #[cold]
    fn end_timed(&mut self, started: Instant, since: Since) {
        let work = nanoseconds(started.elapsed());
        self.counters.work.record(work);
        match since {
            Since::Now => self.counters.wait.record(0),
            Since::Then(then) => self.counters.wait.record(nanoseconds(started - then)),
            Since::Unknown => {}
        }
        self.counters.run_on(core());
        self.untimed = (TIMED / work.max(1)).min(UNTIMED);
        if !self.is_listed {
            self.is_listed = queues::list_now(self.kind, &self.counters);
        }
    }

    /// Brings a window to its end, counts it, and returns how many have failed.
    ///
    /// A job of 64 bytes takes some 40 ns, and counting it is to take a hundredth of that. So of
    /// each job only its series and its length are compared with those of the one before, and jobs
    /// in a row that have both in common are counted at once.
    pub fn finish<C: Counted>(&mut self, window: &mut [C]) -> usize {
        let Some(first) = window.first() else { return 0 };
        let series = |one: &C| one.session().series_number();
        let mut run = Run { start: 0, series: series(first), len: first.bytes() };
        // Most often the session is the very one of the job before, and is not looked into.
        let mut session = ptr::from_ref(first.session());
        let mut failed = 0;
        for place in 0..window.len() {
            let one = &mut window[place];
            if one.finish() {
                failed += 1;
            }
            let len = one.bytes();
            if ptr::eq(one.session(), session) && len == run.len {
                continue;
            }
            session = ptr::from_ref(one.session());
            let next = Run { start: place, series: series(one), len };
            if (next.series, next.len) != (run.series, run.len) {
                self.count_run(&run, &window[run.start..place]);
                run = next;
            }
        }
        self.count_run(&run, &window[run.start..]);
        if failed > 0 {
            window.iter().for_each(|one| self.count_failure(one));
        }
        failed
    }

    /// Counts jobs in a row.
    #[inline]
    fn count_run<C: Counted>(&mut self, run: &Run, jobs: &[C]) {
        self.row(jobs[0].session()).count(run.len, jobs.len());
    }

    /// Counts one operation that is complete.
    pub fn count_one(&mut self, operation: &Operation<'_>) {
        let outcome = operation.status().unwrap_or(Ok(()));
        self.count_of(operation.session(), operation.data.len(), outcome);
    }

    /// Counts that one has failed, if it has.
    #[inline(never)]
    fn count_failure<C: Counted>(&mut self, one: &C) {
        if let Some(Err(error)) = one.status() {
            self.row(one.session()).fail(one.bytes(), error);
        }
    }

    /// Counts that another session did an operation, if one did.
    pub fn count_fallback(&mut self, operation: &Operation<'_>) {
        if let Some(reason) = operation.fell_back.as_deref() {
            self.row(operation.session()).fall_back(operation.data.len(), *reason);
        }
    }

    /// Counts something else that was done for a session, over so many bytes.
    pub fn count_of(&mut self, session: &Session, len: usize, outcome: Result<(), JobError>) {
        let row = self.row(session);
        row.count(len, 1);
        if let Err(error) = outcome {
            row.fail(len, error);
        }
    }

    /// Returns the row of a session.
    #[inline]
    fn row(&mut self, session: &Session) -> &Row {
        let number = usize::from(session.series_number());
        if !matches!(self.rows.get(number), Some(Some(_))) {
            self.add_row(session);
        }
        self.rows[number].as_ref().expect("it was added")
    }

    #[cold]
    fn add_row(&mut self, session: &Session) {
        let number = usize::from(session.series_number());
        if self.rows.len() <= number {
            self.rows.resize(number + 1, None);
        }
        let row = Arc::new(Row::new(Arc::clone(session.series())));
        self.rows[number] = Some(Arc::clone(&row));
        self.counters.rows.add(row);
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos().try_into().unwrap_or(u64::MAX)
}

/// Returns the core on which this thread runs, where the system says so.
fn core() -> Option<u32> {
    #[cfg(target_os = "linux")]
    return u32::try_from(rustix::thread::sched_getcpu()).ok();
    #[cfg(not(target_os = "linux"))]
    None
}
