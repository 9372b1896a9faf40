//! What the CPU offers.

use crate::features::Feature::*;
use crate::features::FeatureState;

/// How many features are looked for.
pub(crate) const FEATURES: usize = 5;

cpufeatures::new!(arm_aes, "aes");
cpufeatures::new!(arm_sha2, "sha2");
#[cfg(not(any(target_os = "linux", target_os = "android")))]
cpufeatures::new!(arm_sha3, "sha3");

/// Reads the auxiliary vector. NEON is part of every AArch64 Linux machine.
pub(crate) fn detect() -> [FeatureState; FEATURES] {
    let state = |feature, seen| FeatureState { feature, seen, usable: seen };
    [
        state(Neon, cfg!(target_feature = "neon")),
        state(Aes, arm_aes::get()),
        state(Pmull, pmull()),
        state(Sha2, arm_sha2::get()),
        state(Sha512, sha512()),
    ]
}

/// Returns `true` if the CPU has polynomial products of 64 bits. (On Linux, `cpufeatures` is
/// content with AES alone.)
fn pmull() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // SAFETY: it reads what the kernel told the process at its start.
        unsafe { libc::getauxval(libc::AT_HWCAP) & libc::HWCAP_PMULL != 0 }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    arm_aes::get()
}

/// Returns `true` if the CPU has all that compilers take `sha3` to mean: the SHA-3 instructions and
/// those of SHA-512. (On Linux, `cpufeatures` is content with either.)
fn sha512() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let both = libc::HWCAP_SHA3 | libc::HWCAP_SHA512;
        // SAFETY: it reads what the kernel told the process at its start.
        unsafe { libc::getauxval(libc::AT_HWCAP) & both == both }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    arm_sha3::get()
}
