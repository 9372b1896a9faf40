//! Independent implementations: the RustCrypto crates.

use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use broadloom_lanes::{Hash, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sm3};
use cbc::cipher::block_padding::NoPadding;
use hmac::{Mac, SimpleHmac};
use sha2::digest::Digest;

/// The independent implementation of a hash.
pub trait Reference: Hash {
    fn digest(data: &[u8]) -> Vec<u8>;
    fn hmac(key: &[u8], data: &[u8]) -> Vec<u8>;
}

macro_rules! reference {
    ($($hash:ty => $other:ty),* $(,)?) => { $(
        impl Reference for $hash {
            fn digest(data: &[u8]) -> Vec<u8> {
                <$other>::digest(data).to_vec()
            }
            fn hmac(key: &[u8], data: &[u8]) -> Vec<u8> {
                let mut mac = <SimpleHmac<$other> as hmac::KeyInit>::new_from_slice(key)
                    .expect("any length of key will do");
                mac.update(data);
                mac.finalize().into_bytes().to_vec()
            }
        }
    )* };
}

reference! {
    Md5 => md5::Md5,
    Sha1 => sha1::Sha1,
    Sha224 => sha2::Sha224,
    Sha256 => sha2::Sha256,
    Sha384 => sha2::Sha384,
    Sha512 => sha2::Sha512,
    Sm3 => sm3::Sm3,
}

/// AES-CBC encryption of whole blocks, with a key of 16, 24 or 32 bytes.
pub fn cbc_encrypt(key: &[u8], iv: &[u8; 16], data: &[u8]) -> Vec<u8> {
    fn with<C: KeyIvInit + BlockModeEncrypt>(key: &[u8], iv: &[u8], data: &[u8]) -> Vec<u8> {
        let mut buffer = data.to_vec();
        let mode = C::new_from_slices(key, iv).expect("good lengths");
        mode.encrypt_padded::<NoPadding>(&mut buffer, data.len()).expect("whole blocks");
        buffer
    }
    match key.len() {
        16 => with::<cbc::Encryptor<aes::Aes128>>(key, iv, data),
        24 => with::<cbc::Encryptor<aes::Aes192>>(key, iv, data),
        _ => with::<cbc::Encryptor<aes::Aes256>>(key, iv, data),
    }
}

/// AES-CBC decryption of whole blocks, with a key of 16, 24 or 32 bytes.
pub fn cbc_decrypt(key: &[u8], iv: &[u8; 16], data: &[u8]) -> Vec<u8> {
    fn with<C: KeyIvInit + BlockModeDecrypt>(key: &[u8], iv: &[u8], data: &[u8]) -> Vec<u8> {
        let mode = C::new_from_slices(key, iv).expect("good lengths");
        let mut buffer = data.to_vec();
        mode.decrypt_padded::<NoPadding>(&mut buffer).expect("whole blocks");
        buffer
    }
    match key.len() {
        16 => with::<cbc::Decryptor<aes::Aes128>>(key, iv, data),
        24 => with::<cbc::Decryptor<aes::Aes192>>(key, iv, data),
        _ => with::<cbc::Decryptor<aes::Aes256>>(key, iv, data),
    }
}
