//! The factory of the provider.

use std::sync::Arc;

use broadloom_engine::provider::{Factory, FactoryError};

use crate::Emulated;

/// The [options](crate#options), each with its values in short.
const OPTIONS: [(&str, &str); 36] = [
    ("preset", "8955, 8955-remote, doorbell-100ns or instant"),
    ("engines", "a number"),
    ("compression-engines", "a number"),
    ("symmetric-engines", "a number"),
    ("public-key-engines", "a number"),
    ("depth", "a number"),
    ("compression-depth", "a number"),
    ("symmetric-depth", "a number"),
    ("public-key-depth", "a number"),
    ("request-time", "a time"),
    ("compression-request-time", "a time"),
    ("symmetric-request-time", "a time"),
    ("public-key-request-time", "a time"),
    ("byte-time", "a time"),
    ("compression-byte-time", "a time"),
    ("symmetric-byte-time", "a time"),
    ("public-key-byte-time", "a time"),
    ("sharing", "a fraction; also for one service"),
    ("way-request-time", "a time"),
    ("way-byte-time", "a time"),
    ("distance", "local or remote"),
    ("remote-request-time", "a time"),
    ("remote-byte-time", "a time"),
    ("doorbell", "a time"),
    ("interrupt", "a time"),
    ("ring", "a power of two"),
    ("instances", "a number"),
    ("silicon", "a number of threads"),
    ("memory", "copy or gather"),
    ("responses", "polling or interrupt"),
    ("poller, poll-interval, wait", "who polls, and how long between"),
    ("prepare", "bytes, or off"),
    ("verify", "on or off"),
    ("integrity", "on or off"),
    ("faults, seed", "rates, and what they are drawn from"),
    ("timeout", "a time"),
];

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with. It computes
/// with the providers that the registry asks by default.
pub fn factory() -> Factory {
    let summary = "an emulated accelerator: rings, doorbells, engines, faults";
    Factory::new(Emulated::NAME, summary, |options, registry| {
        let device = Emulated::over(options, registry);
        Ok(Arc::new(device.map_err(|error| FactoryError::Option(error.to_string()))?))
    })
    .with_options(&OPTIONS)
    .by_name_only()
}
