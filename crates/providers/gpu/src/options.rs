//! What the provider can be told when it is opened.

use std::fmt;
use std::time::Duration;

/// An option that does not exist, or not with its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the gpu provider takes no {name}={value}: {valid}")]
#[non_exhaustive]
pub struct OptionError {
    /// The option.
    pub name: String,
    /// The value.
    pub value: String,
    /// What would be right.
    pub valid: String,
}

/// The options, each with its values in short.
pub(crate) const OPTIONS: [(&str, &str); 8] = [
    ("device", "gpu, cpu, any, an index, or a part of a name"),
    ("streams", "command queues of each thread: 1 to 16"),
    ("batch", "bytes of a batch, such as 4M"),
    ("residency", "host, or bytes of data that may stay on the device, such as 1G"),
    ("patience", "a time"),
    ("timeout", "a time"),
    ("faults", "rates: hang, loss, out-of-memory"),
    ("seed", "a number"),
];

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub device: Wanted,
    pub streams: usize,
    pub batch: usize,
    /// Bytes of data that may stay on the device.
    pub residency: usize,
    pub patience: Duration,
    pub timeout: Duration,
    pub rates: Rates,
    pub seed: u64,
}

/// The device that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    Gpu,
    Cpu,
    Any,
    Index(usize),
    Named(String),
}

/// How often faults happen on request, of all batches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rates {
    pub hang: f64,
    pub loss: f64,
    pub out_of_memory: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            device: Wanted::Gpu,
            streams: 3,
            batch: 4 << 20,
            residency: 0,
            patience: Duration::from_micros(50),
            timeout: Duration::from_secs(30),
            rates: Rates::default(),
            seed: 0,
        }
    }
}

impl Options {
    pub fn parse(given: &[(&str, &str)]) -> Result<Options, OptionError> {
        let mut options = Options::default();
        for (index, (name, value)) in given.iter().enumerate() {
            let twice = given[..index].iter().any(|(before, _)| before == name);
            let taken = match twice {
                true => Err("an option is given once".to_owned()),
                false => options.take(name, value),
            };
            taken.map_err(|valid| OptionError {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
                valid,
            })?;
        }
        Ok(options)
    }

    /// Takes an option, or says what would be right.
    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "device" => self.device = device(value)?,
            "streams" => {
                let streams = value.parse().ok().filter(|streams| (1..=16).contains(streams));
                self.streams = streams.ok_or("streams are 1 to 16")?;
            }
            "batch" => {
                let batch = bytes(value).filter(|bytes| (1 << 16..=1 << 30).contains(bytes));
                self.batch = batch.ok_or("a batch has 64K to 1G, such as 65536, 512K or 4M")?;
            }
            "residency" => {
                let own =
                    if value == "host" { Some(0) } else { bytes(value).filter(|&own| own > 0) };
                self.residency =
                    own.ok_or("residency is host, or bytes such as 65536, 64M or 1G")?;
            }
            "patience" => self.patience = time(value)?,
            "timeout" => self.timeout = time(value)?,
            "faults" => self.rates = rates(value)?,
            "seed" => {
                self.seed = value.parse().map_err(|_| "seed is a number from 0 to 2^64 - 1")?
            }
            _ => {
                let names = OPTIONS.map(|(name, _)| name).join(", ");
                return Err(format!("options are {names}"));
            }
        }
        Ok(())
    }
}

fn device(value: &str) -> Result<Wanted, String> {
    Ok(match value {
        "gpu" => Wanted::Gpu,
        "cpu" => Wanted::Cpu,
        "any" => Wanted::Any,
        "" => return Err("device is gpu, cpu, any, an index, or a part of a name".to_owned()),
        _ => value.parse().map_or_else(|_| Wanted::Named(value.to_owned()), Wanted::Index),
    })
}

fn bytes(value: &str) -> Option<usize> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("", 1)];
    let (number, unit) =
        units.iter().find_map(|(unit, bytes)| Some((value.strip_suffix(unit)?, bytes)))?;
    number.parse::<usize>().ok()?.checked_mul(*unit)
}

fn time(value: &str) -> Result<Duration, String> {
    let units = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let nanoseconds = units.iter().find_map(|(unit, nanoseconds)| {
        let number: f64 = value.strip_suffix(unit)?.parse().ok()?;
        Some(number * nanoseconds)
    });
    let hour = 3.6e12;
    let valid = "it is a time, at most an hour, such as 100ns, 50us, 2ms or 1s";
    let nanoseconds = nanoseconds.filter(|time| (0.0..=hour).contains(time)).ok_or(valid)?;
    Ok(Duration::from_nanos(nanoseconds as u64))
}

/// `hang=0.1+loss=0.001`. A colon and a comma are valid, too, where they have no other meaning.
fn rates(value: &str) -> Result<Rates, String> {
    let valid = "faults are none, or NAME=RATE, with + between, of hang, loss, out-of-memory";
    let mut rates = Rates::default();
    if value == "none" {
        return Ok(rates);
    }
    for fault in value.split([',', '+']) {
        let (name, rate) = fault.split_once([':', '=']).ok_or(valid)?;
        let rate: f64 = rate.parse().ok().filter(|rate| (0.0..=1.0).contains(rate)).ok_or(valid)?;
        *match name {
            "hang" => &mut rates.hang,
            "loss" => &mut rates.loss,
            "out-of-memory" => &mut rates.out_of_memory,
            _ => return Err(valid.to_owned()),
        } = rate;
    }
    Ok(rates)
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { streams, batch, patience, .. } = self;
        write!(f, "{streams} streams, batches of {batch} bytes, patience {patience:?}")?;
        if self.residency > 0 {
            write!(f, ", {} bytes for data that stay", self.residency)?;
        }
        let Rates { hang, loss, out_of_memory } = self.rates;
        let faults = [("hang", hang), ("loss", loss), ("out-of-memory", out_of_memory)];
        for (name, rate) in faults.into_iter().filter(|(_, rate)| *rate > 0.0) {
            write!(f, ", {name} {rate} (seed {})", self.seed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken() {
        let given = [
            ("device", "2"),
            ("streams", "4"),
            ("batch", "512K"),
            ("residency", "3M"),
            ("patience", "1.5us"),
            ("timeout", "2s"),
            ("faults", "hang=0.5+loss:0.25"),
            ("seed", "7"),
        ];
        let expected = Options {
            device: Wanted::Index(2),
            streams: 4,
            batch: 512 << 10,
            residency: 3 << 20,
            patience: Duration::from_nanos(1500),
            timeout: Duration::from_secs(2),
            rates: Rates { hang: 0.5, loss: 0.25, out_of_memory: 0.0 },
            seed: 7,
        };
        assert_eq!(Options::parse(&given), Ok(expected));
        assert_eq!(Options::parse(&[("faults", "none")]), Ok(Options::default()));
        let named = Options::parse(&[("device", "H100")]).expect("a name").device;
        assert_eq!(named, Wanted::Named("H100".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_refused_with_what_is_right() {
        for (name, value, valid) in [
            ("device", "", "device is gpu, cpu, any"),
            ("streams", "0", "streams are 1 to 16"),
            ("batch", "1K", "a batch has 64K to 1G"),
            ("batch", "99999999999G", "a batch has 64K to 1G"),
            ("residency", "device", "residency is host, or bytes"),
            ("patience", "2", "such as 100ns"),
            ("timeout", "-1s", "at most an hour"),
            ("faults", "hang=2", "hang, loss, out-of-memory"),
            ("faults", "fire=0.1", "hang, loss, out-of-memory"),
            ("seed", "x", "seed is a number"),
            ("speed", "11", "options are device, streams, batch"),
        ] {
            let error = Options::parse(&[(name, value)]).expect_err(name).to_string();
            assert!(error.contains(valid) && error.contains(value), "{error}");
        }
        let twice = Options::parse(&[("seed", "1"), ("seed", "2")]).expect_err("twice").to_string();
        assert!(twice.contains("given once"), "{twice}");
    }
}
