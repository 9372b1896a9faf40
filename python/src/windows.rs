//! Jobs over many buffers, on one thread or on several, without the GIL.
//!
//! The buffers are cut into windows, which are dealt to threads as these become free. A window is
//! as many buffers as the engine takes at once, and where there are several threads, no more bytes
//! than a thread's share.

use std::ops::Range;
use std::sync::Mutex;
use std::thread;

use broadloom::{Job, JobError, Processor};
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
    let dealt = Mutex::new(out.iter_mut().enumerate());
    let next = || dealt.lock().expect("dealing does not panic").next();
    let failed = Mutex::new(None::<(usize, E)>);
    let stop = Stop::default();
    on_threads(threads.min(count), &|place| {
        let mut watch = place.watch();
        while !stop.is_due(watch.as_mut())
            && let Some((index, out)) = next()
        {
            if let Err(error) = work(index, out) {
                let mut first = failed.lock().expect("comparing does not panic");
                if first.as_ref().is_none_or(|&(other, _)| index < other) {
                    *first = Some((index, error));
                }
                break;
            }
        }
    });
    stop.end()?;
    Ok(failed.into_inner().expect("comparing does not panic"))
}

/// Calls `work` on this thread and on others beside it.
fn on_threads(threads: usize, work: &(dyn Fn(Place) + Sync)) {
    thread::scope(|scope| {
        for _ in 1..threads {
            let other = thread::Builder::new().spawn_scoped(scope, || work(Place::Other));
            if other.is_err() {
                // The system grants no further thread: those that there are do all the work.
                break;
            }
        }
        work(Place::Caller);
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

/// Gives the next window, until there is none.
pub type Next<'n, 'o, O> = dyn FnMut() -> Option<Window<'o, O>> + 'n;

/// Cuts `count` buffers into windows, and has threads take them.
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
) -> PyResult<()> {
    let most_bytes = (threads > 1).then(|| (cost(size, 0..count) / threads).max(LEAST));
    let plan = Plan { count, most_bytes, size };
    let mut rest = Some(out);
    let mut start = 0;
    let windows = Mutex::new(std::iter::from_fn(|| {
        let end = plan.end(start);
        let before = if start == 0 { 0 } else { place(start - 1) };
        let window = (end > start).then(|| {
            let (out, after) = rest.take()?.split_at_mut(place(end - 1) - before);
            rest = Some(after);
            Some(Window { start: std::mem::replace(&mut start, end), end, out })
        });
        window.flatten()
    }));
    let stop = Stop::default();
    on_threads(threads.min(count), &|place| {
        let mut watch = place.watch();
        work(place, &mut || {
            if stop.is_due(watch.as_mut()) {
                return None;
            }
            windows.lock().expect("cutting a window does not panic").next()
        });
    });
    stop.end()
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
) -> PyResult<Vec<(usize, JobError)>> {
    let work = |processor: &mut Processor, next: &mut Next<'_, 'a, O>| {
        let mut failed = Vec::new();
        let mut jobs: Vec<Job<'a, T>> = Vec::with_capacity(count.min(MOST));
        while let Some(Window { start, end, out }) = next() {
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
        failed
    };
    let failed = Mutex::new(Vec::new());
    deal((count, threads), out, size, place, &|place, next| {
        let more = match place {
            Place::Caller if lanes == Lanes::Kept => {
                with_processor(|processor| with_secrets(|| work(processor, next)))
            }
            _ => with_secrets(|| work(&mut Processor::new(), next)),
        };
        failed.lock().expect("appending does not panic").extend(more);
    })?;
    let mut failed = failed.into_inner().expect("appending does not panic");
    failed.sort_by_key(|&(index, _)| index);
    Ok(failed)
}
