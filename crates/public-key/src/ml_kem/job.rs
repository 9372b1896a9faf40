//! What a user hands in: an operation, its key, and a buffer.

use broadloom_lanes::inside::{Span, Work};
use broadloom_lanes::{Buffers, CipherBuffer, Loan};

use super::error::MlKemError;
use super::key::{MlKemPrivateKey, MlKemPublicKey, check};
use super::lanes::{MlKemLanes, MlKemOrder, MlKemTask};
use super::params::{LEN, MlKemSet};
use crate::job::PublicKeyJob;

/// An operation of ML-KEM (FIPS 203, section 7).
///
/// `B` is the buffer, in place or apart ([`CipherBuffer`]), of the length that the operation says;
/// `T` is whatever the caller wants to come back with it. Jobs of all operations, sets and keys may
/// share a manager, and those of one operation and one set share lanes.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner};
/// use broadloom_public_key::{MlKemJob, MlKemPrivateKey, MlKemPublicKey, MlKemSet};
///
/// let set = MlKemSet::MlKem768;
/// let mut planner = Planner::new(&Cpu::detect());
/// // The first 64 bytes, d and z, must be random and secret.
/// let mut keys = [MlKemJob::generate(set, vec![7; set.private_key_len()], ())?];
/// planner.process_many(&mut keys);
/// let key = MlKemPrivateKey::generated(set, keys[0].output().expect("complete"))?;
///
/// // The other side: the first 32 bytes must be random and secret.
/// let public = MlKemPublicKey::new(set, key.public())?;
/// let mut sent = [MlKemJob::encapsulate(&public, vec![9; set.ciphertext_len() + 32], ())?];
/// planner.process_many(&mut sent);
/// let (ciphertext, secret) = sent[0].output().expect("complete").split_at(set.ciphertext_len());
///
/// let mut received = [MlKemJob::decapsulate(&key, ciphertext.to_vec(), ())?];
/// planner.process_many(&mut received);
/// assert_eq!(&received[0].output().expect("complete")[..32], secret);
/// # Ok::<(), broadloom_public_key::MlKemError>(())
/// ```
pub type MlKemJob<'a, B, T = ()> = PublicKeyJob<MlKemWork<'a, B>, T>;

/// What is to be done with a buffer.
#[derive(Clone, Copy)]
pub(super) enum MlKemOperation<'a> {
    Generate(MlKemSet),
    Encapsulate(&'a MlKemPublicKey),
    Decapsulate(&'a MlKemPrivateKey),
}

/// An operation, and its buffer.
pub struct MlKemWork<'a, B> {
    operation: MlKemOperation<'a>,
    buffer: B,
}

impl MlKemOperation<'_> {
    fn set(&self) -> MlKemSet {
        match self {
            MlKemOperation::Generate(set) => *set,
            MlKemOperation::Encapsulate(key) => key.set(),
            MlKemOperation::Decapsulate(key) => key.set(),
        }
    }

    /// Checks the length of the buffer.
    fn check(&self, len: usize) -> Result<(), MlKemError> {
        let set = self.set();
        let (what, valid) = match self {
            MlKemOperation::Generate(_) => ("a decapsulation key", set.private_key_len()),
            MlKemOperation::Encapsulate(_) => {
                ("a ciphertext with its secret", set.ciphertext_len() + LEN)
            }
            MlKemOperation::Decapsulate(_) => ("a ciphertext", set.ciphertext_len()),
        };
        check(what, set, len, valid)
    }

    fn task(&self, span: Span) -> MlKemTask {
        let order = match self {
            MlKemOperation::Generate(_) => MlKemOrder::Generate,
            MlKemOperation::Encapsulate(key) => MlKemOrder::Encapsulate(*key),
            MlKemOperation::Decapsulate(key) => MlKemOrder::Decapsulate(*key),
        };
        MlKemTask { set: self.set(), order, span }
    }

    fn cost(&self) -> usize {
        self.set().cost()
    }
}

impl<'a, B: CipherBuffer, T> MlKemJob<'a, B, T> {
    /// Generates a key (FIPS 203, algorithm 16): of the 64 bytes `d` and `z` and bytes that do not
    /// count makes a decapsulation key, in which the encapsulation key is.
    ///
    /// # Errors
    /// [`MlKemError::Length`] if the buffer has another length than a
    /// [decapsulation key](MlKemSet::private_key_len).
    pub fn generate(set: MlKemSet, buffer: B, user: T) -> Result<Self, MlKemError> {
        Self::of(MlKemOperation::Generate(set), buffer, user)
    }

    /// Encapsulates (FIPS 203, algorithm 17): of 32 random bytes and bytes that do not count makes
    /// a ciphertext and, behind it, the 32 bytes of the shared secret.
    ///
    /// # Errors
    /// [`MlKemError::Length`] if the buffer has another length than a
    /// [ciphertext](MlKemSet::ciphertext_len) and 32 bytes.
    pub fn encapsulate(key: &'a MlKemPublicKey, buffer: B, user: T) -> Result<Self, MlKemError> {
        Self::of(MlKemOperation::Encapsulate(key), buffer, user)
    }

    /// Decapsulates (FIPS 203, algorithm 18): of a ciphertext makes the 32 bytes of the shared
    /// secret, and zeros. A ciphertext that is wrong has a secret, too, which nobody can know
    /// without the key (implicit rejection).
    ///
    /// # Errors
    /// [`MlKemError::Length`] if the buffer has another length than a
    /// [ciphertext](MlKemSet::ciphertext_len).
    pub fn decapsulate(key: &'a MlKemPrivateKey, buffer: B, user: T) -> Result<Self, MlKemError> {
        Self::of(MlKemOperation::Decapsulate(key), buffer, user)
    }

    fn of(operation: MlKemOperation<'a>, buffer: B, user: T) -> Result<Self, MlKemError> {
        operation.check(buffer.length())?;
        Ok(PublicKeyJob::new(MlKemWork { operation, buffer }, user))
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

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`), the key is borrowed for the job's life, and the length was checked; so the task
// is good.
unsafe impl<B: CipherBuffer> Work for MlKemWork<'_, B> {
    type Lanes = MlKemLanes;

    fn task(&mut self) -> MlKemTask {
        self.operation.task(Span::of(&mut self.buffer))
    }

    fn cost(&self) -> usize {
        self.operation.cost()
    }
}

impl MlKemLanes {
    /// Makes a loan for a key to be generated.
    ///
    /// # Errors
    /// As [`MlKemJob::generate`].
    pub fn generate<'a>(
        set: MlKemSet,
        buffers: impl Into<Buffers<'a>>,
    ) -> Result<Loan<'a, Self>, MlKemError> {
        Self::lend(MlKemOperation::Generate(set), buffers.into())
    }

    /// Makes a loan for a secret to be encapsulated.
    ///
    /// # Errors
    /// As [`MlKemJob::encapsulate`].
    pub fn encapsulate<'a>(
        key: &'a MlKemPublicKey,
        buffers: impl Into<Buffers<'a>>,
    ) -> Result<Loan<'a, Self>, MlKemError> {
        Self::lend(MlKemOperation::Encapsulate(key), buffers.into())
    }

    /// Makes a loan for a ciphertext to be decapsulated.
    ///
    /// # Errors
    /// As [`MlKemJob::decapsulate`].
    pub fn decapsulate<'a>(
        key: &'a MlKemPrivateKey,
        buffers: impl Into<Buffers<'a>>,
    ) -> Result<Loan<'a, Self>, MlKemError> {
        Self::lend(MlKemOperation::Decapsulate(key), buffers.into())
    }

    fn lend<'a>(
        operation: MlKemOperation<'a>,
        buffers: Buffers<'a>,
    ) -> Result<Loan<'a, Self>, MlKemError> {
        operation.check(buffers.input().len())?;
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(operation.task(buffers.span()), operation.cost()) })
    }
}
