//! Hashes, and HMAC over them.

use broadloom_engine::provider::{Portion, PortionParts, ProviderStream};
use broadloom_engine::{Algorithm, HashAlgorithm, MacAlgorithm, Transform};
use broadloom_lanes::{Cpu, Hash, HashLanes, HmacKey, Loan, Planner, Stream, for_each_hash};

use super::{Numbered, Opener};
use crate::kind::{Kind, Opened, Parts, WHOLE_BLOCKS, laned};

/// A hash, or with a key an HMAC.
pub(crate) struct Keyed<A: Hash>(Option<HmacKey<A>>);

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    let (Algorithm::Hash(hash) | Algorithm::Mac(MacAlgorithm::Hmac(hash))) = algorithm else {
        return None;
    };
    macro_rules! opener_of {
        ($($hash:ident),+) => {
            match hash {
                $( HashAlgorithm::$hash => Some(open::<broadloom_lanes::$hash>), )+
                _ => None,
            }
        };
    }
    for_each_hash!(opener_of!())
}

fn open<A: Hash>(transform: &Transform, cpu: &Cpu) -> Opened
where
    Keyed<A>: Numbered,
{
    let is_hmac = matches!(transform.algorithm(), Algorithm::Mac(_));
    let key = is_hmac.then(|| HmacKey::new(transform.key()));
    Keyed::<A>(key).session(laned(HashLanes::<A>::kernel_info(cpu)))
}

impl<A: Hash> Kind for Keyed<A>
where
    Keyed<A>: Numbered,
{
    const TAG_LEN: usize = A::DIGEST_LEN;
    type Lanes = HashLanes<A>;

    #[inline(always)]
    fn lend<'v>(&'v self, Parts { text, tag, .. }: Parts<'v, Self>) -> Loan<'v, HashLanes<A>> {
        match &self.0 {
            Some(key) => Loan::hmac(key, text.into_input(), tag),
            None => Loan::digest(text.into_input(), tag),
        }
    }

    fn begin(&self) -> Option<ProviderStream> {
        let stream = self.0.as_ref().map_or_else(Stream::new, Stream::<A>::hmac);
        Some(ProviderStream::new(stream, A::BLOCK_LEN))
    }

    fn absorb<'p, 'd: 'p>(
        planner: &mut Planner<HashLanes<A>>,
        portions: impl Iterator<Item = &'p mut Portion<'d>>,
    ) {
        planner.process_each(portions.filter_map(|portion| {
            let PortionParts { stream, data, tag } = portion.commit::<Stream<A>>()?;
            Some(match tag {
                Some(tag) => Loan::<HashLanes<A>>::finish(stream, data, tag),
                None => Loan::<HashLanes<A>>::update(stream, data).expect(WHOLE_BLOCKS),
            })
        }));
    }
}
