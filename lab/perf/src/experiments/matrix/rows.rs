//! Figures turned into rows.

use broadloom_engine::Algorithm;

use super::case::Case;
use super::crew::Runs;
use super::memory::Memory;
use super::side::Side;
use crate::measure::calibrate::Throughput;
use crate::measure::limit;
use crate::measure::pairing::Figures;
use crate::measure::sys::clock::Clock;
use crate::measure::workload::Workload;
use crate::measure::workset::Workset;
use crate::names::Order;
use crate::report::row::{Row, hundredths};

/// The keys of a row that say what was asked for.
pub fn asked(case: &Case, side: &Side, runs: &Runs, workset: &Workset) -> Row {
    let size = match case.load {
        Workload::Size(bytes) => Some(bytes),
        _ => None,
    };
    Row {
        kind: Some(case.kind),
        algorithm: case.algorithm.to_string(),
        direction: case.direction.to_string(),
        workload: case.load.name(),
        size,
        mode: case.pace.mode().to_owned(),
        outstanding: case.pace.outstanding(),
        burst: case.pace.burst(),
        cores: case.cores,
        call: Some(case.pace.call().to_string()),
        session: Some(case.sharing.to_string()),
        kernel: runs.kernel.clone(),
        peer_call: runs.peer_call.map(str::to_owned),
        order: Order::OutOfOrder.to_string(),
        cache: case.cache.to_string(),
        buffer_bytes: hundredths(workset.mean_len(0..workset.len())),
        ..side.row()
    }
}

/// Adds a throughput, and the limit where the operations are counted.
pub fn with_throughput(
    row: Row,
    figures: Figures,
    workset: &Workset,
    clock: &Clock,
    calibrated: &Throughput,
    side: &Side,
) -> Row {
    let bits = workset.mean_len(0..workset.len()) * 8.0;
    let limit = side.allowed().and_then(|allowed| match workset.algorithm() {
        Algorithm::PublicKey(algorithm) => {
            let direction = row.direction.parse().ok()?;
            limit::of_public_key(algorithm, direction, allowed, calibrated)
        }
        _ => limit::per_buffer(workset, allowed, calibrated),
    });
    let cores = row.cores as f64;
    Row {
        cycles_per_buffer: Some(hundredths(figures.minimum)),
        cycles_per_buffer_median: Some(hundredths(figures.median)),
        operations_per_second: matches!(workset.algorithm(), Algorithm::PublicKey(_))
            .then(|| hundredths(clock.hertz() / figures.minimum)),
        gbps: Some(hundredths(bits * clock.hertz() / figures.minimum / 1e9)),
        limit_cycles_per_buffer: limit.as_ref().map(|(cycles, _)| hundredths(cycles / cores)),
        limit_by: limit.map(|(_, by)| by),
        ..row
    }
}

/// Adds the latencies of all jobs, given in ticks.
pub fn with_latency(row: Row, mut ticks: Vec<u64>, clock: &Clock) -> Row {
    ticks.sort_unstable();
    let nanoseconds = |ticks: f64| hundredths(ticks / clock.hertz() * 1e9);
    // The time within which so many of a hundred came back.
    let within = |percent: usize| {
        let rank = (ticks.len() * percent).div_ceil(100).max(1);
        ticks.get(rank - 1).map(|&ticks| nanoseconds(ticks as f64))
    };
    let mean = ticks.iter().map(|&ticks| ticks as f64).sum::<f64>() / ticks.len().max(1) as f64;
    Row {
        latency_ns_min: ticks.first().map(|&ticks| nanoseconds(ticks as f64)),
        latency_ns_mean: (!ticks.is_empty()).then(|| nanoseconds(mean)),
        latency_ns_p50: within(50),
        latency_ns_p99: within(99),
        latency_ns_max: within(100),
        ..row
    }
}

/// Adds the memory of a session.
pub fn with_memory(row: Row, memory: &Memory) -> Row {
    Row {
        session_bytes: Some(hundredths(memory.session)),
        queue_pair_bytes: Some(hundredths(memory.queue_pair)),
        ..row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_samples() {
        let clock = Clock::calibrate();
        let second = clock.hertz();
        let ticks = (1..=200).rev().map(|n| (n as f64 * second / 1e6) as u64).collect();
        let row = with_latency(Row::default(), ticks, &clock);
        let microseconds = |ns: Option<f64>| (ns.unwrap() / 1e3).round();
        let figures =
            [row.latency_ns_min, row.latency_ns_p50, row.latency_ns_p99, row.latency_ns_max];
        assert_eq!(figures.map(microseconds), [1.0, 100.0, 198.0, 200.0]);
        assert!((row.latency_ns_mean.unwrap() - 100_500.0).abs() < 10.0, "{row:?}");
        let one = with_latency(Row::default(), vec![7], &clock);
        assert_eq!(one.latency_ns_min, one.latency_ns_p99);
        assert_eq!(with_latency(Row::default(), Vec::new(), &clock), Row::default());
    }
}
