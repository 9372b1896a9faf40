//! What every provider must pass, with each of the ways in which contexts are kept.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::Provider;
use broadloom_openssl::OpenSsl;

fn openssl(options: &[(&str, &str)]) -> Result<Arc<dyn Provider>, String> {
    let provider = OpenSsl::load(options).map_err(|error| error.to_string())?;
    Ok(Arc::new(provider))
}

suite!(openssl(&[]));
suite!(contexts_per_job: openssl(&[("contexts", "per-job")]));
cross!(openssl(&[]), reference_provider());
