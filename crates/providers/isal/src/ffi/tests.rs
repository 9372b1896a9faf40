use broadloom_conformance::codec::{Codec, check_checksums};
use broadloom_conformance::reference::compression::Unsound;
use broadloom_engine::{Compression, CompressionAlgorithm, Ending, Huffman};

use super::*;

/// The library, or nothing where it may be missing: continuous integration must have it.
fn library() -> Option<&'static Libisal> {
    broadloom_testing::present("igzip itself", Libisal::get())
}

/// Kinds of data: text that repeats, bytes that cannot be compressed, zeros.
const KINDS: [fn(usize) -> Vec<u8>; 3] = [text, random, |len| vec![0; len]];

fn random(len: usize) -> Vec<u8> {
    broadloom_testing::noise(len, 1)
}

fn text(len: usize) -> Vec<u8> {
    broadloom_testing::text(len, 1)
}

const HOW: How = How { level: 1, window: 15, fixed: false, closes: true };

/// The library's calls for whole buffers.
struct Igzip {
    deflater: Deflater,
    inflater: Inflater,
}

impl Igzip {
    fn new() -> Result<Igzip, LibraryError> {
        let library = Libisal::get()?;
        Ok(Igzip { deflater: Deflater::new(library), inflater: Inflater::new(library) })
    }
}

impl Codec for Igzip {
    const ALGORITHM: CompressionAlgorithm = CompressionAlgorithm::Deflate;
    const CUT: Unsound = Unsound::Truncated;
    const LEAST_WINDOW: u8 = 8;
    const MOST_OF_REPEATED: usize = 95;
    const LENGTHS: &[usize] = &[1_000_000];

    fn ways(&self) -> Vec<Compression> {
        let way = |how: How| Compression {
            level: how.level,
            huffman: if how.fixed { Huffman::Static } else { Huffman::Dynamic },
            ending: if how.closes { Ending::Final } else { Ending::Open },
            ..Compression::default()
        };
        hows().map(way).collect()
    }

    fn few_ways(&self) -> Vec<Compression> {
        self.ways().into_iter().filter(|how| how.level != 2).collect()
    }

    fn is_thorough(&self, _: Compression) -> bool {
        true
    }

    /// It stores what would not fit otherwise.
    fn rooms(&self, _: Compression, text: &[u8], _: usize) -> (usize, usize) {
        (0, text.len() + 5 * text.len().div_ceil(65_535).max(1))
    }

    fn compress(&mut self, how: Compression, text: &[u8], room: &mut [u8]) -> Option<usize> {
        let Compression { level, window, huffman, ending, .. } = how;
        let (fixed, closes) = (huffman == Huffman::Static, ending == Ending::Final);
        match self.deflater.compress(How { level, window, fixed, closes }, text, room) {
            Ok(len) => Some(len),
            Err(CodecError::Full) => None,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn decompress(&mut self, input: &[u8], room: &mut [u8]) -> Result<(usize, usize), Unsound> {
        match self.inflater.decompress(input, room) {
            Ok(Inflated { consumed, produced }) => Ok((consumed, produced)),
            Err(CodecError::Full) => Err(Unsound::TooLong),
            Err(CodecError::Malformed) => Err(Unsound::Malformed),
            Err(CodecError::Truncated) => Err(Unsound::Truncated),
            Err(error) => panic!("{error:?}"),
        }
    }
}

broadloom_conformance::codec!(Igzip::new());

fn hows() -> impl Iterator<Item = How> {
    let levels = (0..=3).map(|level| How { level, ..HOW });
    let all = levels.chain([How { level: 0, fixed: true, ..HOW }]);
    all.flat_map(|how| [true, false].map(|closes| How { closes, ..how }))
}

/// In more room than stored blocks need, so that the library's own choice is seen.
fn compressed(deflater: &mut Deflater, how: How, data: &[u8]) -> Vec<u8> {
    let mut room = vec![0; 64 + data.len() * 2];
    let len = deflater.compress(how, data, &mut room).expect("there is room");
    room.truncate(len);
    room
}

/// A complete stream, whatever it was.
fn closed(how: How, mut stream: Vec<u8>) -> Vec<u8> {
    if !how.closes {
        stream.extend([3, 0]);
    }
    stream
}

/// By a decoder that is another.
fn independent(stream: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(stream).expect("it is deflate")
}

#[test]
fn a_library_that_is_not_there_is_absent() {
    let Err(error) = Libisal::open(&["libisal-of-nowhere.so"]) else { panic!("it was found") };
    assert!(matches!(error, LibraryError::Absent { .. }), "{error}");
    assert!(error.to_string().contains("libisal-of-nowhere.so"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_without_the_functions_names_the_first() {
    let Err(error) = Libisal::open(&["libc.so.6"]) else { panic!("it was taken") };
    assert_eq!(error.to_string(), "libc.so.6 lacks the function isal_deflate_stateless_init");
}

/// Short chunks whose third byte begins what they repeat, some behind a constant run: igzip 2.30
/// took the hash of that byte's position from the address of its stream.
fn repeating_from_the_third_byte() -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    for (index, bytes) in random(200 * 160).chunks(160).enumerate() {
        let mut chunk: Vec<u8> = bytes.iter().map(|byte| b'a' + byte % 26).collect();
        chunk.truncate(30 + index % 130);
        let middle = chunk.len() / 2;
        chunk.copy_within(2..9, middle);
        chunks.push(match index % 8 {
            0 => [vec![0xff; 4096 + index], chunk].concat(),
            1 => [vec![0; 8 + index], chunk].concat(),
            _ => chunk,
        });
    }
    chunks
}

#[test]
fn every_context_makes_the_same_of_the_same_chunk() {
    let Some(library) = library() else { return };
    let chunks = repeating_from_the_third_byte();
    let long = text(70_000);
    let longs = (0..20).map(|at| &long[at..65_000 + at]);
    let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).chain(longs).collect();
    for how in hows() {
        let mut first = Deflater::new(library);
        let expected: Vec<_> =
            chunks.iter().map(|chunk| compressed(&mut first, how, chunk)).collect();
        // All of them are kept, so that each lies somewhere else.
        let mut deflaters: Vec<_> = (0..40).map(|_| Deflater::new(library)).collect();
        for (number, deflater) in deflaters.iter_mut().enumerate() {
            let mut place = vec![number as u8; 80_000];
            for turn in 0..chunks.len() {
                let index = (turn * 7 + number) % chunks.len();
                let chunk = chunks[index];
                place[number..number + chunk.len()].copy_from_slice(chunk);
                let made = compressed(deflater, how, &place[number..number + chunk.len()]);
                assert!(made == expected[index], "chunk {index}, context {number}, {how:?}");
            }
        }
    }
}

/// Buffers between two pages without access.
#[cfg(unix)]
mod guarded {
    use super::*;

    struct Pages {
        start: *mut u8,
        page: usize,
        len: usize,
    }

    impl Pages {
        /// Room for `len` bytes between pages that fault.
        fn new(len: usize) -> Pages {
            // SAFETY: the anonymous memory is not shared, and its middle is made accessible.
            unsafe {
                let page =
                    usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).expect("there are pages");
                let len = len.next_multiple_of(page);
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                let whole = len + 2 * page;
                let start = libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0);
                assert_ne!(start, libc::MAP_FAILED);
                let start = start.cast::<u8>();
                let open = libc::PROT_READ | libc::PROT_WRITE;
                assert_eq!(libc::mprotect(start.add(page).cast(), len, open), 0);
                Pages { start, page, len }
            }
        }

        /// The last `len` bytes, before a page that faults.
        fn last(&mut self, len: usize) -> &mut [u8] {
            assert!(len <= self.len);
            // SAFETY: the bytes are of the middle, which is open, and are held by `&mut`.
            unsafe {
                let at = self.start.add(self.page + self.len - len);
                std::slice::from_raw_parts_mut(at, len)
            }
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the range was mapped, and no borrow of it is left.
            unsafe { libc::munmap(self.start.cast(), self.len + 2 * self.page) };
        }
    }

    #[test]
    fn whatever_the_room_it_is_full_or_whole_and_nothing_beyond_is_touched() {
        let Some(library) = library() else { return };
        let (mut deflater, mut inflater) = (Deflater::new(library), Inflater::new(library));
        let (mut input, mut output) = (Pages::new(8192), Pages::new(8192));
        for (how, kind) in hows().flat_map(|how| KINDS.map(|kind| (how, kind))) {
            for len in [0, 1, 2, 9, 30, 100, 333, 1900] {
                let data = kind(len);
                input.last(len).copy_from_slice(&data);
                let own = compressed(&mut deflater, how, &data).len();
                let most = own.max(len + 5) + 9;
                let mut stream = Vec::new();
                for room in 0..most {
                    match deflater.compress(how, input.last(len), output.last(room)) {
                        Ok(len) => stream = output.last(room)[..len].to_vec(),
                        outcome => {
                            assert_eq!(outcome, Err(CodecError::Full), "{how:?}, {len}, {room}");
                            assert!(room < len + 5, "{how:?}, {len}, {room}");
                        }
                    }
                }
                let stream = closed(how, stream);
                assert_eq!(independent(&stream), data, "{how:?}, {len}");
                let consumed = stream.len();
                input.last(consumed).copy_from_slice(&stream);
                for room in 0..len + 3 {
                    let outcome = inflater.decompress(input.last(consumed), output.last(room));
                    if room < len {
                        assert_eq!(outcome, Err(CodecError::Full), "{how:?}, {len}, {room}");
                    } else {
                        assert_eq!(outcome, Ok(Inflated { consumed, produced: len }));
                        assert_eq!(output.last(room)[..len], data);
                    }
                }
            }
        }
    }

    #[test]
    fn long_buffers_end_where_they_end() {
        let Some(library) = library() else { return };
        let (mut deflater, mut inflater) = (Deflater::new(library), Inflater::new(library));
        let (mut input, mut output) = (Pages::new(400_000), Pages::new(400_000));
        for (how, kind) in hows().flat_map(|how| KINDS.map(|kind| (how, kind))) {
            for len in [5000, 65_535, 300_001] {
                let data = kind(len);
                input.last(len).copy_from_slice(&data);
                let stored = len + 5 * len.div_ceil(65_535);
                for room in [0, len / 100, len / 3, len - 1, stored] {
                    match deflater.compress(how, input.last(len), output.last(room)) {
                        Ok(len) => {
                            let stream = closed(how, output.last(room)[..len].to_vec());
                            assert_eq!(independent(&stream), data, "{how:?}, {room}");
                        }
                        outcome => {
                            assert_eq!(outcome, Err(CodecError::Full));
                            assert!(room < stored, "{how:?}, {len}");
                        }
                    }
                }
                let stream = closed(how, compressed(&mut deflater, how, &data));
                let consumed = stream.len();
                input.last(consumed).copy_from_slice(&stream);
                for room in [0, len / 2, len - 1] {
                    let outcome = inflater.decompress(input.last(consumed), output.last(room));
                    assert_eq!(outcome, Err(CodecError::Full), "{how:?}, {len}, {room}");
                }
                let outcome = inflater.decompress(input.last(consumed), output.last(len));
                assert_eq!(outcome, Ok(Inflated { consumed, produced: len }));
                assert_eq!(output.last(len), data);
            }
        }
    }

    /// Whatever it makes of them, it stays within its buffers.
    #[test]
    fn damaged_streams_do_no_harm() {
        let Some(library) = library() else { return };
        let (mut deflater, mut inflater) = (Deflater::new(library), Inflater::new(library));
        let (mut input, mut output) = (Pages::new(20_000), Pages::new(20_000));
        let choices: Vec<usize> =
            random(60_000).chunks(3).map(|at| at[0] as usize * 251 + at[1] as usize).collect();
        let mut refused = 0;
        for (how, kind) in hows().flat_map(|how| [text, random].map(|kind| (how, kind))) {
            let stream = closed(how, compressed(&mut deflater, how, &kind(6000)));
            for pair in choices.chunks_exact(2).take(1000) {
                let damaged = input.last(stream.len());
                damaged.copy_from_slice(&stream);
                let bit = pair[0] % (8 * stream.len());
                damaged[bit / 8] ^= 1 << (bit % 8);
                let outcome = inflater.decompress(damaged, output.last(pair[1] % 12_000));
                refused += u32::from(outcome.is_err());
            }
        }
        assert!(refused > 1000, "most damage is seen, or there is too little room: {refused}");
    }

    #[test]
    fn streams_cut_short_are_truncated_and_nothing_beyond_is_read() {
        let Some(library) = library() else { return };
        let (mut deflater, mut inflater) = (Deflater::new(library), Inflater::new(library));
        let mut input = Pages::new(8192);
        for (how, kind) in hows().flat_map(|how| KINDS.map(|kind| (how, kind))) {
            let stream = compressed(&mut deflater, how, &kind(1500));
            for cut in 0..stream.len() {
                input.last(cut).copy_from_slice(&stream[..cut]);
                let outcome = inflater.decompress(input.last(cut), &mut [0; 2000]);
                assert_eq!(outcome, Err(CodecError::Truncated), "{cut} of {}", stream.len());
            }
        }
    }
}

#[test]
fn checksums_are_those_of_the_standards() {
    let Some(library) = library() else { return };
    check_checksums(|bytes| library.crc32(bytes), |bytes| library.adler32(bytes));
}
