//! The providers that there are, and how a command line names them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use broadloom_emulated::Emulated;
use broadloom_engine::{Provider, Registry};
use broadloom_ipsec_mb::IpsecMb;
use broadloom_isal::Isal;
use broadloom_lanes::Cpu;
use broadloom_libdeflate::Libdeflate;
use broadloom_lz4::Lz4;
use broadloom_native::Native;
use broadloom_openssl::OpenSsl;
use broadloom_zlib::Zlib;

/// The names of all providers, in the order in which a registry asks them. The last is an accelerator whose
/// results the others compute, so it is never asked unless by name.
pub const PROVIDERS: [&str; 8] =
    ["native", "openssl", "ipsec-mb", "isal", "libdeflate", "zlib", "lz4", "emulated"];

/// A provider and its options, as a command line has them: `native`, `openssl:contexts=per-job`,
/// `native:isa=avx2:without=sha`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProviderSpec {
    /// The provider's name.
    pub name: String,
    /// Its options, by name and value.
    pub options: Vec<(String, String)>,
}

/// A provider that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no such provider.
    #[error("no provider is called {name:?}; valid: {}", PROVIDERS.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// An option is not of the form `name=value`.
    #[error("{option:?} is no option of a provider: valid is NAME=VALUE")]
    Form {
        /// The option.
        option: String,
    },
    /// The provider does not have the option, or not the value.
    #[error("{0}")]
    Option(String),
    /// The provider is not there.
    #[error("{name} is absent: {reason}")]
    Absent {
        /// The provider.
        name: String,
        /// Why.
        reason: String,
    },
}

impl ProviderSpec {
    /// A provider as it is without options.
    pub fn without_options(name: &str) -> Self {
        ProviderSpec { name: name.to_owned(), options: Vec::new() }
    }
}

impl FromStr for ProviderSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        if !PROVIDERS.contains(&name.as_str()) {
            return Err(SpecError::Unknown { name });
        }
        let option = |option: &str| match option.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(SpecError::Form { option: option.to_owned() }),
        };
        let options = parts.map(option).collect::<Result<_, _>>()?;
        Ok(ProviderSpec { name, options })
    }
}

impl fmt::Display for ProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.options.iter().try_for_each(|(name, value)| write!(f, ":{name}={value}"))
    }
}

/// Opens a provider; `native` with the kernels for a CPU, which its options `isa=NAME` and
/// `without=FEATURE` hold to less.
///
/// # Errors
/// The provider, or one of its options, does not exist, or its library is not there.
pub fn provider(spec: &ProviderSpec, cpu: &Cpu) -> Result<Arc<dyn Provider>, SpecError> {
    let options: Vec<(&str, &str)> =
        spec.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    match spec.name.as_str() {
        "native" => Ok(Arc::new(Native::new(held_to(cpu, &options)?))),
        "openssl" => loaded(spec, OpenSsl::load(&options), |error| {
            matches!(error, broadloom_openssl::LoadError::Library(_))
        }),
        "ipsec-mb" => loaded(spec, IpsecMb::load(&options), |error| {
            !matches!(error, broadloom_ipsec_mb::LoadError::Option { .. })
        }),
        "isal" => loaded(spec, Isal::load(&options), |error| {
            matches!(error, broadloom_isal::LoadError::Library(_))
        }),
        "libdeflate" => loaded(spec, Libdeflate::load(&options), |_| false),
        "zlib" => loaded(spec, Zlib::load(&options), |error| {
            matches!(error, broadloom_zlib::LoadError::Library(_))
        }),
        "lz4" => loaded(spec, Lz4::load(&options), |_| false),
        "emulated" => Ok(Arc::new(emulated(spec, &software(cpu))?)),
        _ => Err(SpecError::Unknown { name: spec.name.clone() }),
    }
}

/// Opens a provider as [`provider`] does, and adds it to a registry, or notes there why it is absent.
///
/// # Errors
/// The provider, or one of its options, does not exist: the registry is as it was.
pub fn add_provider(registry: &mut Registry, spec: &ProviderSpec, cpu: &Cpu) -> Result<(), SpecError> {
    match provider(spec, cpu) {
        Ok(provider) => registry.add(provider),
        Err(SpecError::Absent { name, reason }) => registry.add_absent(name, reason),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Opens the emulated accelerator for a program that wants more of it than any provider has: its statistics,
/// preparation. The spec is that of `emulated` with its options.
///
/// # Errors
/// An option does not exist, or not with its value.
///
/// # Panics
/// If the spec is another provider's.
pub fn emulate(spec: &ProviderSpec, cpu: &Cpu) -> Result<Emulated, SpecError> {
    assert_eq!(spec.name, Emulated::NAME, "the accelerator is the provider emulated");
    emulated(spec, &software(cpu))
}

/// The accelerator. It computes with the providers of a registry, but for those that are only used by name.
fn emulated(spec: &ProviderSpec, software: &Registry) -> Result<Emulated, SpecError> {
    let options: Vec<(&str, &str)> =
        spec.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let backends = software.providers().iter().filter(|provider| !provider.by_name_only());
    Emulated::new(&options, backends.cloned().collect())
        .map_err(|error| SpecError::Option(error.to_string()))
}

/// A registry with the providers that work in software, without options.
fn software(cpu: &Cpu) -> Registry {
    let mut registry = Registry::new();
    for name in PROVIDERS.into_iter().filter(|name| *name != Emulated::NAME) {
        if let Err(error) = add_provider(&mut registry, &ProviderSpec::without_options(name), cpu) {
            registry.add_absent(name, error.to_string());
        }
    }
    registry
}

/// What came of opening a provider: if it failed, either it is absent, or an option is wrong.
fn loaded<P: Provider + 'static, E: fmt::Display>(
    spec: &ProviderSpec,
    outcome: Result<P, E>,
    is_absent: impl Fn(&E) -> bool,
) -> Result<Arc<dyn Provider>, SpecError> {
    match outcome {
        Ok(provider) => Ok(Arc::new(provider)),
        Err(error) if is_absent(&error) => {
            Err(SpecError::Absent { name: spec.name.clone(), reason: error.to_string() })
        }
        Err(error) => Err(SpecError::Option(error.to_string())),
    }
}

/// The CPU as the options of `native` want it.
fn held_to(cpu: &Cpu, options: &[(&str, &str)]) -> Result<Cpu, SpecError> {
    // The instruction set first: it begins with all features again.
    let (isa, others): (Vec<_>, Vec<_>) = options.iter().copied().partition(|(name, _)| *name == "isa");
    if let Some((name, value)) = isa.get(1) {
        let message = format!("native:{name}={value}: an instruction set is given once");
        return Err(SpecError::Option(message));
    }
    isa.into_iter().chain(others).try_fold(cpu.clone(), |cpu, (name, value)| {
        let held = match name {
            "isa" => value.parse().and_then(Cpu::with_isa),
            "without" => match cpu.features().iter().any(|feature| feature.name == value) {
                true => cpu.without(value),
                false => {
                    let known: Vec<_> = cpu.features().iter().map(|feature| feature.name).collect();
                    let known = known.join(", ");
                    let message = format!("native:without={value}: no such feature; valid: {known}");
                    return Err(SpecError::Option(message));
                }
            },
            _ => {
                let message = format!("native has no option {name:?}; valid: isa, without");
                return Err(SpecError::Option(message));
            }
        };
        held.map_err(|error| SpecError::Option(format!("native:{name}={value}: {error}")))
    })
}

/// A registry with every provider that is there, on the best that this CPU has.
pub fn registry() -> Registry {
    registry_on(&Cpu::detect())
}

/// A registry with every provider that is there; `native` with the kernels for a CPU.
pub fn registry_on(cpu: &Cpu) -> Registry {
    let mut registry = software(cpu);
    match emulated(&ProviderSpec::without_options(Emulated::NAME), &registry) {
        Ok(device) => registry.add(Arc::new(device)),
        Err(error) => registry.add_absent(Emulated::NAME, error.to_string()),
    }
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_prints_as_it_was_written() {
        for text in ["native", "openssl:contexts=per-job:queue-pairs=4"] {
            assert_eq!(text.parse::<ProviderSpec>().expect("it is right").to_string(), text);
        }
    }

    #[test]
    fn wrong_specs_name_what_is_wrong() {
        let parse = |text: &str| text.parse::<ProviderSpec>().unwrap_err().to_string();
        assert_eq!(
            parse("gzip"),
            "no provider is called \"gzip\"; valid: native, openssl, ipsec-mb, isal, libdeflate, zlib, lz4, \
             emulated"
        );
        assert_eq!(parse("native:fast"), "\"fast\" is no option of a provider: valid is NAME=VALUE");
        let open = |text: &str| {
            let spec = text.parse::<ProviderSpec>().expect("it has the form");
            provider(&spec, &Cpu::detect()).err().expect("it is wrong").to_string()
        };
        assert_eq!(open("native:speed=11"), "native has no option \"speed\"; valid: isa, without");
        assert!(open("native:isa=mmx").contains("native:isa=mmx"), "{}", open("native:isa=mmx"));
        assert_eq!(
            open("native:isa=portable:isa=portable"),
            "native:isa=portable: an instruction set is given once"
        );
    }

    #[test]
    fn a_provider_with_other_options_takes_the_place_of_the_one_before() {
        let mut registry = registry();
        let spec: ProviderSpec = "native:isa=portable".parse().expect("it is a spec");
        add_provider(&mut registry, &spec, &Cpu::detect()).expect("it can be opened");
        let names = registry.providers().iter().map(|provider| provider.name());
        assert_eq!(names.filter(|name| *name == "native").count(), 1);
        let transform = broadloom_engine::Transform::hash(broadloom_engine::HashAlgorithm::Md5);
        let session = registry.open_at("native", &transform).expect("it has that");
        assert!(session.kernel().starts_with("portable"), "{}", session.kernel());
    }

    #[test]
    fn the_options_of_native_hold_in_any_order() {
        let isa = Cpu::detect().isa();
        let Some(feature) = Cpu::detect().features().iter().rev().find_map(|feature| {
            let without = Cpu::detect().without(feature.name).is_ok();
            (feature.usable && without).then_some(feature.name)
        }) else {
            return;
        };
        let isa = ("isa", isa.name());
        for options in [[isa, ("without", feature)], [("without", feature), isa]] {
            let cpu = held_to(&Cpu::detect(), &options).expect("they are right");
            let held = cpu.features().iter().find(|held| held.name == feature).expect("it is known");
            assert!(!held.usable, "{options:?}");
        }
    }

    #[test]
    fn what_is_absent_is_noted_and_what_is_wrong_is_refused() {
        let mut registry = Registry::new();
        let mut add = |text: &str| {
            let spec = text.parse::<ProviderSpec>().expect("it has the form");
            add_provider(&mut registry, &spec, &Cpu::detect())
        };
        assert_eq!(add("native"), Ok(()));
        assert!(matches!(add("native:speed=11"), Err(SpecError::Option(_))));
        // It may be there or not.
        assert_eq!(add("isal"), Ok(()));
        let names = registry.providers().iter().map(|provider| provider.name());
        let absent = registry.absent().iter().map(|absent| absent.name.as_str());
        assert_eq!(names.chain(absent).collect::<Vec<_>>(), ["native", "isal"]);
    }

    #[test]
    fn native_is_always_there_and_asked_first() {
        let registry = registry();
        assert_eq!(registry.providers()[0].name(), "native");
        assert_eq!(registry.providers().len() + registry.absent().len(), PROVIDERS.len());
    }
}
