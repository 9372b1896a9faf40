//! RC4, for what cannot be changed.

use broadloom_engine::Transform;
use broadloom_engine::provider::Text;
use broadloom_lanes::{Cpu, Loan, Rc4Key, Rc4Lanes};

use super::WRITABLE;
use crate::kind::{Kind, Message, Opened, laned, refused};

/// RC4.
pub(crate) struct Rc4(Rc4Key);

pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    Rc4(Rc4Key::new(transform.key()).map_err(refused)?).session(laned(cpu, "rc4"))
}

impl Kind for Rc4 {
    const TAG_LEN: usize = 0;
    type Lanes = Rc4Lanes;

    #[inline(always)]
    fn lend<'v>(&'v self, message: Message<'v>) -> Loan<'v, Rc4Lanes> {
        match message.text {
            Text::InPlace(bytes) => Loan::rc4(&self.0, bytes),
            Text::Apart(source, bytes) => Loan::rc4_to(&self.0, source, bytes),
            Text::Read(_) => unreachable!("{WRITABLE}"),
        }
    }
}
