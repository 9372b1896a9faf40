//! What every provider must pass, with each way of having contexts, and the ways compared with each
//! other. (The suite opens several queues, so that there is none for the provider of one: that is
//! among the unit tests.)

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_openssl::{LoadError, OpenSsl};

fn provider(options: &[(&str, &str)]) -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(OpenSsl::load(options)?))
}

broadloom_conformance::suite!(per_queue_pair: provider(&[]));
broadloom_conformance::suite!(per_job: provider(&[("contexts", "per-job")]));
broadloom_conformance::suite!(all_again_for_each_job: provider(&[
    ("contexts", "per-job"), ("keys", "per-job"), ("padding", "per-job"), ("ivs", "per-job"),
]));
broadloom_conformance::suite!(ciphers_per_queue_pair: provider(&[
    ("contexts", "ciphers-per-queue-pair"), ("padding", "per-job"), ("ivs", "per-job"),
]));
broadloom_conformance::suite!(ivs_per_job: provider(&[("ivs", "per-job"), ("keys", "per-job")]));
broadloom_conformance::suite!(padding_per_job: provider(&[("padding", "per-job")]));
broadloom_conformance::suite!(locked: provider(&[("contexts", "locked")]));
broadloom_conformance::cross!(provider(&[]), provider(&[("contexts", "per-job")]));
broadloom_conformance::cross!(locked: provider(&[]), provider(&[("contexts", "locked")]));
broadloom_conformance::cross!(again: provider(&[]), provider(&[
    ("contexts", "ciphers-per-queue-pair"),
    ("keys", "per-job"), ("padding", "per-job"), ("ivs", "per-job"),
]));
