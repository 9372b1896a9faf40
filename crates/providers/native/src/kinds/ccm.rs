//! AES-CCM.

use broadloom_engine::provider::Text;
use broadloom_engine::{Direction, Transform};
use broadloom_lanes::{AesKey, CcmLanes, Cpu, Loan};

use super::WRITABLE;
use crate::kind::{Kind, Message, Opened, laned, refused};

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
    Ccm { key, seals, tag_len: transform.tag_len() }.session(laned(cpu, "aes-ccm"))
}

impl Kind for Ccm {
    const TAG_LEN: usize = 16;
    type Lanes = CcmLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, message: Message<'v>) -> Loan<'v, CcmLanes> {
        type Lent<'a> = Loan<'a, CcmLanes>;
        let Message { text, nonce, associated, tag, .. } = message;
        let Ccm { key, seals, tag_len } = self;
        let tag = &mut tag[..*tag_len];
        let loan = match (seals, text) {
            (true, Text::InPlace(bytes)) => Lent::seal(key, nonce, associated, bytes, tag),
            (false, Text::InPlace(bytes)) => Lent::open(key, nonce, associated, bytes, tag),
            (true, Text::Apart(source, bytes)) => {
                Lent::seal_to(key, nonce, associated, source, bytes, tag)
            }
            (false, Text::Apart(source, bytes)) => {
                Lent::open_to(key, nonce, associated, source, bytes, tag)
            }
            (_, Text::Read(_)) => unreachable!("{WRITABLE}"),
        };
        loan.expect("the engine checks the lengths of nonces, tags and texts")
    }
}
