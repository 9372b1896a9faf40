//! `broadloom-perf pk`: what three sources say of public keys, again on this machine.
//!
//! | figure | source | what |
//! |---|---|---|
//! | [`Topic::Montgomery`] | 001 | reduction by division against Montgomery's, narrow words against wide |
//! | [`Topic::Outstanding`] | 003 | RSA-2048 decryptions a second against operations outstanding at the modelled device |
//! | [`Topic::Curves`] | 004 | signatures on binary curves, beside `openssl speed` |

mod arithmetic;
mod curves;
mod montgomery;
mod outstanding;
pub mod page;
mod speed;
mod tables;
mod topic;

use std::io::Write;

use broadloom_lanes::Cpu;

pub use topic::Topic;

use crate::error::PerfError;
use crate::experiments::options::or_usual;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::report::row::{Report, Row};

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct PkOptions {
    /// The figures; empty: all.
    pub topics: Vec<Topic>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend less time, for figures that are less steady.
    pub quick: bool,
}

/// What all figures are measured with.
struct Bench {
    clock: Clock,
    cpu: Cpu,
    quick: bool,
    notes: Vec<String>,
}

/// Measures what the options ask for with the kernels of `cpu`, writes the tables to `out`, and
/// returns the rows.
///
/// # Errors
/// Two sides disagree, a provider fails, or the tables cannot be written.
pub fn run_pk(options: &PkOptions, cpu: &Cpu, out: &mut impl Write) -> Result<Report, PerfError> {
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    let mut bench = Bench { clock, cpu: cpu.clone(), quick: options.quick, notes: Vec::new() };

    let mut topics = or_usual(&options.topics, &Topic::ALL);
    topics.sort_unstable();
    topics.dedup();
    let mut rows: Vec<Row> = Vec::new();
    for topic in topics {
        let told = bench.notes.len();
        let measured = match topic {
            Topic::Montgomery => montgomery::rows(&bench)?,
            Topic::Outstanding => outstanding::rows(&mut bench)?,
            Topic::Curves => curves::rows(&mut bench)?,
        };
        writeln!(out, "\n{}:\n\n{}", topic.title(), tables::table(topic, &measured))?;
        for note in tables::findings(topic, &measured).iter().chain(&bench.notes[told..]) {
            writeln!(out, "\n{note}")?;
        }
        rows.extend(measured);
    }

    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    report.notes = bench.notes;
    Ok(report)
}
