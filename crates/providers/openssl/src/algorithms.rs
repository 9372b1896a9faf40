//! Algorithms of this libcrypto, fetched once, with libcrypto's names.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, HashAlgorithm, MacAlgorithm, XtsSize,
};

use crate::evp::{Cipher, Digest, EvpError, Libcrypto, Mac};
use crate::public_key;

/// Algorithms by libcrypto's names for them; those that it lacks are not in there.
pub(crate) struct Algorithms {
    library: &'static Libcrypto,
    digests: BTreeMap<HashAlgorithm, Digest>,
    macs: BTreeMap<&'static CStr, Mac>,
    ciphers: BTreeMap<&'static CStr, Cipher>,
}

pub(crate) const HMAC: &CStr = c"HMAC";
pub(crate) const CMAC: &CStr = c"CMAC";
pub(crate) const KMAC128: &CStr = c"KMAC-128";
pub(crate) const KMAC256: &CStr = c"KMAC-256";

impl Algorithms {
    /// Fetches all that the library has; with `legacy` also what is broken.
    pub(crate) fn fetch(library: &'static Libcrypto, legacy: bool) -> Algorithms {
        let digests = HashAlgorithm::all().filter_map(|hash| {
            let name = digest_name(hash);
            let digest = match hash.is_extendable() {
                true => Digest::fetch_extendable(library, &name),
                false => Digest::fetch(library, &name),
            };
            Some((hash, digest.ok()?))
        });
        let macs = [HMAC, CMAC, KMAC128, KMAC256].into_iter();
        let macs = macs.filter_map(|name| Some((name, Mac::fetch(library, name).ok()?)));
        let ciphers = CipherAlgorithm::all().filter_map(cipher_name);
        let ciphers = ciphers.chain(AeadAlgorithm::all().filter_map(aead_name));
        let ciphers = ciphers.filter_map(|name| Some((name, fetch(library, name, legacy).ok()?)));
        Algorithms {
            library,
            digests: digests.collect(),
            macs: macs.collect(),
            ciphers: ciphers.collect(),
        }
    }

    pub(crate) fn digest(&self, hash: HashAlgorithm) -> Result<&Digest, ProviderError> {
        self.digests.get(&hash).ok_or_else(|| self.lacking(&digest_name(hash)))
    }

    pub(crate) fn mac(&self, name: &'static CStr) -> Result<&Mac, ProviderError> {
        self.macs.get(name).ok_or_else(|| self.lacking(name))
    }

    pub(crate) fn cipher(&self, name: &'static CStr) -> Result<&Cipher, ProviderError> {
        self.ciphers.get(name).ok_or_else(|| self.lacking(name))
    }

    /// The error for an algorithm of which libcrypto has not even a name.
    pub(crate) fn unknown(algorithm: Algorithm) -> ProviderError {
        ProviderError::new(format!("libcrypto has no {algorithm}"))
    }

    /// Returns `true` if there is all that an algorithm needs.
    pub(crate) fn support(&self, algorithm: Algorithm) -> bool {
        let fetched =
            |name: Option<&CStr>| name.is_some_and(|name| self.ciphers.contains_key(name));
        let cipher = |cipher| fetched(cipher_name(cipher));
        let mac = |mac| match mac {
            MacAlgorithm::Hmac(hash) => {
                self.macs.contains_key(HMAC)
                    && self.digests.contains_key(&hash)
                    && !hash.is_extendable()
            }
            MacAlgorithm::Kmac128 => self.macs.contains_key(KMAC128),
            MacAlgorithm::Kmac256 => self.macs.contains_key(KMAC256),
            MacAlgorithm::AesCmac(size) => {
                self.macs.contains_key(CMAC) && cipher(CipherAlgorithm::AesCbc(size))
            }
            MacAlgorithm::AesGmac(size) => fetched(aead_name(AeadAlgorithm::AesGcm(size))),
            _ => false,
        };
        match algorithm {
            Algorithm::Hash(hash) => self.digests.contains_key(&hash),
            Algorithm::Mac(algorithm) => mac(algorithm),
            Algorithm::Cipher(algorithm) => cipher(algorithm),
            Algorithm::Aead(aead) => fetched(aead_name(aead)),
            Algorithm::Chain(half, other, _) => cipher(half) && mac(other),
            Algorithm::PublicKey(algorithm) => public_key::supports(algorithm),
            _ => false,
        }
    }

    fn lacking(&self, name: &CStr) -> ProviderError {
        let (version, name) = (self.library.version(), name.to_string_lossy());
        ProviderError::new(format!("{version}, as it is configured here, has no {name}"))
    }
}

fn fetch(
    library: &'static Libcrypto,
    name: &'static CStr,
    legacy: bool,
) -> Result<Cipher, EvpError> {
    match Cipher::fetch(library, name) {
        Err(_) if legacy => Cipher::fetch_legacy(library, name),
        found => found,
    }
}

/// libcrypto knows every hash by its usual name.
pub(crate) fn digest_name(hash: HashAlgorithm) -> CString {
    CString::new(hash.name().to_ascii_uppercase()).expect("names have no zero byte")
}

/// The name of a cipher, if there may be such a cipher.
///
/// EVP has no CTR mode of DES and triple DES: that is ECB over counters. Its own CTR mode counts
/// with 128 bits, which is the same where 32 do not pass zero.
pub(crate) fn cipher_name(cipher: CipherAlgorithm) -> Option<&'static CStr> {
    let of = |size: AesSize, names: [&'static CStr; 3]| names[size as usize];
    Some(match cipher {
        CipherAlgorithm::AesCbc(size) => of(size, [c"AES-128-CBC", c"AES-192-CBC", c"AES-256-CBC"]),
        CipherAlgorithm::AesCtr(size) | CipherAlgorithm::AesCtr32(size) => {
            of(size, [c"AES-128-CTR", c"AES-192-CTR", c"AES-256-CTR"])
        }
        CipherAlgorithm::AesCfb(size) => of(size, [c"AES-128-CFB", c"AES-192-CFB", c"AES-256-CFB"]),
        CipherAlgorithm::AesOfb(size) => of(size, [c"AES-128-OFB", c"AES-192-OFB", c"AES-256-OFB"]),
        CipherAlgorithm::AesEcb(size) => of(size, [c"AES-128-ECB", c"AES-192-ECB", c"AES-256-ECB"]),
        CipherAlgorithm::AesXts(XtsSize::Aes128) => c"AES-128-XTS",
        CipherAlgorithm::AesXts(XtsSize::Aes256) => c"AES-256-XTS",
        CipherAlgorithm::ChaCha20 => c"ChaCha20",
        CipherAlgorithm::TripleDesCbc => c"DES-EDE3-CBC",
        CipherAlgorithm::TripleDesCtr | CipherAlgorithm::TripleDesEcb => c"DES-EDE3-ECB",
        CipherAlgorithm::DesCbc => c"DES-CBC",
        CipherAlgorithm::DesCtr | CipherAlgorithm::DesEcb => c"DES-ECB",
        CipherAlgorithm::Rc4 => c"RC4",
        _ => return None,
    })
}

pub(crate) fn aead_name(aead: AeadAlgorithm) -> Option<&'static CStr> {
    Some(match aead {
        AeadAlgorithm::AesGcm(AesSize::Aes128) => c"AES-128-GCM",
        AeadAlgorithm::AesGcm(AesSize::Aes192) => c"AES-192-GCM",
        AeadAlgorithm::AesGcm(AesSize::Aes256) => c"AES-256-GCM",
        AeadAlgorithm::AesCcm(AesSize::Aes128) => c"AES-128-CCM",
        AeadAlgorithm::AesCcm(AesSize::Aes192) => c"AES-192-CCM",
        AeadAlgorithm::AesCcm(AesSize::Aes256) => c"AES-256-CCM",
        AeadAlgorithm::ChaCha20Poly1305 => c"ChaCha20-Poly1305",
        _ => return None,
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_lacking_is_said_by_name() {
        let Some(library) = crate::tests::library() else { return };
        let mut algorithms = Algorithms::fetch(library, true);
        let beyond = [
            "aes-128-xcbc",
            "blake3",
            "blake3-keyed",
            "kasumi-f8",
            "kasumi-f9",
            "xchacha20-poly1305",
        ];
        for algorithm in Algorithm::simple() {
            let name = algorithm.to_string();
            assert!(algorithms.support(algorithm) || beyond.contains(&&*name), "{name}");
        }
        algorithms.ciphers.remove(c"DES-EDE3-ECB");
        algorithms.digests.remove(&HashAlgorithm::Md5);
        let lacking = Algorithm::simple().filter(|algorithm| !algorithms.support(*algorithm));
        let lacking = lacking.map(|algorithm| algorithm.to_string());
        let lacking: Vec<_> = lacking.filter(|name| !beyond.contains(&&**name)).collect();
        assert_eq!(lacking, ["md5", "hmac-md5", "3des-ctr", "3des-ecb"]);
        assert!(!algorithms.support("3des-ctr+hmac-sha1".parse().expect("a chain")));
        let error = algorithms.digest(HashAlgorithm::Md5).err().expect("it was removed").reason;
        assert!(error.starts_with("OpenSSL ") && error.ends_with("has no MD5"), "{error}");
    }
}
