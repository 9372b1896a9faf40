//! What every provider must pass, with each of the two libraries, and these compared with each
//! other.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_zlib::{LoadError, Zlib};

fn provider(library: &str) -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Zlib::load(&[("library", library)])?))
}

suite!(system: provider("system"));
suite!(built_in: provider("zlib-rs"));
cross!(provider("system"), provider("zlib-rs"));
cross!(with_the_reference: provider("zlib-rs"), reference_provider());
