//! Messages that come in pieces.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, JobError, Piece, Processor, Session, Stream};
use fastrand::Rng;

use crate::case::{Case, assert_same};
use crate::keyed::{Keyed, simple};

/// The algorithms whose messages may come in pieces.
fn streamed(provider: &Arc<dyn Provider>) -> Vec<Algorithm> {
    let mut all = simple(provider);
    all.retain(|algorithm| takes_pieces(*algorithm));
    all
}

fn takes_pieces(algorithm: Algorithm) -> bool {
    let is_digest = matches!(algorithm, Algorithm::Hash(_) | Algorithm::Mac(_));
    is_digest && algorithm.nonce_lens().is_none()
}

/// The message of a case that has come up to some place.
struct Coming<'c> {
    case: &'c Case,
    at: usize,
    stream: Stream,
}

impl<'c> Coming<'c> {
    fn new(case: &'c Case, session: &Session) -> Self {
        let stream = session.begin().unwrap_or_else(|error| panic!("{session:?}: {error}"));
        Coming { case, at: 0, stream }
    }

    /// The next piece, of so many bytes or what is left.
    fn piece(&mut self, len: usize) -> Piece<'_> {
        let (start, end) = (self.at, (self.at + len).min(self.case.before.len()));
        self.at = end;
        Piece::new(&mut self.stream, &self.case.before[start..end])
    }

    /// The end, with all that is left.
    fn last(self) -> Piece<'c> {
        let checks = self.stream.session().direction().checks();
        let last = Piece::last(self.stream, &self.case.before[self.at..]);
        if checks { last.expect_tag(&self.case.tag) } else { last }
    }
}

/// That the end of a case's message went as it should.
fn check(case: &Case, provider: &str, checks: bool, end: &Piece<'_>, how: &str) {
    let what = || format!("{}, {} bytes, {how}", case.describe(provider), case.before.len());
    assert_eq!(end.status(), Some(Ok(())), "{}", what());
    match (end.tag(), checks) {
        (Some(tag), false) => assert_same(tag, &case.tag, what),
        (None, true) => {}
        (tag, _) => panic!("the tag {tag:?} of {}", what()),
    }
}

/// Pieces of nothing, of a byte, of about a block, of several blocks and of any length, the last of
/// them empty or not: they come to what the whole message does, made and checked, at every length
/// of tags.
pub fn streams(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(60);
    let mut processor = Processor::new();
    for algorithm in streamed(provider) {
        let block = match algorithm {
            Algorithm::Hash(hash) => hash.block_len(),
            _ => 64,
        };
        let full = Keyed::random(&mut rng, provider, algorithm);
        let lens = full.tag_lens();
        let steps = [1, block - 1, block, block + 1, 3 * block, 5 * block + 7, 1024, 3000];
        for (step, tag_len) in steps.into_iter().zip(lens.iter().rev().cycle()) {
            let keyed = full.clone().with_tag_len(*tag_len);
            let longest = if step < block { 3 * block + 1 } else { 9 * step.max(200) };
            for len in [0, 1, step, 2 * step, longest] {
                let case = Case::random(&mut rng, &keyed, len);
                for session in keyed.open_all(provider) {
                    let mut coming = Coming::new(&case, &session);
                    while coming.at + step < case.before.len() {
                        processor.update_many(&mut [coming.piece(0)]);
                        processor.update_many(&mut [coming.piece(step)]);
                    }
                    let is_empty_at_end = rng.bool();
                    if is_empty_at_end {
                        processor.update_many(&mut [coming.piece(step)]);
                    }
                    let mut ends = [coming.last()];
                    processor.update_many(&mut ends);
                    let checks = session.direction().checks();
                    let how = format!("{step} at a time, nothing at the end: {is_empty_at_end}");
                    check(&case, provider.name(), checks, &ends[0], &how);
                }
            }
        }
    }
}

/// Streams of all algorithms at once, of many lengths, with pieces of random lengths. Some end
/// while others go on, and some are copied midway: both go on by themselves.
pub fn streams_together(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(61);
    let mut processor = Processor::new();
    let keyed: Vec<_> = streamed(provider)
        .into_iter()
        .map(|algorithm| Keyed::random(&mut rng, provider, algorithm))
        .collect();
    let sessions: Vec<_> = keyed.iter().map(|keyed| keyed.open_all(provider)).collect();
    if keyed.is_empty() {
        return;
    }
    let cases: Vec<_> = (0..150)
        .map(|number| {
            let len = if number % 10 == 0 { rng.usize(..20_000) } else { rng.usize(..700) };
            let at = number % keyed.len();
            (at, Case::random(&mut rng, &keyed[at], len))
        })
        .collect();
    let mut coming: Vec<_> = cases
        .iter()
        .map(|(at, case)| Coming::new(case, &sessions[*at][rng.usize(..sessions[*at].len())]))
        .collect();
    let mut ended = 0;
    while !coming.is_empty() {
        for at in 0..coming.len() {
            if coming.len() < 400 && rng.u8(..12) == 0 {
                let Coming { case, at, stream } = &coming[at];
                let copy = Coming { case, at: *at, stream: stream.clone() };
                coming.push(copy);
            }
        }
        let pieces = coming.iter_mut().map(|coming| coming.piece(rng.usize(..900)));
        let mut pieces: Vec<_> = pieces.collect();
        let outcome = processor.update_many(&mut pieces);
        assert_eq!((outcome.completed, outcome.failed), (pieces.len(), 0));
        assert!(pieces.iter().all(|piece| piece.tag().is_none()), "there is no end yet");
        drop(pieces);
        // What has come, and every third of the others, ends.
        let (ends, others): (Vec<_>, Vec<_>) = coming
            .into_iter()
            .partition(|coming| coming.at == coming.case.before.len() || rng.u8(..3) == 0);
        coming = others;
        ended += ends.len();
        let known: Vec<_> =
            ends.iter().map(|end| (end.case, end.stream.session().clone())).collect();
        let mut ends: Vec<_> = ends.into_iter().map(Coming::last).collect();
        processor.update_many(&mut ends);
        for ((case, session), end) in known.iter().zip(&ends) {
            check(case, provider.name(), session.direction().checks(), end, "beside others");
        }
    }
    assert!(ended > cases.len(), "some were copied");
}

/// Wrong tags, tags of wrong lengths, tags where none are checked, and algorithms whose messages
/// come as a whole: all are refused, and say why.
pub fn misused_streams(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(62);
    let mut processor = Processor::new();
    for algorithm in simple(provider) {
        let keyed = Keyed::random(&mut rng, provider, algorithm);
        if !takes_pieces(algorithm) {
            let is_packet =
                matches!(algorithm, Algorithm::Mac(_) | Algorithm::Cipher(_) | Algorithm::Aead(_));
            for session in if is_packet { keyed.open_all(provider) } else { Vec::new() } {
                let error = session.begin().expect_err("it takes whole messages only");
                assert_eq!(error.algorithm, algorithm);
            }
            continue;
        }
        let case = Case::random(&mut rng, &keyed, 300);
        for session in keyed.open_all(provider) {
            let begun = || {
                let mut stream = session.begin().expect("it takes pieces");
                let taken = stream.update(&mut Processor::new(), &case.before);
                assert_eq!(taken, Ok(()), "{session:?}");
                stream
            };
            let len = keyed.tag_len;
            if !session.direction().checks() {
                let given = begun().verify(&mut processor, &case.tag);
                assert!(matches!(given, Err(JobError::NotTaken { .. })), "{session:?}: {given:?}");
                let made = begun().finish(&mut processor);
                assert_eq!(made.as_deref(), Ok(&case.tag), "{session:?}");
                continue;
            }
            assert_eq!(begun().verify(&mut processor, &case.tag), Ok(()), "{session:?}");
            for at in [0, len / 2, len - 1] {
                let mut wrong = case.tag.clone();
                wrong[at] ^= 1 << rng.u8(..8);
                let given = begun().verify(&mut processor, &wrong);
                assert_eq!(given, Err(JobError::TagMismatch), "{session:?}, byte {at}");
            }
            for (short, given) in [(&case.tag[..len - 1], len - 1), (&[][..], 0)] {
                let valid = Err(JobError::TagLength { len: given, valid: len });
                assert_eq!(begun().verify(&mut processor, short), valid, "{session:?}");
            }
            let none = JobError::TagLength { len: 0, valid: len };
            assert_eq!(begun().finish(&mut processor).err(), Some(none), "{session:?}");
        }
    }
}
