//! Every kernel of chains against the portable one.

use std::println;
use std::vec::Vec;

use broadloom_lanes::inside::vector::MAX_LANES;
use broadloom_lanes::{Cpu, Isa, Word};

use super::{cpus, random};
use crate::arch;
use crate::kernels::slh_dsa::chain::{ChainKernel, Chains, Run, Trace};

/// Runs a kernel on lanes that differ; gives the columns and the trace.
fn run<W: Word>(kernel: &ChainKernel<W>, run: Run) -> Vec<W> {
    let mut seed = 1;
    let mut chains = Chains::<W>::new();
    let columns = chains.start.iter_mut().chain(&mut chains.address).chain(&mut chains.value);
    for (number, column) in columns.enumerate() {
        for word in column {
            let bytes = random(&mut seed, 8).try_into().expect("eight bytes");
            let mut value = u64::from_le_bytes(bytes);
            if W::BYTES == 4 && number == 13 {
                // The second half of the last word of an address is the value's.
                value &= 0xffff_0000;
            }
            *word = W::truncate(value);
        }
    }
    let words = run.n / W::BYTES;
    let mut trace = std::vec![W::default(); 17 * words * MAX_LANES];
    let all = MAX_LANES / kernel.lanes * kernel.lanes;
    for first in (0..all).step_by(kernel.lanes) {
        let trace = Trace { to: trace.as_mut_ptr(), stride: MAX_LANES };
        // SAFETY: the kernel is for this CPU, and the trace has columns of all lanes.
        unsafe { (kernel.run)(&mut chains, first, run, trace) };
    }
    let address = if W::BYTES == 4 { &chains.address[5] } else { &chains.address[3] };
    let values = chains.value[..words].iter().flatten().chain(address).copied();
    values.chain(trace).collect()
}

fn compare<W: Word>(name: &str, kernel: &ChainKernel<W>, plain: &ChainKernel<W>) {
    println!("slh-dsa kernel tested: {name} {}", kernel.name);
    for n in [16, 24, 32] {
        for (secret, steps) in [(0, 0), (0, 1), (5, 0), (5, 15), (0, 7), (1, 1)] {
            let how = Run { n, secret, steps };
            assert!(run(kernel, how) == run(plain, how), "{name} {}: {n}, {steps}", kernel.name);
        }
    }
}

#[test]
fn all_kernels_agree() {
    let portable = Cpu::with_isa(Isa::Portable).expect("every machine has it");
    let plain = &arch::kernels(&portable).slh_dsa;
    let plain = (portable.pick(&plain.sha256).wide, portable.pick(&plain.keccak).wide);
    for cpu in cpus() {
        let kernels = &arch::kernels(&cpu).slh_dsa;
        let (sha256, keccak) = (cpu.pick(&kernels.sha256), cpu.pick(&kernels.keccak));
        for kernel in [sha256.wide, sha256.few] {
            compare("sha256", &kernel, &plain.0);
        }
        for kernel in [keccak.wide, keccak.few] {
            compare("keccak", &kernel, &plain.1);
        }
    }
}
