//! SLH-DSA (FIPS 205): signatures of which all security rests on a hash function.
//!
//! A signature takes a hundred thousand hashes and more, and almost all of them are in chains that
//! do not wait for each other. So one signature fills the lanes by itself, and signatures go one
//! after the other. A verification takes some thousands, whose layers wait for each other: there
//! signatures under different keys go side by side.

mod absorb;
mod error;
mod hasher;
mod job;
mod key;
mod lanes;
mod message;
mod outcome;
mod params;
mod places;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use crate::arch;
use crate::kernels::slh_dsa::chain::SlhDsaKernels;
pub use error::SlhDsaError;
pub use job::{SlhDsaKeyJob, SlhDsaSignJob, SlhDsaVerifyJob};
pub use key::{SlhDsaPrivateKey, SlhDsaPublicKey};
pub use lanes::SlhDsaLanes;
pub use message::SlhDsaMessage;
pub use outcome::SlhDsaOutcome;
pub use params::{SlhDsaParams, SlhDsaSet};
pub use places::SlhDsaPlaces;

impl SlhDsaLanes {
    /// Returns the kernel of a set, which is that of all sets with the same hash, on a CPU, as
    /// [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu, set: SlhDsaSet) -> KernelInfo {
        let SlhDsaKernels { sha256, keccak } = &arch::kernels(cpu).slh_dsa;
        let reason = match cpu.isa() {
            Isa::Portable => "no vectors that this program knows, or none allowed",
            _ => "chains of hashes stay in the widest vectors",
        };
        let info = |algorithm, (kernel, lanes), single, few| KernelInfo {
            algorithm,
            kernel,
            lanes,
            single,
            few,
            reason,
        };
        if set.params().is_shake {
            let kernels = cpu.pick(keccak);
            let wide = (kernels.wide.name, kernels.wide.lanes);
            info("slh-dsa-shake", wide, kernels.few.name, kernels.up_to)
        } else {
            let kernels = cpu.pick(sha256);
            let wide = (kernels.wide.name, kernels.wide.lanes);
            info("slh-dsa-sha2", wide, kernels.few.name, kernels.up_to)
        }
    }
}

/// Returns the kernel of the sets of each hash on a CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 2] {
    [SlhDsaSet::Sha2_128s, SlhDsaSet::Shake128s].map(|set| SlhDsaLanes::kernel_info(cpu, set))
}
