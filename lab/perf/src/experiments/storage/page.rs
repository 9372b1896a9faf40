//! The page of a run of `broadloom-perf storage`.

use std::io::{self, Write};

use maud::{Markup, html};

use super::fio;
use super::side::Over;
use super::tables;
use super::topic::Topic;
use crate::report::page::chart::{Chart, Series, Upward};
use crate::report::page::{self, Section};
use crate::report::row::{Report, Row};

/// Beneath the page.
const FOOTER: &str = "A figure is that of the shortest of several passes, with all kinds of \
    storage in turn. CPU time is that of the whole process, without the kernel's own threads. \
    Ratios hold within this page, not across pages.";

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let sections = page::by_topic(&report.rows, Topic::ALL, Topic::has, |topic, rows| {
        Section::new(topic.name(), topic.title(), body(topic, rows))
    });
    page::write(report, &sections, FOOTER, out)
}

fn body(topic: Topic, rows: &[Row]) -> Markup {
    let meaningless = Over::ALL.into_iter().filter_map(|over| missing(topic, over));
    html! {
        p { (topic.question()) }
        @for reason in meaningless { p { (reason) } }
        @if rows.iter().any(|row| row.cores > 1) { div class="charts" { (chart(topic, rows)) } }
        (tables::table(topic, rows).html(topic.title()))
        @for finding in tables::findings(rows) { p { (finding) } }
    }
}

/// Why a kind of storage has no such row.
pub(super) fn missing(topic: Topic, over: Over) -> Option<String> {
    let reason = topic.meaningless(over)?;
    Some(format!("{topic} has no meaning over {over}: {reason}"))
}

/// Operations a second over clients.
fn chart(topic: Topic, rows: &[Row]) -> Markup {
    let names = Over::ALL.map(Over::name).into_iter().chain([fio::NAME]);
    let point = |row: &Row| Some((row.cores as f64, row.operations_per_second?));
    let series = names.enumerate().map(|(style, name)| Series {
        label: name.to_owned(),
        style,
        faint: name == fio::NAME,
        points: rows.iter().filter(|row| row.provider == name).filter_map(point).collect(),
    });
    Chart {
        title: topic.title().to_owned(),
        across: "clients",
        up: "operations a second",
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
    .lines(Upward::Ratios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::storage::tables::tests::made;
    use crate::report::samples::report;

    #[test]
    fn rows_that_were_measured_are_on_the_page_and_others_are_explained() {
        let made = |provider, clients| made(Topic::RandomWrite, provider, clients, 100.0);
        let mut text = Vec::new();
        let rows = vec![made("directory", 1), made("directory", 4), made("fio", 1), made("fio", 4)];
        write(&report(rows), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(Topic::RandomWrite.title()) && text.contains("<svg"), "{text}");
        assert!(text.contains("random-write has no meaning over repository: a snapshot is"));
        assert!(!text.contains(Topic::Stat.title()));
    }
}
