//! SHA-3, SHAKE, HMAC over SHA-3, and KMAC.

use broadloom_engine::{Algorithm, HashAlgorithm, MAX_TAG, MacAlgorithm};
use broadloom_lanes::{
    HmacSha3Key, KmacKey, Loan, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256, Sponge,
    SpongeLanes, Xof,
};

use super::Opener;
use crate::kind::{Kind, Parts, laned};

/// A sponge, and its key if it has one.
pub(crate) enum AnySponge {
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// With the length of output.
    Shake128(usize),
    Shake256(usize),
    Hmac224(HmacSha3Key<Sha3_224>),
    Hmac256(HmacSha3Key<Sha3_256>),
    Hmac384(HmacSha3Key<Sha3_384>),
    Hmac512(HmacSha3Key<Sha3_512>),
    /// With the length of tags.
    Kmac128(KmacKey<Shake128>, usize),
    Kmac256(KmacKey<Shake256>, usize),
}

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    /// Opens a sponge with the kernel of this name, given a key.
    macro_rules! open {
        ($name:expr, $variant:ident) => {
            |_, cpu| AnySponge::$variant.session(laned(cpu, $name))
        };
        ($name:expr, $variant:ident, |$transform:ident| $($keyed:expr),+) => {
            |$transform, cpu| AnySponge::$variant($($keyed),+).session(laned(cpu, $name))
        };
    }
    Some(match algorithm {
        Algorithm::Hash(hash) => match hash {
            HashAlgorithm::Sha3_224 => open!(Sha3_224::NAME, Sha3_224),
            HashAlgorithm::Sha3_256 => open!(Sha3_256::NAME, Sha3_256),
            HashAlgorithm::Sha3_384 => open!(Sha3_384::NAME, Sha3_384),
            HashAlgorithm::Sha3_512 => open!(Sha3_512::NAME, Sha3_512),
            HashAlgorithm::Shake128 => open!(Shake128::NAME, Shake128, |of| of.tag_len()),
            HashAlgorithm::Shake256 => open!(Shake256::NAME, Shake256, |of| of.tag_len()),
            _ => return None,
        },
        Algorithm::Mac(MacAlgorithm::Hmac(hash)) => match hash {
            HashAlgorithm::Sha3_224 => {
                open!(Sha3_224::NAME, Hmac224, |of| HmacSha3Key::new(of.key()))
            }
            HashAlgorithm::Sha3_256 => {
                open!(Sha3_256::NAME, Hmac256, |of| HmacSha3Key::new(of.key()))
            }
            HashAlgorithm::Sha3_384 => {
                open!(Sha3_384::NAME, Hmac384, |of| HmacSha3Key::new(of.key()))
            }
            HashAlgorithm::Sha3_512 => {
                open!(Sha3_512::NAME, Hmac512, |of| HmacSha3Key::new(of.key()))
            }
            _ => return None,
        },
        Algorithm::Mac(MacAlgorithm::Kmac128) => {
            open!(Shake128::KMAC_NAME, Kmac128, |of| KmacKey::new(of.key(), b""), of.tag_len())
        }
        Algorithm::Mac(MacAlgorithm::Kmac256) => {
            open!(Shake256::KMAC_NAME, Kmac256, |of| KmacKey::new(of.key(), b""), of.tag_len())
        }
        _ => return None,
    })
}

impl Kind for AnySponge {
    const TAG_LEN: usize = MAX_TAG;
    type Lanes = SpongeLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, Parts { text, tag, .. }: Parts<'v, Self>) -> Loan<'v, SpongeLanes> {
        type Lent<'v> = Loan<'v, SpongeLanes>;
        let text = text.into_input();
        match self {
            AnySponge::Sha3_224 => Lent::sha3::<Sha3_224>(text, tag),
            AnySponge::Sha3_256 => Lent::sha3::<Sha3_256>(text, tag),
            AnySponge::Sha3_384 => Lent::sha3::<Sha3_384>(text, tag),
            AnySponge::Sha3_512 => Lent::sha3::<Sha3_512>(text, tag),
            AnySponge::Shake128(len) => Lent::shake::<Shake128>(text, &mut tag[..*len]),
            AnySponge::Shake256(len) => Lent::shake::<Shake256>(text, &mut tag[..*len]),
            AnySponge::Hmac224(key) => Lent::hmac_sha3(key, text, tag),
            AnySponge::Hmac256(key) => Lent::hmac_sha3(key, text, tag),
            AnySponge::Hmac384(key) => Lent::hmac_sha3(key, text, tag),
            AnySponge::Hmac512(key) => Lent::hmac_sha3(key, text, tag),
            AnySponge::Kmac128(key, len) => Lent::kmac(key, text, &mut tag[..*len]),
            AnySponge::Kmac256(key, len) => Lent::kmac(key, text, &mut tag[..*len]),
        }
    }
}
