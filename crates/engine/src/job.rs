//! Jobs: one buffer's work, as a caller makes it and gets it back.

use std::fmt;
use std::ops::Range;
use std::time::Instant;

use crate::algorithm::MAX_TAG;
use crate::data::{Bytes, Data};
use crate::extra::Extra;
use crate::job_error::JobError;
use crate::made::Made;
use crate::operation::Operation;
use crate::operation::state::State;
use crate::parameters::{Span, Tag};
use crate::session::{Held, Session};

/// One buffer's work for a session: its bytes, nonce and tag, and afterwards the result.
///
/// It borrows its session or owns a clone of it, owns its bytes or borrows them, and carries a
/// value of the caller's own. Jobs are meant to be used again: [`set_data`](Job::set_data) and the
/// other setters make a complete one ready for the next buffer, without an allocation. What it was
/// given stays until it is given something else, or nothing.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{AesSize, CipherAlgorithm, Job, Processor, Transform};
///
/// let cipher = CipherAlgorithm::AesCbc(AesSize::Aes128);
/// let session = registry.open(&Transform::cipher(cipher, &[7; 16]).encrypt()?)?;
/// let mut jobs = [Job::new(&session, vec![0; 64]).nonce(&[1; 16]).user("packet 7")];
/// Processor::new().process_many(&mut jobs);
/// assert!(jobs[0].succeeded());
/// assert_eq!(jobs[0].output().map(<[u8]>::len), Some(64));
/// assert_eq!(*jobs[0].user_value(), "packet 7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Job<'a, T = ()> {
    contents: Contents<'a>,
    user: T,
}

impl<'a> Job<'a> {
    /// A job for a session, over some data. What else it needs (a nonce, a tag to check) is added
    /// by the methods that follow; whether all is there is checked when it is processed.
    pub fn new(session: impl Into<Held<'a>>, data: impl Into<Data<'a>>) -> Self {
        Job { contents: Contents(Operation::new(session.into(), data.into())), user: () }
    }
}

impl<'a, T> Job<'a, T> {
    /// The nonce, the IV, or the first counter block. Where a counter of 32 bits is a part of it
    /// ([`AesCtr32`](crate::CipherAlgorithm::AesCtr32),
    /// [`ChaCha20`](crate::CipherAlgorithm::ChaCha20)), 12 bytes will do.
    pub fn nonce(mut self, nonce: &[u8]) -> Self {
        self.set_nonce(nonce);
        self
    }

    /// The associated data of an AEAD: authenticated, not encrypted. Nothing else takes any
    /// ([`JobError::NotTaken`]); in a chain and a MAC, [`mac_range`](Job::mac_range) says what is
    /// authenticated.
    pub fn associated(mut self, data: impl Into<Bytes<'a>>) -> Self {
        self.set_associated(data);
        self
    }

    /// The tag to check. A tag of another length than the session's fails the job, and so does any
    /// where none is checked. One that is [in the data](Job::tag_at) is checked instead of it, and
    /// takes its place.
    pub fn expect_tag(mut self, tag: &[u8]) -> Self {
        self.set_expected_tag(tag);
        self
    }

    /// Sets the offset of the tag's first byte in the data. Without it, a tag that is made is only
    /// in [`tag`](Job::tag), and a tag to check comes from [`expect_tag`](Job::expect_tag).
    ///
    /// It must not be among the bytes that it is the tag of, nor where ciphertext goes
    /// ([`JobError::TagOverlap`]): with a tag in the data, a hash, a MAC and a chain need a
    /// [range](Job::mac_range) that leaves it out, and what encrypts a [range](Job::cipher_range).
    /// In a chain that encrypts last, the tag is put there before, and the cipher's range may cover
    /// it, as a whole.
    pub fn tag_at(mut self, offset: usize) -> Self {
        self.set_tag_at(Some(offset));
        self
    }

    /// The bytes that the cipher is for; without it, all. What has no cipher takes none
    /// ([`JobError::NotTaken`]).
    pub fn cipher_range(mut self, range: Range<usize>) -> Self {
        self.set_cipher_range(Some(range));
        self
    }

    /// The bytes that are hashed or authenticated by a hash, a MAC or a chain; without it, all, and
    /// so with no room for a [tag](Job::tag_at) in the data. An AEAD takes none
    /// ([`JobError::NotTaken`]): it authenticates what it encrypts, and its [associated
    /// data](Job::associated).
    pub fn mac_range(mut self, range: Range<usize>) -> Self {
        self.set_mac_range(Some(range));
        self
    }

    /// The length of the text in bits, counted from the highest of the first byte, for KASUMI's F8
    /// and F9, which are defined over bits; without it, all bits count. The text, or its range, has
    /// as many bytes as they take ([`JobError::BitLength`]). What F8 finds behind the last of them
    /// stays as it is. What counts no bits takes no such length ([`JobError::NotTaken`]).
    ///
    /// ```
    /// # use broadloom_engine::{Job, Session};
    /// # fn with(f8: &Session) {
    /// let job = Job::new(f8, vec![0; 100]).nonce(&[1; 8]).bits(798);
    /// # }
    /// ```
    pub fn bits(mut self, len: usize) -> Self {
        self.set_bits(Some(len));
        self
    }

    /// The signature to check over the data. What verifies no signatures takes none
    /// ([`JobError::NotTaken`]), and associated data and a signature exclude each other.
    pub fn signature(mut self, signature: impl Into<Bytes<'a>>) -> Self {
        self.set_signature(signature);
        self
    }

    /// The time by which a queue pair should have processed the job: it then no longer waits for
    /// others to fill the lanes.
    pub fn by(mut self, deadline: Instant) -> Self {
        self.set_deadline(Some(deadline));
        self
    }

    /// Bytes of room that a compression or a decompression gets on its first attempt. There is
    /// always more where that is too little; enough at once saves attempts. Without it the
    /// provider's worst case is assumed, or four times the input. A compression gets no more than
    /// that worst case ([`Session::bound`]), a decompression no more than its [limit](Job::limit)
    /// or what its input can stand for, which may still be a lot.
    pub fn room(mut self, bytes: usize) -> Self {
        self.set_room(Some(bytes));
        self
    }

    /// The most bytes that a decompression may make: one that would make more fails with
    /// [`JobError::OutputLimit`]. Without it, what its input can stand for at most.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.set_limit(bytes);
        self
    }

    /// The caller's own value, in place of the one before.
    pub fn user<U>(self, user: U) -> Job<'a, U> {
        Job { contents: self.contents, user }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        self.contents.0.session()
    }

    /// Returns the outcome, or `None` until the job is complete.
    pub fn status(&self) -> Option<Result<(), JobError>> {
        self.contents.0.status()
    }

    /// Returns `true` if it is complete, and went well.
    #[inline]
    pub fn succeeded(&self) -> bool {
        self.contents.0.succeeded()
    }

    /// The digest or tag that was made, [`Session::tag_len`] bytes; `None` where none was: for a
    /// cipher, where one was only checked, and until the job is complete.
    pub fn tag(&self) -> Option<&[u8]> {
        let operation = &self.contents.0;
        let len = usize::from(operation.made_tag_len);
        (self.succeeded() && len > 0).then(|| &operation.tag.bytes[..len])
    }

    /// The data.
    pub fn data(&self) -> &Data<'a> {
        &self.contents.0.data
    }

    /// The output: of a cipher, an AEAD or a chain the bytes that the cipher wrote, where they are
    /// in one piece; of a compression, a decompression or a public-key algorithm what it made.
    /// `None` until the job has succeeded.
    ///
    /// With a [range for the cipher](Job::cipher_range) that is the range, and nothing beside it:
    /// the whole buffer, with a header before it and a [tag](Job::tag_at) behind, is
    /// `job.data().output()` ([`Data::output`]).
    pub fn output(&self) -> Option<&[u8]> {
        let rules = self.session().rules();
        match (&self.contents.0.made, rules.making) {
            _ if !self.succeeded() => None,
            (Some(made), Some(_)) => Some(made.output()),
            _ if rules.writes => {
                let all = self.contents.0.data.output()?;
                all.get(self.contents.0.cipher.of(all.len()))
            }
            _ => None,
        }
    }

    /// Takes the output of a compression, a decompression or a public-key algorithm away; empty
    /// where there is none.
    pub fn take_output(&mut self) -> Vec<u8> {
        let takes = self.succeeded();
        self.contents.0.made.as_mut().filter(|_| takes).map(|made| made.take()).unwrap_or_default()
    }

    /// Memory for the output of a compression or a decompression. It grows if it is too small; none
    /// of its bytes count.
    pub fn set_output_buffer(&mut self, buffer: Vec<u8>) {
        self.contents.0.state = State::READY;
        self.contents.0.made.get_or_insert_default().set_buffer(buffer);
    }

    /// Bytes of input that a compression or a decompression has read: less than all where a DEFLATE
    /// stream ends before its input does. 0 for anything else.
    pub fn consumed(&self) -> usize {
        self.made().map_or(0, |made| made.consumed())
    }

    /// The session's checksum of the uncompressed bytes; `None` if it has none, and until the job
    /// has succeeded.
    pub fn checksum(&self) -> Option<u32> {
        self.made().filter(|_| self.succeeded())?.checksum()
    }

    /// Returns how often the provider had to begin: once, and once more each time that the output
    /// had too little room.
    pub fn attempts(&self) -> u32 {
        self.made().map_or(0, |made| made.attempts())
    }

    fn made(&self) -> Option<&Made> {
        self.session().rules().making?;
        self.contents.0.made.as_deref()
    }

    /// Why the session that its own falls back to has done it; `None` if it has not.
    pub fn fell_back(&self) -> Option<JobError> {
        self.contents.0.fell_back.as_deref().copied()
    }

    /// The caller's own value.
    pub fn user_value(&self) -> &T {
        &self.user
    }

    /// The caller's own value, to be changed.
    pub fn user_value_mut(&mut self) -> &mut T {
        &mut self.user
    }

    /// The data and the caller's own value.
    pub fn into_parts(self) -> (Data<'a>, T) {
        (self.contents.0.data, self.user)
    }

    /// Gives it other data, for its next use, and what it had.
    pub fn set_data(&mut self, data: impl Into<Data<'a>>) -> Data<'a> {
        self.contents.0.state = State::READY;
        std::mem::replace(&mut self.contents.0.data, data.into())
    }

    /// The data, to be filled for its next use.
    pub fn data_mut(&mut self) -> &mut Data<'a> {
        self.contents.0.state = State::READY;
        &mut self.contents.0.data
    }

    /// Gives it another nonce, for its next use.
    pub fn set_nonce(&mut self, nonce: &[u8]) {
        self.contents.0.state = State::READY;
        self.contents.0.nonce.set(nonce);
    }

    /// Gives it another tag to check, for its next use; an empty one is none.
    pub fn set_expected_tag(&mut self, tag: &[u8]) {
        self.contents.0.state = State::READY;
        let kept = tag.len().min(MAX_TAG);
        let at = self.contents.0.tag.at;
        self.contents.0.tag = Tag { bytes: [0; MAX_TAG], given: tag.len(), at };
        self.contents.0.tag.bytes[..kept].copy_from_slice(&tag[..kept]);
        self.contents.0.extras.set(Extra::ExpectedTag, !tag.is_empty());
    }

    /// Gives the tag another place in the data, or none, for its next use.
    pub fn set_tag_at(&mut self, offset: Option<usize>) {
        self.contents.0.state = State::READY;
        self.contents.0.tag.at = offset;
        self.contents.0.extras.set(Extra::TagPlace, offset.is_some());
    }

    /// Gives the cipher other bytes, or all, for its next use.
    pub fn set_cipher_range(&mut self, range: Option<Range<usize>>) {
        self.contents.0.state = State::READY;
        self.contents.0.extras.set(Extra::CipherRange, range.is_some());
        self.contents.0.cipher = range.map_or(Span::ALL, Span::from);
    }

    /// Gives the hash or the MAC other bytes, or all, for its next use.
    pub fn set_mac_range(&mut self, range: Option<Range<usize>>) {
        self.contents.0.state = State::READY;
        self.contents.0.extras.set(Extra::MacRange, range.is_some());
        self.contents.0.mac = range.map_or(Span::ALL, Span::from);
    }

    /// Gives the text another length in bits, or none, for its next use.
    pub fn set_bits(&mut self, len: Option<usize>) {
        self.contents.0.state = State::READY;
        self.contents.0.extras.set(Extra::Bits, len.is_some());
        self.contents.0.bits = len.unwrap_or_default();
    }

    /// Gives it other associated data, for its next use.
    pub fn set_associated(&mut self, data: impl Into<Bytes<'a>>) {
        self.contents.0.state = State::READY;
        // Where both are borrowed a pointer and a length change, and nothing is dropped.
        match (&mut self.contents.0.associated, data.into()) {
            (Bytes::Borrowed(place), Bytes::Borrowed(bytes)) => *place = bytes,
            (place, bytes) => *place = bytes,
        }
        let is_given = !self.contents.0.associated.as_slice().is_empty();
        self.contents.0.extras.set(Extra::Associated, is_given);
        self.contents.0.extras.set(Extra::Signature, false);
    }

    /// Gives it another signature to check, for its next use.
    pub fn set_signature(&mut self, signature: impl Into<Bytes<'a>>) {
        self.contents.0.state = State::READY;
        self.contents.0.associated = signature.into();
        self.contents.0.extras.set(Extra::Associated, false);
        self.contents.0.extras.set(Extra::Signature, true);
    }

    /// The associated data, to be changed for its next use.
    pub fn associated_mut(&mut self) -> &mut Bytes<'a> {
        self.contents.0.state = State::READY;
        self.contents.0.extras.set(Extra::Associated, true);
        self.contents.0.extras.set(Extra::Signature, false);
        &mut self.contents.0.associated
    }

    /// Gives it another session, for its next use.
    pub fn set_session(&mut self, session: impl Into<Held<'a>>) {
        self.contents.0.state = State::READY;
        self.contents.0.session = session.into();
        self.contents.0.nonce.remove_counter();
        // `fell_back` is always `None` for a session without a fallback. To read it costs less than
        // to write it.
        if self.contents.0.fell_back.is_some() {
            self.contents.0.fell_back = None;
        }
    }

    /// Gives it other room for its first attempt, or as much as seems right.
    pub fn set_room(&mut self, bytes: Option<usize>) {
        self.contents.0.state = State::READY;
        self.contents.0.made.get_or_insert_default().wish = bytes;
    }

    /// Gives it another limit, for its next use.
    pub fn set_limit(&mut self, bytes: u64) {
        self.contents.0.state = State::READY;
        self.contents.0.made.get_or_insert_default().limit = bytes;
    }

    /// Gives it another deadline, or none, for its next use.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.contents.0.state = State::READY;
        self.contents.0.deadline = deadline;
    }
}

impl<T: fmt::Debug> fmt::Debug for Job<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.contents.0.data.len();
        let status = self.status();
        write!(f, "{:?}, {bytes} bytes, {status:?}, {:?}", self.session(), self.user)
    }
}

/// A job, or what owns or borrows a job: what the engine takes and gives back.
///
/// A `Box<Job>` moves faster through a queue pair than a job does. A type of your own that has a
/// job hands out the [`Contents`] of that job:
///
/// ```
/// use broadloom_engine::{Contents, Handle, Job};
///
/// struct Packet<'a> {
///     job: Job<'a>,
///     port: u16,
/// }
///
/// impl<'a> Handle<'a> for Packet<'a> {
///     fn contents(&mut self) -> &mut Contents<'a> {
///         self.job.contents()
///     }
/// }
/// ```
pub trait Handle<'a> {
    /// The contents of the job, always of the same job.
    fn contents(&mut self) -> &mut Contents<'a>;
}

impl<'a, T> Handle<'a> for Job<'a, T> {
    #[inline(always)]
    fn contents(&mut self) -> &mut Contents<'a> {
        &mut self.contents
    }
}

impl<'a, H: Handle<'a> + ?Sized> Handle<'a> for Box<H> {
    #[inline(always)]
    fn contents(&mut self) -> &mut Contents<'a> {
        (**self).contents()
    }
}

impl<'a, H: Handle<'a> + ?Sized> Handle<'a> for &mut H {
    #[inline(always)]
    fn contents(&mut self) -> &mut Contents<'a> {
        (**self).contents()
    }
}

/// Everything of a job but the caller's own value: for the engine alone, which hands it to
/// providers.
///
/// An application cannot complete a job:
///
/// ```compile_fail
/// use broadloom_engine::{Handle, Job};
///
/// fn claim_success(job: &mut Job) {
///     job.contents().complete(Ok(()));
/// }
/// ```
#[derive(Debug)]
pub struct Contents<'a>(Operation<'a>);

/// The engine's way to the operation of a job.
pub(crate) trait Operated<'a>: Handle<'a> {
    #[inline(always)]
    fn operation(&mut self) -> &mut Operation<'a> {
        &mut self.contents().0
    }
}

impl<'a, H: Handle<'a> + ?Sized> Operated<'a> for H {}
