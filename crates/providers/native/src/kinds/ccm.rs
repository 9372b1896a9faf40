//! AES-CCM.

use broadloom_engine::{Direction, Transform};
use broadloom_lanes::{AesKey, CcmLanes, Cpu, Loan};

use crate::kind::{Kind, Opened, Parts, buffers, laned, refused};

/// A key for CCM, and what is done with it.
pub(crate) struct Ccm {
    key: AesKey,
    seals: bool,
    /// Bytes of a tag, which depends on how many there are.
    tag_len: usize,
}

pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = AesKey::with_cpu(transform.key(), cpu).map_err(refused)?;
    let seals = transform.direction() == Direction::Seal;
    let kernel = laned(CcmLanes::kernel_info(cpu));
    Ccm { key, seals, tag_len: transform.tag_len() }.session(kernel)
}

impl Kind for Ccm {
    const TAG_LEN: usize = 16;
    type Lanes = CcmLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, CcmLanes> {
        type Lent<'a> = Loan<'a, CcmLanes>;
        let Parts { text, nonce, associated, tag, .. } = parts;
        let Ccm { key, seals, tag_len } = self;
        let tag = &mut tag[..*tag_len];
        let text = buffers(text);
        let loan = match seals {
            true => Lent::seal(key, nonce, associated, text, tag),
            false => Lent::open(key, nonce, associated, text, tag),
        };
        loan.expect("the engine checks the lengths of nonces, tags and texts")
    }
}
