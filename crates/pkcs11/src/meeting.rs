//! Where the operations of all threads meet.
//!
//! There is no thread of the module's own: a caller that finds a core free becomes a *leader*. It
//! takes waiting jobs of others beside its own, processes them in one call of the engine, gives
//! them back and steps down. So jobs that come while all leaders work fill the lanes of the next
//! call. A leader waits for more jobs only where other callers were seen a moment ago, and never
//! for longer than the bound. A lone caller waits for nobody, and wakes nobody.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use broadloom::queue::{Contents, Handle};
use broadloom::{Job, Processor, Session};

/// How long the number of callers is remembered, at least.
const MEMORY: Duration = Duration::from_millis(5);

/// Jobs that a leader waits for, at most: enough for the lanes of the widest kernels of signatures.
const FULL: usize = 64;

/// A job without the caller's data: it owns its bytes, because another thread may process it.
pub type OwnedJob = Job<'static>;

/// The meeting of all callers of a process.
pub struct Meeting {
    state: Mutex<State>,
    /// A job has come while a leader waits for more.
    more: Condvar,
    wait: Duration,
    most_leaders: usize,
}

struct State {
    queue: VecDeque<Seat>,
    processors: Vec<Processor>,
    leaders: usize,
    /// Leaders that wait for more jobs.
    gathering: usize,
    /// Callers whose jobs are not complete.
    inside: usize,
    /// The most of them at a time, in this period and in the one before.
    peak: usize,
    last_peak: usize,
    period: Instant,
}

/// A job in the queue, and whose it is.
struct Seat {
    job: OwnedJob,
    /// The session that does the job faster where it has no company.
    alone: Option<Session>,
    caller: Arc<Caller>,
}

impl Handle<'static> for Seat {
    fn contents(&mut self) -> &mut Contents<'static> {
        self.job.contents()
    }
}

/// A caller that waits.
#[derive(Default)]
struct Caller {
    news: Mutex<News>,
    arrived: Condvar,
}

#[derive(Default)]
struct News {
    job: Option<OwnedJob>,
    leads: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code of others runs under these locks, so that no panic leaves a state in between.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Caller {
    fn tell(&self, news: impl FnOnce(&mut News)) {
        news(&mut lock(&self.news));
        self.arrived.notify_one();
    }

    /// Waits for the job, or for the lead.
    fn wait(&self) -> News {
        let mut news = lock(&self.news);
        while news.job.is_none() && !news.leads {
            news = self.arrived.wait(news).unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut news)
    }
}

impl State {
    fn arrive(&mut self) {
        self.inside += 1;
        let now = Instant::now();
        let age = now.saturating_duration_since(self.period);
        if age >= MEMORY {
            self.last_peak = if age < 2 * MEMORY { self.peak } else { 0 };
            (self.peak, self.period) = (self.inside, now);
        }
        self.peak = self.peak.max(self.inside);
    }

    /// A leader's part of as many callers as there were lately.
    fn target(&self, leaders: usize) -> usize {
        self.peak.max(self.last_peak).div_ceil(leaders).min(FULL)
    }
}

impl Meeting {
    /// A meeting whose leaders wait for so long, at most.
    pub fn new(wait: Duration) -> Meeting {
        Meeting {
            state: Mutex::new(State {
                queue: VecDeque::new(),
                processors: Vec::new(),
                leaders: 0,
                gathering: 0,
                inside: 0,
                peak: 0,
                last_peak: 0,
                period: Instant::now(),
            }),
            more: Condvar::new(),
            wait,
            most_leaders: thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Processes a job at once, on the calling thread. Where the provider panics, the job has no
    /// status.
    pub fn at_once(&self, mut job: OwnedJob) -> OwnedJob {
        let mut processor = lock(&self.state).processors.pop().unwrap_or_default();
        let run = || processor.process_many(std::slice::from_mut(&mut job));
        if catch_unwind(AssertUnwindSafe(run)).is_ok() {
            lock(&self.state).processors.push(processor);
        }
        job
    }

    /// Processes a job beside those of other callers; where there are none, by the session that is
    /// faster then. Where the provider panics, the job has no status.
    pub fn meet(&self, job: OwnedJob, alone: Option<Session>) -> OwnedJob {
        let caller = Arc::new(Caller::default());
        let mut state = lock(&self.state);
        state.arrive();
        state.queue.push_back(Seat { job, alone, caller: Arc::clone(&caller) });
        if state.leaders < self.most_leaders {
            state.leaders += 1;
            if let Some(job) = self.lead(state, &caller) {
                return job;
            }
        } else {
            let is_awaited = state.gathering > 0;
            drop(state);
            if is_awaited {
                self.more.notify_all();
            }
        }
        loop {
            let news = caller.wait();
            let job = match (news.job, news.leads) {
                (job, false) => job,
                (Some(job), true) => {
                    self.step_down(lock(&self.state));
                    Some(job)
                }
                (None, true) => self.lead(lock(&self.state), &caller),
            };
            if let Some(job) = job {
                return job;
            }
        }
    }

    /// Processes jobs until the caller's own is complete; `None` if another leader has it, and
    /// nothing else is to be done.
    fn lead<'m>(&'m self, mut state: MutexGuard<'m, State>, own: &Arc<Caller>) -> Option<OwnedJob> {
        loop {
            let job = lock(&own.news).job.take();
            if job.is_some() || state.queue.is_empty() {
                self.step_down(state);
                return job;
            }
            state = self.gather(state);
            let share = state.queue.len().div_ceil(self.most_leaders);
            let count = share.max(state.target(self.most_leaders)).min(state.queue.len());
            let mut seats: Vec<Seat> = state.queue.drain(..count).collect();
            let mut processor = state.processors.pop().unwrap_or_default();
            drop(state);
            if let [Seat { job, alone, .. }] = seats.as_mut_slice()
                && let Some(alone) = alone.take()
            {
                job.set_session(alone);
            }
            let run = || processor.process_many(&mut seats);
            let went = catch_unwind(AssertUnwindSafe(run)).is_ok();
            let mut job = None;
            for seat in seats {
                match Arc::ptr_eq(&seat.caller, own) {
                    true => job = Some(seat.job),
                    false => seat.caller.tell(|news| news.job = Some(seat.job)),
                }
            }
            state = lock(&self.state);
            state.inside -= count;
            if went {
                state.processors.push(processor);
            }
            if job.is_some() {
                self.step_down(state);
                return job;
            }
        }
    }

    /// Waits for more jobs, where more callers were seen lately.
    fn gather<'m>(&'m self, mut state: MutexGuard<'m, State>) -> MutexGuard<'m, State> {
        if state.queue.len() >= state.target(self.most_leaders) || self.wait.is_zero() {
            return state;
        }
        let end = Instant::now() + self.wait;
        state.gathering += 1;
        while state.queue.len() < state.target(self.most_leaders) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.more.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.gathering -= 1;
        state
    }

    /// Gives the lead to the first who waits; to nobody, if nobody does.
    fn step_down(&self, mut state: MutexGuard<'_, State>) {
        let next = state.queue.front().map(|seat| Arc::clone(&seat.caller));
        state.leaders -= usize::from(next.is_none());
        drop(state);
        if let Some(next) = next {
            next.tell(|news| news.leads = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use broadloom::provider::Provider;
    use broadloom::{HashAlgorithm, Transform};

    use super::*;

    fn sha256() -> Session {
        let hash = Transform::hash(HashAlgorithm::Sha256);
        broadloom::registry().open(&hash).expect("native has it")
    }

    #[test]
    fn every_caller_gets_its_own_job() {
        let (session, meeting) = (sha256(), Meeting::new(Duration::from_micros(50)));
        let seen = AtomicUsize::new(0);
        thread::scope(|scope| {
            for number in 0..16u8 {
                let (session, meeting, seen) = (&session, &meeting, &seen);
                scope.spawn(move || {
                    for round in 0..50u8 {
                        let text = vec![number ^ round; 100 + usize::from(number)];
                        let alone = meeting.at_once(Job::new(session.clone(), text.clone()));
                        let met = meeting.meet(Job::new(session.clone(), text), None);
                        assert!(met.succeeded());
                        assert_eq!(met.tag(), alone.tag());
                        seen.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(seen.into_inner(), 16 * 50);
        let state = lock(&meeting.state);
        assert_eq!((state.leaders, state.inside, state.gathering), (0, 0, 0));
        assert!(state.queue.is_empty());
    }

    #[test]
    fn a_leader_hands_the_lead_to_those_who_wait() {
        let (session, mut meeting) = (sha256(), Meeting::new(Duration::ZERO));
        meeting.most_leaders = 1;
        // This thread plays a leader that works.
        lock(&meeting.state).leaders = 1;
        thread::scope(|scope| {
            let meet = |number: u8| {
                let (session, meeting) = (&session, &meeting);
                scope.spawn(move || meeting.meet(Job::new(session.clone(), vec![number; 9]), None))
            };
            let callers: Vec<_> = (0..5).map(meet).collect();
            while lock(&meeting.state).queue.len() < 5 {
                thread::yield_now();
            }
            meeting.step_down(lock(&meeting.state));
            for caller in callers {
                assert!(caller.join().expect("it does not panic").succeeded());
            }
        });
        let state = lock(&meeting.state);
        assert_eq!((state.leaders, state.inside, state.processors.len()), (0, 0, 1));
    }

    #[test]
    fn a_lone_caller_is_not_awaited_by_anybody() {
        let (session, meeting) = (sha256(), Meeting::new(Duration::from_secs(3600)));
        // Would wait for an hour, if it waited at all.
        assert!(meeting.meet(Job::new(session, vec![1; 10]), None).succeeded());
    }

    #[test]
    fn a_job_without_company_takes_the_other_session() {
        let mut registry = broadloom::registry();
        registry
            .configure(&"native:isa=portable".parse().expect("it is a spec"))
            .expect("every machine has portable kernels");
        let transform = Transform::hash(HashAlgorithm::Sha256);
        let alone = registry.open(&transform).expect("native has it");
        let meeting = Meeting::new(Duration::ZERO);
        let job = meeting.meet(Job::new(sha256(), vec![1; 9]), Some(alone));
        assert!(job.succeeded());
        assert!(job.session().kernel().starts_with("portable"), "{}", job.session().kernel());
    }

    #[test]
    fn a_provider_that_panics_leaves_no_status_and_the_meeting_goes_on() {
        use broadloom::provider::{AnyQueue, ProviderError, ProviderSession};

        struct Panics(Arc<dyn Provider>);

        impl Provider for Panics {
            fn name(&self) -> &str {
                "panics"
            }
            fn description(&self) -> String {
                "a provider whose queues panic".to_owned()
            }
            fn supports(&self, algorithm: broadloom::Algorithm) -> bool {
                self.0.supports(algorithm)
            }
            fn open_session(
                &self,
                transform: &Transform,
            ) -> Result<Box<dyn ProviderSession>, ProviderError> {
                self.0.open_session(transform)
            }
            fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
                panic!("as it was asked to");
            }
        }

        let native = Arc::clone(broadloom::registry().provider("native").expect("it is there"));
        let mut registry = broadloom::Registry::new();
        registry.add(Arc::new(Panics(native)));
        let transform = Transform::hash(HashAlgorithm::Sha256);
        let panics = registry.open(&transform).expect("it opens sessions");
        let meeting = Meeting::new(Duration::ZERO);
        assert_eq!(meeting.meet(Job::new(panics.clone(), vec![1]), None).status(), None);
        assert_eq!(meeting.at_once(Job::new(panics, vec![1])).status(), None);
        assert!(meeting.meet(Job::new(sha256(), vec![1]), None).succeeded());
    }
}
