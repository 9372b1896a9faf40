//! `broadloom-perf packets`: packets a second and cycles a packet, by protocol, frame, flows,
//! burst, call and number of workers, beside peers.
//!
//! All sides work on the same packets in turn. What a side protects is unprotected by a receiving
//! flow and compared with the text before anything is timed, and what it unprotects is compared
//! with the text.

#[cfg(feature = "boringtun")]
mod boringtun;
mod ipsec_mb;
mod kits;
mod libsrtp2;
mod openssl;
mod options;
mod ours;
mod own_path;
pub mod page;
mod protocol;
#[cfg(feature = "rustls")]
mod rustls;
mod side;
mod tables;
mod threads;
mod traffic;

use std::io::Write;
use std::time::{Duration, Instant};

use broadloom_lanes::Cpu;
use broadloom_packets::{Flow, Packet, PacketProcessor};

pub use options::{Call, PacketOptions, PacketPeer, Way};
pub use protocol::Protocol;
pub use traffic::Frames;

use crate::error::PerfError;
use crate::measure::pairing::{ROUNDS, TURN, minimum_and_median};
use crate::measure::sys::clock::Clock;
use crate::measure::sys::machine::Machine;
use crate::report::row::{Report, Row, hundredths};
use options::Case;
use side::{Side, Traffic, check, failed};

/// Packets that are worked on, where flows are few: they stay in the nearest caches.
const WARM: usize = 256;

/// Flows from which on every burst is to meet flows that are in no cache, so that nothing is
/// repeated while it is warm.
const MANY_FLOWS: usize = 16_384;

/// Packets that are worked on where flows are many.
const COLD: usize = 65_536;

/// Measures what the options ask for with the kernels of `cpu`, writes the tables to `out`, and
/// returns the rows.
///
/// # Errors
/// A side's packets are wrong, a side fails, or the tables cannot be written.
pub fn run_packets(
    options: &PacketOptions,
    cpu: &Cpu,
    out: &mut impl Write,
) -> Result<Report, PerfError> {
    let clock = Clock::calibrate();
    let machine = Machine::detect(&clock);
    writeln!(out, "{}, {}, counter at {} MHz", machine.cpu, machine.os, machine.tsc_mhz)?;
    let mut bench = Bench { clock, cpu: cpu.clone(), options: options.clone(), notes: Vec::new() };
    let cases = options.cases()?;
    let mut rows = Vec::new();
    for same in cases.chunk_by(|a, b| (a.protocol, a.flows) == (b.protocol, b.flows)) {
        let measured = same[0].protocol.rows(&mut bench, same)?;
        writeln!(out, "\n{}", tables::table(&measured))?;
        rows.extend(measured);
    }
    for said in tables::findings(&rows).iter().chain(&bench.notes) {
        writeln!(out, "\n{said}")?;
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
    options: PacketOptions,
    notes: Vec<String>,
}

impl Bench {
    /// Says something once.
    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Checks all sides of a case, times them in turn, and returns a row for each.
    fn measure<F: Flow>(
        &self,
        case: &Case,
        traffic: &Traffic<F>,
        sides: &mut [Box<dyn Side + '_>],
    ) -> Result<Vec<Row>, PerfError> {
        let receiver = &mut PacketProcessor::new();
        for side in sides.iter_mut() {
            for piece in 0..traffic.pieces().min(16) {
                side.prepare(piece)?;
                side.run(piece)?;
                verify(case, traffic, &mut **side, piece, receiver)?;
            }
        }
        let pieces = traffic.pieces();
        let mut times = vec![vec![Vec::new(); pieces]; sides.len()];
        let budget = budget(self, traffic);
        let turns = if case.flows >= MANY_FLOWS { 1 } else { TURN };
        let begin = Instant::now();
        let mut round = 0;
        while round < ROUNDS || begin.elapsed() < budget {
            for (side, times) in sides.iter_mut().zip(&mut times) {
                for (piece, times) in times.iter_mut().enumerate() {
                    for _ in 0..turns {
                        side.prepare(piece)?;
                        let (ticks, result) = self.clock.time(|| side.run(piece));
                        result?;
                        times.push(ticks);
                    }
                }
            }
            round += 1;
        }
        let packets = traffic.parcels.len() as f64;
        let bytes: usize = traffic.parcels.iter().map(|parcel| parcel.len).sum();
        let mut rows = Vec::new();
        for (side, times) in sides.iter().zip(&mut times) {
            let (mut minimum, mut median) = (0.0, 0.0);
            for times in times {
                let (shortest, middle) = minimum_and_median(times);
                minimum += shortest / packets;
                median += middle / packets;
            }
            let names = (side.name(), side.kernel());
            rows.push(self.row(case, names, bytes as f64 / packets, minimum, median));
        }
        Ok(rows)
    }

    /// Returns the row of a side with this name and this kernel.
    fn row(
        &self,
        case: &Case,
        (name, kernel): (String, String),
        mean: f64,
        minimum: f64,
        median: f64,
    ) -> Row {
        let (size, workload) = match case.frames {
            Frames::Bytes(len) => (Some(len), None),
            Frames::Imix => (None, Some("imix".to_owned())),
        };
        Row {
            algorithm: case.protocol.algorithm(),
            direction: case.way.to_string(),
            workload,
            size,
            mode: if case.call == Call::Single { "sync" } else { "burst" }.to_owned(),
            burst: if case.call == Call::Single { 1 } else { case.burst },
            cores: case.workers,
            call: (name == "native").then(|| case.call.to_string()),
            provider: name,
            kernel,
            order: "in-order".to_owned(),
            isa: self.cpu.isa().to_string(),
            cache: if case.flows >= MANY_FLOWS { "cold" } else { "warm" }.to_owned(),
            cycles_per_buffer: Some(hundredths(minimum)),
            cycles_per_buffer_median: Some(hundredths(median)),
            gbps: Some(hundredths(mean * 8.0 * self.clock.hertz() / minimum / 1e9)),
            buffer_bytes: hundredths(mean),
            protocol: Some(case.protocol.to_string()),
            frame: Some(case.frames.to_string()),
            flows: Some(case.flows),
            cycles_per_packet: Some(hundredths(minimum)),
            packets_per_second: Some(hundredths(self.clock.hertz() / minimum)),
            ..Row::default()
        }
    }
}

/// Returns how long a case is measured.
fn budget<F: Flow>(bench: &Bench, traffic: &Traffic<F>) -> Duration {
    match (bench.options.quick, traffic.pieces() * traffic.burst >= COLD) {
        (true, _) => Duration::from_millis(100),
        (false, false) => Duration::from_millis(600),
        (false, true) => Duration::from_secs(3),
    }
}

/// Compares what a side has made of a piece with the text.
fn verify<F: Flow>(
    case: &Case,
    traffic: &Traffic<F>,
    side: &mut dyn Side,
    piece: usize,
    receiver: &mut PacketProcessor,
) -> Result<(), PerfError> {
    let (is_text, outputs) = match side.unprotected(piece)? {
        Some(texts) => (true, texts),
        None => (case.way == Way::Unprotect, side.outputs(piece)),
    };
    for (number, mut output) in traffic.piece(piece).zip(outputs) {
        let output = match is_text {
            true => output,
            false => {
                let flow = &*traffic.receive[traffic.parcels[number].flow];
                let len = output.len();
                let mut packet = [Packet::new(flow, &mut output, 0..len)];
                receiver.unprotect_burst(&mut packet);
                check(&packet[0])?;
                packet[0].bytes().to_vec()
            }
        };
        let text = traffic.plain(number);
        let text = &text[traffic.header..];
        // WireGuard's padding stays.
        if output.get(..text.len()) != Some(text) {
            return Err(failed(format!(
                "{}: packet {number} of {} bytes is not the text",
                side.name(),
                text.len()
            )));
        }
    }
    Ok(())
}

/// Returns how many packets are worked on.
fn count(case: &Case) -> usize {
    let least = if case.flows >= MANY_FLOWS { COLD } else { WARM };
    least.max(case.burst).next_multiple_of(case.burst)
}
