//! The tables on standard output.

use std::io::{self, Write};

use crate::report::baseline::Baseline;
use crate::report::grid::Grid;
use crate::report::row::{Report, Row, limits};
use crate::report::{analysis, states, tables};

/// A table under its title, unless it has no lines.
fn table(out: &mut impl Write, title: &str, grid: &Grid) -> io::Result<()> {
    if grid.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}:\n\n{grid}")
}

/// The tables of one operation, below its notes.
pub fn operation(
    out: &mut impl Write,
    rows: &[Row],
    notes: &[String],
    baseline: Option<&Baseline>,
) -> io::Result<()> {
    for note in notes {
        writeln!(out, "{note}")?;
    }
    let Some(first) = rows.first() else { return Ok(()) };
    let name = first.operation();
    // Where there are several the tables have a column for them.
    let limit = match limits(rows)[..] {
        [by] => format!(" (the limit is set by {by})"),
        _ => String::new(),
    };
    table(
        out,
        &format!("{name}{limit}"),
        &tables::throughput(&analysis::throughput(rows), baseline),
    )?;
    table(out, &format!("{name}, states of the patches in Gbit/s"), &states(rows))?;
    let calls = tables::throughput(&analysis::calls(rows), baseline);
    table(out, &format!("{name}, synchronous and asynchronous calls"), &calls)?;
    let latency = tables::latency(&analysis::latencies(rows), baseline);
    table(out, &format!("{name}, latency"), &latency)?;
    table(out, &format!("{name}, contexts per queue pair against per job"), &tables::uplift(rows))
}

/// The states of source 002, where the rows are of them.
fn states(rows: &[Row]) -> Grid {
    match states::are_in(rows) {
        true => states::throughput(&rows.iter().collect::<Vec<_>>()),
        false => Grid::new([""; 0], 0),
    }
}

/// The tables that need all rows.
pub fn end(out: &mut impl Write, report: &Report, baseline: Option<&Baseline>) -> io::Result<()> {
    let rows = &report.rows;
    if let Some(papers) = tables::papers_uplifts(rows) {
        writeln!(out, "\n{papers}")?;
    }
    table(out, "throughput on several cores over one", &tables::scaling(rows))?;
    let asynchrony = tables::asynchrony(rows);
    if !asynchrony.is_empty() {
        table(out, "operations outstanding over synchronous calls", &asynchrony)?;
        writeln!(out, "\n{}", tables::papers_asynchrony())?;
    }
    let memory = tables::memory(rows);
    if !memory.is_empty() {
        table(out, "memory of a session", &memory)?;
        writeln!(out, "\n{}", tables::papers_memory())?;
    }
    table(out, "verified", &tables::verified(rows))?;
    table(out, "from the least to the most", &tables::summary(rows))?;
    if let Some(baseline) = baseline {
        writeln!(out)?;
        for line in baseline.compare(report).summary() {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
