//! `broadloom-perf storage`: source 001's workloads of a file server, over a directory, over
//! encrypted files and over a repository of snapshots.
//!
//! Each client is a thread with a set of its own. All clients of a pass start together. The program
//! fio does the same on the raw side, where it is installed.

mod data;
mod fio;
mod meter;
mod options;
pub mod page;
mod pass;
mod side;
mod tables;
mod topic;

use std::io::Write;
use std::path::Path;

use broadloom_lanes::Cpu;

pub use options::{MAX_CLIENTS, StorageOptions};
pub use side::Over;
pub use topic::Topic;

use crate::error::PerfError;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::report::pass::Pass;
use crate::report::row::{Report, Row, hundredths};
use meter::Meter;
use pass::{Outcome, failed};
use side::Client;

/// Passes of which the fastest counts, and of a quick run.
const PASSES: [usize; 2] = [3, 1];

/// What all rows are measured with.
struct Bench<'o> {
    clock: Clock,
    isa: String,
    options: &'o StorageOptions,
    /// Bytes of a set.
    set: u64,
    sides: Vec<(Over, Vec<Box<dyn Client>>)>,
    /// `true` if fio takes part.
    fio: bool,
    notes: Vec<String>,
}

/// Measures what the options ask for, writes the tables to `out`, and returns the rows. Leaves the
/// sets in the directory.
///
/// # Errors
/// The directory cannot be used, a storage fails or gives other bytes than were written, or the
/// tables cannot be written.
pub fn run_storage(
    options: &StorageOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let (topics, clients, set) = (options.topics(), options.clients()?, options.set()?);
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    let mut notes = vec![format!("each client has a set of {} MiB", set >> 20)];
    notes.extend(memory(&options.directory));
    let over = options.over();
    for &topic in &topics {
        notes.extend(over.iter().filter_map(|&over| page::missing(topic, over)));
    }
    let fio = fio::version();
    notes.push(match &fio {
        Ok(version) => version.clone(),
        Err(reason) => format!("fio takes no part: {reason}"),
    });
    for note in &notes {
        writeln!(out, "{note}")?;
    }
    let most = clients.iter().copied().max().unwrap_or(1);
    let mut sides = Vec::new();
    for over in over {
        let root = options.directory.join(over.name());
        let failed = failed(over, Topic::StreamingReadWarm);
        let mut opened = side::open(over, &root, cpu, (most, set)).map_err(&failed)?;
        for client in &mut opened {
            let pieces = Topic::StreamingReadWarm.operations(over, set, options.quick);
            let meter = Meter::thorough();
            client.run(Topic::StreamingReadWarm, pieces, meter).map_err(&failed)?;
        }
        sides.push((over, opened));
    }
    let isa = cpu.isa().to_string();
    let mut bench = Bench { clock, isa, options, set, sides, fio: fio.is_ok(), notes };
    let mut rows: Vec<Row> = Vec::new();
    for topic in topics {
        let told = bench.notes.len();
        let mut measured = Vec::new();
        for &count in &clients {
            measured.extend(bench.rows(topic, count)?);
        }
        writeln!(out, "\n{}:\n\n{}", topic.title(), tables::table(topic, &measured))?;
        for note in tables::findings(&measured).iter().chain(&bench.notes[told..]) {
            writeln!(out, "\n{note}")?;
        }
        rows.extend(measured);
    }
    if rows.is_empty() {
        return Err(PerfError::Nothing(bench.notes.join("; ")));
    }
    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    report.notes = bench.notes;
    Ok(report)
}

impl Bench<'_> {
    /// The rows of some clients: all sides in turn.
    fn rows(&mut self, topic: Topic, count: usize) -> Result<Vec<Row>, PerfError> {
        let (quick, set) = (self.options.quick, self.set);
        let sides = self.sides.iter_mut().filter(|(over, _)| topic.meaningless(*over).is_none());
        let mut sides: Vec<_> = sides.collect();
        let mut outcomes: Vec<Vec<Outcome>> = sides.iter().map(|_| Vec::new()).collect();
        let mut raw = Vec::new();
        for _ in 0..PASSES[usize::from(quick)] {
            for ((over, clients), outcomes) in sides.iter_mut().zip(&mut outcomes) {
                let operations = topic.operations(*over, set, quick);
                let done = pass::pass(&mut clients[..count], topic, operations);
                outcomes.push(done.map_err(failed(*over, topic))?);
            }
            if self.fio {
                match fio::pass(&self.options.directory, topic, count, set, quick) {
                    Ok(outcome) => raw.push(outcome),
                    Err(reason) => {
                        self.notes
                            .push(format!("fio takes part no longer, from {topic} on: {reason}"));
                        self.fio = false;
                    }
                }
            }
        }
        let names = sides.iter().map(|(over, _)| (over.name(), over.algorithm()));
        let names: Vec<_> = names.chain([(fio::NAME, Over::Directory.algorithm())]).collect();
        outcomes.push(raw);
        let measured = names.into_iter().zip(outcomes).filter(|(_, done)| !done.is_empty());
        Ok(measured.map(|(names, done)| self.row(topic, count, names, done)).collect())
    }

    /// The row of several passes.
    fn row(
        &self,
        topic: Topic,
        clients: usize,
        (provider, algorithm): (&str, &str),
        mut passes: Vec<Outcome>,
    ) -> Row {
        let mut cpu: Vec<f64> = passes.iter().map(|pass| pass.cpu).collect();
        cpu.sort_unstable_by(f64::total_cmp);
        passes.sort_unstable_by(|a, b| a.elapsed.total_cmp(&b.elapsed));
        let median = passes[passes.len() / 2].elapsed;
        let best = &passes[0];
        let count = best.operations as f64;
        let cycles = |seconds: f64| Some(hundredths(seconds / count * self.clock.hertz()));
        let latency = |of: fn(&pass::Latency) -> f64| best.latency.as_ref().map(of).map(hundredths);
        let elapsed = best.elapsed.max(1e-9);
        Row {
            algorithm: algorithm.to_owned(),
            direction: topic.direction().to_owned(),
            size: Some(topic.bytes()),
            mode: "sync".to_owned(),
            burst: 1,
            cores: clients,
            provider: provider.to_owned(),
            order: "in-order".to_owned(),
            isa: self.isa.clone(),
            cache: if topic == Topic::StreamingReadCold { "cold" } else { "warm" }.to_owned(),
            cycles_per_buffer: cycles(best.elapsed),
            cycles_per_buffer_median: cycles(median),
            operations_per_second: Some(hundredths(count / elapsed)),
            gbps: (best.bytes > 0).then(|| hundredths(best.bytes as f64 * 8.0 / elapsed / 1e9)),
            buffer_bytes: hundredths(best.bytes as f64 / count.max(1.0)),
            latency_ns_min: latency(|latency| latency.min),
            latency_ns_mean: latency(|latency| latency.mean),
            latency_ns_p50: latency(|latency| latency.p50),
            latency_ns_p99: latency(|latency| latency.p99),
            latency_ns_max: latency(|latency| latency.max),
            pass: Some(Pass {
                figure: topic.name().to_owned(),
                threads: clients,
                input_bytes: best.bytes,
                elapsed_s: best.elapsed,
                elapsed_s_median: median,
                cpu_s: cpu[0],
                cpu_s_median: cpu[cpu.len() / 2],
                passes: passes.len(),
                ..Pass::default()
            }),
            ..Row::default()
        }
    }
}

/// A note, where the directory lies in memory.
#[cfg(target_os = "linux")]
fn memory(directory: &Path) -> Option<String> {
    /// As `statfs` tells a tmpfs.
    const TMPFS: i64 = 0x0102_1994;
    let system = rustix::fs::statfs(directory).ok()?;
    let is_memory = system.f_type == TMPFS;
    let shown = directory.display();
    is_memory
        .then(|| format!("{shown} lies in memory (tmpfs): nothing is cold or synchronised there"))
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
fn memory(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(options: StorageOptions) -> (tempfile::TempDir, Result<Report, PerfError>, String) {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().to_owned();
        let options = StorageOptions { directory, quick: true, size: Some(1 << 20), ..options };
        let mut tables = Vec::new();
        let report = run_storage(&options, &Cpu::detect(), &mut tables);
        (place, report, String::from_utf8(tables).unwrap())
    }

    #[test]
    fn every_load_is_measured_over_every_storage() {
        let (_place, report, tables) =
            measure(StorageOptions { clients: vec![1, 2], ..StorageOptions::default() });
        let report = report.unwrap();
        let mut sides: Vec<&str> = Over::ALL.map(Over::name).to_vec();
        if broadloom_testing::present("fio's side", fio::version()).is_some() {
            sides.push(fio::NAME);
        }
        for topic in Topic::ALL {
            assert!(tables.contains(topic.title()), "{topic}: {tables}");
            for clients in [1, 2] {
                let found = |row: &&Row| topic.has(row) && row.cores == clients;
                let rows: Vec<&Row> = report.rows.iter().filter(found).collect();
                let missing = Over::ALL.into_iter().filter_map(|over| page::missing(topic, over));
                let missing: Vec<String> = missing.collect();
                assert_eq!(rows.len() + missing.len(), sides.len(), "{topic}, {clients}");
                assert!(missing.iter().all(|reason| report.notes.contains(reason)), "{topic}");
                for row in rows {
                    right(row, topic);
                }
            }
        }
    }

    fn right(row: &Row, topic: Topic) {
        let pass = row.pass.as_ref().unwrap();
        assert!(sane(row) && pass.elapsed_s > 0.0, "{row:?}");
        let rate = row.operations_per_second.unwrap();
        let operations = (rate * pass.elapsed_s).round();
        let expected = topic.operations(Over::Directory, 1 << 20, true) * row.cores;
        let Ok(over) = row.provider.parse::<Over>() else { return };
        let differs = over == Over::Repository && topic.bytes() != topic::FILE;
        if !differs || topic == Topic::Stat {
            assert_eq!(operations, expected as f64, "{row:?}");
        }
        let moved = (topic.bytes() * expected) as u64;
        if over != Over::Repository || topic.streams() {
            assert_eq!(pass.input_bytes, moved, "{row:?}");
        }
        let timed = row.latency_ns_p50.is_some();
        assert_eq!(timed, (over, topic) != (Over::Repository, Topic::Create), "{row:?}");
    }

    /// Returns `true` if percentiles are in order.
    fn sane(row: &Row) -> bool {
        let all = [row.latency_ns_min, row.latency_ns_p50, row.latency_ns_p99, row.latency_ns_max];
        all.iter().flatten().is_sorted()
    }

    #[test]
    fn what_cannot_be_measured_is_told() {
        let only = StorageOptions {
            topics: vec![Topic::Delete],
            over: vec![Over::Repository],
            clients: vec![1],
            ..StorageOptions::default()
        };
        let (_place, report, _) = measure(only);
        // fio's deletes are there where fio is.
        match report {
            Ok(report) => assert!(report.rows.iter().all(|row| row.provider == fio::NAME)),
            Err(error) => {
                assert!(error.to_string().contains("delete has no meaning over"), "{error}")
            }
        }
        let full = StorageOptions { over: vec![Over::Directory], ..StorageOptions::default() };
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("directory"), b"").unwrap();
        let options = StorageOptions { directory: place.path().to_owned(), ..full };
        let error = run_storage(&options, &Cpu::detect(), &mut Vec::new()).unwrap_err();
        assert!(error.to_string().starts_with("streaming-read over directory: File exists"));
    }
}
