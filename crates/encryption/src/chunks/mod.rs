//! Chunks of an input, worked on by several threads, to an output.
//!
//! A thread takes a [`Group`] of chunks, works on all of them in one call of the engine, and writes
//! them. Threads meet along a [`Line`]. Where an end is a stream, one of them reads at a time, and
//! each writes in its turn. Memory is bounded by a group for each thread.

mod sink;
mod source;

use std::io;
use std::ops::Range;

use broadloom_engine::Processor;
use broadloom_ordered::{Line, Next, side_by_side};
use zeroize::Zeroize;

use crate::error::EncryptionError;
pub(crate) use sink::GroupSink;
use sink::{Place, Written};
pub(crate) use source::GroupSource;
use source::Places;

/// Bytes of plaintext in a chunk: the age format's.
pub(crate) const CHUNK: usize = 64 << 10;

/// Bytes of a chunk's authentication tag.
pub(crate) const TAG: usize = 16;

/// Bytes from the beginning of a chunk to the next one in a group's memory.
pub(crate) const STRIDE: usize = CHUNK + TAG;

/// Chunks of a group. Its memory, and as much for a cipher that does not work in place, stays in a
/// second-level cache of 1 MiB from reading to writing.
const GROUP: u64 = 4;

/// Groups that may be written at their places while one before them is not done.
const AHEAD: u64 = 1024;

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
    /// The block before the first chunk, unless that is the first of the input. It is there if the
    /// input is a stream, or if the cipher [needs](Cipher::needs_block_before) it.
    pub before: [u8; BLOCK],
    /// Why chunks behind those that are there are not.
    failed: Option<EncryptionError>,
    /// Bytes that were read for it.
    read: u64,
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
            read: 0,
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

    /// Returns `true` if the work on a group needs the block before its first chunk, unless that is
    /// the first of the input.
    fn needs_block_before(&self) -> bool {
        false
    }

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
    source: GroupSource<'_>,
    sink: GroupSink<'_>,
    threads: usize,
) -> Result<Report, EncryptionError> {
    let threads = source.groups(C::INPUT).map_or(threads, |groups| {
        usize::try_from(groups).unwrap_or(threads).clamp(1, threads.max(1))
    });
    let (from, to, written) = (source.by_place(), sink.place, sink.written);
    if let Some(from) = &from {
        to.expect(from.output_len(C::INPUT, C::OUTPUT));
    }
    let line = Line::new(source, written, AHEAD);
    // Where the system gives no further thread, those that there are will do.
    side_by_side(threads, "chunks", |_| work(cipher, &line, from.as_ref(), &to));
    let (_, written, error) = line.into_parts();
    error.map_or(Ok(written.report), Err)
}

/// What threads share: where groups are read and written by turns.
type Groups<'i, 'o> = Line<GroupSource<'i>, Result<Report, EncryptionError>, Written<'o>>;

/// A thread's part.
fn work<C: Cipher>(cipher: &C, line: &Groups<'_, '_>, from: Option<&Places<'_>>, to: &Place<'_>) {
    let _guard = line.stop_in_panic();
    let (mut group, mut processor) = (Group::new(), Processor::new());
    while let Next::Item(turn, ()) =
        line.next(true, |source| source.begin(C::INPUT, &mut group).then_some(()))
    {
        if let Some(places) = from {
            places.fill(C::INPUT, cipher.needs_block_before(), &mut group);
        }
        if !group.lens.is_empty()
            && let Err(error) = cipher.work(&mut processor, &mut group)
        {
            group.failed = Some(error);
        }
        let written = match to.places {
            Some(places) => to.write_at(places, C::OUTPUT, &group),
            None => match line.in_turn(turn, |written| written.write(to, C::OUTPUT, &group)) {
                Some(written) => Ok(written),
                // It was stopped, here or by another thread.
                None => return,
            },
        };
        let done = written.and_then(|output| match group.failed.take() {
            Some(error) => Err(error),
            None => Ok(Report { input: group.read, output }),
        });
        line.put([(turn, done)]);
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
