//! A chart as an SVG file of its own, which needs no page around it.

use maud::{Markup, PreEscaped, html};

use super::CHART_STYLE;
use super::chart::{Chart, Drawing, Series, Upward, WIDTH, class};

/// The first line of the text: the title's.
const TITLE: f64 = 20.0;

/// The distance between two lines of the legend.
const LEGEND_LINE: f64 = 18.0;

/// Room for a character of a legend. An SVG file cannot ask how wide its text is.
const CHARACTER: f64 = 7.0;

/// Room for the swatch of a legend, and for the gaps around it.
const SWATCH: f64 = 44.0;

impl Chart {
    /// Returns the lines that [`lines`](Chart::lines) draws, as the text of an SVG file.
    pub fn line_picture(&self, upward: Upward) -> String {
        self.picture(self.draw_lines(upward)).into_string()
    }

    /// Returns the bars that [`bars`](Chart::bars) draws, as the text of an SVG file.
    pub fn bar_picture(&self, groups: &[String], level: f64) -> String {
        self.picture(self.draw_bars(groups, level)).into_string()
    }

    fn picture(&self, Drawing { bottom, swatch, inner }: Drawing) -> Markup {
        let legend = self.legend();
        let lines = legend.iter().map(|(line, ..)| line + 1).max().unwrap_or(0);
        let top = TITLE + 8.0 + LEGEND_LINE * lines as f64 + 8.0;
        let height = top + bottom;
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img"
                viewBox={ "0 0 " (WIDTH) " " (height) } width=(1.5 * WIDTH) height=(1.5 * height)
                font-family="system-ui, sans-serif" aria-label=(self.spoken()) {
                style { (PreEscaped(CHART_STYLE)) ".title { font-weight: 600; font-size: 14px; }" }
                rect width=(WIDTH) height=(height) style="fill: var(--raised)" {}
                text class="title" x="2" y=(TITLE) style="fill: var(--ink)" { (self.title) }
                @for &(line, left, series) in &legend {
                    @let base = TITLE + 8.0 + LEGEND_LINE * (line + 1) as f64;
                    g class=(class(series)) transform={ "translate(" (left) " " (base - 9.0) ")" } {
                        (swatch(series))
                    }
                    text x=(left + 28.0) y=(base) { (series.label) }
                }
                g transform={ "translate(0 " (top) ")" } { (inner) }
            }
            "\n"
        }
    }

    /// Returns the line and the left edge of each series in the legend. A single series needs none.
    fn legend(&self) -> Vec<(usize, f64, &Series)> {
        if self.series.len() < 2 {
            return Vec::new();
        }
        let (mut line, mut left) = (0, 2.0);
        let mut places = Vec::new();
        for series in &self.series {
            let width = SWATCH + CHARACTER * series.label.chars().count() as f64;
            if left > 2.0 && left + width > WIDTH {
                (line, left) = (line + 1, 2.0);
            }
            places.push((line, left, series));
            left += width;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;

    fn chart(labels: &[&str]) -> Chart {
        let series = |(style, label): (usize, &&str)| Series {
            label: (*label).to_owned(),
            style,
            faint: false,
            points: vec![(0.0, 4.0), (1.0, 8.0)],
        };
        Chart {
            title: "A <title> & more".to_owned(),
            across: "bytes",
            up: "times",
            series: labels.iter().enumerate().map(series).collect(),
        }
    }

    #[test]
    fn a_picture_is_one_file_with_its_own_title_legend_and_looks() {
        let groups = ["64 B".to_owned(), "128 B".to_owned()];
        let text = chart(&["ours", "theirs"]).bar_picture(&groups, 1.0);
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let texts: Vec<_> = document.descendants().filter_map(|node| node.text()).collect();
        for part in ["A <title> & more", "ours", "theirs", "64 B", "bytes", "times"] {
            assert!(texts.contains(&part), "{part}: {texts:?}");
        }
        assert!(texts.iter().any(|text| text.contains(".s1 { --c: var(--c1); }")), "{texts:?}");
    }

    #[test]
    fn a_legend_stays_within_the_picture() {
        let long = "a label that takes a good half of the line";
        let chart = chart(&[long, long, "short"]);
        let places: Vec<_> = chart.legend().iter().map(|(line, left, _)| (*line, *left)).collect();
        assert_eq!((places[0], places[1]), ((0, 2.0), (1, 2.0)));
        assert_eq!(places[2].0, 1, "{places:?}");
        let height = |labels: &[&str]| {
            let text = self::chart(labels).line_picture(Upward::Even);
            let document = Document::parse(&text).unwrap();
            document.root_element().attribute("height").unwrap().parse::<f64>().unwrap()
        };
        assert_eq!(height(&[long, long]), height(&["a", "b"]) + 1.5 * LEGEND_LINE);
        assert_eq!(height(&["a"]), height(&["a", "b"]) - 1.5 * LEGEND_LINE);
    }
}
