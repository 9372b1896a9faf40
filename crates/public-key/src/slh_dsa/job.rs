//! What a user hands in: messages to sign, signatures to verify, and keys to complete.

use broadloom_lanes::inside::{Span, Work};
use broadloom_lanes::{CipherBuffer, Input, Loan};

use super::error::SlhDsaError;
use super::key::{SlhDsaPrivateKey, SlhDsaPublicKey};
use super::lanes::{SlhDsaLanes, SlhDsaOrder, SlhDsaTask};
use super::message::{RawMessage, SlhDsaMessage};
use super::outcome::SlhDsaOutcome;
use super::params::SlhDsaSet;
use crate::job::PublicKeyJob;

/// A message to be signed (FIPS 205, algorithm 22).
///
/// `B` is the room for the signature ([`CipherBuffer`]), whose bytes at first do not matter; `T` is
/// whatever the caller wants to come back with it. Jobs of all sets and keys, also those of
/// [`SlhDsaVerifyJob`] and [`SlhDsaKeyJob`] as [`Loan`]s, may share lanes.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner};
/// use broadloom_public_key::{
///     SlhDsaKeyJob, SlhDsaMessage, SlhDsaPrivateKey, SlhDsaSet, SlhDsaSignJob, SlhDsaVerifyJob,
/// };
///
/// let set = SlhDsaSet::Sha2_128f;
/// // The seeds must be random and secret; a planner adds the rest.
/// let mut keys = [SlhDsaKeyJob::from_seeds(set, vec![7; 64], ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut keys);
/// let key = SlhDsaPrivateKey::new(set, keys[0].output().expect("complete"))?;
///
/// let message = SlhDsaMessage::new(b"a message");
/// let room = vec![0; set.signature_len()];
/// let mut jobs = [SlhDsaSignJob::sign(&key, message, None, room, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// let signature = jobs[0].output().expect("complete");
///
/// let mut checks = [SlhDsaVerifyJob::verify(key.public(), message, signature, ())?];
/// Planner::new(&Cpu::detect()).process_many(&mut checks);
/// assert_eq!(checks[0].is_right(), Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SlhDsaSignJob<'a, B, T = ()> = PublicKeyJob<SignWork<'a, B>, T>;

/// A signature to be verified (FIPS 205, algorithm 24): [`SlhDsaSignJob`] has an example.
pub type SlhDsaVerifyJob<'a, S, T = ()> = PublicKeyJob<VerifyWork<'a, S>, T>;

/// A private key to be completed (FIPS 205, algorithm 21): [`SlhDsaSignJob`] has an example.
pub type SlhDsaKeyJob<B, T = ()> = PublicKeyJob<KeyWork<B>, T>;

/// A message, the key to sign it with, and room for the signature.
pub struct SignWork<'a, B> {
    key: &'a SlhDsaPrivateKey,
    message: SlhDsaMessage<'a>,
    random: &'a [u8],
    room: B,
}

/// A message, the key to verify it with, and the signature.
pub struct VerifyWork<'a, S> {
    key: &'a SlhDsaPublicKey,
    message: SlhDsaMessage<'a>,
    signature: S,
    outcome: SlhDsaOutcome,
}

/// Seeds, and room for a key.
pub struct KeyWork<B> {
    set: SlhDsaSet,
    room: B,
}

/// Returns the randomness to sign with: that of the caller, or PK.seed.
fn randomness<'a>(
    key: &'a SlhDsaPrivateKey,
    random: Option<&'a [u8]>,
) -> Result<&'a [u8], SlhDsaError> {
    let random = random.unwrap_or(key.public().seed());
    SlhDsaError::check("randomness", random.len(), key.set().node_len())?;
    Ok(random)
}

impl<'a, B: CipherBuffer, T> SlhDsaSignJob<'a, B, T> {
    /// Signs a message: with random bytes, as many as a [node](SlhDsaSet::node_len) has, which
    /// protect against faults and against who watches the machine; or without, so that the same
    /// message has the same signature again.
    ///
    /// # Errors
    /// [`SlhDsaError::Length`] if the randomness or the room has another length than the set's.
    pub fn sign(
        key: &'a SlhDsaPrivateKey,
        message: SlhDsaMessage<'a>,
        random: Option<&'a [u8]>,
        room: B,
        user: T,
    ) -> Result<Self, SlhDsaError> {
        let random = randomness(key, random)?;
        SlhDsaError::check("a signature", room.length(), key.set().signature_len())?;
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

impl<'a, S: Input, T> SlhDsaVerifyJob<'a, S, T> {
    /// Verifies a signature of a message.
    ///
    /// # Errors
    /// [`SlhDsaError::Length`] if the signature has another length than the set's.
    pub fn verify(
        key: &'a SlhDsaPublicKey,
        message: SlhDsaMessage<'a>,
        signature: S,
        user: T,
    ) -> Result<Self, SlhDsaError> {
        let len = signature.bytes().len();
        SlhDsaError::check("a signature", len, key.set().signature_len())?;
        let outcome = SlhDsaOutcome::default();
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

impl<B: CipherBuffer, T> SlhDsaKeyJob<B, T> {
    /// Completes a private key: the buffer has SK.seed, SK.prf and PK.seed, all of them random and
    /// the first two secret, and room for PK.root.
    ///
    /// # Errors
    /// [`SlhDsaError::Length`] if the buffer has another length than a private key of the set.
    pub fn from_seeds(set: SlhDsaSet, buffer: B, user: T) -> Result<Self, SlhDsaError> {
        SlhDsaError::check("a private key", buffer.length(), set.private_key_len())?;
        Ok(PublicKeyJob::new(KeyWork { set, room: buffer }, user))
    }

    /// Returns the private key; `None` until the job is complete.
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
    type Lanes = SlhDsaLanes;

    fn task(&mut self) -> SlhDsaTask {
        let SignWork { key, message, random, room } = self;
        let order = SlhDsaOrder::Sign(*key, *random);
        SlhDsaTask { set: key.set(), order, span: Span::of(room), message: message.raw() }
    }

    fn cost(&self) -> usize {
        self.key.set().params().sign_cost()
    }
}

// SAFETY: the signature's bytes stay as they are (the contract of `Input`), key and message are
// borrowed for the job's life, and the outcome is in the job itself; so the task is good.
unsafe impl<S: Input> Work for VerifyWork<'_, S> {
    type Lanes = SlhDsaLanes;

    fn task(&mut self) -> SlhDsaTask {
        let VerifyWork { key, message, signature, outcome } = self;
        let span = read_only(signature.bytes());
        let order = SlhDsaOrder::Verify(*key, outcome);
        SlhDsaTask { set: key.set(), order, span, message: message.raw() }
    }

    fn cost(&self) -> usize {
        self.key.set().params().verify_cost()
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`); so the task is good.
unsafe impl<B: CipherBuffer> Work for KeyWork<B> {
    type Lanes = SlhDsaLanes;

    fn task(&mut self) -> SlhDsaTask {
        let span = Span::of(&mut self.room);
        SlhDsaTask { set: self.set, order: SlhDsaOrder::Key, span, message: RawMessage::NONE }
    }

    fn cost(&self) -> usize {
        self.set.params().tree_cost()
    }
}

impl SlhDsaLanes {
    /// Makes a loan for a message to be signed.
    ///
    /// # Errors
    /// As [`SlhDsaSignJob::sign`].
    pub fn sign<'a>(
        key: &'a SlhDsaPrivateKey,
        message: SlhDsaMessage<'a>,
        random: Option<&'a [u8]>,
        signature: &'a mut [u8],
    ) -> Result<Loan<'a, Self>, SlhDsaError> {
        let (random, set) = (randomness(key, random)?, key.set());
        SlhDsaError::check("a signature", signature.len(), set.signature_len())?;
        let (order, span) = (SlhDsaOrder::Sign(key, random), Span::in_place(signature));
        let task = SlhDsaTask { set, order, span, message: message.raw() };
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(task, set.params().sign_cost()) })
    }

    /// Makes a loan for a signature to be verified.
    ///
    /// # Errors
    /// As [`SlhDsaVerifyJob::verify`].
    pub fn verify<'a>(
        key: &'a SlhDsaPublicKey,
        message: SlhDsaMessage<'a>,
        signature: &'a [u8],
        outcome: &'a mut SlhDsaOutcome,
    ) -> Result<Loan<'a, Self>, SlhDsaError> {
        let set = key.set();
        SlhDsaError::check("a signature", signature.len(), set.signature_len())?;
        *outcome = SlhDsaOutcome::default();
        let (order, span) = (SlhDsaOrder::Verify(key, outcome), read_only(signature));
        let task = SlhDsaTask { set, order, span, message: message.raw() };
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(task, set.params().verify_cost()) })
    }

    /// Makes a loan for a private key to be completed.
    ///
    /// # Errors
    /// As [`SlhDsaKeyJob::from_seeds`].
    pub fn from_seeds<'a>(
        set: SlhDsaSet,
        key: &'a mut [u8],
    ) -> Result<Loan<'a, Self>, SlhDsaError> {
        SlhDsaError::check("a private key", key.len(), set.private_key_len())?;
        let (order, span) = (SlhDsaOrder::Key, Span::in_place(key));
        let task = SlhDsaTask { set, order, span, message: RawMessage::NONE };
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(task, set.params().tree_cost()) })
    }
}
