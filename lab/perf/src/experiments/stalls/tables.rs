//! The tables of `broadloom-perf stalls`, and what they say in a sentence.

use super::topic::Topic;
use crate::report::format;
use crate::report::grid::Grid;
use crate::report::row::Row;

/// Source 001: what the third version gained over the first.
const PIPELINED: f64 = 1.15;

/// Source 004: instructions of FI with small and with large tables.
const INSTRUCTIONS: [usize; 2] = [22, 5];

/// Source 004: hardware threads of a core, which did nearly so many times the work of one.
const THREADS: usize = 8;

/// The table of a figure.
pub(super) fn table(rows: &[Row]) -> Grid {
    let header =
        ["way", "threads", "MB/s", "cycles", "median", "over the first", "over one thread"];
    let mut grid = Grid::new(header, 1);
    for row in rows {
        let first = rows.iter().find(|first| first.cores == row.cores);
        let one = rows.iter().find(|one| one.kernel == row.kernel);
        grid.push([
            row.kernel.clone(),
            row.cores.to_string(),
            format::maybe(row.gbps, |gbps| format!("{:.1}", gbps * 1e3 / 8.0)),
            format::maybe(row.cycles_per_buffer, format::cycles),
            format::maybe(row.cycles_per_buffer_median, format::cycles),
            format::maybe(gain(first, Some(row)), format::times),
            format::maybe(gain(one, Some(row)), format::times),
        ]);
    }
    grid
}

/// Returns how many times as fast as one row another is.
fn gain(slow: Option<&Row>, fast: Option<&Row>) -> Option<f64> {
    Some(slow?.cycles_per_buffer? / fast?.cycles_per_buffer?)
}

/// What a figure comes to, beside its source.
pub(super) fn findings(topic: Topic, rows: &[Row]) -> Vec<String> {
    let most = rows.iter().map(|row| row.cores).max().unwrap_or(1);
    let find = |options: &str, threads: usize| {
        rows.iter().find(|row| row.options.as_deref() == Some(options) && row.cores == threads)
    };
    let between = |slow: &str, fast: &str| gain(find(slow, 1), find(fast, 1));
    let scaled = |options: &str| gain(find(options, 1), find(options, most));
    let mut said = Vec::new();
    match topic {
        Topic::Rc4 => {
            if let (Some(kept), Some(later)) =
                (between("version=1", "version=2"), between("version=1", "version=3"))
            {
                said.push(format!(
                    "On one thread, version 2 does {} the work of version 1, and version 3 {} \
                     (source: {})",
                    format::times(kept),
                    format::times(later),
                    format::times(PIPELINED),
                ));
            }
        }
        Topic::Kasumi => {
            let [small, large] = INSTRUCTIONS;
            if let Some(gained) = between("tables=small", "tables=large") {
                said.push(format!(
                    "On one thread, large tables do {} the work of small ones (source: {large} \
                     instructions instead of {small} for FI, and more waiting)",
                    format::times(gained),
                ));
            }
            if let (Some(small), Some(large)) = (scaled("tables=small"), scaled("tables=large"))
                && most > 1
            {
                said.push(format!(
                    "{most} threads on cores of their own do {} the work of one with small tables, \
                     and {} with large ones (source: {THREADS} threads of one core, hardly more \
                     than one with small tables, and nearly {THREADS} times with large ones)",
                    format::times(small),
                    format::times(large),
                ));
            }
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::row;

    fn textbook(options: &str, cores: usize, cycles: f64) -> Row {
        let (options, kernel) = (Some(options.to_owned()), options.to_owned());
        Row { options, kernel, cores, ..row("textbook", 1024, cycles) }
    }

    #[test]
    fn versions_are_set_against_the_first() {
        let rows = [
            textbook("version=1", 1, 300.0),
            textbook("version=2", 1, 200.0),
            textbook("version=3", 1, 150.0),
        ];
        let [said] = &findings(Topic::Rc4, &rows)[..] else { panic!("one sentence") };
        assert!(
            said.contains("version 2 does 1.50×") && said.contains("version 3 2.00×"),
            "{said}"
        );
        assert_eq!(table(&rows).line(2)[5], "2.00×");
    }

    #[test]
    fn threads_are_set_against_one() {
        let rows = [
            textbook("tables=small", 1, 400.0),
            textbook("tables=large", 1, 200.0),
            textbook("tables=small", 4, 200.0),
            textbook("tables=large", 4, 50.0),
        ];
        let [gained, scaled] = &findings(Topic::Kasumi, &rows)[..] else { panic!("two") };
        assert!(gained.contains("do 2.00× the work"), "{gained}");
        assert!(scaled.starts_with("4 threads") && scaled.contains("and 4.00×"), "{scaled}");
        assert_eq!(table(&rows).line(3)[6], "4.00×");
        assert_eq!(findings(Topic::Kasumi, &rows[..2]).len(), 1);
    }
}
