//! Members of gzip that are decoded in pieces, and those that only look as if they could be.

use std::process::{Command, Stdio};

use broadloom_compression::Report;
use broadloom_compression::decompress::{Decompressed, Garbage, Settings};
use broadloom_compression::format::{MARKER, gzip};
use broadloom_testing::has;
use zlib_rs::{Deflate, DeflateFlush};

use super::common::make::{broadloom, foreign, text, trailer};
use super::common::provider::{Fault, decompressor, faulty};
use super::common::scenario::decode;

/// A deflate stream of parts, each flushed as is said. The last is finished.
fn flushed(parts: &[(&[u8], DeflateFlush)], level: i32) -> Vec<u8> {
    let mut state = Deflate::new(level, false, 15);
    let mut stream = Vec::new();
    let end = [(&[][..], DeflateFlush::Finish)];
    for (part, flush) in parts.iter().chain(&end) {
        let mut room = vec![0; part.len() + part.len() / 100 + 1024];
        let before = (state.total_in(), state.total_out());
        state.compress(part, &mut room, *flush).expect("it compresses");
        assert_eq!(state.total_in() - before.0, part.len() as u64);
        stream.extend_from_slice(&room[..(state.total_out() - before.1) as usize]);
    }
    stream
}

fn member(stream: &[u8], data: &[u8]) -> Vec<u8> {
    let mut member = Vec::new();
    gzip::write_open_header(&mut member, &gzip::Metadata::default()).expect("there is no name");
    member.extend_from_slice(stream);
    member.extend_from_slice(&trailer(data));
    member
}

/// A member whose chunks know nothing of each other, or all of what is before them.
fn chunked(data: &[u8], chunk: usize, flush: DeflateFlush) -> Vec<u8> {
    let parts: Vec<_> = data.chunks(chunk).map(|chunk| (chunk, flush)).collect();
    member(&flushed(&parts, 6), data)
}

fn random(len: usize, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..len).map(|_| random.u8(..)).collect()
}

/// Decodes as a stream and as a slice, which give the same.
fn decoded(input: &[u8], threads: usize) -> (Vec<u8>, Decompressed) {
    let decompressor = decompressor(Settings { threads, ..Settings::default() });
    let (mut streamed, mut whole) = (Vec::new(), Vec::new());
    let stream = decompressor.decompress_stream(input, &mut streamed).expect("it is sound");
    let slice = decompressor.decompress(input, &mut whole).expect("it is sound");
    assert!(whole == streamed);
    // How much room a piece gets depends on which ones are complete.
    let counts = |report: &Report| (report.input, report.output, report.streams, report.chunks);
    assert_eq!(counts(&slice.report), counts(&stream.report));
    (streamed, stream)
}

#[test]
fn independent_chunks_are_decoded_side_by_side() {
    let data = [text(2_000_000), vec![0; 3_000_000], random(1_000_000, 3), text(500_000)].concat();
    let input = chunked(&data, 65_536, DeflateFlush::FullFlush);
    for threads in [1, 2, 4] {
        let (output, decompressed) = decoded(&input, threads);
        assert!(output == data, "{threads} threads");
        assert_eq!((decompressed.alone, decompressed.report.chunks), (0, 1));
        assert!(decompressed.pieces > 30, "{decompressed:?}");
        assert_eq!(decompressed.report.streams as usize, input.len() - 18);
    }
}

#[test]
fn chunks_that_need_what_is_before_them_are_decoded_after_it() {
    let data = text(2_000_000);
    let dependent = chunked(&data, 65_536, DeflateFlush::SyncFlush);
    let (output, decompressed) = decoded(&dependent, 2);
    assert!(output == data);
    assert_eq!(decompressed.alone, 1);
    // At first none, and then all: the window is that of the last piece.
    let parts: Vec<_> = data.chunks(65_536).enumerate().collect();
    let flush = |index| match index < 10 {
        true => DeflateFlush::FullFlush,
        false => DeflateFlush::SyncFlush,
    };
    let parts: Vec<_> = parts.into_iter().map(|(index, part)| (part, flush(index))).collect();
    let (output, decompressed) = decoded(&member(&flushed(&parts, 6), &data), 3);
    assert!(output == data);
    assert!(decompressed.alone == 1 && decompressed.pieces >= 5, "{decompressed:?}");
}

#[test]
fn members_of_all_kinds_follow_pieces() {
    let texts = [text(300_000), text(90_000), random(200_000, 1), text(400_000)];
    let input = [
        chunked(&texts[0], 30_000, DeflateFlush::FullFlush),
        broadloom(&texts[1]),
        foreign(&texts[1]),
        chunked(&texts[2], 10_000, DeflateFlush::FullFlush),
        chunked(&texts[3], 50_000, DeflateFlush::SyncFlush),
        chunked(&texts[0], 30_000, DeflateFlush::FullFlush),
    ]
    .concat();
    let expected =
        [&texts[0], &texts[1], &texts[1], &texts[2], &texts[3], &texts[0]].map(Vec::as_slice);
    for threads in [1, 3] {
        let (output, decompressed) = decoded(&input, threads);
        assert!(output == expected.concat());
        assert_eq!(decompressed.report.chunks, 6);
        assert!(decompressed.pieces > 5, "{decompressed:?}");
    }
    let many: Vec<u8> =
        (0..300).flat_map(|_| chunked(&texts[1], 9000, DeflateFlush::FullFlush)).collect();
    assert!(decoded(&many, 2).0 == texts[1].repeat(300));
}

/// Stored blocks hold whatever is put into them: markers, and what looks like a block behind a
/// marker.
#[test]
fn markers_in_stored_blocks_mislead_nobody() {
    let fake = [&random(20_000, 5)[..], &MARKER, &[1, 3, 0, 0xfc, 0xff], b"abc"].concat();
    let random_marks: Vec<u8> =
        random(400_000, 6).chunks(100).flat_map(|bytes| [bytes, &MARKER].concat()).collect();
    for data in [fake.repeat(20), random_marks, MARKER.repeat(100_000), text(10)] {
        for (level, flush) in [(0, DeflateFlush::FullFlush), (6, DeflateFlush::FullFlush)] {
            let parts: Vec<_> = data.chunks(70_000).map(|part| (part, flush)).collect();
            let (output, _) = decoded(&member(&flushed(&parts, level), &data), 2);
            assert!(output == data, "level {level}");
        }
    }
    // A final stored block that covers as much behind a marker as might be put there.
    for behind in 0..200u16 {
        let first = [&random(20_000, 7)[..], &MARKER].concat();
        let data = [first, random(behind.into(), 8)].concat();
        let len = data.len() as u16;
        let mut stream = vec![1];
        stream.extend(len.to_le_bytes().into_iter().chain((!len).to_le_bytes()));
        stream.extend_from_slice(&data);
        assert!(decoded(&member(&stream, &data), 2).0 == data, "{behind} bytes behind");
    }
}

/// Streams of all kinds of parts, which are then damaged: whatever becomes of them, it is what one
/// decoder makes of the whole.
#[test]
fn whatever_the_input_is_pieces_give_what_one_decoder_gives() {
    let mut choose = fastrand::Rng::with_seed(18);
    for turn in 0..400 {
        let mut input = Vec::new();
        for _ in 0..choose.usize(1..3) {
            let level = choose.i32(0..7);
            let parts: Vec<(Vec<u8>, DeflateFlush)> = (0..choose.usize(5..40))
                .map(|_| {
                    let len = choose.usize(0..400);
                    let mut part = match choose.u8(0..4) {
                        0 => random(len, choose.u64(..)),
                        1 => MARKER.repeat(len / 8),
                        2 => vec![choose.u8(..); len],
                        _ => text(len),
                    };
                    if choose.bool() {
                        part.extend(MARKER);
                        part.extend([1, 32, 0, 0xdf, 0xff]);
                    }
                    let flush = match choose.u8(0..4) {
                        0 => DeflateFlush::SyncFlush,
                        1 => DeflateFlush::NoFlush,
                        _ => DeflateFlush::FullFlush,
                    };
                    (part, flush)
                })
                .collect();
            let data: Vec<u8> = parts.iter().flat_map(|(part, _)| part.clone()).collect();
            let parts: Vec<_> = parts.iter().map(|(part, flush)| (&part[..], *flush)).collect();
            input.extend(member(&flushed(&parts, level), &data));
        }
        if turn % 2 == 1 {
            for _ in 0..choose.usize(1..4) {
                let at = choose.usize(..input.len());
                match choose.u8(0..3) {
                    0 => input[at] ^= 1 << choose.u8(0..8),
                    1 => input.truncate(at.max(1)),
                    _ => {
                        let end = (at + MARKER.len()).min(input.len());
                        input[at..end].copy_from_slice(&MARKER[..end - at]);
                    }
                }
            }
        }
        decode(&input, None, Garbage::Refuse);
    }
}

#[test]
fn what_a_provider_fails_at_is_decoded_without_it() {
    let data = text(400_000);
    let input = chunked(&data, 30_000, DeflateFlush::FullFlush);
    for fault in [Fault::Refuses, Fault::Corrupts] {
        let mut output = Vec::new();
        let decompressor = faulty(fault, Settings { threads: 2, ..Settings::default() });
        let result = decompressor.decompress_stream(&input[..], &mut output);
        assert_eq!(result.expect("it is sound").alone, 1, "{fault:?}");
        assert!(output == data);
    }
    let decompressor = faulty(Fault::Device, Settings::default());
    let error = decompressor.test(&input[..]).expect_err("its device is gone").to_string();
    assert!(error.starts_with("at byte 10: the provider failed: "), "{error}");
}

#[test]
fn pigz_is_read_with_and_without_independent_blocks() {
    if !has("pigz") {
        return;
    }
    let data = text(5_000_000);
    for (args, pieces) in [(&["-ci"][..], true), (&["-c"], false), (&["-ciz1", "-b", "32"], false)]
    {
        let piped =
            Command::new("pigz").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut pigz = piped.expect("it starts");
        let mut stdin = pigz.stdin.take().expect("it is piped");
        let output = std::thread::scope(|scope| {
            scope.spawn(|| std::io::Write::write_all(&mut stdin, &data).map(|()| drop(stdin)));
            pigz.wait_with_output().expect("it ends")
        });
        let (output, decompressed) = decoded(&output.stdout, 2);
        assert!(output == data, "{args:?}");
        assert_eq!(decompressed.alone == 0, pieces, "{args:?}: {decompressed:?}");
    }
}
