//! What is asked for, and what follows from it.

use std::path::PathBuf;
use std::sync::Arc;

use broadloom::compression::CHUNKS;
use broadloom::error::SpecError;
use broadloom::provider::ProviderSpec;
use broadloom_emulated::Emulated;
use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, CompressionAlgorithm};
use broadloom_lanes::Cpu;

use super::device::Device;
use super::topic::Topic;
use crate::error::PerfError;
use crate::registry::registry_on;

/// The provider that models a device.
pub const DEVICE: &str = Emulated::NAME;

/// The providers that compress in software, unless others are asked for.
const SOFTWARE: [&str; 3] = ["zlib", "libdeflate", "isal"];

/// The fewest and the most bytes of an input.
const SIZES: std::ops::RangeInclusive<usize> = 64 << 10..=8 << 30;

/// Bytes to which an input is repeated.
const SIZE: usize = 64 << 20;

/// The same, where it is to be quick.
const QUICK_SIZE: usize = 4 << 20;

/// The highest level that any provider has.
pub const MAX_LEVEL: u8 = 12;

/// What to measure. An empty list stands for the usual values.
#[derive(Debug, Clone)]
pub struct CompressOptions {
    /// Figures and questions; empty: all.
    pub topics: Vec<Topic>,
    /// The file to compress; `None`: a text that is made.
    pub input: Option<PathBuf>,
    /// Bytes to which the input is repeated, or cut, 64 KiB to 8 GiB; `None`: 64 MiB, and 4 MiB
    /// where it is to be quick.
    pub size: Option<usize>,
    /// Bytes of a chunk where a figure does not say, 1 KiB to 1 GiB.
    pub chunk: usize,
    /// The level, 0 to 12. Providers that do not have it take no part.
    pub level: u8,
    /// Providers in software, and the modelled device with its options; empty, or without one of
    /// either: zlib, libdeflate, isal, and the device as it comes.
    pub providers: Vec<ProviderSpec>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend less time, for figures that are less steady.
    pub quick: bool,
}

impl Default for CompressOptions {
    fn default() -> Self {
        CompressOptions {
            topics: Vec::new(),
            input: None,
            size: None,
            chunk: 64 << 10,
            level: 1,
            providers: Vec::new(),
            command: None,
            quick: false,
        }
    }
}

/// A provider in software.
#[derive(Clone)]
pub struct Software {
    /// As it was asked for.
    pub spec: ProviderSpec,
    /// It.
    pub provider: Arc<dyn Provider>,
}

/// All of it, with the usual values filled in and everything checked.
pub struct Plan {
    /// Figures and questions, in the order of a report.
    pub topics: Vec<Topic>,
    /// Bytes of the input.
    pub size: usize,
    /// The providers that compress in software.
    pub software: Vec<Software>,
    /// The device, as it was asked for.
    pub device: ProviderSpec,
    /// The providers that take no part, each with the reason.
    pub absent: Vec<String>,
}

impl CompressOptions {
    /// Fills in what was left out, checks everything, and opens the providers.
    ///
    /// # Errors
    /// What is wrong, with the value and what would be right; or nobody is left to compress.
    pub fn plan(&self, cpu: &Cpu) -> Result<Plan, PerfError> {
        let size = self.size.unwrap_or(if self.quick { QUICK_SIZE } else { SIZE });
        let range = |what, value, valid: String| Err(PerfError::Range { what, value, valid });
        if !SIZES.contains(&size) {
            return range("size", size, format!("{} to {} bytes", SIZES.start(), SIZES.end()));
        }
        if !CHUNKS.contains(&self.chunk) {
            let valid = format!("{} to {} bytes", CHUNKS.start(), CHUNKS.end());
            return range("chunk", self.chunk, valid);
        }
        if self.level > MAX_LEVEL {
            return range("level", self.level.into(), format!("0 to {MAX_LEVEL}"));
        }
        let mut topics =
            if self.topics.is_empty() { Topic::ALL.to_vec() } else { self.topics.clone() };
        topics.sort_unstable();
        topics.dedup();
        let (devices, asked): (Vec<_>, Vec<_>) =
            self.providers.iter().cloned().partition(|spec| spec.name == DEVICE);
        if let Some(spec) = devices.get(1) {
            let reason = "one device is modelled in a run".to_owned();
            return Err(PerfError::Spec { spec: spec.to_string(), reason });
        }
        let plain = ProviderSpec::without_options;
        let specs = if asked.is_empty() { SOFTWARE.map(plain).to_vec() } else { asked };
        let (software, absent) = self.open(specs, cpu)?;
        let device = devices.into_iter().next().unwrap_or_else(|| plain(DEVICE));
        Device::open(&device, &[], cpu).map_err(|error| PerfError::Spec {
            spec: device.to_string(),
            reason: error.to_string(),
        })?;
        Ok(Plan { topics, size, software, device, absent })
    }

    fn open(
        &self,
        specs: Vec<ProviderSpec>,
        cpu: &Cpu,
    ) -> Result<(Vec<Software>, Vec<String>), PerfError> {
        let (mut software, mut absent, mut ranges) =
            (Vec::<Software>::new(), Vec::new(), Vec::new());
        for spec in specs {
            let refuse = |reason: String| PerfError::Spec { spec: spec.to_string(), reason };
            if software.iter().any(|other| other.spec.name == spec.name) {
                return Err(refuse(
                    "its rows could not be told from those of the other".to_owned(),
                ));
            }
            let provider = match registry_on(cpu).open_provider(&spec) {
                Ok(provider) => provider,
                Err(error @ SpecError::Absent { .. }) => {
                    absent.push(error.to_string());
                    continue;
                }
                Err(error) => return Err(refuse(error.to_string())),
            };
            let deflate = CompressionAlgorithm::Deflate;
            match provider
                .levels(deflate)
                .filter(|_| provider.supports(Algorithm::Compression(deflate)))
            {
                None => {
                    let valid = SOFTWARE.join(", ");
                    return Err(refuse(format!(
                        "it does not compress by deflate; valid: {valid}, {DEVICE}"
                    )));
                }
                Some(levels) if !levels.contains(&self.level) => {
                    let levels = format!("{} to {}", levels.start(), levels.end());
                    let level = self.level;
                    absent.push(format!(
                        "{spec} takes no part: it has the levels {levels}, not {level}"
                    ));
                    ranges.push(format!("{levels} with {spec}"));
                }
                Some(_) => software.push(Software { spec, provider }),
            }
        }
        if software.is_empty() && ranges.len() == absent.len() {
            let (value, valid) = (self.level.into(), ranges.join(", "));
            return Err(PerfError::Range { what: "level", value, valid });
        }
        if software.is_empty() {
            return Err(PerfError::Nothing(absent.join("; ")));
        }
        Ok((software, absent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(options: CompressOptions) -> Result<Plan, String> {
        options.plan(&Cpu::detect()).map_err(|error| error.to_string())
    }

    fn with(providers: &[&str]) -> CompressOptions {
        let providers = providers.iter().map(|spec| spec.parse().unwrap()).collect();
        CompressOptions { providers, ..CompressOptions::default() }
    }

    fn refused(options: CompressOptions) -> String {
        plan(options).err().expect("it is wrong")
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let plan = plan(CompressOptions::default()).unwrap();
        assert_eq!((plan.topics.as_slice(), plan.size), (&Topic::ALL[..], 64 << 20));
        assert_eq!(plan.device.to_string(), "emulated");
        assert!(plan.software.len() + plan.absent.len() == SOFTWARE.len());
        let quick = CompressOptions { quick: true, ..CompressOptions::default() };
        assert!(self::plan(quick).unwrap().size < plan.size);
    }

    #[test]
    fn what_is_asked_for_is_taken_once_and_in_order() {
        let topics = vec![Topic::Copy, Topic::Ratio, Topic::Copy];
        let providers = with(&["libdeflate", "emulated:preset=8955-remote"]).providers;
        let plan =
            plan(CompressOptions { topics, providers, ..CompressOptions::default() }).unwrap();
        assert_eq!(plan.topics, [Topic::Ratio, Topic::Copy]);
        assert_eq!(plan.software.len(), 1);
        assert_eq!(plan.device.to_string(), "emulated:preset=8955-remote");
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let default = CompressOptions::default;
        let error = refused(CompressOptions { size: Some(100), ..default() });
        assert!(error.contains("size 100") && error.contains("65536 to"), "{error}");
        let error = refused(CompressOptions { chunk: 100, ..default() });
        assert!(error.contains("chunk 100") && error.contains("1024 to"), "{error}");
        let error = refused(CompressOptions { level: 13, ..default() });
        assert!(error.contains("level 13") && error.contains("0 to 12"), "{error}");
        let error = refused(with(&["native"]));
        assert!(error.contains("native") && error.contains("zlib, libdeflate"), "{error}");
        let error = refused(with(&["zlib", "zlib:library=zlib-rs"]));
        assert!(error.contains("zlib:library=zlib-rs"), "{error}");
        let error = refused(with(&["emulated", "emulated:preset=instant"]));
        assert!(error.contains("emulated:preset=instant"), "{error}");
        let error = refused(with(&["libdeflate:fast=yes"]));
        assert!(error.contains("fast"), "{error}");
        // Whether or not a figure asks the device.
        let topics = vec![Topic::Ratio];
        let error = refused(CompressOptions { topics, ..with(&["zlib", "emulated:preset=foo"]) });
        assert!(
            error.starts_with("provider emulated:preset=foo: ") && error.contains("8955"),
            "{error}"
        );
    }

    #[test]
    fn who_lacks_the_level_takes_no_part() {
        let error = refused(CompressOptions { level: 11, ..with(&["zlib"]) });
        assert_eq!(error, "level 11 is out of range; valid: 0 to 9 with zlib");
        let both = CompressOptions { level: 11, ..with(&["zlib", "libdeflate"]) };
        let plan = plan(both).unwrap();
        assert_eq!((plan.software.len(), plan.absent.len()), (1, 1));
    }
}
