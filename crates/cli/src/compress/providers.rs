//! Who compresses: the provider that is asked for, or the best of those that are there.

use std::sync::Arc;

use broadloom::{ProviderSpec, Registry, Session, SpecError, Transform, provider};
use broadloom_lanes::Cpu;

use super::options::Coding;

/// Who is asked to compress, the fastest first, where nobody is asked for.
const COMPRESS: [&str; 3] = ["isal", "libdeflate", "zlib"];

/// Who is asked to decompress.
const DECOMPRESS: [&str; 3] = ["libdeflate", "isal", "zlib"];

/// The providers of a run.
pub struct Providers {
    registry: Registry,
    wanted: Option<String>,
    fallback: bool,
}

impl Providers {
    /// Those that compress.
    ///
    /// # Errors
    /// The provider asked for is not there, and no other may be taken, in words; or an option is wrong.
    pub fn to_compress(coding: &Coding, cpu: &Cpu) -> Result<Providers, String> {
        Providers::open(&COMPRESS, coding.provider.as_ref(), coding.fallback, cpu)
    }

    /// Those that decompress.
    ///
    /// # Errors
    /// As of [`to_compress`](Providers::to_compress).
    pub fn to_decompress(coding: &Coding, cpu: &Cpu) -> Result<Providers, String> {
        Providers::open(&DECOMPRESS, coding.provider.as_ref(), coding.fallback, cpu)
    }

    /// Those that decompress what another has compressed, to see whether it did well.
    ///
    /// # Errors
    /// As of [`to_compress`](Providers::to_compress).
    pub fn to_verify(cpu: &Cpu) -> Result<Providers, String> {
        Providers::open(&DECOMPRESS, None, false, cpu)
    }

    fn open(
        order: &[&str],
        wanted: Option<&ProviderSpec>,
        fallback: bool,
        cpu: &Cpu,
    ) -> Result<Providers, String> {
        let mut registry = Registry::new();
        if let Some(spec) = wanted {
            match provider(spec, cpu) {
                Ok(provider) => registry.add(provider),
                Err(SpecError::Absent { name, reason }) if fallback => {
                    registry.add_absent(name, reason);
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        if wanted.is_none() || fallback {
            let others = order.iter().filter(|&&name| wanted.is_none_or(|spec| spec.name != name));
            for &name in others {
                let spec = ProviderSpec { name: name.to_owned(), options: Vec::new() };
                match provider(&spec, cpu) {
                    Ok(provider) => registry.add(provider),
                    Err(SpecError::Absent { reason, .. }) => registry.add_absent(name, reason),
                    Err(error) => return Err(error.to_string()),
                }
            }
        }
        Ok(Providers { registry, wanted: wanted.map(|spec| spec.name.clone()), fallback })
    }

    /// Opens a session, with another to fall back to where that is allowed.
    ///
    /// # Errors
    /// Nobody can, or not the one that was asked for, in words.
    pub fn session(&self, transform: &Transform) -> Result<Session, String> {
        let Some(wanted) = &self.wanted else {
            return self.registry.open(transform).map_err(|error| error.to_string());
        };
        if !self.fallback {
            return self.registry.open_at(wanted, transform).map_err(|error| error.to_string());
        }
        let session =
            self.registry.open_or_fall_back(wanted, transform).map_err(|error| error.to_string())?;
        let others = self.registry.providers().iter().filter(|other| other.name() != session.provider());
        let other = others.map(|other| Session::open(Arc::clone(other), transform)).find_map(Result::ok);
        match other {
            Some(other) => session.falling_back_to(other).map_err(|error| error.to_string()),
            None => Ok(session),
        }
    }

    /// What a provider is, in words.
    pub fn description(&self, name: &str) -> String {
        let found = self.registry.provider(name);
        found.map_or_else(|error| error.to_string(), |provider| provider.description())
    }
}
