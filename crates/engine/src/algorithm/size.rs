//! The lengths of keys and the curves, which tell the algorithms of a kind apart.

/// The length of an AES key (FIPS 197).
///
/// ```
/// use broadloom_engine::{AesSize, CipherAlgorithm};
///
/// let names = AesSize::ALL.map(|size| CipherAlgorithm::AesCbc(size).to_string());
/// assert_eq!(names, ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"]);
/// assert_eq!((AesSize::Aes256.key_len(), AesSize::Aes256.rounds()), (32, 14));
/// ```
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

    /// The bits of the key, as names have them.
    pub(super) const fn name(self) -> &'static str {
        match self {
            AesSize::Aes128 => "128",
            AesSize::Aes192 => "192",
            AesSize::Aes256 => "256",
        }
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

    /// Bytes of the key, both halves together: the half for the data, then the half for tweaks.
    pub const fn key_len(self) -> usize {
        2 * self.half().key_len()
    }

    /// The length of each of the two AES keys.
    pub(super) const fn half(self) -> AesSize {
        match self {
            XtsSize::Aes128 => AesSize::Aes128,
            XtsSize::Aes256 => AesSize::Aes256,
        }
    }
}

/// The length of an RSA modulus (FIPS 186-5, SP 800-131A).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RsaSize {
    /// 1024 bits: for what exists already. New keys of this length are not acceptable.
    Rsa1024,
    /// 2048 bits.
    Rsa2048,
    /// 3072 bits.
    Rsa3072,
    /// 4096 bits.
    Rsa4096,
}

impl RsaSize {
    /// All of them.
    pub const ALL: [RsaSize; 4] =
        [RsaSize::Rsa1024, RsaSize::Rsa2048, RsaSize::Rsa3072, RsaSize::Rsa4096];

    /// Bytes of the modulus, of a signature and of a ciphertext.
    pub const fn modulus_len(self) -> usize {
        match self {
            RsaSize::Rsa1024 => 128,
            RsaSize::Rsa2048 => 256,
            RsaSize::Rsa3072 => 384,
            RsaSize::Rsa4096 => 512,
        }
    }

    /// The size of a modulus of so many bits, if there is one.
    pub fn of_bits(bits: usize) -> Option<RsaSize> {
        RsaSize::ALL.into_iter().find(|size| size.modulus_len() * 8 == bits)
    }

    /// The bits of the modulus, as names have them.
    pub(super) const fn name(self) -> &'static str {
        match self {
            RsaSize::Rsa1024 => "1024",
            RsaSize::Rsa2048 => "2048",
            RsaSize::Rsa3072 => "3072",
            RsaSize::Rsa4096 => "4096",
        }
    }
}

/// An elliptic curve for ECDSA and ECDH (SP 800-186, SEC 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Curve {
    /// P-256, secp256r1: over a prime field.
    P256,
    /// P-384, secp384r1: over a prime field.
    P384,
    /// P-521, secp521r1: over a prime field.
    P521,
    /// secp256k1 (SEC 2, 2.4.1): over a prime field.
    Secp256k1,
    /// K-283, sect283k1: a Koblitz curve over a binary field.
    K283,
    /// B-283, sect283r1: a random curve over a binary field.
    B283,
}

impl Curve {
    /// All of them.
    pub const ALL: [Curve; 6] =
        [Curve::P256, Curve::P384, Curve::P521, Curve::Secp256k1, Curve::K283, Curve::B283];

    /// Bytes of a coordinate, and of a shared secret.
    pub const fn coordinate_len(self) -> usize {
        match self {
            Curve::P256 | Curve::Secp256k1 => 32,
            Curve::P384 => 48,
            Curve::P521 => 66,
            Curve::K283 | Curve::B283 => 36,
        }
    }

    /// Bytes of a point in uncompressed form (SEC 1, 2.3.3).
    pub const fn point_len(self) -> usize {
        1 + 2 * self.coordinate_len()
    }

    /// The order of the base point, in big-endian order, as long as a
    /// [coordinate](Curve::coordinate_len).
    pub const fn order(self) -> &'static [u8] {
        const P256: [u8; 32] =
            hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
        const P384: [u8; 48] = hex("ffffffffffffffffffffffffffffffffffffffffffffffff\
             c7634d81f4372ddf581a0db248b0a77aecec196accc52973");
        const P521: [u8; 66] =
            hex("01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
             fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409");
        const SECP256K1: [u8; 32] =
            hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
        const K283: [u8; 36] =
            hex("01ffffffffffffffffffffffffffffffffffe9ae2ed07577265dff7f94451e061e163c61");
        const B283: [u8; 36] =
            hex("03ffffffffffffffffffffffffffffffffffef90399660fc938a90165b042a7cefadb307");
        match self {
            Curve::P256 => &P256,
            Curve::P384 => &P384,
            Curve::P521 => &P521,
            Curve::Secp256k1 => &SECP256K1,
            Curve::K283 => &K283,
            Curve::B283 => &B283,
        }
    }

    /// Returns the bits of the [order](Curve::order), of which a digest gives as many to the number
    /// that is signed.
    pub const fn order_bits(self) -> usize {
        8 * self.coordinate_len() - self.order()[0].leading_zeros() as usize
    }

    /// The name: `p256`.
    pub const fn name(self) -> &'static str {
        match self {
            Curve::P256 => "p256",
            Curve::P384 => "p384",
            Curve::P521 => "p521",
            Curve::Secp256k1 => "secp256k1",
            Curve::K283 => "k283",
            Curve::B283 => "b283",
        }
    }
}

/// The bytes that a text of hexadecimal digits stands for.
const fn hex<const LEN: usize>(text: &str) -> [u8; LEN] {
    const fn digit(byte: u8) -> u8 {
        match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => panic!("a hexadecimal digit is needed"),
        }
    }
    assert!(text.len() == 2 * LEN, "two digits stand for a byte");
    let mut bytes = [0; LEN];
    let mut at = 0;
    while at < LEN {
        bytes[at] = digit(text.as_bytes()[2 * at]) << 4 | digit(text.as_bytes()[2 * at + 1]);
        at += 1;
    }
    bytes
}
