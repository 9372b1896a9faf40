//! The algorithms, by name.

use broadloom_lanes::{
    Md5, Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512, Shake128,
    Shake256,
};

use crate::function::Function;

/// Which hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Algorithm {
    /// RFC 1321; broken for signatures, still common in old lists
    Md5,
    /// FIPS 180-4; broken for signatures, still common in old lists
    Sha1,
    /// FIPS 180-4
    Sha224,
    /// FIPS 180-4
    Sha256,
    /// FIPS 180-4
    Sha384,
    /// FIPS 180-4
    Sha512,
    /// FIPS 202
    #[cfg_attr(feature = "clap", value(name = "sha3-224"))]
    Sha3_224,
    /// FIPS 202
    #[cfg_attr(feature = "clap", value(name = "sha3-256"))]
    Sha3_256,
    /// FIPS 202
    #[cfg_attr(feature = "clap", value(name = "sha3-384"))]
    Sha3_384,
    /// FIPS 202
    #[cfg_attr(feature = "clap", value(name = "sha3-512"))]
    Sha3_512,
    /// FIPS 202; 32 bytes of output
    Shake128,
    /// FIPS 202; 64 bytes of output
    Shake256,
}

/// Something done with an algorithm once it is known as a type.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<A: Function>(self) -> Self::Output;
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 12] = [
        Algorithm::Md5,
        Algorithm::Sha1,
        Algorithm::Sha224,
        Algorithm::Sha256,
        Algorithm::Sha384,
        Algorithm::Sha512,
        Algorithm::Sha3_224,
        Algorithm::Sha3_256,
        Algorithm::Sha3_384,
        Algorithm::Sha3_512,
        Algorithm::Shake128,
        Algorithm::Shake256,
    ];

    /// Calls the visitor with the algorithm's type.
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        match self {
            Algorithm::Md5 => visitor.visit::<Md5>(),
            Algorithm::Sha1 => visitor.visit::<Sha1>(),
            Algorithm::Sha224 => visitor.visit::<Sha224>(),
            Algorithm::Sha256 => visitor.visit::<Sha256>(),
            Algorithm::Sha384 => visitor.visit::<Sha384>(),
            Algorithm::Sha512 => visitor.visit::<Sha512>(),
            Algorithm::Sha3_224 => visitor.visit::<Sha3_224>(),
            Algorithm::Sha3_256 => visitor.visit::<Sha3_256>(),
            Algorithm::Sha3_384 => visitor.visit::<Sha3_384>(),
            Algorithm::Sha3_512 => visitor.visit::<Sha3_512>(),
            Algorithm::Shake128 => visitor.visit::<Shake128>(),
            Algorithm::Shake256 => visitor.visit::<Shake256>(),
        }
    }

    /// Bytes in a digest.
    pub fn digest_len(self) -> usize {
        struct Len;
        impl Visitor for Len {
            type Output = usize;
            fn visit<A: Function>(self) -> usize {
                A::DIGEST_LEN
            }
        }
        self.visit(Len)
    }

    /// Whether there is an HMAC over it.
    pub fn has_hmac(self) -> bool {
        !matches!(self, Algorithm::Shake128 | Algorithm::Shake256)
    }

    /// The name as checksum lists write it: `SHA256`.
    pub fn tag(self) -> &'static str {
        match self {
            Algorithm::Md5 => "MD5",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha224 => "SHA224",
            Algorithm::Sha256 => "SHA256",
            Algorithm::Sha384 => "SHA384",
            Algorithm::Sha512 => "SHA512",
            Algorithm::Sha3_224 => "SHA3-224",
            Algorithm::Sha3_256 => "SHA3-256",
            Algorithm::Sha3_384 => "SHA3-384",
            Algorithm::Sha3_512 => "SHA3-512",
            Algorithm::Shake128 => "SHAKE-128",
            Algorithm::Shake256 => "SHAKE-256",
        }
    }
}
