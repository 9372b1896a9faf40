//! One algorithm through all its workloads: contenders made, compared, timed, turned into rows.

use std::time::Duration;

use broadloom_engine::Algorithm;
use broadloom_lanes::Cpu;

use super::direct::Direct;
use super::native::{self, Keys};
use crate::error::PerfError;
use crate::measure::calibrate::Throughput;
use crate::measure::contender::{Contender, check_agreement};
use crate::measure::course::Course;
use crate::measure::limit::{self, Allowed};
use crate::measure::pairing::{Figures, Plan, ROUNDS, measure};
use crate::measure::peers::Found;
use crate::measure::peers::buffers::Buffers;
use crate::measure::sys::clock::Clock;
use crate::measure::workload::Workload;
use crate::measure::workset::{Outputs, Workset};
use crate::names::{Cache, Mode, Order, Provider};
use crate::report::row::{Row, hundredths};

/// Decides buffers, keys and IVs: the same in every run.
const SEED: u64 = 0x0b0a_d100;

/// Jobs handed over in a call of a stream.
const STREAM_BURST: usize = 1;

/// Submissions of a stream between two readings of the clock.
const STREAM_PIECE: usize = 64;

/// A stream's buffers stay within this many bytes, so that warm means a near cache.
const STREAM_BYTES: usize = 256 << 10;

/// Length of the buffers that show what the kernel alone takes, in bytes.
const LONG: usize = 8192;

/// The sides that can take part.
pub struct Offer<'a> {
    /// The CPU, held to an instruction set.
    pub cpu: &'a Cpu,
    /// The peers that are there and asked for.
    pub peers: &'a [Found],
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// What is done to the buffers.
    pub algorithm: Algorithm,
    /// Which way.
    pub course: Course,
    /// Where the buffers are.
    pub cache: Cache,
    /// The orders to compare in.
    pub orders: &'a [Order],
}

/// What it is measured with.
pub struct Bench<'a> {
    /// CPU features that the lanes do without.
    pub without: Option<String>,
    /// `true` if bursts alone are measured.
    pub summary: bool,
    /// Is told of each measurement before it begins.
    pub begin: &'a mut dyn FnMut(&str),
    /// The counter.
    pub clock: &'a Clock,
    /// The calibration, which gets better as the run goes on.
    pub throughput: &'a mut Throughput,
    /// What the limits of the lanes may count on.
    pub allowed: Allowed,
    /// Time for each measurement.
    pub budget: Duration,
    /// What the reader should know besides the figures, each said once.
    pub notes: Vec<String>,
}

/// A contender's figures, and whose they are.
struct Entry {
    provider: Provider,
    kernel: String,
    figures: Figures,
}

/// Bursts in a set: enough of a mix that its mean settles, few where all buffers are alike.
fn burst_count(workload: &Workload, burst: usize) -> usize {
    if workload.is_fixed() { (64 / burst).max(4) } else { (1024 / burst).max(8) }
}

/// Buffers of a stream: as many whole pieces as stay within [`STREAM_BYTES`], up to sixteen.
fn stream_count(workload: &Workload, algorithm: Algorithm) -> usize {
    let sample = workload.lengths(algorithm, 1000, SEED);
    let mean = sample.iter().sum::<usize>() / sample.len();
    let pieces = STREAM_BYTES / mean.max(1) / STREAM_PIECE;
    pieces.clamp(1, 16) * STREAM_PIECE
}

impl Bench<'_> {
    /// Measures every workload, in bursts and, unless it is a summary, streamed. Returns the rows.
    ///
    /// # Errors
    /// Two providers disagree, or one fails.
    pub fn run(
        &mut self,
        offer: &Offer<'_>,
        case: &Case<'_>,
        workloads: &[Workload],
        bursts: &[usize],
    ) -> Result<Vec<Row>, PerfError> {
        let mut rows = Vec::new();
        for workload in workloads {
            for &burst in bursts {
                rows.extend(self.bursts(offer, case, workload, burst)?);
            }
        }
        if self.summary {
            return Ok(rows);
        }
        let kernel = self.kernel_cycles(offer, case)?;
        for workload in workloads {
            rows.extend(self.stream(offer, case, workload, kernel)?);
        }
        Ok(rows)
    }

    fn bursts(
        &mut self,
        offer: &Offer<'_>,
        case: &Case<'_>,
        workload: &Workload,
        burst: usize,
    ) -> Result<Vec<Row>, PerfError> {
        (self.begin)(&format!("workload {workload}, bursts of {burst}"));
        let count = burst * burst_count(workload, burst);
        let workset = Workset::new(workload, case.algorithm, count, SEED);
        let entries = self.entries(
            offer,
            case,
            &workset,
            // A burst goes through no manager, whichever is made.
            &[Direct::try_from(case.algorithm)?.usual_order()],
            &self.plan(Mode::Burst, burst, case.cache),
        )?;
        let mut rows = Vec::new();
        for entry in &entries {
            for &order in case.orders {
                rows.push(self.row(
                    offer,
                    case,
                    workload,
                    &workset,
                    Mode::Burst,
                    burst,
                    order,
                    entry,
                ));
            }
        }
        Ok(rows)
    }

    fn stream(
        &mut self,
        offer: &Offer<'_>,
        case: &Case<'_>,
        workload: &Workload,
        kernel: f64,
    ) -> Result<Vec<Row>, PerfError> {
        (self.begin)(&format!("workload {workload}, streamed"));
        let count = stream_count(workload, case.algorithm);
        let workset = Workset::new(workload, case.algorithm, count, SEED);
        // Both managers in the same turns: what order costs is their difference.
        let managers = [Order::OutOfOrder, Order::InOrder];
        let plan = self.plan(Mode::Stream, STREAM_PIECE, case.cache);
        let entries = self.entries(offer, case, &workset, &managers, &plan)?;
        let mut rows = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let orders = managers.get(index).map_or(case.orders, std::slice::from_ref);
            for &order in orders {
                let mut row = self.row(
                    offer,
                    case,
                    workload,
                    &workset,
                    Mode::Stream,
                    STREAM_BURST,
                    order,
                    entry,
                );
                if entry.provider == Provider::Native {
                    let cycles = kernel * limit::mean_blocks(&workset);
                    row.kernel_cycles_per_buffer = Some(hundredths(cycles));
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Cycles of one block where nothing but the kernel matters: bursts of long buffers of one
    /// length, which keep all lanes full to the end.
    fn kernel_cycles(&mut self, offer: &Offer<'_>, case: &Case<'_>) -> Result<f64, PerfError> {
        (self.begin)("the kernel alone");
        let count = STREAM_BYTES / LONG;
        let workset = Workset::of_lengths(case.algorithm, &vec![LONG; count], SEED);
        let alone = Offer { peers: &[], ..*offer };
        let plan = self.plan(Mode::Burst, count, Cache::Warm);
        let direct = Direct::try_from(case.algorithm)?;
        let entries = self.entries(&alone, case, &workset, &[direct.usual_order()], &plan)?;
        Ok(entries[0].figures.minimum / limit::mean_blocks(&workset))
    }

    fn plan(&self, mode: Mode, piece: usize, cache: Cache) -> Plan {
        Plan { mode, piece, cache, rounds: ROUNDS, budget: self.budget }
    }

    /// Makes the contenders (`native` once for each of `managers`, first), has them agree, and
    /// times them.
    fn entries(
        &mut self,
        offer: &Offer<'_>,
        case: &Case<'_>,
        workset: &Workset,
        managers: &[Order],
        plan: &Plan,
    ) -> Result<Vec<Entry>, PerfError> {
        let keys = Keys::expand(workset)?;
        let mut outputs: Vec<Outputs> = managers.iter().map(|_| Outputs::new(workset)).collect();
        let mut contenders: Vec<Box<dyn Contender + '_>> = outputs
            .iter_mut()
            .zip(managers)
            .map(|(outputs, &order)| {
                native::contender(offer.cpu, workset, &keys, outputs, case.course, order)
            })
            .collect::<Result<_, _>>()?;
        for peer in offer.peers {
            match peer.seat(Buffers::apart(workset, case.course))? {
                Ok(contender) => contenders.push(contender),
                Err(absent) => self.note(absent.to_string()),
            }
        }
        check_agreement(&mut contenders, workset, case.course, plan.piece)?;
        self.throughput.refine(self.clock, 32);
        let figures = measure(&mut contenders, workset, plan, self.clock)?;
        let entries = contenders.iter().zip(figures).map(|(contender, figures)| Entry {
            provider: contender.provider(),
            kernel: contender.kernel(),
            figures,
        });
        Ok(entries.collect())
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a row has this many keys")]
    fn row(
        &self,
        offer: &Offer<'_>,
        case: &Case<'_>,
        workload: &Workload,
        workset: &Workset,
        mode: Mode,
        burst: usize,
        order: Order,
        entry: &Entry,
    ) -> Row {
        let bytes = workset.mean_len(0..workset.len());
        let Figures { minimum, median } = entry.figures;
        let native = entry.provider == Provider::Native;
        let allowed = if native { self.allowed } else { Allowed::by_machine() };
        let limit = limit::per_buffer(workset, allowed, self.throughput);
        let size = match workload {
            Workload::Size(bytes) => Some(*bytes),
            _ => None,
        };
        Row {
            algorithm: case.algorithm.to_string(),
            direction: case.course.to_string(),
            workload: workload.name(),
            size,
            mode: mode.to_string(),
            burst,
            cores: 1,
            provider: entry.provider.to_string(),
            without: self.without.clone().filter(|_| native),
            kernel: entry.kernel.clone(),
            order: order.to_string(),
            isa: offer.cpu.isa().to_string(),
            cache: case.cache.to_string(),
            cycles_per_buffer: Some(hundredths(minimum)),
            cycles_per_buffer_median: Some(hundredths(median)),
            gbps: Some(hundredths(bytes * 8.0 * self.clock.hertz() / minimum / 1e9)),
            limit_cycles_per_buffer: limit.as_ref().map(|(cycles, _)| hundredths(*cycles)),
            limit_by: limit.map(|(_, by)| by),
            buffer_bytes: hundredths(bytes),
            ..Row::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_whole_bursts_and_streams_stay_in_a_near_cache() {
        assert_eq!(burst_count(&Workload::Uniform, 64), 16);
        assert_eq!(burst_count(&Workload::Uniform, 256), 8);
        assert_eq!(burst_count(&Workload::Large, 64), 4);
        let algorithm = "hmac-sha1".parse().unwrap();
        for workload in Workload::PAPER {
            let count = stream_count(&workload, algorithm);
            assert_eq!(count % STREAM_PIECE, 0);
            let lengths = workload.lengths(algorithm, count, SEED);
            assert!(lengths.iter().sum::<usize>() < STREAM_BYTES * 5 / 4, "{workload}: {count}");
        }
        assert_eq!(stream_count(&Workload::Small, algorithm), 1024);
        assert_eq!(stream_count(&Workload::Size(60_000), algorithm), STREAM_PIECE);
    }
}
