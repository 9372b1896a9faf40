//! Keys under other keys: wrapped, so that they may leave, and unwrapped.
//!
//! Secret keys are wrapped as their bytes, private keys as PKCS #8 in DER (PKCS #11, 6.7).

use aes_kw::{Error, KeyInit, KwAes128, KwAes192, KwAes256, KwpAes128, KwpAes192, KwpAes256};
use broadloom::public_key::{Padding, PrivateKey, PublicKey, Scheme};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::attribute::{Attributes, boolean};
use crate::generate::{checked, forbid, require, rsa_numbers};
use crate::key::{self, Domain, Key};
use crate::mechanism::{What, find};
use crate::memory::Outcome;
use crate::module::Module;
use crate::object::{Object, Purpose};
use crate::parameter::Given;
use crate::parameter_set;

/// Bytes that wrapping by AES works on at a time (RFC 3394, 2).
const HALF: usize = 8;

/// How a mechanism wraps.
enum How<'k> {
    /// By AES, without a padding (RFC 3394) or with one (RFC 5649).
    Aes { key: &'k [u8], pads: bool },
    /// By RSA, with a modulus of so many bytes.
    Rsa { scheme: Scheme, len: usize },
}

impl How<'_> {
    fn new<'k>(given: &Given<'_>, object: &'k Object) -> Outcome<How<'k>> {
        let scheme = match (find(given.id)?, object.key()?) {
            (What::KeyWrap { pads }, Key::Secret(key)) => {
                given.default_wrap_value(pads)?;
                return Ok(How::Aes { key, pads });
            }
            (What::RsaPkcs, _) => {
                given.none()?;
                Scheme::default()
            }
            (What::RsaOaep, _) => Scheme::new(given.oaep()?).padding(Padding::Oaep),
            _ => return Err(CKR_MECHANISM_INVALID),
        };
        let len = match object.key()? {
            Key::Private(PrivateKey::Rsa(key)) => key.public().size().modulus_len(),
            Key::Public(PublicKey::Rsa(key)) => key.size().modulus_len(),
            _ => return Err(CKR_KEY_TYPE_INCONSISTENT),
        };
        Ok(How::Rsa { scheme, len })
    }
}

/// Calls a function of the wrapping by AES with a key of this length.
macro_rules! with_aes {
    ($key:expr, $pads:expr, $function:ident($($argument:expr),*)) => {{
        let wrong = |_| CKR_KEY_SIZE_RANGE;
        match ($key.len(), $pads) {
            (16, false) => KwAes128::new_from_slice($key).map_err(wrong)?.$function($($argument),*),
            (24, false) => KwAes192::new_from_slice($key).map_err(wrong)?.$function($($argument),*),
            (32, false) => KwAes256::new_from_slice($key).map_err(wrong)?.$function($($argument),*),
            (16, true) => KwpAes128::new_from_slice($key).map_err(wrong)?.$function($($argument),*),
            (24, true) => KwpAes192::new_from_slice($key).map_err(wrong)?.$function($($argument),*),
            (32, true) => KwpAes256::new_from_slice($key).map_err(wrong)?.$function($($argument),*),
            _ => return Err(CKR_KEY_SIZE_RANGE),
        }
    }};
}

/// A key under another.
///
/// # Errors
/// `CKR_KEY_UNEXTRACTABLE`, `CKR_KEY_NOT_WRAPPABLE`, `CKR_KEY_SIZE_RANGE`; what PKCS #11 has for a
/// mechanism or a wrapping key that does not fit.
pub fn wrapped(
    module: &Module,
    given: &Given<'_>,
    wrapping: &Object,
    object: &Object,
) -> Outcome<Zeroizing<Vec<u8>>> {
    let how = How::new(given, wrapping)?;
    let is_trusted = wrapping.attributes.is(CKA_TRUSTED);
    if object.attributes.is(CKA_WRAP_WITH_TRUSTED) && !is_trusted {
        return Err(CKR_KEY_NOT_WRAPPABLE);
    }
    let bytes = match object.key()? {
        Key::Secret(bytes) => bytes.clone(),
        Key::Private(key) if matches!(how, How::Aes { pads: true, .. }) => key.to_der(),
        _ => return Err(CKR_KEY_NOT_WRAPPABLE),
    };
    if !object.attributes.is(CKA_EXTRACTABLE) {
        return Err(CKR_KEY_UNEXTRACTABLE);
    }
    match how {
        How::Aes { key, pads } => {
            if !pads && (bytes.len() < 2 * HALF || !bytes.len().is_multiple_of(HALF)) {
                return Err(CKR_KEY_SIZE_RANGE);
            }
            let mut wrapped = Zeroizing::new(vec![0; bytes.len().next_multiple_of(HALF) + HALF]);
            let done = with_aes!(key, pads, wrap_key(&bytes, &mut wrapped));
            done.map(drop).map_err(|_| CKR_KEY_SIZE_RANGE)?;
            Ok(wrapped)
        }
        How::Rsa { scheme, .. } => {
            let opened = wrapping.open(&module.registry, Purpose::Encrypt(scheme))?;
            module.compute(&opened, bytes.to_vec()).map_err(|error| match error {
                CKR_DATA_LEN_RANGE => CKR_KEY_SIZE_RANGE,
                other => other,
            })
        }
    }
}

/// The attributes of a key that comes out of another.
///
/// # Errors
/// `CKR_WRAPPED_KEY_INVALID`, `CKR_WRAPPED_KEY_LEN_RANGE`; what PKCS #11 has for a mechanism, an
/// unwrapping key or a template that does not fit.
pub fn unwrapped(
    module: &Module,
    given: &Given<'_>,
    unwrapping: &Object,
    wrapped: &[u8],
    mut attributes: Attributes,
    officer: bool,
) -> Outcome<Attributes> {
    let how = How::new(given, unwrapping)?;
    forbid(
        &attributes,
        &[CKA_VALUE, CKA_SEED, CKA_MODULUS, CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2],
    )?;
    let class = attributes.class().ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    // PKCS #11, 5.18.4.
    attributes.set_default(CKA_EXTRACTABLE, boolean(true));
    let bytes = opened(module, &how, unwrapping, wrapped)?;
    match class {
        CKO_SECRET_KEY => {
            let key_type = attributes.ulong(CKA_KEY_TYPE).ok_or(CKR_TEMPLATE_INCOMPLETE)?;
            let lens = key::secret_lens(key_type).ok_or(CKR_TEMPLATE_INCONSISTENT)?;
            if bytes.is_empty() || !lens.is_empty() && !lens.contains(&bytes.len()) {
                return Err(CKR_WRAPPED_KEY_INVALID);
            }
            let mut attributes = checked(attributes, officer)?;
            attributes.set(CKA_VALUE, bytes);
            Ok(attributes)
        }
        CKO_PRIVATE_KEY => {
            let key = PrivateKey::from_der(&bytes).map_err(|_| CKR_WRAPPED_KEY_INVALID)?;
            private(&key, attributes, officer)
        }
        _ => Err(CKR_TEMPLATE_INCONSISTENT),
    }
}

/// The bytes that were wrapped.
fn opened(
    module: &Module,
    how: &How<'_>,
    unwrapping: &Object,
    wrapped: &[u8],
) -> Outcome<Zeroizing<Vec<u8>>> {
    match how {
        How::Aes { key, pads } => {
            let least = if *pads { 2 * HALF } else { 3 * HALF };
            if wrapped.len() < least || !wrapped.len().is_multiple_of(HALF) {
                return Err(CKR_WRAPPED_KEY_LEN_RANGE);
            }
            let mut bytes = Zeroizing::new(vec![0; wrapped.len() - HALF]);
            let done = with_aes!(key, *pads, unwrap_key(wrapped, &mut bytes));
            let len = done.map(<[u8]>::len).map_err(|error| match error {
                Error::IntegrityCheckFailed => CKR_WRAPPED_KEY_INVALID,
                _ => CKR_WRAPPED_KEY_LEN_RANGE,
            })?;
            bytes.truncate(len);
            Ok(bytes)
        }
        How::Rsa { len, .. } if wrapped.len() != *len => Err(CKR_WRAPPED_KEY_LEN_RANGE),
        How::Rsa { scheme, .. } => {
            let opened = unwrapping.open(&module.registry, Purpose::Decrypt(*scheme))?;
            module.compute(&opened, wrapped.to_vec()).map_err(|error| match error {
                CKR_DATA_INVALID | CKR_ENCRYPTED_DATA_INVALID => CKR_WRAPPED_KEY_INVALID,
                other => other,
            })
        }
    }
}

/// The attributes of a private key.
fn private(key: &PrivateKey, mut attributes: Attributes, officer: bool) -> Outcome<Attributes> {
    let (domain, scalar) = match key {
        PrivateKey::Rsa(key) => {
            require(&mut attributes, CKA_KEY_TYPE, CKK_RSA)?;
            let mut attributes = checked(attributes, officer)?;
            rsa_numbers(&mut attributes, key);
            return Ok(attributes);
        }
        PrivateKey::Ec(key) => (Domain::Weierstrass(key.curve()), key.scalar()),
        PrivateKey::Ed25519(secret) => (Domain::Edwards, secret.as_bytes()),
        PrivateKey::X25519(secret) => (Domain::Montgomery, secret.as_bytes()),
        PrivateKey::SlhDsa(key) => {
            let parts = [(CKA_VALUE, Some(key.as_bytes()))];
            let set = parameter_set::number(key.set());
            return of_set(CKK_SLH_DSA, set, &parts, attributes, officer);
        }
        PrivateKey::MlDsa(key) => {
            let parts = [(CKA_SEED, key.seed()), (CKA_VALUE, key.expanded())];
            let set = parameter_set::number(key.set());
            return of_set(CKK_ML_DSA, set, &parts, attributes, officer);
        }
        PrivateKey::MlKem(key) => {
            let parts = [(CKA_SEED, key.seed()), (CKA_VALUE, key.expanded())];
            let set = parameter_set::number(key.set());
            return of_set(CKK_ML_KEM, set, &parts, attributes, officer);
        }
        _ => return Err(CKR_WRAPPED_KEY_INVALID),
    };
    require(&mut attributes, CKA_KEY_TYPE, domain.key_type())?;
    match attributes.get(CKA_EC_PARAMS) {
        Some(given) if Domain::of_parameters(given)? != domain => {
            return Err(CKR_TEMPLATE_INCONSISTENT);
        }
        Some(_) => {}
        None => attributes.set(CKA_EC_PARAMS, Zeroizing::new(domain.parameters().to_vec())),
    }
    let mut attributes = checked(attributes, officer)?;
    attributes.set(CKA_VALUE, Zeroizing::new(scalar.to_vec()));
    Ok(attributes)
}

/// The attributes of a private key that has a parameter set, with those of its parts that there
/// are.
fn of_set(
    key_type: CK_KEY_TYPE,
    set: CK_ULONG,
    parts: &[(CK_ATTRIBUTE_TYPE, Option<&[u8]>)],
    mut attributes: Attributes,
    officer: bool,
) -> Outcome<Attributes> {
    require(&mut attributes, CKA_KEY_TYPE, key_type)?;
    require(&mut attributes, CKA_PARAMETER_SET, set)?;
    let mut attributes = checked(attributes, officer)?;
    for (id, part) in parts {
        if let Some(part) = part {
            attributes.set(*id, Zeroizing::new(part.to_vec()));
        }
    }
    Ok(attributes)
}
