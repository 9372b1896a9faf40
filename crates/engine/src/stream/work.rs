//! How pieces go through a processor: those of many streams, or of one.

use std::slice;

use arrayvec::ArrayVec;
use zeroize::Zeroizing;

use super::Stream;
use super::piece::{Due, Piece};
use crate::algorithm::MAX_TAG;
use crate::job::Job;
use crate::job_error::JobError;
use crate::processor::{Outcome, Processor};
use crate::provider::queue::AnyQueue;
use crate::provider::stream::Portion;

/// Pieces that go to a provider in one call, at most: as many as fill the lanes of every hash to
/// the end of a burst of mixed lengths.
const WINDOW: usize = 64;

impl Stream {
    /// Takes the next piece.
    ///
    /// # Errors
    /// As those of a [job](crate::Job::status): there is no queue, or the provider fails. The
    /// stream takes nothing more then.
    pub fn update(&mut self, processor: &mut Processor, piece: &[u8]) -> Result<(), JobError> {
        let mut piece = Piece::new(self, piece);
        processor.update_many(slice::from_mut(&mut piece));
        piece.outcome()
    }

    /// Ends the message, and returns its digest or its tag, of as many bytes as
    /// [`Session::tag_len`](crate::Session::tag_len) says.
    ///
    /// # Errors
    /// As those of [`update`](Stream::update). A session that checks tags makes none
    /// ([`JobError::TagLength`]): [`verify`](Stream::verify) does.
    pub fn finish(self, processor: &mut Processor) -> Result<Zeroizing<Vec<u8>>, JobError> {
        let mut piece = Piece::last(self, b"");
        processor.update_many(slice::from_mut(&mut piece));
        piece.outcome().map(|()| Zeroizing::new(piece.tag().unwrap_or_default().to_vec()))
    }

    /// Ends the message, and checks its tag in constant time.
    ///
    /// # Errors
    /// [`JobError::TagMismatch`]; [`JobError::TagLength`] where the tag is not as long as the
    /// session's; [`JobError::NotTaken`] where the session makes tags; or as those of
    /// [`update`](Stream::update).
    pub fn verify(self, processor: &mut Processor, tag: &[u8]) -> Result<(), JobError> {
        let mut piece = Piece::last(self, b"").expect_tag(tag);
        processor.update_many(slice::from_mut(&mut piece));
        piece.outcome()
    }
}

impl Processor {
    /// Has streams take their next pieces, or end, side by side where their kernels allow it: any
    /// mix of sessions, algorithms, lengths and keys. Each piece then says how it went.
    ///
    /// ```
    /// # let mut registry = broadloom_engine::Registry::new();
    /// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    /// use broadloom_engine::{HashAlgorithm, Piece, Processor, Transform};
    ///
    /// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
    /// let mut streams = [session.begin()?, session.begin()?];
    /// let [one, other] = &mut streams;
    /// let mut processor = Processor::new();
    /// processor.update_many(&mut [Piece::new(one, b"a piece"), Piece::new(other, b"another")]);
    /// let mut ends = streams.map(|stream| Piece::last(stream, b", the last"));
    /// processor.update_many(&mut ends);
    /// assert!(ends.iter().all(|end| end.tag().is_some_and(|digest| digest.len() == 32)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a provider panics. The pieces that it was working on have no status then, and their
    /// streams take nothing more ([`JobError::Panicked`]). The provider's queue may be of no more
    /// use: drop the processor.
    pub fn update_many(&mut self, pieces: &mut [Piece<'_>]) -> Outcome {
        let mut outcome = Outcome { completed: pieces.len(), ..Outcome::default() };
        if pieces.is_empty() {
            return outcome;
        }
        let started = self.begin_batch();
        for window in pieces.chunks_mut(WINDOW) {
            window.iter_mut().filter(|piece| piece.is_open()).for_each(Piece::begin);
            self.absorb(window);
            outcome.fell_back += self.end_kept(window);
            for piece in window {
                let counts = piece.counts();
                outcome.failed += usize::from(piece.end());
                if counts {
                    self.meter.count_of(piece.session(), piece.len(), piece.outcome());
                }
            }
        }
        self.count_call(started, outcome);
        outcome
    }

    /// Hands portions to providers until none is due: of a piece at most two, what waited before
    /// it and the blocks that are in it.
    fn absorb(&mut self, pieces: &mut [Piece<'_>]) {
        if let [piece] = pieces {
            return self.absorb_one(piece);
        }
        let is_due = |piece: &Piece<'_>| matches!(piece.due, Due::Waiting | Due::Data);
        while let Some(first) = pieces.iter().position(is_due) {
            let session = pieces[first].session();
            let provider = session.provider_id();
            let queue = self.open(session);
            let is_own =
                |piece: &Piece<'_>| is_due(piece) && piece.session().provider_id() == provider;
            // In its place from the beginning: a collection would be moved, with room for all.
            let mut portions = ArrayVec::<Portion<'_>, WINDOW>::new_const();
            let own = pieces.iter_mut().filter(|piece| is_own(piece));
            portions.extend(own.filter_map(Piece::portion));
            hand_over(queue, &mut portions);
            drop(portions);
            pieces.iter_mut().filter(|piece| is_own(piece)).for_each(Piece::advance);
        }
    }

    /// The same of one piece.
    fn absorb_one(&mut self, piece: &mut Piece<'_>) {
        if piece.due == Due::Nothing {
            return;
        }
        let mut queue = self.open(piece.session());
        while let Some(mut portion) = piece.portion() {
            hand_over(queue.as_deref_mut(), slice::from_mut(&mut portion));
            piece.advance();
        }
    }

    /// Makes jobs of messages that were kept and are complete, and says how many fell back to
    /// another session.
    fn end_kept(&mut self, pieces: &mut [Piece<'_>]) -> usize {
        let mut jobs: Vec<Job<'_>> = pieces.iter().filter_map(Piece::kept_job).collect();
        if jobs.is_empty() {
            return 0;
        }
        let fell_back = self.process_uncounted(&mut jobs).fell_back;
        let ends = jobs.iter().map(|job| {
            let mut tag = Zeroizing::new([0; MAX_TAG]);
            let made = job.tag().unwrap_or_default();
            tag[..made.len()].copy_from_slice(made);
            (job.status().unwrap_or(Err(JobError::NotDone)), tag)
        });
        let ends: Vec<_> = ends.collect();
        drop(jobs);
        let complete = pieces.iter_mut().filter(|piece| piece.due == Due::Kept);
        complete.zip(&ends).for_each(|(piece, (outcome, tag))| piece.complete_kept(*outcome, tag));
        fell_back
    }
}

/// Hands portions to their provider's queue, if there is one.
fn hand_over(queue: Option<&mut AnyQueue>, portions: &mut [Portion<'_>]) {
    match queue {
        Some(AnyQueue::Local(queue)) => queue.absorb(portions),
        // Its sessions begin no streams.
        Some(AnyQueue::Device(_)) => {}
        None => portions.iter_mut().for_each(|portion| portion.fail(JobError::NoQueue)),
    }
}
