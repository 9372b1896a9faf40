//! AEADs and HKDF over RustCrypto, with which records are compared.

use aes::cipher::BlockCipherEncrypt;
use aes::{Aes128, Aes256};
use broadloom_packets::records::{CbcHmac, RecordAead};
use ccm::Ccm;
use ccm::consts::{U8, U12, U16};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use hmac::{Hmac, Mac};

/// Seals a text with an AEAD.
pub fn seal(aead: RecordAead, key: &[u8], nonce: &[u8], aad: &[u8], msg: &[u8]) -> Vec<u8> {
    fn with<A: Aead + KeyInit>(key: &[u8], nonce: &[u8], payload: Payload<'_, '_>) -> Vec<u8> {
        let cipher = A::new_from_slice(key).expect("the key fits");
        cipher.encrypt(nonce.try_into().expect("the nonce fits"), payload).expect("it seals")
    }
    let payload = Payload { msg, aad };
    match aead {
        RecordAead::Aes128Gcm => with::<aes_gcm::Aes128Gcm>(key, nonce, payload),
        RecordAead::Aes256Gcm => with::<aes_gcm::Aes256Gcm>(key, nonce, payload),
        RecordAead::ChaCha20Poly1305 => {
            with::<chacha20poly1305::ChaCha20Poly1305>(key, nonce, payload)
        }
        RecordAead::Aes128Ccm => with::<Ccm<Aes128, U16, U12>>(key, nonce, payload),
        RecordAead::Aes128Ccm8 => with::<Ccm<Aes128, U8, U12>>(key, nonce, payload),
        RecordAead::Aes256Ccm => with::<Ccm<Aes256, U16, U12>>(key, nonce, payload),
        RecordAead::Aes256Ccm8 => with::<Ccm<Aes256, U8, U12>>(key, nonce, payload),
    }
}

/// Returns HKDF-Expand-Label with an empty context (RFC 8446, 7.1), with the hash of an AEAD's
/// suite. `label` is whole, such as `tls13 key`.
pub fn expand_label(aead: RecordAead, secret: &[u8], label: &str, len: usize) -> Vec<u8> {
    let mut info = vec![0, len as u8, label.len() as u8];
    info.extend(label.bytes());
    info.extend([0, 1]);
    let mut block = match aead {
        RecordAead::Aes256Gcm => {
            let mut mac = Hmac::<sha2::Sha384>::new_from_slice(secret).expect("any key fits");
            mac.update(&info);
            mac.finalize().into_bytes().to_vec()
        }
        _ => {
            let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret).expect("any key fits");
            mac.update(&info);
            mac.finalize().into_bytes().to_vec()
        }
    };
    block.truncate(len);
    block
}

/// Returns the nonce of a record: the IV combined with its number.
pub fn nonce(iv: &[u8], number: u64) -> Vec<u8> {
    let mut nonce = [[0; 4].as_slice(), &number.to_be_bytes()].concat();
    nonce.iter_mut().zip(iv).for_each(|(byte, iv)| *byte ^= iv);
    nonce
}

/// HMAC over the number, a header and data.
pub fn tag(suite: CbcHmac, mac_key: &[u8], number: u64, covered: &[&[u8]]) -> Vec<u8> {
    macro_rules! tag {
        ($hash:ty) => {{
            let mut mac = hmac::Hmac::<$hash>::new_from_slice(mac_key).expect("any key fits");
            mac.update(&number.to_be_bytes());
            covered.iter().for_each(|part| mac.update(part));
            mac.finalize().into_bytes().to_vec()
        }};
    }
    match suite {
        CbcHmac::Aes128Sha1 | CbcHmac::Aes256Sha1 => tag!(sha1::Sha1),
        CbcHmac::Aes256Sha384 => tag!(sha2::Sha384),
        _ => tag!(sha2::Sha256),
    }
}

/// Encrypts blocks by AES-CBC.
pub fn cbc(key: &[u8], iv: [u8; 16], text: &[u8]) -> Vec<u8> {
    let mut last = iv;
    let mut out = Vec::new();
    for block in text.chunks(16) {
        last.iter_mut().zip(block).for_each(|(last, byte)| *last ^= byte);
        match key.len() {
            16 => {
                aes::Aes128::new_from_slice(key).expect("it fits").encrypt_block((&mut last).into())
            }
            _ => {
                aes::Aes256::new_from_slice(key).expect("it fits").encrypt_block((&mut last).into())
            }
        }
        out.extend(last);
    }
    out
}

/// Returns the text with the last bytes of padding, each `padding - 1`.
pub fn pad(text: &[u8], padding: usize) -> Vec<u8> {
    let mut padded = text.to_vec();
    padded.resize(text.len() + padding, padding as u8 - 1);
    padded
}
