//! Which kernels CPUs get.

use broadloom_lanes::{Cpu, Isa, kernels};

use crate::common::cipher_cpus;

/// What AES should run on, and GCM.
fn expected(cpu: &Cpu) -> [&'static str; 2] {
    let has = |name| cpu.features().iter().any(|f| f.name == name && f.usable);
    let one_block = match cpu.isa() {
        Isa::Portable => return ["bitsliced"; 2],
        Isa::Neon => "armv8-aes",
        Isa::Avx2 | Isa::Avx512 => "aes-ni",
    };
    let several = if cpu.isa() == Isa::Avx512 { "vaes-512" } else { "vaes-256" };
    let gcm = match has("pclmulqdq") || has("pmull") {
        true if has("aes") => one_block,
        _ => "bitsliced",
    };
    match has("vaes") {
        true if has("vpclmulqdq") => [several; 2],
        true => [several, gcm],
        false => [if has("aes") { one_block } else { "bitsliced" }, gcm],
    }
}

/// What this prints is how CI knows that an emulated processor ran the kernels that it is there for.
#[test]
fn aes_is_on_the_widest_registers_that_have_its_instructions() {
    for cpu in cipher_cpus() {
        let infos = kernels(&cpu);
        let kernel = |name| {
            let info = infos.iter().find(|info| info.algorithm == name);
            info.expect("AES has all modes").kernel
        };
        let [aes, gcm] = expected(&cpu);
        println!("kernels on {}: aes {}, aes-gcm {}", cpu.isa(), kernel("aes-ctr"), kernel("aes-gcm"));
        for name in ["aes-ctr", "aes-ecb", "aes-xts"] {
            assert_eq!(kernel(name), aes, "{name} on {cpu:?}");
        }
        assert_eq!(kernel("aes-gcm"), gcm, "{cpu:?}");
    }
}
