//! The schema `broadloom-perf/1`. Later rows add keys and never change the meaning of these.

use serde::Serialize;

use crate::sys::machine::Machine;

/// The name and version of the schema.
pub const SCHEMA: &str = "broadloom-perf/1";

/// Everything that a run measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Where it was measured.
    pub machine: Machine,
    /// What was measured.
    pub rows: Vec<Row>,
}

/// One provider's figures for one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Such as `hmac-sha1`.
    pub algorithm: String,
    /// Such as `encrypt`.
    pub direction: &'static str,
    /// The workload's number in source 000; a row has this or `size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<&'static str>,
    /// The size asked for, in bytes; a row has this or `workload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// `burst`: jobs handed over together; `stream`: one job a call.
    pub mode: &'static str,
    /// Jobs handed over in one call: 1 in a stream.
    pub burst: usize,
    /// Cores at work.
    pub cores: usize,
    /// Who did it.
    pub provider: &'static str,
    /// What it ran.
    pub kernel: String,
    /// The order asked for. Results of a burst lie in place, which serves either.
    pub order: &'static str,
    /// The instruction set that `native` was held to in this comparison.
    pub isa: &'static str,
    /// `warm` or `cold`.
    pub cache: &'static str,
    /// Minimum, in cycles of the machine's counter.
    pub cycles_per_buffer: f64,
    /// Median, in cycles of the machine's counter.
    pub cycles_per_buffer_median: f64,
    /// Input bits a second at the minimum, in units of 10^9.
    pub gbps: f64,
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
}

/// Rounds to two decimals: no clock here knows more.
pub fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
