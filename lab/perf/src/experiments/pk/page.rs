//! The page of a run of `broadloom-perf pk`.

use std::io::{self, Write};

use maud::{Markup, html};

use super::tables::{self, PROMISED};
use super::topic::Topic;
use crate::report::page::chart::{Chart, Series, Upward};
use crate::report::page::{self, Section, operations::FOOTER};
use crate::report::row::{Report, Row};

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let sections = page::by_topic(&report.rows, Topic::ALL, Topic::has, |topic, rows| {
        Section::new(topic.name(), topic.title(), body(topic, rows)).called(topic.name())
    });
    page::write(report, &sections, FOOTER, out)
}

fn body(topic: Topic, rows: &[Row]) -> Markup {
    html! {
        p { (topic.question()) }
        @if topic == Topic::Outstanding { div class="charts" { (chart(rows)) } }
        (tables::table(topic, rows).html(topic.title()))
        @for finding in tables::findings(topic, rows) { p { (finding) } }
    }
}

/// Decryptions a second over operations outstanding, with the source's figure.
fn chart(rows: &[Row]) -> Markup {
    let mut providers: Vec<&str> = Vec::new();
    for row in rows {
        if !providers.contains(&row.provider.as_str()) {
            providers.push(&row.provider);
        }
    }
    let point = |row: &Row| Some((row.outstanding? as f64, row.operations_per_second?));
    let mut series: Vec<Series> = providers
        .iter()
        .enumerate()
        .map(|(style, provider)| Series {
            label: (*provider).to_owned(),
            style,
            faint: false,
            points: rows.iter().filter(|row| row.provider == *provider).filter_map(point).collect(),
        })
        .collect();
    let ends = rows.iter().filter_map(|row| row.outstanding).max().unwrap_or(1);
    series.push(Series {
        label: "the paper's, all engines busy".to_owned(),
        style: providers.len(),
        faint: true,
        points: vec![(30.0, PROMISED), (ends.max(31) as f64, PROMISED)],
    });
    Chart {
        title: "RSA-2048 decryptions".to_owned(),
        across: "operations outstanding on one thread",
        up: "decryptions a second",
        series,
    }
    .lines(Upward::Even)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{report, row};

    #[test]
    fn figures_that_were_measured_are_on_the_page() {
        let device = Row {
            outstanding: Some(30),
            operations_per_second: Some(40_000.0),
            ..row("emulated", 256, 1.0)
        };
        let mut text = Vec::new();
        write(&report(vec![device]), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(Topic::Outstanding.title()) && text.contains("<svg"), "{text}");
        assert!(!text.contains(Topic::Curves.title()));
    }
}
