//! The instruments: their names, units and values.

use std::collections::BTreeMap;
use std::sync::Arc;

use broadloom_metrics::{Histogram, Queue, Series, Snapshot};
use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;

use crate::attributes::{of_queue, of_series, with};
use crate::shared::Shared;

/// Values of an instrument, each with its attributes.
type Values<T> = Vec<(T, Vec<KeyValue>)>;

/// Makes the instruments, which a reader of the meter's provider collects from then on, and has
/// every queue count. A program calls this once: a second call would have each value twice.
///
/// ```
/// use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
/// use opentelemetry::metrics::MeterProvider;
///
/// let exporter = InMemoryMetricExporter::default();
/// let reader = PeriodicReader::builder(exporter.clone()).build();
/// let provider = SdkMeterProvider::builder().with_reader(reader).build();
/// broadloom_opentelemetry::observe(&provider.meter("broadloom"));
/// provider.force_flush()?;
/// assert_eq!(exporter.get_finished_metrics()?.len(), 1);
/// # Ok::<(), opentelemetry_sdk::error::OTelSdkError>(())
/// ```
pub fn observe(meter: &Meter) {
    broadloom_metrics::start();
    let mut instruments = Instruments { meter, shared: Arc::default(), number: 0 };
    instruments.observe_series();
    instruments.observe_queues();
    instruments.gauge("broadloom.uptime", "s", "Time since the program began to count.", |now| {
        vec![(now.uptime, Vec::new())]
    });
}

/// Instruments while they are made.
struct Instruments<'m> {
    meter: &'m Meter,
    shared: Arc<Shared>,
    /// How many there are.
    number: u32,
}

impl Instruments<'_> {
    /// Returns what reads the values of the next instrument.
    fn values<T>(
        &mut self,
        values: impl Fn(&Snapshot) -> Values<T> + Send + Sync + 'static,
    ) -> impl Fn() -> Values<T> + Send + Sync + 'static {
        let (shared, number) = (Arc::clone(&self.shared), self.number);
        self.number += 1;
        move || values(&shared.for_instrument(number))
    }

    fn counter(
        &mut self,
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        values: impl Fn(&Snapshot) -> Values<u64> + Send + Sync + 'static,
    ) {
        let values = self.values(values);
        let builder = self.meter.u64_observable_counter(name).with_unit(unit);
        let builder = builder.with_description(description).with_callback(move |instrument| {
            values().iter().for_each(|(value, own)| instrument.observe(*value, own));
        });
        builder.build();
    }

    fn counter_of_time(
        &mut self,
        name: &'static str,
        description: &'static str,
        values: impl Fn(&Snapshot) -> Values<f64> + Send + Sync + 'static,
    ) {
        let values = self.values(values);
        let builder = self.meter.f64_observable_counter(name).with_unit("s");
        let builder = builder.with_description(description).with_callback(move |instrument| {
            values().iter().for_each(|(value, own)| instrument.observe(*value, own));
        });
        builder.build();
    }

    fn gauge(
        &mut self,
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        values: impl Fn(&Snapshot) -> Values<f64> + Send + Sync + 'static,
    ) {
        let values = self.values(values);
        let builder = self.meter.f64_observable_gauge(name).with_unit(unit);
        let builder = builder.with_description(description).with_callback(move |instrument| {
            values().iter().for_each(|(value, own)| instrument.observe(*value, own));
        });
        builder.build();
    }

    fn observe_series(&mut self) {
        let description = "Completed operations, failed ones included.";
        self.counter("broadloom.operations", "{operation}", description, |now| {
            each_series(now, |series| series.operations)
        });
        let description = "Bytes of the buffers of completed operations.";
        self.counter("broadloom.processed", "By", description, |now| {
            each_series(now, |series| series.bytes)
        });
        let description = "Failed operations, by the kind of their error.";
        self.counter("broadloom.errors", "{operation}", description, |now| {
            each_kind(now, "error.type", |series| &series.errors)
        });
        let description = "Operations that ran on a fallback session, by reason.";
        self.counter("broadloom.fallbacks", "{operation}", description, |now| {
            each_kind(now, "reason", |series| &series.fallbacks)
        });
    }

    fn observe_queues(&mut self) {
        let description = "Core on which the queue last ran.";
        self.gauge("broadloom.queue.core", "", description, |now| {
            let known = now.queues.iter().filter_map(|queue| Some((queue, queue.core?)));
            known.map(|(queue, core)| (f64::from(core), of_queue(&queue.name))).collect()
        });
        let description = "Jobs that were accepted and have not been given back.";
        self.gauge("broadloom.queue.waiting_jobs", "{job}", description, |now| {
            each_queue(now, |queue| queue.waiting as f64)
        });
        let description = "Memory of the open sessions of the series that the queue has met.";
        self.gauge("broadloom.queue.session", "By", description, |now| {
            each_queue(now, |queue| queue.session_bytes as f64)
        });
        let description = "Batches, by what ended them.";
        self.counter("broadloom.queue.batches", "{batch}", description, |now| {
            let of_queue = |queue: &Queue| {
                let own = of_queue(&queue.name);
                let one =
                    |(cause, count): (&String, &u64)| (*count, with(own.clone(), "cause", cause));
                queue.batches.iter().map(one).collect::<Vec<_>>()
            };
            now.queues.iter().flat_map(of_queue).collect()
        });
        let description = "Steps that lanes took, with or without a buffer.";
        self.counter("broadloom.queue.lane_steps", "{step}", description, |now| {
            each_queue(now, |queue| queue.lanes_offered)
        });
        let description = "Steps in which a lane advanced a buffer.";
        self.counter("broadloom.queue.lane_steps_used", "{step}", description, |now| {
            each_queue(now, |queue| queue.lanes_used)
        });
        let description = "Jobs in all batches.";
        self.counter("broadloom.queue.batch_jobs", "{job}", description, |now| {
            each_queue(now, |queue| queue.batch_size.sum as u64)
        });
        self.observe_time(
            ["broadloom.queue.wait", "broadloom.queue.wait_batches"],
            "Time that the first jobs of the timed batches waited.",
            |queue| &queue.wait_seconds,
        );
        self.observe_time(
            ["broadloom.queue.work", "broadloom.queue.work_batches"],
            "Time that processing the timed batches took.",
            |queue| &queue.work_seconds,
        );
    }

    /// Makes two instruments: the sum of times, and the number of batches that it is of.
    fn observe_time(
        &mut self,
        [sum, count]: [&'static str; 2],
        description: &'static str,
        times: fn(&Queue) -> &Histogram,
    ) {
        self.counter_of_time(sum, description, move |now| {
            each_queue(now, |queue| times(queue).sum)
        });
        let description = "Batches that were timed.";
        self.counter(count, "{batch}", description, move |now| {
            each_queue(now, |queue| times(queue).count)
        });
    }
}

fn each_series(now: &Snapshot, value: impl Fn(&Series) -> u64) -> Values<u64> {
    now.series.iter().map(|series| (value(series), of_series(&series.key))).collect()
}

/// Returns a value for each kind that a series has.
fn each_kind(
    now: &Snapshot,
    name: &'static str,
    kinds: fn(&Series) -> &BTreeMap<String, u64>,
) -> Values<u64> {
    let of_series = |series: &Series| {
        let one =
            |(kind, count): (&String, &u64)| (*count, with(of_series(&series.key), name, kind));
        kinds(series).iter().map(one).collect::<Vec<_>>()
    };
    now.series.iter().flat_map(of_series).collect()
}

fn each_queue<T>(now: &Snapshot, value: impl Fn(&Queue) -> T) -> Values<T> {
    now.queues.iter().map(|queue| (value(queue), of_queue(&queue.name))).collect()
}
