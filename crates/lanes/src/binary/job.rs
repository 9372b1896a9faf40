//! What a user hands in: an operation, its key, and a buffer.

use super::key::{BinaryPrivateKey, BinaryPublicKey};
use super::lanes::{BinaryCurveLanes, BinaryTask, Operation};
use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::curves::{CurveError, CurveInputError, CurveOutcome};
use crate::job::{PacketJob, Work};
use crate::manager::Loan;

/// An operation on a binary curve.
///
/// `B` is the buffer, in place or apart ([`CipherBuffer`]), of the length that the operation says;
/// `T` is whatever the caller wants to come back with it. Numbers have 36 bytes each, the highest
/// first. Jobs of all operations, curves and keys may share a manager.
///
/// ```
/// use broadloom_lanes::{BinaryCurve, BinaryCurveJob, BinaryPrivateKey, Cpu, Planner};
///
/// let scalar = |byte| BinaryPrivateKey::new(BinaryCurve::K283, &[byte; 36]);
/// let (key, nonce) = (scalar(0x00).err(), scalar(0xff).err());
/// assert!(key.is_some() && nonce.is_some(), "zero, and a number above the order");
/// let mut bytes = [0; 36];
/// bytes[35] = 7;
/// let key = BinaryPrivateKey::new(BinaryCurve::K283, &bytes)?;
/// bytes[35] = 9;
/// let nonce = BinaryPrivateKey::new(BinaryCurve::K283, &bytes)?;
/// let mut jobs = [BinaryCurveJob::sign(&key, &nonce, vec![1; 72], ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// let (r, s) = jobs[0].output().expect("complete")?.split_at(36);
/// assert_ne!(r, s);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type BinaryCurveJob<'a, B, T = ()> = PacketJob<BinaryWork<'a, B>, T>;

/// A buffer, and what to do with it.
pub struct BinaryWork<'a, B> {
    buffer: B,
    operation: Operation<'a>,
    outcome: CurveOutcome,
}

/// Refuses input of another length than the operation takes.
fn check(given: usize, operation: &Operation<'_>) -> Result<(), CurveInputError> {
    let wanted = operation.len();
    if given == wanted { Ok(()) } else { Err(CurveInputError { given, wanted }) }
}

impl<'a, B: CipherBuffer, T> BinaryCurveJob<'a, B, T> {
    /// Signs (FIPS 186-5, 6.4.1): of a number, which is made of the message's digest, and 36 bytes
    /// that do not count, makes `r` and `s`. The number has at most 283 bits. There is no result if
    /// `r` or `s` is zero, which no nonce that was drawn well leads to.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length than 72.
    ///
    /// # Panics
    /// If the nonce is for another curve.
    pub fn sign(
        key: &'a BinaryPrivateKey,
        nonce: &'a BinaryPrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::of(Operation::sign(key, nonce), buffer, user)
    }

    /// Verifies a signature (FIPS 186-5, 6.4.2) of a number, `r` and `s`. There is a result, zeros,
    /// if it is right.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length than 108.
    pub fn verify(key: &'a BinaryPublicKey, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::of(Operation::Verify(key), buffer, user)
    }

    /// Agrees on a secret (SP 800-56A, 5.7.1.2, without the cofactor): of the coordinates of the
    /// other side's point, makes the x coordinate of the shared one, and 36 zeros. There is no
    /// result of a point that is not on the curve, or is no multiple of the base point.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length than 72.
    pub fn agree(key: &'a BinaryPrivateKey, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::of(Operation::Agree(key), buffer, user)
    }

    fn of(operation: Operation<'a>, buffer: B, user: T) -> Result<Self, CurveInputError> {
        check(buffer.length(), &operation)?;
        let outcome = CurveOutcome::default();
        Ok(PacketJob::new(BinaryWork { buffer, operation, outcome }, user))
    }

    /// The result, as long as the input; `None` until the job is complete.
    ///
    /// # Errors
    /// [`CurveError`] if there is no result: the output is zeros.
    pub fn output(&self) -> Option<Result<&[u8], CurveError>> {
        let BinaryWork { buffer, outcome, .. } = &self.work;
        self.is_complete().then(|| outcome.check().map(|()| buffer.output()))
    }

    /// The buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.buffer, self.user)
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (CipherBuffer's
// contract); the keys are borrowed for the job's life, the outcome is in the job itself.
unsafe impl<B: CipherBuffer> Work for BinaryWork<'_, B> {
    type Lanes = BinaryCurveLanes;

    fn task(&mut self) -> BinaryTask {
        BinaryTask::new(self.operation, Span::of(&mut self.buffer), &raw mut self.outcome)
    }

    fn cost(&self) -> usize {
        self.operation.cost()
    }
}

impl<'a> Loan<'a, BinaryCurveLanes> {
    /// A signature: as [`BinaryCurveJob::sign`].
    ///
    /// # Errors
    /// As [`BinaryCurveJob::sign`].
    ///
    /// # Panics
    /// As [`BinaryCurveJob::sign`].
    pub fn binary_sign(
        key: &'a BinaryPrivateKey,
        nonce: &'a BinaryPrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_binary_curve(Operation::sign(key, nonce), buffers.into(), outcome)
    }

    /// A verification: as [`BinaryCurveJob::verify`].
    ///
    /// # Errors
    /// As [`BinaryCurveJob::verify`].
    pub fn binary_verify(
        key: &'a BinaryPublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_binary_curve(Operation::Verify(key), buffers.into(), outcome)
    }

    /// A shared secret: as [`BinaryCurveJob::agree`].
    ///
    /// # Errors
    /// As [`BinaryCurveJob::agree`].
    pub fn binary_agree(
        key: &'a BinaryPrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_binary_curve(Operation::Agree(key), buffers.into(), outcome)
    }

    fn on_binary_curve(
        operation: Operation<'a>,
        buffers: Buffers<'a>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        let span = buffers.span();
        check(span.len, &operation)?;
        *outcome = CurveOutcome::default();
        Ok(Loan::new(BinaryTask::new(operation, span, outcome), operation.cost()))
    }
}
