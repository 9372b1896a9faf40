//! What rows say together: who is how much faster than whom, and what cores and outstanding jobs
//! gain.

use super::dimension::{Dimension, groups};
use super::papers::{self, UpliftPoint, UpliftTable};
use super::row::{DPDK, Row};
use crate::names::Kind;

/// The dimensions in which the two sides of a comparison may differ.
pub const SIDE: [Dimension; 2] = [Dimension::Provider, Dimension::Opened];

/// Returns how many times as fast `row` is as `other`, by their minima.
pub fn speedup(row: &Row, other: &Row) -> Option<f64> {
    Some(other.cycles_per_buffer? / row.cycles_per_buffer?)
}

/// The row of `native` among these that others are compared with: as it comes, or else the first.
pub fn native<'a>(rows: &[&'a Row]) -> Option<&'a Row> {
    let all = || rows.iter().copied().filter(|row| row.provider == "native");
    all().find(|row| row.opened().is_empty()).or_else(|| all().next())
}

/// Rows of throughput where jobs are handed over in bursts or streams.
pub fn throughput<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<&'a Row> {
    let wanted = |row: &&Row| row.kind() == Kind::Throughput && !is_call(row);
    rows.into_iter().filter(wanted).collect()
}

/// Rows of throughput where jobs go one by one through synchronous or asynchronous calls.
pub fn calls<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<&'a Row> {
    rows.into_iter().filter(|row| row.kind() == Kind::Throughput && is_call(row)).collect()
}

/// Rows of latency.
pub fn latencies<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<&'a Row> {
    rows.into_iter().filter(|row| row.kind() == Kind::Latency).collect()
}

/// Returns `true` if jobs go one by one through synchronous or asynchronous calls.
fn is_call(row: &Row) -> bool {
    matches!(row.mode.as_str(), "sync" | "async")
}

/// What a gain is of, and the gain by a number: of cores, or of jobs outstanding.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<'a> {
    /// The row that is one.
    pub one: &'a Row,
    /// How many times its throughput each number has.
    pub points: Vec<(usize, f64)>,
}

/// Returns how throughput grows with cores, for everything that was measured on one core and on
/// more.
pub fn scaling<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Curve<'a>> {
    let of = |group: Vec<&'a Row>| {
        let one = *group.iter().find(|row| row.cores == 1)?;
        let points = group.iter().filter_map(|row| Some((row.cores, speedup(row, one)?)));
        let mut points: Vec<_> = points.collect();
        points.sort_unstable_by_key(|(cores, _)| *cores);
        (points.len() > 1).then_some(Curve { one, points })
    };
    groups(throughput(rows), &[Dimension::Cores]).into_iter().filter_map(of).collect()
}

/// Returns how throughput grows with the jobs that one thread has outstanding, over synchronous
/// calls, for everything that was measured both ways.
pub fn asynchrony<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Curve<'a>> {
    let of = |group: Vec<&'a Row>| {
        let one = *group.iter().find(|row| row.mode == "sync")?;
        let points = group.iter().filter_map(|row| Some((row.outstanding?, speedup(row, one)?)));
        let mut points: Vec<_> = points.collect();
        points.sort_unstable_by_key(|(outstanding, _)| *outstanding);
        (!points.is_empty()).then_some(Curve { one, points })
    };
    let apart = [Dimension::Mode, Dimension::Outstanding, Dimension::Burst, Dimension::Call];
    groups(calls(rows), &apart).into_iter().filter_map(of).collect()
}

/// What contexts kept per queue pair gain over contexts made for every job, as source 002 has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Uplift<'a> {
    /// A context cloned for every job.
    pub per_job: &'a Row,
    /// A context for each queue pair.
    pub per_queue_pair: &'a Row,
    /// The lanes, where they have the algorithm.
    pub native: Option<&'a Row>,
    /// DPDK's OpenSSL driver, where it was measured.
    pub dpdk: Option<&'a Row>,
    /// The source's own figures.
    pub paper: Option<(&'static UpliftTable, &'static UpliftPoint)>,
}

impl Uplift<'_> {
    /// Returns how many times as high the throughput is as with contexts per job.
    pub fn ours(&self) -> Option<f64> {
        speedup(self.per_queue_pair, self.per_job)
    }

    /// The same of the source.
    pub fn papers(&self) -> Option<f64> {
        let (table, point) = self.paper?;
        point.over_cloning(table).map(|percent| 1.0 + percent / 100.0)
    }
}

/// The uplifts of everything that `openssl` was measured on with both kinds of contexts.
pub fn uplifts<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Uplift<'a>> {
    let of = |group: Vec<&'a Row>| {
        let per_job = *group.iter().find(|row| row.contexts.as_deref() == Some("per-job"))?;
        let kept = |options: Option<&str>| {
            group.iter().find(|row| {
                row.contexts.as_deref() == Some("per-queue-pair")
                    && row.queue_pairs == per_job.queue_pairs
                    && row.options.as_deref() == options
            })
        };
        // As the source has it, every job sets its IV.
        let per_queue_pair = *kept(Some("ivs=per-job")).or_else(|| kept(None))?;
        let table = papers::uplift(&per_job.algorithm, &per_job.direction, per_job.cores > 1);
        let paper = table.and_then(|table| {
            let point = table.points.iter().find(|point| Some(point.size) == per_job.size);
            Some((table, point?))
        });
        let is_driver = |row: &&&Row| {
            row.interface.as_deref() == Some(DPDK) && row.provider == "crypto_openssl"
        };
        let dpdk = group.iter().find(is_driver).copied();
        Some(Uplift { per_job, per_queue_pair, native: native(&group), dpdk, paper })
    };
    groups(throughput(rows), &SIDE).into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{latency, openssl, outstanding, row};

    #[test]
    fn cores_are_compared_with_one_core() {
        let two = |row: Row| Row { cores: 2, ..row };
        let rows = [
            two(row("native", 64, 55.0)),
            row("native", 64, 100.0),
            two(row("ipsec-mb", 64, 100.0)),
            row("native", 128, 100.0),
        ];
        let curves = scaling(&rows);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].one, &rows[1]);
        assert_eq!(curves[0].points, [(1, 1.0), (2, 100.0 / 55.0)]);
    }

    #[test]
    fn outstanding_jobs_are_compared_with_synchronous_calls() {
        let rows = [
            outstanding("native", None, 800.0),
            outstanding("native", Some(8), 200.0),
            outstanding("native", Some(1), 1000.0),
            outstanding("openssl", Some(1), 1000.0),
            row("native", 1024, 100.0),
        ];
        let curves = asynchrony(&rows);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].points, [(1, 0.8), (8, 4.0)]);
        assert_eq!(throughput(&rows), [&rows[4]]);
    }

    #[test]
    fn others_are_compared_with_native_as_it_comes() {
        let without = Row { without: Some("sha".to_owned()), ..row("native", 64, 300.0) };
        let (plain, other) = (row("native", 64, 100.0), row("openssl", 64, 200.0));
        assert_eq!(native(&[&other, &without, &plain]), Some(&plain));
        assert_eq!(native(&[&other, &without]), Some(&without));
        assert_eq!(native(&[&other]), None);
    }

    #[test]
    fn the_paper_state_is_the_one_that_is_compared() {
        let with = |contexts: &str, options: Option<&str>, cycles| {
            let options = options.map(str::to_owned);
            Row { options, ..openssl(contexts, 64, cycles) }
        };
        let rows = [
            with("per-job", Some("keys=per-job"), 1000.0),
            with("per-job", None, 900.0),
            with("per-queue-pair", None, 400.0),
            with("per-queue-pair", Some("ivs=per-job"), 500.0),
        ];
        assert_eq!(uplifts(&rows)[0].ours(), Some(2.0));
        assert_eq!(uplifts(&rows[1..3])[0].ours(), Some(2.25));
    }

    #[test]
    fn uplifts_stand_beside_the_papers() {
        let rows = [
            openssl("per-job", 64, 1000.0),
            openssl("per-queue-pair", 64, 500.0),
            row("native", 64, 100.0),
            openssl("per-job", 96, 1000.0),
            openssl("per-queue-pair", 96, 500.0),
            openssl("per-job", 128, 1000.0),
            latency("openssl", 64, 1.0),
        ];
        let found = uplifts(&rows);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].ours(), found[0].native), (Some(2.0), Some(&rows[2])));
        assert!((found[0].papers().unwrap() - 2.269).abs() < 1e-9);
        assert_eq!((found[1].papers(), found[1].native), (None, None));
    }
}
