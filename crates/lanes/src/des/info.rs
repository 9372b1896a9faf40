//! Describes the kernels that a CPU gets.

use super::DesLanes;
use crate::cpu::{Cpu, Isa};
use crate::info::KernelInfo;
use crate::kernels::des::DesKernel;

impl DesLanes {
    /// Returns the kernel of DES and triple DES on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.kernels().des;
        let [narrowest, .., widest] = kernels else {
            let [DesKernel { name, lanes, .. }] = *kernels else {
                unreachable!("there is a kernel")
            };
            let reason = match cpu.isa() {
                Isa::Portable => "bitsliced on integers: a lane a bit, constant time",
                _ => "bitsliced on the widest vectors there are: a lane a bit, constant time",
            };
            return KernelInfo {
                algorithm: "des",
                kernel: name,
                lanes,
                single: name,
                few: 0,
                reason,
            };
        };
        KernelInfo {
            algorithm: "des",
            kernel: widest.name,
            lanes: widest.lanes,
            single: narrowest.name,
            few: narrowest.lanes,
            reason: "bitsliced: a lane a bit, constant time; 256-bit vectors as long as they hold \
                     all blocks",
        }
    }
}
