//! The page of a run of `broadloom-perf matrix`.

use std::io::{self, Write};

use maud::{Markup, html};

use crate::report::baseline::Baseline;
use crate::report::page::operations::{self, FOOTER, Looks, table};
use crate::report::page::{self, Section, states};
use crate::report::row::Report;
use crate::report::tables;

/// Writes the page, with what got slower since the baseline.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, baseline: Option<&Baseline>, out: impl Write) -> io::Result<()> {
    let (rows, looks) = (&report.rows, Looks::new(&report.rows));
    let mut sections = Vec::from_iter(operations::summary(rows));
    sections.extend(
        baseline.map(|baseline| {
            Section::new("baseline", "Since the baseline", since(report, baseline))
        }),
    );
    sections.extend(states::section(rows));
    let has_states = crate::report::states::are_in(rows);
    sections.extend(operations::sections(rows, |rows| {
        let body = operations::body(rows, &looks, baseline);
        if has_states {
            html! { (states::body(rows)) (body) }
        } else {
            body
        }
    }));
    sections.extend(operations::scaling(rows, &looks));
    sections.extend(operations::asynchrony(rows, &looks));
    sections.extend(operations::memory(rows));
    sections.extend(operations::verified(rows));
    page::write(report, &sections, FOOTER, out)
}

/// Shows what became of the earlier file's figures.
fn since(report: &Report, baseline: &Baseline) -> Markup {
    html! {
        ul { @for line in baseline.compare(report).summary() { li { (line) } } }
        (table(&tables::slower(&report.rows, baseline), "What got slower"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Kind;
    use crate::report::row::Row;
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
