//! What the CPU and the operating system offer, and which instruction set is used.

use core::fmt;
use core::str::FromStr;

/// An instruction set that kernels are compiled for, from the most modest to the widest of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Plain integers: any machine.
    Portable,
    /// AArch64's 128-bit vectors, with the AES and SHA-2 extensions where the CPU has them.
    Neon,
    /// x86-64 with 256-bit integer vectors; AES-NI, VAES and VPCLMULQDQ on them, and the SHA extensions where
    /// the CPU has them.
    Avx2,
    /// x86-64 with 512-bit vectors: AVX-512 F, BW, DQ and VL; IFMA, and VAES and VPCLMULQDQ on them where the CPU
    /// has them, and what goes with [`Avx2`](Isa::Avx2).
    Avx512,
}

impl Isa {
    /// All of them, the most modest first.
    pub const ALL: [Isa; 4] = [Isa::Portable, Isa::Neon, Isa::Avx2, Isa::Avx512];

    /// Its name on command lines, in JSON and in `BROADLOOM_ISA`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Neon => "neon",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(name: &str) -> Result<Self, IsaError> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name).ok_or(IsaError::Unknown)
    }
}

/// Why an instruction set cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IsaError {
    /// The name is none of `avx512`, `avx2`, `neon`, `portable`.
    Unknown,
    /// This machine does not have it.
    Missing {
        /// What was asked for.
        asked: Isa,
        /// The best that this machine has.
        best: Isa,
    },
}

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IsaError::Unknown => {
                f.write_str("unknown instruction set: use avx512, avx2, neon or portable")
            }
            IsaError::Missing { asked, best } => {
                write!(f, "this machine cannot run {asked} kernels: the best it has is {best}")
            }
        }
    }
}

impl core::error::Error for IsaError {}

/// One CPU feature that kernels can make use of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its usual name.
    pub name: &'static str,
    /// The CPU says it has it.
    pub seen: bool,
    /// The operating system saves the registers it needs, so that it can be used.
    pub usable: bool,
}

/// The CPU, and the instruction set that kernels built from it use.
///
/// Everything that computes is built from a `Cpu`; that one exists with an [`Isa`] in it is the proof
/// that this machine can run that instruction set.
#[derive(Clone, Debug)]
pub struct Cpu {
    isa: Isa,
    features: [Feature; FEATURES],
}

impl Cpu {
    /// The best that this CPU and operating system can do.
    pub fn detect() -> Cpu {
        let features = detect();
        let isa = best(&features);
        Cpu { isa, features }
    }

    /// This CPU with a lower instruction set.
    ///
    /// [`Isa::Portable`] stands for plain integers alone: neither vectors nor AES or SHA instructions.
    ///
    /// # Errors
    /// [`IsaError::Missing`] if the machine does not have it.
    pub fn with_isa(isa: Isa) -> Result<Cpu, IsaError> {
        let features = detect();
        if runs(&features, isa) {
            Ok(Cpu { isa, features })
        } else {
            let best = best(&features);
            Err(IsaError::Missing { asked: isa, best })
        }
    }

    /// What a setting such as the environment variable `BROADLOOM_ISA` asks for: the named instruction
    /// set, or the best where nothing is set.
    ///
    /// # Errors
    /// [`IsaError::Unknown`] for any other name, [`IsaError::Missing`] if the machine does not have it.
    pub fn from_request(name: Option<&str>) -> Result<Cpu, IsaError> {
        match name {
            Some(name) => Cpu::with_isa(name.parse()?),
            None => Ok(Cpu::detect()),
        }
    }

    /// This CPU as if it lacked a feature, by the name that [`features`](Cpu::features) has for it: to
    /// compare kernels, or to test those that another machine would choose. A name that is not there
    /// changes nothing.
    ///
    /// # Errors
    /// [`IsaError::Missing`] if the instruction set in use needs it.
    pub fn without(&self, feature: &str) -> Result<Cpu, IsaError> {
        let mut features = self.features;
        features.iter_mut().filter(|f| f.name == feature).for_each(|f| f.usable = false);
        if runs(&features, self.isa) {
            Ok(Cpu { isa: self.isa, features })
        } else {
            Err(IsaError::Missing { asked: self.isa, best: best(&features) })
        }
    }

    /// Every instruction set that this machine can run, the most modest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        let features = detect();
        Isa::ALL.into_iter().filter(move |isa| runs(&features, *isa))
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// What was looked for, and what was found.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Whether kernels may use an instruction beyond the plain vector ones.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.isa != Isa::Portable && usable(&self.features, name)
    }
}

fn usable(features: &[Feature], name: &str) -> bool {
    features.iter().any(|f| f.name == name && f.usable)
}

fn best(features: &[Feature]) -> Isa {
    Isa::ALL.into_iter().rfind(|isa| runs(features, *isa)).unwrap_or(Isa::Portable)
}

/// Whether a machine with these features can run an instruction set.
fn runs(features: &[Feature], isa: Isa) -> bool {
    let needs: &[&str] = match isa {
        Isa::Portable => &[],
        Isa::Neon => &["neon"],
        Isa::Avx2 => &["avx2", "bmi1", "bmi2", "ssse3", "sse4.1"],
        Isa::Avx512 => {
            &["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "bmi1", "bmi2", "ssse3", "sse4.1"]
        }
    };
    needs.iter().all(|name| usable(features, name))
}

#[cfg(target_arch = "x86_64")]
const FEATURES: usize = 16;

/// Reads CPUID, and XCR0 through XGETBV: a CPU may have registers that the operating system does not
/// save (Intel SDM, volume 1, chapters 14.3 and 15.2).
#[cfg(target_arch = "x86_64")]
fn detect() -> [Feature; FEATURES] {
    use core::arch::x86_64::{__cpuid, __cpuid_count};

    let highest = __cpuid(0).eax;
    let one = __cpuid(1);
    let seven = if highest >= 7 {
        __cpuid_count(7, 0)
    } else {
        core::arch::x86_64::CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 }
    };
    // AMD's identifiers of what is fast; other makers' CPUs have no such leaf.
    const FAST: u32 = 0x8000_001a;
    let fast = if __cpuid(0x8000_0000).eax >= FAST { __cpuid(FAST).eax } else { 0 };
    let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
    let saved = if bit(one.ecx, 27) {
        // SAFETY: CPUID says that the operating system has enabled XGETBV (OSXSAVE).
        unsafe { xcr0() }
    } else {
        0
    };
    let ymm = saved & 0b110 == 0b110;
    let zmm = ymm && saved & 0b1110_0000 == 0b1110_0000;

    let feature = |name, seen, os| Feature { name, seen, usable: seen && os };
    [
        feature("ssse3", bit(one.ecx, 9), true),
        feature("sse4.1", bit(one.ecx, 19), true),
        feature("pclmulqdq", bit(one.ecx, 1), true),
        feature("aes", bit(one.ecx, 25), true),
        feature("bmi1", bit(seven.ebx, 3), true),
        feature("bmi2", bit(seven.ebx, 8), true),
        feature("avx2", bit(one.ecx, 28) && bit(seven.ebx, 5), ymm),
        feature("avx512f", bit(seven.ebx, 16), zmm),
        feature("avx512dq", bit(seven.ebx, 17), zmm),
        feature("avx512bw", bit(seven.ebx, 30), zmm),
        feature("avx512vl", bit(seven.ebx, 31), zmm),
        feature("avx512ifma", bit(seven.ebx, 21), zmm),
        feature("sha", bit(seven.ebx, 29), true),
        feature("vaes", bit(seven.ecx, 9), ymm),
        feature("vpclmulqdq", bit(seven.ecx, 10), ymm),
        // Data paths of 256 bits (FP256) and no wider (FP512).
        feature("fp256", bit(fast, 2) && !bit(fast, 3), ymm),
    ]
}

/// The register states that the operating system saves.
///
/// # Safety
/// CPUID must report OSXSAVE.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u64 {
    // SAFETY: register 0 exists wherever XGETBV does.
    unsafe { core::arch::x86_64::_xgetbv(0) }
}

#[cfg(target_arch = "aarch64")]
const FEATURES: usize = 5;

#[cfg(target_arch = "aarch64")]
cpufeatures::new!(arm_aes, "aes");
#[cfg(target_arch = "aarch64")]
cpufeatures::new!(arm_sha2, "sha2");
#[cfg(all(target_arch = "aarch64", not(any(target_os = "linux", target_os = "android"))))]
cpufeatures::new!(arm_sha3, "sha3");

/// Reads the auxiliary vector. NEON is part of every AArch64 Linux machine.
#[cfg(target_arch = "aarch64")]
fn detect() -> [Feature; FEATURES] {
    let feature = |name, seen| Feature { name, seen, usable: seen };
    [
        feature("neon", cfg!(target_feature = "neon")),
        feature("aes", arm_aes::get()),
        feature("pmull", pmull()),
        feature("sha2", arm_sha2::get()),
        feature("sha512", sha512()),
    ]
}

/// Whether the CPU has polynomial products of 64 bits. (On Linux, `cpufeatures` is content with AES alone.)
#[cfg(target_arch = "aarch64")]
fn pmull() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // SAFETY: it reads what the kernel told the process at its start.
        unsafe { libc::getauxval(libc::AT_HWCAP) & libc::HWCAP_PMULL != 0 }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    arm_aes::get()
}

/// Whether the CPU has all that compilers take `sha3` to mean: the SHA-3 instructions and those of
/// SHA-512. (On Linux, `cpufeatures` is content with either.)
#[cfg(target_arch = "aarch64")]
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

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FEATURES: usize = 0;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detect() -> [Feature; FEATURES] {
    []
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
        }
        assert_eq!("sse".parse::<Isa>(), Err(IsaError::Unknown));
    }

    #[test]
    fn what_the_machine_lacks_is_refused_and_the_rest_is_not() {
        let available: alloc::vec::Vec<_> = Cpu::available().collect();
        assert!(available.contains(&Isa::Portable));
        for isa in Isa::ALL {
            match Cpu::with_isa(isa) {
                Ok(cpu) => assert!(available.contains(&isa) && cpu.isa() == isa),
                Err(error) => {
                    let best = Cpu::detect().isa();
                    assert_eq!(error, IsaError::Missing { asked: isa, best });
                    assert!(!available.contains(&isa));
                }
            }
        }
    }

    #[test]
    fn registers_that_are_not_saved_make_a_feature_unusable() {
        let mut features = [Feature { name: "neon", seen: true, usable: true }; 1];
        assert_eq!(best(&features), Isa::Neon);
        features[0].usable = false;
        assert_eq!(best(&features), Isa::Portable);
    }

    #[test]
    fn portable_uses_no_extension() {
        let cpu = Cpu::with_isa(Isa::Portable).expect("every machine has it");
        assert!(cpu.features().iter().all(|f| !cpu.has(f.name)));
    }
}
