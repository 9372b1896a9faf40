//! Which of the source's numbers stands beside a row.

use super::super::topic::Topic;
use super::paper;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// Source 003's numbers for what a row measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Beside {
    /// Elapsed seconds for 2^30 bytes.
    pub elapsed: Option<f64>,
    /// CPU seconds for 2^30 bytes.
    pub cpu: Option<f64>,
    /// Compressed bytes as a part of the uncompressed ones.
    pub ratio: Option<f64>,
}

/// Returns what the source states about the same figure, with as many threads and jobs outstanding.
/// It knows zlib and one device.
pub fn beside(row: &Row, pass: &Pass) -> Beside {
    let Ok(topic) = pass.figure.parse::<Topic>() else { return Beside::default() };
    let outstanding = row.outstanding.unwrap_or(1);
    let threads = pass.threads;
    let at = |points: paper::Points, x: usize| {
        points.iter().find(|point| point.0 == x).map(|point| point.1)
    };
    let elapsed = |value| Beside { elapsed: value, ..Beside::default() };
    let both = |elapsed, cpu| Beside { elapsed, cpu, ratio: None };
    match (topic, row.provider.as_str()) {
        // The source's device; which software comes near it is of interest.
        (Topic::Ratio, _) if pass.chunk == Some(paper::RATIO_DEVICE.0) => {
            Beside { ratio: Some(paper::RATIO_DEVICE.1), ..Beside::default() }
        }
        (Topic::Ratio, "zlib") if is_one_chunk(pass) => {
            Beside { ratio: Some(paper::RATIO_ZLIB.1), ..Beside::default() }
        }
        (Topic::Threads, "zlib") => elapsed(at(paper::THREADS_ELAPSED, threads)),
        (Topic::Sync, "zlib") => elapsed(Some(paper::SOFTWARE_ELAPSED)),
        (Topic::Sync, "emulated") => elapsed(Some(paper::SYNC_ELAPSED)),
        (Topic::Models, "zlib") => elapsed(at(paper::THREADS_ELAPSED, threads)),
        (Topic::Models, "emulated") if threads == 1 && outstanding > 1 => both(
            at(paper::OUTSTANDING_ELAPSED, outstanding),
            at(paper::OUTSTANDING_CPU, outstanding),
        ),
        (Topic::SyncThreads | Topic::Models, "emulated") if outstanding == 1 => {
            both(at(paper::SYNC_THREADS_ELAPSED, threads), at(paper::SYNC_THREADS_CPU, threads))
        }
        (Topic::Outstanding, "emulated") if threads == 1 => both(
            at(paper::OUTSTANDING_ELAPSED, outstanding),
            at(paper::OUTSTANDING_CPU, outstanding),
        ),
        _ => Beside::default(),
    }
}

fn is_one_chunk(pass: &Pass) -> bool {
    pass.chunk.is_some_and(|chunk| chunk as u64 >= pass.input_bytes)
}

#[cfg(test)]
mod tests {
    use super::super::samples::pass;
    use super::*;

    fn numbers(row: Row) -> (Option<f64>, Option<f64>, Option<f64>) {
        let Beside { elapsed, cpu, ratio } = beside(&row, row.pass.as_ref().unwrap());
        (elapsed, cpu, ratio)
    }

    #[test]
    fn only_what_the_source_states_stands_beside_a_row() {
        let at = |topic, provider, threads, outstanding| {
            numbers(pass(topic, provider, threads, outstanding, 1.0, 1.0))
        };
        assert_eq!(at(Topic::Outstanding, "emulated", 1, 24), (Some(0.73), Some(1.7), None));
        assert_eq!(at(Topic::Outstanding, "emulated", 1, 16), (None, None, None));
        assert_eq!(at(Topic::SyncThreads, "emulated", 11, 1), (None, Some(10.0), None));
        assert_eq!(at(Topic::Threads, "zlib", 16, 1), (Some(1.41), None, None));
        assert_eq!(at(Topic::Threads, "isal", 16, 1), (None, None, None));
        assert_eq!(at(Topic::Sync, "emulated", 1, 1), (Some(6.3), None, None));
        assert_eq!(at(Topic::Models, "emulated", 16, 1), (Some(0.9), None, None));
        assert_eq!(at(Topic::Models, "emulated", 1, 24), (Some(0.73), Some(1.7), None));
        assert_eq!(at(Topic::Ratio, "isal", 1, 1), (None, None, Some(0.385)));
        let mut one = pass(Topic::Ratio, "zlib", 1, 1, 1.0, 1.0);
        one.pass.as_mut().unwrap().chunk = Some(1 << 28);
        assert_eq!(numbers(one).2, Some(0.381));
        assert_eq!(at(Topic::Copy, "emulated", 1, 24), (None, None, None));
    }
}
