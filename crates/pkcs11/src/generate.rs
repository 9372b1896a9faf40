//! New keys, and keys that are derived.

use broadloom::lanes::Cpu;
use broadloom::lanes::Ed25519PrivateKey;
use broadloom::public_key::{
    EcPublicKey, MlDsaSet, MlKemSet, PrivateKey, PublicKey, RsaPrivateKey, RsaSize, Secret,
    SlhDsaSet, generate_slh_dsa,
};
use broadloom::{HashAlgorithm, Transform};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::attribute::{Attributes, boolean, ulong};
use crate::digest::digest;
use crate::key::{self, Domain, Key, octets};
use crate::mechanism::{LONGEST_SECRET, Pair, What, find};
use crate::memory::Outcome;
use crate::module::Module;
use crate::object::{Object, Purpose, open};
use crate::parameter::Given;
use crate::parameter_set::{self, ParameterSet};
use crate::random;
use crate::seed::{self, Seeded};

/// Sets what a template leaves open, and refuses it where it says something else.
pub fn require(attributes: &mut Attributes, id: CK_ATTRIBUTE_TYPE, value: CK_ULONG) -> Outcome {
    match attributes.ulong(id) {
        Some(given) if given != value => Err(CKR_TEMPLATE_INCONSISTENT),
        _ => {
            attributes.set(id, ulong(value));
            Ok(())
        }
    }
}

/// # Errors
/// `CKR_TEMPLATE_INCONSISTENT`: the template has a value that the module makes.
pub fn forbid(attributes: &Attributes, ids: &[CK_ATTRIBUTE_TYPE]) -> Outcome {
    let given = ids.iter().any(|id| attributes.get(*id).is_some());
    if given { Err(CKR_TEMPLATE_INCONSISTENT) } else { Ok(()) }
}

/// Notes where a key comes from.
fn made_here(attributes: &mut Attributes, mechanism: CK_MECHANISM_TYPE) {
    attributes.set(CKA_LOCAL, boolean(true));
    attributes.set(CKA_KEY_GEN_MECHANISM, ulong(mechanism));
    if attributes.class() != Some(CKO_PUBLIC_KEY) {
        attributes.set(CKA_ALWAYS_SENSITIVE, boolean(attributes.is(CKA_SENSITIVE)));
        attributes.set(CKA_NEVER_EXTRACTABLE, boolean(!attributes.is(CKA_EXTRACTABLE)));
    }
}

/// Checks a template of an application, and sets what it leaves open.
pub fn checked(mut attributes: Attributes, is_security_officer: bool) -> Outcome<Attributes> {
    attributes.check_new(is_security_officer)?;
    attributes.complete();
    Ok(attributes)
}

/// A new secret key.
///
/// # Errors
/// What PKCS #11 has for a template that does not fit.
pub fn secret(given: &Given<'_>, mut attributes: Attributes, officer: bool) -> Outcome<Attributes> {
    let What::Generate(key_type) = find(given.id)? else { return Err(CKR_MECHANISM_INVALID) };
    given.none()?;
    forbid(&attributes, &[CKA_VALUE])?;
    require(&mut attributes, CKA_CLASS, CKO_SECRET_KEY)?;
    let is_generic = key_type == CKK_GENERIC_SECRET;
    match attributes.ulong(CKA_KEY_TYPE) {
        Some(other) if is_generic && key::is_hmac(other) => {}
        _ => require(&mut attributes, CKA_KEY_TYPE, key_type)?,
    }
    let len = match (attributes.ulong(CKA_VALUE_LEN), key_type) {
        (Some(len), _) => len,
        (None, CKK_CHACHA20) => 32,
        (None, _) => return Err(CKR_TEMPLATE_INCOMPLETE),
    };
    let lens = key::secret_lens(key_type).unwrap_or_default();
    let fits = match lens {
        [] => (1..=LONGEST_SECRET).contains(&len),
        lens => lens.contains(&(len as usize)),
    };
    if !fits {
        return Err(CKR_KEY_SIZE_RANGE);
    }
    let mut attributes = checked(attributes, officer)?;
    let mut value = Zeroizing::new(vec![0; len as usize]);
    random::fill(&mut value)?;
    attributes.set(CKA_VALUE, value);
    made_here(&mut attributes, given.id);
    Ok(attributes)
}

/// A new pair: the public and the private key.
///
/// # Errors
/// What PKCS #11 has for templates that do not fit.
pub fn pair(
    module: &Module,
    given: &Given<'_>,
    mut public: Attributes,
    mut private: Attributes,
    officer: bool,
) -> Outcome<(Attributes, Attributes)> {
    let What::GeneratePair(kind) = find(given.id)? else { return Err(CKR_MECHANISM_INVALID) };
    given.none()?;
    require(&mut public, CKA_CLASS, CKO_PUBLIC_KEY)?;
    require(&mut private, CKA_CLASS, CKO_PRIVATE_KEY)?;
    let secrets =
        [CKA_VALUE, CKA_SEED, CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2, CKA_MODULUS];
    forbid(&private, &secrets)?;
    forbid(&public, &[CKA_VALUE, CKA_MODULUS, CKA_EC_POINT])?;
    let key_type = match kind {
        Pair::Rsa => CKK_RSA,
        Pair::Curve => CKK_EC,
        Pair::Edwards => CKK_EC_EDWARDS,
        Pair::Montgomery => CKK_EC_MONTGOMERY,
        Pair::SlhDsa => CKK_SLH_DSA,
        Pair::MlDsa => CKK_ML_DSA,
        Pair::MlKem => CKK_ML_KEM,
    };
    for attributes in [&mut public, &mut private] {
        require(attributes, CKA_KEY_TYPE, key_type)?;
    }
    let (mut public, mut private) = (checked(public, officer)?, checked(private, officer)?);
    match kind {
        Pair::Rsa => rsa(&mut public, &mut private)?,
        Pair::SlhDsa => slh_dsa(&mut public, &mut private)?,
        Pair::MlDsa => seeded::<MlDsaSet>(module, &mut public, &mut private)?,
        Pair::MlKem => seeded::<MlKemSet>(module, &mut public, &mut private)?,
        _ => {
            let parameters = public.need(CKA_EC_PARAMS)?.to_vec();
            let domain = Domain::of_parameters(&parameters)?;
            if domain.key_type() != key_type {
                return Err(CKR_CURVE_NOT_SUPPORTED);
            }
            let (secret, point) = curve(module, domain)?;
            private.set(CKA_VALUE, secret);
            private.set(CKA_EC_PARAMS, Zeroizing::new(parameters));
            public.set(CKA_EC_POINT, octets(&point));
        }
    }
    made_here(&mut public, given.id);
    made_here(&mut private, given.id);
    Ok((public, private))
}

fn rsa(public: &mut Attributes, private: &mut Attributes) -> Outcome {
    let bits = public.ulong(CKA_MODULUS_BITS).ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    let size = usize::try_from(bits).ok().and_then(RsaSize::of_bits).ok_or(CKR_KEY_SIZE_RANGE)?;
    public.set_default(CKA_PUBLIC_EXPONENT, Zeroizing::new(vec![1, 0, 1]));
    let exponent = public.need(CKA_PUBLIC_EXPONENT)?;
    let (key, _) =
        broadloom_openssl::generate_rsa(size, exponent).map_err(|error| match error {
            broadloom_openssl::GenerateError::Library(_) => CKR_MECHANISM_INVALID,
            // A size that there is leaves the exponent to be wrong.
            _ => CKR_ATTRIBUTE_VALUE_INVALID,
        })?;
    let PrivateKey::Rsa(key) = &key else { return Err(CKR_GENERAL_ERROR) };
    public.set(CKA_MODULUS, Zeroizing::new(key.public().modulus().to_vec()));
    public.set(CKA_PUBLIC_EXPONENT, Zeroizing::new(key.public().exponent().to_vec()));
    rsa_numbers(private, key);
    Ok(())
}

/// Sets what a new pair of SLH-DSA has.
fn slh_dsa(public: &mut Attributes, private: &mut Attributes) -> Outcome {
    let set: SlhDsaSet = same_set(public, private)?;
    let keys = generate_slh_dsa(&Cpu::detect(), set, 1).map_err(|_| CKR_DEVICE_ERROR)?;
    let key = keys.first().ok_or(CKR_GENERAL_ERROR)?;
    public.set(CKA_VALUE, Zeroizing::new(key.public().as_bytes().to_vec()));
    private.set(CKA_VALUE, Zeroizing::new(key.as_bytes().to_vec()));
    Ok(())
}

/// Sets what a new pair of ML-KEM or ML-DSA has.
fn seeded<S: Seeded>(
    module: &Module,
    public: &mut Attributes,
    private: &mut Attributes,
) -> Outcome {
    let set: S = same_set(public, private)?;
    let mut seed = Zeroizing::new(vec![0; S::SEED_LEN]);
    random::fill(&mut seed)?;
    let (value, public_value) = seed::keys_of(module, set, &seed)?;
    public.set(CKA_VALUE, Zeroizing::new(public_value));
    private.set(CKA_SEED, seed);
    private.set(CKA_VALUE, value);
    Ok(())
}

/// Returns the parameter set that the public key's template asks for, which the private key gets,
/// too.
fn same_set<S: ParameterSet>(public: &Attributes, private: &mut Attributes) -> Outcome<S> {
    let set = parameter_set::of_attributes(public)?;
    require(private, CKA_PARAMETER_SET, parameter_set::number(set))?;
    Ok(set)
}

/// Sets the numbers of a private key of RSA.
pub fn rsa_numbers(private: &mut Attributes, key: &RsaPrivateKey) {
    for (id, number) in [
        (CKA_MODULUS, key.public().modulus()),
        (CKA_PUBLIC_EXPONENT, key.public().exponent()),
        (CKA_PRIVATE_EXPONENT, key.d()),
        (CKA_PRIME_1, key.p()),
        (CKA_PRIME_2, key.q()),
        (CKA_EXPONENT_1, key.dp()),
        (CKA_EXPONENT_2, key.dq()),
        (CKA_COEFFICIENT, key.qinv()),
    ] {
        private.set(id, Zeroizing::new(number.to_vec()));
    }
}

/// A private key and its public key.
fn curve(module: &Module, domain: Domain) -> Outcome<(Zeroizing<Vec<u8>>, Vec<u8>)> {
    let mut secret = Zeroizing::new(vec![0; 32]);
    random::fill(&mut secret)?;
    let public = match domain {
        Domain::Weierstrass(curve) => {
            let pair = broadloom_openssl::generate_ec(curve).map_err(|_| CKR_MECHANISM_INVALID)?;
            let (PrivateKey::Ec(private), PublicKey::Ec(public)) = pair else {
                return Err(CKR_GENERAL_ERROR);
            };
            secret = Zeroizing::new(private.scalar().to_vec());
            EcPublicKey::point(&public).to_vec()
        }
        Domain::Edwards => {
            let expanded = digest(module, HashAlgorithm::Sha512, &secret)?;
            let expanded = expanded.as_slice().try_into().map_err(|_| CKR_GENERAL_ERROR)?;
            Ed25519PrivateKey::new(expanded).public().to_vec()
        }
        Domain::Montgomery => {
            // The public key is what comes of an agreement with the base point (RFC 7748, 6.1).
            let base = [&[9][..], &[0; 31]].concat();
            let private = Secret::from_slice(&secret).map_err(|_| CKR_GENERAL_ERROR)?;
            let transform = Transform::agree(&PrivateKey::X25519(private));
            let transform = transform.map_err(|_| CKR_GENERAL_ERROR)?;
            module.compute(&open(&module.registry, &transform)?, base)?.to_vec()
        }
    };
    Ok((secret, public))
}

/// A secret key that two sides agree on.
///
/// # Errors
/// What PKCS #11 has for a template, a parameter or a public key that does not fit.
pub fn derived(
    module: &Module,
    given: &Given<'_>,
    base: &Object,
    mut attributes: Attributes,
    officer: bool,
) -> Outcome<Attributes> {
    if find(given.id)? != What::Ecdh {
        return Err(CKR_MECHANISM_INVALID);
    }
    forbid(&attributes, &[CKA_VALUE])?;
    let agreement = given.agreement()?;
    let domain = match base.key()? {
        Key::Private(PrivateKey::Ec(key)) => Domain::Weierstrass(key.curve()),
        Key::Private(PrivateKey::X25519(_)) => Domain::Montgomery,
        _ => return Err(CKR_KEY_TYPE_INCONSISTENT),
    };
    let point = domain.point(&agreement.public, CKR_MECHANISM_PARAM_INVALID)?;
    require(&mut attributes, CKA_CLASS, CKO_SECRET_KEY)?;
    attributes.set_default(CKA_KEY_TYPE, ulong(CKK_GENERIC_SECRET));
    let key_type = attributes.ulong(CKA_KEY_TYPE).ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    let lens = key::secret_lens(key_type).ok_or(CKR_TEMPLATE_INCONSISTENT)?;
    let session = base.open(&module.registry, Purpose::Agree)?;
    let secret = module.compute(&session, point.to_vec())?;
    let len = match (attributes.ulong(CKA_VALUE_LEN), lens, agreement.hash) {
        (Some(len), ..) => len as usize,
        (None, [], None) => secret.len(),
        (None, [len], _) => *len,
        (None, ..) => return Err(CKR_TEMPLATE_INCOMPLETE),
    };
    let most = agreement.hash.map_or(secret.len(), |_| LONGEST_SECRET as usize);
    if len == 0 || len > most || !lens.is_empty() && !lens.contains(&len) {
        return Err(CKR_KEY_SIZE_RANGE);
    }
    let mut value = match agreement.hash {
        // Bytes too many go from the beginning, as with softhsm2 and others.
        None => Zeroizing::new(secret[secret.len() - len..].to_vec()),
        Some(hash) => {
            // ANSI X9.63: digests of the secret, a counter from 1, and what both sides share.
            let mut value = Zeroizing::new(Vec::with_capacity(len + hash.digest_len()));
            for counter in 1u32.. {
                let text = [secret.as_slice(), &counter.to_be_bytes(), &agreement.shared].concat();
                let text = Zeroizing::new(text);
                value.extend_from_slice(&digest(module, hash, &text)?);
                if value.len() >= len {
                    break;
                }
            }
            value
        }
    };
    value.truncate(len);
    let mut attributes = checked(attributes, officer)?;
    attributes.set(CKA_VALUE, value);
    let inherits = |id| base.attributes.is(id);
    let always = inherits(CKA_ALWAYS_SENSITIVE) && attributes.is(CKA_SENSITIVE);
    let never = inherits(CKA_NEVER_EXTRACTABLE) && !attributes.is(CKA_EXTRACTABLE);
    attributes.set(CKA_ALWAYS_SENSITIVE, boolean(always));
    attributes.set(CKA_NEVER_EXTRACTABLE, boolean(never));
    Ok(attributes)
}
