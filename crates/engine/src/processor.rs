//! What one thread has open at every provider, and how a window of operations goes through it.

use std::sync::Arc;
use std::time::Duration;

use arrayvec::ArrayVec;

use crate::job::{Handle, Job, Operated};
use crate::job_error::JobError;
use crate::metrics::{Counted, Meter, QueueKind, Since, Started};
use crate::operation::Operation;
use crate::plain::{self, PlainJob, PlainJobs};
use crate::provider::contract::Provider;
use crate::provider::device::DeviceQueue;
use crate::provider::queue::AnyQueue;
use crate::session::Session;
use crate::session::rules::Common;
use crate::statistics::Cause;
use broadloom_lanes::Occupancy;

/// Operations that go to a provider in one call, at most: as many as the widest kernels have lanes,
/// which are those that work bit by bit.
pub(crate) const WINDOW: usize = 512;

/// Plain jobs that are made jobs at a time, on the stack.
const AS_JOBS: usize = 64;

type Window<'x, 'a> = ArrayVec<&'x mut Operation<'a>, WINDOW>;

/// Processes many jobs to their end within a call, on one thread: the synchronous way in.
///
/// It opens a provider's queue when it first meets a session of that provider, and keeps it.
/// Threads that process at the same time each have one of their own. A provider may have no more of
/// them just then: jobs fail with [`JobError::NoQueue`], and the next call asks it again.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{HashAlgorithm, Job, Processor, Transform};
///
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
/// let packets = [&b"one"[..], b"two", b"three"];
/// let mut jobs = packets.map(|packet| Job::new(&session, packet));
/// let outcome = Processor::new().process_many(&mut jobs);
/// assert_eq!((outcome.completed, outcome.failed), (3, 0));
/// assert!(jobs.iter().all(|job| job.tag().is_some_and(|digest| digest.len() == 32)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Processor {
    queues: Vec<Open>,
    /// The occupancy of queues that are no more.
    earlier: Occupancy,
    /// Operations that another session did than their own, since they were last asked for.
    fallbacks: usize,
    pub(crate) meter: Meter,
}

/// A queue, and what it is the queue of.
struct Open {
    provider_id: usize,
    queue: AnyQueue,
    /// Keeps the provider, so that no other gets its id. A session would do so too, and keep its
    /// keys: they have to go with the caller's last clone.
    _provider: Arc<dyn Provider>,
}

/// How many jobs went which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Jobs that are complete, whether they succeeded or failed.
    pub completed: usize,
    /// Of these, those that failed.
    pub failed: usize,
    /// Jobs that a session did which their own falls back to.
    pub fell_back: usize,
}

impl Outcome {
    /// Adds what other jobs of the same call came to.
    fn add(&mut self, other: Outcome) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.fell_back += other.fell_back;
    }
}

/// Plain jobs of a window. If a provider panics at them, they fail.
struct Unfinished<'w, 'a>(&'w mut [PlainJob<'a>]);

impl Drop for Unfinished<'_, '_> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(PlainJob::interrupt);
    }
}

impl Default for Processor {
    fn default() -> Self {
        Processor::new()
    }
}

impl Processor {
    /// A processor with nothing open yet.
    pub fn new() -> Self {
        Processor::of(QueueKind::Processor)
    }

    /// The same as a part of something that counts.
    pub(crate) fn of(kind: QueueKind) -> Self {
        Processor {
            queues: Vec::new(),
            earlier: Occupancy::default(),
            fallbacks: 0,
            meter: Meter::new(kind),
        }
    }

    /// Processes jobs to their end, side by side where their kernels allow it: any mix of sessions,
    /// algorithms, lengths and keys. Each of them is then complete, and says how it went. Jobs that
    /// were complete before are processed once more.
    ///
    /// # Panics
    /// If a provider panics. The jobs that it was working on, up to 512, have no status then, nor
    /// have those that come after them, of which nothing was begun. The former cannot be done again
    /// with what is left in their buffers: processed once more they fail with
    /// [`JobError::Panicked`], their output wiped; a setter makes them ready for other data. The
    /// provider's queue may be of no more use: drop the processor.
    pub fn process_many<'a, H: Handle<'a>>(&mut self, jobs: &mut [H]) -> Outcome {
        if jobs.is_empty() {
            return Outcome::default();
        }
        let started = self.begin_batch();
        let outcome = self.process_uncounted(jobs);
        self.count_call(started, outcome);
        outcome
    }

    /// The same but for [`count_lanes`](Processor::count_lanes).
    pub(crate) fn process<'a, H: Handle<'a>>(&mut self, jobs: &mut [H]) -> Outcome {
        if jobs.is_empty() {
            return Outcome::default();
        }
        let started = self.begin_batch();
        let outcome = self.process_uncounted(jobs);
        self.count_batch(started, outcome);
        outcome
    }

    /// The same, for a part of what is counted as one batch.
    pub(crate) fn process_uncounted<'a, H: Handle<'a>>(&mut self, jobs: &mut [H]) -> Outcome {
        if let [job] = jobs
            && job.operation().begin_plainly()
        {
            let failed = usize::from(self.run_alone(job.operation()));
            return Outcome { completed: 1, failed, fell_back: 0 };
        }
        let mut outcome = Outcome::default();
        for jobs in jobs.chunks_mut(WINDOW) {
            let provider = jobs[0].operation().session().provider_id();
            let failed = self.run_window::<_, false>(provider, [jobs, &mut []]);
            outcome.completed += jobs.len();
            outcome.failed += failed;
        }
        outcome.fell_back = self.take_fallbacks();
        outcome
    }

    /// Begins to count, if someone wants to read by now.
    #[inline]
    pub(crate) fn heed(&mut self) {
        if self.meter.is_due() {
            self.begin_counting();
        }
    }

    #[cold]
    fn begin_counting(&mut self) {
        // What lanes did before is not counted.
        self.count_lanes();
        self.meter.begin_counting();
    }

    /// Begins what is counted as one batch.
    #[inline]
    pub(crate) fn begin_batch(&mut self) -> Started {
        self.heed();
        self.meter.begin()
    }

    /// Counts jobs or pieces that were processed in one call, if someone wants to read that.
    #[inline]
    pub(crate) fn count_batch(&mut self, started: Started, outcome: Outcome) {
        if self.meter.is_counting() {
            self.count_batch_now(started, outcome);
        }
    }

    fn count_batch_now(&mut self, started: Started, outcome: Outcome) {
        let counters = self.meter.counters();
        counters.accept(outcome.completed);
        counters.complete(outcome.completed, outcome.failed);
        counters.fall_back(outcome.fell_back);
        self.meter.end(Cause::Batch, outcome.completed, started, Since::Now);
    }

    /// Counts what was processed in a call of its own, and how full the lanes were. Providers are
    /// asked for that as seldom as the clock, since a call may have one short job.
    #[inline]
    pub(crate) fn count_call(&mut self, started: Started, outcome: Outcome) {
        self.count_batch(started, outcome);
        if started.is_timed() {
            self.count_lanes();
        }
    }

    /// Notes how full the lanes were. It asks providers, which may panic.
    pub(crate) fn count_lanes(&mut self) {
        let occupancy = self.occupancy();
        self.meter.occupy(occupancy);
    }

    /// Processes [plain jobs](PlainJob) to their end, as
    /// [`process_many`](Processor::process_many) processes jobs.
    ///
    /// # Panics
    /// If a provider panics. The jobs that it was working on, up to 512, have then failed with
    /// [`JobError::Panicked`], what they were to write is wiped, and they cannot be processed
    /// again. Nothing was begun of the jobs that come after them, which have no status. The
    /// provider's queue may be of no more use: drop the processor.
    pub fn process_plain(&mut self, jobs: &mut [PlainJob<'_>]) -> Outcome {
        let mut outcome = Outcome::default();
        if jobs.is_empty() {
            return outcome;
        }
        let started = self.begin_batch();
        for jobs in jobs.chunks_mut(WINDOW) {
            let mut window = Unfinished(jobs);
            outcome.add(self.run_plain(window.0));
            window.0 = &mut [];
        }
        self.count_call(started, outcome);
        outcome
    }

    /// Encrypts one block in place if the session is one of [AES in ECB
    /// mode](crate::CipherAlgorithm::AesEcb) that encrypts, and its provider does so without a
    /// queue. It comes to the same as a job over the block. Returns `false` if nothing was done:
    /// the block is then for a job.
    ///
    /// ```
    /// # let mut registry = broadloom_engine::Registry::new();
    /// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    /// use broadloom_engine::{AesSize, CipherAlgorithm, PlainJob, Processor, Transform};
    ///
    /// let ecb = CipherAlgorithm::AesEcb(AesSize::Aes128);
    /// let session = registry.open(&Transform::cipher(ecb, &[7; 16]).encrypt()?)?;
    /// let (mut processor, mut block, mut text) = (Processor::new(), [1; 16], [1; 16]);
    /// assert!(processor.encrypt_block(&session, &mut block));
    /// processor.process_plain(&mut [PlainJob::new(&session, &[], &[], &mut text, &mut [])]);
    /// assert_eq!(block, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a provider panics.
    pub fn encrypt_block(&mut self, session: &Session, block: &mut [u8; 16]) -> bool {
        // Of a chain in halves, or with a session to fall back to, the provider's session is not
        // all.
        let is_done = session.rules().common == Common::All
            && session.stage(false).session.encrypt_block(block);
        if is_done {
            self.meter.count_of(session, block.len(), Ok(()));
        }
        is_done
    }

    /// Brings up to [`WINDOW`] plain jobs to their end.
    #[inline]
    fn run_plain(&mut self, jobs: &mut [PlainJob<'_>]) -> Outcome {
        let session = jobs[0].session();
        let provider = session.provider_id();
        let mut are_plain = true;
        for job in jobs.iter_mut() {
            are_plain &= job.begin() & (job.session().provider_id() == provider);
        }
        let is_done = are_plain
            && match self.open(session) {
                Some(AnyQueue::Local(queue)) => queue.run_plain(&mut PlainJobs::new(jobs)),
                _ => false,
            };
        if !is_done {
            return self.process_as_jobs(jobs);
        }
        let failed = self.meter.finish(jobs);
        Outcome { completed: jobs.len(), failed, fell_back: 0 }
    }

    /// Processes plain jobs as the jobs that they stand for.
    #[inline(never)]
    fn process_as_jobs(&mut self, plain: &mut [PlainJob<'_>]) -> Outcome {
        let mut outcome = Outcome::default();
        for job in plain.iter().filter(|job| job.is_interrupted()) {
            self.meter.count_of(job.session(), job.bytes(), Err(JobError::Panicked));
            outcome.add(Outcome { completed: 1, failed: 1, fell_back: 0 });
        }
        for plain in plain.chunks_mut(AS_JOBS) {
            let mut open: ArrayVec<&mut PlainJob<'_>, AS_JOBS> =
                plain.iter_mut().filter(|job| !job.is_interrupted()).collect();
            let mut jobs: ArrayVec<Job<'_>, AS_JOBS> =
                open.iter_mut().map(|plain| plain.job()).collect();
            outcome.add(self.process_uncounted(&mut jobs));
            let results: ArrayVec<_, AS_JOBS> = jobs.iter().map(plain::result).collect();
            drop(jobs);
            open.into_iter().zip(&results).for_each(|(plain, result)| plain.take(result));
        }
        outcome
    }

    /// Operations that are worth waiting for, of a session's class at its provider; `None` where
    /// that has no queue just now.
    pub(crate) fn batch(&mut self, session: &Session) -> Option<usize> {
        let class = session.stage(false).class;
        match self.open(session)? {
            AnyQueue::Local(queue) => Some(queue.batch(class)),
            // A device begins at once, whatever else is still to come.
            AnyQueue::Device(_) => Some(1),
        }
    }

    /// Returns how full the lanes of all its queues were.
    pub(crate) fn occupancy(&self) -> Occupancy {
        add_up(self.earlier, &self.queues)
    }

    /// Drops its queues, of which one has panicked: new ones are opened as needed.
    pub(crate) fn reset(&mut self) {
        let queues = std::mem::take(&mut self.queues);
        self.earlier = add_up(self.earlier, &queues);
    }

    /// Returns the queue at a session's provider, and opens it unless it is open. Returns `None`
    /// where the provider has none just now.
    #[inline]
    pub(crate) fn open(&mut self, session: &Session) -> Option<&mut AnyQueue> {
        let provider_id = session.provider_id();
        // Most threads have one.
        let index = match self.queues.first() {
            Some(first) if first.provider_id == provider_id => 0,
            _ => self.open_another(session)?,
        };
        Some(&mut self.queues[index].queue)
    }

    /// Returns the index of the queue at a session's provider, which is not the first queue. Opens
    /// the queue unless it is open; returns `None` where the provider has none just now.
    #[inline(never)]
    fn open_another(&mut self, session: &Session) -> Option<usize> {
        let provider_id = session.provider_id();
        let open = self.queues.iter().position(|open| open.provider_id == provider_id);
        open.or_else(|| {
            let provider = Arc::clone(session.provider_handle());
            let queue = provider.open_queue().ok()?;
            self.queues.push(Open { provider_id, queue, _provider: provider });
            Some(self.queues.len() - 1)
        })
    }

    /// Brings up to [`WINDOW`] jobs, as they are in a ring, to their end, in the common case all of
    /// one provider (`SAME`: that is known), and says how many failed.
    #[inline]
    pub(crate) fn run<'a, H: Handle<'a>, const SAME: bool>(
        &mut self,
        provider: usize,
        mut jobs: [&mut [H]; 2],
    ) -> usize {
        if let [[job], []] = &mut jobs
            && job.operation().begin_plainly()
        {
            return usize::from(self.run_alone(job.operation()));
        }
        self.run_window::<H, SAME>(provider, jobs)
    }

    /// Brings a job of the common case, which is begun, to its end: it needs no window. Returns
    /// `true` if it failed.
    #[inline]
    fn run_alone(&mut self, operation: &mut Operation<'_>) -> bool {
        match self.open(operation.session()) {
            Some(AnyQueue::Local(queue)) => queue.run(&mut [&mut *operation]),
            _ => self.work(&mut [&mut *operation]),
        }
        let failed = operation.finish();
        self.meter.count_one(operation);
        failed
    }

    /// Brings up to [`WINDOW`] jobs to their end, and returns how many failed.
    // Its frame has room for a whole window: no part of it is for jobs that need none.
    #[inline(never)]
    fn run_window<'a, H: Handle<'a>, const SAME: bool>(
        &mut self,
        provider: usize,
        jobs: [&mut [H]; 2],
    ) -> usize {
        let mut window = Window::new_const();
        let (mut uniform, mut goes_on) = (true, false);
        for piece in jobs {
            for job in piece {
                let operation = job.operation();
                uniform &= SAME || operation.session().provider_id() == provider;
                if !operation.begin_plainly() {
                    goes_on |= operation.session().rules().goes_on;
                    uniform &= operation.begin_otherwise();
                }
                window.push(operation);
            }
        }
        if uniform {
            self.work(&mut window);
        } else {
            self.work_apart(&mut window);
        }
        if goes_on {
            self.go_on(&mut window);
        }
        self.meter.finish(&mut window)
    }

    /// Has operations that a provider was done with worked on again, as long as there is more to be
    /// done.
    #[inline(never)]
    fn go_on(&mut self, window: &mut [&mut Operation<'_>]) {
        loop {
            let again = window.iter_mut().filter_map(|operation| {
                let goes_on = operation.go_on();
                goes_on.then_some(&mut **operation)
            });
            let mut again: Window<'_, '_> = again.collect();
            if again.is_empty() {
                break;
            }
            self.work_apart(&mut again);
        }
        for operation in window.iter().filter(|operation| operation.fell_back.is_some()) {
            self.meter.count_fallback(operation);
            self.fallbacks += 1;
        }
    }

    /// Operations that another session did than their own, since this was last called.
    pub(crate) fn take_fallbacks(&mut self) -> usize {
        std::mem::take(&mut self.fallbacks)
    }

    /// Brings an operation that is [ready](Operation::is_open) to its end, and says whether it
    /// failed.
    pub(crate) fn run_open(&mut self, operation: &mut Operation<'_>) -> bool {
        let mut window = [operation];
        self.work_apart(&mut window);
        self.go_on(&mut window);
        let failed = window[0].finish();
        self.meter.count_one(window[0]);
        failed
    }

    /// The device that works for a session, if one does.
    pub(crate) fn device(&mut self, session: &Session) -> Option<&mut Box<dyn DeviceQueue>> {
        match self.open(session) {
            Some(AnyQueue::Device(device)) => Some(device),
            _ => None,
        }
    }

    /// Returns `true` if a device that is open works for the provider with this id.
    pub(crate) fn has_device(&self, provider: usize) -> bool {
        let mut queues = self.queues.iter();
        queues.any(|open| open.provider_id == provider && matches!(open.queue, AnyQueue::Device(_)))
    }

    /// All devices that are open.
    pub(crate) fn devices(&mut self) -> impl Iterator<Item = &mut Box<dyn DeviceQueue>> {
        self.devices_and_meter().0
    }

    /// All devices that are open, and what counts.
    pub(crate) fn devices_and_meter(
        &mut self,
    ) -> (impl Iterator<Item = &mut Box<dyn DeviceQueue>>, &mut Meter) {
        let devices = self.queues.iter_mut().filter_map(|open| match &mut open.queue {
            AnyQueue::Device(device) => Some(device),
            AnyQueue::Local(_) => None,
        });
        (devices, &mut self.meter)
    }

    /// Has operations of one provider worked on.
    fn work(&mut self, window: &mut [&mut Operation<'_>]) {
        let Some(first) = window.first() else { return };
        match self.open(first.acting()) {
            Some(AnyQueue::Local(queue)) => queue.run(window),
            Some(AnyQueue::Device(device)) => drive(&mut **device, window),
            None => {
                for operation in window {
                    operation.complete(Err(JobError::NoQueue));
                }
            }
        }
    }

    /// Has operations of any providers worked on, those that still need it.
    fn work_apart(&mut self, window: &mut [&mut Operation<'_>]) {
        let next = |window: &[&mut Operation<'_>]| {
            let open = window.iter().find(|operation| operation.is_open());
            open.map(|operation| operation.acting().provider_id())
        };
        while let Some(provider) = next(window) {
            let own = window.iter_mut().filter_map(|operation| {
                let own = operation.is_open() && operation.acting().provider_id() == provider;
                own.then_some(&mut **operation)
            });
            let mut own: Window<'_, '_> = own.collect();
            self.work(&mut own);
            for operation in own.iter_mut().filter(|operation| operation.is_open()) {
                operation.complete(Err(JobError::NotDone));
            }
        }
    }
}

/// The occupancy of queues, and of those before them.
fn add_up(earlier: Occupancy, queues: &[Open]) -> Occupancy {
    let queues = queues.iter().filter_map(|open| match &open.queue {
        AnyQueue::Local(queue) => queue.occupancy(),
        AnyQueue::Device(_) => None,
    });
    queues.fold(earlier, |a, b| Occupancy { used: a.used + b.used, offered: a.offered + b.offered })
}

/// How long a wait for a device is before the rings are looked at again.
pub(crate) const DEVICE_WAIT: Duration = Duration::from_millis(1);

/// Has a device do operations, and waits for all of them. It must have nothing else to do.
fn drive(device: &mut dyn DeviceQueue, operations: &mut [&mut Operation<'_>]) {
    let (mut next, mut left) = (0, operations.len());
    while left > 0 {
        let before = next;
        while next < operations.len() && device.submit(next as u64, operations[next]) {
            next += 1;
        }
        if next > before {
            device.doorbell();
        }
        let waiting = left;
        while let Some(ticket) = device.poll() {
            device.finish(ticket, operations[ticket as usize]);
            left -= 1;
        }
        if left == waiting && left > 0 {
            device.wait(DEVICE_WAIT);
        }
    }
}
