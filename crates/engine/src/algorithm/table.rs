//! The table: every algorithm with its name, its family, and its lengths.
//!
//! An algorithm is one row, of which names, parsing, lists, capabilities and checks follow. A row
//! of AES stands for an algorithm of each length of key, and the row of HMAC for an algorithm of
//! each hash.

use super::row::{Counter, Family, KeyParts, MaxLen, Row};
use super::{
    AesSize, Curve, Direction, HybridKem, Lengths, MlDsaSet, MlKemSet, RsaSize, SlhDsaSet, XtsSize,
};

/// Makes an enum of its rows.
macro_rules! algorithms {
    (
        $(#[doc = $doc:literal])+
        $enum:ident {
            $(
                $(#[doc = $what:literal])+
                $variant:ident $(($of:ident: $Of:ident))? => $row:expr,
            )+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $enum {
            $( $(#[doc = $what])+ $variant $(($Of))?, )+
        }

        impl $enum {
            pub(crate) const fn row(self) -> Row {
                match self {
                    $( $enum::$variant $(($of))? => $row, )+
                }
            }

            /// All of them, listed or not. A chain of iterators would be compiled anew, with all
            /// its links, in each crate that goes through them, so they are collected.
            pub(super) fn known() -> std::vec::IntoIter<$enum> {
                let mut all = Vec::new();
                $( all.extend(algorithms!(@values $enum::$variant $(, $Of)?)); )+
                all.into_iter()
            }
        }
    };
    (@values $enum:ident::$variant:ident) => { [$enum::$variant] };
    (@values $enum:ident::$variant:ident, $Of:ident) => {
        $Of::values().into_iter().map($enum::$variant)
    };
}

/// A type of which an algorithm can have every value, such as a size of keys.
trait Values: Sized {
    /// Returns all values.
    fn values() -> impl IntoIterator<Item = Self>;
}

macro_rules! values {
    ($($Of:ident),+) => {
        $(
            impl Values for $Of {
                fn values() -> impl IntoIterator<Item = $Of> {
                    $Of::ALL
                }
            }
        )+
    };
}

values!(AesSize, Curve, HybridKem, MlDsaSet, MlKemSet, RsaSize, SlhDsaSet, XtsSize);

impl Values for HashAlgorithm {
    fn values() -> impl IntoIterator<Item = HashAlgorithm> {
        HashAlgorithm::known()
    }
}

algorithms! {
    /// A hash function.
    ///
    /// ```
    /// use broadloom_engine::HashAlgorithm;
    ///
    /// let hash = HashAlgorithm::Sha3_256;
    /// assert_eq!((hash.to_string(), hash.digest_len()), ("sha3-256".to_owned(), 32));
    /// assert!(HashAlgorithm::all().any(|known| known == hash));
    /// ```
    HashAlgorithm {
        /// MD5 (RFC 1321).
        Md5 => hash("md5", "RFC 1321", 64, 16),
        /// SHA-1 (FIPS 180-4).
        Sha1 => Row { aliases: &["sha-1"], ..hash("sha1", SHS, 64, 20) },
        /// SHA-224 (FIPS 180-4).
        Sha224 => Row { aliases: &["sha-224", "sha2-224"], ..hash("sha224", SHS, 64, 28) },
        /// SHA-256 (FIPS 180-4).
        Sha256 => Row { aliases: &["sha-256", "sha2-256"], ..hash("sha256", SHS, 64, 32) },
        /// SHA-384 (FIPS 180-4).
        Sha384 => Row { aliases: &["sha-384", "sha2-384"], ..hash("sha384", SHS, 128, 48) },
        /// SHA-512 (FIPS 180-4).
        Sha512 => Row { aliases: &["sha-512", "sha2-512"], ..hash("sha512", SHS, 128, 64) },
        /// SM3 (GB/T 32905-2016).
        Sm3 => hash("sm3", "GB/T 32905-2016", 64, 32),
        /// SHA3-224 (FIPS 202).
        Sha3_224 => sponge("sha3-224", 144, 28),
        /// SHA3-256 (FIPS 202).
        Sha3_256 => sponge("sha3-256", 136, 32),
        /// SHA3-384 (FIPS 202).
        Sha3_384 => sponge("sha3-384", 104, 48),
        /// SHA3-512 (FIPS 202).
        Sha3_512 => sponge("sha3-512", 72, 64),
        /// SHAKE128 (FIPS 202): 32 bytes of output, as many as give its full security, or as the
        /// length of the tag says.
        Shake128 => sponge("shake128", 168, 32).tag(32, EXTENDABLE),
        /// SHAKE256 (FIPS 202): 64 bytes of output, or as [`Shake128`](HashAlgorithm::Shake128).
        Shake256 => sponge("shake256", 136, 64).tag(64, EXTENDABLE),
        /// BLAKE3 (the BLAKE3 paper): 32 bytes of output, or as many as the length of the tag says.
        Blake3 => Row { family: Family::Blake3, ..hash("blake3", BLAKE3, 64, 32) }
            .tag(32, EXTENDABLE),
    }
}

impl HashAlgorithm {
    /// Returns `true` if the digest is the beginning of output of any length, as that of SHAKE and
    /// of BLAKE3 is: there is no HMAC over such a hash.
    pub const fn is_extendable(self) -> bool {
        matches!(self, HashAlgorithm::Shake128 | HashAlgorithm::Shake256 | HashAlgorithm::Blake3)
    }
}

algorithms! {
    /// A message authentication code.
    ///
    /// ```
    /// use broadloom_engine::{HashAlgorithm, MacAlgorithm, Transform};
    ///
    /// let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha256);
    /// assert_eq!((mac.to_string(), mac.tag_len()), ("hmac-sha256".to_owned(), 32));
    /// let transform = Transform::mac(mac, b"a key of any length").tag_len(16).generate()?;
    /// # Ok::<(), broadloom_engine::TransformError>(())
    /// ```
    MacAlgorithm {
        /// HMAC (RFC 2104) over a hash.
        Hmac(hash: HashAlgorithm) => Row {
            block_len: hash.block_len(),
            keys: Lengths::ANY,
            key_len: hash.digest_len(),
            is_listed: !hash.is_extendable(),
            ..mac(["hmac-", hash.name(), ""], "RFC 2104", hash.row().family, hash.digest_len())
        },
        /// AES-CMAC (SP 800-38B).
        AesCmac(size: AesSize) => aes_mac("-cmac", size, "SP 800-38B"),
        /// AES-GMAC (SP 800-38D): takes a nonce.
        AesGmac(size: AesSize) => Row {
            nonces: Lengths::range(1, MAX_NONCE),
            nonce_len: 12,
            ..aes_mac("-gmac", size, "SP 800-38D").tag(16, GCM_TAGS)
        },
        /// AES-XCBC-MAC (RFC 3566), with AES-128; IPsec truncates the tag to 12 bytes.
        AesXcbc => aes_mac("-xcbc", AesSize::Aes128, "RFC 3566"),
        /// KASUMI's F9, UIA1 (3GPP TS 35.201), of whole bytes or of so many
        /// [bits](crate::Job::bits): the nonce is `COUNT` and `FRESH`, 32 bits each in big-endian
        /// order, and a byte that is the `DIRECTION`, 0 or 1.
        KasumiF9 => Row {
            block_len: 8,
            nonce_masks: &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            counts_bits: true,
            ..mac(["kasumi-f9", "", ""], KASUMI, Family::Kasumi, 4).key(16).nonce(9)
        },
        /// KMAC128 (SP 800-185) without a customization string. A tag depends on its length: it is
        /// not the beginning of a longer one.
        Kmac128 => kmac("kmac128", 168, 32),
        /// KMAC256 (SP 800-185) without a customization string, with tags as
        /// [`Kmac128`](MacAlgorithm::Kmac128) has them.
        Kmac256 => kmac("kmac256", 136, 64),
        /// The keyed hash of BLAKE3 (the BLAKE3 paper).
        Blake3Keyed => Row {
            block_len: 64,
            ..mac(["blake3-keyed", "", ""], BLAKE3, Family::Blake3, 32)
                .key(32)
                .tag(32, Lengths::range(4, crate::MAX_TAG))
        },
    }
}

algorithms! {
    /// A cipher without authentication.
    ///
    /// ```
    /// use broadloom_engine::{AesSize, CipherAlgorithm, Transform};
    ///
    /// let cipher = CipherAlgorithm::AesCbc(AesSize::Aes256);
    /// assert_eq!((cipher.key_len(), cipher.nonce_len()), (32, 16));
    /// let transform = Transform::cipher(cipher, &[7; 32]).encrypt()?;
    /// assert!(Transform::cipher(cipher, &[7; 16]).encrypt().is_err(), "a key of another length");
    /// # Ok::<(), broadloom_engine::TransformError>(())
    /// ```
    CipherAlgorithm {
        /// AES in CBC mode without padding (SP 800-38A): whole blocks.
        AesCbc(size: AesSize) => Row {
            granularity: 16,
            ..aes_cipher("-cbc", size, MODES).nonce(16)
        },
        /// AES in CTR mode (SP 800-38A): the nonce is the first counter block, and all 128 bits
        /// count.
        AesCtr(size: AesSize) => aes_cipher("-ctr", size, MODES).nonce(16),
        /// AES in CTR mode as IPsec has it (RFC 3686): the nonce is the first counter block, of
        /// which the last 32 bits count; or without them, 12 bytes, and the counter starts from 1,
        /// as RFC 3686 has it. A job whose counter would pass zero is refused.
        AesCtr32(size: AesSize) => Row {
            nonces: Lengths::exactly(16).or(12),
            counter: Counter::Last,
            ..aes_cipher("-ctr32", size, "RFC 3686").nonce(16)
        },
        /// AES in CFB mode with segments of 128 bits (SP 800-38A), of which the last may be
        /// shorter.
        AesCfb(size: AesSize) => aes_cipher("-cfb", size, MODES).nonce(16),
        /// AES in OFB mode (SP 800-38A), of which the last block may be shorter. Encrypting and
        /// decrypting are the same.
        AesOfb(size: AesSize) => aes_cipher("-ofb", size, MODES).nonce(16),
        /// AES block by block (SP 800-38A, ECB): whole blocks, no nonce. Equal blocks stay equal.
        AesEcb(size: AesSize) => Row { granularity: 16, ..aes_cipher("-ecb", size, MODES) },
        /// XTS-AES with ciphertext stealing (IEEE 1619, SP 800-38E): the nonce is the tweak, the
        /// number of the data unit in little-endian order; data units of 16 bytes and more.
        AesXts(size: XtsSize) => Row {
            key_parts: KeyParts::Halves,
            min_len: 16,
            // 2^20 blocks (SP 800-38E, 4).
            max_len: MaxLen::Bytes(16 << 20),
            ..aes_cipher("-xts", size.half(), "SP 800-38E").key(size.key_len()).nonce(16)
        },
        /// ChaCha20 (RFC 8439): the nonce is the first block's counter, 32 bits in little-endian
        /// order, and the nonce of 96 bits; or the latter alone, 12 bytes, and the counter starts
        /// from 0. A job whose counter would pass zero is refused.
        ChaCha20 => Row {
            block_len: 64,
            nonces: Lengths::exactly(16).or(12),
            counter: Counter::First,
            ..cipher("chacha20", "RFC 8439", Family::ChaCha).key(32).nonce(16)
        },
        /// Triple DES in CBC mode without padding (SP 800-67): whole blocks. Its key is three of
        /// DES, 24 bytes; or two, 16 bytes, of which the first is the third, too. Two are for what
        /// is there already (SP 800-131A).
        TripleDesCbc => Row {
            aliases: &["des-ede3-cbc"],
            granularity: 8,
            ..triple_des("3des-cbc").nonce(8)
        },
        /// Triple DES, with keys as in CBC mode, in CTR mode: the nonce is the first counter block,
        /// and all 64 bits count.
        TripleDesCtr => triple_des("3des-ctr").nonce(8),
        /// Triple DES, with keys as in CBC mode, block by block: whole blocks, no nonce.
        TripleDesEcb => Row {
            aliases: &["des-ede3-ecb"],
            granularity: 8,
            ..triple_des("3des-ecb")
        },
        /// DES in CBC mode without padding (FIPS 46-3, withdrawn): whole blocks. Its key can be
        /// searched for.
        DesCbc => Row { granularity: 8, ..des("des-cbc").nonce(8) },
        /// DES in CTR mode, as [`TripleDesCtr`](CipherAlgorithm::TripleDesCtr).
        DesCtr => des("des-ctr").nonce(8),
        /// DES block by block: whole blocks, no nonce.
        DesEcb => Row { granularity: 8, ..des("des-ecb") },
        /// KASUMI's F8, UEA1 (3GPP TS 35.201), of whole bytes or of so many
        /// [bits](crate::Job::bits): the nonce is `COUNT` in big-endian order, five bits `BEARER`,
        /// one bit `DIRECTION`, and 26 bits, which the standard leaves zero. All 64 bits count.
        KasumiF8 => Row {
            block_len: 8,
            counts_bits: true,
            ..cipher("kasumi-f8", KASUMI, Family::Kasumi).key(16).nonce(8)
        },
        /// RC4 (its key stream from the beginning for every job, so that a key is good for one):
        /// broken, and prohibited in TLS (RFC 7465). No nonce.
        Rc4 => Row {
            keys: Lengths::range(5, 256),
            key_len: 16,
            ..cipher("rc4", "RFC 7465 (prohibits it)", Family::Rc4)
        },
    }
}

algorithms! {
    /// Authenticated encryption with associated data.
    ///
    /// ```
    /// use broadloom_engine::{AeadAlgorithm, Transform};
    ///
    /// let aead = AeadAlgorithm::ChaCha20Poly1305;
    /// assert_eq!((aead.key_len(), aead.nonce_lens().to_string()), (32, "12".to_owned()));
    /// let seal = Transform::aead(aead, &[7; 32]).seal()?;
    /// let open = Transform::aead(aead, &[7; 32]).open()?;
    /// # Ok::<(), broadloom_engine::TransformError>(())
    /// ```
    AeadAlgorithm {
        /// AES-GCM (SP 800-38D).
        AesGcm(size: AesSize) => Row {
            nonces: Lengths::range(1, MAX_NONCE),
            nonce_len: 12,
            max_len: MaxLen::Bytes((1 << 36) - 32),
            ..aes_aead("-gcm", size, "SP 800-38D").tag(16, GCM_TAGS)
        },
        /// AES-CCM (SP 800-38C).
        AesCcm(size: AesSize) => Row {
            nonces: Lengths::range(7, 13),
            nonce_len: 13,
            max_len: MaxLen::LengthField,
            ..aes_aead("-ccm", size, "SP 800-38C").tag(16, CCM_TAGS)
        },
        /// ChaCha20-Poly1305 (RFC 8439).
        ChaCha20Poly1305 => chacha_aead("chacha20-poly1305", "RFC 8439").nonce(12),
        /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): the nonce has 24 bytes, and may be
        /// drawn at random.
        XChaCha20Poly1305 => {
            chacha_aead("xchacha20-poly1305", "draft-irtf-cfrg-xchacha-03").nonce(24)
        },
    }
}

algorithms! {
    /// How bytes are compressed.
    ///
    /// ```
    /// use broadloom_engine::{Compression, CompressionAlgorithm, Transform};
    ///
    /// let names: Vec<String> = CompressionAlgorithm::all().map(|known| known.to_string()).collect();
    /// assert_eq!(names, ["deflate", "lz4"]);
    /// let how = Compression { level: 6, ..Compression::default() };
    /// let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
    /// # Ok::<(), broadloom_engine::TransformError>(())
    /// ```
    CompressionAlgorithm {
        /// DEFLATE (RFC 1951), without a wrapper.
        Deflate => compression("deflate", "RFC 1951"),
        /// LZ4's block format: light-weight, and faster than anything with Huffman codes.
        Lz4 => compression("lz4", "the LZ4 block format"),
    }
}

algorithms! {
    /// An algorithm with a private and a public key.
    PublicKeyAlgorithm {
        /// RSA with a modulus of a size (RFC 8017): signatures, encryption, and the bare operations
        /// with the private and with the public key, as the [`Scheme`](crate::Scheme) says.
        Rsa(size: RsaSize) => public_key(["rsa-", size.name(), ""], "RFC 8017", &[
            Direction::Sign, Direction::Verify, Direction::Encrypt, Direction::Decrypt,
        ]),
        /// Signatures on a curve (FIPS 186-5), with nonces that are made of the key and the message
        /// (RFC 6979) or [hedged](crate::Scheme::hedged), or that the provider draws at random.
        Ecdsa(curve: Curve) => {
            public_key(["ecdsa-", curve.name(), ""], "FIPS 186-5", SIGNATURES)
        },
        /// Key agreement on a curve (SP 800-56A): the data are the other side's public key, a point
        /// in uncompressed form (SEC 1, 2.3.3), and the output is the x coordinate of the shared
        /// point.
        Ecdh(curve: Curve) => {
            public_key(["ecdh-", curve.name(), ""], "SP 800-56A", &[Direction::Agree])
        },
        /// X25519 (RFC 7748): the data are the other side's public key, 32 bytes, and so is the
        /// output. A public key that makes a shared secret of zero bytes is refused.
        X25519 => public_key(["x25519", "", ""], "RFC 7748", &[Direction::Agree]),
        /// Ed25519 (RFC 8032).
        Ed25519 => public_key(["ed25519", "", ""], "RFC 8032", SIGNATURES),
        /// SLH-DSA with a parameter set (FIPS 205), of messages that are not hashed before.
        SlhDsa(set: SlhDsaSet) => public_key([set.name(), "", ""], "FIPS 205", SIGNATURES),
        /// ML-DSA with a parameter set (FIPS 204): keys are
        /// [generated](crate::Transform::generate_key), and messages signed as they are, by a
        /// [digest](crate::Scheme::prehashed) of theirs, or by [mu](crate::Scheme::external_mu).
        MlDsa(set: MlDsaSet) => public_key([set.name(), "", ""], "FIPS 204", &[
            Direction::Sign, Direction::Verify, Direction::Generate,
        ]),
        /// ML-KEM with a parameter set (FIPS 203): keys are
        /// [generated](crate::Transform::generate_key), and secrets
        /// [encapsulated](crate::Transform::encapsulate) and
        /// [decapsulated](crate::Transform::decapsulate).
        MlKem(set: MlKemSet) => public_key([set.name(), "", ""], "FIPS 203", ENCAPSULATION),
        /// ML-KEM-768 and a curve, as TLS 1.3 combines them, with the directions of
        /// [`MlKem`](PublicKeyAlgorithm::MlKem).
        Hybrid(kem: HybridKem) => {
            public_key([kem.name(), "", ""], "draft-ietf-tls-ecdhe-mlkem", ENCAPSULATION)
        },
    }
}

/// The longest nonce that a job takes, in bytes.
pub const MAX_NONCE: usize = 1 << 16;

/// The longest digest or tag, in bytes.
pub const MAX_TAG: usize = 64;

/// Output of any length, as far as a job has room for it.
const EXTENDABLE: Lengths = Lengths::range(1, MAX_TAG);

const SIGNATURES: &[Direction] = &[Direction::Sign, Direction::Verify];

const ENCAPSULATION: &[Direction] =
    &[Direction::Generate, Direction::Encapsulate, Direction::Decapsulate];

const BLAKE3: &str = "BLAKE3 paper, 2021";
const SHS: &str = "FIPS 180-4";
const MODES: &str = "SP 800-38A";
const KASUMI: &str = "3GPP TS 35.201";

/// SP 800-38D section 5.2.1.2, with the 32 and 64 bits that are for those who know why.
const GCM_TAGS: Lengths = Lengths::range(12, 16).or(4).or(8);

/// SP 800-38C section A.1.
const CCM_TAGS: Lengths = Lengths::exactly(4).or(6).or(8).or(10).or(12).or(14).or(16);

const fn hash(
    name: &'static str,
    standard: &'static str,
    block_len: usize,
    digest_len: usize,
) -> Row {
    let directions = &[Direction::Digest];
    let row = Row::new([name, "", ""], standard, Family::MerkleDamgard, directions);
    Row { block_len, ..row.tag(digest_len, Lengths::exactly(digest_len)) }
}

/// SHA-3 or SHAKE.
const fn sponge(name: &'static str, block_len: usize, digest_len: usize) -> Row {
    Row { family: Family::Sponge, ..hash(name, "FIPS 202", block_len, digest_len) }
}

const fn kmac(name: &'static str, block_len: usize, tag_len: usize) -> Row {
    let row = mac([name, "", ""], "SP 800-185", Family::Sponge, tag_len);
    let row = row.tag(tag_len, Lengths::range(4, crate::MAX_TAG));
    Row { block_len, keys: Lengths::ANY, key_len: tag_len, ..row }
}

const fn mac(
    name: [&'static str; 3],
    standard: &'static str,
    family: Family,
    tag_len: usize,
) -> Row {
    Row::new(name, standard, family, &[Direction::Generate, Direction::Verify])
        .tag(tag_len, Lengths::range(4, tag_len))
}

const fn aes_mac(mode: &'static str, size: AesSize, standard: &'static str) -> Row {
    let row = mac(["aes-", size.name(), mode], standard, Family::Aes, 16).key(size.key_len());
    Row { block_len: 16, ..row }
}

const fn cipher(name: &'static str, standard: &'static str, family: Family) -> Row {
    Row::new([name, "", ""], standard, family, &[Direction::Encrypt, Direction::Decrypt])
}

const fn aes_cipher(mode: &'static str, size: AesSize, standard: &'static str) -> Row {
    let row = cipher("aes-", standard, Family::Aes).key(size.key_len());
    Row { name: ["aes-", size.name(), mode], block_len: 16, ..row }
}

const fn des(name: &'static str) -> Row {
    Row { block_len: 8, ..cipher(name, "FIPS 46-3", Family::Des).key(8) }
}

const fn triple_des(name: &'static str) -> Row {
    Row {
        standard: "SP 800-67",
        keys: Lengths::exactly(24).or(16),
        key_len: 24,
        key_parts: KeyParts::TripleDes,
        ..des(name)
    }
}

const fn aead(name: [&'static str; 3], standard: &'static str, family: Family) -> Row {
    Row::new(name, standard, family, &[Direction::Seal, Direction::Open])
}

const fn aes_aead(mode: &'static str, size: AesSize, standard: &'static str) -> Row {
    let row = aead(["aes-", size.name(), mode], standard, Family::Aes).key(size.key_len());
    Row { block_len: 16, ..row }
}

const fn chacha_aead(name: &'static str, standard: &'static str) -> Row {
    let row = aead([name, "", ""], standard, Family::ChaCha).key(32);
    let row = row.tag(16, Lengths::exactly(16));
    Row { block_len: 64, max_len: MaxLen::Bytes((1 << 38) - 64), ..row }
}

const fn compression(name: &'static str, standard: &'static str) -> Row {
    let directions = &[Direction::Compress, Direction::Decompress];
    Row::new([name, "", ""], standard, Family::Compression, directions)
}

const fn public_key(
    name: [&'static str; 3],
    standard: &'static str,
    directions: &'static [Direction],
) -> Row {
    Row::new(name, standard, Family::PublicKey, directions)
}
