//! `broadloom-perf device`: figures 9 to 11 of source 003 on a device that is there, a GPU.
//!
//! | figure | what |
//! |---|---|
//! | [`Topic::Threads`] | 9: the device called synchronously, from more and more threads |
//! | [`Topic::Outstanding`] | 10: one thread, with more and more jobs outstanding |
//! | [`Topic::Models`] | 11: one core, all cores, and the device in each way |
//! | [`Topic::Sizes`] | from which size on the device gains |

mod case;
mod limits;
mod options;
pub mod page;
mod pass;
mod tables;
mod topic;

use std::io::Write;
use std::sync::Arc;

use broadloom::gpu::Gpu;
use broadloom_engine::Algorithm;
use broadloom_engine::provider::Provider;
use broadloom_lanes::Cpu;

pub use options::DeviceOptions;
pub use topic::Topic;

use crate::error::PerfError;
use crate::experiments::options::or_usual;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::registry::registry_on;
use crate::report::row::{Report, Row};
use limits::Bounds;

/// What all figures are measured with.
struct Bench {
    clock: Clock,
    cpu: Cpu,
    gpu: Gpu,
    native: Arc<dyn Provider>,
    bounds: Bounds,
    quick: bool,
}

/// Measures what the options ask for, with the kernels of `cpu` beside the device, writes the
/// tables to `out`, and returns the rows.
///
/// # Errors
/// There is no such device, it disagrees with `native` or fails, or the tables cannot be written.
pub fn run_device(
    options: &DeviceOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let gpu = options.open()?;
    let algorithms = options.algorithms(&gpu)?;
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    let mut notes = vec![gpu.description()];
    if !gpu.is_gpu() {
        notes.push(
            "this device is no GPU: it shares the machine's cores, and its threads are part of the \
             CPU time, so that the figures say nothing of a GPU"
                .to_owned(),
        );
    }
    let refuse = |reason: String| PerfError::Provider { spec: Gpu::NAME.to_owned(), reason };
    let limits = gpu.limits().map_err(|error| refuse(error.to_string()))?;
    notes.push(format!(
        "copies measured: {:.2} GB/s there, {:.2} GB/s back; arithmetic: {:.1} billion operations \
         on 32-bit words and {:.1} billion products of them a second",
        limits.upload / 1e9,
        limits.download / 1e9,
        limits.operations / 1e9,
        limits.products / 1e9,
    ));
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    notes.iter().try_for_each(|note| writeln!(out, "{note}"))?;

    let registry = registry_on(cpu);
    let native = registry.provider("native").map_err(|error| PerfError::Provider {
        spec: "native".to_owned(),
        reason: error.to_string(),
    })?;
    let bench = Bench {
        clock,
        cpu: cpu.clone(),
        gpu,
        native: Arc::clone(native),
        bounds: Bounds { limits },
        quick: options.quick,
    };
    for &algorithm in &algorithms {
        case::compare(&bench, algorithm)?;
    }
    let mut topics = or_usual(&options.topics, &Topic::ALL);
    topics.sort_unstable();
    topics.dedup();
    let mut rows: Vec<Row> = Vec::new();
    for topic in topics {
        let measured = figure(&bench, topic, &algorithms, &options.sizes)?;
        writeln!(out, "\n{}:\n\n{}", topic.title(), tables::table(&measured))?;
        tables::findings(&measured).iter().try_for_each(|found| writeln!(out, "\n{found}"))?;
        rows.extend(measured);
    }
    let statistics = bench.gpu.statistics().to_string();
    writeln!(out, "\n{statistics}")?;
    notes.push(statistics);
    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    report.notes = notes;
    Ok(report)
}

/// The rows of a figure.
fn figure(
    bench: &Bench,
    topic: Topic,
    algorithms: &[Algorithm],
    sizes: &[usize],
) -> Result<Vec<Row>, PerfError> {
    let sizes = or_usual(sizes, topic.sizes());
    let mut rows = Vec::new();
    for &algorithm in algorithms {
        for &size in &sizes {
            rows.extend(case::rows(bench, topic, algorithm, size)?);
        }
    }
    Ok(rows)
}
