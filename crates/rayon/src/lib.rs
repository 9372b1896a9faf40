//! Many jobs within a call, on a rayon pool.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::sync::Mutex;

use broadloom_engine::{Handle, Outcome, Processor, shares};
use rayon::ThreadPool;

/// [`Processor::process_many`] on the threads of a pool: a processor for each of them, kept between
/// calls.
///
/// ```
/// # use broadloom_engine::{Job, Session};
/// # use broadloom_rayon::PoolProcessor;
/// # fn with(session: &Session, packets: &mut [Vec<u8>]) -> Result<(), rayon::ThreadPoolBuildError> {
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build()?;
/// let mut processor = PoolProcessor::new();
/// let packets = packets.iter_mut().map(|packet| Job::new(session, packet.as_mut_slice()));
/// let mut jobs: Vec<_> = packets.collect();
/// processor.process_many(&pool, &mut jobs);
/// assert!(jobs.iter().all(|job| job.succeeded()));
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct PoolProcessor {
    caller: Processor,
    /// By the thread's number in the pool. A thread takes its own while it works: whoever comes
    /// upon an empty one (a provider that uses the pool itself may bring that about) opens another.
    threads: Vec<Mutex<Option<Processor>>>,
    shares: Vec<Range<usize>>,
}

impl PoolProcessor {
    /// A processor with nothing open yet.
    pub fn new() -> Self {
        PoolProcessor::default()
    }

    /// Processes jobs to their end, as [`Processor::process_many`] does, in contiguous shares of
    /// near-equal cost, one for each thread of the pool. It returns when all are complete, so jobs
    /// may borrow. Jobs that are too few to be worth a second thread are processed on the calling
    /// one.
    ///
    /// # Panics
    /// If a provider panics; jobs are then as [`Processor::process_many`] leaves them.
    pub fn process_many<'a, H>(&mut self, pool: &ThreadPool, jobs: &mut [H]) -> Outcome
    where
        H: Handle<'a> + Send,
    {
        let threads = pool.current_num_threads();
        self.shares.clear();
        self.shares.extend(shares(jobs, threads, usize::MAX));
        if self.shares.len() < 2 {
            return self.caller.process_many(jobs);
        }
        if self.threads.len() < threads {
            self.threads.resize_with(threads, Mutex::default);
        }
        pool.install(|| run(&self.threads, &self.shares, jobs))
    }
}

/// Halves the shares until each is with a thread.
fn run<'a, H: Handle<'a> + Send>(
    threads: &[Mutex<Option<Processor>>],
    shares: &[Range<usize>],
    jobs: &mut [H],
) -> Outcome {
    if shares.len() < 2 {
        let own = rayon::current_thread_index().and_then(|number| threads.get(number));
        let slot = || own.map(|own| own.lock().expect("nothing panics while it holds the lock"));
        let mut processor = slot().and_then(|mut slot| slot.take()).unwrap_or_default();
        let outcome = processor.process_many(jobs);
        if let Some(mut slot) = slot() {
            *slot = Some(processor);
        }
        return outcome;
    }
    let (left, right) = shares.split_at(shares.len() / 2);
    let (first, second) = jobs.split_at_mut(right[0].start - left[0].start);
    let (a, b) = rayon::join(|| run(threads, left, first), || run(threads, right, second));
    Outcome {
        completed: a.completed + b.completed,
        failed: a.failed + b.failed,
        fell_back: a.fell_back + b.fell_back,
    }
}
