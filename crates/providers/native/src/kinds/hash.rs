//! Hashes, and HMAC over them.

use broadloom_engine::{Algorithm, HashAlgorithm, MacAlgorithm, Transform};
use broadloom_lanes::{
    Cpu, Hash, HashLanes, HmacKey, Loan, Md5, Sha1, Sha224, Sha256, Sha384, Sha512,
};

use super::{Numbered, Opener};
use crate::kind::{Kind, Opened, Parts, laned};

/// A hash, or with a key an HMAC.
pub(crate) struct Keyed<A: Hash>(Option<HmacKey<A>>);

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    let (Algorithm::Hash(hash) | Algorithm::Mac(MacAlgorithm::Hmac(hash))) = algorithm else {
        return None;
    };
    Some(match hash {
        HashAlgorithm::Md5 => open::<Md5>,
        HashAlgorithm::Sha1 => open::<Sha1>,
        HashAlgorithm::Sha224 => open::<Sha224>,
        HashAlgorithm::Sha256 => open::<Sha256>,
        HashAlgorithm::Sha384 => open::<Sha384>,
        HashAlgorithm::Sha512 => open::<Sha512>,
        _ => return None,
    })
}

fn open<A: Hash>(transform: &Transform, cpu: &Cpu) -> Opened
where
    Keyed<A>: Numbered,
{
    let is_hmac = matches!(transform.algorithm(), Algorithm::Mac(_));
    Keyed::<A>(is_hmac.then(|| HmacKey::new(transform.key()))).session(laned(cpu, A::NAME))
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
}
