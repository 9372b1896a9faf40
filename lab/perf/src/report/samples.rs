//! Rows made up for tests.

use super::pass::Pass;
use super::row::{Report, Row};
use crate::measure::sys::machine::Machine;
use crate::names::Kind;

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

/// Makes a row of what a provider takes for buffers of one size: HMAC-SHA1 in bursts of 32, warm,
/// on one core.
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

/// Makes a row of latencies from end to end.
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
    let (mode, call) =
        if count.is_some() { ("async", "queue-pair") } else { ("sync", "process-many") };
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

/// A pass in which every key has a value.
pub fn full_pass() -> Pass {
    Pass {
        figure: "10".to_owned(),
        level: Some(1),
        chunk: Some(65536),
        threads: 1,
        preset: Some("8955".to_owned()),
        transfer: Some("copy".to_owned()),
        poll: Some("every".to_owned()),
        poll_us: Some(50.0),
        poller: Some("inline".to_owned()),
        doorbell: Some("each".to_owned()),
        numa: Some("local".to_owned()),
        input_bytes: 1 << 28,
        output_bytes: Some(1 << 26),
        ratio: Some(0.25),
        elapsed_s: 0.2,
        elapsed_s_median: 0.21,
        cpu_s: 0.1,
        cpu_s_median: 0.11,
        passes: 5,
        prepared: Some(true),
        responses: Some(1000),
        late: Some(3),
        upload_s: Some(0.01),
        kernel_s: Some(0.02),
        download_s: Some(0.01),
        batches: Some(16),
    }
}
