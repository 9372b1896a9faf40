//! What a user hands in: messages, and pieces of messages.

use core::ptr;

use zeroize::Zeroize;

use super::Blake3Key;
use super::lanes::{self, Blake3End, Blake3Lanes, Blake3Task};
use super::tree::{Bytes, Stack};
use crate::buffer::{CipherBuffer, Input};
use crate::job::{PacketJob, Work};
use crate::kernels::blake3::{BLOCK_LEN, CHUNK_LEN};
use crate::manager::Loan;

/// A message of BLAKE3 that comes in several pieces of any length.
///
/// Each piece but the last is a job of its own ([`Blake3Job::update`]); the last one
/// ([`Blake3Job::finish`]) gives the output. The chunks of a long piece fill the lanes by
/// themselves. Wiped when dropped.
///
/// ```
/// use broadloom_lanes::{Blake3Job, Blake3Key, Blake3Stream, Cpu, Planner};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut stream = Blake3Stream::new(&Blake3Key::new());
/// planner.process_many(&mut [Blake3Job::update(&mut stream, b"a", vec![], ())]);
/// let mut last = [Blake3Job::finish(&mut stream, b"bc", vec![0; 32], ())];
/// planner.process_many(&mut last);
/// assert_eq!(last[0].output().expect("complete")[..4], [0x64, 0x37, 0xb3, 0xac]);
/// ```
#[derive(Clone)]
pub struct Blake3Stream {
    key: Blake3Key,
    stack: Stack,
    /// The number of the first chunk: other than zero for a part of a message.
    start: u64,
    /// Chunks whose values are on the stack, combined.
    chunks: u64,
    /// The bytes behind those chunks: at most a chunk, and at least one byte once there are any.
    partial: [u8; CHUNK_LEN],
    filled: usize,
}

/// What a stream makes of a piece: the chunk that the piece completes, if it completes one, and the
/// bytes behind that.
struct Joined {
    head: *const u8,
    data: *const u8,
    len: usize,
}

impl Blake3Stream {
    /// Returns a message of which nothing came yet.
    pub fn new(key: &Blake3Key) -> Self {
        Self::part(key, 0)
    }

    /// Returns a part of a message that begins so many bytes into it, for
    /// [`append`](Blake3Stream::append): parts can be hashed at the same time. All parts but the
    /// last have one length, a power of two of at least 1024 bytes.
    ///
    /// ```
    /// use broadloom_lanes::{Blake3Job, Blake3Key, Blake3Stream, Cpu, Planner};
    ///
    /// let (message, key) = (vec![7; 10_000], Blake3Key::new());
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let mut whole = Blake3Stream::new(&key);
    /// for (number, piece) in message.chunks(4096).enumerate() {
    ///     let mut part = Blake3Stream::part(&key, 4096 * number as u64);
    ///     planner.process_many(&mut [Blake3Job::update(&mut part, piece, vec![], ())]);
    ///     whole.append(&part);
    /// }
    /// let mut jobs = [
    ///     Blake3Job::finish(&mut whole, &b""[..], vec![0; 32], ()),
    ///     Blake3Job::hash(&key, &message[..], vec![0; 32], ()),
    /// ];
    /// planner.process_many(&mut jobs);
    /// assert_eq!(jobs[0].output(), jobs[1].output());
    /// ```
    ///
    /// # Panics
    /// If `start` is no multiple of 1024.
    pub fn part(key: &Blake3Key, start: u64) -> Self {
        assert!(start.is_multiple_of(CHUNK_LEN as u64), "a part that begins at byte {start}");
        Blake3Stream {
            key: key.clone(),
            stack: Stack::new(),
            start: start / CHUNK_LEN as u64,
            chunks: 0,
            partial: [0; CHUNK_LEN],
            filled: 0,
        }
    }

    /// Returns the number of bytes that came so far.
    pub fn len(&self) -> u64 {
        self.chunks * CHUNK_LEN as u64 + self.filled as u64
    }

    /// Returns `true` if nothing came yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the part that follows. A part without bytes changes nothing.
    ///
    /// # Panics
    /// If the part does not begin where this stream ends, or begins at a place that is no multiple
    /// of its length, rounded up to a power of two.
    pub fn append(&mut self, part: &Blake3Stream) {
        if part.is_empty() {
            return;
        }
        if self.filled == CHUNK_LEN {
            let value = lanes::chunk_value(&self.key, &self.partial, self.start + self.chunks);
            self.push(value, 0);
            self.filled = 0;
        }
        let (end, whole) = (self.start + self.chunks, part.chunks.next_power_of_two());
        let fits = self.filled == 0 && part.start == end && end.is_multiple_of(whole);
        assert!(fits, "{} bytes at chunk {} behind {} bytes", part.len(), part.start, self.len());
        let levels = (0..u64::BITS).rev().filter(|level| part.chunks >> level & 1 == 1);
        for (level, value) in levels.zip(part.stack.values()) {
            self.push(*value, level);
        }
        self.partial[..part.filled].copy_from_slice(&part.partial[..part.filled]);
        self.filled = part.filled;
    }

    /// Combines the value of 2^`level` chunks with what is on the stack. More of the message comes.
    fn push(&mut self, mut value: Bytes, level: u32) {
        let mut taken = 0;
        while taken < self.stack.len() && self.chunks >> (level + taken as u32) & 1 == 1 {
            value = lanes::parent_value(&self.key, self.stack.below(taken), &value);
            taken += 1;
        }
        self.stack.replace(taken, core::iter::once(value));
        self.chunks += 1 << level;
    }

    /// Joins a piece to the bytes that wait. The stream itself stays as it is: what is written
    /// behind the bytes that wait has no meaning.
    fn join(&mut self, piece: &[u8]) -> Joined {
        if self.filled == 0 {
            return Joined { head: ptr::null(), data: piece.as_ptr(), len: piece.len() };
        }
        let (now, later) = piece.split_at(piece.len().min(CHUNK_LEN - self.filled));
        self.partial[self.filled..][..now.len()].copy_from_slice(now);
        let partial = self.partial.as_ptr();
        match later.len() {
            0 => Joined { head: ptr::null(), data: partial, len: self.filled + now.len() },
            len => Joined { head: partial, data: later.as_ptr(), len },
        }
    }

    /// Returns how many bytes of a piece stay, so that the last chunk of the message is never among
    /// those whose values are combined: it may be the root.
    fn kept(&self, piece: usize) -> usize {
        let total = self.filled + piece;
        if total <= CHUNK_LEN { total } else { (total - 1) % CHUNK_LEN + 1 }
    }

    /// Notes that a piece is in the stack's values, but for what stays.
    fn absorbed(&mut self, piece: &[u8]) {
        let (total, kept) = (self.filled + piece.len(), self.kept(piece.len()));
        if total <= CHUNK_LEN {
            self.partial[self.filled..total].copy_from_slice(piece);
        } else {
            self.chunks += ((total - kept) / CHUNK_LEN) as u64;
            self.partial[..kept].copy_from_slice(&piece[piece.len() - kept..]);
        }
        self.filled = kept;
    }

    /// Returns the task of a piece after which more comes.
    fn update(&mut self, piece: &[u8]) -> Blake3Task {
        let kept = self.kept(piece.len());
        let Joined { head, data, len } = match self.filled + piece.len() {
            0..=CHUNK_LEN => Joined { head: ptr::null(), data: ptr::null(), len: 0 },
            _ => self.join(piece),
        };
        Blake3Task {
            key: &raw const self.key,
            head,
            data,
            len: len.saturating_sub(kept),
            start: self.start + self.chunks,
            stack: &raw mut self.stack,
            end: Blake3End::Values,
        }
    }

    /// Returns the task of the last piece.
    fn finish(&mut self, piece: &[u8], to: *mut u8, room: usize) -> Blake3Task {
        let Joined { head, data, len } = self.join(piece);
        Blake3Task {
            key: &raw const self.key,
            head,
            data,
            len,
            start: self.start + self.chunks,
            stack: &raw mut self.stack,
            end: Blake3End::Output { to, len: room },
        }
    }
}

impl Drop for Blake3Stream {
    fn drop(&mut self) {
        self.partial.zeroize();
    }
}

/// A message of BLAKE3, or one piece of a [`Blake3Stream`].
///
/// `B` is the message, `O` the room for the output, all of which is filled, and `T` whatever the
/// caller wants to come back with them. Shorter output is the beginning of longer output.
///
/// ```
/// use broadloom_lanes::{Blake3Job, Blake3Key, Cpu, Planner};
///
/// let key = Blake3Key::new();
/// let mut job = [Blake3Job::hash(&key, b"abc", vec![0; 100], ())];
/// Planner::new(&Cpu::detect()).process_many(&mut job);
/// assert_eq!(job[0].output().expect("complete")[..4], [0x64, 0x37, 0xb3, 0xac]);
/// ```
pub type Blake3Job<'a, B, O, T = ()> = PacketJob<Blake3Work<'a, B, O>, T>;

/// A message, and what is to be done with it.
pub struct Blake3Work<'a, B, O> {
    data: B,
    output: O,
    step: Blake3Step<'a>,
}

/// What is to be done with the data.
enum Blake3Step<'a> {
    Whole(&'a Blake3Key),
    Update(&'a mut Blake3Stream),
    Finish(&'a mut Blake3Stream),
}

impl<'a, B: Input, O: CipherBuffer, T> Blake3Job<'a, B, O, T> {
    fn of(data: B, output: O, user: T, step: Blake3Step<'a>) -> Self {
        PacketJob::new(Blake3Work { data, output, step }, user)
    }

    /// Returns the job for a whole message.
    pub fn hash(key: &'a Blake3Key, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, Blake3Step::Whole(key))
    }

    /// Returns the job for a piece of a stream after which more comes. The room for output stays as
    /// it is. Until the job is complete the stream is as it was.
    pub fn update(stream: &'a mut Blake3Stream, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, Blake3Step::Update(stream))
    }

    /// Returns the job for the last piece of a stream. The output is that of the whole message; the
    /// stream is then as it was before this piece.
    pub fn finish(stream: &'a mut Blake3Stream, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, Blake3Step::Finish(stream))
    }

    /// Returns the output; `None` until the job is complete, and for an
    /// [`update`](Blake3Job::update).
    pub fn output(&self) -> Option<&[u8]> {
        let has_output = self.is_complete() && !matches!(self.work.step, Blake3Step::Update(_));
        has_output.then(|| self.work.output.output())
    }

    /// Returns the message, the output and the caller's value.
    pub fn into_parts(self) -> (B, O, T) {
        (self.work.data, self.work.output, self.user)
    }
}

/// Returns the task of a whole message.
pub(super) fn whole(key: &Blake3Key, data: &[u8], to: *mut u8, len: usize) -> Blake3Task {
    Blake3Task {
        key,
        head: ptr::null(),
        data: data.as_ptr(),
        len: data.len(),
        start: 0,
        stack: ptr::null_mut(),
        end: Blake3End::Output { to, len },
    }
}

// SAFETY: `bytes` and `pointers` give the same places as long as the job is not touched (the
// contracts of `Input` and `CipherBuffer`), and keys and streams are borrowed for the job's life;
// so the task is good.
unsafe impl<B: Input, O: CipherBuffer> Work for Blake3Work<'_, B, O> {
    type Lanes = Blake3Lanes;

    fn task(&mut self) -> Blake3Task {
        let bytes = self.data.bytes();
        let (to, room) = (self.output.pointers().1, self.output.length());
        match &mut self.step {
            Blake3Step::Whole(key) => whole(key, bytes, to, room),
            Blake3Step::Update(stream) => stream.update(bytes),
            Blake3Step::Finish(stream) => stream.finish(bytes, to, room),
        }
    }

    fn cost(&self) -> usize {
        cost(self.data.bytes().len())
    }

    /// Notes that a stream has absorbed the piece, which it has only now: a job that a manager
    /// gives back unfinished leaves it as it was.
    fn finish(&mut self) {
        if let Blake3Step::Update(stream) = &mut self.step {
            stream.absorbed(self.data.bytes());
        }
    }
}

/// Returns the cost by which managers sort a message, in a job as in a loan: its whole blocks.
fn cost(len: usize) -> usize {
    len / BLOCK_LEN
}

impl<'a> Loan<'a, Blake3Lanes> {
    /// Lends a message to be hashed with BLAKE3, which fills `output`.
    #[inline(always)]
    pub fn blake3(key: &'a Blake3Key, data: &'a [u8], output: &'a mut [u8]) -> Self {
        let task = whole(key, data, output.as_mut_ptr(), output.len());
        Loan::new(task, cost(data.len()))
    }
}
