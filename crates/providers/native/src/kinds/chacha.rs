//! ChaCha20, ChaCha20-Poly1305 and XChaCha20-Poly1305.

use broadloom_engine::{AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, Transform};
use broadloom_lanes::{ChaChaKey, ChaChaLanes, ChaChaPolyLanes, Cpu, Loan, XChaChaPolyLanes};

use super::Opener;
use crate::kind::{Kind, Opened, Parts, buffers, laned, nonce};

/// ChaCha20, in either direction.
pub(crate) struct ChaCha(ChaChaKey);

/// ChaCha20-Poly1305.
pub(crate) struct ChaChaPoly {
    key: ChaChaKey,
    seals: bool,
}

/// XChaCha20-Poly1305.
pub(crate) struct XChaChaPoly {
    key: ChaChaKey,
    seals: bool,
}

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    match algorithm {
        Algorithm::Cipher(CipherAlgorithm::ChaCha20) => Some(open_cipher),
        Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => Some(open_aead),
        Algorithm::Aead(AeadAlgorithm::XChaCha20Poly1305) => Some(open_extended_aead),
        _ => None,
    }
}

fn open_cipher(transform: &Transform, cpu: &Cpu) -> Opened {
    ChaCha(key(transform)).session(laned(ChaChaLanes::kernel_info(cpu)))
}

fn open_aead(transform: &Transform, cpu: &Cpu) -> Opened {
    let seals = transform.direction() == Direction::Seal;
    ChaChaPoly { key: key(transform), seals }.session(laned(ChaChaPolyLanes::kernel_info(cpu)))
}

fn open_extended_aead(transform: &Transform, cpu: &Cpu) -> Opened {
    let seals = transform.direction() == Direction::Seal;
    XChaChaPoly { key: key(transform), seals }.session(laned(XChaChaPolyLanes::kernel_info(cpu)))
}

fn key(transform: &Transform) -> ChaChaKey {
    ChaChaKey::new(transform.key().try_into().expect("the engine checks the length of keys"))
}

impl Kind for ChaCha {
    const TAG_LEN: usize = 0;
    type Lanes = ChaChaLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, ChaChaLanes> {
        let nonce = nonce::<16>(parts.nonce);
        let (counter, nonce) = nonce.split_first_chunk().expect("16 bytes");
        let counter = u32::from_le_bytes(*counter);
        let nonce = nonce.try_into().expect("12 bytes are left");
        let loan = Loan::chacha20(&self.0, counter, nonce, buffers(parts.text));
        loan.expect("the engine refuses counters that would pass zero")
    }
}

/// What both AEADs do with a message: they differ in their lanes, and in the length of a nonce.
macro_rules! aead {
    ($kind:ident, $lanes:ident) => {
        impl Kind for $kind {
            const TAG_LEN: usize = 16;
            type Lanes = $lanes;

            #[inline(always)]
            fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, $lanes> {
                type Lent<'a> = Loan<'a, $lanes>;
                let nonce = nonce(parts.nonce);
                let Parts { text, associated, tag, .. } = parts;
                let $kind { key, seals } = self;
                let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
                let text = buffers(text);
                match seals {
                    true => Lent::seal(key, nonce, associated, text, tag),
                    false => Lent::open(key, nonce, associated, text, tag),
                }
            }
        }
    };
}

aead!(ChaChaPoly, ChaChaPolyLanes);
aead!(XChaChaPoly, XChaChaPolyLanes);
