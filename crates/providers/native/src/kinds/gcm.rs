//! AES-GCM and GMAC.

use broadloom_engine::{Direction, Transform};
use broadloom_lanes::{Cpu, GcmKey, GcmLanes, Loan, prefetch};

use crate::kind::{Kind, Opened, Parts, buffers, pipelined, refused};

/// A key for GCM, and what is done with it.
// The key comes first: its lines are those that it expects to begin with.
#[repr(C)]
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
        .session(pipelined(GcmLanes::kernel_info(cpu)))
}

impl Kind for Gcm {
    const TAG_LEN: usize = 16;
    type Lanes = GcmLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, GcmLanes> {
        type Lent<'a> = Loan<'a, GcmLanes>;
        let Parts { text, nonce, associated, tag, .. } = parts;
        let Gcm { key, task } = self;
        let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
        match task {
            Task::Authenticate => Loan::gmac(key, nonce, text.into_input(), tag),
            Task::Seal => Lent::seal(key, nonce, associated, buffers(text), tag),
            Task::Open => Lent::open(key, nonce, associated, buffers(text), tag),
        }
    }

    fn touch(&self) {
        self.key.prefetch();
        prefetch(&self.task);
    }
}
