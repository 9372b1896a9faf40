//! The schema `broadloom-perf/1`. Later rows add keys and never change the meaning of these.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::pass::Pass;
use crate::measure::sys::machine::Machine;
use crate::names::Kind;

/// The name and version of the schema.
pub const SCHEMA: &str = "broadloom-perf/1";

/// The [interface](Row::interface) of a library's own calls.
pub const BARE: &str = "bare";

/// The most queue pairs by which the memory of a session is measured, and the most that DPDK's
/// OpenSSL driver has by default.
pub const QUEUE_PAIRS: usize = 8;

/// The [interface](Row::interface) of DPDK's drivers.
pub const DPDK: &str = "dpdk";

/// Everything that a run measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// When the run ended: a date and a time in UTC, as RFC 3339 has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// The command line that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What else the reader should know: the libraries' versions, who took no part and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where it was measured.
    pub machine: Machine,
    /// What was measured.
    pub rows: Vec<Row>,
}

impl Report {
    /// The rows of a run on this machine that ends now.
    pub fn new(machine: Machine, rows: Vec<Row>) -> Report {
        let now = std::time::SystemTime::now();
        Report {
            schema: SCHEMA.to_owned(),
            made: Some(humantime::format_rfc3339_seconds(now).to_string()),
            command: None,
            notes: Vec::new(),
            machine,
            rows,
        }
    }

    /// Writes it as JSON, with a line's end after it.
    ///
    /// # Errors
    /// Of `out`.
    pub fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")
    }
}

/// One provider's figures for one case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured; absent: `throughput`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Such as `hmac-sha1`.
    pub algorithm: String,
    /// Such as `encrypt`.
    pub direction: String,
    /// The workload's number in source 000, or the mix, such as `imix`; a row has this or `size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The size asked for, in bytes; a row has this or `workload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// `burst`: jobs handed over together; `stream`: one job a call, through `submit`; `sync`: one
    /// job a call that returns when it is done; `async`: one job a call, `outstanding` in flight.
    pub mode: String,
    /// Jobs that one thread has in flight when it waits for the oldest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<usize>,
    /// Jobs handed over in one call: 1 but in bursts.
    pub burst: usize,
    /// Cores at work.
    pub cores: usize,
    /// The provider, or the peer.
    pub provider: String,
    /// Of `openssl`: who has a context and for how long, such as `per-job` or `per-queue-pair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<String>,
    /// Of `openssl`: the queue pairs that it was opened for, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_pairs: Option<usize>,
    /// Of `native`: the CPU features that it was to do without, such as `aes,sha`, in the order of
    /// the alphabet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Options of the provider that have no key of their own, such as `engines=2:preset=8955`, in
    /// the order of the alphabet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// `queue-pair` or `process-many`; absent: the provider's own interface, without the engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// `shared`: one session for all cores; `per-core`: one for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What it ran.
    pub kernel: String,
    /// The order asked for. Results of a burst lie in place, which serves either.
    pub order: String,
    /// The instruction set that `native` was held to in this comparison.
    pub isa: String,
    /// `warm` or `cold`.
    pub cache: String,
    /// Minimum, in cycles of the machine's counter. With several cores at work: cycles that pass
    /// for each buffer that any of them completes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_buffer: Option<f64>,
    /// Median, in cycles of the machine's counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_buffer_median: Option<f64>,
    /// Operations a second at the minimum, of all cores together: of public-key algorithms and of
    /// `perf storage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations_per_second: Option<f64>,
    /// Input bits a second at the minimum, in units of 10^9, of all cores together; of a
    /// decompression, those that come out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbps: Option<f64>,
    /// The fewest cycles that the calibrated operations allow; absent where none are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_cycles_per_buffer: Option<f64>,
    /// The operations that set this limit, such as `256-bit vectors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_by: Option<String>,
    /// Mean length of the buffers, in bytes.
    pub buffer_bytes: f64,
    /// Of a native stream: the part that full lanes of long buffers would take for the same
    /// blocks. What is left is the manager's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_cycles_per_buffer: Option<f64>,
    /// The shortest time from handing a job over to having it back, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns_min: Option<f64>,
    /// The mean of these times, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns_mean: Option<f64>,
    /// The time within which half of the jobs came back, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns_p50: Option<f64>,
    /// The time within which 99 of 100 jobs came back, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns_p99: Option<f64>,
    /// The longest of these times, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns_max: Option<f64>,
    /// Buffers whose results were found right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<usize>,
    /// Bytes that a session takes when it was just opened, with what the allocator adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_bytes: Option<f64>,
    /// Bytes that the first job of each queue pair adds to a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_pair_bytes: Option<f64>,
    /// What the provider was called through: `engine`, or `bare` for a library's own calls. The
    /// keys `call` and `session` of a bare row are those of the rows that it was measured in turn
    /// with; so is `session` of a row of `dpdk`, whose tool gives each core a session of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// The call of a bare row: `job`, `burst` or `direct` of intel-ipsec-mb, `evp`, or `one-shot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_call: Option<String>,
    /// Of `perf packets` and `perf transmit`: the protocol and its suite, such as
    /// `esp-aes-128-gcm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Of `perf packets`: bytes of a frame before it is protected, or `imix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Of `perf packets`: flows that the packets belong to; of `perf transmit`: connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows: Option<usize>,
    /// Of `perf packets`: the minimum, in cycles of the machine's counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_packet: Option<f64>,
    /// Of `perf packets`: packets a second at the minimum, of all cores together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_per_second: Option<f64>,
    /// Of `perf transmit`: CPU time of the sending thread for each 1024 bytes, in cycles of the
    /// machine's counter, of the cheapest pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_kib: Option<f64>,
    /// Of `perf transmit`: the part of its time that the sender's core spent in programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_part: Option<f64>,
    /// Of `perf transmit`: the part that it spent in the kernel on behalf of programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_part: Option<f64>,
    /// Of `perf transmit`: the part that it spent in interrupts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt_part: Option<f64>,
    /// Of `perf transmit`: the part in which it was idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_part: Option<f64>,
    /// Of `perf transmit`: parts of the sending thread's CPU time by functions of the kernel, such
    /// as `tcp_output`, and outside of the kernel (`user`). A function has what it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<BTreeMap<String, f64>>,
    /// What `perf compress`, `perf device`, `perf storage` and `perf transmit` add, as keys of the
    /// row.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub pass: Option<Pass>,
}

/// The keys of a row in the order of its fields, which is that of a file's columns; those of a
/// [`Pass`] follow.
pub const KEYS: [&str; 49] = [
    "kind",
    "algorithm",
    "direction",
    "workload",
    "size",
    "mode",
    "outstanding",
    "burst",
    "cores",
    "provider",
    "contexts",
    "queue_pairs",
    "without",
    "options",
    "call",
    "session",
    "kernel",
    "order",
    "isa",
    "cache",
    "cycles_per_buffer",
    "cycles_per_buffer_median",
    "operations_per_second",
    "gbps",
    "limit_cycles_per_buffer",
    "limit_by",
    "buffer_bytes",
    "kernel_cycles_per_buffer",
    "latency_ns_min",
    "latency_ns_mean",
    "latency_ns_p50",
    "latency_ns_p99",
    "latency_ns_max",
    "verified",
    "session_bytes",
    "queue_pair_bytes",
    "interface",
    "peer_call",
    "protocol",
    "frame",
    "flows",
    "cycles_per_packet",
    "packets_per_second",
    "cycles_per_kib",
    "user_part",
    "system_part",
    "interrupt_part",
    "idle_part",
    "functions",
];

impl Row {
    /// Returns what was measured.
    pub fn kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Throughput)
    }

    /// Whose figures these are: the provider, and how it was opened where that is known.
    pub fn side(&self) -> String {
        match self.opened().as_str() {
            "" => self.provider.clone(),
            opened => format!("{} ({opened})", self.provider),
        }
    }

    /// Returns how the provider was opened or called, besides the instruction set. Returns an empty
    /// text if nothing was asked for.
    pub fn opened(&self) -> String {
        let pairs = self.queue_pairs.map(|pairs| format!("queue-pairs={pairs}"));
        let without = self.without.as_ref().map(|features| format!("without {features}"));
        let outside = |interface: &String| [BARE, DPDK].contains(&interface.as_str());
        let outside = self.interface.clone().filter(outside);
        let all = [outside, self.contexts.clone(), pairs, without, self.options.clone()];
        all.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns what was done to the buffers, such as `hmac-sha1 generate`.
    pub fn operation(&self) -> String {
        format!("{} {}", self.algorithm, self.direction)
    }

    /// Returns the length of the buffers, such as `64 B`, `workload 1` or `imix`.
    pub fn load(&self) -> String {
        match (&self.workload, self.size) {
            (Some(name), _) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("workload {name}")
            }
            (Some(name), _) => name.clone(),
            (None, Some(size)) => format!("{size} B"),
            (None, None) => String::new(),
        }
    }
}

/// Returns what sets the limits of some rows, each once.
pub fn limits<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<&'a str> {
    let mut limits = Vec::new();
    for by in rows.into_iter().filter_map(|row| row.limit_by.as_deref()) {
        if !limits.contains(&by) {
            limits.push(by);
        }
    }
    limits
}

/// CPU features that were done without, as a row names them; nothing where there are none.
pub fn features<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: BTreeSet<&str> = names.into_iter().collect();
    (!names.is_empty()).then(|| names.into_iter().collect::<Vec<_>>().join(","))
}

/// Rounds to two decimals: no clock here knows more.
pub fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    /// A row in which every key has a value.
    fn full() -> Row {
        Row {
            kind: Some(Kind::Latency),
            workload: Some("imix".to_owned()),
            size: Some(64),
            outstanding: Some(8),
            contexts: Some("per-job".to_owned()),
            queue_pairs: Some(4),
            without: Some("aes,sha".to_owned()),
            options: Some("engines=2".to_owned()),
            call: Some("queue-pair".to_owned()),
            session: Some("shared".to_owned()),
            operations_per_second: Some(9.0),
            limit_cycles_per_buffer: Some(1.0),
            limit_by: Some("256-bit vectors".to_owned()),
            kernel_cycles_per_buffer: Some(1.0),
            latency_ns_min: Some(1.0),
            latency_ns_mean: Some(2.0),
            latency_ns_p50: Some(2.0),
            latency_ns_p99: Some(3.0),
            latency_ns_max: Some(4.0),
            verified: Some(5),
            session_bytes: Some(6.0),
            queue_pair_bytes: Some(7.0),
            interface: Some("engine".to_owned()),
            peer_call: Some("direct".to_owned()),
            protocol: Some("wireguard".to_owned()),
            frame: Some("64".to_owned()),
            flows: Some(64),
            cycles_per_packet: Some(1.0),
            packets_per_second: Some(1.0),
            cycles_per_kib: Some(1.0),
            user_part: Some(0.25),
            system_part: Some(0.25),
            interrupt_part: Some(0.25),
            idle_part: Some(0.25),
            functions: Some(BTreeMap::from([("write".to_owned(), 0.5)])),
            ..samples::row("openssl", 64, 100.0)
        }
    }

    #[test]
    fn a_full_row_has_all_the_keys_and_comes_back_as_it_was() {
        let row = full();
        let json = serde_json::to_string(&row).unwrap();
        let at: Vec<_> = KEYS.iter().map(|key| json.find(&format!("\"{key}\":"))).collect();
        assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{json}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value.as_object().unwrap().len(), KEYS.len());
        assert_eq!(serde_json::from_str::<Row>(&json).unwrap(), row);
    }

    #[test]
    fn a_side_is_named_by_all_that_it_was_opened_with() {
        assert_eq!(samples::row("native", 64, 1.0).side(), "native");
        assert_eq!(full().side(), "openssl (per-job, queue-pairs=4, without aes,sha, engines=2)");
    }

    #[test]
    fn a_librarys_own_calls_are_a_side_of_their_own() {
        let with = |interface: &str| {
            let interface = Some(interface.to_owned());
            Row { interface, ..samples::row("openssl", 64, 1.0) }.side()
        };
        assert_eq!((with("engine"), with(BARE)), ("openssl".into(), "openssl (bare)".into()));
        assert_eq!(with(DPDK), "openssl (dpdk)");
    }

    #[test]
    fn what_is_not_known_is_no_key() {
        let json = serde_json::to_value(Row::default()).unwrap();
        for key in [
            "kind",
            "workload",
            "size",
            "contexts",
            "without",
            "cycles_per_buffer",
            "latency_ns_p50",
        ] {
            assert!(json.get(key).is_none(), "{key}");
        }
    }

    #[test]
    fn a_file_of_the_first_version_can_be_read() {
        let text = r#"{
            "schema": "broadloom-perf/1",
            "machine": {"cpu": "C", "arch": "x86_64", "os": "linux", "cores": 2, "tsc_mhz": 2445.43},
            "rows": [{
                "algorithm": "hmac-sha1", "direction": "generate", "workload": "1", "mode": "burst",
                "burst": 64, "cores": 1, "provider": "native", "kernel": "avx2 x8",
                "order": "out-of-order", "isa": "avx2", "cache": "warm", "cycles_per_buffer": 100.5,
                "cycles_per_buffer_median": 110.0, "gbps": 1.25, "buffer_bytes": 330.0,
                "of_a_later_version": [1]
            }]
        }"#;
        let report: Report = serde_json::from_str(text).unwrap();
        let row = &report.rows[0];
        assert_eq!((row.kind(), row.cycles_per_buffer), (Kind::Throughput, Some(100.5)));
        assert_eq!((row.load(), row.side()), ("workload 1".to_owned(), "native".to_owned()));
        assert_eq!((report.made, report.notes.len()), (None, 0));
    }
}
