//! The algorithms that sessions can be opened for.
//!
//! Everything that is said of them here follows from [their table](table).

mod compression;
mod direction;
mod hybrid;
mod kem;
mod lengths;
mod names;
mod row;
mod size;
mod table;

// A parameter set is the same to an application and to the lanes.
pub use broadloom_public_key::{MlDsaSet, MlKemSet, SlhDsaSet};
pub use compression::{Checksum, Compression, Ending, Huffman};
pub use direction::{ChainOrder, Direction};
pub use hybrid::HybridKem;
pub use kem::Kem;
pub use lengths::Lengths;
pub use names::NameError;
pub use row::Family;
pub(crate) use row::{Counter, KeyParts, Row};
pub use size::{AesSize, Curve, RsaSize, XtsSize};
pub use table::{
    AeadAlgorithm, CipherAlgorithm, CompressionAlgorithm, HashAlgorithm, MAX_NONCE, MAX_TAG,
    MacAlgorithm, PublicKeyAlgorithm,
};

/// Any algorithm: a hash, a MAC, a cipher, an AEAD, a chain of two, a compression, or an algorithm
/// with a private and a public key.
///
/// Prints as its name and parses from it: `sha256`, `hmac-sha1`, `aes-128-cmac`, `aes-128-cbc`,
/// `3des-ctr`, `aes-256-gcm`, `chacha20-poly1305`, `deflate`, `rsa-2048`, `ecdsa-p256`; chains as
/// `aes-128-cbc+hmac-sha1` (cipher, then MAC) and `hmac-sha1+aes-128-cbc` (MAC, then cipher). Some
/// names have an alias: `sha-256` is parsed, too.
///
/// ```
/// use broadloom_engine::{Algorithm, Direction};
///
/// let algorithm: Algorithm = "aes-128-gcm".parse()?;
/// assert_eq!(algorithm.directions(), [Direction::Seal, Direction::Open]);
/// assert_eq!((algorithm.key_len(), algorithm.tag_len()), (16, 16));
/// assert_eq!(algorithm.standard(), "SP 800-38D");
///
/// let error = "aes-129-gcm".parse::<Algorithm>().unwrap_err();
/// assert!(error.to_string().contains("aes-128-gcm"));
/// # Ok::<(), broadloom_engine::NameError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
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
    /// Signatures, encryption, agreement or encapsulation with a private and a public key.
    PublicKey(PublicKeyAlgorithm),
}

impl HashAlgorithm {
    /// Every hash.
    pub fn all() -> impl Iterator<Item = HashAlgorithm> {
        HashAlgorithm::known().filter(|hash| hash.row().is_listed)
    }

    /// Bytes that one compression consumes.
    pub const fn block_len(self) -> usize {
        self.row().block_len
    }

    /// Bytes of a digest.
    pub const fn digest_len(self) -> usize {
        self.row().tag_len
    }

    /// The name: `sha256`.
    pub const fn name(self) -> &'static str {
        self.row().name[0]
    }

    /// Returns the family of its computation.
    pub const fn family(self) -> Family {
        self.row().family
    }
}

impl MacAlgorithm {
    /// Every MAC.
    pub fn all() -> impl Iterator<Item = MacAlgorithm> {
        MacAlgorithm::known().filter(|mac| mac.row().is_listed)
    }

    /// Key lengths, in bytes.
    pub const fn key_lens(self) -> Lengths {
        self.row().keys
    }

    /// Bytes of a whole tag.
    pub const fn tag_len(self) -> usize {
        self.row().tag_len
    }

    /// Lengths that a tag may have, in bytes; for GMAC those of GCM (SP 800-38D section 5.2.1.2),
    /// of which 4 and 8 are for those who know why.
    pub const fn tag_lens(self) -> Lengths {
        self.row().tags
    }

    /// Nonce lengths, in bytes: none but for GMAC and F9.
    pub const fn nonce_lens(self) -> Lengths {
        self.row().nonces
    }
}

impl CipherAlgorithm {
    /// Every cipher. Providers have RC4 only where they are opened with the option `legacy=yes`.
    pub fn all() -> impl Iterator<Item = CipherAlgorithm> {
        CipherAlgorithm::known().filter(|cipher| cipher.row().is_listed)
    }

    /// Key lengths, in bytes.
    pub const fn key_lens(self) -> Lengths {
        self.row().keys
    }

    /// Bytes of the key; of the usual key, where there is a choice.
    pub const fn key_len(self) -> usize {
        self.row().key_len
    }

    /// Bytes of the block cipher's block, or of a block of key stream.
    pub const fn block_len(self) -> usize {
        self.row().block_len
    }

    /// Bytes of the IV, the first counter block, or the tweak; none for ECB and RC4. Some take
    /// [fewer](CipherAlgorithm::nonce_lens).
    pub const fn nonce_len(self) -> usize {
        self.row().nonce_len
    }

    /// Nonce lengths, in bytes; 12 for AES in CTR mode with 32 bits that count, and for ChaCha20,
    /// is a nonce without a counter.
    pub const fn nonce_lens(self) -> Lengths {
        self.row().nonces
    }

    /// Returns the number of bytes that lengths must be a multiple of: 1 for key streams, CFB and
    /// XTS.
    pub const fn granularity(self) -> usize {
        self.row().granularity
    }

    /// The fewest bytes of text: a block for XTS, else none.
    pub const fn min_len(self) -> usize {
        self.row().min_len
    }

    /// The most bytes of text: 2^20 blocks for XTS (SP 800-38E, 4), else any number.
    pub const fn max_len(self) -> u64 {
        self.row().max_len.of(self.row().nonce_len)
    }
}

impl AeadAlgorithm {
    /// Every AEAD.
    pub fn all() -> impl Iterator<Item = AeadAlgorithm> {
        AeadAlgorithm::known().filter(|aead| aead.row().is_listed)
    }

    /// Bytes of the key.
    pub const fn key_len(self) -> usize {
        self.row().key_len
    }

    /// Nonce lengths, in bytes: any from 1 on for GCM, 7 to 13 for CCM, 12 for ChaCha20-Poly1305,
    /// 24 for XChaCha20-Poly1305.
    pub const fn nonce_lens(self) -> Lengths {
        self.row().nonces
    }

    /// Lengths that a tag may have, in bytes: SP 800-38D section 5.2.1.2 for GCM (32 and 64 bits
    /// included), SP 800-38C section A.1 for CCM, 16 for ChaCha20-Poly1305 and XChaCha20-Poly1305.
    pub const fn tag_lens(self) -> Lengths {
        self.row().tags
    }

    /// The most bytes of text under one nonce of this length: for CCM what its length field holds
    /// (SP 800-38C), for GCM 2^36 - 32, for ChaCha20-Poly1305 and XChaCha20-Poly1305 2^38 - 64.
    pub const fn max_len(self, nonce_len: usize) -> u64 {
        self.row().max_len.of(nonce_len)
    }
}

impl CompressionAlgorithm {
    /// Every compression.
    pub fn all() -> impl Iterator<Item = CompressionAlgorithm> {
        CompressionAlgorithm::known().filter(|compression| compression.row().is_listed)
    }

    /// The name: `deflate`.
    pub const fn name(self) -> &'static str {
        self.row().name[0]
    }
}

impl PublicKeyAlgorithm {
    /// Every algorithm with a private and a public key.
    pub fn all() -> impl Iterator<Item = PublicKeyAlgorithm> {
        PublicKeyAlgorithm::known().filter(|algorithm| algorithm.row().is_listed)
    }
}

impl Algorithm {
    /// All but the chains, listed or not.
    pub(crate) fn known() -> std::vec::IntoIter<Algorithm> {
        let mut all = Vec::new();
        all.extend(HashAlgorithm::known().map(Algorithm::Hash));
        all.extend(MacAlgorithm::known().map(Algorithm::Mac));
        all.extend(CipherAlgorithm::known().map(Algorithm::Cipher));
        all.extend(AeadAlgorithm::known().map(Algorithm::Aead));
        all.extend(CompressionAlgorithm::known().map(Algorithm::Compression));
        all.extend(PublicKeyAlgorithm::known().map(Algorithm::PublicKey));
        all.into_iter()
    }

    /// Its row in the table: for a chain the cipher's, with the tags of the MAC.
    pub(crate) const fn row(self) -> Row {
        match self {
            Algorithm::Hash(hash) => hash.row(),
            Algorithm::Mac(mac) => mac.row(),
            Algorithm::Cipher(cipher) => cipher.row(),
            Algorithm::Aead(aead) => aead.row(),
            Algorithm::Compression(compression) => compression.row(),
            Algorithm::PublicKey(algorithm) => algorithm.row(),
            Algorithm::Chain(cipher, mac, _) => {
                let Row { tags, tag_len, .. } = mac.row();
                Row { counts_bits: false, ..cipher.row().tag(tag_len, tags) }
            }
        }
    }

    /// Every algorithm but the chains.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Algorithm::known().filter(|algorithm| algorithm.row().is_listed)
    }

    /// Every algorithm of the packets' kind, which turns so many bytes into as many: hashes, MACs,
    /// ciphers and AEADs. Chains are any cipher with any MAC that takes no nonce.
    pub fn simple() -> impl Iterator<Item = Algorithm> {
        let other = |algorithm: &Algorithm| {
            matches!(algorithm, Algorithm::Compression(_) | Algorithm::PublicKey(_))
        };
        Algorithm::all().filter(move |algorithm| !other(algorithm))
    }

    /// Returns the family of its computation. A chain has the family of its cipher.
    pub const fn family(self) -> Family {
        self.row().family
    }

    /// The document that specifies it: `FIPS 180-4`; of a chain, its cipher's.
    pub const fn standard(self) -> &'static str {
        self.row().standard
    }

    /// The directions that it has, the one that makes something first.
    pub const fn directions(self) -> &'static [Direction] {
        self.row().directions
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

    /// Returns the number of bytes that lengths must be a multiple of.
    pub const fn granularity(self) -> usize {
        self.row().granularity
    }

    /// The fewest bytes of text that a cipher takes; 0 for most, and for everything else.
    pub const fn min_len(self) -> usize {
        self.row().min_len
    }

    /// Nonce lengths, in bytes.
    pub const fn nonce_lens(self) -> Lengths {
        self.row().nonces
    }

    /// Key lengths, in bytes; of a chain, those of its cipher. None for a hash and for a
    /// compression.
    pub const fn key_lens(self) -> Lengths {
        self.row().keys
    }

    /// Bytes of the key, of the usual key where there is a choice: of an HMAC as many as of a
    /// digest (RFC 2104).
    pub const fn key_len(self) -> usize {
        self.row().key_len
    }

    /// Lengths that a digest or a tag may have, in bytes; none for a cipher, and for a compression.
    pub const fn tag_lens(self) -> Lengths {
        self.row().tags
    }

    /// Bytes of a whole digest or tag; 0 for a cipher, and for a compression.
    pub const fn tag_len(self) -> usize {
        self.row().tag_len
    }

    /// Returns `true` if a job may have a length in [bits](crate::Job::bits): for KASUMI's F8 and
    /// F9 by themselves.
    pub const fn counts_bits(self) -> bool {
        self.row().counts_bits
    }

    /// Returns the bits of a byte of the nonce that may be set: all of them, except for KASUMI's,
    /// which are fields.
    pub const fn nonce_mask(self, at: usize) -> u8 {
        let masks = self.row().nonce_masks;
        if at < masks.len() { masks[at] } else { 0xff }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_for_all_bytes_of_a_nonce() {
        for algorithm in Algorithm::all() {
            let masks = algorithm.row().nonce_masks;
            let lens = algorithm.nonce_lens();
            assert!(masks.is_empty() || lens == Lengths::exactly(masks.len()), "{algorithm}");
        }
    }

    #[test]
    fn a_nonce_without_a_counter_stands_for_one_with_the_first() {
        let nonce = [9; 12];
        let ctr32 = CipherAlgorithm::AesCtr32(AesSize::Aes256).row().counter;
        assert_eq!(
            ctr32.with(&nonce).map(|block| (block[11], ctr32.of(&block))),
            Some((9, Some(1)))
        );
        let chacha20 = CipherAlgorithm::ChaCha20.row().counter;
        let block = chacha20.with(&nonce).expect("12 bytes");
        assert_eq!((chacha20.of(&block), &block[4..]), (Some(0), nonce.as_slice()));
        for other in CipherAlgorithm::all() {
            let takes = other.nonce_lens().contains(12);
            assert_eq!(
                takes,
                matches!(other, CipherAlgorithm::AesCtr32(_) | CipherAlgorithm::ChaCha20)
            );
            let counter = other.row().counter;
            assert_eq!(counter.with(&nonce).is_some(), takes, "{other}");
            assert_eq!(counter.with(&[9; 16]), None);
        }
    }

    #[test]
    fn rc4_has_a_name_like_others() {
        let rc4 = Algorithm::Cipher(CipherAlgorithm::Rc4);
        assert!(Algorithm::all().any(|algorithm| algorithm == rc4));
        assert_eq!("rc4".parse(), Ok(rc4));
        let chain = Algorithm::Chain(
            CipherAlgorithm::Rc4,
            MacAlgorithm::Hmac(HashAlgorithm::Md5),
            ChainOrder::CipherThenMac,
        );
        assert_eq!("rc4+hmac-md5".parse(), Ok(chain));
        let error = "rc5".parse::<Algorithm>().expect_err("there is none").to_string();
        assert!(error.contains("rc4"), "{error}");
    }

    #[test]
    fn ccm_lengths_follow_the_nonce() {
        let ccm = AeadAlgorithm::AesCcm(AesSize::Aes128);
        assert_eq!(ccm.max_len(13), 0xffff);
        assert_eq!(ccm.max_len(12), 0xff_ffff);
        assert_eq!(ccm.max_len(7), u64::MAX);
    }

    #[test]
    fn rows_agree_with_themselves() {
        for algorithm in Algorithm::known() {
            let row = algorithm.row();
            assert!(row.granularity.is_power_of_two(), "{algorithm}");
            assert!(row.keys.contains(row.key_len), "{algorithm}");
            assert!(row.nonces.contains(row.nonce_len), "{algorithm}");
            assert!(row.tags.contains(row.tag_len), "{algorithm}");
            assert!(row.tag_len <= MAX_TAG, "{algorithm}");
            assert!(!row.directions.is_empty() && !row.standard.is_empty(), "{algorithm}");
            let counts = row.counter != Counter::None;
            assert_eq!(counts, row.nonces == Lengths::exactly(16).or(12), "{algorithm}");
        }
    }

    #[test]
    fn a_chain_has_the_keys_of_its_cipher_and_the_tags_of_its_mac() {
        let chain: Algorithm = "kasumi-f8+hmac-sha384".parse().expect("a chain");
        assert_eq!((chain.key_len(), chain.tag_len(), chain.counts_bits()), (16, 48, false));
        assert_eq!(chain.tag_lens(), Lengths::range(4, 48));
        assert_eq!((chain.nonce_mask(4), chain.family()), (0xff, Family::Kasumi));
        assert_eq!(chain.directions(), [Direction::Encrypt, Direction::Decrypt]);
    }
}
