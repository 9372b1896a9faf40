//! Jobs over many buffers, on one thread or on several, without the GIL.
//!
//! Threads meet along a [`Line`]. The buffers are cut into windows, which are dealt to threads as
//! these become free. A window is as many buffers as the engine takes at once, and where there are
//! several threads, no more bytes than a thread's share.

use std::convert::Infallible;
use std::ops::Range;

use broadloom::{Job, JobError, Processor};
use broadloom_ordered::{Line, Next as Item, Sink, side_by_side};
use pyo3::PyResult;

use crate::engine::{with_processor, with_secrets};
use crate::signals::{Stop, Watch};

/// Buffers in a window at most: as many as the engine hands to a provider in one call.
pub const MOST: usize = 512;
/// Bytes in a window of several at least, where there are several threads: enough that dealing it
/// costs nothing beside the work.
const LEAST: usize = 64 << 10;
/// What a job costs beside its bytes, in bytes that could be worked on in that time.
const JOB: usize = 150;

/// Does something to each of `count` buffers, dealt one by one to threads, and gives back the first
/// that failed. It is for work that is long, or has threads' lanes of its own.
///
/// # Errors
/// That of a signal's handler.
pub fn each<O: Send, E: Send>(
    (count, threads): (usize, usize),
    out: &mut [O],
    work: &(dyn Fn(usize, &mut O) -> Result<(), E> + Sync),
) -> PyResult<Option<(usize, E)>> {
    let line = Line::new(out.iter_mut().enumerate(), FirstError, u64::MAX);
    let stop = Stop::default();
    on_threads(threads.min(count), &|place| {
        let _guard = line.stop_in_panic();
        let mut watch = place.watch();
        while !stop.is_due(watch.as_mut())
            && let Item::Item(turn, (index, out)) = line.next(true, Iterator::next)
        {
            line.put([(turn, work(index, out).map_err(|error| (index, error)))]);
        }
    });
    stop.end()?;
    let (_, FirstError, failed) = line.into_parts();
    Ok(failed)
}

/// Ends a line with the error that comes first in its order.
struct FirstError;

impl<E> Sink<Result<(), E>> for FirstError {
    type Error = E;

    fn take(&mut self, done: Result<(), E>) -> Result<(), E> {
        done
    }
}

/// Calls `work` on this thread and on others beside it. Where the system grants no further thread,
/// those that there are do all the work.
fn on_threads(threads: usize, work: &(dyn Fn(Place) + Sync)) {
    side_by_side(threads, "broadloom", |index| {
        work(if index == 0 { Place::Caller } else { Place::Other });
    });
}

/// Which lanes the thread that calls works with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// Those that it has, which keep nothing of a key.
    Kept,
    /// New ones, which end with the call: their last state would tell of a private key.
    New,
}

/// Where work happens.
#[derive(Clone, Copy)]
pub enum Place {
    /// On the thread that called, whose processor is kept.
    Caller,
    /// On a thread that ends with the call.
    Other,
}

impl Place {
    fn watch(self) -> Option<Watch> {
        match self {
            Place::Caller => Some(Watch::new()),
            Place::Other => None,
        }
    }
}

/// Where the windows end.
struct Plan<'l> {
    count: usize,
    /// Bytes of a window of several at most, where there are several threads.
    most_bytes: Option<usize>,
    size: &'l Size<'l>,
}

/// The bytes of some buffers together: one call for many, since a call for each takes as long as a
/// good part of a short message's digest.
pub type Size<'l> = dyn Fn(Range<usize>) -> usize + Sync + 'l;

/// What some buffers cost, in bytes that could be worked on in that time.
fn cost(size: &Size<'_>, buffers: Range<usize>) -> usize {
    let jobs = JOB * buffers.len();
    size(buffers).saturating_add(jobs)
}

impl Plan<'_> {
    /// The end of the window that begins at `start`.
    fn end(&self, start: usize) -> usize {
        let most = self.count.min(start + MOST);
        let Some(most_bytes) = self.most_bytes else { return most };
        if cost(self.size, start..most) <= most_bytes {
            return most;
        }
        let (mut end, mut bytes) = (start, 0_usize);
        while end < most {
            bytes = bytes.saturating_add(cost(self.size, end..end + 1));
            if bytes > most_bytes && end > start {
                break;
            }
            end += 1;
        }
        end
    }
}

/// A window, and the place of its results.
pub struct Window<'o, O> {
    /// The first buffer.
    pub start: usize,
    /// The one behind the last.
    pub end: usize,
    /// The results of all.
    pub out: &'o mut [O],
}

/// The buffers of a window, or of all of them, whose jobs failed, in order.
pub type Failures = Vec<(usize, JobError)>;

/// Takes the failures of the window before, if there was one, and gives the next window, until
/// there is none.
pub type Next<'n, 'o, O> = dyn FnMut(Failures) -> Option<Window<'o, O>> + 'n;

/// Cuts buffers into windows.
struct Cutter<'l, 'o, O> {
    plan: Plan<'l>,
    place: &'l (dyn Fn(usize) -> usize + Sync),
    start: usize,
    /// The results of the buffers from `start` on.
    rest: &'o mut [O],
}

impl<'o, O> Iterator for Cutter<'_, 'o, O> {
    type Item = Window<'o, O>;

    fn next(&mut self) -> Option<Window<'o, O>> {
        let (start, end) = (self.start, self.plan.end(self.start));
        if end == start {
            return None;
        }
        let before = if start == 0 { 0 } else { (self.place)(start - 1) };
        let rest = std::mem::take(&mut self.rest);
        let (out, after) = rest.split_at_mut((self.place)(end - 1) - before);
        (self.start, self.rest) = (end, after);
        Some(Window { start, end, out })
    }
}

/// Keeps the failures of all windows.
struct AllFailures(Failures);

impl Sink<Failures> for AllFailures {
    type Error = Infallible;

    fn take(&mut self, failures: Failures) -> Result<(), Infallible> {
        self.0.extend(failures);
        Ok(())
    }
}

/// Cuts `count` buffers into windows, has threads take them, and gives back the failures.
///
/// `size` is the bytes of some buffers. `place` is where in `out` the results of one end. Those of
/// the first begin at 0. `work` is called on each thread, with a function that gives it windows.
///
/// # Errors
/// That of a signal's handler. Then no further window was given.
pub fn deal<'a, O: Send>(
    (count, threads): (usize, usize),
    out: &'a mut [O],
    size: &Size<'_>,
    place: &(dyn Fn(usize) -> usize + Sync),
    work: &(dyn Fn(Place, &mut Next<'_, 'a, O>) + Sync),
) -> PyResult<Failures> {
    let most_bytes = (threads > 1).then(|| (cost(size, 0..count) / threads).max(LEAST));
    let plan = Plan { count, most_bytes, size };
    let cutter = Cutter { plan, place, start: 0, rest: out };
    let line = Line::new(cutter, AllFailures(Vec::new()), u64::MAX);
    let stop = Stop::default();
    on_threads(threads.min(count), &|place| {
        let _guard = line.stop_in_panic();
        let mut watch = place.watch();
        let mut taken = None;
        work(place, &mut |failures| {
            if let Some(turn) = taken.take() {
                line.put([(turn, failures)]);
            }
            if stop.is_due(watch.as_mut()) {
                return None;
            }
            let Item::Item(turn, window) = line.next(true, Iterator::next) else { return None };
            taken = Some(turn);
            Some(window)
        });
    });
    stop.end()?;
    let (_, AllFailures(failures), _) = line.into_parts();
    Ok(failures)
}

/// Makes a job for each of `count` buffers, brings all of them to their end, and gives back those
/// that failed, in their order.
///
/// `size` and `place` are as [`deal`] has them. `make` makes a buffer's job, with the place of its
/// results, and `done` looks at the job afterwards.
///
/// # Errors
/// As [`deal`].
pub fn process<'a, O: Send, T>(
    lanes: Lanes,
    (count, threads): (usize, usize),
    out: &'a mut [O],
    size: &Size<'_>,
    place: &(dyn Fn(usize) -> usize + Sync),
    make: &(dyn Fn(usize, &'a mut [O]) -> Job<'a, T> + Sync),
    done: &(dyn Fn(&mut Job<'a, T>) + Sync),
) -> PyResult<Failures> {
    let work = |processor: &mut Processor, next: &mut Next<'_, 'a, O>| {
        let mut failed = Failures::new();
        let mut jobs: Vec<Job<'a, T>> = Vec::with_capacity(count.min(MOST));
        while let Some(Window { start, end, out }) = next(std::mem::take(&mut failed)) {
            let mut rest = out;
            let mut before = if start == 0 { 0 } else { place(start - 1) };
            jobs.extend((start..end).map(|index| {
                let until = place(index);
                let (own, after) = std::mem::take(&mut rest).split_at_mut(until - before);
                (rest, before) = (after, until);
                make(index, own)
            }));
            processor.process_many(&mut jobs);
            for (index, mut job) in (start..end).zip(jobs.drain(..)) {
                match job.status() {
                    Some(Ok(())) => done(&mut job),
                    Some(Err(error)) => failed.push((index, error)),
                    None => failed.push((index, JobError::NotDone)),
                }
            }
        }
    };
    deal((count, threads), out, size, place, &|place, next| match place {
        Place::Caller if lanes == Lanes::Kept => {
            with_processor(|processor| with_secrets(|| work(processor, next)));
        }
        _ => with_secrets(|| work(&mut Processor::new(), next)),
    })
}
