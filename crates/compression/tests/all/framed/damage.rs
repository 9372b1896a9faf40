//! Damaged, cut and continued files: nothing passes for data that is none, and errors say where.

use broadloom_compression::decompress::Garbage;
use broadloom_compression::format::{lz4, skippable};
use broadloom_compression::framed::decompress::Settings as Reading;
use broadloom_compression::framed::{Decompressor, Format, Settings};

use super::{both, compress, decompress, decompress_with, text};

fn small(settings: Settings) -> Settings {
    Settings { chunk: Some(2000), block_checksums: settings.format == Format::Lz4, ..settings }
}

#[test]
fn no_damage_passes_for_data() {
    let input = text(5000);
    for settings in both(small) {
        let file = compress(settings.clone(), &input);
        for at in 0..file.len() {
            for bit in [0, 3, 7] {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << bit;
                let data = decompress(&damaged);
                // The seek table is not needed, and some bits of a header mean nothing.
                let is_same = data.as_ref().is_ok_and(|data| *data == input);
                assert!(is_same || data.is_err(), "{settings:?}, byte {at}, bit {bit}");
            }
        }
    }
}

#[test]
fn no_cut_passes_for_an_end() {
    let input = text(5000);
    for settings in both(small) {
        let file = compress(settings.clone(), &input);
        for len in 0..file.len() {
            match decompress(&file[..len]) {
                // Behind a whole frame of zstd.
                Ok(data) => {
                    assert!(settings.format == Format::Zstd && input.starts_with(&data), "{len}");
                }
                Err(error) => {
                    let wanted = format!("at byte {len}: the input ends within a ");
                    assert!(error.starts_with(&wanted), "{len}: {error}");
                }
            }
        }
    }
}

#[test]
fn errors_name_the_place_and_what_is_wrong() {
    let input = text(5000);
    let [lz4_file, zstd_file] =
        [Format::Lz4, Format::Zstd].map(|format| compress(small(Settings::new(format)), &input));
    let plain = compress(Settings::new(Format::Lz4), &input);
    let with = |file: &[u8], at: usize, byte: u8| {
        let mut file = file.to_vec();
        file[at] = byte;
        decompress(&file).expect_err("it is damaged")
    };
    assert_eq!(
        with(&lz4_file, 4, 0xa4),
        "at byte 4: version 2 of LZ4's frames is unknown; valid: 1"
    );
    assert!(with(&lz4_file, 6, !lz4_file[6]).starts_with("at byte 6: the header's checksum is "));
    let last = lz4_file.len() - 1;
    let sum = with(&lz4_file, last, !lz4_file[last]);
    assert!(sum.starts_with(&format!("at byte {}: the data have the XXH32 ", last - 3)), "{sum}");
    // A length that no block has.
    let long = with(&plain, 9, 0x7f);
    assert!(long.starts_with("at byte 7: a block of "), "{long}");
    assert!(long.ends_with("cannot be; valid: 0 to 262144"), "{long}");
    let stored = with(&lz4_file, 20, !lz4_file[20]);
    assert!(stored.contains("the data have the XXH32 of a block "), "{stored}");
    assert_eq!(
        with(&zstd_file, 0, 0),
        "at byte 0: the input begins with [00, b5, 2f, fd], as no frame of LZ4 or zstd does"
    );
    assert_eq!(
        with(&zstd_file, 4, zstd_file[4] | 8),
        format!(
            "at byte 4: reserved flags are set in the header of the frame: {:#04x}",
            zstd_file[4] | 8
        )
    );
    let damaged = with(&zstd_file, 100, !zstd_file[100]);
    assert!(damaged.contains(": the zstd data are damaged: "), "{damaged}");
    // The checksum of the first of three frames.
    let second = zstd_file.windows(4).skip(1).position(|four| *four == zstd_file[..4]);
    let sum = second.expect("there are three") + 1 - 4;
    let wrong = "the zstd data are damaged: Restored data doesn't match checksum";
    assert_eq!(with(&zstd_file, sum, !zstd_file[sum]), format!("at byte {sum}: {wrong}"));
    assert_eq!(decompress(b""), Err("at byte 0: the input ends within a header".to_owned()));
}

#[test]
fn memory_and_output_are_bounded() {
    // Two bytes of header ask for 2 GiB.
    let greedy = [0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0];
    let error = decompress(&greedy).expect_err("it asks for too much");
    assert_eq!(
        error,
        "at byte 0: the frame needs a window of 2147483648 bytes; at most 134217728 are allowed"
    );
    let allowed = Reading { window: 1 << 31, ..Reading::default() };
    assert_eq!(decompress_with(&allowed, &greedy).map(|(data, _)| data), Ok(Vec::new()));
    for settings in both(|settings| settings) {
        let bomb = compress(settings, &vec![0; 5 << 20]);
        let limited = Reading { limit: Some(1 << 20), ..Reading::default() };
        let error = decompress_with(&limited, &bomb).expect_err("it is too much");
        assert!(error.ends_with("the data go on behind 1048576 bytes, which is the limit"));
    }
}

#[test]
fn a_dictionary_is_refused() {
    let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x21, 77, 0, 1, 0, 0];
    let error = decompress(&zstd).expect_err("there is none");
    assert_eq!(error, "at byte 5: a dictionary is needed (ID 77), which is not supported");
}

#[test]
fn skippable_frames_are_passed_over_and_formats_mixed() {
    let input = text(70_000);
    let [lz4_file, zstd_file] =
        [Format::Lz4, Format::Zstd].map(|format| compress(Settings::new(format), &input));
    let skipped = [&skippable::header(3, 5)[..], b"notes"].concat();
    let file = [&skipped, &lz4_file, &skipped, &zstd_file, &lz4_file, &skipped].map(Vec::as_slice);
    assert!(decompress(&file.concat()) == Ok(input.repeat(3)));
    assert_eq!(decompress(&skipped), Ok(Vec::new()));
    let error = decompress(&skipped[..10]).expect_err("it is cut");
    assert_eq!(error, "at byte 10: the input ends within a skippable frame");
    let only = Reading { format: Some(Format::Lz4), ..Reading::default() };
    let error = decompress_with(&only, &zstd_file).expect_err("it is another");
    assert_eq!(error, "at byte 0: this is a frame of zstd, and lz4 was asked for");
}

#[test]
fn legacy_frames_end_where_others_begin() {
    let legacy = |data: &[u8]| {
        let mut frame = lz4::LEGACY_MAGIC.to_vec();
        let block = lz4_flex::block::compress(data);
        frame.extend((block.len() as u32).to_le_bytes());
        frame.extend(block);
        frame
    };
    let (first, second) = (text(1000), text(2000));
    let modern = compress(Settings::new(Format::Lz4), &second);
    let file = [legacy(&first), legacy(&second), modern, legacy(&first)].concat();
    let expected = [&first[..], &second, &second, &first].concat();
    assert!(decompress(&file) == Ok(expected));
    let cut = legacy(&first);
    let error = decompress(&cut[..cut.len() - 1]).expect_err("it is cut");
    assert_eq!(error, format!("at byte {}: the input ends within a block", cut.len() - 1));
}

#[test]
fn bytes_behind_the_last_frame_are_dealt_with_as_asked_for() {
    let input = text(3000);
    for settings in both(|settings| settings) {
        let file = compress(settings, &input);
        let len = file.len();
        let zeros = [file.as_slice(), &[0; 700]].concat();
        let (data, done) = decompress_with(&Reading::default(), &zeros).expect("zeros fill up");
        assert!(data == input);
        assert_eq!((done.trailing.zeros, done.trailing.garbage), (700, None));
        // Another frame may stand behind them.
        let more = [zeros.as_slice(), &file].concat();
        assert!(decompress(&more) == Ok(input.repeat(2)));
        let garbage = [file.as_slice(), b"garbage"].concat();
        let error = decompress(&garbage).expect_err("it is refused");
        assert_eq!(error, format!("at byte {len}: what follows the last frame is no frame: 0x67"));
        let reporting = Reading { garbage: Garbage::Report, ..Reading::default() };
        let (data, done) = decompress_with(&reporting, &garbage).expect("it is reported");
        assert!(data == input);
        assert_eq!(done.trailing.garbage, Some(len as u64));
        let copying = Reading { garbage: Garbage::Copy, ..Reading::default() };
        let (data, done) = decompress_with(&copying, &garbage).expect("it is copied");
        assert!(data == [input.as_slice(), b"garbage"].concat());
        assert_eq!(done.trailing.garbage, Some(len as u64));
    }
}

#[test]
fn large_frames_are_decoded_in_parts() {
    let input = text(9 << 20);
    let mut frame = Vec::new();
    let mut encoder = zstd::Encoder::new(&mut frame, 1).expect("it is a level");
    encoder.include_checksum(true).expect("it can be");
    std::io::copy(&mut input.as_slice(), &mut encoder).expect("it compresses");
    encoder.finish().expect("it ends");
    let (data, done) = decompress_with(&Reading::default(), &frame).expect("it is right");
    assert!(data == input);
    assert_eq!((done.report.chunks, done.alone), (1, 1));
    let last = frame.len() - 1;
    let error = decompress(&frame[..last]).expect_err("it is cut");
    assert_eq!(error, format!("at byte {last}: the input ends within a block"));
    frame[last] ^= 1;
    let error = decompress(&frame).expect_err("its checksum is wrong");
    let place = frame.len() - 4;
    let wrong = "the zstd data are damaged: Restored data doesn't match checksum";
    assert_eq!(error, format!("at byte {place}: {wrong}"));
    // A small share of memory has frames decoded so, whose length is known.
    let known = compress(Settings::new(Format::Zstd), &input);
    let little = Reading { memory: 1 << 20, ..Reading::default() };
    let (data, done) = decompress_with(&little, &known).expect("it is right");
    assert!(data == input);
    assert_eq!((done.report.chunks, done.alone), (9, 9));
    let usual = Decompressor::new(Reading::default()).expect("they are right");
    assert_eq!(usual.test(&known[..]).expect("it is right").alone, 0);
}
