//! The table of a breakdown: its columns, its rows, and their order.

use std::cmp::Ordering;

use broadloom_metrics::breakdown::{Dimension, Filter, Row, breakdown};
use broadloom_metrics::change::Change;

use super::figures;

/// A column behind the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Operations,
    Bytes,
    Share,
    Errors,
    Fallbacks,
    Waiting,
    Occupancy,
    Wait,
    Work,
}

impl Column {
    /// Returns the columns for a breakdown. Queues, and the cores that they run on, have figures of
    /// their own.
    pub fn of(dimension: Dimension) -> &'static [Column] {
        use Column::{Bytes, Errors, Fallbacks, Occupancy, Operations, Share, Wait, Waiting, Work};
        match dimension.is_of_queues() {
            true => &[Operations, Bytes, Errors, Waiting, Occupancy, Wait, Work],
            false => &[Operations, Bytes, Share, Errors, Fallbacks],
        }
    }

    /// Returns the title.
    pub fn title(self) -> &'static str {
        match self {
            Column::Operations => "ops/s",
            Column::Bytes => "bytes/s",
            Column::Share => "share",
            Column::Errors => "errors/s",
            Column::Fallbacks => "fallback/s",
            Column::Waiting => "waiting",
            Column::Occupancy => "lanes",
            Column::Wait => "wait p99",
            Column::Work => "work p99",
        }
    }

    /// Returns the figure of a row. Returns `None` if it is not known.
    fn figure(self, row: &Row, change: &Change, total: u64) -> Option<f64> {
        match self {
            Column::Operations => Some(change.per_second(row.work.operations)),
            Column::Bytes => Some(change.per_second(row.work.bytes)),
            Column::Share => (total > 0).then(|| row.work.operations as f64 / total as f64),
            Column::Errors => Some(change.per_second(row.work.errors)),
            Column::Fallbacks => Some(change.per_second(row.work.fallbacks)),
            Column::Waiting => Some(row.flow.waiting as f64),
            Column::Occupancy => row.flow.occupancy(),
            Column::Wait => row.flow.wait_seconds.percentile(0.99),
            Column::Work => row.flow.work_seconds.percentile(0.99),
        }
    }

    /// Writes a figure.
    pub fn text(self, figure: Option<f64>) -> String {
        let Some(figure) = figure else { return "-".to_owned() };
        match self {
            Column::Bytes => figures::bytes(figure),
            Column::Share | Column::Occupancy => figures::percent(figure),
            Column::Wait | Column::Work => figures::seconds(figure),
            _ => figures::number(figure),
        }
    }
}

/// What rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// The column. `None` stands for the value itself.
    pub column: Option<Column>,
    /// The smallest comes first.
    pub ascending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Sort { column: Some(Column::Operations), ascending: false }
    }
}

impl Sort {
    /// Moves to the next column of these.
    pub fn next(&mut self, columns: &[Column]) {
        let at = columns.iter().position(|&column| Some(column) == self.column);
        self.column = columns.get(at.map_or(0, |at| at + 1)).copied();
        self.ascending = self.column.is_none();
    }
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The value that the row stands for.
    pub value: String,
    /// Figures, one for each column.
    pub figures: Vec<Option<f64>>,
}

/// Makes the lines of a breakdown, in order.
pub fn lines(change: &Change, dimension: Dimension, filters: &[Filter], sort: Sort) -> Vec<Line> {
    let columns = Column::of(dimension);
    let total = change.work(filters).operations;
    let rows = breakdown(change, dimension, filters);
    let line = |row: Row| Line {
        figures: columns.iter().map(|column| column.figure(&row, change, total)).collect(),
        value: row.value,
    };
    let mut lines: Vec<Line> = rows.into_iter().map(line).collect();
    let sorted = sort.column.and_then(|sort| columns.iter().position(|&column| column == sort));
    let order = |one: &Line, other: &Line| match sorted {
        Some(at) => one.figures[at].partial_cmp(&other.figures[at]).unwrap_or(Ordering::Equal),
        // The rows come in the order of their values.
        None => Ordering::Equal,
    };
    match (sort.ascending, sorted.is_some()) {
        (true, _) => lines.sort_by(order),
        (false, true) => lines.sort_by(|one, other| order(other, one)),
        (false, false) => lines.reverse(),
    }
    lines
}
