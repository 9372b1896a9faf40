//! Messages in pieces: what a provider is handed of them, and what becomes of its faults.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use broadloom_engine::provider::{
    AnyQueue, Operation, Portion, PortionParts, Provider, ProviderError, ProviderSession,
    ProviderStream, Queue,
};
use broadloom_engine::{
    Algorithm, Job, JobError, Piece, Processor, Session, StreamError, Transform,
};

use crate::metrics::{queue, sizes};
use crate::toy::{HASH, MAC, Toy, sum};

/// Bytes of a block.
const BLOCK: usize = 4;
/// A block with this at its beginning meets the fault.
const BAD: u8 = 0xbd;

/// What a queue does with a bad block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Takes it for that of another provider.
    Mistakes,
    Fails,
    Panics,
}

/// What a call had: the bytes of each portion, and whether it was the end.
type Call = Vec<(usize, bool)>;

/// A provider of sums that takes pieces.
#[derive(Clone)]
struct Sums {
    fault: Fault,
    has_queues: bool,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Sums {
    fn new(fault: Fault) -> Sums {
        Sums { fault, has_queues: true, calls: Arc::default() }
    }

    fn open(&self, transform: &Transform) -> Session {
        Session::open(Arc::new(self.clone()), transform).expect("it can")
    }

    fn hash(&self) -> Session {
        self.open(&Transform::hash(HASH))
    }

    fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut *self.calls.lock().expect("nobody panics under it"))
    }
}

#[derive(Clone)]
struct Sum {
    key: u8,
    message: Vec<u8>,
}

impl Provider for Sums {
    fn name(&self) -> &str {
        "sums"
    }

    fn description(&self) -> String {
        "sums of pieces".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        [Algorithm::Hash(HASH), Algorithm::Mac(MAC)].contains(&algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let key = transform.key().first().copied().unwrap_or_default();
        Ok(Box::new(Sum { key, message: Vec::new() }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        match self.has_queues {
            true => Ok(AnyQueue::local(self.clone())),
            false => Err(ProviderError::new("no queue today")),
        }
    }
}

impl ProviderSession for Sum {
    fn kernel(&self) -> String {
        "sums".to_owned()
    }

    fn begin(&self) -> Option<ProviderStream> {
        Some(ProviderStream::new(self.clone(), BLOCK))
    }
}

impl Queue for Sums {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, _: &mut [&mut Operation<'_>]) {
        unreachable!("all messages come in pieces");
    }

    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        let mut call = Vec::new();
        for portion in portions {
            let PortionParts { stream, data, tag } = portion.commit::<Sum>().expect("its own");
            call.push((data.len(), tag.is_some()));
            if data.first() != Some(&BAD) {
                assert!(tag.is_some() || !data.is_empty() && data.len() % BLOCK == 0);
                stream.message.extend_from_slice(data);
                if let Some(tag) = tag {
                    tag[..16].copy_from_slice(&sum(stream.key, &stream.message));
                }
                continue;
            }
            match self.fault {
                Fault::Mistakes => {
                    portion.fail(JobError::NotDone);
                    assert!(portion.commit::<Vec<u8>>().is_none());
                }
                Fault::Fails => portion.fail(JobError::Provider { code: -3 }),
                Fault::Panics => panic!("a bad block"),
            }
        }
        self.calls.lock().expect("nobody panics under it").push(call);
    }
}

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|at| at as u8 % 100).collect()
}

#[test]
fn a_provider_has_whole_blocks_and_as_few_calls_as_can_be() {
    let (sums, mut processor) = (Sums::new(Fault::Fails), Processor::new());
    for (pieces, expected) in [
        (&[][..], &[(0, true)][..]),
        (&[0, 3, 0], &[(3, true)]),
        (&[4], &[(4, false), (0, true)]),
        (&[3, 1], &[(4, false), (0, true)]),
        (&[1, 11], &[(4, false), (8, false), (0, true)]),
        (&[9, 2], &[(8, false), (3, true)]),
        (&[1, 1, 1, 1, 1], &[(4, false), (1, true)]),
        (&[5, 6, 10], &[(4, false), (4, false), (4, false), (8, false), (1, true)]),
    ] {
        let whole = text(pieces.iter().sum());
        let mut stream = sums.hash().begin().expect("a hash has streams");
        let mut rest = whole.as_slice();
        for len in pieces {
            let (piece, later) = rest.split_at(*len);
            stream.update(&mut processor, piece).expect("nothing is bad");
            rest = later;
        }
        assert_eq!(stream.kept(), None);
        let digest = stream.finish(&mut processor).expect("nothing is bad");
        assert_eq!(digest.as_slice(), sum(0, &whole), "{pieces:?}");
        assert_eq!(sums.calls().concat(), expected, "{pieces:?}");
    }
}

#[test]
fn the_end_takes_its_bytes_along() {
    let (sums, mut processor) = (Sums::new(Fault::Fails), Processor::new());
    for (first, last, expected) in [
        (0, 9, &[(9, true)][..]),
        (4, 9, &[(4, false), (9, true)]),
        (3, 1, &[(4, true)]),
        (3, 9, &[(4, false), (8, true)]),
    ] {
        let whole = text(first + last);
        let mut stream = sums.hash().begin().expect("a hash has streams");
        stream.update(&mut processor, &whole[..first]).expect("nothing is bad");
        let mut pieces = [Piece::last(stream, &whole[first..])];
        assert_eq!(pieces[0].status(), None);
        processor.update_many(&mut pieces);
        assert_eq!(pieces[0].status(), Some(Ok(())));
        assert_eq!(pieces[0].tag(), Some(&sum(0, &whole)[..]));
        assert_eq!(sums.calls().concat(), expected);
        // What is done is not done again.
        processor.update_many(&mut pieces);
        assert_eq!(pieces[0].tag(), Some(&sum(0, &whole)[..]));
        assert!(sums.calls().is_empty());
    }
}

#[test]
fn pieces_of_many_streams_share_calls() {
    let (sums, mut processor) = (Sums::new(Fault::Fails), Processor::new());
    let (others, hash) = (Sums::new(Fault::Fails), sums.hash());
    let sessions = [others.hash(), hash.clone(), hash];
    let streams = (0..100).map(|at| sessions[at % 3].begin().expect("a hash"));
    let streams: Vec<_> = streams.collect();
    let texts: Vec<_> = (0..100).map(text).collect();
    let mut ends: Vec<_> =
        streams.into_iter().zip(&texts).map(|(stream, text)| Piece::last(stream, text)).collect();
    let outcome = processor.update_many(&mut ends);
    assert_eq!((outcome.completed, outcome.failed, outcome.fell_back), (100, 0, 0));
    for (end, text) in ends.iter().zip(&texts) {
        assert_eq!(end.tag(), Some(&sum(0, text)[..]));
    }
    // Two windows, of 64 and 36.
    assert_eq!(sums.calls().iter().map(Vec::len).collect::<Vec<_>>(), [42, 24]);
    assert_eq!(others.calls().iter().map(Vec::len).collect::<Vec<_>>(), [22, 12]);
}

#[test]
fn a_stream_that_failed_takes_nothing_more_and_others_go_on() {
    for (fault, error) in
        [(Fault::Mistakes, JobError::NotDone), (Fault::Fails, JobError::Provider { code: -3 })]
    {
        let (sums, mut processor) = (Sums::new(fault), Processor::new());
        let hash = sums.hash();
        let [mut bad, mut good] = [(); 2].map(|()| hash.begin().expect("a hash"));
        let (one, other) = ([BAD; BLOCK], text(BLOCK));
        let mut pieces = [Piece::new(&mut bad, &one), Piece::new(&mut good, &other)];
        let outcome = processor.update_many(&mut pieces);
        assert_eq!((outcome.completed, outcome.failed), (2, 1));
        assert_eq!(pieces[0].status(), Some(Err(error)));
        assert_eq!(pieces[1].status(), Some(Ok(())));
        drop(pieces);
        assert_eq!(bad.update(&mut processor, b"more"), Err(error));
        assert_eq!(bad.clone().finish(&mut processor).err(), Some(error));
        assert_eq!(bad.finish(&mut processor).err(), Some(error));
        assert_eq!(good.finish(&mut processor).expect("nothing is bad").as_slice(), sum(0, &other));
    }
}

#[test]
fn a_panic_costs_the_streams_that_were_worked_on() {
    let sums = Sums::new(Fault::Panics);
    let hash = sums.hash();
    let mut streams: Vec<_> = (0..70).map(|_| hash.begin().expect("a hash")).collect();
    let (bad, good) = ([BAD; BLOCK], text(BLOCK));
    let mut pieces: Vec<_> = streams
        .iter_mut()
        .enumerate()
        .map(|(at, stream)| Piece::new(stream, if at == 40 { &bad } else { &good }))
        .collect();
    let call = || Processor::new().update_many(&mut pieces);
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    assert!(pieces.iter().all(|piece| piece.status().is_none()));
    // The second window was not begun.
    let outcome = Processor::new().update_many(&mut pieces);
    assert_eq!((outcome.completed, outcome.failed), (70, 64));
    assert_eq!(pieces[0].status(), Some(Err(JobError::Panicked)));
    assert_eq!(pieces[69].status(), Some(Ok(())));
    drop(pieces);
    let mut processor = Processor::new();
    let ends = streams.into_iter().map(|stream| stream.finish(&mut processor));
    let ends: Vec<_> = ends.collect();
    assert_eq!(ends[63].as_ref().err(), Some(&JobError::Panicked));
    assert_eq!(ends[64].as_ref().expect("it went on").as_slice(), sum(0, &good));
}

#[test]
fn without_a_queue_a_stream_fails() {
    let sums = Sums { has_queues: false, ..Sums::new(Fault::Fails) };
    let mut stream = sums.hash().begin().expect("a hash");
    let mut processor = Processor::new();
    assert_eq!(stream.update(&mut processor, b"abc"), Ok(()), "nothing is due");
    assert_eq!(stream.update(&mut processor, b"d"), Err(JobError::NoQueue));
    assert_eq!(stream.finish(&mut processor).err(), Some(JobError::NoQueue));
}

#[test]
fn a_provider_of_whole_messages_has_them_at_the_end() {
    let mut processor = Processor::new();
    let session = Toy::SOUND.open(&Transform::mac(MAC, &[9; 16]).generate().expect("it fits"));
    let mut stream = session.begin().expect("a MAC has streams");
    stream.update(&mut processor, b"mess").expect("it is kept");
    let copy = stream.clone();
    stream.update(&mut processor, b"age").expect("it is kept");
    assert_eq!((stream.kept(), copy.kept()), (Some(7), Some(4)));
    assert_eq!(*stream.finish(&mut processor).expect("sound"), sum(9, b"message"));
    assert_eq!(*copy.finish(&mut processor).expect("sound"), sum(9, b"mess"));
}

#[test]
fn a_stream_falls_back_with_its_whole_message() {
    let lacking = Toy { has_queues: false, ..Toy::SOUND };
    let hash = Transform::hash(HASH);
    let session = lacking.open(&hash).falling_back_to(Toy::SOUND.open(&hash)).expect("the same");
    let mut processor = Processor::new();
    let mut stream = session.begin().expect("a hash has streams");
    stream.update(&mut processor, b"mess").expect("it is kept");
    let mut ends = [Piece::last(stream, b"age")];
    let outcome = processor.update_many(&mut ends);
    assert_eq!((outcome.failed, outcome.fell_back), (0, 1));
    assert_eq!(ends[0].tag(), Some(&sum(0, b"message")[..]));
}

#[test]
fn tags_are_checked_and_misuse_is_named() {
    let (sums, mut processor) = (Sums::new(Fault::Fails), Processor::new());
    let mac = || Transform::mac(MAC, &[9; 16]);
    let right = sum(9, b"message");
    let verify = mac().verify().expect("it fits");
    for session in [sums.open(&verify), Toy::SOUND.open(&verify)] {
        let begun = || {
            let mut stream = session.begin().expect("a MAC has streams");
            stream.update(&mut Processor::new(), b"message").expect("it is sound");
            stream
        };
        assert_eq!(begun().verify(&mut processor, &right), Ok(()));
        let mut wrong = right;
        wrong[15] ^= 1;
        assert_eq!(begun().verify(&mut processor, &wrong), Err(JobError::TagMismatch));
        let short = JobError::TagLength { len: 15, valid: 16 };
        assert_eq!(begun().verify(&mut processor, &right[..15]), Err(short));
        let none = JobError::TagLength { len: 0, valid: 16 };
        assert_eq!(begun().finish(&mut processor).err(), Some(none));
        let mut checked = [Piece::last(begun(), b"").expect_tag(&right)];
        processor.update_many(&mut checked);
        assert_eq!((checked[0].status(), checked[0].tag()), (Some(Ok(())), None));
        assert_eq!(processor.update_many(&mut checked).failed, 0, "it is not done again");
        assert_eq!(checked[0].status(), Some(Ok(())));
        let mut early = begun();
        let mut checked = [Piece::new(&mut early, b"").expect_tag(&right)];
        processor.update_many(&mut checked);
        assert!(matches!(checked[0].status(), Some(Err(JobError::NotTaken { .. }))));
    }
    let generate = sums.open(&mac().tag_len(12).generate().expect("it fits"));
    let stream = generate.begin().expect("a MAC has streams");
    assert_eq!(*stream.clone().finish(&mut processor).expect("sound"), sum(9, b"")[..12]);
    let not_taken = stream.verify(&mut processor, &sum(9, b"")[..12]);
    assert!(matches!(not_taken, Err(JobError::NotTaken { .. })));
}

#[test]
fn what_takes_no_pieces_says_so() {
    let cipher = Transform::cipher(crate::toy::CIPHER, &[7; 16]).encrypt().expect("it fits");
    let session = Toy::SOUND.open(&cipher);
    let algorithm = session.algorithm();
    let error = session.begin().expect_err("a cipher has no streams");
    assert_eq!(error, StreamError { algorithm });
    assert_eq!(
        error.to_string(),
        "aes-128-ctr takes whole messages only; a hash, or a MAC without a nonce, takes pieces"
    );
}

#[test]
fn streams_and_jobs_of_one_session_are_the_same() {
    let session = Toy::SOUND.open(&Transform::hash(HASH));
    let mut processor = Processor::new();
    let mut jobs = [Job::new(&session, b"message")];
    processor.process_many(&mut jobs);
    let stream = session.begin().expect("a hash has streams");
    let mut ends = [Piece::last(stream, b"message")];
    processor.update_many(&mut ends);
    assert_eq!(jobs[0].tag(), ends[0].tag());
}

#[test]
fn pieces_are_counted_and_a_message_that_is_kept_counts_once() {
    let label = "pieces, \"quoted\"";
    broadloom_engine::metrics::start();
    let hash = || Transform::hash(HASH).label(label).expect("it fits");
    let sums = Sums::new(Fault::Fails);
    let (absorbs, keeps) = (sums.open(&hash()), Toy::SOUND.open(&hash()));
    let mut processor = Processor::new();
    for session in [&absorbs, &keeps] {
        let mut stream = session.begin().expect("a hash has streams");
        processor.update_many(&mut [Piece::new(&mut stream, &text(7))]);
        processor.update_many(&mut [Piece::new(&mut stream, &text(9))]);
        processor.update_many(&mut [Piece::last(stream, &text(100))]);
    }
    let mut bad = absorbs.begin().expect("a hash has streams");
    processor.update_many(&mut [Piece::new(&mut bad, &[BAD; 2 * BLOCK])]);
    let (queue, mut series) = queue(label);
    series.sort_by_key(|totals| (totals.series.provider().to_owned(), totals.longest));
    assert_eq!(sizes(&series), [(64, 3, 24), (128, 1, 100), (128, 1, 116)]);
    assert_eq!(series[0].errors.get("provider"), Some(&1));
    assert_eq!(queue.statistics.batches, 7);
    assert_eq!((queue.statistics.completed, queue.statistics.failed), (7, 1));
}
