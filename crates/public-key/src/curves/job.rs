//! What a user hands in: an operation, its key, and a buffer.

use broadloom_lanes::{Buffers, CipherBuffer, Loan};

use super::ed25519::Ed25519PublicKey;
use super::error::CurveInputError;
use super::lanes::{CurveLanes, PrimeOperation};
use super::operation::{CurveOperation, CurveWork};
use super::outcome::CurveOutcome;
use super::weierstrass::{
    P256PrivateKey, P256PublicKey, P384PrivateKey, P384PublicKey, P521PrivateKey, P521PublicKey,
    PointOperation, Secp256k1PrivateKey, Secp256k1PublicKey,
};
use super::x25519::X25519Key;
use crate::job::PublicKeyJob;

/// An operation on an elliptic curve.
///
/// `B` is the buffer, in place or apart ([`CipherBuffer`]), of the length that the operation says;
/// `T` is whatever the caller wants to come back with it. Jobs of all operations and keys may share
/// a manager.
pub type CurveJob<'a, B, T = ()> = PublicKeyJob<CurveWork<PrimeOperation<'a>, B>, T>;

impl<'a, B: CipherBuffer, T> CurveJob<'a, B, T> {
    /// Makes a job for X25519 (RFC 7748, section 5), which turns the other side's public key, 32
    /// bytes, into the shared secret. There is none of a point of small order (section 6.1).
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length.
    pub fn x25519(key: &'a X25519Key, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::X25519(key), buffer, user)
    }

    /// Computes the public key of a private key of X25519 (RFC 7748, section 6.1): of 32 bytes that
    /// do not count, makes those of its point. It costs a fourth of [`x25519`](CurveJob::x25519)
    /// with the base point, which has the same result.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length.
    pub fn x25519_public(key: &'a X25519Key, buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::X25519Public(key), buffer, user)
    }

    /// Makes a job for the first half of a signature by Ed25519 (RFC 8032, section 5.1.6): of the
    /// digest of the key's [prefix](crate::Ed25519PrivateKey::prefix) and the message, 64 bytes,
    /// makes that half, 32 bytes, and the number behind it, which is secret and goes to
    /// [`respond`](crate::Ed25519PrivateKey::respond).
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer has another length.
    pub fn ed25519_commit(buffer: B, user: T) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::Ed25519Commit, buffer, user)
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
        Self::on_curve(PrimeOperation::Ed25519Verify(key), buffer, user)
    }

    /// Signs by ECDSA on P-256 (FIPS 186-5, section 6.4.1): of a number, which is made of the
    /// message's digest, and 32 bytes that do not count, makes `r` and `s`, the highest bytes
    /// first. There is no result if `r` or `s` is zero, as no nonce that was drawn well makes them.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, Planner};
    /// use broadloom_public_key::{CurveJob, P256PrivateKey};
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
        Self::on_curve(PrimeOperation::P256(PointOperation::Sign(key, nonce)), buffer, user)
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
        Self::on_curve(PrimeOperation::P256(PointOperation::Verify(key)), buffer, user)
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
        Self::on_curve(PrimeOperation::P256(PointOperation::Agree(key)), buffer, user)
    }

    /// Computes the public key of a private key on P-256: of 64 bytes that do not count, makes
    /// the coordinates x and y of its point, the highest bytes first.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 64 bytes long.
    pub fn p256_public(
        key: &'a P256PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P256(PointOperation::Public(key)), buffer, user)
    }

    /// Signs by ECDSA on P-384 (FIPS 186-5, section 6.4.1): of a number, which is made of the
    /// message's digest, and 48 bytes that do not count, makes `r` and `s`, the highest bytes
    /// first. There is no result if `r` or `s` is zero, as no nonce that was drawn well makes them.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 96 bytes long.
    pub fn p384_sign(
        key: &'a P384PrivateKey,
        nonce: &'a P384PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P384(PointOperation::Sign(key, nonce)), buffer, user)
    }

    /// Verifies a signature by ECDSA on P-384 (FIPS 186-5, section 6.4.2): of a number, `r` and
    /// `s`, makes zeros. There is no result if the signature is wrong. The time depends on the
    /// input.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 144 bytes long.
    pub fn p384_verify(
        key: &'a P384PublicKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P384(PointOperation::Verify(key)), buffer, user)
    }

    /// Agrees on a secret on P-384 (SP 800-56A, section 5.7.1.2): of the coordinates of the other
    /// side's point, makes the x coordinate of the shared one, and 48 zeros. There is no result of
    /// a point that is not on the curve.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 96 bytes long.
    pub fn p384_agree(
        key: &'a P384PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P384(PointOperation::Agree(key)), buffer, user)
    }

    /// Computes the public key of a private key on P-384: of 96 bytes that do not count, makes
    /// the coordinates x and y of its point, the highest bytes first.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 96 bytes long.
    pub fn p384_public(
        key: &'a P384PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P384(PointOperation::Public(key)), buffer, user)
    }

    /// Signs by ECDSA on P-521 (FIPS 186-5, section 6.4.1): of a number, which is made of the
    /// message's digest, and 66 bytes that do not count, makes `r` and `s`, the highest bytes
    /// first. There is no result if `r` or `s` is zero, as no nonce that was drawn well makes them.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 132 bytes long.
    pub fn p521_sign(
        key: &'a P521PrivateKey,
        nonce: &'a P521PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P521(PointOperation::Sign(key, nonce)), buffer, user)
    }

    /// Verifies a signature by ECDSA on P-521 (FIPS 186-5, section 6.4.2): of a number, `r` and
    /// `s`, makes zeros. There is no result if the signature is wrong. The time depends on the
    /// input.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 198 bytes long.
    pub fn p521_verify(
        key: &'a P521PublicKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P521(PointOperation::Verify(key)), buffer, user)
    }

    /// Agrees on a secret on P-521 (SP 800-56A, section 5.7.1.2): of the coordinates of the other
    /// side's point, makes the x coordinate of the shared one, and 66 zeros. There is no result of
    /// a point that is not on the curve.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 132 bytes long.
    pub fn p521_agree(
        key: &'a P521PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P521(PointOperation::Agree(key)), buffer, user)
    }

    /// Computes the public key of a private key on P-521: of 132 bytes that do not count, makes
    /// the coordinates x and y of its point, the highest bytes first.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 132 bytes long.
    pub fn p521_public(
        key: &'a P521PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::P521(PointOperation::Public(key)), buffer, user)
    }

    /// Signs by ECDSA on secp256k1 (FIPS 186-5, section 6.4.1): of a number, which is made of the
    /// message's digest, and 32 bytes that do not count, makes `r` and `s`, the highest bytes
    /// first. There is no result if `r` or `s` is zero, as no nonce that was drawn well makes them.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 64 bytes long.
    pub fn secp256k1_sign(
        key: &'a Secp256k1PrivateKey,
        nonce: &'a Secp256k1PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::Secp256k1(PointOperation::Sign(key, nonce)), buffer, user)
    }

    /// Verifies a signature by ECDSA on secp256k1 (FIPS 186-5, section 6.4.2): of a number, `r` and
    /// `s`, makes zeros. There is no result if the signature is wrong. The time depends on the
    /// input.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 96 bytes long.
    pub fn secp256k1_verify(
        key: &'a Secp256k1PublicKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::Secp256k1(PointOperation::Verify(key)), buffer, user)
    }

    /// Agrees on a secret on secp256k1 (SP 800-56A, section 5.7.1.2): of the coordinates of the
    /// other side's point, makes the x coordinate of the shared one, and 32 zeros. There is no
    /// result of a point that is not on the curve.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 64 bytes long.
    pub fn secp256k1_agree(
        key: &'a Secp256k1PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::Secp256k1(PointOperation::Agree(key)), buffer, user)
    }

    /// Computes the public key of a private key on secp256k1: of 64 bytes that do not count, makes
    /// the coordinates x and y of its point, the highest bytes first.
    ///
    /// # Errors
    /// [`CurveInputError`] if the buffer is not 64 bytes long.
    pub fn secp256k1_public(
        key: &'a Secp256k1PrivateKey,
        buffer: B,
        user: T,
    ) -> Result<Self, CurveInputError> {
        Self::on_curve(PrimeOperation::Secp256k1(PointOperation::Public(key)), buffer, user)
    }
}

impl CurveLanes {
    /// Makes a loan for a shared secret by X25519, as [`CurveJob::x25519`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::x25519`].
    pub fn x25519<'a>(
        key: &'a X25519Key,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::X25519(key).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a public key of X25519, as [`CurveJob::x25519_public`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::x25519_public`].
    pub fn x25519_public<'a>(
        key: &'a X25519Key,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::X25519Public(key).lend(buffers.into(), outcome)
    }

    /// Makes a loan for the first half of a signature by Ed25519, as [`CurveJob::ed25519_commit`]
    /// makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::ed25519_commit`].
    pub fn ed25519_commit<'a>(
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::Ed25519Commit.lend(buffers.into(), outcome)
    }

    /// Makes a loan for a signature by Ed25519 to be verified, as [`CurveJob::ed25519_verify`]
    /// makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::ed25519_verify`].
    pub fn ed25519_verify<'a>(
        key: &'a Ed25519PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::Ed25519Verify(key).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a signature on P-256, as [`CurveJob::p256_sign`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p256_sign`].
    pub fn p256_sign<'a>(
        key: &'a P256PrivateKey,
        nonce: &'a P256PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P256(PointOperation::Sign(key, nonce)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a verification on P-256, as [`CurveJob::p256_verify`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p256_verify`].
    pub fn p256_verify<'a>(
        key: &'a P256PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P256(PointOperation::Verify(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a shared secret on P-256, as [`CurveJob::p256_agree`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p256_agree`].
    pub fn p256_agree<'a>(
        key: &'a P256PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P256(PointOperation::Agree(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a public key on P-256, as [`CurveJob::p256_public`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p256_public`].
    pub fn p256_public<'a>(
        key: &'a P256PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P256(PointOperation::Public(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a signature on P-384, as [`CurveJob::p384_sign`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p384_sign`].
    pub fn p384_sign<'a>(
        key: &'a P384PrivateKey,
        nonce: &'a P384PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P384(PointOperation::Sign(key, nonce)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a verification on P-384, as [`CurveJob::p384_verify`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p384_verify`].
    pub fn p384_verify<'a>(
        key: &'a P384PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P384(PointOperation::Verify(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a shared secret on P-384, as [`CurveJob::p384_agree`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p384_agree`].
    pub fn p384_agree<'a>(
        key: &'a P384PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P384(PointOperation::Agree(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a public key on P-384, as [`CurveJob::p384_public`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p384_public`].
    pub fn p384_public<'a>(
        key: &'a P384PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P384(PointOperation::Public(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a signature on P-521, as [`CurveJob::p521_sign`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p521_sign`].
    pub fn p521_sign<'a>(
        key: &'a P521PrivateKey,
        nonce: &'a P521PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P521(PointOperation::Sign(key, nonce)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a verification on P-521, as [`CurveJob::p521_verify`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p521_verify`].
    pub fn p521_verify<'a>(
        key: &'a P521PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P521(PointOperation::Verify(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a shared secret on P-521, as [`CurveJob::p521_agree`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p521_agree`].
    pub fn p521_agree<'a>(
        key: &'a P521PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P521(PointOperation::Agree(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a public key on P-521, as [`CurveJob::p521_public`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::p521_public`].
    pub fn p521_public<'a>(
        key: &'a P521PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::P521(PointOperation::Public(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a signature on secp256k1, as [`CurveJob::secp256k1_sign`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::secp256k1_sign`].
    pub fn secp256k1_sign<'a>(
        key: &'a Secp256k1PrivateKey,
        nonce: &'a Secp256k1PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::Secp256k1(PointOperation::Sign(key, nonce)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a verification on secp256k1, as [`CurveJob::secp256k1_verify`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::secp256k1_verify`].
    pub fn secp256k1_verify<'a>(
        key: &'a Secp256k1PublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::Secp256k1(PointOperation::Verify(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a shared secret on secp256k1, as [`CurveJob::secp256k1_agree`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::secp256k1_agree`].
    pub fn secp256k1_agree<'a>(
        key: &'a Secp256k1PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::Secp256k1(PointOperation::Agree(key)).lend(buffers.into(), outcome)
    }

    /// Makes a loan for a public key on secp256k1, as [`CurveJob::secp256k1_public`] makes a job.
    ///
    /// # Errors
    /// As [`CurveJob::secp256k1_public`].
    pub fn secp256k1_public<'a>(
        key: &'a Secp256k1PrivateKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self>, CurveInputError> {
        PrimeOperation::Secp256k1(PointOperation::Public(key)).lend(buffers.into(), outcome)
    }
}
