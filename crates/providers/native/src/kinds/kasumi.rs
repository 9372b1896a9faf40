//! KASUMI's F8 and F9.

use broadloom_engine::{Algorithm, CipherAlgorithm, MacAlgorithm, Transform};
use broadloom_lanes::{Cpu, KasumiKey, KasumiLanes, LinkDirection, Loan};

use super::Opener;
use crate::kind::{Kind, Opened, Parts, buffers, laned, nonce};

/// The cipher.
pub(crate) struct F8(KasumiKey);

/// The message authentication code.
pub(crate) struct F9(KasumiKey);

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    match algorithm {
        Algorithm::Cipher(CipherAlgorithm::KasumiF8) => Some(open_f8),
        Algorithm::Mac(MacAlgorithm::KasumiF9) => Some(open_f9),
        _ => None,
    }
}

fn open_f8(transform: &Transform, cpu: &Cpu) -> Opened {
    F8(key(transform)).session(laned(KasumiLanes::kernel_info(cpu)))
}

fn open_f9(transform: &Transform, cpu: &Cpu) -> Opened {
    F9(key(transform)).session(laned(KasumiLanes::kernel_info(cpu)))
}

fn key(transform: &Transform) -> KasumiKey {
    KasumiKey::new(transform.key().try_into().expect("the engine checks the length of keys"))
}

/// The direction that a bit stands for.
fn direction(bit: u8) -> LinkDirection {
    if bit == 0 { LinkDirection::Uplink } else { LinkDirection::Downlink }
}

impl Kind for F8 {
    const TAG_LEN: usize = 0;
    type Lanes = KasumiLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, KasumiLanes> {
        let start = u64::from_be_bytes(*nonce::<8>(parts.nonce));
        let bits = parts.bits.unwrap_or(8 * parts.text.input().len());
        let loan = Loan::f8_from(&self.0, start, buffers(parts.text), bits);
        loan.expect("no more bits than the bytes have")
    }
}

impl Kind for F9 {
    const TAG_LEN: usize = 4;
    type Lanes = KasumiLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, KasumiLanes> {
        let [words @ .., direction_bit] = nonce::<9>(parts.nonce);
        let (words, _) = words.as_chunks::<4>();
        let [count, fresh] = [words[0], words[1]].map(u32::from_be_bytes);
        let data = parts.text.into_input();
        let tag = parts.tag.first_chunk_mut().expect("a tag has room for 4 bytes");
        let direction = direction(*direction_bit);
        let bits = parts.bits.unwrap_or(8 * data.len());
        let loan = Loan::f9(&self.0, count, fresh, direction, data, bits, tag);
        loan.expect("no more bits than the bytes have")
    }
}
