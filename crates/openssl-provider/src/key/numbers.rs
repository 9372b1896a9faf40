//! The numbers of libcrypto's keys, as the lanes take them.

use std::ffi::CStr;

use broadloom::public_key::{
    Curve, EcPrivateKey, EcPublicKey, PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey,
    RsaPublicKey, Secret, SlhDsaPrivateKey, SlhDsaPublicKey,
};
use zeroize::Zeroizing;

use super::{Key, KeyType, MAX_PART};
use crate::interface::{OCTETS, Param, UNSIGNED, UTF8};

/// The numbers of a key of libcrypto's. Each is asked for alone: of a list that libcrypto makes, it
/// leaves copies in memory.
struct Numbers<'a>(&'a Key);

impl Numbers<'_> {
    /// Asks for a parameter, and gives its bytes; `None` where the key has none of that name.
    fn get(&self, name: &'static CStr, data_type: u32) -> Option<Zeroizing<Vec<u8>>> {
        let mut room = Zeroizing::new(vec![0; MAX_PART]);
        let mut list = [Param::room(name, data_type, &mut room), Param::END];
        // SAFETY: the list ends.
        let is_got = unsafe { self.0.get(list.as_mut_ptr()) };
        let len = list[0].return_size;
        (is_got && len <= MAX_PART).then(|| {
            room.truncate(len);
            room
        })
    }

    /// A number, in big-endian order.
    fn number(&self, name: &'static CStr) -> Option<Zeroizing<Vec<u8>>> {
        let mut bytes = self.get(name, UNSIGNED)?;
        // It may fill its room with zeros.
        let len = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(len);
        bytes.reverse();
        Some(bytes)
    }

    fn curve(&self) -> Option<Curve> {
        let group = self.get(c"group", UTF8)?;
        match &group[..] {
            b"prime256v1" | b"P-256" => Some(Curve::P256),
            b"secp384r1" | b"P-384" => Some(Curve::P384),
            b"secp521r1" | b"P-521" => Some(Curve::P521),
            b"secp256k1" => Some(Curve::Secp256k1),
            _ => None,
        }
    }

    fn secret(&self) -> Option<Secret> {
        Secret::from_slice(&self.get(c"priv", OCTETS)?).ok()
    }

    fn rsa_public(&self) -> Option<RsaPublicKey> {
        RsaPublicKey::new(&self.number(c"n")?, &self.number(c"e")?).ok()
    }
}

/// The private key; `None` where the lanes do not take it.
pub fn private(key: &Key) -> Option<PrivateKey> {
    let numbers = Numbers(key);
    let number = |name| numbers.number(name);
    Some(match key.key_type {
        KeyType::Rsa if number(c"rsa-factor3").is_none() => {
            let key = RsaPrivateKey::new(&RsaNumbers {
                n: &number(c"n")?,
                e: &number(c"e")?,
                d: &number(c"d")?,
                p: &number(c"rsa-factor1")?,
                q: &number(c"rsa-factor2")?,
                dp: &number(c"rsa-exponent1")?,
                dq: &number(c"rsa-exponent2")?,
                qinv: &number(c"rsa-coefficient1")?,
            });
            PrivateKey::Rsa(key.ok()?)
        }
        // The lanes take two primes.
        KeyType::Rsa => return None,
        KeyType::Ec => PrivateKey::Ec(EcPrivateKey::new(numbers.curve()?, &number(c"priv")?).ok()?),
        KeyType::X25519 => PrivateKey::X25519(numbers.secret()?),
        KeyType::Ed25519 => PrivateKey::Ed25519(numbers.secret()?),
        KeyType::SlhDsa(set) => {
            PrivateKey::SlhDsa(SlhDsaPrivateKey::new(set, &numbers.get(c"priv", OCTETS)?).ok()?)
        }
    })
}

/// The public key; `None` where the lanes do not take it.
pub fn public(key: &Key) -> Option<PublicKey> {
    let numbers = Numbers(key);
    Some(match key.key_type {
        KeyType::Rsa => PublicKey::Rsa(numbers.rsa_public()?),
        KeyType::Ec => {
            PublicKey::Ec(EcPublicKey::new(numbers.curve()?, &numbers.get(c"pub", OCTETS)?).ok()?)
        }
        KeyType::Ed25519 => {
            PublicKey::Ed25519(numbers.get(c"pub", OCTETS)?.as_slice().try_into().ok()?)
        }
        KeyType::SlhDsa(set) => {
            PublicKey::SlhDsa(SlhDsaPublicKey::new(set, &numbers.get(c"pub", OCTETS)?).ok()?)
        }
        // Of an agreement, the other side's key is data.
        KeyType::X25519 => return None,
    })
}

/// The bytes of the public key of a curve.
pub fn public_bytes(key: &Key) -> Option<Vec<u8>> {
    Numbers(key).get(c"pub", OCTETS).map(|bytes| bytes.to_vec())
}
