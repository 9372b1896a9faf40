//! Many jobs within a call, on a rayon pool.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::sync::Mutex;

use broadloom_engine::provider::Buffers;
use broadloom_engine::{Algorithm, Handle, Job, JobError, Outcome, Processor, Session, shares};
use rayon::ThreadPool;

mod blake3;
mod gcm;
mod one;
mod xts;

pub use blake3::SplitBlake3;
pub use gcm::SplitGcm;
pub use xts::SplitXts;

use one::{Cut, Wiped};

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
        self.make_room(threads);
        pool.install(|| run(&self.threads, &self.shares, jobs))
    }

    /// Makes room for the processors of a pool's threads.
    fn make_room(&mut self, threads: usize) {
        if self.threads.len() < threads {
            self.threads.resize_with(threads, Mutex::default);
        }
    }
}

impl PoolProcessor {
    /// Encrypts or decrypts one long text on all threads of the pool: in place, or from a source to
    /// a destination of the same length. The result is that of one job.
    ///
    /// The text is cut where its mode allows it: AES in ECB and in counter mode and ChaCha20 in
    /// both directions, and decryption in CBC and CFB mode. Anything else goes through one thread,
    /// and so does a text of less than two times [`LEAST_PART`](PoolProcessor::LEAST_PART). A
    /// session does not show its keys, so that [`SplitXts`], [`SplitGcm`] and [`SplitBlake3`] split
    /// what needs more than one session.
    ///
    /// ```
    /// # use broadloom_engine::{JobError, Session};
    /// # use broadloom_rayon::PoolProcessor;
    /// # fn with(decrypt: &Session, iv: &[u8; 16], image: &mut [u8]) -> Result<(), JobError> {
    /// let pool = rayon::ThreadPoolBuilder::new().build().expect("threads");
    /// PoolProcessor::new().process_one(&pool, decrypt, iv, image)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of a job of the session. If the provider failed, what was to be written
    /// is wiped.
    ///
    /// # Panics
    /// If a provider panics, in which case what was to be written is wiped, or if the session is
    /// not of a cipher.
    pub fn process_one<'a>(
        &mut self,
        pool: &ThreadPool,
        session: &Session,
        nonce: &[u8],
        text: impl Into<Buffers<'a>>,
    ) -> Result<(), JobError> {
        let algorithm = session.algorithm();
        assert!(matches!(algorithm, Algorithm::Cipher(_)), "{algorithm} is no cipher");
        let text = text.into();
        let len = text.input().len();
        let part = one::part(len, pool.current_num_threads()).filter(|_| one::are_equal(&text));
        let parts = part.zip(Cut::of(session)).and_then(|(part, cut)| {
            cut.nonces(nonce, text.input(), part).map(|nonces| (part, nonces))
        });
        // Without parts all of it is one job, of which the engine says what is wrong.
        let (part, nonces) = parts.unwrap_or_else(|| (len, vec![nonce.to_vec()]));
        self.process_parts(pool, session, text, part, &nonces)
    }

    /// Processes a text in parts of `part` bytes, each with a nonce of its own. The last one has
    /// all that is left. If a part fails, all of them are wiped; a single part stays as the engine
    /// leaves it.
    fn process_parts(
        &mut self,
        pool: &ThreadPool,
        session: &Session,
        text: Buffers<'_>,
        part: usize,
        nonces: &[Vec<u8>],
    ) -> Result<(), JobError> {
        let mut text = Wiped::new(text);
        let parts = one::cut(&mut text.text, part, nonces.len()).into_iter().zip(nonces);
        let job = |(part, nonce): (_, &Vec<u8>)| Job::new(session, one::data(part)).nonce(nonce);
        let mut jobs: Vec<_> = parts.map(job).collect();
        self.process_many(pool, &mut jobs);
        let failure = jobs.iter().find_map(|job| status(job).err());
        drop(jobs);
        if failure.is_none() || nonces.len() == 1 {
            text.keep();
        }
        failure.map_or(Ok(()), Err)
    }

    /// Bytes of a text that are worth a thread of their own: a text of two times as many is split
    /// over two threads.
    pub const LEAST_PART: usize = one::PART;
}

/// Returns the status of a job that was processed.
fn status(job: &Job<'_>) -> Result<(), JobError> {
    // A provider may complete a job without a status.
    job.status().unwrap_or(Err(JobError::NotDone))
}

/// Halves the shares until each is with a thread.
fn run<'a, H: Handle<'a> + Send>(
    threads: &[Mutex<Option<Processor>>],
    shares: &[Range<usize>],
    jobs: &mut [H],
) -> Outcome {
    if shares.len() < 2 {
        return with_own(threads, |processor| processor.process_many(jobs));
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

/// Calls a function with the processor of the pool's thread that it runs on.
fn with_own<R>(threads: &[Mutex<Option<Processor>>], work: impl FnOnce(&mut Processor) -> R) -> R {
    let own = rayon::current_thread_index().and_then(|number| threads.get(number));
    let slot = || own.map(|own| own.lock().expect("nothing panics while it holds the lock"));
    let mut processor = slot().and_then(|mut slot| slot.take()).unwrap_or_default();
    let made = work(&mut processor);
    if let Some(mut slot) = slot() {
        *slot = Some(processor);
    }
    made
}
