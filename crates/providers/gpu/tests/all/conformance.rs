//! What every provider must pass, on the first device that OpenCL has, be it a GPU or a CPU.

use std::sync::{Arc, OnceLock};

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_gpu::{Gpu, LoadError};

use crate::common::PATIENCE;

/// One device for all tests, so that its programs are compiled once.
fn provider() -> Result<Arc<dyn Provider>, LoadError> {
    static GPU: OnceLock<Result<Gpu, LoadError>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| Gpu::load(&[("device", "any"), PATIENCE])).clone()?;
    Ok(Arc::new(gpu))
}

suite!(provider());
cross!(provider(), reference_provider());
