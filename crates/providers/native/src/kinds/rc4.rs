//! RC4, for what cannot be changed.

use broadloom_engine::Transform;
use broadloom_lanes::{Cpu, Loan, Rc4Key, Rc4Lanes};

use crate::kind::{Kind, Opened, Parts, buffers, laned, refused};

/// RC4.
pub(crate) struct Rc4(Rc4Key);

pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = Rc4Key::new(transform.key()).map_err(refused)?;
    Rc4(key).session(laned(Rc4Lanes::kernel_info(cpu)))
}

impl Kind for Rc4 {
    const TAG_LEN: usize = 0;
    type Lanes = Rc4Lanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, Rc4Lanes> {
        Loan::rc4(&self.0, buffers(parts.text))
    }
}
