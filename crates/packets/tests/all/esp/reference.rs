//! An independent ESP over RustCrypto's crates, which protects payloads without an IP header.

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockModeEncrypt, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm::aead::consts::{U11, U12, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use broadloom_packets::esp::{EspAlgorithm, EspHash};
use ccm::Ccm;
use chacha20poly1305::ChaCha20Poly1305;
use hmac::{Hmac, Mac};

use super::Keys;

/// Returns the ESP packet of a text that ends with its trailer.
pub fn protect(
    algorithm: EspAlgorithm,
    keys: &Keys,
    spi: u32,
    number: u64,
    extended: bool,
    iv: &[u8],
    text: &[u8],
) -> Vec<u8> {
    let low = (number as u32).to_be_bytes();
    let high = &((number >> 32) as u32).to_be_bytes()[..if extended { 4 } else { 0 }];
    let header = [spi.to_be_bytes(), low].concat();
    let long_header = [&spi.to_be_bytes(), high, &low].concat();
    let nonce = [&keys.salt, iv].concat();
    let (text, tag) = match algorithm {
        EspAlgorithm::AesGcm(_) => gcm(&keys.key, &nonce, &long_header, text),
        EspAlgorithm::AesGmac(_) => {
            let all = [&long_header, iv, text].concat();
            (text.to_vec(), gcm(&keys.key, &nonce, &all, &[]).1)
        }
        EspAlgorithm::AesCcm(_) => match keys.key.len() {
            16 => seal::<Ccm<Aes128, U16, U11>>(&keys.key, &nonce, &long_header, text),
            24 => seal::<Ccm<Aes192, U16, U11>>(&keys.key, &nonce, &long_header, text),
            _ => seal::<Ccm<Aes256, U16, U11>>(&keys.key, &nonce, &long_header, text),
        },
        EspAlgorithm::ChaCha20Poly1305 => {
            seal::<ChaCha20Poly1305>(&keys.key, &nonce, &long_header, text)
        }
        EspAlgorithm::AesCbc(_, hash) => {
            let text = match keys.key.len() {
                16 => cbc::<cbc::Encryptor<Aes128>>(&keys.key, iv, text),
                24 => cbc::<cbc::Encryptor<Aes192>>(&keys.key, iv, text),
                _ => cbc::<cbc::Encryptor<Aes256>>(&keys.key, iv, text),
            };
            let tag = hmac(hash, &keys.integrity, &[&header, iv, &text, high].concat());
            (text, tag)
        }
        EspAlgorithm::AesCtr(_, hash) => {
            let counter = [&nonce[..], &[0, 0, 0, 1]].concat();
            let text = match keys.key.len() {
                16 => ctr::<ctr::Ctr32BE<Aes128>>(&keys.key, &counter, text),
                24 => ctr::<ctr::Ctr32BE<Aes192>>(&keys.key, &counter, text),
                _ => ctr::<ctr::Ctr32BE<Aes256>>(&keys.key, &counter, text),
            };
            let tag = hmac(hash, &keys.integrity, &[&header, iv, &text, high].concat());
            (text, tag)
        }
        EspAlgorithm::Null(hash) => {
            let tag = hmac(hash, &keys.integrity, &[&header, text, high].concat());
            (text.to_vec(), tag)
        }
    };
    [&header, iv, &text, &tag].concat()
}

fn seal<A: AeadInOut + KeyInit>(
    key: &[u8],
    nonce: &[u8],
    associated: &[u8],
    text: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let mut output = text.to_vec();
    let cipher = A::new_from_slice(key).expect("the key fits");
    let nonce = nonce.try_into().expect("the nonce fits");
    let tag = cipher.encrypt_inout_detached(nonce, associated, output.as_mut_slice().into());
    (output, tag.expect("the text fits").to_vec())
}

fn gcm(key: &[u8], nonce: &[u8], associated: &[u8], text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    match key.len() {
        16 => seal::<AesGcm<Aes128, U12>>(key, nonce, associated, text),
        24 => seal::<AesGcm<Aes192, U12>>(key, nonce, associated, text),
        _ => seal::<AesGcm<Aes256, U12>>(key, nonce, associated, text),
    }
}

fn cbc<C: KeyIvInit + BlockModeEncrypt>(key: &[u8], iv: &[u8], text: &[u8]) -> Vec<u8> {
    let mut output = text.to_vec();
    let cipher = C::new_from_slices(key, iv).expect("a key and an IV that fit");
    cipher.encrypt_padded::<NoPadding>(&mut output, text.len()).expect("whole blocks");
    output
}

fn ctr<C: KeyIvInit + StreamCipher>(key: &[u8], counter: &[u8], text: &[u8]) -> Vec<u8> {
    let mut output = text.to_vec();
    C::new_from_slices(key, counter).expect("they fit").apply_keystream(&mut output);
    output
}

fn hmac(hash: EspHash, key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut tag = match hash {
        EspHash::Sha1 => mac::<Hmac<sha1::Sha1>>(key, data),
        EspHash::Sha256 => mac::<Hmac<sha2::Sha256>>(key, data),
        EspHash::Sha384 => mac::<Hmac<sha2::Sha384>>(key, data),
        EspHash::Sha512 => mac::<Hmac<sha2::Sha512>>(key, data),
    };
    tag.truncate(if hash == EspHash::Sha1 { 12 } else { tag.len() / 2 });
    tag
}

fn mac<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(key).expect("HMAC takes any key");
    mac.chain_update(data).finalize().into_bytes().to_vec()
}
