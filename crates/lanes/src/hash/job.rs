//! Jobs for messages to hash or authenticate.

use zeroize::Zeroize;

use super::lanes::{End, HashLanes, HashTask};
use super::tail::Tail;
use super::{Hash, HmacKey, State};
use crate::arch::prefetch;
use crate::buffer::Input;
use crate::error::LengthError;
use crate::job::{PacketJob, Wiped, Work};
use crate::manager::Loan;

/// A hash, or an HMAC, whose message comes in several pieces.
///
/// Each piece but the last is a job of its own ([`HashJob::update`]); the last one
/// ([`HashJob::finish`]) gives the digest. Wiped when dropped.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, Planner, Sha256, Stream};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut stream = Stream::<Sha256>::new();
/// let first = HashJob::update(&mut stream, &[b'a'; 64][..], ()).expect("whole blocks");
/// planner.process_many(&mut [first]);
/// let mut last = [HashJob::finish(&mut stream, &b"the rest"[..], ())];
/// planner.process_many(&mut last);
///
/// let whole = [&[b'a'; 64][..], b"the rest"].concat();
/// let mut whole = [HashJob::<Sha256, _>::digest(whole, ())];
/// planner.process_many(&mut whole);
/// assert_eq!(last[0].output(), whole[0].output());
/// ```
#[derive(Clone)]
pub struct Stream<A: Hash> {
    state: State<A::Word>,
    /// Bytes in the state, including an HMAC key's inner pad.
    absorbed: u64,
    outer: Option<State<A::Word>>,
}

impl<A: Hash> Stream<A> {
    /// A hash that has absorbed nothing.
    pub fn new() -> Self {
        Stream { state: *A::INITIAL, absorbed: 0, outer: None }
    }

    /// An HMAC that has absorbed nothing.
    pub fn hmac(key: &HmacKey<A>) -> Self {
        let absorbed = A::BLOCK_LEN as u64;
        Stream { state: key.inner, absorbed, outer: Some(key.outer) }
    }

    /// Bytes of message absorbed so far.
    pub fn len(&self) -> u64 {
        self.absorbed - self.outer.map_or(0, |_| A::BLOCK_LEN as u64)
    }

    /// Whether nothing was absorbed yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<A: Hash> Default for Stream<A> {
    fn default() -> Self {
        Stream::new()
    }
}

impl<A: Hash> Drop for Stream<A> {
    fn drop(&mut self) {
        self.state.zeroize();
        self.outer.zeroize();
    }
}

/// One message, or one piece of a [`Stream`], to be absorbed.
///
/// `B` is the buffer, owned or borrowed ([`Input`]); `T` is whatever the caller wants to come back
/// with it.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, HmacKey, Planner, Sha256};
///
/// let key = HmacKey::<Sha256>::new(b"key");
/// let mut jobs = [HashJob::digest(b"one", "a digest"), HashJob::hmac(&key, b"two", "an HMAC")];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// for job in &jobs {
///     let digest: &[u8; 32] = job.output().expect("complete");
///     println!("{}: {digest:02x?}", job.user());
/// }
/// ```
pub type HashJob<'a, A, B, T = ()> = PacketJob<HashWork<'a, A, B>, T>;

/// A message, and what is to be done with it.
pub struct HashWork<'a, A: Hash, B> {
    data: B,
    step: Step<'a, A>,
    digest: Wiped<A::Digest>,
}

/// The operation on the data.
enum Step<'a, A: Hash> {
    Digest,
    Hmac(&'a HmacKey<A>),
    Update(&'a mut Stream<A>),
    Finish(&'a mut Stream<A>),
}

impl<'a, A: Hash, B: Input, T> HashJob<'a, A, B, T> {
    fn of(data: B, user: T, step: Step<'a, A>) -> Self {
        let digest = Wiped::new(A::ZERO_DIGEST);
        PacketJob::new(HashWork { data, step, digest }, user)
    }

    /// The digest of a message.
    pub fn digest(data: B, user: T) -> Self {
        Self::of(data, user, Step::Digest)
    }

    /// The HMAC of a message (RFC 2104).
    pub fn hmac(key: &'a HmacKey<A>, data: B, user: T) -> Self {
        Self::of(data, user, Step::Hmac(key))
    }

    /// Another piece of a stream, of whole blocks; more is to come. The job has no output.
    /// Until it is complete the stream is as it was.
    ///
    /// # Errors
    /// [`LengthError`] if the piece is no multiple of [`BLOCK_LEN`](super::Compression::BLOCK_LEN).
    pub fn update(stream: &'a mut Stream<A>, data: B, user: T) -> Result<Self, LengthError> {
        LengthError::check(data.bytes().len(), A::BLOCK_LEN)?;
        Ok(Self::of(data, user, Step::Update(stream)))
    }

    /// The last piece of a stream, of any length. The output is the digest, or the HMAC, of all of
    /// it; the stream is then as it was before this piece.
    pub fn finish(stream: &'a mut Stream<A>, data: B, user: T) -> Self {
        Self::of(data, user, Step::Finish(stream))
    }

    /// The digest or HMAC, [`DIGEST_LEN`](Hash::DIGEST_LEN) bytes; `None` until the job is
    /// complete, and for an [`update`](HashJob::update).
    pub fn output(&self) -> Option<&A::Digest> {
        let has_output = !matches!(self.work.step, Step::Update(_));
        (self.is_complete() && has_output).then_some(&*self.work.digest)
    }

    /// The buffer and the caller's value. The digest is wiped.
    pub fn into_parts(self) -> (B, T) {
        (self.work.data, self.user)
    }
}

impl<'a, A: Hash> Loan<'a, HashLanes<A>> {
    /// The digest of a message, to be written to the start of `digest`.
    ///
    /// # Panics
    /// If `digest` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn digest(data: &'a [u8], digest: &'a mut [u8]) -> Self {
        Self::whole(A::INITIAL, 0, data, End::Digest(room::<A>(digest)))
    }

    /// The HMAC of a message (RFC 2104), to be written to the start of `tag`.
    ///
    /// # Panics
    /// If `tag` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn hmac(key: &'a HmacKey<A>, data: &'a [u8], tag: &'a mut [u8]) -> Self {
        Self::hmac_at(key, data, room::<A>(tag))
    }

    /// The same of bytes that something else writes to before. They, and the room for a tag, are
    /// good for the loan's lifetime.
    #[inline(always)]
    pub(crate) fn hmac_at(key: &'a HmacKey<A>, data: *const [u8], tag: *mut u8) -> Self {
        let end = End::Hmac { outer: &raw const key.outer, tag };
        Self::whole(&key.inner, A::BLOCK_LEN as u64, data, end)
    }

    #[inline(always)]
    fn whole(start: &'a State<A::Word>, before: u64, data: *const [u8], end: End<A::Word>) -> Self {
        let (data, len) = (data.cast::<u8>(), data.len());
        // A planner makes all loans of a window before the first kernel reads, in an order of its
        // own, for which no CPU fetches short messages by itself.
        prefetch(data);
        prefetch(data.wrapping_add(len.min(LINE)));
        Loan::new(HashTask { data, len, start, before, end }, cost::<A>(len))
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// The place of a message among those that a planner sorts: by its whole blocks. Short messages are
/// sorted by the length of their padded ends, too, because as many of one [shape](super::Shape) as
/// there are lanes need no scheduling. That saves a good part of the time of a short message, and
/// nothing that counts of a longer one.
#[inline(always)]
fn cost<A: Hash>(len: usize) -> usize {
    const SHORT: usize = 16;
    let (blocks, rest) = (len / A::BLOCK_LEN, len % A::BLOCK_LEN);
    if blocks < SHORT { 2 * blocks + Tail::count::<A>(rest) - 1 } else { SHORT + blocks }
}

/// Where a digest goes.
#[inline(always)]
pub(crate) fn room<A: Hash>(digest: &mut [u8]) -> *mut u8 {
    assert!(digest.len() >= A::DIGEST_LEN, "{} bytes of room for a digest", digest.len());
    digest.as_mut_ptr()
}

// SAFETY: `bytes` gives one slice as long as the job is not touched (Input's contract); keys and
// streams are borrowed for the job's life; the digest is in the job itself.
unsafe impl<A: Hash, B: Input> Work for HashWork<'_, A, B> {
    type Lanes = HashLanes<A>;

    #[inline(always)]
    fn task(&mut self) -> HashTask<A::Word> {
        let bytes = self.data.bytes();
        let (data, len) = (bytes.as_ptr(), bytes.len());
        let out = self.digest.as_mut().as_mut_ptr();
        let (start, before, end): (*const State<A::Word>, _, _) = match &mut self.step {
            Step::Digest => (A::INITIAL, 0, End::Digest(out)),
            Step::Hmac(key) => {
                let outer = &raw const key.outer;
                (&raw const key.inner, A::BLOCK_LEN as u64, End::Hmac { outer, tag: out })
            }
            Step::Update(stream) => {
                let before = stream.absorbed;
                let state = &raw mut stream.state;
                (state.cast_const(), before, End::State(state))
            }
            Step::Finish(stream) => {
                let end = match &stream.outer {
                    Some(outer) => End::Hmac { outer: &raw const *outer, tag: out },
                    None => End::Digest(out),
                };
                (&raw const stream.state, stream.absorbed, end)
            }
        };
        HashTask { data, len, start, before, end }
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        self.data.bytes().len() / A::BLOCK_LEN
    }

    /// Only now has a stream absorbed the piece: a job that a manager gives back unfinished leaves
    /// it as it was.
    #[inline(always)]
    fn finish(&mut self) {
        if let Step::Update(stream) = &mut self.step {
            stream.absorbed += self.data.bytes().len() as u64;
        }
    }
}
