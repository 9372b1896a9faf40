//! The topics of codecs. Each is a function that panics where a codec fails.

use broadloom_engine::{Compression, CompressionAlgorithm, Ending, Huffman};
use broadloom_testing::{noise, text};

use crate::chunk::END;
use crate::codec::Codec;
use crate::reference::compression::{Unsound, levels, pack, unpack};

/// Kinds of data: text that repeats, bytes that cannot be compressed, zeros.
const KINDS: [fn(usize) -> Vec<u8>; 3] =
    [|len| text(len, 1), |len| noise(len, 1), |len| vec![0; len]];

/// What stands in memory that must not be written.
const UNTOUCHED: u8 = 0xa5;

/// Compresses in more room than stored blocks need, so that the codec's own choice is seen.
fn compressed<C: Codec>(codec: &mut C, how: Compression, text: &[u8]) -> Vec<u8> {
    let mut room = vec![0; 64 + text.len() * 2];
    let len = codec.compress(how, text, &mut room);
    let len = len.unwrap_or_else(|| panic!("{how:?}: no room for {} bytes", text.len()));
    room.truncate(len);
    room
}

/// Returns a complete stream, whether the ending was open or not.
fn closed(how: Compression, mut stream: Vec<u8>) -> Vec<u8> {
    if how.ending == Ending::Open {
        stream.extend(END);
    }
    stream
}

/// Decompresses with a decoder of another author.
fn independent<C: Codec>(stream: &[u8], len: usize) -> Vec<u8> {
    let unpacked = unpack(C::ALGORITHM, stream, len).expect("the reference reads the stream");
    assert_eq!(unpacked.consumed, stream.len(), "bytes behind the end of a stream");
    unpacked.output
}

/// Checks that the codec reads a stream as a text.
fn check_read<C: Codec>(codec: &mut C, stream: &[u8], text: &[u8], what: &str) {
    let mut room = vec![0; text.len()];
    assert_eq!(codec.decompress(stream, &mut room), Ok((stream.len(), text.len())), "{what}");
    assert!(room == text, "another text: {what}");
}

/// Every way makes of every kind of data, of many lengths, what every decoder reads, after every
/// other way, with the same structures.
pub fn every_way<C: Codec>(codec: &mut C) {
    let short = (0..=300).filter(|len| len % 3 == 0 || len % 7 == 0 || *len > 250);
    let long = [32_767, 32_768, 65_535, 65_536, 65_537, 200_000];
    let lens: Vec<usize> = short.chain(long).chain(C::LENGTHS.iter().copied()).collect();
    for (len, kind) in lens.into_iter().flat_map(|len| KINDS.map(|kind| (len, kind))) {
        let text = kind(len);
        for how in codec.ways() {
            let stream = closed(how, compressed(codec, how, &text));
            let what = format!("{how:?}, {len} bytes");
            assert!(independent::<C>(&stream, len) == text, "the reference: {what}");
            check_read(codec, &stream, &text, &what);
        }
    }
}

/// Streams that another compressor made at its levels are read.
pub fn other_encoders<C: Codec>(codec: &mut C) {
    for level in levels(C::ALGORITHM) {
        let how = Compression { level, ..Compression::default() };
        for (len, kind) in
            [0, 1, 500, 70_000].into_iter().flat_map(|len| KINDS.map(|kind| (len, kind)))
        {
            let text = kind(len);
            let stream = pack(C::ALGORITHM, how, &text);
            check_read(codec, &stream, &text, &format!("level {level}, {len} bytes"));
        }
    }
}

/// Open streams, one after the other, are one stream: with an empty final block behind them, and
/// with a stream of the same way that ends.
pub fn open_streams<C: Codec>(codec: &mut C) {
    for how in codec.ways().into_iter().filter(|how| how.ending == Ending::Open) {
        let (mut stream, mut whole) = (Vec::new(), Vec::new());
        for (index, len) in [1000, 0, 1, 70_000, 0].into_iter().enumerate() {
            let part = KINDS[index % KINDS.len()](len);
            stream.extend(compressed(codec, how, &part));
            whole.extend(part);
        }
        let ended = [&stream[..], &END].concat();
        assert!(independent::<C>(&ended, whole.len()) == whole, "{how:?}");
        let last = text(10, 1);
        let ending = Compression { ending: Ending::Final, ..how };
        stream.extend(compressed(codec, ending, &last));
        whole.extend(last);
        assert!(independent::<C>(&stream, whole.len()) == whole, "{how:?}, with an end of its own");
    }
}

/// The codes are those that were asked for: only static ones, or codes of its own.
pub fn codes<C: Codec>(codec: &mut C) {
    if C::ALGORITHM != CompressionAlgorithm::Deflate {
        return;
    }
    let ways: Vec<_> = codec.ways().into_iter().filter(|how| codec.is_thorough(*how)).collect();
    for how in ways {
        let stream = compressed(codec, how, &text(5000, 1));
        // The first block's kind, after the bit that says whether it is final (RFC 1951, 3.2.3).
        let expected = if how.huffman == Huffman::Static { 1 } else { 2 };
        assert_eq!(stream[0] >> 1 & 3, expected, "{how:?}");
    }
}

/// No match reaches beyond the window, and matches reach as far as the window does.
pub fn windows<C: Codec>(codec: &mut C) {
    let ways = codec.ways().into_iter().filter(|how| how.window == 15 && codec.is_thorough(*how));
    let ways: Vec<_> = ways.collect();
    for window in C::LEAST_WINDOW..15 {
        // It repeats itself just beyond the window, where only the next one reaches.
        let text = noise((1 << window) + 1, 1).repeat(4);
        for how in &ways {
            let mut len = |window| compressed(codec, Compression { window, ..*how }, &text).len();
            assert!(len(window) > text.len() / 10 * 9, "{how:?}, a window of 2^{window}");
            let most = text.len() / 100 * C::MOST_OF_REPEATED;
            assert!(len(window + 1) < most, "{how:?}, a window of 2^{}", window + 1);
        }
    }
}

/// Whatever the room, a compression fills it or is whole, and writes nothing beyond.
pub fn room_to_compress<C: Codec>(codec: &mut C) {
    for (how, kind) in codec.few_ways().into_iter().flat_map(|how| KINDS.map(|kind| (how, kind))) {
        let text = kind(2000);
        let stream = compressed(codec, how, &text);
        let (never, always) = codec.rooms(how, &text, stream.len());
        for room in 0..always + 3 {
            let mut output = vec![UNTOUCHED; always + 8];
            let written = codec.compress(how, &text, &mut output[..room]);
            let what = format!("{how:?}, {room} bytes of room, {} needed", stream.len());
            assert!(written.is_none() || room >= never, "too little is enough: {what}");
            assert!(written.is_some() || room < always, "enough is too little: {what}");
            if let Some(len) = written {
                let made = closed(how, output[..len].to_vec());
                assert!(independent::<C>(&made, text.len()) == text, "{what}");
                assert!(never < always || output[..len] == stream, "another stream: {what}");
            }
            assert!(output[room..].iter().all(|byte| *byte == UNTOUCHED), "beyond: {what}");
        }
    }
}

/// The same of a decompression.
pub fn room_to_decompress<C: Codec>(codec: &mut C) {
    for (how, kind) in codec.few_ways().into_iter().flat_map(|how| KINDS.map(|kind| (how, kind))) {
        let text = kind(2000);
        let stream = closed(how, compressed(codec, how, &text));
        for room in 0..text.len() + 3 {
            let mut output = vec![UNTOUCHED; text.len() + 8];
            let outcome = codec.decompress(&stream, &mut output[..room]);
            if room < text.len() {
                assert_eq!(outcome, Err(Unsound::TooLong), "{how:?}, {room} bytes of room");
            } else {
                assert_eq!(outcome, Ok((stream.len(), text.len())), "{how:?}, {room}");
                assert!(output[..text.len()] == text, "{how:?}, {room}");
            }
            let beyond = &output[room..];
            assert!(beyond.iter().all(|byte| *byte == UNTOUCHED), "beyond: {how:?}, {room}");
        }
    }
}

/// What follows a stream is not read. (An LZ4 block ends where its input does.)
pub fn followers<C: Codec>(codec: &mut C) {
    if C::ALGORITHM != CompressionAlgorithm::Deflate {
        return;
    }
    for (how, kind) in codec.few_ways().into_iter().flat_map(|how| KINDS.map(|kind| (how, kind))) {
        let stream = closed(how, compressed(codec, how, &kind(3000)));
        for after in [1, 2, 7, 8, 9, 300] {
            let followed = [&stream[..], &noise(after, 1)].concat();
            let outcome = codec.decompress(&followed, &mut vec![0; 4000]);
            assert_eq!(outcome, Ok((stream.len(), 3000)), "{how:?}, {after} bytes behind");
        }
    }
}

/// A stream that ends too early is told as such, at every byte, and so is one without a final
/// block. (An LZ4 block that is cut between two sequences is a block of a shorter text.)
pub fn cuts<C: Codec>(codec: &mut C) {
    for (how, kind) in codec.few_ways().into_iter().flat_map(|how| KINDS.map(|kind| (how, kind))) {
        let text = kind(1500);
        let open = compressed(codec, how, &text);
        let stream = closed(how, open.clone());
        for cut in 0..stream.len() {
            let mut room = [0; 2000];
            match codec.decompress(&stream[..cut], &mut room) {
                Ok((read, written)) if C::ALGORITHM == CompressionAlgorithm::Lz4 => {
                    assert!(read == cut && text.starts_with(&room[..written]), "{how:?}, {cut}");
                }
                outcome => assert_eq!(outcome, Err(C::CUT), "{how:?}, {cut} of {}", stream.len()),
            }
        }
        if how.ending == Ending::Open {
            let outcome = codec.decompress(&open, &mut [0; 2000]);
            assert_eq!(outcome, Err(C::CUT), "{how:?} has no final block");
        }
    }
}

/// Wrong streams are malformed, and the decoder works on.
pub fn wrong_streams<C: Codec>(codec: &mut C) {
    let (wrong, empty): ([&[u8]; 4], &[u8]) = match C::ALGORITHM {
        CompressionAlgorithm::Lz4 => (
            [
                b"\x10a\x00\x00\x00",  // a distance of 0
                b"\x10a\x02\x00\x00",  // a match before the beginning
                b"\x00\x01\x00\x00",   // a match before there is anything
                b"\x10a\x00\x00\x10b", // a distance of 0, and what would be right
            ],
            &[0],
        ),
        _ => (
            [
                &[0b111],                         // a kind of block that there is not
                &[0b001, 1, 0, 0, 0, 9],          // lengths of a stored block that do not agree
                &[0b011, 0b0000_0010, 0, 0],      // a match before there is anything
                &[0b1111_1101, 0xff, 0xff, 0xff], // codes of more symbols than there are
            ],
            &END,
        ),
    };
    for stream in wrong {
        let outcome = codec.decompress(stream, &mut [0; 100]);
        assert_eq!(outcome, Err(Unsound::Malformed), "{stream:x?}");
        assert_eq!(codec.decompress(empty, &mut []), Ok((empty.len(), 0)), "after {stream:x?}");
    }
}
