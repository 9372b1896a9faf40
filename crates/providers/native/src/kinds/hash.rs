//! Hashes, and HMAC over them.

use broadloom_engine::{Algorithm, HashAlgorithm, Transform};
use broadloom_lanes::{
    Cpu, Hash, HashLanes, HmacKey, Loan, Md5, Sha1, Sha224, Sha256, Sha384, Sha512,
};

use crate::kind::{Kind, Opened, Parts, laned};

/// A hash that knows its place among the engine's.
pub(crate) trait Placed: Hash {
    const ALGORITHM: HashAlgorithm;
}

macro_rules! placed {
    ($($hash:ident),*) => { $(
        impl Placed for $hash {
            const ALGORITHM: HashAlgorithm = HashAlgorithm::$hash;
        }
    )* };
}

placed!(Md5, Sha1, Sha224, Sha256, Sha384, Sha512);

/// A hash, or with a key an HMAC.
pub(crate) struct Keyed<A: Hash>(Option<HmacKey<A>>);

pub(crate) fn open<A: Placed>(transform: &Transform, cpu: &Cpu) -> Opened {
    let is_hmac = matches!(transform.algorithm(), Algorithm::Mac(_));
    Keyed::<A>(is_hmac.then(|| HmacKey::new(transform.key()))).session(laned(cpu, A::NAME))
}

impl<A: Placed> Kind for Keyed<A> {
    const CLASS: u8 = A::ALGORITHM as u8;
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
