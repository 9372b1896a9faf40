//! What is checked of a job before a provider sees it.

use std::ops::Range;

use super::Operation;
use crate::algorithm::Row;
use crate::extra::Extra;
use crate::job_error::JobError;
use crate::parameters::Span;
use crate::session::rules::Rules;

/// What the parts of a job's data are for.
pub(crate) struct Ranges {
    /// The bytes that the cipher is for.
    pub ciphered: Range<usize>,
    /// Those that are hashed or authenticated; all, where that is not asked.
    pub hashed: Range<usize>,
}

impl Operation<'_> {
    /// That it was given nothing that its session has no use for.
    pub(crate) fn check_extras(&self, rules: &Rules) -> Result<(), JobError> {
        let has = |extra| match extra {
            // Empty associated data count as none. A signature is in the same place.
            Extra::Associated => {
                !self.extras.has(Extra::Signature) && !self.associated.as_slice().is_empty()
            }
            extra => self.extras.has(extra),
        };
        match Extra::ALL.into_iter().find(|extra| has(*extra) && !rules.takes.has(*extra)) {
            Some(extra) => {
                let (algorithm, direction) =
                    (self.session().algorithm(), self.session().direction());
                Err(JobError::NotTaken { extra, algorithm, direction })
            }
            None => Ok(()),
        }
    }

    /// All that its session asks of it, but for the length of its nonce. Returns the bytes that the
    /// cipher is for.
    pub(crate) fn check(&self, rules: &Rules) -> Result<Range<usize>, JobError> {
        let row = self.session().row();
        let nonce = self.nonce.as_slice();
        let len = self.data.len();
        let output_len = self.data.output_len();
        if rules.writes && output_len.is_none() {
            return Err(JobError::ReadOnly);
        }
        if let Some(destination_len) = output_len
            && destination_len != len
        {
            return Err(JobError::Lengths { source_len: len, destination_len });
        }
        check_nonce(row, nonce)?;
        let ranges = self.check_ranges(rules, len)?;
        let ciphered = ranges.ciphered.clone();
        if self.extras.has(Extra::Bits) {
            let len = if rules.writes { ciphered.len() } else { ranges.hashed.len() };
            if self.bits.div_ceil(8) != len {
                return Err(JobError::BitLength { bits: self.bits, len });
            }
        }
        if rules.writes {
            check_text(row, nonce, ciphered.len())?;
        }
        self.check_tag(rules, &ranges, len, output_len)?;
        Ok(ciphered)
    }

    /// That its ranges are within so many bytes, and the cipher's of a length that it takes.
    #[inline]
    pub(crate) fn check_ranges(&self, rules: &Rules, len: usize) -> Result<Ranges, JobError> {
        let ciphered = self.cipher.within(len, Extra::CipherRange)?;
        let hashed = self.mac.within(len, Extra::MacRange)?;
        if rules.writes && ciphered.len() & rules.granularity_mask != 0 {
            let granularity = rules.granularity_mask + 1;
            return Err(JobError::DataLength { len: ciphered.len(), granularity });
        }
        Ok(Ranges { ciphered, hashed })
    }

    /// That its tag is where it may be, in so many bytes to read or to write: not in what it is the
    /// tag of, nor where ciphertext goes; or was given, and has the length that the session's have.
    #[inline]
    pub(crate) fn check_tag(
        &self,
        rules: &Rules,
        ranges: &Ranges,
        len: usize,
        output_len: Option<usize>,
    ) -> Result<(), JobError> {
        let Some(at) = self.tag.at else {
            if rules.checks_tag && self.tag.given != rules.tag_len {
                let (len, valid) = (self.tag.given, rules.tag_len);
                return Err(JobError::TagLength { len, valid });
            }
            return Ok(());
        };
        let end = at.saturating_add(rules.tag_len);
        let room = if rules.checks_tag { len } else { output_len.ok_or(JobError::ReadOnlyTag)? };
        Span { start: at, end }.within(room, Extra::TagPlace)?;
        let overlaps = |range: &Range<usize>| at.max(range.start) < end.min(range.end);
        let covered = rules.covers_tag && ranges.ciphered.start <= at && end <= ranges.ciphered.end;
        let (range, other) = if rules.writes && !covered && overlaps(&ranges.ciphered) {
            (Extra::CipherRange, &ranges.ciphered)
        } else if rules.takes.has(Extra::MacRange) && overlaps(&ranges.hashed) {
            (Extra::MacRange, &ranges.hashed)
        } else {
            return Ok(());
        };
        let Range { start: range_start, end: range_end } = *other;
        Err(JobError::TagOverlap { start: at, end, range, range_start, range_end })
    }
}

/// Finds bits of a nonce that are no part of any field.
pub(super) fn check_nonce(row: &Row, nonce: &[u8]) -> Result<(), JobError> {
    for (at, (&byte, &mask)) in nonce.iter().zip(row.nonce_masks).enumerate() {
        if byte & !mask != 0 {
            return Err(JobError::NonceBits { at, byte, mask });
        }
    }
    Ok(())
}

/// Checks what an algorithm demands of the length of a text besides its granularity.
pub(super) fn check_text(row: &Row, nonce: &[u8], len: usize) -> Result<(), JobError> {
    let (min, max) = (row.min_len, row.max_len.of(nonce.len()));
    if len < min {
        return Err(JobError::TooShort { len, min });
    }
    if len as u64 > max {
        return Err(JobError::TooLong { len, max });
    }
    if let Some(first) = row.counter.of(nonce) {
        let blocks = len.div_ceil(row.block_len) as u64;
        if u64::from(first) + blocks > 1 << 32 {
            return Err(JobError::CounterWraps { first, blocks });
        }
    }
    Ok(())
}
