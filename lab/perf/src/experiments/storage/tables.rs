//! The tables of `broadloom-perf storage`, and what they say in a sentence.

use super::topic::{CORES, Topic};
use crate::report::format;
use crate::report::grid::Grid;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// Who printed the lines of source 001.
const SOURCE: &str = "Sun Storage 7410";

/// Bytes of a MB, in which the source counts.
const MB: f64 = 1e6;

fn megabytes(pass: &Pass) -> Option<f64> {
    (pass.input_bytes > 0).then(|| pass.input_bytes as f64 / pass.elapsed_s.max(1e-9) / MB)
}

/// CPU nanoseconds of a byte; none where the clock of CPU time saw none.
fn cpu_byte(pass: &Pass) -> Option<f64> {
    (pass.input_bytes > 0 && pass.cpu_s > 0.0).then(|| pass.cpu_s * 1e9 / pass.input_bytes as f64)
}

/// CPU nanoseconds of an operation.
fn cpu_operation(row: &Row, pass: &Pass) -> Option<f64> {
    let operations = row.operations_per_second? * pass.elapsed_s;
    (operations > 0.0 && pass.cpu_s > 0.0).then(|| pass.cpu_s * 1e9 / operations)
}

/// The table of a part, with the source's lines below.
pub(super) fn table(topic: Topic, rows: &[Row]) -> Grid {
    let header = [
        "over",
        "clients",
        "MB/s",
        "a second",
        "p50",
        "p99",
        "longest",
        "CPU ns/byte",
        "CPU/operation",
        "over directory",
    ];
    let mut grid = Grid::new(header, 1);
    let nanoseconds = |value: f64| format!("{value:.2}");
    let rate = |value: f64| format!("{value:.1}");
    for row in rows {
        let Some(pass) = &row.pass else { continue };
        let raw = rows.iter().find(|raw| raw.provider == "directory" && raw.cores == row.cores);
        let raw = raw.and_then(|raw| raw.operations_per_second);
        let over_raw = raw.zip(row.operations_per_second).map(|(raw, own)| own / raw);
        grid.push([
            row.provider.clone(),
            row.cores.to_string(),
            format::maybe(megabytes(pass), rate),
            format::maybe(row.operations_per_second, format::rate),
            format::maybe(row.latency_ns_p50, format::time),
            format::maybe(row.latency_ns_p99, format::time),
            format::maybe(row.latency_ns_max, format::time),
            format::maybe(cpu_byte(pass), nanoseconds),
            format::maybe(cpu_operation(row, pass), format::time),
            format::maybe(over_raw, format::times),
        ]);
    }
    for line in topic.source() {
        let (bytes, operations) = match topic.streams() {
            true => (line.rate * MB, None),
            false => (line.rate * topic.bytes() as f64, Some(line.rate)),
        };
        let busy = CORES * line.busy / 100.0 * 1e9;
        grid.push([
            SOURCE.to_owned(),
            format!("18 × {}", line.threads),
            rate(bytes / MB),
            format::maybe(operations, format::rate),
            String::new(),
            String::new(),
            String::new(),
            nanoseconds(busy / bytes),
            format::maybe(operations.map(|operations| busy / operations), format::time),
            String::new(),
        ]);
    }
    grid
}

/// For each kind of storage, what several clients gain over one.
pub(super) fn findings(rows: &[Row]) -> Vec<String> {
    let gain = |one: &Row| {
        let own = |row: &&Row| row.provider == one.provider;
        let most = rows.iter().filter(own).max_by_key(|row| row.cores)?;
        let rates = most.operations_per_second.zip(one.operations_per_second);
        let (most_rate, rate) = rates.filter(|_| most.cores > 1)?;
        let (over, gain) = (&one.provider, format::times(most_rate / rate));
        Some(format!("{over}: {} clients do {gain} as much as one", most.cores))
    };
    rows.iter().filter(|row| row.cores == 1).filter_map(gain).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::samples::row;

    /// A row of a part: operations of 8 KiB a second, and all cores busy.
    pub fn made(topic: Topic, provider: &str, clients: usize, rate: f64) -> Row {
        let pass = Pass {
            figure: topic.name().to_owned(),
            threads: clients,
            input_bytes: (rate * topic.bytes() as f64) as u64,
            elapsed_s: 1.0,
            cpu_s: clients as f64,
            ..Pass::default()
        };
        Row {
            cores: clients,
            operations_per_second: Some(rate),
            latency_ns_p50: Some(1e9 / rate),
            pass: Some(pass),
            size: Some(topic.bytes()),
            ..row(provider, 8192, 1.0)
        }
    }

    #[test]
    fn the_sources_lines_stand_below_ours() {
        let rows = [
            made(Topic::RandomRead, "directory", 1, 10_000.0),
            made(Topic::RandomRead, "encrypted", 1, 2000.0),
        ];
        let grid = table(Topic::RandomRead, &rows);
        assert_eq!(grid.len(), 4);
        let ours =
            ["encrypted", "1", "16.4", "2000", "500.00 µs", "", "", "61.04", "500.00 µs", "0.20×"];
        assert_eq!(grid.line(1), ours);
        let theirs =
            ["Sun Storage 7410", "18 × 20", "50.8", "6204", "", "", "", "44.07", "361.06 µs", ""];
        assert_eq!(grid.line(2), theirs);
        let stream = table(Topic::StreamingWrite, &[]);
        assert_eq!(stream.line(0)[..4], ["Sun Storage 7410", "18 × 1", "461.5", ""]);
        let stat = table(Topic::Stat, &[made(Topic::Stat, "directory", 1, 10.0)]);
        assert_eq!((stat.len(), stat.line(0)[2], stat.line(0)[7]), (1, "", ""));
    }

    #[test]
    fn clients_are_set_against_one() {
        let made = |clients, rate| made(Topic::Stat, "directory", clients, rate);
        let said = findings(&[made(1, 100.0), made(2, 150.0), made(4, 250.0)]);
        assert_eq!(said, ["directory: 4 clients do 2.50× as much as one"]);
        assert_eq!(findings(&[made(1, 100.0)]), Vec::<String>::new());
    }
}
