//! Times as Go writes them: RFC 3339 with as many digits as needed, in the local time zone.

use std::cmp::Ordering;
use std::fmt;

use jiff::civil::DateTime;
use jiff::fmt::temporal::{DateTimePrinter, Pieces};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time, to the nanosecond, with the zone in which it is written.
#[derive(Debug, Clone, Copy)]
pub struct Time {
    at: Timestamp,
    offset: Offset,
}

impl PartialEq for Time {
    fn eq(&self, other: &Time) -> bool {
        self.at == other.at
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> Ordering {
        self.at.cmp(&other.at)
    }
}

impl Default for Time {
    fn default() -> Time {
        Time { at: first(), offset: Offset::UTC }
    }
}

/// What Go writes for a time that was never set, which is also the first that it can write.
const NEVER: &str = "0001-01-01T00:00:00Z";

fn first() -> Timestamp {
    NEVER.parse().expect("it is a time")
}

impl Time {
    /// Now.
    #[must_use]
    pub fn now() -> Time {
        Time::here(Timestamp::now())
    }

    /// The time that the system gives: seconds since 1970, and nanoseconds. Times before year 1
    /// and after year 9999, which JSON of Go cannot hold, become the nearest that it can.
    #[must_use]
    pub fn from_unix(seconds: i64, nanoseconds: i64) -> Time {
        let first = first();
        let time = Timestamp::from_duration(SignedDuration::new(seconds, nanoseconds as i32));
        Time::here(time.unwrap_or(if seconds < 0 { first } else { Timestamp::MAX }).max(first))
    }

    fn here(at: Timestamp) -> Time {
        Time { at, offset: TimeZone::system().to_offset(at) }
    }

    /// The time that a clock of the local time zone shows as `YYYY-MM-DD HH:MM:SS`.
    ///
    /// # Errors
    /// What would be right, in words.
    pub fn parse_local(text: &str) -> Result<Time, String> {
        let wrong = |_| format!("{text:?} is no time; valid: such as \"2012-11-01 22:08:41\"");
        let civil: DateTime = text.parse().map_err(wrong)?;
        let zoned = civil.to_zoned(TimeZone::system()).map_err(wrong)?;
        Ok(Time { at: zoned.timestamp(), offset: zoned.offset() })
    }

    /// Seconds since 1970, rounded down.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        self.at.as_nanosecond().div_euclid(1_000_000_000) as i64
    }

    /// Nanoseconds beyond [`seconds`](Self::seconds).
    #[must_use]
    pub fn nanoseconds(&self) -> i64 {
        self.at.as_nanosecond().rem_euclid(1_000_000_000) as i64
    }

    /// Seconds from another time to this one; negative if the other is later.
    #[must_use]
    pub fn seconds_since(&self, other: &Time) -> i64 {
        self.at.duration_since(other.at).as_secs()
    }

    /// The time in the local time zone, to the second, for people.
    #[must_use]
    pub fn local(&self) -> String {
        self.at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// Date and time as the zone has them in which the time is written.
    #[must_use]
    pub fn civil(&self) -> DateTime {
        self.offset.to_datetime(self.at)
    }

    /// The time before this one by a span of the calendar.
    ///
    /// # Errors
    /// If there is no such time.
    pub fn before(&self, span: Span) -> Result<Time, jiff::Error> {
        let zone = TimeZone::fixed(self.offset);
        let at = self.at.to_zoned(zone).checked_sub(span)?.timestamp();
        Ok(Time { at, offset: self.offset })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printer = DateTimePrinter::new();
        if self.offset.is_zero() {
            f.write_str(&printer.timestamp_to_string(&self.at))
        } else {
            f.write_str(&printer.timestamp_with_offset_to_string(&self.at, self.offset))
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("{text:?} is not a time of RFC 3339"));
        let at = text.parse().map_err(|_| wrong())?;
        if text.ends_with('Z') {
            return Ok(Time { at, offset: Offset::UTC });
        }
        let pieces = Pieces::parse(text.as_ref()).map_err(|_| wrong())?;
        let offset = pieces.to_numeric_offset().ok_or_else(wrong)?;
        Ok(Time { at, offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_whatever_their_zone() {
        let text = "\"2022-09-01T12:34:56.1234567+02:00\"";
        let time: Time = serde_json::from_str(text).unwrap();
        assert_eq!(crate::json::to_json(&time), text.as_bytes());
        assert_eq!((time.seconds(), time.nanoseconds()), (1_662_028_496, 123_456_700));
        assert!(serde_json::from_str::<Time>("\"yesterday\"").is_err());
        assert_eq!(Time::default().to_string(), NEVER);
        let never: Time = serde_json::from_str(&format!("{NEVER:?}")).unwrap();
        assert_eq!(never, Time::from_unix(i64::MIN, 0));
    }

    #[test]
    fn times_are_written_with_as_many_digits_as_they_need() {
        assert!(Time::from_unix(0, 500_000_000).to_string().contains(":00.5"));
        assert!(!Time::from_unix(0, 0).to_string().contains('.'));
        let before = Time::from_unix(-1, 999_999_999);
        assert_eq!((before.seconds(), before.nanoseconds()), (-1, 999_999_999));
    }
}
