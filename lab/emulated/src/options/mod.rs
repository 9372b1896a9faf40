//! Options of the provider.

mod value;

use std::fmt;
use std::time::Duration;

use crate::faults::Rates;
use crate::timing::{Engines, PRESETS, Preset, Way};
use value::{Refusal, bytes, count, duration, fraction, nanoseconds, on_off, one_of};

/// An option that the provider does not have, or not with this value, or not beside the others.
///
/// ```
/// let error = broadloom_emulated::Emulated::new(&[("preset", "9000")], Vec::new());
/// println!("{}", error.err().expect("there is no such device"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the emulated provider takes no {name}={value}: {valid}")]
pub struct OptionError {
    /// The option.
    pub name: String,
    /// The value.
    pub value: String,
    /// The valid values, in words.
    pub valid: String,
}

/// The options in force.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    /// The preset, with what was changed of it.
    pub device: Preset,
    pub memory: Memory,
    pub delivery: Delivery,
    pub rates: Rates,
    pub seed: u64,
    /// How long the driver waits for a response that was lost.
    pub timeout: Duration,
    /// The device sends a checksum of its output, which the driver compares.
    pub integrity: bool,
    /// The device decompresses what it has compressed, and compares.
    pub verify: bool,
    /// Bytes of results that may be kept for the next time; 0: none are.
    pub prepare: usize,
    /// The device's own threads.
    pub silicon: usize,
    /// Instances that can be open at a time.
    pub instances: usize,
}

/// How data get to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Into memory that the device reaches, and back.
    Copy,
    /// Not at all: the device gets the buffers themselves, where they are owned.
    Gather,
}

/// How the driver learns of responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// It polls the ring itself, and between polls waits so.
    Inline(Wait),
    /// A thread of its own polls the ring, with this much time between.
    Thread(Duration),
    /// The device interrupts it.
    Interrupt,
}

/// How a polling driver waits between polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    Yield,
    Spin,
    Sleep(Duration),
}

/// Time between the polls of a thread, unless it is given.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

const NAMES: &str = "its options are preset, ring, doorbell, interrupt, engines, depth, \
    request-time, byte-time and sharing (each also with compression-, symmetric- or public-key- \
    before it), way-request-time, way-byte-time, distance, remote-request-time, remote-byte-time, \
    memory, responses, poller, poll-interval, wait, faults, seed, timeout, integrity, verify, \
    prepare, silicon and instances";

impl Options {
    pub(crate) fn parse(given: &[(&str, &str)]) -> Result<Options, OptionError> {
        for (index, (name, value)) in given.iter().enumerate() {
            if given[..index].iter().any(|(before, _)| before == name) {
                return Err(error(name, value, "an option is given once"));
            }
        }
        let mut parser = Parser::new(preset(given)?);
        // Options for all services come first, so that options for one service override them.
        let (some, all): (Vec<_>, Vec<_>) =
            given.iter().partition(|(name, _)| of_service(name).is_some());
        for (name, value) in all.into_iter().chain(some) {
            parser.take(name, value).map_err(|refusal| error(name, value, &refusal.valid))?;
        }
        parser.finish(given)
    }
}

fn error(name: &str, value: &str, valid: &str) -> OptionError {
    OptionError { name: name.to_owned(), value: value.to_owned(), valid: valid.to_owned() }
}

fn preset(given: &[(&str, &str)]) -> Result<Preset, OptionError> {
    let name = given.iter().find(|(name, _)| *name == "preset").map_or("8955", |(_, value)| value);
    PRESETS.iter().find(|preset| preset.name == name).cloned().ok_or_else(|| {
        let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
        error("preset", name, &format!("presets are {}", names.join(", ")))
    })
}

/// The service that an option is for, and the rest of its name.
fn of_service(name: &str) -> Option<(&str, &str)> {
    let services = ["compression", "symmetric", "public-key"];
    services.into_iter().find_map(|service| {
        let rest = name.strip_prefix(service)?.strip_prefix('-')?;
        Some((service, rest))
    })
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Preset { name, timing, .. } = &self.device;
        write!(f, "preset {name}: ")?;
        match timing {
            None => f.write_str("no timing")?,
            Some(timing) => write!(
                f,
                "{} compression, {} symmetric and {} public-key engines",
                timing.compression.engines, timing.symmetric.engines, timing.public_key.engines
            )?,
        }
        for (index, (name, rate)) in self.rates.iter().enumerate() {
            let start = if index == 0 {
                format!(", faults (seed {}): ", self.seed)
            } else {
                ", ".to_owned()
            };
            write!(f, "{start}{name} {rate}")?;
        }
        Ok(())
    }
}

struct Parser {
    options: Options,
    /// The cost of another socket's memory, if the memory is there.
    remote: Way,
    interrupts: bool,
    thread: bool,
    interval: Option<Duration>,
    wait: Option<Wait>,
}

impl Parser {
    fn new(device: Preset) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let remote = device.timing.and_then(|timing| timing.remote);
        Parser {
            options: Options {
                device,
                memory: Memory::Copy,
                delivery: Delivery::Inline(Wait::Yield),
                rates: Rates::default(),
                seed: 0,
                timeout: Duration::from_secs(1),
                integrity: true,
                verify: false,
                prepare: 0,
                // One core is left to the user of the device.
                silicon: threads.saturating_sub(1).clamp(1, 8),
                instances: 64,
            },
            remote: remote.unwrap_or(crate::timing::REMOTE),
            interrupts: false,
            thread: false,
            interval: None,
            wait: None,
        }
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let options = &mut self.options;
        match name {
            "preset" => {}
            "ring" => {
                let ring = count(value, 2, 1 << 15)?;
                if !ring.is_power_of_two() {
                    return Err(Refusal::new(
                        "a ring has a power of two of descriptors, 2 to 32768",
                    ));
                }
                options.device.ring = ring;
            }
            "doorbell" => options.device.doorbell = nanoseconds(value)? as u64,
            "interrupt" => options.device.interrupt = nanoseconds(value)? as u64,
            "memory" => {
                options.memory =
                    one_of(value, &[("copy", Memory::Copy), ("gather", Memory::Gather)])?;
            }
            "responses" => {
                self.interrupts = one_of(value, &[("polling", false), ("interrupt", true)])?
            }
            "poller" => self.thread = one_of(value, &[("inline", false), ("thread", true)])?,
            "poll-interval" => self.interval = Some(duration(value)?),
            "wait" => {
                self.wait = Some(match value {
                    "yield" => Wait::Yield,
                    "spin" => Wait::Spin,
                    _ => Wait::Sleep(duration(value).map_err(|_| {
                        Refusal::new("wait is yield, spin, or a time to sleep such as 50us")
                    })?),
                });
            }
            "faults" => options.rates = faults(value)?,
            "seed" => {
                options.seed = value
                    .parse()
                    .map_err(|_| Refusal::new("seed is a number from 0 to 2^64 - 1"))?;
            }
            "timeout" => options.timeout = duration(value)?,
            "integrity" => options.integrity = on_off(value)?,
            "verify" => options.verify = on_off(value)?,
            "prepare" => options.prepare = if value == "off" { 0 } else { bytes(value)? },
            "silicon" => options.silicon = count(value, 1, 256)?,
            "instances" => options.instances = count(value, 1, 1024)?,
            _ => return self.take_timing(name, value),
        }
        Ok(())
    }

    fn take_timing(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let of_engines = ["engines", "depth", "request-time", "byte-time", "sharing"];
        let of_way = [
            "way-request-time",
            "way-byte-time",
            "distance",
            "remote-request-time",
            "remote-byte-time",
        ];
        let (service, rest) =
            of_service(name).map_or((None, name), |(service, rest)| (Some(service), rest));
        let is_of_way = service.is_none() && of_way.contains(&rest);
        if !of_engines.contains(&rest) && !is_of_way {
            return Err(Refusal::new(NAMES));
        }
        let Some(timing) = &mut self.options.device.timing else {
            return Err(Refusal::new("preset=instant has no timing"));
        };
        match name {
            "way-request-time" => timing.way.request_time = nanoseconds(value)?,
            "way-byte-time" => timing.way.byte_time = nanoseconds(value)?,
            "remote-request-time" => self.remote.request_time = nanoseconds(value)?,
            "remote-byte-time" => self.remote.byte_time = nanoseconds(value)?,
            "distance" => {
                timing.remote = one_of(value, &[("local", None), ("remote", Some(self.remote))])?;
            }
            _ => {
                for (own, engines) in [
                    ("compression", &mut timing.compression),
                    ("symmetric", &mut timing.symmetric),
                    ("public-key", &mut timing.public_key),
                ] {
                    if service.is_none_or(|service| service == own) {
                        set_engines(engines, rest, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Brings together what belongs together, and refuses what would have no effect.
    fn finish(self, given: &[(&str, &str)]) -> Result<Options, OptionError> {
        let Parser { mut options, remote, interrupts, thread, interval, wait } = self;
        let value =
            |name: &str| given.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let refuse =
            |name: &str, valid: &str| Err(error(name, value(name).unwrap_or_default(), valid));
        options.delivery = match (interrupts, thread) {
            (true, true) => return refuse("poller", "responses=interrupt needs no poller"),
            (true, false) => Delivery::Interrupt,
            (false, true) => Delivery::Thread(interval.unwrap_or(POLL_INTERVAL)),
            (false, false) => Delivery::Inline(wait.unwrap_or(Wait::Yield)),
        };
        if interval.is_some() && !matches!(options.delivery, Delivery::Thread(_)) {
            return refuse("poll-interval", "it is for poller=thread");
        }
        if wait.is_some() && !matches!(options.delivery, Delivery::Inline(_)) {
            return refuse("wait", "it is for responses=polling with poller=inline");
        }
        if let Some(timing) = &mut options.device.timing
            && timing.remote.is_some()
        {
            timing.remote = Some(remote);
        } else if let Some(name) = ["remote-request-time", "remote-byte-time"]
            .into_iter()
            .find(|name| value(name).is_some())
        {
            return refuse(name, "it is for distance=remote or preset=8955-remote");
        }
        if !options.integrity && options.rates.corrupted_output > 0.0 {
            return refuse("integrity", "without it corrupted-output would be taken for right");
        }
        Ok(options)
    }
}

fn set_engines(engines: &mut Engines, name: &str, value: &str) -> Result<(), Refusal> {
    match name {
        "engines" => engines.engines = count(value, 1, 1024)?,
        "depth" => engines.depth = count(value, 1, 64)?,
        "request-time" => engines.request_time = nanoseconds(value)?,
        "byte-time" => engines.byte_time = nanoseconds(value)?,
        _ => engines.sharing = fraction(value, 100.0)?,
    }
    Ok(())
}

/// `full-ring=0.1+reset=0.001`. A colon and a comma are valid, too, where they have no other
/// meaning. They have one within the name of a provider with its options.
fn faults(value: &str) -> Result<Rates, Refusal> {
    let mut rates = Rates::default();
    if value == "none" {
        return Ok(rates);
    }
    let valid = || {
        let names = Rates::NAMES.join(", ");
        Refusal::new(format!("faults are none, or NAME=RATE, with + between, of {names}"))
    };
    for fault in value.split([',', '+']) {
        let (name, rate) = fault.split_once([':', '=']).ok_or_else(valid)?;
        *rates.named(name).ok_or_else(valid)? = fraction(rate, 1.0)?;
    }
    Ok(rates)
}

#[cfg(all(test, not(loom)))]
mod tests;
