//! Decompresses frames in every way there is, and compares the outcomes. The fuzz target
//! `read_frames` does the same.

use std::io::Read;

use broadloom_compression::decompress::Garbage;
use broadloom_compression::format::lz4::LEGACY_MAGIC;
use broadloom_compression::framed::decompress::{Listed, Settings};
use broadloom_compression::framed::{Decompressor, Format};

/// The most bytes that come out.
const LIMIT: u64 = 1 << 22;

/// Gives a few bytes at a time, as pipes do.
struct Pipe<'d>(&'d [u8]);

impl Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(1009);
        self.0.read(&mut buffer[..len])
    }
}

/// Decompresses bytes with one thread and with two, as a slice and as a stream, with much memory
/// and with little; lists them; and has the libraries of the formats read them.
pub fn compare(bytes: &[u8]) {
    for garbage in [Garbage::Refuse, Garbage::Report, Garbage::Copy] {
        let settings =
            Settings { limit: Some(LIMIT), garbage, window: 1 << 24, ..Settings::default() };
        let usual = outcome(&settings, bytes);
        let little = outcome(&Settings { memory: 4096, ..settings.clone() }, bytes);
        // Which of several errors is found first depends on how much is looked at first.
        assert_eq!(usual.as_ref().ok(), little.as_ref().ok());
        let decompressor = Decompressor::new(settings).expect("they are right");
        let mut frames = Vec::new();
        let listed = decompressor.list(Pipe(bytes), |frame| frames.push(frame));
        if let (Ok(data), Garbage::Refuse) = (usual, garbage) {
            listed.expect("what is read can be listed");
            let len: u64 = frames.iter().map(|frame| frame.uncompressed).sum();
            assert_eq!(len, data.len() as u64);
            library(bytes, &data, &frames);
        }
    }
}

/// Returns the output, or the error in words. It is the same in every way.
fn outcome(settings: &Settings, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let of = |threads, as_slice: bool| {
        let decompressor = Decompressor::new(Settings { threads, ..settings.clone() });
        let decompressor = decompressor.expect("they are right");
        let mut data = Vec::new();
        let done = match as_slice {
            true => decompressor.decompress(bytes, &mut data),
            false => decompressor.decompress_stream(Pipe(bytes), &mut data),
        };
        done.map(|done| (data, done)).map_err(|error| error.to_string())
    };
    let first = of(1, true);
    for other in [of(1, false), of(2, true), of(2, false)] {
        assert_eq!(first, other);
    }
    first.map(|(data, _)| data)
}

/// The format's own library reads the same, if all frames are of one format. A block that only its
/// library refuses breaks a rule about its end, which no reader needs.
fn library(bytes: &[u8], data: &[u8], frames: &[Listed]) {
    match frames {
        [] => {}
        _ if frames.iter().all(|frame| frame.format == Format::Zstd) => {
            let theirs: Vec<u8> = frames
                .iter()
                .flat_map(|frame| {
                    let (start, len) = (frame.offset as usize, frame.compressed as usize);
                    zstd::decode_all(&bytes[start..start + len]).expect("it is right")
                })
                .collect();
            assert!(theirs == data, "other data than zstd's library");
        }
        [only] if only.offset == 0 && !bytes.starts_with(&LEGACY_MAGIC) => {
            let mut theirs = Vec::new();
            let mut decoder = lz4::Decoder::new(bytes).expect("there is memory");
            if decoder.read_to_end(&mut theirs).is_ok() {
                assert!(theirs == data, "other data than LZ4's library");
            }
        }
        _ => {}
    }
}
