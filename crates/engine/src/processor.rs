//! What one thread has open at every provider, and how a window of operations goes through it.

use std::sync::Arc;
use std::time::Duration;

use arrayvec::ArrayVec;

use crate::job::{Handle, Operated};
use crate::job_error::JobError;
use crate::operation::Operation;
use crate::provider::contract::Provider;
use crate::provider::device::DeviceQueue;
use crate::provider::queue::{AnyQueue, Occupancy};
use crate::session::Session;

/// Operations that go to a provider in one call, at most: as many as the widest kernels have lanes,
/// which are those that work bit by bit.
pub(crate) const WINDOW: usize = 512;

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
#[derive(Default)]
pub struct Processor {
    queues: Vec<Open>,
    /// The occupancy of queues that are no more.
    earlier: Occupancy,
    /// Operations that another session did than their own, since they were last asked for.
    fallbacks: usize,
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

impl Processor {
    /// A processor with nothing open yet.
    pub fn new() -> Self {
        Processor::default()
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
        let mut outcome = Outcome::default();
        for jobs in jobs.chunks_mut(WINDOW) {
            outcome.completed += jobs.len();
            let provider = jobs[0].operation().session().provider_id();
            outcome.failed += self.run::<_, false>(provider, [jobs, &mut []]);
        }
        outcome.fell_back = self.take_fallbacks();
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

    /// How full the lanes of all its queues were.
    pub(crate) fn occupancy(&self) -> Occupancy {
        add_up(self.earlier, &self.queues)
    }

    /// Drops its queues, of which one has panicked: new ones are opened as needed.
    pub(crate) fn reset(&mut self) {
        let queues = std::mem::take(&mut self.queues);
        self.earlier = add_up(self.earlier, &queues);
    }

    /// The queue at a session's provider; opened, unless it is. `None` where the provider has none
    /// just now.
    fn open(&mut self, session: &Session) -> Option<&mut AnyQueue> {
        let provider_id = session.provider_id();
        let index = match self.queues.iter().position(|open| open.provider_id == provider_id) {
            Some(index) => index,
            None => {
                let provider = Arc::clone(session.provider_handle());
                let queue = provider.open_queue().ok()?;
                self.queues.push(Open { provider_id, queue, _provider: provider });
                self.queues.len() - 1
            }
        };
        Some(&mut self.queues[index].queue)
    }

    /// Brings up to [`WINDOW`] jobs, as they are in a ring, to their end, in the common case all of
    /// one provider (`SAME`: that is known), and says how many failed.
    pub(crate) fn run<'a, H: Handle<'a>, const SAME: bool>(
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
        window.iter_mut().map(|operation| usize::from(operation.finish())).sum()
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
        self.fallbacks += window.iter().filter(|operation| operation.fell_back.is_some()).count();
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
        window[0].finish()
    }

    /// The device that works for a session, if one does.
    pub(crate) fn device(&mut self, session: &Session) -> Option<&mut Box<dyn DeviceQueue>> {
        match self.open(session) {
            Some(AnyQueue::Device(device)) => Some(device),
            _ => None,
        }
    }

    /// Whether a device that is open works for the provider with this id.
    pub(crate) fn has_device(&self, provider: usize) -> bool {
        let mut queues = self.queues.iter();
        queues.any(|open| open.provider_id == provider && matches!(open.queue, AnyQueue::Device(_)))
    }

    /// All devices that are open.
    pub(crate) fn devices(&mut self) -> impl Iterator<Item = &mut Box<dyn DeviceQueue>> {
        self.queues.iter_mut().filter_map(|open| match &mut open.queue {
            AnyQueue::Device(device) => Some(device),
            AnyQueue::Local(_) => None,
        })
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
