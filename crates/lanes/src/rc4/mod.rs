//! RC4, for systems that cannot change. RFC 7465 prohibits it in TLS, and its time depends on the
//! key.
//!
//! RC4 is broken, and so off by default. Its key stream is biased, most of all in its first bytes,
//! so that a text that is sent often enough under different keys can be read (RFC 7465, which
//! forbids RC4 in TLS). Its state is a table that is read and written at secret addresses, which
//! every shared cache reveals.
//!
//! A byte takes five accesses to memory, each of which may wait for the one before. So several
//! buffers go side by side, each with a copy of its key's state. `lanes`
//! groups buffers, and `kernels/rc4` has their steps.

mod lanes;

use crate::cpu::Cpu;
use crate::info::KernelInfo;
use crate::kernels::rc4::kernel::Rc4Kernel;
pub use lanes::{Rc4Job, Rc4Lanes};

impl Rc4Lanes {
    /// Returns the kernel of RC4 on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let Rc4Kernel { name, lanes, .. } = *cpu.kernels().rc4;
        KernelInfo {
            algorithm: "rc4",
            kernel: name,
            lanes,
            single: name,
            few: 0,
            reason: "one buffer waits for itself: several side by side, each with its state",
        }
    }
}
