//! Pieces: what a processor takes of streams.

use super::{Message, Stream};
use crate::algorithm::MAX_TAG;
use crate::extra::Extra;
use crate::job::Job;
use crate::job_error::JobError;
use crate::operation::are_same;
use crate::provider::stream::Portion;
use crate::session::Session;
use crate::wipe::wipe;

/// The next piece of a stream, or its last, for [`Processor::update_many`].
///
/// [`Processor::update_many`]: crate::Processor::update_many
#[must_use]
pub struct Piece<'a> {
    stream: Held<'a>,
    /// What the stream did not take yet.
    data: &'a [u8],
    /// Bytes of the piece.
    len: usize,
    expected: Option<&'a [u8]>,
    pub(super) due: Due,
    /// How it goes so far.
    outcome: Result<(), JobError>,
    is_done: bool,
    tag: [u8; MAX_TAG],
}

/// A stream that goes on, or one that ends.
enum Held<'a> {
    GoesOn(&'a mut Stream),
    Ends(Stream),
}

impl Held<'_> {
    fn get(&self) -> &Stream {
        match self {
            Held::GoesOn(stream) => stream,
            Held::Ends(stream) => stream,
        }
    }

    fn get_mut(&mut self) -> &mut Stream {
        match self {
            Held::GoesOn(stream) => stream,
            Held::Ends(stream) => stream,
        }
    }
}

/// What is to be done next for a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing.
    Nothing,
    /// The provider is to take the bytes that wait.
    Waiting,
    /// The provider is to take whole blocks of the piece itself, or if the message ends all of it.
    Data,
    /// The whole message, which was kept, is to be processed.
    Kept,
}

impl<'a> Piece<'a> {
    fn of(stream: Held<'a>, data: &'a [u8]) -> Self {
        Piece {
            stream,
            data,
            len: data.len(),
            expected: None,
            due: Due::Nothing,
            outcome: Ok(()),
            is_done: false,
            tag: [0; MAX_TAG],
        }
    }

    /// A piece after which more comes.
    pub fn new(stream: &'a mut Stream, data: &'a [u8]) -> Self {
        Piece::of(Held::GoesOn(stream), data)
    }

    /// The last piece of a message. It may be empty.
    pub fn last(stream: Stream, data: &'a [u8]) -> Self {
        Piece::of(Held::Ends(stream), data)
    }

    /// The tag to check, if this is the [last](Piece::last) piece of a session that checks tags.
    pub fn expect_tag(mut self, tag: &'a [u8]) -> Self {
        self.expected = Some(tag);
        self
    }

    /// Returns the outcome, or `None` until a processor has processed the piece. A stream of which
    /// a piece has failed takes nothing more: its later pieces fail, too, for the same reason.
    pub fn status(&self) -> Option<Result<(), JobError>> {
        self.is_done.then_some(self.outcome)
    }

    /// The digest or the tag of the message, [`Session::tag_len`](crate::Session::tag_len) bytes;
    /// `None` unless this is the last piece, has succeeded, and made one.
    pub fn tag(&self) -> Option<&[u8]> {
        let rules = self.stream.get().session.rules();
        let is_made = self.status() == Some(Ok(())) && self.ends() && !rules.checks_tag;
        is_made.then(|| &self.tag[..rules.tag_len])
    }

    /// Returns the outcome after a processor has processed the piece.
    pub(super) fn outcome(&self) -> Result<(), JobError> {
        self.status().unwrap_or(Err(JobError::NotDone))
    }

    fn ends(&self) -> bool {
        matches!(self.stream, Held::Ends(_))
    }

    /// Returns `true` unless a processor was done with it before.
    pub(super) fn is_open(&self) -> bool {
        !self.is_done
    }

    /// Returns the bytes of the piece.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the piece counts as an operation: not again if it is done, and not if its
    /// message is kept, which is one operation as a whole.
    pub(super) fn counts(&self) -> bool {
        self.is_open() && matches!(self.stream.get().message, Message::Absorbed(..))
    }

    pub(super) fn session(&self) -> &Session {
        &self.stream.get().session
    }

    /// Has the stream take what is no whole block, and finds what is due. Until the piece
    /// [ends](Piece::end), the stream counts as failed: a provider may panic.
    pub(super) fn begin(&mut self) {
        self.due = Due::Nothing;
        let ends = self.ends();
        let stream = self.stream.get_mut();
        if let Some(error) = stream.failure() {
            self.outcome = Err(error);
            return;
        }
        stream.is_busy = true;
        if self.expected.is_some() || stream.session.rules().checks_tag {
            self.outcome = self.check();
            if self.outcome.is_err() {
                return;
            }
        }
        let stream = self.stream.get_mut();
        match &mut stream.message {
            Message::Kept(kept) => {
                kept.add(self.data);
                self.due = if ends { Due::Kept } else { Due::Nothing };
            }
            Message::Absorbed(at, waiting) => {
                let block_len = at.block_len();
                if waiting.bytes().is_empty() {
                    return self.plan_data();
                }
                self.data = waiting.fill(self.data, block_len);
                let is_due = ends || waiting.bytes().len() == block_len;
                self.due = if is_due { Due::Waiting } else { Due::Nothing };
            }
        }
    }

    /// Finds what is due of the piece itself, when nothing waits.
    fn plan_data(&mut self) {
        let ends = self.ends();
        let Message::Absorbed(at, waiting) = &mut self.stream.get_mut().message else { return };
        let block_len = at.block_len();
        self.due = Due::Data;
        if !ends && self.data.len() < block_len {
            waiting.fill(self.data, block_len);
            self.due = Due::Nothing;
        }
    }

    /// Refuses a tag that the session cannot check, and the lack of one that it has to.
    fn check(&self) -> Result<(), JobError> {
        let session = &self.stream.get().session;
        let rules = session.rules();
        let given = self.expected.map_or(0, <[u8]>::len);
        if self.expected.is_some() && !(rules.checks_tag && self.ends()) {
            let (algorithm, direction) = (session.algorithm(), session.direction());
            return Err(JobError::NotTaken { extra: Extra::ExpectedTag, algorithm, direction });
        }
        if rules.checks_tag && self.ends() && given != rules.tag_len {
            return Err(JobError::TagLength { len: given, valid: rules.tag_len });
        }
        Ok(())
    }

    /// Returns what the provider is to take now.
    pub(super) fn portion(&mut self) -> Option<Portion<'_>> {
        let is_end = match self.due {
            Due::Waiting => self.ends() && self.data.is_empty(),
            Due::Data => self.ends(),
            Due::Nothing | Due::Kept => return None,
        };
        let Stream { session, message, .. } = self.stream.get_mut();
        let Message::Absorbed(at, waiting) = message else { return None };
        let whole = self.data.len() - self.data.len() % at.block_len();
        let data = match self.due {
            Due::Waiting => waiting.bytes(),
            _ if is_end => self.data,
            _ => &self.data[..whole],
        };
        let tag = is_end.then_some(&mut self.tag);
        Some(Portion::new(at, session.stage(false).class, data, tag, &mut self.outcome))
    }

    /// Goes on after the provider had its portion.
    pub(super) fn advance(&mut self) {
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        if self.outcome.is_err() {
            return;
        }
        let ends = self.ends();
        let Message::Absorbed(at, waiting) = &mut self.stream.get_mut().message else { return };
        match due {
            Due::Waiting => {
                waiting.clear();
                if !(ends && self.data.is_empty()) {
                    self.plan_data();
                }
            }
            Due::Data if !ends => {
                let block_len = at.block_len();
                let rest = &self.data[self.data.len() - self.data.len() % block_len..];
                waiting.fill(rest, block_len);
            }
            _ => {}
        }
    }

    /// Returns the job of a message that was kept and is complete.
    pub(super) fn kept_job(&self) -> Option<Job<'_>> {
        let Stream { session, message: Message::Kept(kept), .. } = self.stream.get() else {
            return None;
        };
        (self.due == Due::Kept)
            .then(|| Job::new(session, kept.bytes()).expect_tag(self.expected.unwrap_or_default()))
    }

    /// Takes the outcome of that job: what it made, if it made something.
    pub(super) fn complete_kept(&mut self, outcome: Result<(), JobError>, tag: &[u8; MAX_TAG]) {
        (self.due, self.outcome, self.tag) = (Due::Nothing, outcome, *tag);
    }

    /// Checks the tag, if that is still to be done, and returns `true` if the piece has failed.
    pub(super) fn end(&mut self) -> bool {
        if self.is_done {
            return self.outcome.is_err();
        }
        let stream = self.stream.get_mut();
        let is_absorbed = matches!(stream.message, Message::Absorbed(..));
        if let (Some(expected), true, Ok(())) = (self.expected, is_absorbed, self.outcome) {
            if !are_same(&self.tag[..expected.len()], expected) {
                self.outcome = Err(JobError::TagMismatch);
            }
            wipe(&mut self.tag);
        }
        stream.is_busy = false;
        if let Err(error) = self.outcome {
            stream.failed = Some(Box::new(error));
        }
        self.is_done = true;
        self.outcome.is_err()
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        if self.ends() {
            wipe(&mut self.tag);
        }
    }
}
