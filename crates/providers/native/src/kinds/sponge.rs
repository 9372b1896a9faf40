//! SHA-3, SHAKE, HMAC over SHA-3, and KMAC.

use broadloom_engine::provider::{Portion, PortionParts, ProviderStream};
use broadloom_engine::{Algorithm, HashAlgorithm, MAX_TAG, MacAlgorithm};
use broadloom_lanes::{
    Cpu, HmacSha3Key, KmacKey, Loan, Planner, Sha3, Sha3_224, Sha3_256, Sha3_384, Sha3_512,
    Shake128, Shake256, Sponge, SpongeLanes, SpongeStream,
};

use super::Opener;
use crate::kind::{Kind, Opened, Parts, WHOLE_BLOCKS, laned};

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
    /// Opens a sponge, given what it holds of the transform.
    macro_rules! open {
        ($variant:ident) => {
            |_, cpu| open(AnySponge::$variant, cpu)
        };
        ($variant:ident, |$transform:ident| $($keyed:expr),+) => {
            |$transform, cpu| open(AnySponge::$variant($($keyed),+), cpu)
        };
    }
    Some(match algorithm {
        Algorithm::Hash(hash) => match hash {
            HashAlgorithm::Sha3_224 => open!(Sha3_224),
            HashAlgorithm::Sha3_256 => open!(Sha3_256),
            HashAlgorithm::Sha3_384 => open!(Sha3_384),
            HashAlgorithm::Sha3_512 => open!(Sha3_512),
            HashAlgorithm::Shake128 => open!(Shake128, |of| of.tag_len()),
            HashAlgorithm::Shake256 => open!(Shake256, |of| of.tag_len()),
            _ => return None,
        },
        Algorithm::Mac(MacAlgorithm::Hmac(hash)) => match hash {
            HashAlgorithm::Sha3_224 => open!(Hmac224, |of| HmacSha3Key::new(of.key())),
            HashAlgorithm::Sha3_256 => open!(Hmac256, |of| HmacSha3Key::new(of.key())),
            HashAlgorithm::Sha3_384 => open!(Hmac384, |of| HmacSha3Key::new(of.key())),
            HashAlgorithm::Sha3_512 => open!(Hmac512, |of| HmacSha3Key::new(of.key())),
            _ => return None,
        },
        Algorithm::Mac(MacAlgorithm::Kmac128) => {
            open!(Kmac128, |of| KmacKey::new(of.key(), b""), of.tag_len())
        }
        Algorithm::Mac(MacAlgorithm::Kmac256) => {
            open!(Kmac256, |of| KmacKey::new(of.key(), b""), of.tag_len())
        }
        _ => return None,
    })
}

fn open(sponge: AnySponge, cpu: &Cpu) -> Opened {
    sponge.session(laned(SpongeLanes::kernel_info(cpu)))
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

    fn begin(&self) -> Option<ProviderStream> {
        fn begun<A: Sponge>(stream: SpongeStream<A>, len: usize, of: Of<A>) -> ProviderStream {
            ProviderStream::new(of(stream, len), A::BLOCK_LEN)
        }
        Some(match self {
            AnySponge::Sha3_224 => {
                begun(SpongeStream::new(), Sha3_224::DIGEST_LEN, Pieces::Sha3_224)
            }
            AnySponge::Sha3_256 => {
                begun(SpongeStream::new(), Sha3_256::DIGEST_LEN, Pieces::Sha3_256)
            }
            AnySponge::Sha3_384 => {
                begun(SpongeStream::new(), Sha3_384::DIGEST_LEN, Pieces::Sha3_384)
            }
            AnySponge::Sha3_512 => {
                begun(SpongeStream::new(), Sha3_512::DIGEST_LEN, Pieces::Sha3_512)
            }
            AnySponge::Shake128(len) => begun(SpongeStream::new(), *len, Pieces::Shake128),
            AnySponge::Shake256(len) => begun(SpongeStream::new(), *len, Pieces::Shake256),
            AnySponge::Hmac224(key) => {
                begun(SpongeStream::hmac(key), Sha3_224::DIGEST_LEN, Pieces::Sha3_224)
            }
            AnySponge::Hmac256(key) => {
                begun(SpongeStream::hmac(key), Sha3_256::DIGEST_LEN, Pieces::Sha3_256)
            }
            AnySponge::Hmac384(key) => {
                begun(SpongeStream::hmac(key), Sha3_384::DIGEST_LEN, Pieces::Sha3_384)
            }
            AnySponge::Hmac512(key) => {
                begun(SpongeStream::hmac(key), Sha3_512::DIGEST_LEN, Pieces::Sha3_512)
            }
            AnySponge::Kmac128(key, len) => begun(SpongeStream::kmac(key), *len, Pieces::Shake128),
            AnySponge::Kmac256(key, len) => begun(SpongeStream::kmac(key), *len, Pieces::Shake256),
        })
    }

    fn absorb<'p, 'd: 'p>(
        planner: &mut Planner<SpongeLanes>,
        portions: impl Iterator<Item = &'p mut Portion<'d>>,
    ) {
        planner.process_each(portions.filter_map(|portion| {
            let PortionParts { stream, data, tag } = portion.commit()?;
            Some(match stream {
                Pieces::Sha3_224(stream, len) => lend_portion(stream, *len, data, tag),
                Pieces::Sha3_256(stream, len) => lend_portion(stream, *len, data, tag),
                Pieces::Sha3_384(stream, len) => lend_portion(stream, *len, data, tag),
                Pieces::Sha3_512(stream, len) => lend_portion(stream, *len, data, tag),
                Pieces::Shake128(stream, len) => lend_portion(stream, *len, data, tag),
                Pieces::Shake256(stream, len) => lend_portion(stream, *len, data, tag),
            })
        }));
    }
}

/// A message that comes in pieces, by its sponge and the length of its output. Its MACs are told
/// apart by how they begin.
#[derive(Clone)]
enum Pieces {
    Sha3_224(SpongeStream<Sha3_224>, usize),
    Sha3_256(SpongeStream<Sha3_256>, usize),
    Sha3_384(SpongeStream<Sha3_384>, usize),
    Sha3_512(SpongeStream<Sha3_512>, usize),
    Shake128(SpongeStream<Shake128>, usize),
    Shake256(SpongeStream<Shake256>, usize),
}

/// A variant of [`Pieces`].
type Of<A> = fn(SpongeStream<A>, usize) -> Pieces;

/// Lends the lanes their part of a portion.
fn lend_portion<'v, A: Sponge>(
    stream: &'v mut SpongeStream<A>,
    len: usize,
    data: &'v [u8],
    tag: Option<&'v mut [u8; MAX_TAG]>,
) -> Loan<'v, SpongeLanes> {
    match tag {
        Some(tag) => Loan::<SpongeLanes>::finish(stream, data, &mut tag[..len]),
        None => Loan::<SpongeLanes>::update(stream, data).expect(WHOLE_BLOCKS),
    }
}
