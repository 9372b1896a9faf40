//! Jobs that seal or open messages.

use core::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::{PacketJob, Work};
use crate::buffer::{CipherBuffer, Input, Span};
use crate::manager::{Lanes, Loan};
use crate::outcome::public;
use crate::wiped::Wiped;

/// Bytes of the longest tag.
const TAG: usize = 16;

/// Where the parts of a message are.
pub struct Parts {
    pub associated: (*const u8, usize),
    pub text: Span,
    /// Room for as many bytes as the mode writes.
    pub tag: *mut u8,
}

impl Parts {
    /// Returns the parts of a loan.
    #[inline(always)]
    pub fn new(associated: &[u8], text: Span, tag: &mut [u8]) -> Self {
        Parts { associated: (associated.as_ptr(), associated.len()), text, tag: tag.as_mut_ptr() }
    }
}

/// A mode of authenticated encryption, one way: all of a task but where the parts of its message
/// are.
///
/// Its scheduler ends whatever it takes in the same call, so that no text that was not
/// authenticated comes back from a manager that is closed.
///
/// # Safety
/// If the parts are valid for their lengths until a task is reported done, the task made of them is
/// good, as [`Lanes::Task`] defines it, as long as the mode stays where it is. It writes
/// [`written`](Aead::written) bytes of tag.
pub unsafe trait Aead {
    /// The scheduler of such tasks.
    type Lanes: Lanes;

    /// Returns the task for a message whose text has a length that the mode was made for.
    fn task(&self, parts: &Parts) -> <Self::Lanes as Lanes>::Task;

    /// Returns the steps of the kernel that it will keep a lane for, by the bytes of associated
    /// data and of text.
    fn cost(&self, associated: usize, text: usize) -> usize;

    /// Returns `true` if plaintext becomes ciphertext.
    fn seals(&self) -> bool;

    /// Returns the bytes of tag that a task writes, 16 at most.
    fn written(&self) -> usize {
        TAG
    }

    /// Returns a loan of the parts, whose lifetime must be one for which all are borrowed, the
    /// mode's key and nonce among them.
    #[inline(always)]
    fn lend<'a>(&self, parts: &Parts) -> Loan<'a, Self::Lanes> {
        Loan::new(self.task(parts), self.cost(parts.associated.1, parts.text.len))
    }
}

/// A message to be sealed or opened.
///
/// `M` is the mode, `A` the associated data ([`Input`]), `B` the buffer of the text, owned or
/// borrowed, in place or apart ([`CipherBuffer`]).
///
/// A job that opens compares the tag that came with the message when it is complete, in constant
/// time. If it is not the right one, the plaintext is wiped where it was written, and
/// [`output`](AeadJob::output) says so. Neither that text nor the right tag can be had from the
/// job.
///
/// ```
/// use broadloom_lanes::{ChaChaKey, ChaChaPolyJob, Cpu, Planner};
///
/// let key = ChaChaKey::new(&[7; 32]);
/// let mut planner = Planner::new(&Cpu::detect());
/// let job = ChaChaPolyJob::seal(&key, &[1; 12], b"header", b"a text".to_vec(), ());
/// let mut sealed = [job.expect("a short text")];
/// planner.process_many(&mut sealed);
/// let tag = sealed[0].tag().expect("complete").try_into().expect("16 bytes");
/// let [sealed] = sealed;
/// let (text, header, ()) = sealed.into_parts();
/// let job = ChaChaPolyJob::open(&key, &[1; 12], header, text, &tag, ());
/// let mut opened = [job.expect("a short text and a tag")];
/// planner.process_many(&mut opened);
/// assert_eq!(opened[0].output(), Some(Ok(&b"a text"[..])));
/// ```
pub type AeadJob<M, A, B, T = ()> = PacketJob<AeadWork<M, A, B>, T>;

/// A message, and the mode that it is sealed or opened in.
pub struct AeadWork<M, A, B> {
    mode: M,
    associated: A,
    buffer: B,
    /// The computed tag; wiped after the comparison.
    tag: Wiped<[u8; TAG]>,
    /// The tag that came with the message.
    came: Came,
    authentic: bool,
}

/// The tag that a message came with, if it is to be opened.
struct Came {
    tag: [u8; TAG],
    len: usize,
}

// SAFETY: `bytes` and `pointers` give the same buffers as long as the job is not touched (the
// contracts of `Input` and `CipherBuffer`); mode and tag, which has room for any, are in the job
// itself; so the task is good.
unsafe impl<M: Aead, A: Input, B: CipherBuffer> Work for AeadWork<M, A, B> {
    type Lanes = M::Lanes;

    #[inline(always)]
    fn task(&mut self) -> <M::Lanes as Lanes>::Task {
        let text = Span::of(&mut self.buffer);
        self.mode.task(&Parts::new(self.associated.bytes(), text, &mut *self.tag))
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        self.mode.cost(self.associated.bytes().len(), self.buffer.length())
    }

    #[inline(always)]
    fn finish(&mut self) {
        if !self.mode.seals() {
            self.authenticate();
        }
    }
}

impl<M: Aead, A: Input, B: CipherBuffer> AeadWork<M, A, B> {
    /// Compares the tags of an opened message, and wipes what must not be seen.
    fn authenticate(&mut self) {
        let Came { tag, len } = &self.came;
        self.authentic = public(self.tag[..*len].ct_eq(&tag[..*len]));
        self.tag.wipe();
        if !self.authentic {
            let Span { dst, len, .. } = Span::of(&mut self.buffer);
            // SAFETY: `dst` is writable for `len` bytes, by the contract of `CipherBuffer`, and the
            // task is over.
            unsafe { core::slice::from_raw_parts_mut(dst, len) }.zeroize();
        }
    }
}

impl<M: Aead, A: Input, B: CipherBuffer, T> AeadJob<M, A, B, T> {
    /// Returns a job for a text of a length that the mode was made for. What is opened came with a
    /// tag of a length that the mode has.
    pub(crate) fn aead(mode: M, associated: A, buffer: B, came: &[u8], user: T) -> Self {
        let mut tag = [0; TAG];
        tag[..came.len()].copy_from_slice(came);
        let came = Came { tag, len: came.len() };
        let tag = Wiped::new([0; TAG]);
        PacketJob::new(AeadWork { mode, associated, buffer, tag, came, authentic: false }, user)
    }

    /// Returns the result; `None` until the job is complete.
    ///
    /// # Errors
    /// [`TagError`] if the message was to be opened, and came with a wrong tag. The buffer that the
    /// plaintext was written to is zero.
    pub fn output(&self) -> Option<Result<&[u8], TagError>> {
        let AeadWork { mode, buffer, authentic, .. } = &self.work;
        self.is_complete().then(|| match mode.seals() || *authentic {
            true => Ok(buffer.output()),
            false => Err(TagError),
        })
    }

    /// Returns the whole tag of a sealed message; `None` until the job is complete, and for a job
    /// that opens.
    pub fn tag(&self) -> Option<&[u8]> {
        let AeadWork { mode, tag, .. } = &self.work;
        (self.is_complete() && mode.seals()).then(|| &tag[..mode.written()])
    }

    /// Returns the buffer, the associated data and the caller's value. The tag is wiped.
    pub fn into_parts(self) -> (B, A, T) {
        (self.work.buffer, self.work.associated, self.user)
    }
}

/// A message that was to be opened came with a tag that is not its own: it, the tag, the nonce or
/// the associated data are not those that were sealed under this key.
///
/// ```
/// use broadloom_lanes::{Cpu, GcmJob, GcmKey, Planner, TagError};
///
/// let key = GcmKey::new(&[7; 16]).expect("16 bytes");
/// let forged = GcmJob::open(&key, [1; 12], b"header", vec![0; 40], &[0; 16], ());
/// let mut jobs = [forged.expect("lengths that GCM takes")];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_eq!(jobs[0].output(), Some(Err(TagError)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagError;

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tag is not that of the message")
    }
}

impl core::error::Error for TagError {}
