//! KASUMI's F8 and F9.

use broadloom_engine::provider::Text;
use broadloom_engine::{Algorithm, CipherAlgorithm, MacAlgorithm, Transform};
use broadloom_lanes::{Cpu, KasumiKey, KasumiLanes, LinkDirection, Loan};

use super::{Opener, WRITABLE};
use crate::kind::{Kind, Message, Opened, laned};

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
    F8(key(transform)).session(laned(cpu, "kasumi-f8"))
}

fn open_f9(transform: &Transform, cpu: &Cpu) -> Opened {
    F9(key(transform)).session(laned(cpu, "kasumi-f9"))
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
    fn lend<'v>(&'v self, message: Message<'v>) -> Loan<'v, KasumiLanes> {
        let [count @ .., fields, _, _, _] = *message.nonce::<8>();
        let count = u32::from_be_bytes(count);
        let (bearer, direction) = (fields >> 3, direction(fields >> 2 & 1));
        let loan = match message.text {
            Text::InPlace(bytes) => {
                let bits = message.bits.unwrap_or(8 * bytes.len());
                Loan::f8(&self.0, count, bearer, direction, bytes, bits)
            }
            Text::Apart(source, bytes) => {
                let bits = message.bits.unwrap_or(8 * bytes.len());
                Loan::f8_to(&self.0, count, bearer, direction, source, bytes, bits)
            }
            Text::Read(_) => unreachable!("{WRITABLE}"),
        };
        loan.expect("a bearer of five bits, and no more bits than the bytes have")
    }
}

impl Kind for F9 {
    const TAG_LEN: usize = 4;
    type Lanes = KasumiLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, message: Message<'v>) -> Loan<'v, KasumiLanes> {
        let [words @ .., direction_bit] = message.nonce::<9>();
        let (words, _) = words.as_chunks::<4>();
        let [count, fresh] = [words[0], words[1]].map(u32::from_be_bytes);
        let data = message.text.into_input();
        let tag = message.tag.first_chunk_mut().expect("a tag has room for 4 bytes");
        let direction = direction(*direction_bit);
        let bits = message.bits.unwrap_or(8 * data.len());
        let loan = Loan::f9(&self.0, count, fresh, direction, data, bits, tag);
        loan.expect("no more bits than the bytes have")
    }
}
