//! The kernels, by name: which program has them, and in which order a batch runs them.

use crate::ed25519::base_table;

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
    /// Measures the device's arithmetic: operations of hashes.
    Probe,
    /// Products of words.
    ProbeProducts,
    RsaPublic1024,
    RsaBlind1024,
    RsaHalf1024,
    RsaJoin1024,
    RsaPublic2048,
    RsaBlind2048,
    RsaHalf2048,
    RsaJoin2048,
    RsaPublic3072,
    RsaBlind3072,
    RsaHalf3072,
    RsaJoin3072,
    RsaPublic4096,
    RsaBlind4096,
    RsaHalf4096,
    RsaJoin4096,
    Ed25519Sign,
    Ed25519Verify,
    /// Copies data to where they stay.
    Keep,
    Wipe,
}

/// How many kernels there are.
pub(crate) const KERNELS: usize = 31;

/// How many programs there are.
pub(crate) const PROGRAMS: usize = SOURCES.len() + 1 + RSA_SIZES.len();

/// The kernels of RSA with moduli of one length: the power with the public exponent, and the three
/// of the private one.
pub(crate) type RsaKernels = [KernelId; 4];

/// Lengths of moduli of RSA in bits, and their kernels. Each length is a program.
const RSA_SIZES: [(usize, RsaKernels); 4] = [
    (1024, [RsaPublic1024, RsaBlind1024, RsaHalf1024, RsaJoin1024]),
    (2048, [RsaPublic2048, RsaBlind2048, RsaHalf2048, RsaJoin2048]),
    (3072, [RsaPublic3072, RsaBlind3072, RsaHalf3072, RsaJoin3072]),
    (4096, [RsaPublic4096, RsaBlind4096, RsaHalf4096, RsaJoin4096]),
];

const COMMON: &str = include_str!("kernels/common.cl");
const MONTGOMERY: &str = include_str!("kernels/montgomery.cl");
const SHA2_BLOCK: &str = include_str!("kernels/sha2_block.cl");

/// A program for each family, so that none is compiled before it is needed.
const SOURCES: [&[&str]; 7] = [
    &[include_str!("kernels/sha1.cl")],
    &[SHA2_BLOCK, include_str!("kernels/sha2.cl")],
    &[include_str!("kernels/keccak.cl")],
    &[include_str!("kernels/chacha.cl")],
    &[include_str!("kernels/aes.cl")],
    &[include_str!("kernels/probe.cl")],
    &[include_str!("kernels/resident.cl")],
];

const EDWARDS: &str = include_str!("kernels/edwards.cl");
const ED25519: &str = include_str!("kernels/ed25519.cl");
const RSA: &str = include_str!("kernels/rsa.cl");

/// The source of a program: of one of the families, of Ed25519, or of RSA.
pub(crate) fn source(program: usize) -> String {
    if let Some(pieces) = SOURCES.get(program) {
        return [&[COMMON], *pieces].concat().concat();
    }
    let words = |count: usize| format!("#define WORDS {count}u\n");
    match program - SOURCES.len() {
        0 => [COMMON, &words(8), MONTGOMERY, SHA2_BLOCK, EDWARDS, &base_table(), ED25519].concat(),
        size => [COMMON, &words(RSA_SIZES[size - 1].0 / 32), MONTGOMERY, RSA].concat(),
    }
}

use KernelId::*;

impl KernelId {
    /// All of them, in order.
    #[rustfmt::skip]
    pub const ALL: [KernelId; KERNELS] = [
        GcmNonce, AesCtr, ChaCha20, GcmTag, Poly1305, Sha1, Sha256, Sha512, Keccak,
        Probe, ProbeProducts,
        RsaPublic1024, RsaBlind1024, RsaHalf1024, RsaJoin1024,
        RsaPublic2048, RsaBlind2048, RsaHalf2048, RsaJoin2048,
        RsaPublic3072, RsaBlind3072, RsaHalf3072, RsaJoin3072,
        RsaPublic4096, RsaBlind4096, RsaHalf4096, RsaJoin4096,
        Ed25519Sign, Ed25519Verify, Keep, Wipe,
    ];

    /// Those of RSA with moduli of so many bits.
    pub fn rsa(bits: usize) -> Option<&'static RsaKernels> {
        RSA_SIZES.iter().find(|(size, _)| *size == bits).map(|(_, kernels)| kernels)
    }

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
            ProbeProducts => "probe_products",
            RsaPublic1024 | RsaPublic2048 | RsaPublic3072 | RsaPublic4096 => "rsa_public",
            RsaBlind1024 | RsaBlind2048 | RsaBlind3072 | RsaBlind4096 => "rsa_blind",
            RsaHalf1024 | RsaHalf2048 | RsaHalf3072 | RsaHalf4096 => "rsa_half",
            RsaJoin1024 | RsaJoin2048 | RsaJoin3072 | RsaJoin4096 => "rsa_join",
            Ed25519Sign => "ed25519_sign",
            Ed25519Verify => "ed25519_verify",
            Keep => "keep",
            Wipe => "wipe",
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
            Probe | ProbeProducts => 5,
            Keep | Wipe => 6,
            Ed25519Sign | Ed25519Verify => 7,
            RsaPublic1024 | RsaBlind1024 | RsaHalf1024 | RsaJoin1024 => 8,
            RsaPublic2048 | RsaBlind2048 | RsaHalf2048 | RsaJoin2048 => 9,
            RsaPublic3072 | RsaBlind3072 | RsaHalf3072 | RsaJoin3072 => 10,
            RsaPublic4096 | RsaBlind4096 | RsaHalf4096 | RsaJoin4096 => 11,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_in_its_program() {
        let namesakes =
            |name| KernelId::ALL.into_iter().filter(move |kernel| kernel.name() == name);
        for (place, kernel) in KernelId::ALL.into_iter().enumerate() {
            assert_eq!(kernel as usize, place, "{kernel:?}");
            let function = format!("void {}(ARGUMENTS)", kernel.name());
            let programs = (0..PROGRAMS).filter(|&program| source(program).contains(&function));
            let right = namesakes(kernel.name()).map(KernelId::program);
            assert!(programs.eq(right), "{kernel:?}");
        }
    }
}
