//! Numbers as people read them.

/// A number of cycles, with decimals only where they say something.
pub fn cycles(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Gbit/s, to three digits or so.
pub fn gbps(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { format!("{value:.1}") }
}

/// Operations a second.
pub fn rate(value: f64) -> String {
    format!("{value:.0}")
}

/// Formats a ratio of two figures.
pub fn times(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}×"),
        value if value < 100.0 => format!("{value:.1}×"),
        value => format!("{value:.0}×"),
    }
}

/// A change in per cent, with its sign.
pub fn change(percent: f64) -> String {
    format!("{percent:+.0} %")
}

/// A time given in nanoseconds, in the unit that suits it.
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

/// Formats a value with `format`. Returns an empty text if there is no value.
pub fn maybe(value: Option<f64>, format: impl FnOnce(f64) -> String) -> String {
    value.map_or(String::new(), format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_size() {
        assert_eq!([cycles(12.345), cycles(1234.5)], ["12.3", "1234"]);
        assert_eq!([gbps(0.126), gbps(42.26)], ["0.13", "42.3"]);
        assert_eq!([times(1.234), times(12.34), times(123.4)], ["1.23×", "12.3×", "123×"]);
        assert_eq!([change(5.2), change(-12.0)], ["+5 %", "-12 %"]);
        assert_eq!([time(812.4), time(1234.0), time(2.5e6)], ["812 ns", "1.23 µs", "2.50 ms"]);
    }
}
