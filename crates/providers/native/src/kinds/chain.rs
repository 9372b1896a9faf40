//! Chains of AES and HMAC, in one pass.

use std::marker::PhantomData;

use broadloom_engine::provider::{Buffers, Layout, Text};
use broadloom_engine::{
    Algorithm, ChainOrder, CipherAlgorithm, Direction, HashAlgorithm, MacAlgorithm, Transform,
};
use broadloom_lanes::{
    self as lanes, AesKey, CbcLanes, ChainCipher, ChainLanes, Cpu, CtrLanes, Hash, HashLanes,
    HmacKey, Loan, Ranges, Sha1, Sha256, Steps,
};

use super::{Numbered, Opener};
use crate::kind::{Kind, Opened, Parts, laned, nonce, pipelined, refused};

/// The lanes of a cipher.
pub(crate) trait Half: ChainCipher + 'static {
    /// Its kernel, in words.
    fn kernel(cpu: &Cpu) -> String;
}

impl Half for CbcLanes {
    fn kernel(cpu: &Cpu) -> String {
        laned(CbcLanes::kernel_info(cpu))
    }
}

impl Half for CtrLanes {
    fn kernel(cpu: &Cpu) -> String {
        pipelined(CtrLanes::kernel_info(cpu))
    }
}

/// Both keys of a chain, and its steps.
pub(crate) struct Chain<C, A: Hash> {
    key: AesKey,
    mac_key: HmacKey<A>,
    steps: Steps,
    cipher: PhantomData<fn() -> C>,
}

/// Returns the function that opens the sessions of a chain, or `None` if the chain is to be
/// composed of its halves.
pub(crate) fn opener(cipher: CipherAlgorithm, mac: MacAlgorithm) -> Option<Opener> {
    use CipherAlgorithm::{AesCbc, AesCtr, AesCtr32};
    use HashAlgorithm::{Sha1 as OfSha1, Sha256 as OfSha256};
    let MacAlgorithm::Hmac(hash) = mac else { return None };
    Some(match (cipher, hash) {
        (AesCbc(_), OfSha1) => open::<CbcLanes, Sha1>,
        (AesCbc(_), OfSha256) => open::<CbcLanes, Sha256>,
        (AesCtr(_) | AesCtr32(_), OfSha1) => open::<CtrLanes, Sha1>,
        (AesCtr(_) | AesCtr32(_), OfSha256) => open::<CtrLanes, Sha256>,
        _ => return None,
    })
}

fn open<C: Half, A: Hash>(transform: &Transform, cpu: &Cpu) -> Opened
where
    Chain<C, A>: Numbered,
{
    let Some((cipher, mac)) = transform.halves() else {
        unreachable!("only chains are opened as chains")
    };
    let encrypts = transform.direction() == Direction::Encrypt;
    let steps = match (transform.algorithm(), encrypts) {
        (Algorithm::Chain(_, _, ChainOrder::MacThenCipher), true) => Steps::MacThenEncrypt,
        (Algorithm::Chain(_, _, ChainOrder::MacThenCipher), false) => Steps::DecryptThenMac,
        (_, true) => Steps::EncryptThenMac,
        (_, false) => Steps::MacThenDecrypt,
    };
    let key = AesKey::with_cpu(cipher.key(), cpu).map_err(refused)?;
    let chain = Chain::<C, A> { key, mac_key: HmacKey::new(mac.key()), steps, cipher: PhantomData };
    let mac_kernel = laned(HashLanes::<A>::kernel_info(cpu));
    chain.session(format!("{}, {mac_kernel}", C::kernel(cpu)))
}

impl<C: Half, A: Hash> Kind for Chain<C, A>
where
    Chain<C, A>: Numbered,
{
    const TAG_LEN: usize = A::DIGEST_LEN;
    type Lanes = ChainLanes<C, HashLanes<A>>;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, Self::Lanes> {
        let iv = *nonce(parts.nonce);
        let Parts { text, layout: Layout { cipher, mac, tag: place }, tag, .. } = parts;
        let Text::Write(Buffers::InPlace(packet)) = text else {
            unreachable!("the engine gives chains one buffer that can be written")
        };
        let Chain { key, mac_key, steps, .. } = self;
        let ranges = Ranges { cipher, mac, tag: place };
        Loan::chain(&lanes::Chain { steps: *steps, key, mac_key, iv, ranges }, packet, tag)
    }
}
