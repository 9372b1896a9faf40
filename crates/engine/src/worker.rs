//! A worker: one thread's loop between an exchange and a queue pair.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::completion::Reply;
use crate::exchange::{Envelope, Exchange, Item, Share, Taken, Wait};
use crate::job::{Contents, Handle, Operated};
use crate::job_error::JobError;
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
    number: usize,
    exchange: Arc<Exchange<H>>,
    pair: QueuePair<'static, Envelope<H>>,
    patience: Duration,
    items: VecDeque<Item<H>>,
    jobs: Vec<Envelope<H>>,
    complete: Vec<Envelope<H>>,
    answers: Vec<(H, Reply<H>)>,
}

impl<H: Handle<'static>> Worker<H> {
    pub(crate) fn new(
        number: usize,
        exchange: Arc<Exchange<H>>,
        config: QueueConfig,
        patience: Duration,
    ) -> Self {
        Worker {
            number,
            exchange,
            items: VecDeque::with_capacity(reserved(config.capacity)),
            jobs: Vec::with_capacity(reserved(config.capacity)),
            complete: Vec::with_capacity(reserved(config.capacity)),
            answers: Vec::new(),
            pair: QueuePair::new(config),
            patience,
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.pair.statistics()
    }

    /// Works until the exchange is closed and all is done.
    pub(crate) fn run(mut self) {
        loop {
            let wait = match self.pair.in_flight() {
                0 => Wait::Forever,
                _ => Wait::For(self.patience),
            };
            match self.exchange.take(self.number, &mut self.items, wait) {
                Taken::Items => self.work(),
                Taken::Closed if self.pair.in_flight() == 0 => return,
                Taken::Nothing | Taken::Closed => {
                    self.guard(QueuePair::flush_lanes);
                    if self.pair.awaits_device() {
                        self.guard(|pair| pair.wait(DEVICE_WAIT));
                    }
                    self.give_back();
                }
            }
        }
    }

    /// Works on what was taken: single jobs as far as they fill batches, shares to their end.
    fn work(&mut self) {
        while let Some(item) = self.items.pop_front() {
            match item {
                Item::Job(envelope) => self.jobs.push(envelope),
                Item::Share(share) => {
                    self.enqueue();
                    self.work_on(share);
                }
            }
        }
        self.enqueue();
    }

    fn enqueue(&mut self) {
        while !self.jobs.is_empty() {
            let mut jobs = std::mem::take(&mut self.jobs);
            if !self.guard(|pair| pair.enqueue(&mut jobs)) {
                // What is still here was not accepted, since a provider opened no queue for it.
                jobs.iter_mut().for_each(fail);
                self.complete.append(&mut jobs);
            }
            self.jobs = jobs;
            if !self.jobs.is_empty() {
                self.guard(QueuePair::flush);
            }
            self.give_back();
        }
    }

    fn work_on(&mut self, mut share: Share<H>) {
        for window in share.jobs.chunks_mut(WINDOW) {
            if !self.guard(|pair| pair.process_at_once(window)) {
                window.iter_mut().for_each(fail);
                self.pair.count_failed(window.len());
            }
        }
        self.exchange.settle(self.number, share.jobs.len());
        quietly(|| share.reply.deliver(share.jobs));
    }

    /// Gives back what is complete.
    fn give_back(&mut self) {
        let mut complete = std::mem::take(&mut self.complete);
        while !self.guard(|pair| pair.dequeue(&mut complete, usize::MAX)) {}
        if !complete.is_empty() {
            self.exchange.deliver(self.number, &mut complete, &mut self.answers);
        }
        self.complete = complete;
        for (job, reply) in self.answers.drain(..) {
            quietly(|| reply.deliver(job));
        }
    }

    /// Does something with the queue pair and says whether it went well. Where a provider panics,
    /// the queue pair's jobs are complete, failed, and its queues are opened anew.
    fn guard<R>(&mut self, work: impl FnOnce(&mut QueuePair<'static, Envelope<H>>) -> R) -> bool {
        let went_well = quietly(|| drop(work(&mut self.pair)));
        if !went_well {
            // What may still panic is the drop of the provider's queues, and the jobs are safe by
            // then.
            quietly(|| self.pair.recover(fail));
        }
        went_well
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
