//! The commands: each measures what its arguments ask for, and leaves tables and files.

pub mod compress;
pub mod device;
pub mod failure;
mod files;
pub mod grid;
pub mod matrix;
pub mod packets;
pub mod peers;
pub mod pk;
pub mod stalls;
#[cfg(feature = "storage")]
pub mod storage;
#[cfg(target_os = "linux")]
pub mod transmit;
pub mod workloads;

use std::ffi::OsString;
use std::fmt::Display;
use std::str::FromStr;

use broadloom::error::SpecError;
use broadloom::provider::ProviderSpec;
use broadloom::workers::Placement;
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::MAX_BURST;
use broadloom_perf::experiments::matrix::available_cores;
use broadloom_perf::measure::sizes::Sizes;
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::registry::registry_on;

/// Parses a provider with its options, and looks whether there is one of that name.
fn provider(text: &str) -> Result<ProviderSpec, SpecError> {
    registry_on(&Cpu::detect()).parse(text)
}

/// Reads a name as the library knows it.
fn name<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// Reads a number. Whether it is in its range the library knows.
fn number<T: FromStr>(text: &str, expected: impl Display) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected {expected}"))
}

/// Reads a number of jobs in a list.
fn jobs(text: &str) -> Result<usize, String> {
    number(text, format_args!("a list of numbers from 1 to {MAX_BURST}"))
}

/// Reads a number of cores in a list.
fn cores(text: &str) -> Result<usize, String> {
    number(text, format_args!("a list of numbers from 1 to {}", available_cores()))
}

/// Reads where threads run.
fn placement(text: &str) -> Result<Placement, String> {
    match text {
        "packed" => Ok(Placement::Packed),
        "spread" => Ok(Placement::Spread),
        "anywhere" => Ok(Placement::Anywhere),
        _ => Err("valid: packed, spread, anywhere".to_owned()),
    }
}

/// All the workloads that a list of sizes stands for.
fn sizes(list: Vec<Sizes>) -> Vec<Workload> {
    list.into_iter().flat_map(|Sizes(sizes)| sizes).collect()
}

/// The command line as a shell would take it.
fn command_line(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = arguments.map(|argument| {
        let text = argument.to_string_lossy();
        let plain = |c: char| c.is_alphanumeric() || "-_=+:,./".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            return text.into_owned();
        }
        format!("'{}'", text.replace('\'', r"'\''"))
    });
    ["broadloom-perf".to_owned()].into_iter().chain(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_named() {
        assert!(matches!(placement("packed"), Ok(Placement::Packed)));
        assert_eq!(placement("apart").unwrap_err(), "valid: packed, spread, anywhere");
    }

    #[test]
    fn the_command_line_can_be_typed_again() {
        let line = |arguments: &[&str]| command_line(arguments.iter().map(OsString::from));
        assert_eq!(line(&["matrix", "--size=32,64"]), "broadloom-perf matrix --size=32,64");
        assert_eq!(
            line(&["--json", "it's a file", ""]),
            r"broadloom-perf --json 'it'\''s a file' ''"
        );
    }
}
