//! `broadloom-perf compress`: the figures of source 003 rerun, and the questions that it left open.
//!
//! A [`Topic`] is a figure or a question. Its `figures` set up sides: an input through the
//! framework, in software or at the modelled device; a library alone; many requests through a queue
//! pair. The sides of a topic take turns in one process, pass by pass; a row has the shortest pass
//! and the median one. CPU time is the process's own, user and system, without that of the threads
//! that stand for the device.
//!
//! A modelled device computes every result on this machine's cores, which are slower than it. So
//! where the same is asked for again and again, as with an input that is compressed pass after
//! pass, its results are prepared before the clock starts, and found again while it runs; rows say
//! so, and how many responses came later than the model has it.

mod bare;
mod check;
mod corpus;
mod device;
mod figures;
mod framework;
mod options;
mod report;
mod requests;
mod side;
mod topic;
mod waits;

use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use broadloom::provider::ProviderSpec;
use broadloom_engine::provider::Provider;
use broadloom_lanes::Cpu;

pub use options::{CompressOptions, MAX_LEVEL};
pub use report::page;
pub use topic::Topic;

use crate::error::PerfError;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::registry::registry_on;
use crate::report::row::{Report, Row};
use check::Checker;
use corpus::Corpus;
use device::{Device, Wanted};
use framework::Output;
use options::{Plan, Software};
use report::{device_note, findings, findings_grid, of, paper, table};
use side::{Entry, Turns};

/// For how long sides are timed.
const TURNS: Turns = Turns { least: 3, most: 15, budget: Duration::from_secs(2) };
/// The same, where it is to be quick.
const QUICK: Turns = Turns { least: 2, most: 5, budget: Duration::from_millis(20) };
/// Where what is asked for is the same every time.
const ONCE: Turns = Turns { least: 1, most: 1, budget: Duration::ZERO };

/// What all topics are measured with.
struct Bench<'b> {
    input: &'b [u8],
    chunk: usize,
    level: u8,
    software: Vec<Software>,
    asked_device: ProviderSpec,
    cpu: Cpu,
    isa: String,
    cores: usize,
    clock: Clock,
    quick: bool,
    output: Output,
    checker: RefCell<Checker>,
    /// What the devices that were opened are, each once.
    devices: RefCell<Vec<String>>,
}

/// Measures what the options ask for, writes the tables to `out`, and returns the rows.
///
/// # Errors
/// The options are wrong, the input cannot be read, a provider fails, or the tables cannot be
/// written.
pub fn run_compress(
    options: &CompressOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let Plan { topics, size, software, device, absent } = options.plan(cpu)?;
    let corpus = Corpus::load(options.input.as_deref(), size)?;

    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    let mut notes = vec![format!("input: {}", corpus.description)];
    notes
        .extend(software.iter().map(|own| format!("{}: {}", own.spec, own.provider.description())));
    notes.extend(absent);
    let bench = Bench {
        input: &corpus.data,
        chunk: options.chunk,
        level: options.level,
        software,
        asked_device: device,
        cpu: cpu.clone(),
        isa: cpu.isa().to_string(),
        cores: machine.cores,
        clock,
        quick: options.quick,
        output: Output::default(),
        checker: RefCell::new(Checker::new()),
        devices: RefCell::default(),
    };

    for &topic in &topics {
        figures::check(topic, &bench)?;
    }
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    for note in &notes {
        writeln!(out, "{note}")?;
    }

    let mut rows: Vec<Row> = Vec::new();
    for topic in topics {
        rows.extend(figures::rows(topic, &bench)?);
        print(out, topic, &rows)?;
    }
    writeln!(out, "\nFindings:\n\n{}\n\n{}", findings_grid(&findings(&rows)), paper::NOTE)?;

    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    notes.extend(bench.devices.into_inner());
    report.notes = notes;
    Ok(report)
}

fn print(out: &mut impl Write, topic: Topic, rows: &[Row]) -> std::io::Result<()> {
    let rows = of(rows, topic);
    writeln!(out, "\n{}:\n\n{}", topic.title(), table(topic, &rows))?;
    match device_note(&rows) {
        Some(note) => writeln!(out, "\n{note}"),
        None => Ok(()),
    }
}

impl Bench<'_> {
    /// Times sides in turn.
    fn measure(&self, entries: Vec<Entry<'_>>) -> Result<Vec<Row>, PerfError> {
        let turns = if self.quick { QUICK } else { TURNS };
        side::measure(entries, turns, &self.clock, &mut self.checker.borrow_mut())
    }

    /// Has each side do everything once.
    fn once(&self, entries: Vec<Entry<'_>>) -> Result<Vec<Row>, PerfError> {
        side::measure(entries, ONCE, &self.clock, &mut self.checker.borrow_mut())
    }

    /// The device as a figure wants it. It sends no checksums, which a card would not, unless that
    /// is asked for.
    fn device(&self, wanted: &Wanted) -> Result<Device, PerfError> {
        let asked = |name: &str| self.asked_device.options.iter().any(|(given, _)| given == name);
        let mut options = wanted.options.clone();
        match wanted.prepared {
            false => options.push(("prepare", "off".to_owned())),
            // Compressed data, and what they are found by.
            true if !asked("prepare") => {
                options.push(("prepare", (2 * self.input.len()).to_string()))
            }
            true => {}
        }
        if !asked("integrity") && !asked("faults") {
            options.push(("integrity", "off".to_owned()));
        }
        let device = Device::open(&self.asked_device, &options, &self.cpu).map_err(|error| {
            let own = wanted.options.iter().map(|(name, value)| format!("{name}={value}"));
            let own = own.collect::<Vec<_>>().join(" and ");
            let reason = format!("figure {} asks for {own} beside it: {error}", wanted.topic);
            PerfError::Spec { spec: self.asked_device.to_string(), reason }
        })?;
        let told = device.description();
        let mut devices = self.devices.borrow_mut();
        if !devices.contains(&told) {
            devices.push(told);
        }
        drop(devices);
        Ok(device)
    }

    /// The provider that ciphers and hashes in software.
    fn native(&self) -> Result<Arc<dyn Provider>, PerfError> {
        let spec = ProviderSpec::without_options("native");
        registry_on(&self.cpu).open_provider(&spec).map_err(|error| PerfError::Provider {
            spec: spec.to_string(),
            reason: error.to_string(),
        })
    }
}
