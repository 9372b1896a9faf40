//! What a user hands in: seeds of keys, messages to sign, and signatures to verify.

use broadloom_lanes::inside::{Span, Work};
use broadloom_lanes::{Buffers, CipherBuffer, Input, Loan};

use super::error::MlDsaError;
use super::key::{MlDsaPrivateKey, MlDsaPublicKey, check};
use super::lanes::{MlDsaLanes, MlDsaOrder, MlDsaTask};
use super::message::{MlDsaMessage, RawMessage};
use super::outcome::MlDsaOutcome;
use super::params::{LEN, MlDsaSet};
use crate::job::PublicKeyJob;

/// A message to be signed (FIPS 204, algorithms 2, 4 and 7).
///
/// `B` is the room for the signature ([`CipherBuffer`]), whose bytes at first do not matter; `T` is
/// whatever the caller wants to come back with it. Jobs of all sets and keys, also those of
/// [`MlDsaVerifyJob`] and [`MlDsaKeyJob`] as [`Loan`]s, may share lanes.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner};
/// use broadloom_public_key::{
///     MlDsaKeyJob, MlDsaMessage, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlDsaSignJob,
///     MlDsaVerifyJob,
/// };
///
/// let set = MlDsaSet::MlDsa65;
/// let len = set.private_key_len();
/// // The first 32 bytes, the seed, must be random and secret.
/// let mut keys = [MlDsaKeyJob::generate(set, vec![7; len + set.public_key_len()], ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut keys);
/// let (private, public) = keys[0].output().expect("complete").split_at(len);
/// let private = MlDsaPrivateKey::generated(set, private)?;
/// let public = MlDsaPublicKey::new(set, public)?;
///
/// let message = MlDsaMessage::new(b"a message");
/// let room = vec![0; set.signature_len()];
/// let mut jobs = [MlDsaSignJob::sign(&private, message, None, room, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// let signature = jobs[0].output().expect("complete");
///
/// let mut checks = [MlDsaVerifyJob::verify(&public, message, signature, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut checks);
/// assert_eq!(checks[0].is_right(), Some(true));
/// # Ok::<(), broadloom_public_key::MlDsaError>(())
/// ```
pub type MlDsaSignJob<'a, B, T = ()> = PublicKeyJob<SignWork<'a, B>, T>;

/// A signature to be verified (FIPS 204, algorithms 3, 5 and 8): [`MlDsaSignJob`] has an example.
pub type MlDsaVerifyJob<'a, S, T = ()> = PublicKeyJob<VerifyWork<'a, S>, T>;

/// A key to be generated (FIPS 204, algorithm 6): [`MlDsaSignJob`] has an example.
pub type MlDsaKeyJob<B, T = ()> = PublicKeyJob<KeyWork<B>, T>;

/// A message, the key to sign it with, and room for the signature.
pub struct SignWork<'a, B> {
    key: &'a MlDsaPrivateKey,
    message: MlDsaMessage<'a>,
    random: &'a [u8; LEN],
    room: B,
}

/// A message, the key to verify it with, and the signature.
pub struct VerifyWork<'a, S> {
    key: &'a MlDsaPublicKey,
    message: MlDsaMessage<'a>,
    signature: S,
    outcome: MlDsaOutcome,
}

/// A seed, and room for a key.
pub struct KeyWork<B> {
    set: MlDsaSet,
    room: B,
}

/// The randomness of signatures that have none.
static NO_RANDOMNESS: [u8; LEN] = [0; LEN];

/// Checks the length of a signature.
fn check_signature(set: MlDsaSet, len: usize) -> Result<(), MlDsaError> {
    check("a signature", set, len, set.signature_len())
}

/// Checks the length of a key's buffer.
fn check_keys(set: MlDsaSet, len: usize) -> Result<(), MlDsaError> {
    let valid = set.private_key_len() + set.public_key_len();
    check("a private and a public key", set, len, valid)
}

impl<'a, B: CipherBuffer, T> MlDsaSignJob<'a, B, T> {
    /// Signs a message: with 32 random bytes, which protect against faults and against who watches
    /// the machine (hedged); or without, so that the same message has the same signature again.
    ///
    /// # Errors
    /// [`MlDsaError::Length`] if the room has another length than the set's
    /// [signatures](MlDsaSet::signature_len).
    pub fn sign(
        key: &'a MlDsaPrivateKey,
        message: MlDsaMessage<'a>,
        random: Option<&'a [u8; LEN]>,
        room: B,
        user: T,
    ) -> Result<Self, MlDsaError> {
        check_signature(key.set(), room.length())?;
        let random = random.unwrap_or(&NO_RANDOMNESS);
        Ok(PublicKeyJob::new(SignWork { key, message, random, room }, user))
    }

    /// Returns the signature; `None` until the job is complete.
    pub fn output(&self) -> Option<&[u8]> {
        self.is_complete().then(|| self.work.room.output())
    }

    /// Returns the buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.room, self.user)
    }
}

impl<'a, S: Input, T> MlDsaVerifyJob<'a, S, T> {
    /// Verifies a signature of a message.
    ///
    /// # Errors
    /// [`MlDsaError::Length`] if the signature has another length than the set's.
    pub fn verify(
        key: &'a MlDsaPublicKey,
        message: MlDsaMessage<'a>,
        signature: S,
        user: T,
    ) -> Result<Self, MlDsaError> {
        check_signature(key.set(), signature.bytes().len())?;
        let outcome = MlDsaOutcome::default();
        Ok(PublicKeyJob::new(VerifyWork { key, message, signature, outcome }, user))
    }

    /// Returns `true` if the signature is right; `None` until the job is complete.
    pub fn is_right(&self) -> Option<bool> {
        self.is_complete().then_some(self.work.outcome.is_right)
    }

    /// Returns the signature and the caller's value.
    pub fn into_parts(self) -> (S, T) {
        (self.work.signature, self.user)
    }
}

impl<B: CipherBuffer, T> MlDsaKeyJob<B, T> {
    /// Generates a key: of a seed of 32 bytes, which are random and secret, and bytes that do not
    /// count makes a [private key](MlDsaSet::private_key_len) and, behind it, the
    /// [public key](MlDsaSet::public_key_len).
    ///
    /// # Errors
    /// [`MlDsaError::Length`] if the buffer has another length than both keys of the set.
    pub fn generate(set: MlDsaSet, buffer: B, user: T) -> Result<Self, MlDsaError> {
        check_keys(set, buffer.length())?;
        Ok(PublicKeyJob::new(KeyWork { set, room: buffer }, user))
    }

    /// Returns the private key and the public key; `None` until the job is complete.
    pub fn output(&self) -> Option<&[u8]> {
        self.is_complete().then(|| self.work.room.output())
    }

    /// Returns the buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.room, self.user)
    }
}

/// Returns the span of bytes that a task only reads.
fn read_only(bytes: &[u8]) -> Span {
    Span { src: bytes.as_ptr(), dst: core::ptr::null_mut(), len: bytes.len() }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`), and key, message and randomness are borrowed for the job's life; so the task is
// good.
unsafe impl<B: CipherBuffer> Work for SignWork<'_, B> {
    type Lanes = MlDsaLanes;

    fn task(&mut self) -> MlDsaTask {
        let SignWork { key, message, random, room } = self;
        let order = MlDsaOrder::Sign(*key, *random);
        MlDsaTask { set: key.set(), order, span: Span::of(room), message: message.raw() }
    }

    fn cost(&self) -> usize {
        self.key.set().sign_cost()
    }
}

// SAFETY: the signature's bytes stay as they are (the contract of `Input`), key and message are
// borrowed for the job's life, and the outcome is in the job itself; so the task is good.
unsafe impl<S: Input> Work for VerifyWork<'_, S> {
    type Lanes = MlDsaLanes;

    fn task(&mut self) -> MlDsaTask {
        let VerifyWork { key, message, signature, outcome } = self;
        let span = read_only(signature.bytes());
        let order = MlDsaOrder::Verify(*key, outcome);
        MlDsaTask { set: key.set(), order, span, message: message.raw() }
    }

    fn cost(&self) -> usize {
        self.key.set().cost()
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`); so the task is good.
unsafe impl<B: CipherBuffer> Work for KeyWork<B> {
    type Lanes = MlDsaLanes;

    fn task(&mut self) -> MlDsaTask {
        let span = Span::of(&mut self.room);
        MlDsaTask { set: self.set, order: MlDsaOrder::Generate, span, message: RawMessage::NONE }
    }

    fn cost(&self) -> usize {
        self.set.cost()
    }
}

impl MlDsaLanes {
    /// Makes a loan for a message to be signed.
    ///
    /// # Errors
    /// As [`MlDsaSignJob::sign`].
    pub fn sign<'a>(
        key: &'a MlDsaPrivateKey,
        message: MlDsaMessage<'a>,
        random: Option<&'a [u8; LEN]>,
        signature: &'a mut [u8],
    ) -> Result<Loan<'a, Self>, MlDsaError> {
        let set = key.set();
        check_signature(set, signature.len())?;
        let order = MlDsaOrder::Sign(key, random.unwrap_or(&NO_RANDOMNESS));
        let span = Span::in_place(signature);
        let task = MlDsaTask { set, order, span, message: message.raw() };
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(task, set.sign_cost()) })
    }

    /// Makes a loan for a signature to be verified.
    ///
    /// # Errors
    /// As [`MlDsaVerifyJob::verify`].
    pub fn verify<'a>(
        key: &'a MlDsaPublicKey,
        message: MlDsaMessage<'a>,
        signature: &'a [u8],
        outcome: &'a mut MlDsaOutcome,
    ) -> Result<Loan<'a, Self>, MlDsaError> {
        let set = key.set();
        check_signature(set, signature.len())?;
        *outcome = MlDsaOutcome::default();
        let (order, span) = (MlDsaOrder::Verify(key, outcome), read_only(signature));
        let task = MlDsaTask { set, order, span, message: message.raw() };
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(task, set.cost()) })
    }

    /// Makes a loan for a key to be generated.
    ///
    /// # Errors
    /// As [`MlDsaKeyJob::generate`].
    pub fn generate<'a>(
        set: MlDsaSet,
        buffers: impl Into<Buffers<'a>>,
    ) -> Result<Loan<'a, Self>, MlDsaError> {
        let buffers = buffers.into();
        check_keys(set, buffers.input().len())?;
        let (order, span) = (MlDsaOrder::Generate, buffers.span());
        let task = MlDsaTask { set, order, span, message: RawMessage::NONE };
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(task, set.cost()) })
    }
}
