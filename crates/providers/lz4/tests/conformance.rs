//! What every provider must pass.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_lz4::{LoadError, Lz4};

fn provider() -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Lz4::load(&[])?))
}

suite!(provider());
cross!(provider(), reference_provider());
