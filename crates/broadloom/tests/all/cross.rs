//! What one provider produces every other one reads.

use std::sync::Arc;

use broadloom::error::SpecError;
use broadloom::provider::Provider;
use broadloom_conformance::{cross, reference_provider};

fn provider(name: &str) -> Result<Arc<dyn Provider>, SpecError> {
    broadloom::registry().open_provider(&name.parse()?)
}

cross!(native_and_openssl: provider("native:legacy=yes"), provider("openssl:legacy=yes"));
cross!(openssl_with_contexts_per_job: provider("openssl"), provider("openssl:contexts=per-job"));
cross!(openssl_and_the_reference: provider("openssl"), reference_provider());
cross!(isal_and_libdeflate: provider("isal"), provider("libdeflate"));
cross!(isal_and_zlib: provider("isal"), provider("zlib"));
cross!(libdeflate_and_zlib: provider("libdeflate"), provider("zlib"));
