//! Which charts rows are worth.

use std::ptr;

use maud::{Markup, html};

use super::chart::{Chart, Series, Upward};
use crate::report::analysis::{self, Curve, SIDE, native, speedup};
use crate::report::dimension::{Dimension, describe, groups, varying};
use crate::report::papers;
use crate::report::row::Row;

/// Everything that is alike within one chart over sizes.
const WITHIN: [Dimension; 3] = [Dimension::Provider, Dimension::Opened, Dimension::Load];

/// The sides of a report, each of which looks the same in all charts.
pub struct Looks(Vec<String>);

impl Looks {
    /// Gives the sides their looks: `native` the first, the others as they come.
    pub fn new(rows: &[Row]) -> Looks {
        let mut sides = vec!["native".to_owned()];
        for row in rows {
            if !sides.contains(&row.side()) {
                sides.push(row.side());
            }
        }
        Looks(sides)
    }

    fn of(&self, side: &str) -> usize {
        self.0.iter().position(|known| known == side).unwrap_or(self.0.len())
    }

    /// The rows of each side, in the order of the looks, as a series; a side without a point has
    /// none.
    fn series(&self, rows: &[&Row], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
        let of = |(style, side): (usize, &String)| {
            let mine = rows.iter().filter(|row| row.side() == *side);
            let mut points: Vec<(f64, f64)> = mine.filter_map(|row| point(row)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let series = Series { label: side.clone(), style, faint: false, points };
            (!series.points.is_empty()).then_some(series)
        };
        self.0.iter().enumerate().filter_map(of).collect()
    }
}

/// A chart's title: what it shows, and what of its rows differs from other rows of the report.
fn title(what: &str, row: &Row, all: &[&Row], among: &[Dimension]) -> String {
    let apart = describe(row, &varying(all, among));
    if apart.is_empty() { what.to_owned() } else { format!("{what}, {apart}") }
}

/// Returns the settings that tell one chart over sizes from another, besides the operation.
fn settings() -> Vec<Dimension> {
    let fixed = [Dimension::Algorithm, Dimension::Direction, Dimension::Kind];
    Dimension::ALL.into_iter().filter(|d| !fixed.contains(d) && !WITHIN.contains(d)).collect()
}

/// Returns `true` if a line can be drawn: some side has two points.
fn drawable(series: &[Series]) -> bool {
    series.iter().any(|series| series.points.len() > 1)
}

/// Throughput, cycles and gains over sizes: rows of one operation.
pub fn throughput(rows: &[&Row], looks: &Looks) -> Markup {
    let settings = settings();
    html! {
        @for group in groups(rows.iter().copied(), &WITHIN) {
            @let told = |what: &str| title(what, group[0], rows, &settings);
            @let speeds = looks.series(&group, |row| Some((row.size? as f64, row.gbps?)));
            @if drawable(&speeds) {
                (Chart {
                    title: told("Throughput"),
                    across: "buffer size in bytes",
                    up: "Gbit/s",
                    series: speeds,
                }.lines(Upward::Even))
                (Chart {
                    title: told("Cycles per buffer"),
                    across: "buffer size in bytes",
                    up: "cycles (less is better)",
                    series: looks.series(&group, |row| {
                        Some((row.size? as f64, row.cycles_per_buffer?))
                    }),
                }.lines(Upward::Ratios))
            }
            (gains(&group, told("What native gains over others"), looks))
        }
    }
}

/// Bars of how many times as fast `native` is as each other side.
fn gains(group: &[&Row], title: String, looks: &Looks) -> Markup {
    let loads = groups(group.iter().copied(), &SIDE);
    let loads: Vec<(&Row, Vec<&Row>)> =
        loads.into_iter().filter_map(|sides| Some((native(&sides)?, sides))).collect();
    let names: Vec<String> = loads.iter().map(|(native, _)| load(native)).collect();
    let place = |row: &Row| {
        let (index, (native, _)) =
            loads.iter().enumerate().find(|(_, (native, _))| native.load() == row.load())?;
        (!ptr::eq(*native, row)).then_some((index as f64, speedup(native, row)?))
    };
    let series = looks.series(group, place);
    html! {
        @if !series.is_empty() {
            (Chart { title, across: "buffer size in bytes", up: "times as fast", series }
                .bars(&names, 1.0))
        }
    }
}

/// A size without its unit, or a workload.
fn load(row: &Row) -> String {
    row.size.map_or_else(|| row.load(), |size| size.to_string())
}

/// Latency over sizes: rows of one operation.
pub fn latency(rows: &[&Row], looks: &Looks) -> Markup {
    let settings = settings();
    html! {
        @for group in groups(rows.iter().copied(), &WITHIN) {
            @let half = looks.series(&group, |row| Some((row.size? as f64, row.latency_ns_p50?)));
            @let most = looks.series(&group, |row| Some((row.size? as f64, row.latency_ns_p99?)));
            @if drawable(&half) {
                @let named = |series: Vec<Series>, what: &str, faint| -> Vec<Series> {
                    let name = |s: Series| Series {
                        label: format!("{}, {what}", s.label),
                        faint,
                        ..s
                    };
                    series.into_iter().map(name).collect()
                };
                (Chart {
                    title: title("Latency", group[0], rows, &settings),
                    across: "buffer size in bytes",
                    up: "nanoseconds (less is better)",
                    series: [named(half, "p50", false), named(most, "p99", true)].concat(),
                }.lines(Upward::Ratios))
            }
        }
    }
}

/// The uplift of contexts per queue pair over contexts per job, ours and source 002's: rows of one
/// operation.
pub fn uplift(rows: &[&Row], looks: &Looks) -> Markup {
    let uplifts = analysis::uplifts(rows.iter().copied());
    let jobs: Vec<&Row> = uplifts.iter().map(|uplift| uplift.per_job).collect();
    let settings = settings();
    html! {
        @for group in groups(jobs.iter().copied(), &[Dimension::Load]) {
            @let told = title("Uplift over a context for each job", group[0], &jobs, &settings);
            @let mine: Vec<_> =
                uplifts.iter().filter(|uplift| group.contains(&uplift.per_job)).collect();
            @let names: Vec<String> = mine.iter().map(|uplift| load(uplift.per_job)).collect();
            @let bars = |label: String, style: usize, gain: &dyn Fn(usize) -> Option<f64>| Series {
                label,
                style,
                faint: false,
                points: (0..mine.len()).filter_map(|i| Some((i as f64, gain(i)?))).collect(),
            };
            @let cores = mine.iter().find_map(|uplift| Some(uplift.paper?.0.cores));
            @let paper = cores.map_or(String::new(), |n| {
                format!("the paper's, {n} core{}", if n == 1 { "" } else { "s" })
            });
            @let kept = mine.first().map_or(String::new(), |uplift| uplift.per_queue_pair.side());
            @let series = [
                bars(kept.clone(), looks.of(&kept), &|i| mine[i].ours()),
                bars(paper, looks.0.len(), &|i| mine[i].papers()),
            ];
            (Chart {
                title: told,
                across: "buffer size in bytes",
                up: "times the throughput",
                series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
            }.bars(&names, 1.0))
        }
    }
}

/// The gain over cores, with the gain that would be ideal.
pub fn scaling(rows: &[Row], looks: &Looks) -> Markup {
    let ideal = |curves: &[&Curve<'_>]| {
        let most = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).max();
        let points = [1.0, most.unwrap_or(1) as f64].map(|cores| (cores, cores));
        Series {
            label: "ideal".to_owned(),
            style: looks.0.len(),
            faint: true,
            points: points.to_vec(),
        }
    };
    curves(&analysis::scaling(rows), looks, ["cores", "times one core"], ideal)
}

/// The gain over outstanding jobs, with source 004's.
pub fn asynchrony(rows: &[Row], looks: &Looks) -> Markup {
    let points = papers::ASYNC_OVER_SYNC
        .iter()
        .map(|&(count, gain)| (count as f64, gain))
        .collect::<Vec<_>>();
    let papers = |_: &[&Curve<'_>]| Series {
        label: "the paper's, 8 KB on an accelerator".to_owned(),
        style: looks.0.len(),
        faint: true,
        points: points.clone(),
    };
    let found = analysis::asynchrony(rows);
    let axes = ["operations outstanding on one thread", "times synchronous calls"];
    curves(&found, looks, axes, papers)
}

/// A chart for the shortest and one for the longest buffers of each operation, with a series for
/// each side and one to compare with.
fn curves(
    curves: &[Curve<'_>],
    looks: &Looks,
    [across, up]: [&'static str; 2],
    compare: impl Fn(&[&Curve<'_>]) -> Series,
) -> Markup {
    let ones: Vec<&Row> = curves.iter().map(|curve| curve.one).collect();
    let settings = settings();
    html! {
        @for group in groups(ones.iter().copied(), &WITHIN) {
            @let bytes = |row: &&Row| row.buffer_bytes;
            @let extreme = |of: fn(f64, f64) -> f64| group.iter().map(bytes).reduce(of);
            @let extremes = [extreme(f64::min), extreme(f64::max)];
            @for load in groups(group.iter().copied(), &SIDE) {
                @if extremes.contains(&Some(load[0].buffer_bytes)) {
                    @let mine: Vec<&Curve> =
                        curves.iter().filter(|curve| load.contains(&curve.one)).collect();
                    @let series = mine.iter().map(|curve| Series {
                        label: curve.one.side(),
                        style: looks.of(&curve.one.side()),
                        faint: false,
                        points: curve
                            .points
                            .iter()
                            .map(|&(number, gain)| (number as f64, gain))
                            .collect(),
                    });
                    @let what = format!("{}, {}", load[0].operation(), load[0].load());
                    (Chart {
                        title: title(&what, load[0], &ones, &settings),
                        across,
                        up,
                        series: series.chain([compare(&mine)]).collect(),
                    }.lines(Upward::Even))
                }
            }
        }
    }
}
