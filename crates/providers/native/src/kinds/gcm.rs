//! AES-GCM and GMAC.

use broadloom_engine::provider::Text;
use broadloom_engine::{Direction, Transform};
use broadloom_lanes::{Cpu, GcmKey, GcmLanes, Loan};

use super::WRITABLE;
use crate::kind::{Kind, Message, Opened, pipelined, refused};

/// A key for GCM, and what is done with it.
pub(crate) struct Gcm {
    key: GcmKey,
    task: Task,
}

enum Task {
    Seal,
    Open,
    Authenticate,
}

pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let task = match transform.direction() {
        Direction::Seal => Task::Seal,
        Direction::Open => Task::Open,
        _ => Task::Authenticate,
    };
    Gcm { key: GcmKey::with_cpu(transform.key(), cpu).map_err(refused)?, task }
        .session(pipelined(cpu, "aes-gcm"))
}

impl Kind for Gcm {
    const TAG_LEN: usize = 16;
    type Lanes = GcmLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, message: Message<'v>) -> Loan<'v, GcmLanes> {
        type Lent<'a> = Loan<'a, GcmLanes>;
        let Message { text, nonce, associated, tag, .. } = message;
        let Gcm { key, task } = self;
        let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
        match (task, text) {
            (Task::Authenticate, text) => Loan::gmac(key, nonce, text.into_input(), tag),
            (Task::Seal, Text::InPlace(bytes)) => Lent::seal(key, nonce, associated, bytes, tag),
            (Task::Open, Text::InPlace(bytes)) => Lent::open(key, nonce, associated, bytes, tag),
            (Task::Seal, Text::Apart(source, bytes)) => {
                Lent::seal_to(key, nonce, associated, source, bytes, tag)
            }
            (Task::Open, Text::Apart(source, bytes)) => {
                Lent::open_to(key, nonce, associated, source, bytes, tag)
            }
            (_, Text::Read(_)) => unreachable!("{WRITABLE}"),
        }
    }
}
