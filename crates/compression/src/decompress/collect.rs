//! Takes jobs to the output: checks the data that a provider made, then writes them.
//!
//! The checksum of a member in pieces comes behind all its data. So these data are written before
//! their checksum is checked, as in every gzip.

use std::io::Write;
use std::sync::atomic::Ordering;

use broadloom_engine::{Checksum, Data, Job, JobError};

use super::error::DecompressError;
use super::feed::{MemberJob, Piece, Pieces, What};
use super::input::Slice;
use super::members::{Lengths, Member};
use super::output::Output;
use super::seal::Seal;
use super::settings::Coding;
use crate::diagnose::{Finding, diagnose};
use crate::format::gzip::Trailer;
use crate::format::{Cause, FormatError};
use crate::inflate::{Begun, Inflater};
use crate::pipeline::ChunkSink;
use crate::report::Report;

/// Checks and writes.
pub(super) struct Collect<'c, W> {
    pub(super) output: &'c mut Output<W>,
    pub(super) inflater: &'c mut Inflater,
    pub(super) coding: Coding,
    pub(super) report: &'c mut Report,
    /// The state of a member's pieces, if it has any.
    pub(super) joined: &'c mut Joined,
    pub(super) pieces: &'c Pieces,
}

/// The pieces of a member, put together as far as each begins where the one before ends.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) begun: Begun,
    /// How many.
    pub(super) count: u64,
    /// Bytes read behind them, to be decoded in another way.
    pub(super) rest: Vec<u8>,
    /// The piece behind them has more data than a piece may have.
    pub(super) is_too_long: bool,
}

impl<'a, W: Write> ChunkSink<MemberJob<'a>> for Collect<'_, W> {
    type Error = DecompressError;

    fn take(&mut self, done: &mut MemberJob<'a>) -> Result<(), DecompressError> {
        let MemberJob { job, what } = done;
        let (member, trailer) = match what {
            What::Nothing => return Ok(()),
            What::Piece(piece) => return self.join(job, *piece),
            What::Member(member, trailer) => (member, trailer),
        };
        self.report.chunks += 1;
        self.count(job);
        let stream = bytes(job.data());
        let offset = member.body + stream.len() as u64;
        self.report.streams += stream.len() as u64;
        let is_unknown = member.most_data().is_none();
        match (job.status(), job.output()) {
            (Some(Ok(())), Some(data)) => {
                let lengths = Lengths { stream: job.consumed() as u64, data: data.len() as u64 };
                let sound = member.check(lengths).is_ok()
                    && trailer.is_none_or(|trailer| trailer.is_of(job.checksum(), lengths.data));
                match sound {
                    true => self.output.write(data, offset),
                    false => Err(self.doubt(member, *trailer, stream, None)),
                }
            }
            // More than a job may have, but perhaps not more than the output.
            (Some(Err(JobError::OutputLimit { .. })), _)
                if is_unknown && self.coding == Coding::Deflate =>
            {
                let mut input = Slice::at(stream, member.body);
                let output = &mut *self.output;
                self.inflater
                    .member(&mut input, member, |data, offset| output.write(data, offset))?;
                Ok(())
            }
            (Some(Err(JobError::OutputLimit { limit })), _) if is_unknown => {
                let most = limit + stream.len() as u64;
                Err(DecompressError::Memory { offset: member.start, most })
            }
            (status, _) => {
                let error = status.and_then(Result::err).unwrap_or(JobError::NotDone);
                Err(self.doubt(member, *trailer, stream, Some(error)))
            }
        }
    }
}

impl<W: Write> Collect<'_, W> {
    /// Counts what happened to a job.
    fn count(&mut self, job: &Job<'_>) {
        self.report.overflows += u64::from(job.attempts().saturating_sub(1));
        if let Some(reason) = job.fell_back() {
            self.report.fallbacks += 1;
            self.report.first_fallback.get_or_insert(reason);
        }
    }

    /// Writes the data of a piece that begins where the one before it ended, if it ends between two
    /// blocks, too, or with the member. Otherwise what was read of the member from there on is
    /// kept, and no more is read.
    fn join(&mut self, job: &Job<'_>, piece: Piece) -> Result<(), DecompressError> {
        let Piece { start, len, .. } = piece;
        let stream = &bytes(job.data())[..len];
        if self.pieces.is_stopped() {
            self.joined.rest.extend_from_slice(stream);
            return Ok(());
        }
        self.count(job);
        match job.status() {
            Some(Ok(())) => {}
            Some(Err(JobError::OutputLimit { .. })) => self.joined.is_too_long = true,
            Some(Err(JobError::Malformed | JobError::Truncated)) => {}
            status => {
                let error = status.and_then(Result::err).unwrap_or(JobError::NotDone);
                return Err(DecompressError::Provider { offset: start, error });
            }
        }
        let (joined, pieces) = (&mut *self.joined, self.pieces);
        let found = joins(job, piece, &pieces.seal);
        // Data that do not match the trailer are decoded again before they are written.
        let Some(found) = found.filter(|found| found.fits(&joined.begun, stream)) else {
            pieces.stopped.store(true, Ordering::Relaxed);
            joined.rest.extend_from_slice(stream);
            return Ok(());
        };
        self.output.write(found.data, start + found.consumed as u64)?;
        pieces.longest.fetch_max(found.data.len() as u64, Ordering::Relaxed);
        joined.begun.add(found.consumed, found.data, found.crc);
        joined.count += 1;
        if found.is_last {
            joined.begun.has_ended = true;
            pieces.stopped.store(true, Ordering::Relaxed);
            joined.rest.extend_from_slice(&stream[found.consumed..]);
        }
        Ok(())
    }

    /// Has this thread's own decoder say what is wrong with a member at which a provider failed, or
    /// with the provider's output.
    fn doubt(
        &mut self,
        member: &Member,
        trailer: Option<Trailer>,
        stream: &[u8],
        error: Option<JobError>,
    ) -> DecompressError {
        let provider = |error| match error {
            Some(error) => DecompressError::Provider { offset: member.start, error },
            None => DecompressError::WrongResult { offset: member.start },
        };
        match error {
            None
            | Some(JobError::Malformed | JobError::Truncated | JobError::OutputLimit { .. }) => {}
            Some(_) => return provider(error),
        }
        if self.coding == Coding::Lz4 {
            return FormatError::new(member.body, Cause::Lz4).into();
        }
        let mut whole = stream.to_vec();
        whole.extend(trailer.into_iter().flat_map(Trailer::to_bytes));
        let mut input = Slice::at(&whole, member.body);
        match self.inflater.member(&mut input, member, |_, _| Ok(())) {
            Ok(_) => provider(error),
            Err(DecompressError::Format(FormatError { cause: Cause::Deflate(_), .. })) => {
                match diagnose(stream) {
                    Finding::Wrong(wrong) => wrong.from_start(member.body).into(),
                    Finding::Sound { .. } => provider(error),
                }
            }
            Err(wrong) => wrong,
        }
    }
}

/// The data of a piece that was decoded as the member's own decoder would have.
struct Found<'d> {
    data: &'d [u8],
    crc: u32,
    /// Bytes of the piece.
    consumed: usize,
    /// The member's final block is in it.
    is_last: bool,
}

impl Found<'_> {
    /// Returns `true` if the trailer, if it is in the piece, matches the member whose data end with
    /// these.
    fn fits(&self, begun: &Begun, piece: &[u8]) -> bool {
        let Some(trailer) = piece[self.consumed..].first_chunk().filter(|_| self.is_last) else {
            return true;
        };
        let len = self.data.len() as u64;
        let crc = Checksum::Crc32.combine(begun.crc, self.crc, len);
        Trailer::parse(trailer).is_of(Some(crc), begun.lengths.data + len)
    }
}

/// The data of a piece, if it ends with the member or between two blocks.
fn joins<'j>(job: &'j Job<'_>, piece: Piece, seal: &Seal) -> Option<Found<'j>> {
    let Piece { len, is_sealed, .. } = piece;
    let (data, crc, consumed) = (job.output()?, job.checksum()?, job.consumed());
    if consumed <= len {
        // Nothing behind the piece had to do with it.
        return Some(Found { data, crc, consumed, is_last: true });
    }
    let ends = is_sealed && consumed == len + Seal::LEN;
    let data = seal.open(data).filter(|_| ends)?;
    Some(Found { data, crc: seal.crc(crc), consumed: len, is_last: false })
}

/// A job's deflate data.
fn bytes<'d>(data: &'d Data<'_>) -> &'d [u8] {
    match data {
        Data::Read(bytes) => bytes.as_slice(),
        _ => &[],
    }
}
