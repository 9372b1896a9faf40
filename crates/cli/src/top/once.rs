//! The figures of one interval, as text and as JSON.

use broadloom_metrics::breakdown::{Dimension, Filter};
use broadloom_metrics::change::{Change, Flow};
use broadloom_metrics::{Histogram, Snapshot};
use broadloom_program::quote::visible;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::figures::{bytes, clock, number, percent, seconds, waiting};
use super::table::{self, Column, Line, Sort};

/// What `--once` prints.
pub struct Report<'a> {
    pub snapshot: &'a Snapshot,
    pub change: &'a Change,
    pub dimension: Dimension,
    pub filters: &'a [Filter],
}

impl Report<'_> {
    fn lines(&self) -> Vec<Line> {
        table::lines(self.change, self.dimension, self.filters, Sort::default())
    }

    /// Writes the figures for people, at most so many columns wide.
    pub fn text(&self, columns: u16) -> String {
        let (snapshot, change) = (self.snapshot, self.change);
        let (work, flow) = (change.work(self.filters), change.flow(self.filters));
        let rate = |number: u64| change.per_second(number);
        let (name, pid, up) = (visible(&snapshot.program), snapshot.pid, clock(snapshot.uptime));
        let mut text = format!("{name}, process {pid}, up {up}, in {:.1} s\n", change.seconds);
        let mut add = |label: &str, figure: String| {
            text += &format!("{label:<22}{figure}\n");
        };
        add("operations a second", number(rate(work.operations)));
        add("bytes a second", bytes(rate(work.bytes)));
        add("errors a second", number(rate(work.errors)));
        add("fallbacks a second", number(rate(work.fallbacks)));
        add("lanes in use", flow.occupancy().map_or("-".to_owned(), percent));
        add("jobs waiting", waiting(&flow));
        add("wait p50 p90 p99", percentiles(&flow.wait_seconds, seconds));
        add("work p50 p90 p99", percentiles(&flow.work_seconds, seconds));
        add("batch p50 p90 p99", percentiles(&flow.batch_size, number));
        for filter in self.filters {
            add("only", visible(&filter.to_string()).into_owned());
        }
        format!("{text}\n{}\n", self.table(columns))
    }

    fn table(&self, width: u16) -> Table {
        let columns = Column::of(self.dimension);
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width);
        let titles = columns.iter().map(|column| column.title());
        table.set_header([self.dimension.name()].into_iter().chain(titles));
        for line in self.lines() {
            let figures = columns.iter().zip(&line.figures);
            let figures = figures.map(|(column, &figure)| column.text(figure));
            table.add_row([visible(&line.value).into_owned()].into_iter().chain(figures));
        }
        // Two blanks between columns, and none at the ends of a line.
        for (place, column) in table.column_iter_mut().enumerate() {
            let is_first = place == 0;
            column.set_padding(if is_first { (0, 1) } else { (1, 0) });
            if !is_first {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    /// Writes the figures for programs.
    pub fn json(&self) -> Value {
        let (snapshot, change) = (self.snapshot, self.change);
        let rows: Vec<Value> = self.rows();
        let work = change.work(self.filters);
        let mut all = json!({
            "schema": "broadloom-top/1",
            "program": snapshot.program,
            "pid": snapshot.pid,
            "time": snapshot.time,
            "uptime": snapshot.uptime,
            "seconds": change.seconds,
            "only": self.filters.iter()
                .map(|filter| json!({ "key": filter.dimension.name(), "value": filter.value }))
                .collect::<Vec<_>>(),
            "by": self.dimension.name(),
            "rows": rows,
        });
        let sums = sums(change, &work, &change.flow(self.filters));
        let all_map = all.as_object_mut().expect("it is an object");
        all_map.extend(sums.as_object().expect("it is an object").clone());
        all
    }

    fn rows(&self) -> Vec<Value> {
        let rows =
            broadloom_metrics::breakdown::breakdown(self.change, self.dimension, self.filters);
        let row = |row: &broadloom_metrics::breakdown::Row| {
            let mut value = sums(self.change, &row.work, &row.flow);
            value["value"] = row.value.clone().into();
            value
        };
        rows.iter().map(row).collect()
    }
}

/// The figures of an interval.
fn sums(change: &Change, work: &broadloom_metrics::change::Work, flow: &Flow) -> Value {
    json!({
        "operations_per_second": change.per_second(work.operations),
        "bytes_per_second": change.per_second(work.bytes),
        "errors_per_second": change.per_second(work.errors),
        "fallbacks_per_second": change.per_second(work.fallbacks),
        "batches_per_second": change.per_second(flow.batches),
        "occupancy": flow.occupancy(),
        "queues": flow.queues,
        "waiting": flow.waiting,
        "session_bytes": flow.session_bytes,
        "batch_size": summary(&flow.batch_size),
        "wait_seconds": summary(&flow.wait_seconds),
        "work_seconds": summary(&flow.work_seconds),
    })
}

fn summary(histogram: &Histogram) -> Value {
    json!({
        "count": histogram.count,
        "mean": histogram.mean(),
        "p50": histogram.percentile(0.5),
        "p90": histogram.percentile(0.9),
        "p99": histogram.percentile(0.99),
        "max": histogram.percentile(1.0),
    })
}

fn percentiles(histogram: &Histogram, text: fn(f64) -> String) -> String {
    let at = |share| histogram.percentile(share).map_or("-".to_owned(), text);
    [0.5, 0.9, 0.99].map(at).join("  ")
}
