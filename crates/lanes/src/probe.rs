//! Loops of one operation class each, which calibrate the throughput of a core.
//!
//! A limit in cycles is an operation count divided by a throughput, and throughputs differ between
//! machines and between minutes. The loops run only independent operations of one class, in inline
//! assembly, so that no compiler can fold them. They use no clock: a caller that has one times
//! [`Probe::run`] and divides.
//!
//! Twelve registers are written in turn (eight general ones). Where an instruction also reads the
//! register that it writes, there are as many chains, which covers the latency of every class at
//! its throughput. The initial contents of the registers do not matter: none of these operations
//! takes longer for some values than for others.

use crate::arch;
use crate::features::Features;

pub use crate::loops::{Operation, Probe, Unit};

/// Returns the probes that this CPU and its system can run.
pub fn probes() -> impl Iterator<Item = Probe> {
    let usable = Features::usable(&arch::detect());
    arch::probes()
        .iter()
        .filter(move |(needs, _)| usable.have(*needs))
        .flat_map(|(_, probes)| probes.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::OPERATIONS;

    #[test]
    fn every_probe_counts_what_it_runs() {
        for probe in probes() {
            assert_eq!(probe.run(3), 3 * OPERATIONS, "{probe:?}");
            assert_eq!(probe.run(0), OPERATIONS, "{probe:?}");
        }
    }

    #[test]
    fn no_probe_is_listed_twice() {
        let all = || probes().map(|probe| (probe.unit(), probe.operation()));
        for (index, pair) in all().enumerate() {
            assert_eq!(all().position(|other| other == pair), Some(index), "{pair:?}");
        }
    }

    #[test]
    fn the_base_classes_are_always_there() {
        if arch::probes().is_empty() {
            return;
        }
        for wanted in [
            (Unit::Scalar, Operation::Mixed),
            (Unit::Vec128, Operation::Mixed),
            (Unit::Vec128, Operation::Shift64),
        ] {
            assert!(
                probes().any(|probe| (probe.unit(), probe.operation()) == wanted),
                "{wanted:?}"
            );
        }
    }
}
