//! One decompression, from its first member to its last.

use std::io::Write;

use super::collect::Collect;
use super::error::DecompressError;
use super::feed::{Feed, Share};
use super::input::Lend;
use super::members::{Member, Members};
use super::output::Output;
use super::{Decompressed, Decompressor};
use crate::inflate::Inflater;
use crate::report::Report;

/// Members in a row go through threads, by jobs; others are decoded by the caller's own, until there are again
/// such.
pub(super) struct Run<I, W> {
    input: I,
    output: Output<W>,
    members: Members,
    inflater: Inflater,
    share: Share,
    limit: Option<u64>,
    /// The member whose header was read last and that is still to be decoded.
    next: Option<Member>,
    /// Bytes that may still come out, by what the members say.
    left: u64,
    report: Report,
    alone: u64,
}

impl<'a, I: Lend<'a>, W: Write> Run<I, W> {
    pub(super) fn new(
        decompressor: &Decompressor,
        mut input: I,
        output: W,
        share: Share,
    ) -> Result<Self, DecompressError> {
        let settings = &decompressor.settings;
        let members = Members::new(settings.format, settings.garbage, &mut input)?;
        Ok(Run {
            input,
            output: Output::new(output, settings.limit),
            members,
            inflater: Inflater::new(),
            share,
            limit: settings.limit,
            next: None,
            left: settings.limit.unwrap_or(u64::MAX),
            report: Report::default(),
            alone: 0,
        })
    }

    /// Decompresses everything; `through` takes members that are for a provider from one end to the other.
    pub(super) fn finish(
        mut self,
        mut through: impl FnMut(Feed<'_, I>, &mut Collect<'_, W>) -> Result<(), DecompressError>,
    ) -> Result<Decompressed, DecompressError> {
        loop {
            let Run { input, output, members, inflater, share, limit, next, left, report, .. } =
                &mut self;
            let feed = Feed { input, members, share: *share, next, left, limit: *limit };
            let mut collect = Collect { output, inflater, coding: share.coding, report };
            through(feed, &mut collect)?;
            self.decode_alone()?;
            if self.next.is_none() {
                break;
            }
        }
        if self.members.copies() {
            self.report.streams += self.output.copy(&mut self.input)?;
        }
        self.output.flush()?;
        let Run { input, output, members, mut report, alone, .. } = self;
        (report.input, report.output) = (input.offset(), output.written());
        Ok(Decompressed::new(report, alone, &members))
    }

    /// Decodes members that are for this thread, up to one that is not.
    fn decode_alone(&mut self) -> Result<(), DecompressError> {
        while let Some(member) = self.next.take_if(|member| !self.share.has(member)) {
            let before = self.output.written();
            let output = &mut self.output;
            let (lengths, _) = self
                .inflater
                .member(&mut self.input, &member, |data, offset| output.write(data, offset))?;
            self.report.streams += lengths.stream;
            self.left = self.output.left();
            self.members.decoded(&member, self.output.written() - before);
            self.report.chunks += 1;
            self.alone += 1;
            self.next = self.members.next(&mut self.input)?;
        }
        Ok(())
    }
}
