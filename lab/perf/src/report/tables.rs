//! The rows of a matrix as tables.

use std::ptr;

use super::analysis::{self, Curve, SIDE, native, speedup};
use super::baseline::{Baseline, Change};
use super::dimension::{Dimension, groups, varying};
use super::format::{change, cycles, gbps, maybe, rate, time, times};
use super::grid::{Cell, Grid};
use super::papers;
use super::row::{QUEUE_PAIRS, Row, limits};
use crate::names::Kind;

/// The dimensions that have a column only where they vary, besides those that every table has.
const OTHER: [Dimension; 9] = [
    Dimension::Mode,
    Dimension::Outstanding,
    Dimension::Burst,
    Dimension::Cores,
    Dimension::Call,
    Dimension::Session,
    Dimension::Order,
    Dimension::Isa,
    Dimension::Cache,
];

/// Shows what became of a figure since the baseline.
fn since(change_: Option<Change>) -> Cell {
    let Some(figures) = change_ else { return Cell::default() };
    let text = change(figures.percent());
    match figures.slower {
        true => Cell { text: format!("{text} slower"), worse: true },
        false => text.into(),
    }
}

/// The texts, as cells.
fn cells(texts: impl IntoIterator<Item = String>) -> Vec<Cell> {
    texts.into_iter().map(Cell::from).collect()
}

/// Columns that begin a line: what of `OTHER` varies among the rows, after the size.
fn columns(rows: &[&Row]) -> Vec<Dimension> {
    [vec![Dimension::Load], varying(rows, &OTHER)].concat()
}

/// The titles of these columns and of those that follow them.
fn header(columns: &[Dimension], rest: &[&'static str]) -> Vec<&'static str> {
    columns.iter().map(|column| column.title()).chain(rest.iter().copied()).collect()
}

/// A row's values in these columns.
fn asked(row: &Row, columns: &[Dimension]) -> impl Iterator<Item = String> {
    columns.iter().map(|column| column.value(row).into_owned())
}

/// Cycles and throughput of every side: rows of one operation, what is compared side by side.
pub fn throughput(rows: &[&Row], baseline: Option<&Baseline>) -> Grid {
    let columns = columns(rows);
    let counted = rows.iter().all(|row| row.operations_per_second.is_some());
    let speed = if counted { "operations/s" } else { "Gbit/s" };
    let mut titles = header(
        &columns,
        &["provider", "kernel", "cycles/buffer", "median", speed, "of limit", "native is"],
    );
    let limits_differ = limits(rows.iter().copied()).len() > 1;
    titles.extend(limits_differ.then_some("limit set by"));
    titles.extend(baseline.map(|_| "since baseline"));
    let mut grid = Grid::new(titles, columns.len() + 2);
    for group in groups(rows.iter().copied(), &SIDE) {
        let native = native(&group);
        for row in &group {
            let gain =
                native.filter(|native| !ptr::eq(*native, *row)).and_then(|n| speedup(n, row));
            let of_limit = row
                .limit_cycles_per_buffer
                .zip(row.cycles_per_buffer)
                .map(|(limit, reached)| format!("{:.0} %", 100.0 * limit / reached));
            let figures = [
                row.side(),
                row.kernel.clone(),
                maybe(row.cycles_per_buffer, cycles),
                maybe(row.cycles_per_buffer_median, cycles),
                match counted {
                    true => maybe(row.operations_per_second, rate),
                    false => maybe(row.gbps, gbps),
                },
                of_limit.unwrap_or_default(),
                maybe(gain, times),
            ];
            let limit_by = limits_differ.then(|| row.limit_by.clone().unwrap_or_default());
            let mut line = cells(asked(row, &columns).chain(figures).chain(limit_by));
            line.extend(baseline.map(|baseline| since(baseline.change(row))));
            grid.push(line);
        }
    }
    grid
}

/// Makes a table of how long jobs of one operation take from end to end.
pub fn latency(rows: &[&Row], baseline: Option<&Baseline>) -> Grid {
    let columns = columns(rows);
    let mut titles = header(&columns, &["provider", "kernel", "min", "mean", "p50", "p99", "max"]);
    titles.extend(baseline.map(|_| "since baseline"));
    let mut grid = Grid::new(titles, columns.len() + 2);
    for row in rows {
        let times = [
            row.latency_ns_min,
            row.latency_ns_mean,
            row.latency_ns_p50,
            row.latency_ns_p99,
            row.latency_ns_max,
        ];
        let figures =
            [row.side(), row.kernel.clone()].into_iter().chain(times.map(|t| maybe(t, time)));
        let mut line = cells(asked(row, &columns).chain(figures));
        line.extend(baseline.map(|baseline| since(baseline.change(row))));
        grid.push(line);
    }
    grid
}

/// Makes a table of what was found right: all rows of verifications.
pub fn verified<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Grid {
    let rows: Vec<&Row> = rows.into_iter().filter(|row| row.kind() == Kind::Verify).collect();
    let columns = [vec![Dimension::Algorithm, Dimension::Direction], columns(&rows)].concat();
    let titles = header(&columns, &["provider", "kernel", "buffers right"]);
    let mut grid = Grid::new(titles, columns.len() + 2);
    for row in rows {
        let count = row.verified.map_or(String::new(), |count| count.to_string());
        grid.push(asked(row, &columns).chain([row.side(), row.kernel.clone(), count]));
    }
    grid
}

/// The memory of a session of every side: all rows of memory.
pub fn memory<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Grid {
    let several = format!("with {QUEUE_PAIRS} queue pairs");
    let titles = [
        "algorithm",
        "direction",
        "provider",
        "opened",
        "each queue pair adds",
        "with 1",
        &several,
    ];
    let mut grid = Grid::new(titles, 3);
    let rows = rows.into_iter().filter(|row| row.kind() == Kind::Memory);
    for row in rows {
        // Without a sign before nothing.
        let bytes =
            |value: Option<f64>| maybe(value, |bytes| format!("{} B", bytes.round() as i64));
        let with = |pairs: usize| {
            let allowed = row.queue_pairs.is_none_or(|most| pairs <= most);
            Some(row.session_bytes? + pairs as f64 * row.queue_pair_bytes?).filter(|_| allowed)
        };
        let figures = [
            bytes(row.session_bytes),
            bytes(row.queue_pair_bytes),
            bytes(with(1)),
            bytes(with(QUEUE_PAIRS)),
        ];
        let line = [row.algorithm.clone(), row.direction.clone(), row.side()];
        grid.push(line.into_iter().chain(figures));
    }
    grid
}

/// Source 002's bytes of a session in a line of text.
pub fn papers_memory() -> String {
    let (before, after) = papers::SESSION_BYTES;
    format!(
        "the session structure of DPDK's OpenSSL driver, without the contexts, by the paper: \
         {before} bytes before the patches, {after} with them and {QUEUE_PAIRS} queue pairs"
    )
}

/// A line for each curve and a column for each of its numbers, after that of the figure that is 1.
fn curves(curves: &[Curve<'_>], one: &str, number: impl Fn(usize) -> String) -> Grid {
    let rows: Vec<&Row> = curves.iter().map(|curve| curve.one).collect();
    let varying = varying(&rows, &OTHER);
    let columns =
        [vec![Dimension::Algorithm, Dimension::Direction, Dimension::Load], varying].concat();
    let mut numbers: Vec<usize> =
        curves.iter().flat_map(|curve| curve.points.iter().map(|(number, _)| *number)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let titles = columns.iter().map(|column| column.title().to_owned());
    let titles = titles.chain(["provider".to_owned(), one.to_owned()]);
    let mut grid = Grid::new(titles.chain(numbers.iter().map(|&n| number(n))), columns.len() + 1);
    for curve in curves {
        let gain = |number: &usize| {
            let point = curve.points.iter().find(|(n, _)| n == number);
            maybe(point.map(|(_, gain)| *gain), times)
        };
        let line = [curve.one.side(), maybe(curve.one.gbps, gbps)];
        grid.push(asked(curve.one, &columns).chain(line).chain(numbers.iter().map(gain)));
    }
    grid
}

/// Makes a table of what more cores gain over one.
pub fn scaling<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Grid {
    curves(&analysis::scaling(rows), "Gbit/s on 1 core", |cores| match cores {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    })
}

/// Makes a table of what outstanding jobs gain over synchronous calls.
pub fn asynchrony<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Grid {
    curves(&analysis::asynchrony(rows), "sync Gbit/s", |count| format!("{count} outstanding"))
}

/// Source 004's figures in a line of text.
pub fn papers_asynchrony() -> String {
    let points = papers::ASYNC_OVER_SYNC.iter();
    let points: Vec<String> =
        points.map(|(count, gain)| format!("{count} outstanding {}", times(*gain))).collect();
    format!("the paper's, of 8 KB objects on an UltraSPARC T2's accelerator: {}", points.join(", "))
}

/// Returns the paper's figures that stand beside [uplifts](uplift), if it has any.
pub fn papers_uplifts<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<&'static str> {
    analysis::uplifts(rows).iter().any(|uplift| uplift.papers().is_some()).then_some(
        "The paper's figures are those of the patches to DPDK's OpenSSL driver, on an Ampere Altra \
         Max with OpenSSL 3.3.0.",
    )
}

/// Makes a table of what contexts per queue pair gain over contexts per job, beside source 002's
/// figures: rows of one operation.
pub fn uplift<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Grid {
    let uplifts = analysis::uplifts(rows);
    let rows: Vec<&Row> = uplifts.iter().map(|uplift| uplift.per_job).collect();
    let mut columns = columns(&rows);
    if !columns.contains(&Dimension::Cores) {
        columns.insert(1, Dimension::Cores);
    }
    let percent = |gain: f64| change((gain - 1.0) * 100.0);
    let mut titles = header(
        &columns,
        &[
            "per-job Gbit/s",
            "per-queue-pair Gbit/s",
            "uplift",
            "paper's uplift",
            "paper's cores",
            "native Gbit/s",
            "native over per-job",
        ],
    );
    let has_dpdk = uplifts.iter().any(|uplift| uplift.dpdk.is_some());
    if has_dpdk {
        titles.extend(["dpdk Gbit/s", "native over dpdk"]);
    }
    let mut grid = Grid::new(titles, columns.len());
    for uplift in &uplifts {
        let native = uplift.native;
        let figures = [
            maybe(uplift.per_job.gbps, gbps),
            maybe(uplift.per_queue_pair.gbps, gbps),
            maybe(uplift.ours(), percent),
            maybe(uplift.papers(), percent),
            uplift
                .papers()
                .zip(uplift.paper)
                .map_or(String::new(), |(_, (t, _))| t.cores.to_string()),
            maybe(native.and_then(|row| row.gbps), gbps),
            maybe(native.and_then(|row| speedup(row, uplift.per_job)), times),
        ];
        let over_dpdk = native.zip(uplift.dpdk).and_then(|(row, dpdk)| speedup(row, dpdk));
        let dpdk = has_dpdk
            .then(|| [maybe(uplift.dpdk.and_then(|row| row.gbps), gbps), maybe(over_dpdk, times)]);
        grid.push(asked(uplift.per_job, &columns).chain(figures).chain(dpdk.into_iter().flatten()));
    }
    grid
}

/// The range of every side's throughput and of what `native` gains over the others, a line for each
/// operation.
pub fn summary<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Grid {
    let rows = analysis::throughput(rows);
    let mut sides: Vec<String> = Vec::new();
    for row in &rows {
        if !sides.contains(&row.side()) {
            sides.push(row.side());
        }
    }
    let ours = native(&rows).map(Row::side);
    let others = || sides.iter().filter(|side| Some(*side) != ours.as_ref());
    let over = |side: &String| format!("{} over {side}", ours.as_deref().unwrap_or("native"));
    let titles = ["algorithm", "direction"].map(str::to_owned).into_iter();
    let titles = titles.chain(sides.iter().map(|side| format!("{side} Gbit/s")));
    let mut grid = Grid::new(titles.chain(others().map(over)), 2);
    let operations = Dimension::ALL
        .into_iter()
        .filter(|dimension| ![Dimension::Algorithm, Dimension::Direction].contains(dimension));
    for operation in groups(rows, &operations.collect::<Vec<_>>()) {
        let cases = groups(operation.iter().copied(), &SIDE);
        let reached = |side: &String| {
            let mine = || operation.iter().filter(|row| row.side() == *side);
            let counted = mine().any(|row| row.operations_per_second.is_some());
            match counted {
                true => {
                    let unit = |value| format!("{} operations/s", rate(value));
                    range(mine().filter_map(|row| row.operations_per_second), unit)
                }
                false => range(mine().filter_map(|row| row.gbps), gbps),
            }
        };
        let gains = |side: &String| {
            let gain = |case: &Vec<&Row>| {
                speedup(native(case)?, case.iter().find(|other| other.side() == *side)?)
            };
            range(cases.iter().filter_map(gain), times)
        };
        let line = [operation[0].algorithm.clone(), operation[0].direction.clone()];
        grid.push(line.into_iter().chain(sides.iter().map(reached)).chain(others().map(gains)));
    }
    grid
}

/// The least and the most of these values; nothing where there are none.
fn range(values: impl Iterator<Item = f64>, format: impl Fn(f64) -> String) -> String {
    let values: Vec<f64> = values.collect();
    let bound = |which: fn(f64, f64) -> f64| values.iter().copied().reduce(which);
    match bound(f64::min).zip(bound(f64::max)) {
        None => String::new(),
        Some((least, most)) if format(least) == format(most) => format(least),
        Some((least, most)) => format!("{} to {}", format(least), format(most)),
    }
}

/// The rows that got slower since the baseline.
pub fn slower<'a>(rows: impl IntoIterator<Item = &'a Row>, baseline: &Baseline) -> Grid {
    let rows: Vec<(&Row, Change)> = rows
        .into_iter()
        .filter_map(|row| Some((row, baseline.change(row)?)))
        .filter(|(_, change)| change.slower)
        .collect();
    let found: Vec<&Row> = rows.iter().map(|(row, _)| *row).collect();
    let fixed = vec![Dimension::Algorithm, Dimension::Direction];
    let columns = [fixed, varying(&found, &[Dimension::Kind]), columns(&found)].concat();
    let mut grid =
        Grid::new(header(&columns, &["provider", "then", "now", "change"]), columns.len() + 1);
    for (row, change) in rows {
        let unit = |figure| match row.kind() {
            Kind::Latency => time(figure),
            _ => format!("{} cycles", cycles(figure)),
        };
        let texts = [row.side(), unit(change.then), unit(change.now)];
        let mut line = cells(asked(row, &columns).chain(texts));
        line.push(since(Some(change)));
        grid.push(line);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;
    use crate::report::samples::{openssl, outstanding, report, row};

    fn refs(rows: &[Row]) -> Vec<&Row> {
        rows.iter().collect()
    }

    #[test]
    fn native_is_compared_with_every_side_of_its_case() {
        let rows = [
            Row { limit_cycles_per_buffer: Some(90.0), ..row("native", 64, 100.0) },
            openssl("per-queue-pair", 64, 250.0),
            row("native", 128, 200.0),
            openssl("per-queue-pair", 128, 300.0),
        ];
        let grid = throughput(&refs(&rows), None);
        assert_eq!(grid.line(0), ["64 B", "native", "k", "100", "105", "10.2", "90 %", ""]);
        assert_eq!(grid.line(1)[1], "openssl (per-queue-pair)");
        assert_eq!((grid.line(1)[7], grid.line(3)[7]), ("2.50×", "1.50×"));
    }

    #[test]
    fn two_natives_are_told_apart_and_compared() {
        let without = Row { without: Some("sha".to_owned()), ..row("native", 64, 300.0) };
        let rows = [without, row("native", 64, 100.0), openssl("per-job", 64, 500.0)];
        let grid = throughput(&refs(&rows), None);
        let names: Vec<&str> = (0..3).map(|line| grid.line(line)[1]).collect();
        assert_eq!(names, ["native (without sha)", "native", "openssl (per-job)"]);
        assert_eq!(
            (0..3).map(|line| grid.line(line)[7]).collect::<Vec<_>>(),
            ["3.00×", "", "5.00×"]
        );
        let text = summary(&rows).to_string();
        assert!(text.contains("native over native (without sha)"), "{text}");
        let text = summary([&rows[0], &rows[2]]).to_string();
        assert!(text.contains("native (without sha) over openssl (per-job)"), "{text}");
    }

    #[test]
    fn limits_of_several_kinds_have_a_column() {
        let by =
            |by: &str, provider| Row { limit_by: Some(by.to_owned()), ..row(provider, 64, 1.0) };
        let rows = [by("a", "native"), by("a", "openssl"), by("b", "ipsec-mb")];
        assert!(throughput(&refs(&rows), None).to_string().contains("limit set by"));
        assert!(!throughput(&refs(&rows[..2]), None).to_string().contains("limit set by"));
    }

    #[test]
    fn what_varies_has_a_column() {
        let rows =
            [row("native", 64, 100.0), Row { burst: 8, cores: 2, ..row("native", 64, 100.0) }];
        assert_eq!(throughput(&refs(&rows), None).line(1)[..3], ["64 B", "8", "2"]);
        assert_eq!(throughput(&refs(&rows[..1]), None).line(0)[..2], ["64 B", "native"]);
    }

    #[test]
    fn what_got_slower_is_marked_and_listed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        let old = report(vec![
            row("native", 64, 100.0),
            row("native", 128, 100.0),
            samples::latency("native", 64, 1000.0),
        ]);
        std::fs::write(&path, serde_json::to_string(&old).unwrap()).unwrap();
        let now = report(vec![
            row("native", 64, 120.0),
            row("native", 128, 98.0),
            row("native", 256, 1.0),
            samples::latency("native", 64, 2000.0),
        ]);
        let baseline = Baseline::read(&path).unwrap();
        let grid = throughput(&refs(&now.rows[..3]), Some(&baseline));
        let marks: Vec<&str> = (0..3).map(|line| *grid.line(line).last().unwrap()).collect();
        assert_eq!(marks, ["+20 % slower", "-2 %", ""]);
        assert!(grid.html("c").into_string().contains(r#"class="worse""#));
        let list = slower(&now.rows, &baseline);
        assert_eq!(list.len(), 2);
        assert_eq!(
            list.line(0)[3..],
            ["64 B", "native", "100 cycles", "120 cycles", "+20 % slower"]
        );
        assert_eq!(list.line(1)[4..], ["native", "1.00 µs", "2.00 µs", "+100 % slower"]);
    }

    #[test]
    fn gains_have_a_column_for_each_number() {
        let rows = [
            outstanding("native", None, 800.0),
            outstanding("native", Some(1), 1000.0),
            outstanding("native", Some(8), 200.0),
            outstanding("openssl", None, 800.0),
            outstanding("openssl", Some(8), 400.0),
        ];
        let grid = asynchrony(&rows);
        assert_eq!(grid.line(0)[2..], ["1024 B", "native", "20.5", "0.80×", "4.00×"]);
        assert_eq!(grid.line(1)[3..], ["openssl", "20.5", "", "2.00×"]);
        let two = Row { cores: 2, ..row("native", 64, 50.0) };
        let rows = [row("native", 64, 100.0), two];
        assert_eq!(scaling(&rows).line(0)[4..], ["10.2", "1.00×", "2.00×"]);
        assert!(scaling(&rows[..1]).is_empty());
        assert!(papers_asynchrony().contains("8 outstanding 4.74×"));
    }

    #[test]
    fn uplifts_are_told_beside_the_papers() {
        let rows = [
            openssl("per-job", 64, 1000.0),
            openssl("per-queue-pair", 64, 500.0),
            row("native", 64, 100.0),
        ];
        let line = ["64 B", "1", "1.02", "2.05", "+100 %", "+127 %", "1", "10.2", "10.0×"];
        assert_eq!(uplift(&rows).line(0), line);
        let two = rows.map(|row| Row { cores: 2, ..row });
        assert_eq!(uplift(&two).line(0)[5..7], ["+1052 %", "8"]);
        assert!(papers_uplifts(&two).is_some_and(|papers| papers.contains("Ampere")));
        let other = two.map(|row| Row { size: Some(65), ..row });
        assert_eq!((uplift(&other).len(), papers_uplifts(&other)), (1, None));
    }

    #[test]
    fn the_summary_gives_ranges() {
        let rows = [
            row("native", 64, 100.0),
            openssl("per-job", 64, 1000.0),
            row("native", 128, 100.0),
            openssl("per-job", 128, 500.0),
            Row { algorithm: "aes-128-gcm".to_owned(), ..openssl("per-job", 64, 1.0) },
        ];
        let grid = summary(&rows);
        assert_eq!(grid.line(0)[2..], ["10.2 to 20.5", "1.02 to 4.10", "5.00× to 10.0×"]);
        assert_eq!(grid.line(1)[2..], ["", "1024.0", ""]);
    }

    #[test]
    fn verifications_count_buffers() {
        let kind = Some(Kind::Verify);
        let rows =
            [row("native", 64, 1.0), Row { kind, verified: Some(4096), ..row("native", 64, 1.0) }];
        let grid = verified(&rows);
        assert_eq!(grid.len(), 1);
        assert_eq!(grid.line(0), ["hmac-sha1", "generate", "64 B", "native", "k", "4096"]);
    }
}
