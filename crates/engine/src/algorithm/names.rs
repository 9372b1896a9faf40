//! The names of algorithms and directions, which command lines and JSON share.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::{
    AeadAlgorithm, Algorithm, ChainOrder, CipherAlgorithm, CompressionAlgorithm, Direction,
    HashAlgorithm, MacAlgorithm, PublicKeyAlgorithm,
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

/// Prints the parts of the name that the table has.
macro_rules! printed {
    ($($enum:ident),*) => { $(
        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.row().name.into_iter().try_for_each(|part| f.write_str(part))
            }
        }
    )* };
}

printed!(MacAlgorithm, CipherAlgorithm, AeadAlgorithm, PublicKeyAlgorithm);

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Chain(cipher, mac, ChainOrder::CipherThenMac) => write!(f, "{cipher}+{mac}"),
            Algorithm::Chain(cipher, mac, ChainOrder::MacThenCipher) => write!(f, "{mac}+{cipher}"),
            _ => self.row().name.into_iter().try_for_each(|part| f.write_str(part)),
        }
    }
}

/// A name that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError {
    /// What kind of name was expected.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names that would be right.
    pub valid: String,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NameError { what, name, valid } = self;
        write!(f, "{name:?} is no {what}; valid: {valid}")
    }
}

impl Error for NameError {}

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
            None => Algorithm::known().find(|algorithm| {
                algorithm.to_string() == name || algorithm.row().aliases.contains(&name)
            }),
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
    fn names_are_those_of_the_field() {
        let names: Vec<_> = Algorithm::all().map(|algorithm| algorithm.to_string()).collect();
        for name in [
            "md5",
            "sha512",
            "hmac-sha384",
            "aes-192-cmac",
            "aes-128-xcbc",
            "kasumi-f9",
            "aes-256-ctr32",
            "aes-256-xts",
            "3des-cbc",
            "des-ecb",
            "aes-192-gcm",
            "lz4",
            "rsa-2048",
            "ecdsa-p256",
            "ecdsa-p384",
            "ecdh-p384",
            "ecdsa-p521",
            "ecdh-p521",
            "ecdsa-secp256k1",
            "ecdsa-k283",
            "ecdh-b283",
            "x25519",
            "slh-dsa-sha2-128f",
            "slh-dsa-shake-256s",
            "ml-dsa-44",
            "ml-dsa-87",
            "ml-kem-512",
            "ml-kem-1024",
            "x25519-ml-kem-768",
            "p256-ml-kem-768",
        ] {
            assert!(names.iter().any(|other| other == name), "{name}");
        }
        let alone: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(alone.len(), names.len());
    }

    #[test]
    fn aliases_are_parsed_and_never_a_name_of_another() {
        assert_eq!("sha-256".parse(), Ok(Algorithm::Hash(HashAlgorithm::Sha256)));
        assert_eq!("des-ede3-cbc".parse(), Ok(Algorithm::Cipher(CipherAlgorithm::TripleDesCbc)));
        for algorithm in Algorithm::known() {
            for alias in algorithm.row().aliases {
                assert_eq!(alias.parse(), Ok(algorithm), "{alias}");
            }
        }
    }

    #[test]
    fn wrong_names_are_told_the_right_ones() {
        for name in ["", "aes", "aes-128-cbc+", "sha1+md5", "aes-128-gcm+hmac-sha1", "SHA1"] {
            let error = name.parse::<Algorithm>().expect_err(name);
            assert_eq!(error.name, name);
            assert!(error.to_string().contains("chacha20-poly1305"), "{error}");
        }
        let error = "seel".parse::<Direction>().expect_err("no such direction").to_string();
        assert_eq!(
            error,
            "\"seel\" is no direction; valid: digest, generate, verify, encrypt, decrypt, seal, \
             open, compress, decompress, sign, agree, encapsulate, decapsulate"
        );
    }
}
