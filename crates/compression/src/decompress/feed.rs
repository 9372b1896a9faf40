//! From members to jobs.

use broadloom_engine::{Bytes, Data, Handle, Job, Operation};

use super::error::DecompressError;
use super::input::{Lend, Slice};
use super::members::{Member, Members};
use super::settings::Coding;
use crate::format::gzip::{TRAILER, Trailer};
use crate::format::{Cause, Format, FormatError, Part};
use crate::inflate::Inflater;
use crate::pipeline::{ChunkJob, Source};

/// A member that a provider decodes.
pub(super) struct MemberJob<'a> {
    pub(super) job: Job<'a>,
    /// What it is, and what is behind its deflate data. `None` before its first use.
    pub(super) member: Option<(Member, Option<Trailer>)>,
}

impl<'a> Handle<'a> for MemberJob<'a> {
    fn operation(&mut self) -> &mut Operation<'a> {
        self.job.operation()
    }
}

impl<'a> ChunkJob<'a> for MemberJob<'a> {}

/// Which members providers get.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) coding: Coding,
    /// The most bytes, compressed and uncompressed, of a member that says how many it stands for.
    pub(super) most: u64,
    /// The most bytes, compressed and uncompressed, that one that does not say may turn out to have.
    pub(super) most_unknown: u64,
}

impl Share {
    /// Whether a member is for a provider: where it ends is known, and it is not too large.
    pub(super) fn has(&self, member: &Member) -> bool {
        let Some(stream) = member.stream else { return false };
        match member.most_data() {
            Some(data) => data + stream as u64 <= self.most,
            // It is likely to stand for more bytes than it has.
            None => self.coding == Coding::Lz4 || stream as u64 <= self.most_unknown / 2,
        }
    }
}

/// Makes jobs of members, up to one that is not for a provider.
pub(super) struct Feed<'f, I> {
    pub(super) input: &'f mut I,
    pub(super) members: &'f mut Members,
    pub(super) share: Share,
    /// The member whose header was read last and that is still to be decoded.
    pub(super) next: &'f mut Option<Member>,
    /// Bytes that may still come out, by what the members say.
    pub(super) left: &'f mut u64,
    pub(super) limit: Option<u64>,
}

impl<'a, I: Lend<'a>> Source<MemberJob<'a>> for Feed<'_, I> {
    type Error = DecompressError;

    fn fill(&mut self, place: &mut MemberJob<'a>) -> Result<bool, DecompressError> {
        let member = match self.next.take() {
            Some(member) => member,
            None => match self.members.next(self.input)? {
                Some(member) => member,
                None => return Ok(false),
            },
        };
        let Some(stream) = member.stream.filter(|_| self.share.has(&member)) else {
            *self.next = Some(member);
            return Ok(false);
        };
        let unknown = match self.share.most_unknown.checked_sub(stream as u64) {
            None if member.most_data().is_none() => {
                return Err(DecompressError::Memory {
                    offset: member.start,
                    most: self.share.most_unknown,
                });
            }
            rest => rest.unwrap_or(0),
        };
        let used = place.job.set_data(Bytes::EMPTY.as_slice());
        let data = self.input.lend(stream, used)?;
        let trailer = match member.format {
            _ if data.as_slice().len() < stream => return Err(self.cut_off(&member, data.as_slice())),
            Format::Gzip | Format::Bgzf => match self.input.peek(TRAILER)?.first_chunk() {
                Some(trailer) => {
                    let trailer = Trailer::parse(trailer);
                    self.input.consume(TRAILER);
                    Some(trailer)
                }
                None => return Err(self.cut_off(&member, data.as_slice())),
            },
            _ => None,
        };
        place.job.set_data(Data::Read(data));
        // A trailer may say anything, a header only what its deflate data can stand for.
        let claimed = match (member.most_data(), trailer) {
            (Some(most), Some(trailer)) => Some(most.min(trailer.len.into())),
            (most, _) => most,
        };
        self.members.decoded(&member, claimed.unwrap_or(1));
        *self.left = match self.left.checked_sub(claimed.unwrap_or(0)) {
            Some(left) => left,
            None => {
                let (offset, limit) = (member.start, self.limit.unwrap_or(u64::MAX));
                return Err(DecompressError::OutputLimit { offset, limit });
            }
        };
        // Room for one byte more: so that data which are longer show it, and no decoder has none.
        place.job.set_room(claimed.and_then(|claimed| usize::try_from(claimed + 1).ok()));
        place.job.set_limit(claimed.map_or(unknown, |claimed| claimed + 1));
        place.member = Some((member, trailer));
        Ok(true)
    }
}

impl<'a, I: Lend<'a>> Feed<'_, I> {
    /// What is wrong first with a member of which all there is are `stream` and what the input still has.
    fn cut_off(&mut self, member: &Member, stream: &[u8]) -> DecompressError {
        let end = self.input.offset();
        let cut_off = |part| FormatError::new(end, Cause::Truncated(part)).into();
        if self.share.coding == Coding::Lz4 {
            return cut_off(Part::Lz4);
        }
        let mut whole = stream.to_vec();
        match self.input.peek(1) {
            Ok(rest) => whole.extend_from_slice(rest),
            Err(error) => return error,
        }
        let mut input = Slice::at(&whole, member.body);
        let decoded = Inflater::new().member(&mut input, member, |_, _| Ok(()));
        decoded.map_or_else(|error| error, |_| cut_off(Part::Deflate))
    }
}
