//! What stands in front of messages in the signatures of FIPS 204 and FIPS 205, and the hashes
//! whose digests they sign.

/// A hash whose digest is signed in place of a message: in HashML-DSA (FIPS 204, section 5.4) and
/// in HashSLH-DSA (FIPS 205, section 10.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the standards'")]
pub enum PreHash {
    Sha256,
    Sha384,
    Sha512,
    Sha224,
    Sha512_224,
    Sha512_256,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// Of 32 bytes.
    Shake128,
    /// Of 64 bytes.
    Shake256,
}

/// The encoding of an object identifier below 2.16.840.1.101.3.4.2: those of hashes by NIST.
const fn identifier(last: u8) -> [u8; 11] {
    [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last]
}

/// The object identifiers of [`PreHash::ALL`].
static IDENTIFIERS: [[u8; 11]; 12] = {
    let mut all = [identifier(0); 12];
    let mut i = 0;
    while i < 12 {
        all[i] = identifier(i as u8 + 1);
        i += 1;
    }
    all
};

impl PreHash {
    /// All of them, in the order of their object identifiers.
    pub const ALL: [PreHash; 12] = [
        PreHash::Sha256,
        PreHash::Sha384,
        PreHash::Sha512,
        PreHash::Sha224,
        PreHash::Sha512_224,
        PreHash::Sha512_256,
        PreHash::Sha3_224,
        PreHash::Sha3_256,
        PreHash::Sha3_384,
        PreHash::Sha3_512,
        PreHash::Shake128,
        PreHash::Shake256,
    ];

    /// Returns the name on command lines and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            PreHash::Sha256 => "sha256",
            PreHash::Sha384 => "sha384",
            PreHash::Sha512 => "sha512",
            PreHash::Sha224 => "sha224",
            PreHash::Sha512_224 => "sha512-224",
            PreHash::Sha512_256 => "sha512-256",
            PreHash::Sha3_224 => "sha3-224",
            PreHash::Sha3_256 => "sha3-256",
            PreHash::Sha3_384 => "sha3-384",
            PreHash::Sha3_512 => "sha3-512",
            PreHash::Shake128 => "shake128",
            PreHash::Shake256 => "shake256",
        }
    }

    /// Returns the bytes of a digest.
    pub const fn digest_len(self) -> usize {
        match self {
            PreHash::Sha224 | PreHash::Sha512_224 | PreHash::Sha3_224 => 28,
            PreHash::Sha256 | PreHash::Sha512_256 | PreHash::Sha3_256 | PreHash::Shake128 => 32,
            PreHash::Sha384 | PreHash::Sha3_384 => 48,
            PreHash::Sha512 | PreHash::Sha3_512 | PreHash::Shake256 => 64,
        }
    }

    /// Returns the object identifier in DER, which stands in front of a digest.
    pub fn identifier(self) -> &'static [u8; 11] {
        &IDENTIFIERS[self as usize]
    }
}

/// What comes before each context string: a byte, which is zero or, if a digest is signed, one, and
/// the length of the context string.
pub(crate) static PREFIXES: [[[u8; 2]; 256]; 2] = {
    let mut prefixes = [[[0; 2]; 256]; 2];
    let mut len = 0;
    while len < 256 {
        prefixes[0][len] = [0, len as u8];
        prefixes[1][len] = [1, len as u8];
        len += 1;
    }
    prefixes
};
