//! One buffer's work as the engine and the providers see it.

use std::time::Instant;

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use crate::data::{Bytes, Data, Text};
use crate::job_error::JobError;
use crate::made::{Made, Making, Progress};
use crate::parameters::{Extra, Extras, Nonce, Span, Tag};
use crate::parts::{CompressionParts, Last, Layout, Parts};
use crate::session::{Held, Part, Rules, Session};

/// A job but for the caller's own value: what a provider works on.
// In this order, as what is asked of every job stands at the beginning: a batch of them is larger than the nearest
// cache.
#[derive(Debug)]
#[repr(C)]
pub struct Operation<'a> {
    pub(crate) session: Held<'a>,
    pub(crate) state: State,
    /// What it was given; of associated data, whether there may be some.
    pub(crate) extras: Extras,
    pub(crate) deadline: Option<Instant>,
    pub(crate) nonce: Nonce,
    pub(crate) data: Data<'a>,
    pub(crate) tag: Tag,
    /// How it went, unless it is [plain](State::plain): then, well.
    outcome: Result<(), JobError>,
    pub(crate) associated: Bytes<'a>,
    pub(crate) cipher: Span,
    pub(crate) mac: Span,
    /// The length of the text in bits, if it was given.
    pub(crate) bits: usize,
    /// The output of a compression or a decompression.
    pub(crate) made: Option<Box<Made>>,
    /// Why another session than its own works on it.
    pub(crate) fell_back: Option<Box<JobError>>,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct State {
    pub phase: Phase,
    /// Worked on is the second half of a chain.
    second: bool,
    /// Nothing is left to be done when the provider is done with it, and that was well if it is.
    plain: bool,
    /// The class of what is worked on.
    class: u8,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The caller's: it is not processed.
    Ready,
    /// The provider's.
    Running,
    /// The engine's: the provider is done with it.
    Ran,
    /// The caller's: it is processed.
    Complete,
}

impl State {
    pub(crate) const READY: State =
        State { phase: Phase::Ready, second: false, plain: false, class: 0 };

    /// It is the provider's turn.
    // Field by field: to write all of them at once takes longer where they are read one by one.
    #[inline(always)]
    fn start(&mut self, class: u8, plain: bool) {
        self.phase = Phase::Running;
        self.second = false;
        self.plain = plain;
        self.class = class;
    }
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

    /// The provider's own session for what is to be done now, if it is an `S`: a provider's queue asks for
    /// its own type.
    #[inline]
    pub fn provider_session<S: 'static>(&self) -> Option<&S> {
        self.acting().stage(self.state.second).own()
    }

    /// The [class](crate::ProviderSession::class) of what is to be done now.
    #[inline]
    pub fn class(&self) -> u8 {
        self.state.class
    }

    /// What a provider computes with, if the session is its own: `S` is the type that its `open_session`
    /// makes.
    #[inline]
    pub fn parts<S: 'static>(&mut self) -> Option<Parts<'_, S>> {
        self.any_parts(false)
    }

    /// [`parts`](Operation::parts) for a provider that cannot fail at them, and that is through with all the
    /// operations that it got when it returns: this one already counts as done, unless it
    /// [checks a tag](Parts::checks_tag). `last` is the same for all of them.
    #[inline]
    pub fn commit<'v, S: 'static>(&'v mut self, last: &mut Last<'v, S>) -> Option<Parts<'v, S>> {
        match self.state.plain {
            true => self.commit_plainly(last),
            false => self.commit_otherwise(),
        }
    }

    /// The same for what was [begun plainly](Operation::begin_plainly).
    #[inline(always)]
    fn commit_plainly<'v, S: 'static>(
        &'v mut self,
        last: &mut Last<'v, S>,
    ) -> Option<Parts<'v, S>> {
        let session = self.session.get();
        let rules = session.rules();
        let own = last.own(session.stage(false))?;
        if !rules.checks_tag {
            self.state.phase = Phase::Ran;
        }
        let text = match &mut self.data {
            Data::InPlace(buffer) => Text::InPlace(buffer.as_mut_slice()),
            Data::Read(bytes) => Text::Read(bytes.as_slice()),
            Data::OutOfPlace { .. } | Data::Scattered(_) => {
                unreachable!("they are not begun plainly")
            }
        };
        Some(Parts {
            session: own,
            layout: Layout::new(text.input().len(), self.cipher, self.mac, self.tag.at, rules),
            text,
            nonce: self.nonce.as_slice(),
            associated: self.associated.as_slice(),
            tag: &mut self.tag.bytes,
            tag_len: rules.tag_len,
            checks_tag: rules.checks_tag,
            bits: None,
        })
    }

    /// The same for anything else.
    #[inline(never)]
    fn commit_otherwise<S: 'static>(&mut self) -> Option<Parts<'_, S>> {
        self.any_parts(true)
    }

    /// The parts of any operation: of the common case as of one with ranges, of a chain, and with data that are
    /// not in one piece. It was seen to matter that both are put together in one place.
    #[inline(always)]
    fn any_parts<S: 'static>(&mut self, commits: bool) -> Option<Parts<'_, S>> {
        let session = acting(&self.session, &self.fell_back);
        let stage = session.stage(self.state.second);
        let own = stage.own()?;
        let rules = session.rules();
        let (mut checks_tag, mut nonce) = (rules.checks_tag, self.nonce.as_slice());
        let (mut cipher, mut mac, mut tag_at) = (self.cipher, self.mac, self.tag.at);
        let mut text = self.data.text();
        if !self.state.plain {
            let span = match stage.part {
                Part::Cipher => self.cipher,
                Part::Mac => self.mac,
                Part::Chain => Span::ALL,
                Part::Compression => return None,
            };
            text = text.of_span(span, rules.chain);
            if stage.part != Part::Chain {
                (cipher, mac, tag_at) = (Span::ALL, Span::ALL, None);
            }
            if rules.chain && stage.part == Part::Mac {
                nonce = &[];
            }
            // The cipher of a chain in halves leaves the tag to the other half.
            checks_tag &= !(rules.chain && stage.part == Part::Cipher);
        }
        if commits && !checks_tag {
            self.state.phase = Phase::Ran;
            self.outcome = Ok(());
        }
        Some(Parts {
            session: own,
            layout: Layout::new(text.input().len(), cipher, mac, tag_at, rules),
            text,
            nonce,
            associated: self.associated.as_slice(),
            tag: &mut self.tag.bytes,
            tag_len: rules.tag_len,
            checks_tag,
            bits: self.extras.has(Extra::Bits).then_some(self.bits),
        })
    }

    /// Whether a tag is to be checked, not made.
    #[inline]
    pub fn checks_tag(&self) -> bool {
        self.session.get().rules().checks_tag
    }

    /// Whether the provider still has to work on it.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.state.phase == Phase::Running
    }

    /// The provider is done with it.
    #[inline]
    pub fn complete(&mut self, outcome: Result<(), JobError>) {
        self.state.phase = Phase::Ran;
        self.state.plain &= outcome.is_ok();
        if !self.state.plain {
            self.outcome = outcome;
        }
    }

    /// How it went, once it is complete.
    pub(crate) fn status(&self) -> Option<Result<(), JobError>> {
        (self.state.phase == Phase::Complete).then(|| self.outcome())
    }

    /// How it went, if the provider is done with it.
    fn outcome(&self) -> Result<(), JobError> {
        if self.state.plain { Ok(()) } else { self.outcome }
    }

    /// The provider is done with a [`Verify`](crate::Direction::Verify): this is the MAC of the text, of
    /// which the session's tag length counts. It is compared in constant time.
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

    /// What a provider compresses or decompresses with, if the session is its own: `S` is the type that its
    /// `open_session` makes.
    #[inline]
    pub fn compression<S: 'static>(&mut self) -> Option<CompressionParts<'_, S>> {
        let session = acting(&self.session, &self.fell_back);
        session.rules().making?;
        let session = session.stage(false).own()?;
        let (consumed, output) = self.made.as_mut()?.room();
        let input = self.data.text().into_input().get(consumed..).unwrap_or_default();
        Some(CompressionParts { session, input, output })
    }

    /// Makes an attempt at compressing or decompressing, if the session is the provider's own, and takes in
    /// what `work` came to: the provider is done with it, well or not. `S` is the type that its
    /// `open_session` makes.
    ///
    /// Whether the session is its own; what is of another provider is left as it is, and so fails unless
    /// something else is done with it.
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

    /// Its data, where they are only read: in one piece, or in those in which they came if the provider's
    /// session [gathers](crate::ProviderSession::gathers). Of a compression those that are still to be
    /// consumed.
    pub fn input_pieces(&self) -> impl Iterator<Item = &[u8]> {
        // What was consumed before it was used again does not count.
        let made = self.made.as_ref().filter(|_| self.is_open());
        let mut skipped = made.map_or(0, |made| made.consumed());
        self.data.input_pieces().map(move |piece| {
            let skip = skipped.min(piece.len());
            skipped -= skip;
            &piece[skip..]
        })
    }

    /// Whether the data are in [pieces](Operation::input_pieces), and nowhere in one.
    #[inline]
    pub fn is_in_pieces(&self) -> bool {
        self.data.is_in_pieces()
    }

    /// Moves the data out of the operation, for as long as a device works on them; `None` where the
    /// operation only borrows them, or has work for a part of them: then they are to be copied.
    pub fn lend(&mut self) -> Option<Data<'static>> {
        if !self.is_whole() || self.session.get().rules().chain {
            return None;
        }
        self.data.lend()
    }

    /// Gives back what was lent.
    pub fn restore(&mut self, data: Data<'static>) {
        self.data = data;
    }

    /// Whether a provider panicked while it worked on it.
    #[inline]
    fn is_interrupted(&self) -> bool {
        matches!(self.state.phase, Phase::Running | Phase::Ran)
    }

    /// Makes the job ready for a provider if it is the common case and in order: data in one piece, all of them
    /// for what needs no more than that. Whether it is.
    #[inline(always)]
    pub(crate) fn begin_plainly(&mut self) -> bool {
        let session = self.session.get();
        let rules = session.rules();
        let nonce_len = self.nonce.len();
        let plain = rules.plain
            && !self.is_interrupted()
            && rules.nonce_min <= nonce_len
            && nonce_len <= rules.nonce_max
            && match &self.data {
                Data::InPlace(buffer) => self.is_plain(rules, buffer.as_slice().len()),
                Data::Read(_) => !rules.writes && self.is_plain(rules, 0),
                Data::OutOfPlace { .. } | Data::Scattered(_) => false,
            };
        if plain {
            let class = session.stage(false).class;
            self.state.start(class, true);
        }
        plain
    }

    /// Whether no range is set, and no place of the tag.
    fn is_whole(&self) -> bool {
        !self.extras.has_any(Extras::PLACES)
    }

    /// Whether nothing else needs to be looked at in a job whose session is plain: with so many bytes in
    /// place, or none to be written.
    #[inline(always)]
    fn is_plain(&self, rules: &Rules, len: usize) -> bool {
        if !self.extras.has_any(rules.uncommon) {
            return len & rules.granularity_mask == 0
                && len as u64 <= rules.max_len
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
        let class = session.stage(false).class;
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
        self.state.start(class, false);
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
        if let Text::Apart(source, destination) = self.data.text() {
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

    /// What a compression or a decompression needs instead.
    fn begin_compression(&mut self) -> Result<(), JobError> {
        let session = self.session.get();
        let Some(making) = session.rules().making else { return Err(JobError::NotDone) };
        if self.data.is_out_of_place() {
            return Err(JobError::OwnOutput);
        }
        let len = self.data.len();
        let stage = session.stage(false);
        self.made.get_or_insert_default().begin(making, len, |len| stage.session.bound(len));
        let gathers = stage.session.gathers() && session.falls_back_to().is_none();
        if !(gathers && self.data.is_read_only()) {
            self.data.gather_pieces();
        }
        Ok(())
    }

    /// Takes the tag to check from where it is in the data.
    fn read_tag(&mut self) {
        let len = self.session().tag_len();
        if let Some(at) = self.tag.at {
            let chain = self.session().rules().chain;
            let range = at..at + len;
            match (self.data.text(), chain) {
                (Text::Apart(_, destination), true) => {
                    self.tag.bytes[..len].copy_from_slice(&destination[range]);
                }
                (text, _) => self.tag.bytes[..len].copy_from_slice(&text.into_input()[range]),
            }
        }
    }

    /// Puts the tag that was made where it goes in the data.
    fn write_tag(&mut self) {
        let len = self.session().tag_len();
        if let Some(at) = self.tag.at
            && let Text::InPlace(bytes) | Text::Apart(_, bytes) = self.data.text()
        {
            bytes[at..at + len].copy_from_slice(&self.tag.bytes[..len]);
        }
    }

    /// Whether there is more for a provider to do, for which it is now ready: the rest of what found too
    /// little room, the second half of a chain, or all of it once more where a device failed.
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

    /// Whether what a device failed at is for another session, from now on. The second half of a chain is not for
    /// one that can only do all of it.
    fn falls_back(&mut self, error: JobError) -> bool {
        let untouched = matches!(error, JobError::Device(_) | JobError::NoQueue);
        let does_it = |other: &Session| !self.state.second || other.is_in_halves();
        let falls = untouched
            && self.fell_back.is_none()
            && self.session().falls_back_to().is_some_and(does_it);
        if falls {
            self.fell_back = Some(Box::new(error));
        }
        falls
    }

    /// Whether a compression or a decompression still has something to make.
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

    /// Brings it to its end: whatever the provider left, it is complete now, and says how. Returns whether it
    /// failed.
    #[inline]
    pub(crate) fn finish(&mut self) -> bool {
        let ended = self.state.phase == Phase::Ran && self.state.plain;
        let failed = !ended && self.finish_carefully();
        self.state.phase = Phase::Complete;
        failed
    }

    /// What the common case, once the provider has succeeded, does not need.
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
            // Without a queue, and where a device failed, nobody has touched what is in place: another
            // provider may have it.
            let untouched = matches!(error, JobError::NoQueue | JobError::Device(_))
                && self.data.is_in_place()
                && !self.state.second;
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
        if let Text::InPlace(bytes) | Text::Apart(_, bytes) = self.data.text() {
            let end = span.end.min(bytes.len());
            bytes[span.start.min(end)..end].zeroize();
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

/// Compares tags of one length in constant time: by words, each of which costs what a byte would.
#[inline]
fn are_same(a: &[u8], b: &[u8]) -> bool {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let words = a.iter().zip(b).map(|(a, b)| u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b));
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| u64::from(a ^ b));
    let difference = words.chain(rest).fold(0, |all, difference| all | difference);
    broadloom_lanes::public(difference.ct_eq(&0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::MAX_TAG;

    #[test]
    fn tags_are_the_same_if_every_byte_is() {
        let tag: Vec<u8> = (0..MAX_TAG as u8).map(|byte| byte.wrapping_mul(37)).collect();
        for len in 0..=MAX_TAG {
            assert!(are_same(&tag[..len], &tag[..len]));
            for at in 0..len {
                let mut other = tag[..len].to_vec();
                other[at] ^= 1 << (at % 8);
                assert!(!are_same(&tag[..len], &other), "byte {at} of {len}");
            }
        }
    }
}
