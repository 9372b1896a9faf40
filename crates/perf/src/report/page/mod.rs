//! A report as one page that needs nothing but itself: no network, no script.

mod axis;
mod chart;
mod compress;
mod figures;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::figures::Looks;
use super::analysis;
use super::baseline::Baseline;
use super::dimension::{Dimension, describe, groups};
use super::grid::Grid;
use super::row::{Report, Row};
use super::{matrix, tables};

const STYLE: &str = include_str!("style.css");

/// Writes the page of a run of `broadloom perf matrix` or `broadloom perf workloads`.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, baseline: Option<&Baseline>, mut out: impl Write) -> io::Result<()> {
    out.write_all(page(report, baseline).into_string().as_bytes())
}

/// A part of the page that has a place in its contents.
struct Section {
    id: String,
    /// Its name in the contents.
    short: String,
    title: String,
    body: Markup,
}

impl Section {
    fn new(id: impl Into<String>, title: impl Into<String>, body: Markup) -> Section {
        let title = title.into();
        Section { id: id.into(), short: title.clone(), title, body }
    }

    /// The same under a shorter name in the contents.
    fn called(self, short: &str) -> Section {
        Section { short: short.to_owned(), ..self }
    }
}

/// Writes the page of a run of `broadloom perf compress`.
///
/// # Errors
/// Of `out`.
pub fn write_compress(report: &Report, mut out: impl Write) -> io::Result<()> {
    out.write_all(compress::page(report).into_string().as_bytes())
}

fn page(report: &Report, baseline: Option<&Baseline>) -> Markup {
    let footer = "Cycles are those of the machine's time-stamp counter. A figure is the minimum of many \
                  repeats, with all sides in turn in one process, and the median stands beside it. Ratios \
                  hold within this page, not across pages.";
    frame(report, &sections(report, baseline), footer)
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
                style { (PreEscaped(STYLE)) }
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

/// What was measured, where, when and how.
fn facts(report: &Report) -> Markup {
    let machine = &report.machine;
    html! {
        dl {
            dt { "Machine" }
            dd { (machine.os) ", " (machine.arch) ", " (machine.cores) " cores, counter at " (machine.tsc_mhz) " MHz" }
            @if let Some(made) = &report.made { dt { "When" } dd { time datetime=(made) { (made.replace('T', " ").replace('Z', " UTC")) } } }
            @if let Some(command) = &report.command { dt { "Command" } dd { code { (command) } } }
            @if !report.notes.is_empty() {
                dt { "Notes" }
                dd { ul { @for note in &report.notes { li { (note) } } } }
            }
        }
    }
}

/// A table, unless it has no lines.
fn table(grid: &Grid, caption: &str) -> Markup {
    if grid.is_empty() {
        html! {}
    } else {
        grid.html(caption)
    }
}

/// Where the cycles of streams go, with a title, for each choice of lanes and caches.
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
        Some((title, tables::breakdown(&all)?))
    };
    groups.into_iter().filter_map(of).collect()
}

/// The parts that the report's rows are worth.
fn sections(report: &Report, baseline: Option<&Baseline>) -> Vec<Section> {
    let (rows, looks) = (&report.rows, Looks::new(&report.rows));
    let mut sections = Vec::new();
    let summary = matrix::summary(rows);
    if !summary.is_empty() {
        let body = summary.html("From the least to the most over all sizes and settings");
        sections.push(Section::new("summary", "Summary", body));
    }
    if let Some(baseline) = baseline {
        sections.push(Section::new("baseline", "Since the baseline", since(report, baseline)));
    }
    let operation = [Dimension::Algorithm, Dimension::Direction];
    let others: Vec<Dimension> =
        Dimension::ALL.into_iter().filter(|dimension| !operation.contains(dimension)).collect();
    for rows in groups(rows, &others) {
        let body = operation_body(&rows, &looks, baseline);
        let name = rows[0].operation();
        let id = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        sections.push(Section::new(id, name, body));
    }
    let scaling = matrix::scaling(rows);
    if !scaling.is_empty() {
        let body = html! {
            div class="charts" { (figures::scaling(rows, &looks)) }
            (scaling.html("Throughput on several cores, as a multiple of that on one"))
        };
        sections.push(Section::new("scaling", "Scaling with cores", body));
    }
    let asynchrony = matrix::asynchrony(rows);
    if !asynchrony.is_empty() {
        let body = html! {
            div class="charts" { (figures::asynchrony(rows, &looks)) }
            (asynchrony.html("Throughput with operations outstanding, as a multiple of synchronous calls"))
            p { "For comparison, " (matrix::papers_asynchrony()) "." }
        };
        sections.push(Section::new("async", "Asynchronous against synchronous", body));
    }
    let verified = matrix::verified(rows);
    if !verified.is_empty() {
        let body = verified.html("Buffers whose results agree with every other provider's");
        sections.push(Section::new("verified", "Verified", body));
    }
    sections
}

/// What became of the earlier file's figures.
fn since(report: &Report, baseline: &Baseline) -> Markup {
    html! {
        ul { @for line in baseline.compare(report).summary() { li { (line) } } }
        (table(&matrix::slower(&report.rows, baseline), "What got slower"))
    }
}

/// Charts and tables of one operation.
fn operation_body(rows: &[&Row], looks: &Looks, baseline: Option<&Baseline>) -> Markup {
    let rows = || rows.iter().copied();
    let bursts = analysis::throughput(rows());
    let latencies = analysis::latencies(rows());
    let contexts = "Contexts kept for each queue pair against contexts made for each job";
    let calls = matrix::throughput(&analysis::calls(rows()), baseline);
    html! {
        div class="charts" {
            (figures::uplift(&bursts, looks))
            (figures::throughput(&bursts, looks))
            (figures::latency(&latencies, looks))
        }
        (table(&matrix::uplift(rows()), contexts))
        @if let Some(papers) = matrix::papers_uplifts(rows()) { p { (papers) } }
        (table(&matrix::throughput(&bursts, baseline), "Throughput"))
        @for (title, breakdown) in breakdowns(&bursts) { (breakdown.html(&title)) }
        (table(&calls, "Synchronous and asynchronous calls"))
        (table(&matrix::latency(&latencies, baseline), "Latency"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Kind;
    use crate::report::samples::{latency, openssl, outstanding, report, row};

    /// Rows of every kind.
    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for (index, size) in [32, 64, 128, 1024].into_iter().enumerate() {
            let scale = (index + 1) as f64;
            for cores in [1, 2] {
                let sides = [
                    row("native", size, 100.0 * scale),
                    openssl("per-job", size, 1500.0 * scale),
                    openssl("per-queue-pair", size, 500.0 * scale),
                ];
                let on = |row: Row| Row {
                    cores,
                    cycles_per_buffer: row.cycles_per_buffer.map(|cycles| cycles / cores as f64),
                    ..row
                };
                rows.extend(sides.map(on));
            }
            rows.push(latency("native", size, 900.0 * scale));
        }
        rows.push(outstanding("native", None, 800.0));
        rows.extend([1, 2, 4, 8].map(|n| outstanding("native", Some(n), 900.0 / n as f64)));
        rows.push(Row { kind: Some(Kind::Verify), verified: Some(7), ..row("native", 64, 1.0) });
        rows.push(Row {
            workload: Some("imix".to_owned()),
            size: None,
            ..row("native", 64, 200.0)
        });
        rows
    }

    fn text(report: &Report, baseline: Option<&Baseline>) -> String {
        let mut page = Vec::new();
        write(report, baseline, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn the_page_needs_nothing_but_itself() {
        let page = text(&report(rows()), None);
        for outside in ["http:", "https:", "url(", "@import", "src=", "<script", "<link", "<iframe"]
        {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.starts_with("<!DOCTYPE html>"));
        assert!(page.contains("prefers-color-scheme: dark"));
    }

    #[test]
    fn all_numbers_are_numbers() {
        let page = text(&report(rows()), None);
        for wrong in ["NaN", "inf\"", "inf "] {
            assert!(!page.contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn every_part_is_there_and_every_entry_of_the_contents_leads_to_one() {
        let page = text(&report(rows()), None);
        for id in ["summary", "hmac-sha1-generate", "scaling", "async", "verified"] {
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
            assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
        }
        for what in
            ["Throughput, 2 cores", "Cycles per buffer", "Latency", "Uplift", "the paper&#39;s"]
        {
            let found = page.contains(what) || page.contains(&what.replace("&#39;", "'"));
            assert!(found, "{what}");
        }
        assert!(page.contains("imix"));
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
        let page = text(&report(rows), None);
        assert!(page.contains("Where the cycles of a stream go, avx2 lanes, warm buffers"));
        for cycles in ["60.0", "40.0", "30.0", "130", "900"] {
            assert!(page.contains(&format!(">{cycles}</td>")), "{cycles}: {page}");
        }
        assert!(!text(&report(self::rows()), None).contains("Where the cycles"));
    }

    #[test]
    fn a_report_of_little_is_a_page_too() {
        for rows in [vec![], vec![row("openssl", 64, 100.0)], vec![latency("native", 64, 5.0)]] {
            let page = text(&report(rows), None);
            assert!(page.contains("<h1>") && !page.contains("NaN"));
        }
    }

    #[test]
    fn what_the_user_named_is_text_on_the_page() {
        let mut report = report(rows());
        report.command = Some("broadloom --json '<script>alert(1)</script>'".to_owned());
        report.notes = vec!["a & b".to_owned()];
        let page = text(&report, None);
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"));
        assert!(page.contains("a &amp; b"));
    }

    #[test]
    fn the_baseline_has_a_part_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        let mut old = report(rows());
        old.rows[0].cycles_per_buffer = Some(10.0);
        old.machine.cpu = "Another CPU".to_owned();
        std::fs::write(&path, serde_json::to_string(&old).unwrap()).unwrap();
        let now = report(rows());
        let page = text(&now, Some(&Baseline::read(&path).unwrap()));
        assert!(page.contains("Since the baseline") && page.contains("+900 % slower"));
        assert!(page.contains("Another CPU then"));
    }
}
