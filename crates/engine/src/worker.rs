//! A worker: one thread's feed between an exchange and a queue pair.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::completion::Reply;
use crate::driver::{Driver, Feed, Next};
use crate::exchange::{Envelope, Exchange, Item, Share, Taken, Wait};
use crate::job::{Contents, Handle, Operated};
use crate::job_error::JobError;
use crate::metrics::QueueKind;
use crate::processor::WINDOW;
use crate::queue_pair::{QueueConfig, QueuePair, reserved};
use crate::statistics::Statistics;
use crate::sync::Arc;

impl<H: Handle<'static>> Handle<'static> for Envelope<H> {
    #[inline(always)]
    fn contents(&mut self) -> &mut Contents<'static> {
        self.job.contents()
    }
}

/// How long a worker with nothing else to do waits for a device before it looks for new jobs.
const DEVICE_WAIT: Duration = Duration::from_micros(100);

/// What a worker's thread has.
pub(crate) struct Worker<H: Handle<'static>> {
    driver: Driver<'static, Envelope<H>>,
    desk: Desk<H>,
}

/// A worker's side of the exchange.
struct Desk<H> {
    number: usize,
    exchange: Arc<Exchange<H>>,
    patience: Duration,
    items: VecDeque<Item<H>>,
    answers: Vec<(H, Reply<H>)>,
}

impl<H: Handle<'static>> Worker<H> {
    pub(crate) fn new(
        number: usize,
        exchange: Arc<Exchange<H>>,
        config: QueueConfig,
        patience: Duration,
    ) -> Self {
        let items = VecDeque::with_capacity(reserved(config.capacity));
        let desk = Desk { number, exchange, patience, items, answers: Vec::new() };
        Worker { driver: Driver::of(QueueKind::Worker, config), desk }
    }

    pub(crate) fn statistics(&mut self) -> Statistics {
        self.driver.queue_pair().statistics()
    }

    /// Works until the exchange is closed and all is done.
    pub(crate) fn run(mut self) {
        let Worker { driver, desk } = &mut self;
        while !quietly(|| driver.run(desk).unwrap_or_else(|never| match never {})) {
            // What may still panic is the drop of the provider's queues, and the jobs are safe by
            // then.
            quietly(|| driver.recover(fail));
        }
    }
}

impl<H: Handle<'static>> Feed<'static, Envelope<H>> for Desk<H> {
    type Error = Infallible;

    /// Takes single jobs as far as there is room, and does shares to their end.
    fn next(
        &mut self,
        pair: &mut QueuePair<'static, Envelope<H>>,
        jobs: &mut Vec<Envelope<H>>,
        room: usize,
    ) -> Result<Next, Infallible> {
        loop {
            while jobs.len() < room {
                match self.items.pop_front() {
                    Some(Item::Job(envelope)) => jobs.push(envelope),
                    Some(Item::Share(share)) if jobs.is_empty() => self.work_on(pair, share),
                    Some(share) => {
                        self.items.push_front(share);
                        break;
                    }
                    None => break,
                }
            }
            if !jobs.is_empty() {
                return Ok(Next::Jobs);
            }
            let wait = match pair.in_flight() {
                0 => Wait::Forever,
                _ => Wait::For(self.patience),
            };
            match self.exchange.take(self.number, &mut self.items, wait) {
                Taken::Items => {}
                Taken::Nothing => return Ok(Next::Later),
                Taken::Closed => return Ok(Next::End),
            }
        }
    }

    fn done(
        &mut self,
        complete: &mut Vec<Envelope<H>>,
        _again: &mut Vec<Envelope<H>>,
    ) -> Result<(), Infallible> {
        self.exchange.deliver(self.number, complete, &mut self.answers);
        for (job, reply) in self.answers.drain(..) {
            quietly(|| reply.deliver(job));
        }
        Ok(())
    }

    fn wait(&mut self, pair: &mut QueuePair<'static, Envelope<H>>) {
        pair.wait(DEVICE_WAIT);
    }
}

impl<H: Handle<'static>> Desk<H> {
    fn work_on(&mut self, pair: &mut QueuePair<'static, Envelope<H>>, mut share: Share<H>) {
        for window in share.jobs.chunks_mut(WINDOW) {
            let mut outcome = None;
            quietly(|| outcome = Some(pair.process_at_once(window)));
            let is_sound = match outcome {
                Some(_) => quietly(|| pair.processor.count_lanes()),
                None => {
                    window.iter_mut().for_each(fail);
                    pair.count_failed(window);
                    false
                }
            };
            if !is_sound {
                quietly(|| pair.recover(fail));
            }
        }
        self.exchange.settle(self.number, share.jobs.len());
        quietly(|| share.reply.deliver(share.jobs));
    }
}

/// Fails a job over which something panicked. If its own [`Handle`] is what panics it comes back
/// with whatever status it has.
fn fail<H: Handle<'static>>(job: &mut H) {
    quietly(|| job.operation().refuse(JobError::Panicked));
}

/// Does something that may panic (a provider, a waker, the drop of a job that nobody wants any
/// more), and says whether it did not: a worker outlives it, and the panic's message was printed.
fn quietly(work: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(work)).is_ok()
}
