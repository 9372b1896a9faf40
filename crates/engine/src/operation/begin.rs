//! How an operation is made ready for a provider, or refused.

use broadloom_lanes::Buffers;

use super::Operation;
use super::checks::{check_nonce, check_text};
use super::state::State;
use crate::data::{Data, Text};
use crate::extra::Extra;
use crate::job_error::JobError;
use crate::session::rules::{Common, Rules};

impl Operation<'_> {
    /// Makes the job ready for a provider if it is the common case and in order: data in one piece,
    /// all of them for what needs no more than that. Whether it is.
    #[inline(always)]
    pub(crate) fn begin_plainly(&mut self) -> bool {
        self.session.get().rules().common == Common::All && self.begin_if_plain()
    }

    /// The same for a job of which [only the nonce](Common::ByNonce) has to be looked at before.
    fn begin_by_nonce(&mut self) -> bool {
        let session = self.session.get();
        let (rules, row) = (session.rules(), session.row());
        if rules.common != Common::ByNonce || self.extras.has(Extra::Bits) {
            return false;
        }
        self.nonce.add_counter(row.counter);
        let nonce = self.nonce.as_slice();
        row.nonces.contains(nonce.len())
            && check_nonce(row, nonce).is_ok()
            && check_text(row, nonce, self.data.len()).is_ok()
            && self.begin_if_plain()
    }

    /// The same for a job whose session has such ones, and whose nonce is in order but for its
    /// length.
    #[inline(always)]
    fn begin_if_plain(&mut self) -> bool {
        let session = self.session.get();
        let rules = session.rules();
        let nonce_len = self.nonce.len();
        let plain = !self.is_interrupted()
            && rules.nonce_min <= nonce_len
            && nonce_len <= rules.nonce_max
            && match &self.data {
                Data::InPlace(buffer) => self.is_plain(rules, buffer.as_slice().len()),
                Data::Read(_) => !rules.writes && self.is_plain(rules, 0),
                Data::OutOfPlace { .. } | Data::Scattered(_) => false,
            };
        if plain {
            self.made_tag_len = rules.made_tag_len;
            self.state = rules.started;
        }
        plain
    }

    /// Returns `true` if nothing else needs to be looked at in a job whose session is plain: with
    /// so many bytes in place, or none to be written.
    #[inline(always)]
    fn is_plain(&self, rules: &Rules, len: usize) -> bool {
        if !self.extras.has_any(rules.uncommon) {
            return len & rules.granularity_mask == 0
                && (len as u64).wrapping_sub(rules.min_len) <= rules.len_range
                && (!rules.checks_tag || self.tag.given == rules.tag_len);
        }
        rules.chain
            && self.extras.is_within(rules.takes)
            && self
                .check_ranges(rules, len)
                .is_ok_and(|ranges| self.check_tag(rules, &ranges, len, Some(len)).is_ok())
    }

    /// Checks the job, and makes it ready for a provider; or it has failed. Whether it is ready.
    pub(crate) fn begin(&mut self) -> bool {
        self.begin_plainly() || self.begin_otherwise()
    }

    /// The same for any but the common case.
    #[inline(never)]
    pub(crate) fn begin_otherwise(&mut self) -> bool {
        if self.begin_by_nonce() {
            return true;
        }
        let begun = self.begin_carefully();
        if let Err(error) = begun {
            self.refuse(error);
        }
        begun.is_ok()
    }

    fn begin_carefully(&mut self) -> Result<(), JobError> {
        if self.is_interrupted() {
            return Err(JobError::Panicked);
        }
        let session = self.session.get();
        let rules = session.rules();
        let started = State { plain: false, ..rules.started };
        self.made_tag_len = rules.made_tag_len;
        let len = self.nonce.len();
        let valid = session.row().nonces;
        if !valid.contains(len) {
            return Err(JobError::NonceLength { len, valid });
        }
        self.check_extras(rules)?;
        self.nonce.add_counter(session.row().counter);
        self.fell_back = None;
        if rules.making.is_some() {
            self.begin_compression()?;
        } else {
            self.begin_cryptography()?;
        }
        self.state = started;
        Ok(())
    }

    /// The checks that the common case does not need, and what the provider needs then.
    fn begin_cryptography(&mut self) -> Result<(), JobError> {
        let rules = *self.session.get().rules();
        let ciphered = self.check(&rules)?;
        // A part of the pieces is no pieces.
        let gathers =
            !rules.chain && self.is_whole() && self.session().stage(false).session.gathers();
        if !(gathers && self.data.is_read_only() && self.session().falls_back_to().is_none()) {
            self.data.gather_pieces();
        }
        if let Text::Write(Buffers::Apart(source, destination)) = self.data.text() {
            if rules.chain || !rules.writes {
                destination.copy_from_slice(source);
            } else {
                destination[..ciphered.start].copy_from_slice(&source[..ciphered.start]);
                destination[ciphered.end..].copy_from_slice(&source[ciphered.end..]);
                // The bits behind the last stay what they are.
                if self.extras.has(Extra::Bits)
                    && let Some(last) = ciphered.end.checked_sub(1)
                {
                    destination[last] = source[last];
                }
            }
        }
        // What is deciphered first may have the tag in it.
        if rules.checks_tag && !rules.covers_tag {
            self.read_tag();
        }
        Ok(())
    }

    /// Begins a compression or a decompression.
    fn begin_compression(&mut self) -> Result<(), JobError> {
        let session = self.session.get();
        let Some(making) = session.rules().making else { return Err(JobError::NotDone) };
        if self.data.is_out_of_place() {
            return Err(JobError::OwnOutput);
        }
        let len = self.data.len();
        let stage = session.stage(false);
        self.made.get_or_insert_default().begin(making, len, |len| stage.session.bound(len))?;
        let gathers = stage.session.gathers() && session.falls_back_to().is_none();
        if !(gathers && self.data.is_read_only()) {
            self.data.gather_pieces();
        }
        Ok(())
    }
}
