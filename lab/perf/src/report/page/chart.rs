//! Charts as SVG, within a page or as a file of their own: lines over numbers, bars over names.
//!
//! Colours, dashes and fonts are the style sheet's; a series has a number, by which it looks the
//! same in every chart of a page. Its marks have a shape of their own, so that colour is not all
//! that tells series apart.

use maud::{Markup, html};

use super::axis::{Axis, label};

pub(super) const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 40.0;

/// Looks that the style sheet has; further series begin again.
const STYLES: usize = 9;

/// From one line of a name to the next.
const LINE: f64 = 16.0;

/// Bars narrower than this have no room for their value.
const LABELLED: f64 = 24.0;

/// The values of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// Its look.
    pub style: usize,
    /// `true` if its line is a second one of this look, drawn thinner.
    pub faint: bool,
    /// Its points: in a chart of bars, the first number is the group's.
    pub points: Vec<(f64, f64)>,
}

/// What every chart has.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The unit and meaning of what lies along the bottom.
    pub across: &'static str,
    /// The unit and meaning of what goes up.
    pub up: &'static str,
    /// Its series.
    pub series: Vec<Series>,
}

/// How the upward axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upward {
    /// Evenly, from zero.
    Even,
    /// Evenly, around the values: for differences that are small beside the values.
    Close,
    /// By ratios.
    Ratios,
}

/// Two decimals: a hundredth of a unit cannot be seen.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn x(place: f64) -> f64 {
    round(LEFT + place * (WIDTH - LEFT - RIGHT))
}

fn y(place: f64) -> f64 {
    round(HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM))
}

pub(super) fn class(series: &Series) -> String {
    format!("s{}{}", series.style % STYLES, if series.faint { " faint" } else { "" })
}

/// A mark of a series' own shape around a point, as the data of a path.
fn mark(style: usize, x: f64, y: f64) -> String {
    match style % STYLES {
        0 => format!("M{x} {y}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z"),
        1 => format!("M{x} {y}m-3.2 -3.2h6.4v6.4h-6.4z"),
        2 => format!("M{x} {y}m0 -4.2l4 7h-8z"),
        3 => format!("M{x} {y}m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z"),
        4 => format!("M{x} {y}m0 4.2l4 -7h-8z"),
        6 => format!("M{x} {y}m-4.2 0l4.2 -2.2l4.2 2.2l-4.2 2.2z"),
        7 => format!("M{x} {y}m-1.6 -4.2h3.2v8.4h-3.2z"),
        8 => format!("M{x} {y}m-3.6 -3.6l3.6 2.4l3.6 -2.4v7.2l-3.6 -2.4l-3.6 2.4z"),
        _ => format!("M{x} {y}m-4 -1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z"),
    }
}

/// A chart that is drawn, and stands neither in a page nor in a file yet.
pub(super) struct Drawing {
    /// Its height.
    pub bottom: f64,
    /// Draws the look of a series for the legend, in 22 by 10 units.
    pub swatch: fn(&Series) -> Markup,
    /// The axes and the values.
    pub inner: Markup,
}

/// Draws the look of a line for the legend.
fn line_swatch(series: &Series) -> Markup {
    html! {
        path class="line" d="M1 5L21 5" {}
        path class="mark" d=(mark(series.style, 11.0, 5.0)) {}
    }
}

/// Draws the look of a bar for the legend.
fn bar_swatch(_: &Series) -> Markup {
    html! { rect class="bar" x="6" y="0" width="10" height="10" rx="1.5" {} }
}

impl Chart {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.series.iter().flat_map(|series| series.points.iter().map(|point| point.1))
    }

    /// Lines over numbers that are spread by their ratios, such as sizes.
    pub fn lines(&self, upward: Upward) -> Markup {
        self.figure(self.draw_lines(upward))
    }

    /// Bars in groups, with a line at `level`, where nothing is gained or lost. A group's name may
    /// have several lines.
    pub fn bars(&self, groups: &[String], level: f64) -> Markup {
        self.figure(self.draw_bars(groups, level))
    }

    /// Draws what [`lines`](Chart::lines) shows.
    pub(super) fn draw_lines(&self, upward: Upward) -> Drawing {
        let across = Axis::log_at(self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)));
        let up = match upward {
            Upward::Even => Axis::from_zero(self.values().fold(0.0, f64::max)),
            Upward::Close => Axis::around(self.values()),
            Upward::Ratios => Axis::log(self.values()),
        };
        let at = |&(a, b): &(f64, f64)| (x(across.place(a)), y(up.place(b)));
        // What is nothing has no place among ratios.
        let shown = |series: &Series| -> Vec<(f64, f64)> {
            let has_place = |point: &&(f64, f64)| upward != Upward::Ratios || point.1 > 0.0;
            series.points.iter().filter(has_place).copied().collect()
        };
        let path = |series: &Series| {
            let points = shown(series).into_iter().enumerate().map(|(index, point)| {
                let (x, y) = at(&point);
                format!("{}{x} {y}", if index == 0 { "M" } else { "L" })
            });
            points.collect::<String>()
        };
        let names = across.ticks().iter().map(|&tick| (x(across.place(tick)), label(tick)));
        self.draw(
            &up,
            names.collect(),
            line_swatch,
            html! {
                @for series in self.series.iter().rev() {
                    g class=(class(series)) {
                        path class="line" d=(path(series)) {}
                        @for point in &shown(series) {
                            @let (x, y) = at(point);
                            path class="mark" d=(mark(series.style, x, y)) {
                                title { (series.label) ", " (label(point.0)) ": " (tell(point.1)) }
                            }
                        }
                    }
                }
            },
        )
    }

    /// Draws what [`bars`](Chart::bars) shows.
    pub(super) fn draw_bars(&self, groups: &[String], level: f64) -> Drawing {
        let up = Axis::from_zero(self.values().fold(level, f64::max));
        let group = 1.0 / groups.len().max(1) as f64;
        let width = (WIDTH - LEFT - RIGHT) * group * 0.8 / self.series.len().max(1) as f64;
        let width = width.min(56.0);
        let centre = |index: f64| x((index + 0.5) * group);
        let bars = self.series.len() as f64;
        let names = groups.iter().enumerate();
        self.draw(
            &up,
            names.map(|(index, name)| (centre(index as f64), name.clone())).collect(),
            bar_swatch,
            html! {
                @for (index, series) in self.series.iter().enumerate() {
                    g class=(class(series)) {
                        @for &(group, value) in &series.points {
                            @let left = round(centre(group) + (index as f64 - bars / 2.0) * width);
                            @let top = y(up.place(value));
                            rect class="bar" x=(left) y=(top) width=(round(width * 0.9))
                                height=(round(y(0.0) - top)) rx="1.5" {
                                title {
                                    (groups[group as usize].replace('\n', ", ")) ", "
                                    (series.label) ": " (tell(value))
                                }
                            }
                            @if width >= LABELLED {
                                text class="value" x=(round(left + width * 0.45))
                                    y=(round(top - 4.0)) {
                                    (tell(value))
                                }
                            }
                        }
                    }
                }
                line class="level" x1=(x(0.0)) x2=(x(1.0))
                    y1=(y(up.place(level))) y2=(y(up.place(level))) {}
            },
        )
    }

    /// Draws the axes below the values.
    fn draw(
        &self,
        up: &Axis,
        names: Vec<(f64, String)>,
        swatch: fn(&Series) -> Markup,
        drawn: Markup,
    ) -> Drawing {
        let lines = names.iter().map(|(_, name)| name.lines().count()).max().unwrap_or(1).max(1);
        let bottom = HEIGHT + (lines - 1) as f64 * LINE;
        let inner = html! {
            g class="axes" aria-hidden="true" {
                text class="unit" x="2" y="12" { (self.up) }
                @for &tick in up.ticks() {
                    @let height = y(up.place(tick));
                    line x1=(x(0.0)) x2=(x(1.0)) y1=(height) y2=(height) {}
                    text class="left" x=(LEFT - 6.0) y=(height + 4.0) { (label(tick)) }
                }
                @for (at, name) in &names {
                    @for (line, text) in name.lines().enumerate() {
                        text class="below" x=(at)
                            y=(HEIGHT - BOTTOM + LINE * (line + 1) as f64) { (text) }
                    }
                }
                text class="below unit" x=(x(0.5)) y=(bottom - 6.0) { (self.across) }
            }
            (drawn)
        };
        Drawing { bottom, swatch, inner }
    }

    /// The chart within a page: title, legend, drawing.
    fn figure(&self, Drawing { bottom, swatch, inner }: Drawing) -> Markup {
        html! {
            figure {
                figcaption { (self.title) }
                @if self.series.len() > 1 {
                    ul class="legend" {
                        @for series in &self.series {
                            li {
                                svg class=(class(series)) viewBox="0 0 22 10" aria-hidden="true" {
                                    (swatch(series))
                                }
                                (series.label)
                            }
                        }
                    }
                }
                svg class="chart" viewBox={ "0 0 " (WIDTH) " " (bottom) }
                    role="img" aria-label=(self.spoken()) {
                    (inner)
                }
            }
        }
    }

    /// The chart in a sentence, for those who cannot see it.
    pub(super) fn spoken(&self) -> String {
        let ranges = self.series.iter().map(|series| {
            let values = || series.points.iter().map(|point| point.1);
            let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
            format!("{} from {} to {}", series.label, tell(least), tell(most))
        });
        let ranges: Vec<String> = ranges.collect();
        format!("{}: {} against {}; {}", self.title, self.up, self.across, ranges.join("; "))
    }
}

/// A value to three digits or so.
fn tell(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;

    fn chart() -> Chart {
        let series = |label: &str, style, points: &[(f64, f64)]| Series {
            label: label.to_owned(),
            style,
            faint: false,
            points: points.to_vec(),
        };
        Chart {
            title: "A <title> & more".to_owned(),
            across: "bytes",
            up: "Gbit/s",
            series: vec![
                series("native", 0, &[(0.0, 4.0), (1.0, 8.0)]),
                series("a \"peer\"", 7, &[(0.0, 1.0), (1.0, 2.0)]),
            ],
        }
    }

    /// All numbers of all attributes that hold coordinates.
    fn coordinates(page: &str) -> Vec<f64> {
        let document = Document::parse(page).unwrap();
        let attributes = document.descendants().flat_map(|node| node.attributes());
        let drawn = attributes.filter(|a| {
            ["d", "x", "y", "x1", "x2", "y1", "y2", "width", "height"].contains(&a.name())
        });
        drawn
            .flat_map(|a| {
                let numbers =
                    a.value().split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
                numbers.filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect::<Vec<f64>>()
            })
            .collect()
    }

    #[test]
    fn bars_stand_within_the_picture_and_as_high_as_their_values() {
        let page = chart().bars(&["64 B".to_owned(), "128 B".to_owned()], 1.0).into_string();
        let document = Document::parse(&page).unwrap();
        let heights: Vec<f64> = document
            .descendants()
            .filter(|node| node.has_tag_name("rect") && node.has_children())
            .map(|node| node.attribute("height").unwrap().parse().unwrap())
            .collect();
        let ratios: Vec<f64> = heights.iter().map(|height| (height / heights[2]).round()).collect();
        assert_eq!(ratios, [4.0, 8.0, 1.0, 2.0]);
        assert!(coordinates(&page).iter().all(|c| (-10.0..=WIDTH).contains(c)), "{page}");
    }

    #[test]
    fn a_name_of_several_lines_makes_the_picture_higher() {
        let height = |names: [&str; 2]| {
            let page = chart().bars(&names.map(str::to_owned), 1.0).into_string();
            let document = Document::parse(&page).unwrap();
            let picture =
                document.descendants().find(|node| node.attribute("role") == Some("img")).unwrap();
            let height: f64 =
                picture.attribute("viewBox").unwrap().rsplit(' ').next().unwrap().parse().unwrap();
            let texts: Vec<_> = document.descendants().filter_map(|node| node.text()).collect();
            assert!(names[0].lines().all(|line| texts.contains(&line)), "{page}");
            height
        };
        assert_eq!(height(["zlib\n16\nthreads", "b"]), height(["a", "b"]) + 2.0 * LINE);
    }

    #[test]
    fn lines_have_a_mark_and_a_word_for_each_point() {
        let mut chart = chart();
        for series in &mut chart.series {
            series.points = vec![(32.0, 10.0), (64.0, 20.0), (8192.0, 400.0)];
        }
        for upward in [Upward::Even, Upward::Close, Upward::Ratios] {
            let page = chart.lines(upward).into_string();
            let document = Document::parse(&page).unwrap();
            let titles: Vec<_> = document
                .descendants()
                .filter(|n| n.has_tag_name("title"))
                .filter_map(|n| n.text())
                .collect();
            assert_eq!(titles.len(), 6);
            assert!(coordinates(&page).iter().all(|c| (-10.0..=WIDTH).contains(c)), "{page}");
        }
    }

    #[test]
    fn what_is_nothing_has_no_place_among_ratios() {
        let mut chart = chart();
        chart.series[0].points = vec![(32.0, 0.0), (64.0, 20.0)];
        chart.series[1].points = vec![(32.0, 0.0)];
        let marks = |upward| chart.lines(upward).into_string().matches("<title>").count();
        assert_eq!((marks(Upward::Ratios), marks(Upward::Even)), (1, 3));
        assert!(!chart.lines(Upward::Ratios).into_string().contains("NaN"));
    }

    #[test]
    fn a_chart_is_told_to_those_who_cannot_see_it_and_text_is_no_markup() {
        let page = chart().bars(&["64 B".to_owned(), "128 B".to_owned()], 1.0).into_string();
        let document = Document::parse(&page).unwrap();
        let image =
            document.descendants().find(|node| node.attribute("role") == Some("img")).unwrap();
        let spoken = image.attribute("aria-label").unwrap();
        assert!(spoken.starts_with("A <title> & more: Gbit/s against bytes"), "{spoken}");
        assert!(
            spoken.contains("native from 4.00 to 8.00") && spoken.contains("a \"peer\""),
            "{spoken}"
        );
    }
}
