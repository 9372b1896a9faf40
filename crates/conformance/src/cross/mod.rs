//! Compares one provider with another.

mod chunks;
mod packets;

use std::sync::Arc;

use broadloom_engine::Algorithm;
use broadloom_engine::provider::Provider;

use crate::candidate::say;

/// Compares two providers on random jobs of everything that both have. Of packets, what they make
/// is the same, each reads what the other made, and they fail on the same jobs in the same way. Of
/// chunks, each decompresses what the other made, at every level and in every way that it has; and
/// where streams are damaged, those that both take for sound are the same to both.
///
/// # Panics
/// If they differ, or have nothing in common.
pub fn compare(a: &Arc<dyn Provider>, b: &Arc<dyn Provider>) {
    // Signatures of one that another verifies are what the suite's keys and vectors show.
    let compared = |algorithm: &Algorithm| !matches!(algorithm, Algorithm::PublicKey(_));
    let supported = Algorithm::all().filter(compared).filter(|algorithm| a.supports(*algorithm));
    let (common, apart): (Vec<_>, Vec<_>) = supported.partition(|algorithm| b.supports(*algorithm));
    assert!(!common.is_empty(), "{} and {} have nothing in common", a.name(), b.name());
    if !apart.is_empty() {
        let names: Vec<_> = apart.iter().map(Algorithm::to_string).collect();
        say(format_args!("{} is not compared with {} in {}", a.name(), b.name(), names.join(", ")));
    }
    packets::compare(a, b, &common);
    for algorithm in common {
        if let Algorithm::Compression(algorithm) = algorithm {
            chunks::compare(a, b, algorithm);
        }
    }
}
