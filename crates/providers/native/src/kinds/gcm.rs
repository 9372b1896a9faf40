//! AES-GCM and GMAC.

use broadloom_engine::{Direction, Transform};
use broadloom_lanes::{Cpu, GcmKey, GcmLanes, Loan};

use crate::kind::{Kind, Opened, Parts, buffers, pipelined, refused};

/// A key for GCM.
// What is done with it is not here: it would be in a line of its own.
pub(crate) struct Gcm(GcmKey);

pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    Gcm(GcmKey::with_cpu(transform.key(), cpu).map_err(refused)?)
        .session(pipelined(GcmLanes::kernel_info(cpu)))
}

impl Kind for Gcm {
    const TAG_LEN: usize = 16;
    type Lanes = GcmLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, GcmLanes> {
        type Lent<'a> = Loan<'a, GcmLanes>;
        let Parts { direction, text, nonce, associated, tag, .. } = parts;
        let Gcm(key) = self;
        let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
        match direction {
            Direction::Seal => Lent::seal(key, nonce, associated, buffers(text), tag),
            Direction::Open => Lent::open(key, nonce, associated, buffers(text), tag),
            _ => Loan::gmac(key, nonce, text.into_input(), tag),
        }
    }

    fn touch(&self) {
        self.0.prefetch();
    }
}
