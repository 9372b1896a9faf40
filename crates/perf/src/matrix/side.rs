//! Sides of a matrix: providers, as they were asked for.

use std::sync::Arc;

use broadloom::emulated::Emulated;
use broadloom::error::SpecError;
use broadloom::provider::ProviderSpec;
use broadloom::registry_on;
use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, Direction, Session, Transform};
use broadloom_lanes::{Cpu, Isa};

use crate::error::PerfError;
use crate::limit::Allowed;
use crate::report::row::{Row, features};
use crate::workset::Workset;

/// The options that rows have keys for.
const KEYS: [&str; 4] = ["contexts", "queue-pairs", "without", "isa"];

/// A provider at work.
pub struct Side {
    provider: Arc<dyn Provider>,
    /// As the command line has it.
    spec: ProviderSpec,
    /// The instruction set that the lanes are held to.
    isa: Isa,
}

/// The values of an option in a spec.
fn values<'a>(spec: &'a ProviderSpec, name: &str) -> impl Iterator<Item = &'a str> {
    let given = spec.options.iter().filter(move |(option, _)| option == name);
    given.map(|(_, value)| value.as_str())
}

impl Side {
    /// Opens a provider. One whose library is not there comes back as the reason, in a line.
    ///
    /// # Errors
    /// The provider does not have one of the options, or not with this value.
    pub fn open(spec: &ProviderSpec, cpu: &Cpu) -> Result<Result<Side, String>, PerfError> {
        let provider = match registry_on(cpu).open_provider(spec) {
            Ok(provider) => provider,
            Err(absent @ SpecError::Absent { .. }) => return Ok(Err(absent.to_string())),
            Err(error) => {
                return Err(PerfError::Spec { spec: spec.to_string(), reason: error.to_string() });
            }
        };
        let isa =
            values(spec, "isa").next().and_then(|name| name.parse().ok()).unwrap_or(cpu.isa());
        Ok(Ok(Side { provider, spec: spec.clone(), isa }))
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

    /// What its limits may count on; nothing where the work is a device's.
    pub fn allowed(&self) -> Option<Allowed> {
        match self.provider() {
            "native" => Some(Allowed::of(self.isa, values(&self.spec, "without").next().is_some())),
            Emulated::NAME => None,
            _ => Some(Allowed::by_machine()),
        }
    }

    /// A row with the keys that tell it from those of another side.
    pub fn row(&self) -> Row {
        let spec = &self.spec;
        let mut others: Vec<&(String, String)> = spec.options.iter().collect();
        others.retain(|(name, _)| !KEYS.contains(&name.as_str()));
        others.sort();
        let others: Vec<String> =
            others.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let contexts = || values(spec, "contexts").next().unwrap_or("per-queue-pair").to_owned();
        Row {
            provider: spec.name.clone(),
            contexts: (spec.name == "openssl").then(contexts),
            queue_pairs: values(spec, "queue-pairs").next().and_then(|pairs| pairs.parse().ok()),
            without: features(values(spec, "without")),
            options: (!others.is_empty()).then(|| others.join(":")),
            isa: self.isa.to_string(),
            ..Row::default()
        }
    }

    /// Opens a session with the first of a set's keys.
    ///
    /// # Errors
    /// The provider cannot.
    pub fn session(&self, workset: &Workset, direction: Direction) -> Result<Session, PerfError> {
        let algorithm = workset.algorithm();
        let error = |reason| PerfError::Session { side: self.name(), algorithm, direction, reason };
        let transform =
            Transform::new(algorithm, direction, workset.key(0), workset.mac_key(0)).build();
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
    fn every_option_is_in_the_row() {
        let native = open("native:without=sha:without=aes:isa=portable").unwrap().unwrap();
        let row = native.row();
        assert_eq!((row.side(), row.isa.as_str()), ("native (without aes,sha)".into(), "portable"));
        assert_eq!((row.without.as_deref(), row.options), (Some("aes,sha"), None));
        assert_eq!(native.name(), "native:without=sha:without=aes:isa=portable");
        let device = open("emulated:silicon=1:preset=instant").unwrap().unwrap();
        assert_eq!(device.row().options.as_deref(), Some("preset=instant:silicon=1"));
        for (spec, contexts, pairs) in [
            ("openssl", "per-queue-pair", None),
            ("openssl:contexts=per-job", "per-job", None),
            ("openssl:queue-pairs=4", "per-queue-pair", Some(4)),
        ] {
            match open(spec).unwrap() {
                Ok(side) => {
                    let row = side.row();
                    assert_eq!((row.contexts.as_deref(), row.queue_pairs), (Some(contexts), pairs));
                }
                Err(absent) => assert!(absent.starts_with("openssl is absent: "), "{absent}"),
            }
        }
    }

    #[test]
    fn limits_count_on_what_a_side_may_use() {
        let allowed = |spec: &str| open(spec).unwrap().unwrap().allowed();
        assert_eq!(allowed("native"), Some(Allowed::by_machine()));
        assert_eq!(allowed("native:isa=portable"), Some(Allowed::of(Isa::Portable, false)));
        assert!(!allowed("native:without=sha").unwrap().hardware);
        assert_eq!(allowed("emulated"), None);
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
