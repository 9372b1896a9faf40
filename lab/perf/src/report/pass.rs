//! The keys that `broadloom-perf compress`, `device`, `storage` and `transmit` add to a row.

use serde::{Deserialize, Serialize};

/// Bytes of the input for which source 003 gives seconds.
pub const BYTES: f64 = (1u64 << 30) as f64;

/// One side's passes over an input, or over many requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// The figure of source 003, by its number, or the question or workload, by its name.
    pub figure: String,
    /// The level of compression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Bytes of a chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
    /// Threads at work, the device's own not counted.
    pub threads: usize,
    /// The device that is modelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// `copy`: to and from the device's buffers; `gather`: the device takes data where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<String>,
    /// How responses are waited for: `yield`, `spin`, `every`, `interrupt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll: Option<String>,
    /// With `every`, or with a poller of its own: microseconds between two looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_us: Option<f64>,
    /// Who polls: `inline`, the thread that submits; `separate`, a thread for that alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poller: Option<String>,
    /// `each`: rung with each request; `deferred`: once for a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doorbell: Option<String>,
    /// Where the device is: `local`, or `remote`, at another socket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa: Option<String>,
    /// Bytes that one pass takes, uncompressed.
    pub input_bytes: u64,
    /// The same bytes, compressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
    /// Compressed bytes as a part of the uncompressed ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Seconds of the shortest pass.
    pub elapsed_s: f64,
    /// Seconds of the median pass.
    pub elapsed_s_median: f64,
    /// Seconds of all cores, user and system, that the process used in the pass that used the
    /// fewest: without those of the threads that stand for a device.
    pub cpu_s: f64,
    /// The same of the median pass.
    pub cpu_s_median: f64,
    /// Passes that were timed.
    pub passes: usize,
    /// Whether the device's results were prepared before the clock started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<bool>,
    /// Responses in all timed passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responses: Option<u64>,
    /// Those that came later than the model has it, as this machine's cores did not keep up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// Seconds of a device's copies of input in the shortest pass, by its own clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload_s: Option<f64>,
    /// Seconds of its kernels: what is left where data are in its memory already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_s: Option<f64>,
    /// Seconds of its copies of output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_s: Option<f64>,
    /// Batches that were handed to it in the shortest pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batches: Option<u64>,
}

/// The keys in the order of the fields, which is that of a file's columns.
pub const KEYS: [&str; 26] = [
    "figure",
    "level",
    "chunk",
    "threads",
    "preset",
    "transfer",
    "poll",
    "poll_us",
    "poller",
    "doorbell",
    "numa",
    "input_bytes",
    "output_bytes",
    "ratio",
    "elapsed_s",
    "elapsed_s_median",
    "cpu_s",
    "cpu_s_median",
    "passes",
    "prepared",
    "responses",
    "late",
    "upload_s",
    "kernel_s",
    "download_s",
    "batches",
];

impl Pass {
    /// Seconds for an input of the source's size, 2^30 bytes, at the rate of `seconds` for a pass.
    fn scaled(&self, seconds: f64) -> f64 {
        seconds * BYTES / self.input_bytes.max(1) as f64
    }

    /// Elapsed seconds for each 2^30 bytes.
    pub fn elapsed_per_gib(&self) -> f64 {
        self.scaled(self.elapsed_s)
    }

    /// CPU seconds for each 2^30 bytes.
    pub fn cpu_per_gib(&self) -> f64 {
        self.scaled(self.cpu_s)
    }

    /// The part of the responses that were late.
    pub fn late_part(&self) -> Option<f64> {
        Some(self.late? as f64 / self.responses?.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::row::Row;
    use crate::report::samples;

    #[test]
    fn a_full_pass_has_all_the_keys_in_its_row_and_comes_back_as_it_was() {
        let row =
            Row { pass: Some(samples::full_pass()), ..samples::row("emulated", 65536, 100.0) };
        let json = serde_json::to_string(&row).unwrap();
        let at: Vec<_> = KEYS.iter().map(|key| json.find(&format!("\"{key}\":"))).collect();
        assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{json}");
        assert_eq!(serde_json::from_str::<Row>(&json).unwrap(), row);
        let plain = samples::row("native", 64, 1.0);
        let json = serde_json::to_string(&plain).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&json).unwrap(), plain);
    }

    #[test]
    fn seconds_are_scaled_to_the_sources_input() {
        let pass = Pass { input_bytes: 1 << 28, elapsed_s: 0.5, cpu_s: 0.25, ..Pass::default() };
        assert_eq!((pass.elapsed_per_gib(), pass.cpu_per_gib()), (2.0, 1.0));
        let late = Pass { responses: Some(200), late: Some(5), ..pass };
        assert_eq!(late.late_part(), Some(0.025));
    }
}
