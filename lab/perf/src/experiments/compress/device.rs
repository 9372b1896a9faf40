//! The modelled device, opened as a figure needs it.

use std::sync::Arc;
use std::time::Duration;

use broadloom::error::SpecError;
use broadloom::provider::ProviderSpec;
use broadloom_emulated::Emulated;
use broadloom_engine::provider::Provider;
use broadloom_lanes::Cpu;

use super::topic::Topic;
use crate::registry::registry_on;
use crate::report::pass::Pass;

/// A device. A clone is the same one.
#[derive(Clone)]
pub struct Device {
    emulated: Emulated,
    options: Vec<(String, String)>,
}

/// What a figure wants of its device.
pub struct Wanted {
    /// The figure.
    pub topic: Topic,
    /// Options in the place of those asked for.
    pub options: Vec<(&'static str, String)>,
    /// `true` if its results are prepared.
    pub prepared: bool,
}

/// What a device has done so far.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot {
    /// CPU time of the threads that stand for it.
    pub cpu: Duration,
    /// Responses that were taken.
    pub responses: u64,
    /// Those that were late.
    pub late: u64,
    /// Results that were prepared.
    pub prepared_hits: u64,
    /// Results that could have been.
    pub prepared_misses: u64,
}

impl Device {
    /// A device with the options asked for, in which `own` ones of the figure take the place of
    /// those of the same name.
    ///
    /// # Errors
    /// An option that it does not have, or not with its value, or not beside the others.
    pub fn open(
        asked: &ProviderSpec,
        own: &[(&str, String)],
        cpu: &Cpu,
    ) -> Result<Device, SpecError> {
        let is_own = |name: &str| own.iter().any(|(own, _)| *own == name);
        let kept = asked.options.iter().filter(|(name, _)| !is_own(name)).cloned();
        let mut options: Vec<(String, String)> = kept.collect();
        options.extend(own.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let spec = ProviderSpec { name: asked.name.clone(), options };
        let emulated = Emulated::over(&spec.borrowed_options(), &registry_on(cpu))
            .map_err(|error| SpecError::Option(error.to_string()))?;
        Ok(Device { emulated, options: spec.options })
    }

    /// It, as the engine has it.
    pub fn provider(&self) -> Arc<dyn Provider> {
        Arc::new(self.emulated.clone())
    }

    /// In words.
    pub fn description(&self) -> String {
        self.emulated.description()
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns `true` if it keeps results that are prepared.
    pub fn prepares(&self) -> bool {
        self.option("prepare").is_some_and(|value| value != "off")
    }

    /// Has it prepare the results of some work.
    pub fn prepare<R>(&self, work: impl FnOnce() -> R) -> R {
        self.emulated.set_preparing(true);
        let result = work();
        self.emulated.set_preparing(false);
        result
    }

    /// Returns what the device has done so far.
    pub fn snapshot(&self) -> Snapshot {
        let cpu = self.emulated.silicon_cpu_time();
        let statistics = self.emulated.statistics();
        Snapshot {
            cpu,
            responses: statistics.responses,
            late: statistics.late,
            prepared_hits: statistics.prepared_hits,
            prepared_misses: statistics.prepared_misses,
        }
    }

    /// A pass with the keys that tell devices apart.
    pub fn keys(&self, pass: Pass) -> Pass {
        let preset = self.option("preset").unwrap_or("8955");
        let remote = self.option("distance").unwrap_or(if preset.ends_with("-remote") {
            "remote"
        } else {
            "local"
        });
        Pass {
            preset: Some(preset.to_owned()),
            transfer: Some(self.option("memory").unwrap_or("copy").to_owned()),
            numa: Some(remote.to_owned()),
            ..pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(asked: &str, own: &[(&str, &str)]) -> Result<Device, SpecError> {
        let own: Vec<_> = own.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Device::open(&asked.parse().unwrap(), &own, &Cpu::detect())
    }

    #[test]
    fn a_figures_own_options_take_the_place_of_those_asked_for() {
        let device =
            open("emulated:memory=gather:silicon=1", &[("memory", "copy"), ("distance", "remote")]);
        let pass = device.unwrap().keys(Pass::default());
        assert_eq!(pass.preset.as_deref(), Some("8955"));
        assert_eq!(
            (pass.transfer.as_deref(), pass.numa.as_deref()),
            (Some("copy"), Some("remote"))
        );
        let pass = open("emulated:preset=8955-remote", &[]).unwrap().keys(Pass::default());
        assert_eq!(pass.numa.as_deref(), Some("remote"));
    }

    #[test]
    fn wrong_options_are_named() {
        let error = open("emulated:memory=card", &[]).err().unwrap().to_string();
        assert!(error.contains("memory=card") && error.contains("gather"), "{error}");
    }
}
