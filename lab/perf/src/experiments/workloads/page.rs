//! The page of a run of `broadloom-perf workloads`.

use std::io::{self, Write};

use maud::html;

use super::tables::breakdown;
use crate::report::analysis;
use crate::report::dimension::{Dimension, describe, groups};
use crate::report::grid::Grid;
use crate::report::page;
use crate::report::page::operations::{self, FOOTER, Looks};
use crate::report::row::{Report, Row};

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let (rows, looks) = (&report.rows, Looks::new(&report.rows));
    let mut sections = Vec::from_iter(operations::summary(rows));
    sections.extend(operations::sections(rows, |rows| {
        let streams = breakdowns(&analysis::throughput(rows.iter().copied()));
        html! {
            (operations::body(rows, &looks, None))
            @for (title, breakdown) in streams { (breakdown.html(&title)) }
        }
    }));
    page::write(report, &sections, FOOTER, out)
}

/// Makes a table of where the cycles of streams go, with a title, for each choice of lanes and
/// caches.
fn breakdowns(rows: &[&Row]) -> Vec<(String, Grid)> {
    const SETTINGS: [Dimension; 3] = [Dimension::Opened, Dimension::Isa, Dimension::Cache];
    let native = rows.iter().filter(|row| row.kernel_cycles_per_buffer.is_some());
    let apart = Dimension::ALL.into_iter().filter(|dimension| !SETTINGS.contains(dimension));
    let groups = groups(native.copied(), &apart.collect::<Vec<_>>());
    let of = |group: Vec<&Row>| {
        let first = group[0];
        let alike = |row: &&&Row| row.isa == first.isa && row.cache == first.cache;
        let others = rows.iter().filter(|row| row.provider != first.provider).filter(alike);
        let all: Vec<Row> = group.iter().chain(others).map(|row| (*row).clone()).collect();
        let title = format!("Where the cycles of a stream go, {}", describe(first, &SETTINGS));
        Some((title, breakdown(&all)?))
    };
    groups.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{report, row};

    fn text(rows: Vec<Row>) -> String {
        let mut page = Vec::new();
        write(&report(rows), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn streams_are_taken_apart() {
        let stream = |provider, order: &str, cycles, kernel| Row {
            workload: Some("1".to_owned()),
            size: None,
            mode: "stream".to_owned(),
            order: order.to_owned(),
            kernel_cycles_per_buffer: kernel,
            ..row(provider, 64, cycles)
        };
        let rows = vec![
            stream("native", "out-of-order", 100.0, Some(60.0)),
            stream("native", "in-order", 130.0, Some(60.0)),
            stream("openssl", "out-of-order", 900.0, None),
        ];
        let page = text(rows);
        assert!(page.contains("Where the cycles of a stream go, avx2 lanes, warm buffers"));
        for cycles in ["60.0", "40.0", "30.0", "130", "900"] {
            assert!(page.contains(&format!(">{cycles}</td>")), "{cycles}: {page}");
        }
        assert!(!text(vec![row("native", 64, 100.0)]).contains("Where the cycles"));
    }

    #[test]
    fn a_report_of_little_is_a_page_too() {
        for rows in [vec![], vec![row("openssl", 64, 100.0)]] {
            let page = text(rows);
            assert!(page.contains("<h1>") && !page.contains("NaN"));
        }
    }
}
