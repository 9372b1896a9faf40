//! How a provider says that it is done with an operation.

use super::Operation;
use super::state::Phase;
use super::tag::are_same;
use crate::job_error::JobError;
use crate::made::Progress;
use crate::provider::parts::CompressionParts;

impl Operation<'_> {
    /// The provider is done with it.
    ///
    /// Of an error that names a limit ([`JobError::TooLong`], [`JobError::AssociatedTooLong`]), as
    /// of [`JobError::Device`], nothing may have been written: the data are left as they are, or go
    /// to the session that this one falls back to. After any other the output is wiped.
    #[inline]
    pub fn complete(&mut self, outcome: Result<(), JobError>) {
        self.state.phase = Phase::Ran;
        self.state.plain &= outcome.is_ok();
        if !self.state.plain {
            self.outcome = outcome;
        }
    }

    /// The provider is done with a [`Verify`](crate::Direction::Verify): this is the MAC of the
    /// text, of which the session's tag length counts. It is compared in constant time.
    #[inline]
    pub fn complete_with_mac(&mut self, mac: &[u8]) {
        let rules = self.session.get().rules();
        let len = rules.tag_len;
        if rules.chain {
            // It may be in what was deciphered.
            self.read_tag();
        }
        let same = are_same(&mac[..len], &self.tag.bytes[..len]);
        self.complete(if same { Ok(()) } else { Err(JobError::TagMismatch) });
    }

    /// Makes an attempt at compressing or decompressing, if the session is the provider's own, and
    /// takes in what `work` came to: the provider is done with it, well or not. `S` is the type
    /// that its `open_session` makes.
    ///
    /// Whether the session is its own; what is of another provider is left as it is, and so fails
    /// unless something else is done with it.
    #[inline]
    pub fn attempt<S: 'static>(
        &mut self,
        work: impl FnOnce(CompressionParts<'_, S>) -> Result<Progress, JobError>,
    ) -> bool {
        let Some(parts) = self.compression() else { return false };
        match work(parts) {
            Ok(progress) => self.progress(progress),
            Err(error) => self.complete(Err(error)),
        }
        true
    }

    /// The provider is done with a public-key operation, which made so many bytes of output, or
    /// failed.
    #[inline]
    pub fn complete_with_output(&mut self, produced: Result<usize, JobError>) {
        match produced {
            Ok(produced) => {
                let consumed = self.data.len();
                self.progress(Progress { consumed, produced, ..Progress::default() });
            }
            Err(error) => self.complete(Err(error)),
        }
    }

    /// The provider is done with an attempt at compressing or decompressing, well.
    #[inline]
    pub fn progress(&mut self, progress: Progress) {
        let making = self.session.get().rules().making;
        let outcome = match (making, &mut self.made) {
            (Some(making), Some(made)) => {
                let len = self.data.len();
                if made.needs_text(making, progress) {
                    self.data.bring_together();
                }
                made.advance(making, self.data.text().into_input(), len, progress)
            }
            _ => Err(JobError::NotDone),
        };
        self.complete(outcome);
    }
}
