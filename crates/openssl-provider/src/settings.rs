//! What the configuration file may set, in the section of the provider.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A setting: a number with its name, its bounds and its default.
struct Setting {
    name: &'static CStr,
    least: u64,
    most: u64,
    value: AtomicU64,
}

/// How long a request waits for others, at most.
static FLUSH: Setting = Setting::new(c"flush-microseconds", 1, 1_000_000, 100);
/// So many bytes of one update go through the queue inside a job. Setting timers and polling cost
/// 20 us of the system's time for each request on a virtual machine with Zen 4, and lanes save 7 us
/// of 16 KiB of SHA-256.
static THRESHOLD: Setting = Setting::new(c"bulk-threshold", 128, 1 << 40, 64 << 10);
/// So many private operations of RSA and of curves make a batch that is worth the lanes.
static LEAST: Setting = Setting::new(c"least-batch", 1, 512, 4);

static ALL: [&Setting; 3] = [&FLUSH, &THRESHOLD, &LEAST];

impl Setting {
    const fn new(name: &'static CStr, least: u64, most: u64, value: u64) -> Setting {
        Setting { name, least, most, value: AtomicU64::new(value) }
    }

    fn get(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }
}

/// How long a request waits for others, at most.
pub fn longest_wait() -> Duration {
    Duration::from_micros(FLUSH.get())
}

/// Bytes of one update from which on it goes through the queue inside a job.
pub fn bulk_threshold() -> usize {
    THRESHOLD.get().try_into().unwrap_or(usize::MAX)
}

/// Public-key operations of one kind from which on the lanes are faster than one by one.
pub fn least_batch() -> usize {
    LEAST.get().try_into().unwrap_or(usize::MAX)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_bounds_and_name_them() {
        assert_eq!(set(c"flush-microseconds", "250"), Ok(()));
        assert_eq!(longest_wait(), Duration::from_micros(250));
        for text in ["0", "1000001", "-1", "fast", ""] {
            let error = set(c"flush-microseconds", text).expect_err("it is out of bounds");
            let right = "a number from 1 to 1000000 would be right";
            assert_eq!(error, format!("flush-microseconds is {text:?}; {right}"));
        }
        assert_eq!(longest_wait(), Duration::from_micros(250), "a refused value changes nothing");
    }
}
