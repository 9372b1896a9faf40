//! Which kernels CPUs get.

use broadloom_lanes::Feature::{Aes, Pclmulqdq, Pmull, Vaes, Vpclmulqdq};
use broadloom_lanes::{Cpu, Isa, kernels};

use crate::common::cipher_cpus;

/// What AES should run on, and GCM.
fn expected(cpu: &Cpu) -> [&'static str; 2] {
    let has = |feature| cpu.has(feature);
    let one_block = match cpu.isa() {
        Isa::Portable => return ["bitsliced"; 2],
        Isa::Neon => "armv8-aes",
        _ => "aes-ni",
    };
    let several = if cpu.isa() == Isa::Avx512 { "vaes-512" } else { "vaes-256" };
    let gcm = match has(Pclmulqdq) || has(Pmull) {
        true if has(Aes) => one_block,
        _ => "bitsliced",
    };
    match has(Vaes) && cpu.isa() != Isa::Sse4 {
        true if has(Vpclmulqdq) => [several; 2],
        true => [several, gcm],
        false => [if has(Aes) { one_block } else { "bitsliced" }, gcm],
    }
}

/// What this prints is how CI knows that an emulated processor ran the kernels that it is there
/// for.
#[test]
fn aes_is_on_the_widest_registers_that_have_its_instructions() {
    for cpu in cipher_cpus() {
        let infos = kernels(&cpu);
        let kernel = |name| {
            let info = infos.iter().find(|info| info.algorithm == name);
            info.expect("AES has all modes").kernel
        };
        let [aes, gcm] = expected(&cpu);
        let [ctr, gcm_kernel, sha256, sha512] =
            ["aes-ctr", "aes-gcm", "sha256", "sha512"].map(kernel);
        println!(
            "kernels on {}: aes {ctr}, aes-gcm {gcm_kernel}, sha256 {sha256}, sha512 {sha512}",
            cpu.isa()
        );
        for name in ["aes-ctr", "aes-ecb", "aes-xts"] {
            assert_eq!(kernel(name), aes, "{name} on {cpu:?}");
        }
        assert_eq!(kernel("aes-gcm"), gcm, "{cpu:?}");
    }
}
