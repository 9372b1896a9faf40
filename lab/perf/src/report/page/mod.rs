//! A report as one page that needs nothing but itself: no network, no script.
//!
//! Each experiment has a page of its own, made of these parts.

mod axis;
pub mod chart;
mod figures;
pub mod operations;
pub mod picture;
pub mod states;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::row::{Report, Row};

/// Colours, and the looks of charts.
const CHART_STYLE: &str = include_str!("chart.css");
const STYLE: &str = include_str!("style.css");

/// A part of the page that has a place in its contents.
pub struct Section {
    id: String,
    /// Its name in the contents.
    short: String,
    title: String,
    body: Markup,
}

impl Section {
    /// A part with its title as its name in the contents.
    pub fn new(id: impl Into<String>, title: impl Into<String>, body: Markup) -> Section {
        let title = title.into();
        Section { id: id.into(), short: title.clone(), title, body }
    }

    /// The same under a shorter name in the contents.
    pub fn called(self, short: &str) -> Section {
        Section { short: short.to_owned(), ..self }
    }
}

/// A section for each topic of an experiment that has rows.
pub fn by_topic<T: Copy>(
    rows: &[Row],
    topics: impl IntoIterator<Item = T>,
    has: impl Fn(T, &Row) -> bool,
    section: impl Fn(T, &[Row]) -> Section,
) -> Vec<Section> {
    let sections = topics.into_iter().filter_map(|topic| {
        let rows: Vec<Row> = rows.iter().filter(|row| has(topic, row)).cloned().collect();
        (!rows.is_empty()).then(|| section(topic, &rows))
    });
    sections.collect()
}

/// Writes a page around its sections.
///
/// # Errors
/// Of `out`.
pub fn write(
    report: &Report,
    sections: &[Section],
    footer: &str,
    mut out: impl Write,
) -> io::Result<()> {
    out.write_all(frame(report, sections, footer).into_string().as_bytes())
}

/// A page around its sections.
fn frame(report: &Report, sections: &[Section], footer: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Broadloom measured on " (report.machine.cpu) }
                style { (PreEscaped(CHART_STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p class="brand" { "Broadloom" }
                    h1 { "Measured on " (report.machine.cpu) }
                    (facts(report))
                }
                nav aria-label="Contents" {
                    @for section in sections { a href={ "#" (section.id) } { (section.short) } }
                }
                main {
                    @for section in sections {
                        section id=(section.id) {
                            h2 { (section.title) }
                            (section.body)
                        }
                    }
                }
                footer { p { (footer) } }
            }
        }
    }
}

/// Shows what was measured, where, when and how.
fn facts(report: &Report) -> Markup {
    let machine = &report.machine;
    html! {
        dl {
            dt { "Machine" }
            dd {
                (machine.os) ", " (machine.arch) ", " (machine.cores) " cores, counter at "
                (machine.tsc_mhz) " MHz"
            }
            @if let Some(made) = &report.made {
                dt { "When" }
                dd { time datetime=(made) { (made.replace('T', " ").replace('Z', " UTC")) } }
            }
            @if let Some(command) = &report.command { dt { "Command" } dd { code { (command) } } }
            @if !report.notes.is_empty() {
                dt { "Notes" }
                dd { ul { @for note in &report.notes { li { (note) } } } }
            }
        }
    }
}
