//! What a user hands in: messages to be hashed, authenticated or extended.

use core::marker::PhantomData;
use core::ptr;

use zeroize::Zeroize;

use super::lanes::SpongeLanes;
use super::task::{SpongeEnd, SpongeTask};
use super::{HmacSha3Key, KmacKey, Sha3, Sponge, Xof};
use crate::buffer::{CipherBuffer, Input};
use crate::error::LengthError;
use crate::job::{PacketJob, Work};
use crate::kernels::sponge::keccak::{KeccakState, WORDS};
use crate::kernels::sponge::kernel::MAX_RATE;
use crate::manager::Loan;
use crate::wiped::Wiped;

/// The state that has absorbed nothing.
static EMPTY: KeccakState = [0; WORDS];

/// How a message ends.
#[derive(Clone, Copy)]
enum Ending<'a> {
    /// With the suffix of its algorithm.
    Plain,
    /// With HMAC's outer hash, which starts from this state.
    Hmac(&'a KeccakState),
    /// With the length of KMAC's output.
    Kmac,
    /// With the length 0, for which KMAC's output may have any length.
    KmacXof,
}

impl Ending<'_> {
    /// Returns the end of a message of `A`, whose output goes there.
    #[inline(always)]
    fn of<A: Sponge>(self, to: *mut u8, len: usize) -> SpongeEnd {
        let suffix = A::SUFFIX;
        match self {
            Ending::Plain => SpongeEnd::Output { suffix, to, len },
            Ending::Hmac(outer) => SpongeEnd::Hmac { suffix, outer, to, len },
            Ending::Kmac => SpongeEnd::Kmac { bits: 8 * len as u64, to, len },
            Ending::KmacXof => SpongeEnd::Kmac { bits: 0, to, len },
        }
    }
}

/// A message of a sponge that comes in several pieces.
///
/// Each piece but the last is a job of its own ([`Sha3Job::update`], [`XofJob::update`]); the last
/// one ([`Sha3Job::finish`], [`XofJob::finish`]) gives the output. Pieces may have
/// any length. Wiped when dropped.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, Sha3_256, Sha3Job, SpongeStream};
///
/// let (mut planner, mut stream) = (Planner::new(&Cpu::detect()), SpongeStream::<Sha3_256>::new());
/// planner.process_many(&mut [Sha3Job::update(&mut stream, b"a", ())]);
/// let mut last = [Sha3Job::finish(&mut stream, b"bc", ())];
/// planner.process_many(&mut last);
/// assert_eq!(last[0].output().expect("complete")[..4], [0x3a, 0x98, 0x5d, 0xa7]);
/// ```
#[derive(Clone)]
pub struct SpongeStream<A: Sponge> {
    state: KeccakState,
    /// The bytes behind the last whole block, so many; what is behind them has no meaning.
    partial: [u8; MAX_RATE],
    filled: usize,
    absorbed: u64,
    ending: StreamEnding,
    algorithm: PhantomData<A>,
}

/// How a stream will end.
#[derive(Clone)]
enum StreamEnding {
    Plain,
    Hmac(KeccakState),
    Kmac,
    KmacXof,
}

impl<A: Sponge> SpongeStream<A> {
    fn from_state(state: &KeccakState, ending: StreamEnding) -> Self {
        SpongeStream {
            state: *state,
            partial: [0; MAX_RATE],
            filled: 0,
            absorbed: 0,
            ending,
            algorithm: PhantomData,
        }
    }

    /// Makes a hash that has absorbed nothing.
    pub fn new() -> Self {
        Self::from_state(&EMPTY, StreamEnding::Plain)
    }

    /// Returns the bytes of message absorbed so far.
    pub fn len(&self) -> u64 {
        self.absorbed
    }

    /// Returns `true` if nothing was absorbed yet.
    pub fn is_empty(&self) -> bool {
        self.absorbed == 0
    }

    /// Joins a piece to the bytes behind the last whole block: a block that is to be absorbed
    /// first, or null, and the bytes after it. The stream itself stays as it is.
    #[inline(always)]
    fn join(&mut self, piece: &[u8]) -> (*const u8, *const u8, usize) {
        if self.filled == 0 {
            return (ptr::null(), piece.as_ptr(), piece.len());
        }
        let room = A::BLOCK_LEN - self.filled;
        let (now, later) = piece.split_at(room.min(piece.len()));
        self.partial[self.filled..][..now.len()].copy_from_slice(now);
        match now.len() == room {
            true => (self.partial.as_ptr(), later.as_ptr(), later.len()),
            false => (ptr::null(), self.partial.as_ptr(), self.filled + now.len()),
        }
    }

    /// Notes that a piece was absorbed, but for what is behind the last whole block.
    fn absorbed(&mut self, piece: &[u8]) {
        self.absorbed += piece.len() as u64;
        let total = self.filled + piece.len();
        if total < A::BLOCK_LEN {
            self.partial[self.filled..total].copy_from_slice(piece);
            self.filled = total;
        } else {
            self.filled = total % A::BLOCK_LEN;
            let rest = &piece[piece.len() - self.filled..];
            self.partial[..self.filled].copy_from_slice(rest);
        }
    }

    fn ending(&self) -> Ending<'_> {
        match &self.ending {
            StreamEnding::Plain => Ending::Plain,
            StreamEnding::Hmac(outer) => Ending::Hmac(outer),
            StreamEnding::Kmac => Ending::Kmac,
            StreamEnding::KmacXof => Ending::KmacXof,
        }
    }
}

impl<A: Sha3> SpongeStream<A> {
    /// Makes an HMAC that has absorbed nothing.
    pub fn hmac(key: &HmacSha3Key<A>) -> Self {
        Self::from_state(&key.inner, StreamEnding::Hmac(key.outer))
    }
}

impl<A: Xof> SpongeStream<A> {
    /// Makes a KMAC that has absorbed nothing.
    pub fn kmac(key: &KmacKey<A>) -> Self {
        Self::from_state(&key.state, StreamEnding::Kmac)
    }

    /// Makes a KMAC with output of any length that has absorbed nothing.
    pub fn kmac_xof(key: &KmacKey<A>) -> Self {
        Self::from_state(&key.state, StreamEnding::KmacXof)
    }
}

impl<A: Sponge> Default for SpongeStream<A> {
    fn default() -> Self {
        SpongeStream::new()
    }
}

impl<A: Sponge> Drop for SpongeStream<A> {
    fn drop(&mut self) {
        self.state.zeroize();
        self.partial.zeroize();
        if let StreamEnding::Hmac(outer) = &mut self.ending {
            outer.zeroize();
        }
    }
}

/// The place of a job's output.
///
/// # Safety
/// As long as the value is neither moved nor dropped, nor borrowed by other code, `room` returns
/// the same pointer, which is writable for the bytes that it counts.
#[doc(hidden)]
pub unsafe trait Room {
    fn room(&mut self) -> (*mut u8, usize);
}

/// Room for a digest in the job itself.
#[doc(hidden)]
pub struct Within<A: Sha3>(Wiped<A::Digest>);

// SAFETY: the digest is in the value.
unsafe impl<A: Sha3> Room for Within<A> {
    #[inline(always)]
    fn room(&mut self) -> (*mut u8, usize) {
        (self.0.as_mut().as_mut_ptr(), A::DIGEST_LEN)
    }
}

/// Room that the user brings.
#[doc(hidden)]
pub struct Brought<O>(O);

// SAFETY: the contract of `CipherBuffer` makes the pointer writable for its length, and keeps it
// the same.
unsafe impl<O: CipherBuffer> Room for Brought<O> {
    #[inline(always)]
    fn room(&mut self) -> (*mut u8, usize) {
        (self.0.pointers().1, self.0.length())
    }
}

/// A message of SHA-3 or of HMAC over it, or one piece of a [`SpongeStream`].
///
/// `B` is the buffer, owned or borrowed ([`Input`]); `T` is whatever the caller wants to come back
/// with it.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, Sha3_256, Sha3Job};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut jobs = ["abc", ""].map(|text| Sha3Job::<Sha3_256, _>::digest(text.as_bytes(), ()));
/// planner.process_many(&mut jobs);
/// let digest = jobs[0].output().expect("complete");
/// assert_eq!(digest[..4], [0x3a, 0x98, 0x5d, 0xa7]);
/// ```
pub type Sha3Job<'a, A, B, T = ()> = PacketJob<SpongeWork<'a, A, B, Within<A>>, T>;

/// A message of SHAKE or KMAC, or one piece of a [`SpongeStream`].
///
/// `B` is the message, `O` the room for the output, all of which is filled, and `T` whatever the
/// caller wants to come back with them.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, Shake128, XofJob};
///
/// let mut job = [XofJob::<Shake128, _, _>::shake(b"abc", vec![0; 500], ())];
/// Planner::new(&Cpu::detect()).process_many(&mut job);
/// assert_eq!(job[0].output().expect("complete")[..4], [0x58, 0x81, 0x09, 0x2d]);
/// ```
pub type XofJob<'a, A, B, O, T = ()> = PacketJob<SpongeWork<'a, A, B, Brought<O>>, T>;

/// A message, and what is to be done with it.
pub struct SpongeWork<'a, A: Sponge, B, R> {
    data: B,
    step: SpongeStep<'a, A>,
    room: R,
}

/// What is to be done with the data.
enum SpongeStep<'a, A: Sponge> {
    Whole(&'a KeccakState, Ending<'a>),
    Update(&'a mut SpongeStream<A>),
    Finish(&'a mut SpongeStream<A>),
}

impl<'a, A: Sponge, B: Input, R: Room, T> PacketJob<SpongeWork<'a, A, B, R>, T> {
    /// Returns `true` if there is output: the job is complete, and no update.
    fn has_output(&self) -> bool {
        self.is_complete() && !matches!(self.work.step, SpongeStep::Update(_))
    }
}

impl<'a, A: Sha3, B: Input, T> Sha3Job<'a, A, B, T> {
    fn of(data: B, user: T, step: SpongeStep<'a, A>) -> Self {
        let room = Within(Wiped::new(A::ZERO_DIGEST));
        PacketJob::new(SpongeWork { data, step, room }, user)
    }

    /// Makes a job for the digest of a message.
    pub fn digest(data: B, user: T) -> Self {
        Self::of(data, user, SpongeStep::Whole(&EMPTY, Ending::Plain))
    }

    /// Makes a job for the HMAC of a message (RFC 2104).
    pub fn hmac(key: &'a HmacSha3Key<A>, data: B, user: T) -> Self {
        Self::of(data, user, SpongeStep::Whole(&key.inner, Ending::Hmac(&key.outer)))
    }

    /// Makes a job for another piece of a stream; more is to come. The job has no output. Until it
    /// is complete the stream is as it was.
    pub fn update(stream: &'a mut SpongeStream<A>, data: B, user: T) -> Self {
        Self::of(data, user, SpongeStep::Update(stream))
    }

    /// Makes a job for the last piece of a stream. The output is the digest, or the HMAC, of all of
    /// it; the stream is then as it was before this piece.
    pub fn finish(stream: &'a mut SpongeStream<A>, data: B, user: T) -> Self {
        Self::of(data, user, SpongeStep::Finish(stream))
    }

    /// Returns the digest or HMAC, [`DIGEST_LEN`](Sha3::DIGEST_LEN) bytes; `None` until the job is
    /// complete, and for an [`update`](Sha3Job::update).
    pub fn output(&self) -> Option<&A::Digest> {
        self.has_output().then_some(&*self.work.room.0)
    }

    /// Returns the buffer and the caller's value. The digest is wiped.
    pub fn into_parts(self) -> (B, T) {
        (self.work.data, self.user)
    }
}

impl<'a, A: Xof, B: Input, O: CipherBuffer, T> XofJob<'a, A, B, O, T> {
    fn of(data: B, output: O, user: T, step: SpongeStep<'a, A>) -> Self {
        PacketJob::new(SpongeWork { data, step, room: Brought(output) }, user)
    }

    /// Makes a job for SHAKE of a message.
    pub fn shake(data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, SpongeStep::Whole(&EMPTY, Ending::Plain))
    }

    /// Makes a job for KMAC of a message (SP 800-185), which depends on the length of the output.
    pub fn kmac(key: &'a KmacKey<A>, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, SpongeStep::Whole(&key.state, Ending::Kmac))
    }

    /// Makes a job for KMACXOF of a message (SP 800-185): shorter output is the beginning of longer
    /// output.
    pub fn kmac_xof(key: &'a KmacKey<A>, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, SpongeStep::Whole(&key.state, Ending::KmacXof))
    }

    /// Makes a job for another piece of a stream; more is to come. The room for output stays as it
    /// is. Until the job is complete the stream is as it was.
    pub fn update(stream: &'a mut SpongeStream<A>, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, SpongeStep::Update(stream))
    }

    /// Makes a job for the last piece of a stream. The output is SHAKE, or KMAC, of all of it; the
    /// stream is then as it was before this piece.
    pub fn finish(stream: &'a mut SpongeStream<A>, data: B, output: O, user: T) -> Self {
        Self::of(data, output, user, SpongeStep::Finish(stream))
    }

    /// Returns the output; `None` until the job is complete, and for an [`update`](XofJob::update).
    pub fn output(&self) -> Option<&[u8]> {
        self.has_output().then(|| self.work.room.0.output())
    }

    /// Returns the message, the output and the caller's value.
    pub fn into_parts(self) -> (B, O, T) {
        (self.work.data, self.work.room.0, self.user)
    }
}

// SAFETY: `bytes` gives one slice as long as the job is not touched (the contract of `Input`), as
// does `room`, and keys and streams are borrowed for the job's life; so the task is good.
unsafe impl<A: Sponge, B: Input, R: Room> Work for SpongeWork<'_, A, B, R> {
    type Lanes = SpongeLanes;

    #[inline(always)]
    fn task(&mut self) -> SpongeTask {
        let bytes = self.data.bytes();
        let (to, room) = self.room.room();
        let (start, (head, data, len), end) = match &mut self.step {
            SpongeStep::Whole(state, ending) => {
                let all = (ptr::null(), bytes.as_ptr(), bytes.len());
                (&raw const **state, all, ending.of::<A>(to, room))
            }
            SpongeStep::Update(stream) => {
                let joined = stream.join(bytes);
                let state = &raw mut stream.state;
                (state.cast_const(), joined, SpongeEnd::State(state))
            }
            SpongeStep::Finish(stream) => {
                let joined = stream.join(bytes);
                (&raw const stream.state, joined, stream.ending().of::<A>(to, room))
            }
        };
        SpongeTask { rate: A::RATE, head, data, len, start, end }
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        cost::<A>(self.data.bytes().len())
    }

    /// Notes that a stream has absorbed the piece, which it has only now: a job that a manager
    /// gives back unfinished leaves it as it was.
    #[inline(always)]
    fn finish(&mut self) {
        if let SpongeStep::Update(stream) = &mut self.step {
            stream.absorbed(self.data.bytes());
        }
    }
}

/// Returns the cost by which managers sort a message, in a job as in a loan: its whole blocks.
#[inline(always)]
fn cost<A: Sponge>(len: usize) -> usize {
    len / A::BLOCK_LEN
}

impl<'a> Loan<'a, SpongeLanes> {
    #[inline(always)]
    fn sponge<A: Sponge>(
        start: &'a KeccakState,
        ending: Ending<'a>,
        data: &'a [u8],
        to: &'a mut [u8],
    ) -> Self {
        let end = ending.of::<A>(to.as_mut_ptr(), to.len());
        let (data, len) = (data.as_ptr(), data.len());
        let task = SpongeTask { rate: A::RATE, head: ptr::null(), data, len, start, end };
        Loan::new(task, cost::<A>(len))
    }

    /// Makes a loan for the next piece of a stream; more is to come. Together with what came before
    /// it has whole blocks. The stream counts it as absorbed at once: without a planner that does
    /// the loan, the stream is of no more use.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, Loan, Planner, Sha3_256, SpongeLanes, SpongeStream};
    ///
    /// let mut planner = Planner::<SpongeLanes>::new(&Cpu::detect());
    /// let (mut stream, mut digest) = (SpongeStream::<Sha3_256>::new(), [0; 32]);
    /// planner.process_each([Loan::<SpongeLanes>::update(&mut stream, &[b'a'; 272])?]);
    /// planner.process_each([Loan::<SpongeLanes>::finish(&mut stream, b"rest", &mut digest)]);
    ///
    /// let (whole, mut expected) = ([&[b'a'; 272][..], b"rest"].concat(), [0; 32]);
    /// planner.process_each([Loan::<SpongeLanes>::sha3::<Sha3_256>(&whole, &mut expected)]);
    /// assert_eq!(digest, expected);
    /// # Ok::<(), broadloom_lanes::LengthError>(())
    /// ```
    ///
    /// # Errors
    /// [`LengthError`] if there would be bytes behind the last whole block.
    #[inline(always)]
    pub fn update<A: Sponge>(
        stream: &'a mut SpongeStream<A>,
        data: &'a [u8],
    ) -> Result<Self, LengthError> {
        LengthError::check(stream.filled + data.len(), A::BLOCK_LEN)?;
        let (head, bytes, len) = stream.join(data);
        (stream.absorbed, stream.filled) = (stream.absorbed + data.len() as u64, 0);
        let state = &raw mut stream.state;
        let (start, end) = (state.cast_const(), SpongeEnd::State(state));
        let task = SpongeTask { rate: A::RATE, head, data: bytes, len, start, end };
        Ok(Loan::new(task, cost::<A>(len)))
    }

    /// Makes a loan for the last piece of a stream, of any length. The output, SHA-3, SHAKE or a
    /// MAC of all of it, fills `to`; the stream is then as it was before this piece.
    #[inline(always)]
    pub fn finish<A: Sponge>(
        stream: &'a mut SpongeStream<A>,
        data: &'a [u8],
        to: &'a mut [u8],
    ) -> Self {
        let (head, bytes, len) = stream.join(data);
        let end = stream.ending().of::<A>(to.as_mut_ptr(), to.len());
        let start = &raw const stream.state;
        let task = SpongeTask { rate: A::RATE, head, data: bytes, len, start, end };
        Loan::new(task, cost::<A>(len))
    }

    /// Makes a loan for the SHA-3 digest of a message, to be written to the start of `digest`.
    ///
    /// # Panics
    /// If `digest` is shorter than [`DIGEST_LEN`](Sha3::DIGEST_LEN).
    #[inline(always)]
    pub fn sha3<A: Sha3>(data: &'a [u8], digest: &'a mut [u8]) -> Self {
        Self::sponge::<A>(&EMPTY, Ending::Plain, data, room::<A>(digest))
    }

    /// Makes a loan for the HMAC over SHA-3 of a message (RFC 2104), to be written to the start of
    /// `tag`.
    ///
    /// # Panics
    /// If `tag` is shorter than [`DIGEST_LEN`](Sha3::DIGEST_LEN).
    #[inline(always)]
    pub fn hmac_sha3<A: Sha3>(key: &'a HmacSha3Key<A>, data: &'a [u8], tag: &'a mut [u8]) -> Self {
        Self::sponge::<A>(&key.inner, Ending::Hmac(&key.outer), data, room::<A>(tag))
    }

    /// Makes a loan for SHAKE of a message, which fills `output`.
    #[inline(always)]
    pub fn shake<A: Xof>(data: &'a [u8], output: &'a mut [u8]) -> Self {
        Self::sponge::<A>(&EMPTY, Ending::Plain, data, output)
    }

    /// Makes a loan for KMAC of a message (SP 800-185), which fills `output` and depends on its
    /// length.
    #[inline(always)]
    pub fn kmac<A: Xof>(key: &'a KmacKey<A>, data: &'a [u8], output: &'a mut [u8]) -> Self {
        Self::sponge::<A>(&key.state, Ending::Kmac, data, output)
    }

    /// Makes a loan for KMACXOF of a message (SP 800-185), which fills `output`.
    #[inline(always)]
    pub fn kmac_xof<A: Xof>(key: &'a KmacKey<A>, data: &'a [u8], output: &'a mut [u8]) -> Self {
        Self::sponge::<A>(&key.state, Ending::KmacXof, data, output)
    }
}

/// Returns where a digest goes.
#[inline(always)]
fn room<A: Sha3>(digest: &mut [u8]) -> &mut [u8] {
    assert!(digest.len() >= A::DIGEST_LEN, "{} bytes of room for a digest", digest.len());
    &mut digest[..A::DIGEST_LEN]
}
