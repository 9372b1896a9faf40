//! What tells the rows of a topic apart.

use std::borrow::Cow;

use crate::report::pass::Pass;
use crate::report::row::Row;

/// A column that says what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Algorithm and direction.
    Operation,
    /// The provider.
    Provider,
    /// Whether it went through the framework or a library alone.
    Call,
    /// Bytes of a chunk.
    Chunk,
    /// Bytes of a request that is no chunk of an input.
    Size,
    /// Threads.
    Threads,
    /// Jobs outstanding for each.
    Outstanding,
    /// Jobs handed over in one call.
    Burst,
    /// When the doorbell is rung.
    Doorbell,
    /// How data get to the device.
    Transfer,
    /// How responses are waited for.
    Poll,
    /// Who polls.
    Poller,
    /// Where the device is.
    Numa,
}

use Key::*;

impl Key {
    /// All of them, in the order of columns.
    pub const ALL: [Key; 13] = [
        Operation,
        Provider,
        Call,
        Chunk,
        Size,
        Threads,
        Outstanding,
        Burst,
        Doorbell,
        Transfer,
        Poll,
        Poller,
        Numa,
    ];

    /// A column's title.
    pub const fn title(self) -> &'static str {
        match self {
            Operation => "operation",
            Provider => "provider",
            Call => "through",
            Chunk => "chunk",
            Size => "bytes",
            Threads => "threads",
            Outstanding => "outstanding",
            Burst => "batch",
            Doorbell => "doorbell",
            Transfer => "data",
            Poll => "waits",
            Poller => "polls",
            Numa => "device is",
        }
    }

    /// The value that a row has; empty where it has none.
    pub fn value<'r>(self, row: &'r Row, pass: &'r Pass) -> Cow<'r, str> {
        let text = |text: &'r Option<String>| Cow::from(text.as_deref().unwrap_or_default());
        let every = || pass.poll_us.map_or(String::new(), |us| format!(" {us} µs"));
        match self {
            Operation => row.operation().into(),
            Provider => row.provider.as_str().into(),
            Call => row.call.as_deref().unwrap_or("the library alone").into(),
            Chunk => pass.chunk.map_or(String::new(), bytes).into(),
            Size if pass.chunk.is_some() => "".into(),
            Size => row.size.map_or(String::new(), |size| size.to_string()).into(),
            Threads => pass.threads.to_string().into(),
            Outstanding => row.outstanding.map_or(String::new(), |count| count.to_string()).into(),
            Burst => row.burst.to_string().into(),
            Doorbell => text(&pass.doorbell),
            Transfer => text(&pass.transfer),
            Poll => match pass.poll.as_deref() {
                Some("yield") => "yielding".into(),
                Some("spin") => "spinning".into(),
                Some("interrupt") => "interrupts".into(),
                Some("every") => format!("sleeping{}", every()).into(),
                _ => text(&pass.poll),
            },
            Poller => match pass.poller.as_deref() {
                Some("separate") => format!("separate,{}", every()).into(),
                _ => text(&pass.poller),
            },
            Numa => text(&pass.numa),
        }
    }
}

/// Bytes in the largest unit that leaves no rest.
pub fn bytes(count: usize) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = units.into_iter().find(|(shift, _)| count > 0 && count.trailing_zeros() >= *shift);
    whole.map_or_else(|| format!("{count} B"), |(shift, unit)| format!("{} {unit}", count >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn values_are_those_of_the_row() {
        let row = Row { pass: Some(samples::full_pass()), ..samples::row("emulated", 65536, 1.0) };
        let pass = row.pass.as_ref().unwrap();
        let values = Key::ALL.map(|key| key.value(&row, pass).into_owned());
        assert_eq!(values[1..4], ["emulated", "the library alone", "64 KiB"]);
        assert_eq!(values[8..], ["each", "copy", "sleeping 50 µs", "inline", "local"]);
    }

    #[test]
    fn bytes_have_the_unit_that_fits() {
        assert_eq!(
            [64, 65536, 3 << 20, 100_000, 0].map(bytes),
            ["64 B", "64 KiB", "3 MiB", "100000 B", "0 B"]
        );
    }
}
