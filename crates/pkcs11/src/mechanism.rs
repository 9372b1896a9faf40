//! Mechanisms: which there are, with the sizes of their keys and the functions that take them.

use broadloom::algorithm::{AesSize, Algorithm, CipherAlgorithm};
use broadloom::public_key::{Curve, MlDsaSet, MlKemSet, RsaSize, SlhDsaSet};
use broadloom::{AeadAlgorithm, HashAlgorithm, MacAlgorithm, Registry};
use cryptoki_sys::*;

use crate::key;
use crate::memory::Outcome;

/// What a mechanism does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Digest(HashAlgorithm),
    /// An HMAC; with a parameter, the length of its tags.
    Hmac {
        hash: HashAlgorithm,
        general: bool,
    },
    Cmac {
        general: bool,
    },
    Cipher(Mode),
    /// PKCS #1 v1.5: signatures of what the caller has hashed and wrapped, and encryption.
    RsaPkcs,
    /// The bare operation.
    RsaRaw,
    RsaOaep,
    /// PKCS #1 v1.5 signatures of messages.
    RsaPkcsOf(HashAlgorithm),
    /// PSS signatures of digests.
    RsaPss,
    /// PSS signatures of messages.
    RsaPssOf(HashAlgorithm),
    /// ECDSA of what the caller has hashed.
    Ecdsa,
    EcdsaOf(HashAlgorithm),
    Eddsa,
    Ecdh,
    SlhDsa,
    /// HashSLH-DSA of what the caller has hashed.
    SlhDsaOfDigest,
    /// HashSLH-DSA of messages.
    SlhDsaOf(HashAlgorithm),
    MlDsa,
    /// HashML-DSA of what the caller has hashed.
    MlDsaOfDigest,
    /// HashML-DSA of messages.
    MlDsaOf(HashAlgorithm),
    /// Secrets that are encapsulated for a public key.
    MlKem,
    /// Keys under keys of AES, without a padding or with one.
    KeyWrap {
        pads: bool,
    },
    /// A new secret key of this type; of any length where the type has none.
    Generate(CK_KEY_TYPE),
    GeneratePair(Pair),
}

/// Modes of ciphers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Ecb,
    Cbc,
    CbcPad,
    Ctr,
    Gcm,
    ChaChaPoly,
}

/// Kinds of new key pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    Rsa,
    Curve,
    Edwards,
    Montgomery,
    SlhDsa,
    MlDsa,
    MlKem,
}

/// A mechanism.
pub struct Mechanism {
    pub id: CK_MECHANISM_TYPE,
    pub what: What,
}

const fn of(id: CK_MECHANISM_TYPE, what: What) -> Mechanism {
    Mechanism { id, what }
}

/// The mechanisms of one hash: digest, HMAC, HMAC with a length, new key, signatures of RSA and of
/// curves.
macro_rules! hashes {
    ($($hash:ident: $digest:ident $hmac:ident $general:ident $pkcs:ident $pss:ident $ecdsa:ident),+
        $(,)?) => {
        &[$(
            of($digest, What::Digest(HashAlgorithm::$hash)),
            of($hmac, What::Hmac { hash: HashAlgorithm::$hash, general: false }),
            of($general, What::Hmac { hash: HashAlgorithm::$hash, general: true }),
            of($pkcs, What::RsaPkcsOf(HashAlgorithm::$hash)),
            of($pss, What::RsaPssOf(HashAlgorithm::$hash)),
            of($ecdsa, What::EcdsaOf(HashAlgorithm::$hash)),
        )+]
    };
}

const HASHES: &[Mechanism] = hashes!(
    Sha1: CKM_SHA_1 CKM_SHA_1_HMAC CKM_SHA_1_HMAC_GENERAL
        CKM_SHA1_RSA_PKCS CKM_SHA1_RSA_PKCS_PSS CKM_ECDSA_SHA1,
    Sha224: CKM_SHA224 CKM_SHA224_HMAC CKM_SHA224_HMAC_GENERAL
        CKM_SHA224_RSA_PKCS CKM_SHA224_RSA_PKCS_PSS CKM_ECDSA_SHA224,
    Sha256: CKM_SHA256 CKM_SHA256_HMAC CKM_SHA256_HMAC_GENERAL
        CKM_SHA256_RSA_PKCS CKM_SHA256_RSA_PKCS_PSS CKM_ECDSA_SHA256,
    Sha384: CKM_SHA384 CKM_SHA384_HMAC CKM_SHA384_HMAC_GENERAL
        CKM_SHA384_RSA_PKCS CKM_SHA384_RSA_PKCS_PSS CKM_ECDSA_SHA384,
    Sha512: CKM_SHA512 CKM_SHA512_HMAC CKM_SHA512_HMAC_GENERAL
        CKM_SHA512_RSA_PKCS CKM_SHA512_RSA_PKCS_PSS CKM_ECDSA_SHA512,
    Sha3_224: CKM_SHA3_224 CKM_SHA3_224_HMAC CKM_SHA3_224_HMAC_GENERAL
        CKM_SHA3_224_RSA_PKCS CKM_SHA3_224_RSA_PKCS_PSS CKM_ECDSA_SHA3_224,
    Sha3_256: CKM_SHA3_256 CKM_SHA3_256_HMAC CKM_SHA3_256_HMAC_GENERAL
        CKM_SHA3_256_RSA_PKCS CKM_SHA3_256_RSA_PKCS_PSS CKM_ECDSA_SHA3_256,
    Sha3_384: CKM_SHA3_384 CKM_SHA3_384_HMAC CKM_SHA3_384_HMAC_GENERAL
        CKM_SHA3_384_RSA_PKCS CKM_SHA3_384_RSA_PKCS_PSS CKM_ECDSA_SHA3_384,
    Sha3_512: CKM_SHA3_512 CKM_SHA3_512_HMAC CKM_SHA3_512_HMAC_GENERAL
        CKM_SHA3_512_RSA_PKCS CKM_SHA3_512_RSA_PKCS_PSS CKM_ECDSA_SHA3_512,
);

/// Signatures of digests by one family, of each hash that PKCS #11 3.2 names for them.
macro_rules! prehashes {
    ($what:ident: $($id:ident $hash:ident),+ $(,)?) => {
        &[$(of($id, What::$what(HashAlgorithm::$hash)),)+]
    };
}

const HASH_ML_DSA: &[Mechanism] = prehashes!(MlDsaOf:
    CKM_HASH_ML_DSA_SHA224 Sha224,
    CKM_HASH_ML_DSA_SHA256 Sha256,
    CKM_HASH_ML_DSA_SHA384 Sha384,
    CKM_HASH_ML_DSA_SHA512 Sha512,
    CKM_HASH_ML_DSA_SHA3_224 Sha3_224,
    CKM_HASH_ML_DSA_SHA3_256 Sha3_256,
    CKM_HASH_ML_DSA_SHA3_384 Sha3_384,
    CKM_HASH_ML_DSA_SHA3_512 Sha3_512,
    CKM_HASH_ML_DSA_SHAKE128 Shake128,
    CKM_HASH_ML_DSA_SHAKE256 Shake256,
);

const HASH_SLH_DSA: &[Mechanism] = prehashes!(SlhDsaOf:
    CKM_HASH_SLH_DSA_SHA224 Sha224,
    CKM_HASH_SLH_DSA_SHA256 Sha256,
    CKM_HASH_SLH_DSA_SHA384 Sha384,
    CKM_HASH_SLH_DSA_SHA512 Sha512,
    CKM_HASH_SLH_DSA_SHA3_224 Sha3_224,
    CKM_HASH_SLH_DSA_SHA3_256 Sha3_256,
    CKM_HASH_SLH_DSA_SHA3_384 Sha3_384,
    CKM_HASH_SLH_DSA_SHA3_512 Sha3_512,
    CKM_HASH_SLH_DSA_SHAKE128 Shake128,
    CKM_HASH_SLH_DSA_SHAKE256 Shake256,
);

const OTHERS: &[Mechanism] = &[
    of(CKM_MD5, What::Digest(HashAlgorithm::Md5)),
    of(CKM_MD5_HMAC, What::Hmac { hash: HashAlgorithm::Md5, general: false }),
    of(CKM_MD5_HMAC_GENERAL, What::Hmac { hash: HashAlgorithm::Md5, general: true }),
    of(CKM_AES_CMAC, What::Cmac { general: false }),
    of(CKM_AES_CMAC_GENERAL, What::Cmac { general: true }),
    of(CKM_AES_ECB, What::Cipher(Mode::Ecb)),
    of(CKM_AES_CBC, What::Cipher(Mode::Cbc)),
    of(CKM_AES_CBC_PAD, What::Cipher(Mode::CbcPad)),
    of(CKM_AES_CTR, What::Cipher(Mode::Ctr)),
    of(CKM_AES_GCM, What::Cipher(Mode::Gcm)),
    of(CKM_CHACHA20_POLY1305, What::Cipher(Mode::ChaChaPoly)),
    of(CKM_RSA_PKCS, What::RsaPkcs),
    of(CKM_RSA_X_509, What::RsaRaw),
    of(CKM_RSA_PKCS_OAEP, What::RsaOaep),
    of(CKM_RSA_PKCS_PSS, What::RsaPss),
    of(CKM_ECDSA, What::Ecdsa),
    of(CKM_EDDSA, What::Eddsa),
    of(CKM_ECDH1_DERIVE, What::Ecdh),
    of(CKM_SLH_DSA, What::SlhDsa),
    of(CKM_HASH_SLH_DSA, What::SlhDsaOfDigest),
    of(CKM_ML_DSA, What::MlDsa),
    of(CKM_HASH_ML_DSA, What::MlDsaOfDigest),
    of(CKM_ML_KEM, What::MlKem),
    of(CKM_AES_KEY_WRAP, What::KeyWrap { pads: false }),
    // Of this one, the standard does not say the padding; softhsm2 and others have the same.
    of(CKM_AES_KEY_WRAP_PAD, What::KeyWrap { pads: true }),
    of(CKM_AES_KEY_WRAP_KWP, What::KeyWrap { pads: true }),
    of(CKM_AES_KEY_GEN, What::Generate(CKK_AES)),
    of(CKM_CHACHA20_KEY_GEN, What::Generate(CKK_CHACHA20)),
    of(CKM_GENERIC_SECRET_KEY_GEN, What::Generate(CKK_GENERIC_SECRET)),
    of(CKM_RSA_PKCS_KEY_PAIR_GEN, What::GeneratePair(Pair::Rsa)),
    of(CKM_EC_KEY_PAIR_GEN, What::GeneratePair(Pair::Curve)),
    of(CKM_EC_EDWARDS_KEY_PAIR_GEN, What::GeneratePair(Pair::Edwards)),
    of(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, What::GeneratePair(Pair::Montgomery)),
    of(CKM_SLH_DSA_KEY_PAIR_GEN, What::GeneratePair(Pair::SlhDsa)),
    of(CKM_ML_DSA_KEY_PAIR_GEN, What::GeneratePair(Pair::MlDsa)),
    of(CKM_ML_KEM_KEY_PAIR_GEN, What::GeneratePair(Pair::MlKem)),
];

/// The longest key of an HMAC that is made or asked for, in bytes.
pub const LONGEST_SECRET: CK_ULONG = 4096;

/// All mechanisms that are known.
fn all() -> impl Iterator<Item = &'static Mechanism> {
    [OTHERS, HASHES, HASH_ML_DSA, HASH_SLH_DSA].into_iter().flatten()
}

/// All mechanisms that some provider can do on this machine.
pub fn available(registry: &Registry) -> Vec<&'static Mechanism> {
    all().filter(|mechanism| mechanism.what.is_available(registry)).collect()
}

/// The mechanism of a number.
///
/// # Errors
/// `CKR_MECHANISM_INVALID`.
pub fn find(id: CK_MECHANISM_TYPE) -> Outcome<What> {
    let found = all().find(|mechanism| mechanism.id == id);
    found.map(|mechanism| mechanism.what).ok_or(CKR_MECHANISM_INVALID)
}

impl What {
    fn is_available(self, registry: &Registry) -> bool {
        use broadloom::public_key::PublicKeyAlgorithm as Asymmetric;
        let has = |algorithm| registry.default_providers().any(|one| one.supports(algorithm));
        let has_curve = || has(Algorithm::PublicKey(Asymmetric::Ecdsa(Curve::P256)));
        match self {
            What::Digest(hash) => has(Algorithm::Hash(hash)),
            What::Hmac { hash, .. } => has(Algorithm::Mac(MacAlgorithm::Hmac(hash))),
            What::Cmac { .. } => has(Algorithm::Mac(MacAlgorithm::AesCmac(AesSize::Aes128))),
            What::Cipher(mode) => has(match mode {
                Mode::Ecb => Algorithm::Cipher(CipherAlgorithm::AesEcb(AesSize::Aes128)),
                Mode::Cbc | Mode::CbcPad => {
                    Algorithm::Cipher(CipherAlgorithm::AesCbc(AesSize::Aes128))
                }
                Mode::Ctr => Algorithm::Cipher(CipherAlgorithm::AesCtr(AesSize::Aes128)),
                Mode::Gcm => Algorithm::Aead(AeadAlgorithm::AesGcm(AesSize::Aes128)),
                Mode::ChaChaPoly => Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305),
            }),
            What::RsaPkcs
            | What::RsaRaw
            | What::RsaOaep
            | What::RsaPkcsOf(_)
            | What::RsaPss
            | What::RsaPssOf(_) => has(Algorithm::PublicKey(Asymmetric::Rsa(RsaSize::Rsa2048))),
            What::Ecdsa | What::EcdsaOf(_) => has_curve(),
            What::Ecdh => has(Algorithm::PublicKey(Asymmetric::Ecdh(Curve::P256))),
            What::Eddsa | What::GeneratePair(Pair::Edwards) => {
                has(Algorithm::PublicKey(Asymmetric::Ed25519))
            }
            What::GeneratePair(Pair::Montgomery) => has(Algorithm::PublicKey(Asymmetric::X25519)),
            What::SlhDsa
            | What::SlhDsaOfDigest
            | What::SlhDsaOf(_)
            | What::GeneratePair(Pair::SlhDsa) => {
                has(Algorithm::PublicKey(Asymmetric::SlhDsa(SlhDsaSet::Sha2_128f)))
            }
            What::MlDsa
            | What::MlDsaOfDigest
            | What::MlDsaOf(_)
            | What::GeneratePair(Pair::MlDsa) => {
                has(Algorithm::PublicKey(Asymmetric::MlDsa(MlDsaSet::MlDsa65)))
            }
            What::MlKem | What::GeneratePair(Pair::MlKem) => {
                has(Algorithm::PublicKey(Asymmetric::MlKem(MlKemSet::MlKem768)))
            }
            What::KeyWrap { .. } | What::Generate(_) => true,
            // Such keys are made by libcrypto.
            What::GeneratePair(Pair::Rsa | Pair::Curve) => {
                broadloom_openssl::evp::Libcrypto::get().is_ok()
            }
        }
    }

    /// Sizes of keys, and functions, as `C_GetMechanismInfo` reports them.
    pub fn info(self) -> CK_MECHANISM_INFO {
        let signs = CKF_SIGN | CKF_VERIFY;
        let encrypts = CKF_ENCRYPT | CKF_DECRYPT;
        let wraps = CKF_WRAP | CKF_UNWRAP;
        let encapsulates = CKF_ENCAPSULATE | CKF_DECAPSULATE;
        let curve = CKF_EC_F_P | CKF_EC_F_2M | CKF_EC_NAMEDCURVE | CKF_EC_UNCOMPRESS;
        let (min, max, flags) = match self {
            What::Digest(_) => (0, 0, CKF_DIGEST),
            What::Hmac { .. } => (1, LONGEST_SECRET, signs),
            What::Cmac { .. } => (16, 32, signs),
            What::Cipher(Mode::ChaChaPoly) => (32, 32, encrypts),
            What::Cipher(_) => (16, 32, encrypts),
            What::RsaPkcs => (1024, 4096, signs | encrypts | wraps),
            What::RsaRaw => (1024, 4096, signs | encrypts),
            What::RsaOaep => (1024, 4096, encrypts | wraps),
            What::KeyWrap { .. } => (16, 32, wraps),
            What::RsaPkcsOf(_) | What::RsaPss | What::RsaPssOf(_) => (1024, 4096, signs),
            What::Ecdsa | What::EcdsaOf(_) => (256, 521, signs | curve),
            What::Eddsa => (255, 255, signs | CKF_EC_F_P),
            What::Ecdh => (255, 521, CKF_DERIVE | curve),
            // Of these, the sizes are those of public keys in bytes.
            What::SlhDsa | What::SlhDsaOfDigest | What::SlhDsaOf(_) => (32, 64, signs),
            What::MlDsa | What::MlDsaOfDigest | What::MlDsaOf(_) => (1312, 2592, signs),
            What::MlKem => (800, 1568, encapsulates),
            What::GeneratePair(Pair::SlhDsa) => (32, 64, CKF_GENERATE_KEY_PAIR),
            What::GeneratePair(Pair::MlDsa) => (1312, 2592, CKF_GENERATE_KEY_PAIR),
            What::GeneratePair(Pair::MlKem) => (800, 1568, CKF_GENERATE_KEY_PAIR),
            What::Generate(CKK_AES) => (16, 32, CKF_GENERATE),
            What::Generate(CKK_CHACHA20) => (32, 32, CKF_GENERATE),
            What::Generate(_) => (1, LONGEST_SECRET, CKF_GENERATE),
            What::GeneratePair(Pair::Rsa) => (1024, 4096, CKF_GENERATE_KEY_PAIR),
            What::GeneratePair(Pair::Curve) => (256, 521, CKF_GENERATE_KEY_PAIR | curve),
            What::GeneratePair(_) => (255, 255, CKF_GENERATE_KEY_PAIR | CKF_EC_F_P),
        };
        CK_MECHANISM_INFO { ulMinKeySize: min, ulMaxKeySize: max, flags }
    }

    /// Returns `true` if the mechanism takes keys of a type.
    pub fn takes(self, key_type: CK_KEY_TYPE) -> bool {
        match self {
            What::Hmac { .. } => key::is_hmac(key_type),
            What::Cipher(Mode::ChaChaPoly) => key_type == CKK_CHACHA20,
            What::Cmac { .. } | What::Cipher(_) | What::KeyWrap { .. } => key_type == CKK_AES,
            What::Ecdsa | What::EcdsaOf(_) => key_type == CKK_EC,
            What::Eddsa => key_type == CKK_EC_EDWARDS,
            What::Ecdh => matches!(key_type, CKK_EC | CKK_EC_MONTGOMERY),
            What::SlhDsa | What::SlhDsaOfDigest | What::SlhDsaOf(_) => key_type == CKK_SLH_DSA,
            What::MlDsa | What::MlDsaOfDigest | What::MlDsaOf(_) => key_type == CKK_ML_DSA,
            What::MlKem => key_type == CKK_ML_KEM,
            What::Digest(_) | What::Generate(_) | What::GeneratePair(_) => false,
            _ => key_type == CKK_RSA,
        }
    }
}

/// The hash of a mechanism that digests, if HashML-DSA and HashSLH-DSA take its digests.
pub fn prehash(id: CK_MECHANISM_TYPE) -> Option<HashAlgorithm> {
    let takes = |hash: &HashAlgorithm| {
        HASH_ML_DSA.iter().any(|mechanism| mechanism.what == What::MlDsaOf(*hash))
    };
    hash(id).filter(takes)
}

/// The hash of a mechanism that digests.
pub fn hash(id: CK_MECHANISM_TYPE) -> Option<HashAlgorithm> {
    match find(id) {
        Ok(What::Digest(hash)) => Some(hash),
        _ => None,
    }
}
