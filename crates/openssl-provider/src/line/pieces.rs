//! Pieces of messages that are hashed or authenticated: at once, or in lanes with the pieces of
//! other jobs.

use std::sync::Arc;
use std::{mem, slice};

use broadloom::error::JobError;
use broadloom::{Piece, Processor, Stream};

use super::{Ticket, line, lock};
use crate::job;
use crate::settings;
use crate::stack::with_room;

/// The pieces that wait, and the way to the lanes.
#[derive(Default)]
pub(super) struct Pieces {
    processor: Processor,
    waiting: Vec<Piece<'static>>,
    tickets: Vec<Arc<Ticket<Result<(), JobError>>>>,
}

/// So many pieces fill the lanes of every instruction set.
const BATCH: usize = 16;

impl Pieces {
    /// Processes all pieces that wait.
    fn run(&mut self) {
        self.processor.update_many(&mut self.waiting);
        for (piece, ticket) in self.waiting.drain(..).zip(self.tickets.drain(..)) {
            let outcome = piece.status().expect("a processor completes all pieces");
            // The stream and the bytes belong to the job again before it is told.
            drop(piece);
            ticket.complete(outcome);
        }
    }
}

/// Has a stream take a piece. Inside a job, a piece that is long enough waits for the pieces of
/// other jobs.
///
/// # Errors
/// As [`Stream::update`].
pub fn absorb(stream: &mut Stream, piece: &[u8]) -> Result<(), JobError> {
    let is_long = piece.len() >= settings::bulk_threshold();
    if !(is_long && job::can_wait()) {
        return with_room(|| stream.update(&mut lock(&line()).pieces.processor, piece));
    }
    // SAFETY: this function returns only when the ticket is complete, and before that the line
    // drops the piece. Until then the caller's frames are in a fibre that is paused.
    let (stream, piece) = unsafe {
        (
            mem::transmute::<&mut Stream, &'static mut Stream>(stream),
            mem::transmute::<&[u8], &'static [u8]>(piece),
        )
    };
    let ticket = Ticket::new();
    let line = with_room(|| {
        let line = line();
        let mut locked = lock(&line);
        let pieces = &mut locked.pieces;
        pieces.waiting.push(Piece::new(stream, piece));
        pieces.tickets.push(ticket.clone());
        if pieces.waiting.len() >= BATCH {
            pieces.run();
        }
        drop(locked);
        line
    });
    ticket.wait(&line, |line| line.pieces.run())
}

/// Ends a stream, and writes the digest or the tag to the start of `out`.
///
/// # Errors
/// As [`Stream::finish`].
pub fn finish(stream: Stream, out: &mut [u8]) -> Result<(), JobError> {
    with_room(|| {
        let mut end = Piece::last(stream, b"");
        lock(&line()).pieces.processor.update_many(slice::from_mut(&mut end));
        end.status().expect("a processor completes all pieces")?;
        let made = end.tag().unwrap_or_default();
        out[..made.len()].copy_from_slice(made);
        Ok(())
    })
}
