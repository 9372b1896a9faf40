//! What every provider must pass.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_libdeflate::{Libdeflate, LoadError};

fn provider() -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Libdeflate::load(&[])?))
}

suite!(provider());
cross!(provider(), reference_provider());
