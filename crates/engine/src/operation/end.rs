//! How an operation goes on after a provider, or ends.

use super::state::Phase;
use super::{Operation, acting};
use crate::data::Data;
use crate::job_error::JobError;
use crate::made::Making;
use crate::session::Session;
use crate::wipe::wipe;

impl Operation<'_> {
    /// Returns `true` if there is more for a provider to do, for which it is now ready: the rest of
    /// what found too little room, the second half of a chain, or all of it once more where a
    /// device failed.
    pub(crate) fn go_on(&mut self) -> bool {
        let rules = *self.session().rules();
        if !rules.goes_on || self.state.phase != Phase::Ran {
            return false;
        }
        let goes_on = match (self.outcome(), rules.making) {
            (Err(error), _) => self.falls_back(error),
            (Ok(()), Some(_)) => self.makes_more(),
            // Whether it has two is for the session that works on it to say.
            (Ok(()), None) => {
                self.acting().is_in_halves() && !self.state.second && self.goes_to_second_half()
            }
        };
        if goes_on {
            self.state.phase = Phase::Running;
            self.state.class = self.acting().stage(self.state.second).class;
        }
        goes_on
    }

    /// Moves the operation to its fallback session if a device failed at it, or if the provider
    /// does not take it. Returns `true` if it moved. The second half of a chain is not for one that
    /// can only do all of it.
    fn falls_back(&mut self, error: JobError) -> bool {
        let untouched = error.leaves_data();
        let does_it = |other: &Session| !self.state.second || other.is_in_halves();
        let falls = untouched
            && self.fell_back.is_none()
            && self.session().falls_back_to().is_some_and(does_it);
        if falls {
            self.fell_back = Some(Box::new(error));
        }
        falls
    }

    /// Returns `true` if a compression or a decompression still has something to make.
    fn makes_more(&mut self) -> bool {
        let len = self.data.len();
        let session = acting(&self.session, &self.fell_back);
        let (Some(making), Some(made)) = (session.rules().making, &mut self.made) else {
            return false;
        };
        let more = made.goes_on(making, len, |len| session.stage(false).session.bound(len));
        more.unwrap_or_else(|error| {
            self.outcome = Err(error);
            false
        })
    }

    fn goes_to_second_half(&mut self) -> bool {
        let rules = self.session().rules();
        if rules.covers_tag && !rules.checks_tag {
            self.write_tag();
        }
        self.state.second = true;
        true
    }

    /// Brings it to its end: whatever the provider left, it is complete now, and says how. Returns
    /// whether it failed.
    #[inline]
    pub(crate) fn finish(&mut self) -> bool {
        let ended = self.state.phase == Phase::Ran && self.state.plain;
        let failed = !ended && self.finish_carefully();
        self.state.phase = Phase::Complete;
        failed
    }

    /// Does what the common case does not need after the provider has succeeded.
    #[inline(never)]
    fn finish_carefully(&mut self) -> bool {
        match self.state.phase {
            Phase::Complete => return self.outcome().is_err(),
            Phase::Ran => {}
            Phase::Ready | Phase::Running => self.fail(JobError::NotDone),
        }
        let rules = *self.session.get().rules();
        if let Some(making) = rules.making {
            self.finish_compression(making);
        } else if let Err(error) = self.outcome {
            // What nobody has touched is as it was, if it is in place.
            let untouched = error.leaves_data() && self.data.is_in_place() && !self.state.second;
            if rules.writes && !untouched {
                self.wipe_output();
            }
        } else if self.tag.at.is_some() && !rules.checks_tag && !rules.covers_tag {
            self.write_tag();
        }
        self.data.scatter_pieces();
        self.outcome.is_err()
    }

    /// Ends a compression or a decompression.
    fn finish_compression(&mut self, making: Making) {
        let Some(made) = &mut self.made else { return };
        match self.outcome {
            Ok(()) if made.is_too_long(making, self.data.len()) => {
                self.data.bring_together();
                made.store(making, self.data.text().into_input());
            }
            Ok(()) => {}
            Err(_) => made.discard(),
        }
    }

    /// Wipes what a cipher may have written.
    fn wipe_output(&mut self) {
        let span = self.cipher;
        if let Some(bytes) = self.data.text().into_output() {
            let end = span.end.min(bytes.len());
            wipe(&mut bytes[span.start.min(end)..end]);
        }
    }

    /// Ends a job that no provider saw, or that one panicked over.
    pub(crate) fn refuse(&mut self, error: JobError) {
        if self.is_interrupted() {
            if self.session().rules().writes {
                self.wipe_output();
            }
            if matches!(self.data, Data::Scattered(_)) {
                self.data.scatter_pieces();
            }
        } else {
            // What it says is of an earlier use.
            self.fell_back = None;
        }
        self.state.phase = Phase::Complete;
        self.fail(error);
    }

    fn fail(&mut self, error: JobError) {
        self.state.plain = false;
        self.outcome = Err(error);
    }
}
