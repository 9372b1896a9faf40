//! Values of options.

use std::time::Duration;

/// Why a value is refused: what would be valid.
#[derive(Debug)]
pub(super) struct Refusal {
    pub valid: String,
}

impl Refusal {
    pub(super) fn new(valid: impl Into<String>) -> Self {
        Refusal { valid: valid.into() }
    }
}

pub(super) fn count(value: &str, least: usize, most: usize) -> Result<usize, Refusal> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| Refusal::new(format!("it is a number from {least} to {most}")))
}

pub(super) fn fraction(value: &str, most: f64) -> Result<f64, Refusal> {
    let number = value.parse().ok().filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| Refusal::new(format!("it is a number from 0 to {most}")))
}

/// The most that a time can be.
const MOST: f64 = 3.6e12;

/// A time, in nanoseconds, parts of them too: `5.4ns`, `12us`.
pub(super) fn nanoseconds(value: &str) -> Result<f64, Refusal> {
    let units = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let time = units.into_iter().find_map(|(unit, nanoseconds)| {
        let number: f64 = value.strip_suffix(unit)?.parse().ok()?;
        Some(number * nanoseconds)
    });
    let valid =
        || Refusal::new("it is a time, at most an hour, such as 0.5ns, 100ns, 50us, 2ms or 1s");
    time.filter(|time| (0.0..=MOST).contains(time)).ok_or_else(valid)
}

pub(super) fn duration(value: &str) -> Result<Duration, Refusal> {
    Ok(Duration::from_nanos(nanoseconds(value)? as u64))
}

/// A number of bytes: `65536`, `64K`, `512M`, `2G`.
pub(super) fn bytes(value: &str) -> Result<usize, Refusal> {
    let (number, unit) = match value.as_bytes().last() {
        Some(b'K') => (&value[..value.len() - 1], 1 << 10),
        Some(b'M') => (&value[..value.len() - 1], 1 << 20),
        Some(b'G') => (&value[..value.len() - 1], 1 << 30),
        _ => (value, 1),
    };
    let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    let valid =
        || Refusal::new("it is off, or a number of bytes from 1, such as 65536, 512M or 2G");
    bytes.filter(|bytes| *bytes > 0).ok_or_else(valid)
}

pub(super) fn on_off(value: &str) -> Result<bool, Refusal> {
    one_of(value, &[("on", true), ("off", false)])
}

pub(super) fn one_of<T: Copy>(value: &str, valid: &[(&str, T)]) -> Result<T, Refusal> {
    let found = valid.iter().find(|(name, _)| *name == value).map(|(_, found)| *found);
    found.ok_or_else(|| {
        let names: Vec<_> = valid.iter().map(|(name, _)| *name).collect();
        Refusal::new(format!("it is {}", names.join(" or ")))
    })
}
