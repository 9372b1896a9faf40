//! Jobs for messages to hash or authenticate.

use zeroize::Zeroize;

use super::HmacKey;
use super::scheduler::{HashEnd, HashLanes, HashTask};
use crate::arch::prefetch;
use crate::buffer::Input;
use crate::error::LengthError;
use crate::job::{PacketJob, Work};
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::compression::HashState;
use crate::kernels::hash::tail::Tail;
use crate::manager::Loan;
use crate::wiped::Wiped;

/// A hash or an HMAC whose message comes in several pieces.
///
/// Each piece but the last is a job of its own ([`HashJob::update`]); the last job
/// ([`HashJob::finish`]) gives the digest. The state is wiped when the stream is dropped.
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
    state: HashState<A::Word>,
    /// Bytes in the state, including an HMAC key's inner pad.
    absorbed: u64,
    outer: Option<HashState<A::Word>>,
}

impl<A: Hash> Stream<A> {
    /// Makes a hash that has absorbed nothing.
    pub fn new() -> Self {
        Stream { state: *A::INITIAL, absorbed: 0, outer: None }
    }

    /// Makes an HMAC that has absorbed nothing.
    pub fn hmac(key: &HmacKey<A>) -> Self {
        let absorbed = A::BLOCK_LEN as u64;
        Stream { state: key.inner, absorbed, outer: Some(key.outer) }
    }

    /// Returns the bytes of message absorbed so far.
    pub fn len(&self) -> u64 {
        self.absorbed - self.outer.map_or(0, |_| A::BLOCK_LEN as u64)
    }

    /// Returns `true` if nothing was absorbed yet.
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
/// `B` is the buffer, owned or borrowed ([`Input`]); `T` is a value of the caller's, which comes
/// back with the job.
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

/// A message and the operation on it.
pub struct HashWork<'a, A: Hash, B> {
    data: B,
    step: HashStep<'a, A>,
    digest: Wiped<A::Digest>,
}

/// The operation on the data.
enum HashStep<'a, A: Hash> {
    Digest,
    Hmac(&'a HmacKey<A>),
    Update(&'a mut Stream<A>),
    Finish(&'a mut Stream<A>),
}

impl<'a, A: Hash, B: Input, T> HashJob<'a, A, B, T> {
    fn of(data: B, user: T, step: HashStep<'a, A>) -> Self {
        let digest = Wiped::new(A::ZERO_DIGEST);
        PacketJob::new(HashWork { data, step, digest }, user)
    }

    /// Makes a job for the digest of a message.
    pub fn digest(data: B, user: T) -> Self {
        Self::of(data, user, HashStep::Digest)
    }

    /// Makes a job for the HMAC of a message (RFC 2104).
    pub fn hmac(key: &'a HmacKey<A>, data: B, user: T) -> Self {
        Self::of(data, user, HashStep::Hmac(key))
    }

    /// Makes a job for a piece of a stream that has a whole number of blocks, with more pieces to
    /// follow. The job has no output. Until it is complete, the stream is unchanged.
    ///
    /// # Errors [`LengthError`] if the piece is no multiple of
    /// [`BLOCK_LEN`](crate::kernels::hash::compression::Compression::BLOCK_LEN).
    pub fn update(stream: &'a mut Stream<A>, data: B, user: T) -> Result<Self, LengthError> {
        LengthError::check(data.bytes().len(), A::BLOCK_LEN)?;
        Ok(Self::of(data, user, HashStep::Update(stream)))
    }

    /// Makes a job for the last piece of a stream, which has any length. The output is the digest
    /// or the HMAC of all pieces. The stream is left as it was before this piece.
    pub fn finish(stream: &'a mut Stream<A>, data: B, user: T) -> Self {
        Self::of(data, user, HashStep::Finish(stream))
    }

    /// Returns the digest or HMAC, [`DIGEST_LEN`](Hash::DIGEST_LEN) bytes; `None` until the job is
    /// complete, and for an [`update`](HashJob::update).
    pub fn output(&self) -> Option<&A::Digest> {
        let has_output = !matches!(self.work.step, HashStep::Update(_));
        (self.is_complete() && has_output).then_some(&*self.work.digest)
    }

    /// Returns the buffer and the caller's value. The digest is wiped.
    pub fn into_parts(self) -> (B, T) {
        (self.work.data, self.user)
    }
}

impl<'a, A: Hash> Loan<'a, HashLanes<A>> {
    /// Makes a loan for the digest of a message, which is written to the start of `digest`.
    ///
    /// # Panics
    /// If `digest` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn digest(data: &'a [u8], digest: &'a mut [u8]) -> Self {
        Self::whole(A::INITIAL, 0, data, HashEnd::Digest(room::<A>(digest)))
    }

    /// Makes a loan for the HMAC of a message (RFC 2104), which is written to the start of `tag`.
    ///
    /// # Panics
    /// If `tag` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn hmac(key: &'a HmacKey<A>, data: &'a [u8], tag: &'a mut [u8]) -> Self {
        Self::hmac_at(key, data, room::<A>(tag))
    }

    /// Makes a loan for an HMAC over bytes that another task writes first. `data` and the room for
    /// the tag at `tag` are valid for the loan's lifetime.
    #[inline(always)]
    pub(crate) fn hmac_at(key: &'a HmacKey<A>, data: *const [u8], tag: *mut u8) -> Self {
        let end = HashEnd::Hmac { outer: &raw const key.outer, tag };
        Self::whole(&key.inner, A::BLOCK_LEN as u64, data, end)
    }

    /// Makes a loan for the next piece of a stream, of whole blocks; more is to come. The stream
    /// counts it as absorbed at once: without a planner that does the loan, the stream is of no
    /// more use.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, HashLanes, Loan, Planner, Sha256, Stream};
    ///
    /// let mut planner = Planner::<HashLanes<Sha256>>::new(&Cpu::detect());
    /// let (mut stream, mut digest) = (Stream::new(), [0; 32]);
    /// planner.process_each([Loan::<HashLanes<_>>::update(&mut stream, &[b'a'; 128])?]);
    /// planner.process_each([Loan::<HashLanes<_>>::finish(&mut stream, b"the rest", &mut digest)]);
    ///
    /// let (whole, mut expected) = ([&[b'a'; 128][..], b"the rest"].concat(), [0; 32]);
    /// planner.process_each([Loan::digest(&whole, &mut expected)]);
    /// assert_eq!(digest, expected);
    /// # Ok::<(), broadloom_lanes::LengthError>(())
    /// ```
    ///
    /// # Errors [`LengthError`] if the piece is no multiple of
    /// [`BLOCK_LEN`](crate::kernels::hash::compression::Compression::BLOCK_LEN).
    #[inline(always)]
    pub fn update(stream: &'a mut Stream<A>, data: &'a [u8]) -> Result<Self, LengthError> {
        LengthError::check(data.len(), A::BLOCK_LEN)?;
        let before = stream.absorbed;
        stream.absorbed += data.len() as u64;
        let state = &raw mut stream.state;
        Ok(Self::task(state.cast_const(), before, data, HashEnd::State(state)))
    }

    /// Makes a loan for the last piece of a stream, of any length. The digest, or the HMAC, of all
    /// of it is written to the start of `digest`; the stream is then as it was before this piece.
    ///
    /// # Panics
    /// If `digest` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn finish(stream: &'a mut Stream<A>, data: &'a [u8], digest: &'a mut [u8]) -> Self {
        let to = room::<A>(digest);
        let end = match &stream.outer {
            Some(outer) => HashEnd::Hmac { outer: &raw const *outer, tag: to },
            None => HashEnd::Digest(to),
        };
        Self::task(&raw const stream.state, stream.absorbed, data, end)
    }

    #[inline(always)]
    fn whole(
        start: &'a HashState<A::Word>,
        before: u64,
        data: *const [u8],
        end: HashEnd<A::Word>,
    ) -> Self {
        Self::task(start, before, data, end)
    }

    /// Makes a loan, for whose lifetime everything that this points to is borrowed.
    #[inline(always)]
    fn task(
        start: *const HashState<A::Word>,
        before: u64,
        data: *const [u8],
        end: HashEnd<A::Word>,
    ) -> Self {
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

/// Returns the cost by which managers sort a message, in a job as in a loan: its whole blocks.
/// Short messages are sorted by the length of their padded ends, too, because messages of one
/// [shape](crate::kernels::hash::kernel::Shape) need no scheduling if there are as many as lanes.
/// That saves a good part of the time of a short message, and nothing that counts of a longer one.
#[inline(always)]
fn cost<A: Hash>(len: usize) -> usize {
    const SHORT: usize = 16;
    let (blocks, rest) = (len / A::BLOCK_LEN, len % A::BLOCK_LEN);
    if blocks < SHORT { 2 * blocks + Tail::count::<A>(rest) - 1 } else { SHORT + blocks }
}

/// Returns a pointer to the start of `digest`, after checking that a digest fits.
#[inline(always)]
pub(crate) fn room<A: Hash>(digest: &mut [u8]) -> *mut u8 {
    assert!(digest.len() >= A::DIGEST_LEN, "{} bytes of room for a digest", digest.len());
    digest.as_mut_ptr()
}

// SAFETY: `bytes` gives one slice as long as the job is not touched (the contract of `Input`), keys
// and streams are borrowed for the job's life, and the digest is in the job itself; so the task is
// good.
unsafe impl<A: Hash, B: Input> Work for HashWork<'_, A, B> {
    type Lanes = HashLanes<A>;

    #[inline(always)]
    fn task(&mut self) -> HashTask<A::Word> {
        let bytes = self.data.bytes();
        let (data, len) = (bytes.as_ptr(), bytes.len());
        let out = self.digest.as_mut().as_mut_ptr();
        let (start, before, end): (*const HashState<A::Word>, _, _) = match &mut self.step {
            HashStep::Digest => (A::INITIAL, 0, HashEnd::Digest(out)),
            HashStep::Hmac(key) => {
                let outer = &raw const key.outer;
                (&raw const key.inner, A::BLOCK_LEN as u64, HashEnd::Hmac { outer, tag: out })
            }
            HashStep::Update(stream) => {
                let before = stream.absorbed;
                let state = &raw mut stream.state;
                (state.cast_const(), before, HashEnd::State(state))
            }
            HashStep::Finish(stream) => {
                let end = match &stream.outer {
                    Some(outer) => HashEnd::Hmac { outer: &raw const *outer, tag: out },
                    None => HashEnd::Digest(out),
                };
                (&raw const stream.state, stream.absorbed, end)
            }
        };
        HashTask { data, len, start, before, end }
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        cost::<A>(self.data.bytes().len())
    }

    /// Notes that a stream has absorbed the piece, which it has only now: a job that a manager
    /// gives back unfinished leaves it as it was.
    #[inline(always)]
    fn finish(&mut self) {
        if let HashStep::Update(stream) = &mut self.step {
            stream.absorbed += self.data.bytes().len() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::hash::sha1::Sha1;
    use crate::kernels::hash::sha512::Sha512;
    use crate::manager::Job;

    fn jobs_cost_what_loans_cost<A: Hash>() {
        let message = [0u8; 3000];
        let mut digest = [0; 64];
        for len in 0..message.len() {
            let job = HashJob::<A, _>::digest(&message[..len], ());
            let loan = Loan::<HashLanes<A>>::digest(&message[..len], &mut digest);
            assert_eq!(job.cost(), loan.cost, "{len} bytes");
        }
    }

    #[test]
    fn managers_sort_jobs_and_loans_on_one_scale() {
        jobs_cost_what_loans_cost::<Sha1>();
        jobs_cost_what_loans_cost::<Sha512>();
    }
}
