//! What `broadloom-perf device` can be asked for.

use broadloom::gpu::{Gpu, LoadError};
use broadloom::provider::ProviderSpec;
use broadloom_engine::Algorithm;
use broadloom_engine::provider::Provider;

use super::topic::Topic;
use crate::error::PerfError;

/// The longest buffers, in bytes.
const MAX_SIZE: usize = 1 << 24;

/// What to measure.
#[derive(Debug, Clone)]
pub struct DeviceOptions {
    /// The figures; empty: all.
    pub topics: Vec<Topic>,
    /// The provider `gpu`, with its options.
    pub provider: ProviderSpec,
    /// Algorithms; empty: a hash, HMAC and two AEADs.
    pub algorithms: Vec<Algorithm>,
    /// Bytes of a buffer; empty: those of each figure.
    pub sizes: Vec<usize>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend less time, for figures that are less steady.
    pub quick: bool,
}

impl DeviceOptions {
    /// Opens the device, once all options are known to be right.
    pub(super) fn open(&self) -> Result<Gpu, PerfError> {
        if self.provider.name != Gpu::NAME {
            return Err(PerfError::Name {
                what: "device",
                name: self.provider.name.clone(),
                valid: Gpu::NAME.to_owned(),
            });
        }
        if let Some(&value) = self.sizes.iter().find(|size| !(1..=MAX_SIZE).contains(*size)) {
            let valid = format!("1 to {MAX_SIZE} bytes");
            return Err(PerfError::Range { what: "size", value, valid });
        }
        let (spec, options) = (self.provider.to_string(), self.provider.borrowed_options());
        Gpu::load(&options).map_err(|error| match error {
            LoadError::Option(error) => PerfError::Spec { spec, reason: error.to_string() },
            error => PerfError::Provider { spec, reason: error.to_string() },
        })
    }

    /// The algorithms, all of which the device has.
    pub(super) fn algorithms(&self, gpu: &Gpu) -> Result<Vec<Algorithm>, PerfError> {
        if self.algorithms.is_empty() {
            let usual = ["sha256", "hmac-sha256", "aes-128-gcm", "chacha20-poly1305"];
            return Ok(usual.map(|name| name.parse().expect("it is a name")).to_vec());
        }
        let lacking = |algorithm: &&Algorithm| !gpu.supports(**algorithm) || is_chain(algorithm);
        match self.algorithms.iter().find(lacking) {
            Some(algorithm) => {
                let known = Algorithm::simple().filter(|known| gpu.supports(*known));
                Err(PerfError::Name {
                    what: "algorithm of the device",
                    name: algorithm.to_string(),
                    valid: known.map(|known| known.to_string()).collect::<Vec<_>>().join(", "),
                })
            }
            None => Ok(self.algorithms.clone()),
        }
    }
}

fn is_chain(algorithm: &Algorithm) -> bool {
    matches!(algorithm, Algorithm::Chain(..))
}
