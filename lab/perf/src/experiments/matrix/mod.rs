//! `broadloom-perf matrix`: everything through the engine, algorithms by sizes by cores by sides.
//!
//! A [`Plan`] multiplies what was asked for into cases. For each [`Case`] every [`Side`] opens its
//! sessions on the same keys and does the same buffers, and the results are compared; only then is
//! anything timed. A *pass* is what one reading of the clock covers: each thread takes its set of
//! buffers through the engine once, in bursts, or job by job. All threads begin a pass together;
//! its time is from the first start to the last end, and a side's figure is the shortest of many
//! passes (and their median) over the buffers of all threads. Sides take turns of some passes each,
//! on the same buffers, which are put back as they were before each pass, outside the time.
//!
//! What is timed is the engine's calls with jobs that are ready: a queue pair is given burst after
//! burst, is asked for what is complete after each, and is flushed at the end of the pass.
//! Synchronous calls give one job and return when it is done. Asynchronous ones keep a number of
//! jobs in flight and flush only when nothing has come back.
//!
//! Beside providers, libraries are measured as their own users call them: the same buffers in the
//! same turns, burst after burst, with nothing of the engine around them. Drivers of DPDK are
//! measured by DPDK's own tool, after them.

mod case;
mod crew;
mod dpdk;
mod gate;
mod material;
mod memory;
mod options;
pub mod page;
mod print;
mod rows;
mod side;
mod suite;
mod worker;

use std::io::Write;
use std::time::Duration;

use broadloom_engine::{Algorithm, Direction};
use broadloom_lanes::Cpu;

pub use case::{Case, Pace};
pub use dpdk::Driver;
pub use options::{MatrixOptions, Plan, available_cores};
pub use side::Side;
pub use suite::Suite;

use crate::error::PerfError;
use crate::measure::calibrate::Throughput;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::measure::workset::Workset;
use crate::names::Kind;
use crate::report::dimension::values;
use crate::report::row::{Report, Row};
use crew::Crew;
use material::Material;

/// Decides buffers, keys and nonces: the same in every run.
const SEED: u64 = 0x0b0a_d200;

/// Time for one side of one case.
const BUDGET: Duration = Duration::from_millis(100);

/// Time for everything, where it is to be quick, besides what the cases take at least.
const QUICK: Duration = Duration::from_secs(4);

/// Why there is no memory.
const UNTOLD: &str = "memory is not measured: the allocator does not tell what it has handed out, \
    as glibc's does from version 2.33 on";

/// What all cases are measured with.
struct Bench {
    clock: Clock,
    calibrated: Throughput,
    budget: Duration,
    pins: Vec<usize>,
    /// What the reader should know besides the figures, each said once.
    notes: Vec<String>,
}

/// Measures what the options ask for with the kernels of `cpu`, writes the tables to `out`, and
/// returns the rows.
///
/// All results of all sides are compared before anything is timed.
///
/// # Errors
/// The options contradict each other or the machine, two sides disagree, a job fails, or the tables
/// cannot be written.
pub fn run_matrix(
    options: &MatrixOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let plan = options.plan()?;
    let baseline = options.baseline.as_ref();
    let mut measurement = Measurement::open(plan, cpu, options.quick.then_some(QUICK), BUDGET)?;
    for line in measurement.heading() {
        writeln!(out, "{line}")?;
    }
    let mut rows = Vec::new();
    for (algorithm, direction) in measurement.operations() {
        let (section, notes) = measurement.operation(algorithm, direction, &mut |_| {})?;
        print::operation(out, &section, &notes, baseline)?;
        rows.extend(section);
    }
    let report = measurement.report(rows, options.command.clone())?;
    print::end(out, &report, baseline)?;
    Ok(report)
}

/// The sides of a plan, ready to be measured.
pub(super) struct Measurement {
    plan: Plan,
    sides: Vec<Side>,
    machine: Machine,
    bench: Bench,
}

impl Measurement {
    /// Opens the sides. Each figure gets `budget`, or less if all of them are to fit into `total`.
    ///
    /// # Errors
    /// No provider is there, or two sides could not be told apart.
    pub(super) fn open(
        plan: Plan,
        cpu: &Cpu,
        total: Option<Duration>,
        budget: Duration,
    ) -> Result<Measurement, PerfError> {
        let (sides, absent) = open(&plan, cpu)?;
        let figures = (plan.comparisons() * sides.len()).max(1) as u32;
        let clock = Clock::calibrate();
        let bench = Bench {
            budget: total.map_or(budget, |total| (total / figures).min(budget)),
            calibrated: Throughput::calibrate(&clock, if total.is_some() { 200 } else { 1000 }),
            clock,
            pins: plan.pins.clone(),
            notes: sides.iter().map(Side::description).chain(absent).collect(),
        };
        Ok(Measurement { machine: Machine::detect(&bench.clock), plan, sides, bench })
    }

    /// Returns the machine and the sides, a line each.
    pub(super) fn heading(&self) -> Vec<String> {
        let Machine { cpu, os, tsc_mhz, .. } = &self.machine;
        let machine = format!("{cpu}, {os}, counter at {tsc_mhz} MHz");
        std::iter::once(machine).chain(self.bench.notes.iter().cloned()).collect()
    }

    /// Returns what is done to buffers.
    pub(super) fn operations(&self) -> Vec<(Algorithm, Direction)> {
        self.plan.operations.clone()
    }

    /// Measures all cases of one operation; `done` is called before each of them. Returns the rows,
    /// and what the reader should know about them.
    ///
    /// # Errors
    /// Two sides disagree, or a job fails.
    pub(super) fn operation(
        &mut self,
        algorithm: Algorithm,
        direction: Direction,
        done: &mut dyn FnMut(&Case),
    ) -> Result<(Vec<Row>, Vec<String>), PerfError> {
        let told = self.bench.notes.len();
        let rows = self.bench.operation(&self.plan, &self.sides, algorithm, direction, done)?;
        Ok((rows, self.bench.notes[told..].to_vec()))
    }

    /// Returns the report of these rows.
    ///
    /// # Errors
    /// There are no rows: the notes become the reason.
    pub(super) fn report(
        self,
        rows: Vec<Row>,
        command: Option<String>,
    ) -> Result<Report, PerfError> {
        if rows.is_empty() {
            return Err(PerfError::Nothing(self.bench.notes.join("; ")));
        }
        Ok(Report { command, notes: self.bench.notes, ..Report::new(self.machine, rows) })
    }
}

/// Opens the sides, and says why others are absent.
fn open(plan: &Plan, cpu: &Cpu) -> Result<(Vec<Side>, Vec<String>), PerfError> {
    let (mut sides, mut absent) = (Vec::<Side>::new(), Vec::new());
    for spec in &plan.providers {
        match Side::open(spec, cpu)? {
            Err(reason) => absent.push(reason),
            Ok(side) => {
                let identity = |side: &Side| values(&side.row(), &[]);
                if let Some(other) = sides.iter().find(|other| identity(other) == identity(&side)) {
                    let reason =
                        format!("its rows could not be told from those of {}", other.name());
                    return Err(PerfError::Spec { spec: side.name(), reason });
                }
                sides.push(side);
            }
        }
    }
    if sides.is_empty() {
        return Err(PerfError::Nothing(absent.join("; ")));
    }
    // Behind the providers: the first side makes what others are to open.
    for &peer in &plan.peers {
        match Side::find(peer, cpu)? {
            Err(reason) => absent.push(reason),
            Ok(side) => sides.push(side),
        }
    }
    Ok((sides, absent))
}

impl Bench {
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// All cases of one operation.
    fn operation(
        &mut self,
        plan: &Plan,
        sides: &[Side],
        algorithm: Algorithm,
        direction: Direction,
        done: &mut dyn FnMut(&Case),
    ) -> Result<Vec<Row>, PerfError> {
        let mut able = Vec::new();
        for side in sides {
            match side.lacks(algorithm, direction) {
                Some(reason) => self.note(reason),
                None => able.push(side),
            }
        }
        let mut rows = Vec::new();
        // Libraries are measured beside a provider.
        if able.iter().any(|side| matches!(side, Side::Engine(_))) {
            for case in plan.cases(algorithm, direction) {
                done(&case);
                rows.extend(self.case(&case, &able)?);
                for driver in &plan.dpdk {
                    match driver.measure(&case, &self.pins, &self.clock) {
                        Ok(row) => rows.push(row),
                        Err(reason) => self.note(reason),
                    }
                }
            }
        }
        Ok(rows)
    }

    fn case(&mut self, case: &Case, sides: &[&Side]) -> Result<Vec<Row>, PerfError> {
        let workset = || Workset::new(&case.load, case.algorithm, case.count(), SEED);
        let material = Material::new(workset(), case.direction, sides[0])?;
        let mut able = Vec::new();
        for &side in sides {
            match side.refuses(case, &material)? {
                Some(reason) => self.note(reason),
                None => able.push(side),
            }
        }
        let sides = &able[..];
        if sides.is_empty() {
            return Ok(Vec::new());
        }
        let crew = Crew::new(case, &material, sides)?;
        crew.agree()?;
        let runs = crew.runs();
        let asked = |index: usize| rows::asked(case, sides[index], &runs[index], material.plain());
        let budget = self.budget * sides.len() as u32;
        match case.kind {
            Kind::Throughput => {
                self.calibrated.refine(&self.clock, 32);
                let measured = crew.throughput(&self.pins, &self.clock, budget)?;
                self.unpinned(measured.unpinned);
                let row = |(index, figures)| {
                    let (clock, calibrated) = (&self.clock, &self.calibrated);
                    let plain = material.plain();
                    rows::with_throughput(
                        asked(index),
                        figures,
                        plain,
                        clock,
                        calibrated,
                        sides[index],
                    )
                };
                Ok(measured.figures.into_iter().enumerate().map(row).collect())
            }
            Kind::Latency => {
                let measured = crew.latency(&self.pins, budget)?;
                self.unpinned(measured.unpinned);
                let row = |(index, ticks)| rows::with_latency(asked(index), ticks, &self.clock);
                Ok(measured.figures.into_iter().enumerate().map(row).collect())
            }
            Kind::Memory => {
                let mut rows = Vec::new();
                for (index, side) in sides.iter().enumerate() {
                    match memory::measure(&material, side)? {
                        Some(memory) => rows.push(rows::with_memory(asked(index), &memory)),
                        None if matches!(side, Side::Bare(_)) => {}
                        None => self.note(UNTOLD.to_owned()),
                    }
                }
                Ok(rows)
            }
            Kind::Verify => {
                let taken_back = taken_back(case, sides, workset)?;
                if sides.len() == 1 && !taken_back {
                    let name = sides[0].name();
                    self.note(format!(
                        "{}: {name} is alone, nothing to verify it by",
                        case.algorithm
                    ));
                    return Ok(Vec::new());
                }
                let row = |index| Row { verified: Some(material.len()), ..asked(index) };
                Ok((0..sides.len()).map(row).collect())
            }
        }
    }

    fn unpinned(&mut self, why: Option<String>) {
        if let Some(why) = why {
            self.note(format!("{why}; figures may be less steady"));
        }
    }
}

/// Has every side take back what it made, where there is a direction for that; says whether there
/// is.
fn taken_back(
    case: &Case,
    sides: &[&Side],
    workset: impl Fn() -> Workset,
) -> Result<bool, PerfError> {
    let Some(&back) = case.algorithm.directions().iter().find(|direction| direction.checks())
    else {
        return Ok(false);
    };
    for side in sides {
        if side.lacks(case.algorithm, back).is_some() {
            continue;
        }
        let maker = if matches!(side, Side::Bare(_)) { sides[0] } else { side };
        let material = Material::new(workset(), back, maker)?;
        Crew::new(case, &material, &[side])?.agree()?;
    }
    Ok(true)
}
