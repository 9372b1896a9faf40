//! Reports the kernels of each algorithm on a CPU, and the reasons.

use alloc::vec::Vec;

use crate::aes;
use crate::blake3::Blake3Lanes;
use crate::chacha;
use crate::cpu::Cpu;
use crate::des::DesLanes;
use crate::hash::HashLanes;
use crate::info::KernelInfo;
use crate::kasumi;
use crate::kernels::hash::algorithms;
use crate::rabin::RabinSearch;
use crate::rc4::Rc4Lanes;
use crate::sponge;

/// Returns the kernels of each algorithm on this CPU.
pub fn kernels(cpu: &Cpu) -> Vec<KernelInfo> {
    macro_rules! of_hashes {
        ($($hash:ident),+) => { [$( HashLanes::<algorithms::$hash>::kernel_info(cpu) ),+] };
    }
    let infos = crate::for_each_hash!(of_hashes!()).into_iter();
    let infos = infos.chain([Blake3Lanes::kernel_info(cpu)]);
    let infos = infos.chain(sponge::kernel_infos(cpu)).chain(aes::kernel_infos(cpu));
    let infos = infos.chain(chacha::kernel_infos(cpu)).chain([DesLanes::kernel_info(cpu)]);
    let infos = infos.chain(kasumi::kernel_infos(cpu));
    infos.chain([RabinSearch::kernel_info(cpu), Rc4Lanes::kernel_info(cpu)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Isa;

    #[test]
    fn portable_kernels_are_integers() {
        let cpu = Cpu::with_isa(Isa::Portable).expect("every machine has it");
        for info in kernels(&cpu) {
            assert!(["portable", "bitsliced", "integers"].contains(&info.kernel), "{info:?}");
            assert!(info.few < info.lanes || info.lanes == 1, "{info:?}");
        }
    }
}
