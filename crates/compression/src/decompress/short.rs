//! Short inputs: one member, decoded by one job of a processor that is kept.

use broadloom_engine::{Checksum, Job};

use super::settings::Coding;
use super::{Decompressed, Decompressor};
use crate::format::gzip::{self, Extent, Trailer};
use crate::format::{Detected, Format, detect, is_plausible, zlib};
use crate::report::Report;
use crate::scratch::Scratch;

/// The longest input that is short, in bytes.
const SHORT: usize = 256 << 10;
/// The most data that a short input becomes, in bytes. More goes in a window, or through threads.
const MOST_DATA: u64 = 4 << 20;

/// The parts of an input that is one member.
struct Whole<'i> {
    stream: &'i [u8],
    check: Check,
}

/// What is behind the deflate data.
enum Check {
    /// A trailer of gzip.
    Gzip(Trailer),
    /// An Adler-32.
    Zlib(u32),
}

impl Decompressor {
    /// Decompresses a short input that is one sound member, and appends the data to `output`.
    /// Returns `None`, and leaves `output` as it was, where it is anything else, or where the
    /// settings or the provider ask for another way.
    pub(super) fn decompress_short(
        &self,
        scratch: &mut Scratch,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Option<Decompressed> {
        let is_for_this =
            input.len() <= SHORT && self.coding == Coding::Deflate && self.settings.cores.is_none();
        let Whole { stream, check } = parts(self.settings.format, input).filter(|_| is_for_this)?;
        let most = self.settings.limit.map_or(MOST_DATA, |limit| limit.min(MOST_DATA));
        let mut job = Job::new(&self.session, stream);
        if let Check::Gzip(Trailer { len, .. }) = check {
            let len = u64::from(len);
            if len > most || !is_plausible(stream.len() as u64, len) {
                return None;
            }
            // Room for one byte more: so that data which are longer show it.
            job.set_room(Some(len as usize + 1));
        }
        job.set_limit(most + 1);
        job.set_output_buffer(scratch.take());
        scratch.processor.process_many(std::slice::from_mut(&mut job));
        let is_sound = job.succeeded() && job.consumed() == stream.len();
        let (overflows, fell_back) = (job.attempts().saturating_sub(1), job.fell_back());
        let checksum = job.checksum();
        let data = job.take_output();
        let matches = match check {
            Check::Gzip(trailer) => trailer.is_of(checksum, data.len() as u64),
            Check::Zlib(stored) => Checksum::Adler32.of(&data) == Some(stored),
        };
        let is_right = is_sound && matches && data.len() as u64 <= most;
        if !is_right || output.try_reserve(data.len()).is_err() {
            scratch.keep(data);
            return None;
        }
        output.extend_from_slice(&data);
        let report = Report {
            input: input.len() as u64,
            output: data.len() as u64,
            streams: stream.len() as u64,
            chunks: 1,
            overflows: overflows.into(),
            fallbacks: fell_back.is_some().into(),
            first_fallback: fell_back,
            ..Report::default()
        };
        scratch.keep(data);
        Some(Decompressed { report, ..Decompressed::default() })
    }
}

/// The parts of an input, if it is one member of a format that is named or found out, and its
/// header says nothing of lengths.
fn parts(format: Option<Format>, input: &[u8]) -> Option<Whole<'_>> {
    let format = match format {
        Some(format) => format,
        None => match detect(input).ok()?? {
            Detected::Gzip => Format::Gzip,
            Detected::Zlib => Format::Zlib,
            Detected::Bgzf | Detected::BroadloomGzip => return None,
        },
    };
    match format {
        Format::Gzip => {
            let header = gzip::Header::parse(input).ok()??;
            if header.extent != Extent::Unknown {
                return None;
            }
            let (stream, trailer) = input[header.len..].split_last_chunk()?;
            Some(Whole { stream, check: Check::Gzip(Trailer::parse(trailer)) })
        }
        Format::Zlib => {
            zlib::Header::parse(input).ok()??;
            let (stream, trailer) = input[zlib::HEADER..].split_last_chunk()?;
            Some(Whole { stream, check: Check::Zlib(u32::from_be_bytes(*trailer)) })
        }
        // Nothing shows that bare data are right but that a strict decoder takes them.
        Format::Raw | Format::Bgzf | Format::Parcomp => None,
    }
}
