//! What the workers share: the source of requests, and the results put back into its order.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};

use crate::source::{Item, Request, Source};
use crate::task::{Outcome, Task, Turn};

/// How many results may wait for an earlier one before no more is begun. Bounds the memory they
/// take.
const MAX_AHEAD: u64 = 2048;

/// What a worker gets when it asks for a request.
pub enum Next<T: Task> {
    /// This one.
    Request(Turn, Request<T>),
    /// None now: too many results wait for an earlier one.
    Later,
    /// None any more.
    End,
}

/// The source and the task, shared by all workers.
pub struct Shared<T: Task> {
    requests: Mutex<Requests<T>>,
    results: Mutex<Results<T>>,
    /// Results were told, or the run stops.
    told: Condvar,
    /// How many have been told; as in `results`, to be read without its lock.
    head: AtomicU64,
    /// Nothing more can be told.
    stopped: AtomicBool,
}

struct Requests<T: Task> {
    source: Box<dyn Source<T>>,
    next: u64,
}

struct Results<T: Task> {
    task: T,
    /// The turn of the next result to tell.
    head: u64,
    /// Results from `head` on, where they are known.
    waiting: VecDeque<Option<Told<T>>>,
    /// Why nothing more can be told.
    error: Option<io::Error>,
    /// Workers that wait for others.
    sleepers: usize,
}

enum Told<T: Task> {
    Outcome(Outcome<T>),
    Notice(T::Notice),
}

impl<T: Task> Shared<T> {
    /// Nothing asked for, nothing told.
    pub fn new(source: Box<dyn Source<T>>, task: T) -> Self {
        Shared {
            requests: Mutex::new(Requests { source, next: 0 }),
            results: Mutex::new(Results {
                task,
                head: 0,
                waiting: VecDeque::new(),
                error: None,
                sleepers: 0,
            }),
            told: Condvar::new(),
            head: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next request. A worker that holds unfinished files must not `wait`: the others may be
    /// waiting for those.
    pub fn next(&self, wait: bool) -> Next<T> {
        loop {
            if self.stopped() {
                return Next::End;
            }
            let mut requests = self.requests.lock().expect(NO_PANIC);
            let turn = requests.next;
            if turn >= self.head.load(Ordering::Acquire) + MAX_AHEAD {
                drop(requests);
                if !wait {
                    return Next::Later;
                }
                self.wait_until(|results| turn < results.head + MAX_AHEAD);
                continue;
            }
            let Some(item) = requests.source.next() else {
                return Next::End;
            };
            requests.next += 1;
            drop(requests);
            match item {
                Item::Hash(request) => return Next::Request(Turn(turn), request),
                Item::Notice(notice) => self.tell([(Turn(turn), Told::Notice(notice))], 0),
            }
        }
    }

    /// Hands in results, of `bytes` bytes in all.
    pub fn finish(&self, outcomes: impl Iterator<Item = (Turn, Outcome<T>)>, bytes: u64) {
        self.tell(outcomes.map(|(turn, outcome)| (turn, Told::Outcome(outcome))), bytes);
    }

    /// Waits until everything before `turn` has been told. For workers that hold nothing else.
    pub fn wait_for(&self, turn: Turn) {
        self.wait_until(|results| results.head == turn.0);
    }

    /// Tells part of the results of the turn that was waited for; `finish` ends it.
    pub fn tell_part(&self, outcome: Outcome<T>) {
        let mut results = self.results.lock().expect(NO_PANIC);
        let told = results.task.outcome(outcome).and_then(|()| results.task.flush());
        self.check(&mut results, told);
        if self.stopped() {
            self.told.notify_all();
        }
    }

    /// Counts bytes hashed of a request that has not ended.
    pub fn advance(&self, bytes: u64) {
        self.results.lock().expect(NO_PANIC).task.advance(bytes);
    }

    /// Whether nothing more can be told, so that nothing more need be done.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The task, and why not everything could be told.
    pub fn into_task(self) -> (T, Option<io::Error>) {
        let results = self.results.into_inner().expect(NO_PANIC);
        (results.task, results.error)
    }

    fn tell(&self, told: impl IntoIterator<Item = (Turn, Told<T>)>, bytes: u64) {
        let mut guard = self.results.lock().expect(NO_PANIC);
        let results = &mut *guard;
        results.task.advance(bytes);
        if results.error.is_some() {
            return;
        }
        for (Turn(turn), told) in told {
            let place = (turn - results.head) as usize;
            if results.waiting.len() <= place {
                results.waiting.resize_with(place + 1, || None);
            }
            results.waiting[place] = Some(told);
        }
        let drained = results.drain();
        self.head.store(results.head, Ordering::Release);
        self.check(results, drained);
        if results.sleepers > 0 {
            self.told.notify_all();
        }
    }

    fn check(&self, results: &mut Results<T>, told: io::Result<()>) {
        if let Err(error) = told {
            results.error.get_or_insert(error);
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    fn wait_until(&self, ready: impl Fn(&Results<T>) -> bool) {
        let mut results = self.results.lock().expect(NO_PANIC);
        results.sleepers += 1;
        let waiting = |results: &mut Results<T>| !ready(results) && !self.stopped();
        let mut results = self.told.wait_while(results, waiting).expect(NO_PANIC);
        results.sleepers -= 1;
    }
}

impl<T: Task> Results<T> {
    /// Tells those whose turn has come.
    fn drain(&mut self) -> io::Result<()> {
        while let Some(Some(_)) = self.waiting.front() {
            let told = self.waiting.pop_front().flatten();
            self.head += 1;
            match told.expect("it was just seen") {
                Told::Outcome(outcome) => self.task.outcome(outcome)?,
                Told::Notice(notice) => self.task.notice(notice)?,
            }
        }
        self.task.flush()
    }
}

const NO_PANIC: &str = "no worker panicked";
