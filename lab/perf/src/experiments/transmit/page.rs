//! The page of a run of `broadloom-perf transmit`.

use std::io::{self, Write};

use maud::{Markup, html};

use super::options::By;
use super::paper::{SOURCE, lines};
use super::tables;
use crate::report::page::chart::{Chart, Series, Upward};
use crate::report::page::{self, Section};
use crate::report::row::{Report, Row};

/// Beneath the page.
const FOOTER: &str = "A figure is that of the cheapest of several passes, with all sides in turn \
    on the same connections. Cycles are the sending thread's CPU time by the counter. Ratios hold \
    within this page, not across pages.";

/// Writes the page: for each length of writes charts and a table, and the shares of functions.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let by_write = report.rows.chunk_by(|a, b| a.size == b.size);
    let section = |rows: &[Row]| {
        let write = rows.first().and_then(|row| row.size).unwrap_or_default();
        Section::new(format!("write-{write}"), tables::title(rows), body(rows))
    };
    let mut sections: Vec<Section> = by_write.map(section).collect();
    if let Some(functions) = tables::functions(&report.rows) {
        let caption = "shares of CPU time, and ratios of cycles a KiB";
        let body = html! {
            p {
                "The source profiled two cases and divided the share of each of four functions by \
                 the throughput. The table has the functions of Linux that do the same, each with \
                 the functions that it calls, but without interrupts. With the loopback device, \
                 the sender's core also receives, so that TCP's input includes data and not only \
                 acknowledgements."
            }
            (functions.html(caption))
        };
        sections.push(Section::new("functions", "Functions", body));
    }
    page::write(report, &sections, FOOTER, out)
}

fn body(rows: &[Row]) -> Markup {
    let cycles = |row: &Row| row.cycles_per_kib;
    let gbps = |row: &Row| row.gbps;
    let write = rows.first().and_then(|row| row.size);
    let theirs = || lines().filter(|line| Some(line.write) == write);
    let series = |points: Vec<(f64, f64)>| Series {
        label: SOURCE.to_owned(),
        style: By::ALL.len(),
        faint: true,
        points,
    };
    let their_cycles = theirs().map(|line| (line.connections as f64, line.cycles)).collect();
    let their_gbps = theirs().map(|line| (line.connections as f64, line.gbps)).collect();
    html! {
        @if rows.iter().any(|row| row.flows != rows[0].flows) {
            div class="charts" {
                (chart(rows, "Cycles", "cycles a KiB", cycles, series(their_cycles)))
                (chart(rows, "Throughput", "Gbit/s", gbps, series(their_gbps)))
            }
        }
        (tables::table(rows).html("CPU time of the sender's core in per cent, cycles, throughput"))
        @if let Some(shares) = tables::shares(rows) {
            (shares.html("shares of functions in the sending thread's CPU time, in per cent"))
        }
        @for finding in tables::findings(rows) { p { (finding) } }
    }
}

/// A figure over connections, a line for each side and one for the source.
fn chart(
    rows: &[Row],
    title: &str,
    up: &'static str,
    value: impl Fn(&Row) -> Option<f64>,
    source: Series,
) -> Markup {
    let side = |(style, by): (usize, By)| Series {
        label: by.to_string(),
        style,
        faint: false,
        points: rows
            .iter()
            .filter(|row| row.provider == by.provider())
            .filter_map(|row| Some((row.flows? as f64, value(row)?)))
            .collect(),
    };
    let series = By::ALL.into_iter().enumerate().map(side).chain([source]);
    Chart {
        title: title.to_owned(),
        across: "connections",
        up,
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
    .lines(Upward::Ratios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::transmit::tables::tests::made;
    use crate::report::samples::report;

    #[test]
    fn sides_and_the_source_are_on_the_page() {
        let rows = vec![
            made(By::Plain, 100, 8192, 900.0),
            made(By::Plain, 4000, 8192, 1000.0),
            made(By::Records, 4000, 8192, 1000.0),
            made(By::Plain, 100, 65536, 500.0),
        ];
        let mut text = Vec::new();
        write(&report(rows), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for part in ["Writes of 8 KiB", "Writes of 64 KiB", SOURCE, "records", "<svg", "tcp_wput"] {
            assert!(text.contains(part), "{part}");
        }
    }
}
