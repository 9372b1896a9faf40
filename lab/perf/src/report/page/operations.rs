//! The parts of a page that rows of several operations are worth.

use maud::{Markup, html};

use super::Section;
use super::figures;
pub use super::figures::Looks;
use crate::report::baseline::Baseline;
use crate::report::dimension::{Dimension, groups};
use crate::report::grid::Grid;
use crate::report::row::Row;
use crate::report::{analysis, tables};

/// Beneath every page of cycles.
pub const FOOTER: &str = "Cycles are those of the machine's time-stamp counter. A figure is the \
    minimum of many repeats, with all sides in turn in one process, and the median stands beside \
    it. Ratios hold within this page, not across pages.";

/// A table, unless it has no lines.
pub fn table(grid: &Grid, caption: &str) -> Markup {
    if grid.is_empty() {
        html! {}
    } else {
        grid.html(caption)
    }
}

/// Makes the section that says how much faster each side is than the others. Returns `None` for a
/// single side.
pub fn summary(rows: &[Row]) -> Option<Section> {
    let summary = tables::summary(rows);
    (!summary.is_empty()).then(|| {
        let body = summary.html("From the least to the most over all sizes and settings");
        Section::new("summary", "Summary", body)
    })
}

/// A part for each operation, with the `body` of its rows.
pub fn sections(rows: &[Row], body: impl Fn(&[&Row]) -> Markup) -> Vec<Section> {
    let operation = [Dimension::Algorithm, Dimension::Direction];
    let others: Vec<Dimension> =
        Dimension::ALL.into_iter().filter(|dimension| !operation.contains(dimension)).collect();
    let of = |rows: Vec<&Row>| {
        let name = rows[0].operation();
        let id = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        Section::new(id, name, body(&rows))
    };
    groups(rows, &others).into_iter().map(of).collect()
}

/// Makes the section that says how throughput grows with cores, if that was measured.
pub fn scaling(rows: &[Row], looks: &Looks) -> Option<Section> {
    let scaling = tables::scaling(rows);
    (!scaling.is_empty()).then(|| {
        let body = html! {
            div class="charts" { (figures::scaling(rows, looks)) }
            (scaling.html("Throughput on several cores, as a multiple of that on one"))
        };
        Section::new("scaling", "Scaling with cores", body)
    })
}

/// Makes the section that says what outstanding operations gain over synchronous calls, if both
/// were measured.
pub fn asynchrony(rows: &[Row], looks: &Looks) -> Option<Section> {
    let asynchrony = tables::asynchrony(rows);
    (!asynchrony.is_empty()).then(|| {
        let body = html! {
            div class="charts" { (figures::asynchrony(rows, looks)) }
            (asynchrony.html(
                "Throughput with operations outstanding, as a multiple of synchronous calls",
            ))
            p { "For comparison, " (tables::papers_asynchrony()) "." }
        };
        Section::new("async", "Asynchronous against synchronous", body)
    })
}

/// The memory of sessions, where that was asked for.
pub fn memory(rows: &[Row]) -> Option<Section> {
    let memory = tables::memory(rows);
    (!memory.is_empty()).then(|| {
        let title = "Bytes that the process allocates for a session, by the C library's allocator";
        let body = html! {
            (memory.html(title))
            p { "For comparison, " (tables::papers_memory()) "." }
        };
        Section::new("memory", "Memory of a session", body).called("memory")
    })
}

/// Makes the section that says what was found right, if that was asked for.
pub fn verified(rows: &[Row]) -> Option<Section> {
    let verified = tables::verified(rows);
    (!verified.is_empty()).then(|| {
        let body = verified.html("Buffers whose results agree with every other provider's");
        Section::new("verified", "Verified", body)
    })
}

/// Charts and tables of one operation.
pub fn body(rows: &[&Row], looks: &Looks, baseline: Option<&Baseline>) -> Markup {
    let rows = || rows.iter().copied();
    let bursts = analysis::throughput(rows());
    let latencies = analysis::latencies(rows());
    let contexts = "Contexts kept for each queue pair against contexts made for each job";
    let calls = tables::throughput(&analysis::calls(rows()), baseline);
    html! {
        div class="charts" {
            (figures::uplift(&bursts, looks))
            (figures::throughput(&bursts, looks))
            (figures::latency(&latencies, looks))
        }
        (table(&tables::uplift(rows()), contexts))
        @if let Some(papers) = tables::papers_uplifts(rows()) { p { (papers) } }
        (table(&tables::throughput(&bursts, baseline), "Throughput"))
        (table(&calls, "Synchronous and asynchronous calls"))
        (table(&tables::latency(&latencies, baseline), "Latency"))
    }
}
