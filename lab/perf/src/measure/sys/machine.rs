//! What a report says of the machine it was made on.

use std::fs;

use serde::{Deserialize, Serialize};

use super::clock::Clock;

/// The `machine` object of the JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's own name, or its architecture where it tells none.
    pub cpu: String,
    /// The architecture, as Rust names it.
    pub arch: String,
    /// The system, with the kernel's release where it is told.
    pub os: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Rate of the counter in which cycles are given, in MHz.
    pub tsc_mhz: f64,
}

impl Machine {
    /// Looks around.
    pub fn detect(clock: &Clock) -> Machine {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Machine {
            cpu: cpu_name(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
                .unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            arch: std::env::consts::ARCH.to_owned(),
            os: format!("{} {}", std::env::consts::OS, release.trim()).trim_end().to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            tsc_mhz: (clock.hertz() / 1e4).round() / 1e2,
        }
    }
}

/// The first model name in the text of `/proc/cpuinfo`, with family and model where it has them
/// (a virtual machine's name alone tells little).
fn cpu_name(cpuinfo: &str) -> Option<String> {
    let field = |wanted: &str| {
        cpuinfo
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.trim() == wanted)
            .map(|(_, value)| value.trim().to_owned())
    };
    let name = field("model name")?;
    Some(match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_model_name_is_taken() {
        let text = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\n\
                    model name\t: Some CPU @ 2 GHz\n\
                    processor\t: 1\nmodel name\t: Other\n";
        assert_eq!(cpu_name(text).as_deref(), Some("Some CPU @ 2 GHz (family 25, model 1)"));
        assert_eq!(cpu_name("model name : X\n").as_deref(), Some("X"));
        assert_eq!(cpu_name("Features : neon\n"), None);
    }
}
