//! Every provider that compresses, through the provider interface: streams that may be anything,
//! and round trips. The libraries that decode them are those that `decompress` uses: libdeflate,
//! libz, zlib-rs and ISA-L, and LZ4.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use broadloom_conformance::reference::compression::{dissect, unpack};
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Ending, Huffman, Job, JobError, Processor,
    Session, Transform,
};
use broadloom_isal::Isal;
use broadloom_libdeflate::Libdeflate;
use broadloom_lz4::Lz4;
use broadloom_zlib::Zlib;
use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};

use crate::guarded::guarding;

/// The most bytes that a stream becomes.
const LIMIT: u64 = 1 << 18;

/// A provider, and its sessions for decompression without a checksum and with one.
struct Decoder {
    name: &'static str,
    provider: Arc<dyn Provider>,
    sessions: [Session; 2],
}

impl Decoder {
    fn new(
        name: &'static str,
        provider: impl Provider + 'static,
        algorithm: CompressionAlgorithm,
    ) -> Decoder {
        let provider: Arc<dyn Provider> = Arc::new(provider);
        let sessions = [Checksum::None, Checksum::Crc32].map(|checksum| {
            let transform = Transform::decompress(algorithm, checksum).expect("it can be");
            Session::open(Arc::clone(&provider), &transform).expect("it decompresses")
        });
        Decoder { name, provider, sessions }
    }
}

/// The providers of DEFLATE. A library that is not here would not be fuzzed: that is an error.
static DEFLATE: LazyLock<[Decoder; 4]> = LazyLock::new(|| {
    let zlib = |library| Zlib::load(&[("library", library)]);
    let algorithm = CompressionAlgorithm::Deflate;
    let libz = zlib("system").expect("libz is here: package zlib1g");
    let isal = Isal::load(&[]).expect("libisal is here: package libisal2");
    let all = [
        Decoder::new("libz", libz, algorithm),
        Decoder::new("zlib-rs", zlib("zlib-rs").expect("it is built in"), algorithm),
        Decoder::new("libdeflate", Libdeflate::load(&[]).expect("it is built in"), algorithm),
        Decoder::new("isal", isal, algorithm),
    ];
    announce(&all);
    all
});

/// The provider of LZ4.
static LZ4: LazyLock<[Decoder; 1]> = LazyLock::new(|| {
    let lz4 = Lz4::load(&[]).expect("it is built in");
    let all = [Decoder::new("lz4", lz4, CompressionAlgorithm::Lz4)];
    announce(&all);
    all
});

/// The proof that they are fuzzed: `fuzz/run` demands the line.
fn announce(decoders: &[Decoder]) {
    let names: Vec<_> = decoders.iter().map(|decoder| decoder.name).collect();
    eprintln!("providers fuzzed: {}", names.join(" "));
}

thread_local! {
    static PROCESSOR: RefCell<Processor> = RefCell::new(Processor::new());
}

/// What came of a job: its output, its checksum, and how much of its input was read.
type Made = (Vec<u8>, Option<u32>, usize);

/// Does a job on bytes between guard pages, with so much room at first.
fn run(session: &Session, input: &[u8], room: Option<usize>) -> Result<Made, JobError> {
    guarding(|| {
        let input = input.to_vec();
        let mut job = Job::new(session, &input[..]).limit(LIMIT);
        job.set_room(room);
        PROCESSOR
            .with_borrow_mut(|processor| processor.process_many(std::slice::from_mut(&mut job)));
        let status = job.status().expect("it is complete");
        if status.is_err() {
            assert_eq!((job.output(), job.checksum()), (None, None), "of what failed");
        }
        status?;
        let (checksum, consumed) = (job.checksum(), job.consumed());
        assert!(consumed <= input.len());
        Ok((job.take_output(), checksum, consumed))
    })
}

/// Decompresses in every session of a provider and with much and little room. All must come to the
/// same.
fn decoded(decoder: &Decoder, stream: &[u8]) -> Result<(Vec<u8>, usize), JobError> {
    let name = decoder.name;
    let [plain, checked] = &decoder.sessions;
    let whole = run(plain, stream, None);
    let small = run(checked, stream, Some(stream.len() % 67));
    match (whole, small) {
        (Ok((output, _, consumed)), Ok((again, checksum, consumed_again))) => {
            assert!(output.len() as u64 <= LIMIT, "{name} made {} bytes", output.len());
            assert!(output == again, "{name}: other data with little room");
            assert_eq!(consumed, consumed_again, "{name}");
            assert_eq!(checksum, Some(crc32fast::hash(&output)), "{name}");
            Ok((output, consumed))
        }
        (Err(one), Err(other)) => {
            let known = |error| {
                use JobError::{Malformed, OutputLimit, Truncated};
                matches!(error, Malformed | Truncated | OutputLimit { .. })
            };
            assert!(known(one) && known(other), "{name}: {one:?} and {other:?}");
            Err(one)
        }
        (one, other) => panic!("{name}: {one:?}, and with little room {other:?}"),
    }
}

/// Bytes that may be a DEFLATE stream, at every provider, and what an independent decoder makes of
/// them. Where the standard calls a stream wrong, a provider may be lenient.
pub fn inflate(stream: &[u8]) {
    let right = unpack(CompressionAlgorithm::Deflate, stream, LIMIT as usize);
    let sound = dissect(stream).is_ok_and(|made| made.blocks.iter().any(|block| block.is_final));
    for decoder in DEFLATE.iter() {
        let name = decoder.name;
        match (decoded(decoder, stream), &right) {
            (Ok((output, consumed)), Ok(right)) => {
                assert!(output == right.output, "{name}: other data than the reference");
                assert_eq!(consumed, right.consumed, "{name}");
            }
            (Err(error), Ok(_)) => assert!(!sound, "{name}: {error:?} of a sound stream"),
            (_, Err(_)) => {}
        }
    }
}

/// Bytes that may be an LZ4 block, at the provider, at an independent decoder, and in the format's
/// own library, which takes a distance of 0 for zeros.
pub fn unlz4(block: &[u8]) {
    let right = unpack(CompressionAlgorithm::Lz4, block, LIMIT as usize);
    let theirs = lz4::block::decompress(block, Some(LIMIT as i32));
    match (decoded(&LZ4[0], block), right) {
        (Ok((output, consumed)), Ok(right)) => {
            assert_eq!(consumed, block.len(), "a block is all of its bytes");
            assert!(output == right.output, "other data than the reference");
            assert!(theirs.is_err() || theirs.is_ok_and(|theirs| theirs == output), "other data");
        }
        (Err(_), Err(_)) => {}
        (ours, right) => panic!("{ours:?}, and the reference: {right:?}"),
    }
}

/// Data, how they are compressed, and what is then done to the stream.
#[derive(Debug)]
pub struct RoundTrip {
    data: Vec<u8>,
    writer: usize,
    level: u8,
    how: Compression,
    room: Option<usize>,
    flips: Vec<u16>,
    cut: usize,
}

impl<'a> Arbitrary<'a> for RoundTrip {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let how = Compression {
            window: if bytes.ratio(1, 4)? { bytes.int_in_range(8..=15)? } else { 15 },
            huffman: *bytes.choose(&[Huffman::Dynamic, Huffman::Static])?,
            checksum: *bytes.choose(&[Checksum::Crc32, Checksum::Adler32, Checksum::None])?,
            ending: *bytes.choose(&[Ending::Final, Ending::Final, Ending::Open])?,
            ..Compression::default()
        };
        let (writer, level) = (bytes.arbitrary::<u8>()?.into(), bytes.arbitrary()?);
        let room = if bytes.ratio(1, 2)? { Some(bytes.int_in_range(0..=2000)?) } else { None };
        let flips = if bytes.ratio(1, 2)? { vec![bytes.arbitrary()?] } else { Vec::new() };
        let cut = if bytes.ratio(1, 8)? { bytes.int_in_range(1..=100)? } else { 0 };
        let repeats = bytes.int_in_range(1..=40)?;
        let rest = bytes.len();
        let data = bytes.bytes(rest)?.repeat(repeats);
        Ok(RoundTrip { data, writer, level, how, room, flips, cut })
    }
}

impl RoundTrip {
    /// Compresses the data at one of the providers: the stream, or `None` if the provider refuses
    /// the settings.
    fn stream(&self, writers: &[Decoder], algorithm: CompressionAlgorithm) -> Option<Vec<u8>> {
        let writer = &writers[self.writer % writers.len()];
        let levels = writer.provider.levels(algorithm).expect("it compresses");
        let level = levels.start() + self.level % (levels.end() - levels.start() + 1);
        let how = Compression { level, ..self.how };
        let transform = Transform::compress(algorithm, how).expect("the window is valid");
        let session = Session::open(Arc::clone(&writer.provider), &transform).ok()?;
        let (stream, checksum, consumed) =
            run(&session, &self.data, self.room).expect("anything can be compressed");
        assert_eq!(checksum, how.checksum.of(&self.data), "{}", writer.name);
        assert_eq!(consumed, self.data.len(), "{}", writer.name);
        Some(stream)
    }

    /// Turns bits of a stream over and cuts it off; whether that changed it.
    fn damage(&self, stream: &mut Vec<u8>) -> bool {
        let bits = 8 * stream.len();
        for flip in self.flips.iter().map(|flip| usize::from(*flip) % bits) {
            stream[flip / 8] ^= 1 << (flip % 8);
        }
        stream.truncate(stream.len() - self.cut.min(stream.len()));
        !self.flips.is_empty() || self.cut > 0
    }
}

/// A round trip through one provider's compressor and every provider's decompressor, and the same
/// with a stream that was damaged on the way.
pub fn deflate(trip: RoundTrip) {
    let Some(mut stream) = trip.stream(&*DEFLATE, CompressionAlgorithm::Deflate) else { return };
    if trip.how.ending == Ending::Open {
        // An empty last block with static codes.
        stream.extend([3, 0]);
    }
    let made = dissect(&stream).expect("what was compressed is a stream");
    assert!(made.farthest <= 1 << trip.how.window, "a match is farther than the window");
    for decoder in DEFLATE.iter() {
        let (output, consumed) = decoded(decoder, &stream).expect("what was compressed is sound");
        assert!(output == trip.data && consumed == stream.len(), "{}", decoder.name);
    }
    if trip.damage(&mut stream) {
        inflate(&stream);
    }
}

/// The same with LZ4.
pub fn lz4(trip: RoundTrip) {
    let Some(mut block) = trip.stream(&*LZ4, CompressionAlgorithm::Lz4) else { return };
    let (output, _) = decoded(&LZ4[0], &block).expect("what was compressed is sound");
    assert!(output == trip.data);
    let theirs = lz4::block::decompress(&block, Some(trip.data.len() as i32));
    assert!(theirs.is_ok_and(|theirs| theirs == trip.data), "the format's own library differs");
    if trip.damage(&mut block) {
        unlz4(&block);
    }
}
