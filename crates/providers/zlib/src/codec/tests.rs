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

/// The libraries that there are. Continuous integration must have both.
fn libraries() -> Vec<Library> {
    let crate_itself = Library::Rust { instead_of: None };
    match Libz::get() {
        Ok(libz) => vec![Library::System(libz), crate_itself],
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("only zlib-rs is tested: {error}");
            vec![crate_itself]
        }
    }
}

const SHAPE: Shape = Shape { level: 6, window: 15, fixed: false };

fn shapes() -> impl Iterator<Item = Shape> {
    let levels = (0..=9).map(|level| Shape { level, ..SHAPE });
    let windows = (9..=15).map(|window| Shape { window, ..SHAPE });
    let both = levels.chain(windows);
    both.flat_map(|shape| [false, true].map(|fixed| Shape { fixed, ..shape }))
}

fn compressed(deflater: &mut Deflater, data: &[u8], closes: bool) -> Vec<u8> {
    let mut room = vec![0; 64 + data.len() * 2];
    let len = deflater.compress(data, &mut room, closes).expect("there is room");
    room.truncate(len);
    room
}

/// By a decoder that is neither.
fn independent(stream: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(stream).expect("it is deflate")
}

fn lengths() -> impl Iterator<Item = usize> {
    (0..=300).step_by(7).chain([255, 256, 257, 32_767, 32_768, 65_535, 65_536, 65_537, 200_000])
}

#[test]
fn every_shape_compresses_what_every_decoder_reads() {
    let libraries = libraries();
    let mut inflaters: Vec<_> =
        libraries.iter().map(|library| Inflater::new(library).expect("there is memory")).collect();
    for library in &libraries {
        for shape in shapes() {
            let mut deflater = Deflater::new(library, shape).expect("there is memory");
            for (len, kind) in lengths().zip(KINDS.into_iter().cycle()) {
                let data = kind(len);
                let stream = compressed(&mut deflater, &data, true);
                assert_eq!(independent(&stream), data, "{shape:?}, {len} bytes");
                for inflater in &mut inflaters {
                    let mut room = vec![0; len];
                    let inflated = inflater.decompress(&stream, &mut room);
                    assert_eq!(inflated, Ok(Inflated { consumed: stream.len(), produced: len }));
                    assert_eq!(room, data, "{shape:?}");
                }
            }
        }
    }
}

#[test]
fn open_streams_follow_one_another() {
    for library in &libraries() {
        for shape in shapes() {
            let mut deflater = Deflater::new(library, shape).expect("there is memory");
            let (mut stream, mut data) = (Vec::new(), Vec::new());
            for (index, len) in [1000, 0, 1, 70_000, 0].into_iter().enumerate() {
                let part = KINDS[index % KINDS.len()](len);
                stream.extend(compressed(&mut deflater, &part, false));
                data.extend(part);
            }
            let last = text(10);
            stream.extend(compressed(&mut deflater, &last, true));
            data.extend(last);
            assert_eq!(independent(&stream), data, "{shape:?}");
        }
    }
}

/// The stream keeps to its shape: only fixed codes, and no match beyond the window.
#[test]
fn codes_and_windows_are_those_asked_for() {
    for library in &libraries() {
        for fixed in [false, true] {
            let mut deflater = Deflater::new(library, Shape { fixed, ..SHAPE }).expect("memory");
            let stream = compressed(&mut deflater, &text(5000), true);
            // The final block's kind, after the bit that says that it is final.
            assert_eq!(stream[0] >> 1 & 3, if fixed { 1 } else { 2 });
        }
        for window in 9..=14 {
            // It repeats itself just beyond the window, where only the next one reaches.
            let period = random((1 << window) + 1);
            let data = period.repeat(4);
            let size = |window| {
                let shape = Shape { window, ..SHAPE };
                compressed(&mut Deflater::new(library, shape).expect("memory"), &data, true).len()
            };
            assert!(size(window) > data.len() / 10 * 9, "{window}");
            assert!(size(window + 1) < data.len() / 10 * 6, "{window}");
        }
    }
}

#[test]
fn whatever_the_room_it_is_full_or_whole_and_nothing_is_written_beyond() {
    for library in &libraries() {
        for (kind, closes) in KINDS.into_iter().zip([true, false, true]).chain([(text as _, false)])
        {
            let data = kind(2000);
            let mut deflater = Deflater::new(library, SHAPE).expect("there is memory");
            let stream = compressed(&mut deflater, &data, closes);
            // An open stream is known to be whole by a byte of room that is left.
            let least = stream.len() + usize::from(!closes);
            for room in 0..least + 3 {
                let mut output = vec![0xa5; least + 8];
                let outcome = deflater.compress(&data, &mut output[..room], closes);
                if room < least {
                    assert_eq!(outcome, Err(CodecError::Full), "{room} of {least}");
                } else {
                    assert_eq!(outcome, Ok(stream.len()));
                    assert_eq!(output[..stream.len()], stream);
                }
                assert!(output[room..].iter().all(|&byte| byte == 0xa5), "{room}");
            }
            let mut inflater = Inflater::new(library).expect("there is memory");
            let stream = compressed(&mut deflater, &data, true);
            for room in 0..data.len() + 3 {
                let mut output = vec![0xa5; data.len() + 8];
                let outcome = inflater.decompress(&stream, &mut output[..room]);
                if room < data.len() {
                    assert_eq!(outcome, Err(CodecError::Full), "{room}");
                } else {
                    assert_eq!(
                        outcome,
                        Ok(Inflated { consumed: stream.len(), produced: data.len() })
                    );
                    assert_eq!(output[..data.len()], data);
                }
                assert!(output[room..].iter().all(|&byte| byte == 0xa5), "{room}");
            }
        }
    }
}

#[test]
fn what_follows_a_stream_is_not_consumed() {
    for library in &libraries() {
        let data = text(3000);
        let mut deflater = Deflater::new(library, SHAPE).expect("there is memory");
        let stream = compressed(&mut deflater, &data, true);
        let mut inflater = Inflater::new(library).expect("there is memory");
        for after in [1, 2, 7, 8, 9, 300] {
            let followed = [stream.clone(), random(after)].concat();
            let outcome = inflater.decompress(&followed, &mut vec![0; 4000]);
            assert_eq!(outcome, Ok(Inflated { consumed: stream.len(), produced: 3000 }));
        }
    }
}

#[test]
fn streams_cut_short_are_truncated() {
    for library in &libraries() {
        let mut deflater = Deflater::new(library, SHAPE).expect("there is memory");
        let mut inflater = Inflater::new(library).expect("there is memory");
        for kind in KINDS {
            let stream = compressed(&mut deflater, &kind(1500), true);
            for cut in 0..stream.len() {
                let outcome = inflater.decompress(&stream[..cut], &mut [0; 2000]);
                assert_eq!(outcome, Err(CodecError::Truncated), "{cut} of {}", stream.len());
            }
        }
        let open = compressed(&mut deflater, &text(1500), false);
        let outcome = inflater.decompress(&open, &mut [0; 2000]);
        assert_eq!(outcome, Err(CodecError::Truncated), "it has no final block");
    }
}

#[test]
fn wrong_streams_are_malformed_and_the_decoder_works_on() {
    let wrong: [&[u8]; 4] = [
        &[0b111],                         // a kind of block that there is not
        &[0b001, 1, 0, 0, 0, 9],          // a stored block whose lengths do not belong together
        &[0b011, 0b0000_0010, 0, 0],      // a match before there is anything
        &[0b1111_1101, 0xff, 0xff, 0xff], // codes of more symbols than there are
    ];
    for library in &libraries() {
        let mut inflater = Inflater::new(library).expect("there is memory");
        for stream in wrong {
            let outcome = inflater.decompress(stream, &mut [0; 100]);
            assert_eq!(outcome, Err(CodecError::Malformed), "{stream:x?}");
            let outcome = inflater.decompress(&[3, 0], &mut []);
            assert_eq!(outcome, Ok(Inflated { consumed: 2, produced: 0 }));
        }
    }
}

/// Nothing changes where a buffer is longer than the library counts; here it counts to a thousand.
#[test]
fn long_buffers_go_in_pieces() {
    for library in &libraries() {
        for closes in [true, false] {
            let data = [text(10_000), random(5000)].concat();
            let mut deflater = Deflater::new(library, SHAPE).expect("there is memory");
            deflater.longest = 1000;
            let mut stream = compressed(&mut deflater, &data, closes);
            if !closes {
                stream.extend([3, 0]);
            }
            assert_eq!(independent(&stream), data);
            let mut inflater = Inflater::new(library).expect("there is memory");
            inflater.longest = 1000;
            let mut room = vec![0; data.len()];
            let outcome = inflater.decompress(&stream, &mut room);
            assert_eq!(outcome, Ok(Inflated { consumed: stream.len(), produced: data.len() }));
            assert_eq!(room, data);
        }
    }
}
