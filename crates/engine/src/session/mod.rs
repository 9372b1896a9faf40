//! Sessions: an algorithm with its expanded key, at a provider.

mod row;
pub(crate) mod rules;
mod shape;
pub(crate) mod stage;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use broadloom_lanes::prefetch;

use crate::algorithm::{Algorithm, Compression, Direction, Row};
use crate::metrics::Series;
use crate::provider::session::ProviderError;
use crate::transform::Transform;
use rules::{Common, Rules};
pub(crate) use shape::Home;
use shape::Shape;
use stage::{Stage, Stages};

/// An algorithm with its expanded keys, ready for jobs.
///
/// Any number of threads use one session at a time; nothing in it is written to by a job. A clone
/// is the same session; the keys are wiped when the last clone is dropped. A job borrows its
/// session (`Job::new(&session, …)`), which costs nothing, or owns a clone of it, where it has to
/// outlive the place it was made in.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{HashAlgorithm, Job, MacAlgorithm, Session, Transform};
///
/// let hmac = MacAlgorithm::Hmac(HashAlgorithm::Sha256);
/// let session: Session = registry.open(&Transform::mac(hmac, b"key").generate()?)?;
/// assert_eq!((session.provider(), session.tag_len()), ("native", 32));
/// let borrows = Job::new(&session, b"one message");
/// let owns: Job<'static> = Job::new(session.clone(), vec![0; 64]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

// What is asked for every job comes first: with many sessions, it is in no cache.
#[repr(C)]
struct Inner {
    shape: Arc<Shape>,
    stages: Stages,
    keys: u64,
    /// Few sessions have one.
    fallback: Option<Box<Fallback>>,
    falls_back_to: Option<Session>,
}

// A program may have a million sessions.
const _: () = assert!(size_of::<Inner>() <= 80);

impl Inner {
    /// Returns the bytes that the session takes, beside what it shares with others.
    fn bytes(&self) -> u64 {
        (size_of::<Inner>() + self.stages.size()) as u64
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shape.series.close(self.bytes());
    }
}

/// What keys are told apart by without being kept: a hash under a secret of this process.
static TELLS_KEYS_APART: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Why a session is not at the provider that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// The provider that was asked for.
    pub wanted: String,
    /// Why it could not.
    pub reason: String,
}

impl Session {
    /// A session of a transform whose stages are open.
    pub(crate) fn new(
        home: impl Home,
        transform: &Transform,
        stages: Stages,
        fallback: Option<Fallback>,
    ) -> Session {
        let rules = Rules::new(transform, stages.second.is_some(), stages.first.class);
        let classes = [Some(&stages.first), stages.second.as_ref()]
            .map(|stage| stage.map_or(0, |stage| stage.class));
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        let series = Series::find(
            (algorithm, direction),
            home.name(),
            stages.instruction_sets(),
            transform.session_label(),
        );
        let shape = Shape {
            provider_id: home.id(),
            class: u16::from_le_bytes(classes),
            series_number: series.number(),
            rules,
            algorithm,
            direction,
            row: row::row(algorithm),
            series,
            home: Arc::new(home),
        };
        let how = transform.asymmetric().map(|how| (how.scheme, &how.context));
        let inner = Inner {
            shape: shape.shared(),
            stages,
            keys: TELLS_KEYS_APART.hash_one((transform.key(), transform.mac_key(), how)),
            fallback: fallback.map(Box::new),
            falls_back_to: None,
        };
        inner.shape.series.open(inner.bytes());
        Session(Arc::new(inner))
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.0.shape.algorithm
    }

    /// The direction.
    pub fn direction(&self) -> Direction {
        self.0.shape.direction
    }

    /// Bytes of its digests or tags; 0 for a cipher.
    #[inline]
    pub fn tag_len(&self) -> usize {
        self.0.shape.rules.tag_len
    }

    /// Returns how the session compresses. Of a decompression, only the checksum counts. Returns
    /// `None` for anything else.
    pub fn compression(&self) -> Option<Compression> {
        let making = self.0.shape.rules.making?;
        matches!(making.algorithm, Algorithm::Compression(_)).then_some(making.how)
    }

    /// The name of the provider that works for it.
    pub fn provider(&self) -> &str {
        self.0.shape.home.name()
    }

    /// The kernel, in words; both of them for a chain.
    pub fn kernel(&self) -> String {
        let first = self.0.stages.first.session.kernel();
        match &self.0.stages.second {
            Some(second) => format!("{first}, {}", second.session.kernel()),
            None => first,
        }
    }

    /// Room, in bytes, at which compressing `len` bytes never overflows, as its provider has it.
    pub fn bound(&self, len: usize) -> usize {
        self.0.stages.first.session.bound(len)
    }

    /// Why it is not at the provider that was asked for; `None` if it is, or if none was.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.0.fallback.as_deref()
    }

    /// The session with another to fall back to: what its provider's device fails at
    /// ([`JobError::Device`](crate::JobError::Device)), or has no queue for, is done again there.
    /// [`Job::fell_back`](crate::Job::fell_back) says of each job whether, and why; a queue pair's
    /// [statistics](crate::Snapshot::fallbacks) count. A chain that this provider does in halves,
    /// and fails at after the first, is only done there by a provider that does it in halves, too:
    /// with any other the job fails, its output wiped.
    ///
    /// # Errors
    /// The other session does something else, or the same under another key.
    ///
    /// # Panics
    /// If there are clones of this session: it is decided before anyone uses it.
    pub fn falling_back_to(mut self, other: Session) -> Result<Session, ProviderError> {
        if let Some(reason) = self.differs_from(&other) {
            let reason = format!("{self:?} cannot fall back to {other:?}: {reason}");
            return Err(ProviderError::new(reason));
        }
        let inner = Arc::get_mut(&mut self.0).expect("a session that nobody else uses yet");
        let mut shape = Shape::clone(&inner.shape);
        shape.rules.goes_on = true;
        // The common case of a job is no longer enough: it may have to be done twice.
        shape.rules.common = Common::None;
        inner.shape = shape.shared();
        inner.falls_back_to = Some(other);
        Ok(self)
    }

    /// Why another session's jobs come to something else.
    fn differs_from(&self, other: &Session) -> Option<String> {
        let work = |session: &Session| (session.algorithm(), session.direction());
        let how = |session: &Session| session.compression().unwrap_or_default();
        if work(self) != work(other) {
            return Some("it does something else".to_owned());
        }
        if self.tag_len() != other.tag_len() {
            return Some(format!(
                "its tags have {} bytes, not {}",
                other.tag_len(),
                self.tag_len()
            ));
        }
        if how(self).ending != how(other).ending {
            return Some("its streams end in another way".to_owned());
        }
        if how(self).checksum != how(other).checksum {
            return Some("it has another checksum".to_owned());
        }
        (self.0.keys != other.0.keys).then(|| "it has another key".to_owned())
    }

    /// The session that it [falls back](Session::falling_back_to) to.
    #[inline]
    pub fn falls_back_to(&self) -> Option<&Session> {
        self.0.falls_back_to.as_ref()
    }

    /// Asks for the memory that the engine reads of a session for every job, and goes on.
    ///
    /// A caller with many sessions, of which most are in no cache, calls this for those of all jobs
    /// that come next, and later [`touch_keys`](Session::touch_keys): memory that is asked for is
    /// waited for all at once, or not at all if there is other work meanwhile.
    #[inline]
    pub fn touch(&self) {
        // They are neighbours, and mostly in one line; nothing else is asked for every job.
        prefetch(&self.0.shape);
        prefetch(&self.0.stages.first);
    }

    /// Asks for the memory of the keys, as [`touch`](Session::touch) does for that of the session,
    /// which this reads.
    #[inline]
    pub fn touch_keys(&self) {
        self.0.stages.first.session.touch();
    }

    #[inline]
    pub(crate) fn rules(&self) -> &Rules {
        &self.0.shape.rules
    }

    /// Its algorithm's row in the table.
    #[inline]
    pub(crate) fn row(&self) -> &Row {
        &self.0.shape.row
    }

    /// Returns the counters of its operations.
    pub(crate) fn series(&self) -> &Arc<Series> {
        &self.0.shape.series
    }

    /// The number of its series.
    #[inline]
    pub(crate) fn series_number(&self) -> u16 {
        self.0.shape.series_number
    }

    /// Returns the provider's id, by which queues are told apart.
    #[inline]
    pub(crate) fn provider_id(&self) -> usize {
        self.0.shape.provider_id
    }

    /// Returns the class, which jobs that share lanes have in common.
    #[inline]
    pub(crate) fn class(&self) -> (usize, u16) {
        (self.0.shape.provider_id, self.0.shape.class)
    }

    /// The provider, for the module that knows its type.
    pub(crate) fn home(&self) -> &dyn Home {
        &*self.0.shape.home
    }

    /// Returns `true` if it is a chain that is composed of two halves.
    #[inline]
    pub(crate) fn is_in_halves(&self) -> bool {
        self.0.stages.second.is_some()
    }

    /// Returns what runs in a stage.
    #[inline]
    pub(crate) fn stage(&self, second: bool) -> &Stage {
        match (&self.0.stages.second, second) {
            (Some(stage), true) => stage,
            _ => &self.0.stages.first,
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {}", self.algorithm(), self.direction(), self.provider())
    }
}

/// A session that a job borrows or owns.
#[derive(Debug, Clone)]
pub enum Held<'a> {
    /// Borrowed: nothing is counted.
    Borrowed(&'a Session),
    /// A clone of it.
    Owned(Session),
}

impl Held<'_> {
    /// The session.
    #[inline]
    pub fn get(&self) -> &Session {
        match self {
            Held::Borrowed(session) => session,
            Held::Owned(session) => session,
        }
    }
}

impl<'a> From<&'a Session> for Held<'a> {
    #[inline]
    fn from(session: &'a Session) -> Self {
        Held::Borrowed(session)
    }
}

impl From<Session> for Held<'_> {
    fn from(session: Session) -> Self {
        Held::Owned(session)
    }
}
