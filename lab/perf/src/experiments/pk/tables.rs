//! The tables of `broadloom-perf pk`, and what they say in a sentence.

use super::topic::Topic;
use crate::report::format;
use crate::report::grid::Grid;
use crate::report::row::Row;

/// Source 003: RSA-2048 decryptions a second of the whole device.
pub(super) const PROMISED: f64 = 41_000.0;

/// Source 001: what Montgomery multiplication gained, and what words of 64 bits did.
const GAINS: [f64; 2] = [3.0, 1.8];

/// The table of a figure.
pub(super) fn table(topic: Topic, rows: &[Row]) -> Grid {
    match topic {
        Topic::Montgomery => montgomery(rows),
        Topic::Outstanding => outstanding(rows),
        Topic::Curves => curves(rows),
    }
}

/// Compares a figure with its source.
pub(super) fn findings(topic: Topic, rows: &[Row]) -> Vec<String> {
    match topic {
        Topic::Montgomery => gains(rows),
        Topic::Outstanding => Vec::from_iter(full(rows)),
        Topic::Curves => Vec::new(),
    }
}

fn rate(row: &Row) -> f64 {
    row.operations_per_second.unwrap_or_default()
}

fn montgomery(rows: &[Row]) -> Grid {
    let header = ["prime of a key of", "bits", "how", "cycles", "median", "a second"];
    let mut grid = Grid::new(header, 3);
    for row in rows {
        grid.push([
            row.algorithm.clone(),
            (row.buffer_bytes * 8.0).to_string(),
            row.kernel.clone(),
            format::maybe(row.cycles_per_buffer, format::cycles),
            format::maybe(row.cycles_per_buffer_median, format::cycles),
            format::rate(rate(row)),
        ]);
    }
    grid
}

/// The gains for each key: of Montgomery over division, and of wide over narrow words.
fn gains(rows: &[Row]) -> Vec<String> {
    let mut algorithms: Vec<&str> = rows.iter().map(|row| row.algorithm.as_str()).collect();
    algorithms.dedup();
    let find = |algorithm: &str, reduction: &str, word: u32| {
        let options = format!("reduction={reduction}:word={word}");
        let is_it = |row: &&Row| {
            row.algorithm == algorithm && row.options.as_deref() == Some(options.as_str())
        };
        rows.iter().find(is_it).and_then(|row| row.cycles_per_buffer)
    };
    let of = |algorithm: &&str| {
        let divided = find(algorithm, "division", 64)? / find(algorithm, "montgomery", 64)?;
        let narrow = find(algorithm, "montgomery", 32)? / find(algorithm, "montgomery", 64)?;
        Some(format!(
            "{algorithm}: Montgomery over division {} in 64-bit words (source: {}), 64-bit words \
             over 32-bit ones {} (source: {})",
            format::times(divided),
            format::times(GAINS[0]),
            format::times(narrow),
            format::times(GAINS[1]),
        ))
    };
    algorithms.iter().filter_map(of).collect()
}

fn outstanding(rows: &[Row]) -> Grid {
    let header = ["outstanding", "provider", "a second", "cycles", "median", "over one"];
    let mut grid = Grid::new(header, 2);
    for row in rows {
        let one = rows.iter().find(|one| one.provider == row.provider).map_or(0.0, rate);
        grid.push([
            row.outstanding.unwrap_or_default().to_string(),
            row.provider.clone(),
            format::rate(rate(row)),
            format::maybe(row.cycles_per_buffer, format::cycles),
            format::maybe(row.cycles_per_buffer_median, format::cycles),
            format::times(rate(row) / one.max(1e-9)),
        ]);
    }
    grid
}

/// Describes what the device does at its best.
fn full(rows: &[Row]) -> Option<String> {
    let best = rows
        .iter()
        .filter(|row| row.provider == broadloom_emulated::Emulated::NAME)
        .max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    Some(format!(
        "At most {} decryptions a second, with {} outstanding (source: approximately {PROMISED:.0} \
         with all thirty engines busy)",
        format::rate(rate(best)),
        best.outstanding.unwrap_or_default(),
    ))
}

fn curves(rows: &[Row]) -> Grid {
    let header = ["algorithm", "direction", "side", "a second", "cycles", "over openssl speed"];
    let mut grid = Grid::new(header, 3);
    for row in rows {
        let program = rows.iter().find(|other| {
            other.provider == super::speed::NAME && other.operation() == row.operation()
        });
        grid.push([
            row.algorithm.clone(),
            row.direction.clone(),
            row.side(),
            format::rate(rate(row)),
            format::maybe(row.cycles_per_buffer, format::cycles),
            program.map_or(String::new(), |program| format::times(rate(row) / rate(program))),
        ]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::row;

    fn textbook(reduction: &str, word: u32, cycles: f64) -> Row {
        Row {
            algorithm: "rsa-1024".to_owned(),
            options: Some(format!("reduction={reduction}:word={word}")),
            ..row("textbook", 64, cycles)
        }
    }

    #[test]
    fn gains_are_ratios_of_cycles() {
        let rows = [
            textbook("division", 32, 1000.0),
            textbook("division", 64, 300.0),
            textbook("montgomery", 32, 400.0),
            textbook("montgomery", 64, 100.0),
        ];
        let [said] = &findings(Topic::Montgomery, &rows)[..] else { panic!("one key") };
        assert!(said.contains("division 3.00×") && said.contains("ones 4.00×"), "{said}");
        assert_eq!(table(Topic::Montgomery, &rows).len(), 4);
    }

    #[test]
    fn the_device_is_set_against_its_promise() {
        let at = |outstanding, rate| Row {
            outstanding: Some(outstanding),
            operations_per_second: Some(rate),
            ..row("emulated", 256, 1.0)
        };
        let rows = [at(1, 1366.0), at(30, 40_900.0), at(64, 40_800.0)];
        let [said] = &findings(Topic::Outstanding, &rows)[..] else { panic!("one device") };
        assert!(said.contains("40900 decryptions a second, with 30 outstanding"), "{said}");
        assert_eq!(table(Topic::Outstanding, &rows).line(1)[5], "29.9×");
    }
}
