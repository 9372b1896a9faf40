//! Reports the kernels of each algorithm on a CPU, and the reasons.

use alloc::vec::Vec;

use broadloom_lanes::{Cpu, KernelInfo};

use crate::binary::BinaryCurveLanes;
use crate::curves::CurveLanes;
use crate::ml_dsa::MlDsaLanes;
use crate::ml_kem::MlKemLanes;
use crate::rsa::RsaLanes;
use crate::slh_dsa;

/// Returns the kernels of each algorithm on this CPU, as [`broadloom_lanes::kernels`] returns those
/// of hashes and ciphers.
///
/// ```
/// for info in broadloom_public_key::kernels(&broadloom_lanes::Cpu::detect()) {
///     println!("{}: {} ({})", info.algorithm, info.kernel, info.reason);
///     assert!(info.lanes > 0);
/// }
/// ```
pub fn kernels(cpu: &Cpu) -> Vec<KernelInfo> {
    let infos = [RsaLanes::kernel_info(cpu), CurveLanes::kernel_info(cpu)].into_iter();
    let infos = infos.chain(slh_dsa::kernel_infos(cpu));
    let last = [
        MlKemLanes::kernel_info(cpu),
        MlDsaLanes::kernel_info(cpu),
        BinaryCurveLanes::kernel_info(cpu),
    ];
    infos.chain(last).collect()
}

#[cfg(test)]
mod tests {
    use broadloom_lanes::Isa;

    use super::*;

    #[test]
    fn portable_kernels_are_integers() {
        let cpu = Cpu::with_isa(Isa::Portable).expect("every machine has it");
        for info in kernels(&cpu) {
            assert_eq!(info.kernel, "integers", "{info:?}");
            assert!(info.few < info.lanes || info.lanes == 1, "{info:?}");
        }
    }
}
