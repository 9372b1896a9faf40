//! Jobs of the common case and nothing else, in a third of the memory.

use std::fmt;
use std::ops::Range;

use arrayvec::ArrayVec;
use broadloom_lanes::Buffers;

use crate::algorithm::MAX_TAG;
use crate::data::Text;
use crate::extra::Extra;
use crate::job::Job;
use crate::job_error::JobError;
use crate::metrics::Counted;
use crate::operation::are_same;
use crate::parameters::Span;
use crate::provider::parts::{Last, Layout, Parts};
use crate::session::Session;
use crate::session::rules::{Common, Rules};
use crate::wipe::wipe;

/// A job for a cipher, a MAC, an AEAD or a chain whose text is in one piece and in place, and whose
/// tag is apart from it. Everything that it needs is borrowed.
///
/// A caller with many short texts, such as packets, makes it in less time than a [`Job`]. It comes
/// to the same, and [`Processor::process_plain`](crate::Processor::process_plain) takes it.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{AeadAlgorithm, AesSize, JobError, PlainJob, Processor, Transform};
///
/// let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
/// let seal = registry.open(&Transform::aead(gcm, &[7; 16]).seal()?)?;
/// let open = registry.open(&Transform::aead(gcm, &[7; 16]).open()?)?;
/// let (mut text, mut tag) = (*b"a packet", [0; 16]);
/// let mut processor = Processor::new();
///
/// let mut jobs = [PlainJob::new(&seal, &[1; 12], b"header", &mut text, &mut tag)];
/// processor.process_plain(&mut jobs);
/// assert_eq!(jobs[0].status(), Some(Ok(())));
/// assert_ne!(&text, b"a packet");
///
/// let mut jobs = [PlainJob::new(&open, &[1; 12], b"another", &mut text, &mut tag)];
/// processor.process_plain(&mut jobs);
/// assert_eq!(jobs[0].status(), Some(Err(JobError::TagMismatch)));
/// assert_eq!(text, [0; 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct PlainJob<'a> {
    session: &'a Session,
    nonce: &'a [u8],
    associated: &'a [u8],
    text: &'a mut [u8],
    tag: &'a mut [u8],
    cipher: Span,
    mac: Span,
    outcome: Option<Result<(), JobError>>,
    /// What a queue asks of the session, so that it need not look into the session again.
    class: u8,
    checks_tag: bool,
}

impl<'a> PlainJob<'a> {
    /// Makes a job that processes all of `text`. `tag` receives the tag or, if the session
    /// [opens](crate::Direction::Open), [verifies](crate::Direction::Verify) or
    /// [decrypts](crate::Direction::Decrypt) a chain, holds the tag to check. It has
    /// [`Session::tag_len`] bytes. Pass empty slices for what the session does not take.
    #[inline(always)]
    pub fn new(
        session: &'a Session,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: &'a mut [u8],
        tag: &'a mut [u8],
    ) -> Self {
        let (cipher, mac) = (Span::ALL, Span::ALL);
        let (outcome, class, checks_tag) = (None, 0, false);
        PlainJob { session, nonce, associated, text, tag, cipher, mac, outcome, class, checks_tag }
    }

    /// Says which bytes of the text a chain ciphers, and which it authenticates.
    #[inline(always)]
    pub fn set_ranges(&mut self, cipher: Range<usize>, mac: Range<usize>) {
        (self.cipher, self.mac) = (cipher.into(), mac.into());
        self.outcome = None;
    }

    /// Returns how the job ended, or `None` until it is complete.
    #[inline]
    pub fn status(&self) -> Option<Result<(), JobError>> {
        self.outcome
    }

    /// Returns `true` if the job is complete and succeeded.
    #[inline]
    pub fn succeeded(&self) -> bool {
        matches!(self.outcome, Some(Ok(())))
    }

    #[inline(always)]
    pub(crate) fn session(&self) -> &'a Session {
        self.session
    }

    /// Makes the job ready for a provider if it is in order, and its session is one whose common
    /// case needs nothing else. Returns `true` if it is ready.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> bool {
        if self.is_interrupted() {
            return false;
        }
        self.outcome = None;
        let rules = self.session.rules();
        (self.class, self.checks_tag) = (self.session.stage(false).class, rules.checks_tag);
        let (len, nonce_len) = (self.text.len(), self.nonce.len());
        rules.common == Common::All
            && rules.nonce_min <= nonce_len
            && nonce_len <= rules.nonce_max
            && self.tag.len() == rules.tag_len
            && (self.associated.is_empty() || rules.takes.has(Extra::Associated))
            && match rules.chain {
                false => {
                    self.cipher == Span::ALL
                        && len & rules.granularity_mask == 0
                        && (len as u64).wrapping_sub(rules.min_len) <= rules.len_range
                }
                true => self.has_ranges(rules, len),
            }
    }

    /// Returns `true` if the ranges of a chain lie within `len` bytes, and the cipher takes the
    /// length of its range.
    fn has_ranges(&self, rules: &Rules, len: usize) -> bool {
        let cipher = self.cipher.within(len, Extra::CipherRange);
        let is_whole = |cipher: Range<usize>| cipher.len() & rules.granularity_mask == 0;
        cipher.is_ok_and(is_whole) && self.mac.within(len, Extra::MacRange).is_ok()
    }

    /// Ends a job whose provider has panicked: nobody is to have a part of what it wrote, and a
    /// nonce is not used for something else.
    #[cold]
    pub(crate) fn interrupt(&mut self) {
        if matches!(self.outcome, Some(Err(_))) {
            return;
        }
        if !self.session.rules().checks_tag {
            wipe(self.tag);
        }
        self.fail(JobError::Panicked);
    }

    /// Returns `true` if its provider has panicked. It is not processed again, unless it gets new
    /// ranges.
    #[inline(always)]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.outcome == Some(Err(JobError::Panicked))
    }

    /// Returns `true` if the job's tag is made, not checked, and is all of the `written` bytes that
    /// its provider writes.
    #[inline(always)]
    fn makes_whole(&self, written: usize) -> bool {
        !self.checks_tag && self.tag.len() == written
    }

    #[cold]
    fn fail(&mut self, error: JobError) {
        let range = self.cipher.within(self.text.len(), Extra::CipherRange);
        // Of a range that is not within the text, nothing was written.
        if let Ok(range) = range
            && self.session.rules().writes
        {
            wipe(&mut self.text[range]);
        }
        self.outcome = Some(Err(error));
    }

    /// The same job with all that may be said of one.
    pub(crate) fn job(&mut self) -> Job<'_> {
        let mut job = Job::new(self.session, &mut *self.text);
        job.set_nonce(self.nonce);
        job.set_associated(self.associated);
        let range = |span: Span| (span != Span::ALL).then_some(span.start..span.end);
        job.set_cipher_range(range(self.cipher));
        job.set_mac_range(range(self.mac));
        if self.session.rules().checks_tag {
            job.set_expected_tag(self.tag);
        }
        job
    }

    /// Takes over what that job came to: how it went, and its tag.
    pub(crate) fn take(&mut self, (outcome, tag): &JobResult) {
        self.outcome = Some(*outcome);
        if outcome.is_err() || self.session.rules().checks_tag {
            return;
        }
        match (self.tag.len(), tag.len()) {
            (len, valid) if len != valid => self.fail(JobError::TagLength { len, valid }),
            _ => self.tag.copy_from_slice(tag),
        }
    }
}

impl fmt::Debug for PlainJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} bytes, {:?}", self.session, self.text.len(), self.outcome)
    }
}

impl Counted for PlainJob<'_> {
    #[inline(always)]
    fn session(&self) -> &Session {
        self.session
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        self.text.len()
    }

    fn status(&self) -> Option<Result<(), JobError>> {
        self.outcome
    }

    /// Ends a job, also one that its provider did not complete.
    #[inline(always)]
    fn finish(&mut self) -> bool {
        if self.outcome.is_none() {
            self.fail(JobError::NotDone);
        }
        !self.succeeded()
    }
}

/// How a job went, and the tag that it made.
pub(crate) type JobResult = (Result<(), JobError>, ArrayVec<u8, MAX_TAG>);

/// Returns the result of a job.
pub(crate) fn result(job: &Job<'_>) -> JobResult {
    let tag = job.tag().unwrap_or_default();
    let outcome = job.status().unwrap_or(Err(JobError::NotDone));
    (outcome, tag.iter().copied().collect())
}

/// [Plain jobs](PlainJob) of a provider's sessions, as its queue is handed them.
pub struct PlainJobs<'w, 'a>(&'w mut [PlainJob<'a>]);

impl<'w, 'a> PlainJobs<'w, 'a> {
    #[inline(always)]
    pub(crate) fn new(jobs: &'w mut [PlainJob<'a>]) -> Self {
        PlainJobs(jobs)
    }

    /// Returns the number of jobs.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the jobs at these places.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    pub fn part(&mut self, places: Range<usize>) -> PlainJobs<'_, 'a> {
        PlainJobs(&mut self.0[places])
    }

    /// Returns the [class](crate::provider::ProviderSession::class) of the session of one job.
    #[inline]
    pub fn class(&self, at: usize) -> u8 {
        self.0[at].class
    }

    /// Returns the jobs of a class.
    #[inline]
    pub fn of_class(&mut self, class: u8) -> impl Iterator<Item = PlainOperation<'_, 'a>> {
        let own = move |job: &&mut PlainJob<'a>| job.class == class;
        self.0.iter_mut().filter(own).map(PlainOperation)
    }
}

/// A [plain job](PlainJob) as a provider has it.
pub struct PlainOperation<'v, 'a>(&'v mut PlainJob<'a>);

impl<'v> PlainOperation<'v, '_> {
    /// Returns what a provider computes with. The provider cannot fail at it, and is through with
    /// all jobs when its queue returns. `S` is the type that its `open_session` makes, and `last`
    /// the same for all of them.
    ///
    /// The provider writes `written` bytes of tag, whether the tag is to be checked or not, and
    /// then [completes](PlainOperation::complete) the job. A tag that has all these bytes goes
    /// straight to where the caller wants it, and any other to `made`.
    #[inline(always)]
    pub fn commit<S: 'static>(
        self,
        last: &mut Last<'v, S>,
        made: &'v mut [u8; MAX_TAG],
        written: usize,
    ) -> Option<Parts<'v, S>> {
        let makes_whole = self.0.makes_whole(written);
        let job = self.0;
        let rules = job.session.rules();
        let session = last.own(job.session.stage(false))?;
        Some(Parts {
            session,
            direction: job.session.direction(),
            layout: Layout::new(job.text.len(), job.cipher, job.mac, None, rules),
            text: Text::Write(Buffers::InPlace(&mut *job.text)),
            nonce: job.nonce,
            associated: job.associated,
            tag: if makes_whole { &mut *job.tag } else { made },
            tag_len: rules.tag_len,
            checks_tag: job.checks_tag,
            bits: None,
        })
    }

    /// The provider is done with the job, and has written `written` bytes of tag to where
    /// [`commit`](PlainOperation::commit) said. A tag in `made` is the tag of the text: it is
    /// handed out or, where there is one to check, compared in constant time, and then wiped.
    #[inline(always)]
    pub fn complete(self, made: &mut [u8; MAX_TAG], written: usize) {
        let job = self.0;
        if job.makes_whole(written) {
            job.outcome = Some(Ok(()));
            return;
        }
        let tag = &made[..job.tag.len().min(MAX_TAG)];
        let is_right = match job.checks_tag {
            true => are_same(tag, job.tag),
            false => {
                job.tag.copy_from_slice(tag);
                true
            }
        };
        // It may be the right tag of a message that came with another, and stays in memory that is
        // used again, so that this is done; `zeroize` would do it byte by byte.
        made[..written].fill(0);
        match is_right {
            true => job.outcome = Some(Ok(())),
            false => job.fail(JobError::TagMismatch),
        }
    }
}
