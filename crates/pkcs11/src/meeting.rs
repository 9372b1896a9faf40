//! Where the operations of all threads meet.
//!
//! There is no thread of the module's own: a caller that finds a core free becomes a *leader*. It
//! takes waiting jobs of others beside its own, processes them in one call of the engine, gives
//! them back and steps down. So jobs that come while all leaders work fill the lanes of the next
//! call. A leader waits for more jobs only where other callers were seen a moment ago, and never
//! for longer than the bound. A lone caller waits for nobody, and wakes nobody.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use crate::sync::{Arc, Condvar, Mutex, MutexGuard, lock, now};

/// How long the number of callers is remembered, at least.
const MEMORY: Duration = Duration::from_millis(5);

/// Jobs that a leader waits for, at most: enough for the lanes of the widest kernels of signatures.
const FULL: usize = 64;

/// What callers bring, and how a leader processes it.
pub trait Errand: Sized {
    /// What a leader works with. It is kept for the next one.
    type Tool: Default;

    /// Processes the work of some callers. It may panic.
    fn process(tool: &mut Self::Tool, seats: &mut [Seat<Self>]);
}

/// The meeting of all callers of a process.
pub struct Meeting<W: Errand> {
    state: Mutex<MeetingState<W>>,
    /// A caller has come while a leader waits for more.
    more: Condvar,
    wait: Duration,
    most_leaders: usize,
}

struct MeetingState<W: Errand> {
    queue: VecDeque<Seat<W>>,
    tools: Vec<W::Tool>,
    /// How often tools were put away. Those that were taken before are not kept.
    age: u64,
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

/// Work in the queue, and whose it is.
pub struct Seat<W> {
    pub work: W,
    caller: Arc<Caller<W>>,
    /// `true` if the caller leads, or was told to. It is told once: a lead that it does not see is
    /// laid down by nobody.
    leads: bool,
}

/// A caller that waits.
struct Caller<W> {
    news: Mutex<News<W>>,
    arrived: Condvar,
}

struct News<W> {
    work: Option<W>,
    leads: bool,
}

impl<W> Caller<W> {
    fn new() -> Caller<W> {
        Caller { news: Mutex::new(News { work: None, leads: false }), arrived: Condvar::new() }
    }

    fn tell(&self, news: impl FnOnce(&mut News<W>)) {
        news(&mut lock(&self.news));
        self.arrived.notify_one();
    }

    /// Waits for the work, or for the lead.
    fn wait(&self) -> News<W> {
        let mut news = lock(&self.news);
        while news.work.is_none() && !news.leads {
            news = self.arrived.wait(news).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        News { work: news.work.take(), leads: std::mem::take(&mut news.leads) }
    }
}

impl<W: Errand> MeetingState<W> {
    fn arrive(&mut self) {
        self.inside += 1;
        let now = now();
        let age = now.saturating_duration_since(self.period);
        if age >= MEMORY {
            self.last_peak = if age < 2 * MEMORY { self.peak } else { 0 };
            (self.peak, self.period) = (self.inside, now);
        }
        self.peak = self.peak.max(self.inside);
    }

    /// A tool, and its age.
    fn take_tool(&mut self) -> (W::Tool, u64) {
        (self.tools.pop().unwrap_or_default(), self.age)
    }

    /// Keeps a tool for the next one; returns it where it is to be dropped.
    fn keep_tool(&mut self, (tool, age): (W::Tool, u64)) -> Option<W::Tool> {
        if age != self.age {
            return Some(tool);
        }
        self.tools.push(tool);
        None
    }

    /// A leader's part of as many callers as there were lately.
    fn target(&self, leaders: usize) -> usize {
        self.peak.max(self.last_peak).div_ceil(leaders).min(FULL)
    }

    /// Gives a leader's lead to the first who waits and does not lead; to nobody, if nobody does.
    fn step_down(&mut self) {
        match self.queue.iter_mut().find(|seat| !seat.leads) {
            Some(seat) => {
                seat.leads = true;
                // Under the lock, so that no other leader completes the seat's work before: its
                // caller would be gone with nobody to take the lead.
                seat.caller.tell(|news| news.leads = true);
            }
            None => self.leaders -= 1,
        }
    }
}

impl<W: Errand> Meeting<W> {
    /// A meeting whose leaders wait for so long, at most.
    pub fn new(wait: Duration) -> Meeting<W> {
        Meeting {
            state: Mutex::new(MeetingState {
                queue: VecDeque::new(),
                tools: Vec::new(),
                age: 0,
                leaders: 0,
                gathering: 0,
                inside: 0,
                peak: 0,
                last_peak: 0,
                period: now(),
            }),
            more: Condvar::new(),
            wait,
            most_leaders: thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Works with a tool that is kept for the next one, unless the work panics.
    pub fn with_tool(&self, work: impl FnOnce(&mut W::Tool)) {
        let (mut tool, age) = lock(&self.state).take_tool();
        if catch_unwind(AssertUnwindSafe(|| work(&mut tool))).is_ok() {
            // What is to be dropped is dropped without the lock.
            let _old = lock(&self.state).keep_tool((tool, age));
        }
    }

    /// Drops all tools, those in use as soon as they are free: they remember what they worked on.
    pub fn put_tools_away(&self) {
        let mut state = lock(&self.state);
        state.age += 1;
        let tools = std::mem::take(&mut state.tools);
        drop(state);
        drop(tools);
    }

    /// Processes a caller's work beside that of others. Where the process panics, the work comes
    /// back as that has left it.
    pub fn meet(&self, work: W) -> W {
        let caller = Arc::new(Caller::new());
        let mut state = lock(&self.state);
        state.arrive();
        let leads = state.leaders < self.most_leaders;
        state.queue.push_back(Seat { work, caller: Arc::clone(&caller), leads });
        if leads {
            state.leaders += 1;
            if let Some(work) = self.lead(state, &caller) {
                return work;
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
            let work = match (news.work, news.leads) {
                (work, false) => work,
                (Some(work), true) => {
                    lock(&self.state).step_down();
                    Some(work)
                }
                (None, true) => self.lead(lock(&self.state), &caller),
            };
            if let Some(work) = work {
                return work;
            }
        }
    }

    /// Processes work until the caller's own is complete; `None` if another leader has it, and
    /// nothing else is to be done.
    fn lead<'m>(
        &'m self,
        mut state: MutexGuard<'m, MeetingState<W>>,
        own: &Arc<Caller<W>>,
    ) -> Option<W> {
        loop {
            let work = lock(&own.news).work.take();
            if work.is_some() || state.queue.is_empty() {
                state.step_down();
                return work;
            }
            state = self.gather(state);
            let share = state.queue.len().div_ceil(self.most_leaders);
            let count = share.max(state.target(self.most_leaders)).min(state.queue.len());
            let mut seats: Vec<Seat<W>> = state.queue.drain(..count).collect();
            let (mut tool, age) = state.take_tool();
            drop(state);
            let run = || W::process(&mut tool, &mut seats);
            let went = catch_unwind(AssertUnwindSafe(run)).is_ok();
            let mut work = None;
            for seat in seats {
                match Arc::ptr_eq(&seat.caller, own) {
                    true => work = Some(seat.work),
                    false => seat.caller.tell(|news| news.work = Some(seat.work)),
                }
            }
            state = lock(&self.state);
            state.inside -= count;
            if went && let Some(old) = state.keep_tool((tool, age)) {
                // Not under the lock: a provider is foreign code.
                drop(state);
                drop(old);
                state = lock(&self.state);
            }
            if work.is_some() {
                state.step_down();
                return work;
            }
        }
    }

    /// Waits for more jobs, where more callers were seen lately.
    fn gather<'m>(
        &'m self,
        mut state: MutexGuard<'m, MeetingState<W>>,
    ) -> MutexGuard<'m, MeetingState<W>> {
        if state.queue.len() >= state.target(self.most_leaders) || self.wait.is_zero() {
            return state;
        }
        let end = now() + self.wait;
        state.gathering += 1;
        while state.queue.len() < state.target(self.most_leaders) {
            let left = end.saturating_duration_since(now());
            if left.is_zero() {
                break;
            }
            let waited = self.more.wait_timeout(state, left);
            state = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        state.gathering -= 1;
        state
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use broadloom::provider::Provider;
    use broadloom::{HashAlgorithm, Job, Session, Transform};

    use super::*;
    use crate::work::{OwnedJob, Task};

    fn meet(meeting: &Meeting<Task>, job: OwnedJob) -> OwnedJob {
        meeting.meet(Task { job, alone: None }).job
    }

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
                        let met = meet(meeting, Job::new(session.clone(), text));
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
            let call = |number: u8| {
                let (session, meeting) = (&session, &meeting);
                scope.spawn(move || meet(meeting, Job::new(session.clone(), vec![number; 9])))
            };
            let callers: Vec<_> = (0..5).map(call).collect();
            while lock(&meeting.state).queue.len() < 5 {
                thread::yield_now();
            }
            lock(&meeting.state).step_down();
            for caller in callers {
                assert!(caller.join().expect("it does not panic").succeeded());
            }
        });
        let state = lock(&meeting.state);
        assert_eq!((state.leaders, state.inside, state.tools.len()), (0, 0, 1));
    }

    #[test]
    fn two_leaders_that_step_down_call_one_caller_once() {
        let (session, mut meeting) = (sha256(), Meeting::new(Duration::ZERO));
        meeting.most_leaders = 2;
        // This thread plays two leaders that work.
        lock(&meeting.state).leaders = 2;
        thread::scope(|scope| {
            let caller = scope.spawn(|| meet(&meeting, Job::new(session, vec![1; 9])));
            while lock(&meeting.state).queue.is_empty() {
                thread::yield_now();
            }
            // Both step down before the caller can do anything.
            let mut state = lock(&meeting.state);
            state.step_down();
            state.step_down();
            assert_eq!(state.leaders, 1);
            drop(state);
            assert!(caller.join().expect("it does not panic").succeeded());
        });
        assert_eq!(lock(&meeting.state).leaders, 0);
    }

    #[test]
    fn tools_that_were_put_away_are_not_kept() {
        let meeting = Meeting::new(Duration::ZERO);
        assert!(meet(&meeting, Job::new(sha256(), vec![1])).succeeded());
        meeting.put_tools_away();
        assert_eq!(lock(&meeting.state).tools.len(), 0);
        // Nor is one that is in use just then.
        meeting.with_tool(|_| meeting.put_tools_away());
        assert_eq!(lock(&meeting.state).tools.len(), 0);
        assert!(meet(&meeting, Job::new(sha256(), vec![1])).succeeded());
        assert_eq!(lock(&meeting.state).tools.len(), 1);
    }

    #[test]
    fn a_lone_caller_is_not_awaited_by_anybody() {
        let (session, meeting) = (sha256(), Meeting::new(Duration::from_secs(3600)));
        // Would wait for an hour, if it waited at all.
        assert!(meet(&meeting, Job::new(session, vec![1; 10])).succeeded());
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
        let job = Job::new(sha256(), vec![1; 9]);
        let job = meeting.meet(Task { job, alone: Some(alone) }).job;
        assert!(job.succeeded());
        assert!(job.session().kernel().starts_with("portable"), "{}", job.session().kernel());
    }

    #[test]
    fn a_provider_that_panics_leaves_no_status_and_the_meeting_goes_on() {
        use broadloom::provider::{AnyQueue, ProviderError, ProviderSession};

        struct Panics(std::sync::Arc<dyn Provider>);

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

        let native =
            std::sync::Arc::clone(broadloom::registry().provider("native").expect("it is there"));
        let mut registry = broadloom::Registry::new();
        registry.add(std::sync::Arc::new(Panics(native)));
        let transform = Transform::hash(HashAlgorithm::Sha256);
        let panics = registry.open(&transform).expect("it opens sessions");
        let meeting = Meeting::new(Duration::ZERO);
        assert_eq!(meet(&meeting, Job::new(panics.clone(), vec![1])).status(), None);
        assert_eq!(meeting.at_once(Job::new(panics, vec![1])).status(), None);
        assert!(meet(&meeting, Job::new(sha256(), vec![1])).succeeded());
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::thread;

    use super::*;

    /// Work that counts how often it was done.
    impl Errand for u32 {
        type Tool = ();

        fn process((): &mut (), seats: &mut [Seat<u32>]) {
            seats.iter_mut().for_each(|seat| seat.work += 1);
        }
    }

    fn meeting(leaders: usize) -> Arc<Meeting<u32>> {
        let mut meeting = Meeting::new(Duration::ZERO);
        meeting.most_leaders = 2;
        lock(&meeting.state).leaders = leaders;
        Arc::new(meeting)
    }

    fn is_over(meeting: &Meeting<u32>) {
        let state = lock(&meeting.state);
        assert_eq!((state.leaders, state.inside, state.queue.len()), (0, 0, 0));
    }

    #[test]
    fn two_leaders_step_down_and_neither_lead_is_lost() {
        loom::model(|| {
            // Of the two leaders, this thread plays one.
            let meeting = meeting(2);
            let caller = {
                let meeting = Arc::clone(&meeting);
                thread::spawn(move || assert_eq!(meeting.meet(1), 2))
            };
            let other = {
                let meeting = Arc::clone(&meeting);
                thread::spawn(move || lock(&meeting.state).step_down())
            };
            lock(&meeting.state).step_down();
            caller.join().expect("its work is done once");
            other.join().expect("it steps down");
            is_over(&meeting);
        });
    }

    #[test]
    fn callers_get_their_work_and_lay_down_every_lead() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let meeting = meeting(1);
            let call = |work| {
                let meeting = Arc::clone(&meeting);
                thread::spawn(move || assert_eq!(meeting.meet(work), work + 1))
            };
            let callers = [call(10), call(20), call(30)];
            lock(&meeting.state).step_down();
            for caller in callers {
                caller.join().expect("its work is done once");
            }
            is_over(&meeting);
        });
    }
}
