//! `broadloom-perf stalls`: ciphers that wait for memory, as two articles at Sun wrote them.
//!
//! | figure | source | what |
//! |---|---|---|
//! | [`Topic::Rc4`] | 001 | three ways of writing RC4's loop, and four buffers side by side |
//! | [`Topic::Kasumi`] | 004 | KASUMI by small tables, by large tables, and in bitsliced lanes |
//!
//! Everything that is measured ciphers the same buffers, on one thread and on as many as there are
//! cores, and takes turns in one process. All results are compared beforehand. The addresses that
//! this code reads depend on keys, so no secret belongs here; what is to be used is in
//! `broadloom-lanes`.

mod kasumi;
pub mod page;
mod rc4;
mod tables;
mod topic;
mod turns;

use std::io::Write;

use broadloom_engine::{Algorithm, CipherAlgorithm, Direction};
use broadloom_lanes::Cpu;

pub use topic::Topic;

use crate::error::PerfError;
use crate::experiments::options::or_usual;
use crate::measure::pairing::minimum_and_median;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::report::row::{Report, Row, hundredths};
use turns::{Turns, Way};

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct StallOptions {
    /// The figures; empty: all.
    pub topics: Vec<Topic>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// Whether to spend less time, for figures that are less steady.
    pub quick: bool,
}

/// How much a figure ciphers.
struct Load {
    /// Buffers of each thread.
    buffers: usize,
    /// Bytes of a buffer.
    len: usize,
    /// Turns of each way, and of a quick run.
    turns: [usize; 2],
}

/// Measures what the options ask for with the kernels of `cpu`, writes the tables to `out`, and
/// returns the rows.
///
/// # Errors
/// Two ways disagree, or the tables cannot be written.
pub fn run_stalls(
    options: &StallOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    let mut topics = or_usual(&options.topics, &Topic::ALL);
    topics.sort_unstable();
    topics.dedup();
    let mut rows = Vec::new();
    for topic in topics {
        let mut measured = Vec::new();
        let mut counts = vec![1, machine.cores.max(1)];
        counts.dedup();
        for threads in counts {
            measured.extend(match topic {
                Topic::Rc4 => measure(topic, threads, options.quick, cpu, &clock, rc4::ways)?,
                Topic::Kasumi => measure(topic, threads, options.quick, cpu, &clock, kasumi::ways)?,
            });
        }
        writeln!(out, "\n{}:\n\n{}", topic.title(), tables::table(&measured))?;
        for said in tables::findings(topic, &measured) {
            writeln!(out, "\n{said}")?;
        }
        rows.extend(measured);
    }
    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    Ok(report)
}

/// Times all ways of a figure in turn on some threads.
fn measure(
    topic: Topic,
    threads: usize,
    quick: bool,
    cpu: &Cpu,
    clock: &Clock,
    ways: fn(&Cpu) -> Vec<Way>,
) -> Result<Vec<Row>, PerfError> {
    let load = topic.load();
    let turns = load.turns[usize::from(quick)];
    let Turns { names, mut times, results } =
        turns::take(threads, load.buffers, load.len, turns, || ways(cpu));
    let algorithm = match topic {
        Topic::Rc4 => CipherAlgorithm::Rc4,
        Topic::Kasumi => CipherAlgorithm::KasumiF8,
    };
    if let Some(wrong) = results.iter().position(|result| *result != results[0]) {
        let differs = |buffer: &usize| results[wrong][*buffer] != results[0][*buffer];
        return Err(PerfError::Mismatch {
            algorithm: Algorithm::Cipher(algorithm),
            direction: Direction::Encrypt,
            first: names[0].kernel.clone(),
            second: names[wrong].kernel.clone(),
            buffer: (0..load.buffers).find(differs).unwrap_or_default(),
            len: load.len,
        });
    }
    let cycles = |nanoseconds: f64| {
        hundredths(nanoseconds * 1e-9 * clock.hertz() / (threads * load.buffers) as f64)
    };
    let rows = names.into_iter().zip(&mut times).map(|(name, times)| {
        let (minimum, median) = minimum_and_median(times);
        let bits = (threads * load.buffers * load.len * 8) as f64;
        Row {
            algorithm: Algorithm::Cipher(algorithm).to_string(),
            direction: Direction::Encrypt.to_string(),
            size: Some(load.len),
            mode: "burst".to_owned(),
            burst: load.buffers,
            cores: threads,
            provider: name.provider.to_owned(),
            options: name.options.map(str::to_owned),
            kernel: name.kernel,
            order: "in-order".to_owned(),
            isa: cpu.isa().to_string(),
            cache: "warm".to_owned(),
            cycles_per_buffer: Some(cycles(minimum)),
            cycles_per_buffer_median: Some(cycles(median)),
            // A slow cipher does less than a tenth of a bit in a nanosecond.
            gbps: Some((bits / minimum * 1e4).round() / 1e4),
            buffer_bytes: load.len as f64,
            ..Row::default()
        }
    });
    Ok(rows.collect())
}
