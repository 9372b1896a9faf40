//! The page of a run of `broadloom-perf packets`.

use std::io::{self, Write};

use maud::{Markup, html};

use super::tables;
use crate::report::page::chart::{Chart, Series, Upward};
use crate::report::page::{self, Section, operations::FOOTER};
use crate::report::row::{Report, Row};

/// Writes the page: for each protocol a table, and a chart of rates over lengths of frames.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let mut protocols: Vec<&str> = Vec::new();
    for protocol in report.rows.iter().filter_map(|row| row.protocol.as_deref()) {
        if !protocols.contains(&protocol) {
            protocols.push(protocol);
        }
    }
    let section = |protocol: &&str| {
        let own = report.rows.iter().filter(|row| row.protocol.as_deref() == Some(*protocol));
        let rows: Vec<Row> = own.cloned().collect();
        Section::new(*protocol, *protocol, body(&rows)).called(protocol)
    };
    let sections: Vec<Section> = protocols.iter().map(section).collect();
    page::write(report, &sections, FOOTER, out)
}

fn body(rows: &[Row]) -> Markup {
    html! {
        div class="charts" {
            @for direction in ["protect", "unprotect"] {
                @if let Some(chart) = chart(rows, direction) { (chart) }
            }
        }
        (tables::table(rows).html("cycles of the counter a packet, and packets a second"))
        @for finding in tables::findings(rows) { p { (finding) } }
    }
}

/// Packets a second over lengths of frames, a line for each side; `None` where there is but one
/// length.
fn chart(rows: &[Row], direction: &str) -> Option<Markup> {
    let own = || rows.iter().filter(|row| row.direction == direction && row.size.is_some());
    let side = |row: &Row| {
        let call = row.call.as_deref().unwrap_or(&row.kernel);
        let (flows, burst) = (row.flows.unwrap_or_default(), row.burst);
        let cores = if row.cores == 1 { "core" } else { "cores" };
        format!("{} {call}, {flows} flows, bursts of {burst}, {} {cores}", row.provider, row.cores)
    };
    let mut sides: Vec<String> = Vec::new();
    for row in own() {
        if !sides.contains(&side(row)) {
            sides.push(side(row));
        }
    }
    let point = |row: &Row| Some((row.size? as f64, row.packets_per_second? / 1e6));
    let line = |(style, label): (usize, &String)| Series {
        label: label.clone(),
        style,
        faint: false,
        points: own().filter(|row| side(row) == *label).filter_map(point).collect(),
    };
    let series: Vec<Series> = sides.iter().enumerate().map(line).collect();
    series.iter().any(|line| line.points.len() > 1).then(|| {
        Chart {
            title: direction.to_owned(),
            across: "bytes of a frame",
            up: "million packets a second",
            series,
        }
        .lines(Upward::Even)
    })
}
