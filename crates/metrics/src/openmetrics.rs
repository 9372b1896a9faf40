//! Snapshots as text for Prometheus, in either of its two formats.
//!
//! The crate `prometheus-client` writes OpenMetrics alone. `promtool check metrics` and servers
//! that ask for nothing else take the older text format, in which the type of a counter is declared
//! under another name. So both are written here, from one list of metrics.

use std::fmt::Write;

use crate::snapshot::{Histogram, Key, Queue, QueueKind, Series, SizeClass, Snapshot};

/// The content type of [`Snapshot::to_openmetrics`], for HTTP.
pub const OPENMETRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The content type of [`Snapshot::to_prometheus`], for HTTP.
pub const PROMETHEUS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Ends of buckets of times, in nanoseconds: powers of two from 1 µs to 17 s.
const TIMES: std::ops::RangeInclusive<u32> = 10..=34;
/// Ends of buckets of numbers of jobs: powers of two up to 4096.
const JOBS: std::ops::RangeInclusive<u32> = 0..=12;
/// Nanoseconds of a second.
const NANOSECONDS: f64 = 1e9;

impl Snapshot {
    /// Returns the snapshot in the text format of [OpenMetrics 1.0].
    ///
    /// [OpenMetrics 1.0]: https://prometheus.io/docs/specs/om/open_metrics_spec/
    pub fn to_openmetrics(&self) -> String {
        let mut text = self.write(Format::OpenMetrics);
        text.push_str("# EOF\n");
        text
    }

    /// Returns the snapshot in version 0.0.4 of [Prometheus' text format], which older servers and
    /// `promtool check metrics` read.
    ///
    /// [Prometheus' text format]: https://prometheus.io/docs/instrumenting/exposition_formats/
    pub fn to_prometheus(&self) -> String {
        self.write(Format::Prometheus)
    }

    fn write(&self, format: Format) -> String {
        // A line of a series with its labels has some 170 bytes.
        let text = String::with_capacity(400 * self.series.len() + 20_000 * self.queues.len());
        let mut writer = Writer { text, format };
        writer.write_program(self);
        writer.write_series(&self.series);
        writer.write_queues(&self.queues);
        writer.text
    }
}

/// Which text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    OpenMetrics,
    Prometheus,
}

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Counter,
    Gauge,
    Histogram,
}

/// Labels and their values.
type Labels<'l> = &'l [(&'l str, &'l str)];

/// Text that is being written.
struct Writer {
    text: String,
    format: Format,
}

impl Writer {
    /// Begins a metric. `unit` is the end of its name, or empty.
    fn begin(&mut self, name: &str, unit: &str, kind: Type, help: &str) {
        let (kind_name, ending) = match kind {
            Type::Counter => ("counter", "_total"),
            Type::Gauge => ("gauge", ""),
            Type::Histogram => ("histogram", ""),
        };
        // OpenMetrics names the family, without the ending of its samples.
        let ending = if self.format == Format::Prometheus { ending } else { "" };
        let text = &mut self.text;
        // A string takes whatever is written to it.
        let _ = writeln!(text, "# HELP broadloom_{name}{ending} {help}");
        let _ = writeln!(text, "# TYPE broadloom_{name}{ending} {kind_name}");
        if self.format == Format::OpenMetrics && !unit.is_empty() {
            let _ = writeln!(text, "# UNIT broadloom_{name} {unit}");
        }
    }

    /// Writes one sample.
    fn sample(&mut self, name: &str, ending: &str, labels: Labels<'_>, value: impl Into<Value>) {
        let text = &mut self.text;
        let _ = write!(text, "broadloom_{name}{ending}");
        for (place, (label, value)) in labels.iter().enumerate() {
            text.push(if place == 0 { '{' } else { ',' });
            let _ = write!(text, "{label}=\"");
            escape(value, text);
            text.push('"');
        }
        if !labels.is_empty() {
            text.push('}');
        }
        let _ = match value.into() {
            Value::Whole(value) => writeln!(text, " {value}"),
            Value::Real(value) => writeln!(text, " {value:?}"),
        };
    }

    fn write_program(&mut self, snapshot: &Snapshot) {
        let name = "uptime_seconds";
        self.begin(name, "seconds", Type::Gauge, "Time since the program began to count.");
        self.sample(name, "", &[], snapshot.uptime);
    }

    fn write_series(&mut self, series: &[Series]) {
        let name = "operations";
        self.begin(name, "", Type::Counter, "Completed operations, failed ones included.");
        for one in series {
            with_labels(&one.key, &[], |labels| {
                self.sample(name, "_total", labels, one.operations);
            });
        }
        let name = "processed_bytes";
        let help = "Bytes of the buffers of completed operations.";
        self.begin(name, "bytes", Type::Counter, help);
        for one in series {
            with_labels(&one.key, &[], |labels| self.sample(name, "_total", labels, one.bytes));
        }
        let name = "errors";
        self.begin(name, "", Type::Counter, "Failed operations, by the kind of their error.");
        for one in series {
            for (kind, count) in &one.errors {
                with_labels(&one.key, &[("error", kind)], |labels| {
                    self.sample(name, "_total", labels, *count);
                });
            }
        }
        let name = "fallbacks";
        let help = "Operations that another session did in place of their own, by the reason.";
        self.begin(name, "", Type::Counter, help);
        for one in series {
            for (reason, count) in &one.fallbacks {
                with_labels(&one.key, &[("reason", reason)], |labels| {
                    self.sample(name, "_total", labels, *count);
                });
            }
        }
    }

    fn write_queues(&mut self, queues: &[Queue]) {
        let name = "queue_info";
        let help = "What a queue is: a processor, a queue pair, a worker, or all that have ended.";
        self.begin(name, "", Type::Gauge, help);
        for queue in queues {
            let labels = [("queue", queue.name.as_str()), ("type", kind(queue.kind))];
            self.sample(name, "", &labels, 1);
        }
        self.gauge(queues, "queue_core", "", "Core on which the queue last ran.", |queue| {
            queue.core.map(u64::from)
        });
        let help = "Jobs that were accepted and have not been given back.";
        self.gauge(queues, "queue_waiting_jobs", "jobs", help, |queue| Some(queue.waiting));
        let help = "Memory of the open sessions of the series that the queue has met.";
        self.gauge(queues, "queue_session_bytes", "bytes", help, |queue| Some(queue.session_bytes));
        let name = "queue_batches";
        self.begin(name, "", Type::Counter, "Batches, by what ended them.");
        for queue in queues {
            for (cause, count) in &queue.batches {
                let labels = [("queue", queue.name.as_str()), ("cause", cause)];
                self.sample(name, "_total", &labels, *count);
            }
        }
        for (name, help, value) in [
            (
                "queue_lane_steps",
                "Steps of lanes that there were.",
                (|queue| queue.lanes_offered) as fn(&Queue) -> u64,
            ),
            ("queue_lane_steps_used", "Steps of lanes that did work.", |queue| queue.lanes_used),
        ] {
            self.begin(name, "", Type::Counter, help);
            for queue in queues {
                self.sample(name, "_total", &[("queue", &queue.name)], value(queue));
            }
        }
        let help = "Jobs in a batch.";
        self.histogram(queues, "queue_batch_jobs", "jobs", help, JOBS, 1.0, |queue| {
            &queue.batch_size
        });
        let help = "Time that the first job of a batch waited. A sample of the batches is timed.";
        let name = "queue_wait_seconds";
        self.histogram(queues, name, "seconds", help, TIMES, NANOSECONDS, |queue| {
            &queue.wait_seconds
        });
        let help = "Time that processing a batch took. A sample of the batches is timed.";
        let name = "queue_work_seconds";
        self.histogram(queues, name, "seconds", help, TIMES, NANOSECONDS, |queue| {
            &queue.work_seconds
        });
    }

    fn gauge(
        &mut self,
        queues: &[Queue],
        name: &str,
        unit: &str,
        help: &str,
        value: impl Fn(&Queue) -> Option<u64>,
    ) {
        self.begin(name, unit, Type::Gauge, help);
        for queue in queues {
            if let Some(value) = value(queue) {
                self.sample(name, "", &[("queue", &queue.name)], value);
            }
        }
    }

    /// Writes a histogram of each queue. Its buckets end at powers of two, of which `per_unit` are
    /// one of the unit in which the values are: always the same, since a server compares them over
    /// time.
    #[expect(clippy::too_many_arguments, reason = "they describe one metric")]
    fn histogram(
        &mut self,
        queues: &[Queue],
        name: &str,
        unit: &str,
        help: &str,
        exponents: std::ops::RangeInclusive<u32>,
        per_unit: f64,
        histogram: impl Fn(&Queue) -> &Histogram,
    ) {
        self.begin(name, unit, Type::Histogram, help);
        for queue in queues {
            let Histogram { sum, buckets, .. } = histogram(queue);
            let mut buckets = buckets.iter().peekable();
            let mut count = 0;
            for exponent in exponents.clone() {
                let end = (1_u64 << exponent) as f64 / per_unit;
                // The ends of the snapshot's buckets were multiplied instead of divided.
                let reaches = end * (1.0 + 1e-9);
                while let Some(bucket) = buckets.next_if(|bucket| bucket.upper <= reaches) {
                    count += bucket.count;
                }
                let labels = [("queue", queue.name.as_str()), ("le", &format!("{end:?}"))];
                self.sample(name, "_bucket", &labels, count);
            }
            count += buckets.map(|bucket| bucket.count).sum::<u64>();
            let labels = [("queue", queue.name.as_str()), ("le", "+Inf")];
            self.sample(name, "_bucket", &labels, count);
            self.sample(name, "_sum", &[("queue", &queue.name)], *sum);
            self.sample(name, "_count", &[("queue", &queue.name)], count);
        }
    }
}

/// A value of a sample.
enum Value {
    Whole(u64),
    Real(f64),
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Whole(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Real(value)
    }
}

fn kind(kind: QueueKind) -> &'static str {
    match kind {
        QueueKind::Processor => "processor",
        QueueKind::QueuePair => "queue-pair",
        QueueKind::Worker => "worker",
        QueueKind::Ended => "ended",
    }
}

/// Passes on the labels of a series. Those that are empty are left out, since an empty label is
/// none.
fn with_labels(key: &Key, more: Labels<'_>, write: impl FnOnce(Labels<'_>)) {
    let Key { algorithm, direction, provider, kernel, queue, size, label } = key;
    let size = match *size {
        SizeClass(u64::MAX) => "more".to_owned(),
        SizeClass(longest) => longest.to_string(),
    };
    let all = [
        ("algorithm", algorithm.as_str()),
        ("direction", direction),
        ("provider", provider),
        ("kernel", kernel),
        ("queue", queue),
        ("size", &size),
        ("label", label),
    ];
    let given = all.into_iter().filter(|(_, value)| !value.is_empty());
    let labels: Vec<_> = given.chain(more.iter().copied()).collect();
    write(&labels);
}

/// Writes the value of a label, in which three characters are escaped.
fn escape(value: &str, text: &mut String) {
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}
