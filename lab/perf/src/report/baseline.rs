//! An earlier file, and what got slower since.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::dimension;
use super::row::{Report, Row, SCHEMA};
use crate::error::PerfError;
use crate::measure::sys::machine::Machine;
use crate::names::Kind;

/// A throughput is slower when its minimum grew by more than this many per cent. Machines are
/// noisy, minima far less so than means.
pub const SLOWER_PERCENT: f64 = 10.0;

/// A latency is slower when its median grew by more than this many per cent: a median is noisier.
pub const SLOWER_LATENCY_PERCENT: f64 = 25.0;

/// An earlier report.
#[derive(Debug, Clone)]
pub struct Baseline {
    path: PathBuf,
    machine: Machine,
    rows: HashMap<Vec<String>, Row>,
}

/// Two figures of one measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// What the figure was: cycles per buffer, or a latency's median in nanoseconds.
    pub then: f64,
    /// What it is.
    pub now: f64,
    /// `true` if it grew by more than the machine's noise.
    pub slower: bool,
}

impl Change {
    /// By how much it grew, in per cent.
    pub fn percent(&self) -> f64 {
        (self.now / self.then - 1.0) * 100.0
    }
}

/// What became of an earlier report's rows.
#[derive(Debug)]
pub struct Comparison {
    /// The earlier file.
    pub path: PathBuf,
    /// In what its machine differs from this one: `what: then, now`. Empty where it is the same.
    pub machine: Vec<String>,
    /// Rows of now that the earlier file has none for.
    pub new: usize,
    /// Rows of the earlier file that were not measured now.
    pub gone: usize,
    /// Rows that both have.
    pub matched: usize,
    /// Rows that got slower.
    pub slower: usize,
}

impl Baseline {
    /// Reads a file of the schema.
    ///
    /// # Errors
    /// The file cannot be read, is no JSON, or has another schema.
    pub fn read(path: &Path) -> Result<Baseline, PerfError> {
        let text = fs::read_to_string(path)
            .map_err(|source| PerfError::Read { path: path.to_owned(), source })?;
        Baseline::parse(path, &text)
    }

    /// Reads the text of such a file; messages name `path`.
    ///
    /// # Errors
    /// The text is no JSON, or has another schema.
    pub fn parse(path: &Path, text: &str) -> Result<Baseline, PerfError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let wrong =
            |reason: String| PerfError::Baseline { path: path.to_owned(), schema: SCHEMA, reason };
        let head: Head = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if head.schema != SCHEMA {
            return Err(wrong(format!("its schema is {:?}", head.schema)));
        }
        let report: Report =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let rows = report.rows.into_iter().map(|row| (dimension::values(&row, &[]), row)).collect();
        Ok(Baseline { path: path.to_owned(), machine: report.machine, rows })
    }

    /// Returns what became of a row of now, if the earlier file has it and there is a figure to
    /// compare.
    pub fn change(&self, row: &Row) -> Option<Change> {
        change(self.rows.get(&dimension::values(row, &[]))?, row)
    }

    /// Sets the rows of now beside those of the same measurement then.
    pub fn compare(&self, now: &Report) -> Comparison {
        let present: HashSet<_> = now.rows.iter().map(|row| dimension::values(row, &[])).collect();
        let matched = present.iter().filter(|key| self.rows.contains_key(*key)).count();
        let slower =
            now.rows.iter().filter_map(|row| self.change(row)).filter(|change| change.slower);
        Comparison {
            path: self.path.clone(),
            machine: self.machine(now),
            new: present.len() - matched,
            gone: self.rows.len() - matched,
            matched,
            slower: slower.count(),
        }
    }

    fn machine(&self, now: &Report) -> Vec<String> {
        let (then, now) = (&self.machine, &now.machine);
        let pairs = [
            ("CPU", then.cpu.clone(), now.cpu.clone()),
            ("architecture", then.arch.clone(), now.arch.clone()),
            ("cores", then.cores.to_string(), now.cores.to_string()),
        ];
        let differ = pairs.into_iter().filter(|(_, then, now)| then != now);
        differ.map(|(what, then, now)| format!("{what}: {then} then, {now} now")).collect()
    }
}

/// The figure of a row that is compared, and how much more of it is slower.
fn figure(row: &Row) -> Option<(f64, f64)> {
    match row.kind() {
        Kind::Throughput => Some((row.cycles_per_buffer?, SLOWER_PERCENT)),
        Kind::Latency => Some((row.latency_ns_p50?, SLOWER_LATENCY_PERCENT)),
        Kind::Verify | Kind::Memory => None,
    }
}

fn change(then: &Row, now: &Row) -> Option<Change> {
    let ((then, _), (now, threshold)) = (figure(then)?, figure(now)?);
    let slower = now > then * (1.0 + threshold / 100.0);
    Some(Change { then, now, slower })
}

impl Comparison {
    /// All of it in sentences, the first of them the most important.
    pub fn summary(&self) -> Vec<String> {
        let rows =
            |count: usize| if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
        let mut lines = vec![format!(
            "{} of {} got slower than in {} (throughput by more than {SLOWER_PERCENT} % at the \
             minimum, latency by more than {SLOWER_LATENCY_PERCENT} % at the median)",
            self.slower,
            rows(self.matched),
            self.path.display(),
        )];
        if self.new > 0 {
            lines.push(format!("{} here that the earlier file does not have", rows(self.new)));
        }
        if self.gone > 0 {
            lines.push(format!("{} of the earlier file not measured here", rows(self.gone)));
        }
        if !self.machine.is_empty() {
            lines.push(format!(
                "the earlier file is of another machine, so changes may be the machine's ({})",
                self.machine.join("; ")
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{latency, openssl, report, row};

    fn written(text: &str) -> Result<Baseline, PerfError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        fs::write(&path, text).unwrap();
        Baseline::read(&path)
    }

    fn baseline(rows: Vec<Row>) -> Baseline {
        written(&serde_json::to_string(&report(rows)).unwrap()).unwrap()
    }

    #[test]
    fn only_what_grew_beyond_the_noise_is_slower() {
        let old = baseline(vec![
            row("native", 64, 100.0),
            row("native", 128, 100.0),
            row("native", 256, 100.0),
            latency("native", 64, 1000.0),
        ]);
        let now = report(vec![
            row("native", 64, 109.0),
            row("native", 128, 112.0),
            row("native", 256, 80.0),
            latency("native", 64, 1200.0),
        ]);
        let comparison = old.compare(&now);
        let slower: Vec<bool> =
            now.rows.iter().map(|row| old.change(row).unwrap().slower).collect();
        assert_eq!(slower, [false, true, false, false]);
        assert_eq!((comparison.matched, comparison.slower), (4, 1));
        assert_eq!(old.change(&now.rows[2]).unwrap().percent().round(), -20.0);
        assert_eq!(comparison.summary().len(), 1);
        assert!(comparison.summary()[0].starts_with("1 of 4 rows got slower"));
    }

    #[test]
    fn rows_are_matched_by_everything_that_was_asked_for() {
        let old = baseline(vec![
            openssl("per-job", 64, 900.0),
            Row { cores: 2, ..row("native", 64, 50.0) },
            row("ipsec-mb", 64, 200.0),
        ]);
        let now = report(vec![
            openssl("per-queue-pair", 64, 400.0),
            openssl("per-job", 64, 900.0),
            row("native", 64, 100.0),
        ]);
        let comparison = old.compare(&now);
        let without = Row { without: Some("sha".to_owned()), ..row("ipsec-mb", 64, 300.0) };
        assert_eq!(old.change(&without), None);
        assert_eq!((comparison.matched, comparison.new, comparison.gone), (1, 2, 2));
        assert!(old.change(&now.rows[1]).is_some());
        let summary = comparison.summary().join("\n");
        assert!(
            summary.contains("2 rows here") && summary.contains("2 rows of the earlier"),
            "{summary}"
        );
    }

    #[test]
    fn another_machine_is_pointed_out() {
        let mut other = report(vec![row("native", 64, 100.0)]);
        other.machine.cpu = "Another CPU".to_owned();
        let old = written(&serde_json::to_string(&other).unwrap()).unwrap();
        let comparison = old.compare(&report(vec![row("native", 64, 100.0)]));
        assert_eq!(comparison.machine, ["CPU: Another CPU then, A CPU now"]);
        assert!(comparison.summary().last().unwrap().contains("another machine"));
    }

    #[test]
    fn what_is_no_such_file_is_named() {
        let error = Baseline::read(Path::new("no/such.json")).unwrap_err().to_string();
        assert!(error.contains("no/such.json"), "{error}");
        for (text, reason) in [
            ("", "EOF"),
            ("cycles", "expected value"),
            ("{}", "schema"),
            (
                r#"{"schema": "broadloom-perf/2", "machine": {}, "rows": []}"#,
                "\"broadloom-perf/2\"",
            ),
            (r#"{"schema": "broadloom-perf/1", "rows": []}"#, "machine"),
        ] {
            let error = written(text).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("old.json"), "{text}: {error}");
            assert!(error.contains("broadloom-perf/1"), "{error}");
        }
    }
}
