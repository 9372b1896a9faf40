//! How many operations of each class the core does in a cycle, measured now.

use std::collections::BTreeMap;

use broadloom_lanes::probe::{self, Operation, Probe, Unit};

use super::sys::clock::Clock;

/// Passes of a probe's loop in one timing: some thousand cycles, short enough to fall between two
/// interruptions.
const ITERATIONS: u64 = 200;

/// Operations of each class per cycle of the counter.
///
/// A core that runs faster than its counter ticks does more operations a cycle than it has ports.
#[derive(Debug, Clone, Default)]
pub struct Throughput {
    rates: BTreeMap<(Unit, Operation), f64>,
}

impl Throughput {
    /// Runs every probe that this CPU can run, `repeats` times each in turn, and keeps the best.
    pub fn calibrate(clock: &Clock, repeats: usize) -> Throughput {
        let mut throughput = Throughput::default();
        throughput.refine(clock, repeats);
        throughput
    }

    /// Runs every probe again and keeps what is better than before, so that a limit holds for the
    /// fastest clock seen at any time of the run.
    pub fn refine(&mut self, clock: &Clock, repeats: usize) {
        let probes: Vec<Probe> = probe::probes().collect();
        for _ in 0..repeats.div_ceil(INNER) {
            for probe in &probes {
                for _ in 0..INNER {
                    let (ticks, operations) = clock.time(|| probe.run(ITERATIONS));
                    let rate = operations as f64 / ticks.max(1) as f64;
                    self.set(probe.unit(), probe.operation(), rate);
                }
            }
        }
    }

    /// Records a rate, if it is the best so far.
    pub fn set(&mut self, unit: Unit, operation: Operation, rate: f64) {
        let best = self.rates.entry((unit, operation)).or_insert(rate);
        *best = best.max(rate);
    }

    /// Operations per cycle of a class, or nothing where this CPU has no such operation.
    pub fn get(&self, unit: Unit, operation: Operation) -> Option<f64> {
        self.rates.get(&(unit, operation)).copied()
    }

    /// The highest rate of any class in these registers: what its ports can do together.
    pub fn best(&self, unit: Unit) -> Option<f64> {
        let of_unit = self.rates.iter().filter(|((u, _), _)| *u == unit);
        of_unit.map(|(_, &rate)| rate).reduce(f64::max)
    }

    /// Every class with its rate.
    pub fn iter(&self) -> impl Iterator<Item = (Unit, Operation, f64)> {
        self.rates.iter().map(|(&(unit, operation), &rate)| (unit, operation, rate))
    }
}

/// Timings of a probe in a row: the first of them meets the state that the probe before left.
const INNER: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_better_rate_replaces_one() {
        let mut throughput = Throughput::default();
        throughput.set(Unit::Vec256, Operation::Add, 3.0);
        throughput.set(Unit::Vec256, Operation::Add, 2.0);
        throughput.set(Unit::Vec256, Operation::Shift, 1.5);
        assert_eq!(throughput.get(Unit::Vec256, Operation::Add), Some(3.0));
        assert_eq!(throughput.best(Unit::Vec256), Some(3.0));
        assert_eq!(throughput.get(Unit::Vec512, Operation::Add), None);
        assert_eq!(throughput.best(Unit::Vec512), None);
    }

    #[test]
    fn every_probe_of_this_cpu_gets_a_rate() {
        let throughput = Throughput::calibrate(&Clock::calibrate(), 1);
        for probe in probe::probes() {
            let rate = throughput.get(probe.unit(), probe.operation()).unwrap();
            assert!(rate > 0.0 && rate.is_finite(), "{probe:?}: {rate}");
        }
    }
}
