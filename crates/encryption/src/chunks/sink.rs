//! Where groups of chunks go.

use std::io::{IoSlice, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Group;
use crate::ends::{Output, WriteAt, write_all_vectored};
use crate::error::EncryptionError;

/// Where groups of chunks go.
pub(crate) struct Sink<'a> {
    /// Where the first byte of the first chunk goes.
    start: u64,
    /// The bytes of the chunks that are wanted, counted from the first chunk's first.
    wanted: Range<u64>,
    places: Option<&'a dyn WriteAt>,
    state: Mutex<State<'a>>,
    /// It is another group's turn, or nobody's any more.
    turns: Condvar,
    stopped: AtomicBool,
}

struct State<'a> {
    /// Where groups are written in their order, unless they are written by their place.
    stream: Option<&'a mut (dyn Write + Send)>,
    /// Whose turn it is.
    turn: u64,
    /// The first error, and the number of its group.
    failed: Option<(u64, EncryptionError)>,
    /// Bytes that were written.
    written: u64,
}

impl<'a> Sink<'a> {
    /// An output that has `start` bytes already, and takes all others.
    pub(crate) fn new(output: Output<'a>, start: u64) -> Self {
        Sink::window(output, start, 0..u64::MAX)
    }

    /// An output that takes some of the bytes, at its beginning.
    pub(crate) fn window(output: Output<'a>, start: u64, wanted: Range<u64>) -> Self {
        let (stream, places) = match output {
            Output::Stream(stream) => (Some(stream), None),
            Output::Places(places) => (None, Some(places)),
        };
        let state = Mutex::new(State { stream, turn: 0, failed: None, written: 0 });
        let (turns, stopped) = (Condvar::new(), AtomicBool::new(false));
        Sink { start, wanted, places, state, turns, stopped }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing more is to be done.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Has nothing more done.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Under the lock, so that nobody is between a look at it and waiting.
        drop(self.lock());
        self.turns.notify_all();
    }

    /// Writes a group, whose chunks are `chunk` bytes apart, and notes its error.
    pub(super) fn put(&self, chunk: usize, group: &mut Group) {
        let written = match self.places {
            Some(places) => {
                let written = self.write_places(places, chunk, group);
                let mut state = self.lock();
                state.finish(written, group)
            }
            None => {
                let waiting = |state: &mut State<'_>| state.turn < group.turn && !self.is_stopped();
                let state = self.turns.wait_while(self.lock(), waiting);
                let mut state = state.unwrap_or_else(PoisonError::into_inner);
                if state.turn < group.turn {
                    return;
                }
                let written = self.write_stream(&mut state, chunk, group);
                let done = state.finish(written, group);
                // Behind an error it is nobody's turn any more.
                state.turn += u64::from(done);
                done
            }
        };
        match written {
            true => self.turns.notify_all(),
            false => self.stop(),
        }
    }

    /// The wanted bytes of a group's chunks, and where the first is among all bytes.
    fn pieces<'g>(&self, chunk: usize, group: &'g Group) -> (u64, Vec<IoSlice<'g>>) {
        let wanted = &self.wanted;
        let offset = group.first * chunk as u64;
        let pieces = group.chunks().zip(group.first..).filter_map(|(bytes, number)| {
            let (offset, len) = (number * chunk as u64, bytes.len() as u64);
            let from = wanted.start.saturating_sub(offset).min(len);
            let to = wanted.end.saturating_sub(offset).min(len);
            (from < to).then(|| IoSlice::new(&bytes[from as usize..to as usize]))
        });
        (offset.max(wanted.start), pieces.collect())
    }

    fn write_places(
        &self,
        places: &dyn WriteAt,
        chunk: usize,
        group: &Group,
    ) -> Result<u64, EncryptionError> {
        let (offset, mut pieces) = self.pieces(chunk, group);
        let offset = self.start + offset - self.wanted.start;
        let len = bytes_of(&pieces);
        let written = places.write_all_vectored_at(&mut pieces, offset);
        written.map_err(|error| EncryptionError::Write { offset, error })?;
        Ok(len)
    }

    fn write_stream(
        &self,
        state: &mut State<'_>,
        chunk: usize,
        group: &Group,
    ) -> Result<u64, EncryptionError> {
        let Some(stream) = &mut state.stream else { return Ok(0) };
        let (_, mut pieces) = self.pieces(chunk, group);
        let mut written = 0;
        match write_all_vectored(*stream, &mut pieces, &mut written) {
            Ok(()) => Ok(written),
            Err(error) => {
                let offset = self.start + state.written + written;
                Err(EncryptionError::Write { offset, error })
            }
        }
    }

    /// How it went, once all threads are done: bytes written.
    pub(super) fn outcome(&self) -> Result<u64, EncryptionError> {
        let mut state = self.lock();
        match state.failed.take() {
            Some((_, error)) => Err(error),
            None => Ok(state.written),
        }
    }
}

/// Bytes in all the pieces.
fn bytes_of(pieces: &[IoSlice<'_>]) -> u64 {
    pieces.iter().map(|piece| piece.len() as u64).sum()
}

impl State<'_> {
    /// Notes what came of a group, and says whether others are to follow.
    fn finish(&mut self, written: Result<u64, EncryptionError>, group: &mut Group) -> bool {
        let failed = match written {
            Ok(len) => {
                self.written += len;
                group.failed.take()
            }
            Err(error) => Some(error),
        };
        let Some(error) = failed else { return true };
        if self.failed.as_ref().is_none_or(|(turn, _)| group.turn < *turn) {
            self.failed = Some((group.turn, error));
        }
        false
    }
}
