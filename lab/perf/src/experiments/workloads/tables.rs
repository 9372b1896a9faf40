//! The figures of source 000 as tables, with the paper's own claims beside them.

use crate::report::dimension::{self, Dimension};
use crate::report::format::{cycles, gbps, maybe, times};
use crate::report::grid::Grid;
use crate::report::row::{Row, limits};

/// Returns what source 000 says about multi-buffer over its best single-buffer code, for the cases
/// that it ran.
fn claim(row: &Row) -> &'static str {
    match (row.algorithm.as_str(), row.direction.as_str(), row.workload.as_deref()) {
        ("hmac-sha1", _, Some(_)) => "about 2×",
        ("aes-128-cbc", "encrypt", Some("0")) => "1.2×",
        ("aes-128-cbc", "encrypt", Some(_)) => "2.5× to 3×",
        _ => "",
    }
}

/// Returns `true` if two rows belong to one comparison.
fn same_case(a: &Row, b: &Row) -> bool {
    let asked = |row: &Row| {
        dimension::values(row, &[Dimension::Provider, Dimension::Opened, Dimension::Order])
    };
    asked(a) == asked(b)
}

/// Figures 1 and 3: cycles per buffer of every provider, and what `native` gains over each.
///
/// `rows` are those of one algorithm, mode and order.
pub fn comparison(rows: &[Row]) -> Grid {
    let titles = [
        "workload",
        "provider",
        "kernel",
        "order",
        "mean bytes",
        "cycles/buffer",
        "median",
        "Gbit/s",
        "of limit",
        "native is",
        "paper",
    ];
    let limits_differ = limits(rows).len() > 1;
    let mut grid = Grid::new(titles.into_iter().chain(limits_differ.then_some("limit set by")), 4);
    for row in rows {
        let native = rows
            .iter()
            .filter(|other| other.provider == "native" && same_case(row, other))
            .find(|other| other.order == row.order);
        let gain = native
            .filter(|_| row.provider != "native")
            .and_then(|native| Some(row.cycles_per_buffer? / native.cycles_per_buffer?));
        let limit = row
            .limit_cycles_per_buffer
            .zip(row.cycles_per_buffer)
            .map(|(limit, reached)| 100.0 * limit / reached);
        let figures = [
            case(row),
            row.side(),
            row.kernel.clone(),
            row.order.clone(),
            format!("{:.0}", row.buffer_bytes),
            maybe(row.cycles_per_buffer, cycles),
            maybe(row.cycles_per_buffer_median, cycles),
            maybe(row.gbps, gbps),
            maybe(limit, |percent| format!("{percent:.0} %")),
            maybe(gain, times),
            if row.provider == "openssl" { claim(row).to_owned() } else { String::new() },
        ];
        let limit_by = limits_differ.then(|| row.limit_by.clone().unwrap_or_default());
        grid.push(figures.into_iter().chain(limit_by));
    }
    grid
}

/// A workload's number, or a size.
fn case(row: &Row) -> String {
    row.workload.clone().unwrap_or_else(|| row.load())
}

/// Figures 2 and 4: where the cycles of a stream go.
///
/// `rows` are stream rows; each workload of which both orders were run by `native` gets a line.
/// Nothing comes back where there is none.
pub fn breakdown(rows: &[Row]) -> Option<Grid> {
    let mut grid = Grid::new(
        [
            "workload",
            "kernel",
            "+ out-of-order",
            "+ in-order",
            "= multi-buffer, in order",
            "one at a time (openssl)",
        ],
        1,
    );
    let native = |order| rows.iter().filter(move |r| r.provider == "native" && r.order == order);
    for unordered in native("out-of-order") {
        let ordered = native("in-order").find(|other| same_case(unordered, other));
        let figures = (unordered.kernel_cycles_per_buffer, unordered.cycles_per_buffer);
        let ((Some(kernel), Some(free)), Some(strict)) =
            (figures, ordered.and_then(|row| row.cycles_per_buffer))
        else {
            continue;
        };
        let single = rows
            .iter()
            .find(|other| other.provider == "openssl" && same_case(unordered, other))
            .and_then(|row| row.cycles_per_buffer);
        grid.push([
            case(unordered),
            cycles(kernel),
            cycles(free - kernel),
            cycles(strict - free),
            cycles(strict),
            maybe(single, cycles),
        ]);
    }
    (!grid.is_empty()).then_some(grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    fn row(provider: &str, order: &str, cycles: f64) -> Row {
        Row {
            workload: Some("0".to_owned()),
            size: None,
            mode: "stream".to_owned(),
            burst: 1,
            order: order.to_owned(),
            limit_cycles_per_buffer: Some(75.0),
            kernel_cycles_per_buffer: (provider == "native").then_some(90.0),
            ..samples::row(provider, 64, cycles)
        }
    }

    #[test]
    fn a_peer_is_compared_with_native_in_the_same_order() {
        let rows = [
            row("native", "out-of-order", 100.0),
            row("native", "in-order", 110.0),
            row("openssl", "out-of-order", 1300.0),
        ];
        let grid = comparison(&rows);
        assert_eq!(grid.line(0)[8..], ["75 %", "", ""]);
        assert_eq!(grid.line(2)[9..], ["13.0×", "about 2×"]);
    }

    #[test]
    fn lanes_that_do_without_a_feature_are_compared_like_others() {
        let without = |row: Row, by: &str| Row {
            without: (row.provider == "native").then(|| "sha".to_owned()),
            limit_by: Some(by.to_owned()),
            ..row
        };
        let rows = [
            without(row("native", "out-of-order", 100.0), "vectors"),
            without(row("native", "in-order", 110.0), "vectors"),
            without(row("openssl", "out-of-order", 1300.0), "SHA instructions"),
        ];
        let grid = comparison(&rows);
        assert_eq!(grid.line(0)[1], "native (without sha)");
        assert_eq!(grid.line(2)[9..], ["13.0×", "about 2×", "SHA instructions"]);
        assert_eq!(breakdown(&rows).unwrap().line(0).last(), Some(&"1300"));
    }

    #[test]
    fn the_breakdown_adds_up() {
        let rows = [
            row("native", "out-of-order", 100.0),
            row("native", "in-order", 112.5),
            row("openssl", "out-of-order", 1300.0),
        ];
        let grid = breakdown(&rows).unwrap();
        assert_eq!(grid.line(0), ["0", "90.0", "10.0", "12.5", "112", "1300"]);
        assert!(breakdown(&rows[..1]).is_none());
    }

    #[test]
    fn the_papers_claims_stand_only_beside_what_it_ran() {
        let mut aes = row("openssl", "in-order", 1.0);
        aes.algorithm = "aes-128-cbc".to_owned();
        aes.direction = "encrypt".to_owned();
        assert_eq!(claim(&aes), "1.2×");
        aes.workload = Some("3".to_owned());
        assert_eq!(claim(&aes), "2.5× to 3×");
        aes.direction = "decrypt".to_owned();
        assert_eq!(claim(&aes), "");
    }
}
