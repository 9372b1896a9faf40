//! What a user hands in: an operation, its key, and a buffer.

use super::ed25519::Ed25519PublicKey;
use super::error::{CurveError, CurveInputError};
use super::lanes::{CurveLanes, CurveTask, Operation};
use super::p256::{P256PrivateKey, P256PublicKey};
use super::x25519::X25519Key;
use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::job::{PacketJob, Work};
use crate::manager::Loan;

/// An operation on an elliptic curve.
///
/// `B` is the buffer, in place or apart ([`CipherBuffer`]), of the length that the operation says;
/// `T` is whatever the caller wants to come back with it. Jobs of all operations and keys may share
/// a manager.
pub type CurveJob<'a, B, T = ()> = PacketJob<CurveWork<'a, B>, T>;

/// A buffer, and what to do with it.
pub struct CurveWork<'a, B> {
    buffer: B,
    operation: Operation<'a>,
    outcome: CurveOutcome,
}

/// Whether a [`Loan`] on a curve has a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurveOutcome {
    pub(crate) is_right: bool,
}

impl CurveOutcome {
    /// Whether there is a result.
    ///
    /// # Errors
    /// [`CurveError`] if there is none; and before the loan was processed.
    pub fn check(self) -> Result<(), CurveError> {
        if self.is_right { Ok(()) } else { Err(CurveError) }
    }
}

/// Refuses input of another length than the operation takes.
fn check(given: usize, operation: &Operation<'_>) -> Result<(), CurveInputError> {
    let wanted = operation.len();
    if given == wanted { Ok(()) } else { Err(CurveInputError { given, wanted }) }
}

impl<'a, B: CipherBuffer, T> CurveJob<'a, B, T> {
    /// X25519 (RFC 7748, section 5): of the other side's public key, 32 bytes, makes the shared
    /// secret. There is none of a point of small order (section 6.1).
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length.
    pub fn x25519(key: &'a X25519Key, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::of(Operation::X25519(key), buffer, user)
    }

    /// The first half of a signature by Ed25519 (RFC 8032, section 5.1.6): of the digest of the
    /// key's [prefix](crate::Ed25519PrivateKey::prefix) and the message, 64 bytes, makes that half,
    /// 32 bytes, and the number behind it, which is secret and goes to
    /// [`respond`](crate::Ed25519PrivateKey::respond).
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length.
    pub fn ed25519_commit(buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::of(Operation::Ed25519Commit, buffer, user)
    }

    /// Verifies a signature by Ed25519 (RFC 8032, section 5.1.7), without a factor of eight. Of the
    /// signature, 64 bytes, and the digest of its first half, the public key and the message, makes
    /// zeros. There is no result if the signature is wrong, or not written in the one way that
    /// there is. The time depends on the input.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 128 bytes long.
    pub fn ed25519_verify(
        key: &'a Ed25519PublicKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::of(Operation::Ed25519Verify(key), buffer, user)
    }

    /// Signs by ECDSA on P-256 (FIPS 186-5, section 6.4.1): of a number, which is made of the
    /// message's digest, and 32 bytes that do not count, makes `r` and `s`, the highest bytes
    /// first. There is no result if `r` or `s` is zero, as no nonce that was drawn well makes them.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, CurveJob, P256PrivateKey, Planner};
    ///
    /// // FIPS 186-5 says how nonces are drawn: never twice the same one.
    /// let (key, nonce) = (P256PrivateKey::new(&[1; 32])?, P256PrivateKey::new(&[7; 32])?);
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let digest = [3; 32];
    /// let mut jobs = [CurveJob::p256_sign(&key, &nonce, [digest, [0; 32]].concat(), ())?];
    /// planner.process_many(&mut jobs);
    /// let signature = jobs[0].output().expect("complete")?;
    /// assert_eq!(signature.len(), 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 64 bytes long.
    pub fn p256_sign(
        key: &'a P256PrivateKey,
        nonce: &'a P256PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::of(Operation::P256Sign(key, nonce), buffer, user)
    }

    /// Verifies a signature by ECDSA on P-256 (FIPS 186-5, section 6.4.2): of a number, `r` and
    /// `s`, makes zeros. There is no result if the signature is wrong. The time depends on the
    /// input.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 96 bytes long.
    pub fn p256_verify(
        key: &'a P256PublicKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::of(Operation::P256Verify(key), buffer, user)
    }

    /// Agrees on a secret on P-256 (SP 800-56A, section 5.7.1.2): of the coordinates of the other
    /// side's point, makes the x coordinate of the shared one, and 32 zeros. There is no result of
    /// a point that is not on the curve.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 64 bytes long.
    pub fn p256_agree(
        key: &'a P256PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::of(Operation::P256Agree(key), buffer, user)
    }

    fn of(operation: Operation<'a>, buffer: B, user: T) -> Result<Self, CurveInputError> {
        check(buffer.length(), &operation)?;
        let outcome = CurveOutcome::default();
        Ok(PacketJob::new(CurveWork { buffer, operation, outcome }, user))
    }

    /// The result, as long as the input; `None` until the job is complete.
    ///
    /// # Errors
    /// [`CurveError`] if there is no result: the output is zeros.
    pub fn output(&self) -> Option<Result<&[u8], CurveError>> {
        let CurveWork { buffer, outcome, .. } = &self.work;
        self.is_complete().then(|| outcome.check().map(|()| buffer.output()))
    }

    /// The buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.buffer, self.user)
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (CipherBuffer's
// contract); the key is borrowed for the job's life, the outcome is in the job itself.
unsafe impl<B: CipherBuffer> Work for CurveWork<'_, B> {
    type Lanes = CurveLanes;

    fn task(&mut self) -> CurveTask {
        CurveTask::new(self.operation, Span::of(&mut self.buffer), &raw mut self.outcome)
    }

    fn cost(&self) -> usize {
        self.operation.cost()
    }
}

impl<'a> Loan<'a, CurveLanes> {
    /// A shared secret by X25519: as [`CurveJob::x25519`].
    ///
    /// # Errors
    /// As [`CurveJob::x25519`].
    pub fn x25519(
        key: &'a X25519Key,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(Operation::X25519(key), buffers.into(), outcome)
    }

    /// The first half of a signature by Ed25519: as [`CurveJob::ed25519_commit`].
    ///
    /// # Errors
    /// As [`CurveJob::ed25519_commit`].
    pub fn ed25519_commit(
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(Operation::Ed25519Commit, buffers.into(), outcome)
    }

    /// A signature by Ed25519 to be verified: as [`CurveJob::ed25519_verify`].
    ///
    /// # Errors
    /// As [`CurveJob::ed25519_verify`].
    pub fn ed25519_verify(
        key: &'a Ed25519PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(Operation::Ed25519Verify(key), buffers.into(), outcome)
    }

    /// A signature on P-256: as [`CurveJob::p256_sign`].
    ///
    /// # Errors
    /// As [`CurveJob::p256_sign`].
    pub fn p256_sign(
        key: &'a P256PrivateKey,
        nonce: &'a P256PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(Operation::P256Sign(key, nonce), buffers.into(), outcome)
    }

    /// A verification on P-256: as [`CurveJob::p256_verify`].
    ///
    /// # Errors
    /// As [`CurveJob::p256_verify`].
    pub fn p256_verify(
        key: &'a P256PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(Operation::P256Verify(key), buffers.into(), outcome)
    }

    /// A shared secret on P-256: as [`CurveJob::p256_agree`].
    ///
    /// # Errors
    /// As [`CurveJob::p256_agree`].
    pub fn p256_agree(
        key: &'a P256PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(Operation::P256Agree(key), buffers.into(), outcome)
    }

    fn on_curve(
        operation: Operation<'a>,
        buffers: Buffers<'a>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Self, CurveInputError> {
        let span = buffers.span();
        check(span.len, &operation)?;
        *outcome = CurveOutcome::default();
        Ok(Loan::new(CurveTask::new(operation, span, outcome), operation.cost()))
    }
}
