//! GCM and GMAC (SP 800-38D), CCM (SP 800-38C), ChaCha20-Poly1305 (RFC 8439),
//! XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).

use broadloom_engine::AeadAlgorithm;
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, XChaCha20Poly1305};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

use super::cipher::{aes_block, of_aes, stream};
use super::{Input, no_reference};

/// The text sealed or opened, and its tag.
pub(super) fn apply(
    algorithm: AeadAlgorithm,
    seals: bool,
    input: &Input<'_>,
) -> (Vec<u8>, Vec<u8>) {
    match algorithm {
        AeadAlgorithm::AesGcm(_) => gcm(seals, input),
        AeadAlgorithm::AesCcm(_) => ccm(seals, input),
        AeadAlgorithm::ChaCha20Poly1305 => chacha20_poly1305::<ChaCha20Poly1305>(seals, input),
        AeadAlgorithm::XChaCha20Poly1305 => chacha20_poly1305::<XChaCha20Poly1305>(seals, input),
        other => no_reference(other),
    }
}

/// The tag of data that are only authenticated.
pub(super) fn gmac(key: &[u8], nonce: &[u8], data: &[u8]) -> Vec<u8> {
    gcm_tag(key, &gcm_counter(key, nonce), data, &[])
}

fn gcm(seals: bool, input: &Input<'_>) -> (Vec<u8>, Vec<u8>) {
    let &Input { key, nonce, associated, data, .. } = input;
    let first = gcm_counter(key, nonce);
    let mut counter = first;
    let number = u32::from_be_bytes(*counter.last_chunk().expect("16 bytes"));
    counter[12..].copy_from_slice(&number.wrapping_add(1).to_be_bytes());
    let output = of_aes!(key, Aes => stream::<ctr::Ctr32BE<Aes>>(key, &counter, data));
    let tag = gcm_tag(key, &first, associated, if seals { &output } else { data });
    (output, tag)
}

/// GHASH over two texts, each padded to whole blocks, and their lengths in bits.
fn ghash(key: &[u8], associated: &[u8], text: &[u8]) -> [u8; 16] {
    let mut hash = GHash::new(&aes_block(key, [0; 16]).into());
    hash.update_padded(associated);
    hash.update_padded(text);
    let lengths = [associated, text].map(|part| (part.len() as u64 * 8).to_be_bytes());
    hash.update_padded(lengths.as_flattened());
    hash.finalize().into()
}

/// The counter block before the counter block of the first block of text (SP 800-38D, 7.1, step 2).
fn gcm_counter(key: &[u8], nonce: &[u8]) -> [u8; 16] {
    match <[u8; 12]>::try_from(nonce) {
        Ok(nonce) => {
            let mut block = [0; 16];
            block[..12].copy_from_slice(&nonce);
            block[15] = 1;
            block
        }
        Err(_) => ghash(key, &[], nonce),
    }
}

fn gcm_tag(key: &[u8], first: &[u8; 16], associated: &[u8], ciphertext: &[u8]) -> Vec<u8> {
    let mask = aes_block(key, *first);
    let hash = ghash(key, associated, ciphertext);
    hash.iter().zip(mask).map(|(hash, mask)| hash ^ mask).collect()
}

fn ccm(seals: bool, input: &Input<'_>) -> (Vec<u8>, Vec<u8>) {
    let &Input { key, nonce, data, .. } = input;
    let counter = |number: u8| {
        let mut block = [0; 16];
        block[0] = (14 - nonce.len()) as u8;
        block[1..=nonce.len()].copy_from_slice(nonce);
        block[15] = number;
        block
    };
    let output = of_aes!(key, Aes => stream::<ctr::Ctr128BE<Aes>>(key, &counter(1), data));
    let plaintext = if seals { data } else { &output };
    let blocks = ccm_blocks(input, plaintext);
    let whole = blocks.chunks_exact(16).fold([0; 16], |state: [u8; 16], block| {
        let mixed = std::array::from_fn(|i| state[i] ^ block[i]);
        aes_block(key, mixed)
    });
    let mask = aes_block(key, counter(0));
    let tag =
        whole.iter().zip(mask).map(|(whole, mask)| whole ^ mask).take(input.tag_len).collect();
    (output, tag)
}

/// The input of CCM's CBC-MAC (SP 800-38C, A.2).
fn ccm_blocks(input: &Input<'_>, plaintext: &[u8]) -> Vec<u8> {
    let &Input { nonce, associated, tag_len, .. } = input;
    let field = 15 - nonce.len();
    let flags = u8::from(!associated.is_empty()) * 64 + ((tag_len - 2) / 2 * 8 + field - 1) as u8;
    let length = (plaintext.len() as u64).to_be_bytes();
    let mut blocks = vec![flags];
    blocks.extend(nonce);
    blocks.extend(&length[8 - field..]);
    match associated.len() {
        0 => {}
        len @ 1..0xff00 => blocks.extend((len as u16).to_be_bytes()),
        len => {
            blocks.extend([0xff, 0xfe]);
            blocks.extend((len as u32).to_be_bytes());
        }
    }
    blocks.extend(associated);
    blocks.resize(blocks.len().next_multiple_of(16), 0);
    blocks.extend(plaintext);
    blocks.resize(blocks.len().next_multiple_of(16), 0);
    blocks
}

fn chacha20_poly1305<A: AeadInOut + KeyInit>(seals: bool, input: &Input<'_>) -> (Vec<u8>, Vec<u8>) {
    let cipher = A::new_from_slice(input.key).expect("a key that fits");
    let nonce = input.nonce.try_into().expect("a nonce that fits");
    let seal = |text: &[u8]| {
        let mut output = text.to_vec();
        let tag =
            cipher.encrypt_inout_detached(nonce, input.associated, output.as_mut_slice().into());
        (output, tag.expect("a text that is not too long").to_vec())
    };
    let (output, tag) = seal(input.data);
    if seals {
        return (output, tag);
    }
    // The key stream is the same in both directions; the tag covers the ciphertext.
    let (_, tag) = seal(&output);
    (output, tag)
}
