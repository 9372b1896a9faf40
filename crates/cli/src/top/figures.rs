//! Numbers as people read them: three digits and a prefix.

use broadloom_metrics::change::Flow;

/// Factors and their prefixes, the largest first.
const PREFIXES: [(f64, &str); 8] = [
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
];

/// The place of the factor 1 in [`PREFIXES`].
const ONE: usize = 4;

/// Writes a number: `1.23 M`, `45.6 k`, `7`, `0.25`.
pub fn number(value: f64) -> String {
    scaled(value, &PREFIXES[..=ONE], "")
}

/// Writes bytes: `1.23 GB`.
pub fn bytes(value: f64) -> String {
    scaled(value, &PREFIXES[..=ONE], "B")
}

/// Writes a duration: `12.3 µs`. A nanosecond is the bound of the durations that histograms count
/// as none, and is written as `0 s`.
pub fn seconds(value: f64) -> String {
    let value = if value <= 1e-9 { 0.0 } else { value };
    scaled(value, &PREFIXES[ONE..], "s")
}

/// Writes how many jobs wait, and where: `32 in 2 queues`.
pub fn waiting(flow: &Flow) -> String {
    let queues = if flow.queues == 1 { "queue" } else { "queues" };
    format!("{} in {} {queues}", number(flow.waiting as f64), flow.queues)
}

/// Writes a share of 1 as percent: `93.1 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Writes a time in hours, minutes and seconds: `1:02:03`.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

fn scaled(value: f64, prefixes: &[(f64, &str)], unit: &str) -> String {
    if value == 0.0 {
        return format!("0 {unit}").trim_end().to_owned();
    }
    // A value that would be written as 1000 of one prefix gets the next one.
    let fits = |(factor, _): &&(f64, &str)| value.abs() >= factor * 0.9995;
    let smallest = prefixes.last().expect("there are prefixes");
    let (factor, prefix) = prefixes.iter().find(fits).unwrap_or(smallest);
    let scaled = value / factor;
    let whole = scaled.fract() == 0.0 && prefix.is_empty() && unit != "s";
    let places = match scaled.abs() {
        _ if whole => 0,
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.places$} {prefix}{unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_prefix() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (7.0, "7"),
            (7.5, "7.50"),
            (999.4, "999"),
            (999.9, "1.00 k"),
            (1234.0, "1.23 k"),
            (12_345_678.0, "12.3 M"),
            (999_999_999.0, "1.00 G"),
            (5e15, "5000 T"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!([0.0, 1.0, 1.5e9].map(bytes), ["0 B", "1 B", "1.50 GB"]);
        assert_eq!(
            [0.0, 12.34e-6, 1e-3, 0.9999, 75.0].map(seconds),
            ["0 s", "12.3 µs", "1.00 ms", "1.00 s", "75.0 s"]
        );
        assert_eq!(percent(0.93142), "93.1 %");
        assert_eq!([0.5, 59.9, 3723.0].map(clock), ["0:00:00", "0:00:59", "1:02:03"]);
    }
}
