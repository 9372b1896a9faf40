//! The table of a topic.

use super::super::topic::Topic;
use super::beside::beside;
use super::key::Key;
use crate::report::format::{gbps, maybe};
use crate::report::grid::Grid;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// A column of figures: its title, and what it has for a row.
type Figure = (&'static str, fn(&Row, &Pass) -> String);

/// A time in seconds, to three digits or so.
fn seconds(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

fn percent(value: f64) -> String {
    format!("{:.1} %", value * 100.0)
}

/// Requests of one pass.
fn requests(row: &Row, pass: &Pass) -> f64 {
    (pass.input_bytes as f64 / row.buffer_bytes.max(1.0)).max(1.0)
}

fn nanoseconds(seconds: f64, row: &Row, pass: &Pass) -> String {
    let each = seconds * 1e9 / requests(row, pass);
    if each < 100.0 { format!("{each:.1}") } else { format!("{each:.0}") }
}

/// Of passes over an input.
const INPUTS: &[Figure] = &[
    ("ratio", |_, pass| maybe(pass.ratio, percent)),
    ("paper's ratio", |row, pass| maybe(beside(row, pass).ratio, percent)),
    ("elapsed s", |_, pass| seconds(pass.elapsed_s)),
    ("median s", |_, pass| seconds(pass.elapsed_s_median)),
    ("CPU s", |_, pass| seconds(pass.cpu_s)),
    ("CPU median s", |_, pass| seconds(pass.cpu_s_median)),
    ("Gbit/s", |row, _| maybe(row.gbps, gbps)),
    ("s/GiB", |_, pass| seconds(pass.elapsed_per_gib())),
    ("paper's s/GiB", |row, pass| maybe(beside(row, pass).elapsed, seconds)),
    ("CPU s/GiB", |_, pass| seconds(pass.cpu_per_gib())),
    ("paper's CPU s/GiB", |row, pass| maybe(beside(row, pass).cpu, seconds)),
    ("late", |_, pass| maybe(pass.late_part(), |part| format!("{:.2} %", part * 100.0))),
];

/// Of many requests.
const REQUESTS: &[Figure] = &[
    ("ns/request", |row, pass| nanoseconds(pass.elapsed_s, row, pass)),
    ("median", |row, pass| nanoseconds(pass.elapsed_s_median, row, pass)),
    ("CPU ns/request", |row, pass| nanoseconds(pass.cpu_s, row, pass)),
    ("median", |row, pass| nanoseconds(pass.cpu_s_median, row, pass)),
    ("requests/s", |row, pass| format!("{:.0}", requests(row, pass) / pass.elapsed_s)),
    ("Gbit/s", |row, _| maybe(row.gbps, gbps)),
    ("late", |_, pass| maybe(pass.late_part(), |part| format!("{:.2} %", part * 100.0))),
];

/// The topic's rows: what tells them apart, what they took, and what source 003 says of the same. A
/// column in which no row has anything is left out.
pub fn table(topic: Topic, rows: &[(&Row, &Pass)]) -> Grid {
    let figures = if topic.is_of_requests() { REQUESTS } else { INPUTS };
    let value = |key: Key, (row, pass): (&Row, &Pass)| key.value(row, pass).into_owned();
    // Software has no values for what is the device's: that alone makes no column.
    let varies = |key: &Key| {
        let mut values = rows.iter().map(|&row| value(*key, row)).filter(|value| !value.is_empty());
        let first = values.next();
        values.any(|other| Some(other) != first)
    };
    let keys: Vec<Key> = Key::ALL.into_iter().filter(varies).collect();
    let filled = |figure: &&Figure| rows.iter().any(|(row, pass)| !figure.1(row, pass).is_empty());
    let figures: Vec<&Figure> = figures.iter().filter(filled).collect();
    let titles = keys.iter().map(|key| key.title()).chain(figures.iter().map(|figure| figure.0));
    let mut grid = Grid::new(titles, keys.len());
    for &(row, pass) in rows {
        let asked = keys.iter().map(|key| value(*key, (row, pass)));
        grid.push(asked.chain(figures.iter().map(|figure| figure.1(row, pass))));
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::super::of;
    use super::super::samples::{pass, rows};
    use super::*;

    #[test]
    fn ours_stand_beside_the_papers() {
        let rows = [
            pass(Topic::Outstanding, "emulated", 1, 1, 1.6, 1.7),
            pass(Topic::Outstanding, "emulated", 1, 24, 0.19, 0.06),
        ];
        let grid = table(Topic::Outstanding, &of(&rows, Topic::Outstanding));
        let text = grid.to_string();
        let header = text.lines().next().unwrap();
        assert!(header.contains("outstanding") && header.contains("paper"), "{text}");
        assert!(!header.contains("provider"), "{text}");
        assert_eq!(grid.line(0)[0], "1");
        for number in ["0.730", "1.70", "0.760", "0.240"] {
            assert!(grid.line(1).contains(&number), "{number}: {text}");
        }
    }

    #[test]
    fn every_topic_has_a_table() {
        let rows = rows();
        for topic in Topic::ALL {
            let of = of(&rows, topic);
            assert!(!of.is_empty(), "{topic}");
            assert_eq!(table(topic, &of).len(), of.len());
        }
        assert!(table(Topic::Copy, &[]).is_empty());
    }
}
