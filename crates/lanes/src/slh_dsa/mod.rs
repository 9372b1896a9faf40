//! SLH-DSA (FIPS 205): signatures of which all security rests on a hash function.
//!
//! A signature takes a hundred thousand hashes and more, and almost all of them are in chains that
//! do not wait for each other. So one signature fills the lanes by itself, and signatures go one
//! after the other. A verification takes some thousands, whose layers wait for each other: there
//! signatures under different keys go side by side.

mod absorb;
mod address;
pub(crate) mod chain;
mod error;
mod hasher;
mod job;
mod key;
mod lanes;
mod message;
mod params;
mod places;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use crate::cpu::{Cpu, Isa};
use crate::features::Choice;
use crate::report::KernelInfo;

pub(crate) use chain::{ChainKernel, ChainKernels};
pub use error::SlhDsaError;
pub use job::{SlhDsaKeyJob, SlhDsaOutcome, SlhDsaSignJob, SlhDsaVerifyJob};
pub use key::{SlhDsaPrivateKey, SlhDsaPublicKey};
pub use lanes::SlhDsaLanes;
pub use message::SlhDsaMessage;
pub use params::{SlhDsaParams, SlhDsaSet};
pub use places::SlhDsaPlaces;

/// The kernels of one instruction set.
pub(crate) struct SlhDsaKernels {
    /// Of the sets with SHA-2.
    pub sha256: Choice<ChainKernels<u32>>,
    /// Of the sets with SHAKE.
    pub keccak: Choice<ChainKernels<u64>>,
}

/// What the sets of each hash get on a CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 2] {
    let SlhDsaKernels { sha256, keccak } = &cpu.kernels().slh_dsa;
    let reason = match cpu.isa() {
        Isa::Portable => "no vectors that this program knows, or none allowed",
        _ => "chains of hashes stay in the widest vectors",
    };
    let (sha256, keccak) = (cpu.pick(sha256), cpu.pick(keccak));
    let info = |algorithm, (kernel, lanes), single, few| KernelInfo {
        algorithm,
        kernel,
        lanes,
        single,
        few,
        reason,
    };
    let sha2 = (sha256.wide.name, sha256.wide.lanes);
    let shake = (keccak.wide.name, keccak.wide.lanes);
    [
        info("slh-dsa-sha2", sha2, sha256.few.name, sha256.up_to),
        info("slh-dsa-shake", shake, keccak.few.name, keccak.up_to),
    ]
}
