//! What the tests share.

use std::num::NonZeroUsize;
use std::sync::Arc;

use broadloom_encryption::age::Passphrase;
use broadloom_engine::Registry;
use broadloom_lanes::Cpu;

/// A registry with Broadloom's own lanes.
pub fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    Arc::new(registry)
}

pub fn threads(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("it is not 0")
}

/// Returns a function that asks for a passphrase, and is told this one.
pub fn told(passphrase: &str) -> broadloom_encryption::age::Ask {
    let passphrase = Passphrase::new(passphrase);
    Arc::new(move || Ok(passphrase.clone()))
}

/// Bytes that look random, the same for the same length.
pub fn noise(len: usize) -> Vec<u8> {
    broadloom_testing::noise(len, 1)
}
