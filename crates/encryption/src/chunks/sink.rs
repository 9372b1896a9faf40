//! Where groups of chunks go.

use std::io::{IoSlice, Write};
use std::ops::Range;

use super::{Group, Report};
use crate::ends::{Output, WriteAt, write_all_vectored};
use crate::error::EncryptionError;

/// Where groups of chunks go.
pub(crate) struct GroupSink<'a> {
    pub(super) place: Place<'a>,
    pub(super) written: Written<'a>,
}

/// What threads know of an output, and what they write side by side.
pub(crate) struct Place<'a> {
    /// Where the first byte of the first chunk goes.
    start: u64,
    /// The bytes of the chunks that are wanted, counted from the first chunk's first.
    wanted: Range<u64>,
    /// Where groups are written by their place, unless they are written in their order.
    pub(super) places: Option<&'a dyn WriteAt>,
}

/// What threads use by turns.
pub(crate) struct Written<'a> {
    /// Where groups are written in their order.
    stream: Option<&'a mut (dyn Write + Send)>,
    /// What came of all groups so far.
    pub(super) report: Report,
}

impl<'a> GroupSink<'a> {
    /// An output that has `start` bytes already, and takes all others.
    pub(crate) fn new(output: Output<'a>, start: u64) -> Self {
        GroupSink::window(output, start, 0..u64::MAX)
    }

    /// An output that takes some of the bytes, at its beginning.
    pub(crate) fn window(output: Output<'a>, start: u64, wanted: Range<u64>) -> Self {
        let (stream, places) = match output {
            Output::Stream(stream) => (Some(stream), None),
            Output::Places(places) => (None, Some(places)),
        };
        let place = Place { start, wanted, places };
        GroupSink { place, written: Written { stream, report: Report::default() } }
    }
}

impl Place<'_> {
    /// Tells the output how many bytes to expect, if all chunks together have `len`.
    pub(super) fn expect(&self, len: u64) {
        if let Some(places) = self.places {
            let end = self.wanted.end.min(len);
            places.expect_len(self.start + end.saturating_sub(self.wanted.start));
        }
    }

    /// The wanted bytes of a group's chunks, and where the first is among all bytes.
    fn pieces<'g>(&self, chunk: usize, group: &'g Group) -> (u64, Vec<IoSlice<'g>>) {
        let wanted = &self.wanted;
        let offset = group.first * chunk as u64;
        let pieces = group.chunks().zip(group.first..).filter_map(|(bytes, number)| {
            let (offset, len) = (number * chunk as u64, bytes.len() as u64);
            let from = wanted.start.saturating_sub(offset).min(len);
            let to = wanted.end.saturating_sub(offset).min(len);
            (from < to).then(|| IoSlice::new(&bytes[from as usize..to as usize]))
        });
        (offset.max(wanted.start), pieces.collect())
    }

    /// Writes a group, whose chunks are `chunk` bytes apart, at its place, and returns its bytes.
    pub(super) fn write_at(
        &self,
        places: &dyn WriteAt,
        chunk: usize,
        group: &Group,
    ) -> Result<u64, EncryptionError> {
        let (offset, mut pieces) = self.pieces(chunk, group);
        let offset = self.start + offset - self.wanted.start;
        let len = bytes_of(&pieces);
        let written = places.write_all_vectored_at(&mut pieces, offset);
        written.map_err(|error| EncryptionError::Write { offset, error })?;
        Ok(len)
    }
}

impl Written<'_> {
    /// Writes a group, whose chunks are `chunk` bytes apart, in its turn, and returns its bytes.
    pub(super) fn write(
        &mut self,
        place: &Place<'_>,
        chunk: usize,
        group: &Group,
    ) -> Result<u64, EncryptionError> {
        let Some(stream) = &mut self.stream else { return Ok(0) };
        let (_, mut pieces) = place.pieces(chunk, group);
        let mut written = 0;
        match write_all_vectored(*stream, &mut pieces, &mut written) {
            Ok(()) => Ok(written),
            Err(error) => {
                let offset = place.start + self.report.output + written;
                Err(EncryptionError::Write { offset, error })
            }
        }
    }
}

impl broadloom_ordered::Sink<Result<Report, EncryptionError>> for Written<'_> {
    type Error = EncryptionError;

    /// Counts what came of a group.
    fn take(&mut self, done: Result<Report, EncryptionError>) -> Result<(), EncryptionError> {
        let Report { input, output } = done?;
        self.report.input += input;
        self.report.output += output;
        Ok(())
    }
}

/// Bytes in all the pieces.
fn bytes_of(pieces: &[IoSlice<'_>]) -> u64 {
    pieces.iter().map(|piece| piece.len() as u64).sum()
}
