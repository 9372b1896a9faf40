//! The crate aws-lc-rs.

mod hybrid;

use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{
    self, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext, UnboundCipherKey,
};
use aws_lc_rs::encoding::{AsRawBytes, PqdsaPrivateKeyRaw};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256K1_SHA256_ASN1,
    ECDSA_P256K1_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA384_ASN1_SIGNING,
    ECDSA_P521_SHA512_ASN1, ECDSA_P521_SHA512_ASN1_SIGNING, ED25519, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, ML_DSA_44, ML_DSA_44_SIGNING, ML_DSA_65,
    ML_DSA_65_SIGNING, ML_DSA_87, ML_DSA_87_SIGNING, ParsedPublicKey, PqdsaKeyPair,
    PqdsaSigningAlgorithm, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair,
};
use aws_lc_rs::{agreement, cmac, digest, hmac, kem};
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Curve, Direction, HashAlgorithm, Kem,
    MacAlgorithm, MlDsaSet, MlKemSet, PrivateKey, PublicKeyAlgorithm, RsaSize,
};

use super::Absent;
use super::buffers::{Buffers, Message};
use super::one_by_one::{Key, OneByOne, in_place};
use crate::measure::keys;
use crate::names::Peer;
use hybrid::Hybrid;

/// The versions that the crate is asked for in.
pub const VERSION: &str = "1.19";

/// What the crate calls an algorithm.
enum Method {
    Digest(&'static digest::Algorithm),
    Hmac(hmac::Algorithm),
    Cmac(cmac::Algorithm),
    Cbc(&'static cipher::Algorithm),
    Ctr(&'static cipher::Algorithm),
    Aead(&'static aead::Algorithm),
    Signature(PublicKeyAlgorithm),
    Agreement,
    Kem(Kem),
}

fn method(algorithm: Algorithm, direction: Direction) -> Option<Method> {
    Some(match algorithm {
        Algorithm::PublicKey(algorithm) => match (algorithm, direction) {
            (
                PublicKeyAlgorithm::Rsa(_)
                | PublicKeyAlgorithm::Ecdsa(
                    Curve::P256 | Curve::P384 | Curve::P521 | Curve::Secp256k1,
                )
                | PublicKeyAlgorithm::Ed25519,
                Direction::Sign | Direction::Verify,
            ) => Method::Signature(algorithm),
            (PublicKeyAlgorithm::MlDsa(_), _) => Method::Signature(algorithm),
            (PublicKeyAlgorithm::X25519, Direction::Agree) => Method::Agreement,
            _ => Method::Kem(Kem::of(algorithm)?),
        },
        _ if direction == Direction::Verify => return None,
        Algorithm::Hash(hash) => Method::Digest(match hash {
            HashAlgorithm::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            HashAlgorithm::Sha224 => &digest::SHA224,
            HashAlgorithm::Sha256 => &digest::SHA256,
            HashAlgorithm::Sha384 => &digest::SHA384,
            HashAlgorithm::Sha512 => &digest::SHA512,
            _ => return None,
        }),
        Algorithm::Mac(MacAlgorithm::Hmac(hash)) => Method::Hmac(match hash {
            HashAlgorithm::Sha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            HashAlgorithm::Sha224 => hmac::HMAC_SHA224,
            HashAlgorithm::Sha256 => hmac::HMAC_SHA256,
            HashAlgorithm::Sha384 => hmac::HMAC_SHA384,
            HashAlgorithm::Sha512 => hmac::HMAC_SHA512,
            _ => return None,
        }),
        Algorithm::Mac(MacAlgorithm::AesCmac(size)) => Method::Cmac(match size {
            AesSize::Aes128 => cmac::AES_128,
            AesSize::Aes192 => cmac::AES_192,
            AesSize::Aes256 => cmac::AES_256,
        }),
        Algorithm::Cipher(CipherAlgorithm::AesCbc(size)) => Method::Cbc(aes(size)),
        Algorithm::Cipher(CipherAlgorithm::AesCtr(size)) => Method::Ctr(aes(size)),
        Algorithm::Aead(AeadAlgorithm::AesGcm(size)) => Method::Aead(match size {
            AesSize::Aes128 => &aead::AES_128_GCM,
            AesSize::Aes192 => &aead::AES_192_GCM,
            AesSize::Aes256 => &aead::AES_256_GCM,
        }),
        Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => Method::Aead(&aead::CHACHA20_POLY1305),
        _ => return None,
    })
}

fn aes(size: AesSize) -> &'static cipher::Algorithm {
    match size {
        AesSize::Aes128 => &cipher::AES_128,
        AesSize::Aes192 => &cipher::AES_192,
        AesSize::Aes256 => &cipher::AES_256,
    }
}

/// Returns the crate's algorithm for a set of ML-KEM.
fn ml_kem(set: MlKemSet) -> &'static kem::Algorithm {
    match set {
        MlKemSet::MlKem512 => &kem::ML_KEM_512,
        MlKemSet::MlKem768 => &kem::ML_KEM_768,
        MlKemSet::MlKem1024 => &kem::ML_KEM_1024,
    }
}

/// Returns the crate's algorithm for a set of ML-DSA.
fn ml_dsa(set: MlDsaSet) -> &'static PqdsaSigningAlgorithm {
    match set {
        MlDsaSet::MlDsa44 => &ML_DSA_44_SIGNING,
        MlDsaSet::MlDsa65 => &ML_DSA_65_SIGNING,
        MlDsaSet::MlDsa87 => &ML_DSA_87_SIGNING,
    }
}

/// Why the crate is not measured at an algorithm in a direction; `None` if it is.
pub fn lacks(algorithm: Algorithm, direction: Direction) -> Option<String> {
    let lacking = format!("it is not measured at {algorithm} {direction}");
    method(algorithm, direction).is_none().then_some(lacking)
}

/// Sets the crate up for work on these buffers.
pub fn new(buffers: Buffers<'_>) -> Result<impl super::Bare + '_, Absent> {
    let algorithm = buffers.algorithm();
    OneByOne::new(Peer::AwsLcRs, VERSION, buffers, |key, direction| {
        let lacking = || lacks(algorithm, direction).unwrap_or_default();
        let method = method(algorithm, direction).ok_or_else(lacking)?;
        Ready::new(method, direction, key)
            .map_err(|_| format!("it refuses a key of {} bytes", key.len()))
    })
}

/// A key that is ready for use.
#[allow(clippy::large_enum_variant, reason = "keys are where a user of the crate has them")]
enum Ready {
    Digest(&'static digest::Algorithm),
    Hmac(hmac::Key),
    Cmac(cmac::Key),
    Encrypting(EncryptingKey),
    Decrypting(DecryptingKey),
    Aead(LessSafeKey),
    Rsa(RsaKeyPair, SystemRandom),
    Ecdsa(EcdsaKeyPair, SystemRandom),
    Ed25519(Ed25519KeyPair),
    MlDsa(PqdsaKeyPair),
    GenerateMlDsa(&'static PqdsaSigningAlgorithm),
    Verify(ParsedPublicKey),
    Agree(agreement::PrivateKey),
    Generate(&'static kem::Algorithm),
    Encapsulate(&'static kem::Algorithm),
    /// A key, and the bytes of a ciphertext.
    Decapsulate(kem::DecapsulationKey, usize),
    Hybrid(Hybrid),
}

impl Ready {
    fn new(method: Method, direction: Direction, key: &[u8]) -> Result<Ready, Unspecified> {
        let decrypts = direction == Direction::Decrypt;
        Ok(match method {
            Method::Digest(hash) => Ready::Digest(hash),
            Method::Hmac(hash) => Ready::Hmac(hmac::Key::new(hash, key)),
            Method::Cmac(cipher) => Ready::Cmac(cmac::Key::new(cipher, key)?),
            Method::Cbc(aes) => {
                let key = UnboundCipherKey::new(aes, key)?;
                match decrypts {
                    true => Ready::Decrypting(DecryptingKey::cbc(key)?),
                    false => Ready::Encrypting(EncryptingKey::cbc(key)?),
                }
            }
            Method::Ctr(aes) => {
                let key = UnboundCipherKey::new(aes, key)?;
                match decrypts {
                    true => Ready::Decrypting(DecryptingKey::ctr(key)?),
                    false => Ready::Encrypting(EncryptingKey::ctr(key)?),
                }
            }
            Method::Aead(aead) => Ready::Aead(LessSafeKey::new(UnboundKey::new(aead, key)?)),
            Method::Signature(algorithm) if direction == Direction::Verify => {
                let public = keys::pair(algorithm).and_then(|(_, public)| public);
                let der = public.ok_or(Unspecified)?.to_der();
                Ready::Verify(verifying(algorithm, &der)?)
            }
            Method::Agreement => match keys::pair(PublicKeyAlgorithm::X25519) {
                Some((PrivateKey::X25519(key), _)) => Ready::Agree(
                    agreement::PrivateKey::from_private_key(&agreement::X25519, key.as_bytes())
                        .map_err(|_| Unspecified)?,
                ),
                _ => return Err(Unspecified),
            },
            Method::Kem(Kem::MlKem(set)) => match direction {
                Direction::Generate => Ready::Generate(ml_kem(set)),
                Direction::Encapsulate => Ready::Encapsulate(ml_kem(set)),
                _ => {
                    let (private, _) = keys::kem(Kem::MlKem(set));
                    let key = kem::DecapsulationKey::new(ml_kem(set), &private);
                    Ready::Decapsulate(key.map_err(|_| Unspecified)?, set.ciphertext_len())
                }
            },
            Method::Kem(Kem::Hybrid(kem)) => Ready::Hybrid(Hybrid::new(kem, direction)?),
            Method::Signature(PublicKeyAlgorithm::Rsa(_)) => {
                let pair = RsaKeyPair::from_pkcs8(key).map_err(|_| Unspecified)?;
                Ready::Rsa(pair, SystemRandom::new())
            }
            Method::Signature(PublicKeyAlgorithm::MlDsa(set)) => {
                match (direction, keys::pair(PublicKeyAlgorithm::MlDsa(set))) {
                    (Direction::Generate, _) => Ready::GenerateMlDsa(ml_dsa(set)),
                    (_, Some((PrivateKey::MlDsa(key), _))) => {
                        let seed = key.seed().ok_or(Unspecified)?;
                        let pair = PqdsaKeyPair::from_seed(ml_dsa(set), seed);
                        Ready::MlDsa(pair.map_err(|_| Unspecified)?)
                    }
                    _ => return Err(Unspecified),
                }
            }
            Method::Signature(PublicKeyAlgorithm::Ed25519) => {
                let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key);
                Ready::Ed25519(pair.map_err(|_| Unspecified)?)
            }
            Method::Signature(algorithm) => {
                let pair = EcdsaKeyPair::from_pkcs8(ecdsa_signing(algorithm), key);
                Ready::Ecdsa(pair.map_err(|_| Unspecified)?, SystemRandom::new())
            }
        })
    }
}

impl Key for Ready {
    #[inline]
    fn process(&self, mut message: Message<'_>) -> Option<()> {
        match self {
            Ready::Digest(hash) => {
                message.output.copy_from_slice(digest::digest(hash, message.input).as_ref());
            }
            Ready::Hmac(key) => {
                hmac::sign_to_buffer(key, message.input, message.output).ok()?;
            }
            Ready::Cmac(key) => {
                cmac::sign_to_buffer(key, message.input, message.output).ok()?;
            }
            Ready::Encrypting(key) => {
                let iv = FixedLength::try_from(message.nonce).ok()?;
                let text = in_place(&mut message);
                key.less_safe_encrypt(text, EncryptionContext::Iv128(iv)).ok()?;
            }
            Ready::Decrypting(key) => {
                let iv = FixedLength::try_from(message.nonce).ok()?;
                let text = in_place(&mut message);
                key.decrypt(text, DecryptionContext::Iv128(iv)).ok()?;
            }
            Ready::Aead(key) => {
                let nonce = Nonce::try_assume_unique_for_key(message.nonce).ok()?;
                let associated = Aad::from(message.associated);
                match message.expected.is_empty() {
                    true => {
                        let text = in_place(&mut message);
                        let tag = key.seal_in_place_separate_tag(nonce, associated, text).ok()?;
                        message.tag.copy_from_slice(tag.as_ref());
                    }
                    false => {
                        let tag = message.expected;
                        let text = in_place(&mut message);
                        key.open_in_place_separate_tag(nonce, associated, tag, text).ok()?;
                    }
                }
            }
            Ready::Rsa(pair, random) => {
                let signature = &mut message.output[..pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, random, message.input, signature).ok()?;
            }
            Ready::Ecdsa(pair, random) => {
                let signature = pair.sign(random, message.input).ok()?;
                message.output[..signature.as_ref().len()].copy_from_slice(signature.as_ref());
            }
            Ready::Ed25519(pair) => {
                message.output[..64].copy_from_slice(pair.sign(message.input).as_ref());
            }
            Ready::MlDsa(pair) => {
                let len = pair.algorithm().signature_len();
                pair.sign(message.input, &mut message.output[..len]).ok()?;
            }
            Ready::GenerateMlDsa(algorithm) => {
                let pair = PqdsaKeyPair::generate(algorithm).ok()?;
                let private: PqdsaPrivateKeyRaw<'_> = pair.private_key().as_raw_bytes().ok()?;
                let (room, rest) = message.output.split_at_mut(private.as_ref().len());
                room.copy_from_slice(private.as_ref());
                let public = pair.public_key().as_ref();
                rest[..public.len()].copy_from_slice(public);
            }
            Ready::Agree(key) => {
                let other = agreement::UnparsedPublicKey::new(&agreement::X25519, message.input);
                agreement::agree(key, other, Unspecified, |shared| {
                    message.output[..32].copy_from_slice(shared);
                    Ok(())
                })
                .ok()?;
            }
            Ready::Generate(algorithm) => {
                let key = kem::DecapsulationKey::generate(*algorithm).ok()?.key_bytes().ok()?;
                message.output[..key.as_ref().len()].copy_from_slice(key.as_ref());
            }
            Ready::Encapsulate(algorithm) => {
                let key = kem::EncapsulationKey::new(*algorithm, message.input).ok()?;
                let (ciphertext, secret) = key.encapsulate().ok()?;
                let (room, rest) = message.output.split_at_mut(ciphertext.as_ref().len());
                room.copy_from_slice(ciphertext.as_ref());
                rest[..secret.as_ref().len()].copy_from_slice(secret.as_ref());
            }
            Ready::Decapsulate(key, len) => {
                let secret = key.decapsulate((&message.input[..*len]).into()).ok()?;
                message.output[..secret.as_ref().len()].copy_from_slice(secret.as_ref());
            }
            Ready::Hybrid(hybrid) => hybrid.process(message)?,
            Ready::Verify(key) => key.verify_sig(message.input, message.expected).ok()?,
        }
        Some(())
    }
}

/// A public key that is ready to verify signatures of [its scheme](keys::scheme), given as
/// SubjectPublicKeyInfo.
fn verifying(algorithm: PublicKeyAlgorithm, der: &[u8]) -> Result<ParsedPublicKey, Unspecified> {
    let key = match algorithm {
        PublicKeyAlgorithm::Rsa(RsaSize::Rsa1024) => {
            ParsedPublicKey::new(&RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, der)
        }
        PublicKeyAlgorithm::Rsa(_) => ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, der),
        PublicKeyAlgorithm::Ed25519 => ParsedPublicKey::new(&ED25519, der),
        PublicKeyAlgorithm::MlDsa(MlDsaSet::MlDsa44) => ParsedPublicKey::new(&ML_DSA_44, der),
        PublicKeyAlgorithm::MlDsa(MlDsaSet::MlDsa65) => ParsedPublicKey::new(&ML_DSA_65, der),
        PublicKeyAlgorithm::MlDsa(MlDsaSet::MlDsa87) => ParsedPublicKey::new(&ML_DSA_87, der),
        PublicKeyAlgorithm::Ecdsa(Curve::P384) => {
            ParsedPublicKey::new(&ECDSA_P384_SHA384_ASN1, der)
        }
        PublicKeyAlgorithm::Ecdsa(Curve::P521) => {
            ParsedPublicKey::new(&ECDSA_P521_SHA512_ASN1, der)
        }
        PublicKeyAlgorithm::Ecdsa(Curve::Secp256k1) => {
            ParsedPublicKey::new(&ECDSA_P256K1_SHA256_ASN1, der)
        }
        _ => ParsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, der),
    };
    key.map_err(|_| Unspecified)
}

/// How the crate signs on a curve, with the hash of [its scheme](keys::scheme).
fn ecdsa_signing(algorithm: PublicKeyAlgorithm) -> &'static EcdsaSigningAlgorithm {
    match algorithm {
        PublicKeyAlgorithm::Ecdsa(Curve::P384) => &ECDSA_P384_SHA384_ASN1_SIGNING,
        PublicKeyAlgorithm::Ecdsa(Curve::P521) => &ECDSA_P521_SHA512_ASN1_SIGNING,
        PublicKeyAlgorithm::Ecdsa(Curve::Secp256k1) => &ECDSA_P256K1_SHA256_ASN1_SIGNING,
        _ => &ECDSA_P256_SHA256_ASN1_SIGNING,
    }
}
