//! Sessions of RSA: a key in the lanes, and its frame.

use broadloom_engine::Transform;
use broadloom_engine::provider::ProviderSession;
use broadloom_lanes::Cpu;
use broadloom_public_key::RsaLanes;
use broadloom_schemes::rsa::{RsaFrame, RsaKey};

use super::Rsa;
use crate::kind::{Opened, instruction_set, laned};
use crate::kinds::Numbered;

/// A session of RSA.
pub(crate) struct RsaSession {
    pub key: RsaKey,
    pub frame: RsaFrame,
    kernel: String,
}

/// Opens a session of RSA.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    Ok(Box::new(RsaSession {
        frame: RsaFrame::new(transform, cpu)?,
        key: RsaKey::new(transform)?,
        kernel: laned(RsaLanes::kernel_info(cpu)),
    }))
}

impl ProviderSession for RsaSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        Rsa::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        self.frame.bound()
    }
}
