//! What tells rows apart: the keys that say what was asked for, not what came out.

use std::borrow::Cow;
use std::collections::HashMap;

use super::row::Row;

/// A key, or two that make one, in which measurements differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Throughput, latency or verification.
    Kind,
    /// The algorithm.
    Algorithm,
    /// Which way.
    Direction,
    /// How long buffers are: a size or a workload.
    Load,
    /// How jobs are handed over.
    Mode,
    /// Jobs in flight.
    Outstanding,
    /// Jobs of a call.
    Burst,
    /// Cores at work.
    Cores,
    /// The provider, or the peer.
    Provider,
    /// How the provider was opened.
    Opened,
    /// The engine's interface that was used.
    Call,
    /// Whether cores share a session.
    Session,
    /// The order asked for.
    Order,
    /// The instruction set allowed.
    Isa,
    /// Where buffers lie.
    Cache,
}

use Dimension::*;

impl Dimension {
    /// All of them, in the order in which tables have their columns.
    pub const ALL: [Dimension; 15] = [
        Kind,
        Algorithm,
        Direction,
        Load,
        Mode,
        Outstanding,
        Burst,
        Cores,
        Provider,
        Opened,
        Call,
        Session,
        Order,
        Isa,
        Cache,
    ];

    /// The value that a row has; empty where it has none.
    pub fn value(self, row: &Row) -> Cow<'_, str> {
        let text = |text: &Option<String>| Cow::from(text.clone().unwrap_or_default());
        let number =
            |number: Option<usize>| Cow::from(number.map_or(String::new(), |n| n.to_string()));
        match self {
            Kind => row.kind().name().into(),
            Algorithm => row.algorithm.as_str().into(),
            Direction => row.direction.as_str().into(),
            Load => row.load().into(),
            Mode => row.mode.as_str().into(),
            Outstanding => number(row.outstanding),
            Burst => number(Some(row.burst)),
            Cores => number(Some(row.cores)),
            Provider => row.provider.as_str().into(),
            Opened => row.opened().into(),
            Call => text(&row.call),
            Session => text(&row.session),
            Order => row.order.as_str().into(),
            Isa => row.isa.as_str().into(),
            Cache => row.cache.as_str().into(),
        }
    }

    /// A column's title.
    pub const fn title(self) -> &'static str {
        match self {
            Kind => "kind",
            Algorithm => "algorithm",
            Direction => "direction",
            Load => "size",
            Mode => "mode",
            Outstanding => "outstanding",
            Burst => "burst",
            Cores => "cores",
            Provider => "provider",
            Opened => "opened",
            Call => "call",
            Session => "session",
            Order => "order",
            Isa => "isa",
            Cache => "cache",
        }
    }

    /// The value with what it counts, for a line of text; empty where a row has none.
    fn phrase(self, row: &Row) -> String {
        let value = self.value(row);
        match self {
            _ if value.is_empty() => String::new(),
            Outstanding => format!("{value} outstanding"),
            Burst => format!("bursts of {value}"),
            Cores if row.cores == 1 => "1 core".to_owned(),
            Cores => format!("{value} cores"),
            Session => format!("{value} session"),
            Cache => format!("{value} buffers"),
            Isa => format!("{value} lanes"),
            _ => value.into_owned(),
        }
    }
}

/// A row's values in all dimensions but some: what two measurements of the same thing share.
pub fn values(row: &Row, apart_from: &[Dimension]) -> Vec<String> {
    let kept = Dimension::ALL.into_iter().filter(|dimension| !apart_from.contains(dimension));
    kept.map(|dimension| dimension.value(row).into_owned()).collect()
}

/// The rows in groups that agree in all dimensions but those named; groups, and rows in them, stay
/// in the order in which they come.
pub fn groups<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    apart_from: &[Dimension],
) -> Vec<Vec<&'a Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    let mut known = HashMap::new();
    for row in rows {
        let index = *known.entry(values(row, apart_from)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(row);
    }
    groups
}

/// Those of the dimensions in which the rows are not all alike.
pub fn varying(rows: &[&Row], among: &[Dimension]) -> Vec<Dimension> {
    let differs = |dimension: &Dimension| {
        rows.iter().any(|row| dimension.value(row) != dimension.value(rows[0]))
    };
    among.iter().copied().filter(differs).collect()
}

/// A row's values in these dimensions as a line, such as `2 cores, bursts of 32`.
pub fn describe(row: &Row, dimensions: &[Dimension]) -> String {
    let phrases = dimensions.iter().map(|dimension| dimension.phrase(row));
    phrases.filter(|phrase| !phrase.is_empty()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::report::samples::{openssl, row};

    #[test]
    fn what_came_out_does_not_tell_rows_apart() {
        let one = row("native", 64, 100.0);
        let other = Row { kernel: "better".to_owned(), ..row("native", 64, 80.0) };
        assert_eq!(values(&one, &[]), values(&other, &[]));
        assert_ne!(values(&one, &[]), values(&row("native", 128, 100.0), &[]));
        let opened = [
            openssl("per-job", 64, 1.0),
            openssl("per-queue-pair", 64, 1.0),
            Row { queue_pairs: Some(1), ..openssl("per-job", 64, 1.0) },
            row("openssl", 64, 1.0),
            Row { without: Some("sha".to_owned()), ..row("openssl", 64, 1.0) },
            Row { options: Some("engines=2".to_owned()), ..row("openssl", 64, 1.0) },
        ];
        let different: HashSet<_> = opened.iter().map(|row| values(row, &[])).collect();
        assert_eq!(different.len(), opened.len());
    }

    #[test]
    fn groups_keep_their_order() {
        let rows = [
            row("native", 64, 1.0),
            openssl("per-job", 64, 2.0),
            row("native", 32, 3.0),
            openssl("per-job", 32, 4.0),
        ];
        let cycles = |groups: Vec<Vec<&Row>>| -> Vec<Vec<f64>> {
            let of =
                |group: Vec<&Row>| group.iter().filter_map(|row| row.cycles_per_buffer).collect();
            groups.into_iter().map(of).collect()
        };
        assert_eq!(cycles(groups(&rows, &[Provider, Opened])), [[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(cycles(groups(&rows, &[Load])), [[1.0, 3.0], [2.0, 4.0]]);
    }

    #[test]
    fn only_what_differs_is_told() {
        let two = Row { cores: 2, ..row("native", 64, 1.0) };
        let one = row("native", 64, 1.0);
        assert_eq!(varying(&[&one, &two], &[Burst, Cores, Cache]), [Cores]);
        assert_eq!(varying(&[], &Dimension::ALL), []);
        assert_eq!(describe(&two, &[Cores, Call, Burst]), "2 cores, bursts of 32");
        assert_eq!(describe(&one, &[Cores, Cache]), "1 core, warm buffers");
    }
}
