//! The kernels, by name: which program has them, and in which order a batch runs them.

/// A kernel. A batch runs those that it needs in this order: each finds what earlier ones made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KernelId {
    /// The first counter block of GCM, for unusual nonces.
    GcmNonce,
    AesCtr,
    ChaCha20,
    GcmTag,
    Poly1305,
    Sha1,
    Sha256,
    Sha512,
    Keccak,
    /// Measures the device's arithmetic.
    Probe,
}

/// How many kernels there are.
pub(crate) const KERNELS: usize = 10;

/// How many programs there are.
pub(crate) const PROGRAMS: usize = SOURCES.len();

const COMMON: &str = include_str!("kernels/common.cl");

/// A program for each family, so that none is compiled before it is needed.
const SOURCES: [&str; 6] = [
    include_str!("kernels/sha1.cl"),
    include_str!("kernels/sha2.cl"),
    include_str!("kernels/keccak.cl"),
    include_str!("kernels/chacha.cl"),
    include_str!("kernels/aes.cl"),
    include_str!("kernels/probe.cl"),
];

/// The source of a program.
pub(crate) fn source(program: usize) -> String {
    format!("{COMMON}{}", SOURCES[program])
}

use KernelId::*;

impl KernelId {
    /// All of them, in order.
    pub const ALL: [KernelId; KERNELS] =
        [GcmNonce, AesCtr, ChaCha20, GcmTag, Poly1305, Sha1, Sha256, Sha512, Keccak, Probe];

    /// The name of its function.
    pub const fn name(self) -> &'static str {
        match self {
            GcmNonce => "gcm_nonce",
            AesCtr => "aes_ctr",
            ChaCha20 => "chacha20",
            GcmTag => "gcm_tag",
            Poly1305 => "poly1305",
            Sha1 => "sha1",
            Sha256 => "sha256",
            Sha512 => "sha512",
            Keccak => "keccak",
            Probe => "probe",
        }
    }

    /// The program that has it.
    pub const fn program(self) -> usize {
        match self {
            Sha1 => 0,
            Sha256 | Sha512 => 1,
            Keccak => 2,
            ChaCha20 | Poly1305 => 3,
            GcmNonce | AesCtr | GcmTag => 4,
            Probe => 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_in_its_program() {
        for (place, kernel) in KernelId::ALL.into_iter().enumerate() {
            assert_eq!(kernel as usize, place, "{kernel:?}");
            let function = format!("void {}(__global", kernel.name());
            let programs = (0..PROGRAMS).filter(|&program| source(program).contains(&function));
            assert!(programs.eq([kernel.program()]), "{kernel:?}");
        }
    }
}
