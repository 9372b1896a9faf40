//! The page of a run of `broadloom-perf device`.

use std::io::{self, Write};

use broadloom::gpu::Gpu;
use maud::{Markup, html};

use super::tables;
use super::topic::Topic;
use crate::report::page::chart::{Chart, Series, Upward};
use crate::report::page::{self, Section, operations::FOOTER};
use crate::report::pass::Pass;
use crate::report::row::{Report, Row};

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let sections = page::by_topic(&report.rows, Topic::ALL, Topic::has, |topic, rows| {
        let id = format!("figure-{topic}");
        Section::new(id, topic.title(), body(topic, rows)).called(topic.name())
    });
    page::write(report, &sections, FOOTER, out)
}

fn body(topic: Topic, rows: &[Row]) -> Markup {
    html! {
        p { (topic.question()) }
        div class="charts" { @for chart in charts(topic, rows) { (chart) } }
        (tables::table(rows).html(topic.title()))
        @for finding in tables::findings(rows) { p { (finding) } }
    }
}

/// A chart for each algorithm and size of a figure over threads or jobs; for each algorithm of a
/// figure over sizes. None for the models, which have a table.
fn charts(topic: Topic, rows: &[Row]) -> Vec<Markup> {
    let mut titles: Vec<String> = Vec::new();
    let title = |row: &Row| match topic {
        Topic::Sizes => row.algorithm.clone(),
        _ => format!("{}, {}", row.algorithm, row.load()),
    };
    for row in rows {
        if topic != Topic::Models && !titles.contains(&title(row)) {
            titles.push(title(row));
        }
    }
    let chart = |name: String| {
        let own: Vec<&Row> = rows.iter().filter(|row| title(row) == name).collect();
        chart(topic, name, &own)
    };
    titles.into_iter().map(chart).collect()
}

fn chart(topic: Topic, title: String, rows: &[&Row]) -> Markup {
    let across = |row: &Row| match topic {
        Topic::Threads => row.cores,
        Topic::Sizes => row.size.unwrap_or_default(),
        _ => row.outstanding.unwrap_or_default(),
    } as f64;
    let device: Vec<&Row> = rows.iter().filter(|row| row.provider == Gpu::NAME).copied().collect();
    let of = |pass: fn(&Pass) -> Option<f64>, rows: &[&Row]| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|row| Some((across(row), pass(row.pass.as_ref()?)?))).collect()
    };
    let series = |label: &str, style, faint, points| Series {
        label: label.to_owned(),
        style,
        faint,
        points,
    };
    let mut all = vec![
        series("device, elapsed", 0, false, of(|pass| Some(pass.elapsed_per_gib()), &device)),
        series("device, CPU", 1, false, of(|pass| Some(pass.cpu_per_gib()), &device)),
    ];
    let most = rows.iter().map(|row| row.cores).max().unwrap_or(1);
    for (label, style, one) in [("one core", 2, true), ("all cores", 3, false)] {
        let is_it =
            |row: &&&Row| row.provider != Gpu::NAME && (row.cores == 1) == one && row.cores <= most;
        let own: Vec<&Row> = rows.iter().filter(is_it).copied().collect();
        let points = match (topic, own.first().and_then(|row| row.pass.as_ref())) {
            (Topic::Sizes, _) => of(|pass| Some(pass.elapsed_per_gib()), &own),
            // Software is the same whatever the device has to do: a line from end to end.
            (_, Some(pass)) => {
                let ends = [device.first(), device.last()].into_iter().flatten();
                ends.map(|row| (across(row), pass.elapsed_per_gib())).collect()
            }
            (_, None) => Vec::new(),
        };
        if !points.is_empty() {
            all.push(series(label, style, true, points));
        }
    }
    Chart {
        title,
        across: match topic {
            Topic::Threads => "threads",
            Topic::Sizes => "bytes of a buffer",
            _ => "jobs outstanding",
        },
        up: "seconds for 2^30 bytes",
        series: all,
    }
    .lines(Upward::Ratios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::device::tables::tests::made;
    use crate::report::samples::report;

    #[test]
    fn figures_that_were_measured_are_on_the_page() {
        let rows = vec![
            made("native", 1024, 1, 512, 2.0),
            made("native", 1024, 2, 512, 1.0),
            made("gpu", 1024, 1, 1, 9.0),
            made("gpu", 1024, 1, 64, 0.5),
        ];
        let mut text = Vec::new();
        write(&report(rows), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(Topic::Outstanding.title()) && text.contains("<svg"), "{text}");
        assert!(text.contains("all cores") && !text.contains(Topic::Models.title()));
    }
}
