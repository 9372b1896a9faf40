//! Secret keys that are encapsulated for the owner of a key of ML-KEM, and that the owner gets
//! back.

use broadloom::public_key::{MlKemPublicKey, MlKemSet, PrivateKey, PublicKey};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::attribute::{Attributes, boolean, ulong};
use crate::generate::{checked, forbid, require};
use crate::key::{self, Key};
use crate::mechanism::{What, find};
use crate::memory::Outcome;
use crate::module::Module;
use crate::object::{Object, Purpose};
use crate::parameter::Given;

/// An encapsulation that can begin: all but the engine's work is checked.
pub struct Encapsulation<'k> {
    object: &'k Object,
    key: &'k MlKemPublicKey,
    /// The new secret key, without its value.
    attributes: Attributes,
}

impl<'k> Encapsulation<'k> {
    /// Checks a mechanism, a key and the template of the new secret key.
    ///
    /// # Errors
    /// `CKR_MECHANISM_INVALID`, `CKR_MECHANISM_PARAM_INVALID`, `CKR_KEY_TYPE_INCONSISTENT`; what
    /// PKCS #11 has for a template that does not fit.
    pub fn new(
        given: &Given<'_>,
        object: &'k Object,
        attributes: Attributes,
        officer: bool,
    ) -> Outcome<Encapsulation<'k>> {
        check_mechanism(given)?;
        let Key::Public(PublicKey::MlKem(key)) = object.key()? else {
            return Err(CKR_KEY_TYPE_INCONSISTENT);
        };
        Ok(Encapsulation { object, key, attributes: shared(attributes, officer)? })
    }

    /// Returns the bytes of a ciphertext.
    pub fn ciphertext_len(&self) -> usize {
        self.key.set().ciphertext_len()
    }

    /// Makes a secret. Returns the ciphertext, and the attributes of the secret key.
    ///
    /// # Errors
    /// `CKR_MECHANISM_INVALID` where no provider has ML-KEM.
    pub fn run(self, module: &Module) -> Outcome<(Vec<u8>, Attributes)> {
        let opened = self.object.open(&module.registry, Purpose::Encapsulate)?;
        let output = module.compute(&opened, self.key.as_bytes().to_vec())?;
        let (ciphertext, secret) = output.split_at(self.ciphertext_len());
        let (ciphertext, mut attributes) = (ciphertext.to_vec(), self.attributes);
        attributes.set(CKA_VALUE, Zeroizing::new(secret.to_vec()));
        Ok((ciphertext, attributes))
    }
}

/// Returns the attributes of the secret key that a ciphertext holds. Of a wrong ciphertext comes a
/// key that nobody else has (implicit rejection).
///
/// # Errors
/// `CKR_WRAPPED_KEY_LEN_RANGE` for a ciphertext of another length than the set has;
/// `CKR_MECHANISM_INVALID`, `CKR_MECHANISM_PARAM_INVALID`, `CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT`;
/// what PKCS #11 has for a template that does not fit.
pub fn decapsulated(
    module: &Module,
    given: &Given<'_>,
    object: &Object,
    ciphertext: &[u8],
    attributes: Attributes,
    officer: bool,
) -> Outcome<Attributes> {
    check_mechanism(given)?;
    let Key::Private(PrivateKey::MlKem(key)) = object.key()? else {
        return Err(CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT);
    };
    let mut attributes = shared(attributes, officer)?;
    if ciphertext.len() != key.set().ciphertext_len() {
        return Err(CKR_WRAPPED_KEY_LEN_RANGE);
    }
    let opened = object.open(&module.registry, Purpose::Decapsulate)?;
    attributes.set(CKA_VALUE, module.compute(&opened, ciphertext.to_vec())?);
    Ok(attributes)
}

/// # Errors
/// `CKR_MECHANISM_INVALID`: the mechanism does not encapsulate. `CKR_MECHANISM_PARAM_INVALID`: it
/// has a parameter.
fn check_mechanism(given: &Given<'_>) -> Outcome {
    match find(given.id)? {
        What::MlKem => given.none(),
        _ => Err(CKR_MECHANISM_INVALID),
    }
}

/// Checks the template of a secret key whose value two sides share, and sets what it leaves open.
/// The value has the length of the secret: another one is no key that ML-KEM makes.
fn shared(mut attributes: Attributes, officer: bool) -> Outcome<Attributes> {
    forbid(&attributes, &[CKA_VALUE])?;
    require(&mut attributes, CKA_CLASS, CKO_SECRET_KEY)?;
    require(&mut attributes, CKA_VALUE_LEN, MlKemSet::SECRET_LEN as CK_ULONG)?;
    attributes.set_default(CKA_KEY_TYPE, ulong(CKK_GENERIC_SECRET));
    // PKCS #11 3.2, 5.18.8 and 5.18.9.
    attributes.set_default(CKA_EXTRACTABLE, boolean(true));
    let key_type = attributes.ulong(CKA_KEY_TYPE).ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    let lens = key::secret_lens(key_type).ok_or(CKR_TEMPLATE_INCONSISTENT)?;
    if !lens.is_empty() && !lens.contains(&MlKemSet::SECRET_LEN) {
        return Err(CKR_TEMPLATE_INCONSISTENT);
    }
    checked(attributes, officer)
}
