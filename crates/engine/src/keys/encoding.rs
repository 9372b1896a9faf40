//! Keys from PEM and DER: PKCS #8 (RFC 5958), SubjectPublicKeyInfo (RFC 5280), SEC 1 (RFC 5915) and
//! PKCS #1 (RFC 8017, A.1); and back to DER.

use pkcs1::UintRef;
use pkcs1::der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef};
use pkcs1::der::pem::decode_vec;
use pkcs1::der::{Decode, Encode, Reader, SliceReader, Tag, TagNumber};
use pkcs8::PrivateKeyInfoRef;
use sec1::{EcParameters, EcPrivateKey as Sec1Key};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

use super::{
    EcPrivateKey, EcPublicKey, KeyError, MlDsaPrivateKey, MlDsaPublicKey, MlKemPrivateKey,
    MlKemPublicKey, PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey, RsaPublicKey, Secret,
    SlhDsaPrivateKey, SlhDsaPublicKey,
};
use crate::algorithm::{Curve, MlDsaSet, MlKemSet, SlhDsaSet};

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");

/// The curves by their object identifiers (RFC 5480, 2.1.1.1).
const CURVES: [(ObjectIdentifier, Curve); 6] = [
    (ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"), Curve::P256),
    (ObjectIdentifier::new_unwrap("1.3.132.0.34"), Curve::P384),
    (ObjectIdentifier::new_unwrap("1.3.132.0.35"), Curve::P521),
    (ObjectIdentifier::new_unwrap("1.3.132.0.10"), Curve::Secp256k1),
    (ObjectIdentifier::new_unwrap("1.3.132.0.16"), Curve::K283),
    (ObjectIdentifier::new_unwrap("1.3.132.0.17"), Curve::B283),
];

/// NIST's signatures have object identifiers after this one: those of the sets of ML-DSA follow
/// each other (RFC 9881, 2), and so do those of the sets of SLH-DSA (RFC 9909, 3).
const SIGNATURES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");
const FIRST_ML_DSA: u32 = 17;
const FIRST_SLH_DSA: u32 = 20;

/// The object identifiers of the sets of ML-KEM follow each other after this one (RFC 9935, 3).
const ML_KEM: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4");
const FIRST_ML_KEM: u32 = 1;

/// The tag of a seed of ML-DSA (RFC 9881, 6) and of ML-KEM (RFC 9935, 6).
const SEED: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

impl From<pkcs1::der::Error> for KeyError {
    fn from(error: pkcs1::der::Error) -> Self {
        KeyError::Encoding(error.to_string())
    }
}

impl PrivateKey {
    /// Reads a private key from PEM: `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY`, not
    /// encrypted. Of several blocks, the first such counts, as `openssl ecparam -genkey` writes the
    /// curve before it.
    ///
    /// # Errors
    /// [`KeyError`]: no such block, a kind of key that is not supported, or a rule that is broken.
    pub fn from_pem(pem: &str) -> Result<PrivateKey, KeyError> {
        let labels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"];
        let (label, der) = block(pem, &labels)?;
        match label {
            "RSA PRIVATE KEY" => rsa_private(&der),
            "EC PRIVATE KEY" => ec_private(&der, None),
            _ => PrivateKey::from_der(&der),
        }
    }

    /// Reads a private key from DER: PKCS #8, not encrypted, or what `openssl pkey -traditional`
    /// writes, PKCS #1 of RSA and SEC 1 of a curve.
    ///
    /// # Errors
    /// As [`from_pem`](PrivateKey::from_pem).
    pub fn from_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        let info = match PrivateKeyInfoRef::from_der(der) {
            Ok(info) => info,
            Err(_) if pkcs1::RsaPrivateKey::<UintRef<'_>>::from_der(der).is_ok() => {
                return rsa_private(der);
            }
            Err(_) if Sec1Key::from_der(der).is_ok() => return ec_private(der, None),
            Err(error) => return Err(error.into()),
        };
        let bytes = info.private_key.as_bytes();
        match info.algorithm.oid {
            RSA => rsa_private(bytes),
            EC => ec_private(bytes, Some(curve(&info.algorithm)?)),
            // The key is an octet string within the octet string (RFC 8410, 7).
            X25519 => Ok(PrivateKey::X25519(secret(bytes)?)),
            ED25519 => Ok(PrivateKey::Ed25519(secret(bytes)?)),
            other => match (slh_dsa(other), ml_dsa(other), ml_kem(other)) {
                // The bytes are in the octet string as they are (RFC 9909, 6).
                (Some(set), ..) => Ok(PrivateKey::SlhDsa(SlhDsaPrivateKey::new(set, bytes)?)),
                (_, Some(set), _) => Ok(PrivateKey::MlDsa(ml_dsa_private(set, bytes)?)),
                (.., Some(set)) => Ok(PrivateKey::MlKem(ml_kem_private(set, bytes)?)),
                _ => Err(unknown(other)),
            },
        }
    }

    /// The key as PKCS #8 in DER.
    pub fn to_der(&self) -> Zeroizing<Vec<u8>> {
        let (oid, parameters, inner) = match self {
            PrivateKey::Rsa(key) => (RSA, Some(AnyRef::NULL), rsa_numbers(key)),
            PrivateKey::Ec(key) => {
                // RFC 5915 allows the public key to be left out.
                let inner =
                    Sec1Key { private_key: key.scalar(), parameters: None, public_key: None };
                (EC, None, written(&inner))
            }
            PrivateKey::X25519(secret) => (X25519, None, octets(secret.as_bytes())),
            PrivateKey::Ed25519(secret) => (ED25519, None, octets(secret.as_bytes())),
            PrivateKey::SlhDsa(key) => {
                (slh_dsa_identifier(key.set()), None, Zeroizing::new(key.as_bytes().to_vec()))
            }
            PrivateKey::MlDsa(key) => {
                (ml_dsa_identifier(key.set()), None, parts(key.seed(), key.expanded()))
            }
            PrivateKey::MlKem(key) => {
                (ml_kem_identifier(key.set()), None, parts(key.seed(), key.expanded()))
            }
        };
        let named = match self {
            PrivateKey::Ec(key) => Some(identifier(key.curve())),
            _ => None,
        };
        let parameters = named.as_ref().map(AnyRef::from).or(parameters);
        let inner = OctetStringRef::new(&inner).expect("a key is shorter than DER allows");
        written(&PrivateKeyInfoRef::new(AlgorithmIdentifierRef { oid, parameters }, inner))
    }
}

impl PublicKey {
    /// Reads a public key from PEM: `PUBLIC KEY` or `RSA PUBLIC KEY`.
    ///
    /// # Errors
    /// [`KeyError`]: no such block, a kind of key that is not supported, or a rule that is broken.
    pub fn from_pem(pem: &str) -> Result<PublicKey, KeyError> {
        let (label, der) = block(pem, &["PUBLIC KEY", "RSA PUBLIC KEY"])?;
        match label {
            "RSA PUBLIC KEY" => rsa_public(&der),
            _ => PublicKey::from_der(&der),
        }
    }

    /// Reads a public key from DER: SubjectPublicKeyInfo, or PKCS #1 of RSA.
    ///
    /// # Errors
    /// As [`from_pem`](PublicKey::from_pem).
    pub fn from_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        let info = match SubjectPublicKeyInfoRef::from_der(der) {
            Ok(info) => info,
            Err(_) if pkcs1::RsaPublicKey::<UintRef<'_>>::from_der(der).is_ok() => {
                return rsa_public(der);
            }
            Err(error) => return Err(error.into()),
        };
        let bytes = info.subject_public_key.as_bytes();
        let bytes = bytes.ok_or_else(|| KeyError::Encoding("it has unused bits".to_owned()))?;
        match info.algorithm.oid {
            RSA => rsa_public(bytes),
            EC => Ok(PublicKey::Ec(EcPublicKey::new(curve(&info.algorithm)?, bytes)?)),
            ED25519 => match bytes.try_into() {
                Ok(bytes) => Ok(PublicKey::Ed25519(bytes)),
                Err(_) => Err(wrong_length(bytes.len())),
            },
            other => match (slh_dsa(other), ml_dsa(other), ml_kem(other)) {
                (Some(set), ..) => Ok(PublicKey::SlhDsa(SlhDsaPublicKey::new(set, bytes)?)),
                (_, Some(set), _) => Ok(PublicKey::MlDsa(MlDsaPublicKey::new(set, bytes)?)),
                (.., Some(set)) => Ok(PublicKey::MlKem(MlKemPublicKey::new(set, bytes)?)),
                _ => Err(unknown(other)),
            },
        }
    }

    /// The key as SubjectPublicKeyInfo in DER.
    pub fn to_der(&self) -> Vec<u8> {
        let (oid, curve, bytes) = match self {
            PublicKey::Rsa(key) => {
                let (modulus, public_exponent) = (uint(key.modulus()), uint(key.exponent()));
                let bytes = written(&pkcs1::RsaPublicKey { modulus, public_exponent }).to_vec();
                (RSA, None, bytes)
            }
            PublicKey::Ec(key) => (EC, Some(identifier(key.curve())), key.point().to_vec()),
            PublicKey::Ed25519(bytes) => (ED25519, None, bytes.to_vec()),
            PublicKey::SlhDsa(key) => {
                (slh_dsa_identifier(key.set()), None, key.as_bytes().to_vec())
            }
            PublicKey::MlDsa(key) => (ml_dsa_identifier(key.set()), None, key.as_bytes().to_vec()),
            PublicKey::MlKem(key) => (ml_kem_identifier(key.set()), None, key.as_bytes().to_vec()),
        };
        let parameters = match oid {
            RSA => Some(AnyRef::NULL),
            _ => curve.as_ref().map(AnyRef::from),
        };
        let subject_public_key =
            BitStringRef::from_bytes(&bytes).expect("a key is shorter than DER allows");
        let algorithm = AlgorithmIdentifierRef { oid, parameters };
        written(&SubjectPublicKeyInfoRef { algorithm, subject_public_key }).to_vec()
    }
}

/// The first block of PEM that has one of these labels: its label and what it holds.
fn block<'l>(pem: &str, labels: &[&'l str]) -> Result<(&'l str, Zeroizing<Vec<u8>>), KeyError> {
    let of = |label: &&str| pem.find(&format!("-----BEGIN {label}-----"));
    let first = labels.iter().filter_map(|label| Some((of(label)?, *label))).min();
    let Some((at, label)) = first else {
        let encrypted = pem.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----");
        let reason = match encrypted {
            true => "the key is encrypted; `openssl pkey` decrypts it".to_owned(),
            false => format!("there is no PEM block of these: {}", labels.join(", ")),
        };
        return Err(KeyError::Encoding(reason));
    };
    let block = &pem[at..];
    let end = format!("-----END {label}-----");
    let len = block.find(&end).map(|at| at + end.len());
    let len = len.ok_or_else(|| KeyError::Encoding(format!("there is no {end}")))?;
    let (_, der) = decode_vec(&block.as_bytes()[..len])
        .map_err(|error| KeyError::Encoding(error.to_string()))?;
    Ok((label, Zeroizing::new(der)))
}

fn rsa_private(der: &[u8]) -> Result<PrivateKey, KeyError> {
    let key = pkcs1::RsaPrivateKey::<UintRef<'_>>::from_der(der)?;
    let numbers = RsaNumbers {
        n: key.modulus.as_bytes(),
        e: key.public_exponent.as_bytes(),
        d: key.private_exponent.as_bytes(),
        p: key.prime1.as_bytes(),
        q: key.prime2.as_bytes(),
        dp: key.exponent1.as_bytes(),
        dq: key.exponent2.as_bytes(),
        qinv: key.coefficient.as_bytes(),
    };
    Ok(PrivateKey::Rsa(RsaPrivateKey::new(&numbers)?))
}

fn rsa_public(der: &[u8]) -> Result<PublicKey, KeyError> {
    let key = pkcs1::RsaPublicKey::<UintRef<'_>>::from_der(der)?;
    let key = RsaPublicKey::new(key.modulus.as_bytes(), key.public_exponent.as_bytes())?;
    Ok(PublicKey::Rsa(key))
}

/// An RSA key as PKCS #1 in DER.
fn rsa_numbers(key: &RsaPrivateKey) -> Zeroizing<Vec<u8>> {
    written(&pkcs1::RsaPrivateKey {
        modulus: uint(key.public().modulus()),
        public_exponent: uint(key.public().exponent()),
        private_exponent: uint(key.d()),
        prime1: uint(key.p()),
        prime2: uint(key.q()),
        exponent1: uint(key.dp()),
        exponent2: uint(key.dq()),
        coefficient: uint(key.qinv()),
        other_prime_infos: None,
    })
}

fn ec_private(der: &[u8], named: Option<Curve>) -> Result<PrivateKey, KeyError> {
    let key = Sec1Key::from_der(der)?;
    let own = key.parameters.and_then(EcParameters::named_curve).map(find_curve).transpose()?;
    if named.zip(own).is_some_and(|(named, own)| named != own) {
        let reason = "it names one curve, and the key in it another";
        return Err(KeyError::Encoding(reason.to_owned()));
    }
    let curve = named.or(own);
    let curve = curve.ok_or_else(|| KeyError::Encoding("it names no curve".to_owned()))?;
    Ok(PrivateKey::Ec(EcPrivateKey::new(curve, key.private_key)?))
}

/// The octet string of 32 bytes that a private key of X25519 or Ed25519 is (RFC 8410, 7).
fn secret(der: &[u8]) -> Result<Secret, KeyError> {
    let bytes = <&OctetStringRef>::from_der(der)?.as_bytes();
    Secret::from_slice(bytes).map_err(|_| wrong_length(bytes.len()))
}

/// The curve that the parameters of a key name.
fn curve(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<Curve, KeyError> {
    find_curve(algorithm.parameters_oid().map_err(|error| KeyError::Encoding(error.to_string()))?)
}

fn find_curve(oid: ObjectIdentifier) -> Result<Curve, KeyError> {
    let found = CURVES.into_iter().find(|(other, _)| *other == oid);
    found.map(|(_, curve)| curve).ok_or_else(|| {
        KeyError::Encoding(format!(
            "the curve {oid} is not supported; valid: P-256, P-384, P-521, secp256k1, K-283 \
             (sect283k1), B-283 (sect283r1)"
        ))
    })
}

fn identifier(curve: Curve) -> ObjectIdentifier {
    let found = CURVES.into_iter().find(|(_, other)| *other == curve);
    found.expect("every curve has an identifier").0
}

/// The set of SLH-DSA that an object identifier stands for.
fn slh_dsa(oid: ObjectIdentifier) -> Option<SlhDsaSet> {
    SlhDsaSet::ALL.into_iter().find(|set| slh_dsa_identifier(*set) == oid)
}

fn slh_dsa_identifier(set: SlhDsaSet) -> ObjectIdentifier {
    let arc = FIRST_SLH_DSA + set as u32;
    SIGNATURES.push_arc(arc).expect("an object identifier has room for one more arc")
}

/// Returns the set of ML-DSA that an object identifier stands for.
fn ml_dsa(oid: ObjectIdentifier) -> Option<MlDsaSet> {
    MlDsaSet::ALL.into_iter().find(|set| ml_dsa_identifier(*set) == oid)
}

fn ml_dsa_identifier(set: MlDsaSet) -> ObjectIdentifier {
    let arc = FIRST_ML_DSA + set as u32;
    SIGNATURES.push_arc(arc).expect("an object identifier has room for one more arc")
}

/// The set of ML-KEM that an object identifier stands for.
fn ml_kem(oid: ObjectIdentifier) -> Option<MlKemSet> {
    MlKemSet::ALL.into_iter().find(|set| ml_kem_identifier(*set) == oid)
}

fn ml_kem_identifier(set: MlKemSet) -> ObjectIdentifier {
    let arc = FIRST_ML_KEM + set as u32;
    ML_KEM.push_arc(arc).expect("an object identifier has room for one more arc")
}

/// The private key of ML-DSA within PKCS #8 (RFC 9881, 6).
fn ml_dsa_private(set: MlDsaSet, der: &[u8]) -> Result<MlDsaPrivateKey, KeyError> {
    match of_parts("ML-DSA", der)? {
        (Some(seed), Some(key)) => MlDsaPrivateKey::from_both(set, seed, key),
        (Some(seed), None) => MlDsaPrivateKey::from_seed(set, seed),
        (None, key) => MlDsaPrivateKey::from_expanded(set, key.unwrap_or_default()),
    }
}

/// The private key of ML-KEM within PKCS #8 (RFC 9935, 6).
fn ml_kem_private(set: MlKemSet, der: &[u8]) -> Result<MlKemPrivateKey, KeyError> {
    match of_parts("ML-KEM", der)? {
        (Some(seed), Some(key)) => MlKemPrivateKey::from_both(set, seed, key),
        (Some(seed), None) => MlKemPrivateKey::from_seed(set, seed),
        (None, key) => MlKemPrivateKey::from_expanded(set, key.unwrap_or_default()),
    }
}

/// The parts of a private key of ML-DSA or ML-KEM: a seed, an expanded key, or both.
type Parts<'d> = (Option<&'d [u8]>, Option<&'d [u8]>);

/// Reads the parts of a private key.
fn of_parts<'d>(of: &str, der: &'d [u8]) -> Result<Parts<'d>, KeyError> {
    let choice = <AnyRef<'d>>::from_der(der)?;
    match pkcs1::der::Tagged::tag(&choice) {
        SEED => Ok((Some(choice.value()), None)),
        Tag::OctetString => Ok((None, Some(choice.value()))),
        Tag::Sequence => {
            let mut parts = SliceReader::new(choice.value())?;
            let seed: &'d OctetStringRef = parts.decode()?;
            let expanded: &'d OctetStringRef = parts.decode()?;
            parts.finish()?;
            Ok((Some(seed.as_bytes()), Some(expanded.as_bytes())))
        }
        other => Err(KeyError::Encoding(format!(
            "a private key of {of} is a seed, an expanded key, or a sequence of both, not {other}"
        ))),
    }
}

/// Writes the parts of a private key.
fn parts(seed: Option<&[u8]>, expanded: Option<&[u8]>) -> Zeroizing<Vec<u8>> {
    let any = |tag, bytes: &[u8]| {
        written(&AnyRef::new(tag, bytes).expect("a key is shorter than DER allows"))
    };
    match (seed, expanded) {
        (Some(seed), Some(expanded)) => {
            let (seed, expanded) = (octets(seed), octets(expanded));
            any(Tag::Sequence, &Zeroizing::new([&seed[..], &expanded].concat()))
        }
        (Some(seed), None) => any(SEED, seed),
        (None, expanded) => octets(expanded.unwrap_or_default()),
    }
}

fn unknown(oid: ObjectIdentifier) -> KeyError {
    KeyError::Encoding(format!(
        "keys of the kind {oid} are not supported; valid: RSA, elliptic curves, X25519, Ed25519, \
         SLH-DSA, ML-DSA, ML-KEM"
    ))
}

fn wrong_length(len: usize) -> KeyError {
    KeyError::Length { what: "a key", len, valid: 32 }
}

fn uint(number: &[u8]) -> UintRef<'_> {
    UintRef::new(number).expect("a key is shorter than DER allows")
}

fn octets(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    written(&OctetStringRef::new(bytes).expect("a key is shorter than DER allows"))
}

fn written(value: &impl Encode) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(value.to_der().expect("a key is shorter than DER allows"))
}
