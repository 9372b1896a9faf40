//! Sessions: an algorithm with its expanded key, at a provider.

use std::any::Any;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use crate::algorithm::{Algorithm, ChainOrder, Checksum, Compression, Direction, Row};
use crate::made::Making;
use crate::parameters::{Extra, Extras};
use crate::provider::{Provider, ProviderError, ProviderSession};
use crate::transform::Transform;

/// An algorithm with its expanded keys, ready for jobs.
///
/// Any number of threads use one session at a time; nothing in it is written to by a job. A clone is the
/// same session; the keys are wiped when the last clone is dropped. A job borrows its session
/// (`Job::new(&session, …)`), which costs nothing, or owns a clone of it, where it has to outlive the
/// place it was made in.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    algorithm: Algorithm,
    direction: Direction,
    rules: Rules,
    row: Row,
    provider: Arc<dyn Provider>,
    /// Tells queues of different providers apart.
    provider_id: usize,
    class: u16,
    stages: Stages,
    keys: u64,
    fallback: Option<Fallback>,
    falls_back_to: Option<Session>,
}

/// What keys are told apart by without being kept: a hash under a secret of this process.
static TELLS_KEYS_APART: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// What a job must fulfil, in the form that is checked fastest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub nonce_min: usize,
    pub nonce_max: usize,
    pub tag_len: usize,
    /// What the cipher's range must be a multiple of, a power of two, less one.
    pub granularity_mask: usize,
    /// There is a cipher: something to write to is needed.
    pub writes: bool,
    /// There is a tag to check.
    pub checks_tag: bool,
    /// What a job may be given.
    pub takes: Extras,
    /// What makes a job another than the common case: places, and all that is not taken.
    pub uncommon: Extras,
    pub chain: bool,
    /// A chain that authenticates before it encrypts: its cipher may cover the tag, as a whole.
    pub covers_tag: bool,
    /// The most bytes of one piece for which nothing else need be known.
    pub max_len: u64,
    /// Its provider does it in one go, and it compresses nothing; and any nonce and number of blocks will do.
    pub plain: bool,
    /// Once a provider is done there may be more for one to do.
    pub goes_on: bool,
    /// A compression or a decompression.
    pub making: Option<Making>,
}

/// A session's work at its provider: one part, or for a chain two, in the order in which they run.
struct Stages {
    first: Stage,
    second: Option<Stage>,
}

pub(crate) struct Stage {
    pub part: Part,
    pub class: u8,
    pub session: Box<dyn ProviderSession>,
}

impl Stage {
    /// The provider's own session, if it is an `S`.
    #[inline]
    pub(crate) fn own<S: 'static>(&self) -> Option<&S> {
        let session: &dyn Any = &*self.session;
        session.downcast_ref()
    }
}

/// Which half of a chain, or what else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The cipher, or the AEAD.
    Cipher,
    /// The hash or the MAC.
    Mac,
    /// Neither: both at once.
    Chain,
    /// A compression or a decompression, which is never half of anything.
    Compression,
}

/// Why a session is not at the provider that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// The provider that was asked for.
    pub wanted: String,
    /// Why it could not.
    pub reason: String,
}

impl Session {
    /// Opens a session at a provider. [`Registry`](crate::Registry) finds one by name or by what it can.
    ///
    /// # Errors
    /// What the provider says.
    pub fn open(
        provider: Arc<dyn Provider>,
        transform: &Transform,
    ) -> Result<Session, ProviderError> {
        Session::open_with(provider, transform, None)
    }

    pub(crate) fn open_with(
        provider: Arc<dyn Provider>,
        transform: &Transform,
        fallback: Option<Fallback>,
    ) -> Result<Session, ProviderError> {
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        let open = |transform: &Transform, part| {
            let session = provider.open_session(transform)?;
            Ok::<_, ProviderError>(Stage { part, class: session.class(), session })
        };
        let chain_order = match algorithm {
            Algorithm::Chain(_, _, order) => Some(order),
            _ => None,
        };
        let whole = chain_order.is_some() && provider.chains_whole(algorithm);
        let stages = match (transform.halves().filter(|_| !whole), algorithm) {
            (Some((cipher, mac)), Algorithm::Chain(_, _, order)) => {
                let cipher = open(&cipher, Part::Cipher)?;
                let mac = open(&mac, Part::Mac)?;
                let encrypts = direction == Direction::Encrypt;
                match encrypts == (order == ChainOrder::CipherThenMac) {
                    true => Stages { first: cipher, second: Some(mac) },
                    false => Stages { first: mac, second: Some(cipher) },
                }
            }
            (_, Algorithm::Cipher(_) | Algorithm::Aead(_)) => {
                Stages { first: open(transform, Part::Cipher)?, second: None }
            }
            (_, Algorithm::Compression(_)) => {
                Stages { first: open(transform, Part::Compression)?, second: None }
            }
            (_, Algorithm::Chain(..)) => {
                Stages { first: open(transform, Part::Chain)?, second: None }
            }
            _ => Stages { first: open(transform, Part::Mac)?, second: None },
        };
        let row = algorithm.row();
        let writes = !matches!(
            algorithm,
            Algorithm::Hash(_) | Algorithm::Mac(_) | Algorithm::Compression(_)
        );
        let making = match (algorithm, transform.compression()) {
            (Algorithm::Compression(algorithm), Some(how)) => {
                Some(Making { algorithm, direction, how })
            }
            _ => None,
        };
        let checksum = making.map_or(Checksum::None, |making| making.how.checksum);
        if !checksum.is_built() {
            return Err(ProviderError::new(format!(
                "this build has no checksums, and {checksum:?} needs them: the feature `checksums` of \
                 broadloom-engine"
            )));
        }
        let checks_tag = direction.checks() && transform.tag_len() > 0;
        let takes = takes(algorithm, checks_tag);
        let rules = Rules {
            nonce_min: row.nonces.min(),
            nonce_max: row.nonces.max(),
            tag_len: transform.tag_len(),
            granularity_mask: row.granularity - 1,
            writes,
            checks_tag,
            takes,
            uncommon: takes.complement().with(Extras::PLACES),
            chain: chain_order.is_some(),
            covers_tag: chain_order == Some(ChainOrder::MacThenCipher),
            max_len: row.max_len.of(row.nonces.max()),
            plain: !row.checks_jobs() && stages.second.is_none() && making.is_none(),
            goes_on: stages.second.is_some() || making.is_some(),
            making,
        };
        let classes = [Some(&stages.first), stages.second.as_ref()]
            .map(|stage| stage.map_or(0, |stage| stage.class));
        let inner = Inner {
            algorithm,
            direction,
            rules,
            row,
            provider_id: Arc::as_ptr(&provider).cast::<()>() as usize,
            provider,
            class: u16::from_le_bytes(classes),
            stages,
            keys: TELLS_KEYS_APART.hash_one((transform.key(), transform.mac_key())),
            fallback,
            falls_back_to: None,
        };
        Ok(Session(Arc::new(inner)))
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.0.algorithm
    }

    /// The direction.
    pub fn direction(&self) -> Direction {
        self.0.direction
    }

    /// Bytes of its digests or tags; 0 for a cipher.
    pub fn tag_len(&self) -> usize {
        self.0.rules.tag_len
    }

    /// How it compresses; of a decompression, the checksum alone counts. `None` for anything else.
    pub fn compression(&self) -> Option<Compression> {
        self.0.rules.making.map(|making| making.how)
    }

    /// The name of the provider that works for it.
    pub fn provider(&self) -> &str {
        self.0.provider.name()
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
        self.0.fallback.as_ref()
    }

    /// The session with another to fall back to: what its provider's device fails at
    /// ([`JobError::Device`](crate::JobError::Device)), or has no queue for, is done again there.
    /// [`Job::fell_back`](crate::Job::fell_back) says of each job whether, and why; a queue pair's
    /// [statistics](crate::Snapshot::fallbacks) count. A chain that this provider does in halves, and fails at
    /// after the first, is only done there by a provider that does it in halves, too: with any other the job
    /// fails, its output wiped.
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
        inner.rules.goes_on = true;
        // The common case of a job is no longer enough: it may have to be done twice.
        inner.rules.plain = false;
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

    #[inline]
    pub(crate) fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// Its algorithm's row in the table.
    #[inline]
    pub(crate) fn row(&self) -> &Row {
        &self.0.row
    }

    /// What queues are told apart by.
    #[inline]
    pub(crate) fn provider_id(&self) -> usize {
        self.0.provider_id
    }

    /// What jobs that share lanes have in common.
    #[inline]
    pub(crate) fn class(&self) -> (usize, u16) {
        (self.0.provider_id, self.0.class)
    }

    pub(crate) fn provider_handle(&self) -> &Arc<dyn Provider> {
        &self.0.provider
    }

    /// Whether it is a chain that is composed of two halves.
    #[inline]
    pub(crate) fn is_in_halves(&self) -> bool {
        self.0.stages.second.is_some()
    }

    /// What runs in a stage.
    #[inline]
    pub(crate) fn stage(&self, second: bool) -> &Stage {
        match (&self.0.stages.second, second) {
            (Some(stage), true) => stage,
            _ => &self.0.stages.first,
        }
    }
}

/// What a job may be given beside its data and a nonce.
fn takes(algorithm: Algorithm, checks_tag: bool) -> Extras {
    let mut takes = match algorithm {
        Algorithm::Hash(_) | Algorithm::Mac(_) => Extras::of(&[Extra::MacRange, Extra::TagPlace]),
        Algorithm::Cipher(_) => Extras::of(&[Extra::CipherRange]),
        Algorithm::Aead(_) => Extras::of(&[Extra::CipherRange, Extra::TagPlace, Extra::Associated]),
        Algorithm::Chain(..) => Extras::PLACES,
        Algorithm::Compression(_) => Extras::NONE,
    };
    takes.set(Extra::ExpectedTag, checks_tag);
    takes.set(Extra::Bits, algorithm.counts_bits());
    takes
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
    fn from(session: &'a Session) -> Self {
        Held::Borrowed(session)
    }
}

impl From<Session> for Held<'_> {
    fn from(session: Session) -> Self {
        Held::Owned(session)
    }
}
