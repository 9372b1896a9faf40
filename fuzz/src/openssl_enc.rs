//! Files as `openssl enc -pbkdf2` writes them.

use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use aes::Aes256;
use aes::cipher::{BlockModeDecrypt, KeyIvInit, StreamCipher, block_padding::Pkcs7};
use broadloom_encryption::age::Passphrase;
use broadloom_encryption::openssl::{Mode, OpenSsl};
use broadloom_encryption::{Input, Output};
use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const PASSPHRASE: &str = "a passphrase";

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    Arc::new(registry)
});

/// Decrypts a file as a stream and by places, in the mode that the first byte says. Both must give
/// the text, or the error, that the RustCrypto crates give.
pub fn check(bytes: &[u8]) {
    let Some((mode, file)) = bytes.split_first() else { return };
    let mode = if mode % 2 == 0 { Mode::Cbc } else { Mode::Ctr };
    let openssl = OpenSsl::new(Arc::clone(&REGISTRY), mode, Passphrase::new(PASSPHRASE))
        .iterations(NonZeroU32::MIN);
    let (mut streamed, mut placed) = (Vec::new(), Vec::new());
    let stream = openssl.decrypt(Input::Stream(&mut &*file), Output::Stream(&mut streamed));
    let places = openssl.decrypt(Input::memory(&file), Output::Stream(&mut placed));
    let expected = expected(mode, file);
    for (result, text) in [(stream, streamed), (places, placed)] {
        let text = result.map(|_| text).map_err(|error| error.to_string());
        assert_eq!(text.as_ref().ok(), expected.as_ref(), "{text:?}");
    }
}

/// Returns what a file decrypts to, if it does.
fn expected(mode: Mode, file: &[u8]) -> Option<Vec<u8>> {
    let (salt, data) = file.strip_prefix(b"Salted__")?.split_at_checked(8)?;
    let derived: Vec<u8> = [1_u32, 2].iter().flat_map(|number| block(salt, *number)).collect();
    let (key, iv) = (&derived[..32], &derived[32..48]);
    match mode {
        Mode::Cbc => {
            let cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, iv).expect("the lengths");
            let mut text = data.to_vec();
            Some(cipher.decrypt_padded::<Pkcs7>(&mut text).ok()?.to_vec())
        }
        Mode::Ctr => {
            let mut text = data.to_vec();
            let mut cipher =
                ctr::Ctr128BE::<Aes256>::new_from_slices(key, iv).expect("the lengths");
            cipher.apply_keystream(&mut text);
            Some(text)
        }
    }
}

/// A block of PBKDF2 with one iteration (RFC 8018, 5.2).
fn block(salt: &[u8], number: u32) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(PASSPHRASE.as_bytes()).expect("any length");
    mac.update(salt);
    mac.update(&number.to_be_bytes());
    mac.finalize().into_bytes().into()
}
