//! Futures of jobs that another thread works on.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use crate::sync::{Arc, Mutex, lock};

/// A job that workers have: [`Workers::process`](crate::Workers::process) makes it.
///
/// A future that resolves to the job, complete. It works in any executor, or in none: it needs no
/// reactor and no timer. Dropped, the job is worked on all the same, and then discarded.
///
/// # Panics
/// Polled after it was ready; or if the thread that had the job died.
pub struct Completion<H>(Pending<H>);

/// A burst of jobs that workers have: [`Workers::process_burst`](crate::Workers::process_burst)
/// makes it.
///
/// A future that resolves to the jobs, all complete, in the order in which they were given. As to
/// the rest, see [`Completion`].
///
/// # Panics
/// Polled after it was ready; or if a thread that had some of the jobs died.
pub struct Burst<H>(Pending<Vec<H>>);

/// A job, and the way back.
pub(crate) fn completion<H>() -> (Completion<H>, Reply<H>) {
    let cell = Arc::new(Cell::new(1));
    (Completion(Pending(Arc::clone(&cell))), Reply { cell: Some(cell), part: 0 })
}

/// A burst in so many shares, and the way back of each.
pub(crate) fn burst<H>(shares: usize) -> (Burst<H>, impl Iterator<Item = Reply<Vec<H>>>) {
    let cell = Arc::new(Cell::new(shares));
    let replies = Arc::clone(&cell);
    let replies = (0..shares).map(move |part| Reply { cell: Some(Arc::clone(&replies)), part });
    (Burst(Pending(cell)), replies)
}

impl<H> Future for Completion<H> {
    type Output = H;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<H> {
        self.0.poll(context).map(|parts| parts.first.expect("a part that is not missing is there"))
    }
}

impl<H> Future for Burst<H> {
    type Output = Vec<H>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<H>> {
        self.0.poll(context).map(|parts| {
            let mut jobs = parts.first.unwrap_or_default();
            for part in parts.rest {
                jobs.append(&mut part.expect("a part that is not missing is there"));
            }
            jobs
        })
    }
}

impl<H> fmt::Debug for Completion<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Completion")
    }
}

impl<H> fmt::Debug for Burst<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Burst")
    }
}

/// Where a result in some parts is put together: by those who work on it, for the one who waits.
struct Cell<P>(Mutex<CellState<P>>);

struct CellState<P> {
    parts: Parts<P>,
    /// Parts that are not there yet.
    missing: usize,
    /// Parts that never will be.
    lost: usize,
    /// Whom to tell when nothing is missing any more.
    waker: Option<Waker>,
    waiter: Waiter,
}

/// Most results have one part, which then needs no memory of its own.
struct Parts<P> {
    first: Option<P>,
    rest: Vec<Option<P>>,
}

#[derive(PartialEq)]
enum Waiter {
    Waits,
    HasIt,
    IsGone,
}

impl<P> Cell<P> {
    fn new(parts: usize) -> Self {
        Cell(Mutex::new(CellState {
            parts: Parts { first: None, rest: (1..parts).map(|_| None).collect() },
            missing: parts,
            lost: 0,
            waker: None,
            waiter: Waiter::Waits,
        }))
    }
}

/// The end of the one who waits.
struct Pending<P>(Arc<Cell<P>>);

impl<P> Pending<P> {
    fn poll(&self, context: &mut Context<'_>) -> Poll<Parts<P>> {
        // To clone a waker and to drop one is foreign code: not under the lock.
        let waker = context.waker().clone();
        let mut state = lock(&self.0.0);
        if state.waiter != Waiter::Waits {
            drop(state);
            panic!("a future is not polled after it was ready");
        }
        if state.missing > 0 {
            let before = state.waker.replace(waker);
            drop(state);
            drop(before);
            return Poll::Pending;
        }
        state.waiter = Waiter::HasIt;
        let lost = state.lost;
        let parts = mem::replace(&mut state.parts, Parts { first: None, rest: Vec::new() });
        drop(state);
        assert!(lost == 0, "the thread that had the job died");
        Poll::Ready(parts)
    }
}

impl<P> Drop for Pending<P> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.waiter = Waiter::IsGone;
        let waker = state.waker.take();
        let parts = mem::replace(&mut state.parts, Parts { first: None, rest: Vec::new() });
        drop(state);
        drop((waker, parts));
    }
}

/// The end of one who works on a part.
pub(crate) struct Reply<P> {
    /// `None` once the part is delivered.
    cell: Option<Arc<Cell<P>>>,
    part: usize,
}

impl<P> Reply<P> {
    /// Delivers the part.
    pub(crate) fn deliver(mut self, value: P) {
        if let Some(cell) = self.cell.take() {
            cell.put(self.part, Some(value));
        }
    }
}

impl<P> Drop for Reply<P> {
    fn drop(&mut self) {
        if let Some(cell) = self.cell.take() {
            cell.put(self.part, None);
        }
    }
}

impl<P> Cell<P> {
    /// Takes a part, or that it is lost, and wakes the waiter after the last.
    fn put(&self, part: usize, value: Option<P>) {
        let mut state = lock(&self.0);
        state.missing -= 1;
        state.lost += usize::from(value.is_none());
        let unwanted = if state.waiter == Waiter::IsGone {
            value
        } else {
            match part.checked_sub(1) {
                None => state.parts.first = value,
                Some(rest) => state.parts.rest[rest] = value,
            }
            None
        };
        let waker = if state.missing == 0 { state.waker.take() } else { None };
        drop(state);
        drop(unwanted);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Waits on the calling thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(std::sync::Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::future::block_on;
    use loom::thread;

    #[test]
    fn a_completion_is_woken_whenever_its_job_comes() {
        loom::model(|| {
            let (completion, reply) = completion();
            let worker = thread::spawn(move || reply.deliver(7));
            assert_eq!(block_on(completion), 7);
            worker.join().expect("it delivered");
        });
    }

    #[test]
    fn a_burst_is_put_together_in_its_order_by_two_workers() {
        loom::model(|| {
            let (burst, replies) = burst(2);
            let workers: Vec<_> = replies
                .enumerate()
                .map(|(part, reply)| {
                    thread::spawn(move || reply.deliver(vec![2 * part, 2 * part + 1]))
                })
                .collect();
            assert_eq!(block_on(burst), [0, 1, 2, 3]);
            workers.into_iter().for_each(|worker| worker.join().expect("it delivered"));
        });
    }

    #[test]
    fn a_job_whose_completion_is_dropped_is_dropped_once() {
        loom::model(|| {
            let (mut completion, reply) = completion();
            let job = std::sync::Arc::new(());
            let witness = std::sync::Arc::downgrade(&job);
            let worker = thread::spawn(move || reply.deliver(job));
            let polled = block_on(std::future::poll_fn(|context| {
                Poll::Ready(Pin::new(&mut completion).poll(context).is_ready())
            }));
            drop(completion);
            worker.join().expect("it delivered");
            assert_eq!(witness.strong_count(), 0, "polled: {polled}");
        });
    }

    #[test]
    fn a_job_that_is_lost_is_not_waited_for() {
        loom::model(|| {
            let (completion, reply) = completion::<u32>();
            let worker = thread::spawn(move || drop(reply));
            let lost =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| block_on(completion)));
            assert!(lost.is_err());
            worker.join().expect("it dropped it");
        });
    }
}
