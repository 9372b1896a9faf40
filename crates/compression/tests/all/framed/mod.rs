//! Files of frames, LZ4 and zstd, tested as their users use them.

pub mod compare;
mod damage;
mod listing;
mod round_trips;
mod scenarios;
mod tools;

use broadloom_compression::framed::{Compressor, Decompressor, Format, Settings, decompress};
use broadloom_compression::{DecompressError, Decompressed};

/// Data that compress a little: words in a random order, and some noise.
fn text(len: usize) -> Vec<u8> {
    const WORDS: [&str; 8] =
        ["warp ", "weft ", "loom ", "shuttle ", "heddle ", "reed ", "beam ", "bobbin\n"];
    let mut random = fastrand::Rng::with_seed(len as u64);
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        text.extend_from_slice(WORDS[random.usize(..WORDS.len())].as_bytes());
        if random.u8(..) < 16 {
            text.extend(random.u64(..).to_le_bytes());
        }
    }
    text.truncate(len);
    text
}

fn noise(len: usize) -> Vec<u8> {
    broadloom_testing::noise(len, 7)
}

/// Compresses as a whole and as a stream, and returns what came, which is the same.
fn compress(settings: Settings, input: &[u8]) -> Vec<u8> {
    let compressor = Compressor::new(settings).expect("they are right");
    let mut whole = b"before".to_vec();
    let report = compressor.compress(input, &mut whole).expect("nothing fails");
    let mut streamed = Vec::new();
    let same = compressor.compress_stream(input, &mut streamed).expect("nothing fails");
    assert_eq!(same, report);
    assert!(whole.strip_prefix(b"before") == Some(&streamed));
    assert_eq!((report.input, report.output), (input.len() as u64, streamed.len() as u64));
    streamed
}

/// Decompresses as a whole and as a stream, with one thread and with several, and returns what
/// came, which is the same.
fn decompress_with(
    settings: &decompress::Settings,
    file: &[u8],
) -> Result<(Vec<u8>, Decompressed), String> {
    let mut outcomes = [1, 3].into_iter().flat_map(|threads| {
        let settings = decompress::Settings { threads, ..settings.clone() };
        let decompressor = Decompressor::new(settings).expect("they are right");
        let (mut whole, mut streamed) = (Vec::new(), Vec::new());
        let in_words = |error: DecompressError| error.to_string();
        let first = decompressor.decompress(file, &mut whole).map_err(in_words);
        let second = decompressor.decompress_stream(file, &mut streamed).map_err(in_words);
        assert!(first.is_ok() || whole.is_empty());
        [first.map(|done| (whole, done)), second.map(|done| (streamed, done))]
    });
    let first = outcomes.next().expect("there are four");
    for other in outcomes {
        match (&first, &other) {
            (Ok((data, done)), Ok(other)) => assert!(*data == other.0 && *done == other.1),
            (first, other) => assert_eq!(first.as_ref().err(), other.as_ref().err()),
        }
    }
    first
}

fn decompress(file: &[u8]) -> Result<Vec<u8>, String> {
    decompress_with(&decompress::Settings::default(), file).map(|(data, _)| data)
}

fn both(change: impl Fn(Settings) -> Settings) -> impl Iterator<Item = Settings> {
    Format::ALL.into_iter().map(move |format| change(Settings::new(format)))
}
