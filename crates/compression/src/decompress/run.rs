//! One decompression, from its first member to its last.

use std::io::Write;

use super::collect::{Collect, Joined};
use super::cut::Cutter;
use super::error::DecompressError;
use super::feed::{Feed, Pieces, Share};
use super::input::Lend;
use super::members::{Member, Members};
use super::output::Output;
use super::{Decompressed, Decompressor};
use crate::inflate::{Begun, Inflater};
use crate::report::Report;

/// Members in a row that say how long they are go through threads, by jobs. So do pieces of other
/// members of gzip, as far as each turns out to begin between two blocks and to need nothing of
/// what is before it. The rest is decoded by the caller's own thread.
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
    /// Pieces that were decoded side by side.
    pieces: u64,
    cutter: Cutter,
    patience: Patience,
}

/// Whether it is worth the trouble to cut a member into pieces: threads are started for it, and
/// what they do behind the member's end is lost. After several short members in a row, more and
/// more of them are left out.
#[derive(Debug, Default)]
struct Patience {
    /// Members in a row that had few pieces.
    short: u32,
    /// Members to be left out.
    skip: u32,
}

/// Fewer pieces are few.
const FEW: u64 = 16;

impl Patience {
    fn allows(&mut self) -> bool {
        let allowed = self.skip == 0;
        self.skip = self.skip.saturating_sub(1);
        allowed
    }

    /// Takes note of a member that was cut into so many.
    fn saw(&mut self, pieces: u64) {
        self.short = if pieces < FEW { (self.short + 1).min(7) } else { 0 };
        self.skip = (1 << self.short >> 1) - u32::from(self.short > 0);
    }
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
            pieces: 0,
            cutter: Cutter::new(share.most_piece),
            patience: Patience::default(),
        })
    }

    /// Decompresses everything; `through` takes members that are for a provider from one end to the
    /// other.
    pub(super) fn finish(
        mut self,
        mut through: impl FnMut(Feed<'_, I>, &mut Collect<'_, W>) -> Result<(), DecompressError>,
    ) -> Result<Decompressed, DecompressError> {
        loop {
            self.decode_members(&mut through)?;
            self.decode_others(&mut through)?;
            if self.next.is_none() {
                break;
            }
        }
        if self.members.copies() {
            self.report.streams += self.output.copy(&mut self.input)?;
        }
        self.output.flush()?;
        let Run { input, output, members, mut report, alone, pieces, .. } = self;
        (report.input, report.output) = (input.offset(), output.written());
        Ok(Decompressed { pieces, ..Decompressed::new(report, alone, &members) })
    }

    /// Sends members that say their length through threads, up to a member that does not.
    fn decode_members(
        &mut self,
        through: &mut impl FnMut(Feed<'_, I>, &mut Collect<'_, W>) -> Result<(), DecompressError>,
    ) -> Result<(), DecompressError> {
        let Run { input, output, members, inflater, share, limit, next, left, report, .. } = self;
        let (joined, pieces) = (&mut Joined::default(), &Pieces::new());
        let coding = share.coding;
        let feed = Feed { input, pieces: None, members, share: *share, next, left, limit: *limit };
        through(feed, &mut Collect { output, inflater, coding, report, joined, pieces })
    }

    /// Takes pieces of a member through threads, as long as they turn out to be such. The input is
    /// then where the last of them ended.
    fn decode_pieces(
        &mut self,
        through: &mut impl FnMut(Feed<'_, I>, &mut Collect<'_, W>) -> Result<(), DecompressError>,
    ) -> Result<Begun, DecompressError> {
        let mut joined = Joined::default();
        self.cutter.begin();
        loop {
            let pieces = Pieces::new();
            let Run {
                input,
                output,
                members,
                inflater,
                share,
                limit,
                next,
                left,
                report,
                cutter,
                ..
            } = self;
            let feed = Feed {
                input,
                pieces: Some((cutter, &pieces)),
                members,
                share: *share,
                next,
                left,
                limit: *limit,
            };
            let coding = share.coding;
            let mut collect =
                Collect { output, inflater, coding, report, joined: &mut joined, pieces: &pieces };
            through(feed, &mut collect)?;
            self.input.put_back(&joined.rest);
            joined.rest = Vec::new();
            // Perhaps one chunk is not too long where several are.
            if std::mem::take(&mut joined.is_too_long) && self.cutter.markers > 1 {
                self.cutter.markers = 1;
                continue;
            }
            break;
        }
        self.patience.saw(joined.count);
        self.pieces += joined.count;
        Ok(joined.begun)
    }

    /// Decodes members that do not say their length, up to a member that does.
    fn decode_others(
        &mut self,
        through: &mut impl FnMut(Feed<'_, I>, &mut Collect<'_, W>) -> Result<(), DecompressError>,
    ) -> Result<(), DecompressError> {
        while let Some(member) = self.next.take_if(|member| !self.share.has(member)) {
            let member = self.members.believed(member, &mut self.input)?;
            let begun = match self.share.has_pieces_of(&member) && self.patience.allows() {
                true => self.decode_pieces(through)?,
                false => Begun::default(),
            };
            let Run { input, output, inflater, .. } = self;
            let write = |data: &[u8], offset| output.write(data, offset);
            let (lengths, _) = inflater.rest(input, &member, &begun, write)?;
            self.alone += u64::from(!begun.has_ended);
            self.report.streams += lengths.stream;
            self.left = self.output.left();
            self.members.decoded_alone(&member, lengths);
            self.report.chunks += 1;
            self.next = self.members.next(&mut self.input)?;
        }
        Ok(())
    }
}
