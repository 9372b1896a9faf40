//! Pieces of messages that are hashed: at once, or in lanes with the pieces of other jobs.

use std::any::Any;
use std::mem;
use std::sync::Arc;

use broadloom::lanes::{
    Cpu, Md5, Planner, Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512,
};
use broadloom_hashing::function::Function;

use super::{Ticket, line, lock};
use crate::job;
use crate::settings;
use crate::stack::with_room;

/// A hash function of this provider: each has its place in a line.
pub trait Hashed: Function {
    /// The place.
    const PLACE: usize;
    /// Bytes of a block.
    const BLOCK_LEN: usize;
}

macro_rules! hashed {
    ($($function:ident = $place:literal, $block_len:literal;)+ $count:literal) => {
        $(
            impl Hashed for $function {
                const PLACE: usize = $place;
                const BLOCK_LEN: usize = $block_len;
            }
        )+
        /// How many places there are.
        pub const COUNT: usize = $count;
    };
}

hashed!(
    Md5 = 0, 64;
    Sha1 = 1, 64;
    Sha224 = 2, 64;
    Sha256 = 3, 64;
    Sha384 = 4, 128;
    Sha512 = 5, 128;
    Sha3_224 = 6, 144;
    Sha3_256 = 7, 136;
    Sha3_384 = 8, 104;
    Sha3_512 = 9, 72;
    10
);

/// The pieces of one function that wait, and the lanes.
struct Pieces<F: Hashed> {
    planner: Planner<F::Lanes>,
    jobs: Vec<F::Job<'static>>,
    tickets: Vec<Arc<Ticket<()>>>,
}

impl<F: Hashed> Pieces<F> {
    fn new() -> Self {
        let planner = Planner::new(&Cpu::detect());
        Pieces { planner, jobs: Vec::new(), tickets: Vec::new() }
    }

    /// Processes all pieces that wait.
    fn run(&mut self) {
        self.planner.process_many(&mut self.jobs);
        // The streams and the bytes belong to the jobs again before any is told.
        self.jobs.clear();
        self.tickets.drain(..).for_each(|ticket| ticket.complete(()));
    }
}

/// The pieces of all functions, each the [`Pieces`] of its own.
#[derive(Default)]
pub(super) struct AllPieces([Option<Box<dyn Any + Send>>; COUNT]);

impl AllPieces {
    fn of<F: Hashed>(&mut self) -> &mut Pieces<F>
    where
        F::Job<'static>: Send,
    {
        let place = self.0[F::PLACE].get_or_insert_with(|| Box::new(Pieces::<F>::new()));
        place.downcast_mut().expect("each function has its own place")
    }
}

/// Has a stream absorb a piece, a multiple of 128 bytes. Inside a job, a piece that is long enough
/// waits for the pieces of other jobs.
pub fn absorb<F: Hashed>(stream: &mut F::Stream, piece: &[u8])
where
    F::Job<'static>: Send,
{
    let is_long = piece.len() >= settings::bulk_threshold();
    if !(is_long && job::can_wait()) {
        return with_room(|| {
            lock(&line()).pieces.of::<F>().planner.process_many(&mut [F::more(stream, piece)]);
        });
    }
    // SAFETY: this function returns only when the ticket is complete, and before that the line
    // drops the job. Until then the caller's frames are in a fibre that is paused.
    let (stream, piece) = unsafe {
        (
            mem::transmute::<&mut F::Stream, &'static mut F::Stream>(stream),
            mem::transmute::<&[u8], &'static [u8]>(piece),
        )
    };
    let ticket = Ticket::new();
    let line = with_room(|| {
        let line = line();
        let mut locked = lock(&line);
        let pieces = locked.pieces.of::<F>();
        pieces.jobs.push(F::more(stream, piece));
        pieces.tickets.push(ticket.clone());
        if pieces.jobs.len() >= pieces.planner.lanes() {
            pieces.run();
        }
        drop(locked);
        line
    });
    ticket.wait(&line, |line| line.pieces.of::<F>().run());
}

/// Ends a stream with its last bytes, and writes the digest to the start of `digest`.
pub fn finish<F: Hashed>(stream: &mut F::Stream, rest: &[u8], digest: &mut [u8])
where
    F::Job<'static>: Send,
{
    with_room(|| {
        let mut last = [F::last(stream, rest)];
        lock(&line()).pieces.of::<F>().planner.process_many(&mut last);
        let made = F::output(&last[0]).expect("a planner completes all jobs");
        let len = made.len().min(digest.len());
        digest[..len].copy_from_slice(&made[..len]);
    });
}
