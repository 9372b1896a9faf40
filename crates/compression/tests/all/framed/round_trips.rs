//! What is compressed decompresses to what it was, whatever the length and the threads.

use std::io::Read;

use broadloom_compression::Pause;
use broadloom_compression::framed::{Compressor, Format, Settings};

use super::{both, compress, decompress, noise, text};

#[test]
fn every_length_comes_back() {
    for settings in both(|settings| Settings { chunk: Some(1 << 16), ..settings }) {
        for len in [0, 1, 12, 13, 65_535, 65_536, 65_537, 131_072, 300_000] {
            for input in [text(len), noise(len), vec![0; len]] {
                let file = compress(settings.clone(), &input);
                assert!(decompress(&file) == Ok(input), "{settings:?}, {len} bytes");
            }
        }
    }
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let input = [text(2 << 20), noise(1 << 19), text(1 << 19)].concat();
    for settings in both(|settings| settings) {
        let one = compress(settings.clone(), &input);
        for threads in [2, 5] {
            let more = compress(Settings { threads, ..settings.clone() }, &input);
            assert!(more == one, "{settings:?}, {threads} threads");
        }
        assert!(decompress(&one) == Ok(input.clone()));
    }
}

#[test]
fn every_setting_comes_back() {
    let input = text(1_500_000);
    let lz4 = Settings::new(Format::Lz4);
    let zstd = Settings::new(Format::Zstd);
    let levels = [1, 2, 7, 13, 19].map(|level| Settings { level, ..zstd.clone() });
    let others = [
        Settings { block_checksums: true, ..lz4.clone() },
        Settings { chunk: Some(1 << 10), ..lz4.clone() },
        Settings { chunk: Some(4 << 20), verify: true, ..lz4.clone() },
        Settings { block_checksums: true, verify: true, rsyncable: true, ..lz4 },
        Settings { long: Some(20), ..zstd.clone() },
        Settings { long: Some(27), threads: 2, ..zstd.clone() },
        Settings { rsyncable: true, verify: true, ..zstd },
    ];
    for settings in levels.into_iter().chain(others) {
        let file = compress(settings.clone(), &input);
        assert!(file.len() < input.len(), "{settings:?}");
        assert!(decompress(&file) == Ok(input.clone()), "{settings:?}");
    }
}

#[test]
fn a_long_window_finds_what_is_far_away() {
    let half = noise(3 << 20);
    let input = [half.as_slice(), &half].concat();
    let short = compress(Settings::new(Format::Zstd), &input);
    let long = compress(Settings { long: Some(23), ..Settings::new(Format::Zstd) }, &input);
    assert!(short.len() > input.len() && long.len() < half.len() + half.len() / 50);
    assert!(decompress(&long) == Ok(input));
}

#[test]
fn a_change_leaves_most_of_a_file_as_it_was_if_asked_for() {
    let before = text(4 << 20);
    let after = [b"inserted", before.as_slice()].concat();
    for settings in both(|settings| Settings { rsyncable: true, chunk: Some(1 << 16), ..settings })
    {
        let (old, new) = (compress(settings.clone(), &before), compress(settings.clone(), &after));
        let middle = &old[old.len() / 2..][..1000];
        assert!(new.windows(middle.len()).any(|window| window == middle), "{settings:?}");
    }
}

/// Two halves with a pause between them.
struct Paused<'d> {
    halves: [&'d [u8]; 2],
    is_paused: bool,
}

impl Read for Paused<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let [first, second] = &mut self.halves;
        if !first.is_empty() {
            return first.read(buffer);
        }
        if !std::mem::replace(&mut self.is_paused, true) {
            return Err(Pause.into());
        }
        second.read(buffer)
    }
}

#[test]
fn what_stands_before_a_pause_is_a_chunk_of_its_own() {
    let input = text(100_000);
    let (first, second) = input.split_at(40_000);
    for settings in both(|settings| settings) {
        let format = settings.format;
        let compressor = Compressor::new(settings).expect("they are right");
        let mut file = Vec::new();
        let paused = Paused { halves: [first, second], is_paused: false };
        let report = compressor.compress_stream(paused, &mut file).expect("nothing fails");
        assert_eq!(report.chunks, 2, "{format}");
        assert!(decompress(&file) == Ok(input.clone()));
    }
}

/// Reads the seek table as the description of zstd's seekable format has it.
#[test]
fn zstd_files_end_with_the_lengths_of_their_frames() {
    let input = text(1_000_000);
    let settings = Settings { chunk: Some(300_000), threads: 2, ..Settings::new(Format::Zstd) };
    let file = compress(settings, &input);
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("4 bytes"));
    let footer = file.len() - 9;
    assert_eq!((word(footer), file[footer + 4], word(footer + 5)), (4, 0, 0x8f92_eab1));
    let table = footer - 4 * 8;
    assert_eq!((word(table - 8), word(table - 4)), (0x184d_2a5e, 4 * 8 + 9));
    let mut start = 0;
    let mut data = Vec::new();
    for entry in 0..4 {
        let compressed = word(table + 8 * entry) as usize;
        let uncompressed = word(table + 8 * entry + 4) as usize;
        let frame = &file[start..start + compressed];
        let content = zstd::decode_all(frame).expect("it is a frame");
        assert_eq!(content.len(), uncompressed);
        data.extend(content);
        start += compressed;
    }
    assert_eq!(start, table - 8);
    assert!(data == input);
}
