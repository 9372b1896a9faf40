//! What every provider must pass.

use std::sync::Arc;

use broadloom_conformance::suite;
use broadloom_engine::Provider;
use broadloom_ipsec_mb::{IpsecMb, LoadError};

fn ipsec_mb() -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(IpsecMb::load(&[])?))
}

suite!(ipsec_mb());
