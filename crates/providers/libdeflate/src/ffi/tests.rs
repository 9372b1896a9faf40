use super::*;

/// Kinds of data: text that repeats, bytes that cannot be compressed, zeros.
const KINDS: [fn(usize) -> Vec<u8>; 3] = [text, random, |len| vec![0; len]];

fn random(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn text(len: usize) -> Vec<u8> {
    let words = ["the ", "loom ", "weaves ", "a broad ", "cloth ", "of many ", "threads, "];
    let chosen = random(len).into_iter().map(|byte| words[usize::from(byte) % words.len()]);
    chosen.flat_map(str::bytes).take(len).collect()
}

fn compressor(level: u8) -> Compressor {
    Compressor::new(level).expect("there is memory")
}

fn decompressor() -> Decompressor {
    Decompressor::new().expect("there is memory")
}

fn compressed(compressor: &mut Compressor, data: &[u8]) -> Vec<u8> {
    let mut room = vec![0; bound(data.len())];
    let len = compressor.compress(data, &mut room).expect("the bound is enough");
    room.truncate(len);
    room
}

/// By a decoder that is another.
fn independent(stream: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(stream).expect("it is deflate")
}

#[test]
fn every_level_compresses_what_every_decoder_reads() {
    let mut decompressor = decompressor();
    let long = [32_767, 32_768, 65_535, 65_536, 65_537, 200_000];
    for level in 0..=12 {
        let mut compressor = compressor(level);
        for (len, kind) in (0..=300).step_by(7).chain(long).zip(KINDS.into_iter().cycle()) {
            let data = kind(len);
            let stream = compressed(&mut compressor, &data);
            assert_eq!(independent(&stream), data, "level {level}, {len} bytes");
            let mut room = vec![0; len];
            let inflated = decompressor.decompress(&stream, &mut room);
            assert_eq!(inflated, Ok(Inflated { consumed: stream.len(), produced: len }));
            assert_eq!(room, data, "level {level}");
        }
    }
}

#[test]
fn other_encoders_streams_are_read() {
    let mut decompressor = decompressor();
    for level in 0..=10 {
        for (len, kind) in [0, 1, 500, 70_000].into_iter().zip(KINDS.into_iter().cycle()) {
            let data = kind(len);
            let stream = miniz_oxide::deflate::compress_to_vec(&data, level);
            let mut room = vec![0; len];
            let inflated = decompressor.decompress(&stream, &mut room);
            assert_eq!(inflated, Ok(Inflated { consumed: stream.len(), produced: len }));
            assert_eq!(room, data);
        }
    }
}

#[test]
fn whatever_the_room_it_is_full_or_whole_and_nothing_is_written_beyond() {
    let mut decompressor = decompressor();
    for (level, kind) in [1, 6, 12].into_iter().zip(KINDS) {
        let data = kind(2000);
        let mut compressor = compressor(level);
        let stream = compressed(&mut compressor, &data);
        for room in 0..stream.len() + 3 {
            let mut output = vec![0xa5; stream.len() + 8];
            let written = compressor.compress(&data, &mut output[..room]);
            assert_eq!(written, (room >= stream.len()).then_some(stream.len()), "{room}");
            if written.is_some() {
                assert_eq!(output[..stream.len()], stream);
            }
            assert!(output[room..].iter().all(|&byte| byte == 0xa5), "{room}");
        }
        for room in 0..data.len() + 3 {
            let mut output = vec![0xa5; data.len() + 8];
            let outcome = decompressor.decompress(&stream, &mut output[..room]);
            if room < data.len() {
                assert_eq!(outcome, Err(InflateError::Full), "{room}");
            } else {
                assert_eq!(outcome, Ok(Inflated { consumed: stream.len(), produced: data.len() }));
                assert_eq!(output[..data.len()], data);
            }
            assert!(output[room..].iter().all(|&byte| byte == 0xa5), "{room}");
        }
    }
}

#[test]
fn what_follows_a_stream_is_not_consumed() {
    let (mut compressor, mut decompressor) = (compressor(6), decompressor());
    let stream = compressed(&mut compressor, &text(3000));
    for after in [1, 2, 7, 8, 9, 300] {
        let followed = [stream.clone(), random(after)].concat();
        let outcome = decompressor.decompress(&followed, &mut vec![0; 4000]);
        assert_eq!(outcome, Ok(Inflated { consumed: stream.len(), produced: 3000 }));
    }
}

#[test]
fn streams_that_are_cut_short_or_wrong_are_malformed() {
    let (mut compressor, mut decompressor) = (compressor(6), decompressor());
    for kind in KINDS {
        let stream = compressed(&mut compressor, &kind(1500));
        for cut in 0..stream.len() {
            let outcome = decompressor.decompress(&stream[..cut], &mut [0; 2000]);
            assert_eq!(outcome, Err(InflateError::Malformed), "{cut} of {}", stream.len());
        }
    }
    let wrong: [&[u8]; 4] = [
        &[0b111],                         // a kind of block that there is not
        &[0b001, 1, 0, 0, 0, 9],          // a stored block whose lengths do not belong together
        &[0b011, 0b0000_0010, 0, 0],      // a match before there is anything
        &[0b1111_1101, 0xff, 0xff, 0xff], // codes of more symbols than there are
    ];
    for stream in wrong {
        let outcome = decompressor.decompress(stream, &mut [0; 100]);
        assert_eq!(outcome, Err(InflateError::Malformed), "{stream:x?}");
        let outcome = decompressor.decompress(&[3, 0], &mut []);
        assert_eq!(outcome, Ok(Inflated { consumed: 2, produced: 0 }));
    }
}

#[test]
fn a_level_that_there_is_not_makes_no_compressor() {
    assert!(Compressor::new(13).is_err());
}

#[test]
fn checksums_are_those_of_the_standards() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    assert_eq!((crc32(b""), adler32(b"")), (0, 1));
}
