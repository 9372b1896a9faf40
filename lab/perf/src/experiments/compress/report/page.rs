//! The page of a run of `broadloom-perf compress`: the figures of source 003, ours beside theirs.

use std::io::{self, Write};

use maud::{Markup, html};

use super::super::topic::Topic;
use super::{Beside, Key, beside, device_note, findings, findings_grid, of, paper, table};
use crate::report::page::chart::{Chart, Series, Upward};
use crate::report::page::{self, Section};
use crate::report::pass::Pass;
use crate::report::row::{Report, Row};

/// A row and its pass.
type Entry<'r> = (&'r Row, &'r Pass);

/// The look of what source 003 says.
const PAPER: usize = 5;

const FOOTER: &str = "A figure is the minimum of several passes, with all sides in turn in one \
    process, and the median stands beside it. CPU time is the process's own, user and system, \
    without the threads that stand for the device. The device is a model laid over software that \
    computes every result: its times are those of the model, not of hardware. The paper's numbers \
    are those that its text states, measured on another machine; a line between two of them only \
    joins them.";

/// The caption of a table in which the paper has something to say.
const BESIDE: &str = "Ours beside the paper's";
/// The caption of another.
const ALONE: &str = "All that was measured";

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let mut sections = Vec::new();
    let found = findings(&report.rows);
    if !found.is_empty() {
        let body = html! {
            p { (paper::NOTE) }
            (findings_grid(&found).html("What was found here, and what the paper says"))
        };
        sections.push(Section::new("findings", "Findings", body));
    }
    for topic in Topic::ALL {
        let rows = of(&report.rows, topic);
        if !rows.is_empty() {
            let id = format!("figure-{topic}");
            sections
                .push(Section::new(id, topic.title(), body(topic, &rows)).called(topic.short()));
        }
    }
    page::write(report, &sections, FOOTER, out)
}

fn body(topic: Topic, rows: &[Entry<'_>]) -> Markup {
    let note = device_note(rows);
    let told = rows.iter().any(|(row, pass)| beside(row, pass) != Beside::default());
    html! {
        p { (topic.question()) }
        div class="charts" { @for chart in charts(topic, rows) { (chart) } }
        (table(topic, rows).html(if told { BESIDE } else { ALONE }))
        @if let Some(note) = note { p { (note) } }
    }
}

/// Lines of the rows: a series for each `label`, at `x`, as high as `y`; sorted by `x`.
fn series<'r>(
    rows: &[Entry<'r>],
    label: impl Fn(Entry<'r>) -> String,
    point: impl Fn(Entry<'r>) -> Option<(f64, f64)>,
) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    for &entry in rows {
        let Some(point) = point(entry) else { continue };
        let label = label(entry);
        match found.iter_mut().find(|series| series.label == label) {
            Some(series) => series.points.push(point),
            None => {
                // The last look is the source's.
                let style = found.len() % PAPER;
                found.push(Series { label, style, faint: false, points: vec![point] });
            }
        }
    }
    for series in &mut found {
        series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    found
}

fn papers(label: &str, points: paper::Points) -> Series {
    let points = points.iter().map(|&(x, y)| (x as f64, y)).collect();
    Series { label: format!("the paper's{label}"), style: PAPER, faint: true, points }
}

fn elapsed((_, pass): Entry<'_>) -> f64 {
    pass.elapsed_per_gib()
}

fn cpu((_, pass): Entry<'_>) -> f64 {
    pass.cpu_per_gib()
}

const KIB: f64 = 1024.0;

const ELAPSED: &str = "elapsed seconds for 1 GiB";
const CPU: &str = "CPU seconds for 1 GiB";

/// Two charts, of elapsed and of CPU time.
fn times<'r>(
    rows: &[Entry<'r>],
    across: &'static str,
    label: impl Fn(Entry<'r>) -> String,
    x: impl Fn(Entry<'r>) -> Option<f64>,
    [elapsed_papers, cpu_papers]: [Option<Series>; 2],
) -> Vec<Markup> {
    let of = |title: &str, up, y: fn(Entry<'r>) -> f64, papers: Option<Series>| {
        let mut series = series(rows, &label, |entry| Some((x(entry)?, y(entry))));
        series.extend(papers);
        Chart { title: title.to_owned(), across, up, series }.lines(Upward::Even)
    };
    vec![of("Elapsed time", ELAPSED, elapsed, elapsed_papers), of("CPU time", CPU, cpu, cpu_papers)]
}

/// Bars in groups: a group for each `group`, in the order in which they come.
fn bars<'r>(
    rows: &[Entry<'r>],
    (title, across, up): (&str, &'static str, &'static str),
    group: impl Fn(Entry<'r>) -> String,
    label: impl Fn(Entry<'r>) -> String,
    y: impl Fn(Entry<'r>) -> Option<f64>,
) -> Markup {
    let groups = groups(rows, &group);
    let place = |entry| groups.iter().position(|known| *known == group(entry));
    let series = series(rows, label, |entry| Some((place(entry)? as f64, y(entry)?)));
    Chart { title: title.to_owned(), across, up, series }.bars(&groups, 0.0)
}

fn groups<'r>(rows: &[Entry<'r>], group: impl Fn(Entry<'r>) -> String) -> Vec<String> {
    let mut groups = Vec::new();
    for &entry in rows {
        let name = group(entry);
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    groups
}

fn value(key: Key) -> impl for<'r> Fn(Entry<'r>) -> String {
    move |(row, pass)| key.value(row, pass).into_owned()
}

fn provider((row, _): Entry<'_>) -> String {
    row.provider.clone()
}

fn outstanding((row, _): Entry<'_>) -> String {
    format!("{} outstanding", row.outstanding.unwrap_or(1))
}

/// A programming model, in short lines.
fn model((row, pass): Entry<'_>) -> String {
    let threads =
        if pass.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", pass.threads) };
    match (row.provider.as_str(), row.outstanding.unwrap_or(1), pass.poll_us) {
        ("emulated", 1, _) => format!("device\n{threads}"),
        ("emulated", count, None) => format!("device\n{count} jobs"),
        ("emulated", count, Some(us)) => format!("device\n{count} jobs\n{us} µs"),
        (name, ..) => format!("{name}\n{threads}"),
    }
}

/// Bars of elapsed and of CPU time, ours and the paper's, for each model.
fn models(rows: &[Entry<'_>]) -> Vec<Markup> {
    let names = groups(rows, model);
    let bar = |label: &str, style, y: &dyn Fn(Entry<'_>) -> Option<f64>| Series {
        label: label.to_owned(),
        style,
        faint: false,
        points: rows
            .iter()
            .enumerate()
            .filter_map(|(at, &entry)| Some((at as f64, y(entry)?)))
            .collect(),
    };
    type Theirs = fn(Beside) -> Option<f64>;
    let of = |title: &str, up, ours: fn(Entry<'_>) -> f64, theirs: Theirs| {
        let series = [
            bar("ours", 0, &|entry| Some(ours(entry))),
            bar("the paper's", PAPER, &|(row, pass)| theirs(beside(row, pass))),
        ];
        let series = series.into_iter().filter(|series| !series.points.is_empty()).collect();
        let across = "programming model";
        Chart { title: title.to_owned(), across, up, series }.bars(&names, 0.0)
    };
    vec![
        of("Elapsed time", ELAPSED, elapsed, |paper| paper.elapsed),
        of("CPU time", CPU, cpu, |paper| paper.cpu),
    ]
}

fn charts(topic: Topic, rows: &[Entry<'_>]) -> Vec<Markup> {
    let threads = |entry: Entry<'_>| Some(entry.1.threads as f64);
    let jobs = |entry: Entry<'_>| Some(entry.0.outstanding? as f64);
    match topic {
        Topic::Ratio => vec![ratio(rows)],
        Topic::Threads => {
            let theirs = papers(", 16 cores", paper::THREADS_ELAPSED);
            times(rows, "threads", provider, threads, [Some(theirs), None])
        }
        Topic::Sync | Topic::Models => models(rows),
        Topic::SyncThreads => {
            let theirs = [paper::SYNC_THREADS_ELAPSED, paper::SYNC_THREADS_CPU];
            times(rows, "threads", provider, threads, theirs.map(|points| Some(papers("", points))))
        }
        Topic::Outstanding => {
            let theirs = [paper::OUTSTANDING_ELAPSED, paper::OUTSTANDING_CPU];
            let theirs = theirs.map(|points| Some(papers("", points)));
            times(rows, "jobs outstanding", value(Key::Poll), jobs, theirs)
        }
        Topic::Decompress => times(rows, "jobs outstanding", provider, jobs, [None, None]),
        Topic::Copy => {
            let chunk = |entry: Entry<'_>| Some(entry.1.chunk? as f64 / KIB);
            times(rows, "chunk in KiB", value(Key::Transfer), chunk, [None, None])
        }
        Topic::Frequency => {
            let interval = |entry: Entry<'_>| entry.1.poll_us;
            times(rows, "microseconds between polls", outstanding, interval, [None, None])
        }
        Topic::Interrupt => pairs(rows, Key::Poll),
        Topic::Poller => pairs(rows, Key::Poller),
        Topic::Numa => pairs(rows, Key::Numa),
        Topic::Batch => vec![batch(rows)],
        Topic::Offload => offload(rows),
        Topic::Overhead => {
            let level = |(row, pass): Entry<'_>| match pass.level {
                Some(level) => format!("{} {level}", row.provider),
                None => row.provider.clone(),
            };
            let told = ("Elapsed time of one thread", "provider and level", ELAPSED);
            vec![bars(rows, told, level, value(Key::Call), |entry| Some(elapsed(entry)))]
        }
        Topic::Scaling => ["compress", "decompress"]
            .into_iter()
            .filter_map(|direction| {
                let rows: Vec<Entry<'_>> =
                    rows.iter().copied().filter(|(row, _)| row.direction == direction).collect();
                let told = (direction, "provider", "Gbit/s");
                let label = |(_, pass): Entry<'_>| match pass.threads {
                    1 => "1 thread".to_owned(),
                    count => format!("{count} threads"),
                };
                (!rows.is_empty()).then(|| bars(&rows, told, provider, label, |(row, _)| row.gbps))
            })
            .collect(),
    }
}

/// Bars of two ways at each number of jobs outstanding.
fn pairs(rows: &[Entry<'_>], key: Key) -> Vec<Markup> {
    let across = "jobs outstanding";
    let of = |told, y: fn(Entry<'_>) -> f64| {
        bars(rows, told, value(Key::Outstanding), value(key), |entry| Some(y(entry)))
    };
    vec![of(("Elapsed time", across, ELAPSED), elapsed), of(("CPU time", across, CPU), cpu)]
}

fn ratio(rows: &[Entry<'_>]) -> Markup {
    let percent = |(_, pass): Entry<'_>| Some((pass.chunk? as f64 / KIB, pass.ratio? * 100.0));
    let mut series = series(rows, provider, percent);
    let most = rows.iter().filter_map(|(_, pass)| pass.chunk).max().unwrap_or(1);
    // "One chunk" of the source's input lies as far to the right as ours goes.
    let theirs = [
        ("the paper's device", paper::RATIO_DEVICE),
        ("the paper's zlib, one chunk", (paper::RATIO_ZLIB.0.min(most), paper::RATIO_ZLIB.1)),
    ];
    series.extend(theirs.map(|(label, (chunk, ratio))| Series {
        label: label.to_owned(),
        style: PAPER,
        faint: true,
        points: vec![(chunk as f64 / KIB, ratio * 100.0)],
    }));
    Chart {
        title: "Output as a part of the input".to_owned(),
        across: "chunk in KiB",
        up: "per cent (less is better)",
        series,
    }
    .lines(Upward::Close)
}

fn batch(rows: &[Entry<'_>]) -> Markup {
    let rate = |(row, pass): Entry<'_>| {
        let requests = pass.input_bytes as f64 / row.buffer_bytes;
        Some((row.burst as f64, requests / pass.elapsed_s / 1e6))
    };
    let label = |(_, pass): Entry<'_>| match pass.doorbell.as_deref() {
        Some("deferred") => "doorbell deferred over the batch".to_owned(),
        _ => "handed over in one call".to_owned(),
    };
    Chart {
        title: "Rate of small requests".to_owned(),
        across: "requests in a batch",
        up: "million requests a second",
        series: series(rows, label, rate),
    }
    .lines(Upward::Even)
}

fn offload(rows: &[Entry<'_>]) -> Vec<Markup> {
    let operations = groups(rows, value(Key::Operation));
    let of = |operation: &String| {
        let mine: Vec<Entry<'_>> =
            rows.iter().copied().filter(|(row, _)| row.operation() == *operation).collect();
        let each = |(row, pass): Entry<'_>| {
            let requests = pass.input_bytes as f64 / row.buffer_bytes;
            Some((row.size? as f64, pass.cpu_s * 1e9 / requests))
        };
        Chart {
            title: format!("CPU time of {operation}"),
            across: "bytes of a request",
            up: "nanoseconds a request",
            series: series(&mine, provider, each),
        }
        .lines(Upward::Ratios)
    };
    operations.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::rows;
    use super::*;
    use crate::report::samples::report;

    fn text(rows: Vec<Row>) -> String {
        let mut page = Vec::new();
        write(&report(rows), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn the_page_needs_nothing_but_itself() {
        let page = text(rows());
        for outside in ["http:", "https:", "url(", "@import", "src=", "<script", "<link", "<iframe"]
        {
            assert!(!page.contains(outside), "{outside}");
        }
        for wrong in ["NaN", "inf\"", "inf "] {
            assert!(!page.contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn every_topic_has_a_part_and_a_chart() {
        let page = text(rows());
        for topic in Topic::ALL {
            let begin =
                page.find(&format!("<section id=\"figure-{topic}\">")).expect("it has a part");
            let part = &page[begin..][..page[begin..].find("</section>").unwrap()];
            assert!(part.contains("class=\"chart\"") && part.contains("<table>"), "{topic}");
            assert!(page.contains(&format!("href=\"#figure-{topic}\"")), "{topic}");
        }
        assert!(page.contains("<section id=\"findings\">"));
    }

    #[test]
    fn the_papers_numbers_stand_beside_ours() {
        let page = text(rows());
        for number in
            ["0.730", "6.30", "19.18 s to 1.41 s", "38.5 %", "1.70", "a few hundred bytes"]
        {
            assert!(page.contains(number), "{number}");
        }
        assert!(page.contains("responses (") && page.contains("prepared before the clock started"));
    }

    #[test]
    fn the_paper_is_named_and_claimed_only_where_it_has_something() {
        let page = text(rows());
        assert!(page.contains("Hardware Accelerators for Optimal Performance"));
        assert!(!page.contains("source"), "a word for those who wrote it");
        for (topic, caption) in
            [(Topic::Ratio, BESIDE), (Topic::Frequency, ALONE), (Topic::Numa, ALONE)]
        {
            let begin =
                page.find(&format!("<section id=\"figure-{topic}\">")).expect("it has a part");
            let part = &page[begin..][..page[begin..].find("</section>").unwrap()];
            assert!(
                part.contains(&format!("<figcaption>{caption}</figcaption>")),
                "{topic}: {part}"
            );
        }
    }

    #[test]
    fn a_report_of_little_is_a_page_too() {
        let all = rows();
        let some = |topic: Topic| {
            all.iter()
                .filter(move |row| {
                    row.pass.as_ref().is_some_and(|pass| pass.figure == topic.name())
                })
                .take(1)
        };
        for topic in Topic::ALL {
            assert!(!text(some(topic).cloned().collect()).contains("NaN"), "{topic}");
        }
        assert!(text(Vec::new()).contains("<h1>"));
    }
}
