//! The states of source 002 on a page.

use maud::{Markup, html};

use super::Section;
use super::chart::{Chart, Series, Upward};
use super::operations::table;
use crate::report::analysis;
use crate::report::dimension::{Dimension, groups};
use crate::report::row::Row;
use crate::report::states::{self, ContextState, STATES};

/// Why a state of the source is missing.
const UNSAFE: &str = "One state of the paper is not offered. Before patch 1, AEADs used the \
    session's own context on all threads, without a lock. That mixes up messages of two threads. \
    The state \u{201c}locked\u{201d} is the same made safe. With one queue pair nobody shares the \
    context: the paper's first figures for AES-GCM on one core are of that.";

/// Why contexts are not copied before they are needed.
const EAGER: &str = "Nor are contexts copied before they are needed. Queue pairs that never meet a \
    session would pay for a copy, and nothing is gained after the first job.";

/// Makes the section that describes the states. Returns `None` if the rows are not of them.
pub fn section(rows: &[Row]) -> Option<Section> {
    states::are_in(rows).then(|| {
        let body = html! {
            (states::described().html("States of the provider openssl, by the patches in them"))
            p { (UNSAFE) }
            p { (EAGER) }
        };
        Section::new("states", "States of the patches", body).called("states")
    })
}

/// A chart for each state over sizes and cores, and a table of all: rows of one operation.
pub fn body(rows: &[&Row]) -> Markup {
    let bursts = analysis::throughput(rows.iter().copied());
    html! {
        div class="charts" { @for state in &STATES { (chart(state, &bursts)) } }
        (table(&states::throughput(&bursts), "Gbit/s of each state, and the gain of all patches"))
    }
}

/// Throughput of a state over sizes, a line for each number of cores; beside them the paper's.
fn chart(state: &ContextState, rows: &[&Row]) -> Markup {
    let mine = rows.iter().copied().filter(|row| state.is_of(row));
    let mut series: Vec<Series> = Vec::new();
    let mut first = None;
    for group in groups(mine, &[Dimension::Load]) {
        let point = |row: &&Row| Some((row.size? as f64, row.gbps?));
        let mut points: Vec<_> = group.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let known = series.iter().any(|series| series.label == of_cores("", group[0].cores));
        if points.len() > 1 && !known {
            let (label, style) = (of_cores("", group[0].cores), series.len());
            series.push(Series { label, style, faint: false, points });
            first = first.or(Some(group[0]));
        }
    }
    let Some(first) = first else { return html! {} };
    let count = series.len();
    let curves = state.curves(first).into_iter().enumerate();
    series.extend(curves.map(|(index, (cores, points))| Series {
        label: of_cores("the paper's, ", cores),
        style: count + index,
        faint: true,
        points,
    }));
    let title = format!("{}, {}", first.operation(), state.name);
    Chart { title, across: "buffer size in bytes", up: "Gbit/s", series }.lines(Upward::Ratios)
}

fn of_cores(whose: &str, cores: usize) -> String {
    format!("{whose}{cores} core{}", if cores == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::openssl;

    #[test]
    fn a_chart_has_a_line_for_each_number_of_cores_and_the_papers() {
        let with = |size, cores, cycles| Row {
            cores,
            options: Some("ivs=per-job".to_owned()),
            ..openssl("per-queue-pair", size, cycles)
        };
        let rows =
            [with(64, 1, 400.0), with(64, 2, 200.0), with(128, 1, 500.0), with(128, 2, 250.0)];
        let rows: Vec<&Row> = rows.iter().collect();
        let page = body(&rows).into_string();
        for label in ["1 core", "2 cores", "the paper's, 1 core", "the paper's, 8 cores"] {
            assert!(page.contains(&format!("</svg>{label}</li>")), "{label}: {page}");
        }
        assert!(page.contains("hmac-sha1 generate, padding once"), "{page}");
        assert_eq!(page.matches("<figure>").count(), 1, "no other state was measured");
        assert!(section(&[]).is_none());
    }
}
