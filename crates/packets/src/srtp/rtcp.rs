//! SRTCP packets (RFC 3711, section 3.4; RFC 7714, section 9).

use arrayvec::ArrayVec;

use super::context::SrtpContext;
use super::header::{RTCP_FIXED, check_version, has_at_least, u32_at};
use super::index::Indices;
use super::profile::Protection;
use crate::error::PacketError;
use crate::frame::Frame;
use crate::plan::{Associated, Plan, TagPlace, Work};

/// Bytes of the flag E and the index.
pub(super) const WORD: usize = 4;

/// The flag E: the packet is encrypted.
const ENCRYPTED: u32 = 1 << 31;

/// Where the parts of an SRTCP packet are in its buffer.
struct Layout {
    start: usize,
    /// Where the RTCP packet ends.
    end: usize,
    word: usize,
    mki: usize,
    tag: usize,
}

impl SrtpContext {
    /// Returns the bytes that SRTCP adds to a packet.
    pub(super) fn rtcp_trailer(&self) -> usize {
        WORD + self.mki_len + self.profile.rtcp_tag_len()
    }

    /// Returns the layout of a packet that begins and ends there, before it is protected.
    fn layout(&self, start: usize, end: usize) -> Layout {
        match self.profile.protection() {
            Protection::Aead => {
                let word = end + self.profile.rtcp_tag_len();
                Layout { start, end, word, mki: word + WORD, tag: end }
            }
            Protection::Chain | Protection::Mac => {
                let mki = end + WORD;
                Layout { start, end, word: end, mki, tag: mki + self.mki_len }
            }
        }
    }

    pub(super) fn protect_rtcp(
        &self,
        indices: &Indices,
        frame: &mut Frame<'_>,
    ) -> Result<Plan<'_>, PacketError> {
        frame.has_at_least(RTCP_FIXED)?;
        check_version(frame.bytes())?;
        let trailer = self.rtcp_trailer();
        frame.has_room(0, trailer)?;
        let index = indices.take_rtcp()?;
        let layout = self.layout(frame.start(), frame.end());
        frame.append(trailer)?;
        let is_encrypted = self.encrypts_rtcp && self.profile.protection() != Protection::Mac;
        let word = if is_encrypted { index | ENCRYPTED } else { index };
        let key = self.sending();
        let number = SrtpContext::number(key, index.into());
        let buffer = frame.buffer_mut();
        buffer[layout.word..][..WORD].copy_from_slice(&word.to_be_bytes());
        buffer[layout.mki..][..self.mki_len].copy_from_slice(&self.keys_of(number).mki);
        let plan = self.rtcp_plan(&layout, buffer, word, number, true);
        if self.profile.protection() == Protection::Aead && !is_encrypted {
            return Ok(plan.tag(TagPlace::Later(layout.tag)));
        }
        Ok(plan)
    }

    /// Puts the index to its place where it stood in that of the tag, to be authenticated.
    pub(super) fn protected_rtcp(&self, frame: &mut Frame<'_>, work: &Work) {
        if let TagPlace::Later(tag) = work.tag {
            let word = work.number as u32;
            let at = tag + self.profile.rtcp_tag_len();
            frame.buffer_mut()[at..at + WORD].copy_from_slice(&word.to_be_bytes());
        }
    }

    pub(super) fn unprotect_rtcp(
        &self,
        indices: Option<&Indices>,
        frame: &mut Frame<'_>,
    ) -> Result<Plan<'_>, PacketError> {
        let trailer = self.rtcp_trailer();
        has_at_least(frame.bytes(), RTCP_FIXED + trailer)?;
        check_version(frame.bytes())?;
        let layout = self.layout(frame.start(), frame.end() - trailer);
        let buffer = frame.buffer_mut();
        let key = self.receiving(&buffer[layout.mki..][..self.mki_len])?;
        let word = u32_at(buffer, layout.word);
        let index = u64::from(word & !ENCRYPTED);
        if let Some(indices) = indices {
            indices.check(true, index)?;
        }
        let number = SrtpContext::number(key, index);
        if self.profile.protection() == Protection::Aead && word & ENCRYPTED == 0 {
            let tag = &buffer[layout.tag..][..self.profile.rtcp_tag_len()];
            let tag: ArrayVec<u8, _> = tag.iter().copied().collect();
            let plan = self.rtcp_plan(&layout, buffer, word, number, false);
            return Ok(plan.tag(TagPlace::Expected(tag)));
        }
        Ok(self.rtcp_plan(&layout, buffer, word, number, false))
    }

    /// Returns the plan of a packet that has its whole trailer.
    ///
    /// An AEAD that does not encrypt authenticates the packet and the index, between which the tag
    /// will be. So the index is put there, and the caller puts the tag elsewhere for the job.
    fn rtcp_plan(
        &self,
        layout: &Layout,
        buffer: &mut [u8],
        word: u32,
        number: u64,
        protects: bool,
    ) -> Plan<'_> {
        let &Layout { start, end, tag, .. } = layout;
        let suite = &self.keys_of(number).rtcp;
        let session = if protects { &suite.protect } else { &suite.unprotect };
        let nonce = suite.nonce(u32_at(buffer, start + 4), u64::from(word & !ENCRYPTED));
        let is_encrypted = word & ENCRYPTED != 0;
        let text = if is_encrypted { start + RTCP_FIXED..end } else { end..end };
        let plan = match suite.protection {
            Protection::Aead if is_encrypted => {
                let header = &buffer[start..start + RTCP_FIXED];
                let associated = header.iter().copied().chain(word.to_be_bytes()).collect();
                Plan::aead(session, &nonce, text, tag).associated(Associated::Composed(associated))
            }
            Protection::Aead => {
                let behind = end + WORD;
                buffer[end..behind].copy_from_slice(&word.to_be_bytes());
                Plan::cipher(session, &nonce, behind..behind)
                    .associated(Associated::Before(start..behind))
            }
            Protection::Chain => Plan::chain(session, &nonce, text, start..end + WORD, tag),
            Protection::Mac => Plan::mac(session, &nonce, start..end + WORD, tag),
        };
        plan.number(number)
    }
}
