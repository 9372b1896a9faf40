//! Block ciphers in their modes, ChaCha20, CMAC and XCBC.

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyIvInit,
    StreamCipher, StreamCipherSeek,
};
use aes::{Aes128, Aes192, Aes256};
use broadloom_engine::CipherAlgorithm;
use chacha20::ChaCha20;
use cmac::{Cmac, KeyInit, Mac};
use des::{Des, TdesEde2, TdesEde3};

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

/// Calls a function for the type of triple DES that a key's length stands for.
macro_rules! of_triple_des {
    ($key:expr, $Des:ident => $call:expr) => {
        if $key.len() == 16 {
            type $Des = TdesEde2;
            $call
        } else {
            type $Des = TdesEde3;
            $call
        }
    };
}

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
        (CipherAlgorithm::TripleDesCbc, true) => {
            of_triple_des!(key, Des => encrypt::<cbc::Encryptor<Des>>(key, iv, data))
        }
        (CipherAlgorithm::TripleDesCbc, false) => {
            of_triple_des!(key, Des => decrypt::<cbc::Decryptor<Des>>(key, iv, data))
        }
        (CipherAlgorithm::AesCtr(_), _) => {
            of_aes!(key, Aes => stream::<ctr::Ctr128BE<Aes>>(key, iv, data))
        }
        (CipherAlgorithm::AesCtr32(_), _) => {
            // Without a counter, the block has the form of RFC 3686.
            let first = if iv.len() == 12 { [iv, &[0, 0, 0, 1]].concat() } else { iv.to_vec() };
            of_aes!(key, Aes => stream::<ctr::Ctr32BE<Aes>>(key, &first, data))
        }
        (CipherAlgorithm::AesOfb(_), _) => ofb(key, iv, data),
        (CipherAlgorithm::AesCfb(_), _) => cfb(encrypts, key, iv, data),
        (CipherAlgorithm::AesEcb(_), _) => of_aes!(key, Aes => ecb::<Aes>(encrypts, key, data)),
        (CipherAlgorithm::AesXts(_), _) => xts(encrypts, key, iv, data),
        (CipherAlgorithm::ChaCha20, _) => chacha20(key, iv, data),
        (CipherAlgorithm::TripleDesCtr, _) => {
            of_triple_des!(key, Des => stream::<ctr::Ctr64BE<Des>>(key, iv, data))
        }
        (CipherAlgorithm::TripleDesEcb, _) => {
            of_triple_des!(key, Des => ecb::<Des>(encrypts, key, data))
        }
        (CipherAlgorithm::DesCbc, true) => encrypt::<cbc::Encryptor<Des>>(key, iv, data),
        (CipherAlgorithm::DesCbc, false) => decrypt::<cbc::Decryptor<Des>>(key, iv, data),
        (CipherAlgorithm::DesCtr, _) => stream::<ctr::Ctr64BE<Des>>(key, iv, data),
        (CipherAlgorithm::DesEcb, _) => ecb::<Des>(encrypts, key, data),
        (CipherAlgorithm::KasumiF8, _) => super::kasumi::f8(key, iv, data, 8 * data.len()),
        (CipherAlgorithm::Rc4, _) => rc4(key, data),
        (other, _) => super::no_reference(other),
    }
}

/// One block, encrypted with AES.
pub(super) fn aes_block(key: &[u8], block: [u8; 16]) -> [u8; 16] {
    of_aes!(key, Aes => ecb::<Aes>(true, key, &block)).try_into().expect("a block")
}

fn ecb<C>(encrypts: bool, key: &[u8], data: &[u8]) -> Vec<u8>
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt,
{
    let cipher = C::new_from_slice(key).expect("a key that fits");
    let mut output = data.to_vec();
    for block in output.chunks_exact_mut(C::block_size()) {
        let block = block.try_into().expect("a block");
        if encrypts { cipher.encrypt_block(block) } else { cipher.decrypt_block(block) }
    }
    output
}

/// CFB with segments of a block (SP 800-38A, 6.3); what is shorter at the end gets the start of its
/// key stream.
fn cfb(encrypts: bool, key: &[u8], iv: &[u8], data: &[u8]) -> Vec<u8> {
    let mut last: [u8; 16] = iv.try_into().expect("an IV that fits");
    let mut output = Vec::new();
    for segment in data.chunks(16) {
        let stream = aes_block(key, last);
        let made: Vec<u8> =
            segment.iter().zip(stream).map(|(byte, stream)| byte ^ stream).collect();
        let ciphertext = if encrypts { &made } else { segment };
        last[..segment.len()].copy_from_slice(ciphertext);
        output.extend(made);
    }
    output
}

/// OFB (SP 800-38A, 6.4): each block of key stream is the encryption of the one before.
fn ofb(key: &[u8], iv: &[u8], data: &[u8]) -> Vec<u8> {
    let mut stream: [u8; 16] = iv.try_into().expect("an IV that fits");
    let blocks = data.chunks(16).flat_map(|block| {
        stream = aes_block(key, stream);
        block.iter().zip(stream).map(|(byte, stream)| byte ^ stream).collect::<Vec<u8>>()
    });
    blocks.collect()
}

/// XTS-AES of one data unit (IEEE 1619, 5.3 and 5.4).
fn xts(encrypts: bool, key: &[u8], tweak: &[u8], data: &[u8]) -> Vec<u8> {
    let (data_key, tweak_key) = key.split_at(key.len() / 2);
    let tweak = aes_block(tweak_key, tweak.try_into().expect("a tweak that fits"));
    let mut tweak = u128::from_le_bytes(tweak);
    let block = |text: &[u8], tweak: u128| {
        let add = |text: &[u8]| {
            let text: [u8; 16] = text.try_into().expect("a block");
            (u128::from_le_bytes(text) ^ tweak).to_le_bytes()
        };
        let ciphered = of_aes!(data_key, Aes => ecb::<Aes>(encrypts, data_key, &add(text)));
        add(&ciphered)
    };
    let double = |tweak: u128| (tweak << 1) ^ if tweak >> 127 == 1 { 0x87 } else { 0 };
    let whole = data.len() / 16;
    let rest = data.len() % 16;
    // The last whole block shares ciphertext with the shorter one behind it.
    let alone = if rest > 0 { whole - 1 } else { whole };
    let mut output = Vec::new();
    for text in data.chunks_exact(16).take(alone) {
        output.extend(block(text, tweak));
        tweak = double(tweak);
    }
    if rest > 0 {
        let next = double(tweak);
        let (first, second) = if encrypts { (tweak, next) } else { (next, tweak) };
        let made = block(&data[16 * alone..][..16], first);
        let mut stolen = made;
        let tail = stolen[..rest].to_vec();
        stolen[..rest].copy_from_slice(&data[16 * whole..]);
        output.extend(block(&stolen, second));
        output.extend(tail);
    }
    output
}

/// The first four bytes of the nonce number the first block; where they are missing it is block 0.
fn chacha20(key: &[u8], nonce: &[u8], data: &[u8]) -> Vec<u8> {
    let (counter, nonce) = match nonce.len() {
        12 => (&[0; 4], nonce),
        _ => nonce.split_first_chunk().expect("a counter and a nonce"),
    };
    let mut cipher = ChaCha20::new_from_slices(key, nonce).expect("a key and a nonce that fit");
    let mut stream = vec![0; data.len()];
    // Positions within the key stream are 64 bytes for each number.
    cipher.seek(u64::from(u32::from_le_bytes(*counter)) * 64);
    cipher.apply_keystream(&mut stream);
    data.iter().zip(stream).map(|(byte, stream)| byte ^ stream).collect()
}

/// RC4, for which there is no standard; RFC 6229 has examples.
fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut j = 0u8;
    for i in 0..256 {
        j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
        state.swap(i, usize::from(j));
    }
    let (mut i, mut j) = (0u8, 0u8);
    let mut next = || {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(usize::from(i), usize::from(j));
        state[usize::from(state[usize::from(i)].wrapping_add(state[usize::from(j)]))]
    };
    data.iter().map(|byte| byte ^ next()).collect()
}

/// The AES-XCBC-MAC of the data (RFC 3566).
pub(super) fn xcbc(key: &[u8], data: &[u8]) -> Vec<u8> {
    let [first, second, third] = [1, 2, 3].map(|byte| aes_block(key, [byte; 16]));
    let mut blocks: Vec<[u8; 16]> = data
        .chunks(16)
        .map(|chunk| std::array::from_fn(|i| chunk.get(i).copied().unwrap_or(0)))
        .collect();
    let last_is_whole = !data.is_empty() && data.len().is_multiple_of(16);
    if data.is_empty() {
        blocks.push([0; 16]);
    }
    let last = blocks.last_mut().expect("a block");
    if !last_is_whole {
        last[data.len() % 16] = 0x80;
    }
    let mask = if last_is_whole { second } else { third };
    *last = std::array::from_fn(|i| last[i] ^ mask[i]);
    let tag = blocks.iter().fold([0; 16], |state: [u8; 16], block| {
        aes_block(&first, std::array::from_fn(|i| state[i] ^ block[i]))
    });
    tag.to_vec()
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

pub(super) fn stream<C: KeyIvInit + StreamCipher>(
    key: &[u8],
    first: &[u8],
    data: &[u8],
) -> Vec<u8> {
    let mut output = data.to_vec();
    let mut cipher = C::new_from_slices(key, first).expect("a key and a counter block that fit");
    cipher.apply_keystream(&mut output);
    output
}
