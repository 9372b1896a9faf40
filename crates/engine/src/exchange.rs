//! Where a submitter and workers meet: jobs in, jobs out, under one lock.
//!
//! Every call takes the lock once, for a whole burst, and calls nothing foreign while it holds it.
//! So every account is exact at every moment, and there is no order of locks to get wrong.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use crate::completion::Reply;
use crate::event::{Event, Level};
use crate::queue_pair::reserved;
use crate::sync::{Condvar, Mutex, MutexGuard, lock};

/// A job in flight, and where the job goes afterwards: to a caller that polls, or to a completion.
pub(crate) struct Envelope<H> {
    pub job: H,
    pub reply: Option<Reply<H>>,
}

/// Jobs that are worked on as one.
pub(crate) struct Share<H> {
    pub jobs: Vec<H>,
    pub reply: Reply<Vec<H>>,
}

/// What a worker finds in its inbox.
pub(crate) enum Item<H> {
    Job(Envelope<H>),
    Share(Share<H>),
}

impl<H> Item<H> {
    fn jobs(&self) -> usize {
        match self {
            Item::Job(_) => 1,
            Item::Share(share) => share.jobs.len(),
        }
    }
}

/// How long a worker waits for its inbox to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    For(Duration),
    Forever,
}

/// What came of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Items,
    Nothing,
    /// Nothing, and nothing will come.
    Closed,
}

pub(crate) struct Exchange<H> {
    state: Mutex<ExchangeState<H>>,
    /// One for each worker: its inbox is not empty, or the exchange is closed.
    filled: Box<[Condvar]>,
    /// Complete jobs wait, or none are owed.
    complete: Condvar,
    /// A worker's part of the capacity. It holds so many jobs at most, but for shares.
    each: usize,
}

struct ExchangeState<H> {
    desks: Box<[Desk<H>]>,
    /// The desk at which the next search for the least loaded one starts.
    next: usize,
    /// What waits for room.
    overflow: VecDeque<Item<H>>,
    /// Something that waited got its room since a burst was last taken, or since it began to wait:
    /// now it is a burst's turn.
    is_bursts_turn: bool,
    /// Jobs to be polled.
    complete: VecDeque<H>,
    /// Jobs to be polled that were accepted and not given back.
    owed: usize,
    /// Jobs with replies that were admitted and are not complete.
    replied: usize,
    /// Jobs at the desks, of either kind: not yet complete.
    busy: usize,
    closed: bool,
    level: Level,
}

/// A worker's place.
struct Desk<H> {
    inbox: VecDeque<Item<H>>,
    /// Jobs given to the worker and not yet complete.
    load: usize,
    parked: bool,
}

impl<H> Exchange<H> {
    /// An exchange for so many workers, who hold at most `each` jobs each.
    pub(crate) fn new(workers: usize, each: usize) -> Self {
        let desk =
            |_| Desk { inbox: VecDeque::with_capacity(reserved(each)), load: 0, parked: false };
        Exchange {
            state: Mutex::new(ExchangeState {
                desks: (0..workers).map(desk).collect(),
                next: 0,
                overflow: VecDeque::new(),
                is_bursts_turn: false,
                complete: VecDeque::with_capacity(workers * reserved(each)),
                owed: 0,
                replied: 0,
                busy: 0,
                closed: false,
                level: Level::default(),
            }),
            filled: (0..workers).map(|_| Condvar::new()).collect(),
            complete: Condvar::new(),
            each,
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.each.saturating_mul(self.filled.len())
    }

    /// Jobs accepted and not given back.
    pub(crate) fn in_flight(&self) -> usize {
        lock(&self.state).in_flight()
    }

    /// Takes jobs to be polled from the front of a burst, as many as there is room for, and says
    /// how many. They are dealt out in pieces of `piece`.
    ///
    /// Where others wait for room, those came first; but they may be without end. So each burst
    /// waits until one of them has got its room, and is then taken beyond the capacity, as what
    /// waits fills that. They in turn get no room before that surplus is done, and neither side
    /// keeps the other waiting for ever.
    pub(crate) fn submit(&self, jobs: &mut Vec<H>, piece: usize) -> usize {
        let mut state = lock(&self.state);
        let taken = match (state.overflow.is_empty(), state.is_bursts_turn) {
            (true, _) => state.in_flight(),
            (false, true) => state.owed,
            (false, false) => return 0,
        };
        let accepted = jobs.len().min(self.capacity().saturating_sub(taken));
        state.is_bursts_turn &= accepted == 0;
        let mut jobs = jobs.drain(..accepted).map(|job| Item::Job(Envelope { job, reply: None }));
        let mut left = accepted;
        while left > 0 {
            let worker = state.least_loaded();
            let desk = &mut state.desks[worker];
            let count = match self.each.saturating_sub(desk.load) {
                0 => left.min(piece),
                room => left.min(piece).min(room),
            };
            desk.inbox.extend(jobs.by_ref().take(count));
            desk.load += count;
            left -= count;
            self.wake(desk, worker);
        }
        state.owed += accepted;
        state.busy += accepted;
        accepted
    }

    /// Takes items that carry their replies; none is of more than `each` jobs. They wait for room,
    /// first come first served. Complete jobs that nobody polls take none of it, else whoever
    /// should poll them could wait for a reply for ever.
    pub(crate) fn offer(&self, items: impl Iterator<Item = Item<H>>) {
        let mut state = lock(&self.state);
        let nothing_waited = state.overflow.is_empty();
        state.overflow.extend(items);
        self.admit(&mut state);
        if nothing_waited {
            state.is_bursts_turn = false;
        }
    }

    /// Gives what waits for room to workers, as long as there is some.
    fn admit(&self, state: &mut ExchangeState<H>) {
        while let Some(item) = state.overflow.front() {
            let jobs = item.jobs();
            if state.busy + jobs > self.capacity() && !state.closed {
                return;
            }
            let worker = state.least_loaded();
            let desk = &mut state.desks[worker];
            desk.inbox.extend(state.overflow.pop_front());
            desk.load += jobs;
            state.busy += jobs;
            state.replied += jobs;
            state.is_bursts_turn = true;
            self.wake(desk, worker);
        }
    }

    fn wake(&self, desk: &mut Desk<H>, worker: usize) {
        if std::mem::take(&mut desk.parked) {
            self.filled[worker].notify_one();
        }
    }

    /// Gives back complete jobs, at most `max` of them, at the end of `jobs`, and says how many.
    pub(crate) fn poll(&self, jobs: &mut Vec<H>, max: usize) -> usize {
        let mut state = lock(&self.state);
        let given = state.complete.len().min(max);
        jobs.extend(state.complete.drain(..given));
        state.owed -= given;
        state.update();
        given
    }

    /// Waits until complete jobs can be polled, none are owed, or the time is over; says how many
    /// can be polled.
    pub(crate) fn wait(&self, timeout: Duration) -> usize {
        let until = Instant::now().checked_add(timeout);
        let mut state = lock(&self.state);
        while state.complete.is_empty() && state.owed > 0 {
            let (again, over) = wait_until(&self.complete, state, until);
            state = again;
            if over {
                break;
            }
        }
        state.complete.len()
    }

    /// The event of the jobs that can be polled.
    pub(crate) fn event(&self) -> io::Result<Event> {
        let mut state = lock(&self.state);
        let ready = !state.complete.is_empty();
        state.level.event(ready)
    }

    /// Takes all that is in a worker's inbox, and leaves it what `items` had: nothing.
    pub(crate) fn take(&self, worker: usize, items: &mut VecDeque<Item<H>>, wait: Wait) -> Taken {
        let until = match wait {
            Wait::For(Duration::ZERO) | Wait::Forever => None,
            Wait::For(time) => Instant::now().checked_add(time),
        };
        let mut state = lock(&self.state);
        loop {
            let desk = &mut state.desks[worker];
            if !desk.inbox.is_empty() {
                desk.parked = false;
                std::mem::swap(&mut desk.inbox, items);
                return Taken::Items;
            }
            if state.closed {
                return Taken::Closed;
            }
            if wait == Wait::For(Duration::ZERO) {
                return Taken::Nothing;
            }
            state.desks[worker].parked = true;
            let (again, over) = wait_until(&self.filled[worker], state, until);
            state = again;
            if over && state.desks[worker].inbox.is_empty() {
                state.desks[worker].parked = false;
                return Taken::Nothing;
            }
        }
    }

    /// Takes a worker's complete jobs. Those that are to be polled can be; the others are left in
    /// `answers`, to be delivered now that they are accounted for.
    pub(crate) fn deliver(
        &self,
        worker: usize,
        jobs: &mut Vec<Envelope<H>>,
        answers: &mut Vec<(H, Reply<H>)>,
    ) {
        let mut state = lock(&self.state);
        state.complete(worker, jobs.len());
        let (had, had_answers) = (state.complete.len(), answers.len());
        for Envelope { job, reply } in jobs.drain(..) {
            match reply {
                None => state.complete.push_back(job),
                Some(reply) => answers.push((job, reply)),
            }
        }
        state.replied -= answers.len() - had_answers;
        if state.complete.len() > had {
            state.update();
            self.complete.notify_all();
        }
        self.admit(&mut state);
    }

    /// Takes note that a share of so many jobs is complete.
    pub(crate) fn settle(&self, worker: usize, jobs: usize) {
        let mut state = lock(&self.state);
        state.complete(worker, jobs);
        state.replied -= jobs;
        self.admit(&mut state);
    }

    /// Says that nothing more will come: workers finish what they have, and what waits for room.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        self.admit(&mut state);
        self.filled.iter().for_each(Condvar::notify_one);
    }
}

impl<H> ExchangeState<H> {
    fn in_flight(&self) -> usize {
        self.owed + self.replied
    }

    fn complete(&mut self, worker: usize, jobs: usize) {
        self.desks[worker].load -= jobs;
        self.busy -= jobs;
    }

    fn update(&mut self) {
        let complete = &self.complete;
        self.level.set(|| !complete.is_empty());
    }

    /// The worker with the fewest jobs; of several, each in its turn.
    fn least_loaded(&mut self) -> usize {
        let count = self.desks.len();
        let turns = (self.next..count).chain(0..self.next);
        let worker = turns.min_by_key(|worker| self.desks[*worker].load).unwrap_or(0);
        self.next = (worker + 1) % count;
        worker
    }
}

/// Waits, until a moment or for ever, and says whether the moment has come.
fn wait_until<'x, T>(
    condition: &Condvar,
    guard: MutexGuard<'x, T>,
    until: Option<Instant>,
) -> (MutexGuard<'x, T>, bool) {
    let whole = "nothing panics while it holds the lock";
    match until {
        None => (condition.wait(guard).expect(whole), false),
        Some(until) => {
            let time = until.saturating_duration_since(Instant::now());
            let (guard, result) = condition.wait_timeout(guard, time).expect(whole);
            (guard, result.timed_out())
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::completion::{Completion, completion};

    fn offer(exchange: &Exchange<u32>, job: u32) -> Completion<u32> {
        let (completion, reply) = completion();
        exchange.offer(std::iter::once(Item::Job(Envelope { job, reply: Some(reply) })));
        completion
    }

    /// Completes all that a worker has, and says which jobs these were.
    fn work(exchange: &Exchange<u32>) -> Vec<u32> {
        let (mut items, mut jobs, mut answers) = (VecDeque::new(), Vec::new(), Vec::new());
        exchange.take(0, &mut items, Wait::For(Duration::ZERO));
        for item in items {
            let Item::Job(envelope) = item else { unreachable!("there are no shares") };
            jobs.push(envelope);
        }
        let done = jobs.iter().map(|envelope| envelope.job).collect();
        exchange.deliver(0, &mut jobs, &mut answers);
        answers.into_iter().for_each(|(job, reply)| reply.deliver(job));
        done
    }

    #[test]
    fn bursts_and_futures_without_end_take_turns() {
        for capacity in [1, 4] {
            let exchange = Exchange::new(1, capacity);
            let mut next = 100..;
            let mut waits = Vec::new();
            let (mut bursts, mut futures) = (0, 0);
            for round in 0..40 {
                // Whatever room there was, something waits for some.
                waits.extend(next.by_ref().take(2 * capacity).map(|job| offer(&exchange, job)));
                let accepted = exchange.submit(&mut (0..capacity as u32).collect(), capacity);
                assert!(round > 0 || accepted == 0, "what waits came first");
                bursts += accepted;
                let done = work(&exchange);
                assert!(done.len() <= 2 * capacity, "{done:?}");
                futures += done.into_iter().filter(|job| *job >= 100).count();
                exchange.poll(&mut Vec::new(), usize::MAX);
            }
            assert!(bursts >= 10 * capacity, "{bursts} jobs of bursts, {futures} of futures");
            assert!(futures >= 10 * capacity, "{bursts} jobs of bursts, {futures} of futures");
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::completion::completion;
    use crate::sync::Arc;
    use loom::future::block_on;
    use loom::thread::{self, JoinHandle};

    /// Waits without an end: loom's time stands still.
    const EVER: Duration = Duration::MAX;

    /// A worker that completes whatever it takes, until the exchange is closed; it says how much.
    fn worker(exchange: &Arc<Exchange<u32>>, number: usize) -> JoinHandle<usize> {
        let exchange = Arc::clone(exchange);
        thread::spawn(move || {
            let (mut items, mut jobs, mut answers) = (VecDeque::new(), Vec::new(), Vec::new());
            let mut done = 0;
            while exchange.take(number, &mut items, Wait::Forever) == Taken::Items {
                for item in items.drain(..) {
                    match item {
                        Item::Job(envelope) => jobs.push(envelope),
                        Item::Share(_) => unreachable!("the models have none"),
                    }
                }
                done += jobs.len();
                exchange.deliver(number, &mut jobs, &mut answers);
                answers.drain(..).for_each(|(job, reply)| reply.deliver(job));
            }
            done
        })
    }

    fn poll(exchange: &Exchange<u32>) -> Vec<u32> {
        let mut jobs = Vec::new();
        exchange.poll(&mut jobs, usize::MAX);
        jobs
    }

    fn exchange(workers: usize, each: usize) -> Arc<Exchange<u32>> {
        Arc::new(Exchange::new(workers, each))
    }

    #[test]
    fn every_job_is_delivered_once_and_nobody_sleeps_on() {
        loom::model(|| {
            let exchange = exchange(1, 2);
            let worker = worker(&exchange, 0);
            let mut jobs = vec![1, 2];
            assert_eq!(exchange.submit(&mut jobs, 1), 2);
            let mut complete = Vec::new();
            while complete.len() < 2 {
                assert!(exchange.wait(EVER) > 0);
                complete.extend(poll(&exchange));
            }
            assert_eq!(complete, [1, 2]);
            assert_eq!((exchange.in_flight(), exchange.wait(EVER)), (0, 0));
            exchange.close();
            assert_eq!(worker.join().expect("it ended"), 2);
        });
    }

    #[test]
    fn two_workers_share_and_end() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let exchange = exchange(2, 1);
            let workers = [worker(&exchange, 0), worker(&exchange, 1)];
            assert_eq!(exchange.submit(&mut vec![1, 2], 1), 2);
            exchange.close();
            let done = workers.map(|worker| worker.join().expect("it ended"));
            assert_eq!(done, [1, 1]);
            let mut complete = poll(&exchange);
            complete.sort_unstable();
            assert_eq!(complete, [1, 2]);
        });
    }

    #[test]
    fn a_close_while_full_completes_what_was_accepted_and_what_waits_for_room() {
        loom::model(|| {
            let exchange = exchange(1, 1);
            let worker = worker(&exchange, 0);
            let mut jobs = vec![1, 2];
            assert_eq!(exchange.submit(&mut jobs, 1), 1);
            assert_eq!(exchange.submit(&mut jobs, 1), 0, "one is in flight until it is polled");
            let (completion, reply) = completion();
            let envelope = Envelope { job: 3, reply: Some(reply) };
            exchange.offer(std::iter::once(Item::Job(envelope)));
            exchange.close();
            assert_eq!(block_on(completion), 3);
            assert_eq!(worker.join().expect("it ended"), 2);
            assert_eq!((poll(&exchange), jobs), (vec![1], vec![2]));
            assert_eq!(exchange.in_flight(), 0);
        });
    }

    #[test]
    fn a_close_wakes_a_worker_that_sleeps() {
        loom::model(|| {
            let exchange = exchange(1, 1);
            let worker = worker(&exchange, 0);
            exchange.close();
            assert_eq!(worker.join().expect("it ended"), 0);
        });
    }

    #[test]
    fn whoever_waits_for_room_gets_it() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let exchange = exchange(1, 1);
            let worker = worker(&exchange, 0);
            let offer = |job| {
                let (completion, reply) = completion();
                let envelope = Envelope { job, reply: Some(reply) };
                exchange.offer(std::iter::once(Item::Job(envelope)));
                completion
            };
            let (first, second) = (offer(1), offer(2));
            assert_eq!(block_on(second), 2);
            assert_eq!(block_on(first), 1);
            assert_eq!(exchange.in_flight(), 0);
            exchange.close();
            assert_eq!(worker.join().expect("it ended"), 2);
        });
    }

    /// A burst that was refused because futures wait for room is taken in its turn, and keeps none
    /// of them waiting.
    #[test]
    fn a_burst_among_futures_that_wait_has_its_turn() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let exchange = exchange(1, 1);
            let offer = |job| {
                let (completion, reply) = completion();
                let envelope = Envelope { job, reply: Some(reply) };
                exchange.offer(std::iter::once(Item::Job(envelope)));
                completion
            };
            let (first, second, third) = (offer(1), offer(2), offer(3));
            assert_eq!(exchange.submit(&mut vec![4], 1), 0, "those came first");
            let worker = worker(&exchange, 0);
            assert_eq!(block_on(first), 1);
            // While the third waits it is the burst's turn; else it waits for room as any other.
            while exchange.submit(&mut vec![4], 1) == 0 {
                thread::yield_now();
            }
            assert_eq!((block_on(third), block_on(second)), (3, 2));
            while exchange.wait(EVER) == 0 {}
            assert_eq!(poll(&exchange), [4]);
            exchange.close();
            assert_eq!(worker.join().expect("it ended"), 4);
        });
    }

    #[test]
    fn two_submitters_never_have_more_accepted_than_there_is_room_for() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let exchange = exchange(1, 1);
            let worker = worker(&exchange, 0);
            let other = Arc::clone(&exchange);
            let other = thread::spawn(move || other.submit(&mut vec![1], 1));
            let accepted = exchange.submit(&mut vec![2], 1) + other.join().expect("it ended");
            // Nobody polls: what was accepted keeps its room.
            assert_eq!((accepted, exchange.in_flight()), (1, 1));
            exchange.close();
            assert_eq!(worker.join().expect("it ended"), 1);
        });
    }
}
