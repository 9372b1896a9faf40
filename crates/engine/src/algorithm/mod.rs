//! The algorithms that sessions can be opened for.

mod compression;
mod lengths;
mod names;

pub use compression::{Checksum, Compression, CompressionAlgorithm, Ending, Huffman};
pub use lengths::Lengths;
pub use names::NameError;

/// A hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HashAlgorithm {
    /// MD5 (RFC 1321).
    Md5,
    /// SHA-1 (FIPS 180-4).
    Sha1,
    /// SHA-224 (FIPS 180-4).
    Sha224,
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
}

impl HashAlgorithm {
    /// All of them.
    pub const ALL: [HashAlgorithm; 6] = [
        HashAlgorithm::Md5,
        HashAlgorithm::Sha1,
        HashAlgorithm::Sha224,
        HashAlgorithm::Sha256,
        HashAlgorithm::Sha384,
        HashAlgorithm::Sha512,
    ];

    /// Bytes that one compression consumes.
    pub const fn block_len(self) -> usize {
        match self {
            HashAlgorithm::Sha384 | HashAlgorithm::Sha512 => 128,
            _ => 64,
        }
    }

    /// Bytes of a digest.
    pub const fn digest_len(self) -> usize {
        match self {
            HashAlgorithm::Md5 => 16,
            HashAlgorithm::Sha1 => 20,
            HashAlgorithm::Sha224 => 28,
            HashAlgorithm::Sha256 => 32,
            HashAlgorithm::Sha384 => 48,
            HashAlgorithm::Sha512 => 64,
        }
    }

    /// The name: `sha256`.
    pub const fn name(self) -> &'static str {
        match self {
            HashAlgorithm::Md5 => "md5",
            HashAlgorithm::Sha1 => "sha1",
            HashAlgorithm::Sha224 => "sha224",
            HashAlgorithm::Sha256 => "sha256",
            HashAlgorithm::Sha384 => "sha384",
            HashAlgorithm::Sha512 => "sha512",
        }
    }
}

/// The length of an AES key (FIPS 197).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AesSize {
    /// 16 bytes, 10 rounds.
    Aes128,
    /// 24 bytes, 12 rounds.
    Aes192,
    /// 32 bytes, 14 rounds.
    Aes256,
}

impl AesSize {
    /// All of them.
    pub const ALL: [AesSize; 3] = [AesSize::Aes128, AesSize::Aes192, AesSize::Aes256];

    /// Bytes of the key.
    pub const fn key_len(self) -> usize {
        match self {
            AesSize::Aes128 => 16,
            AesSize::Aes192 => 24,
            AesSize::Aes256 => 32,
        }
    }

    /// Rounds of the cipher.
    pub const fn rounds(self) -> usize {
        self.key_len() / 4 + 6
    }
}

/// The strength of XTS-AES (SP 800-38E), which has two AES keys of that length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum XtsSize {
    /// XTS-AES-128: 32 bytes of key.
    Aes128,
    /// XTS-AES-256: 64 bytes of key.
    Aes256,
}

impl XtsSize {
    /// Both of them.
    pub const ALL: [XtsSize; 2] = [XtsSize::Aes128, XtsSize::Aes256];

    /// Bytes of the key, both halves together: the one for the data, then the one for tweaks.
    pub const fn key_len(self) -> usize {
        match self {
            XtsSize::Aes128 => 32,
            XtsSize::Aes256 => 64,
        }
    }
}

/// A message authentication code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MacAlgorithm {
    /// HMAC (RFC 2104) over a hash.
    Hmac(HashAlgorithm),
    /// AES-CMAC (SP 800-38B).
    AesCmac(AesSize),
    /// AES-GMAC (SP 800-38D): takes a nonce.
    AesGmac(AesSize),
    /// AES-XCBC-MAC (RFC 3566), with AES-128; IPsec truncates it to 12 bytes.
    AesXcbc,
    /// KASUMI's F9, UIA1 (3GPP TS 35.201), of whole bytes or of so many [bits](crate::Job::bits): the nonce is
    /// `COUNT` and `FRESH`, 32 bits each in big-endian order, and a byte that is the `DIRECTION`, 0 or 1.
    KasumiF9,
}

/// A cipher without authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CipherAlgorithm {
    /// AES in CBC mode without padding (SP 800-38A): whole blocks.
    AesCbc(AesSize),
    /// AES in CTR mode (SP 800-38A): the nonce is the first counter block, and all 128 bits count.
    AesCtr(AesSize),
    /// AES in CTR mode as IPsec has it (RFC 3686): the nonce is the first counter block, of which the last
    /// 32 bits count; or without them, 12 bytes, and the counter starts from 1, as RFC 3686 has it. A job whose
    /// counter would pass zero is refused.
    AesCtr32(AesSize),
    /// AES in CFB mode with segments of 128 bits (SP 800-38A), of which the last may be shorter.
    AesCfb(AesSize),
    /// AES in OFB mode (SP 800-38A), of which the last block may be shorter. Encrypting and decrypting are the
    /// same.
    AesOfb(AesSize),
    /// AES block by block (SP 800-38A, ECB): whole blocks, no nonce. Equal blocks stay equal.
    AesEcb(AesSize),
    /// XTS-AES with ciphertext stealing (IEEE 1619, SP 800-38E): the nonce is the tweak, the number of the
    /// data unit in little-endian order; data units of 16 bytes and more.
    AesXts(XtsSize),
    /// ChaCha20 (RFC 8439): the nonce is the first block's counter, 32 bits in little-endian order, and the
    /// nonce of 96 bits; or the latter alone, 12 bytes, and the counter starts from 0. A job whose counter would
    /// pass zero is refused.
    ChaCha20,
    /// Triple DES in CBC mode without padding (SP 800-67): whole blocks. Its key is three of DES, 24 bytes; or
    /// two, 16 bytes, of which the first is the third, too. Two are for what is there already (SP 800-131A).
    TripleDesCbc,
    /// Triple DES, with keys as in CBC mode, in CTR mode: the nonce is the first counter block, and all 64 bits
    /// count.
    TripleDesCtr,
    /// Triple DES, with keys as in CBC mode, block by block: whole blocks, no nonce.
    TripleDesEcb,
    /// DES in CBC mode without padding (FIPS 46-3, withdrawn): whole blocks. Its key can be searched for.
    DesCbc,
    /// DES in CTR mode, as [`TripleDesCtr`](CipherAlgorithm::TripleDesCtr).
    DesCtr,
    /// DES block by block: whole blocks, no nonce.
    DesEcb,
    /// KASUMI's F8, UEA1 (3GPP TS 35.201), of whole bytes or of so many [bits](crate::Job::bits): the nonce is
    /// `COUNT` in big-endian order, five bits `BEARER`, one bit `DIRECTION`, and 26 bits that are zero.
    KasumiF8,
    /// RC4 (its key stream from the beginning for every job, so that a key is good for one): broken, and
    /// prohibited in TLS (RFC 7465). No nonce.
    Rc4,
}

/// Authenticated encryption with associated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AeadAlgorithm {
    /// AES-GCM (SP 800-38D).
    AesGcm(AesSize),
    /// AES-CCM (SP 800-38C).
    AesCcm(AesSize),
    /// ChaCha20-Poly1305 (RFC 8439).
    ChaCha20Poly1305,
    /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): the nonce has 24 bytes, and may be drawn at random.
    XChaCha20Poly1305,
}

/// In which order a chain does its two halves, seen from the side that encrypts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChainOrder {
    /// Encrypt, then authenticate the ciphertext, as IPsec ESP (RFC 4303) does.
    CipherThenMac,
    /// Authenticate the plaintext, then encrypt, as TLS 1.2 (RFC 5246) does.
    MacThenCipher,
}

/// What a session computes.
///
/// Prints as its name and parses from it: `sha256`, `hmac-sha1`, `aes-128-cmac`, `aes-128-cbc`,
/// `3des-ctr`, `aes-256-gcm`, `chacha20-poly1305`, `deflate`; chains as `aes-128-cbc+hmac-sha1` (cipher, then MAC)
/// and `hmac-sha1+aes-128-cbc` (MAC, then cipher).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// A digest.
    Hash(HashAlgorithm),
    /// A message authentication code.
    Mac(MacAlgorithm),
    /// A cipher.
    Cipher(CipherAlgorithm),
    /// Authenticated encryption.
    Aead(AeadAlgorithm),
    /// A cipher and a MAC over one buffer.
    Chain(CipherAlgorithm, MacAlgorithm, ChainOrder),
    /// Compression.
    Compression(CompressionAlgorithm),
}

/// What is done to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// A hash of the buffer.
    Digest,
    /// A tag over the buffer.
    Generate,
    /// Whether a tag is that of the buffer.
    Verify,
    /// Plaintext to ciphertext; in a chain, with a tag.
    Encrypt,
    /// Ciphertext to plaintext; in a chain, if the tag is right.
    Decrypt,
    /// Plaintext to ciphertext and tag.
    Seal,
    /// Ciphertext and tag to plaintext, if the tag is right.
    Open,
    /// To fewer bytes.
    Compress,
    /// Back to all of them.
    Decompress,
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 9] = [
        Direction::Digest,
        Direction::Generate,
        Direction::Verify,
        Direction::Encrypt,
        Direction::Decrypt,
        Direction::Seal,
        Direction::Open,
        Direction::Compress,
        Direction::Decompress,
    ];

    /// The name: `encrypt`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Digest => "digest",
            Direction::Generate => "generate",
            Direction::Verify => "verify",
            Direction::Encrypt => "encrypt",
            Direction::Decrypt => "decrypt",
            Direction::Seal => "seal",
            Direction::Open => "open",
            Direction::Compress => "compress",
            Direction::Decompress => "decompress",
        }
    }

    /// Whether it checks what another direction made.
    pub const fn checks(self) -> bool {
        matches!(self, Direction::Verify | Direction::Decrypt | Direction::Open)
    }
}

impl MacAlgorithm {
    /// Every MAC.
    pub fn all() -> impl Iterator<Item = MacAlgorithm> {
        let hmac = HashAlgorithm::ALL.into_iter().map(MacAlgorithm::Hmac);
        let cmac = AesSize::ALL.into_iter().map(MacAlgorithm::AesCmac);
        let gmac = AesSize::ALL.into_iter().map(MacAlgorithm::AesGmac);
        hmac.chain(cmac).chain(gmac).chain([MacAlgorithm::AesXcbc, MacAlgorithm::KasumiF9])
    }

    /// Key lengths, in bytes.
    pub const fn key_lens(self) -> Lengths {
        match self {
            MacAlgorithm::Hmac(_) => Lengths::ANY,
            MacAlgorithm::AesCmac(size) | MacAlgorithm::AesGmac(size) => {
                Lengths::exactly(size.key_len())
            }
            MacAlgorithm::AesXcbc | MacAlgorithm::KasumiF9 => Lengths::exactly(16),
        }
    }

    /// Bytes of a whole tag.
    pub const fn tag_len(self) -> usize {
        match self {
            MacAlgorithm::Hmac(hash) => hash.digest_len(),
            MacAlgorithm::AesCmac(_) | MacAlgorithm::AesGmac(_) | MacAlgorithm::AesXcbc => 16,
            MacAlgorithm::KasumiF9 => 4,
        }
    }

    /// Lengths that a tag may have, in bytes; for GMAC those of GCM (SP 800-38D section 5.2.1.2), of which 4 and 8
    /// are for those who know why.
    pub const fn tag_lens(self) -> Lengths {
        match self {
            MacAlgorithm::AesGmac(_) => Lengths::range(12, 16).or(4).or(8),
            _ => Lengths::range(4, self.tag_len()),
        }
    }

    /// Nonce lengths, in bytes: none but for GMAC and F9.
    pub const fn nonce_lens(self) -> Lengths {
        match self {
            MacAlgorithm::AesGmac(_) => Lengths::range(1, MAX_NONCE),
            MacAlgorithm::KasumiF9 => Lengths::exactly(9),
            _ => Lengths::NONE,
        }
    }
}

/// The longest nonce that a job takes, in bytes.
pub const MAX_NONCE: usize = 1 << 16;

impl CipherAlgorithm {
    /// Every cipher; RC4 only with the feature `legacy`, without which no provider of Broadloom has it.
    pub fn all() -> impl Iterator<Item = CipherAlgorithm> {
        let modes = [
            CipherAlgorithm::AesCbc,
            CipherAlgorithm::AesCtr,
            CipherAlgorithm::AesCtr32,
            CipherAlgorithm::AesCfb,
            CipherAlgorithm::AesOfb,
            CipherAlgorithm::AesEcb,
        ];
        let aes = modes.into_iter().flat_map(|mode| AesSize::ALL.map(mode));
        let others = [
            CipherAlgorithm::ChaCha20,
            CipherAlgorithm::TripleDesCbc,
            CipherAlgorithm::TripleDesCtr,
            CipherAlgorithm::TripleDesEcb,
            CipherAlgorithm::DesCbc,
            CipherAlgorithm::DesCtr,
            CipherAlgorithm::DesEcb,
            CipherAlgorithm::KasumiF8,
        ];
        let legacy = cfg!(feature = "legacy").then_some(CipherAlgorithm::Rc4);
        aes.chain(XtsSize::ALL.map(CipherAlgorithm::AesXts)).chain(others).chain(legacy)
    }

    /// Key lengths, in bytes.
    pub const fn key_lens(self) -> Lengths {
        match self {
            CipherAlgorithm::Rc4 => Lengths::range(5, 256),
            CipherAlgorithm::TripleDesCbc
            | CipherAlgorithm::TripleDesCtr
            | CipherAlgorithm::TripleDesEcb => Lengths::exactly(24).or(16),
            _ => Lengths::exactly(self.key_len()),
        }
    }

    /// Bytes of the key; of the usual one, where there is a choice.
    pub const fn key_len(self) -> usize {
        use CipherAlgorithm::*;
        match self {
            AesCbc(size) | AesCtr(size) | AesCtr32(size) | AesCfb(size) | AesOfb(size)
            | AesEcb(size) => size.key_len(),
            AesXts(size) => size.key_len(),
            ChaCha20 => 32,
            TripleDesCbc | TripleDesCtr | TripleDesEcb => 24,
            DesCbc | DesCtr | DesEcb => 8,
            KasumiF8 | Rc4 => 16,
        }
    }

    /// Bytes of the block cipher's block, or of a block of key stream.
    pub const fn block_len(self) -> usize {
        use CipherAlgorithm::*;
        match self {
            AesCbc(_) | AesCtr(_) | AesCtr32(_) | AesCfb(_) | AesOfb(_) | AesEcb(_) | AesXts(_) => {
                16
            }
            ChaCha20 => 64,
            TripleDesCbc | TripleDesCtr | TripleDesEcb | DesCbc | DesCtr | DesEcb | KasumiF8 => 8,
            Rc4 => 1,
        }
    }

    /// Bytes of the IV, the first counter block, or the tweak; none for ECB and RC4. Some take
    /// [fewer](CipherAlgorithm::nonce_lens).
    pub const fn nonce_len(self) -> usize {
        use CipherAlgorithm::*;
        match self {
            AesCbc(_) | AesCtr(_) | AesCtr32(_) | AesCfb(_) | AesOfb(_) | AesXts(_) | ChaCha20 => {
                16
            }
            TripleDesCbc | TripleDesCtr | DesCbc | DesCtr | KasumiF8 => 8,
            AesEcb(_) | TripleDesEcb | DesEcb | Rc4 => 0,
        }
    }

    /// Nonce lengths, in bytes; 12 for AES in CTR mode with 32 bits that count, and for ChaCha20, is a nonce
    /// without a counter.
    pub const fn nonce_lens(self) -> Lengths {
        let whole = Lengths::exactly(self.nonce_len());
        match self {
            CipherAlgorithm::AesCtr32(_) | CipherAlgorithm::ChaCha20 => whole.or(12),
            _ => whole,
        }
    }

    /// The nonce with a counter that a nonce without one stands for; `None` for any other.
    pub(crate) fn with_counter(self, nonce: &[u8]) -> Option<[u8; 16]> {
        let nonce: &[u8; 12] = nonce.try_into().ok()?;
        let mut block = [0; 16];
        match self {
            // RFC 3686, 4: the counter starts from 1.
            CipherAlgorithm::AesCtr32(_) => {
                block[..12].copy_from_slice(nonce);
                block[15] = 1;
            }
            CipherAlgorithm::ChaCha20 => block[4..].copy_from_slice(nonce),
            _ => return None,
        }
        Some(block)
    }

    /// What lengths must be a multiple of, in bytes: 1 for key streams, CFB and XTS.
    pub const fn granularity(self) -> usize {
        use CipherAlgorithm::*;
        match self {
            AesCbc(_) | AesEcb(_) => 16,
            TripleDesCbc | TripleDesEcb | DesCbc | DesEcb => 8,
            AesCtr(_) | AesCtr32(_) | AesCfb(_) | AesOfb(_) | AesXts(_) => 1,
            ChaCha20 | TripleDesCtr | DesCtr | KasumiF8 | Rc4 => 1,
        }
    }

    /// The fewest bytes of text: a block for XTS, else none.
    pub const fn min_len(self) -> usize {
        match self {
            CipherAlgorithm::AesXts(_) => 16,
            _ => 0,
        }
    }

    /// The most bytes of text, where it does not depend on the nonce: 2^20 blocks for XTS (SP 800-38E, 4).
    pub const fn max_len(self) -> Option<u64> {
        match self {
            CipherAlgorithm::AesXts(_) => Some(16 << 20),
            _ => None,
        }
    }

    /// The first value of a counter of 32 bits that may not pass zero, from a nonce of the right length.
    pub(crate) fn counter(self, nonce: &[u8]) -> Option<u32> {
        match self {
            CipherAlgorithm::AesCtr32(_) => {
                nonce.last_chunk().map(|last| u32::from_be_bytes(*last))
            }
            CipherAlgorithm::ChaCha20 => {
                nonce.first_chunk().map(|first| u32::from_le_bytes(*first))
            }
            _ => None,
        }
    }
}

impl AeadAlgorithm {
    /// Every AEAD.
    pub fn all() -> impl Iterator<Item = AeadAlgorithm> {
        let gcm = AesSize::ALL.into_iter().map(AeadAlgorithm::AesGcm);
        let ccm = AesSize::ALL.into_iter().map(AeadAlgorithm::AesCcm);
        gcm.chain(ccm).chain([AeadAlgorithm::ChaCha20Poly1305, AeadAlgorithm::XChaCha20Poly1305])
    }

    /// Bytes of the key.
    pub const fn key_len(self) -> usize {
        match self {
            AeadAlgorithm::AesGcm(size) | AeadAlgorithm::AesCcm(size) => size.key_len(),
            AeadAlgorithm::ChaCha20Poly1305 | AeadAlgorithm::XChaCha20Poly1305 => 32,
        }
    }

    /// Nonce lengths, in bytes: any from 1 on for GCM, 7 to 13 for CCM, 12 for ChaCha20-Poly1305, 24 for
    /// XChaCha20-Poly1305.
    pub const fn nonce_lens(self) -> Lengths {
        match self {
            AeadAlgorithm::AesGcm(_) => Lengths::range(1, MAX_NONCE),
            AeadAlgorithm::AesCcm(_) => Lengths::range(7, 13),
            AeadAlgorithm::ChaCha20Poly1305 => Lengths::exactly(12),
            AeadAlgorithm::XChaCha20Poly1305 => Lengths::exactly(24),
        }
    }

    /// Lengths that a tag may have, in bytes: SP 800-38D section 5.2.1.2 for GCM (32 and 64 bits included),
    /// SP 800-38C section A.1 for CCM, 16 for ChaCha20-Poly1305 and XChaCha20-Poly1305.
    pub const fn tag_lens(self) -> Lengths {
        match self {
            AeadAlgorithm::AesGcm(_) => Lengths::range(12, 16).or(4).or(8),
            AeadAlgorithm::AesCcm(_) => Lengths::exactly(4).or(6).or(8).or(10).or(12).or(14).or(16),
            AeadAlgorithm::ChaCha20Poly1305 | AeadAlgorithm::XChaCha20Poly1305 => {
                Lengths::exactly(16)
            }
        }
    }

    /// The most bytes of text under one nonce of this length: for CCM what its length field holds
    /// (SP 800-38C), for GCM 2^36 - 32, for ChaCha20-Poly1305 and XChaCha20-Poly1305 2^38 - 64.
    pub const fn max_len(self, nonce_len: usize) -> u64 {
        match self {
            AeadAlgorithm::AesGcm(_) => (1 << 36) - 32,
            AeadAlgorithm::AesCcm(_) => match 15usize.saturating_sub(nonce_len) {
                8.. => u64::MAX,
                field => (1 << (8 * field)) - 1,
            },
            AeadAlgorithm::ChaCha20Poly1305 | AeadAlgorithm::XChaCha20Poly1305 => (1 << 38) - 64,
        }
    }
}

impl Algorithm {
    /// Every algorithm of the packets' kind, which turns so many bytes into as many: hashes, MACs, ciphers
    /// and AEADs. Chains are any cipher with any MAC that takes no nonce.
    pub fn simple() -> impl Iterator<Item = Algorithm> {
        let hashes = HashAlgorithm::ALL.into_iter().map(Algorithm::Hash);
        let macs = MacAlgorithm::all().map(Algorithm::Mac);
        let ciphers = CipherAlgorithm::all().map(Algorithm::Cipher);
        hashes.chain(macs).chain(ciphers).chain(AeadAlgorithm::all().map(Algorithm::Aead))
    }

    /// Every algorithm but the chains; RC4 only with the feature `legacy`.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        let compressions = CompressionAlgorithm::ALL.into_iter().map(Algorithm::Compression);
        Algorithm::simple().chain(compressions)
    }

    /// The directions that it has, the one that makes something first.
    pub const fn directions(self) -> &'static [Direction] {
        match self {
            Algorithm::Hash(_) => &[Direction::Digest],
            Algorithm::Mac(_) => &[Direction::Generate, Direction::Verify],
            Algorithm::Cipher(_) | Algorithm::Chain(..) => {
                &[Direction::Encrypt, Direction::Decrypt]
            }
            Algorithm::Aead(_) => &[Direction::Seal, Direction::Open],
            Algorithm::Compression(_) => &[Direction::Compress, Direction::Decompress],
        }
    }

    /// The cipher of a cipher or a chain.
    pub const fn cipher(self) -> Option<CipherAlgorithm> {
        match self {
            Algorithm::Cipher(cipher) | Algorithm::Chain(cipher, _, _) => Some(cipher),
            _ => None,
        }
    }

    /// The MAC of a MAC or a chain.
    pub const fn mac(self) -> Option<MacAlgorithm> {
        match self {
            Algorithm::Mac(mac) | Algorithm::Chain(_, mac, _) => Some(mac),
            _ => None,
        }
    }

    /// What lengths must be a multiple of, in bytes.
    pub const fn granularity(self) -> usize {
        match self.cipher() {
            Some(cipher) => cipher.granularity(),
            None => 1,
        }
    }

    /// The fewest bytes of text that a cipher takes; 0 for most, and for everything else.
    pub const fn min_len(self) -> usize {
        match self.cipher() {
            Some(cipher) => cipher.min_len(),
            None => 0,
        }
    }

    /// Nonce lengths, in bytes.
    pub const fn nonce_lens(self) -> Lengths {
        match self {
            Algorithm::Hash(_) | Algorithm::Compression(_) => Lengths::NONE,
            Algorithm::Mac(mac) => mac.nonce_lens(),
            Algorithm::Cipher(cipher) | Algorithm::Chain(cipher, _, _) => cipher.nonce_lens(),
            Algorithm::Aead(aead) => aead.nonce_lens(),
        }
    }

    /// Key lengths, in bytes; of a chain, those of its cipher. None for a hash and for a compression.
    pub const fn key_lens(self) -> Lengths {
        match self {
            Algorithm::Hash(_) | Algorithm::Compression(_) => Lengths::NONE,
            Algorithm::Mac(mac) => mac.key_lens(),
            Algorithm::Cipher(cipher) | Algorithm::Chain(cipher, _, _) => cipher.key_lens(),
            Algorithm::Aead(aead) => Lengths::exactly(aead.key_len()),
        }
    }

    /// Lengths that a digest or a tag may have, in bytes; none for a cipher, and for a compression.
    pub const fn tag_lens(self) -> Lengths {
        match self {
            Algorithm::Hash(hash) => Lengths::exactly(hash.digest_len()),
            Algorithm::Mac(mac) | Algorithm::Chain(_, mac, _) => mac.tag_lens(),
            Algorithm::Cipher(_) | Algorithm::Compression(_) => Lengths::NONE,
            Algorithm::Aead(aead) => aead.tag_lens(),
        }
    }

    /// Whether a job may have a length in [bits](crate::Job::bits): for KASUMI's F8 and F9 by themselves.
    pub const fn counts_bits(self) -> bool {
        matches!(
            self,
            Algorithm::Cipher(CipherAlgorithm::KasumiF8) | Algorithm::Mac(MacAlgorithm::KasumiF9)
        )
    }

    /// Which bits of a byte of the nonce may be set: all of them, but for KASUMI's, which are fields.
    pub const fn nonce_mask(self, at: usize) -> u8 {
        let masks = self.nonce_masks();
        if at < masks.len() { masks[at] } else { 0xff }
    }

    /// The masks of all bytes of the nonce, or nothing if every bit may be set.
    pub(crate) const fn nonce_masks(self) -> &'static [u8] {
        match (self.cipher(), self.mac()) {
            (Some(CipherAlgorithm::KasumiF8), _) => &[0xff, 0xff, 0xff, 0xff, 0xfc, 0, 0, 0],
            (None, Some(MacAlgorithm::KasumiF9)) => {
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]
            }
            _ => &[],
        }
    }

    /// Whether some jobs are refused whose lengths fit: for a text too short or too long, or for their nonce.
    pub(crate) fn checks_jobs(self) -> bool {
        let of_cipher = self.cipher().is_some_and(|cipher| {
            let counts = cipher.counter(&[0; 16]).is_some();
            cipher.min_len() > 0 || cipher.max_len().is_some() || counts
        });
        of_cipher || !self.nonce_masks().is_empty()
    }

    /// Bytes of a whole digest or tag; 0 for a cipher, and for a compression.
    pub const fn tag_len(self) -> usize {
        match self {
            Algorithm::Hash(hash) => hash.digest_len(),
            Algorithm::Mac(mac) | Algorithm::Chain(_, mac, _) => mac.tag_len(),
            Algorithm::Cipher(_) | Algorithm::Compression(_) => 0,
            Algorithm::Aead(_) => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_jobs_are_refused_by_length_counter_or_fields() {
        let names = ["aes-128-xts", "aes-256-ctr32", "chacha20", "kasumi-f8", "kasumi-f9"];
        for name in names.into_iter().chain(["aes-128-xts+hmac-sha1", "hmac-sha1+kasumi-f8"]) {
            assert!(name.parse::<Algorithm>().unwrap().checks_jobs(), "{name}");
        }
        for name in
            ["sha256", "hmac-sha1", "aes-128-cbc", "aes-128-ctr", "3des-ctr", "aes-128-gmac", "rc4"]
        {
            assert!(!name.parse::<Algorithm>().unwrap().checks_jobs(), "{name}");
        }
    }

    #[test]
    fn masks_are_for_all_bytes_of_a_nonce() {
        for algorithm in Algorithm::all() {
            let masks = algorithm.nonce_masks();
            let lens = algorithm.nonce_lens();
            assert!(masks.is_empty() || lens == Lengths::exactly(masks.len()), "{algorithm}");
        }
    }

    #[test]
    fn a_nonce_without_a_counter_stands_for_one_with_the_first() {
        let nonce = [9; 12];
        let ctr32 = CipherAlgorithm::AesCtr32(AesSize::Aes256);
        assert_eq!(
            ctr32.with_counter(&nonce).map(|block| (block[11], ctr32.counter(&block))),
            Some((9, Some(1)))
        );
        let chacha20 = CipherAlgorithm::ChaCha20;
        let block = chacha20.with_counter(&nonce).expect("12 bytes");
        assert_eq!((chacha20.counter(&block), &block[4..]), (Some(0), nonce.as_slice()));
        for other in CipherAlgorithm::all() {
            let takes = other.nonce_lens().contains(12);
            assert_eq!(
                takes,
                matches!(other, CipherAlgorithm::AesCtr32(_) | CipherAlgorithm::ChaCha20)
            );
            assert_eq!(other.with_counter(&nonce).is_some(), takes, "{other}");
            assert_eq!(other.with_counter(&[9; 16]), None);
        }
    }

    #[test]
    fn rc4_is_listed_where_it_is_built() {
        let rc4 = Algorithm::Cipher(CipherAlgorithm::Rc4);
        let built = cfg!(feature = "legacy");
        assert_eq!(Algorithm::all().any(|algorithm| algorithm == rc4), built);
        assert_eq!(Algorithm::simple().any(|algorithm| algorithm == rc4), built);
        // The name is known all the same: whoever opens a session is told that no provider has it.
        assert_eq!("rc4".parse(), Ok(rc4));
        let chain = Algorithm::Chain(
            CipherAlgorithm::Rc4,
            MacAlgorithm::Hmac(HashAlgorithm::Md5),
            ChainOrder::CipherThenMac,
        );
        assert_eq!("rc4+hmac-md5".parse(), Ok(chain));
        let error = "rc5".parse::<Algorithm>().expect_err("there is none").to_string();
        assert_eq!(error.contains("rc4"), built, "{error}");
    }

    #[test]
    fn ccm_lengths_follow_the_nonce() {
        let ccm = AeadAlgorithm::AesCcm(AesSize::Aes128);
        assert_eq!(ccm.max_len(13), 0xffff);
        assert_eq!(ccm.max_len(12), 0xff_ffff);
        assert_eq!(ccm.max_len(7), u64::MAX);
    }
}
