//! Where values lie along an axis, and which of them it names.

/// One axis of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    log: bool,
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// Evenly divided, from zero to a round number that is not below `most`.
    pub fn from_zero(most: f64) -> Axis {
        let step = round_up(most.max(1e-9) / 5.0);
        let count = (most / step).ceil().max(1.0) as usize;
        let ticks: Vec<f64> = (0..=count).map(|tick| tick as f64 * step).collect();
        Axis { log: false, low: 0.0, high: count as f64 * step, ticks }
    }

    /// Evenly divided, between round numbers around `values`.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Axis {
        let (low, high) = bounds(values);
        let step = round_up((high - low).max(high.abs() * 1e-3).max(1e-9) / 5.0);
        let first = (low / step).floor();
        let count = ((high / step).ceil() - first).max(1.0) as usize;
        let ticks: Vec<f64> = (0..=count).map(|tick| (first + tick as f64) * step).collect();
        Axis { log: false, low: ticks[0], high: ticks[count], ticks }
    }

    /// Divided by ratios, between round numbers around those of the `values` that are above zero.
    pub fn log(values: impl IntoIterator<Item = f64>) -> Axis {
        let (low, high) = bounds(values.into_iter().filter(|value| *value > 0.0));
        let mut ticks = vec![round_down(low)];
        while ticks[ticks.len() - 1] < high || ticks.len() < 2 {
            ticks.push(round_up(ticks[ticks.len() - 1] * 1.5));
        }
        let (low, high) = (ticks[0], ticks[ticks.len() - 1]);
        if ticks.len() > 7 {
            ticks.retain(|tick| (tick.log10() - tick.log10().round()).abs() < 1e-9);
        }
        Axis { log: true, low, high, ticks }
    }

    /// Divided by ratios, with the values themselves named, as long as they lie apart.
    pub fn log_at(values: impl IntoIterator<Item = f64>) -> Axis {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (low, high) = bounds(values.iter().copied());
        let mut axis = Axis { log: true, low, high, ticks: Vec::new() };
        for &value in &values {
            let room =
                axis.ticks.last().is_none_or(|&last| axis.place(value) - axis.place(last) > 0.09);
            if room {
                axis.ticks.push(value);
            }
        }
        axis
    }

    /// Returns the place of a value between the ends of the axis, which are 0 and 1.
    pub fn place(&self, value: f64) -> f64 {
        let [value, low, high] = if self.log {
            [value, self.low, self.high].map(f64::ln)
        } else {
            [value, self.low, self.high]
        };
        if high > low { (value - low) / (high - low) } else { 0.5 }
    }

    /// The values that it names.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }
}

/// The least and the most of the values; 1 and 1 where there are none.
fn bounds(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let range = values.into_iter().fold(None, |range: Option<(f64, f64)>, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    range.unwrap_or((1.0, 1.0))
}

/// The least of 1, 2 and 5 times a power of ten that is not below a value above zero.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let leading = value / power;
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| leading <= round * (1.0 + 1e-9));
    round.unwrap_or(10.0) * power
}

/// The most of 1, 2 and 5 times a power of ten that is not above a value above zero.
fn round_down(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let leading = value / power;
    let round = [5.0, 2.0, 1.0].into_iter().find(|round| leading >= round * (1.0 - 1e-9));
    round.unwrap_or(1.0) * power
}

/// A tick's value in few characters.
pub fn label(value: f64) -> String {
    let short = |value: f64| {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match value {
        value if value >= 1e6 => format!("{}M", short(value / 1e6)),
        value if value >= 1e4 => format!("{}k", short(value / 1e3)),
        value if value != 0.0 && value < 0.01 => format!("{value:.0e}"),
        value => short(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_axes_begin_at_zero_and_end_above_the_most() {
        assert_eq!(Axis::from_zero(23.0).ticks(), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]);
        assert_eq!(Axis::from_zero(1.0).place(0.5), 0.5);
        assert_eq!(Axis::from_zero(0.0).ticks().len(), 2);
    }

    #[test]
    fn close_axes_are_around_their_values() {
        let axis = Axis::around([36.1, 44.2, 38.5]);
        assert_eq!(axis.ticks(), [36.0, 38.0, 40.0, 42.0, 44.0, 46.0]);
        assert_eq!((axis.place(36.0), axis.place(46.0)), (0.0, 1.0));
        assert!(Axis::around([5.0]).ticks().len() >= 2);
    }

    #[test]
    fn ratio_axes_name_round_numbers_around_all_values() {
        let axis = Axis::log([30.0, 400.0]);
        assert_eq!(axis.ticks(), [20.0, 50.0, 100.0, 200.0, 500.0]);
        assert_eq!((axis.place(20.0), axis.place(500.0)), (0.0, 1.0));
        assert_eq!(Axis::log([3.0, 4e5]).ticks(), [10.0, 100.0, 1e3, 1e4, 1e5]);
        assert_eq!(Axis::log([5.0]).ticks().len(), 2);
        assert_eq!(Axis::log([0.0, 30.0, 400.0]), axis);
        assert_eq!(Axis::log([0.0]).ticks().len(), 2);
    }

    #[test]
    fn sizes_are_named_where_there_is_room() {
        let sizes = (5..14).map(|power| f64::from(1 << power));
        assert_eq!(Axis::log_at(sizes).ticks().len(), 9);
        let dense = Axis::log_at((1..=64).map(f64::from));
        assert!(dense.ticks().len() < 12 && dense.ticks()[0] == 1.0, "{:?}", dense.ticks());
        assert_eq!(Axis::log_at([64.0]).place(64.0), 0.5);
    }

    #[test]
    fn labels_are_short() {
        let labels = [0.0, 0.5, 0.25, 5.0, 8192.0, 20_000.0, 2.5e6, 0.001].map(label);
        assert_eq!(labels, ["0", "0.5", "0.25", "5", "8192", "20k", "2.5M", "1e-3"]);
    }
}
