//! Messages, as they are signed (FIPS 204, sections 5.2 to 5.4).

use super::error::MlDsaError;
use super::params::DIGEST;
use crate::prehash::{PREFIXES, PreHash};

/// A message, and the context string that it is signed under (FIPS 204, algorithms 2 and 4).
///
/// ```
/// use broadloom_public_key::{MlDsaError, MlDsaMessage, PreHash};
///
/// let message = MlDsaMessage::new(b"a message").context(b"an application")?;
/// let hashed = MlDsaMessage::hashed(PreHash::Sha256, &[7; 32])?;
/// let error = message.context(&[0; 256]).unwrap_err();
/// assert_eq!(error, MlDsaError::Context { len: 256 });
/// # Ok::<(), MlDsaError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MlDsaMessage<'a> {
    prefix: &'a [u8],
    context: &'a [u8],
    identifier: &'a [u8],
    message: &'a [u8],
    /// The digest of all of it and of the key, in place of it.
    mu: Option<&'a [u8; DIGEST]>,
}

impl<'a> MlDsaMessage<'a> {
    /// Makes a message without a context.
    pub fn new(message: &'a [u8]) -> Self {
        MlDsaMessage { prefix: &PREFIXES[0][0], context: &[], identifier: &[], message, mu: None }
    }

    /// Makes a message of which a digest is signed, without a context (HashML-DSA).
    ///
    /// # Errors
    /// [`MlDsaError::Digest`] if the digest has another length than the hash's.
    pub fn hashed(hash: PreHash, digest: &'a [u8]) -> Result<Self, MlDsaError> {
        let (len, valid) = (digest.len(), hash.digest_len());
        if len != valid {
            return Err(MlDsaError::Digest { hash: hash.name(), len, valid });
        }
        let identifier = hash.identifier();
        let prefix = &PREFIXES[1][0];
        Ok(MlDsaMessage { prefix, context: &[], identifier, message: digest, mu: None })
    }

    /// Makes a message of which only the digest `mu` is known (FIPS 204, algorithm 7, line 6). A
    /// context is in it already.
    pub fn external(mu: &'a [u8; DIGEST]) -> Self {
        MlDsaMessage { prefix: &[], context: &[], identifier: &[], message: &[], mu: Some(mu) }
    }

    /// Returns the message under a context string, which tells the uses of a key apart. It changes
    /// no message that was given as `mu`.
    ///
    /// # Errors
    /// [`MlDsaError::Context`] if it has more than 255 bytes.
    pub fn context(self, context: &'a [u8]) -> Result<Self, MlDsaError> {
        let hashed = usize::from(!self.identifier.is_empty());
        match PREFIXES[hashed].get(context.len()) {
            Some(_) if self.mu.is_some() => Ok(self),
            Some(prefix) => Ok(MlDsaMessage { prefix, context, ..self }),
            None => Err(MlDsaError::Context { len: context.len() }),
        }
    }

    /// Makes a message that is signed as it is, as the standard's internal functions do (FIPS 204,
    /// algorithms 7 and 8), of which there are test vectors.
    #[cfg(test)]
    pub(super) fn internal(message: &'a [u8]) -> Self {
        MlDsaMessage { prefix: &[], context: &[], identifier: &[], message, mu: None }
    }

    /// Returns its pieces.
    pub(super) fn pieces(&self) -> [&'a [u8]; 4] {
        [self.prefix, self.context, self.identifier, self.message]
    }

    /// Returns `mu`, if that was given.
    pub(super) fn mu(&self) -> Option<&'a [u8; DIGEST]> {
        self.mu
    }

    /// Returns the message as a scheduler sees it.
    pub(super) fn raw(&self) -> RawMessage {
        let pieces = self.pieces().map(|piece| &raw const *piece);
        RawMessage { pieces, mu: self.mu.map(|mu| &raw const *mu) }
    }
}

/// A message whose borrower is not known here.
#[derive(Clone, Copy)]
pub(super) struct RawMessage {
    pieces: [*const [u8]; 4],
    mu: Option<*const [u8; DIGEST]>,
}

impl RawMessage {
    /// No message.
    pub const NONE: RawMessage = RawMessage { pieces: [&[]; 4], mu: None };

    /// Returns the message.
    ///
    /// # Safety
    /// The message is borrowed for `'a`.
    pub unsafe fn get<'a>(&self) -> MlDsaMessage<'a> {
        // SAFETY: the pieces are borrowed for `'a`, by this function's contract.
        unsafe {
            let [prefix, context, identifier, message] = self.pieces.map(|piece| &*piece);
            MlDsaMessage { prefix, context, identifier, message, mu: self.mu.map(|mu| &*mu) }
        }
    }
}
