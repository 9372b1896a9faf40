//! Features of the CPU and the operating system, and the instruction set in use.

use alloc::boxed::Box;
use core::fmt;
use core::str::FromStr;

pub use crate::arch::Isa;
use crate::arch::{self, FEATURES, Kernels};
use crate::features::{Choice, Feature, FeatureState, Features};
use crate::once::OnceBox;

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
///
/// ```
/// use broadloom_lanes::Cpu;
///
/// let error = Cpu::from_request(Some("avx3")).err().expect("there is no such instruction set");
/// assert_eq!(
///     error.to_string(),
///     "unknown instruction set: use avx512, avx2, sse4, neon or portable"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IsaError {
    /// The name is none of [`Isa::ALL`]'s.
    Unknown,
    /// This machine does not have it.
    Missing {
        /// The request.
        asked: Isa,
        /// The best that this machine has.
        best: Isa,
    },
}

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IsaError::Unknown => {
                f.write_str("unknown instruction set: use ")?;
                for isa in Isa::ALL[1..].iter().rev() {
                    let separator = if *isa == Isa::ALL[1] { " or " } else { ", " };
                    write!(f, "{isa}{separator}")?;
                }
                write!(f, "{}", Isa::ALL[0])
            }
            IsaError::Missing { asked, best } => {
                write!(f, "this machine cannot run {asked} kernels: the best it has is {best}")
            }
        }
    }
}

impl core::error::Error for IsaError {}

/// The CPU, and the instruction set that kernels built from it use.
///
/// Everything that computes is built from a `Cpu`; that one exists with an [`Isa`] in it is the
/// proof that this machine can run that instruction set.
///
/// ```
/// use broadloom_lanes::{Cpu, Isa};
///
/// let best = Cpu::detect();
/// let portable = Cpu::with_isa(Isa::Portable)?;
/// assert!(portable.isa() <= best.isa());
/// // A program passes on what its user asks for; the library reads no environment.
/// let asked = Cpu::from_request(std::env::var("BROADLOOM_ISA").ok().as_deref())?;
/// assert!(asked.isa() <= best.isa());
/// # Ok::<(), broadloom_lanes::IsaError>(())
/// ```
#[derive(Clone)]
pub struct Cpu {
    isa: Isa,
    features: [FeatureState; FEATURES],
    /// The features that can be used.
    usable: Features,
    /// The kernels of the instruction set.
    kernels: &'static Kernels,
}

impl Cpu {
    /// Returns the best that this CPU and operating system can do.
    pub fn detect() -> Cpu {
        let features = detect();
        Cpu::new(best(&features), features).expect("it is what the machine has")
    }

    /// Returns this CPU with a lower instruction set.
    ///
    /// [`Isa::Portable`] stands for plain integers alone: neither vectors nor AES or SHA
    /// instructions.
    ///
    /// # Errors
    /// [`IsaError::Missing`] if the machine does not have it.
    pub fn with_isa(isa: Isa) -> Result<Cpu, IsaError> {
        Cpu::new(isa, detect())
    }

    fn new(isa: Isa, features: [FeatureState; FEATURES]) -> Result<Cpu, IsaError> {
        let usable = Features::usable(&features);
        match kernels(&features, isa) {
            Some(kernels) => Ok(Cpu { isa, features, usable, kernels }),
            None => Err(IsaError::Missing { asked: isa, best: best(&features) }),
        }
    }

    /// Returns the CPU that a setting such as the environment variable `BROADLOOM_ISA` asks for:
    /// the named instruction set, or the best one without a setting. An empty name asks for
    /// nothing.
    ///
    /// # Errors
    /// [`IsaError::Unknown`] for any other name, [`IsaError::Missing`] if the machine does not have
    /// it.
    pub fn from_request(name: Option<&str>) -> Result<Cpu, IsaError> {
        match name {
            None | Some("") => Ok(Cpu::detect()),
            Some(name) => Cpu::with_isa(name.parse()?),
        }
    }

    /// Returns this CPU as if it lacked a feature: for comparing kernels, or for testing the
    /// kernels of another machine. A feature that it lacks anyway changes nothing.
    ///
    /// # Errors
    /// [`IsaError::Missing`] if the instruction set in use needs it.
    pub fn without(&self, feature: Feature) -> Result<Cpu, IsaError> {
        let mut features = self.features;
        features.iter_mut().filter(|f| f.feature == feature).for_each(|f| f.usable = false);
        Cpu::new(self.isa, features)
    }

    /// Returns every instruction set that this machine can run, the most modest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        let features = detect();
        Isa::ALL.into_iter().filter(move |isa| kernels(&features, *isa).is_some())
    }

    /// Returns the instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns every feature that was looked for, and whether it was found.
    pub fn features(&self) -> &[FeatureState] {
        &self.features
    }

    /// Returns `true` if this CPU has a feature that can be used.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.iter().any(|state| state.feature == feature && state.usable)
    }

    /// Returns the table of its instruction set.
    pub(crate) fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    /// Returns one family's kernel in a table.
    #[doc(hidden)]
    pub fn pick<T: Copy>(&self, choice: &Choice<T>) -> T {
        choice.pick(self.usable)
    }
}

#[cfg(test)]
impl Cpu {
    /// Returns every kernel of one family that this machine can run, each once.
    pub(crate) fn every<T>(
        choice: fn(&'static Kernels) -> &'static Choice<&'static T>,
    ) -> alloc::vec::Vec<&'static T> {
        let mut all = alloc::vec::Vec::<&T>::new();
        for cpu in Cpu::available().filter_map(|isa| Cpu::with_isa(isa).ok()) {
            for kernel in choice(cpu.kernels).all(cpu.usable) {
                if !all.iter().any(|known| core::ptr::eq(*known, kernel)) {
                    all.push(kernel);
                }
            }
        }
        all
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cpu").field("isa", &self.isa).field("features", &self.features).finish()
    }
}

/// Returns the features of the machine, which are looked for once: a virtual machine interrupts a
/// program at every CPUID, for as long as a thousand instructions take and longer.
fn detect() -> [FeatureState; FEATURES] {
    static FOUND: OnceBox<[FeatureState; FEATURES]> = OnceBox::new();
    *FOUND.get_or_init(|| Box::new(arch::detect()))
}

fn best(features: &[FeatureState]) -> Isa {
    Isa::ALL.into_iter().rfind(|isa| kernels(features, *isa).is_some()).unwrap_or(Isa::Portable)
}

/// Returns the kernels of an instruction set, if a machine with these features can run them.
fn kernels(features: &[FeatureState], isa: Isa) -> Option<&'static Kernels> {
    isa.kernels().filter(|kernels| Features::usable(features).have(kernels.needs))
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
        let words = alloc::string::ToString::to_string(&IsaError::Unknown);
        assert!(words.starts_with("unknown instruction set: use avx512, avx2, "), "{words}");
        assert!(words.ends_with(" or portable"), "{words}");
    }

    #[test]
    fn an_empty_request_asks_for_nothing() {
        let best = Cpu::detect().isa();
        for request in [None, Some(""), Some(best.name())] {
            assert_eq!(Cpu::from_request(request).map(|cpu| cpu.isa()), Ok(best));
        }
        assert!(matches!(Cpu::from_request(Some(" ")), Err(IsaError::Unknown)));
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
        let mut features = detect();
        let best_here = best(&features);
        features.iter_mut().for_each(|state| state.usable = false);
        assert_eq!(best(&features), Isa::Portable);
        assert!(best_here >= Isa::Portable);
    }

    #[test]
    fn names_of_features_are_read_back() {
        for feature in Feature::ALL {
            assert_eq!(feature.name().parse(), Ok(*feature));
        }
        assert!("avx3".parse::<Feature>().is_err());
    }
}
