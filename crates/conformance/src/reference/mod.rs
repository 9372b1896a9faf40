//! The reference: every algorithm in its plainest form, from the RustCrypto crates, and compression
//! from crates that no provider uses.
//!
//! RustCrypto has GCM and CCM only for lengths known at compile time. Those modes are composed here
//! from block ciphers, as the standard describes. Tests compare them with RustCrypto's own modes
//! and the standards' examples.

mod aead;
mod cipher;
pub mod compression;
mod hash;
pub mod hybrid;
mod kasumi;
pub mod kem;
pub mod ml_dsa;
pub mod ml_kem;
mod provider;

use std::fmt::Display;

use broadloom_engine::{Algorithm, ChainOrder, CipherAlgorithm, Direction, MacAlgorithm};

pub use provider::reference_provider;

/// The computation and its inputs.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The direction; ciphers and AEADs heed it.
    pub direction: Direction,
    /// The key; the cipher's in a chain.
    pub key: &'a [u8],
    /// The key of a chain's MAC.
    pub mac_key: &'a [u8],
    /// The nonce, the IV, or the first counter block.
    pub nonce: &'a [u8],
    /// Associated data of an AEAD.
    pub associated: &'a [u8],
    /// Bytes of the tag; for a cipher, 0.
    pub tag_len: usize,
    /// The length of the text in bits, for KASUMI; `None` for all bits. Bits behind the length stay
    /// unchanged.
    pub bits: Option<usize>,
    /// The text. A chain's cipher and its MAC cover all of it.
    pub data: &'a [u8],
}

/// The output, and the tag or digest; each is empty where there is none. Where a tag is to be
/// checked, it is what it should be.
///
/// # Panics
/// If a length does not fit the algorithm, and for compression, which has more than one right
/// output.
pub fn compute(input: &Input<'_>) -> (Vec<u8>, Vec<u8>) {
    let encrypts = matches!(input.direction, Direction::Encrypt | Direction::Seal);
    let &Input { key, mac_key, nonce, data, tag_len, .. } = input;
    let (output, mut tag) = match input.algorithm {
        Algorithm::Hash(algorithm) => (Vec::new(), hash::digest(algorithm, data, tag_len)),
        Algorithm::Mac(MacAlgorithm::KasumiF9) => {
            (Vec::new(), kasumi::f9(key, nonce, data, input.bits.unwrap_or(8 * data.len())))
        }
        Algorithm::Mac(algorithm) => (Vec::new(), mac(algorithm, key, nonce, data, tag_len)),
        Algorithm::Cipher(CipherAlgorithm::KasumiF8) => {
            let bits = input.bits.unwrap_or(8 * data.len());
            (kasumi::f8(key, nonce, data, bits), Vec::new())
        }
        Algorithm::Cipher(algorithm) => {
            (cipher::apply(algorithm, encrypts, key, nonce, data), Vec::new())
        }
        Algorithm::Aead(algorithm) => aead::apply(algorithm, encrypts, input),
        Algorithm::Chain(algorithm, mac_algorithm, order) => {
            let output = cipher::apply(algorithm, encrypts, key, nonce, data);
            let covers_output = encrypts == (order == ChainOrder::CipherThenMac);
            let covered = if covers_output { &output } else { data };
            let tag = mac(mac_algorithm, mac_key, &[], covered, tag_len);
            (output, tag)
        }
        Algorithm::Compression(_) => panic!("a compression has more than one right output"),
        other => no_reference(other),
    };
    assert!(tag.len() >= tag_len, "{} has no tag of {tag_len} bytes", input.algorithm);
    tag.truncate(tag_len);
    (output, tag)
}

/// Ciphers a text, as half of a chain does.
pub(crate) fn cipher(
    algorithm: CipherAlgorithm,
    encrypts: bool,
    key: &[u8],
    nonce: &[u8],
    data: &[u8],
) -> Vec<u8> {
    cipher::apply(algorithm, encrypts, key, nonce, data)
}

/// The whole tag of a text, of which the first `tag_len` bytes are used; of KMAC, whose tags
/// depend on their length, the tag of that length.
pub(crate) fn mac(
    algorithm: MacAlgorithm,
    key: &[u8],
    nonce: &[u8],
    data: &[u8],
    tag_len: usize,
) -> Vec<u8> {
    match algorithm {
        MacAlgorithm::Blake3Keyed => hash::blake3_keyed(key, data, tag_len),
        MacAlgorithm::Kmac128 | MacAlgorithm::Kmac256 => hash::kmac(algorithm, key, data, tag_len),
        MacAlgorithm::Hmac(hash) => hash::hmac(hash, key, data),
        MacAlgorithm::AesCmac(_) => cipher::cmac(key, data),
        MacAlgorithm::AesGmac(_) => aead::gmac(key, nonce, data),
        MacAlgorithm::AesXcbc => cipher::xcbc(key, data),
        MacAlgorithm::KasumiF9 => kasumi::f9(key, nonce, data, 8 * data.len()),
        other => no_reference(other),
    }
}

/// Stops where the engine has an algorithm that is missing here.
pub(crate) fn no_reference(algorithm: impl Display) -> ! {
    panic!("the reference lacks {algorithm}")
}

#[cfg(test)]
mod tests;
