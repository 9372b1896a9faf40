//! Which snapshots a policy keeps, as restic decides, and the removal of the others.

use std::collections::BTreeMap;

use jiff::Span;
use jiff::civil::DateTime;

use crate::error::SnapshotError;
use crate::id::Id;
use crate::repository::Repository;
use crate::snapshot::{Named, Snapshot, Snapshots};
use crate::store::{File, Kind};

/// How many snapshots are kept, and which.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The last so many.
    pub last: u32,
    /// The last of each of the last so many hours that have one.
    pub hourly: u32,
    /// The same for days.
    pub daily: u32,
    /// The same for weeks of ISO 8601.
    pub weekly: u32,
    /// The same for months.
    pub monthly: u32,
    /// The same for years.
    pub yearly: u32,
    /// All that are younger than the latest by less than this.
    pub within: Option<Span>,
    /// All that have all tags of one of the lists.
    pub tags: Vec<Vec<String>>,
}

impl Policy {
    /// Returns `true` if it keeps nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let counts = [self.last, self.hourly, self.daily, self.weekly, self.monthly, self.yearly];
        counts == [0; 6] && self.within.is_none() && self.tags.is_empty()
    }
}

/// Reads a span as restic writes it: `2y5m7d3h`.
///
/// # Errors
/// What would be right, in words.
pub fn parse_span(text: &str) -> Result<Span, String> {
    let wrong = || format!("{text:?} is no span; valid: such as 2y5m7d3h");
    let (mut span, mut rest) = (Span::new(), text);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = rest[digits..].chars().next().ok_or_else(wrong)?;
        span = match unit {
            'y' => span.try_years(number),
            'm' => span.try_months(number),
            'd' => span.try_days(number),
            'h' => span.try_hours(number),
            _ => return Err(wrong()),
        }
        .map_err(|_| wrong())?;
        rest = &rest[digits + 1..];
    }
    if text.is_empty() { Err(wrong()) } else { Ok(span) }
}

/// What makes snapshots a group, to which the policy is applied on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupBy {
    /// The host.
    pub host: bool,
    /// The paths.
    pub paths: bool,
    /// The tags.
    pub tags: bool,
}

impl Default for GroupBy {
    fn default() -> GroupBy {
        GroupBy { host: true, paths: true, tags: false }
    }
}

/// What snapshots of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The host, if it counts.
    pub host: Option<String>,
    /// The paths, if they count.
    pub paths: Option<Vec<String>>,
    /// The tags, if they count.
    pub tags: Option<Vec<String>>,
}

impl GroupBy {
    /// The group of a snapshot.
    #[must_use]
    pub fn group(&self, snapshot: &Snapshot) -> Group {
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names
        };
        Group {
            host: self.host.then(|| snapshot.hostname.clone()),
            paths: self.paths.then(|| sorted(&snapshot.paths)),
            tags: self.tags.then(|| sorted(&snapshot.tags)),
        }
    }

    /// The snapshots by groups, oldest first.
    #[must_use]
    pub fn groups(&self, snapshots: &Snapshots) -> BTreeMap<Group, Vec<Named>> {
        let mut groups: BTreeMap<Group, Vec<Named>> = BTreeMap::new();
        for snapshot in &snapshots.0 {
            groups.entry(self.group(&snapshot.file)).or_default().push(snapshot.clone());
        }
        groups
    }
}

/// A snapshot and why it is kept; for no reason it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The snapshot.
    pub snapshot: Named,
    /// The rules that keep it.
    pub reasons: Vec<&'static str>,
}

impl Verdict {
    /// Returns `true` if it is kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        !self.reasons.is_empty()
    }
}

/// A rule that keeps the last snapshot of each period.
struct Rule {
    reason: &'static str,
    left: u32,
    period: fn(DateTime, usize) -> i64,
    last: Option<i64>,
}

fn day(at: DateTime) -> i64 {
    (i64::from(at.year()) * 100 + i64::from(at.month())) * 100 + i64::from(at.day())
}

/// Applies a policy to the snapshots of a group; the verdicts are latest first.
///
/// # Errors
/// A span that leads before the first time there is.
pub fn apply(policy: &Policy, group: &[Named]) -> Result<Vec<Verdict>, SnapshotError> {
    let mut latest_first = group.to_vec();
    latest_first.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.file.time));
    let week = |at: DateTime, _: usize| {
        let week = at.date().iso_week_date();
        i64::from(week.year()) * 100 + i64::from(week.week())
    };
    let rule = |reason, left, period| Rule { reason, left, period, last: None };
    let mut rules = [
        rule("last snapshot", policy.last, |_, number| number as i64),
        rule("hourly snapshot", policy.hourly, |at, _| day(at) * 100 + i64::from(at.hour())),
        rule("daily snapshot", policy.daily, |at, _| day(at)),
        rule("weekly snapshot", policy.weekly, week),
        rule("monthly snapshot", policy.monthly, |at, _| day(at) / 100),
        rule("yearly snapshot", policy.yearly, |at, _| i64::from(at.year())),
    ];
    let since = match (&policy.within, latest_first.first()) {
        (Some(span), Some(latest)) => {
            let since = latest.file.time.before(*span);
            Some(since.map_err(|error| SnapshotError::Other(format!("the span: {error}")))?)
        }
        _ => None,
    };
    let verdict = |(number, snapshot): (usize, Named)| {
        let mut reasons = Vec::new();
        let tagged = |tags: &Vec<String>| tags.iter().all(|tag| snapshot.file.tags.contains(tag));
        if policy.tags.iter().any(tagged) {
            reasons.push("has tags");
        }
        if since.is_some_and(|since| snapshot.file.time > since) {
            reasons.push("within the span");
        }
        let at = snapshot.file.time.civil();
        for rule in &mut rules {
            let period = Some((rule.period)(at, number));
            if rule.left > 0 && rule.last != period {
                rule.left -= 1;
                rule.last = period;
                reasons.push(rule.reason);
            }
        }
        Verdict { snapshot, reasons }
    };
    Ok(latest_first.into_iter().enumerate().map(verdict).collect())
}

/// Removes snapshots. What only they need stays until restic prunes it. The caller holds an
/// exclusive lock.
///
/// # Errors
/// What the store says.
pub fn forget(repository: &Repository, ids: &[Id]) -> Result<(), SnapshotError> {
    ids.iter().try_for_each(|&id| repository.remove(File::Named(Kind::Snapshot, id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(time: &str, tags: &[&str]) -> Named {
        let text = format!("{{\"time\":{time:?},\"tree\":\"{}\",\"paths\":[]}}", "00".repeat(32));
        let mut file: Snapshot = serde_json::from_str(&text).expect("it is one");
        file.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Named { id: Id([0; 32]), file }
    }

    fn kept(policy: &Policy, all: &[Named]) -> Vec<String> {
        let verdicts = apply(policy, all).expect("the span is short");
        let kept = verdicts.iter().filter(|verdict| verdict.is_kept());
        kept.map(|verdict| verdict.snapshot.file.time.to_string()).collect()
    }

    #[test]
    fn the_last_of_each_period_is_kept() {
        let times = [
            "2022-12-31T23:00:00Z",
            "2023-01-01T01:00:00Z",
            "2023-01-01T02:10:00Z",
            "2023-01-01T02:50:00Z",
            "2023-01-02T00:00:00Z",
        ];
        let all = times.map(|time| snapshot(time, &[]));
        let keeps = |policy: Policy, numbers: &[usize]| {
            let expected: Vec<String> =
                numbers.iter().rev().map(|&number| times[number].to_owned()).collect();
            assert_eq!(kept(&policy, &all), expected, "{policy:?}");
        };
        let none = Policy::default();
        assert!(none.is_empty());
        keeps(none.clone(), &[]);
        keeps(Policy { last: 2, ..none.clone() }, &[3, 4]);
        keeps(Policy { hourly: 3, ..none.clone() }, &[1, 3, 4]);
        keeps(Policy { daily: 9, ..none.clone() }, &[0, 3, 4]);
        // The first of January 2023 is in the last week of 2022.
        keeps(Policy { weekly: 9, ..none.clone() }, &[3, 4]);
        keeps(Policy { monthly: 9, ..none.clone() }, &[0, 4]);
        keeps(Policy { yearly: 1, ..none.clone() }, &[4]);
        let span = parse_span("22h").ok();
        keeps(Policy { within: span, ..none.clone() }, &[2, 3, 4]);
    }

    #[test]
    fn tags_keep() {
        let all = [
            snapshot("2022-01-01T00:00:00Z", &["a", "b"]),
            snapshot("2022-01-02T00:00:00Z", &["a"]),
        ];
        let tags = vec![vec!["a".to_owned(), "b".to_owned()]];
        let policy = Policy { tags, ..Policy::default() };
        assert_eq!(kept(&policy, &all), ["2022-01-01T00:00:00Z"]);
    }

    #[test]
    fn spans_are_read() {
        assert!(parse_span("1y2m3d4h").is_ok_and(|span| span.get_months() == 2));
        for wrong in ["", "1", "y", "1w", "-1d", "1d2"] {
            assert!(parse_span(wrong).is_err(), "{wrong}");
        }
    }
}
