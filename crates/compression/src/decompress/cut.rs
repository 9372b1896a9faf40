//! Finds places where a member may be cut: behind markers, judged without decoding.

use memchr::memmem::Finder;

use super::error::DecompressError;
use super::input::Input;
use crate::format::MARKER;

/// Bytes that a piece has at least, unless it has [enough](Cutter::markers) markers.
const LEAST: usize = 16 << 10;
/// And then.
const LEAST_OF_MANY: usize = 512;
/// Bytes that are looked through for a marker: a chunk of 512 KiB that was stored has one within
/// them.
const MOST: usize = 600 << 10;
/// Bytes by which more and more of the input is looked at.
const MORE: usize = 64 << 10;
/// Markers that a piece has at most, where it is short.
const MARKERS: usize = 8;

/// A piece of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Its bytes.
    pub(super) len: usize,
    /// It ends with a marker, and not with the input.
    pub(super) at_marker: bool,
}

/// Cuts members into pieces.
pub(super) struct Cutter {
    marker: Finder<'static>,
    /// Markers that a short piece has at most.
    pub(super) markers: usize,
    /// Bytes that a piece has at most.
    most: usize,
    /// The input was looked through up to here without a marker being found.
    searched: u64,
    /// The member was cut somewhere.
    has_cut: bool,
}

impl Cutter {
    /// A cutter for pieces that may use so much memory, their data included.
    pub(super) fn new(memory: u64) -> Self {
        // The output is longer than the input.
        let most = MOST.min(usize::try_from(memory / 4).unwrap_or(MOST));
        Cutter { marker: Finder::new(&MARKER), markers: MARKERS, most, searched: 0, has_cut: false }
    }

    /// Another member begins.
    pub(super) fn begin(&mut self) {
        (self.markers, self.has_cut) = (MARKERS, false);
    }

    /// The next piece; `None` where no marker is near, or the input has ended. What is left of an
    /// input is a piece if there was another.
    pub(super) fn next(&mut self, input: &mut impl Input) -> Result<Option<Cut>, DecompressError> {
        let cut = self.find(input)?;
        match cut {
            Some(Cut { at_marker: false, .. }) if !self.has_cut => Ok(None),
            _ => {
                self.has_cut |= cut.is_some();
                Ok(cut)
            }
        }
    }

    fn find(&mut self, input: &mut impl Input) -> Result<Option<Cut>, DecompressError> {
        let start = input.offset();
        let mut searched =
            usize::try_from(self.searched.saturating_sub(start)).unwrap_or(usize::MAX);
        let mut wanted = LEAST.max(searched).min(self.most);
        let (mut markers, mut last) = (0, None);
        loop {
            let bytes = input.peek(wanted)?;
            let has_ended = bytes.len() < wanted;
            let bytes = &bytes[..bytes.len().min(self.most)];
            // The last bytes may be the beginning of a marker.
            let mut from = searched.min(bytes.len()).saturating_sub(MARKER.len() - 1);
            while let Some(at) = self.marker.find(&bytes[from..]) {
                from += at + MARKER.len();
                markers += 1;
                if from >= LEAST || (markers >= self.markers && from >= LEAST_OF_MANY) {
                    return Ok(Some(Cut { len: from, at_marker: true }));
                }
                last = Some(Cut { len: from, at_marker: true });
            }
            searched = bytes.len();
            if has_ended {
                let rest = Cut { len: bytes.len(), at_marker: false };
                return Ok((rest.len > 0).then_some(rest));
            }
            if searched == self.most {
                if last.is_none() {
                    self.searched = start + searched as u64;
                }
                return Ok(last);
            }
            wanted = (searched + MORE).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::{Slice, Stream};
    use super::*;

    fn cuts(input: &mut impl Input, cutter: &mut Cutter) -> Vec<(usize, bool)> {
        let mut cuts = Vec::new();
        while let Some(cut) = cutter.next(input).expect("slices can be read") {
            input.peek(cut.len).expect("slices can be read");
            input.consume(cut.len);
            cuts.push((cut.len, cut.at_marker));
        }
        cuts
    }

    /// Bytes without a marker, and markers that end at some places.
    fn marked(len: usize, ends: &[usize]) -> Vec<u8> {
        let mut bytes = vec![0x55; len];
        ends.iter().for_each(|&end| bytes[end - 4..end].copy_from_slice(&MARKER));
        bytes
    }

    #[test]
    fn pieces_are_not_too_short_and_end_with_markers() {
        let many: Vec<usize> = (1..=20).map(|index| 150_000 + index * 100).collect();
        let ends = [&[5, 20_000, 20_100, 36_383, 130_000, 150_000], many.as_slice()].concat();
        let bytes = marked(200_000, &ends);
        let expected = [
            (20_000, true),
            (16_383 + 93_617, true),
            (20_000, true),
            (800, true),
            (800, true),
            (48_400, false),
        ];
        assert_eq!(cuts(&mut Slice::new(&bytes), &mut Cutter::new(u64::MAX)), expected);
        assert_eq!(cuts(&mut Stream::new(&bytes[..]), &mut Cutter::new(u64::MAX)), expected);
        let mut single = Cutter { markers: 1, ..Cutter::new(u64::MAX) };
        let singly = cuts(&mut Slice::new(&bytes[150_000..]), &mut single);
        assert_eq!(singly[..3], [(600, true), (600, true), (600, true)]);
    }

    #[test]
    fn a_marker_is_seen_wherever_it_lies() {
        for end in (LEAST - 9..LEAST + 9).chain(LEAST + MORE - 9..LEAST + MORE + 9) {
            let bytes = marked(400_000, &[end]);
            let first = Cutter::new(u64::MAX).next(&mut Stream::new(&bytes[..]));
            // A single marker that is too near stays within the next piece.
            let cut = (end >= LEAST).then_some(Cut { len: end, at_marker: true });
            assert_eq!(first.expect("slices can be read"), cut, "{end}");
        }
    }

    #[test]
    fn one_that_is_too_far_is_not_looked_for() {
        let bytes = marked(2 * MOST, &[MOST + 1]);
        let mut input = Slice::new(&bytes);
        let mut cutter = Cutter::new(u64::MAX);
        assert_eq!(cutter.next(&mut input).expect("slices can be read"), None);
        input.consume(1);
        let cut = Some(Cut { len: MOST, at_marker: true });
        assert_eq!(cutter.next(&mut input).expect("slices can be read"), cut);
        let mut little = Cutter::new(40_000);
        assert_eq!(little.next(&mut Slice::new(&bytes)).expect("slices can be read"), None);
        assert_eq!(little.next(&mut Slice::new(&[])).expect("slices can be read"), None);
    }
}
