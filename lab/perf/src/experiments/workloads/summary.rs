//! One table and one sentence for a reader who wants to know what is gained on this machine.

use crate::report::format::{cycles, maybe, times};
use crate::report::grid::Grid;
use crate::report::row::Row;

/// Returns the names of the peers that rows have, each once, in the order of the rows.
fn peers(rows: &[Row]) -> Vec<&str> {
    let mut peers: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.provider != "native") {
        if !peers.contains(&row.provider.as_str()) {
            peers.push(&row.provider);
        }
    }
    peers
}

/// Returns `true` if two rows measured the same work.
fn is_same_work(a: &Row, b: &Row) -> bool {
    a.algorithm == b.algorithm
        && a.direction == b.direction
        && (&a.workload, a.load(), a.burst) == (&b.workload, b.load(), b.burst)
        && (&a.cache, &a.order) == (&b.cache, &b.order)
}

/// Returns how many times as fast `native` is as a peer at the same work.
fn gain(rows: &[Row], native: &Row, peer: &str) -> Option<f64> {
    let other = rows.iter().find(|row| row.provider == peer && is_same_work(row, native))?;
    Some(other.cycles_per_buffer? / native.cycles_per_buffer?)
}

/// Returns a line for each work of `native`: its cycles a buffer, then for each peer its cycles and
/// what `native` gains.
pub fn table(rows: &[Row]) -> Grid {
    let peers = peers(rows);
    let header = ["algorithm", "workload", "mean bytes", "Broadloom"].map(str::to_owned);
    let of_peers = peers.iter().flat_map(|peer| [(*peer).to_owned(), "gain".to_owned()]);
    let mut grid = Grid::new(header.into_iter().chain(of_peers), 2);
    for native in rows.iter().filter(|row| row.provider == "native") {
        let work = [
            format!("{} {}", native.algorithm, native.direction),
            native.workload.clone().unwrap_or_else(|| native.load()),
            format!("{:.0}", native.buffer_bytes),
            maybe(native.cycles_per_buffer, cycles),
        ];
        let of_peers = peers.iter().flat_map(|peer| {
            let other = rows.iter().find(|row| row.provider == *peer && is_same_work(row, native));
            [
                maybe(other.and_then(|row| row.cycles_per_buffer), cycles),
                maybe(gain(rows, native, peer), times),
            ]
        });
        grid.push(work.into_iter().chain(of_peers));
    }
    grid
}

/// Returns the sentence that says what is gained over each peer.
pub fn sentence(rows: &[Row]) -> String {
    let over = |peer: &&str| {
        let native = rows.iter().filter(|row| row.provider == "native");
        let mut gains: Vec<f64> = native.filter_map(|row| gain(rows, row, peer)).collect();
        gains.sort_unstable_by(f64::total_cmp);
        let (least, most) = (gains.first()?, gains.last()?);
        Some(match gains.len() {
            1 => format!("{least:.1} times as fast as {peer}"),
            _ => format!("{least:.1} to {most:.1} times as fast as {peer}"),
        })
    };
    let gains: Vec<String> = peers(rows).iter().filter_map(over).collect();
    match gains.is_empty() {
        true => "No other library took part, so that there is no gain to tell.".to_owned(),
        false => format!("On this core, Broadloom is {}.", gains.join(", and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    fn rows() -> Vec<Row> {
        let sizes = [(64, 100.0, 420.0), (2048, 1000.0, 2500.0)];
        let of = |(size, ours, theirs)| {
            [samples::row("native", size, ours), samples::row("openssl", size, theirs)]
        };
        sizes.into_iter().flat_map(of).collect()
    }

    #[test]
    fn the_sentence_gives_the_least_and_the_largest_gain() {
        let said = sentence(&rows());
        assert_eq!(said, "On this core, Broadloom is 2.5 to 4.2 times as fast as openssl.");
        let said = sentence(&rows()[..2]);
        assert_eq!(said, "On this core, Broadloom is 4.2 times as fast as openssl.");
        let alone = [samples::row("native", 64, 100.0)];
        assert!(sentence(&alone).starts_with("No other library took part"));
    }

    #[test]
    fn the_table_has_a_line_for_each_work_of_native() {
        let text = table(&rows()).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[0].contains("openssl") && lines[0].contains("gain"), "{text}");
        assert!(lines[2].contains("100") && lines[2].contains("420"), "{text}");
        assert!(lines[2].contains("4.2"), "{text}");
    }
}
