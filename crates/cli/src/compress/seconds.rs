//! Times as gzip stores them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time as gzip stores it: seconds since 1970, or 0 where they do not fit.
pub fn to_seconds(time: SystemTime) -> u32 {
    let since = time.duration_since(UNIX_EPOCH).ok();
    since.and_then(|since| since.as_secs().try_into().ok()).unwrap_or(0)
}

/// The time that gzip stores as `seconds`; `None` for 0, which stands for no time.
pub fn from_seconds(seconds: u32) -> Option<SystemTime> {
    (seconds != 0).then(|| UNIX_EPOCH + Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_gzip_can_store_come_back() {
        for seconds in [1, 1_700_000_000, u32::MAX] {
            let time = from_seconds(seconds).expect("it is a time");
            assert_eq!(to_seconds(time + Duration::from_millis(900)), seconds);
        }
        assert_eq!(from_seconds(0), None);
        assert_eq!(to_seconds(UNIX_EPOCH - Duration::from_secs(1)), 0);
        assert_eq!(to_seconds(UNIX_EPOCH + Duration::from_secs(1 << 32)), 0);
    }
}
