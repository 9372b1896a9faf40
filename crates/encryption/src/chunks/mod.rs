//! Chunks of an input, worked on by several threads, to an output.
//!
//! A thread takes a [`Group`] of chunks, works on all of them in one call of the engine, and writes
//! them. Threads meet only where an end is a stream: there one reads at a time, and
//! writes wait for their turn. Memory is bounded by a group for each thread.

mod sink;
mod source;

use std::io;
use std::ops::Range;
use std::thread;

use broadloom_engine::Processor;
use zeroize::Zeroize;

use crate::error::EncryptionError;
pub(crate) use sink::Sink;
pub(crate) use source::Source;

/// Bytes of plaintext in a chunk: the age format's.
pub(crate) const CHUNK: usize = 64 << 10;

/// Bytes of a chunk's authentication tag.
pub(crate) const TAG: usize = 16;

/// Bytes from the beginning of a chunk to the next one in a group's memory.
pub(crate) const STRIDE: usize = CHUNK + TAG;

/// Chunks of a group. Its memory, and as much for a cipher that does not work in place, stays in a
/// second-level cache of 1 MiB from reading to writing.
const GROUP: u64 = 4;

/// Bytes of a block, which CBC chains.
pub(crate) const BLOCK: usize = 16;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Report {
    /// Bytes read.
    pub input: u64,
    /// Bytes written.
    pub output: u64,
}

/// Several chunks, one after another in an input.
pub(crate) struct Group {
    /// Their memory.
    pub slots: Slots,
    /// As much memory, for a cipher that does not work in place.
    pub spare: Slots,
    /// How many bytes of each chunk were read; then how many are to be written.
    pub lens: Vec<usize>,
    /// The number of the first chunk.
    pub first: u64,
    /// The input ends with the last chunk.
    pub last: bool,
    /// The block before the first chunk, unless that is the first of the input.
    pub before: [u8; BLOCK],
    /// Why chunks behind those that are there are not.
    failed: Option<EncryptionError>,
    /// The group's number.
    turn: u64,
}

/// Memory of chunks, [`STRIDE`] bytes for each. Wiped when dropped.
pub(crate) struct Slots(Box<[u8]>);

impl Slots {
    fn new() -> Slots {
        Slots(vec![0; GROUP as usize * STRIDE].into())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.chunks_exact(STRIDE)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.0.chunks_exact_mut(STRIDE)
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Group {
    fn new() -> Group {
        Group {
            slots: Slots::new(),
            spare: Slots::new(),
            lens: Vec::with_capacity(GROUP as usize),
            first: 0,
            last: false,
            before: [0; BLOCK],
            failed: None,
            turn: 0,
        }
    }

    /// The chunks, with as many bytes as they have.
    fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        self.slots.iter().zip(&self.lens).map(|(chunk, &len)| &chunk[..len])
    }
}

/// How chunks are worked on.
pub(crate) trait Cipher: Sync {
    /// Bytes of a chunk of the input.
    const INPUT: usize;
    /// Bytes of a chunk of the output.
    const OUTPUT: usize;

    /// Works on a group, and says how many bytes each chunk has then.
    ///
    /// # Errors
    /// The first chunk that fails. The lengths are then those of the chunks before it.
    fn work(&self, processor: &mut Processor, group: &mut Group) -> Result<(), EncryptionError>;
}

/// Takes all chunks of a source through a cipher to a sink, on so many threads, the calling thread
/// among them.
///
/// # Errors
/// The error that comes first in the input. A sink that is a stream got all before it.
///
/// # Panics
/// If a provider, or an end, panics.
pub(crate) fn run<C: Cipher>(
    cipher: &C,
    source: &Source<'_>,
    sink: &Sink<'_>,
    threads: usize,
) -> Result<Report, EncryptionError> {
    let threads = source.groups(C::INPUT).map_or(threads, |groups| {
        usize::try_from(groups).unwrap_or(threads).clamp(1, threads.max(1))
    });
    thread::scope(|scope| {
        let workers: Vec<_> = (1..threads)
            .map_while(|index| {
                let worker = thread::Builder::new().name(format!("chunks {index}"));
                // Those that there are will do.
                worker.spawn_scoped(scope, || work(cipher, source, sink)).ok()
            })
            .collect();
        work(cipher, source, sink);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    sink.outcome().map(|output| Report { input: source.read(), output })
}

/// A thread's part.
fn work<C: Cipher>(cipher: &C, source: &Source<'_>, sink: &Sink<'_>) {
    let _stop = StopInPanic(sink);
    let (mut group, mut processor) = (Group::new(), Processor::new());
    while !sink.is_stopped() && source.fill(C::INPUT, &mut group) {
        if !group.lens.is_empty()
            && let Err(error) = cipher.work(&mut processor, &mut group)
        {
            group.failed = Some(error);
        }
        sink.put(C::OUTPUT, &mut group);
    }
}

/// Ends the other threads where this one panics: they would wait for its turn.
struct StopInPanic<'s, 'a>(&'s Sink<'a>);

impl Drop for StopInPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

/// The chunks that have bytes of a range of the plaintext.
pub(crate) fn covering(range: &Range<u64>) -> Range<u64> {
    range.start / CHUNK as u64..range.end.div_ceil(CHUNK as u64)
}

/// An error of reading, or of the armour that is read through.
pub(crate) fn read_error(offset: u64, error: io::Error) -> EncryptionError {
    match error.downcast() {
        Ok(armor) => EncryptionError::Armor(armor),
        Err(error) => EncryptionError::Read { offset, error },
    }
}
