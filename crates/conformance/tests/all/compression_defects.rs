//! What the topics of compressions are worth: providers with one defect each, and the topic that
//! must notice.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_conformance::own::Compressor;
use broadloom_conformance::reference::compression::{Unsound, checksum, pack, unpack};
use broadloom_conformance::topics::{compression as topics, order, support};
use broadloom_conformance::{compare, reference_provider};
use broadloom_engine::provider::{
    AnyQueue, CompressionParts, Factory, FactoryError, Operation, Progress, Provider,
    ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, Compression, CompressionAlgorithm, Direction, Ending, Huffman, JobError, Transform,
};

use crate::failing::fails;

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Flips a bit in the middle of what it compressed, where that is long.
    FlipsPacked,
    /// Flips a bit at the end of what it decompressed, where that is long.
    FlipsText,
    /// Leaves the last byte out of its checksums.
    ShortChecksum,
    /// Says that it has read all of its input.
    ReadsAll,
    /// Reads one byte less than it says, in what it compresses.
    DropsTheLast,
    /// Takes room for the most there may be, and what does not fit for what need not.
    CutsOff,
    /// Takes 32 KiB for every window.
    IgnoresWindow,
    IgnoresCodes,
    IgnoresEnding,
    /// Takes every level.
    TakesAnyLevel,
    /// Refuses windows without a word of what is valid.
    RefusesInSilence,
    /// Has a level less than it says.
    LacksLevels,
    /// Is wrong about the room that it needs at most.
    LowBound,
    /// Says that there was too little room where it was just enough.
    WantsSpareRoom,
    /// Says that there was too little room, whatever there was.
    NeverFits,
    /// Takes what ends too early for complete.
    TakesTruncated,
    /// Takes what is wrong for nothing.
    TakesMalformed,
    /// Keeps a part, final as it is, where the room ends.
    ClosesParts,
    /// Fails with a code of its own where a stream is wrong.
    FailsWithCode,
    /// Supports DEFLATE, and has no level of it.
    HidesLevels,
    /// Forgets what is long.
    ForgetsLong,
}

struct Defective(Defect);

struct Session {
    defect: Defect,
    compresses: bool,
    how: Compression,
}

impl Provider for Defective {
    fn name(&self) -> &str {
        "defective"
    }

    fn description(&self) -> String {
        format!("{:?}", self.0)
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Compression(DEFLATE)
    }

    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        (algorithm == DEFLATE && self.0 != Defect::HidesLevels).then_some(0..=4)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let (Algorithm::Compression(DEFLATE), Some(how)) =
            (transform.algorithm(), transform.compression())
        else {
            let algorithm = transform.algorithm();
            return Err(ProviderError::new(format!(
                "defective has no {algorithm}; it has deflate"
            )));
        };
        let compresses = transform.direction() == Direction::Compress;
        let mut session = Session { defect: self.0, compresses, how };
        let levels = if self.0 == Defect::LacksLevels { 0..=3 } else { 0..=4 };
        if !levels.contains(&how.level) && compresses {
            if self.0 != Defect::TakesAnyLevel {
                return Err(ProviderError::new("valid levels: 0 to 4"));
            }
            session.how.level = 4;
        }
        if self.0 == Defect::RefusesInSilence && how.window < 15 {
            return Err(ProviderError::new("no"));
        }
        match self.0 {
            Defect::IgnoresWindow => session.how.window = 15,
            Defect::IgnoresCodes => session.how.huffman = Huffman::Dynamic,
            Defect::IgnoresEnding => session.how.ending = Ending::Final,
            _ => {}
        }
        Ok(Box::new(session))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(Worker))
    }
}

impl ProviderSession for Session {
    fn kernel(&self) -> String {
        "the reference".to_owned()
    }

    fn bound(&self, len: usize) -> usize {
        if self.defect == Defect::LowBound { len } else { 2 * len + 100 }
    }
}

struct Worker;

impl Queue for Worker {
    fn batch(&mut self, _: u8) -> usize {
        4
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            let Some(parts) = operation.compression::<Session>() else { continue };
            let session = parts.session;
            if session.defect == Defect::ForgetsLong && parts.input.len() > 1000 {
                continue;
            }
            let outcome =
                if session.compresses { Ok(session.pack(parts)) } else { session.unpack(parts) };
            match outcome {
                Ok(progress) => operation.progress(progress),
                Err(error) => operation.complete(Err(error)),
            }
        }
    }
}

impl Session {
    fn pack(&self, parts: CompressionParts<'_, Session>) -> Progress {
        let CompressionParts { input, output, .. } = parts;
        let read = if self.defect == Defect::DropsTheLast {
            input.len().saturating_sub(1)
        } else {
            input.len()
        };
        let mut packed = pack(DEFLATE, self.how, &input[..read]);
        let mut consumed = input.len();
        let spare = usize::from(self.defect == Defect::WantsSpareRoom);
        let full = self.defect == Defect::NeverFits || packed.len() + spare > output.len();
        if full {
            if self.defect != Defect::ClosesParts || output.len() < 100 {
                return Progress { full, ..Progress::default() };
            }
            consumed = input.len().min(output.len() / 2);
            packed = pack(DEFLATE, self.how, &input[..consumed]);
        }
        if self.defect == Defect::FlipsPacked && packed.len() > 1000 {
            let middle = packed.len() / 2;
            packed[middle] ^= 4;
        }
        output[..packed.len()].copy_from_slice(&packed);
        let checksum = self.checksum(&input[..consumed]);
        Progress { consumed, produced: packed.len(), full, checksum }
    }

    fn unpack(&self, parts: CompressionParts<'_, Session>) -> Result<Progress, JobError> {
        let CompressionParts { input, output, .. } = parts;
        let room = output.len().saturating_sub(usize::from(self.defect == Defect::WantsSpareRoom));
        let mut made = match unpack(DEFLATE, input, room) {
            Ok(made) => made,
            Err(Unsound::TooLong) if self.defect == Defect::CutsOff => {
                let mut made =
                    unpack(DEFLATE, input, usize::MAX).map_err(|_| JobError::Malformed)?;
                made.output.truncate(room);
                made
            }
            Err(Unsound::TooLong) => return Ok(Progress::FULL),
            Err(Unsound::Truncated) if self.defect == Defect::TakesTruncated => {
                return Ok(self.nothing(input.len()));
            }
            Err(Unsound::Malformed) if self.defect == Defect::TakesMalformed => {
                return Ok(self.nothing(input.len()));
            }
            Err(_) if self.defect == Defect::FailsWithCode => {
                return Err(JobError::Provider { code: -3 });
            }
            Err(Unsound::Truncated) => return Err(JobError::Truncated),
            Err(Unsound::Malformed) => return Err(JobError::Malformed),
        };
        let checksum = self.checksum(&made.output);
        if self.defect == Defect::FlipsText && made.output.len() > 1000 {
            let last = made.output.len() - 1;
            made.output[last] ^= 0x80;
        }
        let consumed = if self.defect == Defect::ReadsAll { input.len() } else { made.consumed };
        output[..made.output.len()].copy_from_slice(&made.output);
        Ok(Progress { consumed, produced: made.output.len(), full: false, checksum })
    }

    fn nothing(&self, consumed: usize) -> Progress {
        Progress { consumed, produced: 0, full: false, checksum: self.checksum(&[]) }
    }

    fn checksum(&self, text: &[u8]) -> Option<u32> {
        let left_out = usize::from(self.defect == Defect::ShortChecksum).min(text.len());
        checksum(self.how.checksum, &text[..text.len() - left_out])
    }
}

type Topic = fn(&Arc<dyn Provider>);

fn notices(defect: Defect, topic: Topic) -> bool {
    let provider: Arc<dyn Provider> = Arc::new(Defective(defect));
    fails(|| topic(&provider))
}

fn against_the_reference(provider: &Arc<dyn Provider>) {
    compare(provider, &reference_provider());
}

#[test]
fn defects_are_noticed() {
    let defects: [(Defect, Topic); 31] = [
        (Defect::FlipsPacked, topics::long_chunks),
        (Defect::FlipsPacked, against_the_reference),
        (Defect::FlipsText, topics::long_chunks),
        (Defect::FlipsText, topics::bombs),
        (Defect::FlipsText, against_the_reference),
        (Defect::ShortChecksum, topics::checksums),
        (Defect::ShortChecksum, topics::every_length),
        (Defect::ShortChecksum, order),
        (Defect::ReadsAll, topics::trailing_bytes),
        (Defect::DropsTheLast, topics::every_length),
        (Defect::CutsOff, topics::limits),
        (Defect::CutsOff, topics::bombs),
        (Defect::IgnoresWindow, topics::windows_and_codes),
        (Defect::IgnoresCodes, topics::windows_and_codes),
        (Defect::IgnoresEnding, topics::endings),
        (Defect::TakesAnyLevel, topics::refusals),
        (Defect::RefusesInSilence, topics::refusals),
        (Defect::LacksLevels, topics::refusals),
        (Defect::LowBound, topics::room),
        (Defect::LowBound, topics::bounds),
        (Defect::ShortChecksum, topics::bounds),
        (Defect::FlipsText, topics::turns),
        (Defect::WantsSpareRoom, topics::limits),
        (Defect::NeverFits, topics::every_length),
        (Defect::TakesTruncated, topics::truncated),
        (Defect::TakesMalformed, topics::unsound_streams),
        (Defect::ClosesParts, topics::room),
        (Defect::FailsWithCode, topics::damaged),
        (Defect::HidesLevels, support),
        (Defect::ForgetsLong, topics::many_ways),
        (Defect::ForgetsLong, topics::beside_packets),
    ];
    let unnoticed: Vec<_> = defects
        .iter()
        .enumerate()
        .filter(|(_, (defect, topic))| !notices(*defect, *topic))
        .map(|(number, (defect, _))| (number, defect))
        .collect();
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

#[test]
fn without_a_defect_nothing_is_noticed() {
    let all: [Topic; 22] = [
        support,
        order,
        topics::refusals,
        topics::every_length,
        topics::long_chunks,
        topics::checksums,
        topics::known_streams,
        topics::unsound_streams,
        topics::windows_and_codes,
        topics::endings,
        topics::trailing_bytes,
        topics::bounds,
        topics::turns,
        topics::room,
        topics::limits,
        topics::bombs,
        topics::truncated,
        topics::damaged,
        topics::pieces,
        topics::many_ways,
        topics::beside_packets,
        against_the_reference,
    ];
    assert!(!all.iter().any(|topic| notices(Defect::None, *topic)));
}

/// What the provider without a defect says in its own words.
fn own() -> Compressor {
    Compressor {
        factory: Factory::new("defective", "for tests of tests", |options, _| {
            match options.first() {
                Some((name, _)) => Err(FactoryError::Option(format!("there is no {name}"))),
                None => Ok(Arc::new(Defective(Defect::None))),
            }
        }),
        wrong_options: &[(&[("level", "1")], "there is no level")],
        algorithm: DEFLATE,
        levels: 0..=4,
        refused: vec![(Compression { level: 5, ..Compression::default() }, "valid levels: 0 to 4")],
        streams: &[(&[7], Err(JobError::Malformed)), (&[3, 0], Ok(()))],
    }
}

/// Returns `true` if one of the checks of own words fails.
fn differs(own: &Compressor, defect: Defect) -> bool {
    let provider: Arc<dyn Provider> = Arc::new(Defective(defect));
    let check = || {
        own.options();
        own.refusals(&provider);
        own.streams(&provider);
    };
    fails(check)
}

#[test]
fn other_words_than_a_providers_own_are_noticed() {
    assert!(!differs(&own(), Defect::None));
    let level = Compression { level: 5, ..Compression::default() };
    let others = [
        Compressor { wrong_options: &[(&[("level", "1")], "no")], ..own() },
        Compressor { wrong_options: &[(&[], "there is no level")], ..own() },
        Compressor { levels: 0..=5, ..own() },
        Compressor { refused: vec![(level, "no")], ..own() },
        Compressor { refused: vec![(Compression::default(), "valid levels: 0 to 4")], ..own() },
        Compressor { streams: &[(&[7], Err(JobError::Truncated))], ..own() },
        Compressor { streams: &[(&[7], Ok(()))], ..own() },
    ];
    for (number, other) in others.iter().enumerate() {
        assert!(differs(other, Defect::None), "the change {number} is not noticed");
    }
    for defect in [Defect::TakesAnyLevel, Defect::TakesMalformed, Defect::HidesLevels] {
        assert!(differs(&own(), defect), "{defect:?}");
    }
}
