//! What every provider must pass.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_ipsec_mb::IpsecMb;
use broadloom_lanes::Cpu;
use broadloom_native::Native;
use broadloom_openssl::OpenSsl;

fn ipsec_mb() -> Result<Arc<dyn Provider>, String> {
    let provider = IpsecMb::load(&[]).map_err(|error| error.to_string())?;
    Ok(Arc::new(provider))
}

fn native() -> Result<Arc<dyn Provider>, String> {
    Ok(Arc::new(Native::new(Cpu::detect()).with_legacy()))
}

fn openssl() -> Result<Arc<dyn Provider>, String> {
    let provider = OpenSsl::load(&[("legacy", "yes")]).map_err(|error| error.to_string())?;
    Ok(Arc::new(provider))
}

suite!(ipsec_mb());
cross!(and_the_reference: ipsec_mb(), reference_provider());
cross!(and_native: ipsec_mb(), native());
cross!(and_openssl: ipsec_mb(), openssl());
