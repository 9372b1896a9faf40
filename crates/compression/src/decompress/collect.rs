//! From jobs to the output: what a provider made is checked before it is written.

use std::io::Write;

use broadloom_engine::{Data, JobError};

use super::error::DecompressError;
use super::feed::MemberJob;
use super::input::Slice;
use super::members::{Lengths, Member};
use super::output::Output;
use super::settings::Coding;
use crate::diagnose::{Finding, diagnose};
use crate::format::gzip::Trailer;
use crate::format::{Cause, FormatError};
use crate::inflate::Inflater;
use crate::pipeline::Sink;
use crate::report::Report;

/// Checks and writes.
pub(super) struct Collect<'c, W> {
    pub(super) output: &'c mut Output<W>,
    pub(super) inflater: &'c mut Inflater,
    pub(super) coding: Coding,
    pub(super) report: &'c mut Report,
}

impl<'a, W: Write> Sink<MemberJob<'a>> for Collect<'_, W> {
    type Error = DecompressError;

    fn take(&mut self, done: &mut MemberJob<'a>) -> Result<(), DecompressError> {
        let MemberJob { job, member } = done;
        let Some((member, trailer)) = member else { return Ok(()) };
        self.report.chunks += 1;
        self.report.overflows += u64::from(job.attempts().saturating_sub(1));
        if let Some(reason) = job.fell_back() {
            self.report.fallbacks += 1;
            self.report.first_fallback.get_or_insert(reason);
        }
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
                self.inflater.member(&mut input, member, |data, offset| output.write(data, offset))?;
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
    /// What is wrong with a member that a provider failed at, or with what the provider made of it: this
    /// thread's own decoder says so.
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
            None | Some(JobError::Malformed | JobError::Truncated | JobError::OutputLimit { .. }) => {}
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

/// A job's deflate data.
fn bytes<'d>(data: &'d Data<'_>) -> &'d [u8] {
    match data {
        Data::Read(bytes) => bytes.as_slice(),
        _ => &[],
    }
}
