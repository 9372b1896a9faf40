//! What a user hands in: a number to be raised to the exponent of a key.

use broadloom_lanes::inside::{Span, Work};
use broadloom_lanes::{Buffers, CipherBuffer, Loan};

use super::blinding::RsaBlind;
use super::error::{RsaError, RsaInputError};
use super::key::RsaPrivateKey;
use super::lanes::{RsaLanes, RsaTask, TaskKey};
use super::outcome::RsaOutcome;
use super::public::RsaPublicKey;
use crate::job::PublicKeyJob;

/// A number to be raised to the exponent of a key, modulo its modulus: RSADP and RSASP1, or RSAEP
/// and RSAVP1 (RFC 8017, sections 5.1 and 5.2).
///
/// `B` is the buffer, in place or apart ([`CipherBuffer`]), as long as the modulus, big-endian; `T`
/// is whatever the caller wants to come back with it. Jobs of all keys and lengths, private and
/// public, may share a manager.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner};
/// use broadloom_public_key::{RsaJob, RsaPublicKey};
///
/// let key = RsaPublicKey::new(&[0xff; 256], &[3])?;
/// let mut two = vec![0; 256];
/// two[255] = 2;
/// let mut jobs = [RsaJob::public(&key, two, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// let output = jobs[0].output().expect("complete")?;
/// assert_eq!(output[255], 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type RsaJob<'a, B, T = ()> = PublicKeyJob<RsaWork<'a, B>, T>;

/// A buffer, and the key to process it with.
pub struct RsaWork<'a, B> {
    buffer: B,
    operation: Operation<'a>,
    outcome: RsaOutcome,
}

#[allow(clippy::large_enum_variant, reason = "a job allocates nothing")]
enum Operation<'a> {
    Private(&'a RsaPrivateKey, RsaBlind),
    Public(&'a RsaPublicKey),
}

/// Refuses input that a key does not take. It is compared in a time that depends on it.
fn check(key: &RsaPublicKey, input: &[u8]) -> Result<(), RsaInputError> {
    let (given, wanted) = (input.len(), key.size());
    if given != wanted {
        return Err(RsaInputError::Length { given, wanted });
    }
    let mut modulus = [0; 512];
    key.modulus().value().to_bytes(&mut modulus[..wanted]);
    if input < &modulus[..wanted] { Ok(()) } else { Err(RsaInputError::TooLarge) }
}

/// Returns the bytes to process.
fn input(buffer: &mut impl CipherBuffer) -> &[u8] {
    let Span { src, len, .. } = Span::of(buffer);
    // SAFETY: `src` is readable for `len` bytes, by the contract of `CipherBuffer`.
    unsafe { core::slice::from_raw_parts(src, len) }
}

impl<'a, B: CipherBuffer, T> RsaJob<'a, B, T> {
    /// Raises a number to the private exponent.
    ///
    /// # Errors
    /// [`RsaInputError`] if the buffer is not as long as the modulus, if the number in it is not
    /// below the modulus, or if the blind was made for a key of another length. With the blind of
    /// another key of that length, there will be no result.
    pub fn private(
        key: &'a RsaPrivateKey,
        blind: RsaBlind,
        mut buffer: B,
        user: T,
    ) -> Result<Self, RsaInputError> {
        check(key.public(), input(&mut buffer))?;
        if blind.power.words().len() != key.bits() / 64 {
            return Err(RsaInputError::Blind);
        }
        Ok(Self::of(Operation::Private(key, blind), buffer, user))
    }

    /// Raises a number to the public exponent.
    ///
    /// # Errors
    /// [`RsaInputError`] if the buffer is not as long as the modulus, or if the number in it is not
    /// below the modulus.
    pub fn public(key: &'a RsaPublicKey, mut buffer: B, user: T) -> Result<Self, RsaInputError> {
        check(key, input(&mut buffer))?;
        Ok(Self::of(Operation::Public(key), buffer, user))
    }

    fn of(operation: Operation<'a>, buffer: B, user: T) -> Self {
        PublicKeyJob::new(RsaWork { buffer, operation, outcome: RsaOutcome::default() }, user)
    }

    /// Returns the result, as long as the modulus; `None` until the job is complete.
    ///
    /// # Errors
    /// [`RsaError`] if the result of a private operation was wrong: the output is zeros.
    pub fn output(&self) -> Option<Result<&[u8], RsaError>> {
        let RsaWork { buffer, outcome, .. } = &self.work;
        self.is_complete().then(|| outcome.check().map(|()| buffer.output()))
    }

    /// Returns the buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.buffer, self.user)
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (CipherBuffer's
// contract); the key is borrowed for the job's life, blind and outcome are in the job itself.
unsafe impl<B: CipherBuffer> Work for RsaWork<'_, B> {
    type Lanes = RsaLanes;

    fn task(&mut self) -> RsaTask {
        let key = match &self.operation {
            Operation::Private(key, blind) => TaskKey::Private(*key, blind),
            Operation::Public(key) => TaskKey::Public(*key),
        };
        RsaTask { key, span: Span::of(&mut self.buffer), outcome: &raw mut self.outcome }
    }

    fn cost(&self) -> usize {
        match &self.operation {
            Operation::Private(key, _) => cost(key.public(), true),
            Operation::Public(key) => cost(key, false),
        }
    }
}

/// Returns the steps of the kernel: bits of exponents.
fn cost(key: &RsaPublicKey, is_private: bool) -> usize {
    if is_private { key.bits() } else { 16 }
}

impl RsaLanes {
    /// Makes a loan for a number to be raised to the private exponent of a key.
    ///
    /// # Errors
    /// As [`RsaJob::private`].
    pub fn private<'a>(
        key: &'a RsaPrivateKey,
        blind: &'a RsaBlind,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut RsaOutcome,
    ) -> Result<Loan<'a, Self>, RsaInputError> {
        if blind.power.words().len() != key.bits() / 64 {
            return Err(RsaInputError::Blind);
        }
        Self::lend(TaskKey::Private(key, blind), key.public(), buffers.into(), outcome)
    }

    /// Makes a loan for a number to be raised to the public exponent of a key.
    ///
    /// # Errors
    /// As [`RsaJob::public`].
    pub fn public<'a>(
        key: &'a RsaPublicKey,
        buffers: impl Into<Buffers<'a>>,
        outcome: &'a mut RsaOutcome,
    ) -> Result<Loan<'a, Self>, RsaInputError> {
        Self::lend(TaskKey::Public(key), key, buffers.into(), outcome)
    }

    fn lend<'a>(
        task: TaskKey,
        key: &RsaPublicKey,
        buffers: Buffers<'a>,
        outcome: &'a mut RsaOutcome,
    ) -> Result<Loan<'a, Self>, RsaInputError> {
        let span = buffers.span();
        // SAFETY: the bytes are borrowed.
        check(key, unsafe { core::slice::from_raw_parts(span.src, span.len) })?;
        *outcome = RsaOutcome::default();
        let cost = cost(key, matches!(task, TaskKey::Private(..)));
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(RsaTask { key: task, span, outcome }, cost) })
    }
}
