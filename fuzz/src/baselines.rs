//! The files that `broadloom perf --baseline` reads.

use std::path::Path;

use broadloom_perf::report::baseline::Baseline;
use broadloom_perf::report::row::Report;

/// Reads a baseline, and compares it with itself, read once more: nothing is new, gone or slower.
pub fn read(text: &str) {
    let Ok(baseline) = Baseline::parse(Path::new("old.json"), text) else { return };
    let report: Report = serde_json::from_str(text).expect("it was read before");
    let comparison = baseline.compare(&report);
    assert_eq!((comparison.new, comparison.gone), (0, 0));
    assert!(comparison.machine.is_empty(), "{:?}", comparison.machine);
    assert!(comparison.summary()[0].ends_with("at the median)"));
    let mut written = Vec::new();
    report.write_json(&mut written).expect("memory takes everything");
    let written = String::from_utf8(written).expect("JSON is text");
    let again: Report = serde_json::from_str(&written).expect("what is written can be read");
    assert_eq!(again.rows.len(), report.rows.len());
}
