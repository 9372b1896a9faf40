//! The numbers of libcrypto's keys, as the lanes take them.

use std::ffi::CStr;
use std::ptr;

use broadloom::public_key::{
    Curve, EcPrivateKey, EcPublicKey, PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey,
    RsaPublicKey, Secret,
};
use zeroize::{Zeroize, Zeroizing};

use super::KeyType;
use crate::interface::{
    KEYMGMT_SELECT_ALL_PARAMETERS, KEYMGMT_SELECT_KEYPAIR, KEYMGMT_SELECT_PUBLIC_KEY, Param,
    UNSIGNED,
};
use crate::libcrypto::{Pkey, functions};

/// All numbers of a key, in a list that libcrypto made.
struct Numbers(*mut Param);

impl Drop for Numbers {
    fn drop(&mut self) {
        // SAFETY: libcrypto made the list, and nobody else has it.
        unsafe { wipe_and_free(self.0) };
    }
}

/// Wipes all values of a list and frees it. libcrypto would wipe those in secure memory alone.
///
/// # Safety
/// `EVP_PKEY_todata` made the list, and nobody uses it any more.
pub unsafe fn wipe_and_free(list: *mut Param) {
    // SAFETY: the caller's; values of such a list are in memory of the list's own.
    unsafe {
        let mut at = list;
        while !(*at).key.is_null() {
            let Param { data, data_size, .. } = *at;
            if !data.is_null() {
                std::slice::from_raw_parts_mut(data.cast::<u8>(), data_size).zeroize();
            }
            at = at.add(1);
        }
        (functions().OSSL_PARAM_free)(list);
    }
}

impl Numbers {
    fn of(pkey: *mut Pkey, selection: i32) -> Option<Numbers> {
        let mut list = ptr::null_mut();
        let selection = selection | KEYMGMT_SELECT_ALL_PARAMETERS;
        // SAFETY: a key of libcrypto is not null, and the place is ours.
        let is_made = !pkey.is_null()
            && unsafe { (functions().EVP_PKEY_todata)(pkey, selection, &mut list) } == 1;
        is_made.then_some(Numbers(list))
    }

    /// The bytes of a parameter; of a number in big-endian order.
    fn bytes(&self, name: &CStr) -> Option<Zeroizing<Vec<u8>>> {
        // SAFETY: libcrypto made the list.
        let (param, bytes) = unsafe {
            let param = Param::find(self.0, name)?;
            (param, param.bytes()?)
        };
        let mut bytes = Zeroizing::new(bytes.to_vec());
        if param.data_type == UNSIGNED {
            bytes.reverse();
        }
        Some(bytes)
    }

    fn curve(&self) -> Option<Curve> {
        // SAFETY: libcrypto made the list.
        let group = unsafe { Param::find(self.0, c"group")?.text()? };
        matches!(group, "prime256v1" | "P-256").then_some(Curve::P256)
    }

    fn secret(&self) -> Option<Secret> {
        let bytes = self.bytes(c"priv")?;
        Some(Secret::new(bytes.as_slice().try_into().ok()?))
    }

    fn rsa_public(&self) -> Option<RsaPublicKey> {
        RsaPublicKey::new(&self.bytes(c"n")?, &self.bytes(c"e")?).ok()
    }
}

/// The private key; `None` where the lanes do not take it.
pub fn private(key_type: KeyType, pkey: *mut Pkey) -> Option<PrivateKey> {
    let numbers = Numbers::of(pkey, KEYMGMT_SELECT_KEYPAIR)?;
    let bytes = |name| numbers.bytes(name);
    Some(match key_type {
        KeyType::Rsa if bytes(c"rsa-factor3").is_none() => {
            let key = RsaPrivateKey::new(&RsaNumbers {
                n: &bytes(c"n")?,
                e: &bytes(c"e")?,
                d: &bytes(c"d")?,
                p: &bytes(c"rsa-factor1")?,
                q: &bytes(c"rsa-factor2")?,
                dp: &bytes(c"rsa-exponent1")?,
                dq: &bytes(c"rsa-exponent2")?,
                qinv: &bytes(c"rsa-coefficient1")?,
            });
            PrivateKey::Rsa(key.ok()?)
        }
        // The lanes take two primes.
        KeyType::Rsa => return None,
        KeyType::Ec => PrivateKey::Ec(EcPrivateKey::new(numbers.curve()?, &bytes(c"priv")?).ok()?),
        KeyType::X25519 => PrivateKey::X25519(numbers.secret()?),
        KeyType::Ed25519 => PrivateKey::Ed25519(numbers.secret()?),
    })
}

/// The public key; `None` where the lanes do not take it.
pub fn public(key_type: KeyType, pkey: *mut Pkey) -> Option<PublicKey> {
    let numbers = Numbers::of(pkey, KEYMGMT_SELECT_PUBLIC_KEY)?;
    Some(match key_type {
        KeyType::Rsa => PublicKey::Rsa(numbers.rsa_public()?),
        KeyType::Ec => {
            PublicKey::Ec(EcPublicKey::new(numbers.curve()?, &numbers.bytes(c"pub")?).ok()?)
        }
        KeyType::Ed25519 => PublicKey::Ed25519(numbers.bytes(c"pub")?.as_slice().try_into().ok()?),
        // Of an agreement, the other side's key is data.
        KeyType::X25519 => return None,
    })
}

/// The bytes of the public key of a curve.
pub fn public_bytes(pkey: *mut Pkey) -> Option<Vec<u8>> {
    let numbers = Numbers::of(pkey, KEYMGMT_SELECT_PUBLIC_KEY)?;
    numbers.bytes(c"pub").map(|bytes| bytes.to_vec())
}
