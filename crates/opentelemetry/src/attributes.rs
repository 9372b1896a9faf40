//! What tells values of one instrument apart.

use broadloom_metrics::{Key, SizeClass};
use opentelemetry::KeyValue;

/// Returns the attributes of a series. Those that are empty are left out.
pub(crate) fn of_series(key: &Key) -> Vec<KeyValue> {
    let Key { algorithm, direction, provider, kernel, queue, size, label } = key;
    let size = match *size {
        SizeClass(u64::MAX) => "more".to_owned(),
        SizeClass(longest) => longest.to_string(),
    };
    let all = [
        ("algorithm", algorithm),
        ("direction", direction),
        ("provider", provider),
        ("kernel", kernel),
        ("queue", queue),
        ("size", &size),
        ("label", label),
    ];
    let given = all.into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| KeyValue::new(name, value.clone())).collect()
}

/// Returns the attributes of a queue.
pub(crate) fn of_queue(name: &str) -> Vec<KeyValue> {
    vec![KeyValue::new("queue", name.to_owned())]
}

/// Returns attributes and one more.
pub(crate) fn with(
    mut attributes: Vec<KeyValue>,
    name: &'static str,
    value: &str,
) -> Vec<KeyValue> {
    attributes.push(KeyValue::new(name, value.to_owned()));
    attributes
}
