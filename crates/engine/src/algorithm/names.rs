//! The names of algorithms and directions, which command lines and JSON share.

use std::fmt;
use std::str::FromStr;

use super::{
    AeadAlgorithm, Algorithm, ChainOrder, CipherAlgorithm, CompressionAlgorithm, Direction,
    HashAlgorithm, MacAlgorithm, XtsSize,
};

impl fmt::Display for HashAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for CompressionAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for MacAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MacAlgorithm::Hmac(hash) => write!(f, "hmac-{hash}"),
            MacAlgorithm::AesCmac(size) => write!(f, "aes-{}-cmac", size.key_len() * 8),
            MacAlgorithm::AesGmac(size) => write!(f, "aes-{}-gmac", size.key_len() * 8),
            MacAlgorithm::AesXcbc => f.write_str("aes-128-xcbc"),
            MacAlgorithm::KasumiF9 => f.write_str("kasumi-f9"),
        }
    }
}

impl fmt::Display for CipherAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, mode) = match self {
            CipherAlgorithm::AesCbc(size) => (size, "cbc"),
            CipherAlgorithm::AesCtr(size) => (size, "ctr"),
            CipherAlgorithm::AesCtr32(size) => (size, "ctr32"),
            CipherAlgorithm::AesCfb(size) => (size, "cfb"),
            CipherAlgorithm::AesOfb(size) => (size, "ofb"),
            CipherAlgorithm::AesEcb(size) => (size, "ecb"),
            CipherAlgorithm::AesXts(XtsSize::Aes128) => return f.write_str("aes-128-xts"),
            CipherAlgorithm::AesXts(XtsSize::Aes256) => return f.write_str("aes-256-xts"),
            CipherAlgorithm::ChaCha20 => return f.write_str("chacha20"),
            CipherAlgorithm::TripleDesCbc => return f.write_str("3des-cbc"),
            CipherAlgorithm::TripleDesCtr => return f.write_str("3des-ctr"),
            CipherAlgorithm::TripleDesEcb => return f.write_str("3des-ecb"),
            CipherAlgorithm::DesCbc => return f.write_str("des-cbc"),
            CipherAlgorithm::DesCtr => return f.write_str("des-ctr"),
            CipherAlgorithm::DesEcb => return f.write_str("des-ecb"),
            CipherAlgorithm::KasumiF8 => return f.write_str("kasumi-f8"),
            CipherAlgorithm::Rc4 => return f.write_str("rc4"),
        };
        write!(f, "aes-{}-{mode}", size.key_len() * 8)
    }
}

impl fmt::Display for AeadAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AeadAlgorithm::AesGcm(size) => write!(f, "aes-{}-gcm", size.key_len() * 8),
            AeadAlgorithm::AesCcm(size) => write!(f, "aes-{}-ccm", size.key_len() * 8),
            AeadAlgorithm::ChaCha20Poly1305 => f.write_str("chacha20-poly1305"),
            AeadAlgorithm::XChaCha20Poly1305 => f.write_str("xchacha20-poly1305"),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Hash(hash) => write!(f, "{hash}"),
            Algorithm::Mac(mac) => write!(f, "{mac}"),
            Algorithm::Cipher(cipher) => write!(f, "{cipher}"),
            Algorithm::Aead(aead) => write!(f, "{aead}"),
            Algorithm::Compression(compression) => write!(f, "{compression}"),
            Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac) => write!(f, "{cipher}+{mac}"),
            Algorithm::Chain(cipher, mac, ChainOrder::MacThenCipher) => write!(f, "{mac}+{cipher}"),
        }
    }
}

/// A name that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no {what}; valid: {valid}")]
pub struct NameError {
    /// What kind of name was expected.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names that would be right.
    pub valid: String,
}

/// The value that prints as `name`.
fn find<T: fmt::Display>(name: &str, all: impl Iterator<Item = T>) -> Option<T> {
    let mut all = all;
    all.find(|value| value.to_string() == name)
}

fn names<T: fmt::Display>(all: impl Iterator<Item = T>) -> String {
    all.map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Direction {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let all = || Direction::ALL.into_iter();
        find(name, all()).ok_or_else(|| NameError {
            what: "direction",
            name: name.to_owned(),
            valid: names(all()),
        })
    }
}

impl FromStr for Algorithm {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let chain = |(first, second): (&str, &str)| {
            let halves = (first.parse().ok()?, second.parse().ok()?);
            match halves {
                (Algorithm::Cipher(cipher), Algorithm::Mac(mac)) => {
                    Some(Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac))
                }
                (Algorithm::Mac(mac), Algorithm::Cipher(cipher)) => {
                    Some(Algorithm::Chain(cipher, mac, ChainOrder::MacThenCipher))
                }
                _ => None,
            }
        };
        let found = match name.split_once('+') {
            Some(halves) => chain(halves),
            None => find(name, Algorithm::all().chain([Algorithm::Cipher(CipherAlgorithm::Rc4)])),
        };
        found.ok_or_else(|| NameError {
            what: "algorithm",
            name: name.to_owned(),
            valid: format!("{}, and chains CIPHER+MAC and MAC+CIPHER", names(Algorithm::all())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AesSize;

    #[test]
    fn every_algorithm_parses_from_what_it_prints() {
        let chains = [ChainOrder::CipherThenMac, ChainOrder::MacThenCipher].map(|order| {
            let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
            Algorithm::Chain(CipherAlgorithm::AesCbc(AesSize::Aes128), mac, order)
        });
        for algorithm in Algorithm::all().chain(chains) {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        assert_eq!(chains[0].to_string(), "aes-128-cbc+hmac-sha1");
        assert_eq!(chains[1].to_string(), "hmac-sha1+aes-128-cbc");
    }

    #[test]
    fn wrong_names_are_told_the_right_ones() {
        for name in ["", "aes", "aes-128-cbc+", "sha1+md5", "aes-128-gcm+hmac-sha1", "SHA1"] {
            let error = name.parse::<Algorithm>().expect_err(name);
            assert_eq!(error.name, name);
            assert!(error.to_string().contains("chacha20-poly1305"), "{error}");
        }
        let error = "sign".parse::<Direction>().expect_err("no such direction").to_string();
        assert_eq!(
            error,
            "\"sign\" is no direction; valid: digest, generate, verify, encrypt, decrypt, seal, open, \
             compress, decompress"
        );
    }
}
