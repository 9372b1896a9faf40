//! What the CPU and the operating system offer.

use core::arch::x86_64::{__cpuid, __cpuid_count, CpuidResult};

use crate::features::Feature::*;
use crate::features::FeatureState;

/// How many features are looked for.
pub(crate) const FEATURES: usize = 18;

/// Reads CPUID, and XCR0 through XGETBV: a CPU may have registers that the operating system does
/// not save (Intel SDM, volume 1, chapters 14.3 and 15.2).
pub(crate) fn detect() -> [FeatureState; FEATURES] {
    let basic = __cpuid(0);
    let highest = basic.eax;
    let one = __cpuid(1);
    let seven = if highest >= 7 {
        __cpuid_count(7, 0)
    } else {
        CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 }
    };
    // AMD's identifiers of what is fast; other makers' CPUs have no such leaf.
    const FAST: u32 = 0x8000_001a;
    let fast = if __cpuid(0x8000_0000).eax >= FAST { __cpuid(FAST).eax } else { 0 };
    let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
    let narrow = bit(fast, 2) && !bit(fast, 3);
    let wide = is_amd(&basic) && family(one.eax) >= ZEN_5 && bit(seven.ebx, 16) && !narrow;
    let saved = if bit(one.ecx, 27) {
        // SAFETY: CPUID says that the operating system has enabled XGETBV (OSXSAVE).
        unsafe { xcr0() }
    } else {
        0
    };
    let ymm = saved & 0b110 == 0b110;
    let zmm = ymm && saved & 0b1110_0000 == 0b1110_0000;

    let state = |feature, seen, os| FeatureState { feature, seen, usable: seen && os };
    [
        state(Ssse3, bit(one.ecx, 9), true),
        state(Sse41, bit(one.ecx, 19), true),
        state(Pclmulqdq, bit(one.ecx, 1), true),
        state(Aes, bit(one.ecx, 25), true),
        state(Bmi1, bit(seven.ebx, 3), true),
        state(Bmi2, bit(seven.ebx, 8), true),
        state(Avx2, bit(one.ecx, 28) && bit(seven.ebx, 5), ymm),
        state(Avx512f, bit(seven.ebx, 16), zmm),
        state(Avx512dq, bit(seven.ebx, 17), zmm),
        state(Avx512bw, bit(seven.ebx, 30), zmm),
        state(Avx512vl, bit(seven.ebx, 31), zmm),
        state(Avx512ifma, bit(seven.ebx, 21), zmm),
        state(Sha, bit(seven.ebx, 29), true),
        state(Vaes, bit(seven.ecx, 9), ymm),
        state(Vpclmulqdq, bit(seven.ecx, 10), ymm),
        state(Gfni, bit(seven.ecx, 8), true),
        // Data paths of 256 bits (FP256) and no wider (FP512).
        state(Fp256, narrow, ymm),
        // Virtual machines often hide FP512, so that it follows from the family.
        state(Fp512, wide, zmm),
    ]
}

/// The family of AMD Zen 5.
const ZEN_5: u32 = 0x1a;

/// Returns `true` if the first leaf names AMD as the maker.
fn is_amd(leaf: &CpuidResult) -> bool {
    let name = [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes);
    name.as_flattened() == b"AuthenticAMD"
}

/// Returns the family of a CPU, from the signature in leaf 1 (AMD64 APM, volume 3, appendix E).
fn family(signature: u32) -> u32 {
    let (base, extended) = (signature >> 8 & 0xf, signature >> 20 & 0xff);
    if base == 0xf { base + extended } else { base }
}

/// Returns the register states that the operating system saves.
///
/// # Safety
/// CPUID must report OSXSAVE.
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u64 {
    // SAFETY: register 0 exists wherever XGETBV does.
    unsafe { core::arch::x86_64::_xgetbv(0) }
}
