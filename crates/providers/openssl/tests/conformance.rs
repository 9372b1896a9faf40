//! What every provider must pass.

use std::sync::Arc;

use broadloom_conformance::suite;
use broadloom_engine::Provider;
use broadloom_openssl::{LoadError, OpenSsl};

fn openssl(options: &[(&str, &str)]) -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(OpenSsl::load(options)?))
}

suite!(openssl(&[]));
suite!(with_contexts_per_job: openssl(&[("contexts", "per-job")]));
