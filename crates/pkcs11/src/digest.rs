//! Digests.

use broadloom::{HashAlgorithm, Stream, Transform};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::mechanism::{What, find};
use crate::memory::{Outcome, Output};
use crate::module::Module;
use crate::object;
use crate::parameter::Given;
use crate::session::{After, unless_asked};

/// A digest of a session.
pub struct Digesting {
    hash: HashAlgorithm,
    /// Once the first piece has come.
    stream: Option<Stream>,
}

impl Digesting {
    /// # Errors
    /// `CKR_MECHANISM_INVALID`, `CKR_MECHANISM_PARAM_INVALID`.
    pub fn new(given: &Given<'_>) -> Outcome<Digesting> {
        let What::Digest(hash) = find(given.id)? else { return Err(CKR_MECHANISM_INVALID) };
        given.none()?;
        Ok(Digesting { hash, stream: None })
    }

    /// The digest of a whole message.
    pub fn whole(&mut self, module: &Module, data: &[u8], mut output: Output) -> (After, Outcome) {
        if self.stream.is_some() {
            // An update has begun a message in pieces.
            return (After::Ends, Err(CKR_OPERATION_ACTIVE));
        }
        let given = output.ask(self.hash.digest_len()).and_then(|goes_on| {
            if !goes_on {
                return Ok(false);
            }
            output.give(&digest(module, self.hash, data)?)
        });
        unless_asked(given)
    }

    /// Takes a piece of the message.
    pub fn update(&mut self, module: &Module, data: &[u8]) -> (After, Outcome) {
        let stream = self.stream.take().map_or_else(|| module.begin(self.hash), Ok);
        let result = stream.and_then(|stream| module.update(self.stream.insert(stream), data));
        (if result.is_ok() { After::GoesOn } else { After::Ends }, result)
    }

    /// The digest of what has come.
    pub fn finish(&mut self, module: &Module, mut output: Output) -> (After, Outcome) {
        let given = output.ask(self.hash.digest_len()).and_then(|goes_on| {
            if !goes_on {
                return Ok(false);
            }
            let stream = self.stream.take().map_or_else(|| module.begin(self.hash), Ok);
            output.give(&module.finish(stream?)?)
        });
        unless_asked(given)
    }
}

/// A digest by the engine.
///
/// # Errors
/// `CKR_MECHANISM_INVALID` where no provider has the hash.
pub fn digest(module: &Module, hash: HashAlgorithm, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
    let session = object::open(&module.registry, &Transform::hash(hash))?;
    module.compute(&session, data.to_vec())
}
