//! `broadloom-perf workloads`: source 000's experiment on this machine.

pub mod case;
pub mod direct;
pub mod native;
pub mod page;
mod summary;
mod tables;

use std::io::Write;
use std::time::Duration;

use broadloom_engine::{AesSize, Algorithm, CipherAlgorithm, HashAlgorithm, MacAlgorithm};
use broadloom_lanes::{Cpu, Isa};

use super::options::{check_jobs, or_usual};
use crate::error::PerfError;
use crate::experiments::Step;
use crate::measure::calibrate::Throughput;
use crate::measure::course::Course;
use crate::measure::limit::Allowed;
use crate::measure::peers::{Absent, Found};
use crate::measure::sys::affinity::Pinned;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::measure::workload::Workload;
use crate::names::{Cache, Mode, Order, Peer};
use crate::report::row::{Report, Row, features, limits};
use case::{Bench, Case, Offer};
use direct::Direct;

/// What to measure. An empty list stands for what source 000 did.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadOptions {
    /// What is done to the buffers; empty: HMAC-SHA1 and AES-128-CBC.
    pub algorithms: Vec<Algorithm>,
    /// In which direction; empty: the usual one of each algorithm. Those that an algorithm does not
    /// have are left out for it, and all of them are an error.
    pub directions: Vec<Course>,
    /// The workloads; empty: all four, unless there are `sizes`.
    pub workloads: Vec<Workload>,
    /// Buffers of one size, or mixes of sizes, besides the workloads.
    pub sizes: Vec<Workload>,
    /// The orders to compare in; empty: in order for AES-CBC, out of order for the others.
    pub orders: Vec<Order>,
    /// Jobs of a burst, 1 to [`MAX_BURST`](super::MAX_BURST); empty: 64.
    pub bursts: Vec<usize>,
    /// The peers to compare with; an absent one is a line in the report.
    pub against: Vec<Peer>,
    /// The instruction sets to hold the lanes to; empty: the best of this machine.
    pub isas: Vec<Isa>,
    /// CPU features, by the names in [`Cpu::features`], that the lanes are to do without.
    pub without: Vec<String>,
    /// Cache states; empty: warm.
    pub caches: Vec<Cache>,
    /// `true` to spend about six seconds on the whole instead of one on every case.
    pub quick: bool,
    /// `true` if bursts alone are measured, and one table and one sentence tell what is gained.
    pub summary: bool,
    /// The command line, for the report.
    pub command: Option<String>,
}

impl Default for WorkloadOptions {
    /// Source 000's experiment, against the peers that are libraries.
    fn default() -> Self {
        WorkloadOptions {
            algorithms: Vec::new(),
            directions: Vec::new(),
            workloads: Vec::new(),
            sizes: Vec::new(),
            orders: Vec::new(),
            bursts: Vec::new(),
            against: Peer::LIBRARIES.to_vec(),
            isas: Vec::new(),
            without: Vec::new(),
            caches: Vec::new(),
            quick: false,
            summary: false,
            command: None,
        }
    }
}

impl WorkloadOptions {
    fn algorithms(&self) -> Vec<Algorithm> {
        let paper = [
            Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha1)),
            Algorithm::Cipher(CipherAlgorithm::AesCbc(AesSize::Aes128)),
        ];
        or_usual(&self.algorithms, &paper)
    }

    fn directions(&self, algorithm: Algorithm) -> Result<Vec<Course>, PerfError> {
        let all = Direct::try_from(algorithm)?.courses();
        let Some(&wanted) = self.directions.first() else { return Ok(vec![all[0]]) };
        let fitting: Vec<Course> =
            self.directions.iter().copied().filter(|direction| all.contains(direction)).collect();
        if fitting.is_empty() {
            let valid = all.iter().map(Course::to_string).collect::<Vec<_>>().join(", ");
            return Err(PerfError::Direction { algorithm, direction: wanted, valid });
        }
        Ok(fitting)
    }

    fn workloads(&self) -> Vec<Workload> {
        let usual: &[Workload] = if self.sizes.is_empty() { &Workload::PAPER } else { &[] };
        [or_usual(&self.workloads, usual), self.sizes.clone()].concat()
    }

    fn bursts(&self) -> Result<Vec<usize>, PerfError> {
        let bursts = or_usual(&self.bursts, &[64]);
        check_jobs("burst", &bursts)?;
        Ok(bursts)
    }

    fn cpus(&self) -> Result<Vec<Cpu>, PerfError> {
        let isas = or_usual(&self.isas, &[Cpu::detect().isa()]);
        isas.into_iter().map(|isa| self.restricted(Cpu::with_isa(isa)?)).collect()
    }

    /// The CPU without the features that the lanes are to do without.
    fn restricted(&self, cpu: Cpu) -> Result<Cpu, PerfError> {
        self.without.iter().try_fold(cpu, |cpu, feature| {
            match cpu.features().iter().find(|known| known.feature.name() == feature) {
                Some(known) => Ok(cpu.without(known.feature)?),
                None => {
                    let known: Vec<_> =
                        cpu.features().iter().map(|known| known.feature.name()).collect();
                    let value = feature.clone();
                    Err(PerfError::Feature { value, valid: known.join(", ") })
                }
            }
        })
    }
}

/// The peers that were asked for and are there, and why the others are not.
struct Present {
    found: Vec<Found>,
    absent: Vec<Absent>,
}

impl Present {
    fn find(against: &[Peer]) -> Result<Present, PerfError> {
        let mut present = Present { found: Vec::new(), absent: Vec::new() };
        for peer in Peer::ALL.into_iter().filter(|peer| against.contains(peer)) {
            match Found::find(peer)? {
                Ok(found) => present.found.push(found),
                Err(absent) => present.absent.push(absent),
            }
        }
        Ok(present)
    }

    /// A line for each peer.
    fn notes(&self) -> Vec<String> {
        let found = self.found.iter().map(|found| format!("{}: {}", found.peer(), found.version()));
        found.chain(self.absent.iter().map(Absent::to_string)).collect()
    }
}

/// Measures what the options ask for, writes the tables to `out`, and returns the rows.
///
/// All results of all providers are compared before anything is timed.
///
/// # Errors
/// The options contradict each other or the machine, two providers disagree, a peer fails, or the
/// tables cannot be written.
pub fn run_workloads(options: &WorkloadOptions, out: &mut impl Write) -> Result<Report, PerfError> {
    watch_workloads(options, out, &mut |_| ())
}

/// Does the same as [`run_workloads`], and calls `watch` before anything is calibrated and before
/// each measurement.
///
/// # Errors
/// Those of [`run_workloads`].
pub fn watch_workloads(
    options: &WorkloadOptions,
    out: &mut impl Write,
    watch: &mut dyn FnMut(Step),
) -> Result<Report, PerfError> {
    let (workloads, bursts, cpus) = (options.workloads(), options.bursts()?, options.cpus()?);
    let mut sections = Vec::new();
    for algorithm in options.algorithms() {
        for course in options.directions(algorithm)? {
            sections.push((algorithm, course));
        }
    }
    let caches = or_usual(&options.caches, &[Cache::Warm]);
    let peers = Present::find(&options.against)?;

    let of_section = match options.summary {
        true => workloads.len() * bursts.len(),
        false => workloads.len() * (bursts.len() + 1) + 1,
    };
    let total = sections.len() * of_section * cpus.len() * caches.len();
    let mut done = 0;
    watch(Step { done, total, what: "the clock".to_owned() });
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    let pinned = Pinned::here();
    match &pinned {
        Ok(pinned) => writeln!(out, "pinned to core {}", pinned.core())?,
        Err(error) => writeln!(out, "{error}; figures may be less steady")?,
    }
    let mut notes = peers.notes();
    for note in notes.iter().filter(|_| !options.summary) {
        writeln!(out, "{note}")?;
    }

    let cases = sections.len() * workloads.len() * (bursts.len() + 1) * cpus.len() * caches.len();
    let budget = if options.quick {
        (Duration::from_secs(5) / cases.max(1) as u32).min(Duration::from_millis(400))
    } else {
        Duration::from_secs(1)
    };
    let mut throughput = Throughput::default();
    throughput.refine(&clock, if options.quick { 200 } else { 1000 });

    let without = features(options.without.iter().map(String::as_str));
    let mut rows = Vec::new();
    for (algorithm, course) in sections {
        let orders = or_usual(&options.orders, &[Direct::try_from(algorithm)?.usual_order()]);
        for cpu in &cpus {
            for &cache in &caches {
                let offer = Offer { cpu, peers: &peers.found };
                let case = Case { algorithm, course, cache, orders: &orders };
                let mut begin = |what: &str| {
                    watch(Step { done, total, what: format!("{algorithm} {course}, {what}") });
                    done += 1;
                };
                let mut bench = Bench {
                    summary: options.summary,
                    begin: &mut begin,
                    without: without.clone(),
                    clock: &clock,
                    throughput: &mut throughput,
                    allowed: Allowed::of(cpu.isa(), !options.without.is_empty()),
                    budget,
                    notes: Vec::new(),
                };
                let section = bench.run(&offer, &case, &workloads, &bursts)?;
                let but =
                    without.as_ref().map_or(String::new(), |names| format!(" without {names}"));
                let lanes = format!("{} lanes{but}", cpu.isa());
                if !options.summary {
                    write_section(out, &case, &lanes, &section, &bench.notes)?;
                }
                rows.extend(section);
                notes.extend(bench.notes.iter().map(|note| format!("{algorithm}: {note}")));
            }
        }
    }
    drop(pinned);
    if options.summary {
        write_summary(out, &rows, &notes)?;
    }

    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    report.notes = notes;
    Ok(report)
}

/// Writes one table of all bursts, and what they say in a sentence.
fn write_summary(out: &mut impl Write, rows: &[Row], notes: &[String]) -> Result<(), PerfError> {
    let bursts: Vec<String> = {
        let mut all: Vec<usize> = rows.iter().map(|row| row.burst).collect();
        all.sort_unstable();
        all.dedup();
        all.iter().map(ToString::to_string).collect()
    };
    writeln!(out, "\nCycles a buffer, in bursts of {}:\n", bursts.join(", "))?;
    writeln!(out, "{}\n", summary::table(rows))?;
    for note in notes {
        writeln!(out, "{note}")?;
    }
    writeln!(out, "\n{}", summary::sentence(rows))?;
    Ok(())
}

/// Writes the tables of one algorithm, direction, choice of lanes and cache state.
fn write_section(
    out: &mut impl Write,
    case: &Case<'_>,
    lanes: &str,
    rows: &[Row],
    notes: &[String],
) -> Result<(), PerfError> {
    let title = format!("{} {}, {lanes}, {} buffers", case.algorithm, case.course, case.cache);
    for note in notes {
        writeln!(out, "{}: {note}", case.algorithm)?;
    }
    // Where there are several the tables have a column for them.
    if let [by] = limits(rows)[..] {
        writeln!(out, "\n{title}: the limit is set by {by}")?;
    }
    let of = |mode: Mode, burst: Option<usize>| -> Vec<Row> {
        let wanted = |row: &&Row| row.mode == mode.name() && burst.is_none_or(|b| b == row.burst);
        rows.iter().filter(wanted).cloned().collect()
    };
    let mut bursts: Vec<usize> = of(Mode::Burst, None).iter().map(|row| row.burst).collect();
    bursts.dedup();
    bursts.sort_unstable();
    bursts.dedup();
    for burst in bursts {
        writeln!(out, "\n{title}, bursts of {burst}:\n")?;
        writeln!(out, "{}", tables::comparison(&of(Mode::Burst, Some(burst))))?;
    }
    let streams = of(Mode::Stream, None);
    writeln!(out, "\n{title}, streamed through submit and flush:\n")?;
    writeln!(out, "{}", tables::comparison(&streams))?;
    if let Some(table) = tables::breakdown(&streams) {
        writeln!(out, "\n{title}, where the cycles of a stream go:\n")?;
        writeln!(out, "{table}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use broadloom_engine::Direction;

    use super::*;
    use crate::experiments::MAX_BURST;

    #[test]
    fn an_empty_list_stands_for_what_the_paper_did() {
        let options = WorkloadOptions::default();
        assert_eq!(
            options.algorithms().iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["hmac-sha1", "aes-128-cbc"]
        );
        assert_eq!(options.workloads(), Workload::PAPER);
        assert_eq!(options.bursts().unwrap(), [64]);
        let aes = "aes-128-cbc".parse().unwrap();
        assert_eq!(options.directions(aes).unwrap(), [Course::All(Direction::Encrypt)]);
    }

    #[test]
    fn sizes_replace_the_workloads_unless_both_are_asked_for() {
        let mut options =
            WorkloadOptions { sizes: vec![Workload::Size(512)], ..WorkloadOptions::default() };
        assert_eq!(options.workloads(), [Workload::Size(512)]);
        options.workloads = vec![Workload::Large];
        assert_eq!(options.workloads(), [Workload::Large, Workload::Size(512)]);
    }

    #[test]
    fn a_burst_out_of_range_is_named() {
        for value in [0, MAX_BURST + 1] {
            let options = WorkloadOptions { bursts: vec![64, value], ..WorkloadOptions::default() };
            let error = options.bursts().unwrap_err().to_string();
            assert_eq!(error, format!("burst {value} is out of range; valid: 1 to 1024 jobs"));
        }
    }

    #[test]
    fn directions_that_no_algorithm_has_are_an_error() {
        let mut options = WorkloadOptions {
            directions: [Direction::Decrypt, Direction::Generate].map(Course::All).to_vec(),
            ..WorkloadOptions::default()
        };
        let aes = "aes-128-cbc".parse().unwrap();
        let hmac = "hmac-sha1".parse().unwrap();
        assert_eq!(options.directions(aes).unwrap(), [Course::All(Direction::Decrypt)]);
        assert_eq!(options.directions(hmac).unwrap(), [Course::All(Direction::Generate)]);
        let digest = "md5".parse().unwrap();
        let error = options.directions(digest).unwrap_err().to_string();
        assert_eq!(error, "md5 has no direction decrypt; valid: digest");
        options.directions = vec![Course::Mixed];
        assert_eq!(options.directions(aes).unwrap(), [Course::Mixed]);
        let error = options.directions(hmac).unwrap_err().to_string();
        assert_eq!(error, "hmac-sha1 has no direction mixed; valid: generate");
    }
}
