//! The owner's side of a queue's counters.

use std::sync::Arc;

use super::counters::Counters;
use super::counting::{Counted, Counting, Since, Started};
use super::queues::{self, QueueKind, counts};
use crate::job_error::JobError;
use crate::operation::Operation;
use crate::session::Session;
use crate::statistics::Cause;
use broadloom_lanes::Occupancy;

/// What counts for one queue. Its owner alone writes; [`queues::read`] reads.
pub(crate) struct Meter {
    kind: QueueKind,
    /// Made when they are first needed: many a processor is dropped unused.
    counters: Option<Arc<Counters>>,
    is_listed: bool,
    /// Made when the queue first [begins](Meter::begin_counting) something after [`start`].
    ///
    /// [`start`]: super::start
    counting: Option<Counting>,
}

impl Meter {
    pub fn new(kind: QueueKind) -> Meter {
        Meter { kind, counters: None, is_listed: false, counting: None }
    }

    /// Returns the counters, which are listed with those of all queues from then on.
    #[inline]
    pub fn counters(&mut self) -> &Arc<Counters> {
        if self.counters.is_none() {
            self.make_counters();
        }
        self.counters.as_ref().expect("they were made")
    }

    #[cold]
    fn make_counters(&mut self) {
        let counters = Arc::<Counters>::default();
        self.is_listed = queues::list(self.kind, &counters);
        self.counters = Some(counters);
    }

    /// Returns `true` if operations are to be counted from now on, and were not before. It is asked
    /// where a batch begins: so each batch is counted with all its operations, or not at all.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.counting.is_none() && counts()
    }

    /// Counts operations from now on.
    pub fn begin_counting(&mut self) {
        let counters = Arc::clone(self.counters());
        counters.begin_counting();
        self.counting = Some(Counting::new(self.kind, counters, self.is_listed));
    }

    /// Returns `true` if operations are counted.
    #[inline]
    pub fn is_counting(&self) -> bool {
        self.counting.is_some()
    }

    /// Begins a batch.
    #[inline]
    pub fn begin(&mut self) -> Started {
        self.counting.as_mut().map_or(Started::UNTIMED, Counting::begin)
    }

    /// Returns `true` if the next batch is timed.
    #[inline]
    pub fn times_next(&self) -> bool {
        self.counting.as_ref().map_or_else(counts, Counting::times_next)
    }

    /// Ends a batch of so many jobs. `since` is when its first job came, or that this is not known.
    #[inline]
    pub fn end(&mut self, cause: Cause, jobs: usize, started: Started, since: Since) {
        self.counters().ran(cause);
        if let Some(counting) = &mut self.counting {
            counting.end(jobs, started, since);
        }
    }

    /// Notes how full the lanes were so far.
    pub fn occupy(&mut self, occupancy: Occupancy) {
        self.counters().occupy(occupancy);
    }

    /// Brings a window to its end, counts it, and returns how many have failed.
    #[inline]
    pub fn finish<C: Counted>(&mut self, window: &mut [C]) -> usize {
        match &mut self.counting {
            Some(counting) => counting.finish(window),
            None => window.iter_mut().map(|one| usize::from(one.finish())).sum(),
        }
    }

    /// Counts one operation that is complete.
    #[inline]
    pub fn count_one(&mut self, operation: &Operation<'_>) {
        if let Some(counting) = &mut self.counting {
            counting.count_one(operation);
        }
    }

    /// Counts that another session did an operation, if one did.
    pub fn count_fallback(&mut self, operation: &Operation<'_>) {
        if let Some(counting) = &mut self.counting {
            counting.count_fallback(operation);
        }
    }

    /// Counts something else that was done for a session, over so many bytes.
    pub fn count_of(&mut self, session: &Session, len: usize, outcome: Result<(), JobError>) {
        if let Some(counting) = &mut self.counting {
            counting.count_of(session, len, outcome);
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(counters) = &self.counters {
            queues::retire(counters);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This thread holds the list of queues while it works: to wait for the list would take for
    /// ever.
    #[test]
    fn a_queue_counts_while_a_reader_holds_the_list() {
        queues::while_held(|| {
            let mut meter = Meter::new(QueueKind::Processor);
            meter.begin_counting();
            assert!(!meter.is_listed);
            for _ in 0..10_000 {
                let started = meter.begin();
                meter.counters().accept(2);
                meter.counters().complete(2, 0);
                meter.end(Cause::Batch, 2, started, Since::Now);
            }
            let counted = meter.counters().counted();
            assert_eq!(
                (counted.accepted, counted.completed, counted.batches),
                (20_000, 20_000, 10_000)
            );
        });
        let mut meter = Meter::new(QueueKind::Processor);
        queues::while_held(|| meter.begin_counting());
        // A batch that is timed lists it, unless another test is at the list just then.
        while meter.counting.as_ref().is_some_and(|counting| !counting.is_listed) {
            let started = meter.begin();
            meter.end(Cause::Batch, 1, started, Since::Now);
        }
    }
}
