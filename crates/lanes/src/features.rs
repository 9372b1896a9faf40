//! CPU features as a type: single features, sets, and choices that depend on them.

use core::fmt;
use core::str::FromStr;

/// Declares the features of all architectures, each with its usual name.
macro_rules! features {
    ($($(#[$doc:meta])* $feature:ident = $name:literal,)*) => {
        /// A CPU feature that kernels can make use of.
        ///
        /// ```
        /// use broadloom_lanes::{Cpu, Feature};
        ///
        /// let vaes: Feature = "vaes".parse()?;
        /// let cpu = Cpu::detect();
        /// println!("{vaes}: {}", if cpu.has(vaes) { "used" } else { "not there" });
        /// # Ok::<(), broadloom_lanes::UnknownFeature>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Feature {
            $($(#[$doc])* $feature,)*
        }

        impl Feature {
            /// The features of all architectures.
            pub const ALL: &'static [Feature] = &[$(Feature::$feature),*];

            /// Returns the usual name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Feature::$feature => $name,)*
                }
            }
        }
    };
}

features! {
    /// x86-64: byte shuffles.
    Ssse3 = "ssse3",
    /// x86-64: blends, and moves between vector and general registers.
    Sse41 = "sse4.1",
    /// x86-64: carry-less products.
    Pclmulqdq = "pclmulqdq",
    /// The AES instructions of x86-64 or of AArch64.
    Aes = "aes",
    /// x86-64: the first bit manipulation instructions.
    Bmi1 = "bmi1",
    /// x86-64: rotations and multiplications that keep the flags.
    Bmi2 = "bmi2",
    /// x86-64: integers in registers of 256 bits.
    Avx2 = "avx2",
    /// x86-64: registers of 512 bits.
    Avx512f = "avx512f",
    /// x86-64: 64-bit products, and moves of parts, on registers of 512 bits.
    Avx512dq = "avx512dq",
    /// x86-64: bytes and 16-bit words in registers of 512 bits.
    Avx512bw = "avx512bw",
    /// x86-64: the encodings of AVX-512 on shorter registers.
    Avx512vl = "avx512vl",
    /// x86-64: products of 52 bits that are added.
    Avx512ifma = "avx512ifma",
    /// x86-64: the instructions for SHA-1 and SHA-256.
    Sha = "sha",
    /// x86-64: the AES instructions on wide registers.
    Vaes = "vaes",
    /// x86-64: carry-less products on wide registers.
    Vpclmulqdq = "vpclmulqdq",
    /// x86-64: linear maps of bytes.
    Gfni = "gfni",
    /// x86-64: data paths of 256 bits and no wider, so that an operation on 512 bits is two.
    Fp256 = "fp256",
    /// x86-64: data paths of 512 bits as AMD Zen 5 has them. An operation on integers of 512 bits
    /// is one there, and takes two cycles.
    Fp512 = "fp512",
    /// AArch64: vectors of 128 bits.
    Neon = "neon",
    /// AArch64: polynomial products of 64 bits.
    Pmull = "pmull",
    /// AArch64: the instructions for SHA-1 and SHA-256.
    Sha2 = "sha2",
    /// AArch64: the instructions for SHA-512 and SHA-3.
    Sha512 = "sha512",
}

const _: () = assert!(Feature::ALL.len() <= u32::BITS as usize, "a set has a bit for each");

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no CPU feature has.
///
/// ```
/// use broadloom_lanes::Feature;
///
/// let error = "avx3".parse::<Feature>().expect_err("there is no such feature");
/// assert!(error.to_string().starts_with("unknown CPU feature: use ssse3, "));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFeature;

impl fmt::Display for UnknownFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown CPU feature: use ")?;
        for (i, feature) in Feature::ALL.iter().enumerate() {
            write!(f, "{}{feature}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownFeature {}

impl FromStr for Feature {
    type Err = UnknownFeature;

    fn from_str(name: &str) -> Result<Self, UnknownFeature> {
        Feature::ALL.iter().copied().find(|f| f.name() == name).ok_or(UnknownFeature)
    }
}

/// A feature of this CPU: present or not, usable or not.
///
/// ```
/// for state in broadloom_lanes::Cpu::detect().features() {
///     // The operating system may keep a feature from programs.
///     assert!(state.seen || !state.usable, "{}", state.feature);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureState {
    /// The feature.
    pub feature: Feature,
    /// The CPU says it has it.
    pub seen: bool,
    /// The operating system saves the registers it needs, so that it can be used.
    pub usable: bool,
}

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// No feature.
    pub(crate) const NONE: Features = Features(0);

    /// Returns the set of these features.
    pub const fn of(features: &[Feature]) -> Self {
        let (mut set, mut i) = (0, 0);
        while i < features.len() {
            set |= 1 << features[i] as u32;
            i += 1;
        }
        Features(set)
    }

    /// Returns the set of those that can be used.
    pub(crate) fn usable(states: &[FeatureState]) -> Self {
        let usable = states.iter().filter(|state| state.usable);
        Features(usable.fold(0, |set, state| set | 1 << state.feature as u32))
    }

    /// Returns `true` if all features of another set are in this one.
    pub(crate) const fn have(self, needs: Features) -> bool {
        self.0 & needs.0 == needs.0
    }
}

/// Kernels of one family in one instruction set, each with the features that it needs beyond that:
/// the first whose features a CPU has is used.
pub struct Choice<T: 'static>(&'static [(Features, T)]);

impl<T: Copy> Choice<T> {
    /// Makes a choice of kernels, of which the last one needs nothing.
    pub const fn new(kernels: &'static [(Features, T)]) -> Self {
        let (needs, _) = &kernels[kernels.len() - 1];
        assert!(
            Features::NONE.have(*needs),
            "there is a kernel for every CPU of the instruction set"
        );
        Choice(kernels)
    }

    /// Returns the kernel for a CPU that has these features.
    pub(crate) fn pick(&self, features: Features) -> T {
        let fits = self.0.iter().find(|(needs, _)| features.have(*needs));
        fits.expect("the last one needs nothing").1
    }

    /// Returns the kernels that a CPU with these features can run.
    #[cfg(test)]
    pub(crate) fn all(&self, features: Features) -> impl Iterator<Item = T> {
        self.0.iter().filter(move |(needs, _)| features.have(*needs)).map(|(_, kernel)| *kernel)
    }
}
