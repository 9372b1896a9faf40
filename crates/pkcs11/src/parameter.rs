//! Parameters of mechanisms: from the caller's memory to values of our own.

use broadloom::HashAlgorithm;
use cryptoki_sys::*;

use crate::mechanism;
use crate::memory::{self, Outcome};

/// A mechanism as a caller gives it.
///
/// It is made of a pointer that is good until the call returns, and so are the pointers in its
/// parameter: that is what [`Given::new`] asks for.
pub struct Given<'c> {
    pub id: CK_MECHANISM_TYPE,
    mechanism: &'c CK_MECHANISM,
}

/// The longest context string of a signature, in bytes (FIPS 204, 5.2; FIPS 205, 10.2.1).
const LONGEST_CONTEXT: CK_ULONG = 255;

/// Parameters of an AEAD.
pub struct Aead {
    pub nonce: Vec<u8>,
    pub associated: Vec<u8>,
    pub tag_len: usize,
}

/// Parameters of a signature that FIPS 204 or 205 specifies.
pub struct Signature {
    /// `true` if the signature has fresh randomness.
    pub is_hedged: bool,
    /// The context string.
    pub context: Vec<u8>,
}

/// Parameters of an agreement.
pub struct Agreement {
    /// The hash that derives the key; without one, the shared secret is the key.
    pub hash: Option<HashAlgorithm>,
    pub shared: Vec<u8>,
    pub public: Vec<u8>,
}

impl<'c> Given<'c> {
    /// # Safety
    /// The pointer is null or points to a mechanism, whose parameter is what the mechanism has, all
    /// valid until the call returns.
    pub unsafe fn new(mechanism: *const CK_MECHANISM) -> Outcome<Given<'c>> {
        // SAFETY: passed on to the caller.
        let mechanism = unsafe { mechanism.as_ref() }.ok_or(CKR_ARGUMENTS_BAD)?;
        Ok(Given { id: mechanism.mechanism, mechanism })
    }

    /// The bytes of the parameter.
    pub fn bytes(&self) -> Outcome<&'c [u8]> {
        let CK_MECHANISM { pParameter, ulParameterLen, .. } = *self.mechanism;
        // SAFETY: as `new` asks.
        let bytes = unsafe { memory::read(pParameter.cast::<u8>(), ulParameterLen) };
        bytes.map_err(|_| CKR_MECHANISM_PARAM_INVALID)
    }

    /// # Errors
    /// `CKR_MECHANISM_PARAM_INVALID`: there is one.
    pub fn none(&self) -> Outcome {
        if self.bytes()?.is_empty() { Ok(()) } else { Err(CKR_MECHANISM_PARAM_INVALID) }
    }

    /// The structure that the parameter is. It need not be aligned.
    fn structure<T: Copy>(&self) -> Outcome<T> {
        let bytes = self.bytes()?;
        if bytes.len() != size_of::<T>() {
            return Err(CKR_MECHANISM_PARAM_INVALID);
        }
        // SAFETY: there are as many bytes, and the structures of PKCS #11 are numbers and pointers,
        // for which any bytes will do.
        Ok(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }

    /// The bytes that a structure points to.
    fn pointed(&self, pointer: *const u8, len: CK_ULONG) -> Outcome<Vec<u8>> {
        // SAFETY: as `new` asks.
        let bytes = unsafe { memory::read(pointer, len) };
        bytes.map(<[u8]>::to_vec).map_err(|_| CKR_MECHANISM_PARAM_INVALID)
    }

    /// An initialization vector of a block.
    pub fn iv(&self) -> Outcome<[u8; 16]> {
        self.bytes()?.try_into().map_err(|_| CKR_MECHANISM_PARAM_INVALID)
    }

    /// The first counter block, and how many of its bits count.
    pub fn counter(&self) -> Outcome<([u8; 16], u32)> {
        let parameters: CK_AES_CTR_PARAMS = self.structure()?;
        match u32::try_from(parameters.ulCounterBits) {
            Ok(bits @ 1..=128) => Ok((parameters.cb, bits)),
            _ => Err(CKR_MECHANISM_PARAM_INVALID),
        }
    }

    /// The value that a wrapping by AES begins with, which is that of the standard or left out.
    ///
    /// # Errors
    /// `CKR_MECHANISM_PARAM_INVALID`: it is another one.
    pub fn default_wrap_value(&self, pads: bool) -> Outcome {
        // RFC 3394, 2.2.3.1; RFC 5649, 3.
        let default: &[u8] = if pads { &[0xa6, 0x59, 0x59, 0xa6] } else { &[0xa6; 8] };
        let given = self.bytes()?;
        let is_default = given.is_empty() || given == default;
        if is_default { Ok(()) } else { Err(CKR_MECHANISM_PARAM_INVALID) }
    }

    /// The length of a tag, at most so many bytes.
    pub fn tag_len(&self, most: usize) -> Outcome<usize> {
        let len: CK_MAC_GENERAL_PARAMS = self.structure()?;
        match usize::try_from(len) {
            Ok(len) if (4..=most).contains(&len) => Ok(len),
            _ => Err(CKR_MECHANISM_PARAM_INVALID),
        }
    }

    pub fn gcm(&self) -> Outcome<Aead> {
        let parameters: CK_GCM_PARAMS = self.structure()?;
        let bits = parameters.ulTagBits;
        if !bits.is_multiple_of(8) || !matches!(bits, 32 | 64 | 96..=128) || parameters.ulIvLen == 0
        {
            return Err(CKR_MECHANISM_PARAM_INVALID);
        }
        Ok(Aead {
            nonce: self.pointed(parameters.pIv, parameters.ulIvLen)?,
            associated: self.pointed(parameters.pAAD, parameters.ulAADLen)?,
            tag_len: bits as usize / 8,
        })
    }

    pub fn chacha_poly(&self) -> Outcome<Aead> {
        let parameters: CK_SALSA20_CHACHA20_POLY1305_PARAMS = self.structure()?;
        if parameters.ulNonceLen != 12 {
            return Err(CKR_MECHANISM_PARAM_INVALID);
        }
        Ok(Aead {
            nonce: self.pointed(parameters.pNonce, 12)?,
            associated: self.pointed(parameters.pAAD, parameters.ulAADLen)?,
            tag_len: 16,
        })
    }

    /// The hash of PSS, which MGF1 has, too, and the length of the salt.
    pub fn pss(&self) -> Outcome<(HashAlgorithm, usize)> {
        let parameters: CK_RSA_PKCS_PSS_PARAMS = self.structure()?;
        let hash = hash_with_mask(parameters.hashAlg, parameters.mgf)?;
        Ok((hash, memory::length(parameters.sLen).map_err(|_| CKR_MECHANISM_PARAM_INVALID)?))
    }

    /// The hash of OAEP, which MGF1 has, too. The label is empty.
    pub fn oaep(&self) -> Outcome<HashAlgorithm> {
        let parameters: CK_RSA_PKCS_OAEP_PARAMS = self.structure()?;
        let has_label = parameters.ulSourceDataLen != 0;
        let is_source = matches!(parameters.source, 0 | CKZ_DATA_SPECIFIED);
        if has_label || !is_source {
            return Err(CKR_MECHANISM_PARAM_INVALID);
        }
        hash_with_mask(parameters.hashAlg, parameters.mgf)
    }

    /// # Errors
    /// `CKR_MECHANISM_PARAM_INVALID`: a variant of Ed25519 with a context or for digests.
    pub fn plain_eddsa(&self) -> Outcome {
        if self.bytes()?.is_empty() {
            return Ok(());
        }
        let parameters: CK_EDDSA_PARAMS = self.structure()?;
        let is_plain = parameters.phFlag == CK_FALSE && parameters.ulContextDataLen == 0;
        if is_plain { Ok(()) } else { Err(CKR_MECHANISM_PARAM_INVALID) }
    }

    /// The optional parameter of a signature of SLH-DSA or ML-DSA. Where the caller leaves the
    /// choice, signatures have fresh randomness.
    ///
    /// # Errors
    /// `CKR_MECHANISM_PARAM_INVALID`: a choice that there is not, or a context string of more than
    /// 255 bytes.
    pub fn signature(&self) -> Outcome<Signature> {
        if self.bytes()?.is_empty() {
            return Ok(Signature { is_hedged: true, context: Vec::new() });
        }
        self.signature_under(self.structure()?)
    }

    /// The parameter of a signature of HashML-DSA or HashSLH-DSA over a digest that the caller has
    /// made: as [`signature`](Given::signature), and the hash.
    ///
    /// # Errors
    /// As [`signature`](Given::signature). `CKR_MECHANISM_PARAM_INVALID`: a mechanism that is no
    /// hash, or a hash whose digests they do not sign.
    pub fn digest_signature(&self) -> Outcome<(Signature, HashAlgorithm)> {
        let parameters: CK_HASH_SIGN_ADDITIONAL_CONTEXT = self.structure()?;
        let CK_HASH_SIGN_ADDITIONAL_CONTEXT { hedgeVariant, pContext, ulContextLen, hash } =
            parameters;
        let hash = mechanism::prehash(hash).ok_or(CKR_MECHANISM_PARAM_INVALID)?;
        let rest = CK_SIGN_ADDITIONAL_CONTEXT { hedgeVariant, pContext, ulContextLen };
        Ok((self.signature_under(rest)?, hash))
    }

    fn signature_under(&self, parameters: CK_SIGN_ADDITIONAL_CONTEXT) -> Outcome<Signature> {
        let is_hedged = match parameters.hedgeVariant {
            CKH_HEDGE_PREFERRED | CKH_HEDGE_REQUIRED => true,
            CKH_DETERMINISTIC_REQUIRED => false,
            _ => return Err(CKR_MECHANISM_PARAM_INVALID),
        };
        if parameters.ulContextLen > LONGEST_CONTEXT {
            return Err(CKR_MECHANISM_PARAM_INVALID);
        }
        let context = self.pointed(parameters.pContext, parameters.ulContextLen)?;
        Ok(Signature { is_hedged, context })
    }

    pub fn agreement(&self) -> Outcome<Agreement> {
        let parameters: CK_ECDH1_DERIVE_PARAMS = self.structure()?;
        let hash = match parameters.kdf {
            CKD_NULL => None,
            CKD_SHA1_KDF => Some(HashAlgorithm::Sha1),
            CKD_SHA224_KDF => Some(HashAlgorithm::Sha224),
            CKD_SHA256_KDF => Some(HashAlgorithm::Sha256),
            CKD_SHA384_KDF => Some(HashAlgorithm::Sha384),
            CKD_SHA512_KDF => Some(HashAlgorithm::Sha512),
            _ => return Err(CKR_MECHANISM_PARAM_INVALID),
        };
        let shared = self.pointed(parameters.pSharedData, parameters.ulSharedDataLen)?;
        if hash.is_none() && !shared.is_empty() {
            return Err(CKR_MECHANISM_PARAM_INVALID);
        }
        let public = self.pointed(parameters.pPublicData, parameters.ulPublicDataLen)?;
        Ok(Agreement { hash, shared, public })
    }
}

/// The hash of a padding. The engine has no other for MGF1.
fn hash_with_mask(id: CK_MECHANISM_TYPE, mask: CK_RSA_PKCS_MGF_TYPE) -> Outcome<HashAlgorithm> {
    let hash = mechanism::hash(id).ok_or(CKR_MECHANISM_PARAM_INVALID)?;
    let own = match hash {
        HashAlgorithm::Sha1 => CKG_MGF1_SHA1,
        HashAlgorithm::Sha224 => CKG_MGF1_SHA224,
        HashAlgorithm::Sha256 => CKG_MGF1_SHA256,
        HashAlgorithm::Sha384 => CKG_MGF1_SHA384,
        HashAlgorithm::Sha512 => CKG_MGF1_SHA512,
        HashAlgorithm::Sha3_224 => CKG_MGF1_SHA3_224,
        HashAlgorithm::Sha3_256 => CKG_MGF1_SHA3_256,
        HashAlgorithm::Sha3_384 => CKG_MGF1_SHA3_384,
        HashAlgorithm::Sha3_512 => CKG_MGF1_SHA3_512,
        _ => return Err(CKR_MECHANISM_PARAM_INVALID),
    };
    if mask == own { Ok(hash) } else { Err(CKR_MECHANISM_PARAM_INVALID) }
}
