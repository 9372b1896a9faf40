//! Block ciphers in CBC and CTR mode, and CMAC.

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use broadloom_engine::CipherAlgorithm;
use cmac::{Cmac, KeyInit, Mac};
use des::TdesEde3;

/// Calls a function for the type of AES that a key's length stands for.
macro_rules! of_aes {
    ($key:expr, $Aes:ident => $call:expr) => {{
        macro_rules! with {
            ($type:ty) => {{
                type $Aes = $type;
                $call
            }};
        }
        match $key.len() {
            16 => with!(aes::Aes128),
            24 => with!(aes::Aes192),
            len => {
                assert_eq!(len, 32, "bytes of an AES key");
                with!(aes::Aes256)
            }
        }
    }};
}

pub(super) use of_aes;

/// The data, ciphered or deciphered.
pub(super) fn apply(
    algorithm: CipherAlgorithm,
    encrypts: bool,
    key: &[u8],
    iv: &[u8],
    data: &[u8],
) -> Vec<u8> {
    match (algorithm, encrypts) {
        (CipherAlgorithm::AesCbc(_), true) => {
            of_aes!(key, Aes => encrypt::<cbc::Encryptor<Aes>>(key, iv, data))
        }
        (CipherAlgorithm::AesCbc(_), false) => {
            of_aes!(key, Aes => decrypt::<cbc::Decryptor<Aes>>(key, iv, data))
        }
        (CipherAlgorithm::TripleDesCbc, true) => encrypt::<cbc::Encryptor<TdesEde3>>(key, iv, data),
        (CipherAlgorithm::TripleDesCbc, false) => decrypt::<cbc::Decryptor<TdesEde3>>(key, iv, data),
        (CipherAlgorithm::AesCtr(_), _) => {
            of_aes!(key, Aes => stream::<ctr::Ctr128BE<Aes>>(key, iv, data))
        }
        (CipherAlgorithm::TripleDesCtr, _) => stream::<ctr::Ctr64BE<TdesEde3>>(key, iv, data),
    }
}

/// The CMAC of the data.
pub(super) fn cmac(key: &[u8], data: &[u8]) -> Vec<u8> {
    match key.len() {
        16 => cmac_of::<Cmac<Aes128>>(key, data),
        24 => cmac_of::<Cmac<Aes192>>(key, data),
        _ => cmac_of::<Cmac<Aes256>>(key, data),
    }
}

fn cmac_of<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(key).expect("a key that fits");
    mac.chain_update(data).finalize().into_bytes().to_vec()
}

fn encrypt<C: KeyIvInit + BlockModeEncrypt>(key: &[u8], iv: &[u8], data: &[u8]) -> Vec<u8> {
    let mut output = data.to_vec();
    let cipher = C::new_from_slices(key, iv).expect("a key and an IV that fit");
    cipher.encrypt_padded::<NoPadding>(&mut output, data.len()).expect("whole blocks");
    output
}

fn decrypt<C: KeyIvInit + BlockModeDecrypt>(key: &[u8], iv: &[u8], data: &[u8]) -> Vec<u8> {
    let mut output = data.to_vec();
    let cipher = C::new_from_slices(key, iv).expect("a key and an IV that fit");
    cipher.decrypt_padded::<NoPadding>(&mut output).expect("whole blocks");
    output
}

pub(super) fn stream<C: KeyIvInit + StreamCipher>(key: &[u8], first: &[u8], data: &[u8]) -> Vec<u8> {
    let mut output = data.to_vec();
    let mut cipher = C::new_from_slices(key, first).expect("a key and a counter block that fit");
    cipher.apply_keystream(&mut output);
    output
}
