//! The six algorithms, by name.

use broadloom_lanes::{Hash, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
use clap::ValueEnum;

/// Which hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
}

/// Something done with an algorithm once it is known as a type.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<A: Hash>(self) -> Self::Output;
}

impl Algorithm {
    /// Calls the visitor with the algorithm's type.
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        match self {
            Algorithm::Md5 => visitor.visit::<Md5>(),
            Algorithm::Sha1 => visitor.visit::<Sha1>(),
            Algorithm::Sha224 => visitor.visit::<Sha224>(),
            Algorithm::Sha256 => visitor.visit::<Sha256>(),
            Algorithm::Sha384 => visitor.visit::<Sha384>(),
            Algorithm::Sha512 => visitor.visit::<Sha512>(),
        }
    }

    /// Bytes in a digest.
    pub fn digest_len(self) -> usize {
        struct Len;
        impl Visitor for Len {
            type Output = usize;
            fn visit<A: Hash>(self) -> usize {
                A::DIGEST_LEN
            }
        }
        self.visit(Len)
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
        }
    }
}
