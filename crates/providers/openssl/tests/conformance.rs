//! What every provider must pass, with each way of having contexts, and the ways compared with each
//! other. (The suite opens several queues, so that there is none for the provider of one: that is
//! among the unit tests.)

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_openssl::{LoadError, OpenSsl};

fn provider(options: &[(&str, &str)]) -> Result<Arc<dyn Provider>, LoadError> {
    // With what is broken, so that it is tested, too.
    Ok(Arc::new(OpenSsl::load(&[options, &[("legacy", "yes")]].concat())?))
}

const AGAIN: [(&str, &str); 3] = [("keys", "per-job"), ("padding", "per-job"), ("ivs", "per-job")];

fn again(contexts: &str) -> Result<Arc<dyn Provider>, LoadError> {
    provider(&[&AGAIN[..], &[("contexts", contexts)]].concat())
}

broadloom_conformance::suite!(per_queue_pair: provider(&[]));
broadloom_conformance::suite!(per_job: provider(&[("contexts", "per-job")]));
broadloom_conformance::suite!(locked: provider(&[("contexts", "locked")]));
broadloom_conformance::suite!(again_per_job: again("per-job"));
broadloom_conformance::suite!(again_ciphers_per_queue_pair: again("ciphers-per-queue-pair"));
broadloom_conformance::cross!(provider(&[]), provider(&[("contexts", "per-job")]));
broadloom_conformance::cross!(cross_locked: provider(&[]), provider(&[("contexts", "locked")]));
broadloom_conformance::cross!(cross_again: provider(&[]), again("per-queue-pair"));
