//! The lanes of one worker: the only place that makes jobs and runs them.

use broadloom_lanes::{Cpu, Planner};

use crate::digest::Digest;
use crate::function::Function;

/// Hashes (or authenticates, if it has a key) many pieces at once.
pub struct Hasher<'k, A: Function> {
    planner: Planner<A::Lanes>,
    key: Option<&'k A::Key>,
}

/// A piece to be hashed, and where it belongs.
pub enum Piece<'a, A: Function> {
    /// A message on its own.
    Whole(&'a [u8]),
    /// More of a stream, in whole blocks.
    More(&'a mut A::Stream, &'a [u8]),
    /// The end of a stream.
    Last(&'a mut A::Stream, &'a [u8]),
}

impl<'k, A: Function> Hasher<'k, A> {
    /// Lanes for this CPU; with a key, everything is an HMAC.
    pub fn new(cpu: &Cpu, key: Option<&'k A::Key>) -> Self {
        Hasher { planner: Planner::new(cpu), key }
    }

    /// A message that will come in several pieces.
    pub fn stream(&self) -> A::Stream {
        A::stream(self.key)
    }

    /// Hashes all pieces together; the digests of those that are whole or last, in their order.
    pub fn process<'a>(
        &mut self,
        pieces: impl Iterator<Item = Piece<'a, A>>,
        digests: &mut Vec<Digest>,
    ) where
        'k: 'a,
    {
        let mut jobs: Vec<A::Job<'a>> = pieces.map(|piece| self.job(piece)).collect();
        self.planner.process_many(&mut jobs);
        digests.clear();
        digests.extend(jobs.iter().filter_map(A::output).map(Digest::new));
    }

    fn job<'a>(&self, piece: Piece<'a, A>) -> A::Job<'a>
    where
        'k: 'a,
    {
        match piece {
            Piece::Whole(data) => A::whole(self.key, data),
            Piece::Last(stream, data) => A::last(stream, data),
            Piece::More(stream, data) => A::more(stream, data),
        }
    }
}
