//! What a user hands in: an operation, its key, and a buffer.

use broadloom_lanes::{Buffers, CipherBuffer, Loan};

use super::key::{BinaryPrivateKey, BinaryPublicKey};
use super::lanes::{BinaryCurveLanes, BinaryOperation};
use crate::curves::{CurveInputError, CurveOperation, CurveOutcome, CurveWork};
use crate::job::PublicKeyJob;

/// An operation on a binary curve.
///
/// `B` is the buffer, in place or apart ([`CipherBuffer`]), of the length that the operation says;
/// `T` is whatever the caller wants to come back with it. Numbers have 36 bytes each, the highest
/// first. Jobs of all operations, curves and keys may share a manager.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner};
/// use broadloom_public_key::{BinaryCurve, BinaryCurveJob, BinaryPrivateKey};
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
pub type BinaryCurveJob<'a, B, T = ()> = PublicKeyJob<CurveWork<BinaryOperation<'a>, B>, T>;

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
        Self::on_curve(BinaryOperation::sign(key, nonce), buffer, user)
    }

    /// Verifies a signature (FIPS 186-5, 6.4.2) of a number, `r` and `s`. There is a result, zeros,
    /// if it is right.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length than 108.
    pub fn verify(key: &'a BinaryPublicKey, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::on_curve(BinaryOperation::Verify(key), buffer, user)
    }

    /// Agrees on a secret (SP 800-56A, 5.7.1.2, without the cofactor): of the coordinates of the
    /// other side's point, makes the x coordinate of the shared one, and 36 zeros. There is no
    /// result of a point that is not on the curve, or is no multiple of the base point.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length than 72.
    pub fn agree(key: &'a BinaryPrivateKey, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::on_curve(BinaryOperation::Agree(key), buffer, user)
    }
}

impl BinaryCurveLanes {
    /// Makes a loan for a signature, as [`BinaryCurveJob::sign`] makes a job.
    ///
    /// # Errors
    /// As [`BinaryCurveJob::sign`].
    ///
    /// # Panics
    /// As [`BinaryCurveJob::sign`].
    pub fn sign<'a>(
        key: &'a BinaryPrivateKey,
        nonce: &'a BinaryPrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        BinaryOperation::sign(key, nonce).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a verification, as [`BinaryCurveJob::verify`] makes a job.
    ///
    /// # Errors
    /// As [`BinaryCurveJob::verify`].
    pub fn verify<'a>(
        key: &'a BinaryPublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        BinaryOperation::Verify(key).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a shared secret, as [`BinaryCurveJob::agree`] makes a job.
    ///
    /// # Errors
    /// As [`BinaryCurveJob::agree`].
    pub fn agree<'a>(
        key: &'a BinaryPrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        BinaryOperation::Agree(key).lend(buffers.into(), outcome)
    }
}
