//! Steps from frame to frame, and cuts frames into pieces. Every claim of a header is checked
//! before anything is done about it.

use broadloom_engine::{Bytes, Data};

use super::super::Format;
use super::Settings;
use super::piece::{self, Begin, End, Piece, What};
use crate::decompress::input::{Input, Lend};
use crate::decompress::{DecompressError, Garbage, Trailing};
use crate::format::lz4::{self, LEGACY_MAGIC};
use crate::format::{Cause, FormatError, Part, skippable, zstd};
use crate::pipeline::ChunkSource;

/// Bytes of a magic number.
const MAGIC: usize = 4;

/// Blocks that are there already become one part, of about so many bytes at most.
const PART: usize = 1 << 20;

/// Finds one frame after another.
pub(super) struct Frames<'i, I> {
    input: &'i mut I,
    settings: &'i Settings,
    /// Content of known length is passed over.
    skips: bool,
    within: Within,
    /// There was a frame.
    any: bool,
    trailing: Trailing,
}

/// Where the next byte is.
#[derive(Debug, Clone, Copy)]
enum Within {
    /// Between frames.
    Nothing,
    /// Between the blocks of a frame of LZ4.
    Lz4(lz4::Header),
    /// Between the blocks of a legacy frame.
    Legacy,
    /// Between the blocks of a frame of zstd.
    Zstd(zstd::Header),
}

/// What begins with a magic number.
enum Kind {
    Lz4,
    Legacy,
    Zstd,
    Skippable,
}

impl Kind {
    fn of(magic: [u8; MAGIC]) -> Option<Kind> {
        match magic {
            lz4::MAGIC => Some(Kind::Lz4),
            LEGACY_MAGIC => Some(Kind::Legacy),
            zstd::MAGIC => Some(Kind::Zstd),
            _ => skippable::begins(magic).then_some(Kind::Skippable),
        }
    }

    /// Returns `true` if less than a magic number may be the beginning of one.
    fn may_begin(start: &[u8]) -> bool {
        let known = [lz4::MAGIC, LEGACY_MAGIC, zstd::MAGIC];
        let skippable = (0..16).map(|kind| {
            let [a, b, c, d, ..] = skippable::header(kind, 0);
            [a, b, c, d]
        });
        known.into_iter().chain(skippable).any(|magic| magic.starts_with(start))
    }
}

impl<'i, I: Input> Frames<'i, I> {
    pub(super) fn new(input: &'i mut I, settings: &'i Settings, skips: bool) -> Self {
        let trailing = Trailing::default();
        Frames { input, settings, skips, within: Within::Nothing, any: false, trailing }
    }

    /// Bytes behind the last frame.
    pub(super) fn trailing(&self) -> Trailing {
        self.trailing
    }

    /// The error of an input that ends behind `seen` more bytes.
    fn cut(&self, seen: usize, part: Part) -> DecompressError {
        FormatError::new(self.input.offset() + seen as u64, Cause::Truncated(part)).into()
    }

    /// The next `N` bytes, consumed.
    fn bytes<const N: usize>(&mut self, part: Part) -> Result<[u8; N], DecompressError> {
        let next = self.input.peek(N)?;
        let Some(&bytes) = next.first_chunk() else {
            let seen = next.len();
            return Err(self.cut(seen, part));
        };
        self.input.consume(N);
        Ok(bytes)
    }

    /// Passes over `len` bytes.
    fn pass(&mut self, mut len: u64, part: Part) -> Result<(), DecompressError> {
        while len > 0 {
            let next = self.input.peek(1)?;
            let some = (next.len() as u64).min(len);
            if some == 0 {
                return Err(self.cut(0, part));
            }
            self.input.consume(some as usize);
            len -= some;
        }
        Ok(())
    }

    /// Has `parse` look at more and more of a header until it can tell.
    fn header<T>(
        &mut self,
        parse: impl Fn(&[u8]) -> Result<Option<T>, FormatError>,
    ) -> Result<T, DecompressError> {
        let start = self.input.offset();
        let mut wanted = MAGIC + 1;
        loop {
            let bytes = self.input.peek(wanted)?;
            if let Some(parsed) = parse(bytes).map_err(|error| error.from_start(start))? {
                return Ok(parsed);
            }
            let seen = bytes.len();
            if seen < wanted {
                return Err(self.cut(seen, Part::Header));
            }
            wanted = seen + 1;
        }
    }

    /// Returns what begins here, or `None` behind the last frame.
    fn kind(&mut self) -> Result<Option<Kind>, DecompressError> {
        loop {
            let next = self.input.peek(MAGIC)?;
            if let Some(kind) = next.first_chunk().and_then(|&magic| Kind::of(magic)) {
                return Ok(Some(kind));
            }
            let seen = next.len();
            if !self.any {
                return Err(match next.first_chunk() {
                    Some(&found) => {
                        FormatError::new(self.input.offset(), Cause::NoFrame { found }).into()
                    }
                    None => self.cut(seen, Part::Header),
                });
            }
            let garbage = (seen > 0).then(|| self.input.offset());
            if self.settings.copies() {
                self.trailing.garbage = garbage;
                return Ok(None);
            }
            // The input may go on behind zeros, with which tapes and block devices fill up.
            let next = self.input.peek(1)?;
            let zeros = next.iter().take_while(|&&byte| byte == 0).count();
            let found = next.get(zeros).copied();
            if zeros > 0 {
                self.input.consume(zeros);
                self.trailing.zeros += zeros as u64;
                continue;
            }
            let Some(found) = found else { return Ok(None) };
            if seen < MAGIC && Kind::may_begin(next) {
                return Err(self.cut(seen, Part::Header));
            }
            if self.settings.garbage == Garbage::Refuse {
                return Err(FormatError::new(self.input.offset(), Cause::Behind(found)).into());
            }
            self.trailing.garbage = garbage;
            return Ok(None);
        }
    }

    /// Refuses a frame of another format than the one that was asked for.
    fn refuse_other(&self, found: Format) -> Result<(), DecompressError> {
        match self.settings.format.filter(|&wanted| wanted != found) {
            Some(wanted) => {
                let cause = Cause::OtherFrame { wanted, found };
                Err(FormatError::new(self.input.offset(), cause).into())
            }
            None => Ok(()),
        }
    }

    /// Goes to the next frame, and gives its beginning; `None` behind the last one.
    fn next_frame(&mut self) -> Result<Option<Begin>, DecompressError> {
        while let Some(kind) = self.kind()? {
            self.any = true;
            let offset = self.input.offset();
            let (within, begin) = match kind {
                Kind::Skippable => {
                    let header: [u8; skippable::HEADER] = self.bytes(Part::Header)?;
                    self.pass(skippable::content(&header).into(), Part::Skippable)?;
                    continue;
                }
                Kind::Lz4 => {
                    self.refuse_other(Format::Lz4)?;
                    let (header, len) = self.header(lz4::Header::parse)?;
                    self.input.consume(len);
                    let is_summed = header.has_content_checksum;
                    let (format, content) = (Format::Lz4, header.content);
                    (Within::Lz4(header), Begin { format, offset, content, is_summed })
                }
                Kind::Legacy => {
                    self.refuse_other(Format::Lz4)?;
                    self.input.consume(MAGIC);
                    let begin =
                        Begin { format: Format::Lz4, offset, content: None, is_summed: false };
                    (Within::Legacy, begin)
                }
                Kind::Zstd => {
                    self.refuse_other(Format::Zstd)?;
                    let header = self.header(zstd::Header::parse)?;
                    self.allow(&header)?;
                    let (format, content) = (Format::Zstd, header.content);
                    (Within::Zstd(header), Begin { format, offset, content, is_summed: false })
                }
            };
            self.within = within;
            return Ok(Some(begin));
        }
        Ok(None)
    }

    /// Refuses a frame that needs more memory than is allowed, or that this build does not read.
    fn allow(&self, header: &zstd::Header) -> Result<(), DecompressError> {
        let (window, most) = (header.window, self.settings.window);
        let cause = if !Format::Zstd.is_available() {
            Cause::NoZstd
        } else if window > most {
            Cause::FrameWindow { window, most }
        } else {
            return Ok(());
        };
        Err(FormatError::new(self.input.offset(), cause).into())
    }

    /// The length of a frame of zstd that begins here, and that of its content, if a job may have
    /// both.
    fn whole(&mut self, header: &zstd::Header) -> Result<Option<(usize, usize)>, DecompressError> {
        let share = self.settings.share();
        let Some(content) = header.content.filter(|&content| content <= share) else {
            return Ok(None);
        };
        let start = self.input.offset();
        let mut len = header.len;
        loop {
            let next = self.input.peek(len + zstd::BLOCK_HEADER)?;
            let Some(&bytes) = next.get(len..).and_then(|rest| rest.first_chunk()) else {
                let seen = next.len();
                return Err(self.cut(seen, Part::Block));
            };
            let block = zstd::Block::parse(bytes, header.most_block())
                .map_err(|error| error.from_start(start + len as u64))?;
            len += zstd::BLOCK_HEADER + block.len;
            if len as u64 + content > share {
                return Ok(None);
            }
            if block.is_last {
                len += if header.has_checksum { zstd::CHECKSUM } else { 0 };
                return Ok(Some((len, content as usize)));
            }
        }
    }

    /// Passes over the blocks of a frame of zstd.
    fn pass_zstd(&mut self, header: &zstd::Header) -> Result<(), DecompressError> {
        self.input.consume(header.len);
        loop {
            let start = self.input.offset();
            let block = zstd::Block::parse(self.bytes(Part::Block)?, header.most_block())
                .map_err(|error| error.from_start(start))?;
            self.pass(block.len as u64, Part::Block)?;
            if block.is_last {
                let sum = if header.has_checksum { zstd::CHECKSUM } else { 0 };
                return self.pass(sum as u64, Part::Checksum);
            }
        }
    }

    /// Passes over the blocks of a frame of LZ4.
    fn pass_lz4(&mut self, header: &lz4::Header) -> Result<(), DecompressError> {
        loop {
            let start = self.input.offset();
            let block = lz4::Block::parse(self.bytes(Part::Block)?, header.block)
                .map_err(|error| error.from_start(start))?;
            match block {
                lz4::Block::Data { len, .. } => {
                    let sum = if header.has_block_checksums { lz4::CHECKSUM } else { 0 };
                    self.pass((len + sum) as u64, Part::Block)?;
                }
                lz4::Block::End => {
                    let sum = if header.has_content_checksum { lz4::CHECKSUM } else { 0 };
                    return self.pass(sum as u64, Part::Checksum);
                }
            }
        }
    }

    /// The next part of a frame of zstd, of which `before` bytes of header are not consumed yet:
    /// its bytes, and whether the frame ends with it. `ends` gets the ends of its blocks. As many
    /// blocks as are there already, and one at least, so that what comes slowly is not kept
    /// waiting.
    fn part(
        &mut self,
        header: &zstd::Header,
        before: usize,
        ends: &mut Vec<usize>,
    ) -> Result<(usize, bool), DecompressError> {
        ends.clear();
        let start = self.input.offset();
        let next = self.input.peek(before + zstd::BLOCK_HEADER)?;
        let mut len = before;
        loop {
            let Some(&bytes) = next.get(len..).and_then(|rest| rest.first_chunk()) else {
                let seen = next.len();
                return if len > before {
                    Ok((len, false))
                } else {
                    Err(self.cut(seen, Part::Block))
                };
            };
            let block = zstd::Block::parse(bytes, header.most_block())
                .map_err(|error| error.from_start(start + len as u64))?;
            let end = len + zstd::BLOCK_HEADER + block.len;
            if len > before && (end > next.len() || end > PART) {
                return Ok((len, false));
            }
            ends.push(end);
            if block.is_last && header.has_checksum {
                ends.push(end + zstd::CHECKSUM);
                return Ok((end + zstd::CHECKSUM, true));
            }
            if block.is_last {
                return Ok((end, true));
            }
            len = end;
        }
    }
}

impl<'a, I: Lend<'a>> Frames<'_, I> {
    /// Has a piece take the next `len` bytes.
    fn lend(
        &mut self,
        piece: &mut Piece<'a>,
        len: usize,
        part: Part,
    ) -> Result<(), DecompressError> {
        piece.offset = self.input.offset();
        let used = std::mem::replace(&mut piece.bytes, Bytes::EMPTY);
        piece.bytes = self.input.lend(len, Data::Read(used))?;
        match piece.bytes.as_slice().len() {
            lent if lent < len => Err(self.cut(0, part)),
            _ => Ok(()),
        }
    }

    fn end(&mut self, piece: &mut Piece<'a>, sum: Option<u32>) {
        piece.ends = Some(End { offset: self.input.offset(), sum });
        self.within = Within::Nothing;
    }

    fn fill_lz4(
        &mut self,
        piece: &mut Piece<'a>,
        header: lz4::Header,
    ) -> Result<(), DecompressError> {
        let start = self.input.offset();
        let block = lz4::Block::parse(self.bytes(Part::Block)?, header.block)
            .map_err(|error| error.from_start(start))?;
        match block {
            lz4::Block::End => {
                let sum = match header.has_content_checksum {
                    true => Some(u32::from_le_bytes(self.bytes(Part::Checksum)?)),
                    false => None,
                };
                self.end(piece, sum);
            }
            lz4::Block::Data { len, is_stored } => {
                self.lend(piece, len, Part::Block)?;
                let sum = match header.has_block_checksums {
                    true => Some(u32::from_le_bytes(self.bytes(Part::Checksum)?)),
                    false => None,
                };
                let (most, is_linked) = (header.block, !header.is_independent);
                piece.what = What::Block(piece::Block { most, is_stored, is_linked, sum });
            }
        }
        Ok(())
    }

    fn fill_legacy(&mut self, piece: &mut Piece<'a>) -> Result<(), DecompressError> {
        let next = self.input.peek(lz4::BLOCK_HEADER)?;
        let Some(&word) = next.first_chunk() else {
            if !next.is_empty() {
                let seen = next.len();
                return Err(self.cut(seen, Part::Block));
            }
            self.end(piece, None);
            return Ok(());
        };
        let len = u32::from_le_bytes(word) as usize;
        // The beginning of another frame is longer than a block can be. So is most of what may
        // follow otherwise, except for zeros.
        if len == 0 || len > lz4::most_legacy() {
            self.end(piece, None);
            return Ok(());
        }
        self.input.consume(lz4::BLOCK_HEADER);
        self.lend(piece, len, Part::Block)?;
        let most = lz4::LEGACY_BLOCK;
        piece.what =
            What::Block(piece::Block { most, is_stored: false, is_linked: false, sum: None });
        Ok(())
    }

    fn fill_zstd(
        &mut self,
        piece: &mut Piece<'a>,
        header: zstd::Header,
    ) -> Result<(), DecompressError> {
        let begins = piece.begins.is_some();
        if let Some((len, content)) = if begins { self.whole(&header)? } else { None } {
            self.lend(piece, len, Part::Block)?;
            piece.what = What::Frame(content);
            self.end(piece, None);
            return Ok(());
        }
        let before = if begins { header.len } else { 0 };
        let (len, is_last) = self.part(&header, before, &mut piece.ends_of_blocks)?;
        self.lend(piece, len, Part::Block)?;
        piece.what = What::Part;
        if is_last {
            self.end(piece, None);
        }
        Ok(())
    }

    /// Passes over a frame whose content has a known length.
    fn skip(&mut self, piece: &mut Piece<'a>, content: u64) -> Result<(), DecompressError> {
        match self.within {
            Within::Lz4(header) => self.pass_lz4(&header)?,
            Within::Zstd(header) => self.pass_zstd(&header)?,
            // Others have no known length.
            Within::Nothing | Within::Legacy => {}
        }
        piece.offset = self.input.offset();
        piece.bytes = Bytes::EMPTY;
        piece.what = What::Skipped(content);
        self.end(piece, None);
        Ok(())
    }
}

impl<'a, I: Lend<'a>> ChunkSource<Piece<'a>> for &mut Frames<'_, I> {
    type Error = DecompressError;

    fn fill(&mut self, piece: &mut Piece<'a>) -> Result<bool, DecompressError> {
        (piece.begins, piece.what, piece.ends) = (None, What::Nothing, None);
        if let Within::Nothing = self.within {
            let Some(begin) = self.next_frame()? else { return Ok(false) };
            piece.begins = Some(begin);
            if let Some(content) = begin.content.filter(|_| self.skips) {
                self.skip(piece, content)?;
                return Ok(true);
            }
        }
        match self.within {
            Within::Nothing => unreachable!("a frame begins"),
            Within::Lz4(header) => self.fill_lz4(piece, header)?,
            Within::Legacy => self.fill_legacy(piece)?,
            Within::Zstd(header) => self.fill_zstd(piece, header)?,
        }
        Ok(true)
    }
}
