//! The lanes of one worker: the only place that makes jobs and runs them.
//!
//! Everything that reads files works with a [`PieceHasher`], which does not name its algorithm. So
//! that code is compiled once, and only what is in this file is compiled for each algorithm.

use std::any::Any;
use std::fs::File;
use std::io;

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::{Cpu, Planner};

use crate::algorithm::{Visitor, visit};
use crate::digest::Digest;
use crate::function::{Function, HashMode};

/// Hashes (or authenticates, if it has a key) many pieces at once.
pub trait PieceHasher {
    /// Returns a message that will come in several pieces.
    fn message(&self) -> Message;

    /// Hashes a file of this size on all cores; returns `None` if the function cannot, or if the
    /// file is not long. The work ends early when `is_stopped` returns `true`.
    fn on_all_cores(
        &self,
        file: &File,
        size: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<io::Result<Digest>>;

    /// Hashes all pieces together, and replaces `digests` by the digests of the pieces that are
    /// whole or last, in their order.
    fn process(&mut self, pieces: Vec<Piece<'_>>, digests: &mut Vec<Digest>);
}

/// A message of which some pieces were hashed. It belongs to the algorithm of the hasher that began
/// it, and any hasher of the same algorithm and mode can continue it.
pub struct Message(Box<dyn Any + Send>);

/// A piece to be hashed, and where it belongs.
pub enum Piece<'a> {
    /// A message on its own.
    Whole(&'a [u8]),
    /// More of a message, in whole blocks.
    More(&'a mut Message, &'a [u8]),
    /// The end of a message.
    Last(&'a mut Message, &'a [u8]),
}

/// Returns a hasher with lanes for this CPU.
///
/// # Panics
/// If the algorithm has no such mode.
pub fn hasher(algorithm: HashAlgorithm, cpu: &Cpu, mode: &HashMode) -> Box<dyn PieceHasher> {
    visit(algorithm, MakeHasher { cpu, mode })
}

/// Makes the hasher of an algorithm.
struct MakeHasher<'a> {
    cpu: &'a Cpu,
    mode: &'a HashMode,
}

impl Visitor for MakeHasher<'_> {
    type Output = Box<dyn PieceHasher>;

    fn visit<A: Function>(self) -> Box<dyn PieceHasher> {
        let MakeHasher { cpu, mode } = self;
        let key = || A::keyed(mode).expect("modes are refused before");
        let key = (!mode.is_plain()).then(key);
        Box::new(Hasher::<A> { planner: Planner::new(cpu), cpu: cpu.clone(), key })
    }
}

/// The lanes of an algorithm.
struct Hasher<A: Function> {
    planner: Planner<A::Lanes>,
    cpu: Cpu,
    /// With a key, everything is an HMAC, or has a mode of BLAKE3.
    key: Option<A::Key>,
}

impl<A: Function> PieceHasher for Hasher<A> {
    fn message(&self) -> Message {
        Message(Box::new(A::stream(self.key.as_ref())))
    }

    fn on_all_cores(
        &self,
        file: &File,
        size: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<io::Result<Digest>> {
        A::on_all_cores(file, size, self.key.as_ref(), &self.cpu, is_stopped)
    }

    fn process(&mut self, pieces: Vec<Piece<'_>>, digests: &mut Vec<Digest>) {
        let key = self.key.as_ref();
        let mut jobs: Vec<A::Job<'_>> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            jobs.push(match piece {
                Piece::Whole(data) => A::whole(key, data),
                Piece::Last(message, data) => A::last(message.stream::<A>(), data),
                Piece::More(message, data) => A::more(message.stream::<A>(), data),
            });
        }
        self.planner.process_many(&mut jobs);
        digests.clear();
        for job in &jobs {
            if let Some(digest) = A::output(job) {
                digests.push(Digest::new(digest));
            }
        }
    }
}

impl Message {
    fn stream<A: Function>(&mut self) -> &mut A::Stream {
        self.0.downcast_mut().expect("a message stays with its algorithm")
    }
}
