//! Chunks of data to compress, and the valid outputs for them.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use broadloom_engine::provider::{Provider, ProviderError};
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Direction, Ending, Held, Huffman, Job,
    Session, Transform,
};
use fastrand::Rng;

use crate::case::assert_same;
use crate::reference::compression::{checksum, pack, unpack};
use crate::reference::no_reference;

/// An empty final block with static codes: what ends an open stream.
pub(crate) const END: [u8; 2] = [3, 0];
/// The longest chunk that the suite has.
pub(crate) const LONGEST: usize = 300 << 10;

/// Kinds of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words, some of them often, in sentences.
    Text,
    /// Nothing that any code shortens.
    Random,
    Zeros,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Text, Kind::Random, Kind::Zeros];

    /// So many bytes, others for each length.
    pub fn bytes(self, len: usize) -> Arc<[u8]> {
        const SPARE: usize = 1009;
        static ALL: OnceLock<[Vec<u8>; 3]> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            let mut rng = Rng::with_seed(40);
            let text = text(&mut rng, LONGEST + SPARE);
            let mut random = vec![0; LONGEST + SPARE];
            rng.fill(&mut random);
            [text, random, vec![0; LONGEST + SPARE]]
        });
        all[self as usize][len % SPARE..][..len].into()
    }
}

fn text(rng: &mut Rng, len: usize) -> Vec<u8> {
    let words: Vec<String> = (0..3000)
        .map(|_| {
            let len = 1 + rng.usize(..5) + rng.usize(..5);
            (0..len).map(|_| char::from(b"etaoinshrdlucmfw"[rng.usize(..16)])).collect()
        })
        .collect();
    let mut text = Vec::new();
    while text.len() < len {
        // The smaller of three: the first words are the frequent ones.
        let word = (0..3).map(|_| rng.usize(..words.len())).min().unwrap_or_default();
        text.extend_from_slice(words[word].as_bytes());
        text.extend_from_slice([" ", " ", " ", " ", ", ", ".\n"][rng.usize(..6)].as_bytes());
    }
    text.truncate(len);
    text
}

/// A text, what the reference made of it, and what is to be made of it.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub algorithm: CompressionAlgorithm,
    /// How it is compressed here; a checksum counts in both directions.
    pub how: Compression,
    pub text: Arc<[u8]>,
    /// A whole stream that stands for the text, which the reference made.
    pub packed: Arc<[u8]>,
}

impl Chunk {
    /// A chunk; the reference compresses it in one of its own ways, by its length.
    pub fn new(algorithm: CompressionAlgorithm, how: Compression, text: Arc<[u8]>) -> Self {
        let own = match algorithm {
            CompressionAlgorithm::Deflate => Compression {
                level: [6, 1, 9, 0, 4, 2][text.len() % 6],
                window: [15, 15, 12, 15, 9][text.len() % 5],
                huffman: [Huffman::Dynamic, Huffman::Dynamic, Huffman::Static][text.len() % 3],
                ..Compression::default()
            },
            _ => Compression::default(),
        };
        let packed = pack(algorithm, own, &text).into();
        Chunk { algorithm, how, text, packed }
    }

    /// The same, to be compressed in another way.
    pub fn with(&self, how: Compression) -> Self {
        Chunk { how, ..self.clone() }
    }

    /// The data before processing in a direction.
    pub fn input(&self, direction: Direction) -> &Arc<[u8]> {
        if direction == Direction::Compress { &self.text } else { &self.packed }
    }

    /// A session for one of the directions.
    pub fn open(&self, provider: &Arc<dyn Provider>, direction: Direction) -> Session {
        open(provider, self.algorithm, direction, self.how).unwrap_or_else(|error| {
            panic!("{} opens no session to {direction} {:?}: {error}", provider.name(), self.how)
        })
    }

    /// A job that owns its data.
    pub fn owned_job<'a>(&self, session: impl Into<Held<'a>>) -> Job<'a> {
        let session = session.into();
        let data = self.input(session.get().direction()).to_vec();
        Job::new(session, data)
    }

    /// That a job of it has gone as it should.
    pub fn check<T>(&self, job: &Job<'_, T>, context: impl Display) {
        match job.session().direction() {
            Direction::Compress => self.check_packed(job, context),
            _ => self.check_unpacked(job, self.packed.len(), context),
        }
    }

    /// That a job has decompressed some stream to the text, and has read so many bytes of it.
    pub fn check_unpacked<T>(&self, job: &Job<'_, T>, consumed: usize, context: impl Display) {
        let what = || self.describe(job.session(), &context);
        self.check_common(job, consumed, &what);
        assert_same(job.output().unwrap_or_default(), &self.text, what);
    }

    fn check_packed<T>(&self, job: &Job<'_, T>, context: impl Display) {
        let what = || self.describe(job.session(), &context);
        self.check_common(job, self.text.len(), &what);
        let packed = job.output().unwrap_or_default();
        let most = most(self.algorithm, self.text.len());
        assert!(
            packed.len() <= most,
            "{} bytes came out, of at most {most}: {}",
            packed.len(),
            what()
        );
        let stream = self.whole(packed);
        let unpacked = unpack(self.algorithm, &stream, self.text.len())
            .unwrap_or_else(|error| panic!("the reference cannot read it, {error}: {}", what()));
        assert_eq!(unpacked.consumed, stream.len(), "bytes after the end of {}", what());
        assert_same(&unpacked.output, &self.text, what);
    }

    fn check_common<T>(&self, job: &Job<'_, T>, consumed: usize, what: &impl Fn() -> String) {
        assert_eq!(job.status(), Some(Ok(())), "{}", what());
        assert_eq!(job.consumed(), consumed, "the bytes read of {}", what());
        let expected = checksum(self.how.checksum, &self.text);
        assert_eq!(job.checksum(), expected, "the checksum of {}", what());
        assert_eq!(job.tag(), None, "{}", what());
    }

    /// The output as a stream with an end.
    pub fn whole(&self, packed: &[u8]) -> Vec<u8> {
        let mut stream = packed.to_vec();
        if self.how.ending == Ending::Open {
            stream.extend(END);
        }
        stream
    }

    fn describe(&self, session: &Session, context: &impl Display) -> String {
        let len = self.text.len();
        format!("{session:?}, {:?}, a text of {len} bytes, {context}", self.how)
    }
}

/// The most bytes that a compression makes of so many: for DEFLATE in stored blocks (RFC 1951
/// section 3.2.4), for LZ4 in literals.
pub(crate) fn most(algorithm: CompressionAlgorithm, len: usize) -> usize {
    match algorithm {
        CompressionAlgorithm::Deflate => len + 5 * len.div_ceil(0xffff).max(1),
        CompressionAlgorithm::Lz4 => len + len / 255 + 16,
        _ => no_reference(algorithm),
    }
}

/// The compressions that a provider has.
pub(crate) fn compressions(provider: &Arc<dyn Provider>) -> Vec<CompressionAlgorithm> {
    let all = CompressionAlgorithm::all();
    all.filter(|algorithm| provider.supports(Algorithm::Compression(*algorithm))).collect()
}

/// A session to compress in a way, or to decompress with its checksum.
pub(crate) fn open(
    provider: &Arc<dyn Provider>,
    algorithm: CompressionAlgorithm,
    direction: Direction,
    how: Compression,
) -> Result<Session, ProviderError> {
    let transform = match direction {
        Direction::Compress => Transform::compress(algorithm, how),
        _ => Transform::decompress(algorithm, how.checksum),
    };
    Session::open(Arc::clone(provider), &transform.expect("DEFLATE has such windows"))
}

/// Every level of a provider, and nothing else out of the ordinary.
///
/// # Panics
/// If it has none.
pub(crate) fn levels(
    provider: &Arc<dyn Provider>,
    algorithm: CompressionAlgorithm,
) -> Vec<Compression> {
    let levels = provider.levels(algorithm).unwrap_or_else(|| {
        panic!("{} supports {algorithm:?}, and says at which levels", provider.name())
    });
    levels.map(|level| Compression { level, ..Compression::default() }).collect()
}

/// Windows, codes and endings, beside what is usual, that could be asked for: each alone, and some
/// together.
pub(crate) fn wishes(level: u8) -> impl Iterator<Item = Compression> {
    let usual = Compression { level, ..Compression::default() };
    let windows = Compression::WINDOWS.filter(move |window| *window != usual.window);
    let windows = windows.map(move |window| Compression { window, ..usual });
    let codes = Compression { huffman: Huffman::Static, ..usual };
    let open = Compression { ending: Ending::Open, ..usual };
    let both = Compression { huffman: Huffman::Static, ..open };
    windows.chain([codes, open, both, Compression { window: 10, ..both }])
}

/// The ways in which a provider compresses: every level, and what it takes of the [`wishes`] at the
/// first, the middle and the last.
pub(crate) fn ways(
    provider: &Arc<dyn Provider>,
    algorithm: CompressionAlgorithm,
) -> Vec<Compression> {
    let mut ways = levels(provider, algorithm);
    let mut some = [0, ways.len() / 2, ways.len() - 1].map(|index| ways[index].level).to_vec();
    some.dedup();
    let wishes = some.into_iter().flat_map(wishes);
    ways.extend(wishes.filter(|how| open(provider, algorithm, Direction::Compress, *how).is_ok()));
    ways
}

/// All three.
pub(crate) const CHECKSUMS: [Checksum; 3] = [Checksum::None, Checksum::Crc32, Checksum::Adler32];
