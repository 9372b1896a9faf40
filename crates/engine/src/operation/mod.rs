//! One buffer's work as the engine and the providers see it.

//!
//! The engine [begins](begin) an operation, a provider [takes its parts](hand_over) and
//! [completes](complete) it, and the engine [ends](end) it or has the provider do more.

mod begin;
mod checks;
mod complete;
mod end;
mod hand_over;
pub(crate) mod state;
mod tag;

use std::time::Instant;

use state::{Phase, State};
pub(crate) use tag::are_same;

use crate::data::{Bytes, Data};
use crate::extra::Extras;
use crate::job_error::JobError;
use crate::made::Made;
use crate::parameters::{Nonce, Span, Tag};
use crate::session::{Held, Session};

/// A job but for the caller's own value: what a provider works on.
// In this order, as what is asked of every job stands at the beginning: a batch of them is larger
// than the nearest cache.
#[derive(Debug)]
#[repr(C)]
pub struct Operation<'a> {
    pub(crate) session: Held<'a>,
    pub(crate) state: State,
    /// What it was given; of associated data, whether there may be some.
    pub(crate) extras: Extras,
    /// Bytes of the tag that it makes, once it is begun; 0 where it makes none. Its session knows
    /// this, too, but may have left the nearest cache when the tag is asked for.
    pub(crate) made_tag_len: u8,
    /// Why another session than its own works on it.
    pub(crate) fell_back: Option<Box<JobError>>,
    pub(crate) nonce: Nonce,
    pub(crate) data: Data<'a>,
    pub(crate) associated: Bytes<'a>,
    pub(crate) tag: Tag,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cipher: Span,
    pub(crate) mac: Span,
    /// How it went, unless it is [plain](State::plain): then, well.
    outcome: Result<(), JobError>,
    /// The length of the text in bits, if it was given.
    pub(crate) bits: usize,
    /// The output of a compression or a decompression.
    pub(crate) made: Option<Box<Made>>,
}

/// [`Operation::acting`], for those who change its other fields meanwhile.
#[inline]
fn acting<'s>(session: &'s Held<'_>, fell_back: &Option<Box<JobError>>) -> &'s Session {
    let session = session.get();
    match (fell_back, session.falls_back_to()) {
        (Some(_), Some(other)) => other,
        _ => session,
    }
}

impl<'a> Operation<'a> {
    pub(crate) fn new(session: Held<'a>, data: Data<'a>) -> Self {
        Operation {
            session,
            data,
            cipher: Span::ALL,
            mac: Span::ALL,
            bits: 0,
            nonce: Nonce::NONE,
            extras: Extras::NONE,
            made_tag_len: 0,
            associated: Bytes::EMPTY,
            tag: Tag::NONE,
            deadline: None,
            state: State::READY,
            outcome: Ok(()),
            made: None,
            fell_back: None,
        }
    }

    /// The session.
    #[inline]
    pub fn session(&self) -> &Session {
        self.session.get()
    }

    /// The session that works on it: its own, or the one that it fell back to.
    #[inline]
    pub(crate) fn acting(&self) -> &Session {
        acting(&self.session, &self.fell_back)
    }

    /// Returns `true` if a tag is to be checked, not made.
    #[inline]
    pub fn checks_tag(&self) -> bool {
        self.session.get().rules().checks_tag
    }

    /// Returns `true` if the provider still has to work on it.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.state.phase == Phase::Running
    }

    /// Returns the outcome if it is complete.
    pub(crate) fn status(&self) -> Option<Result<(), JobError>> {
        (self.state.phase == Phase::Complete).then(|| self.outcome())
    }

    /// Returns `true` if it is complete, and went well.
    #[inline]
    pub(crate) fn succeeded(&self) -> bool {
        self.state.phase == Phase::Complete && (self.state.plain || self.outcome.is_ok())
    }

    /// Returns the outcome if the provider is done with it.
    fn outcome(&self) -> Result<(), JobError> {
        if self.state.plain { Ok(()) } else { self.outcome }
    }

    /// Returns `true` if a provider panicked while it worked on it.
    #[inline]
    fn is_interrupted(&self) -> bool {
        matches!(self.state.phase, Phase::Running | Phase::Ran)
    }

    /// Returns `true` if no range is set, and no place of the tag.
    fn is_whole(&self) -> bool {
        !self.extras.has_any(Extras::PLACES)
    }
}
