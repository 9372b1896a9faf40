//! Rows made up for tests.

use super::row::{Report, Row};
use crate::names::Kind;
use crate::sys::machine::Machine;

/// A machine that does not exist.
pub fn machine() -> Machine {
    Machine {
        cpu: "A CPU".to_owned(),
        arch: "x86_64".to_owned(),
        os: "linux 6".to_owned(),
        cores: 2,
        tsc_mhz: 2000.0,
    }
}

/// What a provider takes for buffers of one size: HMAC-SHA1 in bursts of 32, warm, on one core.
pub fn row(provider: &str, size: usize, cycles: f64) -> Row {
    Row {
        algorithm: "hmac-sha1".to_owned(),
        direction: "generate".to_owned(),
        size: Some(size),
        mode: "burst".to_owned(),
        burst: 32,
        cores: 1,
        provider: provider.to_owned(),
        kernel: "k".to_owned(),
        order: "out-of-order".to_owned(),
        isa: "avx2".to_owned(),
        cache: "warm".to_owned(),
        cycles_per_buffer: Some(cycles),
        cycles_per_buffer_median: Some(cycles * 1.05),
        gbps: Some(size as f64 * 8.0 * 2.0 / cycles),
        buffer_bytes: size as f64,
        ..Row::default()
    }
}

/// The same of `openssl`, with contexts kept in one way.
pub fn openssl(contexts: &str, size: usize, cycles: f64) -> Row {
    Row { contexts: Some(contexts.to_owned()), ..row("openssl", size, cycles) }
}

/// How long jobs take from end to end.
pub fn latency(provider: &str, size: usize, p50: f64) -> Row {
    Row {
        kind: Some(Kind::Latency),
        cycles_per_buffer: None,
        cycles_per_buffer_median: None,
        gbps: None,
        latency_ns_min: Some(p50 * 0.8),
        latency_ns_mean: Some(p50 * 1.1),
        latency_ns_p50: Some(p50),
        latency_ns_p99: Some(p50 * 2.0),
        latency_ns_max: Some(p50 * 20.0),
        ..row(provider, size, 1.0)
    }
}

/// One job at a time, and several outstanding.
pub fn outstanding(provider: &str, count: Option<usize>, cycles: f64) -> Row {
    let (mode, call) = if count.is_some() { ("async", "queue-pair") } else { ("sync", "process-many") };
    Row {
        mode: mode.to_owned(),
        call: Some(call.to_owned()),
        outstanding: count,
        burst: 1,
        ..row(provider, 1024, cycles)
    }
}

/// A report of these rows.
pub fn report(rows: Vec<Row>) -> Report {
    Report::new(machine(), rows)
}
