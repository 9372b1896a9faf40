use broadloom_conformance::codec;
use broadloom_conformance::codec::Codec;
use broadloom_conformance::reference::compression::Unsound;
use broadloom_engine::{Compression, CompressionAlgorithm, Ending, Huffman};
use broadloom_testing::{noise, text};

use super::*;

const SHAPE: Shape = Shape { level: 6, window: 15, fixed: false };

/// The crate, as a library.
const BUILT_IN: Library = Library::Rust { instead_of: None };

/// Returns libz as a library, if it is there.
fn system() -> Result<Library, LibraryError> {
    Libz::get().map(Library::System)
}

/// The libraries that there are. Continuous integration must have both.
fn libraries() -> Vec<Library> {
    let system = broadloom_testing::present("the system's libz", system());
    system.into_iter().chain([BUILT_IN]).collect()
}

/// A library's calls for whole buffers. What it compresses is read by every library.
struct WholeBuffers {
    library: Library,
    deflater: Deflater,
    inflaters: Vec<Inflater>,
}

impl WholeBuffers {
    fn new(library: Library) -> WholeBuffers {
        let memory = "there is memory";
        let inflaters = libraries().into_iter();
        WholeBuffers {
            deflater: Deflater::new(&library, SHAPE).expect(memory),
            inflaters: inflaters.map(|one| Inflater::new(&one).expect(memory)).collect(),
            library,
        }
    }
}

impl Codec for WholeBuffers {
    const ALGORITHM: CompressionAlgorithm = CompressionAlgorithm::Deflate;
    const CUT: Unsound = Unsound::Truncated;
    const LEAST_WINDOW: u8 = 9;

    fn ways(&self) -> Vec<Compression> {
        let plain = Compression { level: 6, ..Compression::default() };
        let levels = (0..=9).map(|level| Compression { level, ..plain });
        let windows = (9..=14).map(|window| Compression { window, ..plain });
        let both = levels.chain(windows);
        let both = both.flat_map(|how| {
            [Huffman::Dynamic, Huffman::Static].map(|huffman| Compression { huffman, ..how })
        });
        both.flat_map(|how| {
            [Ending::Final, Ending::Open].map(|ending| Compression { ending, ..how })
        })
        .collect()
    }

    fn few_ways(&self) -> Vec<Compression> {
        let plain = Compression { level: 6, ..Compression::default() };
        [Ending::Final, Ending::Open].map(|ending| Compression { ending, ..plain }).to_vec()
    }

    /// At low levels, zlib-rs makes no codes of its own.
    fn is_thorough(&self, how: Compression) -> bool {
        how.level == 6
    }

    /// An open stream is known to be whole by a byte of room that is left.
    fn rooms(&self, how: Compression, _: &[u8], whole: usize) -> (usize, usize) {
        let least = whole + usize::from(how.ending == Ending::Open);
        (least, least)
    }

    fn compress(&mut self, how: Compression, text: &[u8], room: &mut [u8]) -> Option<usize> {
        let Compression { level, window, huffman, ending, .. } = how;
        let shape = Shape { level, window, fixed: huffman == Huffman::Static };
        if self.deflater.shape() != shape {
            self.deflater = Deflater::new(&self.library, shape).expect("there is memory");
        }
        match self.deflater.compress(text, room, ending == Ending::Final) {
            Ok(len) => Some(len),
            Err(CodecError::Full) => None,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn decompress(&mut self, input: &[u8], room: &mut [u8]) -> Result<(usize, usize), Unsound> {
        let outcomes = self.inflaters.iter_mut().map(|inflater| {
            room.fill(0xa5);
            match inflater.decompress(input, room) {
                Ok(Inflated { consumed, produced }) => Ok((consumed, room[..produced].to_vec())),
                Err(CodecError::Full) => Err(Unsound::TooLong),
                Err(CodecError::Malformed) => Err(Unsound::Malformed),
                Err(CodecError::Truncated) => Err(Unsound::Truncated),
                Err(error) => panic!("{error:?}"),
            }
        });
        let outcomes: Vec<_> = outcomes.collect();
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "the libraries differ");
        outcomes[0].as_ref().map(|(read, text)| (*read, text.len())).map_err(|error| *error)
    }
}

codec!(system: system().map(WholeBuffers::new));
codec!(built_in: Ok::<_, LibraryError>(WholeBuffers::new(BUILT_IN)));

/// Nothing changes where a buffer is longer than the library counts; here it counts to a thousand.
#[test]
fn long_buffers_go_in_pieces() {
    for library in &libraries() {
        for closes in [true, false] {
            let data = [text(10_000, 1), noise(5000, 1)].concat();
            let mut deflater = Deflater::new(library, SHAPE).expect("there is memory");
            deflater.longest = 1000;
            let mut stream = vec![0; 64 + data.len() * 2];
            let len = deflater.compress(&data, &mut stream, closes).expect("there is room");
            stream.truncate(len);
            if !closes {
                stream.extend([3, 0]);
            }
            let independent = miniz_oxide::inflate::decompress_to_vec(&stream);
            assert_eq!(independent.expect("it is deflate"), data);
            let mut inflater = Inflater::new(library).expect("there is memory");
            inflater.longest = 1000;
            let mut room = vec![0; data.len()];
            let outcome = inflater.decompress(&stream, &mut room);
            assert_eq!(outcome, Ok(Inflated { consumed: stream.len(), produced: data.len() }));
            assert_eq!(room, data);
        }
    }
}
