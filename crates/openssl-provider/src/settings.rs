//! What the configuration file may set, in the section of the provider.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// A setting: a number with its name, its bounds and its default.
struct Setting {
    name: &'static CStr,
    least: u64,
    most: u64,
    value: AtomicU64,
}

/// So many bytes of one update go through the line inside a job.
static THRESHOLD: Setting = Setting::new(c"bulk-threshold", 128, 1 << 40, 4 << 10);
/// So many private operations of RSA and of curves make a batch that is worth the lanes.
static LEAST: Setting = Setting::new(c"least-batch", 1, 512, 4);

/// Whether it is measured if requests gain by waiting, and texts of ciphers by the engine.
static MEASURE: Setting = Setting::new(c"measure", 0, 1, 1);

static ALL: [&Setting; 3] = [&THRESHOLD, &LEAST, &MEASURE];

impl Setting {
    const fn new(name: &'static CStr, least: u64, most: u64, value: u64) -> Setting {
        Setting { name, least, most, value: AtomicU64::new(value) }
    }

    fn get(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }
}

/// Bytes of one update from which on it goes through the queue inside a job.
pub fn bulk_threshold() -> usize {
    THRESHOLD.get().try_into().unwrap_or(usize::MAX)
}

/// Public-key operations of one kind from which on the lanes are faster than one by one.
pub fn least_batch() -> usize {
    LEAST.get().try_into().unwrap_or(usize::MAX)
}

/// Whether requests wait, and the engine processes lone texts, only if that was found to cost less;
/// otherwise they always may.
pub fn measures() -> bool {
    MEASURE.get() != 0
}

/// The names of all settings.
pub fn names() -> impl Iterator<Item = &'static CStr> {
    ALL.iter().map(|setting| setting.name)
}

/// Sets what the configuration says.
///
/// # Errors
/// The text is no number within the bounds; a message that says so.
pub fn set(name: &CStr, text: &str) -> Result<(), String> {
    let setting = ALL.iter().find(|setting| setting.name == name).expect("it is one of the names");
    let (least, most) = (setting.least, setting.most);
    match text.parse() {
        Ok(value) if (least..=most).contains(&value) => {
            setting.value.store(value, Ordering::Relaxed);
            Ok(())
        }
        _ => {
            let name = name.to_string_lossy();
            Err(format!("{name} is {text:?}; a number from {least} to {most} would be right"))
        }
    }
}

/// The setting that leaves algorithms out.
pub const EXCLUDE: &CStr = c"exclude";

/// The names of a list, with commas or spaces between. Each must be one of those that are known.
///
/// # Errors
/// One is not; a message that says which, and which would be right.
pub fn names_in(text: &str, known: &[&str]) -> Result<Vec<String>, String> {
    let names = text.split([',', ' ', '\t']).filter(|name| !name.is_empty());
    let checked = names.map(|name| match known.iter().any(|&one| one.eq_ignore_ascii_case(name)) {
        true => Ok(name.to_owned()),
        false => {
            let right = known.join(", ");
            Err(format!("exclude names {name:?}; of these, some would be right: {right}"))
        }
    });
    checked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_bounds_and_name_them() {
        assert_eq!(set(c"bulk-threshold", "250"), Ok(()));
        assert_eq!(bulk_threshold(), 250);
        for text in ["0", "127", "-1", "fast", ""] {
            let error = set(c"bulk-threshold", text).expect_err("it is out of bounds");
            let right = "a number from 128 to 1099511627776 would be right";
            assert_eq!(error, format!("bulk-threshold is {text:?}; {right}"));
        }
        assert_eq!(bulk_threshold(), 250, "a refused value changes nothing");
    }
    #[test]
    fn names_are_known_or_refused() {
        let known = ["SHAKE128", "EC"];
        let names = |text| names_in(text, &known);
        assert_eq!(names(" shake128,EC, "), Ok(vec!["shake128".to_owned(), "EC".to_owned()]));
        assert_eq!(names(""), Ok(Vec::new()));
        let error = names("SHAKE128 SHAKE129").expect_err("it is unknown");
        assert_eq!(
            error,
            "exclude names \"SHAKE129\"; of these, some would be right: SHAKE128, EC"
        );
    }
}
