//! AES-CMAC and AES-XCBC-MAC.

use broadloom_engine::Transform;
use broadloom_lanes::{CmacKey, CmacLanes, Cpu, Loan, XcbcKey};

use crate::kind::{Kind, Opened, Parts, laned, refused};

/// AES-CMAC.
pub(crate) struct Cmac(CmacKey);

/// AES-XCBC-MAC.
pub(crate) struct Xcbc(XcbcKey);

pub(crate) fn open_cmac(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = CmacKey::with_cpu(transform.key(), cpu).map_err(refused)?;
    Cmac(key).session(laned(CmacLanes::kernel_info(cpu)))
}

pub(crate) fn open_xcbc(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = transform.key().try_into().expect("the engine checks the length of keys");
    Xcbc(XcbcKey::with_cpu(key, cpu)).session(laned(CmacLanes::kernel_info(cpu)))
}

impl Kind for Cmac {
    const TAG_LEN: usize = 16;
    type Lanes = CmacLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, Parts { text, tag, .. }: Parts<'v, Self>) -> Loan<'v, CmacLanes> {
        let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
        Loan::cmac(&self.0, text.into_input(), tag)
    }
}

impl Kind for Xcbc {
    const TAG_LEN: usize = 16;
    type Lanes = CmacLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, Parts { text, tag, .. }: Parts<'v, Self>) -> Loan<'v, CmacLanes> {
        let tag = tag.first_chunk_mut().expect("a tag has room for 16 bytes");
        Loan::xcbc(&self.0, text.into_input(), tag)
    }
}
