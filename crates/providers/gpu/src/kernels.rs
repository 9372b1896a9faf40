//! The kernels, by name: which program has them, and in which order a batch runs them.

use crate::ed25519::base_table;
use crate::slh_dsa::FORS_PART;

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
    SlhDsaChainsSha2,
    SlhDsaLeavesSha2,
    SlhDsaForsSha2,
    SlhDsaClimbSha2,
    SlhDsaRootsSha2,
    SlhDsaValuesSha2,
    SlhDsaVerifySha2,
    SlhDsaChainsShake,
    SlhDsaLeavesShake,
    SlhDsaForsShake,
    SlhDsaClimbShake,
    SlhDsaRootsShake,
    SlhDsaValuesShake,
    SlhDsaVerifyShake,
    /// Copies data to where they stay.
    Keep,
    Wipe,
}

/// How many kernels there are.
pub(crate) const KERNELS: usize = 45;

/// How many programs there are.
pub(crate) const PROGRAMS: usize = SOURCES.len() + 1 + RSA_SIZES.len() + SLH_DSA_HASHES.len();

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

/// The kernels of SLH-DSA with one hash: those that sign, in order, and the one that verifies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlhDsaKernels {
    pub chains: KernelId,
    pub leaves: KernelId,
    pub fors: KernelId,
    pub climb: KernelId,
    pub roots: KernelId,
    pub values: KernelId,
    pub verify: KernelId,
}

/// With SHA-2, and with SHAKE. Each is a program.
const SLH_DSA_HASHES: [SlhDsaKernels; 2] = [
    SlhDsaKernels {
        chains: SlhDsaChainsSha2,
        leaves: SlhDsaLeavesSha2,
        fors: SlhDsaForsSha2,
        climb: SlhDsaClimbSha2,
        roots: SlhDsaRootsSha2,
        values: SlhDsaValuesSha2,
        verify: SlhDsaVerifySha2,
    },
    SlhDsaKernels {
        chains: SlhDsaChainsShake,
        leaves: SlhDsaLeavesShake,
        fors: SlhDsaForsShake,
        climb: SlhDsaClimbShake,
        roots: SlhDsaRootsShake,
        values: SlhDsaValuesShake,
        verify: SlhDsaVerifyShake,
    },
];

const COMMON: &str = include_str!("kernels/common.cl");
const MONTGOMERY: &str = include_str!("kernels/montgomery.cl");
const KECCAK_PERMUTE: &str = include_str!("kernels/keccak_permute.cl");
const SHA2_BLOCK: &str = include_str!("kernels/sha2_block.cl");

/// A program for each family, so that none is compiled before it is needed.
const SOURCES: [&[&str]; 7] = [
    &[include_str!("kernels/sha1.cl")],
    &[SHA2_BLOCK, include_str!("kernels/sha2.cl")],
    &[KECCAK_PERMUTE, include_str!("kernels/keccak.cl")],
    &[include_str!("kernels/chacha.cl")],
    &[include_str!("kernels/aes.cl")],
    &[include_str!("kernels/probe.cl")],
    &[include_str!("kernels/resident.cl")],
];

const EDWARDS: &str = include_str!("kernels/edwards.cl");
const ED25519: &str = include_str!("kernels/ed25519.cl");
const RSA: &str = include_str!("kernels/rsa.cl");
const SLH_DSA_ADDRESS: &str = include_str!("kernels/slh_dsa_address.cl");
const SLH_DSA_SHA2: &str = include_str!("kernels/slh_dsa_sha2.cl");
const SLH_DSA_SHAKE: &str = include_str!("kernels/slh_dsa_shake.cl");
const SLH_DSA: &str = include_str!("kernels/slh_dsa.cl");

/// The source of a program: of one of the families, of Ed25519, of RSA, or of SLH-DSA.
pub(crate) fn source(program: usize) -> String {
    if let Some(pieces) = SOURCES.get(program) {
        return [&[COMMON], *pieces].concat().concat();
    }
    let words = |count: usize| format!("#define WORDS {count}u\n");
    match program - SOURCES.len() {
        0 => [COMMON, &words(8), MONTGOMERY, SHA2_BLOCK, EDWARDS, &base_table(), ED25519].concat(),
        own @ 1..=4 => [COMMON, &words(RSA_SIZES[own - 1].0 / 32), MONTGOMERY, RSA].concat(),
        own => {
            let part = format!("#define FORS_PART {FORS_PART}u\n");
            let hash = [[SHA2_BLOCK, SLH_DSA_SHA2], [KECCAK_PERMUTE, SLH_DSA_SHAKE]][own - 5];
            [COMMON, &part, SLH_DSA_ADDRESS, hash[0], hash[1], SLH_DSA].concat()
        }
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
        Ed25519Sign, Ed25519Verify,
        SlhDsaChainsSha2, SlhDsaLeavesSha2, SlhDsaForsSha2, SlhDsaClimbSha2, SlhDsaRootsSha2,
        SlhDsaValuesSha2, SlhDsaVerifySha2,
        SlhDsaChainsShake, SlhDsaLeavesShake, SlhDsaForsShake, SlhDsaClimbShake, SlhDsaRootsShake,
        SlhDsaValuesShake, SlhDsaVerifyShake,
        Keep, Wipe,
    ];

    /// Those of RSA with moduli of so many bits.
    pub fn rsa(bits: usize) -> Option<&'static RsaKernels> {
        RSA_SIZES.iter().find(|(size, _)| *size == bits).map(|(_, kernels)| kernels)
    }

    /// Those of SLH-DSA with SHAKE or with SHA-2.
    pub fn slh_dsa(is_shake: bool) -> &'static SlhDsaKernels {
        &SLH_DSA_HASHES[usize::from(is_shake)]
    }

    /// Returns `true` if a task has many items, of which each group has those of one task.
    pub fn is_wide(self) -> bool {
        let is_roots = matches!(self, SlhDsaRootsSha2 | SlhDsaRootsShake);
        matches!(self.program(), 12 | 13) && !is_roots
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
            SlhDsaChainsSha2 | SlhDsaChainsShake => "slh_dsa_chains",
            SlhDsaLeavesSha2 | SlhDsaLeavesShake => "slh_dsa_leaves",
            SlhDsaForsSha2 | SlhDsaForsShake => "slh_dsa_fors",
            SlhDsaClimbSha2 | SlhDsaClimbShake => "slh_dsa_climb",
            SlhDsaRootsSha2 | SlhDsaRootsShake => "slh_dsa_roots",
            SlhDsaValuesSha2 | SlhDsaValuesShake => "slh_dsa_values",
            SlhDsaVerifySha2 | SlhDsaVerifyShake => "slh_dsa_verify",
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
            SlhDsaChainsSha2 | SlhDsaLeavesSha2 | SlhDsaForsSha2 | SlhDsaClimbSha2
            | SlhDsaRootsSha2 | SlhDsaValuesSha2 | SlhDsaVerifySha2 => 12,
            SlhDsaChainsShake | SlhDsaLeavesShake | SlhDsaForsShake | SlhDsaClimbShake
            | SlhDsaRootsShake | SlhDsaValuesShake | SlhDsaVerifyShake => 13,
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
