//! SRTP packets (RFC 3711, section 3.1; RFC 7714, section 8).

use std::ops::Range;

use arrayvec::ArrayVec;
use broadloom_engine::Session;

use super::context::SrtpContext;
use super::cryptex;
use super::elements::Elements;
use super::header::{FIXED, Header};
use super::index::Indices;
use super::keys::{Halves, Keys, Nonce, counter_block};
use super::meta::{Progress, Stage};
use super::profile::Protection;
use crate::error::PacketError;
use crate::frame::Frame;
use crate::plan::{Associated, Plan, Step, TagPlace, Work};

/// Bytes of the roll-over counter, which is authenticated and not sent.
const ROC: usize = 4;

/// What is encrypted and what is authenticated of an RTP packet, within its buffer.
struct Parts {
    start: usize,
    /// Where encryption begins; the packet before that is the associated data of an AEAD.
    text: usize,
    /// Where the RTP packet ends, and the trailer begins.
    end: usize,
}

impl SrtpContext {
    /// Returns the bytes that SRTP adds to a packet.
    #[inline]
    fn rtp_trailer(&self) -> usize {
        self.mki_len + self.profile.tag_len()
    }

    /// Returns where the MKI and the tag are behind a packet.
    #[inline]
    fn mki_and_tag(&self, end: usize) -> (usize, usize) {
        match self.profile.protection() {
            Protection::Aead => (end + self.profile.tag_len(), end),
            Protection::Chain | Protection::Mac => (end, end + self.mki_len),
        }
    }

    #[inline]
    pub(super) fn protect_rtp(
        &self,
        indices: &Indices,
        frame: &mut Frame<'_>,
        progress: &mut Progress,
    ) -> Result<Plan<'_>, PacketError> {
        let header = Header::read(frame.bytes(), 0)?;
        let is_cryptex = self.cryptex && cryptex::protects(frame.bytes(), &header);
        let is_extended = is_cryptex && header.extension.is_none();
        frame.has_room(if is_extended { cryptex::HEADER } else { 0 }, self.rtp_trailer())?;
        self.check_elements(frame.bytes(), &header)?;
        let index = indices.take_rtp(header.sequence)?;
        let number = SrtpContext::number(self.sending(), index);
        *progress = Progress { protects: true, is_extended, ..Progress::default() };
        if is_extended {
            cryptex::extend(frame, &header)?;
        }
        frame.append(self.rtp_trailer())?;
        if is_cryptex {
            let header = Header::read(frame.bytes(), 0)?;
            return Ok(self.protect_cryptex(frame, &header, progress, number));
        }
        if let Some(plan) = self.element(frame, &header, progress, number)? {
            return Ok(plan);
        }
        Ok(self.protect_payload(frame, &header, number))
    }

    /// Returns the plan that protects a packet with its trailer, once its header is complete.
    #[inline]
    fn protect_payload(&self, frame: &mut Frame<'_>, header: &Header, number: u64) -> Plan<'_> {
        let (start, end) = (frame.start(), frame.end() - self.rtp_trailer());
        let parts = Parts { start, text: start + header.len, end };
        self.plan(frame, header.ssrc, &parts, number, TagPlace::Later(self.mki_and_tag(end).1))
    }

    /// Returns the plan that protects header and payload as a whole.
    fn protect_cryptex(
        &self,
        frame: &mut Frame<'_>,
        header: &Header,
        progress: &mut Progress,
        number: u64,
    ) -> Plan<'_> {
        let (start, end) = (frame.start(), frame.end() - self.rtp_trailer());
        cryptex::mark(frame.bytes_mut(), header);
        let parts = Parts { start, text: start + cryptex::TEXT, end };
        if header.sources_end > FIXED {
            cryptex::rotate(frame.bytes_mut(), header.sources_end, progress);
            if let Some(Halves { encrypt, .. }) = &self.keys_of(number).halves {
                progress.stage = Stage::Cryptex;
                let nonce = self.rtp_nonce(header.ssrc, number);
                return Plan::cipher(encrypt, &nonce, parts.text..end).number(number);
            }
        }
        self.plan(frame, header.ssrc, &parts, number, TagPlace::Later(self.mki_and_tag(end).1))
    }

    #[inline]
    fn rtp_nonce(&self, ssrc: u32, number: u64) -> Nonce {
        self.keys_of(number).rtp.nonce(ssrc, SrtpContext::index(number))
    }

    /// Returns the plan of a whole packet. A tag that is made comes [later](TagPlace::Later), since
    /// a MAC covers the roll-over counter, which stands in the place of the trailer meanwhile.
    #[inline]
    fn plan(
        &self,
        frame: &mut Frame<'_>,
        ssrc: u32,
        parts: &Parts,
        number: u64,
        tag: TagPlace,
    ) -> Plan<'_> {
        let &Parts { start, text, end } = parts;
        let suite = &self.keys_of(number).rtp;
        let protects = matches!(tag, TagPlace::Later(_));
        let session = if protects { &suite.protect } else { &suite.unprotect };
        let nonce = self.rtp_nonce(ssrc, number);
        if suite.protection == Protection::Aead {
            return Plan::aead(session, &nonce, text..end, end)
                .associated(Associated::Before(start..text))
                .number(number);
        }
        let cipher = (suite.protection == Protection::Chain).then_some(text..end);
        authenticated(frame, start..end, cipher, nonce, number, tag, session)
    }

    #[inline]
    pub(super) fn protected_rtp(
        &self,
        frame: &mut Frame<'_>,
        progress: &mut Progress,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let end = frame.end() - self.rtp_trailer();
        match progress.stage {
            Stage::Element => {
                self.finish_element(frame, progress);
                let header = Header::read(frame.bytes(), 0)?;
                let plan = match self.element(frame, &header, progress, work.number)? {
                    Some(plan) => plan,
                    None => {
                        progress.stage = Stage::Rtp;
                        self.protect_payload(frame, &header, work.number)
                    }
                };
                return Ok(Step::Again(plan));
            }
            Stage::Cryptex => {
                cryptex::rotate_back(frame.bytes_mut(), progress);
                if let Some(Halves { generate, .. }) = &self.keys_of(work.number).halves {
                    progress.stage = Stage::Rtp;
                    let tag = TagPlace::Later(self.mki_and_tag(end).1);
                    let (packet, nonce) = (frame.start()..end, Nonce::new());
                    let plan =
                        authenticated(frame, packet, None, nonce, work.number, tag, generate);
                    return Ok(Step::Again(plan));
                }
            }
            Stage::Rtp | Stage::Rtcp => cryptex::rotate_back(frame.bytes_mut(), progress),
        }
        if self.mki_len > 0 {
            let at = self.mki_and_tag(end).0;
            let mki = &self.keys_of(work.number).mki;
            frame.buffer_mut()[at..at + self.mki_len].copy_from_slice(mki);
        }
        Ok(Step::Complete)
    }

    #[inline]
    pub(super) fn unprotect_rtp(
        &self,
        indices: Option<&Indices>,
        frame: &mut Frame<'_>,
        progress: &mut Progress,
    ) -> Result<Plan<'_>, PacketError> {
        let trailer = self.rtp_trailer();
        let header = Header::read(frame.bytes(), trailer)?;
        let (start, end) = (frame.start(), frame.end() - trailer);
        let (mki, tag) = self.mki_and_tag(end);
        let key = match self.mki_len {
            0 => 0,
            len => self.receiving(&frame.buffer()[mki..mki + len])?,
        };
        let index = match indices {
            None => u64::from(header.sequence),
            Some(indices) => {
                let index = indices.guess(header.sequence)?;
                indices.check(false, index)?;
                index
            }
        };
        self.check_elements(frame.bytes(), &header)?;
        let number = SrtpContext::number(key, index);
        *progress = Progress::default();
        let mut parts = Parts { start, text: start + header.len, end };
        let mut expected = TagPlace::At(tag);
        if self.profile.protection() != Protection::Aead {
            let tag = &frame.buffer()[tag..tag + self.profile.tag_len()];
            expected = TagPlace::Expected(tag.iter().copied().collect());
        }
        if self.cryptex && cryptex::is_marked(frame.bytes(), &header) {
            parts.text = start + cryptex::TEXT;
            if header.sources_end > FIXED {
                if let Some(Halves { verify, .. }) = &self.keys_of(number).halves {
                    let nonce = Nonce::new();
                    return Ok(authenticated(
                        frame,
                        start..end,
                        None,
                        nonce,
                        number,
                        expected,
                        verify,
                    ));
                }
                cryptex::rotate(frame.bytes_mut(), header.sources_end, progress);
            }
        }
        Ok(self.plan(frame, header.ssrc, &parts, number, expected))
    }

    #[inline]
    pub(super) fn unprotected_rtp(
        &self,
        accept: impl FnOnce() -> Result<(), PacketError>,
        frame: &mut Frame<'_>,
        progress: &mut Progress,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let header = match progress.stage {
            Stage::Rtp | Stage::Rtcp => {
                cryptex::rotate_back(frame.bytes_mut(), progress);
                accept()?;
                frame.remove_back(self.rtp_trailer())?;
                if !self.cryptex && self.identifiers.is_none() {
                    return Ok(Step::Complete);
                }
                let header = Header::read(frame.bytes(), 0)?;
                if self.cryptex && cryptex::is_marked(frame.bytes(), &header) {
                    return Ok(self.unprotect_cryptex(frame, &header, progress, work.number));
                }
                header
            }
            Stage::Cryptex => {
                cryptex::rotate_back(frame.bytes_mut(), progress);
                let header = Header::read(frame.bytes(), 0)?;
                cryptex::unmark(frame.bytes_mut(), &header);
                return Ok(Step::Complete);
            }
            Stage::Element => {
                self.finish_element(frame, progress);
                Header::read(frame.bytes(), 0)?
            }
        };
        let plan = self.element(frame, &header, progress, work.number)?;
        Ok(plan.map_or(Step::Complete, Step::Again))
    }

    /// Completes an authentic packet whose header is encrypted as a whole: the job has decrypted
    /// it, or a second one is to do that.
    fn unprotect_cryptex(
        &self,
        frame: &mut Frame<'_>,
        header: &Header,
        progress: &mut Progress,
        number: u64,
    ) -> Step<'_> {
        let halves = self.keys_of(number).halves.as_ref();
        if let Some(Halves { decrypt, .. }) = halves
            && header.sources_end > FIXED
        {
            cryptex::rotate(frame.bytes_mut(), header.sources_end, progress);
            progress.stage = Stage::Cryptex;
            let nonce = self.rtp_nonce(header.ssrc, number);
            let text = frame.start() + cryptex::TEXT..frame.end();
            return Step::Again(Plan::cipher(decrypt, &nonce, text).number(number));
        }
        cryptex::unmark(frame.bytes_mut(), header);
        Step::Complete
    }

    /// Puts back what was changed in a packet whose job failed.
    pub(super) fn failed_rtp(&self, frame: &mut Frame<'_>, progress: &mut Progress, work: &Work) {
        if progress.stage == Stage::Element {
            self.finish_element(frame, progress);
        }
        cryptex::rotate_back(frame.bytes_mut(), progress);
        if let TagPlace::Expected(tag) = &work.tag {
            // The roll-over counter stands where the trailer begins.
            let mki = &self.keys_of(work.number).mki;
            let trailer: ArrayVec<u8, ROC> = mki.iter().chain(tag).copied().take(ROC).collect();
            let at = work.data.end - ROC;
            frame.buffer_mut()[at..at + ROC].copy_from_slice(&trailer);
        }
        if progress.protects
            && self.cryptex
            && let Ok(header) = Header::read(frame.bytes(), 0)
        {
            cryptex::unmark(frame.bytes_mut(), &header);
            cryptex::shorten(frame, &header, progress);
        }
    }

    /// Checks the elements of a packet's header extension, if some are encrypted.
    #[inline]
    fn check_elements(&self, packet: &[u8], header: &Header) -> Result<(), PacketError> {
        if self.identifiers.is_none() || header.extension.is_none() {
            return Ok(());
        }
        Elements::of(packet, header, 0).map_or(Ok(()), Elements::check)
    }

    /// Returns the plan for the next element that is encrypted; `None` if there is none.
    ///
    /// The key stream belongs to the extension as a whole, and a job begins with a block of it. So
    /// a job may change up to 15 bytes before the element, which are put back afterwards.
    #[inline]
    fn element(
        &self,
        frame: &Frame<'_>,
        header: &Header,
        progress: &mut Progress,
        number: u64,
    ) -> Result<Option<Plan<'_>>, PacketError> {
        let keys: &Keys = self.keys_of(number);
        let (Some(among), Some(cipher)) = (&self.identifiers, &keys.header) else {
            return Ok(None);
        };
        let Some(mut elements) = Elements::of(frame.bytes(), header, progress.next) else {
            return Ok(None);
        };
        let Some(data) = elements.find(among)? else { return Ok(None) };
        let content = header.len - elements.len();
        let block = data.start / 16;
        let before = content + 16 * block..content + data.start;
        progress.stage = Stage::Element;
        progress.next = data.end;
        progress.saved = frame.bytes()[before.clone()].iter().copied().collect();
        progress.saved_at = before.start;
        let first = counter_block(*cipher.salt, header.ssrc, SrtpContext::index(number));
        let nonce = (u128::from_be_bytes(first) + block as u128).to_be_bytes();
        let text = frame.start() + before.start..frame.start() + content + data.end;
        Ok(Some(Plan::cipher(&cipher.encrypt, &nonce, text).number(number)))
    }

    /// Puts back the bytes before an element that its job changed too.
    fn finish_element(&self, frame: &mut Frame<'_>, progress: &Progress) {
        let saved = &progress.saved;
        frame.bytes_mut()[progress.saved_at..][..saved.len()].copy_from_slice(saved);
    }
}

/// Returns the plan of a packet that a MAC authenticates together with the roll-over counter.
#[inline]
fn authenticated<'f>(
    frame: &mut Frame<'_>,
    packet: Range<usize>,
    cipher: Option<Range<usize>>,
    nonce: Nonce,
    number: u64,
    tag: TagPlace,
    session: &'f Session,
) -> Plan<'f> {
    let roc = (SrtpContext::index(number) >> 16) as u32;
    frame.buffer_mut()[packet.end..packet.end + ROC].copy_from_slice(&roc.to_be_bytes());
    let data = packet.start..packet.end + ROC;
    let (mac, associated) = (Some(data.clone()), Associated::None);
    Plan { session, work: Work { nonce, data, cipher, mac, associated, tag, number } }
}
