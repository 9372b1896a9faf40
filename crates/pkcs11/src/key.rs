//! Keys: from attributes to the engine's types, and back.

use broadloom::lanes;
use broadloom::public_key::{
    Curve, EcPrivateKey, EcPublicKey, MlDsaPrivateKey, MlDsaPublicKey, MlKemPrivateKey,
    MlKemPublicKey, PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey, RsaPublicKey, Secret,
    SlhDsaPrivateKey, SlhDsaPublicKey,
};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::attribute::{Attributes, ulong};
use crate::memory::Outcome;
use crate::parameter_set;

/// What an object is the key of.
#[derive(Clone)]
pub enum Key {
    /// Bytes, for ciphers and MACs.
    Secret(Zeroizing<Vec<u8>>),
    /// A private key.
    Private(PrivateKey),
    /// A public key.
    Public(PublicKey),
    /// A public key of X25519, which nothing is done with: it is the parameter of a derivation.
    X25519Public,
}

/// What the parameters of a curve stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// A curve of ECDSA and ECDH.
    Weierstrass(Curve),
    /// Ed25519.
    Edwards,
    /// X25519.
    Montgomery,
}

/// `CKA_EC_PARAMS`: object identifiers, and the names that PKCS #11 3.0 has (RFC 8410 has the last
/// two identifiers). The first encoding of each is the one that is written.
const DOMAINS: [(&[u8], Domain); 12] = [
    (&[6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7], Domain::Weierstrass(Curve::P256)),
    (&[6, 5, 0x2b, 0x81, 4, 0, 0x22], Domain::Weierstrass(Curve::P384)),
    (&[6, 5, 0x2b, 0x81, 4, 0, 0x23], Domain::Weierstrass(Curve::P521)),
    (&[6, 5, 0x2b, 0x81, 4, 0, 0x0a], Domain::Weierstrass(Curve::Secp256k1)),
    (&[6, 5, 0x2b, 0x81, 4, 0, 0x10], Domain::Weierstrass(Curve::K283)),
    (&[6, 5, 0x2b, 0x81, 4, 0, 0x11], Domain::Weierstrass(Curve::B283)),
    (b"\x13\x0cedwards25519", Domain::Edwards),
    (&[6, 3, 0x2b, 0x65, 0x70], Domain::Edwards),
    (&[6, 9, 0x2b, 6, 1, 4, 1, 0xda, 0x47, 0x0f, 1], Domain::Edwards),
    (b"\x13\x0acurve25519", Domain::Montgomery),
    (&[6, 3, 0x2b, 0x65, 0x6e], Domain::Montgomery),
    (&[6, 10, 0x2b, 6, 1, 4, 1, 0x97, 0x55, 1, 5, 1], Domain::Montgomery),
];

impl Domain {
    /// The domain of `CKA_EC_PARAMS`.
    ///
    /// # Errors
    /// `CKR_CURVE_NOT_SUPPORTED`.
    pub fn of_parameters(parameters: &[u8]) -> Outcome<Domain> {
        let found = DOMAINS.iter().find(|(encoding, _)| *encoding == parameters);
        found.map(|(_, domain)| *domain).ok_or(CKR_CURVE_NOT_SUPPORTED)
    }

    /// Returns the value of `CKA_EC_PARAMS` for the curve.
    pub fn parameters(self) -> &'static [u8] {
        let written = DOMAINS.iter().find(|(_, domain)| *domain == self);
        written.map_or(&[], |(encoding, _)| encoding)
    }

    /// The type of its keys.
    pub fn key_type(self) -> CK_KEY_TYPE {
        match self {
            Domain::Weierstrass(_) => CKK_EC,
            Domain::Edwards => CKK_EC_EDWARDS,
            Domain::Montgomery => CKK_EC_MONTGOMERY,
        }
    }

    /// Bytes of a point without a wrapper.
    fn point_len(self) -> usize {
        match self {
            Domain::Weierstrass(curve) => curve.point_len(),
            Domain::Edwards | Domain::Montgomery => 32,
        }
    }

    /// A point out of the octet string in which PKCS #11 has it, or without it, as some callers
    /// give it.
    ///
    /// # Errors
    /// The given one.
    pub fn point(self, bytes: &[u8], otherwise: CK_RV) -> Outcome<&[u8]> {
        let len = self.point_len();
        match bytes {
            [4, found @ ..=0x7f, point @ ..] | [4, LONG, found @ 0x80..=0xff, point @ ..]
                if usize::from(*found) == len && point.len() == len =>
            {
                Ok(point)
            }
            point if point.len() == len => Ok(point),
            _ => Err(otherwise),
        }
    }
}

/// Says that the next byte is the length of a value in DER, which has 128 bytes or more.
const LONG: u8 = 0x81;

/// A point in an octet string of DER.
pub fn octets(point: &[u8]) -> Zeroizing<Vec<u8>> {
    // Points of all curves here are shorter than 256 bytes.
    let len = point.len() as u8;
    let header: &[u8] = if len < 0x80 { &[4, len] } else { &[4, LONG, len] };
    Zeroizing::new([header, point].concat())
}

/// The key of an object's attributes, which it completes with what follows from the key; `None`
/// for an object that is no key.
///
/// # Errors
/// `CKR_TEMPLATE_INCOMPLETE`, `CKR_TEMPLATE_INCONSISTENT`, `CKR_ATTRIBUTE_VALUE_INVALID`,
/// `CKR_CURVE_NOT_SUPPORTED`, `CKR_PARAMETER_SET_NOT_SUPPORTED`.
pub fn of_attributes(attributes: &mut Attributes) -> Outcome<Option<Key>> {
    let class = attributes.class().ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    match class {
        CKO_DATA => return Ok(None),
        CKO_CERTIFICATE => {
            attributes.need(CKA_CERTIFICATE_TYPE)?;
            attributes.need(CKA_VALUE)?;
            return Ok(None);
        }
        _ => {}
    }
    let key_type = attributes.ulong(CKA_KEY_TYPE).ok_or(CKR_TEMPLATE_INCOMPLETE)?;
    let key = match (class, key_type) {
        (CKO_SECRET_KEY, _) => secret(attributes, key_type)?,
        (CKO_PUBLIC_KEY, CKK_RSA) => rsa_public(attributes)?,
        (CKO_PRIVATE_KEY, CKK_RSA) => rsa_private(attributes)?,
        (_, CKK_EC | CKK_EC_EDWARDS | CKK_EC_MONTGOMERY) => {
            let domain = Domain::of_parameters(attributes.need(CKA_EC_PARAMS)?)?;
            if domain.key_type() != key_type {
                return Err(CKR_TEMPLATE_INCONSISTENT);
            }
            match class {
                CKO_PUBLIC_KEY => curve_public(attributes, domain)?,
                _ => curve_private(attributes, domain)?,
            }
        }
        (CKO_PUBLIC_KEY, CKK_SLH_DSA) => slh_dsa_public(attributes)?,
        (CKO_PRIVATE_KEY, CKK_SLH_DSA) => slh_dsa_private(attributes)?,
        (CKO_PUBLIC_KEY, CKK_ML_DSA) => ml_dsa_public(attributes)?,
        (CKO_PRIVATE_KEY, CKK_ML_DSA) => ml_dsa_private(attributes)?,
        (CKO_PUBLIC_KEY, CKK_ML_KEM) => ml_kem_public(attributes)?,
        (CKO_PRIVATE_KEY, CKK_ML_KEM) => ml_kem_private(attributes)?,
        _ => return Err(CKR_ATTRIBUTE_VALUE_INVALID),
    };
    Ok(Some(key))
}

/// Lengths of keys of a type, in bytes; `None` for a type that there is not.
pub fn secret_lens(key_type: CK_KEY_TYPE) -> Option<&'static [usize]> {
    match key_type {
        CKK_AES => Some(&[16, 24, 32]),
        CKK_CHACHA20 => Some(&[32]),
        _ if is_hmac(key_type) => Some(&[]),
        _ => None,
    }
}

/// Returns `true` if keys of a type are for HMAC, and may have any length.
pub fn is_hmac(key_type: CK_KEY_TYPE) -> bool {
    const TYPES: [CK_KEY_TYPE; 11] = [
        CKK_GENERIC_SECRET,
        CKK_MD5_HMAC,
        CKK_SHA_1_HMAC,
        CKK_SHA224_HMAC,
        CKK_SHA256_HMAC,
        CKK_SHA384_HMAC,
        CKK_SHA512_HMAC,
        CKK_SHA3_224_HMAC,
        CKK_SHA3_256_HMAC,
        CKK_SHA3_384_HMAC,
        CKK_SHA3_512_HMAC,
    ];
    TYPES.contains(&key_type)
}

fn secret(attributes: &mut Attributes, key_type: CK_KEY_TYPE) -> Outcome<Key> {
    let lens = secret_lens(key_type).ok_or(CKR_ATTRIBUTE_VALUE_INVALID)?;
    let value = Zeroizing::new(attributes.need(CKA_VALUE)?.to_vec());
    if value.is_empty() || !lens.is_empty() && !lens.contains(&value.len()) {
        return Err(CKR_ATTRIBUTE_VALUE_INVALID);
    }
    let len = value.len() as CK_ULONG;
    if attributes.ulong(CKA_VALUE_LEN).is_some_and(|given| given != len) {
        return Err(CKR_TEMPLATE_INCONSISTENT);
    }
    attributes.set(CKA_VALUE_LEN, ulong(len));
    Ok(Key::Secret(value))
}

fn rsa_public(attributes: &mut Attributes) -> Outcome<Key> {
    let modulus = attributes.need(CKA_MODULUS)?;
    let key = RsaPublicKey::new(modulus, attributes.need(CKA_PUBLIC_EXPONENT)?);
    let key = key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
    attributes.set(CKA_MODULUS_BITS, ulong(8 * key.modulus().len() as CK_ULONG));
    Ok(Key::Public(PublicKey::Rsa(key)))
}

fn rsa_private(attributes: &Attributes) -> Outcome<Key> {
    let numbers = RsaNumbers {
        n: attributes.need(CKA_MODULUS)?,
        e: attributes.need(CKA_PUBLIC_EXPONENT)?,
        d: attributes.need(CKA_PRIVATE_EXPONENT)?,
        p: attributes.need(CKA_PRIME_1)?,
        q: attributes.need(CKA_PRIME_2)?,
        dp: attributes.need(CKA_EXPONENT_1)?,
        dq: attributes.need(CKA_EXPONENT_2)?,
        qinv: attributes.need(CKA_COEFFICIENT)?,
    };
    let key = RsaPrivateKey::new(&numbers).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
    Ok(Key::Private(PrivateKey::Rsa(key)))
}

fn curve_public(attributes: &Attributes, domain: Domain) -> Outcome<Key> {
    let wrong = CKR_ATTRIBUTE_VALUE_INVALID;
    let point = domain.point(attributes.need(CKA_EC_POINT)?, wrong)?;
    Ok(match domain {
        Domain::Weierstrass(curve) => {
            Key::Public(PublicKey::Ec(EcPublicKey::new(curve, point).map_err(|_| wrong)?))
        }
        Domain::Edwards => Key::Public(PublicKey::Ed25519(point.try_into().map_err(|_| wrong)?)),
        Domain::Montgomery => Key::X25519Public,
    })
}

fn curve_private(attributes: &Attributes, domain: Domain) -> Outcome<Key> {
    let value = attributes.need(CKA_VALUE)?;
    let secret = || Secret::from_slice(value).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID);
    Ok(Key::Private(match domain {
        Domain::Weierstrass(curve) => {
            let key = EcPrivateKey::new(curve, value);
            PrivateKey::Ec(key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?)
        }
        Domain::Edwards => PrivateKey::Ed25519(secret()?),
        Domain::Montgomery => PrivateKey::X25519(secret()?),
    }))
}

fn slh_dsa_public(attributes: &Attributes) -> Outcome<Key> {
    let set = parameter_set::of_attributes(attributes)?;
    let key = SlhDsaPublicKey::new(set, attributes.need(CKA_VALUE)?);
    Ok(Key::Public(PublicKey::SlhDsa(key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?)))
}

fn slh_dsa_private(attributes: &Attributes) -> Outcome<Key> {
    let set = parameter_set::of_attributes(attributes)?;
    let key = SlhDsaPrivateKey::new(set, attributes.need(CKA_VALUE)?);
    Ok(Key::Private(PrivateKey::SlhDsa(key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?)))
}

fn ml_dsa_public(attributes: &Attributes) -> Outcome<Key> {
    let set = parameter_set::of_attributes(attributes)?;
    let key = MlDsaPublicKey::new(set, attributes.need(CKA_VALUE)?);
    Ok(Key::Public(PublicKey::MlDsa(key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?)))
}

/// A private key, whose secret numbers are checked (FIPS 204, algorithm 25). Whether a seed beside
/// it is its own, [`Object::check_seed`](crate::object::Object::check_seed) finds out.
fn ml_dsa_private(attributes: &Attributes) -> Outcome<Key> {
    let set = parameter_set::of_attributes(attributes)?;
    let value = attributes.need(CKA_VALUE)?;
    lanes::MlDsaPrivateKey::new(set, value).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
    let key = match attributes.get(CKA_SEED) {
        Some(seed) => MlDsaPrivateKey::from_both(set, seed, value),
        None => MlDsaPrivateKey::from_expanded(set, value),
    };
    Ok(Key::Private(PrivateKey::MlDsa(key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?)))
}

/// An encapsulation key, whose numbers are checked (FIPS 203, 7.2).
fn ml_kem_public(attributes: &Attributes) -> Outcome<Key> {
    let set = parameter_set::of_attributes(attributes)?;
    let value = attributes.need(CKA_VALUE)?;
    lanes::MlKemPublicKey::new(set, value).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
    let key = MlKemPublicKey::new(set, value).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
    Ok(Key::Public(PublicKey::MlKem(key)))
}

/// A decapsulation key, whose numbers and digest are checked (FIPS 203, 7.3). Whether a seed beside
/// it is its own, [`Object::check_seed`](crate::object::Object::check_seed) finds out.
fn ml_kem_private(attributes: &Attributes) -> Outcome<Key> {
    let set = parameter_set::of_attributes(attributes)?;
    let value = attributes.need(CKA_VALUE)?;
    lanes::MlKemPrivateKey::new(set, value).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
    let key = match attributes.get(CKA_SEED) {
        Some(seed) => MlKemPrivateKey::from_both(set, seed, value),
        None => MlKemPrivateKey::from_expanded(set, value),
    };
    Ok(Key::Private(PrivateKey::MlKem(key.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_with_and_without_an_octet_string() {
        let domain = Domain::of_parameters(b"\x13\x0cedwards25519").expect("Ed25519");
        assert_eq!(domain, Domain::Edwards);
        let point = [9; 32];
        assert_eq!(domain.point(&point, 1), Ok(point.as_slice()));
        assert_eq!(domain.point(&octets(&point), 1), Ok(point.as_slice()));
        assert_eq!(domain.point(&point[1..], 1), Err(1));
        assert_eq!(Domain::of_parameters(&[6, 1, 1]), Err(CKR_CURVE_NOT_SUPPORTED));
    }
}
