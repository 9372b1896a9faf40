//! Sides of a matrix: providers, as they were asked for.

use std::sync::Arc;

use broadloom::{ProviderSpec, SpecError, provider};
use broadloom_engine::{Algorithm, Direction, Provider, Session, Transform};
use broadloom_lanes::{Cpu, Isa};

use crate::error::PerfError;
use crate::workset::Workset;

/// A provider at work, and what tells its rows from others'.
pub struct Side {
    provider: Arc<dyn Provider>,
    /// As the command line has it.
    spec: ProviderSpec,
    /// How `openssl` keeps its contexts.
    pub contexts: Option<String>,
    /// The instruction set that the lanes are held to.
    pub isa: Isa,
}

/// An option's value in a spec.
fn option<'a>(spec: &'a ProviderSpec, name: &str) -> Option<&'a str> {
    spec.options.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
}

impl Side {
    /// Opens a provider. One whose library is not there comes back as the reason, in a line.
    ///
    /// # Errors
    /// The provider does not have one of the options, or not with this value.
    pub fn open(spec: &ProviderSpec, cpu: &Cpu) -> Result<Result<Side, String>, PerfError> {
        let provider = match provider(spec, cpu) {
            Ok(provider) => provider,
            Err(absent @ SpecError::Absent { .. }) => return Ok(Err(absent.to_string())),
            Err(error) => {
                return Err(PerfError::Provider { spec: spec.to_string(), reason: error.to_string() });
            }
        };
        let contexts = (spec.name == "openssl")
            .then(|| option(spec, "contexts").unwrap_or("per-queue-pair").to_owned());
        let isa = option(spec, "isa").and_then(|name| name.parse().ok()).unwrap_or(cpu.isa());
        Ok(Ok(Side { provider, spec: spec.clone(), contexts, isa }))
    }

    /// As the command line has it, such as `openssl:contexts=per-job`.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// The provider's name.
    pub fn provider(&self) -> &str {
        &self.spec.name
    }

    /// The provider in words.
    pub fn description(&self) -> String {
        format!("{}: {}", self.spec, self.provider.description())
    }

    /// Whether the provider has an algorithm.
    pub fn supports(&self, algorithm: Algorithm) -> bool {
        self.provider.supports(algorithm)
    }

    /// Whether the lanes are to do without some feature of the CPU.
    pub fn restricted(&self) -> bool {
        option(&self.spec, "without").is_some()
    }

    /// What tells its rows from those of another side.
    pub fn identity(&self) -> (&str, Option<&str>, Isa) {
        (self.provider(), self.contexts.as_deref(), self.isa)
    }

    /// Opens a session with the first of a set's keys.
    ///
    /// # Errors
    /// The provider cannot.
    pub fn session(&self, workset: &Workset, direction: Direction) -> Result<Session, PerfError> {
        let algorithm = workset.algorithm();
        let error = |reason| PerfError::Session { side: self.name(), algorithm, direction, reason };
        let transform = Transform::new(algorithm, direction, workset.key(0), workset.mac_key(0));
        let transform = transform.map_err(|refused| error(refused.to_string()))?;
        Session::open(Arc::clone(&self.provider), &transform)
            .map_err(|refused| error(refused.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(spec: &str) -> Result<Result<Side, String>, PerfError> {
        Side::open(&spec.parse().unwrap(), &Cpu::detect())
    }

    #[test]
    fn contexts_and_instruction_sets_are_read_from_the_spec() {
        let native = open("native:isa=portable").unwrap().unwrap();
        assert_eq!(native.identity(), ("native", None, Isa::Portable));
        assert_eq!(native.name(), "native:isa=portable");
        for (spec, contexts) in [("openssl", "per-queue-pair"), ("openssl:contexts=per-job", "per-job")]
        {
            match open(spec).unwrap() {
                Ok(side) => assert_eq!(side.contexts.as_deref(), Some(contexts)),
                Err(absent) => assert!(absent.starts_with("openssl is absent: "), "{absent}"),
            }
        }
    }

    #[test]
    fn wrong_options_are_errors_and_not_absence() {
        for (spec, text) in [
            ("native:contexts=per-job", "contexts"),
            ("native:isa=mmx", "mmx"),
            ("native:without=flags", "flags"),
        ] {
            let error = open(spec).err().unwrap().to_string();
            assert!(error.contains(spec) && error.contains(text), "{error}");
        }
    }
}
