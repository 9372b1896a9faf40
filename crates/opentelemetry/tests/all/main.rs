//! The instruments, collected by OpenTelemetry's own SDK.

use std::collections::BTreeSet;

use broadloom_engine::{
    HashAlgorithm, Job, MacAlgorithm, Processor, QueueConfig, QueuePair, Registry, Session,
    Transform,
};
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};

/// A program's provider of meters, which exports to memory.
struct Exported {
    provider: SdkMeterProvider,
    exporter: InMemoryMetricExporter,
}

/// A value that was exported: attributes as `name=value`, and what was counted.
type Point = (BTreeSet<String>, f64);

impl Exported {
    fn new() -> Exported {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone()).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).build();
        broadloom_opentelemetry::observe(&provider.meter("broadloom"));
        Exported { provider, exporter }
    }

    /// Collects once, and returns what `read` reads from each metric.
    fn collect<T>(&self, read: impl Fn(&Metric) -> T) -> Vec<T> {
        self.exporter.reset();
        self.provider.force_flush().expect("it collects");
        let all = self.exporter.get_finished_metrics().expect("it has exported");
        assert_eq!(all.len(), 1, "one collection");
        let scopes = all.iter().flat_map(|all| all.scope_metrics());
        scopes.flat_map(|scope| scope.metrics()).map(read).collect()
    }

    /// Collects once, and returns the values of a metric that have an attribute.
    fn points(&self, name: &str, attribute: &str) -> Vec<Point> {
        let found = self.collect(|metric| (metric.name() == name).then(|| points(metric)));
        let all = found.into_iter().flatten().flatten();
        all.filter(|(attributes, _)| attributes.contains(attribute)).collect()
    }
}

fn points(metric: &Metric) -> Vec<Point> {
    macro_rules! read {
        ($points:expr) => {
            $points
                .map(|point| {
                    let own = point.attributes().map(|one| format!("{}={}", one.key, one.value));
                    (own.collect(), point.value() as f64)
                })
                .collect()
        };
    }
    match metric.data() {
        AggregatedMetrics::U64(MetricData::Sum(sum)) => read!(sum.data_points()),
        AggregatedMetrics::F64(MetricData::Sum(sum)) => read!(sum.data_points()),
        AggregatedMetrics::F64(MetricData::Gauge(gauge)) => read!(gauge.data_points()),
        other => panic!("{}: {other:?}", metric.name()),
    }
}

fn session(transform: Transform, label: &str) -> Session {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let transform = transform.label(label).expect("it fits");
    registry.open(&transform).expect("the native provider has it")
}

fn named(pairs: &[(&str, &str)]) -> BTreeSet<String> {
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn operations_are_exported_with_what_tells_them_apart() {
    let exported = Exported::new();
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    let verify = Transform::mac(mac, b"key").verify().expect("it fits");
    let session = session(verify, "operations");
    let job = |len| Job::new(&session, vec![7; len]).expect_tag(&[0; 20]);
    let mut processor = Processor::new();
    assert_eq!(processor.process_many(&mut [job(10), job(20), job(100)]).failed, 3);
    let expected = |queue: &str, size: &str| {
        let kernel = broadloom_metrics::Snapshot::now();
        let kernel = kernel.series.iter().find(|series| series.key.label == "operations");
        let kernel = kernel.expect("it was counted").key.kernel.clone();
        named(&[
            ("algorithm", "hmac-sha1"),
            ("direction", "verify"),
            ("provider", "native"),
            ("kernel", &kernel),
            ("queue", queue),
            ("size", size),
            ("label", "operations"),
        ])
    };
    let points = |name| {
        let mut points = exported.points(name, "label=operations");
        points.sort_by(|one, other| one.1.total_cmp(&other.1));
        points
    };
    let operations = points("broadloom.operations");
    let queue = operations[0].0.iter().find_map(|one| one.strip_prefix("queue="));
    let queue = queue.expect("it has a queue").to_owned();
    assert!(queue.starts_with("processor-"), "{queue}");
    let [short, long] = [expected(&queue, "64"), expected(&queue, "128")];
    assert_eq!(operations, [(long.clone(), 1.0), (short.clone(), 2.0)]);
    let bytes = points("broadloom.processed");
    assert_eq!(bytes, [(short.clone(), 30.0), (long.clone(), 100.0)]);
    let failed = |mut own: BTreeSet<String>| {
        own.insert("error.type=tag-mismatch".to_owned());
        own
    };
    assert_eq!(points("broadloom.errors"), [(failed(long), 1.0), (failed(short.clone()), 2.0)]);
    // What is done later is in the next collection.
    processor.process_many(&mut [job(30)]);
    assert_eq!(points("broadloom.operations")[1], (short, 3.0));
}

#[test]
fn a_queue_is_exported_with_its_batches() {
    let exported = Exported::new();
    let session = session(Transform::hash(HashAlgorithm::Sha256), "queue");
    let mut pair = QueuePair::new(QueueConfig { batch: Some(8), ..QueueConfig::default() });
    let mut jobs: Vec<_> = (0..8).map(|_| Job::new(&session, vec![7; 10])).collect();
    pair.enqueue(&mut jobs);
    pair.enqueue(&mut vec![Job::new(&session, vec![7; 10])]);
    pair.flush();
    let operations = exported.points("broadloom.operations", "label=queue");
    let queue = operations[0].0.iter().find(|one| one.starts_with("queue=")).expect("it has one");
    let value = |name, attribute: &str| {
        let points = exported.points(name, queue);
        let mut own = points.iter().filter(|(own, _)| own.contains(attribute));
        own.next().map(|(_, value)| *value)
    };
    let only = |name| value(name, queue);
    assert_eq!(only("broadloom.queue.waiting_jobs"), Some(9.0));
    assert_eq!(only("broadloom.queue.batch_jobs"), Some(9.0));
    assert_eq!(value("broadloom.queue.batches", "cause=batch"), Some(1.0));
    assert_eq!(value("broadloom.queue.batches", "cause=flush"), Some(1.0));
    assert!(only("broadloom.queue.session") > Some(0.0));
    assert!(only("broadloom.queue.work_batches") >= Some(1.0));
    assert!(only("broadloom.queue.work") > Some(0.0));
    assert!(only("broadloom.queue.lane_steps") >= only("broadloom.queue.lane_steps_used"));
    assert!(only("broadloom.queue.lane_steps_used") > Some(0.0));
    assert_eq!(only("broadloom.queue.core").is_some(), cfg!(target_os = "linux"));
}

/// Exporters for Prometheus make a metric's name of the instrument's name and unit: it is the one
/// that the text for Prometheus has.
#[test]
fn names_are_those_of_the_text_for_prometheus() {
    let exported = Exported::new();
    let session = session(Transform::hash(HashAlgorithm::Sha256), "names");
    Processor::new().process_many(&mut [Job::new(&session, vec![7; 10])]);
    let text = broadloom_metrics::Snapshot::now().to_prometheus();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let types: BTreeSet<_> = types.filter_map(|line| line.split(' ').next()).collect();
    let names = exported.collect(|metric| {
        let unit = match metric.unit() {
            "By" => "_bytes",
            "s" => "_seconds",
            _ => "",
        };
        let is_sum = matches!(
            metric.data(),
            AggregatedMetrics::U64(_) | AggregatedMetrics::F64(MetricData::Sum(_))
        );
        let ending = if is_sum { "_total" } else { "" };
        (metric.name().to_owned(), format!("{}{unit}{ending}", metric.name().replace('.', "_")))
    });
    assert!(names.len() > 10, "{names:?}");
    // Sums and counts of what are histograms there.
    let parts = ["batch_jobs", "wait", "wait_batches", "work", "work_batches"];
    for (name, of_prometheus) in names {
        let is_part = parts.iter().any(|part| name == format!("broadloom.queue.{part}"));
        assert!(is_part || types.contains(&*of_prometheus), "{of_prometheus} is not in {types:?}");
    }
}
