//! `broadloom-perf grid`: algorithms by sizes by bursts by calls, beside every peer's fastest call.
//!
//! A *cell* is one combination: an algorithm, a direction, a call of the engine, a size and a
//! burst. It compares the cycles of our side with those of the best peer. The measurement is the
//! matrix's: the same buffers for all sides in turn, and results that are compared before anything
//! is timed.

mod cells;
mod options;
pub mod page;
mod summary;

use std::io::Write;
use std::time::Duration;

use broadloom_lanes::Cpu;

pub use cells::{Cell, Colour, cells};
pub use options::GridOptions;
pub use summary::{summary, worst};

use crate::error::PerfError;
use crate::experiments::Step;
use crate::experiments::matrix::{Case, Measurement};
use crate::report::row::Report;

/// The time for one side of one cell.
const BUDGET: Duration = Duration::from_millis(30);

/// The time for all cells if the grid is to be quick, besides what they take at least.
const QUICK: Duration = Duration::from_secs(60);

/// Measures the cells that the options ask for with the kernels of `cpu`, writes what stands out to
/// `out`, tells `watch` about each cell, and returns the rows.
///
/// # Errors
/// The options contradict each other, two sides disagree, a job fails, or `out` cannot be written.
pub fn run_grid(
    options: &GridOptions,
    cpu: &Cpu,
    out: &mut impl Write,
    watch: &mut dyn FnMut(Step),
) -> Result<Report, PerfError> {
    let plan = options.plan()?;
    let total = plan.comparisons();
    let mut measurement = Measurement::open(plan, cpu, options.quick.then_some(QUICK), BUDGET)?;
    for line in measurement.heading() {
        writeln!(out, "{line}")?;
    }
    let (mut rows, mut done) = (Vec::new(), 0);
    for (algorithm, direction) in measurement.operations() {
        let mut step = |case: &Case| {
            let what = format!("{algorithm} {direction}, {} bytes", case.load);
            watch(Step { done, total, what });
            done += 1;
        };
        let (section, notes) = measurement.operation(algorithm, direction, &mut step)?;
        for note in notes {
            writeln!(out, "{note}")?;
        }
        rows.extend(section);
    }
    let report = measurement.report(rows, options.command.clone())?;
    let cells = cells(&report.rows);
    for line in summary(&cells) {
        writeln!(out, "{line}")?;
    }
    let worst = worst(&cells);
    if !worst.is_empty() {
        writeln!(out, "\nthe worst cells:\n\n{worst}")?;
    }
    Ok(report)
}
