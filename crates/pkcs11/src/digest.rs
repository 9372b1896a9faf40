//! Digests.

use broadloom::{HashAlgorithm, Transform};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::mechanism::{What, find};
use crate::memory::{Outcome, Output};
use crate::module::Module;
use crate::object;
use crate::parameter::Given;
use crate::pieces::Pieces;
use crate::session::{After, unless_asked};

/// A digest of a session.
pub struct Digesting {
    hash: HashAlgorithm,
    /// Once the first piece has come.
    pieces: Option<Pieces>,
}

impl Digesting {
    /// # Errors
    /// `CKR_MECHANISM_INVALID`, `CKR_MECHANISM_PARAM_INVALID`.
    pub fn new(given: &Given<'_>) -> Outcome<Digesting> {
        let What::Digest(hash) = find(given.id)? else { return Err(CKR_MECHANISM_INVALID) };
        given.none()?;
        Ok(Digesting { hash, pieces: None })
    }

    /// The digest of a whole message.
    pub fn whole(&mut self, module: &Module, data: &[u8], mut output: Output) -> (After, Outcome) {
        if self.pieces.is_some() {
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

    pub fn update(&mut self, data: &[u8]) -> (After, Outcome) {
        let hash = self.hash;
        if self.pieces.is_none() {
            self.pieces = Pieces::new(hash, None);
        }
        match &mut self.pieces {
            Some(pieces) => {
                pieces.update(data);
                (After::GoesOn, Ok(()))
            }
            None => (After::Ends, Err(CKR_FUNCTION_NOT_SUPPORTED)),
        }
    }

    pub fn finish(&mut self, mut output: Output) -> (After, Outcome) {
        let given = output.ask(self.hash.digest_len()).and_then(|goes_on| {
            if !goes_on {
                return Ok(false);
            }
            let pieces = self.pieces.take().or_else(|| Pieces::new(self.hash, None));
            output.give(&pieces.ok_or(CKR_FUNCTION_NOT_SUPPORTED)?.finish())
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
