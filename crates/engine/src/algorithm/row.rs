//! What the table says of an algorithm.

use super::{Direction, Lengths};

/// What algorithms have in common in how they are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Family {
    /// Hashes that compress a message block by block (Merkle and Damgård), and HMAC over them.
    MerkleDamgard,
    /// SHA-3 and SHAKE, HMAC over SHA-3, and KMAC.
    Sponge,
    /// BLAKE3.
    Blake3,
    /// The modes of AES.
    Aes,
    /// ChaCha20, alone and with Poly1305.
    ChaCha,
    /// DES and triple DES.
    Des,
    /// KASUMI.
    Kasumi,
    /// RC4.
    Rc4,
    /// Compression.
    Compression,
    /// Signatures, encryption, key agreement and encapsulation by RSA, on elliptic curves, by
    /// hashes, and on lattices.
    PublicKey,
}

/// One algorithm: everything that the engine knows of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The name, in parts that follow each other.
    pub name: [&'static str; 3],
    /// Other names from which the algorithm is parsed.
    pub aliases: &'static [&'static str],
    /// The document that specifies the algorithm.
    pub standard: &'static str,
    pub family: Family,
    /// The direction that makes something first.
    pub directions: &'static [Direction],
    /// Bytes of a block of a cipher, of a key stream, or of what a hash compresses.
    pub block_len: usize,
    pub keys: Lengths,
    /// Bytes of the key; of the usual key, where there is a choice.
    pub key_len: usize,
    pub key_parts: KeyParts,
    pub nonces: Lengths,
    /// Bytes of a nonce with everything that may be in it.
    pub nonce_len: usize,
    /// Which bits of each byte of the nonce may be set; empty if every bit may be.
    pub nonce_masks: &'static [u8],
    pub counter: Counter,
    /// The lengths of digests or tags.
    pub tags: Lengths,
    /// Bytes of a whole digest or tag.
    pub tag_len: usize,
    /// What the length of a text must be a multiple of, a power of two.
    pub granularity: usize,
    /// The fewest bytes of a text.
    pub min_len: usize,
    pub max_len: MaxLen,
    /// `true` if a job may have a length in bits.
    pub counts_bits: bool,
    /// `true` if the algorithm is listed; its name is known in any case.
    pub is_listed: bool,
}

impl Row {
    /// An algorithm without keys, nonces and tags, for texts of any length: other rows begin with
    /// it.
    pub const fn new(
        name: [&'static str; 3],
        standard: &'static str,
        family: Family,
        directions: &'static [Direction],
    ) -> Row {
        Row {
            name,
            aliases: &[],
            standard,
            family,
            directions,
            block_len: 1,
            keys: Lengths::NONE,
            key_len: 0,
            key_parts: KeyParts::Any,
            nonces: Lengths::NONE,
            nonce_len: 0,
            nonce_masks: &[],
            counter: Counter::None,
            tags: Lengths::NONE,
            tag_len: 0,
            granularity: 1,
            min_len: 0,
            max_len: MaxLen::Unlimited,
            counts_bits: false,
            is_listed: true,
        }
    }

    /// With keys of one length.
    pub const fn key(self, len: usize) -> Row {
        Row { keys: Lengths::exactly(len), key_len: len, ..self }
    }

    /// With nonces of one length.
    pub const fn nonce(self, len: usize) -> Row {
        Row { nonces: Lengths::exactly(len), nonce_len: len, ..self }
    }

    /// With tags of so many bytes, or truncated to these lengths.
    pub const fn tag(self, len: usize, truncated: Lengths) -> Row {
        Row { tags: truncated, tag_len: len, ..self }
    }

    /// Returns `true` if some jobs are refused whose lengths fit: for their nonce, or for their
    /// length in bits.
    pub fn checks_jobs(&self) -> bool {
        self.counter != Counter::None || !self.nonce_masks.is_empty() || self.counts_bits
    }
}

/// What must be true of the parts of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyParts {
    /// Any bytes are a key.
    Any,
    /// Two halves that must differ.
    Halves,
    /// Three keys of DES, of which neighbours must differ; a third that is left out is the first.
    TripleDes,
}

/// Where a nonce has a counter of 32 bits that may not pass zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    /// Nowhere.
    None,
    /// In the first four bytes, in little-endian order; from 0 (RFC 8439, 2.4) where a nonce is
    /// without.
    First,
    /// In the last four bytes, in big-endian order; from 1 (RFC 3686, 4) where a nonce is without.
    Last,
}

impl Counter {
    /// The value in a nonce of 16 bytes.
    pub fn of(self, nonce: &[u8]) -> Option<u32> {
        match self {
            Counter::None => None,
            Counter::First => nonce.first_chunk().map(|first| u32::from_le_bytes(*first)),
            Counter::Last => nonce.last_chunk().map(|last| u32::from_be_bytes(*last)),
        }
    }

    /// The nonce with a counter that a nonce of 12 bytes, without one, stands for; `None` for any
    /// other.
    pub fn with(self, nonce: &[u8]) -> Option<[u8; 16]> {
        let nonce: &[u8; 12] = nonce.try_into().ok()?;
        let mut block = [0; 16];
        match self {
            Counter::None => return None,
            Counter::First => block[4..].copy_from_slice(nonce),
            Counter::Last => {
                block[..12].copy_from_slice(nonce);
                block[15] = 1;
            }
        }
        Some(block)
    }
}

/// The most bytes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaxLen {
    /// As many as there are.
    Unlimited,
    /// So many.
    Bytes(u64),
    /// What a length field holds that has the bytes of a block of 16 which the nonce and a byte of
    /// flags leave.
    LengthField,
}

impl MaxLen {
    /// The limit under a nonce of a length.
    pub const fn of(self, nonce_len: usize) -> u64 {
        match self {
            MaxLen::Unlimited => u64::MAX,
            MaxLen::Bytes(len) => len,
            MaxLen::LengthField => match 15usize.saturating_sub(nonce_len) {
                8.. => u64::MAX,
                field => (1 << (8 * field)) - 1,
            },
        }
    }
}
