//! Work, broken down by one of the values that tell series apart.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::change::{Change, Flow, Work};
use crate::{Key, SizeClass};

/// What work is broken down by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// The name of the algorithm.
    Algorithm,
    /// What is done: `encrypt`, `verify` and so on.
    Direction,
    /// The provider.
    Provider,
    /// The instruction set or library whose kernel does the work.
    Kernel,
    /// The core on which the queue last ran.
    Core,
    /// The queue: a queue pair, a worker or a processor.
    Queue,
    /// The class of the buffer's length.
    Size,
    /// What the application called the session.
    Label,
}

impl Dimension {
    /// All, in the order in which they are offered.
    pub const ALL: [Dimension; 8] = [
        Dimension::Algorithm,
        Dimension::Direction,
        Dimension::Provider,
        Dimension::Kernel,
        Dimension::Core,
        Dimension::Queue,
        Dimension::Size,
        Dimension::Label,
    ];

    /// Returns the name, one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Algorithm => "algorithm",
            Dimension::Direction => "direction",
            Dimension::Provider => "provider",
            Dimension::Kernel => "kernel",
            Dimension::Core => "core",
            Dimension::Queue => "queue",
            Dimension::Size => "size",
            Dimension::Label => "label",
        }
    }

    /// Returns the value that a series has, as it is shown: its key, and the core of its queue.
    /// A value that is not known is `-`.
    #[must_use]
    pub fn value(self, key: &Key, core: Option<u32>) -> String {
        let known = |text: &String| if text.is_empty() { "-".to_owned() } else { text.clone() };
        match self {
            Dimension::Algorithm => known(&key.algorithm),
            Dimension::Direction => known(&key.direction),
            Dimension::Provider => known(&key.provider),
            Dimension::Kernel => known(&key.kernel),
            Dimension::Core => core.map_or("-".to_owned(), |core| core.to_string()),
            Dimension::Queue => known(&key.queue),
            Dimension::Size => key.size.to_string(),
            Dimension::Label => known(&key.label),
        }
    }

    /// Returns `true` if queues have this value, so that they can be broken down by it.
    #[must_use]
    pub fn is_of_queues(self) -> bool {
        matches!(self, Dimension::Core | Dimension::Queue)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dimension {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = Dimension::ALL;
        all.into_iter().find(|dimension| dimension.name() == text).ok_or_else(|| {
            let names = all.map(Dimension::name).join(", ");
            format!("work is broken down by one of {names}")
        })
    }
}

/// Shows the longest length of the class: `64`, `1K`, `1M`, and `>1M` for those above 1 MiB.
impl fmt::Display for SizeClass {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            u64::MAX => f.pad(">1M"),
            bytes if bytes >= 1 << 20 => f.pad(&format!("{}M", bytes >> 20)),
            bytes if bytes >= 1 << 10 => f.pad(&format!("{}K", bytes >> 10)),
            bytes => f.pad(&bytes.to_string()),
        }
    }
}

/// Lets through the series that have one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Which value is looked at.
    pub dimension: Dimension,
    /// The value, as [`Dimension::value`] shows it.
    pub value: String,
}

impl Filter {
    /// Makes a filter.
    #[must_use]
    pub fn new(dimension: Dimension, value: impl Into<String>) -> Self {
        Filter { dimension, value: value.into() }
    }

    /// Returns `true` if the filter lets a series through.
    #[must_use]
    pub fn admits(&self, key: &Key, core: Option<u32>) -> bool {
        self.dimension.value(key, core) == self.value
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.dimension, self.value)
    }
}

/// Reads `DIMENSION=VALUE`.
impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (dimension, value) =
            text.split_once('=').ok_or("a filter is KEY=VALUE, such as algorithm=sha256")?;
        Ok(Filter::new(dimension.parse()?, value))
    }
}

/// One row of a breakdown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The value that the row stands for.
    pub value: String,
    /// The work that was done.
    pub work: Work,
    /// The queues that did it. They count batches as a whole.
    pub flow: Flow,
}

/// Breaks down the work that all filters let through. The rows are sorted by their values; those of
/// sizes and cores by number.
#[must_use]
pub fn breakdown(change: &Change, dimension: Dimension, filters: &[Filter]) -> Vec<Row> {
    let mut rows: BTreeMap<(u64, String), Work> = BTreeMap::new();
    for series in change.matching(filters) {
        let core = change.core(&series.key.queue);
        let number = match dimension {
            Dimension::Size => series.key.size.0,
            Dimension::Core => core.map_or(u64::MAX, u64::from),
            _ => 0,
        };
        let value = dimension.value(&series.key, core);
        rows.entry((number, value)).or_default().add(series);
    }
    let row = |((_, value), work): ((u64, String), Work)| {
        let mut inside = filters.to_vec();
        inside.push(Filter::new(dimension, value.clone()));
        Row { flow: change.flow(&inside), value, work }
    };
    rows.into_iter().map(row).collect()
}
