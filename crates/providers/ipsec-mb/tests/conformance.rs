//! What every provider must pass.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_ipsec_mb::IpsecMb;

fn ipsec_mb() -> Result<Arc<dyn Provider>, String> {
    let provider = IpsecMb::load(&[]).map_err(|error| error.to_string())?;
    Ok(Arc::new(provider))
}

suite!(ipsec_mb());
cross!(ipsec_mb(), reference_provider());
