//! `broadloom-perf transmit`: source 001's table of what it costs to transmit over TCP, by
//! connections and lengths of writes, for plaintext and for TLS 1.3 by several libraries.
//!
//! Both ends are threads of this process, on cores apart, and what is sent goes over the loopback
//! device. One thread writes to all connections in turn, and the other takes what arrives and drops
//! it. Sides take turns on the same connections: their keys are given, or come from a handshake in
//! memory, so that no connection belongs to one of them. Only TLS in the kernel has connections of
//! its own, as a socket never goes back to plaintext.
//!
//! Before a side is timed, it writes to some connections what is then decrypted and compared.

mod functions;
mod kernel;
mod openssl;
mod options;
pub mod page;
mod paper;
mod records;
#[cfg(feature = "rustls")]
mod rustls;
mod side;
mod tables;
mod wire;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use broadloom_engine::{Placement, pin_to};
use broadloom_lanes::Cpu;
use broadloom_program::descriptors;

pub use options::{By, MAX_CONNECTIONS, MAX_WRITE, TransmitOptions};

use crate::error::PerfError;
use crate::measure::sys::clock::Clock;
use crate::measure::sys::core_times::CoreTimes;
use crate::measure::sys::cpu_time;
use crate::measure::sys::machine::Machine;
use crate::measure::sys::profile::Profiler;
use crate::registry::registry_on;
use crate::report::pass::Pass;
use crate::report::row::{Report, Row, hundredths};
use side::{CHECKED, Plain, Side, wire_len};
use wire::Wire;

/// Passes of which the cheapest counts, and of a quick run.
const PASSES: [usize; 2] = [3, 1];

/// How long a pass sends, and one of a quick run.
const PASS: [Duration; 2] = [Duration::from_millis(400), Duration::from_millis(40)];

/// Writes between two looks at the clock.
const LOOK: usize = 64;

/// Descriptors that this process has beside those of connections.
const OTHERS: u64 = 64;

/// Bytes of the unit that the source counts in.
const KIB: f64 = 1024.0;

/// Measures what the options ask for, writes the tables to `out`, and returns the rows.
///
/// # Errors
/// A side sends something else than what was written, a connection fails, or the tables cannot be
/// written.
pub fn run_transmit(
    options: &TransmitOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let (connections, writes) = (options.connections()?, options.writes()?);
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    let cores = Placement::Spread.assign(2).unwrap_or_else(|_| vec![None; 2]);
    let mut bench = Bench {
        clock,
        cpu: cpu.clone(),
        quick: options.quick,
        sender: cores[0],
        receiver: cores[1],
        notes: Vec::new(),
    };
    let sides = bench.sides(options.by());
    let mut rows = std::thread::scope(|scope| {
        let measure = scope.spawn(|| bench.rows(&connections, &writes, &sides));
        measure.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    rows.sort_by_key(|row| row.size);
    for same in rows.chunk_by(|a, b| a.size == b.size) {
        writeln!(out, "\n{}:\n\n{}", tables::title(same), tables::table(same))?;
    }
    if let Some(functions) = tables::functions(&rows) {
        writeln!(out, "\nFunctions:\n\n{functions}")?;
    }
    for said in tables::findings(&rows).iter().chain(&bench.notes) {
        writeln!(out, "\n{said}")?;
    }
    if rows.is_empty() {
        return Err(PerfError::Nothing(bench.notes.join("; ")));
    }
    let mut report = Report::new(machine, rows);
    report.command = options.command.clone();
    report.notes = bench.notes;
    Ok(report)
}

/// What all cases are measured with.
struct Bench {
    clock: Clock,
    cpu: Cpu,
    quick: bool,
    /// The cores of both ends, where threads can be pinned.
    sender: Option<usize>,
    receiver: Option<usize>,
    notes: Vec<String>,
}

/// One pass of a side.
struct Sent {
    /// Writes.
    writes: u64,
    /// Seconds until all had arrived.
    elapsed: f64,
    /// CPU seconds of the sending thread.
    cpu: f64,
    /// What the sender's core did.
    core: CoreTimes,
}

/// The passes of a side, and where it goes on.
#[derive(Default)]
struct Turns {
    passes: Vec<Sent>,
    next: usize,
    functions: Option<BTreeMap<String, f64>>,
}

impl Bench {
    /// Says something once.
    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Leaves out the sides that this machine or this program does not have.
    fn sides(&mut self, asked: Vec<By>) -> Vec<By> {
        let absent = |by| match by {
            By::KernelTls => kernel::probe().err(),
            By::Rustls if !cfg!(feature = "rustls") => {
                Some("this program was built without its feature rustls".to_owned())
            }
            _ => None,
        };
        let mut there = Vec::new();
        for by in asked {
            match absent(by) {
                Some(reason) => self.note(format!("{by} is not measured: {reason}")),
                None => there.push(by),
            }
        }
        there
    }

    /// Measures all cases, on a thread of its own that stays on one core.
    fn rows(
        &mut self,
        connections: &[usize],
        writes: &[usize],
        sides: &[By],
    ) -> Result<Vec<Row>, PerfError> {
        match (self.sender.map(pin_to), self.sender, self.receiver) {
            (Some(Ok(())), Some(sender), Some(receiver)) if sender != receiver => {
                self.note(format!(
                    "the sender is on core {sender} and the receiver on core {receiver}; user, \
                     system, interrupt and idle time are those of core {sender} in /proc/stat, \
                     with what other programs do there, and cycles are the sending thread's CPU \
                     time by the counter"
                ));
            }
            (Some(Ok(())), ..) => self.note("both ends share the only core".to_owned()),
            _ => self.note(
                "threads cannot be pinned on this system: both ends may run on any core".to_owned(),
            ),
        }
        let mut profiler = match Profiler::new() {
            Ok(profiler) => Some(profiler),
            Err(reason) => {
                self.note(format!(
                    "the shares of the kernel's functions were not measured: {reason}"
                ));
                None
            }
        };
        let most = connections.iter().copied().max().unwrap_or(1);
        let descriptors = descriptors::raise(2 * most as u64 + OTHERS);
        let room = room(descriptors);
        let (own, shared): (Vec<By>, Vec<By>) = sides.iter().partition(|by| **by == By::KernelTls);
        let mut rows = Vec::new();
        for &count in connections {
            if count > room {
                self.note(format!(
                    "{count} connections are not measured: they need {} descriptors, and this \
                     process may have {descriptors}, which is enough for {room} connections",
                    2 * count as u64 + OTHERS,
                ));
                continue;
            }
            for sides in [&shared, &own].into_iter().filter(|sides| !sides.is_empty()) {
                rows.extend(self.measure(count, writes, sides, profiler.as_mut())?);
            }
        }
        Ok(rows)
    }

    /// Measures all writes of some sides on one set of connections.
    fn measure(
        &mut self,
        connections: usize,
        writes: &[usize],
        sides: &[By],
        mut profiler: Option<&mut Profiler>,
    ) -> Result<Vec<Row>, PerfError> {
        let wire = Wire::open(connections, self.receiver)?;
        let registry = registry_on(&self.cpu);
        let mut open: Vec<Box<dyn Side + '_>> = Vec::new();
        for &by in sides {
            let streams = wire.streams();
            let side: Result<Box<dyn Side + '_>, PerfError> = match by {
                By::Plain => Ok(Box::new(Plain(streams))),
                By::Records => {
                    records::Records::new(&registry, streams).map(|side| Box::new(side) as _)
                }
                By::OpenSsl => openssl::OpenSsl::new(streams).map(|side| Box::new(side) as _),
                By::KernelTls => {
                    kernel::KernelTls::new(&registry, streams).map(|side| Box::new(side) as _)
                }
                #[cfg(feature = "rustls")]
                By::Rustls => rustls::Rustls::new(streams).map(|side| Box::new(side) as _),
                #[cfg(not(feature = "rustls"))]
                By::Rustls => continue,
            };
            match side {
                Ok(side) => open.push(side),
                // Of ours, nothing is left out in silence.
                Err(error) if by == By::OpenSsl => {
                    self.note(format!("{by} is not measured: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        // All of it comes first, as the receiving ends do not read what is timed.
        for &write in writes {
            open.iter_mut().try_for_each(|side| verify(&wire, &mut **side, &text(write)))?;
        }
        let mut rows = Vec::new();
        for &write in writes {
            let text = text(write);
            let mut turns: Vec<Turns> = open.iter().map(|_| Turns::default()).collect();
            for _ in 0..PASSES[usize::from(self.quick)] {
                for (side, turns) in open.iter_mut().zip(&mut turns) {
                    let sent = self.pass(&wire, &mut **side, &text, &mut turns.next)?;
                    turns.passes.push(sent);
                }
            }
            if let Some(profiler) = profiler.as_deref_mut() {
                for (side, turns) in open.iter_mut().zip(&mut turns) {
                    let mut done = Ok(());
                    let stacks = profiler.stacks(|| {
                        let sent = self.pass(&wire, &mut **side, &text, &mut turns.next);
                        done = sent.map(drop);
                    });
                    done?;
                    turns.functions = Some(functions::shares(&stacks.map_err(failed)?));
                }
            }
            for (side, turns) in open.iter().zip(turns) {
                rows.push(self.row(connections, write, &**side, turns));
            }
        }
        Ok(rows)
    }

    /// Sends for a while, and waits until all has arrived.
    fn pass(
        &self,
        wire: &Wire,
        side: &mut dyn Side,
        text: &[u8],
        next: &mut usize,
    ) -> Result<Sent, PerfError> {
        let (connections, before) = (wire.streams().len(), wire.arrived());
        let core = || self.sender.and_then(CoreTimes::of).unwrap_or_default();
        let (core_before, cpu_before, begin) = (core(), cpu_time::of_thread(), Instant::now());
        let mut writes = 0;
        while begin.elapsed() < PASS[usize::from(self.quick)] {
            let end = connections.min(*next + LOOK);
            side.write(*next..end, text)?;
            writes += (end - *next) as u64;
            *next = end % connections;
        }
        let cpu = cpu_time::of_thread().saturating_sub(cpu_before);
        wire.wait(before + writes * wire_len(side.by(), text.len()) as u64)?;
        Ok(Sent {
            writes,
            elapsed: begin.elapsed().as_secs_f64(),
            cpu: cpu.as_secs_f64(),
            core: core() - core_before,
        })
    }

    /// Returns the row of a side's passes.
    fn row(&self, connections: usize, write: usize, side: &dyn Side, turns: Turns) -> Row {
        let Turns { mut passes, functions, .. } = turns;
        let core: CoreTimes = passes.iter().map(|pass| pass.core).sum();
        let elapsed = |pass: &Sent| pass.elapsed / pass.writes as f64;
        let cpu = |pass: &Sent| pass.cpu / pass.writes as f64;
        let mut times: Vec<f64> = passes.iter().map(elapsed).collect();
        times.sort_unstable_by(f64::total_cmp);
        passes.sort_unstable_by(|a, b| cpu(a).total_cmp(&cpu(b)));
        let (best, middle) = (&passes[0], &passes[passes.len() / 2]);
        let cycles = |pass: &Sent| cpu(pass) * self.clock.hertz();
        let by = side.by();
        let part = |index: usize| core.parts().map(|parts| (parts[index] * 1e4).round() / 1e4);
        Row {
            algorithm: if by == By::Plain { "none" } else { "aes-128-gcm" }.to_owned(),
            direction: "transmit".to_owned(),
            size: Some(write),
            mode: if by == By::Records { "burst" } else { "sync" }.to_owned(),
            burst: side.burst(write),
            cores: 1,
            provider: by.provider().to_owned(),
            call: (by == By::Records).then(|| "burst".to_owned()),
            kernel: side.kernel(),
            order: "in-order".to_owned(),
            isa: self.cpu.isa().to_string(),
            cache: "warm".to_owned(),
            cycles_per_buffer: Some(hundredths(cycles(best))),
            cycles_per_buffer_median: Some(hundredths(cycles(middle))),
            gbps: Some(hundredths(write as f64 * 8.0 / times[0] / 1e9)),
            buffer_bytes: write as f64,
            protocol: Some(if by == By::Plain { "tcp" } else { "tls13-aes-128-gcm" }.to_owned()),
            flows: Some(connections),
            cycles_per_kib: Some(hundredths(cycles(best) * KIB / write as f64)),
            user_part: part(0),
            system_part: part(1),
            interrupt_part: part(2),
            idle_part: part(3),
            functions,
            pass: Some(Pass {
                figure: "transmit".to_owned(),
                threads: 1,
                input_bytes: best.writes * write as u64,
                elapsed_s: best.elapsed,
                elapsed_s_median: middle.elapsed,
                cpu_s: best.cpu,
                cpu_s_median: middle.cpu,
                passes: passes.len(),
                ..Pass::default()
            }),
            ..Row::default()
        }
    }
}

/// Returns how many connections can be open, both ends of each, with so many descriptors.
fn room(descriptors: u64) -> usize {
    usize::try_from(descriptors.saturating_sub(OTHERS) / 2).unwrap_or(usize::MAX)
}

/// Returns what is written, the same in every run.
fn text(write: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(0x7478);
    (0..write).map(|_| random.u8(..)).collect()
}

/// Has a side write twice to some connections, and compares what arrives with what was written.
fn verify(wire: &Wire, side: &mut dyn Side, text: &[u8]) -> Result<(), PerfError> {
    let count = wire.streams().len().min(CHECKED);
    let bytes = 2 * count * wire_len(side.by(), text.len());
    let arrived = wire.keep(|| {
        side.write(0..count, text)?;
        side.write(0..count, text)?;
        Ok(bytes as u64)
    })?;
    for (connection, arrived) in arrived.into_iter().take(count).enumerate() {
        if side.text(connection, arrived)? != [text, text].concat() {
            return Err(failed(format!(
                "what {} sends on connection {connection} is not what was written",
                side.by()
            )));
        }
    }
    Ok(())
}

/// Returns the error of something that failed.
fn failed(reason: impl ToString) -> PerfError {
    PerfError::Provider { spec: "transmit".to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_connection_need_a_descriptor() {
        assert_eq!([0, OTHERS, OTHERS + 1, 1024, 20_000].map(room), [0, 0, 0, 480, 9968]);
        assert!(room(u64::MAX) >= MAX_CONNECTIONS);
    }
}
