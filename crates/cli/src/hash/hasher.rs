//! The lanes of one worker: the only place that makes jobs and runs them.

use broadloom_lanes::{Cpu, Hash, HashJob, HmacKey, Job, Planner, Stream};

use super::digest::Digest;

/// Jobs over borrowed pieces of files.
type PieceJob<'a, A> = HashJob<'a, A, &'a [u8], ()>;

/// Hashes (or authenticates, if it has a key) many pieces at once.
pub struct Hasher<'k, A: Hash> {
    planner: Planner<<PieceJob<'k, A> as Job>::Lanes>,
    key: Option<&'k HmacKey<A>>,
}

/// A piece to be hashed, and where it belongs.
pub enum Piece<'a, A: Hash> {
    /// A message on its own.
    Whole(&'a [u8]),
    /// More of a stream, in whole blocks.
    More(&'a mut Stream<A>, &'a [u8]),
    /// The end of a stream.
    Last(&'a mut Stream<A>, &'a [u8]),
}

impl<'k, A: Hash> Hasher<'k, A> {
    /// Lanes for this CPU; with a key, everything is an HMAC.
    pub fn new(cpu: &Cpu, key: Option<&'k HmacKey<A>>) -> Self {
        Hasher { planner: Planner::new(cpu), key }
    }

    /// A message that will come in several pieces.
    pub fn stream(&self) -> Stream<A> {
        match self.key {
            Some(key) => Stream::hmac(key),
            None => Stream::new(),
        }
    }

    /// Hashes all pieces together; the digests of those that are whole or last, in their order.
    pub fn process<'a>(
        &mut self,
        pieces: impl Iterator<Item = Piece<'a, A>>,
        digests: &mut Vec<Digest>,
    ) where
        'k: 'a,
    {
        let mut jobs: Vec<PieceJob<'a, A>> = pieces.map(|piece| self.job(piece)).collect();
        self.planner.process_many(&mut jobs);
        digests.clear();
        digests.extend(jobs.iter().filter_map(HashJob::output).map(|d| Digest::new(d.as_ref())));
    }

    fn job<'a>(&self, piece: Piece<'a, A>) -> PieceJob<'a, A>
    where
        'k: 'a,
    {
        match (piece, self.key) {
            (Piece::Whole(data), Some(key)) => HashJob::hmac(key, data, ()),
            (Piece::Whole(data), None) => HashJob::digest(data, ()),
            (Piece::Last(stream, data), _) => HashJob::finish(stream, data, ()),
            (Piece::More(stream, data), _) => {
                HashJob::update(stream, data, ()).expect("readers cut streams at whole blocks")
            }
        }
    }
}
