//! Reports the kernels of each algorithm on a CPU, and the reasons.

use crate::aes;
use crate::binary;
use crate::chacha;
use crate::cpu::{Cpu, Isa};
use crate::curves;
use crate::des;
use crate::hash::{Hash, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
use crate::kasumi;
use crate::rabin;
use crate::rc4;
use crate::rsa;
use crate::slh_dsa;
use crate::sponge;

/// The kernels of one algorithm on one CPU.
///
/// ```
/// for info in broadloom_lanes::kernels(&broadloom_lanes::Cpu::detect()) {
///     println!("{}: {} ({})", info.algorithm, info.kernel, info.reason);
///     assert!(info.lanes > 0);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// The algorithm's name; an HMAC has the kernels of its hash.
    pub algorithm: &'static str,
    /// The kernel for many buffers.
    pub kernel: &'static str,
    /// Buffers that it advances together.
    pub lanes: usize,
    /// The kernel for few buffers.
    pub single: &'static str,
    /// With so many buffers or fewer, the kernel for few is used.
    pub few: usize,
    /// Why these.
    pub reason: &'static str,
}

/// The kernels of each algorithm on this CPU.
pub fn kernels(cpu: &Cpu) -> [KernelInfo; 37] {
    let [cbc, ctr, ecb, xts, cfb, ofb, gcm, ccm, cmac, xcbc] = aes::kernel_infos(cpu);
    let [chacha, chacha_poly, xchacha_poly] = chacha::kernel_infos(cpu);
    let [f8, f9] = kasumi::kernel_infos(cpu);
    let [sha3_224, sha3_256, sha3_384, sha3_512, shake128, shake256, kmac128, kmac256] =
        sponge::kernel_infos(cpu);
    let [slh_dsa_sha2, slh_dsa_shake] = slh_dsa::kernel_infos(cpu);
    [
        hash::<Md5>(cpu),
        hash::<Sha1>(cpu),
        hash::<Sha224>(cpu),
        hash::<Sha256>(cpu),
        hash::<Sha384>(cpu),
        hash::<Sha512>(cpu),
        sha3_224,
        sha3_256,
        sha3_384,
        sha3_512,
        shake128,
        shake256,
        kmac128,
        kmac256,
        cbc,
        ctr,
        ecb,
        xts,
        cfb,
        ofb,
        gcm,
        ccm,
        cmac,
        xcbc,
        chacha,
        chacha_poly,
        xchacha_poly,
        des::kernel_info(cpu),
        f8,
        f9,
        rsa::kernel_info(cpu),
        curves::kernel_info(cpu),
        slh_dsa_sha2,
        slh_dsa_shake,
        binary::kernel_info(cpu),
        rabin::kernel_info(cpu),
        rc4::kernel_info(cpu),
    ]
}

fn hash<A: Hash>(cpu: &Cpu) -> KernelInfo {
    let kernels = cpu.pick(A::kernels(&cpu.kernels().hashes));
    let reason = match (kernels.wide.name, cpu.isa()) {
        ("sha-ni, avx512", _) => {
            "the SHA instructions and 256-bit vectors at once beat 512-bit vectors, which this CPU \
             halves"
        }
        ("sha-ni", _) => "the SHA instructions on interleaved buffers beat vectors",
        (_, Isa::Avx512) if kernels.middle[0].is_some() => {
            "512-bit vectors for many buffers, the SHA instructions on interleaved ones for few"
        }
        ("armv8-sha2" | "armv8-sha512", _) => {
            "the SHA instructions on interleaved buffers beat 128-bit vectors"
        }
        (_, Isa::Portable) => "no vectors that this program knows, or none allowed",
        _ => "the widest vectors that the CPU and the operating system offer",
    };
    let (single, few) = match kernels.middle[0] {
        Some(middle) => (middle.kernel.name, middle.up_to),
        None => (kernels.single.name, kernels.few),
    };
    KernelInfo {
        algorithm: A::NAME,
        kernel: kernels.wide.name,
        lanes: kernels.wide.lanes,
        single,
        few,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_kernels_are_integers() {
        let cpu = Cpu::with_isa(Isa::Portable).expect("every machine has it");
        for info in kernels(&cpu) {
            assert!(["portable", "bitsliced", "integers"].contains(&info.kernel), "{info:?}");
            assert!(info.few < info.lanes || info.lanes == 1, "{info:?}");
        }
    }
}
