//! Inputs spliced of parts and then damaged, and everything that must be so whatever they are.

use std::sync::{Arc, LazyLock};

use broadloom_compression::Scratch;
use broadloom_compression::decompress::{DecompressError, Decompressed, Garbage, Settings, list};
use broadloom_compression::format::gzi::Index;
use broadloom_compression::format::{
    Cause, Format, FormatError, bgzf, detect, gzip, parcomp, zlib,
};
use broadloom_compression::inflate::{Options, inflate};
use broadloom_engine::provider::Provider;

use super::make;
use super::provider::{decompressor_of, providers};

/// A part of an input.
#[derive(Debug, Clone)]
pub enum Part {
    Foreign(Vec<u8>),
    Broadloom(Vec<u8>),
    Block(Vec<u8>),
    End,
    Chunk(Vec<u8>),
    Zlib(Vec<u8>),
    Raw(Vec<u8>),
    Junk(Vec<u8>),
    Zeros(u8),
}

/// An input, and what is asked of it.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub format: Option<Format>,
    pub parts: Vec<Part>,
    /// Bits to be turned, counted from the beginning, modulo the length.
    pub flips: Vec<u32>,
    /// Bytes to cut off at the end.
    pub cut: u16,
    /// Whether garbage is allowed.
    pub garbage: Garbage,
}

/// The most bytes that come out.
const LIMIT: u64 = 1 << 20;

/// Who decodes, each in another way.
static PROVIDERS: LazyLock<Vec<Arc<dyn Provider>>> = LazyLock::new(providers);

impl Scenario {
    /// The input.
    pub fn input(&self) -> Vec<u8> {
        let mut input = Vec::new();
        for part in &self.parts {
            match part {
                Part::Foreign(data) => input.extend(make::foreign(data)),
                Part::Broadloom(data) => input.extend(make::broadloom(data)),
                Part::Block(data) => {
                    input.extend(make::block(&data[..data.len().min(bgzf::MAX_DATA)]))
                }
                Part::End => input.extend(bgzf::END),
                Part::Chunk(data) => input.extend(make::chunk(data)),
                Part::Zlib(data) => input.extend(make::zlib(data)),
                Part::Raw(data) => input.extend(make::deflate(data)),
                Part::Junk(bytes) => input.extend(bytes),
                Part::Zeros(count) => input.resize(input.len() + usize::from(*count), 0),
            }
        }
        if !input.is_empty() {
            for flip in &self.flips {
                let bit = *flip as usize % (input.len() * 8);
                input[bit / 8] ^= 1 << (bit % 8);
            }
        }
        input.truncate(input.len().saturating_sub(self.cut.into()));
        input
    }

    /// Decodes it in every way there is, and compares.
    pub fn run(&self) {
        let input = self.input();
        decode(&input, self.format, self.garbage);
        headers(&input);
    }
}

/// What came of it: the data, and what else is known; or where and why not.
type Outcome = (Vec<u8>, Result<Decompressed, DecompressError>);

/// Decodes an input in this thread, in a stream, as a slice, and as a slice by what was kept from
/// the input before, and compares.
pub fn decode(input: &[u8], format: Option<Format>, garbage: Garbage) {
    let mut data = Vec::new();
    let options = Options { format, limit: Some(LIMIT), garbage };
    let alone: Outcome = {
        let result = inflate(Trickle(input), &mut data, options);
        (data, result)
    };
    check(&alone, input, garbage);
    let ways = [(1, 128 << 20), (2, 128 << 20), (1, 64 << 10)];
    for ((threads, memory), provider) in ways.into_iter().zip(PROVIDERS.iter().cycle()) {
        let limit = Some(LIMIT);
        let settings = Settings { format, garbage, threads, memory, limit, ..Settings::default() };
        let decompressor = decompressor_of(provider, settings);
        let mut data = Vec::new();
        let result = decompressor.decompress_stream(Trickle(input), &mut data);
        let stream = (data, result);
        check(&stream, input, garbage);
        agree(&alone, &stream);
        let mut scratch = Scratch::default();
        for keeps in [false, true, true] {
            let mut data = b"before".to_vec();
            let result = match keeps {
                true => decompressor.decompress_with(&mut scratch, input, &mut data),
                false => decompressor.decompress(input, &mut data),
            };
            assert!(data.starts_with(b"before"));
            if result.is_err() {
                assert_eq!(data, b"before", "nothing is left of what failed");
            }
            data.drain(..6);
            agree(&alone, &(data, result));
        }
    }
    let mut listed = 0;
    let lists = list(input, options, |member| listed += member.uncompressed);
    if let Ok(decompressed) = &alone.1 {
        let lists = lists.expect("what can be decoded can be listed");
        assert_eq!(lists.report, decompressed.report);
        assert_eq!(
            (lists.trailing, lists.no_end_block),
            (decompressed.trailing, decompressed.no_end_block)
        );
        assert!(listed == lists.report.output || garbage == Garbage::Copy);
    }
}

fn check((data, result): &Outcome, input: &[u8], garbage: Garbage) {
    assert!(data.len() as u64 <= LIMIT);
    match result {
        Ok(decompressed) => {
            assert_eq!(decompressed.report.output, data.len() as u64);
            let rest = input.len() as u64 - decompressed.report.input;
            match (garbage, decompressed.trailing.garbage) {
                (Garbage::Copy, None) => assert_eq!(rest, 0),
                (Garbage::Copy, Some(at)) => {
                    assert_eq!(rest, 0);
                    assert!(data.ends_with(&input[at as usize..]), "what follows is copied");
                }
                (_, garbage) => {
                    assert_eq!(rest > 0, garbage.is_some(), "all was read, or said to be left")
                }
            }
        }
        Err(DecompressError::Format(FormatError { offset, .. })) => {
            assert!(*offset <= input.len() as u64, "{offset} is behind {}", input.len());
        }
        Err(DecompressError::OutputLimit { offset, limit }) => {
            assert!(*offset <= input.len() as u64);
            assert_eq!(*limit, LIMIT);
        }
        Err(other) => panic!("{other}"),
    }
}

/// However an input is decoded, the data are the same, or the error is at the same place. Where the
/// standard calls a DEFLATE stream wrong, a provider's library may be lenient (such as with a code
/// that is not complete): what comes out is then for the format's checksum to judge.
fn agree((data, one): &Outcome, (other_data, other): &Outcome) {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            assert_eq!(data, other_data);
            assert_eq!((one.trailing, one.no_end_block), (other.trailing, other.no_end_block));
            assert_eq!(one.report.chunks, other.report.chunks);
            assert_eq!(one.report.streams, other.report.streams);
        }
        (Err(DecompressError::Format(FormatError { cause: Cause::Deflate(_), .. })), Ok(_)) => {}
        (
            Err(DecompressError::Format(FormatError { cause: Cause::Deflate(_), offset })),
            Err(DecompressError::Format(other)),
        ) if other.offset > *offset => {}
        (Err(DecompressError::Format(one)), Err(DecompressError::Format(other))) => {
            // A provider's data are written when they are checked, a decoder's own as far as its
            // memory is full.
            assert!(data.starts_with(other_data) || other_data.starts_with(data));
            assert_eq!(one.offset, other.offset, "{one}; {other}");
        }
        (Err(_), Err(_)) => {}
        _ => panic!("{one:?}; {other:?}"),
    }
}

/// Every header at the beginning of the input: whether all of it is there can be told from any
/// piece of it.
pub fn headers(input: &[u8]) {
    let parsers: [fn(&[u8]) -> Answer; 5] = [
        |bytes| answer(gzip::Header::parse(bytes).map(|header| header.map(|header| header.len))),
        |bytes| answer(bgzf::parse(bytes).map(|header| header.map(|header| header.len))),
        |bytes| answer(zlib::Header::parse(bytes).map(|header| header.map(|_| zlib::HEADER))),
        |bytes| answer(detect(bytes).map(|detected| detected.map(|_| 0))),
        |bytes| match bytes.first_chunk() {
            Some(prefix) => answer(parcomp::parse(prefix).map(|_| Some(parcomp::PREFIX))),
            None => Answer::More,
        },
    ];
    for parse in parsers {
        let whole = parse(input);
        for len in 0..input.len().min(300) {
            let piece = parse(&input[..len]);
            let same = piece == whole;
            assert!(
                same || piece == Answer::More || len < 2,
                "{piece:?} of {len} bytes, {whole:?} of all"
            );
            if let Answer::Header(header) = piece {
                assert!(header <= len);
            }
        }
    }
    if let Ok(index) = Index::parse(input) {
        assert_eq!(index.to_bytes(), input);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Header(usize),
    More,
    Wrong(FormatError),
}

fn answer(parsed: Result<Option<usize>, FormatError>) -> Answer {
    match parsed {
        Ok(Some(len)) => Answer::Header(len),
        Ok(None) => Answer::More,
        Err(error) => Answer::Wrong(error),
    }
}

/// A reader that gives few bytes at a time, and different numbers of them.
struct Trickle<'a>(&'a [u8]);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = (self.0.len() % 97 + 1).min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(len);
        buffer[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}
