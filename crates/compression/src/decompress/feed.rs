//! Turns members, and pieces of members, into jobs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use broadloom_engine::{Bytes, Contents, Data, Handle, Job};

use super::cut::{Cut, Cutter};
use super::error::DecompressError;
use super::input::{Input, Lend, Slice};
use super::members::{Member, Members};
use super::seal::Seal;
use super::settings::Coding;
use crate::format::gzip::{TRAILER, Trailer};
use crate::format::{Cause, Format, FormatError, Part};
use crate::inflate::Inflater;
use crate::pipeline::{ChunkJob, ChunkSource};

/// Bytes of data for which there is room at first, for each compressed byte of a piece.
const USUAL_RATIO: u64 = 4;

/// A member, or a piece of one, that a provider decodes.
pub(super) struct MemberJob<'a> {
    pub(super) job: Job<'a>,
    pub(super) what: What,
}

/// The data that a job decodes.
pub(super) enum What {
    /// Nothing yet.
    Nothing,
    /// A member, and what is behind its deflate data.
    Member(Member, Option<Trailer>),
    /// A piece of a member, perhaps with a seal behind it.
    Piece(Piece),
}

/// A piece of a member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// Where it begins, in bytes of the input.
    pub(super) start: u64,
    /// Its bytes.
    pub(super) len: usize,
    pub(super) is_sealed: bool,
}

impl<'a> Handle<'a> for MemberJob<'a> {
    fn contents(&mut self) -> &mut Contents<'a> {
        self.job.contents()
    }
}

impl<'a> ChunkJob<'a> for MemberJob<'a> {}

/// Which members providers get.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) coding: Coding,
    /// The most bytes, compressed and uncompressed, of a member that says how many it stands for.
    pub(super) most: u64,
    /// The maximum length, compressed and uncompressed, of a member that does not say its length.
    pub(super) most_unknown: u64,
    /// The most bytes, compressed and uncompressed, of a piece of a member.
    pub(super) most_piece: u64,
}

impl Share {
    /// Returns `true` if a member is for a provider: where it ends is known, and it is not too
    /// large.
    pub(super) fn has(&self, member: &Member) -> bool {
        let Some(stream) = member.stream else { return false };
        match member.most_data() {
            Some(data) => data + stream as u64 <= self.most,
            // Its data are probably longer than the member itself.
            None => self.coding == Coding::Lz4 || stream as u64 <= self.most_unknown / 2,
        }
    }

    /// Returns `true` if pieces of a member may be for a provider.
    pub(super) fn has_pieces_of(&self, member: &Member) -> bool {
        self.coding == Coding::Deflate && member.format == Format::Gzip && member.stream.is_none()
    }
}

/// The state of a member's pieces that both ends of the threads share.
pub(super) struct Pieces {
    pub(super) seal: Seal,
    /// No more pieces are wanted: the member has ended, or one of them is none.
    pub(super) stopped: AtomicBool,
    /// The most data that a piece had.
    pub(super) longest: AtomicU64,
}

impl Pieces {
    pub(super) fn new() -> Self {
        Pieces { seal: Seal::new(), stopped: AtomicBool::new(false), longest: AtomicU64::new(0) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Makes jobs from members, up to a member that no provider takes, or from the pieces of one
/// member.
pub(super) struct Feed<'f, I> {
    pub(super) input: &'f mut I,
    /// Where pieces are wanted: what cuts them, and what is known of them.
    pub(super) pieces: Option<(&'f mut Cutter, &'f Pieces)>,
    pub(super) members: &'f mut Members,
    pub(super) share: Share,
    /// The member whose header was read last and that is still to be decoded.
    pub(super) next: &'f mut Option<Member>,
    /// Bytes that may still come out, by what the members say.
    pub(super) left: &'f mut u64,
    pub(super) limit: Option<u64>,
}

impl<'a, I: Lend<'a>> ChunkSource<MemberJob<'a>> for Feed<'_, I> {
    type Error = DecompressError;

    fn fill(&mut self, place: &mut MemberJob<'a>) -> Result<bool, DecompressError> {
        if let Some((cutter, pieces)) = &mut self.pieces {
            return cut(self.input, cutter, pieces, self.share.most_piece, place);
        }
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
        if self.members.may_be_foreign() && !self.members.ends(&member, self.input)? {
            self.input.put_back(data.as_slice());
            *self.next = Some(member.doubted());
            return Ok(false);
        }
        let trailer = match member.format {
            _ if data.as_slice().len() < stream => {
                return Err(self.cut_off(&member, data.as_slice()));
            }
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
        // A trailer may claim any length, a header only lengths that its deflate data can have.
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
        place.what = What::Member(member, trailer);
        Ok(true)
    }
}

/// Makes a job of the next piece, which may take so many bytes with its data.
fn cut(
    input: &mut impl Input,
    cutter: &mut Cutter,
    pieces: &Pieces,
    most: u64,
    place: &mut MemberJob<'_>,
) -> Result<bool, DecompressError> {
    if pieces.is_stopped() {
        return Ok(false);
    }
    let start = input.offset();
    let Some(Cut { len, at_marker }) = cutter.next(input)? else { return Ok(false) };
    let mut memory = match place.job.set_data(Bytes::EMPTY.as_slice()) {
        Data::Read(Bytes::Owned(memory)) => memory,
        _ => Vec::new(),
    };
    memory.clear();
    memory.reserve(len + Seal::LEN);
    memory.extend_from_slice(&input.peek(len)?[..len]);
    input.consume(len);
    if at_marker {
        memory.extend_from_slice(pieces.seal.block());
    }
    place.job.set_data(Data::Read(Bytes::Owned(memory)));
    let most = most.saturating_sub(len as u64).max(1);
    // As much as any piece so far had, for chunks tend to be of one length.
    let longest = pieces.longest.load(Ordering::Relaxed).max(len as u64 * USUAL_RATIO);
    let room = longest.saturating_add(Seal::LEN as u64).min(most);
    place.job.set_room(usize::try_from(room).ok());
    place.job.set_limit(most);
    place.what = What::Piece(Piece { start, len, is_sealed: at_marker });
    Ok(true)
}

impl<'a, I: Lend<'a>> Feed<'_, I> {
    /// The first error in a member that consists of `stream` and the rest of the input.
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
