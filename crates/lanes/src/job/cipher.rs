//! Jobs that encrypt or decrypt buffers.

use super::{PacketJob, Work};
use crate::buffer::{CipherBuffer, Span};
use crate::manager::{Lanes, Loan};

/// A cipher's mode: all of a task but where its text is.
///
/// # Safety
/// If the text is valid for its length until a task is reported done, the task made of it is good,
/// as [`Lanes::Task`] defines it, as long as the mode stays where it is.
pub unsafe trait Cipher {
    /// The scheduler of such tasks.
    type Lanes: Lanes;

    /// Returns the task for a text, of a length that the mode was made for.
    fn task(&self, text: Span) -> <Self::Lanes as Lanes>::Task;

    /// Returns the steps of the kernel that a text of so many bytes will keep a lane for.
    fn cost(&self, len: usize) -> usize;

    /// Returns a loan of a text, whose lifetime must be one for which both the text and the mode's
    /// key are borrowed.
    #[inline(always)]
    fn lend<'a>(&self, text: Span) -> Loan<'a, Self::Lanes> {
        Loan::new(self.task(text), self.cost(text.len))
    }
}

/// A buffer to be encrypted or decrypted.
///
/// `M` is the mode, `B` the buffer, owned or borrowed, in place or apart ([`CipherBuffer`]).
///
/// There is no job without what its mode starts from, and a job that a manager has cannot be
/// touched:
///
/// ```compile_fail
/// # use broadloom_lanes::{AesKey, CtrJob};
/// # let key = AesKey::new(&[0; 16]).unwrap();
/// CtrJob::ctr(&key, vec![0; 16], ());
/// ```
pub type CipherJob<M, B, T = ()> = PacketJob<CipherWork<M, B>, T>;

/// A buffer, and the mode that it is ciphered in.
pub struct CipherWork<M, B> {
    mode: M,
    buffer: B,
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`), and the mode is in the job itself; so the task is good.
unsafe impl<M: Cipher, B: CipherBuffer> Work for CipherWork<M, B> {
    type Lanes = M::Lanes;

    #[inline(always)]
    fn task(&mut self) -> <M::Lanes as Lanes>::Task {
        self.mode.task(Span::of(&mut self.buffer))
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        self.mode.cost(self.buffer.length())
    }
}

impl<M: Cipher, B: CipherBuffer, T> CipherJob<M, B, T> {
    /// Returns a job for a buffer of a length that the mode was made for.
    pub(crate) fn cipher(mode: M, buffer: B, user: T) -> Self {
        PacketJob::new(CipherWork { mode, buffer }, user)
    }

    /// Returns the result; `None` until the job is complete.
    pub fn output(&self) -> Option<&[u8]> {
        self.is_complete().then(|| self.work.buffer.output())
    }

    /// Returns the buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.buffer, self.user)
    }
}
